/* SPDX-License-Identifier: Apache-2.0 */
#include "target/exchange.h"

#include <assert.h>
#include <string.h>

/* Routes over the ladder of cards of Poplibs (docs/concepts/devices.md): a card has IPUs 2c and 2c + 1; cards form a
 * row, with the even IPUs on one side and the odd ones on the other.  Kinds and numbers of links are published.  The
 * route is inferred: first to the destination's side on the source's card, then along that side.
 *
 * Limits in order: one for each IPU within its card; with several cards, one for each IPU for crossing its card on the
 * way to another one, then four for each gap between cards: even side up and down, odd side up and down.
 *
 * A torus connects the ends of both sides by one more gap, after the last card.  A flow takes the shorter direction; if
 * both are equal, the direction alternates by card.
 *
 * If a link domain has fewer IPUs than the target, each domain is a ladder of its own, in sequence, followed by the
 * gateways: two limits, up and down, for each machine and each gap between domains.  A gateway connects machines at the
 * same position of neighbouring domains.  A flow between domains uses the links of the lower domain, because the last
 * domain may be smaller and lack that position. */
static const struct topology {
    const char *name; /* of option ipuLinkTopology */
    bool closed;
} topologies[] = { { "default", false }, { "mesh", false }, { "torus", true } };

static bool torus(const pop_target *target)
{
    enum { TOPOLOGIES = sizeof(topologies) / sizeof(topologies[0]) };
    for (size_t i = 0; i < TOPOLOGIES; ++i)
        if (strcmp(target->ipu_link_topology, topologies[i].name) == 0)
            return topologies[i].closed;
    return false;
}

/* ---- link domains ---- */

/* IPUs divided into link domains; a target of one replica represents all IPUs of its device. */
struct domains {
    size_t size, count; /* IPUs of each but the last; domains */
    bool closed;
};

static struct domains domains_of(const pop_target *target, size_t ipus)
{
    size_t size = target->ipu_link_domain_size;
    if (!size || size > ipus)
        return (struct domains){ ipus, 1, false };
    size_t count = (ipus + size - 1) / size;
    return (struct domains){ size, count, count > 2 && ipus % size == 0 && torus(target) };
}

static struct domains own_domains(const pop_target *target)
{
    assert(target->num_ipus);
    return domains_of(target, target->num_ipus);
}

static size_t machine_of(const pop_target *target, size_t place)
{
    return target->machine_ipus ? place / target->machine_ipus : 0;
}

static size_t machines(const pop_target *target)
{
    return machine_of(target, own_domains(target).size - 1) + 1;
}

/* The IPUs of one link domain, and the first of their limits. */
struct ladder {
    size_t ipus, cards, first_limit;
    bool closed;
};

static struct ladder ladder_of_size(const pop_target *target, size_t ipus)
{
    return (struct ladder){ .ipus = ipus, .cards = (ipus + 1) / 2, .closed = ipus > 4 && torus(target) };
}

static size_t ladder_limits(const struct ladder *ladder)
{
    size_t gaps = ladder->cards - !ladder->closed;
    return ladder->ipus < 2 ? 0 : ladder->cards == 1 ? 2 : 4 * ladder->cards + 4 * gaps;
}

static struct ladder ladder_of(const pop_target *target, size_t domain)
{
    assert(domain < own_domains(target).count);
    size_t size = own_domains(target).size, left = target->num_ipus - domain * size;
    struct ladder full = ladder_of_size(target, size), own = ladder_of_size(target, left < size ? left : size);
    own.first_limit = domain * ladder_limits(&full);
    return own;
}

static size_t cross_limit(const struct ladder *ladder, size_t ipu)
{
    return ladder->first_limit + 2 * ladder->cards + ipu;
}

static size_t gap_limit(const struct ladder *ladder, size_t gap, size_t side, bool down)
{
    assert(side < 2);
    return ladder->first_limit + 4 * ladder->cards + 4 * gap + 2 * side + down;
}

static size_t first_gateway_limit(const pop_target *target)
{
    struct ladder last = ladder_of(target, own_domains(target).count - 1);
    return last.first_limit + ladder_limits(&last);
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
    struct domains domains = own_domains(target);
    return first_gateway_limit(target) + 2 * (domains.count - !domains.closed) * machines(target);
}

double pop_target_global_exchange_bandwidth(const pop_target *target, size_t constraint)
{
    if (constraint >= pop_target_num_global_exchange_constraints(target))
        return 0;
    if (listed(target))
        return target->exchange_limits.limits[constraint].bandwidth;
    if (constraint >= first_gateway_limit(target))
        return target->gateway_links * target->gateway_bandwidth;
    struct ladder first = ladder_of(target, 0), ladder = ladder_of(target, constraint / ladder_limits(&first));
    unsigned links = constraint < cross_limit(&ladder, 0)           ? target->intra_card_links
                     : constraint < gap_limit(&ladder, 0, 0, false) ? target->cross_links
                                                                    : target->ladder_links;
    return links * target->ipu_link_bandwidth;
}

/* ---- routes ---- */

/* Steps up and down from one place of a row to another; around the end of the row if it is closed to a ring. */
struct link_way {
    size_t up, down;
};

static struct link_way way_along(size_t from, size_t to, size_t count, bool closed)
{
    assert(from < count && to < count);
    struct link_way way = { to > from ? to - from : 0, from > to ? from - to : 0 };
    if (!closed || from == to)
        return way;
    size_t up = (to + count - from) % count, down = count - up;
    bool back = up == down ? from % 2 : up > down; /* of equal distances, each direction gets half of the flows */
    return back ? (struct link_way){ 0, down } : (struct link_way){ up, 0 };
}

struct visitor {
    void (*visit)(size_t limit, void *context);
    void *context;
};

/* Between places of one domain. */
static void visit_links(const struct ladder *ladder, size_t from, size_t to, const struct visitor *visitor)
{
    assert(from < ladder->ipus && to < ladder->ipus);
    size_t all = ladder->cards, card = from / 2, side = to % 2;
    if (from == to)
        return;
    if (card == to / 2) {
        visitor->visit(ladder->first_limit + from, visitor->context);
        return;
    }
    struct link_way way = way_along(card, to / 2, all, ladder->closed);
    if (from % 2 != side)
        visitor->visit(cross_limit(ladder, from), visitor->context);
    for (; way.up; --way.up, card = (card + 1) % all)
        visitor->visit(gap_limit(ladder, card, side, false), visitor->context);
    for (; way.down; --way.down, card = (card + all - 1) % all)
        visitor->visit(gap_limit(ladder, (card + all - 1) % all, side, true), visitor->context);
}

static struct link_way way_of_domains(const pop_target *target, size_t from, size_t to)
{
    struct domains domains = own_domains(target);
    return way_along(from, to, domains.count, domains.closed);
}

/* Between domains, by gateways of machines at the place. */
static void visit_gateways(const pop_target *target, size_t from, size_t to, size_t place,
                           const struct visitor *visitor)
{
    size_t all = own_domains(target).count, machine = machine_of(target, place), first = first_gateway_limit(target),
           each = machines(target);
    struct link_way way = way_of_domains(target, from, to);
    for (; way.up; --way.up, from = (from + 1) % all)
        visitor->visit(first + 2 * (from * each + machine), visitor->context);
    for (; way.down; --way.down, from = (from + all - 1) % all)
        visitor->visit(first + 2 * ((from + all - 1) % all * each + machine) + 1, visitor->context);
}

/* Calls visit for each limit that a flow uses. */
static void each_limit(const pop_target *target, uint32_t from, uint32_t to, void (*visit)(size_t limit, void *context),
                       void *context)
{
    size_t size = own_domains(target).size, source = from / size, destination = to / size,
           low = source < destination ? source : destination;
    struct ladder ladder = ladder_of(target, low);
    const struct visitor visitor = { visit, context };
    visit_links(&ladder, from % size, to % size, &visitor);
    visit_gateways(target, source, destination, (source < destination ? to : from) % size, &visitor);
}

unsigned exchange_gateways(const pop_target *target, uint32_t from, uint32_t to)
{
    if (listed(target))
        return 0;
    size_t size = own_domains(target).size;
    struct link_way way = way_of_domains(target, from / size, to / size);
    return (unsigned)(way.up + way.down);
}

unsigned exchange_farthest_gateways(const pop_target *target, unsigned ipus)
{
    struct domains domains = domains_of(target, ipus);
    return listed(target) ? 0 : (unsigned)(domains.closed ? domains.count / 2 : domains.count - 1);
}

unsigned exchange_linked(const pop_target *target, unsigned ipus)
{
    return listed(target) ? ipus : (unsigned)domains_of(target, ipus).size;
}

/* ---- flows of limits ---- */

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

/* Whether one of the first count flows of a limit matches this one. */
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
