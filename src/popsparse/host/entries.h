/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of a sparse matrix: where each block is, and where its values are stored. */
#ifndef POPSPARSE_HOST_ENTRIES_H
#define POPSPARSE_HOST_ENTRIES_H

#include "poplibs/call.h"
#include "popsparse/plan/shape.h"

#include <popsparse/sparse_storage_formats.h>

struct sparse_entry {
    size_t row, column; /* in blocks; the rows of all groups follow each other */
    size_t place;       /* of its values: a block of nz_values */
};
struct sparse_entries {
    struct sparse_entry *list;
    size_t count;
};

/* Checks a matrix against a shape, and sorts its entries by rows and columns. The caller frees the list.  False after
 * an error of the graph. */
bool sparse_entries_read(const struct call *call, const struct sparse_shape *shape, const popsparse_matrix *matrix,
                         struct sparse_entries *entries);
/* A matrix in a format; values holds a block for each entry's place.  Entries are sorted by rows and columns. */
popsparse_matrix sparse_entries_write(const struct sparse_shape *shape, const struct sparse_entries *entries,
                                      const double *values, popsparse_format format);

#endif
