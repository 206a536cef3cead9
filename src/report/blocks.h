/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of lightweight profiling: models the record buffers of the selected tiles, and the blocks that can be
 * reconstructed after each flush (docs/reports/capturing.md). */
#ifndef REPORT_BLOCKS_H
#define REPORT_BLOCKS_H

#include "report/writing.h"
#include "timeline/clock.h"
#include "timeline/timeline.h"

enum block_kind { BLOCK_COMMON = 0, BLOCK_STREAM_COPY, BLOCK_FLUSH, BLOCK_OVERFLOW, BLOCK_UNKNOWN };

struct blocks_writer;
/* clock: the clock of the walk whose events follow. The image must have blocks. */
struct blocks_writer *blocks_begin(struct report *report, struct clock *clock);
/* Handles an event of a run, after the clock has advanced. */
void blocks_event(struct blocks_writer *writer, int64_t run, const struct timeline_event *event);
/* The host reads the remaining records at the end of a run. */
void blocks_run_end(struct blocks_writer *writer, int64_t run);
void blocks_end(struct blocks_writer *writer);

#endif
