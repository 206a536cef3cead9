/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of lightweight profiling: what the buffers of the tiles that record would hold, and what is known of it after
 * they were flushed (docs/lightweight.md). */
#ifndef REPORT_BLOCKS_H
#define REPORT_BLOCKS_H

#include "report/writing.h"
#include "timeline/clock.h"
#include "timeline/timeline.h"

enum block_kind { BLOCK_COMMON = 0, BLOCK_STREAM_COPY, BLOCK_FLUSH, BLOCK_OVERFLOW, BLOCK_UNKNOWN };

struct blocks_writer;
/* clock: of the walk whose events follow.  The image has blocks. */
struct blocks_writer *blocks_begin(struct report *report, struct clock *clock);
/* An event of a run, when the clock has gone on. */
void blocks_event(struct blocks_writer *writer, int64_t run, const struct timeline_event *event);
/* The host reads what is left in the buffers: at the end of a run. */
void blocks_run_end(struct blocks_writer *writer, int64_t run);
void blocks_end(struct blocks_writer *writer);

#endif
