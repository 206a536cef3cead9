/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of collectives, on tensors of one shape. */
#ifndef POPOPS_COLLECTIVES_COMBINE_H
#define POPOPS_COLLECTIVES_COMBINE_H

#include "popops/collectives/group.h"

/* Whether the operator takes the type; poplar_error otherwise. */
bool combine_check(pop_where where, pop_graph *graph, const char *api, popops_collective_operator op, pop_type type);
/* Whether a op b and b op a are the same to the bit. */
bool combine_commutes(popops_collective_operator op, pop_type type);
/* What is reduced: the data, or its squares. */
pop_tensor combine_prepare(const struct collective *c, pop_tensor data);
/* out = a op b; out may be one of them. */
void combine(const struct collective *c, pop_program sequence, pop_tensor a, pop_tensor b, pop_tensor out);
/* The sum of all members becomes their mean, where that is what is asked for. */
void combine_finish(const struct collective *c, pop_tensor reduced);

#endif
