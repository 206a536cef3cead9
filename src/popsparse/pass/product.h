/* SPDX-License-Identifier: Apache-2.0 */
/* The products of a sparse and a dense matrix. */
#ifndef POPSPARSE_PASS_PRODUCT_H
#define POPSPARSE_PASS_PRODUCT_H

#include "popsparse/pass/pass.h"

/* The sparse matrix times a dense {groups, columns, batch}, which gives {groups, rows, batch}; transposed: the
 * transposed one times {groups, rows, batch}. */
pop_tensor sparse_product(const struct call *call, const struct sparse_request *request,
                          const struct sparse_cells *cells, pop_tensor dense, bool transposed);
/* FLOAT {partials, z, groups, lines, batch / z}: each part is on the tile that adds to it, and 0. */
pop_tensor sparse_partials(const struct call *call, const struct sparse_request *request, enum sparse_lines lines);
/* Their sum in the operation's type, {groups, lines, batch}. */
pop_tensor sparse_result(const struct call *call, const struct sparse_request *request, enum sparse_lines lines,
                         pop_tensor partials);
/* Adds up partial results over dimension 0, which are FLOAT; the result, of the operation's type, is written to out. */
void sparse_sum(const struct call *call, pop_tensor partials, pop_tensor out);

#endif
