/* SPDX-License-Identifier: Apache-2.0 */
/* The graph profile: target, graph, vertex types, compute sets and exchanges as values (the guide, Graph profile).
 * Entries of maps are added in the order of their keys. */
#include "profile/graph_profile.h"
#include "profile/profile.h"
#include "timeline/clock.h"

#include <assert.h>
#include <limits.h>

struct by_tile by_tile_begin(size_t tiles, size_t entries)
{
    size_t runs = 2 * entries + 1; /* each with a gap before it, and one after all */
    return (struct by_tile){ profile_runs(runs < tiles ? runs : tiles ? tiles : 1), 0, tiles };
}

void by_tile_add(struct by_tile *by, size_t tile, size_t tiles, uint64_t value)
{
    if (tile < by->at || tile >= by->tiles || tiles > by->tiles - tile)
        return; /* no image that was checked has such */
    profile_add_run(&by->vector, 0, tile - by->at);
    profile_add_run(&by->vector, value, tiles);
    by->at = tile + tiles;
}

pop_profile_value by_tile_end(struct by_tile *by)
{
    assert(by->at <= by->tiles);
    profile_add_run(&by->vector, 0, by->tiles - by->at);
    return by->vector;
}

pop_profile_value by_tile_of(const uint64_t *values, size_t tiles)
{
    size_t runs = tiles != 0;
    for (size_t i = 1; i < tiles; ++i)
        runs += values[i] != values[i - 1];
    pop_profile_value vector = profile_runs(runs ? runs : 1);
    for (size_t i = 0; i < tiles; ++i)
        profile_add_run(&vector, values[i], 1);
    return vector;
}

static pop_profile_value sync_delays(const pop_target *target, unsigned min)
{
    unsigned tiles = target->tiles_per_ipu;
    pop_profile_value vector = profile_runs(tiles ? tiles : 1);
    for (unsigned tile = 0; tile < tiles; ++tile)
        profile_add_run(&vector, pop_target_sync_delay(target, tile) - min, 1);
    return vector;
}

static pop_profile_value target_profile(const struct image *image)
{
    static const char *const types[] = {
        [POP_TARGET_IPU] = "IPU", [POP_TARGET_IPU_MODEL] = "IPU_MODEL", [POP_TARGET_CPU] = "CPU"
    };
    const pop_target *target = &image->target;
    uint64_t bytes_per_ipu = (uint64_t)target->bytes_per_tile * target->tiles_per_ipu;
    unsigned min = UINT_MAX;
    for (unsigned tile = 0; tile < target->tiles_per_ipu; ++tile) {
        unsigned delay = pop_target_sync_delay(target, tile);
        min = delay < min ? delay : min;
    }
    pop_profile_value map = profile_map(10);
    profile_add(&map, "bytesPerIPU", pop_profile_uint(bytes_per_ipu));
    profile_add(&map, "bytesPerTile", pop_profile_uint(target->bytes_per_tile));
    profile_add(&map, "clockFrequency", pop_profile_double(target->tile_clock_frequency));
    profile_add(&map, "minSyncDelay", pop_profile_uint(target->tiles_per_ipu ? min : 0));
    profile_add(&map, "numIPUs", pop_profile_uint((uint64_t)target->num_ipus * image->replicas));
    if (image->replicas > 1) /* the guide's profile lacks it */
        profile_add(&map, "numReplicas", pop_profile_uint(image->replicas));
    profile_add(&map, "numTiles", pop_profile_uint((uint64_t)pop_target_num_tiles(target) * image->replicas));
    profile_add(&map, "relativeSyncDelayByTile", sync_delays(target, min));
    profile_add(&map, "tilesPerIPU", pop_profile_uint(target->tiles_per_ipu));
    profile_add(&map, "totalMemory", pop_profile_uint(bytes_per_ipu * target->num_ipus * image->replicas));
    profile_add(&map, "type", pop_profile_string(types[target->type]));
    return map;
}

static pop_profile_value metrics_profile(const struct image *image)
{
    pop_profile_value map = pop_profile_map_new();
    for (size_t i = 0; i < image->model.metrics.count; ++i)
        pop_profile_set(&map, image_string(image, image->model.metrics.data[i].name),
                        pop_profile_double(image->model.metrics.data[i].value));
    return map;
}

/* Counts of what was compiled.  A CPU's image has no model: the counts of its host plan are reported, without edges. */
static pop_profile_value counts_profile(const struct image *image)
{
    uint64_t counts[4] = { image->sets.count, 0, image->variables.count, 0 };
    if (image->model.graph_counts.count == 4)
        memcpy(counts, image->model.graph_counts.data, sizeof(counts));
    else
        for (size_t i = 0; i < image->sets.count; ++i)
            counts[3] += image->sets.data[i].vertices;
    pop_profile_value map = profile_map(4);
    profile_add(&map, "numComputeSets", pop_profile_uint(counts[0]));
    profile_add(&map, "numEdges", pop_profile_uint(counts[1]));
    profile_add(&map, "numVars", pop_profile_uint(counts[2]));
    profile_add(&map, "numVertices", pop_profile_uint(counts[3]));
    return map;
}

static pop_profile_value types_profile(const struct image *image, const struct step_costs *costs)
{
    const struct model *model = &image->model;
    pop_profile_value map = profile_map(3), names = profile_vector(model->types.count),
                      sizes = profile_vector(model->types.count), estimates = profile_vector(model->types.count);
    for (size_t i = 0; i < model->types.count; ++i) {
        pop_profile_push(&names, pop_profile_string(image_string(image, model->types.data[i].name)));
        pop_profile_push(&sizes, pop_profile_uint(model->types.data[i].state_bytes));
        pop_profile_push(&estimates, pop_profile_string(step_costs_origin(costs, model, (uint32_t)i)));
    }
    profile_add(&map, "estimates", estimates);
    profile_add(&map, "names", names);
    profile_add(&map, "sizes", sizes);
    return map;
}

static int by_type(const void *a, const void *b)
{
    const struct model_share *x = a, *y = b;
    return x->type < y->type ? -1 : x->type > y->type;
}

static pop_profile_value active_by_type(const struct model *model, const struct step_costs *costs, size_t index)
{
    const struct model_set *set = model->sets.data + index;
    struct model_share *shares = mem_alloc(set->shares * sizeof(*shares));
    if (set->shares)
        memcpy(shares, model->shares.data + set->first_share, set->shares * sizeof(*shares));
    for (uint32_t i = 0; i < set->shares; ++i)
        shares[i].active = step_costs_active(costs, model, index, set->first_share + i);
    qsort(shares, set->shares, sizeof(*shares), by_type);
    struct by_tile by = by_tile_begin(model->types.count, set->shares);
    for (size_t i = 0; i < set->shares; ++i)
        by_tile_add(&by, shares[i].type, 1, shares[i].active);
    free(shares);
    return by_tile_end(&by);
}

static pop_profile_value cycles_by_tile(const struct clock_work *work, size_t tiles, bool active)
{
    struct by_tile by = by_tile_begin(tiles, work->count);
    for (size_t i = 0; i < work->count; ++i) {
        const struct model_part *part = work->parts + i;
        by_tile_add(&by, part->tile, part->tiles, active ? part->active : part->cycles);
    }
    return by_tile_end(&by);
}

/* Only modelled devices have estimates; a target of type IPU has none. */
static pop_profile_value estimates_profile(const struct image *image, const struct step_costs *costs, size_t tiles)
{
    const struct model *model = &image->model;
    size_t sets = model->sets.count;
    pop_profile_value map = profile_map(3), active = profile_vector(sets), types = profile_vector(sets),
                      cycles = profile_vector(sets);
    for (size_t i = 0; i < sets; ++i) {
        struct clock_work work = work_of_set(model, costs, i);
        pop_profile_push(&active, cycles_by_tile(&work, tiles, true));
        pop_profile_push(&types, active_by_type(model, costs, i));
        pop_profile_push(&cycles, cycles_by_tile(&work, tiles, false));
    }
    profile_add(&map, "activeCyclesByTile", active);
    profile_add(&map, "activeCyclesByVertexType", types);
    profile_add(&map, "cyclesByTile", cycles);
    return map;
}

static pop_profile_value sets_profile(const struct image *image, const struct step_costs *costs, size_t tiles)
{
    const struct model *model = &image->model;
    size_t sets = model->sets.count;
    pop_profile_value map = profile_map(4), names = profile_vector(sets), counts = profile_vector(sets),
                      types = profile_vector(sets);
    for (size_t i = 0; i < sets; ++i) {
        const struct model_set *set = model->sets.data + i;
        pop_profile_push(&names, pop_profile_string(image_string(image, set->name)));
        pop_profile_value set_counts = profile_vector(set->shares), set_types = profile_vector(set->shares);
        for (size_t k = 0; k < set->shares; ++k) {
            pop_profile_push(&set_counts, pop_profile_uint(model->shares.data[set->first_share + k].vertices));
            pop_profile_push(&set_types, pop_profile_uint(model->shares.data[set->first_share + k].type));
        }
        pop_profile_push(&counts, set_counts);
        pop_profile_push(&types, set_types);
    }
    if (image->target.type == POP_TARGET_IPU_MODEL)
        profile_add(&map, "cycleEstimates", estimates_profile(image, costs, tiles));
    profile_add(&map, "names", names);
    profile_add(&map, "vertexCounts", counts);
    profile_add(&map, "vertexTypes", types);
    return map;
}

enum flow_field { FLOW_RECEIVED, FLOW_SENT, FLOW_CODE, FLOW_CYCLES };

static uint64_t flow_value(const struct model_flow *flow, enum flow_field field)
{
    return field == FLOW_RECEIVED ? flow->received
           : field == FLOW_SENT   ? flow->sent
           : field == FLOW_CODE   ? flow->code_bytes
                                  : flow->cycles;
}

static pop_profile_value flows_by_tile(const struct model *model, const struct model_exchange *exchanges, size_t count,
                                       size_t tiles, enum flow_field field)
{
    pop_profile_value vector = profile_vector(count);
    for (size_t i = 0; i < count; ++i) {
        struct by_tile by = by_tile_begin(tiles, exchanges[i].flows);
        for (size_t k = 0; k < exchanges[i].flows; ++k) {
            const struct model_flow *flow = model->flows.data + exchanges[i].first_flow + k;
            by_tile_add(&by, flow->tile, flow->tiles, flow_value(flow, field));
        }
        pop_profile_push(&vector, by_tile_end(&by));
    }
    return vector;
}

/* Internal exchanges are scheduled, so that their cycles are known; those of external ones are estimates. */
static pop_profile_value exchanges_profile(const struct model *model, const struct model_exchange *exchanges,
                                           size_t count, size_t tiles, bool internal)
{
    pop_profile_value map = profile_map(4);
    profile_add(&map, "bytesReceivedByTile", flows_by_tile(model, exchanges, count, tiles, FLOW_RECEIVED));
    profile_add(&map, "bytesSentByTile", flows_by_tile(model, exchanges, count, tiles, FLOW_SENT));
    if (internal)
        profile_add(&map, "codeBytesByTile", flows_by_tile(model, exchanges, count, tiles, FLOW_CODE));
    profile_add(&map, internal ? "cyclesByTile" : "estimatedCyclesByTile",
                flows_by_tile(model, exchanges, count, tiles, FLOW_CYCLES));
    return map;
}

static pop_profile_value indexes(const uint32_t *data, size_t count)
{
    pop_profile_value vector = profile_vector(count);
    for (size_t i = 0; i < count; ++i)
        pop_profile_push(&vector, pop_profile_uint(data[i]));
    return vector;
}

pop_profile_value graph_profile(const struct image *image, const struct step_costs *costs)
{
    const struct model *model = &image->model;
    size_t tiles = pop_target_num_tiles(&image->target);
    pop_profile_value map = profile_map(13);
    if (!image_modelled(image)) {
        profile_add(&map, "graph", counts_profile(image));
        profile_add(&map, "target", target_profile(image));
        return map;
    }
    profile_add(&map, "computeSets", sets_profile(image, costs, tiles));
    profile_add(&map, "controlPrograms", indexes(model->controls.data, model->controls.count));
    profile_add(&map, "exchanges",
                exchanges_profile(model, model->exchanges.data, model->exchanges.count, tiles, true));
    profile_add(&map, "externalExchanges",
                exchanges_profile(model, model->global_exchanges.data, model->global_exchanges.count, tiles, false));
    profile_add(&map, "functionPrograms", indexes(model->functions.data, model->functions.count));
    profile_add(&map, "graph", counts_profile(image));
    profile_add(&map, "hostExchanges",
                exchanges_profile(model, model->host_exchanges.data, model->host_exchanges.count, tiles, false));
    profile_add(&map, "memory", memory_profile(image));
    profile_add(&map, "optimizationInfo", metrics_profile(image));
    profile_add(&map, "programs", programs_profile(image));
    profile_add(&map, "target", target_profile(image));
    profile_add(&map, "vertexTypes", types_profile(image, costs));
    return map;
}
