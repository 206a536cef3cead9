/* SPDX-License-Identifier: Apache-2.0 */
/* Loops whose limit is known when the program runs.  (poputil/loop.h has those with limits that are known now.) */
#ifndef POPOPS_LOOP_H
#define POPOPS_LOOP_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define popops_counted_for_loop(...) popops_counted_for_loop_at(POP_HERE, __VA_ARGS__)
/* A sequence that sets count to initial and runs body as long as count is less than limit (or, for a step below 0,
 * more), adding step after each time.  Both are one element of INT or UNSIGNED_INT, of one type; count may be null:
 * then there is one that nobody sees.  The body may read count and change limit. poplar_error for a step of 0 and other
 * tensors. */
POP_API pop_program popops_counted_for_loop_at(pop_where where, pop_graph *graph, pop_tensor count, int initial,
                                               pop_tensor limit, int step, pop_program body, const char *name);
#define popops_add_for_loop_counter_vertex(...) popops_add_for_loop_counter_vertex_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence what such a loop does before each time: step is added to count; the result, a scalar UNSIGNED_INT
 * on the tile, is 1 where the loop goes on, and else 0. */
POP_API pop_tensor popops_add_for_loop_counter_vertex_at(pop_where where, pop_graph *graph, pop_tensor count,
                                                         pop_tensor limit, int step, unsigned tile,
                                                         pop_program sequence, const char *name);

POP_END_DECLS
#endif
