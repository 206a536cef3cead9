/* SPDX-License-Identifier: Apache-2.0 */
#include "request.h"
#include "base/error.h"

#include <errno.h>
#include <math.h>
#include <poplar/text.h>
#include <sys/socket.h>

const char *request_text(const struct request *request, const char *name, const char *fallback)
{
    for (size_t i = 0; i < request->parameters; ++i)
        if (strcmp(request->parameter[i].name, name) == 0)
            return request->parameter[i].value;
    return fallback;
}

bool request_uint(const struct request *request, const char *name, uint64_t fallback, uint64_t *value, pop_error *error)
{
    const char *text = request_text(request, name, NULL);
    *value = fallback;
    if (!text || str_integer(text, (uint64_t)1 << 53, value))
        return true;
    answer_fail(error, POP_INVALID_OPTION, "%s is '%.40s' (allowed: a natural number up to 2^53)", name, text);
    return false;
}

bool request_real(const struct request *request, const char *name, double fallback, double *value, pop_error *error)
{
    const char *text = request_text(request, name, NULL);
    *value = fallback;
    if (!text)
        return true;
    char *end;
    *value = pop_text_to_double(text, &end);
    if (end != text && !*end && isfinite(*value))
        return true;
    answer_fail(error, POP_INVALID_OPTION, "%s is '%.40s' (allowed: a number)", name, text);
    return false;
}

struct report_use *request_use(const struct request *request, unsigned index, pop_error *error)
{
    if (index < MAX_REPORTS && request->held[index].use)
        return request->held[index].use;
    struct report_use *use = reports_use(request->reports, index, error);
    if (use)
        request->held[index].use = use;
    return use;
}

struct report_use *request_use_named(const struct request *request, pop_error *error)
{
    uint64_t index;
    if (!request_uint(request, "report", 0, &index, error))
        return NULL;
    return request_use(request, index > MAX_REPORTS ? MAX_REPORTS : (unsigned)index, error);
}

struct analyser_report *request_report_at(const struct request *request, unsigned index, pop_error *error)
{
    struct report_use *use = request_use(request, index, error);
    if (!use)
        return NULL;
    if (!request->held[index].locked)
        pthread_mutex_lock(&use->lock);
    request->held[index].locked = true;
    return &use->report;
}

struct analyser_report *request_report(const struct request *request, pop_error *error)
{
    uint64_t index;
    if (!request_uint(request, "report", 0, &index, error))
        return NULL;
    return request_report_at(request, index > MAX_REPORTS ? MAX_REPORTS : (unsigned)index, error);
}

void request_release(struct request *request)
{
    for (size_t i = 0; i < MAX_REPORTS; ++i) {
        struct held *held = &request->held[i];
        if (held->locked)
            pthread_mutex_unlock(&held->use->lock);
        if (held->use)
            reports_release(held->use);
        *held = (struct held){ 0 };
    }
}

bool request_cancelled(const struct request *request)
{
    if (reports_ending(request->reports))
        return true;
    char byte;
    if (request->socket < 0)
        return false;
    ssize_t got = recv(request->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

const char *request_body(const struct request *request, size_t *size)
{
    *size = request->body.length;
    return str_text(&request->body);
}

void request_clear(struct request *request)
{
    for (size_t i = 0; i < request->parameters; ++i) {
        free(request->parameter[i].name);
        free(request->parameter[i].value);
    }
    str_free(&request->body);
    request->parameters = 0;
}
