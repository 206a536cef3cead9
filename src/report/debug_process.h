/* SPDX-License-Identifier: Apache-2.0 */
/* The debug contexts of the process, which belong to no graph: the stream that pop_debug_open opens, and what reports
 * have of them. */
#ifndef REPORT_DEBUG_PROCESS_H
#define REPORT_DEBUG_PROCESS_H

#include "report/debug_stream.h"

#include <stddef.h>

/* Calls put with the open stream under its lock; does nothing when none is open. */
void debug_process_put(void (*put)(struct debug_stream *stream, const void *user), const void *user);

/* Writes the records that have ended so far to a report's file; returns their number. */
size_t debug_process_put_records(struct debug_stream *stream);
/* Has later records added to a report's file, which has the first `records`: at the next flush, and when the process
 * exits. path: its final name, which the file may get later than now, while it is at `temporary`. A file that is
 * replaced or removed gets no more. */
void debug_process_follow(const char *path, const char *temporary, size_t records);
/* Adds the records that have ended since to the files that are followed. */
void debug_process_flush(void);

#endif
