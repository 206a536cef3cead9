/* SPDX-License-Identifier: Apache-2.0 */
/* Counted loops. */
#ifndef POPUTIL_LOOP_H
#define POPUTIL_LOOP_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

/* Returns the program that a loop repeats; i is the counter, a scalar UNSIGNED_INT that the program may read. */
typedef pop_program (*poputil_loop_body)(pop_graph *graph, pop_tensor i, void *user);
#define poputil_counted_loop(...) poputil_counted_loop_at(POP_HERE, __VA_ARGS__)
/* Returns a sequence that runs body for i = begin, begin + step, ... while i < end. Calls body once, immediately.
 * poplar_error for a step of 0, for an empty range (end <= begin) and for a counter beyond 32 bits. */
POP_API pop_program poputil_counted_loop_at(pop_where where, pop_graph *graph, size_t begin, size_t end, size_t step,
                                            const char *name, poputil_loop_body body, void *user);

POP_END_DECLS
#endif
