/* SPDX-License-Identifier: Apache-2.0 */
/* Index vectors of gather and scatter: normalised, and converted to offsets of slices. */
#ifndef POPOPS_SLICE_INDEX_VECTORS_H
#define POPOPS_SLICE_INDEX_VECTORS_H

#include "popops/slice/slicing.h"

/* The operand that is sliced, and the offsets of the slices. */
struct slice_windows {
    const struct call *call;
    pop_tensor operand, vectors;   /* vectors is {n, count of dims} */
    pop_dims dims;                 /* the operand's dimension of each component */
    size_t sizes[POPOPS_MAX_DIMS]; /* of a slice, for each of the operand's dimensions */
    bool validate;                 /* an index vector out of range ends the run */
    bool padding;                  /* the index just beyond the end stands for a slice of zeros */
};

/* Reads the options of a gather or scatter, which are those of slices. */
bool slice_take_options(struct slice_windows *windows, pop_options options);
/* Views indices as {n, components}; false, with an error recorded, if that is impossible. */
bool slice_take_vectors(struct slice_windows *windows, pop_tensor indices, size_t index_vector_dim);
/* If the options ask for it, adds a check that ends the run when an index is out of range. */
void slice_add_index_check(const struct slice_windows *windows);
/* Whether a slice has one element along all indexed dimensions: a row of a matrix. */
bool slice_are_rows(const struct slice_windows *windows);
/* The operand as {rows, elements of a slice}: dimensions that are not indexed are cut to the slice's size. */
pop_tensor slice_as_rows(const struct slice_windows *windows);
/* The operand with the same cuts, in its own shape. */
pop_tensor slice_cut_operand(const struct slice_windows *windows);
/* Adds the computation of places to a sequence: row indices {n, 1} or offsets {n, components}, UNSIGNED_INT.  Offsets
 * out of range are clamped to the nearest valid one.  Row indices out of range become 0, or, with skip, an index out of
 * range, which multi-updates ignore. */
pop_tensor slice_places(const struct slice_windows *windows, bool rows, bool skip);

#endif
