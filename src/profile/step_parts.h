/* SPDX-License-Identifier: Apache-2.0 */
/* A step of the model with syncs is several steps in a profile or a report
 * (docs/reference/report-files.md, Programs): which ones, in which order, and what they are called. */
#ifndef PROFILE_STEP_PARTS_H
#define PROFILE_STEP_PARTS_H

#include "timeline/timeline.h"

/* In the order in which the parts of a step run. */
enum step_part { PART_SANS = 0, PART_SYNC, PART_SYNC_ANS, PART_BEGIN, PART_STEP, PART_END, STEP_PARTS };

/* Bit i: the step has part i. */
uint8_t step_parts(const struct image *image, uint32_t step);
/* The parts of all steps, malloc'ed. */
uint8_t *step_parts_all(const struct image *image);
/* How many parts that is. */
unsigned step_parts_count(uint8_t parts);

/* "OnTileExecute", "Sans", "StreamCopyMid", ... */
const char *step_part_type(const struct model_step *step, enum step_part part);
/* Of syncs "Internal" or "External", of the middle of a stream copy "Host", "RemoteBuffer" or "Mixed", else NULL. */
const char *step_part_detail(const struct model_step *step, enum step_part part);

/* Which parts of its step an event of the timeline is; none of control flow, which takes no time.  The two syncs after
 * a stream copy are one part, reported with the second: *held, false at first, says that the first was seen. */
uint8_t step_parts_of_event(uint8_t parts, const struct timeline_event *event, bool *held);

#endif
