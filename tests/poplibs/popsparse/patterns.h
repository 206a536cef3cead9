/* SPDX-License-Identifier: Apache-2.0 */
/* Random sparse matrices for tests: a mask of blocks, the values, and the matrix in a format. */
#ifndef TESTS_POPSPARSE_PATTERNS_H
#define TESTS_POPSPARSE_PATTERNS_H

#include "poplibs/fixture.h"

#include <popsparse/sparse_partitioner.h>

struct pattern {
    size_t rows, columns; /* elements, of all groups */
    size_t block_rows, block_columns;
    bool *present;  /* of each block */
    double *values; /* dense; 0 where a block is absent */
    size_t blocks;  /* that are present */
};

static inline struct pattern pattern_empty(size_t rows, size_t columns, size_t block_rows, size_t block_columns)
{
    struct pattern p = { rows, columns, block_rows, block_columns, NULL, NULL, 0 };
    p.present = calloc(rows / block_rows * (columns / block_columns) + 1, sizeof(bool));
    p.values = calloc(rows * columns + 1, sizeof(double));
    return p;
}
static inline void pattern_free(struct pattern *p)
{
    free(p->present);
    free(p->values);
}
/* Makes a block present, with values of at least 1/16 in size that are not exact in half. */
static inline void pattern_add(struct pattern *p, size_t block_row, size_t block_column, uint64_t *random)
{
    size_t across = p->columns / p->block_columns;
    if (p->present[block_row * across + block_column])
        return;
    p->present[block_row * across + block_column] = true;
    ++p->blocks;
    for (size_t i = 0; i < p->block_rows; ++i)
        for (size_t j = 0; j < p->block_columns; ++j) {
            double value = 0.0625 + next_random(random) / 2147483648.0;
            p->values[(block_row * p->block_rows + i) * p->columns + block_column * p->block_columns + j] =
                next_random(random) & 1 ? value : -value;
        }
}
/* Adds random blocks until so many are present. */
static inline void pattern_fill(struct pattern *p, size_t blocks, uint64_t *random)
{
    size_t down = p->rows / p->block_rows, across = p->columns / p->block_columns;
    while (p->blocks < blocks)
        pattern_add(p, next_random(random) % down, next_random(random) % across, random);
}

/* The matrix in a format; a COO's entries are in random order. */
static inline popsparse_matrix pattern_matrix(const struct pattern *p, popsparse_format format, uint64_t *random)
{
    size_t down = p->rows / p->block_rows, across = p->columns / p->block_columns,
           area = p->block_rows * p->block_columns;
    popsparse_matrix m = { .format = format,
                           .num_rows = p->rows,
                           .num_columns = p->columns,
                           .block_dimensions = { p->block_rows, p->block_columns } };
    m.num_nz_values = p->blocks * area;
    m.num_row_indices = format == POPSPARSE_CSR ? down + 1 : p->blocks;
    m.num_column_indices = format == POPSPARSE_CSC ? across + 1 : p->blocks;
    m.nz_values = calloc(m.num_nz_values + 1, sizeof(double));
    m.row_indices = calloc(m.num_row_indices + 1, sizeof(size_t));
    m.column_indices = calloc(m.num_column_indices + 1, sizeof(size_t));
    size_t *order = calloc(down * across + 1, sizeof(*order)), at = 0;
    for (size_t i = 0; i < down * across; ++i)
        order[i] = format == POPSPARSE_CSC ? i % down * across + i / down : i;
    for (size_t i = down * across; i > 1 && format == POPSPARSE_COO; --i) {
        size_t other = next_random(random) % i, kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
    for (size_t i = 0; i < down * across; ++i) {
        size_t row = order[i] / across, column = order[i] % across;
        if (p->present[order[i]]) {
            for (size_t k = 0; k < area; ++k)
                m.nz_values[at * area + k] = p->values[(row * p->block_rows + k / p->block_columns) * p->columns +
                                                       column * p->block_columns + k % p->block_columns];
            if (format != POPSPARSE_CSR)
                m.row_indices[at] = row * p->block_rows;
            if (format != POPSPARSE_CSC)
                m.column_indices[at] = column * p->block_columns;
            ++at;
        }
        if (format == POPSPARSE_CSR)
            m.row_indices[row + 1] = at * area;
        if (format == POPSPARSE_CSC)
            m.column_indices[column + 1] = at * area;
    }
    free(order);
    return m;
}

/* The dense values of a sorted matrix; fails where a block is out of order or twice there. The caller frees it. */
static inline double *dense_of(const popsparse_matrix *m, size_t rows, size_t columns)
{
    size_t block_rows = m->block_dimensions[0], block_columns = m->block_dimensions[1],
           area = block_rows * block_columns;
    double *dense = calloc(rows * columns + 1, sizeof(double));
    size_t line = 0, last = 0;
    const size_t *offsets = m->format == POPSPARSE_CSR ? m->row_indices : m->column_indices;
    for (size_t i = 0; i < m->num_nz_values / area; ++i) {
        while (m->format != POPSPARSE_COO && offsets[line + 1] <= i * area)
            ++line;
        size_t row = m->format == POPSPARSE_CSR ? line * block_rows : m->row_indices[i],
               column = m->format == POPSPARSE_CSC ? line * block_columns : m->column_indices[i];
        size_t place = m->format == POPSPARSE_CSC ? column * rows + row : row * columns + column;
        assert_true(!i || place > last);
        last = place;
        for (size_t k = 0; k < area; ++k)
            dense[(row + k / block_columns) * columns + column + k % block_columns] = m->nz_values[i * area + k];
    }
    return dense;
}

#endif
