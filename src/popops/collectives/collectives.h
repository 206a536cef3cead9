/* SPDX-License-Identifier: Apache-2.0 */
/* Options and checks that the collectives of replicas and those of the IPUs of one graph share. */
#ifndef POPOPS_COLLECTIVES_COLLECTIVES_H
#define POPOPS_COLLECTIVES_COLLECTIVES_H

#include "popops/collectives/group.h"

#include <popops/operation.h>

struct collective_options {
    int method; /* enum collective_method */
    unsigned max_broadcast;
    bool replicated, layout;
    const char *forwarding, *syncless, *all_to_all, *implementation, *topology, *link;
    unsigned max_bytes;
};
/* Checks that the graph has no error, that data is an operand, and that the options are valid. */
bool collective_check(const struct call *call, pop_tensor data, pop_options given, struct collective_options *options);
bool collective_check_operation(const struct call *call, popops_operation op);
/* Checks, and converts the operation to an operator. */
bool collective_operator_of(const struct call *call, popops_operation op, popops_collective_operator *as);

/* The collectives; api is the name of the public function, for messages. */
pop_tensor collective_all_reduce(const struct call *call, pop_tensor data, popops_collective_operator op,
                                 popops_replica_group group);
void collective_all_reduce_to(const struct call *call, pop_tensor data, pop_tensor output,
                              popops_collective_operator op, popops_replica_group group);
pop_tensor collective_reduce_scatter(const struct call *call, pop_tensor data, popops_collective_operator op,
                                     popops_replica_group group);
pop_tensor collective_all_gather(const struct call *call, pop_tensor data, popops_replica_group group);
pop_tensor collective_all_to_all(const struct call *call, pop_tensor data, popops_replica_group group);

/* ring.c: ring methods: data is divided into as many fragments as there are members, and fragments move from member
 * to member. */

/* Reduce-scatter by one of the ring methods.  rows is a view {members, n}, whose row i is member i's fragment; the
 * result is the member's own reduced fragment {n}, in new variables. */
pop_tensor ring_reduce_scatter(struct collective *c, pop_tensor rows);
/* All-gather of the members' fragments {n}: {members, n}, in new variables. */
pop_tensor ring_all_gather(struct collective *c, pop_tensor own);

/* tree.c: collectives without rings: pairs at growing distances, and direct exchange between all members. */

/* All-reduce of data {n}: pairs at distances 1, 2, 4, ... add their data; the result is a new variable. */
pop_tensor tree_all_reduce(struct collective *c, pop_tensor data);
/* All-gather: each member sends to all others at once; {members, n}. */
pop_tensor direct_all_gather(struct collective *c, pop_tensor data);
/* All-reduce: each member gathers all data and reduces it in the order of ranks. */
pop_tensor direct_all_reduce(struct collective *c, pop_tensor data);
/* All-to-all: row i of rows {members, n} is sent to member i. */
pop_tensor direct_all_to_all(struct collective *c, pop_tensor rows);
/* The row of each member's own rank. */
pop_tensor own_row(struct collective *c, pop_tensor rows);
/* Broadcast from the member root: the number of members that have the data doubles in each step. */
pop_tensor tree_broadcast(struct collective *c, pop_tensor data, unsigned root);

/* combine.c: the operators of collectives on tensors of equal shapes. */

/* Whether the operator takes the type; records poplar_error otherwise. */
bool combine_check(const struct call *call, popops_collective_operator op, pop_type type);
/* Whether a op b and b op a are bit-identical. */
bool combine_commutes(popops_collective_operator op, pop_type type);
/* The operand of the reduction: data, or the squares of its elements. */
pop_tensor combine_prepare(const struct collective *c, pop_tensor data);
/* out = a op b; out may be a or b. */
void combine(const struct collective *c, pop_program sequence, pop_tensor a, pop_tensor b, pop_tensor out);
/* Divides the sum over all members by their number if the operator is MEAN. */
void combine_finish(const struct collective *c, pop_tensor reduced);

#endif
