/* SPDX-License-Identifier: Apache-2.0 */
/* The call of a public function of a library: what everything that it builds belongs to. A public function makes its
 * call in its first line (POPLIBS_CALL, log.h); private functions take it first, or a structure that begins with it.
 *
 * In the libraries POP_HERE is the place of the call that is named `call` (cmake/poplibs.cmake), so pop_tensor_slice(t,
 * ...) there is made for the user's line. */
#ifndef POPLIBS_CALL_H
#define POPLIBS_CALL_H

#include "poplibs/support.h"

#include <poplar/log.h>

struct call {
    pop_graph *graph;
    pop_where where;      /* the user's line, and the call's debug context */
    const char *api;      /* the function, as errors name it: "popops_cast" */
    pop_program sequence; /* what the call builds is added to it; null for a call without one */
    const char *name;     /* the debug path that was given; NULL for none */
    pop_options options;  /* as given */
    pop_log_library library;
    pop_error *error; /* of a call without a graph: where its first error goes */
};

/* The function that begins a call. */
struct call_function {
    pop_log_library library;
    const char *function; /* __func__ */
    char *name;           /* as long: for the function without _at */
    const char *api;      /* by which errors call it; NULL: its name */
};
/* Logs a call and records it in its graph (NULL: none). The arguments named name and options are the call's. bytes: of
 * the arguments. */
struct call call_begin(const struct call_function *function, pop_graph *graph, pop_where where, pop_program sequence,
                       const pop_log_argument *arguments, size_t bytes);
/* Ends it, at each return of the function. */
void call_end(const struct call *call);

/* The call, as if made on another graph. */
static inline struct call call_on(const struct call *call, pop_graph *graph)
{
    struct call other = *call;
    other.graph = graph;
    return other;
}

/* The call of a function without a graph, whose errors go to *error, which it clears. */
static inline struct call call_reporting(const struct call *call, pop_error *error)
{
    struct call other = *call;
    memset(error, 0, sizeof(*error));
    other.graph = NULL;
    other.error = error;
    return other;
}

/* ---- errors ---- */

static inline bool call_ready(const struct call *call)
{
    return call->error ? call->error->status == POP_OK : call->graph && !pop_graph_error(call->graph);
}
/* Fills in an error of a function without a graph (NULL: nobody wants it); returns its status. */
pop_status call_set_error(const struct call *call, pop_error *error, pop_status status, const char *text);
/* Gives the error of a reporting call to the function's caller (NULL: nobody wants it); returns its status. */
pop_status call_report(const struct call *call, pop_error *error);
/* Records an error in the graph, or of a call without one in its error, and returns false. */
bool call_fail(const struct call *call, pop_status status, const char *format, ...) POP_PRINTF(3, 4);
/* Whether a number of elements is plausible: allocating eight times the target's memory or more would take long to
 * fail (smaller excesses are reported by the compiler). Otherwise returns false with an error that names `what`. */
bool call_fits_memory(const struct call *call, const char *what, size_t elements, pop_type type);
/* Whether t can be an operand: a tensor of this graph whose elements are all mapped. Otherwise returns false with an
 * error that names `what`. */
bool call_takes(const struct call *call, const char *what, pop_tensor t);
/* Whether t can be an operand of this type and shape. */
bool call_takes_shape(const struct call *call, const char *what, pop_tensor t, pop_type type, pop_shape shape);
/* Whether each element of a tensor of this graph is one that can be written, once. */
bool call_takes_writeable(const struct call *call, const char *what, pop_tensor t);
/* Checks a scale: one element; if it is not mapped, it is mapped to tile 0, as in Poplibs. */
bool call_takes_scale(const struct call *call, const char *what, pop_tensor t);

/* "prefix/name", as debug paths are joined; only name when there is no prefix. The graph keeps it. */
const char *call_path(const struct call *call, const char *prefix, const char *name);

/* ---- vertices ---- */

/* A vertex of a type, on a tile. */
pop_vertex call_vertex(const struct call *call, pop_compute_set set, const char *type, unsigned tile);
void call_connect(const struct call *call, pop_vertex vertex, const char *field, pop_tensor t);
/* Sets a field that holds a number. */
void call_set(const struct call *call, pop_vertex vertex, const char *field, size_t value);

/* ---- programs, in the call's sequence ---- */

void call_copy(const struct call *call, pop_tensor from, pop_tensor to, const char *name);
void call_execute(const struct call *call, pop_compute_set set, const char *name);

#endif
