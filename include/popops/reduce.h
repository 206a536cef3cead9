/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions over any dimensions of a tensor, by stages: each tile reduces what it holds, then tiles exchange what is
 * left.
 *
 * Types: ADD, MUL, SQUARE_ADD take HALF, FLOAT, INT, UNSIGNED_INT; MIN and MAX these too, and pass NaN over; LOG_ADD
 * HALF and FLOAT; LOGICAL_AND and LOGICAL_OR BOOL. The result has the input's type, but that of HALF may be FLOAT, and
 * the other way round, for ADD, MUL, SQUARE_ADD and LOG_ADD.  HALF is accumulated in float.  Dimensions of extent 0
 * that are reduced leave the operation's neutral value (and what was there, for an update).
 *
 * Options: "accumType.inVertex" and "accumType.interTile", the type of partial results of HALF inputs ("float", the
 * default, or "half"), on a tile and between tiles. */
#ifndef POPOPS_REDUCE_H
#define POPOPS_REDUCE_H

#include <poplar/graph.h>
#include <poplar/program.h>
#include <popops/operation.h>

/* What is done: out = scale * op(in), or with update out += scale * op(in).  scale is a FLOAT tensor of one element, or
 * null: 1.  Scale and update go with ADD, SQUARE_ADD and LOG_ADD alone; with LOG_ADD the scale is a logarithm that is
 * added. */
typedef struct popops_reduce_params {
    popops_operation op;
    bool update;
    pop_tensor scale;
} popops_reduce_params;

/* Compute sets that reductions share: each reduction puts its first stage into the first one, and so on, and adds what
 * is missing at the end. A value; {0} is none yet. */
enum { POPOPS_MAX_REDUCE_SETS = 16 };
typedef struct popops_compute_sets {
    size_t count;
    pop_compute_set list[POPOPS_MAX_REDUCE_SETS];
} popops_compute_sets;

/* One of several reductions of popops_reduce_many; out_type POP_TYPE_NULL is the input's. */
typedef struct popops_single_reduce {
    pop_tensor in;
    pop_dims dims;
    popops_reduce_params params;
    pop_type out_type;
    const char *name;
} popops_single_reduce;

POP_BEGIN_DECLS

#define popops_reduce(...) popops_reduce_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: in reduced over dims (in any order, each once).  The result, a new variable, has the other dims
 * in their order; out_type POP_TYPE_NULL is in's.  An update needs a given output: poplar_error here. */
POP_API pop_tensor popops_reduce_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type out_type, pop_dims dims,
                                    popops_reduce_params params, pop_program sequence, const char *name,
                                    pop_options options);
#define popops_reduce_with_output(...) popops_reduce_with_output_at(POP_HERE, __VA_ARGS__)
/* The same into a tensor of that shape, which is mapped and has no elements of in. */
POP_API void popops_reduce_with_output_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor out,
                                          pop_dims dims, popops_reduce_params params, pop_program sequence,
                                          const char *name, pop_options options);
#define popops_reduce_in(...) popops_reduce_in_at(POP_HERE, __VA_ARGS__)
/* Both as compute sets, which the caller executes in their order; several reductions can share them. */
POP_API pop_tensor popops_reduce_in_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type out_type,
                                       pop_dims dims, popops_reduce_params params, popops_compute_sets *sets,
                                       const char *name, pop_options options);
#define popops_reduce_with_output_in(...) popops_reduce_with_output_in_at(POP_HERE, __VA_ARGS__)
POP_API void popops_reduce_with_output_in_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor out,
                                             pop_dims dims, popops_reduce_params params, popops_compute_sets *sets,
                                             const char *name, pop_options options);
#define popops_reduce_many(...) popops_reduce_many_at(POP_HERE, __VA_ARGS__)
/* Several reductions in shared compute sets.  outputs has an entry for each: a null tensor is replaced by a new
 * variable. */
POP_API void popops_reduce_many_at(pop_where where, pop_graph *graph, const popops_single_reduce *reductions,
                                   size_t count, pop_tensor *outputs, pop_program sequence, const char *name,
                                   pop_options options);

POP_END_DECLS
#endif
