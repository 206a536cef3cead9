/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of runs of rows from one tensor to another, at offsets known only at run time. */
#ifndef POPOPS_SEQUENCE_SLICE_H
#define POPOPS_SEQUENCE_SLICE_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define popops_sequence_slice(...) popops_sequence_slice_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: copies rows src[src_offsets[i] + k] to dst[dst_offsets[i] + k] for k < lengths[i], for one i
 * after the other.  With zero_unused all other rows of dst become 0.  Rows are elements of dimension 0, which have as
 * many elements in both tensors; the type is the same, and any.  Lengths and offsets are {n} of UNSIGNED_INT (or INT,
 * reinterpreted). Rows that do not exist in either tensor are ignored.  poplar_error and type_error for arguments that
 * do not match. */
POP_API void popops_sequence_slice_at(pop_where where, pop_graph *graph, pop_tensor src, pop_tensor dst,
                                      pop_tensor lengths, pop_tensor src_offsets, pop_tensor dst_offsets,
                                      bool zero_unused, pop_program sequence, const char *name);

POP_END_DECLS
#endif
