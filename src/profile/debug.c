/* SPDX-License-Identifier: Apache-2.0 */
/* Debug information as a stream of records.
 *
 * The call that begins it names no object, and libraries that know nothing of each other write to it, so this file has the room's only
 * globals. */
#include "base/error.h"
#include "base/intern.h"
#include "value/value.h"

#include <errno.h>
#include <poplar/debug.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static struct {
    pthread_mutex_t lock;
    FILE *file; /* NULL: closed */
    pop_debug_format format;
    struct intern strings;
    uint64_t records;
    bool failed; /* something could not be written */
} stream = { .lock = PTHREAD_MUTEX_INITIALIZER };
static _Atomic bool is_open; /* whether stream.file is there, without the lock */

bool pop_debug_is_open(void)
{
    return atomic_load_explicit(&is_open, memory_order_relaxed);
}

static void put(const void *data, size_t size)
{
    stream.failed |= fwrite(data, 1, size, stream.file) != size;
}

static void put_value(const pop_profile_value *value)
{
    bool ok = stream.format == POP_DEBUG_JSON ? pop_profile_write_json(stream.file, value, false)
                                              : pop_profile_write_cbor(stream.file, value);
    stream.failed |= !ok;
}

/* CBOR: a map of two, whose first member is an array of a length that is 8 bytes long, so that it can be filled in at the end. */
static const char cbor_begin[] = "\xa2\x68"
                                 "contexts\x9b";

static void put_begin(void)
{
    static const char json_begin[] = "{\"contexts\":[";
    if (stream.format == POP_DEBUG_JSON) {
        put(json_begin, sizeof(json_begin) - 1);
        return;
    }
    put(cbor_begin, sizeof(cbor_begin) - 1);
    put("\0\0\0\0\0\0\0\0", 8);
}

static void put_end(void)
{
    static const char json_middle[] = "],\"stringTable\":", cbor_middle[] = "\x6bstringTable";
    pop_profile_value table = profile_vector(stream.strings.names.count);
    for (size_t i = 0; i < stream.strings.names.count; ++i)
        pop_profile_push(&table, pop_profile_string(intern_text(&stream.strings, (uint32_t)i)));
    if (stream.format == POP_DEBUG_JSON) {
        put(json_middle, sizeof(json_middle) - 1);
        put_value(&table);
        put("}\n", 2);
    } else {
        put(cbor_middle, sizeof(cbor_middle) - 1);
        put_value(&table);
        unsigned char length[8];
        for (int i = 0; i < 8; ++i)
            length[i] = (unsigned char)(stream.records >> (56 - 8 * i));
        if (fseek(stream.file, (long)sizeof(cbor_begin) - 1, SEEK_SET) == 0)
            put(length, sizeof(length));
        else
            stream.failed = true;
    }
    pop_profile_free(&table);
}

/* Under the lock, as all above. */
static pop_status finish(const char *api, pop_error *error)
{
    if (!stream.file)
        return POP_OK;
    atomic_store(&is_open, false);
    put_end();
    stream.failed |= fclose(stream.file) != 0;
    stream.file = NULL;
    intern_free(&stream.strings);
    return stream.failed ? error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "the file of debug information could not be written") : POP_OK;
}

pop_status pop_debug_close(pop_error *error)
{
    pthread_mutex_lock(&stream.lock);
    pop_status status = finish("pop_debug_close", error);
    pthread_mutex_unlock(&stream.lock);
    return status;
}

static void close_at_exit(void)
{
    pop_debug_close(NULL);
}
static void register_close(void)
{
    atexit(close_at_exit);
}

static pop_status begin(const char *path, pop_debug_format format, pop_error *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *api = "pop_debug_open";
    if (format != POP_DEBUG_JSON && format != POP_DEBUG_CBOR)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "format %d is neither POP_DEBUG_JSON nor POP_DEBUG_CBOR", (int)format);
    pop_status status = finish(api, error);
    if (status != POP_OK)
        return status;
    stream.file = path ? fopen(path, "wb") : NULL;
    if (!stream.file)
        return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "the file of debug information '%s' cannot be made: %s", path ? path : "",
                         path ? strerror(errno) : "it has no name");
    pthread_once(&once, register_close);
    stream.format = format;
    stream.records = 0;
    stream.failed = false;
    intern_add(&stream.strings, NULL);
    put_begin();
    atomic_store(&is_open, true);
    return POP_OK;
}

pop_status pop_debug_open(const char *path, pop_debug_format format, pop_error *error)
{
    pthread_mutex_lock(&stream.lock);
    pop_status status = begin(path, format, error);
    pthread_mutex_unlock(&stream.lock);
    return status;
}

static pop_profile_value string_index(const char *text)
{
    return pop_profile_uint(intern_add(&stream.strings, text));
}

void pop_debug_write(const pop_debug_record *record)
{
    if (!record || !pop_debug_is_open())
        return;
    pop_profile_value map = record->values && record->values->type == POP_PROFILE_MAP ? pop_profile_copy(record->values) : pop_profile_map_new();
    pthread_mutex_lock(&stream.lock);
    if (stream.file) {
        pop_profile_set(&map, "id", pop_profile_uint(record->id));
        if (record->parent_id)
            pop_profile_set(&map, "parentId", pop_profile_uint(record->parent_id));
        pop_profile_set(&map, "layer", pop_profile_string(record->layer));
        pop_profile_set(&map, "name", string_index(record->name));
        if (record->where.file) {
            pop_profile_value *location = pop_profile_set(&map, "location", pop_profile_map_new());
            pop_profile_set(location, "fileName", string_index(record->where.file));
            pop_profile_set(location, "functionName", string_index(record->function));
            pop_profile_set(location, "lineNumber", pop_profile_int(record->where.line));
        }
        if (stream.records++ && stream.format == POP_DEBUG_JSON)
            put(",", 1);
        put_value(&map);
    }
    pthread_mutex_unlock(&stream.lock);
    pop_profile_free(&map);
}
