/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for NaN and infinity. */
#ifndef POPOPS_NAN_H
#define POPOPS_NAN_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define popops_has_nan(...) popops_has_nan_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: tests whether a HALF or FLOAT tensor holds a NaN.  The result is a new BOOL of rank 0; false for
 * a tensor without elements. */
POP_API pop_tensor popops_has_nan_at(pop_where where, pop_graph *graph, pop_tensor a, pop_program sequence,
                                     const char *name);
#define popops_has_nan_or_inf(...) popops_has_nan_or_inf_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: tests for NaN or infinity, as popops_has_nan. */
POP_API pop_tensor popops_has_nan_or_inf_at(pop_where where, pop_graph *graph, pop_tensor a, pop_program sequence,
                                            const char *name);

POP_END_DECLS
#endif
