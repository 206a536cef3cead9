/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of what has run, and switching its recording on and off. */
#include "engine/engine.h"

#include <time.h>

void pop_engine_enable_execution_profiling(pop_engine *engine)
{
    if (engine)
        engine->profiling = image_modelled(engine->image);
}

void pop_engine_disable_execution_profiling(pop_engine *engine)
{
    if (engine)
        engine->profiling = false;
}

void pop_engine_reset_execution_profile(pop_engine *engine)
{
    if (!engine)
        return;
    run_names_clear(&engine->run_names);
    for (unsigned r = 0; r < engine->replica_count; ++r) {
        struct trace *trace = &engine->replicas[r].trace;
        trace_reset(trace);
        if (trace->running) /* called from a callback: also discards what ran before the callback's op */
            trace->from = engine->replicas[r].at;
    }
}

static uint32_t word_at(const unsigned char *data)
{
    uint32_t word;
    memcpy(&word, data, sizeof(word));
    return word;
}

/* The unit differs between processors; the counter grows at a constant rate. */
static uint64_t host_counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

/* The tile's clock before the op that is running. */
static uint64_t tile_clock(struct replica *replica, uint32_t tile, uint32_t op)
{
    const pop_engine *engine = replica->engine;
    if (!image_modelled(engine->image))
        return host_counter();
    struct trace *trace = &replica->trace;
    if (!trace->running)
        return 0;
    size_t entries = trace_suspend(trace, op);
    uint64_t now = timeline_clock(engine->image, trace, tile);
    trace_resume(trace, entries);
    return now;
}

uint32_t op_stamp(struct engine_run *run, const struct image_op *op, uint32_t next)
{
    uint64_t now = tile_clock(run->replica, op->c, next - 1);
    if (op->b) {
        const unsigned char *start = run_operand(run, op->b - 1);
        now -= (uint64_t)word_at(start) | (uint64_t)word_at(start + sizeof(uint32_t)) << 32;
    }
    const uint32_t words[2] = { (uint32_t)now, (uint32_t)(now >> 32) };
    copy_run(run->image, run->image->copies.data + op->a, (const unsigned char *)words, run->replica->storage, NULL);
    return next;
}

pop_status engine_timeline(const pop_engine *engine, struct timeline *timeline, timeline_callback callback, void *user,
                           const char *api, pop_error *error)
{
    const struct image *image = engine->image;
    if (image->target.type == POP_TARGET_CPU)
        return error_set(error, POP_PROFILING_DISABLED, NO_WHERE, api,
                         "a CPU device has no cycles: use a modelled IPU");
    if (!image_modelled(image))
        return error_set(error, POP_PROFILING_DISABLED, NO_WHERE, api,
                         "the executable was compiled with debug.model off: it has no cycles");
    const struct trace *trace = engine_trace(engine);
    pop_status status = timeline_check_trace(trace, api, error);
    if (status != POP_OK)
        return status;
    timeline_make(timeline, image, trace, callback, user);
    status = timeline_check_estimates(timeline, image, api, error);
    if (status != POP_OK)
        timeline_free(timeline);
    return status;
}

pop_status pop_engine_cycles(pop_engine *engine, pop_cycles *cycles, pop_error *error)
{
    static const char api[] = "pop_engine_cycles";
    if (cycles)
        *cycles = (pop_cycles){ 0 };
    if (!engine || !cycles)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the %s is NULL",
                         engine ? "record for the cycles" : "engine");
    struct timeline timeline;
    pop_status status = engine_timeline(engine, &timeline, NULL, NULL, api, error);
    if (status != POP_OK)
        return status;
    const struct timeline_cycles *last = &timeline.tiles[timeline.last].cycles;
    *cycles = (pop_cycles){ .total = timeline.end,
                            .compute = last->compute,
                            .exchange = last->exchange,
                            .global_exchange = last->global_exchange,
                            .host_exchange = last->stream_copy,
                            .sync = last->sync,
                            .steps = timeline.steps };
    timeline_free(&timeline);
    return POP_OK;
}
