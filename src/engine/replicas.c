/* SPDX-License-Identifier: Apache-2.0 */
/* The replicas of a program: each runs independently until it pauses; calls of the host run on the run's thread in
 * replica order; ops that all replicas execute together run when all have reached them
 * (docs/decisions/0017-replicated-execution.md). */
#include "engine/engine.h"
#include "engine/ranks.h"

void replicas_create(pop_engine *engine)
{
    engine->replica_count = engine->image->replicas;
    engine->replicas = mem_zero(engine->replica_count, sizeof(*engine->replicas));
    engine->runs = mem_zero(engine->replica_count, sizeof(*engine->runs));
    for (unsigned r = 0; r < engine->replica_count; ++r) {
        engine->replicas[r].engine = engine;
        engine->replicas[r].number = r;
        engine->replicas[r].trace.costs = &engine->replicas[r].costs;
    }
}

void replicas_destroy(pop_engine *engine)
{
    for (unsigned r = 0; r < engine->replica_count; ++r) {
        struct replica *replica = engine->replicas + r;
        vec_free(&replica->loops);
        vec_free(&replica->callers);
        trace_free(&replica->trace);
        step_costs_free(&replica->costs);
        free(replica->streams);
        free(replica->host_functions);
    }
    ranks_end(engine);
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
    struct engine_run *of; /* one per replica */
    struct capture *capture;
};

static void advance(void *context, uint32_t index)
{
    const struct replica_runs *runs = context;
    struct engine_run *run = runs->of + index;
    if (run->replica->pause == REPLICA_RUNS)
        run_ops(run, index == runs->engine->profiled ? runs->capture : NULL);
}

static void advance_local(void *context, uint32_t index)
{
    const struct replica_runs *runs = context;
    advance(context, runs->engine->first_local + index);
}

static unsigned count_at(const struct replica_runs *runs, enum replica_pause pause, unsigned *first)
{
    unsigned count = 0;
    const pop_engine *engine = runs->engine;
    for (unsigned r = engine->first_local + engine->local_count; r-- > engine->first_local;)
        if (engine->replicas[r].pause == pause) {
            ++count;
            *first = r;
        }
    return count;
}

/* Runs calls of the host in replica order, until one fails or the run is stopped. */
static void call_host(const struct replica_runs *runs)
{
    const pop_engine *engine = runs->engine;
    unsigned end = engine->first_local + engine->local_count;
    for (unsigned r = engine->first_local; r < end && !atomic_load(&engine->stop); ++r) {
        struct replica *replica = engine->replicas + r;
        if (replica->pause != REPLICA_CALLS)
            continue;
        replica->pause = REPLICA_RUNS;
        run_paused(runs->of + r);
        if (replica->pause == REPLICA_FAILED)
            return;
    }
}

void replicas_place_text(const pop_engine *engine, uint32_t at, char *text, size_t size)
{
    const struct image *image = engine->image;
    const struct image_op *op = image->ops.data + at;
    if (op->kind == OP_STREAM_IN)
        snprintf(text, size, "at the copy of broadcast stream '%s'",
                 image_string(image, image->streams.data[op->a].name));
    else
        snprintf(text, size, "at %s '%s' (step %u)",
                 op->kind == OP_CROSS_COPY ? "CrossReplicaCopy" : "AssumeEqualAcrossReplicas",
                 image_string(image, op->c), at);
}

static void place_text(const struct replica *replica, char *text, size_t size)
{
    if (replica->pause == REPLICA_MEETS)
        replicas_place_text(replica->engine, replica->at, text, size);
    else
        snprintf(text, size, "at the end of the program");
}

/* After all have paused: whether they are at the same op, here and in other processes; *ended: all have ended. */
static bool are_together(const struct replica_runs *runs, struct engine_run *whole, bool *ended)
{
    pop_engine *engine = runs->engine;
    const struct replica *replicas = engine->replicas;
    unsigned first = engine->first_local, other = first + 1, end = first + engine->local_count;
    while (other < end && replicas[other].pause == replicas[first].pause &&
           (replicas[other].at == replicas[first].at || replicas[first].pause == REPLICA_ENDED))
        ++other;
    if (other < end) {
        char here[160], there[160];
        place_text(&replicas[first], here, sizeof(here));
        place_text(&replicas[other], there, sizeof(there));
        whole->status = error_set(whole->error, POP_APPLICATION_RUNTIME_ERROR, NO_WHERE, whole->api,
                                  "replica %u is %s, replica %u %s: all replicas must reach what they do together",
                                  first, here, other, there);
    }
    return ranks_meet(engine, whole, ended);
}

/* Executes the op at which all replicas meet. */
static void meet(const struct replica_runs *runs)
{
    struct replica *replicas = runs->engine->replicas;
    unsigned first = runs->engine->first_local;
    runs->of[first].names = false;
    run_paused(&runs->of[first]);
    runs->of[first].names = true;
    for (unsigned r = first; r < first + runs->engine->local_count; ++r) {
        replicas[r].at = replicas[first].at;
        replicas[r].pause = replicas[first].pause == REPLICA_FAILED ? REPLICA_FAILED : REPLICA_RUNS;
    }
}

/* Replicas run in parallel, one thread each, if there are enough of them for the threads; checked and isolated
 * execution share buffers of the engine, so they run one replica at a time. */
static void advance_all(const struct replica_runs *runs)
{
    pop_engine *engine = runs->engine;
    unsigned first = engine->first_local, end = first + engine->local_count;
    bool in_parallel = engine->local_count > 1 && 2 * engine->local_count > pool_threads(engine->pool) &&
                       !engine->settings.checked && !engine->settings.isolated;
    for (unsigned r = first; r < end; ++r)
        runs->of[r].pool = in_parallel ? NULL : engine->pool;
    if (in_parallel)
        pool_run(engine->pool, engine->local_count, advance_local, (void *)runs);
    else
        for (unsigned r = first; r < end; ++r)
            advance((void *)runs, r);
    for (unsigned r = first; r < end; ++r)
        runs->of[r].pool = engine->pool;
}

static void run_to_end(const struct replica_runs *runs, struct engine_run *whole)
{
    pop_engine *engine = runs->engine;
    unsigned first = 0;
    bool ended = false;
    while (!ended) {
        advance_all(runs);
        if (!count_at(runs, REPLICA_FAILED, &first) && count_at(runs, REPLICA_CALLS, &first))
            call_host(runs);
        if (count_at(runs, REPLICA_FAILED, &first)) {
            whole->status = runs->of[first].status;
            if (whole->error)
                *whole->error = engine->replicas[first].error;
            ranks_meet(engine, whole, &ended);
            return;
        }
        if (atomic_load(&engine->stop)) {
            ranks_meet(engine, whole, &ended); /* the other ranks receive it at their next barrier */
            return;
        }
        if (count_at(runs, REPLICA_RUNS, &first) || count_at(runs, REPLICA_CALLS, &first))
            continue;
        if (!are_together(runs, whole, &ended))
            return;
        if (!ended)
            meet(runs);
    }
}

void replicas_run(struct engine_run *whole, struct capture *capture)
{
    pop_engine *engine = whole->engine;
    struct replica_runs runs = { engine, engine->runs, capture };
    for (unsigned r = engine->first_local; r < engine->first_local + engine->local_count; ++r) {
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

/* ---- ops of all replicas ---- */

struct cross_copy {
    const struct engine_run *run;
    const struct image_copy *copy; /* of each part */
    const uint32_t *senders;       /* by part, receiver */
    uint64_t parts, bytes;         /* of all parts */
    unsigned char *incoming;       /* from other processes, by local receiver */
    bool remote;                   /* true: write data from other processes; false: data of local senders */
};

static void cross_one(void *context, uint32_t receiver)
{
    const struct cross_copy *cross = context;
    const struct replica *replicas = cross->run->engine->replicas;
    copy_run(cross->run->image, cross->copy, replicas[cross->senders[receiver]].storage, replicas[receiver].storage,
             NULL);
}

static void cross_read(void *context, uint32_t index)
{
    const struct cross_copy *cross = context;
    const pop_engine *engine = cross->run->engine;
    const struct replica *replica = engine->replicas + engine->first_local + index;
    unsigned char *at = replica->temporary;
    for (uint64_t i = 0; i < cross->parts; at += cross->copy[i++].bytes)
        copy_pack(cross->run->image, cross->copy + i, replica->storage, at, NULL);
}

static void cross_write(void *context, uint32_t index)
{
    const struct cross_copy *cross = context;
    const pop_engine *engine = cross->run->engine;
    unsigned receiver = engine->first_local + index;
    uint64_t at = 0;
    for (uint64_t i = 0; i < cross->parts; at += cross->copy[i++].bytes) {
        uint32_t sender = cross->senders[i * engine->replica_count + receiver];
        bool remote = !replica_is_local(engine, sender);
        if (remote != cross->remote)
            continue;
        unsigned char *from = remote ? cross->incoming + index * cross->bytes : engine->replicas[sender].temporary;
        copy_unpack(cross->run->image, cross->copy + i, engine->replicas[receiver].storage, from + at, NULL);
    }
}

uint32_t op_cross_copy(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    struct cross_copy cross = {
        .run = run, .copy = run->image->copies.data + op->a, .senders = run->image->senders.data + op->b, .parts = op->d
    };
    unsigned local = run->engine->local_count;
    bool all = local == run->engine->replica_count;
    if (cross.parts == 1 && !cross.copy->overlaps && all) {
        pool_run(run->pool, local, cross_one, &cross);
        return next;
    }
    for (uint64_t i = 0; i < cross.parts; ++i)
        cross.bytes += cross.copy[i].bytes;
    pool_run(run->pool, local, cross_read, &cross);
    struct ranks_exchange exchange = { 0 };
    if (!all) {
        exchange = ranks_exchange_start(run, cross.senders, cross.parts, cross.copy);
        if (!(cross.incoming = exchange.incoming))
            return RUN_OVER;
    }
    pool_run(run->pool, local, cross_write, &cross); /* overlaps the transfer from other processes */
    if (!all && !ranks_exchange_finish(run, &exchange))
        next = RUN_OVER;
    cross.remote = true;
    if (!all && next != RUN_OVER)
        pool_run(run->pool, local, cross_write, &cross);
    free(exchange.incoming);
    return next;
}

static uint32_t differ(struct engine_run *run, const struct image_op *op, const unsigned char *a,
                       const unsigned char *b, size_t element, unsigned first, unsigned other)
{
    size_t at = 0;
    while (a[at] == b[at])
        ++at;
    return run_fail(run, POP_APPLICATION_RUNTIME_ERROR,
                    "AssumeEqualAcrossReplicas '%s': element %zu differs between replica %u and replica %u",
                    image_string(run->image, op->c), at / element, first, other);
}

/* The first replicas of all processes. */
static uint32_t check_ranks(struct engine_run *run, const struct image_op *op, const unsigned char *own, size_t bytes,
                            size_t element, uint32_t next)
{
    unsigned char *all = NULL;
    if (!ranks_gather_first(run, own, bytes, &all))
        next = RUN_OVER;
    for (unsigned r = 1; next != RUN_OVER && r < ranks_count(run->engine); ++r)
        if (memcmp(all, all + r * bytes, bytes) != 0)
            next = differ(run, op, all, all + r * bytes, element, 0, ranks_first(run->engine, r));
    free(all);
    return next;
}

uint32_t op_check_equal(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    const struct image_operand *operand = run->image->operands.data + op->a;
    const struct image_copy *copy = run->image->copies.data + operand->copy;
    size_t element = pop_type_size((pop_type)operand->type), bytes = operand->elements * element;
    struct replica *replicas = run->engine->replicas;
    unsigned first = run->engine->first_local, end = first + run->engine->local_count;
    copy_run(run->image, copy, replicas[first].storage, replicas[first].operand, run->pool);
    for (unsigned r = first + 1; r < end; ++r) {
        copy_run(run->image, copy, replicas[r].storage, replicas[r].operand, run->pool);
        if (memcmp(replicas[first].operand, replicas[r].operand, bytes) != 0)
            return differ(run, op, replicas[first].operand, replicas[r].operand, element, first, r);
    }
    return run->engine->ranks ? check_ranks(run, op, replicas[first].operand, bytes, element, next) : next;
}
