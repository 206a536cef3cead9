/* SPDX-License-Identifier: Apache-2.0 */
/* Debug information: what each layer of libraries says of the operations that it builds (Poplar's DebugInfo).
 *
 * A debug context is a record with an id: a library call with its arguments, or a variable, compute set or program that
 * a graph holds.  Its parent is the context that it was built for.  Contexts of a graph are kept by the graph, and
 * written when a report wants them (engine option autoReport.outputDebugInfo).  Contexts that belong to no graph are
 * written to the stream of the process, while one is open.  Any thread may write to the stream. */
#ifndef POPLAR_DEBUG_H
#define POPLAR_DEBUG_H

#include <poplar/graph.h>
#include <poplar/log.h>
#include <poplar/profile.h>

typedef enum pop_debug_format { POP_DEBUG_JSON = 0, POP_DEBUG_CBOR = 1 } pop_debug_format;

/* One operation.  Texts may be NULL. */
typedef struct pop_debug_record {
    uint64_t id, parent_id; /* of pop_debug_new_id; parent_id 0 is none */
    const char *layer;      /* "poplibs" */
    const char *name;       /* the whole path */
    pop_where where;        /* the line that asked for it, and the function that the line is in */
    const char *function;
    const pop_profile_value
        *values; /* what else the layer tells, a map that is added to the record; NULL for nothing */
} pop_debug_record;

POP_BEGIN_DECLS

/* The next id: from 1 on, none twice in a process. */
POP_API uint64_t pop_debug_new_id(void);
/* Records a library call in the graph: layer and api ("poplibs", "popops_add") have static storage; arguments as log.h
 * has them, and the debug path is the text whose name is "name".  Returns where with the context of this call, for
 * everything that the call builds; where itself for a NULL graph and where ids have run out (after 2^32). */
POP_API pop_where pop_debug_call(pop_graph *graph, pop_where where, const char *layer, const char *api,
                                 const pop_log_argument *arguments, size_t count);
/* Adds a result to the call whose context `where` has; nothing without one. */
POP_API void pop_debug_result(pop_graph *graph, pop_where where, const pop_log_argument *result);
/* Begins to write records to a file; one that was open is closed first.  file_load_error when it cannot be made. */
POP_API pop_status pop_debug_open(const char *path, pop_debug_format format, pop_error *error) POP_MUST_CHECK;
POP_API bool pop_debug_is_open(void);
/* Adds a record; nothing happens without a file. */
POP_API void pop_debug_write(const pop_debug_record *record);
/* Completes the file; the end of the process does so too.  file_load_error when something of it could not be written;
 * nothing happens without a file.
 *
 * The file holds a map: "contexts", the records in the order in which they were written, and "stringTable", which name,
 * location.fileName and location.functionName are indices into (the layout of Poplar's debug.cbor:
 * docs/reference/report-files.md). */
POP_API pop_status pop_debug_close(pop_error *error);

POP_END_DECLS
#endif
