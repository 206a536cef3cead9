/* SPDX-License-Identifier: Apache-2.0 */
/* Products with the kernels that popops_spline_basis chose. */
#ifndef POPOPS_SPLINE_WEIGHTING_H
#define POPOPS_SPLINE_WEIGHTING_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define popops_spline_weighting(...) popops_spline_weighting_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: out[e][o] = sum over s of basis[e][s] x sum over c of weight[weight_index[e][s]][c][o] x
 * input[e][c]. input {E, Cin} HALF or FLOAT, weight {K, Cin, Cout} and basis {E, S} of this type, weight_index {E, S}
 * INT; an index that no kernel has adds nothing. The result {E, Cout} is new, mapped linearly; sums are in float.
 * type_error and poplar_error for tensors that do not match. */
POP_API pop_tensor popops_spline_weighting_at(pop_where where, pop_graph *graph, pop_tensor input, pop_tensor weight,
                                              pop_tensor basis, pop_tensor weight_index, pop_program sequence,
                                              const char *name);

POP_END_DECLS
#endif
