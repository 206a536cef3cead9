/* SPDX-License-Identifier: Apache-2.0 */
/* FLOAT tensors as HALF. */
#ifndef POPFLOAT_CAST_TO_HALF_H
#define POPFLOAT_CAST_TO_HALF_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define popfloat_add_codelets(...) popfloat_add_codelets_at(POP_HERE, __VA_ARGS__)
/* The library's codelets, and those of popops.  Doing it again has no effect. */
POP_API void popfloat_add_codelets_at(pop_where where, pop_graph *graph);
#define popfloat_cast_to_half(...) popfloat_cast_to_half_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: a new HALF variable, mapped like in, with in's elements rounded as the tile's rounding mode has
 * it.  in is FLOAT; type_error for others. */
POP_API pop_tensor popfloat_cast_to_half_at(pop_where where, pop_graph *graph, pop_tensor in, pop_program sequence,
                                            const char *name);

POP_END_DECLS
#endif
