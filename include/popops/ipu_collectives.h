/* SPDX-License-Identifier: Apache-2.0 */
/* What the IPUs of one graph do together.  Data has an outer dimension, whose index i is the part of IPU i; there is no
 * more of them than the target has (poplar_error).
 *
 * Options are those of popops/collectives.h; "method" is how parts go round, step by step a copy of all IPUs: by rings
 * over direct links (0, 2, 4, ..., 5, 3, 1), of which quad_directional_ring has a second one in order of IPUs (of fewer
 * than four: bidirectional_ring_pair); tree: pairs, of all the data, where results of the two may be exchanged to the
 * bit, and only in an all-reduce (a reduce-scatter: bidirectional_ring_pair, an all-gather: broadcast); broadcast: each
 * to all in one copy, and one reduction, which adds up halves in float.  auto is what costs least. */
#ifndef POPOPS_IPU_COLLECTIVES_H
#define POPOPS_IPU_COLLECTIVES_H

#include <poplar/graph.h>
#include <poplar/program.h>
#include <popops/collectives.h>

POP_BEGIN_DECLS

#define popops_reduce_scatter(...) popops_reduce_scatter_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: data {n, m} reduced over its outer dimension.  chunks[i], one of n, is a new variable of the
 * result's elements from i m / n to (i + 1) m / n, and is mapped as data[i]'s.  False, and no chunks, after an
 * error of the graph. */
POP_API bool popops_reduce_scatter_at(pop_where where, pop_graph *graph, pop_tensor data, popops_operation op,
                                      pop_program sequence, const char *name, pop_options options, pop_tensor *chunks);
#define popops_ipu_reduce_scatter(...) popops_ipu_reduce_scatter_at(POP_HERE, __VA_ARGS__)
/* The same by the operators of collectives, MEAN and LOCAL among them. */
POP_API bool popops_ipu_reduce_scatter_at(pop_where where, pop_graph *graph, pop_tensor data,
                                          popops_collective_operator op, pop_program sequence, const char *name,
                                          pop_options options, pop_tensor *chunks);
#define popops_all_gather(...) popops_all_gather_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: chunks of rank 1, of which chunk i is on IPU i, one after the other, as a new tensor {n,
 * elements of all}: row i is IPU i's copy. */
POP_API pop_tensor popops_all_gather_at(pop_where where, pop_graph *graph, pop_tensors chunks, pop_program sequence,
                                        const char *name, pop_options options);
/* A part of gathered data: where it stands among the others. */
typedef struct popops_chunk {
    pop_tensor tensor; /* rank 1 */
    unsigned index;    /* the part's number within its run of parts */
    unsigned offset;   /* the run's number: runs stand one after the other */
} popops_chunk;
#define popops_all_gather_chunks(...) popops_all_gather_chunks_at(POP_HERE, __VA_ARGS__)
/* The same of count chunks in any order, on ipus IPUs: {ipus, elements of all}.  The result has them by offset, then by
 * index: several rings, each of which reduced a part of the data, give one run each.  Two chunks of one offset and
 * index are an error. */
POP_API pop_tensor popops_all_gather_chunks_at(pop_where where, pop_graph *graph, const popops_chunk *chunks,
                                               size_t count, size_t ipus, pop_program sequence, const char *name,
                                               pop_options options);
#define popops_all_reduce(...) popops_all_reduce_at(POP_HERE, __VA_ARGS__)
/* Both, one after the other: a new tensor of data's shape, each row of which is the result. */
POP_API pop_tensor popops_all_reduce_at(pop_where where, pop_graph *graph, pop_tensor data, popops_operation op,
                                        pop_program sequence, const char *name, pop_options options);
#define popops_ipu_all_reduce(...) popops_ipu_all_reduce_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_ipu_all_reduce_at(pop_where where, pop_graph *graph, pop_tensor data,
                                            popops_collective_operator op, pop_program sequence, const char *name,
                                            pop_options options);

POP_END_DECLS
#endif
