/* SPDX-License-Identifier: Apache-2.0 */
/* The process's stream of debug contexts, which pop_debug_open opens. */
#ifndef REPORT_DEBUG_PROCESS_H
#define REPORT_DEBUG_PROCESS_H

#include "report/debug_stream.h"

/* Calls put with the open stream under its lock; does nothing when none is open. */
void debug_process_put(void (*put)(struct debug_stream *stream, const void *user), const void *user);

#endif
