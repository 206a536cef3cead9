/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of collectives on tensors of equal shapes. */
#ifndef POPOPS_COLLECTIVES_COMBINE_H
#define POPOPS_COLLECTIVES_COMBINE_H

#include "popops/collectives/group.h"

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
