/* SPDX-License-Identifier: Apache-2.0 */
/* The trace file: whether there is one, and writing rows to it. */
#ifndef PVTI_FILE_H
#define PVTI_FILE_H

#include "pvti/trace.h"

/* Hands a row over.  What waits goes to the file when there is much of it, or it waits for long. */
void trace_put(struct trace_row row);
/* A number for a thread, an event, a graph or a heat map: unique in the file. */
int64_t trace_id(void);
/* Nanoseconds since 1970. */
int64_t trace_now(void);
/* Whether tracing is on; reads the options at the first call. */
bool trace_on(void);
/* Counts files: what was written to an earlier file is not in a later one. */
unsigned trace_number(void);
/* Whether a channel of that name begins enabled. */
bool trace_wants(const char *channel);

#endif
