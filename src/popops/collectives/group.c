/* SPDX-License-Identifier: Apache-2.0 */
#include "popops/collectives/group.h"

#include <assert.h>

static unsigned stride_of(const struct collective *c)
{
    return c->group.stride ? c->group.stride : 1;
}

unsigned group_rank(const struct collective *c, unsigned replica)
{
    assert(c->members && replica < c->replicas);
    if (c->group.type == POPOPS_GROUP_CONSECUTIVE)
        return replica % (c->members * stride_of(c)) / stride_of(c);
    if (c->group.type == POPOPS_GROUP_ORTHOGONAL)
        return replica / (c->replicas / c->members);
    return replica;
}

unsigned group_member(const struct collective *c, unsigned replica, unsigned rank)
{
    assert(c->members && replica < c->replicas && rank < c->members);
    unsigned stride = stride_of(c), block = c->members * stride, groups = c->replicas / c->members;
    if (c->group.type == POPOPS_GROUP_CONSECUTIVE)
        return replica / block * block + replica % stride + rank * stride;
    if (c->group.type == POPOPS_GROUP_ORTHOGONAL)
        return replica % groups + rank * groups;
    return rank;
}

struct group_cost group_cost_of(const struct collective *c)
{
    pop_target all = *pop_graph_target(c->call->graph); /* the target of one replica */
    unsigned replicas = pop_graph_replication_factor(c->call->graph), block = all.num_ipus,
             linked = pop_target_ipu_link_domain_size(&all);
    if (replicas > 1)
        block *= c->group.type == POPOPS_GROUP_CONSECUTIVE ? c->members * stride_of(c) : replicas;
    all.num_ipus *= replicas;
    double bits = all.ladder_links * all.ipu_link_bandwidth, between = all.gateway_links * all.gateway_bandwidth;
    if (block > linked && all.ipu_link_domain_size && between < bits)
        bits = between;
    return (struct group_cost){ (double)pop_target_sync_cycles(&all, all.num_ipus),
                                bits / 8 / all.tile_clock_frequency };
}

pop_tensor group_constant(const struct collective *c, unsigned (*of_rank)(const void *context, unsigned rank),
                          const void *context, pop_type type)
{
    const struct call *call = c->call;
    unsigned *values = poplibs_new(c->replicas, sizeof(*values));
    for (unsigned r = 0; r < c->replicas; ++r)
        values[r] = of_rank(context, group_rank(c, r));
    pop_tensor t = pop_graph_add_replica_constant(call->graph, type, POP_SHAPE(1), POP_UNSIGNED_INT, values, c->path);
    free(values);
    pop_graph_set_tile_mapping(call->graph, t, 0);
    return t;
}

void group_exchange(const struct collective *c, pop_program sequence, const struct group_copy *parts, size_t count)
{
    const struct call *call = c->call;
    pop_replica_pair *pairs = poplibs_new(count * c->replicas, sizeof(*pairs));
    pop_cross_copy *copies = poplibs_new(count, sizeof(*copies));
    for (size_t i = 0; i < count; ++i) {
        pop_replica_pair *own = pairs + i * c->replicas;
        for (unsigned r = 0; r < c->replicas; ++r)
            own[r] = (pop_replica_pair){ r, group_member(c, r, parts[i].receiver(parts[i].context, group_rank(c, r))) };
        copies[i] = (pop_cross_copy){ parts[i].source, parts[i].destination, own, c->replicas };
    }
    if (call_ready(call))
        pop_sequence_add(sequence, pop_cross_replica_copies(copies, count, c->path));
    free(pairs);
    free(copies);
}
