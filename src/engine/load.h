/* SPDX-License-Identifier: Apache-2.0 */
/* Loading an image into memory, and unloading it. */
#ifndef ENGINE_LOAD_H
#define ENGINE_LOAD_H

#include "engine/state.h"

pop_status engine_materialise(pop_engine *engine, const char *api, pop_error *error);
void engine_unload(pop_engine *engine);

#endif
