/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of a graph and its runs, a section for each part. */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "base/engine_options.h"
#include "base/error.h"
#include "image/image.h"
#include "profile/graph_profile.h"
#include "timeline/timeline.h"
#include "timeline/trace.h"
#include "value/made.h"
#include "value/value.h"

struct trace_pieces;

/* execution_profile.c: the execution profile (docs/reports/profiling.md): sums of the timeline, and lists of steps
 * (step_list.h). */

/* The tag of what is measured in runs: a modelled device is always IPU_MODEL; on hardware the instrumentation decides.
 */
const char *execution_mode(const struct image *image, const struct instrumentation *instrumentation);

/* From a trace.  missing_perf_estimate, with the type's name, when a vertex of it has no estimate; *profile
 * stays then. */
pop_status execution_profile(struct image *image, const struct instrumentation *instrumentation,
                             const struct trace *trace, const char *api, pop_profile_value *profile, pop_error *error);

/* graph_memory.c: the graph profile's memory. */
pop_profile_value memory_profile(const struct image *image);

/* step_list.c: the lists of an execution profile, generated lazily from the record of what ran: a record of a few
 * blocks represents any number of steps, which no memory holds. */

/* The steps of the record, and which entries of the graph profile's programs ran.  times: how often each step of the
 * model did, as the timeline of the record has it.  Both hold the image and a copy of the record. */
void step_lists(struct image *image, const struct trace *trace, const uint64_t *times, pop_profile_value *steps,
                pop_profile_value *programs);

/* graph_liveness.c: the graph profile's liveness. */
pop_profile_value liveness_profile(const struct image *image);

/* graph_programs.c: the graph profile's programs. */
pop_profile_value programs_profile(const struct image *image);

/* graph_report.c: the summary that a compilation prints on request. */

/* Prints the graph's summary to the destination of POPLAR_GRAPH_REPORT_DEST, or else of the options; no effect if
 * neither is set. */
pop_status graph_report(const struct image *image, const struct option_set *options, pop_error *error);

/* trace_pieces.c: splits a record of what ran into pieces, each of which is a record; concatenated they are the
 * whole. */

/* weights: by step of the model, what one run of it counts.  All three outlive the pieces. */
struct trace_pieces *trace_pieces_begin(const struct trace *trace, const struct model *model, const uint32_t *weights);
/* Adds to *piece what comes next, as much as counts `most` or a few less.  some: at least one op, however much it
 * counts; without, *piece may stay empty before the end.  Returns what it
 * counts, `most` where that is more. */
uint64_t trace_pieces_next(struct trace_pieces *pieces, uint64_t max, bool some, struct trace *piece);
void trace_pieces_free(struct trace_pieces *pieces);

#endif
