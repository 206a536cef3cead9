/* SPDX-License-Identifier: Apache-2.0 */
/* Services for all passes: errors with the user's line, and the image's strings. */
#include "compiler/common/compiler.h"

#include "base/pool.h"

static void fail(struct compiler *c, pop_status status, uint32_t where, const char *path, const char *format,
                 va_list arguments)
{
    error_vset(c->error, status, c->store->wheres.data[where], COMPILE_API, format, arguments);
    if (path && *path)
        error_path(c->error, path);
}

unsigned compiler_threads(const struct compiler *c)
{
    enum { MAX_THREADS = 16 };
    unsigned threads = pool_threads(c->pool);
    return threads < MAX_THREADS ? threads : MAX_THREADS;
}

bool compiler_fail(struct compiler *c, pop_status status, uint32_t where, const char *path, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(c, status, where, path, format, arguments);
    va_end(arguments);
    return false;
}

bool compiler_fail_vertex(struct compiler *c, pop_status status, uint32_t vertex, const char *format, ...)
{
    const struct vertex *v = &c->store->vertices.data[vertex];
    const char *set = store_name(c->store, c->store->sets.data[v->set].name);
    va_list arguments;
    va_start(arguments, format);
    fail(c, status, v->where, set, format, arguments);
    va_end(arguments);
    if (*set)
        error_note(c->error, "in compute set '%s'", set);
    return false;
}

uint32_t compiler_string(struct compiler *c, const char *text)
{
    uint32_t id = intern_add(&c->strings, text);
    if (!id)
        return 0;
    while (c->string_at.count <= id)
        *vec_push(&c->string_at) = 0;
    if (!c->string_at.data[id]) {
        size_t bytes = strlen(text) + 1;
        c->string_at.data[id] = (uint32_t)c->image->strings.count;
        memcpy(vec_extend(&c->image->strings, bytes), text, bytes);
    }
    return c->string_at.data[id];
}
