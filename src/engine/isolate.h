/* SPDX-License-Identifier: Apache-2.0 */
/* Codelets in a child process (option debug.isolateCodelets): a fork of the loaded engine executes its compute sets on
 * storage that both share, so that a codelet which ends, stops or changes its process causes only an error. Everything
 * else (copies, control flow, streams, callbacks) runs in the parent. */
#ifndef ENGINE_ISOLATE_H
#define ENGINE_ISOLATE_H

#include "engine/state.h"

/* The child's exit code when a codelet ended its thread. */
enum { ISOLATE_THREAD_ENDED = 113 };

/* Zeroed memory shared with the child; NULL on failure. */
void *isolate_block(uint64_t bytes);
void isolate_free(void *block);

/* Executes a set in the child, which the first call after a load starts.  False when the run has failed. */
bool isolate_execute(struct engine_run *run, const struct image_set *set, bool *consensus);
/* Ends the child. */
void isolate_end(pop_engine *engine);

#endif
