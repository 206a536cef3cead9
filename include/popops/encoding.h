/* SPDX-License-Identifier: Apache-2.0 */
/* One-hot rows, and sequences of integers. */
#ifndef POPOPS_ENCODING_H
#define POPOPS_ENCODING_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define popops_encode_one_hot(...) popops_encode_one_hot_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: sets row i of encoded to 0, except for a 1 in column indices[i].  indices is INT or UNSIGNED_INT
 * of shape {n}; encoded is HALF, FLOAT, INT or UNSIGNED_INT of shape {n, classes}, without aliases.  An index that is
 * not a column gives a row of zeros.  type_error and poplar_error otherwise. */
POP_API void popops_encode_one_hot_at(pop_where where, pop_graph *graph, pop_tensor indices, pop_tensor encoded,
                                      pop_program sequence, const char *name);
#define popops_encode_one_hot_values(...) popops_encode_one_hot_values_at(POP_HERE, __VA_ARGS__)
/* As popops_encode_one_hot, with two values instead of 1 and 0: tensors of one element each, of encoded's type. */
POP_API void popops_encode_one_hot_values_at(pop_where where, pop_graph *graph, pop_tensor indices, pop_tensor encoded,
                                             pop_program sequence, pop_tensor on, pop_tensor off, const char *name);
#define popops_iota(...) popops_iota_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: element i of the flattened t becomes start + i.  t is INT, UNSIGNED_INT, HALF or FLOAT, without
 * aliases; start + i is computed as an integer, which wraps at 32 bits. */
POP_API void popops_iota_at(pop_where where, pop_graph *graph, pop_tensor t, int64_t start, pop_program sequence,
                            const char *name);

POP_END_DECLS
#endif
