/* SPDX-License-Identifier: Apache-2.0 */
/* A file of debug contexts while it is written (docs/reference/report-files.md, debug.cbor): contexts go out one by
 * one, the table of strings at the end. */
#ifndef REPORT_DEBUG_STREAM_H
#define REPORT_DEBUG_STREAM_H

#include "base/intern.h"

#include <poplar/debug.h>
#include <stdio.h>

struct debug_stream {
    FILE *file; /* the caller's; NULL: ended */
    pop_debug_format format;
    struct intern strings;
    uint64_t contexts;
    long length_at; /* CBOR: where their number is filled in */
    bool failed;    /* something could not be written */
};

/* One context.  Texts may be NULL. */
struct debug_context {
    uint64_t id, parent; /* parent 0: none */
    const char *layer, *name, *function;
    pop_where where;
};

/* Begins at the begin of file.  id: of the report that it belongs to, of a CBOR file; NULL: of none. */
void debug_stream_begin(struct debug_stream *stream, FILE *file, pop_debug_format format, const char *id);
/* map holds what the layer adds; it is freed. */
void debug_stream_put(struct debug_stream *stream, const struct debug_context *context, pop_profile_value map);
/* Completes the file, which stays open; false when something of it could not be written. */
bool debug_stream_end(struct debug_stream *stream);

#endif
