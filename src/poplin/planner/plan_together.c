/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/planner/plan_together.h"
#include "poplin/planner/planner.h"

struct together {
    const struct call *call;
    struct plan_member *members;
    size_t *order; /* the largest first */
    size_t count;
    unsigned tiles, next_tile; /* number of tiles; the first free tile */
    unsigned reserved;         /* tiles reserved for each member that is not planned yet */
    double back_off;
    poplin_planning_cache *cache;
};

/* Orders members by operations, largest first; equal ones keep their order. */
static void find_order(struct together *t)
{
    uint64_t *flops = poplibs_new(t->count, sizeof(*flops));
    for (size_t i = 0; i < t->count; ++i) {
        size_t at = i;
        flops[i] = poplin_get_fwd_flops(&t->members[i].params);
        for (; at && flops[t->order[at - 1]] < flops[i]; --at)
            t->order[at] = t->order[at - 1];
        t->order[at] = i;
    }
    free(flops);
}

/* Plans a member on the free tiles, of which `later` members keep theirs; with take, it gets the tiles of its plan. */
static bool plan_member(struct together *t, size_t place, size_t later, struct plan_share share, bool take,
                        struct plan_cost *cost)
{
    const struct plan_member *member = &t->members[t->order[place]];
    struct conv_planned planned;
    share.first_tile = t->next_tile;
    member->options->share = share;
    member->options->tiles_per_ipu = t->tiles - t->next_tile - t->reserved * (unsigned)later;
    if (!plan_get(t->call, &member->params, member->options, t->cache, &planned))
        return false;
    *cost = planned.cost;
    /* tiles that share an exchange bus belong to the same member */
    unsigned bus = pop_target_tiles_per_shared_exchange_bus(pop_graph_target(t->call->graph));
    if (take)
        t->next_tile = (unsigned)(poplibs_ceil_div(t->next_tile + cost->tiles, bus) * bus);
    return true;
}

/* The largest one takes the fewest tiles on which it is not much slower.  Then the others, from the smallest on, are
 * planned to take no longer than those before them in any step; the last, which is the second largest, takes all tiles
 * that are left. */
static bool plan_all(struct together *t)
{
    struct plan_share share = { .objective = POPLIN_FEWEST_CYCLES };
    struct plan_cost cost;
    if (!plan_member(t, 0, t->count - 1, share, false, &cost))
        return false;
    share.objective = POPLIN_FEWEST_TILES;
    double max = (double)cost.cycles *
                 /* Floating point, because the option has no upper limit. */
                 (1 + (double)(t->count - 1) * t->back_off);
    share.max_cycles = max < (double)UINT64_MAX ? (uint64_t)max : UINT64_MAX;
    if (!plan_member(t, 0, t->count - 1, share, true, &cost))
        return false;
    share = (struct plan_share){ .like = cost.steps };
    for (size_t place = t->count - 1; place > 0; --place) {
        share.objective = place > 1 ? POPLIN_LIKE_ON_FEWEST_TILES : POPLIN_LIKE_IN_MIN_MEMORY;
        if (!plan_member(t, place, place - 1, share, true, &cost))
            return false;
        share.like = plan_longest_steps(&share.like, &cost.steps);
    }
    return true;
}

bool plan_together(const struct call *call, struct plan_member *members, size_t count, unsigned reserved_tiles,
                   double back_off, poplin_planning_cache *cache)
{
    unsigned tiles = UINT32_MAX, bus = pop_target_tiles_per_shared_exchange_bus(pop_graph_target(call->graph));
    for (size_t i = 0; i < count; ++i)
        tiles = members[i].options->tiles_per_ipu < tiles ? members[i].options->tiles_per_ipu : tiles;
    unsigned max = (unsigned)(tiles / poplibs_max(count, 1) / bus * bus),
             min = reserved_tiles > bus ? reserved_tiles : bus;
    if (count < 2 || !max)
        return false;
    struct together together = { .call = call,
                                 .members = members,
                                 .order = poplibs_new(count, sizeof(size_t)),
                                 .count = count,
                                 .tiles = tiles,
                                 .reserved = min < max ? min : max,
                                 .back_off = back_off,
                                 .cache = cache };
    find_order(&together);
    bool planned = plan_all(&together);
    free(together.order);
    return planned;
}
