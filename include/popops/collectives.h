/* SPDX-License-Identifier: Apache-2.0 */
/* What replicas of a graph do together.  Graphs have one replica so far, for which these are copies; with more of them
 * each is a poplar_error that says so. */
#ifndef POPOPS_COLLECTIVES_H
#define POPOPS_COLLECTIVES_H

#include <poplar/graph.h>
#include <poplar/program.h>
#include <popops/operation.h>

POP_BEGIN_DECLS

#define popops_replicated_all_reduce(...) popops_replicated_all_reduce_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: a new tensor of data's shape and mapping, each element op of that element of all replicas. */
POP_API pop_tensor popops_replicated_all_reduce_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                   popops_operation op, pop_program sequence, const char *name,
                                                   pop_options options);
#define popops_replicated_all_reduce_with_output(...) popops_replicated_all_reduce_with_output_at(POP_HERE, __VA_ARGS__)
POP_API void popops_replicated_all_reduce_with_output_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                         pop_tensor output, popops_operation op, pop_program sequence,
                                                         const char *name, pop_options options);
#define popops_replicated_all_reduce_in_place(...) popops_replicated_all_reduce_in_place_at(POP_HERE, __VA_ARGS__)
POP_API void popops_replicated_all_reduce_in_place_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                      popops_operation op, pop_program sequence, const char *name,
                                                      pop_options options);
#define popops_replicated_reduce_scatter(...) popops_replicated_reduce_scatter_at(POP_HERE, __VA_ARGS__)
/* The reduction of a tensor of rank 1, of which replica r gets part r: ceil(elements / replicas) of them. */
POP_API pop_tensor popops_replicated_reduce_scatter_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                       popops_operation op, pop_program sequence, const char *name,
                                                       pop_options options);
#define popops_replicated_all_gather(...) popops_replicated_all_gather_at(POP_HERE, __VA_ARGS__)
/* The tensors of all replicas along a new outer dimension. */
POP_API pop_tensor popops_replicated_all_gather_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                   pop_program sequence, const char *name, pop_options options);
#define popops_all_to_all_personalized_exchange(...) popops_all_to_all_personalized_exchange_at(POP_HERE, __VA_ARGS__)
/* data's outer dimension is the number of replicas: slice i goes to replica i, whose slice is that of the sender. */
POP_API pop_tensor popops_all_to_all_personalized_exchange_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                              pop_program sequence, const char *name,
                                                              pop_options options);

POP_END_DECLS
#endif
