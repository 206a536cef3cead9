/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_FIRST_STEPS_H
#define PROFILE_FIRST_STEPS_H

#include "image/image.h"
#include "model/trace.h"

/* How many steps a profile tells when each step of the model ran so often: syncs that steps bring along are steps too.
 */
uint64_t steps_told(const struct model *model, const uint64_t *times);
/* A record of the first `most` of them, or a few less; trace_free it. */
void first_steps(struct trace *to, const struct trace *from, const struct model *model, uint64_t most);

#endif
