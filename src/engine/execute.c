/* SPDX-License-Identifier: Apache-2.0 */
/* Executing a compute set: its vertices in chunks, each chunk gathering what is not contiguous, calling the codelets in
 * runs, and scattering what they wrote.  Nobody reads what another vertex of the set writes (the compiler has checked
 * it), so chunks may run at the same time. */
#include "engine/execute.h"
#include "engine/engine.h"
#include "engine/exit_guard.h"
#include "engine/fault.h"
#include "engine/isolate.h"

#include "base/mix.h"
#include "popc/module/link.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/* Sets with less work than PARALLEL_NANOSECONDS run on one thread; a chunk is about half of that. */
enum { PARALLEL_NANOSECONDS = 10000, CHUNK_NANOSECONDS = 5000, CHUNKS_PER_THREAD = 8, TIMED = 2 };
/* Estimates for a set that has not been timed yet. */
enum { VERTEX_NANOSECONDS = 5, BYTES_PER_NANOSECOND = 4 };

struct set_execution {
    pop_engine *engine;
    const struct replica *replica;
    struct thread_pool *pool;
    const struct behave *behave; /* NULL: the processor's default behaviour */
    const struct image_set *set;
    uint64_t seed; /* of the random numbers of its first vertex */
    uint64_t chunk_vertices;
    atomic_bool disagrees; /* some compute() returned false */
    atomic_bool abandoned; /* some chunk, or part of one, did not run */
    atomic_uint failed;    /* lowest chunk that failed; UINT32_MAX: none */
    pthread_mutex_t lock;  /* protects failure */
    struct vertex_failure failure;
};

/* One chunk on one thread. */
struct set_chunk {
    struct execute_frame frame; /* first: a pointer to its call is one to the chunk */
    struct set_execution *execution;
    uint64_t begin, end; /* vertices of the set */
    bool agrees;
};

void execute_on_fail(struct codelet_call *call, const char *message, const char *file, int line)
{
    struct execute_frame *frame = (struct execute_frame *)(void *)call;
    struct vertex_failure *failure = frame->failure;
    snprintf(failure->message, sizeof(failure->message), "%s", message ? message : "failed");
    snprintf(failure->file, sizeof(failure->file), "%s", file ? file : "");
    failure->line = line;
    longjmp(frame->jump, 1);
}

unsigned execute_tile(struct codelet_call *call)
{
    const struct external_call *external = &((const struct execute_frame *)(const void *)call)->external;
    const struct image *image = external->image;
    uint64_t vertex =
        external->first +
        (uint64_t)((const unsigned char *)call->current - (const unsigned char *)call->states) / call->stride;
    return image->vertex_tiles.count ? image->vertex_tiles.data[external->set->first_vertex_tile + vertex] : 0;
}

uint32_t execute_report(struct engine_run *run, const struct image_set *set, const struct vertex_failure *failure)
{
    char codelet[160] = "", made[192] = "";
    const uint32_t *ids = run->image->vertex_ids.count ? run->image->vertex_ids.data + set->first_vertex_id : NULL;
    unsigned long long vertex = ids ? ids[failure->vertex] : failure->vertex;
    if (failure->file[0])
        snprintf(codelet, sizeof(codelet), " at %s:%d", failure->file, failure->line);
    if (set->where_file)
        snprintf(made, sizeof(made), " (%s:%d)", image_string(run->image, set->where_file), (int)set->where_line);
    return run_fail(run, POP_APPLICATION_RUNTIME_ERROR, "vertex %llu (%s) of compute set '%s'%s failed: %s%s", vertex,
                    failure->type, image_string(run->image, set->name), made, failure->message, codelet);
}

/* The first gather of a set that belongs to this vertex or a later one. */
static uint64_t find_gather(const struct image *image, const struct image_set *set, uint64_t vertex)
{
    uint64_t low = set->first_gather, high = low + set->gathers;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (image->gathers.data[middle].vertex_in_set < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* This vertex, or the first one after the run of vertices that share gathers if one before it is in that run. */
static uint64_t run_begin(const struct image *image, const struct image_set *set, uint64_t vertex)
{
    uint64_t i = find_gather(image, set, vertex);
    const struct image_gather *before = i > set->first_gather ? &image->gathers.data[i - 1] : NULL;
    return before && before->last_vertex >= vertex ? (uint64_t)before->last_vertex + 1 : vertex;
}

static void run_gathers(const struct set_chunk *chunk, bool before)
{
    const struct replica *replica = chunk->execution->replica;
    const struct image *image = chunk->execution->engine->image;
    const struct image_set *set = chunk->execution->set;
    uint64_t end = find_gather(image, set, chunk->end);
    for (uint64_t i = find_gather(image, set, chunk->begin); i < end; ++i) {
        const struct image_gather *gather = image->gathers.data + i;
        unsigned char *buffer = replica->scratch + gather->scratch;
        if (before && gather->before)
            copy_run(image, image->copies.data + gather->before - 1, replica->storage, buffer, NULL);
        else if (!before && gather->after)
            copy_run(image, image->copies.data + gather->after - 1, buffer, replica->storage, NULL);
    }
}

/* The group of the set that holds a vertex. */
static const struct group_run *find_group(const struct replica *replica, const struct image_set *set, uint64_t vertex)
{
    assert(set->groups && vertex < set->vertices);
    const struct group_run *groups = replica->groups + set->first_group;
    uint32_t low = 0, high = set->groups;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (groups[middle].first <= vertex)
            low = middle;
        else
            high = middle;
    }
    while (groups[low].first + groups[low].count <= vertex)
        ++low;
    return groups + low;
}

/* One call per vertex: tiles differ in their enabled exceptions. */
static void call_one_by_one(struct set_chunk *chunk, const struct group_run *group, uint64_t at)
{
    struct codelet_call *call = &chunk->frame.call;
    unsigned char *states = call->states;
    assert(at >= group->first && at + call->count <= group->first + group->count);
    for (uint64_t count = call->count; count; --count, states += group->stride, ++at) {
        call->states = call->current = states;
        call->count = 1;
        chunk->frame.behave.first = chunk->frame.external.first = at;
        call->seed = chunk->execution->seed + at;
        behave_vertex(&chunk->frame.behave, at);
        chunk->agrees &= group->run(call);
    }
}

static void call_vertices(struct set_chunk *chunk)
{
    struct codelet_call *call = &chunk->frame.call;
    const struct group_run *group = find_group(chunk->execution->replica, chunk->execution->set, chunk->begin);
    chunk->frame.external.set = chunk->execution->set;
    chunk->frame.external.image = chunk->execution->engine->image;
    chunk->frame.external.checked = false;
    chunk->frame.external.counts = external_counts(chunk->execution->engine, chunk->execution->replica);
    chunk->frame.external.counted = chunk->execution->set->counted ? chunk->execution->replica->counted : NULL;
    chunk->frame.external.random = chunk->execution->replica->random;
    chunk->frame.external.calls = chunk->execution->engine->calls;
    chunk->frame.external.weights = chunk->execution->replica->weights;
    chunk->frame.external.turn = chunk->execution->replica->executed_sets;
    chunk->frame.external.assembled = NULL;
    for (uint64_t at = chunk->begin; at < chunk->end; ++group) {
        uint64_t end = group->first + group->count < chunk->end ? group->first + group->count : chunk->end;
        if (at >= end)
            continue;
        assert(at >= group->first); /* groups follow each other */
        call->states = call->current = group->states + (at - group->first) * group->stride;
        call->stride = group->stride;
        call->count = end - at;
        call->seed = chunk->execution->seed + at;
        call->workers = group->workers;
        chunk->frame.behave.first = at;
        chunk->frame.external.vertex = group->external;
        chunk->frame.external.codelet = group->codelet;
        chunk->frame.external.first = at;
        if (chunk->frame.behave.set && !chunk->frame.behave.set->uniform)
            call_one_by_one(chunk, group, at);
        else
            chunk->agrees &= group->run(call);
        at = end;
    }
}

/* Which vertex was running when a chunk failed: the group whose states hold call->current. */
static void name_failed(struct set_chunk *chunk)
{
    const struct set_execution *execution = chunk->execution;
    const unsigned char *current = chunk->frame.call.current;
    struct vertex_failure *failure = chunk->frame.failure;
    for (uint32_t g = 0; g < execution->set->groups; ++g) {
        const struct group_run *group = execution->replica->groups + execution->set->first_group + g;
        if (group->count && current >= group->states && current < group->states + group->count * group->stride) {
            failure->vertex = group->first + (uint64_t)(current - group->states) / group->stride;
            failure->type = group->codelet->name;
        }
    }
}

static void name_fault(struct vertex_failure *failure)
{
    char did[128];
    fault_text(&fault_thread.fault, did, sizeof(did));
    bool memory = fault_thread.fault.signal == SIGSEGV || fault_thread.fault.signal == SIGBUS;
    snprintf(failure->message, sizeof(failure->message), "it %s%s", did,
             memory && !fault_thread.fault.stack ? "; debug.checkedExecution names the field" : "");
    failure->file[0] = 0;
}

void execute_name_exit(struct vertex_failure *failure)
{
    snprintf(failure->message, sizeof(failure->message), "it called pthread_exit");
    failure->file[0] = 0;
}

/* False when a vertex failed. */
static bool run_vertices(struct set_chunk *chunk)
{
    struct exit_guard guard;
    int how = EXIT_GUARD_ENTER(&guard) ? setjmp(chunk->frame.jump) : FAULT_EXITED;
    if (!how) {
        fault_thread.abandon = &chunk->execution->engine->abandon;
        fault_watch_begin(NULL, &chunk->frame.jump);
        if (chunk->frame.behave.set)
            behave_begin(&chunk->frame.behave, chunk->begin);
        call_vertices(chunk);
    }
    exit_guard_leave(&guard);
    fault_watch_end();
    external_end(&chunk->frame.external);
    if (chunk->frame.behave.set)
        behave_end(&chunk->frame.behave);
    if (how) {
        *codelet_place() = NULL;
        name_failed(chunk);
    }
    if (how == FAULT_HAPPENED)
        name_fault(chunk->frame.failure);
    if (how == FAULT_EXITED)
        execute_name_exit(chunk->frame.failure);
    if (how == FAULT_ABANDONED)
        atomic_store(&chunk->execution->abandoned, true);
    return how == 0;
}

/* Runs a chunk in parts, so that gathered edges are in the cache when their vertices run. */
enum { GATHERED_BYTES = 1 << 18 };
static bool run_gathered(struct set_chunk *chunk)
{
    const struct image *image = chunk->execution->engine->image;
    const struct image_set *set = chunk->execution->set;
    const struct image_gather *gathers = image->gathers.data;
    uint64_t end = chunk->end, last = set->first_gather + set->gathers;
    for (uint64_t begin = chunk->begin; begin < end; begin = chunk->end) {
        uint64_t i = find_gather(image, set, begin), first = i < last ? gathers[i].scratch : 0;
        while (i < last &&
               (gathers[i].vertex_in_set == begin || gathers[i].scratch + gathers[i].bytes - first <= GATHERED_BYTES))
            ++i;
        chunk->begin = begin;
        chunk->end = i < last && gathers[i].vertex_in_set < end ? gathers[i].vertex_in_set : end;
        chunk->end = run_begin(image, set, chunk->end == begin ? begin + 1 : chunk->end);
        run_gathers(chunk, true);
        if (!run_vertices(chunk))
            return false;
        run_gathers(chunk, false);
    }
    return true;
}

static void keep_failure(struct set_execution *execution, uint32_t index, const struct vertex_failure *failure)
{
    pthread_mutex_lock(&execution->lock);
    if (index < atomic_load(&execution->failed)) {
        atomic_store(&execution->failed, index);
        execution->failure = *failure;
    }
    pthread_mutex_unlock(&execution->lock);
}

static void run_range(struct set_execution *execution, uint32_t index, uint64_t begin, uint64_t end)
{
    assert(begin < end && end <= execution->set->vertices);
    struct vertex_failure
        failure; /* not initialised, like most of chunk: clearing would dominate steps of under 100 ns */
    struct set_chunk chunk;
    failure.type = "";
    failure.vertex = 0;
    chunk.execution = execution;
    chunk.begin = begin;
    chunk.end = end;
    chunk.agrees = true;
    chunk.frame.failure = &failure;
    chunk.frame.call.fail = execute_on_fail;
    chunk.frame.call.narrow = behave_narrow;
    chunk.frame.call.tile = execute_tile;
    chunk.frame.call.keep = keep_block;
    chunk.frame.call.assemble = external_assemble;
    chunk.frame.external.assembler = NULL;
    chunk.frame.call.drawn = chunk.frame.call.timed = NULL;
    chunk.frame.behave.set = execution->behave;
    if (!(execution->set->gathers ? run_gathered : run_vertices)(&chunk)) {
        keep_failure(execution, index, &failure);
        return;
    }
    if (!chunk.agrees)
        atomic_store_explicit(&execution->disagrees, true, memory_order_relaxed);
}

/* Chunks start in ascending order, and only those after a failed one are skipped, so that the failure of the lowest
 * vertex is reported for any number of threads. */
static void run_chunk(void *context, uint32_t index)
{
    struct set_execution *execution = context;
    if (atomic_load_explicit(&execution->engine->abandon, memory_order_relaxed))
        atomic_store(&execution->abandoned, true);
    if (atomic_load_explicit(&execution->abandoned, memory_order_relaxed) ||
        index > atomic_load_explicit(&execution->failed, memory_order_relaxed))
        return;
    const struct image_set *set = execution->set;
    uint64_t begin = index * execution->chunk_vertices, end = begin + execution->chunk_vertices;
    end = end < set->vertices ? end : set->vertices;
    if (set->gathers) {
        const struct image *image = execution->engine->image;
        begin = run_begin(image, set, begin);
        end = run_begin(image, set, end);
    }
    if (begin < end)
        run_range(execution, index, begin, end);
}

__attribute__((no_sanitize("address"))) static void end_child(void *unused)
{
    (void)unused;
    _exit(ISOLATE_THREAD_ENDED);
}

/* Detects a codelet that ends its thread, for which the caller would wait forever. */
static void isolate_run_chunk(void *context, uint32_t index)
{
    pthread_cleanup_push(end_child, NULL);
    run_chunk(context, index);
    pthread_cleanup_pop(0);
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void execute_in_chunks(struct set_execution *execution, uint64_t nanoseconds)
{
    struct thread_pool *pool = execution->pool;
    uint64_t vertices = execution->set->vertices, max = (uint64_t)pool_threads(pool) * CHUNKS_PER_THREAD;
    uint64_t chunks = nanoseconds / CHUNK_NANOSECONDS;
    chunks = chunks > max ? max : chunks;
    chunks = chunks > vertices ? vertices : chunks;
    assert(chunks); /* enough expected work for more than one chunk */
    execution->chunk_vertices = (vertices + chunks - 1) / chunks;
    pool_run(pool, (uint32_t)((vertices + execution->chunk_vertices - 1) / execution->chunk_vertices),
             execution->engine->in_child ? isolate_run_chunk : run_chunk, execution);
}

static bool set_is_external(const struct set_execution *execution)
{
    const struct group_run *groups = execution->replica->groups + execution->set->first_group;
    for (uint32_t g = 0; g < execution->set->groups; ++g)
        if (groups[g].external)
            return true;
    return false;
}

static void execute_vertices(struct set_execution *execution)
{
    const struct image_set *set = execution->set;
    struct set_run *past = execution->replica->sets + (set - execution->engine->image->sets.data);
    unsigned threads = pool_threads(execution->pool);
    bool ordered = execution->replica->random && set_is_external(execution); /* vertices share their tiles' states */
    if (threads == 1 || set->vertices < 2 || ordered) {
        run_range(execution, 0, 0, set->vertices);
        return;
    }
    bool timed = past->timed < TIMED;
    uint64_t expected =
        past->timed ? past->nanoseconds : set->vertices * VERTEX_NANOSECONDS + set->work / BYTES_PER_NANOSECOND;
    bool shared = expected >= PARALLEL_NANOSECONDS;
    uint64_t start = timed ? now() : 0;
    if (shared)
        execute_in_chunks(execution, expected);
    else
        run_range(execution, 0, 0, set->vertices);
    if (timed) {
        uint64_t took = (now() - start) * (shared ? threads : 1);
        past->nanoseconds = past->timed && past->nanoseconds < took ? past->nanoseconds : took;
        ++past->timed;
    }
}

/* The truth value is copied by a plan like any data: an integer of the destination's size. */
static void store_consensus(struct engine_run *run, uint32_t copy, bool consensus)
{
    uint64_t value = consensus; /* little-endian: its first bytes are the value at any size */
    assert(run->image->copies.data[copy].bytes <= sizeof(value));
    copy_run(run->image, run->image->copies.data + copy, (const unsigned char *)&value, run->replica->storage, NULL);
}

void execute_abandoned(struct engine_run *run, const struct image_set *set)
{
    run_fail(run, POP_RUNTIME_ERROR,
             "stopped in compute set '%s', which took too long to end: what it writes is not complete",
             image_string(run->image, set->name));
}

uint64_t execute_seed(const struct replica *replica)
{
    return mix(mix(replica->number) + replica->executed_sets);
}

bool execute_set(struct engine_run *run, const struct image_set *set, bool *consensus)
{
    if (run->engine->settings.checked)
        return checked_execute(run, set, consensus);
    if (!set->vertices)
        return true;
    struct set_execution execution;
    struct behave behave;
    bool behaves = behave_has(run->image);
    execution.engine = run->engine;
    execution.replica = run->replica;
    execution.pool = run->pool;
    execution.behave = behaves ? &behave : NULL;
    if (behaves)
        behave_begin_set(&behave, run->replica, set);
    execution.set = set;
    execution.seed = execute_seed(run->replica);
    execution.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; /* static initialiser: needs no destroy */
    atomic_init(&execution.disagrees, false);
    atomic_init(&execution.abandoned, false);
    atomic_init(&execution.failed, UINT32_MAX);
    execute_vertices(&execution);
    if (atomic_load(&execution.abandoned)) {
        execute_abandoned(run, set);
        return false;
    }
    if (atomic_load(&execution.failed) != UINT32_MAX) {
        execute_report(run, set, &execution.failure);
        return false;
    }
    if (behaves)
        behave_end_set(&behave, run->replica);
    *consensus = !atomic_load(&execution.disagrees);
    return true;
}

uint32_t op_execute(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    const struct image_set *set = run->image->sets.data + op->a;
    bool consensus = true;
    ++run->replica->executed_sets;
    if (set->counted)
        memset(run->replica->counted, 0, set->vertices * sizeof(*run->replica->counted));
    if (!(run->engine->settings.isolated ? isolate_execute : execute_set)(run, set, &consensus))
        return RUN_OVER;
    if (set->counted)
        external_book(run, set, next - 1);
    if (op->b)
        store_consensus(run, op->b - 1, consensus);
    return next;
}
