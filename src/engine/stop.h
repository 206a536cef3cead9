/* SPDX-License-Identifier: Apache-2.0 */
/* Ending runs from outside: pop_engine_stop, and SIGINT where the program asked for that. */
#ifndef ENGINE_STOP_H
#define ENGINE_STOP_H

#include "engine/state.h"

/* Around a run: between them the engine can be stopped.  What runs for STOP_GRACE milliseconds after that is abandoned:
 * engine->abandon is set, and its threads get a signal every STOP_AGAIN milliseconds, which ends codelets
 * (fault_thread.abandon) and interrupts what a callback waits for. */
enum { STOP_GRACE = 100, STOP_AGAIN = 50 };
void stop_run_begins(pop_engine *engine);
void stop_run_ends(pop_engine *engine);

#endif
