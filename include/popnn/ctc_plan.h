/* SPDX-License-Identifier: Apache-2.0 */
/* How a CTC loss or a beam search is shared out among tiles (docs/ctc.md).  A plan is a value;
 * popnn_ctc_loss_plan and popnn_ctc_infer_plan make one, and every call of one computation takes the same. */
#ifndef POPNN_CTC_PLAN_H
#define POPNN_CTC_PLAN_H

#include <poplar/graph.h>
#include <poplar/program.h>

typedef enum popnn_ctc_purpose { POPNN_CTC_NO_PLAN = 0, POPNN_CTC_LOSS, POPNN_CTC_INFERENCE } popnn_ctc_purpose;

typedef struct popnn_ctc_plan {
    popnn_ctc_purpose purpose;
    pop_type in_type, out_type, partials_type; /* of the data; of loss and gradient; of sums */
    unsigned batch_size, max_time, max_label_length, num_classes, beamwidth; /* what was planned for */
    /* Into how many partitions each is split; labels with last_blank_apart into one more, for the last blank alone.
     * A loss does not split classes, a beam search neither time nor labels. */
    unsigned batch_splits, time_splits, label_splits, class_splits;
    bool last_blank_apart;
    uint64_t cycles, bytes; /* estimates: of a run without softmax and reductions; of the fullest tile */
    unsigned tiles;
} popnn_ctc_plan;

POP_BEGIN_DECLS

/* Less than 0, 0 or more than 0: an order over all fields. */
POP_API int popnn_ctc_plan_compare(const popnn_ctc_plan *a, const popnn_ctc_plan *b);
/* The plan as text, as snprintf writes it: "{batch=1,time=2,label=4,...}". */
POP_API size_t popnn_ctc_plan_text(const popnn_ctc_plan *plan, char *buffer, size_t size);

POP_END_DECLS
#endif
