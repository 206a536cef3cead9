/* SPDX-License-Identifier: Apache-2.0 */
#include "popops/collectives/collectives.h"

#include <popops/dynamic_slice.h>
#include <popops/element_wise.h>

static pop_tensor clone(const struct collective *c, pop_tensor t)
{
    const struct call *call = c->call;
    return pop_graph_clone(call->graph, POP_TYPE_NULL, t, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, c->path);
}

static void copy(const struct collective *c, pop_tensor from, pop_tensor to)
{
    const struct call *call = c->call;
    call_copy(call, from, to, c->path);
}

/* ---- a tree of pairs ---- */

struct pairing {
    unsigned full; /* the largest power of two not above the number of members */
    unsigned members;
    /* Of a pair, below `full`; `full` itself pairs each member beyond it with the one that represents it */
    unsigned distance;
};

static unsigned partner(const void *context, unsigned rank)
{
    const struct pairing *p = context;
    unsigned beyond = p->members - p->full;
    if (p->distance < p->full)
        return rank < p->full ? rank ^ p->distance : rank;
    return rank >= p->full ? rank - p->full : rank < beyond ? rank + p->full : rank;
}

static unsigned represents_other(const void *context, unsigned rank)
{
    const struct pairing *p = context;
    return rank < p->members - p->full;
}

static unsigned is_beyond(const void *context, unsigned rank)
{
    const struct pairing *p = context;
    return rank >= p->full;
}

static void swap(struct collective *c, const struct pairing *p, pop_tensor from, pop_tensor to)
{
    group_exchange(c, c->call->sequence, &(struct group_copy){ from, to, partner, p }, 1);
}

/* to = from in replicas where the condition holds. */
static void take_where(struct collective *c, pop_tensor condition, pop_tensor from, pop_tensor to)
{
    popops_ternary_with_output_at(c->call->where, POPOPS_TERNARY_SELECT, c->call->graph, popops_operand_of_tensor(from),
                                  popops_operand_of_tensor(to), popops_operand_of_tensor(condition), to,
                                  c->call->sequence, c->path);
}

pop_tensor tree_all_reduce(struct collective *c, pop_tensor data)
{
    struct pairing p = { .full = 1, .members = c->members };
    pop_tensor sum = clone(c, data), other = clone(c, data), both = clone(c, data);
    copy(c, data, sum);
    while (2 * p.full <= c->members)
        p.full *= 2;
    bool uneven = p.full < c->members;
    p.distance = p.full;
    if (uneven) { /* members beyond `full` send their data to their partners */
        swap(c, &p, sum, other);
        combine(c, c->call->sequence, sum, other, both);
        take_where(c, group_constant(c, represents_other, &p, POP_BOOL), both, sum);
    }
    for (p.distance = 1; p.distance < p.full; p.distance *= 2) {
        swap(c, &p, sum, other);
        combine(c, c->call->sequence, sum, other, sum);
    }
    if (uneven) {
        swap(c, &p, sum, other);
        take_where(c, group_constant(c, is_beyond, &p, POP_BOOL), other, sum);
    }
    return sum;
}

/* ---- a broadcast tree ---- */

struct spreading {
    unsigned members, root, distance;
};

static unsigned further(const void *context, unsigned rank)
{
    const struct spreading *s = context;
    return (rank + s->distance) % s->members;
}

static unsigned is_reached(const void *context, unsigned rank)
{
    const struct spreading *s = context;
    unsigned from_root = (rank + s->members - s->root) % s->members;
    return from_root >= s->distance && from_root < 2 * s->distance;
}

pop_tensor tree_broadcast(struct collective *c, pop_tensor data, unsigned root)
{
    struct spreading s = { c->members, root, 1 };
    pop_tensor own = clone(c, data), other = clone(c, data);
    copy(c, data, own);
    for (; s.distance < c->members; s.distance *= 2) {
        group_exchange(c, c->call->sequence, &(struct group_copy){ own, other, further, &s }, 1);
        take_where(c, group_constant(c, is_reached, &s, POP_BOOL), other, own);
    }
    return own;
}

/* ---- direct: each to all ---- */

static unsigned row_from(const void *context, unsigned rank)
{
    const struct spreading *s = context;
    return (rank + s->members - s->distance) % s->members;
}

/* Sends sources[distance] to the member at that distance; the received data becomes the sender's row of the result. */
static pop_tensor direct(struct collective *c, pop_type type, size_t columns, const pop_tensor *sources)
{
    const struct call *call = c->call;
    unsigned members = c->members;
    struct spreading *s = poplibs_new(members, sizeof(*s));
    struct group_copy *parts = poplibs_new(members, sizeof(*parts));
    pop_tensor all = popops_create_sliceable_tensor(call->graph, type, POP_SHAPE(members, columns), POP_DIMS(0),
                                                    POP_SHAPE(1), 0, c->path);
    for (unsigned d = 0; d < members; ++d) {
        s[d] = (struct spreading){ members, 0, d };
        pop_tensor arrives = d ? pop_graph_clone(call->graph, POP_TYPE_NULL, pop_tensor_slice(all, 0, 1, 0),
                                                 POP_CLONE_CREATE_NEW_ORDER, c->path)
                               : sources[0];
        parts[d] = (struct group_copy){ sources[d], arrives, further, &s[d] };
    }
    if (members > 1)
        group_exchange(c, call->sequence, parts + 1, members - 1);
    for (unsigned d = 0; d < members && call_ready(call); ++d)
        popops_dynamic_update(call->graph, all, parts[d].destination,
                              group_constant(c, row_from, &s[d], POP_UNSIGNED_INT), POP_DIMS(0), POP_SHAPE(1),
                              call->sequence, c->path);
    free(s);
    free(parts);
    return all;
}

pop_tensor direct_all_gather(struct collective *c, pop_tensor data)
{
    const struct call *call = c->call;
    size_t columns = pop_tensor_num_elements(data);
    pop_tensor *sources = poplibs_new(c->members, sizeof(*sources));
    for (unsigned d = 0; d < c->members; ++d)
        sources[d] = pop_tensor_reshape(data, POP_SHAPE(1, columns));
    pop_tensor all = direct(c, pop_tensor_type(data), columns, sources);
    free(sources);
    return all;
}

pop_tensor direct_all_reduce(struct collective *c, pop_tensor data)
{
    const struct call *call = c->call;
    pop_tensor all = direct_all_gather(c, data), sum = clone(c, pop_tensor_at(all, 0));
    copy(c, pop_tensor_at(all, 0), sum);
    for (unsigned i = 1; i < c->members && call_ready(call); ++i)
        combine(c, call->sequence, sum, pop_tensor_at(all, i), sum);
    return sum;
}

pop_tensor direct_all_to_all(struct collective *c, pop_tensor rows)
{
    const struct call *call = c->call;
    size_t columns = pop_tensor_dim(rows, 1);
    pop_tensor *sources = poplibs_new(c->members, sizeof(*sources));
    pop_tensor sliced = popops_create_sliceable_tensor(
        call->graph, pop_tensor_type(rows), POP_SHAPE(c->members, columns), POP_DIMS(0), POP_SHAPE(1), 0, c->path);
    copy(c, rows, sliced);
    for (unsigned d = 0; d < c->members && call_ready(call); ++d) {
        struct spreading s = { c->members, 0, d };
        sources[d] = popops_dynamic_slice(call->graph, sliced, group_constant(c, further, &s, POP_UNSIGNED_INT),
                                          POP_DIMS(0), POP_SHAPE(1), call->sequence, c->path);
    }
    pop_tensor all = call_ready(call) ? direct(c, pop_tensor_type(rows), columns, sources) : (pop_tensor){ 0 };
    free(sources);
    return all;
}

static unsigned same_rank(const void *context, unsigned rank)
{
    (void)context;
    return rank;
}

pop_tensor own_row(struct collective *c, pop_tensor rows)
{
    const struct call *call = c->call;
    pop_tensor sliced = popops_create_sliceable_tensor(call->graph, pop_tensor_type(rows),
                                                       POP_SHAPE(c->members, pop_tensor_dim(rows, 1)), POP_DIMS(0),
                                                       POP_SHAPE(1), 0, c->path);
    copy(c, rows, sliced);
    return pop_tensor_flatten(popops_dynamic_slice(call->graph, sliced,
                                                   group_constant(c, same_rank, NULL, POP_UNSIGNED_INT), POP_DIMS(0),
                                                   POP_SHAPE(1), call->sequence, c->path));
}
