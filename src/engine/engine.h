/* SPDX-License-Identifier: Apache-2.0 */
/* An engine while callbacks of the program run. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "engine/state.h"

/* Around what runs callbacks.  The engine may be gone after engine_leave. */
void engine_enter(pop_engine *engine);
void engine_leave(pop_engine *engine);

#endif
