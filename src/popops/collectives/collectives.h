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
bool popops_check_collective(const struct call *call, pop_tensor data, pop_options given,
                             struct collective_options *options);
bool popops_check_collective_operation(const struct call *call, popops_operation op);
/* Checks, and converts the operation to an operator. */
bool popops_collective_operator_of(const struct call *call, popops_operation op, popops_collective_operator *as);

/* The collectives; api is the name of the public function, for messages. */
pop_tensor collective_all_reduce(const struct call *call, pop_tensor data, popops_collective_operator op,
                                 popops_replica_group group);
void collective_all_reduce_to(const struct call *call, pop_tensor data, pop_tensor output,
                              popops_collective_operator op, popops_replica_group group);
pop_tensor collective_reduce_scatter(const struct call *call, pop_tensor data, popops_collective_operator op,
                                     popops_replica_group group);
pop_tensor collective_all_gather(const struct call *call, pop_tensor data, popops_replica_group group);
pop_tensor collective_all_to_all(const struct call *call, pop_tensor data, popops_replica_group group);

#endif
