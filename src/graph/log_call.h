/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of libraries that are in progress on this thread. */
#ifndef GRAPH_LOG_CALL_H
#define GRAPH_LOG_CALL_H

/* A handler of errors may leave by longjmp, and the calls then never end: while it runs there are none, so that the
 * next call is an outermost one. Returns what log_calls_resume takes when the handler has returned. */
unsigned log_calls_pause(void);
void log_calls_resume(unsigned calls);

#endif
