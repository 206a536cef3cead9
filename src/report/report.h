/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a report, from compiling to the end of an engine (docs/reports/capturing.md;
 * docs/reference/report-files.md has their contents). */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "image/image.h"
#include "timeline/trace.h"

struct report;

/* The subject of a report. */
struct report_of {
    pop_graph *graph;    /* NULL: debug.cbor, archive.a and serialized_graph.json are not written */
    struct image *image; /* the report keeps a reference */
    const struct option_set *options;
    const char *engine; /* name of the engine; NULL or empty: none */
    int64_t started;    /* when compiling began, microseconds since 1970; 0: unknown */
    const char *id;     /* NULL: a new id is made */
    const char *debug;  /* without a graph: the id of the file of debug contexts beside it; NULL: none */
};

/* Writes the results of compiling to the files that the options request. *report is NULL when profile.pop is not
 * among them; the report is complete then. */
pop_status report_begin(const struct report_of *of, const char *api, struct report **report, pop_error *error);
/* Whether the report matches the options and the engine's name. */
bool report_fits(const struct report *report, const struct option_set *options, const char *engine);
/* Writes the report of a graph that ran out of memory, as far as it was compiled. The error receives the path of its
 * profile. */
void report_failure(const struct report_of *of, pop_error *error);
/* The current path of debug.cbor while the report is open, and its id; the caller frees the path. NULL: the report has
 * none. */
char *report_debug_path(const struct report *report, const char **id);
/* Gives the files their final names and frees the report; NULL is allowed. */
pop_status report_end(struct report *report, pop_error *error);

/* Begins a run; returns whether it is captured, so that its trace is needed. name: NULL or empty for "Engine::run
 * #N". */
bool report_run_begin(struct report *report, unsigned program, const char *name);
/* Writes the part of a run's trace since its begin or the last call, and commits it, so that the part survives a
 * killed process. */
void report_run_part(struct report *report, const struct trace *trace);
/* Writes the last part of a run's trace. file_load_error when a write failed; nothing is captured afterwards. */
pop_status report_run_end(struct report *report, const struct trace *trace, const char *api, pop_error *error);
/* Adds a named value to the current or the last run. */
void report_run_parameter(struct report *report, const char *name, const char *value);

/* Microseconds since 1970. */
int64_t report_now(void);

#endif
