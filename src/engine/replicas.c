/* SPDX-License-Identifier: Apache-2.0 */
/* The replicas of a program: each runs by itself until it pauses, calls of the host happen on the run's thread in order
 * of replica, and what all do together happens when all are there (docs/decisions/0017-replicated-execution.md). */
#include "engine/state.h"

void replicas_create(pop_engine *engine)
{
    engine->replica_count = engine->image->replicas;
    engine->replicas = mem_zero(engine->replica_count, sizeof(*engine->replicas));
    engine->runs = mem_zero(engine->replica_count, sizeof(*engine->runs));
    for (unsigned r = 0; r < engine->replica_count; ++r) {
        engine->replicas[r].engine = engine;
        engine->replicas[r].number = r;
    }
}

void replicas_destroy(pop_engine *engine)
{
    for (unsigned r = 0; r < engine->replica_count; ++r) {
        struct replica *replica = engine->replicas + r;
        vec_free(&replica->loops);
        vec_free(&replica->callers);
        trace_free(&replica->trace);
        free(replica->streams);
        free(replica->host_functions);
    }
    free(engine->replicas);
    free(engine->runs);
}

pop_status engine_no_replica(unsigned count, unsigned replica, const char *api, pop_error *error)
{
    return error_set(error, POP_GRAPH_REPLICATION_ERROR, NO_WHERE, api,
                     "there is no replica %u: the graph has %u (0 to %u)", replica, count, count - 1);
}

unsigned pop_engine_num_replicas(const pop_engine *engine)
{
    return engine ? engine->replica_count : 0;
}

/* ---- a run ---- */

struct replica_runs {
    pop_engine *engine;
    struct run *of; /* one for each replica */
    struct capture *capture;
};

static void advance(void *context, uint32_t index)
{
    const struct replica_runs *runs = context;
    struct run *run = runs->of + index;
    if (run->replica->pause == REPLICA_RUNS)
        run_ops(run, index == runs->engine->profiled ? runs->capture : NULL);
}

static unsigned count_at(const struct replica_runs *runs, enum replica_pause pause, unsigned *first)
{
    unsigned count = 0;
    for (unsigned r = runs->engine->replica_count; r-- > 0;)
        if (runs->engine->replicas[r].pause == pause) {
            ++count;
            *first = r;
        }
    return count;
}

/* Calls of the host, in order of replica; false: one failed, or the run was stopped. */
static void call_host(const struct replica_runs *runs)
{
    for (unsigned r = 0; r < runs->engine->replica_count && !atomic_load(&runs->engine->stop); ++r) {
        struct replica *replica = runs->engine->replicas + r;
        if (replica->pause != REPLICA_CALLS)
            continue;
        replica->pause = REPLICA_RUNS;
        run_paused(runs->of + r);
        if (replica->pause == REPLICA_FAILED)
            return;
    }
}

static void place_text(const struct replica *replica, char *text, size_t size)
{
    const struct image *image = replica->engine->image;
    const struct image_op *op = replica->pause == REPLICA_MEETS ? image->ops.data + replica->at : NULL;
    if (!op)
        snprintf(text, size, "at the end of the program");
    else if (op->kind == OP_STREAM_IN)
        snprintf(text, size, "at the copy of broadcast stream '%s'",
                 image_string(image, image->streams.data[op->a].name));
    else
        snprintf(text, size, "at %s '%s' (step %u)",
                 op->kind == OP_CROSS_COPY ? "CrossReplicaCopy" : "AssumeEqualAcrossReplicas",
                 image_string(image, op->c), replica->at);
}

/* All have paused.  Whether they are at one op, which all execute together. */
static bool meet(const struct replica_runs *runs, struct run *whole)
{
    struct replica *replicas = runs->engine->replicas;
    unsigned other = 1;
    while (other < runs->engine->replica_count && replicas[other].pause == replicas[0].pause &&
           replicas[other].at == replicas[0].at)
        ++other;
    if (other < runs->engine->replica_count) {
        char here[160], there[160];
        place_text(&replicas[0], here, sizeof(here));
        place_text(&replicas[other], there, sizeof(there));
        whole->status = error_set(whole->error, POP_APPLICATION_RUNTIME_ERROR, NO_WHERE, whole->api,
                                  "replica 0 is %s, replica %u %s: what replicas do together all of them must come to",
                                  here, other, there);
        return false;
    }
    runs->of[0].names = false;
    run_paused(&runs->of[0]);
    runs->of[0].names = true;
    for (unsigned r = 0; r < runs->engine->replica_count; ++r) {
        replicas[r].at = replicas[0].at;
        replicas[r].pause = replicas[0].pause == REPLICA_FAILED ? REPLICA_FAILED : REPLICA_RUNS;
    }
    return true;
}

/* Replicas run side by side where there are about as many as threads; what shares buffers of the engine takes turns. */
static void advance_all(const struct replica_runs *runs)
{
    pop_engine *engine = runs->engine;
    bool apart = engine->replica_count > 1 && 2 * engine->replica_count > pool_threads(engine->pool) &&
                 !engine->checked_mode && !engine->isolated;
    for (unsigned r = 0; r < engine->replica_count; ++r)
        runs->of[r].pool = apart ? NULL : engine->pool;
    if (apart)
        pool_run(engine->pool, engine->replica_count, advance, (void *)runs);
    else
        for (unsigned r = 0; r < engine->replica_count; ++r)
            advance((void *)runs, r);
    for (unsigned r = 0; r < engine->replica_count; ++r)
        runs->of[r].pool = engine->pool;
}

static void run_to_end(const struct replica_runs *runs, struct run *whole)
{
    pop_engine *engine = runs->engine;
    unsigned first = 0;
    for (;;) {
        advance_all(runs);
        if (!count_at(runs, REPLICA_FAILED, &first) && count_at(runs, REPLICA_CALLS, &first))
            call_host(runs);
        if (count_at(runs, REPLICA_FAILED, &first)) {
            whole->status = runs->of[first].status;
            if (whole->error)
                *whole->error = engine->replicas[first].error;
            return;
        }
        if (atomic_load(&engine->stop) || count_at(runs, REPLICA_ENDED, &first) == engine->replica_count)
            return;
        if (!count_at(runs, REPLICA_RUNS, &first) && !count_at(runs, REPLICA_CALLS, &first) && !meet(runs, whole))
            return;
    }
}

void replicas_run(struct run *whole, struct capture *capture)
{
    pop_engine *engine = whole->engine;
    struct replica_runs runs = { engine, engine->runs, capture };
    for (unsigned r = 0; r < engine->replica_count; ++r) {
        struct replica *replica = engine->replicas + r;
        replica->pause = REPLICA_RUNS;
        runs.of[r] = *whole;
        runs.of[r].replica = replica;
        runs.of[r].pool = engine->pool;
        runs.of[r].error = &replica->error;
        runs.of[r].names = engine->replica_count > 1;
    }
    run_to_end(&runs, whole);
}

/* ---- what replicas do together ---- */

struct cross_copy {
    const struct run *run;
    const struct image_copy *copy; /* of each part */
    const uint32_t *senders;       /* by part, receiver */
    uint64_t parts;
};

static void cross_one(void *context, uint32_t receiver)
{
    const struct cross_copy *cross = context;
    const struct replica *replicas = cross->run->engine->replicas;
    copy_run(cross->run->image, cross->copy, replicas[cross->senders[receiver]].storage, replicas[receiver].storage,
             NULL);
}

static void cross_read(void *context, uint32_t sender)
{
    const struct cross_copy *cross = context;
    const struct replica *replica = cross->run->engine->replicas + sender;
    unsigned char *at = replica->temporary;
    for (uint64_t i = 0; i < cross->parts; at += cross->copy[i++].bytes)
        copy_pack(cross->run->image, cross->copy + i, replica->storage, at, NULL);
}

static void cross_write(void *context, uint32_t receiver)
{
    const struct cross_copy *cross = context;
    const pop_engine *engine = cross->run->engine;
    uint64_t at = 0;
    for (uint64_t i = 0; i < cross->parts; at += cross->copy[i++].bytes) {
        uint32_t sender = cross->senders[i * engine->replica_count + receiver];
        copy_unpack(cross->run->image, cross->copy + i, engine->replicas[receiver].storage,
                    engine->replicas[sender].temporary + at, NULL);
    }
}

uint32_t op_cross_copy(struct run *run, const struct image_op *op, uint32_t next)
{
    struct cross_copy cross = { run, run->image->copies.data + op->a, run->image->senders.data + op->b, op->d };
    unsigned count = run->engine->replica_count;
    if (cross.parts == 1 && !cross.copy->overlaps) {
        pool_run(run->pool, count, cross_one, &cross);
        return next;
    }
    pool_run(run->pool, count, cross_read, &cross);
    pool_run(run->pool, count, cross_write, &cross);
    return next;
}

uint32_t op_check_equal(struct run *run, const struct image_op *op, uint32_t next)
{
    const struct image_operand *operand = run->image->operands.data + op->a;
    const struct image_copy *copy = run->image->copies.data + operand->copy;
    size_t element = pop_type_size((pop_type)operand->type), bytes = operand->elements * element;
    struct replica *replicas = run->engine->replicas;
    copy_run(run->image, copy, replicas[0].storage, replicas[0].operand, run->pool);
    for (unsigned r = 1; r < run->engine->replica_count; ++r) {
        copy_run(run->image, copy, replicas[r].storage, replicas[r].operand, run->pool);
        if (memcmp(replicas[0].operand, replicas[r].operand, bytes) == 0)
            continue;
        size_t at = 0;
        while (replicas[0].operand[at] == replicas[r].operand[at])
            ++at;
        return run_fail(run, POP_APPLICATION_RUNTIME_ERROR,
                        "AssumeEqualAcrossReplicas '%s': element %zu differs between replica 0 and replica %u",
                        image_string(run->image, op->c), at / element, r);
    }
    return next;
}
