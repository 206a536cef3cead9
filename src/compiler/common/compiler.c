/* SPDX-License-Identifier: Apache-2.0 */
/* What every pass needs: errors with the user's line, and the image's strings. */
#include "compiler/common/compiler.h"

static void fail(struct compiler *c, pop_status status, uint32_t where, const char *path, const char *format,
                 va_list arguments)
{
    error_vset(c->error, status, c->store->wheres.data[where], COMPILE_API, format, arguments);
    if (path && *path)
        error_path(c->error, path);
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

uint32_t compiler_tile(const struct compiler *c, const char *key, uint32_t otherwise)
{
    int64_t tile = *options_get(c->options, "engine", key) ? options_int(c->options, "engine", key) : otherwise;
    return tile >= 0 && tile < c->store->target.tiles_per_ipu ? (uint32_t)tile : NONE;
}

bool compiler_check_tile(struct compiler *c, const char *key)
{
    return compiler_tile(c, key, 0) != NONE || !c->store->target.tiles_per_ipu ||
           compiler_fail(c, POP_INVALID_OPTION, 0, NULL, "%s is %s: it is a tile of an IPU, from 0 to %u", key,
                         options_get(c->options, "engine", key), c->store->target.tiles_per_ipu - 1);
}

bool compiler_instruments(const struct compiler *c, const char *key)
{
    const char *own = options_get(c->options, "engine", key);
    return *own ? !strcmp(own, "true") : options_bool(c->options, "engine", "debug.instrument");
}
