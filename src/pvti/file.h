/* SPDX-License-Identifier: Apache-2.0 */
/* The trace file: whether tracing is on, and writing of rows. */
#ifndef PVTI_FILE_H
#define PVTI_FILE_H

#include "pvti/trace.h"

/* Queues a row, with ownership of its texts. The queue is written when it is long or its oldest row has waited long. */
void trace_put(struct trace_row row);
/* An id for a thread, event, graph or heat map; unique in the file. */
int64_t trace_id(void);
/* Nanoseconds since 1970. */
int64_t trace_now(void);
/* Whether tracing is on; reads the options at the first call. */
bool trace_on(void);
/* The number of the current file; rows in earlier files are not repeated in later ones. */
unsigned trace_number(void);
/* Whether a channel of that name is enabled initially. */
bool trace_enabled(const char *channel);

#endif
