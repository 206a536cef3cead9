/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of rows copied from one tensor to places of another, both known when the program runs. */
#ifndef POPOPS_SEQUENCE_SLICE_H
#define POPOPS_SEQUENCE_SLICE_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define popops_sequence_slice(...) popops_sequence_slice_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: rows src[src_offsets[i] + k] go to dst[dst_offsets[i] + k] for k < lengths[i], for one i after
 * the other.  With zero_unused all other rows of dst become 0.  Rows are elements of dimension 0; both tensors have the
 * same other dimensions and any one type, the others are {n} of UNSIGNED_INT (or INT, read so).  Rows that either
 * tensor lacks are left out.  poplar_error and type_error for what does not fit together. */
POP_API void popops_sequence_slice_at(pop_where where, pop_graph *graph, pop_tensor src, pop_tensor dst,
                                      pop_tensor lengths, pop_tensor src_offsets, pop_tensor dst_offsets,
                                      bool zero_unused, pop_program sequence, const char *name);

POP_END_DECLS
#endif
