/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: their kinds, the caller-owned record that a failing call fills, and where a call was made.
 *
 * Calls that build a graph return their value; the first failure is kept by the graph (pop_graph_error in graph.h) and
 * later calls do nothing until it is taken.  Calls with effects outside a graph return a pop_status and fill a
 * pop_error that the caller owns (NULL is allowed).  A user's mistake never aborts the process. */
#ifndef POPLAR_ERROR_H
#define POPLAR_ERROR_H

#include <poplar/visibility.h>

/* POP_OK is 0; the others are named after Poplar's exception classes (errors.def). */
typedef enum pop_status {
    POP_OK = 0,
#define POP_ERROR_KIND(constant, spelling, base) POP_##constant,
#include <poplar/errors.def>
#undef POP_ERROR_KIND
    POP_STATUS_COUNT
} pop_status;

/* A source location in the user's program, and a debug context (debug.h; 0: none). Libraries pass it to the calls they
 * make, so that what a call builds is attributed to it. */
typedef struct pop_where {
    const char *file; /* static storage; NULL when unknown */
    int line;         /* line in file, from 1 on */
    unsigned context; /* debug context (debug.h); 0: none */
} pop_where;

/* The place of a call; a library may define it as that of its caller. */
#ifndef POP_HERE
#ifdef __cplusplus
/* The place where it is written, as a pop_where. */
#define POP_HERE (pop_where{ __FILE__, __LINE__, 0 })
#else
#define POP_HERE ((pop_where){ __FILE__, __LINE__, 0 })
#endif
#endif

/* What went wrong.  Text is one line of what was seen, what was allowed and the nearest valid name, then notes on lines
 * of their own; api is the public call; path is the debug name of the object concerned (may be empty); artifact names a
 * file that was written before the failure (may be empty). */
typedef struct pop_error {
    pop_status status;  /* kind of the error; POP_OK: none */
    pop_where where;    /* the user's line */
    char api[64];       /* the public call */
    char path[128];     /* debug name of the object concerned; may be empty */
    char artifact[256]; /* file that was written before the failure; may be empty */
    char text[1024];    /* what was seen, what is allowed, the nearest valid name */
} pop_error;

POP_BEGIN_DECLS

/* Poplar's name of a status, such as "invalid_tile_mapping"; "ok" for POP_OK. */
POP_API const char *pop_status_name(pop_status status);

/* The base class of a status: POP_APPLICATION_RUNTIME_ERROR gives POP_RUNTIME_ERROR; POP_POPLAR_ERROR gives POP_OK. */
POP_API pop_status pop_status_base(pop_status status);

/* Writes "kind: text", then "  in", "  at" lines where they are known, to a buffer of size bytes (always terminated).
 * Returns the length of the whole text. */
POP_API size_t pop_error_format(const pop_error *error, char *buffer, size_t size);

/* Prints the formatted error and a newline to standard error. */
POP_API void pop_error_print(const pop_error *error);

POP_END_DECLS
#endif
