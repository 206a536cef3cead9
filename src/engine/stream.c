/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: their connections and transfers.  Order of a callback's calls: docs/concepts/programs.md. */
#include "base/str.h"
#include "engine/engine.h"
#include "engine/exit_guard.h"
#include "engine/hint.h"
#include "engine/ranks.h"

#include <assert.h>

enum { THREADS_MAX = 256 };

/* Number of connections of a stream: one per replica, or one for all. */
static unsigned stream_instances(const pop_engine *engine, size_t stream)
{
    const struct image_stream *s = engine->image->streams.data + stream;
    bool broadcast = s->direction == POP_HOST_TO_DEVICE_FIFO && s->mode == POP_STREAM_BROADCAST;
    if (s->copies != 1)
        return s->copies;
    return broadcast ? 1 : engine->host_count;
}

/* An instance of a stream: a replica's, or one of the streams that a replicated part of the graph has. */
static struct stream_state *stream_at(const pop_engine *engine, size_t stream, unsigned instance)
{
    assert(stream < engine->image->streams.count && instance < stream_instances(engine, stream));
    const struct image_stream *s = engine->image->streams.data + stream;
    if (s->copies > 1)
        return engine->replicas[0].streams + (instance ? s->first_copy + instance - 1 : stream);
    return engine->replicas[engine->host_first + instance].streams + stream;
}

/* Creates the threads for callbacks; auto: one per possible concurrent prefetch. */
static void create_threads(pop_engine *engine)
{
    const char *mode = engine->settings.callback_mode;
    const char *wanted = engine->settings.callback_threads;
    if (strcmp(mode, "singleThread") == 0)
        return;
    uint64_t threads = 0;
    if (strcmp(wanted, "auto") != 0)
        str_integer(wanted, INT64_MAX, &threads);
    else
        for (size_t i = 0; i < engine->image->streams.count; ++i)
            if (engine->image->streams.data[i].direction == POP_HOST_TO_DEVICE_FIFO)
                threads += stream_instances(engine, i);
    if (strcmp(wanted, "auto") == 0 && !threads)
        threads = 1;
    if (!threads) {
        LOG(ENGINE, WARN, "streamCallbacks.multiThreadMode %s has no effect with streamCallbacks.numWorkerThreads 0",
            mode);
        return;
    }
    engine->all_on_stream_threads = strcmp(mode, "dedicated") == 0;
    engine->stream_threads = stream_threads_create(threads < THREADS_MAX ? (unsigned)threads : THREADS_MAX);
}

void streams_create(pop_engine *engine)
{
    const struct image *image = engine->image;
    for (unsigned r = 0; r < engine->replica_count; ++r) {
        struct stream_state *streams = mem_zero(image->streams.count, sizeof(*streams));
        engine->replicas[r].streams = streams;
        engine->replicas[r].host_functions =
            mem_zero(image->host_functions.count, sizeof(*engine->replicas[r].host_functions));
        for (size_t i = 0; i < image->streams.count; ++i) {
            streams[i].bytes = image->streams.data[i].elements * pop_type_size((pop_type)image->streams.data[i].type);
            streams[i].engine = engine;
        }
    }
    create_threads(engine);
    engine->needs = mem_zero(image->programs.count, sizeof(*engine->needs));
}

/* ---- callbacks on other threads ---- */

/* The engine whose prefetch runs on this thread, which is not the run's. */
static _Thread_local __attribute__((tls_model("initial-exec"))) const pop_engine *prefetching;

bool streams_in_prefetch(const pop_engine *engine)
{
    return engine && prefetching == engine;
}

static void prefetch_now(void *context)
{
    struct stream_state *stream = context;
    stream->prefetch_result = stream->callback.prefetch(stream->buffer, stream->callback.user);
}
/* Calls back; a callback that ends its thread, which is not its own, has failed. */
static void call_guarded(struct stream_state *stream, void (*fn)(void *), void *context)
{
    if (!exit_guard_call(fn, context))
        stream->exited = true;
}

static void call_prefetch(void *context)
{
    struct stream_state *stream = context;
    prefetching = stream->engine;
    stream->prefetch_result = POP_PREFETCH_NOT_AVAILABLE;
    call_guarded(stream, prefetch_now, stream);
    prefetching = NULL;
}

struct fetch {
    struct stream_state *stream;
    pop_status status;
};

static void fetch_now(void *context)
{
    struct fetch *fetch = context;
    fetch->status = fetch->stream->callback.fetch(fetch->stream->buffer, fetch->stream->callback.user);
}
static void call_fetch(void *context)
{
    struct fetch *fetch = context;
    fetch->status = POP_RUNTIME_ERROR;
    call_guarded(fetch->stream, fetch_now, fetch);
}

static void complete_now(void *context)
{
    const struct stream_state *stream = context;
    stream->callback.complete(stream->callback.user);
}
static void call_complete(void *context)
{
    call_guarded(context, complete_now, context);
}

static void invalidate_now(void *context)
{
    const struct stream_state *stream = context;
    stream->callback.invalidate_prefetched(stream->callback.user);
}

/* Calls fn and waits for it, on another thread if the options select that. */
static void call(const pop_engine *engine, void (*fn)(void *context), void *context)
{
    if (engine->stream_threads && engine->all_on_stream_threads)
        stream_threads_run(engine->stream_threads, fn, context);
    else
        fn(context);
}

static pop_status fetch_stream(const pop_engine *engine, struct stream_state *stream)
{
    struct fetch fetch = { .stream = stream };
    call(engine, call_fetch, &fetch);
    return fetch.status;
}

static void complete_stream(const pop_engine *engine, struct stream_state *stream)
{
    if (stream->callback.complete)
        call(engine, call_complete, stream);
}

static void prefetch_stream(pop_engine *engine, struct stream_state *stream)
{
    if (!engine->settings.prefetch || !stream->callback.prefetch)
        return;
    if (!engine->stream_threads) {
        stream->prefetch_result = POP_PREFETCH_NOT_AVAILABLE;
        call_guarded(stream, prefetch_now, stream);
        stream->prefetched = stream->prefetch_result == POP_PREFETCH_SUCCESS;
    } else if (!engine->destroyed) {
        stream->job = (struct job){ .fn = call_prefetch, .context = stream };
        stream->pending = true;
        stream_threads_start(engine->stream_threads, &stream->job);
    }
}

static void drop_prefetched(struct stream_state *stream)
{
    assert(!stream->pending);
    stream->unwanted = false;
    if (!stream->prefetched)
        return;
    stream->prefetched = false;
    if (!stream->callback.invalidate_prefetched)
        return;
    stream->busy = true;
    call_guarded(stream, invalidate_now, stream);
    stream->busy = false;
}

/* Ends a pending prefetch: cancels it if no thread has begun it, otherwise waits for it. False when *stop was set
 * first. */
static bool finish_pending(pop_engine *engine, struct stream_state *stream, const atomic_bool *stop)
{
    if (!stream->pending)
        return true;
    assert(engine->stream_threads); /* only its threads leave a prefetch pending */
    bool begun = !stream_threads_cancel(engine->stream_threads, &stream->job);
    if (begun && !stream_threads_wait(engine->stream_threads, &stream->job, stop))
        return false;
    stream->pending = false;
    stream->prefetched = begun && stream->prefetch_result == POP_PREFETCH_SUCCESS;
    if (stream->unwanted)
        drop_prefetched(stream);
    return true;
}

static void drop_or_mark(pop_engine *engine, struct stream_state *stream)
{
    if (stream->pending && stream_threads_cancel(engine->stream_threads, &stream->job))
        stream->pending = false;
    if (stream->pending)
        stream->unwanted = true;
    else
        drop_prefetched(stream);
}

void streams_drop_prefetched(pop_engine *engine)
{
    for (size_t i = 0; i < engine->image->streams.count; ++i)
        for (unsigned r = 0; r < stream_instances(engine, i); ++r)
            drop_or_mark(engine, stream_at(engine, i, r));
}

void streams_reset(pop_engine *engine)
{
    for (size_t i = 0; i < engine->image->streams.count; ++i)
        for (unsigned r = 0; r < stream_instances(engine, i); ++r) {
            struct stream_state *stream = stream_at(engine, i, r);
            stream->busy = stream->prefetched = false;
            stream->unwanted = stream->pending;
        }
}

/* Replaces the connection of one instance. The old one is released last, when nothing refers to it, because its release
 * callback may call the engine. */
static void connect(pop_engine *engine, struct stream_state *stream, struct stream_state anew)
{
    engine_enter(engine);
    finish_pending(engine, stream, NULL);
    drop_prefetched(stream);
    struct stream_state before = *stream;
    anew.bytes = before.bytes;
    anew.engine = engine;
    *stream = anew;
    if (before.users && --*before.users == 0) {
        free(before.users);
        if (before.callback.release)
            before.callback.release(before.callback.user);
    }
    free(before.buffer);
    engine_leave(engine);
}

void streams_destroy(pop_engine *engine)
{
    const struct image *image = engine->image;
    for (size_t i = 0; i < image->streams.count; ++i)
        for (unsigned r = 0; r < stream_instances(engine, i); ++r)
            connect(engine, stream_at(engine, i, r), (struct stream_state){ .kind = STREAM_NONE });
    for (size_t i = 0; i < image->programs.count; ++i) {
        vec_free(&engine->needs[i].streams);
        vec_free(&engine->needs[i].host_functions);
    }
    stream_threads_destroy(engine->stream_threads);
    free(engine->needs);
}

/* ---- requirements of a program ---- */

static void add_once(index_list *list, uint32_t value)
{
    for (size_t i = 0; i < list->count; ++i)
        if (list->data[i] == value)
            return;
    *vec_push(list) = value;
}

/* Walks every op that a program may reach. */
static void find_needs(const struct image *image, uint32_t first, struct program_needs *needs)
{
    bool *seen = mem_zero(image->ops.count, sizeof(*seen));
    index_list open = { 0 };
    *vec_push(&open) = first;
    while (open.count) {
        uint32_t at = open.data[--open.count];
        if (seen[at])
            continue;
        seen[at] = true;
        const struct image_op *op = image->ops.data + at;
        if (op->kind == OP_STREAM_IN || op->kind == OP_STREAM_OUT)
            add_once(&needs->streams, op->a);
        if (op->kind == OP_CALL_HOST)
            add_once(&needs->host_functions, op->a);
        if (op->kind == OP_REPEAT || op->kind == OP_JUMP || op->kind == OP_JUMP_IF || op->kind == OP_JUMP_UNLESS ||
            op->kind == OP_CALL)
            *vec_push(&open) = op->a;
        if (op->kind == OP_SWITCH)
            for (uint64_t i = op->d; i <= op->d + op->c; ++i)
                *vec_push(&open) = image->cases.data[i].target;
        if (op->kind != OP_END && op->kind != OP_JUMP && op->kind != OP_SWITCH && op->kind != OP_ABORT &&
            op->kind != OP_ERROR)
            *vec_push(&open) = at + 1;
    }
    vec_free(&open);
    free(seen);
    needs->known = true;
}

static pop_status unconnected(const pop_engine *engine, uint32_t program, uint32_t stream, unsigned replica,
                              const char *api, pop_error *error)
{
    char of[32] = "";
    if (stream_instances(engine, stream) > 1)
        snprintf(of, sizeof(of), " for replica %u", replica);
    return error_set(error, POP_STREAM_CONNECTION_ERROR, NO_WHERE, api,
                     "program %u uses stream '%s', which is not connected%s", (unsigned)program,
                     image_string(engine->image, engine->image->streams.data[stream].name), of);
}

/* Whether an instance of a stream is used in this process. */
static bool is_needed(const pop_engine *engine, uint32_t stream, unsigned instance)
{
    return stream_instances(engine, stream) != engine->host_count ||
           replica_is_local(engine, engine->host_first + instance);
}

pop_status streams_check(pop_engine *engine, uint32_t program, const char *api, pop_error *error)
{
    const struct image *image = engine->image;
    struct program_needs *needs = engine->needs + program;
    if (!needs->known)
        find_needs(image, image->programs.data[program], needs);
    for (size_t i = 0; i < needs->streams.count; ++i) {
        uint32_t stream = needs->streams.data[i];
        for (unsigned r = 0; r < stream_instances(engine, stream); ++r)
            if (is_needed(engine, stream, r) && stream_at(engine, stream, r)->kind == STREAM_NONE)
                return unconnected(engine, program, stream, r, api, error);
    }
    for (size_t i = 0; i < needs->host_functions.count * engine->local_count; ++i)
        if (!engine->replicas[engine->first_local + i % engine->local_count]
                 .host_functions[needs->host_functions.data[i / engine->local_count]]
                 .callback)
            return error_set(
                error, POP_STREAM_CONNECTION_ERROR, NO_WHERE, api,
                "program %u calls host function '%s', which is not connected", (unsigned)program,
                image_string(image,
                             image->host_functions.data[needs->host_functions.data[i / engine->local_count]].name));
    return POP_OK;
}

/* ---- connecting ---- */

static bool is_busy(const pop_engine *engine, size_t stream)
{
    for (unsigned r = 0; r < stream_instances(engine, stream); ++r)
        if (stream_at(engine, stream, r)->busy)
            return true;
    return false;
}

/* Whether the stream of a handle can be connected now; its index, or an error. */
static bool find_stream(const pop_engine *engine, const char *handle, const char *api, size_t *index, pop_error *error)
{
    const pop_status status = POP_STREAM_CONNECTION_ERROR;
    const char *refusal = streams_in_prefetch(engine)
                              ? "stream '%s' cannot be connected by a prefetch callback on a worker thread"
                          : engine && engine->destroyed ? "stream '%s' cannot be connected: the engine was destroyed"
                                                        : NULL;
    if (!engine || !handle) {
        error_set(error, status, NO_WHERE, api, engine ? "the handle is NULL" : "the engine is NULL");
        return false;
    }
    if (refusal) {
        error_set(error, status, NO_WHERE, api, refusal, handle);
        return false;
    }
    const struct image *image = engine->image;
    for (*index = 0; *index < image->streams.count; ++*index) {
        if (strcmp(image_string(image, image->streams.data[*index].name), handle) != 0)
            continue;
        if (is_busy(engine, *index))
            error_set(error, status, NO_WHERE, api, "stream '%s' cannot be connected by its own callback", handle);
        return !is_busy(engine, *index);
    }
    struct hint hint = { 0 };
    for (size_t i = 0; i < image->streams.count; ++i)
        if (image->streams.data[i].copies)
            hint_add(&hint, image_string(image, image->streams.data[i].name));
    error_set(error, status, NO_WHERE, api, "there is no stream '%s'%s", handle, hint_text(&hint, handle));
    return false;
}

pop_status pop_engine_connect_stream(pop_engine *engine, const char *handle, void *buffer, pop_error *error)
{
    static const char api[] = "pop_engine_connect_stream";
    size_t stream;
    if (!find_stream(engine, handle, api, &stream, error))
        return POP_STREAM_CONNECTION_ERROR;
    size_t bytes = engine->replicas[0].streams[stream].bytes;
    if (!buffer && bytes)
        return error_set(error, POP_STREAM_CONNECTION_ERROR, NO_WHERE, api, "the buffer for stream '%s' is NULL",
                         handle);
    engine_enter(engine); /* a release callback may destroy it */
    for (unsigned r = 0; r < stream_instances(engine, stream); ++r) {
        unsigned char *begin = bytes ? (unsigned char *)buffer + r * bytes : buffer;
        connect(engine, stream_at(engine, stream, r),
                (struct stream_state){ .kind = STREAM_BUFFER, .begin = begin, .at = begin });
    }
    engine_leave(engine);
    return POP_OK;
}

pop_status pop_engine_connect_stream_circular(pop_engine *engine, const char *handle, void *begin, void *end,
                                              pop_error *error)
{
    static const char api[] = "pop_engine_connect_stream_circular";
    size_t stream;
    if (!find_stream(engine, handle, api, &stream, error))
        return POP_STREAM_CONNECTION_ERROR;
    unsigned instances = stream_instances(engine, stream);
    size_t bytes = engine->replicas[0].streams[stream].bytes, round = bytes * instances;
    uintptr_t from = (uintptr_t)begin, to = (uintptr_t)end;
    if (!begin || to < from)
        return error_set(error, POP_STREAM_CONNECTION_ERROR, NO_WHERE, api, "the range for stream '%s' %s", handle,
                         begin ? "ends before it begins" : "is NULL");
    if (round && (to == from || (to - from) % round))
        return error_set(error, POP_STREAM_CONNECTION_ERROR, NO_WHERE, api,
                         "the range for stream '%s' has %zu bytes, it must be a positive multiple of the %zu bytes of "
                         "one transfer%s",
                         handle, (size_t)(to - from), round, instances > 1 ? " to all replicas" : "");
    engine_enter(engine);
    for (unsigned r = 0; r < instances; ++r)
        connect(engine, stream_at(engine, stream, r),
                (struct stream_state){ .kind = STREAM_CIRCULAR,
                                       .begin = (unsigned char *)begin + r * bytes,
                                       .end = (unsigned char *)end + r * bytes,
                                       .at = (unsigned char *)begin + r * bytes,
                                       .advance = round });
    engine_leave(engine);
    return POP_OK;
}

/* Instances [first, last) of a stream share a callback. */
static pop_status connect_callback(pop_engine *engine, size_t stream, unsigned first, unsigned last,
                                   pop_stream_callback callback, const char *api, pop_error *error)
{
    size_t bytes = engine->replicas[0].streams[stream].bytes;
    unsigned char **buffers = mem_zero(last - first, sizeof(*buffers));
    unsigned *users = MEM_NEW(unsigned);
    bool enough = true;
    for (unsigned i = 0; i < last - first; ++i)
        enough = (buffers[i] = mem_try(bytes)) != NULL && enough;
    if (!enough) {
        for (unsigned i = 0; i < last - first; ++i)
            free(buffers[i]);
        free(buffers);
        free(users);
        return error_set(error, POP_STREAM_MEMORY_ALLOCATION_ERROR, NO_WHERE, api,
                         "cannot get %zu bytes of host memory for stream '%s'", bytes * (last - first),
                         image_string(engine->image, engine->image->streams.data[stream].name));
    }
    *users = last - first;
    engine_enter(engine);
    for (unsigned r = first; r < last; ++r)
        connect(engine, stream_at(engine, stream, r),
                (struct stream_state){
                    .kind = STREAM_CALLBACK, .callback = callback, .users = users, .buffer = buffers[r - first] });
    free(buffers);
    engine_leave(engine);
    return POP_OK;
}

static pop_status check_callback(pop_engine *engine, const char *handle, pop_stream_callback callback, const char *api,
                                 size_t *stream, pop_error *error)
{
    if (!find_stream(engine, handle, api, stream, error))
        return POP_STREAM_CONNECTION_ERROR;
    if (!callback.fetch)
        return error_set(error, POP_STREAM_CONNECTION_ERROR, NO_WHERE, api,
                         "the callback for stream '%s' has no fetch function", handle);
    return POP_OK;
}

pop_status pop_engine_connect_stream_callback(pop_engine *engine, const char *handle, pop_stream_callback callback,
                                              pop_error *error)
{
    static const char api[] = "pop_engine_connect_stream_callback";
    size_t stream;
    pop_status status = check_callback(engine, handle, callback, api, &stream, error);
    return status == POP_OK
               ? connect_callback(engine, stream, 0, stream_instances(engine, stream), callback, api, error)
               : status;
}

pop_status pop_engine_connect_stream_callback_of(pop_engine *engine, const char *handle, unsigned replica,
                                                 pop_stream_callback callback, pop_error *error)
{
    static const char api[] = "pop_engine_connect_stream_callback_of";
    size_t stream;
    pop_status status = check_callback(engine, handle, callback, api, &stream, error);
    if (status != POP_OK)
        return status;
    unsigned instances = stream_instances(engine, stream);
    const struct image_stream *s = engine->image->streams.data + stream;
    bool single = s->copies == 1 && s->mode == POP_STREAM_BROADCAST && engine->host_count == 1;
    if (!single && replica >= instances && replica >= engine->host_count)
        return engine_no_replica(instances > engine->host_count ? instances : engine->host_count, replica, api, error);
    if (replica >= instances)
        return error_set(error, POP_GRAPH_REPLICATION_ERROR, NO_WHERE, api,
                         "stream '%s' is broadcast: it has one callback, of replica 0, and none of replica %u", handle,
                         replica);
    return connect_callback(engine, stream, replica, replica + 1, callback, api, error);
}

/* ---- transfers ---- */

/* Where the next transfer's bytes are; a circular buffer moves on. */
static unsigned char *next_bytes(struct stream_state *stream)
{
    unsigned char *at = stream->at;
    if (stream->kind == STREAM_CIRCULAR && stream->bytes) {
        stream->at += stream->advance;
        if (stream->at == stream->end)
            stream->at = stream->begin;
    }
    return at;
}

static uint32_t callback_failed(struct engine_run *run, uint32_t stream, struct stream_state *state, pop_status status)
{
    if (state->exited) {
        state->exited = false;
        return run_fail(run, POP_RUNTIME_ERROR, "stream callback failed: a callback of stream '%s' called pthread_exit",
                        image_string(run->image, run->image->streams.data[stream].name));
    }
    if ((unsigned)status >= POP_STATUS_COUNT)
        status = POP_RUNTIME_ERROR;
    return run_fail(run, status, "stream callback failed: fetch of stream '%s' returned %s",
                    image_string(run->image, run->image->streams.data[stream].name), pop_status_name(status));
}

/* Copies data to the replica, or to all replicas if the stream is broadcast. */
static void deliver(struct engine_run *run, const struct image_op *op, const unsigned char *data)
{
    const struct image_copy *copy = run->image->copies.data + op->b;
    pop_engine *engine = run->engine;
    if (stream_instances(engine, op->a) != 1 || engine->replica_count == 1) {
        copy_run(run->image, copy, data, run->replica->storage, run->pool);
        return;
    }
    for (unsigned r = engine->first_local; r < engine->first_local + engine->local_count; ++r)
        copy_run(run->image, copy, data, engine->replicas[r].storage, run->pool);
}

/* A callback may connect other streams, but not its own, whose buffer is in use. */
uint32_t op_stream_in(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    pop_engine *engine = run->engine;
    bool single = engine->replica_count > 1 && stream_instances(engine, op->a) == 1; /* broadcast: one for all */
    struct stream_state *stream = single ? stream_at(engine, op->a, 0) : run->replica->streams + op->a;
    if (stream->kind != STREAM_CALLBACK) {
        deliver(run, op, next_bytes(stream));
        return next;
    }
    run->replica->at = next - 1;
    if (!finish_pending(engine, stream, &engine->stop))
        return next; /* where the run ends */
    stream->busy = true;
    pop_status status = stream->prefetched ? POP_OK : fetch_stream(engine, stream);
    if (status == POP_OK) {
        stream->prefetched = false;
        deliver(run, op, stream->buffer);
        complete_stream(engine, stream);
        prefetch_stream(engine, stream);
    }
    stream->busy = false;
    return status == POP_OK && !stream->exited ? next : callback_failed(run, op->a, stream, status);
}

uint32_t op_stream_out(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    struct stream_state *stream = run->replica->streams + op->a;
    bool called = stream->kind == STREAM_CALLBACK;
    if (called)
        run->replica->at = next - 1;
    copy_run(run->image, run->image->copies.data + op->b, run->replica->storage,
             called ? stream->buffer : next_bytes(stream), run->pool);
    if (!called)
        return next;
    stream->busy = true;
    pop_status status = fetch_stream(run->engine, stream);
    if (status == POP_OK)
        complete_stream(run->engine, stream);
    stream->busy = false;
    return status == POP_OK && !stream->exited ? next : callback_failed(run, op->a, stream, status);
}
