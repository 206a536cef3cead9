/* SPDX-License-Identifier: Apache-2.0 */
/* The execution profile (docs/reports/profiling.md): sums of the timeline, and lists of steps (step_list.h). */
#ifndef PROFILE_EXECUTION_PROFILE_H
#define PROFILE_EXECUTION_PROFILE_H

#include "base/engine_options.h"
#include "profile/graph_profile.h"
#include "timeline/timeline.h"

/* The tag of what is measured in runs: a modelled device is always IPU_MODEL; on hardware the instrumentation decides.
 */
const char *execution_mode(const struct image *image, const struct instrumentation *instrumentation);

/* From a trace.  missing_perf_estimate, with the type's name, when a vertex of it has no estimate; *profile
 * stays then. */
pop_status execution_profile(struct image *image, const struct instrumentation *instrumentation,
                             const struct trace *trace, const char *api, pop_profile_value *profile, pop_error *error);

#endif
