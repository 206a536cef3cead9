/* SPDX-License-Identifier: Apache-2.0 */
/* The debug contexts of the process: the stream that pop_debug_open opens, and debug.cbor of its reports. */
#ifndef REPORT_DEBUG_PROCESS_H
#define REPORT_DEBUG_PROCESS_H

#include "graph/store/store.h"
#include "report/debug_stream.h"
#include "value/report_files.h"

#include <stddef.h>

/* Calls put with the open stream under its lock; does nothing when none is open. */
void debug_process_put(void (*put)(struct debug_stream *stream, const void *user), const void *user);

/* What a report knows of the process's file of its directory. */
struct debug_added {
    char id[REPORT_ID_SIZE]; /* of the file; "": none */
    uint64_t bytes;          /* its size, with the graph */
};
/* Adds a compiled graph's contexts to the process's file in a directory, which is made, at temporary, if there is none.
 * The file stays open for the caller until debug_process_release. file_load_error. */
pop_status debug_process_add(const char *directory, const char *temporary, const pop_store *store,
                             struct debug_added *added, pop_error *error);
void debug_process_release(const char *id);
/* debug_file_place and debug_file_copy of the file of an id; false: errno says why. */
bool debug_process_place(const char *id, const char *directory, const char *temporary);
bool debug_process_copy(const char *id, const char *path);
/* Adds the records that have ended since to the process's files. */
void debug_process_flush(void);

#endif
