/* SPDX-License-Identifier: Apache-2.0 */
/* The process's stream of debug contexts.
 *
 * The call that opens it has no object parameter, and independent libraries write to it: hence the only globals of this
 * directory. */
#include "report/debug_process.h"
#include "base/error.h"
#include "report/debug_records.h"
#include "value/value.h"

#include <errno.h>
#include <poplar/text.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct debug_stream stream;
static _Atomic bool is_open; /* whether stream.file is set; readable without the lock */
static struct debug_records records;
static struct debug_followed followed;

bool pop_debug_is_open(void)
{
    return atomic_load_explicit(&is_open, memory_order_relaxed);
}

/* The caller holds the lock. */
static pop_status finish(const char *api, pop_error *error)
{
    if (!stream.file)
        return POP_OK;
    atomic_store(&is_open, false);
    FILE *file = stream.file;
    bool good = debug_stream_end(&stream);
    if (fclose(file) == 0 && good)
        return POP_OK;
    return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "the file of debug information could not be written");
}

pop_status pop_debug_close(pop_error *error)
{
    pthread_mutex_lock(&lock);
    pop_status status = finish("pop_debug_close", error);
    pthread_mutex_unlock(&lock);
    return status;
}

static void close_at_exit(void)
{
    pop_debug_close(NULL);
    debug_process_flush();
    pthread_mutex_lock(&lock);
    debug_followed_free(&followed);
    debug_records_free(&records);
    pthread_mutex_unlock(&lock);
}
static void register_close(void)
{
    atexit(close_at_exit);
}
static void close_later(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_close);
}

static pop_status begin(const char *path, pop_debug_format format, pop_error *error)
{
    const char *api = "pop_debug_open";
    if (format != POP_DEBUG_JSON && format != POP_DEBUG_CBOR)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api,
                         "format %d is neither POP_DEBUG_JSON nor POP_DEBUG_CBOR", (int)format);
    pop_status status = finish(api, error);
    if (status != POP_OK)
        return status;
    FILE *file = path ? fopen(path, "wbe") : NULL;
    if (!file)
        return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api,
                         "the file of debug information '%s' cannot be made: %s", path ? path : "",
                         path ? pop_text_from_errno(errno) : "it has no name");
    debug_stream_begin(&stream, file, format, NULL);
    close_later();
    atomic_store(&is_open, true);
    return POP_OK;
}

pop_status pop_debug_open(const char *path, pop_debug_format format, pop_error *error)
{
    pthread_mutex_lock(&lock);
    pop_status status = begin(path, format, error);
    pthread_mutex_unlock(&lock);
    return status;
}

void pop_debug_write(const pop_debug_record *record)
{
    if (!record)
        return;
    close_later();
    struct debug_context context = { .id = record->id,
                                     .parent = record->parent_id,
                                     .layer = record->layer,
                                     .name = record->name,
                                     .function = record->function,
                                     .where = record->where };
    pthread_mutex_lock(&lock);
    if (stream.file)
        debug_stream_put(&stream, &context, debug_record_values(record->values));
    debug_records_add(&records, &context, record->values);
    pthread_mutex_unlock(&lock);
}

size_t debug_process_put_records(struct debug_stream *to)
{
    pthread_mutex_lock(&lock);
    size_t count = records.list.count;
    debug_records_put(&records, 0, to);
    pthread_mutex_unlock(&lock);
    return count;
}

void debug_process_follow(const char *path, const char *temporary, size_t count)
{
    close_later();
    pthread_mutex_lock(&lock);
    debug_followed_add(&followed, path, temporary, count);
    pthread_mutex_unlock(&lock);
}

void debug_process_flush(void)
{
    pthread_mutex_lock(&lock);
    debug_followed_flush(&followed, &records);
    pthread_mutex_unlock(&lock);
}

void debug_process_put(void (*put)(struct debug_stream *stream, const void *user), const void *user)
{
    if (!pop_debug_is_open())
        return;
    pthread_mutex_lock(&lock);
    if (stream.file)
        put(&stream, user);
    pthread_mutex_unlock(&lock);
}
