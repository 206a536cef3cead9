/* SPDX-License-Identifier: Apache-2.0 */
/* What the host did while a report was recorded: traces of libpvti (docs/reference/trace-files.md) beside the report,
 * on one axis with its steps.
 *
 * The axis counts cycles of the tile clock.  Outside of recorded runs it is the host's time.  A recorded run takes its
 * own cycles, because a model does not take as long as the machine: what the host does meanwhile is scaled to them. */
#ifndef ANALYSER_HOST_TRACE_H
#define ANALYSER_HOST_TRACE_H

#include "base/intern.h"
#include "lod.h"

struct host_event {
    double from, to;    /* on the axis */
    int64_t start, end; /* ns since 1970 */
    uint64_t id;        /* in its file */
    uint32_t label, thread;
    uint32_t parent; /* while the file is read: its index; UINT32_MAX: a thread's own */
    uint16_t depth;
    bool ended;
};
struct host_thread {
    char *name;
    uint64_t tid;
    uint32_t process;
    unsigned depth;      /* of its deepest event */
    size_t first, count; /* its events, sorted by begin */
};
struct host_process {
    char *name, *path;
    uint64_t pid;
};
struct host_point {
    double at, value;
    int64_t time; /* ns since 1970 */
};
struct host_series {
    char *name;
    uint32_t graph;
    int64_t number;
    double min, max;
    VEC(struct host_point) points; /* sorted by time */
};
struct host_graph {
    char *name, *unit;
    uint32_t process;
};

struct host_trace {
    VEC(struct host_process) processes;
    VEC(struct host_thread) threads;
    VEC(struct host_event) events;
    VEC(struct host_graph) graphs;
    VEC(struct host_series) series;
    struct intern labels;
    double from, to;
    double *shift;     /* by run of the report: added to its cycles */
    double *length;    /* by run: its length on the axis */
    char *note;        /* what was left out and why, or NULL */
    struct lod *steps; /* the report's steps on the axis; NULL without processes */
};

/* The traces beside a report that overlap its runs in time; no processes: there are none. */
struct host_trace *host_trace_read(const struct lod *lod, const char *directory);
void host_trace_free(struct host_trace *trace); /* NULL is allowed */

/* The host's trace of the report that report= selects, read at the first request. NULL with an error. */
const struct host_trace *host_trace_of(const struct request *request, pop_error *error);
/* The trace of the report that report= selects: with host=1 and a host's trace on their common axis, else on its own
 * cycles. NULL with an error. */
const struct lod *lod_asked(const struct request *request, pop_error *error);

#endif
