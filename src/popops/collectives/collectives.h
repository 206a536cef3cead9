/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives of one replica: its own data, copied. */
#ifndef POPOPS_COLLECTIVES_COLLECTIVES_H
#define POPOPS_COLLECTIVES_COLLECTIVES_H

#include <poplar/graph.h>
#include <popops/operation.h>

/* The graph is ready and has one replica, data is an operand, the options are right. */
bool popops_check_collective(pop_where where, pop_graph *graph, const char *api, pop_tensor data, pop_options options);
bool popops_check_collective_operation(pop_where where, pop_graph *graph, const char *api, popops_operation op);

#endif
