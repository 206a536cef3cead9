/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that count. */
#ifndef POPUTIL_LOOP_H
#define POPUTIL_LOOP_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

/* Gives the program that a loop repeats; i is the counter, a scalar UNSIGNED_INT that it may read. */
typedef pop_program (*poputil_loop_body)(pop_graph *graph, pop_tensor i, void *user);
#define poputil_counted_loop(...) poputil_counted_loop_at(POP_HERE, __VA_ARGS__)
/* A sequence that runs body for i = begin, begin + step, ... as long as i is less than end.  body is called once, now.
 * poplar_error for a step of 0, for no step at all (end is not above begin) and for a counter beyond 32 bits. */
POP_API pop_program poputil_counted_loop_at(pop_where where, pop_graph *graph, size_t begin, size_t end, size_t step,
                                            const char *name, poputil_loop_body body, void *user);

POP_END_DECLS
#endif
