/* SPDX-License-Identifier: Apache-2.0 */
/* Ring methods on the IPUs of one graph: a step is one copy for all IPUs and, in reductions, one sum.  A lane is a part
 * of each fragment that moves in one direction; methods differ only in their lanes. */
#include "popops/collectives/ipu_rings.h"
#include "popops/collectives/collectives.h"

#include "poplibs/copies.h"

#include <assert.h>
#include <math.h>

/* ---- costs ---- */

/* Estimates of the tiles' cycles for the exchange and sum of a step; more if all parts arrive at once. */
enum { STEP_CYCLES = 300, DIRECT_CYCLES = 600 };

/* Cycles of some syncs, and of bytes over the busiest pair of links between two cards.  The two IPUs of a card have
 * twice as many links. */
static double cycles_of(const struct collective *c, unsigned steps, double bytes)
{
    struct group_cost cost = group_cost_of(c);
    return steps * (cost.sync + STEP_CYCLES) + bytes / cost.rate;
}

static unsigned paired_of(unsigned members)
{
    unsigned paired = 1;
    while (2 * paired <= members)
        paired *= 2;
    return paired;
}

/* Pairs at distances 1, 2, 4, ...; members beyond the power of two pair with one of the others before and after.  Each
 * step moves all of the data. */
static double tree_cycles(const struct collective *c, double bytes)
{
    unsigned paired = paired_of(c->members), rest = c->members - paired, steps = rest ? 2 : 0;
    for (unsigned distance = 1; distance < paired; distance *= 2)
        ++steps;
    return cycles_of(c, steps, bytes * (paired / 2.0 - 0.5 + rest));
}

enum collective_method ipu_method(const struct collective *c, enum ipu_pass pass, size_t bytes, bool commutes)
{
    unsigned n = c->members, passes = pass == IPU_ALL_REDUCE ? 2 : 1;
    bool tree = pass == IPU_ALL_REDUCE && commutes;
    if (n < 2)
        return METHOD_BROADCAST;
    if (c->method == METHOD_TREE && !tree)
        return pass == IPU_ALL_GATHER ? METHOD_BROADCAST : METHOD_BIDIRECTIONAL;
    if (c->method == METHOD_QUAD && n < 4)
        return METHOD_BIDIRECTIONAL;
    if (c->method != METHOD_AUTO)
        return c->method;
    double each = passes * (double)bytes / n, /* each to all: n^2 / 8 have their shortest path over one gap */
        min = cycles_of(c, passes, each * n * n / 8) + passes * (double)DIRECT_CYCLES;
    enum collective_method best = METHOD_BROADCAST;
    const struct {
        enum collective_method method;
        double cycles;
    } others[] = { { METHOD_BIDIRECTIONAL, cycles_of(c, passes * (n - 1), each * (n - 1) / 2) },
                   { METHOD_MEET_IN_MIDDLE, cycles_of(c, passes * (n / 2), each * (n > 2 ? n / 2 : 0.5)) },
                   { METHOD_TREE, tree ? tree_cycles(c, (double)bytes) : INFINITY } };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); ++i)
        if (others[i].cycles < min) {
            min = others[i].cycles;
            best = others[i].method;
        }
    return best;
}

/* ---- lanes ---- */

enum { MAX_LANES = 4 };
struct ipu_lane {
    int direction;
    unsigned from, to, parts; /* the parts [from, to) of `parts` equal parts of a fragment */
    unsigned steps;
    bool numeric; /* the ring 0, 1, 2, ...; else the ring of direct links: 0, 2, 4, ..., 5, 3, 1 */
    bool meets;   /* another lane brings the same part from the other side, and adds the last IPU's own data */
};
struct ipu_lanes {
    struct ipu_lane list[MAX_LANES];
    unsigned count, steps;
};

static struct ipu_lanes lanes_of(const struct collective *c)
{
    unsigned around = c->members - 1;
    struct ipu_lanes lanes = { { { 0 } }, 1, around };
    struct ipu_lane *l = lanes.list;
    switch (c->method) {
    case METHOD_ANTICLOCKWISE:
        l[0] = (struct ipu_lane){ -1, 0, 1, 1, around, false, false };
        break;
    case METHOD_MEET_IN_MIDDLE:
        l[0] = (struct ipu_lane){ 1, 0, 1, 1, c->members / 2, false, false };
        l[1] = (struct ipu_lane){ -1, 0, 1, 1, around / 2, false, true };
        lanes.count = around / 2 ? 2 : 1;
        lanes.steps = c->members / 2;
        break;
    case METHOD_BIDIRECTIONAL:
    case METHOD_QUAD:
        lanes.count = c->method == METHOD_QUAD ? 4 : 2;
        for (unsigned i = 0; i < lanes.count; ++i)
            l[i] = (struct ipu_lane){ i % 2 ? -1 : 1, i, i + 1, lanes.count, around, i > 1, false };
        break;
    default:
        l[0] = (struct ipu_lane){ 1, 0, 1, 1, around, false, false };
    }
    assert(lanes.count && lanes.count <= MAX_LANES && lanes.list[0].steps == lanes.steps);
    return lanes;
}

/* The IPU that follows another by `steps` in a lane's ring. */
static unsigned further(const struct collective *c, const struct ipu_lane *lane, unsigned ipu, unsigned steps)
{
    assert(ipu < c->members);
    unsigned n = c->members, at = lane->numeric ? ipu : ipu % 2 ? n - 1 - ipu / 2 : ipu / 2;
    at = (at + (lane->direction > 0 ? steps : n - steps % n)) % n;
    return lane->numeric ? at : at < (n + 1) / 2 ? 2 * at : 2 * (n - 1 - at) + 1;
}
static unsigned before(const struct collective *c, const struct ipu_lane *lane, unsigned ipu, unsigned steps)
{
    return further(c, lane, ipu, c->members - steps % c->members);
}

/* A lane's elements of a fragment [first, last). */
static pop_tensor part_of(const struct collective *c, const struct ipu_lane *lane, pop_tensor row, size_t first,
                          size_t last)
{
    const struct call *call = c->call;
    assert(first <= last && lane->from < lane->to && lane->to <= lane->parts);
    size_t length = last - first;
    return pop_tensor_slice(row, first + length * lane->from / lane->parts, first + length * lane->to / lane->parts, 0);
}

/* ---- reduce-scatter ---- */

struct ring_scatter {
    const struct collective *c;
    pop_tensor data;
    struct ipu_lanes lanes;
    pop_tensor *partial;               /* by lane and fragment: the reduction so far */
    struct poplibs_copies moves, sums; /* of one step */
};

static pop_tensor own_part(const struct ring_scatter *s, const struct ipu_lane *lane, unsigned ipu, unsigned fragment)
{
    const struct call *call = s->c->call;
    size_t elements = pop_tensor_dim(s->data, 1), n = s->c->members;
    return part_of(s->c, lane, pop_tensor_at(s->data, ipu), fragment * elements / n, (fragment + 1) * elements / n);
}

static pop_tensor near(const struct collective *c, pop_tensor t)
{
    const struct call *call = c->call;
    return pop_graph_clone(call->graph, POP_TYPE_NULL, t, POP_CLONE_CREATE_NEW_ORDER, c->path);
}

/* Moves a fragment's part to the next IPU, where that IPU's own part is added. */
static void move_on(struct ring_scatter *s, unsigned at, unsigned fragment, unsigned step)
{
    const struct ipu_lane *lane = &s->lanes.list[at];
    pop_tensor *partial = &s->partial[at * s->c->members + fragment];
    unsigned left = lane->steps - step - 1, ipu = before(s->c, lane, fragment, left);
    pop_tensor own = own_part(s, lane, ipu, fragment);
    if (!pop_tensor_num_elements(own))
        return;
    pop_tensor arrived = near(s->c, own);
    poplibs_copies_add(&s->moves, *partial, arrived);
    if (left || !lane->meets)
        poplibs_copies_add(&s->sums, own, arrived);
    *partial = arrived;
}

static void add_sums(const struct collective *c, struct poplibs_copies *sums)
{
    const struct call *call = c->call;
    if (call_ready(call) && sums->from.count) {
        pop_tensor into = call_joined(call, &sums->to);
        combine(c, call->sequence, into, call_joined(call, &sums->from), into);
    }
    poplibs_copies_free(sums);
}

static void scatter_step(struct ring_scatter *s, unsigned step)
{
    s->moves = s->sums = (struct poplibs_copies){ 0 };
    for (unsigned at = 0; at < s->lanes.count; ++at)
        for (unsigned fragment = 0; fragment < s->c->members && step < s->lanes.list[at].steps; ++fragment)
            move_on(s, at, fragment, step);
    call_copies(s->c->call, &s->moves, s->c->call->sequence, s->c->path);
    add_sums(s->c, &s->sums);
}

/* Adds the partial results of two lanes that meet. */
static void meet(struct ring_scatter *s)
{
    unsigned n = s->c->members;
    if (s->lanes.count < 2 || !s->lanes.list[1].meets)
        return;
    s->sums = (struct poplibs_copies){ 0 };
    for (unsigned fragment = 0; fragment < n; ++fragment)
        if (pop_tensor_num_elements(s->partial[fragment]))
            poplibs_copies_add(&s->sums, s->partial[n + fragment], s->partial[fragment]);
    add_sums(s->c, &s->sums);
}

void ipu_ring_reduce_scatter(const struct collective *c, pop_tensor data, pop_tensor *chunks)
{
    const struct call *call = c->call;
    unsigned n = c->members;
    struct ring_scatter s = { .c = c, .data = combine_prepare(c, data), .lanes = lanes_of(c) };
    s.partial = poplibs_new((size_t)MAX_LANES * n, sizeof(*s.partial));
    for (unsigned at = 0; at < s.lanes.count; ++at)
        for (unsigned fragment = 0; fragment < n; ++fragment) {
            const struct ipu_lane *lane = &s.lanes.list[at];
            s.partial[at * n + fragment] = own_part(&s, lane, before(c, lane, fragment, lane->steps), fragment);
        }
    for (unsigned step = 0; step < s.lanes.steps && call_ready(call); ++step)
        scatter_step(&s, step);
    meet(&s);
    for (unsigned fragment = 0; fragment < n && call_ready(call); ++fragment) {
        pop_tensor parts[MAX_LANES];
        size_t count = 0;
        for (unsigned at = 0; at < s.lanes.count; ++at)
            if (!s.lanes.list[at].meets)
                parts[count++] = s.partial[at * n + fragment];
        chunks[fragment] = pop_tensor_concat((pop_tensors){ count, parts }, 0);
    }
    free(s.partial);
}

/* ---- all-gather ---- */

void ipu_ring_all_gather(const struct collective *c, const pop_tensor *chunks, const unsigned *home, size_t count,
                         const pop_tensor *rows)
{
    struct ipu_lanes lanes = lanes_of(c);
    for (unsigned step = 0; step < lanes.steps && call_ready(c->call); ++step) {
        struct poplibs_copies copies = { 0 };
        for (size_t i = 0; i < count; ++i) {
            size_t elements = pop_tensor_num_elements(chunks[i]);
            if (!step)
                poplibs_copies_add(&copies, chunks[i], rows[home[i] * count + i]);
            for (unsigned at = 0; at < lanes.count && elements; ++at) {
                const struct ipu_lane *lane = &lanes.list[at];
                if (step >= lane->steps)
                    continue;
                unsigned from = further(c, lane, home[i], step), to = further(c, lane, home[i], step + 1);
                poplibs_copies_add(&copies, part_of(c, lane, step ? rows[from * count + i] : chunks[i], 0, elements),
                                   part_of(c, lane, rows[to * count + i], 0, elements));
            }
        }
        call_copies(c->call, &copies, c->call->sequence, c->path);
    }
}

/* ---- tree ---- */

/* Sends row `from[i]` to row i and adds it there, for all i with a sender; new[i] are the sums. */
static void exchange_pairs(const struct collective *c, pop_tensor *rows, const unsigned *from, bool add)
{
    unsigned n = c->members;
    struct poplibs_copies moves = { 0 }, sums = { 0 };
    pop_tensor *next = poplibs_new(n, sizeof(*next));
    for (unsigned i = 0; i < n; ++i) {
        next[i] = rows[i];
        if (from[i] == i)
            continue;
        next[i] = near(c, rows[i]);
        poplibs_copies_add(&moves, rows[from[i]], next[i]);
        if (add)
            poplibs_copies_add(&sums, rows[i], next[i]);
    }
    call_copies(c->call, &moves, c->call->sequence, c->path);
    add_sums(c, &sums);
    memcpy(rows, next, n * sizeof(*rows));
    free(next);
}

pop_tensor ipu_tree_all_reduce(const struct collective *c, pop_tensor data)
{
    const struct call *call = c->call;
    unsigned n = c->members, paired = paired_of(n);
    pop_tensor *rows = poplibs_new(n, sizeof(*rows));
    unsigned *from = poplibs_new(n, sizeof(*from));
    data = combine_prepare(c, data);
    for (unsigned i = 0; i < n; ++i) {
        rows[i] = pop_tensor_at(data, i);
        from[i] = i + paired < n ? i + paired : i;
    }
    if (paired < n)
        exchange_pairs(c, rows, from, true);
    for (unsigned distance = 1; distance < paired && call_ready(call); distance *= 2) {
        for (unsigned i = 0; i < n; ++i)
            from[i] = i < paired ? i ^ distance : i;
        exchange_pairs(c, rows, from, true);
    }
    for (unsigned i = 0; i < n; ++i)
        from[i] = i < paired ? i : i - paired;
    if (paired < n)
        exchange_pairs(c, rows, from, false);
    for (unsigned i = 0; i < n && call_ready(call); ++i)
        rows[i] = pop_tensor_expand(rows[i], POP_DIMS(0));
    pop_tensor all = pop_tensor_concat((pop_tensors){ n, rows }, 0);
    free(from);
    free(rows);
    return all;
}
