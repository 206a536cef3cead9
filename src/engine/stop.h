/* SPDX-License-Identifier: Apache-2.0 */
/* Stopping runs: pop_engine_stop, and SIGINT if the program enabled it. */
#ifndef ENGINE_STOP_H
#define ENGINE_STOP_H

#include "engine/state.h"

/* Around a run: between them the engine can be stopped. A step that still runs STOP_GRACE milliseconds after the stop
 * is abandoned: engine->abandon is set, and its threads get a signal every STOP_AGAIN milliseconds, which ends codelets
 * (fault_thread.abandon) and interrupts blocking calls of callbacks. */
enum { STOP_GRACE = 100, STOP_AGAIN = 50 };
void stop_run_begins(pop_engine *engine);
void stop_run_ends(pop_engine *engine);

#endif
