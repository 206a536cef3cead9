/* SPDX-License-Identifier: Apache-2.0 */
/* Index vectors of gather and scatter: brought into order, and made places of slices. */
#ifndef POPOPS_SLICE_INDEX_VECTORS_H
#define POPOPS_SLICE_INDEX_VECTORS_H

#include "popops/slice/slicing.h"

/* What slices are taken of, and where. */
struct popops_windows {
    pop_where where;
    const char *api, *name;
    pop_tensor operand, vectors;   /* vectors is {n, count of dims} */
    pop_dims dims;                 /* the operand's dimension of each component */
    size_t sizes[POPOPS_MAX_DIMS]; /* of a slice, for each of the operand's dimensions */
    bool validate;                 /* an index vector of no slice ends the run */
};

/* Reads the options of a gather or scatter. */
bool popops_take_index_options(struct popops_windows *windows, pop_graph *graph, pop_options options);
/* indices as {n, components}; false and an error where they cannot be. */
bool popops_take_vectors(struct popops_windows *windows, pop_graph *graph, pop_tensor indices, size_t index_vector_dim);
/* Adds a check that ends the run where an index is out of range, where the options ask for it. */
void popops_add_index_check(const struct popops_windows *windows, pop_graph *graph, pop_program sequence);
/* Whether a slice has one element along all indexed dimensions: a row of a matrix. */
bool popops_are_rows(const struct popops_windows *windows);
/* The operand as {rows, rest of a slice}: dimensions that are not indexed are cut to the slice's size. */
pop_tensor popops_as_rows(const struct popops_windows *windows);
/* The operand cut so, in its own shape. */
pop_tensor popops_cut_operand(const struct popops_windows *windows);
/* Adds what computes places to a sequence: rows as {n, 1}, or offsets as {n, components}, of UNSIGNED_INT.  Indices of
 * offsets that do not fit go to the nearest that do; those of rows are 0, or, for rows that shall be skipped, make one
 * that is none. */
pop_tensor popops_places(const struct popops_windows *windows, pop_graph *graph, bool rows, bool skip,
                         pop_program sequence);

#endif
