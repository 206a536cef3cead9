/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a report, from compiling to the end of an engine (docs/reports/capturing.md;
 * docs/reference/report-files.md has their contents). */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "graph/store/store.h"
#include "image/image.h"
#include "report/bundle.h"
#include "report/debug_stream.h"
#include "report/writing.h"
#include "timeline/timeline.h"
#include "timeline/trace.h"

#include <stdbool.h>

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
/* Replaces the lines of assembly that captured runs executed: of each vertex type, how often their instructions were
 * executed, and the issue slots that these took. */
struct report_line {
    const char *type, *file;
    uint32_t line;
    uint64_t executions, slots;
};
void report_write_lines(struct report *report, const struct report_line *lines, size_t count);
/* Puts what was counted in runs in place of the compilation's estimates, of sets that executed; all: else only of those
 * that the report does not have yet. */
void report_write_counted(struct report *report, const struct step_costs *costs, bool all);
/* Adds a named value to the current or the last run. */
void report_run_parameter(struct report *report, const char *name, const char *value);

/* Microseconds since 1970. */
int64_t report_now(void);

/* files.c: the companions of profile.pop: debug.cbor, archive.a, serialized_graph.json (docs/reports/capturing.md).
 */

/* Writes the companions that the options request, under temporary names, and adds them to the bundle.
 * file_load_error when one cannot be written. */
pop_status files_write(pop_graph *graph, const struct image *image, const struct option_set *options,
                       struct bundle *bundle, pop_error *error);

/* named_files.c: files that single engine options name: target.saveArchive, target.saveOutputVertexGraph. */

/* Refuses options for files that this implementation does not write (invalid_option). Call it before compiling. */
pop_status named_files_check(const struct option_set *options, const char *api, pop_error *error);
/* Whether any is requested. */
bool named_files_any(const struct option_set *options);
/* Writes the requested files, after compiling. file_load_error when one cannot be written. */
pop_status named_files_write(pop_graph *graph, pop_programs programs, const struct image *image,
                             const struct option_set *options, pop_error *error);

/* archive.c: archive.a: an ar archive with an ELF file for each tile (docs/reference/report-files.md). */

/* Writes the placement of a modelled image to path; the file gets its final name only when complete. id: the id of
 * its report, stored in a note of the first tile's file; NULL: none. file_load_error when the file cannot be written
 * or the image has no placement (on a CPU, or loaded from a file). */
pop_status archive_write(const struct image *image, const char *path, const char *id, pop_error *error);

/* compilation.c: rows of compilation results. */

/* Writes the target, the graph, memory, vertices and exchanges. */
void report_write_compilation(struct report *report);

/* debug_graph.c: debug contexts of a graph's library calls, variables, compute sets, vertices and programs. */

/* Writes the contexts of a store (user) to a stream. Call it after compiling, which numbers the contexts. */
void debug_graph_put(struct debug_stream *stream, const void *user);
/* Writes the contexts to the process's stream if one is open. */
void debug_graph_stream(const pop_store *store);

/* debug_links.c: links from the directories of named engines to debug.cbor of the directory above them, which is
 * one for a process. */

/* Makes path, in a directory below root, a symbolic link to root's debug.cbor. False: errno says why; EPERM, EOPNOTSUPP
 * or ENOSYS where the file system has none. */
bool debug_link(const char *root, const char *path);
/* Before root's debug.cbor is replaced or removed: the links to it become further names of the file, so that reports of
 * earlier processes keep their debug contexts. */
void debug_links_keep(const char *root);

/* liveness.c: rows of live memory at each step. */

/* Writes live memory at each step, by name and by tile. */
void report_write_liveness(struct report *report);

/* lowered.c: rows of variables and of their parts on each tile. */

/* Writes the graph's variables and, when the options request it, the lowered variables of each tile. */
void report_write_variables(struct report *report);

/* steps.c: executed steps as rows of a report, generated in order from a trace of control flow, with bounded memory
 * for any number of steps. */

/* Starts with clocks at 0; they advance over all traces. */
struct steps_writer *steps_begin(struct report *report);
/* Writes the steps of a trace as steps of a run. */
void steps_write(struct steps_writer *writer, int64_t run, const struct trace *trace);
/* Ends the run whose traces were written. */
void steps_run_end(struct steps_writer *writer);
/* The number of rows so far, which is the id of the next step. */
int64_t steps_count(const struct steps_writer *writer);
/* The clock of the tile with the latest time. */
int64_t steps_now(const struct steps_writer *writer);
/* Commits the transaction, with the run and totals of the rows so far. */
void steps_commit(struct steps_writer *writer);
/* Frees the writer. */
void steps_end(struct steps_writer *writer);

#endif
