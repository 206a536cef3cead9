/* SPDX-License-Identifier: Apache-2.0 */
/* The store of a graph: errors, source lines, names and data. */
#include "graph/store/store.h"

#include <stdarg.h>

static bool report_error(pop_store *store)
{
    if (store->on_error) {
        unsigned calls = log_calls_pause();
        store->on_error(&store->error, store->on_error_user);
        log_calls_resume(calls);
    }
    return false;
}

bool store_busy(pop_store *store)
{
    error_set(&store->error, POP_POPLAR_ERROR, NO_WHERE, "",
              "the graph is being compiled: progress functions and estimators cannot use it or its programs");
    return report_error(store);
}

bool store_without_memory(pop_store *store)
{
    store->memory_failures = mem_failures();
    error_set(&store->error, POP_SYSTEM_RUNTIME_ERROR, NO_WHERE, "", ERROR_HOST_MEMORY);
    return report_error(store);
}

bool store_fail(pop_store *store, pop_status status, pop_where where, const char *api, const char *format, ...)
{
    if (!store_ready(store))
        return false;
    va_list arguments;
    va_start(arguments, format);
    error_vset(&store->error, status, where, api, format, arguments);
    va_end(arguments);
    return report_error(store);
}

bool store_fail_in(pop_store *store, pop_status status, pop_where where, const char *api, const char *path,
                   const char *format, ...)
{
    if (!store_ready(store))
        return false;
    va_list arguments;
    va_start(arguments, format);
    error_vset(&store->error, status, where, api, format, arguments);
    va_end(arguments);
    error_path(&store->error, path);
    return report_error(store);
}

bool store_record(pop_store *store, const pop_error *error, pop_where where, const char *api)
{
    if (!store_ready(store))
        return false;
    store->error = *error;
    if (!error->where.file)
        store->error.where = where;
    if (!error->api[0])
        snprintf(store->error.api, sizeof(store->error.api), "%s", api);
    return report_error(store);
}

/* Programs call many times from a few lines, often alternating, so a small cache by line finds nearly all. */
uint32_t store_where(pop_store *store, pop_where where)
{
    size_t slot = ((size_t)(uintptr_t)where.file / 16 + (size_t)(unsigned)where.line + where.context) % STORE_CACHE;
    uint32_t known = store->where_cache[slot];
    const pop_where *cached = &store->wheres.data[known];
    if (cached->file == where.file && cached->line == where.line && cached->context == where.context)
        return known;
    if (store->wheres.count >= UINT32_MAX)
        return 0;
    *vec_push(&store->wheres) = where;
    return store->where_cache[slot] = (uint32_t)store->wheres.count - 1;
}

const char *store_name(const pop_store *store, uint32_t name)
{
    return intern_text(&store->names, name);
}

static size_t aligned(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

uint64_t store_data(pop_store *store, const void *data, size_t bytes)
{
    uint64_t offset = store->data.count;
    if (!bytes)
        return offset;
    unsigned char *to = vec_extend(&store->data, aligned(bytes));
    if (data)
        memcpy(to, data, bytes);
    memset(to + (data ? bytes : 0), 0, aligned(bytes) - (data ? bytes : 0));
    return offset;
}

bool store_check_data_size(pop_store *store, size_t bytes)
{
    if (bytes > SIZE_MAX / 4 - store->data.count)
        return false;
    size_t needed = store->data.count + aligned(bytes);
    if (needed <= store->data.capacity)
        return true;
    size_t capacity = needed + needed / 2;
    void *grown = mem_try_grow(store->data.data, capacity);
    if (!grown) {
        capacity = needed;
        grown = mem_try_grow(store->data.data, capacity);
    }
    if (!grown)
        return false;
    store->data.data = grown;
    store->data.capacity = capacity;
    return true;
}

uint64_t store_convert(pop_store *store, pop_type value_type, const void *values, pop_type type, uint64_t count)
{
    size_t bytes = (size_t)count * pop_type_size(type);
    if (value_type == type && type == POP_HALF) /* raw bits stay as they are, signalling NaNs included */
        return store_data(store, values, bytes);
    uint64_t offset = store_data(store, NULL, bytes);
    if (count)
        pop_convert(value_type, values, type, store->data.data + offset, (size_t)count);
    return offset;
}
