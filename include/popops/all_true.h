/* SPDX-License-Identifier: Apache-2.0 */
/* Test whether all elements are true. */
#ifndef POPOPS_ALL_TRUE_H
#define POPOPS_ALL_TRUE_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define popops_all_true(...) popops_all_true_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: computes the AND of all elements of a BOOL tensor.  The result, a new BOOL of rank 0, can be the
 * predicate of an If or a RepeatWhile; it is true for a tensor without elements. */
POP_API pop_tensor popops_all_true_at(pop_where where, pop_graph *graph, pop_tensor a, pop_program sequence,
                                      const char *name);

POP_END_DECLS
#endif
