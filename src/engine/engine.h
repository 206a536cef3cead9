/* SPDX-License-Identifier: Apache-2.0 */
/* An engine while callbacks of the program run. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "engine/state.h"

/* Around calls that run callbacks. engine_leave may free the engine. */
void engine_enter(pop_engine *engine);
void engine_leave(pop_engine *engine);

#endif
