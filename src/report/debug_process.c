/* SPDX-License-Identifier: Apache-2.0 */
/* The process's streams of debug contexts.
 *
 * The call that opens it has no object parameter, and independent libraries write to it: hence the only globals of this
 * directory. */
#include "report/debug_process.h"
#include "base/error.h"
#include "base/log.h"
#include "report/debug_file.h"
#include "report/report.h"
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
static struct debug_files files;

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
    debug_files_free(&files);
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

/* Whether the process has files, and no report of it is open any more. The caller holds the lock. */
static bool reports_have_ended(void)
{
    for (size_t i = 0; i < files.list.count; ++i)
        if (files.list.data[i].users)
            return false;
    return files.list.count > 0;
}

/* Keeps a record for the files; those that there are get it now and then, at once when no report is open, and at the
 * latest when the process exits. The caller holds the lock. */
static void keep(const struct debug_context *context, const pop_profile_value *values)
{
    enum { PART = 4096 };
    static bool warned;
    if (records.list.count && records.list.count % PART == 0)
        debug_files_flush(&files, &records);
    if (records.list.count == DEBUG_RECORDS_MAX && files.list.count) {
        for (size_t i = 0; i < files.list.count; ++i)
            files.list.data[i].next = 0;
        debug_records_free(&records);
        records = (struct debug_records){ 0 };
    }
    if (records.list.count < DEBUG_RECORDS_MAX) {
        debug_records_add(&records, context, values);
        if (reports_have_ended()) /* a framework's operators end after its engine, and the process may read it now */
            debug_files_flush(&files, &records);
    } else if (!warned) {
        warned = true;
        LOG(PROFILER, WARN, "reports have the first %d debug contexts that ended before the first graph was compiled",
            DEBUG_RECORDS_MAX);
    }
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
    keep(&context, record->values);
    pthread_mutex_unlock(&lock);
}

/* The caller holds the lock. */
static bool add(const char *directory, const char *temporary, const pop_store *store, struct debug_added *added)
{
    struct debug_file *file = debug_file_find(&files, directory);
    if (!file)
        file = debug_file_make(&files, directory, temporary);
    if (!file || !debug_file_add(file, &records, debug_graph_put, store))
        return false;
    ++file->users;
    memcpy(added->id, file->id, sizeof(added->id));
    added->bytes = debug_file_bytes(file);
    return true;
}

pop_status debug_process_add(const char *directory, const char *temporary, const pop_store *store,
                             struct debug_added *added, pop_error *error)
{
    close_later();
    pthread_mutex_lock(&lock);
    debug_files_flush(&files, &records);
    bool good = add(directory, temporary, store, added);
    int reason = errno;
    pthread_mutex_unlock(&lock);
    return good ? POP_OK
                : error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, "autoReport.outputDebugInfo",
                            "'%s' cannot be written: %s", temporary, pop_text_from_errno(reason));
}

void debug_process_release(const char *id)
{
    pthread_mutex_lock(&lock);
    struct debug_file *file = debug_file_by_id(&files, id);
    if (file)
        --file->users;
    pthread_mutex_unlock(&lock);
}

bool debug_process_place(const char *id, const char *directory, const char *temporary)
{
    pthread_mutex_lock(&lock);
    struct debug_file *file = debug_file_by_id(&files, id);
    bool good = file && debug_file_place(file, directory, temporary);
    int reason = errno;
    pthread_mutex_unlock(&lock);
    errno = reason;
    return good;
}

bool debug_process_copy(const char *id, const char *path)
{
    pthread_mutex_lock(&lock);
    struct debug_file *file = debug_file_by_id(&files, id);
    bool good = file && debug_file_copy(file, path);
    int reason = errno;
    pthread_mutex_unlock(&lock);
    errno = reason;
    return good;
}

void debug_process_flush(void)
{
    pthread_mutex_lock(&lock);
    debug_files_flush(&files, &records);
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
