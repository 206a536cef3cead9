/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of replicas, what a collective works on, and the copies between members. */
#ifndef POPOPS_COLLECTIVES_GROUP_H
#define POPOPS_COLLECTIVES_GROUP_H

#include "poplibs/support.h"

#include <popops/collectives.h>

/* The places of the option's list. */
enum collective_method {
    METHOD_AUTO = 0,
    METHOD_CLOCKWISE,
    METHOD_ANTICLOCKWISE,
    METHOD_BIDIRECTIONAL,
    METHOD_MEET_IN_MIDDLE,
    METHOD_QUAD,
    METHOD_BROADCAST,
    METHOD_TREE
};

struct collective {
    pop_where where;
    pop_graph *graph;
    pop_program sequence;
    const char *path; /* debug prefix of what the call makes */
    popops_collective_operator op;
    popops_replica_group group;
    unsigned replicas, members; /* of the graph; of each group */
    enum collective_method method;
    unsigned max_broadcast; /* bytes */
};

/* The rank of a replica within its group, and the member of its group that has a rank. */
unsigned group_rank(const struct collective *c, unsigned replica);
unsigned group_member(const struct collective *c, unsigned replica, unsigned rank);

/* Cycles of a sync of the IPUs of all replicas, and bytes per cycle that members have between neighbours: over links
 * from card to card, or through gateways where one link domain does not hold a group. */
struct group_cost {
    double sync, rate;
};
struct group_cost group_cost_of(const struct collective *c);

/* A number of each replica, from its rank: a constant {1}. */
pop_tensor group_constant(const struct collective *c, unsigned (*of_rank)(const void *context, unsigned rank),
                          const void *context, pop_type type);

/* One part of an exchange: each member sends to the one whose rank a function gives; it must be a permutation. */
struct group_copy {
    pop_tensor source, destination;
    unsigned (*receiver)(const void *context, unsigned rank);
    const void *context;
};
void group_exchange(const struct collective *c, pop_program sequence, const struct group_copy *parts, size_t count);

#endif
