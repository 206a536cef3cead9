/* SPDX-License-Identifier: Apache-2.0 */
/* profile.pop, from compiling to the end of an engine (docs/reports.md; docs/reference/report-files.md has its tables).
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "image/image.h"
#include "timeline/trace.h"

struct report;

/* The compilation's part of an image's report, where the options ask for one; *report is NULL where they do not.
 * started: when compiling began, microseconds since 1970, 0 when nobody knows.  The image is kept. */
pop_status report_begin(struct image *image, const struct option_set *options, const char *engine, int64_t started,
                        const char *api, struct report **report, pop_error *error);
/* Whether the report is what the options and the engine's name ask for. */
bool report_fits(const struct report *report, const struct option_set *options, const char *engine);
/* That tiles are out of memory. */
void report_out_of_memory(struct report *report, const char *text);
/* What the file is called when it is whole; the report's. */
const char *report_path(const struct report *report);
/* Gives the file its final name and frees the report; NULL does nothing. */
pop_status report_end(struct report *report, pop_error *error);

/* A run that starts now: whether it is captured, so that its record is wanted.  name: NULL or empty for "Engine::run
 * #N". */
bool report_run_begin(struct report *report, unsigned program, const char *name);
/* What a run in progress has done since it began or since this was called; transactions end here, so that what was
 * handed over is kept. */
void report_run_part(struct report *report, const struct trace *trace);
/* The same for the end of the run.  file_load_error: something could not be written; nothing is captured any more. */
pop_status report_run_end(struct report *report, const struct trace *trace, const char *api, pop_error *error);
/* A fact about the run in progress, or about the last one. */
void report_run_parameter(struct report *report, const char *name, const char *value);

/* Microseconds since 1970. */
int64_t report_now(void);

#endif
