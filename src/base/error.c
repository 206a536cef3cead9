/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include "base/mem.h"
#include "base/str.h"

#include <poplar/text.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *base;
} kinds[] = {
    { "ok", "" },
#define POP_ERROR_KIND(constant, spelling, base) { #spelling, #base },
#include <poplar/errors.def>
#undef POP_ERROR_KIND
};

const char *pop_status_name(pop_status status)
{
    return (unsigned)status < POP_STATUS_COUNT ? kinds[status].name : "unknown status";
}

pop_status pop_status_base(pop_status status)
{
    if ((unsigned)status >= POP_STATUS_COUNT)
        return POP_OK;
    for (int i = 1; i < POP_STATUS_COUNT; ++i)
        if (strcmp(kinds[status].base, kinds[i].name) == 0)
            return (pop_status)i;
    return POP_OK;
}

pop_status error_vset(pop_error *error, pop_status status, pop_where where, const char *api, const char *format,
                      va_list arguments)
{
    if (!error)
        return status;
    memset(error, 0, sizeof(*error));
    error->status = status;
    error->where = where;
    snprintf(error->api, sizeof(error->api), "%s", api ? api : "");
    pop_text_vformat(error->text, sizeof(error->text), format, arguments);
    return status;
}

pop_status error_set(pop_error *error, pop_status status, pop_where where, const char *api, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_vset(error, status, where, api, format, arguments);
    va_end(arguments);
    return status;
}

pop_status error_rename(pop_error *error, pop_status status, const char *from, const char *to)
{
    if (error && status != POP_OK && strcmp(error->api, from) == 0)
        snprintf(error->api, sizeof(error->api), "%s", to);
    return status;
}

pop_status error_if_memory_failed(pop_error *error, pop_status status, size_t failures, const char *api)
{
    return status == POP_OK && mem_failures() != failures
               ? error_set(error, POP_SYSTEM_RUNTIME_ERROR, NO_WHERE, api, ERROR_HOST_MEMORY)
               : status;
}

void error_note(pop_error *error, const char *format, ...)
{
    if (!error)
        return;
    size_t length = strlen(error->text);
    if (length + 2 >= sizeof(error->text))
        return;
    error->text[length++] = '\n';
    va_list arguments;
    va_start(arguments, format);
    pop_text_vformat(error->text + length, sizeof(error->text) - length, format, arguments);
    va_end(arguments);
}

void error_path(pop_error *error, const char *path)
{
    if (!error || !path)
        return;
    size_t length = strlen(path), capacity = sizeof(error->path) - 1;
    snprintf(error->path, sizeof(error->path), "%s", length > capacity ? path + length - capacity : path);
}

const char *error_hint(char *buffer, size_t size, const char *word, const char *const *names, size_t count)
{
    const char *nearest = str_nearest(word, names, count);
    if (nearest)
        snprintf(buffer, size, " (did you mean '%s'?)", nearest);
    else if (size)
        buffer[0] = 0;
    return buffer;
}

size_t pop_error_format(const pop_error *error, char *buffer, size_t size)
{
    if (!error || error->status == POP_OK) {
        int length = snprintf(buffer, size, "no error");
        return (size_t)length;
    }
    struct str s = { 0 };
    if (error->api[0])
        str_format(&s, "%s: ", error->api);
    str_format(&s, "%s: %s", pop_status_name(error->status), error->text);
    if (error->path[0])
        str_format(&s, "\n  in %s", error->path);
    if (error->where.file)
        str_format(&s, "\n  at %s:%d", error->where.file, error->where.line);
    if (error->artifact[0] && !strstr(error->text, error->artifact)) /* else a note has it */
        str_format(&s, "\n  see %s", error->artifact);
    size_t length = s.length;
    if (size)
        snprintf(buffer, size, "%s", str_text(&s));
    str_free(&s);
    return length;
}

void pop_error_print(const pop_error *error)
{
    char text[2048];
    pop_error_format(error, text, sizeof(text));
    fprintf(stderr, "%s\n", text);
}
