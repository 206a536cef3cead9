/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors in another type, element by element.  Any two types, as C converts them: real numbers to integers towards
 * zero, BOOL is value != 0, HALF rounds to the nearest even. */
#ifndef POPOPS_CAST_H
#define POPOPS_CAST_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define popops_cast(...) popops_cast_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: a new variable, mapped like in, with in's elements as another type. */
POP_API pop_tensor popops_cast_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type type, pop_program sequence,
                                  const char *name);
#define popops_cast_in(...) popops_cast_in_at(POP_HERE, __VA_ARGS__)
/* The same in a compute set. */
POP_API pop_tensor popops_cast_in_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type type,
                                     pop_compute_set set, const char *name);
#define popops_cast_to(...) popops_cast_to_at(POP_HERE, __VA_ARGS__)
/* The same in a compute set into a tensor of in's shape.  Elements are cast on the tiles of out. */
POP_API void popops_cast_to_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor out, pop_compute_set set);
#define popops_cast_program(...) popops_cast_program_at(POP_HERE, __VA_ARGS__)
/* The same as a program: a copy where the types are equal. */
POP_API pop_program popops_cast_program_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor out,
                                           const char *name);
#define popops_cast_with_output(...) popops_cast_with_output_at(POP_HERE, __VA_ARGS__)
/* Adds that program to a sequence. */
POP_API void popops_cast_with_output_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor out,
                                        pop_program sequence, const char *name);

#define popops_check_accuracy_when_cast(...) popops_check_accuracy_when_cast_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: a new BOOL of rank 0, on in's tile: whether a value of one floating-point type, a tensor of one
 * element, survives a cast: finite, and no further away than the tolerance times itself. */
POP_API pop_tensor popops_check_accuracy_when_cast_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type type,
                                                      double tolerance, pop_program sequence, const char *name);

POP_END_DECLS
#endif
