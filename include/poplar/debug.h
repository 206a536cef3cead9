/* SPDX-License-Identifier: Apache-2.0 */
/* Debug information: records of the operations that each layer of libraries builds (Poplar's DebugInfo).
 *
 * A debug context is a record with an id: a library call with its arguments, or a variable, compute set or program that
 * a graph holds.  Its parent is the context that it was built for.  A graph stores its contexts; they are written with
 * a report when the engine option autoReport.outputDebugInfo is set.  Contexts that belong to no graph are written to
 * the stream of the process, while one is open.  Any thread may write to the stream. */
#ifndef POPLAR_DEBUG_H
#define POPLAR_DEBUG_H

#include <poplar/graph.h>
#include <poplar/log.h>
#include <poplar/profile.h>

/* Format of a file of debug contexts. */
typedef enum pop_debug_format { POP_DEBUG_JSON = 0, POP_DEBUG_CBOR = 1 } pop_debug_format;

/* One operation.  Texts may be NULL. */
typedef struct pop_debug_record {
    uint64_t id, parent_id; /* from pop_debug_new_id; parent_id 0: no parent */
    const char *layer;      /* "poplibs" */
    const char *name;       /* the whole path */
    pop_where where;        /* the user's line and the function that contains it */
    const char *function;   /* name of the calling function; NULL: unknown */
    const pop_profile_value
        *values; /* further data of the layer: a map that is added to the record; borrowed; NULL for none */
} pop_debug_record;

POP_BEGIN_DECLS

/* A new id, unique in the process; the first is 1. */
POP_API uint64_t pop_debug_new_id(void);
/* Records a library call in the graph: layer and api ("poplibs", "popops_add") have static storage; arguments are those
 * of log.h; the argument named "name" is the debug path. Returns where with the new context, to pass to everything that
 * the call builds; where unchanged for a NULL graph or after 2^32 ids. */
POP_API pop_where pop_debug_call(pop_graph *graph, pop_where where, const char *layer, const char *api,
                                 const pop_log_argument *arguments, size_t count);
/* Adds a result to the call of where's context; no effect when where has none. */
POP_API void pop_debug_result(pop_graph *graph, pop_where where, const pop_log_argument *result);
/* Opens a file for records, and closes one that was open. Error: file_load_error when the file cannot be created. */
POP_API pop_status pop_debug_open(const char *path, pop_debug_format format, pop_error *error) POP_MUST_CHECK;
POP_API bool pop_debug_is_open(void); /* Whether a file is open for records. */
/* Writes a record to the open file, if any, and to debug.cbor of the reports that the process has made and will make:
 * the first 65,536 records of a process are kept for them. */
POP_API void pop_debug_write(const pop_debug_record *record);
/* Completes and closes the file, as process exit does; no effect when no file is open. Error: file_load_error when a
 * write failed.
 *
 * The file holds a map: "contexts", the records in the order in which they were written, and "stringTable", which name,
 * location.fileName and location.functionName are indices into (the layout of Poplar's debug.cbor:
 * docs/reference/report-files.md). */
POP_API pop_status pop_debug_close(pop_error *error);

POP_END_DECLS
#endif
