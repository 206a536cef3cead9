/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a report, from compiling to the end of an engine (docs/reports.md; docs/reference/report-files.md says
 * what they hold). */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "image/image.h"
#include "timeline/trace.h"

struct report;

/* What a report is of. */
struct report_of {
    pop_graph *graph;    /* NULL: debug.cbor, archive.a and serialized_graph.json are not written */
    struct image *image; /* the report keeps it */
    const struct option_set *options;
    const char *engine; /* its name; NULL or empty: none */
    int64_t started;    /* when compiling began, microseconds since 1970; 0: nobody knows */
    const char *id;     /* NULL: a new one */
};

/* What is known when compiling has ended, in the files that the options ask for.  *report is NULL where profile.pop is
 * not one of them: the report is complete then. */
pop_status report_begin(const struct report_of *of, const char *api, struct report **report, pop_error *error);
/* Whether the report is what the options and the engine's name ask for. */
bool report_fits(const struct report *report, const struct option_set *options, const char *engine);
/* The report of a graph that is out of memory: of what was known by then.  The error gets the path of its profile. */
void report_failure(const struct report_of *of, pop_error *error);
/* Where debug.cbor is until the report ends, and the id in it; the caller frees the path.  NULL: the report has none.
 */
char *report_debug_path(const struct report *report, const char **id);
/* Gives the files their names and frees the report; NULL does nothing. */
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
