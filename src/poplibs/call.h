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

/* A call for a part of what the call builds: in another sequence, under another name. */
static inline struct call call_in(const struct call *call, pop_program sequence)
{
    struct call part = *call;
    part.sequence = sequence;
    return part;
}
static inline struct call call_named(const struct call *call, const char *name)
{
    struct call part = *call;
    part.name = name;
    return part;
}

/* ---- errors ---- */

static inline bool call_ready(const struct call *call)
{
    return call->graph && !pop_graph_error(call->graph);
}
/* Records an error in the graph and returns false. */
bool call_fail(const struct call *call, pop_status status, const char *format, ...) POP_PRINTF(3, 4);
/* Whether a number of elements is plausible: allocating eight times the target's memory or more would take long to
 * fail (smaller excesses are reported by the compiler). Otherwise returns false with an error that names `what`. */
bool call_fits_memory(const struct call *call, const char *what, size_t elements, pop_type type);
/* Whether t can be an operand: a tensor of this graph whose elements are all mapped. Otherwise returns false with an
 * error that names `what`. */
bool call_takes(const struct call *call, const char *what, pop_tensor t);
/* Checks a scale: one element; if it is not mapped, it is mapped to tile 0, as in Poplibs. */
bool call_takes_scale(const struct call *call, const char *what, pop_tensor t);

/* ---- programs, in the call's sequence ---- */

void call_add(const struct call *call, pop_program program);
void call_copy(const struct call *call, pop_tensor from, pop_tensor to, const char *name);
void call_execute(const struct call *call, pop_compute_set set, const char *name);

#endif
