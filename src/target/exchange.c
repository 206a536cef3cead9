/* SPDX-License-Identifier: Apache-2.0 */
#include "target/exchange.h"

#include <assert.h>

/* Poplibs' ladder (ipu-model.md 1.6, 2.4): two IPUs on a card, 2c and 2c + 1, and cards in a row, whose even IPUs are
 * one side and whose odd ones the other.  The kinds and numbers of links are published; the way that a flow takes is
 * inferred: to its destination's side on its own card first, then along that side.
 *
 * Limits in order: one for each IPU within its card; where there are several cards, one for each IPU across its card to
 * go on from there, then four for each gap between cards: even side up and down, odd side up and down. */
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
    return count == 1 ? 2 : 4 * count + 4 * (count - 1);
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

/* IPUs first, first + step, ... before end, without those of a card. */
struct range {
    size_t first, end, step, without;
};
enum { NO_CARD = -1 };
#define ONE(ipu)                                                                                                       \
    {                                                                                                                  \
        (ipu), (ipu) + 1, 1, (size_t)NO_CARD                                                                           \
    }

/* The flows through a link are all pairs of two sets. */
static void ladder_sets(const pop_target *target, size_t constraint, struct range *sources, struct range *destinations)
{
    size_t ipus = target->num_ipus, first_cross = cross_limit(target, 0), first_gap = gap_limit(target, 0, 0, false);
    if (constraint < first_cross) {
        *sources = (struct range)ONE(constraint);
        *destinations = (struct range)ONE(constraint ^ 1);
    } else if (constraint < first_gap) {
        size_t ipu = constraint - first_cross;
        *sources = (struct range)ONE(ipu);
        *destinations = (struct range){ (ipu & 1) ^ 1, ipus, 2, ipu / 2 };
    } else {
        size_t which = constraint - first_gap, above = 2 * (which / 4) + 2, side = which / 2 % 2;
        struct range low = { 0, above, 1, (size_t)NO_CARD }, high = { above, ipus, 1, (size_t)NO_CARD };
        *sources = which % 2 ? high : low;
        *destinations = which % 2 ? low : high;
        destinations->first += side;
        destinations->step = 2;
    }
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

static void add_ladder_flows(const pop_target *target, size_t constraint, struct flow_list *list)
{
    struct range from, to;
    ladder_sets(target, constraint, &from, &to);
    for (size_t s = from.first; s < from.end && s < target->num_ipus; s += from.step)
        for (size_t d = to.first; d < to.end && d < target->num_ipus; d += to.step)
            if (d / 2 != to.without)
                add_flow(list, s, d);
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

static void load_ladder(const pop_target *target, const struct exchange_load *flow, uint64_t *loads)
{
    uint32_t from = flow->source, side = flow->destination % 2;
    size_t card = from / 2, last = flow->destination / 2;
    if (card == last) {
        loads[from] += flow->bytes;
        return;
    }
    if (from % 2 != side)
        loads[cross_limit(target, from)] += flow->bytes;
    for (; card < last; ++card)
        loads[gap_limit(target, card, side, false)] += flow->bytes;
    for (; card > last; --card)
        loads[gap_limit(target, card - 1, side, true)] += flow->bytes;
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
            load_ladder(target, &flows[i], loads);
    }
}
