/* SPDX-License-Identifier: Apache-2.0 */
/* The distribution of a CTC loss or a beam search over tiles (docs/libraries/ctc.md). A plan is a value:
 * popnn_ctc_loss_plan and popnn_ctc_infer_plan make one, and all calls of a computation must use the same plan. */
#ifndef POPNN_CTC_PLAN_H
#define POPNN_CTC_PLAN_H

#include <poplar/graph.h>
#include <poplar/program.h>

/* What a plan is for. */
typedef enum popnn_ctc_purpose { POPNN_CTC_NO_PLAN = 0, POPNN_CTC_LOSS, POPNN_CTC_INFERENCE } popnn_ctc_purpose;

/* How a CTC loss or a beam search is divided over tiles. */
typedef struct popnn_ctc_plan {
    popnn_ctc_purpose purpose;                 /* which calls take the plan */
    pop_type in_type, out_type, partials_type; /* types of the data; of loss and gradient; of sums */
    unsigned batch_size, max_time, max_label_length, num_classes, beamwidth; /* sizes that the plan was made for */
    /* Number of partitions of each dimension; with separate_last_blank, labels have one more partition for the last
     * blank alone. A loss does not split classes, a beam search splits neither time nor labels. */
    unsigned batch_splits, time_splits, label_splits, class_splits;
    bool separate_last_blank; /* whether the last blank has a partition alone */
    uint64_t cycles, bytes;   /* estimates: cycles of a run without softmax and reductions; bytes on the fullest tile */
    unsigned tiles;           /* tiles that it uses */
} popnn_ctc_plan;

POP_BEGIN_DECLS

/* Compares all fields: negative, 0 or positive, as a total order. */
POP_API int popnn_ctc_plan_compare(const popnn_ctc_plan *a, const popnn_ctc_plan *b);
/* Formats the plan like snprintf: "{batch=1,time=2,label=4,...}". */
POP_API size_t popnn_ctc_plan_text(const popnn_ctc_plan *plan, char *buffer, size_t size);

POP_END_DECLS
#endif
