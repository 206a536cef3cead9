/* SPDX-License-Identifier: Apache-2.0 */
/* Basis functions of B-splines, for convolutions on graphs (SplineCNN). */
#ifndef POPOPS_SPLINE_BASIS_H
#define POPOPS_SPLINE_BASIS_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define popops_spline_basis(...) popops_spline_basis_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: for edges e with coordinates pseudo {E, D} from 0 to 1, HALF or FLOAT, and each of the
 * s = (degree + 1)^D combinations of pieces, the product of the splines' values, to basis {E, s} of pseudo's type, and
 * the kernel's index, to weight_index {E, s} INT. kernel_size {D} INT is the number of kernels in each dimension,
 * is_open_spline {D} UNSIGNED_CHAR says which splines end at the border instead of wrapping around. With piece
 * k = (p / (degree + 1)^d) mod (degree + 1) of combination p in dimension d: v = pseudo x (kernel size - degree if
 * open), index = sum of ((floor(v) + k) mod size) x product of the sizes before. degree is 1, 2 or 3. type_error and
 * poplar_error for tensors that do not match. */
POP_API void popops_spline_basis_at(pop_where where, pop_graph *graph, pop_tensor pseudo, pop_tensor kernel_size,
                                    pop_tensor is_open_spline, pop_tensor basis, pop_tensor weight_index,
                                    unsigned degree, pop_program sequence, const char *name);

POP_END_DECLS
#endif
