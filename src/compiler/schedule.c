/* SPDX-License-Identifier: Apache-2.0 */
/* schedule: the vertices of each tile onto its worker contexts; a set takes as long as its slowest tile.
 * In: order, groups, image->sets.  Out: compute cost of the ops that execute sets; missing_estimate of sets. */
#include "compiler/edges.h"

#include "target/cost.h"

/* Adds vertices of one type on a tile; false when one has no estimate. */
static bool schedule_group(struct compiler *c, struct cost_tile *tile, uint64_t first, uint64_t last)
{
    for (uint64_t i = first; i < last; ++i) {
        uint32_t vertex = c->order[i];
        pop_perf perf;
        if (!store_estimate(c->store, vertex, &perf))
            return false;
        if (vertex_codelet(c, &c->store->vertices.data[vertex])->kind == VERTEX_WORKER)
            cost_tile_worker(tile, perf.cycles);
        else
            cost_tile_supervisor(tile, perf.cycles);
    }
    return true;
}

/* Cycles of the slowest tile; 0 and the set's missing_estimate when a vertex has no estimate. */
static uint64_t schedule_set(struct compiler *c, const struct used_set *set, struct image_set *out)
{
    uint64_t slowest = 0;
    struct tile_walk walk;
    tile_walk_begin(&walk, c, set);
    while (!out->missing_estimate && tile_walk_next(&walk)) {
        struct cost_tile tile = cost_tile_start(&c->store->target);
        for (uint32_t g = 0; g < set->groups && !out->missing_estimate; ++g)
            if (!schedule_group(c, &tile, walk.first[g], walk.last[g]))
                out->missing_estimate = compiler_string(c, store_name(c->store, c->store->types.data[c->groups.data[set->first_group + g].type].name));
        uint64_t cycles = cost_tile_cycles(&tile);
        slowest = cycles > slowest ? cycles : slowest;
    }
    tile_walk_end(&walk);
    return out->missing_estimate ? 0 : slowest;
}

bool pass_schedule(struct compiler *c)
{
    if (!c->modelled)
        return true;
    uint64_t *cycles = mem_zero(c->sets.count, sizeof(*cycles));
    for (size_t s = 0; s < c->sets.count; ++s)
        cycles[s] = schedule_set(c, &c->sets.data[s], &c->image->sets.data[s]);
    for (size_t i = 0; i < c->image->ops.count; ++i)
        if (c->image->ops.data[i].kind == CODE_EXECUTE)
            c->image->costs.data[i].compute = cycles[c->image->ops.data[i].a];
    free(cycles);
    return true;
}
