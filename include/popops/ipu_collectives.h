/* SPDX-License-Identifier: Apache-2.0 */
/* What the IPUs of one graph do together.  Data has an outer dimension, whose index i is the part of IPU i; there is no more of them than the target has
 * (poplar_error).  Options are those of popops/collectives.h. */
#ifndef POPOPS_IPU_COLLECTIVES_H
#define POPOPS_IPU_COLLECTIVES_H

#include <poplar/graph.h>
#include <poplar/program.h>
#include <popops/operation.h>

POP_BEGIN_DECLS

#define popops_reduce_scatter(...) popops_reduce_scatter_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: data {n, m} reduced over its outer dimension.  chunks[i], one of n, is a new variable of the result's elements from i m / n to
 * (i + 1) m / n, and lies where data[i] has them.  False, and no chunks, after an error of the graph. */
POP_API bool popops_reduce_scatter_at(pop_where where, pop_graph *graph, pop_tensor data, popops_operation op, pop_program sequence, const char *name,
                                      pop_options options, pop_tensor *chunks);
#define popops_all_gather(...) popops_all_gather_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: chunks of rank 1, of which chunk i lies on IPU i, one after the other, as a new tensor {n, elements of all}: row i is IPU i's copy. */
POP_API pop_tensor popops_all_gather_at(pop_where where, pop_graph *graph, pop_tensors chunks, pop_program sequence, const char *name, pop_options options);
#define popops_all_reduce(...) popops_all_reduce_at(POP_HERE, __VA_ARGS__)
/* Both, one after the other: a new tensor of data's shape, each row of which is the result. */
POP_API pop_tensor popops_all_reduce_at(pop_where where, pop_graph *graph, pop_tensor data, popops_operation op, pop_program sequence, const char *name,
                                        pop_options options);

POP_END_DECLS
#endif
