/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise conversion between any two types, as in C: real numbers to integers round towards zero, BOOL is value !=
 * 0, and HALF rounds to nearest even.
 *
 * QUARTER is converted from and to HALF, FLOAT, CHAR, SIGNED_CHAR, UNSIGNED_CHAR and itself (type_error otherwise), by
 * the metadata that the program has then (poplar/quarter.h); what is too large for a QUARTER becomes NaN. */
#ifndef POPOPS_CAST_H
#define POPOPS_CAST_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define popops_cast(...) popops_cast_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: converts in to a type.  The result is a new variable, mapped like in. */
POP_API pop_tensor popops_cast_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type type, pop_program sequence,
                                  const char *name);
#define popops_cast_in(...) popops_cast_in_at(POP_HERE, __VA_ARGS__)
/* Converts in a compute set, which the caller executes; the result is a new variable. */
POP_API pop_tensor popops_cast_in_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type type,
                                     pop_compute_set set, const char *name);
#define popops_cast_to(...) popops_cast_to_at(POP_HERE, __VA_ARGS__)
/* Converts in a compute set to out, which has in's shape. The tiles of out do the work. */
POP_API void popops_cast_to_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor out, pop_compute_set set);
#define popops_cast_program(...) popops_cast_program_at(POP_HERE, __VA_ARGS__)
/* Converts as a program to be added by the caller; it is a copy when both types are equal. */
POP_API pop_program popops_cast_program_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor out,
                                           const char *name);
#define popops_cast_with_output(...) popops_cast_with_output_at(POP_HERE, __VA_ARGS__)
/* Adds the program of popops_cast_program to a sequence. */
POP_API void popops_cast_with_output_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor out,
                                        pop_program sequence, const char *name);

/* popops_cast and popops_cast_in to QUARTER: the result shares the metadata.  tensor_metadata_error for other types. */
#define popops_cast_with_metadata(...) popops_cast_with_metadata_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_cast_with_metadata_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type type,
                                                pop_tensor metadata, pop_program sequence, const char *name);
#define popops_cast_in_with_metadata(...) popops_cast_in_with_metadata_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_cast_in_with_metadata_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type type,
                                                   pop_tensor metadata, pop_compute_set set, const char *name);

#define popops_check_accuracy_when_cast(...) popops_check_accuracy_when_cast_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: tests whether the cast of a floating-point value keeps its accuracy.  in has one element.  The
 * result, a new BOOL of rank 0 on in's tile, is true when the converted value is finite and its error is below
 * tolerance times the value's size: of 0 it is false, of a half always true.  It never stops the program. */
POP_API pop_tensor popops_check_accuracy_when_cast_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type type,
                                                      double tolerance, pop_program sequence, const char *name);

POP_END_DECLS
#endif
