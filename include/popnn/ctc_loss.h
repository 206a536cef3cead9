/* SPDX-License-Identifier: Apache-2.0 */
/* Connectionist temporal classification: the negative logarithm of the probability that a sequence of class
 * probabilities {time, batch, classes} gives a label, summed over all alignments, and its gradient.
 *
 * data is HALF or FLOAT {time, batch, classes}; labels UNSIGNED_INT {batch, label length}; data_lengths and
 * label_lengths UNSIGNED_INT {batch}: the valid length of each entry, read at run time.  Steps after an entry's length
 * have gradient 0.  An entry whose label has no alignment has infinite loss and gradient 0: a label that is too long
 * for its data (each pair of equal neighbours needs an additional step), a label that contains the blank or an invalid
 * class, or a length above the planned maximum.
 *
 * Options of every call below: "partialsType" half or float (default float; half requires data of type half), and those
 * of the plan: "availableMemoryProportion" (0.6), "planConstraints".  Errors are recorded in the graph with the
 * caller's line: poplar_error for shapes and for a plan that was made for other parameters, type_error, invalid_option.
 */
#ifndef POPNN_CTC_LOSS_H
#define POPNN_CTC_LOSS_H

#include <popnn/ctc_plan.h>

/* A loss and its gradient. */
typedef struct popnn_ctc_result {
    pop_tensor loss;     /* {batch} of the plan's out_type */
    pop_tensor gradient; /* {time, batch, classes} of out_type; null when only the loss was requested */
} popnn_ctc_result;

POP_BEGIN_DECLS

#define popnn_ctc_loss_plan(...) popnn_ctc_loss_plan_at(POP_HERE, __VA_ARGS__)
/* Finds the splits with the lowest cycles by the estimates of docs/libraries/ctc.md; among equals those with the least
 * memory, then the fewest tiles. */
POP_API popnn_ctc_plan popnn_ctc_loss_plan_at(pop_where where, pop_graph *graph, pop_type in_type, pop_type out_type,
                                              unsigned batch_size, unsigned max_time, unsigned max_label_length,
                                              unsigned num_classes, pop_options options);

#define popnn_ctc_create_data_input(...) popnn_ctc_create_data_input_at(POP_HERE, __VA_ARGS__)
/* Creates {time, batch, classes} with each entry on the tiles that process it. */
POP_API pop_tensor popnn_ctc_create_data_input_at(pop_where where, pop_graph *graph, pop_type type, size_t batch_size,
                                                  size_t max_time, size_t num_classes, const popnn_ctc_plan *plan,
                                                  const char *name);
#define popnn_ctc_create_labels_input(...) popnn_ctc_create_labels_input_at(POP_HERE, __VA_ARGS__)
/* Creates {batch, label length}; type must be UNSIGNED_INT. */
POP_API pop_tensor popnn_ctc_create_labels_input_at(pop_where where, pop_graph *graph, pop_type type, size_t batch_size,
                                                    size_t max_label_length, const popnn_ctc_plan *plan,
                                                    const char *name);

#define popnn_ctc_loss_and_gradient_log_probabilities(...)                                                             \
    popnn_ctc_loss_and_gradient_log_probabilities_at(POP_HERE, __VA_ARGS__)
/* Adds the loss to a sequence. log_probs are log-probabilities. The gradient is that of the underlying logits,
 * probability - posterior; with the option "includeSoftmaxGradient" false that of log_probs, -posterior. */
POP_API popnn_ctc_result popnn_ctc_loss_and_gradient_log_probabilities_at(
    pop_where where, pop_graph *graph, pop_type out_type, pop_tensor log_probs, pop_tensor labels,
    pop_tensor data_lengths, pop_tensor label_lengths, pop_program sequence, unsigned blank_class,
    const popnn_ctc_plan *plan, const char *name, pop_options options);
#define popnn_ctc_loss_and_gradient_logits(...) popnn_ctc_loss_and_gradient_logits_at(POP_HERE, __VA_ARGS__)
/* The loss and its gradient for logits: computes their log-softmax first. */
POP_API popnn_ctc_result popnn_ctc_loss_and_gradient_logits_at(pop_where where, pop_graph *graph, pop_type out_type,
                                                               pop_tensor logits, pop_tensor labels,
                                                               pop_tensor data_lengths, pop_tensor label_lengths,
                                                               pop_program sequence, unsigned blank_class,
                                                               const popnn_ctc_plan *plan, const char *name,
                                                               pop_options options);
#define popnn_ctc_loss_log_probabilities(...) popnn_ctc_loss_log_probabilities_at(POP_HERE, __VA_ARGS__)
/* Computes only the loss. */
POP_API pop_tensor popnn_ctc_loss_log_probabilities_at(pop_where where, pop_graph *graph, pop_type out_type,
                                                       pop_tensor log_probs, pop_tensor labels, pop_tensor data_lengths,
                                                       pop_tensor label_lengths, pop_program sequence,
                                                       unsigned blank_class, const popnn_ctc_plan *plan,
                                                       const char *name, pop_options options);
/* Computes only the loss, of logits. */
#define popnn_ctc_loss_logits(...) popnn_ctc_loss_logits_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popnn_ctc_loss_logits_at(pop_where where, pop_graph *graph, pop_type out_type, pop_tensor logits,
                                            pop_tensor labels, pop_tensor data_lengths, pop_tensor label_lengths,
                                            pop_program sequence, unsigned blank_class, const popnn_ctc_plan *plan,
                                            const char *name, pop_options options);

POP_END_DECLS
#endif
