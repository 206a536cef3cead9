/* SPDX-License-Identifier: Apache-2.0 */
/* Loops whose limit is known only at run time.  (poputil/loop.h has loops with constant limits.) */
#ifndef POPOPS_LOOP_H
#define POPOPS_LOOP_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define popops_counted_for_loop(...) popops_counted_for_loop_at(POP_HERE, __VA_ARGS__)
/* Returns a sequence that sets count to initial and runs body while count is less than limit (greater, if step is
 * negative), adding step after each iteration.  count and limit are one element each, of one type, INT or UNSIGNED_INT;
 * count may be null: then an internal counter is used.  The body may read count and change limit.  poplar_error for a
 * step of 0 and for other tensors. */
POP_API pop_program popops_counted_for_loop_at(pop_where where, pop_graph *graph, pop_tensor count, int initial,
                                               pop_tensor limit, int step, pop_program body, const char *name);
#define popops_add_for_loop_counter_vertex(...) popops_add_for_loop_counter_vertex_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence the step of such a loop before each iteration: step is added to count.  The result, a scalar
 * UNSIGNED_INT on the tile, is 1 if the loop continues, otherwise 0. */
POP_API pop_tensor popops_add_for_loop_counter_vertex_at(pop_where where, pop_graph *graph, pop_tensor count,
                                                         pop_tensor limit, int step, unsigned tile,
                                                         pop_program sequence, const char *name);

POP_END_DECLS
#endif
