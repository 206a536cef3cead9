/* SPDX-License-Identifier: Apache-2.0 */
/* Connections of an engine's streams. */
#ifndef ENGINE_STREAM_H
#define ENGINE_STREAM_H

#include "engine/state.h"

void streams_create(pop_engine *engine);
/* Discards prefetched data. Does not wait for a running prefetch, whose result is discarded later. */
void streams_drop_prefetched(pop_engine *engine);
/* Resets streams after a callback was left by longjmp. */
void streams_reset(pop_engine *engine);
/* Whether a prefetch of this engine is running on the calling thread, which is not the run's. */
bool streams_in_prefetch(const pop_engine *engine);
void streams_destroy(pop_engine *engine);
pop_status streams_check(pop_engine *engine, uint32_t program, const char *api, pop_error *error);

#endif
