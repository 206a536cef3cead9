/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of replicas, the context of a collective, and copies between members. */
#ifndef POPOPS_COLLECTIVES_GROUP_H
#define POPOPS_COLLECTIVES_GROUP_H

#include "poplibs/call.h"

#include <popops/collectives.h>

/* In the order of the option's values. */
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
    const struct call *call;
    const char *path; /* debug name prefix */
    popops_collective_operator op;
    popops_replica_group group;
    unsigned replicas, members; /* replicas of the graph, members of each group */
    enum collective_method method;
    unsigned max_broadcast; /* bytes */
};

/* The rank of a replica within its group, and the replica of a rank in the same group. */
unsigned group_rank(const struct collective *c, unsigned replica);
unsigned group_member(const struct collective *c, unsigned replica, unsigned rank);

/* The cost of communication in a group: cycles of a sync of the IPUs of all replicas, and bytes per cycle between
 * neighbouring members, over links between cards, or through gateways if a group spans several link domains. */
struct group_cost {
    double sync, rate;
};
struct group_cost group_cost_of(const struct collective *c);

/* A constant {1} whose value in each replica is a function of its rank. */
pop_tensor group_constant(const struct collective *c, unsigned (*of_rank)(const void *context, unsigned rank),
                          const void *context, pop_type type);

/* One part of an exchange: each member sends to the member whose rank receiver(rank) returns, a permutation of
 * the ranks. */
struct group_copy {
    pop_tensor source, destination;
    unsigned (*receiver)(const void *context, unsigned rank);
    const void *context;
};
void group_exchange(const struct collective *c, pop_program sequence, const struct group_copy *parts, size_t count);

#endif
