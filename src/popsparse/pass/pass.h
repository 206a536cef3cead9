/* SPDX-License-Identifier: Apache-2.0 */
/* A pass over all buckets: a vertex for each cell and part of the batch.  Buckets that hold values of other cells then
 * travel from cell to cell, as many steps as the pattern says, and the vertices look at each that comes by. */
#ifndef POPSPARSE_PASS_PASS_H
#define POPSPARSE_PASS_PASS_H

#include "popsparse/pass/layout.h"

struct sparse_cells {
    pop_tensor meta_info; /* {cells x plan.meta_info} */
    pop_tensor values;    /* {cells x plan.nz}; of a pass that writes them {z, cells x plan.nz} */
    pop_tensor steps;     /* one UNSIGNED_SHORT; null: no bucket travels */
};
/* The buckets of a sparse operand. */
struct sparse_cells sparse_cells_of(const struct call *call, pop_tensor meta_info, pop_tensor values);

/* Where a vertex is, and what it has of the buckets. */
struct sparse_place {
    pop_vertex vertex;
    size_t cell, z;
    bool own; /* the bucket is the cell's */
};
struct sparse_pass {
    const struct sparse_request *request;
    const char *vertex; /* "popsparse::%s<type,sums>" is made of it, or of the one for blocks */
    const char *block_vertex;
    const char *values; /* the field of the values */
    bool writes;        /* them */
    /* Connects the vertex's other fields. */
    void (*connect)(const struct call *call, const struct sparse_pass *pass, const struct sparse_place *place);
    pop_tensor in, other, out; /* for connect */
    size_t extent;             /* for connect */
};

void sparse_pass_run(const struct call *call, const struct sparse_pass *pass, const struct sparse_cells *cells);
/* Sets the fields that each vertex has for its cell. */
void sparse_set_cell_fields(const struct call *call, const struct sparse_request *request,
                            const struct sparse_place *place);

/* grad_w.c: the gradient of the values of a sparse matrix, and what else is written in their order. */

/* The gradient of the values, in their order: that of the product's result {groups, rows, batch} times its operand
 * {groups, columns, batch}.  cells' values are not used. */
pop_tensor sparse_grad_w(const struct call *call, const struct sparse_request *request,
                         const struct sparse_cells *cells, pop_tensor grad, pop_tensor dense);
/* Partial sums {z, values}, which are 0: what each part of the batch adds to the values. */
pop_tensor sparse_value_partials(const struct call *call, const struct sparse_request *request);
/* Their sum, {values}. */
pop_tensor sparse_value_sum(const struct call *call, const struct sparse_request *request, pop_tensor partials,
                            pop_type type);

/* product.c: the products of a sparse and a dense matrix. */

/* The sparse matrix times a dense {groups, columns, batch}, which gives {groups, rows, batch}; transposed: the
 * transposed one times {groups, rows, batch}. */
pop_tensor sparse_product(const struct call *call, const struct sparse_request *request,
                          const struct sparse_cells *cells, pop_tensor dense, bool transposed);
/* Partial sums {partials, z, groups, lines, batch / z}: each part is on the tile that adds to it, and 0. */
pop_tensor sparse_partials(const struct call *call, const struct sparse_request *request, enum sparse_lines lines);
/* Their sum in the operation's type, {groups, lines, batch}. */
pop_tensor sparse_result(const struct call *call, const struct sparse_request *request, enum sparse_lines lines,
                         pop_tensor partials);
/* Adds up partial results over dimension 0; the result, of the operation's type, is written to out. */
void sparse_sum(const struct call *call, pop_tensor partials, pop_tensor out);

#endif
