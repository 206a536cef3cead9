/* SPDX-License-Identifier: Apache-2.0 */
#include "target/exchange.h"

#include <assert.h>
#include <string.h>

/* Poplibs' ladder (docs/targets.md): two IPUs on a card, 2c and 2c + 1, and cards in a row, whose even IPUs are
 * one side and whose odd ones the other.  The kinds and numbers of links are published; the way that a flow takes is
 * inferred: to its destination's side on its own card first, then along that side.
 *
 * Limits in order: one for each IPU within its card; where there are several cards, one for each IPU across its card to
 * go on from there, then four for each gap between cards: even side up and down, odd side up and down.
 *
 * A torus joins the ends of both sides by one more gap, behind the last card; a flow takes the shorter way round
 * (from every other card the one, where both are as long). */
static const struct topology {
    const char *name; /* of option ipuLinkTopology */
    bool closed;
} topologies[] = { { "default", false }, { "mesh", false }, { "torus", true } };

static bool closed(const pop_target *target)
{
    enum { TOPOLOGIES = sizeof(topologies) / sizeof(topologies[0]) };
    for (size_t i = 0; i < TOPOLOGIES && target->num_ipus > 4; ++i)
        if (strcmp(target->ipu_link_topology, topologies[i].name) == 0)
            return topologies[i].closed;
    return false;
}

static size_t cards(const pop_target *target)
{
    return ((size_t)target->num_ipus + 1) / 2;
}

static size_t cross_limit(const pop_target *target, uint32_t ipu)
{
    return 2 * cards(target) + ipu;
}

static size_t gap_limit(const pop_target *target, size_t gap, uint32_t side, bool down)
{
    return 4 * cards(target) + 4 * gap + 2 * side + down;
}

static bool listed(const pop_target *target)
{
    return target->global_exchange == POP_GLOBAL_EXCHANGE_LISTED;
}

size_t pop_target_num_global_exchange_constraints(const pop_target *target)
{
    if (!target || target->num_ipus < 2)
        return 0;
    if (listed(target))
        return target->exchange_limits.count;
    size_t count = cards(target);
    return count == 1 ? 2 : 4 * count + 4 * (closed(target) ? count : count - 1);
}

double pop_target_global_exchange_bandwidth(const pop_target *target, size_t constraint)
{
    if (constraint >= pop_target_num_global_exchange_constraints(target))
        return 0;
    if (listed(target))
        return target->exchange_limits.limits[constraint].bandwidth;
    unsigned links = constraint < cross_limit(target, 0)           ? target->intra_card_links
                     : constraint < gap_limit(target, 0, 0, false) ? target->cross_links
                                                                   : target->ladder_links;
    return links * target->ipu_link_bandwidth;
}

/* Calls visit for each limit that a flow uses. */
static void each_limit(const pop_target *target, uint32_t from, uint32_t to, void (*visit)(size_t limit, void *context),
                       void *context)
{
    size_t all = cards(target), card = from / 2, last = to / 2, side = to % 2, up = last > card ? last - card : 0,
           down = card > last ? card - last : 0;
    if (card == last) {
        visit(from, context);
        return;
    }
    if (closed(target)) {
        up = (last + all - card) % all;
        down = all - up;
        bool back = up == down ? card % 2 : up > down; /* flows of the same way round share both ways */
        up = back ? 0 : up;
        down = back ? down : 0;
    }
    if (from % 2 != side)
        visit(cross_limit(target, from), context);
    for (; up; --up, card = (card + 1) % all)
        visit(gap_limit(target, card, (uint32_t)side, false), context);
    for (; down; --down, card = (card + all - 1) % all)
        visit(gap_limit(target, (card + all - 1) % all, (uint32_t)side, true), context);
}

struct flow_list {
    pop_exchange_flow *flows;
    size_t count, capacity;
};

static void add_flow(struct flow_list *list, size_t source, size_t destination)
{
    if (list->count < list->capacity)
        list->flows[list->count] = (pop_exchange_flow){ (uint32_t)source, (uint32_t)destination };
    ++list->count;
}

static bool takes(uint32_t pattern, size_t ipu)
{
    return pattern == POP_ANY_IPU || pattern == ipu;
}

/* Whether one of the first count flows of a limit is, or stands for, this one. */
static bool carries(const pop_exchange_limit *limit, size_t count, size_t source, size_t destination)
{
    for (size_t f = 0; f < count; ++f)
        if (takes(limit->flows[f].source, source) && takes(limit->flows[f].destination, destination))
            return true;
    return false;
}

static void add_listed_flows(const pop_target *target, const pop_exchange_limit *limit, struct flow_list *list)
{
    for (size_t f = 0; f < limit->num_flows; ++f) {
        uint32_t from = limit->flows[f].source, to = limit->flows[f].destination;
        size_t any = target->num_ipus;
        for (size_t s = from == POP_ANY_IPU ? 0 : from; s < any && takes(from, s); ++s)
            for (size_t d = to == POP_ANY_IPU ? 0 : to; d < any && takes(to, d); ++d)
                if (s != d && !carries(limit, f, s, d))
                    add_flow(list, s, d);
    }
}

struct limit_search {
    size_t wanted;
    bool found;
};

static void find_limit(size_t limit, void *context)
{
    struct limit_search *search = context;
    search->found |= limit == search->wanted;
}

static void add_ladder_flows(const pop_target *target, size_t constraint, struct flow_list *list)
{
    for (uint32_t s = 0; s < target->num_ipus; ++s)
        for (uint32_t d = 0; d < target->num_ipus; ++d) {
            struct limit_search search = { constraint, false };
            if (s != d)
                each_limit(target, s, d, find_limit, &search);
            if (search.found)
                add_flow(list, s, d);
        }
}

size_t pop_target_global_exchange_flows(const pop_target *target, size_t constraint, pop_exchange_flow *flows,
                                        size_t capacity)
{
    struct flow_list list = { flows, 0, capacity };
    if (constraint >= pop_target_num_global_exchange_constraints(target))
        return 0;
    if (listed(target))
        add_listed_flows(target, &target->exchange_limits.limits[constraint], &list);
    else
        add_ladder_flows(target, constraint, &list);
    return list.count;
}

struct loading {
    uint64_t *loads, bytes;
};

static void add_load(size_t limit, void *context)
{
    const struct loading *loading = context;
    loading->loads[limit] += loading->bytes;
}

static void load_listed(const pop_target *target, const struct exchange_load *flow, uint64_t *loads)
{
    for (size_t i = 0; i < target->exchange_limits.count; ++i) {
        const pop_exchange_limit *limit = &target->exchange_limits.limits[i];
        if (carries(limit, limit->num_flows, flow->source, flow->destination))
            loads[i] += flow->bytes;
    }
}

void exchange_loads(const pop_target *target, const struct exchange_load *flows, size_t count, uint64_t *loads)
{
    for (size_t i = 0; i < count; ++i) {
        assert(flows[i].source < target->num_ipus && flows[i].destination < target->num_ipus);
        if (flows[i].source == flows[i].destination)
            continue;
        if (listed(target))
            load_listed(target, &flows[i], loads);
        else
            each_limit(target, flows[i].source, flows[i].destination, add_load,
                       &(struct loading){ loads, flows[i].bytes });
    }
}
