/* SPDX-License-Identifier: Apache-2.0 */
/* CTC decoding by a prefix beam search: the most probable labels for a sequence of class probabilities {time, batch,
 * classes}.
 *
 * After each step the search keeps the beamwidth most probable labels; a label's probability is the sum over all its
 * alignments that were kept.  Among equally probable labels those of the previous step come first.
 * Errors as in popnn/ctc_loss.h; options: "partialsType" float, "planConstraints". */
#ifndef POPNN_CTC_INFERENCE_H
#define POPNN_CTC_INFERENCE_H

#include <popnn/ctc_plan.h>

/* The results of a beam search. */
typedef struct popnn_ctc_paths {
    pop_tensor probabilities; /* {batch, top_paths}: log p, at most 0, descending; -65504 when there are fewer */
    pop_tensor lengths;       /* {batch, top_paths} UNSIGNED_INT */
    pop_tensor labels;        /* {batch, top_paths, time} UNSIGNED_INT; 0xffffffff after a label's length */
} popnn_ctc_paths;

POP_BEGIN_DECLS

/* Finds the partitions of a beam search with the lowest estimated cycles. */
#define popnn_ctc_infer_plan(...) popnn_ctc_infer_plan_at(POP_HERE, __VA_ARGS__)
POP_API popnn_ctc_plan popnn_ctc_infer_plan_at(pop_where where, pop_graph *graph, pop_type in_type, unsigned batch_size,
                                               unsigned max_time, unsigned num_classes, unsigned beamwidth,
                                               pop_options options);
#define popnn_ctc_infer_create_data_input(...) popnn_ctc_infer_create_data_input_at(POP_HERE, __VA_ARGS__)
/* Creates {time, batch, classes} with each entry's classes on the tiles that process them. */
POP_API pop_tensor popnn_ctc_infer_create_data_input_at(pop_where where, pop_graph *graph, pop_type type,
                                                        size_t batch_size, size_t max_time, size_t num_classes,
                                                        const popnn_ctc_plan *plan, const char *name);

#define popnn_ctc_beam_search_log_probabilities(...) popnn_ctc_beam_search_log_probabilities_at(POP_HERE, __VA_ARGS__)
/* Adds the search to a sequence. data_lengths: UNSIGNED_INT {batch}; an entry with more steps than planned gets no
 * labels. beamwidth must be the plan's, top_paths at most beamwidth. */
POP_API popnn_ctc_paths popnn_ctc_beam_search_log_probabilities_at(pop_where where, pop_graph *graph,
                                                                   pop_tensor log_probs, pop_tensor data_lengths,
                                                                   pop_program sequence, unsigned blank_class,
                                                                   unsigned beamwidth, unsigned top_paths,
                                                                   const popnn_ctc_plan *plan, const char *name,
                                                                   pop_options options);
/* The search for logits: computes their log-softmax first. */
#define popnn_ctc_beam_search_logits(...) popnn_ctc_beam_search_logits_at(POP_HERE, __VA_ARGS__)
POP_API popnn_ctc_paths popnn_ctc_beam_search_logits_at(pop_where where, pop_graph *graph, pop_tensor logits,
                                                        pop_tensor data_lengths, pop_program sequence,
                                                        unsigned blank_class, unsigned beamwidth, unsigned top_paths,
                                                        const popnn_ctc_plan *plan, const char *name,
                                                        pop_options options);

POP_END_DECLS
#endif
