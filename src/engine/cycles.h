/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline of what an engine has run. */
#ifndef ENGINE_CYCLES_H
#define ENGINE_CYCLES_H

#include "engine/state.h"

/* The timeline of what has run (timeline/timeline.h); profiling_disabled without a model,
 * missing_perf_estimate.
 */
pop_status engine_timeline(const pop_engine *engine, struct timeline *timeline, timeline_callback callback, void *user,
                           const char *api, pop_error *error);

#endif
