/* SPDX-License-Identifier: Apache-2.0 */
/* Setting tensors to one value.  Any type; an element that occurs in t several times is written once. */
#ifndef POPOPS_FILL_H
#define POPOPS_FILL_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define popops_fill(...) popops_fill_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: sets every element of t to value, converted to t's type. */
POP_API void popops_fill_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence, double value,
                            const char *name);
#define popops_fill_in(...) popops_fill_in_at(POP_HERE, __VA_ARGS__)
/* Sets every element of t to value in a compute set, which the caller executes. */
POP_API void popops_fill_in_at(pop_where where, pop_graph *graph, pop_tensor t, pop_compute_set set, double value);
#define popops_fill_on_tile(...) popops_fill_on_tile_at(POP_HERE, __VA_ARGS__)
/* Sets intervals of the flattened t to value in a compute set, with vertices on the given tile. */
POP_API void popops_fill_on_tile_at(pop_where where, pop_graph *graph, pop_tensor t, pop_interval_list regions,
                                    unsigned tile, pop_compute_set set, double value);

/* These three calls with a value of any type at value, which is converted to t's type: integers of 64 bits need not
 * pass through double. */
#define popops_fill_value(...) popops_fill_value_at(POP_HERE, __VA_ARGS__)
POP_API void popops_fill_value_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence,
                                  pop_type value_type, const void *value, const char *name);
/* Fills t in a compute set, which the caller executes, with a host value of value_type. */
#define popops_fill_value_in(...) popops_fill_value_in_at(POP_HERE, __VA_ARGS__)
POP_API void popops_fill_value_in_at(pop_where where, pop_graph *graph, pop_tensor t, pop_compute_set set,
                                     pop_type value_type, const void *value);
/* Fills intervals of the flattened t with a host value of value_type, with vertices on the given tile. */
#define popops_fill_value_on_tile(...) popops_fill_value_on_tile_at(POP_HERE, __VA_ARGS__)
POP_API void popops_fill_value_on_tile_at(pop_where where, pop_graph *graph, pop_tensor t, pop_interval_list regions,
                                          unsigned tile, pop_compute_set set, pop_type value_type, const void *value);

/* Adds to a sequence: sets every element of t to zero. */
#define popops_zero(...) popops_zero_at(POP_HERE, __VA_ARGS__)
POP_API void popops_zero_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence, const char *name);
#define popops_zero_in(...) popops_zero_in_at(POP_HERE, __VA_ARGS__)
/* Sets every element of t to zero in a compute set, which the caller executes. */
POP_API void popops_zero_in_at(pop_where where, pop_graph *graph, pop_tensor t, pop_compute_set set);
#define popops_zero_on_tile(...) popops_zero_on_tile_at(POP_HERE, __VA_ARGS__)
/* Sets intervals of the flattened t to zero in a compute set, with vertices on the given tile. */
POP_API void popops_zero_on_tile_at(pop_where where, pop_graph *graph, pop_tensor t, pop_interval_list regions,
                                    unsigned tile, pop_compute_set set);

POP_END_DECLS
#endif
