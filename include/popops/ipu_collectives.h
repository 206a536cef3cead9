/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives of the IPUs of one graph.  Data has an outermost dimension, whose row i is the part of IPU i; it has at
 * most as many rows as the target has IPUs (poplar_error).
 *
 * Options are those of popops/collectives.h.  "method"; each step is one copy for all IPUs:
 *   - rings over direct links (0, 2, 4, ..., 5, 3, 1); quad_directional_ring adds a second ring in the order of the
 *     IPUs (with fewer than four IPUs as bidirectional_ring_pair);
 *   - tree: exchanges of all data between pairs, for an all-reduce with an operator whose operands may be exchanged
 *     without changing the result's bits (reduce-scatter uses bidirectional_ring_pair instead, all-gather broadcast);
 *   - broadcast: each IPU sends to all in one copy, then one reduction, which sums HALF in float;
 *   - auto: the method of least cost. */
#ifndef POPOPS_IPU_COLLECTIVES_H
#define POPOPS_IPU_COLLECTIVES_H

#include <poplar/graph.h>
#include <poplar/program.h>
#include <popops/collectives.h>

POP_BEGIN_DECLS

#define popops_reduce_scatter(...) popops_reduce_scatter_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: reduces data {n, m} over its outermost dimension.  chunks[i], one of n, receives a new variable
 * with elements i m / n to (i + 1) m / n of the result, mapped like those of data[i].  False, and null chunks, after an
 * error of the graph. */
POP_API bool popops_reduce_scatter_at(pop_where where, pop_graph *graph, pop_tensor data, popops_operation op,
                                      pop_program sequence, const char *name, pop_options options, pop_tensor *chunks);
#define popops_ipu_reduce_scatter(...) popops_ipu_reduce_scatter_at(POP_HERE, __VA_ARGS__)
/* Reduce-scatter with the operators of collectives, which include MEAN and LOCAL. */
POP_API bool popops_ipu_reduce_scatter_at(pop_where where, pop_graph *graph, pop_tensor data,
                                          popops_collective_operator op, pop_program sequence, const char *name,
                                          pop_options options, pop_tensor *chunks);
#define popops_all_gather(...) popops_all_gather_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: concatenates chunks of rank 1, of which chunk i is on IPU i, into a new tensor {n, elements of
 * all chunks}: row i is IPU i's copy. */
POP_API pop_tensor popops_all_gather_at(pop_where where, pop_graph *graph, pop_tensors chunks, pop_program sequence,
                                        const char *name, pop_options options);
/* A part of gathered data and its position among the others. */
typedef struct popops_chunk {
    pop_tensor tensor; /* rank 1 */
    unsigned index;    /* the part's index within its run */
    unsigned offset;   /* the run's index: runs are concatenated */
} popops_chunk;
#define popops_all_gather_chunks(...) popops_all_gather_chunks_at(POP_HERE, __VA_ARGS__)
/* All-gather of count chunks in any order, on ipus IPUs: {ipus, elements of all chunks}. The result is ordered by
 * offset, then by index; several rings, each of which reduced a part of the data, give one run each. Two chunks with
 * equal offset and index are an error. */
POP_API pop_tensor popops_all_gather_chunks_at(pop_where where, pop_graph *graph, const popops_chunk *chunks,
                                               size_t count, size_t ipus, pop_program sequence, const char *name,
                                               pop_options options);
#define popops_all_reduce(...) popops_all_reduce_at(POP_HERE, __VA_ARGS__)
/* Reduce-scatter and all-gather: a new tensor of data's shape, each row of which is the result. */
POP_API pop_tensor popops_all_reduce_at(pop_where where, pop_graph *graph, pop_tensor data, popops_operation op,
                                        pop_program sequence, const char *name, pop_options options);
#define popops_ipu_all_reduce(...) popops_ipu_all_reduce_at(POP_HERE, __VA_ARGS__)
/* All-reduce with the operators of collectives. */
POP_API pop_tensor popops_ipu_all_reduce_at(pop_where where, pop_graph *graph, pop_tensor data,
                                            popops_collective_operator op, pop_program sequence, const char *name,
                                            pop_options options);

POP_END_DECLS
#endif
