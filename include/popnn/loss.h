/* SPDX-License-Identifier: Apache-2.0 */
/* Losses with their gradients, accuracy, and the largest elements of rows.
 *
 * Outputs of a model are HALF or FLOAT {batch, classes}; labels INT or UNSIGNED_INT {batch}, the correct class of each
 * row.  A label of 0xffffffff (-1) is masked: its row has zero loss and gradient and never counts as correct.  Errors
 * are recorded in the graph with the caller's line: poplar_error for shapes and ranks, type_error for types. */
#ifndef POPNN_LOSS_H
#define POPNN_LOSS_H

#include <poplar/graph.h>
#include <poplar/program.h>

/* Loss functions of probabilities p. */
typedef enum popnn_loss_type {
    POPNN_SUM_SQUARED_LOSS =
        0, /* half the sum of the squares of p - e, where e is 1 for the correct class and 0 for others */
    POPNN_CROSS_ENTROPY_LOSS /* -log(p + eps) of the correct class; p are probabilities, as from a softmax; eps is 2^-24
                                for HALF, 2^-126 for FLOAT */
} popnn_loss_type;

/* The largest (or smallest) element of each row and its index. */
typedef struct popnn_extreme {
    pop_tensor value; /* {rows}, of the input's type; for HALF a cast of popops */
    pop_tensor index; /* {rows}, UNSIGNED_INT */
} popnn_extreme;

POP_BEGIN_DECLS

#define popnn_calc_loss(...) popnn_calc_loss_at(POP_HERE, __VA_ARGS__)
/* Returns a program that writes loss {batch} and deltas {batch, classes}, both of the outputs' type. deltas is p -
 * e: the gradient with respect to p for the sum of squares, to the softmax's input for cross entropy. */
POP_API pop_program popnn_calc_loss_at(pop_where where, pop_graph *graph, pop_tensor model_outputs, pop_tensor expected,
                                       pop_tensor loss, pop_tensor deltas, popnn_loss_type type, const char *name);
#define popnn_calc_loss_scaled(...) popnn_calc_loss_scaled_at(POP_HERE, __VA_ARGS__)
/* popnn_calc_loss for outputs that are model_output_scaling times p; multiplies deltas by deltas_scale. Both are
 * scalars of the outputs' type, or null for 1; only cross entropy supports them. */
POP_API pop_program popnn_calc_loss_scaled_at(pop_where where, pop_graph *graph, pop_tensor model_outputs,
                                              pop_tensor expected, pop_tensor loss, pop_tensor deltas,
                                              pop_tensor deltas_scale, pop_tensor model_output_scaling,
                                              popnn_loss_type type, const char *name);
#define popnn_calc_loss_and_accuracy(...) popnn_calc_loss_and_accuracy_at(POP_HERE, __VA_ARGS__)
/* popnn_calc_loss; adds the number of rows whose largest output is that of the label to num_correct, one UNSIGNED_INT.
 * Set it to 0 before the first batch. */
POP_API pop_program popnn_calc_loss_and_accuracy_at(pop_where where, pop_graph *graph, pop_tensor model_outputs,
                                                    pop_tensor expected, pop_tensor loss, pop_tensor deltas,
                                                    pop_tensor num_correct, popnn_loss_type type, const char *name);
/* popnn_calc_loss_scaled and popnn_calc_loss_and_accuracy together. */
#define popnn_calc_loss_and_accuracy_scaled(...) popnn_calc_loss_and_accuracy_scaled_at(POP_HERE, __VA_ARGS__)
POP_API pop_program popnn_calc_loss_and_accuracy_scaled_at(pop_where where, pop_graph *graph, pop_tensor model_outputs,
                                                           pop_tensor expected, pop_tensor loss, pop_tensor deltas,
                                                           pop_tensor deltas_scale, pop_tensor model_output_scaling,
                                                           pop_tensor num_correct, popnn_loss_type type,
                                                           const char *name);
#define popnn_calc_accuracy(...) popnn_calc_accuracy_at(POP_HERE, __VA_ARGS__)
/* Only adds to num_correct. */
POP_API pop_program popnn_calc_accuracy_at(pop_where where, pop_graph *graph, pop_tensor model_outputs,
                                           pop_tensor expected, pop_tensor num_correct, const char *name);

/* ---- maximum of each row of a matrix: HALF, FLOAT, INT or UNSIGNED_INT; the first among equals ----
 * A NaN is never the maximum or minimum of a row that has a number; a row of NaN alone gives NaN and index 0.  (Top k
 * has the order of popops/sort.h instead: a NaN is larger than every number.) */

/* The largest element of each row of a {rows, columns} tensor, with its index. */
#define popnn_max_and_arg_max(...) popnn_max_and_arg_max_at(POP_HERE, __VA_ARGS__)
POP_API popnn_extreme popnn_max_and_arg_max_at(pop_where where, pop_graph *graph, pop_tensor input,
                                               pop_program sequence, const char *name);
/* The smallest element of each row of a {rows, columns} tensor, with its index. */
#define popnn_min_and_arg_min(...) popnn_min_and_arg_min_at(POP_HERE, __VA_ARGS__)
POP_API popnn_extreme popnn_min_and_arg_min_at(pop_where where, pop_graph *graph, pop_tensor input,
                                               pop_program sequence, const char *name);
#define popnn_arg_max(...) popnn_arg_max_at(POP_HERE, __VA_ARGS__)
/* Only the index. */
POP_API pop_tensor popnn_arg_max_at(pop_where where, pop_graph *graph, pop_tensor input, pop_program sequence,
                                    const char *name);
/* The index of the smallest element of each row, {rows} UNSIGNED_INT. */
#define popnn_arg_min(...) popnn_arg_min_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popnn_arg_min_at(pop_where where, pop_graph *graph, pop_tensor input, pop_program sequence,
                                    const char *name);
#define popnn_top_k(...) popnn_top_k_at(POP_HERE, __VA_ARGS__)
/* Returns the k largest elements of each row, {rows, 1, k} (the 1 as in Poplibs), of the input's type; *indices, of
 * this shape and UNSIGNED_INT, are their indices. k 0 gives empty tensors. With sort they are in descending order,
 * otherwise unordered. */
POP_API pop_tensor popnn_top_k_at(pop_where where, pop_graph *graph, pop_tensor input, pop_tensor *indices, unsigned k,
                                  bool sort, pop_program sequence, const char *name);

POP_END_DECLS
#endif
