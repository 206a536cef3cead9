/* SPDX-License-Identifier: Apache-2.0 */
/* Whether some element is no number. */
#ifndef POPOPS_NAN_H
#define POPOPS_NAN_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define popops_has_nan(...) popops_has_nan_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: a new BOOL of rank 0: whether a HALF or FLOAT tensor holds a NaN; false of no elements. */
POP_API pop_tensor popops_has_nan_at(pop_where where, pop_graph *graph, pop_tensor a, pop_program sequence,
                                     const char *name);
#define popops_has_nan_or_inf(...) popops_has_nan_or_inf_at(POP_HERE, __VA_ARGS__)
/* A NaN or an infinity. */
POP_API pop_tensor popops_has_nan_or_inf_at(pop_where where, pop_graph *graph, pop_tensor a, pop_program sequence,
                                            const char *name);

POP_END_DECLS
#endif
