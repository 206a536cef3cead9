/* SPDX-License-Identifier: Apache-2.0 */
/* schedule: the vertices of each tile onto its worker contexts; a set takes as long as its slowest tile.
 * In: order, groups, spans, image->sets, gathers.  Out: compute cost of the ops that execute sets; missing_estimate of sets. */
#include "compiler/edges.h"
#include "compiler/prefetch.h"

#include "base/log.h"
#include "target/cost.h"

struct schedule {
    struct compiler *c;
    const struct used_set *set;
    const struct image_set *image;
    struct cost_tile tile; /* the current one */
    uint64_t vertices;     /* on it */
    bool trace;
};

/* Adds vertices of one type on a tile; false when one has no estimate. */
static bool schedule_group(struct schedule *s, const struct codelet *codelet, uint64_t first, uint64_t last)
{
    for (uint64_t i = first; i < last; ++i) {
        pop_perf perf;
        prefetch_vertex(s->c, i);
        if (!store_estimate(s->c->store, s->c->order[i], &perf))
            return false;
        if (codelet->kind == VERTEX_WORKER)
            cost_tile_worker(&s->tile, perf.cycles);
        else
            cost_tile_supervisor(&s->tile, perf.cycles);
    }
    s->vertices += last - first;
    return true;
}

/* The set's first gather of a vertex from `vertex` on. */
static uint64_t find_gather(const struct schedule *s, uint64_t vertex)
{
    uint64_t low = s->image->first_gather, high = low + s->image->gathers;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (s->c->image->gathers.data[middle].vertex_in_set < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What the tile copies to and from the buffers of its vertices [first, last): the supervisor does it, edge by edge. */
static void schedule_gathers(struct schedule *s, uint64_t first, uint64_t last)
{
    const struct image_gather *gathers = s->c->image->gathers.data;
    uint64_t end = s->image->first_gather + s->image->gathers;
    if (!s->image->gathers)
        return;
    for (uint64_t i = find_gather(s, first - s->set->first); i < end && gathers[i].vertex_in_set < last - s->set->first; ++i)
        cost_tile_supervisor(&s->tile, cost_memcpy(&s->c->store->target, gathers[i].bytes) * (gathers[i].after ? 2 : 1));
}

/* Cycles of the slowest tile; 0 and the set's missing_estimate when a vertex has no estimate. */
static uint64_t schedule_set(struct compiler *c, const struct used_set *set, struct image_set *out)
{
    struct schedule s = { .c = c, .set = set, .image = out, .trace = log_on(LOG_COMPILER, LOG_TRACE) };
    const char *name = store_name(c->store, c->store->sets.data[set->set].name);
    uint64_t slowest = 0;
    struct tile_walk walk;
    tile_walk_begin(&walk, c, set);
    while (!out->missing_estimate && tile_walk_next(&walk)) {
        s.tile = cost_tile_start(&c->store->target);
        s.vertices = 0;
        for (uint32_t g = 0; g < set->groups && !out->missing_estimate; ++g) {
            const struct vertex_type *type = &c->store->types.data[c->groups.data[set->first_group + g].type];
            if (!schedule_group(&s, type->codelet, walk.first[g], walk.last[g]))
                out->missing_estimate = compiler_string(c, store_name(c->store, type->name));
            schedule_gathers(&s, walk.first[g], walk.last[g]);
        }
        uint64_t cycles = cost_tile_cycles(&s.tile);
        slowest = cycles > slowest ? cycles : slowest;
        if (s.trace && !out->missing_estimate)
            LOG(COMPILER, TRACE, "compute set '%s': tile %u has %llu vertices, %llu cycles", name, walk.tile, (unsigned long long)s.vertices,
                (unsigned long long)cycles);
    }
    tile_walk_end(&walk);
    if (!out->missing_estimate)
        return slowest;
    LOG(COMPILER, WARN, "cycles of compute set '%s' are not known: vertex type '%s' has no performance estimate", name,
        image_string(c->image, out->missing_estimate));
    return 0;
}

bool pass_schedule(struct compiler *c)
{
    if (!c->modelled)
        return true;
    uint64_t *cycles = mem_zero(c->sets.count, sizeof(*cycles));
    for (size_t s = 0; s < c->sets.count; ++s)
        cycles[s] = schedule_set(c, &c->sets.data[s], &c->image->sets.data[s]);
    for (size_t i = 0; i < c->image->ops.count; ++i)
        if (c->image->ops.data[i].kind == OP_EXECUTE)
            c->image->costs.data[i].compute = cycles[c->image->ops.data[i].a];
    free(cycles);
    return true;
}
