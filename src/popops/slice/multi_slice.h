/* SPDX-License-Identifier: Apache-2.0 */
/* Multi-slices: slices of one element of one dimension are rows of a matrix, and are treated at once; others one after
 * the other in a loop. */
#ifndef POPOPS_SLICE_MULTI_SLICE_H
#define POPOPS_SLICE_MULTI_SLICE_H

#include "popops/slice/slicing.h"

/* Adds what ends the run where component i of an offset {n, dims}, of UNSIGNED_INT, is not below allowed.dims[i]. */
void popops_add_offset_check(pop_where where, pop_graph *graph, const char *api, const char *name, pop_tensor offsets,
                             pop_dims dims, pop_shape allowed, pop_program sequence);

#endif
