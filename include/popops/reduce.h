/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions over any dimensions of a tensor, in stages: each tile reduces its own elements, then tiles exchange the
 * partial results (docs/reference/reductions.md).
 *
 * Types: ADD, MUL, SQUARE_ADD take HALF, FLOAT, INT, UNSIGNED_INT; MIN and MAX too, and they ignore NaN; LOG_ADD takes
 * HALF and FLOAT; LOGICAL_AND and LOGICAL_OR take BOOL.  The result has the input's type; for ADD, MUL, SQUARE_ADD and
 * LOG_ADD it may also be FLOAT for an input of HALF, and HALF for one of FLOAT.  HALF is accumulated in float.  A
 * reduction over dimensions of extent 0 gives the operation's neutral value (an update leaves the output unchanged).
 *
 * Options: "accumType.inVertex" and "accumType.interTile" ("float" or "half"; default "float"): the type of partial
 * results of HALF inputs, on a tile and between tiles. */
#ifndef POPOPS_REDUCE_H
#define POPOPS_REDUCE_H

#include <poplar/graph.h>
#include <poplar/program.h>
#include <popops/operation.h>

/* The kind of a reduction: out = scale * op(in), or with update out += scale * op(in).  scale is a FLOAT tensor of one
 * element, or null: 1.  Only ADD, SQUARE_ADD and LOG_ADD take scale and update; for LOG_ADD the scale is a logarithm,
 * which is added. */
typedef struct popops_reduce_params {
    popops_operation op; /* the operation */
    bool update;         /* true: the result is added to the output */
    pop_tensor scale;    /* factor of the result; FLOAT, one element; null: 1 */
} popops_reduce_params;

/* Compute sets that several reductions share: the first stages are in the first set, and so on; sets that are missing
 * are appended.  Copied by value; {0} has no sets yet. */
enum { POPOPS_MAX_REDUCE_SETS = 16 };
/* Compute sets, in the order in which they are to be executed. */
typedef struct popops_compute_sets {
    size_t count;                                 /* number of sets */
    pop_compute_set list[POPOPS_MAX_REDUCE_SETS]; /* the sets */
} popops_compute_sets;

/* One reduction of popops_reduce_many; out_type POP_TYPE_NULL means the input's type. */
typedef struct popops_single_reduce {
    pop_tensor in;               /* what is reduced */
    pop_dims dims;               /* over which dimensions */
    popops_reduce_params params; /* how */
    pop_type out_type;           /* type of the result */
    const char *name;            /* debug name; may be NULL */
} popops_single_reduce;

POP_BEGIN_DECLS

#define popops_reduce(...) popops_reduce_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: reduces in over dims (in any order, each at most once).  The result, a new variable, has the
 * other dims in their order; out_type POP_TYPE_NULL means in's type.  An update needs an existing output: poplar_error
 * here. */
POP_API pop_tensor popops_reduce_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type out_type, pop_dims dims,
                                    popops_reduce_params params, pop_program sequence, const char *name,
                                    pop_options options);
#define popops_reduce_with_output(...) popops_reduce_with_output_at(POP_HERE, __VA_ARGS__)
/* Reduces as popops_reduce; the result is written to out, which has the result's shape, is mapped and shares no
 * elements with in. */
POP_API void popops_reduce_with_output_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor out,
                                          pop_dims dims, popops_reduce_params params, pop_program sequence,
                                          const char *name, pop_options options);
#define popops_reduce_in(...) popops_reduce_in_at(POP_HERE, __VA_ARGS__)
/* Both as compute sets, which the caller executes in order; several reductions can share them. */
POP_API pop_tensor popops_reduce_in_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type out_type,
                                       pop_dims dims, popops_reduce_params params, popops_compute_sets *sets,
                                       const char *name, pop_options options);
/* As popops_reduce_with_output, as compute sets that the caller executes in order. */
#define popops_reduce_with_output_in(...) popops_reduce_with_output_in_at(POP_HERE, __VA_ARGS__)
POP_API void popops_reduce_with_output_in_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor out,
                                             pop_dims dims, popops_reduce_params params, popops_compute_sets *sets,
                                             const char *name, pop_options options);
#define popops_reduce_many(...) popops_reduce_many_at(POP_HERE, __VA_ARGS__)
/* Several reductions in shared compute sets.  outputs has an entry for each; a null tensor is replaced by a new
 * variable. */
POP_API void popops_reduce_many_at(pop_where where, pop_graph *graph, const popops_single_reduce *reductions,
                                   size_t count, pop_tensor *outputs, pop_program sequence, const char *name,
                                   pop_options options);

POP_END_DECLS
#endif
