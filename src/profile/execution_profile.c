/* SPDX-License-Identifier: Apache-2.0 */
/* The execution profile: its mode, what was measured, the trace, and the simulated steps (the guide, Execution
 * profile).
 */
#include "profile/graph_profile.h"
#include "profile/profile.h"
#include "timeline/clock.h"

#include "base/log.h"

struct execution {
    struct image *image;
    const struct instrumentation *instrumentation;
    const struct trace *record;
    struct timeline timeline;
    pop_profile_value trace, steps;
};

/* For each set or exchange: whether a step that uses it ran. */
static bool *which_ran(const struct execution *e, enum model_kind kind, size_t count)
{
    bool *ran = mem_zero(count ? count : 1, sizeof(*ran));
    for (size_t i = 0; i < e->image->model.steps.count; ++i)
        if (e->timeline.times[i] && e->image->model.steps.data[i].kind == kind)
            ran[e->image->model.steps.data[i].index] = true;
    return ran;
}

/* Cycles of the last execution of each set; 0 for sets that did not run. */
static pop_profile_value set_cycles(const struct execution *e, bool by_tile)
{
    const struct model *model = &e->image->model;
    size_t count = model->sets.count, tiles = pop_target_num_tiles(&e->image->target);
    bool *ran = which_ran(e, MODEL_EXECUTE, count);
    pop_profile_value vector = profile_vector(count);
    for (size_t i = 0; i < count; ++i) {
        struct clock_work work = work_of_set(model, e->record->costs, i);
        uint64_t max = 0;
        struct by_tile by = by_tile_begin(tiles, work.count);
        for (size_t k = 0; ran[i] && k < work.count; ++k) {
            const struct model_part *part = work.parts + k;
            by_tile_add(&by, part->tile, part->tiles, part->cycles);
            max = part->cycles > max ? part->cycles : max;
        }
        pop_profile_value cycles = by_tile_end(&by);
        if (!by_tile)
            pop_profile_free(&cycles);
        pop_profile_push(&vector, by_tile ? cycles : pop_profile_uint(max));
    }
    free(ran);
    return vector;
}

static pop_profile_value exchange_cycles(const struct execution *e, enum model_kind kind)
{
    const struct model *model = &e->image->model;
    bool global = kind == MODEL_GLOBAL_EXCHANGE;
    const struct model_exchange *exchanges = global ? model->global_exchanges.data : model->host_exchanges.data;
    size_t count = global ? model->global_exchanges.count : model->host_exchanges.count;
    bool *ran = which_ran(e, kind, count);
    pop_profile_value vector = profile_vector(count);
    for (size_t i = 0; i < count; ++i) {
        struct by_tile by = by_tile_begin(pop_target_num_tiles(&e->image->target), exchanges[i].flows);
        for (size_t k = 0; ran[i] && k < exchanges[i].flows; ++k) {
            const struct model_flow *flow = model->flows.data + exchanges[i].first_flow + k;
            by_tile_add(&by, flow->tile, flow->tiles, flow->cycles);
        }
        pop_profile_push(&vector, by_tile_end(&by));
    }
    free(ran);
    return vector;
}

/* Cycles of each vertex's last execution, and its type; by vertex, in the order of sets. */
static void add_vertices(pop_profile_value *map, const struct execution *e)
{
    const struct model *model = &e->image->model;
    size_t count = model->vertices.count;
    bool *ran = which_ran(e, MODEL_EXECUTE, model->sets.count);
    pop_profile_value sets = profile_runs(1), cycles = profile_runs(1), types = profile_runs(1);
    for (size_t i = 0; i < count; ++i) {
        const struct model_vertex *vertex = model->vertices.data + i;
        profile_add_run(&sets, vertex->set, 1);
        const struct step_costs *costs = e->record->costs;
        uint64_t took = step_costs_of(costs, vertex->set) ? costs->vertices.data[i] : vertex->cycles;
        profile_add_run(&cycles, vertex->set < model->sets.count && ran[vertex->set] ? took : 0, 1);
        profile_add_run(&types, vertex->type, 1);
    }
    free(ran);
    profile_add(map, "vertexComputeSet", sets);
    profile_add(map, "vertexCycles", cycles);
    profile_add(map, "vertexType", types);
}

/* The tag.  A modelled device is always IPU_MODEL; on hardware the instrumentation decides. */
const char *execution_mode(const struct image *image, const struct instrumentation *i)
{
    if (image->target.type == POP_TARGET_CPU)
        return "CPU";
    if (!image_modelled(image))
        return "NONE";
    if (image->target.type == POP_TARGET_IPU_MODEL)
        return "IPU_MODEL";
    if (i->compute)
        return i->level == INSTRUMENT_TILE     ? "COMPUTE_SETS"
               : i->level == INSTRUMENT_VERTEX ? "VERTICES"
                                               : "SINGLE_TILE_COMPUTE_SETS";
    if (i->external_exchange)
        return image->model.global_exchanges.count ? "EXTERNAL_EXCHANGES" : "HOST_EXCHANGES";
    LOG(ENGINE, WARN,
        "a device of type IPU measures nothing unless debug.instrument is set: the execution profile is empty "
        "(a target of type ipu_model needs no instrumentation)");
    return "NONE";
}

static pop_profile_value simulation(const struct execution *e)
{
    const struct timeline_cycles *sums = &e->timeline.sum;
    pop_profile_value map = profile_map(3), tile_cycles = profile_map(7);
    profile_add(&tile_cycles, "activeCompute", pop_profile_uint(sums->active_compute));
    profile_add(&tile_cycles, "compute", pop_profile_uint(sums->compute));
    profile_add(&tile_cycles, "copySharedStructure", pop_profile_uint(0)); /* nothing here makes such steps */
    profile_add(&tile_cycles, "doExchange", pop_profile_uint(sums->exchange));
    profile_add(&tile_cycles, "globalExchange", pop_profile_uint(sums->global_exchange));
    profile_add(&tile_cycles, "streamCopy", pop_profile_uint(sums->stream_copy));
    profile_add(&tile_cycles, "sync", pop_profile_uint(sums->sync));
    profile_add(&map, "cycles", pop_profile_uint(e->timeline.end));
    profile_add(&map, "steps", e->steps);
    profile_add(&map, "tileCycles", tile_cycles);
    return map;
}

static pop_profile_value whole(struct execution *e, const struct trace *trace)
{
    const struct instrumentation *i = e->instrumentation;
    const char *mode =
        trace->entries.count || e->image->target.type == POP_TARGET_CPU ? execution_mode(e->image, i) : "NONE";
    pop_profile_value map = profile_map(8);
    if (strcmp(mode, "NONE") == 0 || strcmp(mode, "CPU") == 0) {
        profile_add(&map, "profilerMode", pop_profile_string(mode));
        return map;
    }
    step_lists(e->image, trace, e->timeline.times, &e->steps, &e->trace);
    if (instruments_one_tile(i))
        profile_add(&map, "computeSetCycles", set_cycles(e, false));
    if (i->compute && i->level == INSTRUMENT_TILE)
        profile_add(&map, "computeSetCyclesByTile", set_cycles(e, true));
    if (i->external_exchange) {
        profile_add(&map, "externalExchangeCycles", exchange_cycles(e, MODEL_GLOBAL_EXCHANGE));
        profile_add(&map, "hostExchangeCycles", exchange_cycles(e, MODEL_STREAM_COPY));
    }
    profile_add(&map, "profilerMode", pop_profile_string(mode));
    profile_add(&map, "programTrace", e->trace);
    profile_add(&map, "simulation", simulation(e));
    if (i->compute && i->level == INSTRUMENT_VERTEX)
        add_vertices(&map, e);
    return map;
}

pop_status execution_profile(struct image *image, const struct instrumentation *instrumentation,
                             const struct trace *trace, const char *api, pop_profile_value *profile, pop_error *error)
{
    struct execution e = { .image = image, .instrumentation = instrumentation, .record = trace };
    timeline_make(&e.timeline, image, trace, NULL, NULL);
    pop_status status = timeline_check_estimates(&e.timeline, image, api, error);
    if (status == POP_OK)
        *profile = whole(&e, trace);
    timeline_free(&e.timeline);
    return status;
}
