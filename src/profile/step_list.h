/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of an execution profile, generated lazily from the record of what ran: a record of a few blocks represents
 * any number of steps, which no memory holds. */
#ifndef PROFILE_STEP_LIST_H
#define PROFILE_STEP_LIST_H

#include "timeline/timeline.h"
#include "value/made.h"

/* The steps of the record, and which entries of the graph profile's programs ran.  times: how often each step of the
 * model did, as the timeline of the record has it.  Both hold the image and a copy of the record. */
void step_lists(struct image *image, const struct trace *trace, const uint64_t *times, pop_profile_value *steps,
                pop_profile_value *programs);

#endif
