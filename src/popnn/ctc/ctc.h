/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the CTC loss and the beam search: options, partitions, tile mapping of tensors. */
#ifndef POPNN_CTC_CTC_H
#define POPNN_CTC_CTC_H

#include "popnn/support.h"

#include <popnn/ctc_plan.h>

/* Cycles of a compute step and of an exchange beside what they work on, as the original's estimates have them; workers.
 */
enum { SYNC = 90, EXCHANGE = 100, WORKERS = 6 };

enum { CTC_HALF, CTC_FLOAT };
struct ctc_options {
    int partials;
    double proportion;
    const char *constraints;
    bool softmax_gradient, zero_infinity, reduced_classes, codelet_gradient;
    double infinity_tolerance;
    const char *sort_groups;
};

/* Parses the options of the loss or of the beam search. */
bool ctc_parse_options(const struct call *call, popnn_ctc_purpose purpose, pop_options given,
                       struct ctc_options *options);
/* Required splits of a plan; 0 and -1: no constraint. */
struct ctc_constraints {
    unsigned batch, time, label, classes;
    int separate_last_blank;
};
bool ctc_parse_constraints(const struct call *call, popnn_ctc_purpose purpose, const char *text,
                           struct ctc_constraints *constraints);

/* Checks that a plan was made for this purpose and these sizes (0: any size). */
bool ctc_check_plan(const struct call *call, const popnn_ctc_plan *plan, popnn_ctc_purpose purpose, size_t batch,
                    size_t time, size_t classes);
/* Checks that data is {time, batch, classes} of the plan's type, and lengths {batch}. */
bool ctc_check_data(const struct call *call, const popnn_ctc_plan *plan, popnn_ctc_purpose purpose, pop_tensor data);
bool ctc_check_lengths(const struct call *call, const char *what, pop_tensor lengths, const popnn_ctc_plan *plan);
bool ctc_check_blank(const struct call *call, unsigned blank, const popnn_ctc_plan *plan);

/* The interval of a partition when `count` elements are split into parts of equal size; the last part may be
 * smaller. */
static inline pop_interval ctc_part(size_t count, size_t parts, size_t part)
{
    size_t size = poplibs_ceil_div(count, parts);
    return (pop_interval){ poplibs_min(part * size, count), poplibs_min((part + 1) * size, count) };
}
/* Whether no part is empty. */
static inline bool ctc_parts_full(size_t count, size_t parts)
{
    return (parts - 1) * poplibs_ceil_div(count, parts) < count;
}
static inline unsigned ctc_label_tiles(const popnn_ctc_plan *plan)
{
    return plan->label_splits + plan->separate_last_blank;
}
/* The partition that contains an entry of the batch. */
static inline unsigned ctc_batch_part(const popnn_ctc_plan *plan, size_t entry)
{
    return (unsigned)(entry / poplibs_ceil_div(plan->batch_size, plan->batch_splits));
}
static inline bool ctc_better(const popnn_ctc_plan *a, const popnn_ctc_plan *b)
{
    if (a->cycles != b->cycles)
        return a->cycles < b->cycles;
    return a->bytes != b->bytes ? a->bytes < b->bytes : a->tiles < b->tiles;
}

#endif
