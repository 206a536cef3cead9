/* SPDX-License-Identifier: Apache-2.0 */
/* A file of debug contexts while it is written (docs/reference/report-files.md, debug.cbor): contexts are written
 * one by one, the string table at the end. */
#ifndef REPORT_DEBUG_STREAM_H
#define REPORT_DEBUG_STREAM_H

#include "base/intern.h"

#include <poplar/debug.h>
#include <stdio.h>

struct debug_stream {
    FILE *file; /* borrowed; NULL after the end */
    pop_debug_format format;
    struct intern strings;
    uint64_t contexts;
    long length_at; /* CBOR: position of the number of contexts, filled in at the end */
    bool failed;    /* a write has failed */
};

/* A debug context; texts may be NULL. */
struct debug_context {
    uint64_t id, parent; /* parent 0: none */
    const char *layer, *name, *function;
    pop_where where;
};

/* Begins to write at the position of file. id: for CBOR, the id of the stream; NULL: none. */
void debug_stream_begin(struct debug_stream *stream, FILE *file, pop_debug_format format, const char *id);
/* Writes a context. map has the layer's own members; it is freed. */
void debug_stream_put(struct debug_stream *stream, const struct debug_context *context, pop_profile_value map);
/* Completes the file, which stays open; false when a write has failed. */
bool debug_stream_end(struct debug_stream *stream);

#endif
