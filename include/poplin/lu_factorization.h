/* SPDX-License-Identifier: Apache-2.0 */
/* LU factorisation without pivoting. */
#ifndef POPLIN_LU_FACTORIZATION_H
#define POPLIN_LU_FACTORIZATION_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define poplin_lu_factorization(...) poplin_lu_factorization_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: input = L U for a matrix {m, n}, of FLOAT or cast to it. Returns L {m, m}, lower with ones on the
 * diagonal (beyond column min(m, n) the identity), and sets *upper to U {m, n}; both are new. Rows are not exchanged: a
 * pivot of 0 gives infinities and NaN. A step for each row: compute sets and vertices grow with the square of the size.
 * poplar_error for another rank. */
POP_API pop_tensor poplin_lu_factorization_at(pop_where where, pop_graph *graph, pop_tensor input, pop_program sequence,
                                              const char *name, pop_tensor *upper);

POP_END_DECLS
#endif
