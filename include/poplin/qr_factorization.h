/* SPDX-License-Identifier: Apache-2.0 */
/* QR factorisation by Householder reflections. */
#ifndef POPLIN_QR_FACTORIZATION_H
#define POPLIN_QR_FACTORIZATION_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define poplin_create_qr_factorization_matrices(...) poplin_create_qr_factorization_matrices_at(POP_HERE, __VA_ARGS__)
/* Returns a new tensor for A {m, n}, m >= n, and sets *q to one for Q {m, m}, with columns of A and rows of Q dealt out
 * to the tiles. */
POP_API pop_tensor poplin_create_qr_factorization_matrices_at(pop_where where, pop_graph *graph, pop_type type,
                                                              size_t m, size_t n, const char *name, pop_tensor *q);
#define poplin_qr_factorization(...) poplin_qr_factorization_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: a becomes R, the upper factor, and q, which must hold the identity, becomes Q, so that A = Q R.
 * Elements of R below the diagonal are rounding errors, and its diagonal has the signs opposite to the columns'. FLOAT,
 * {m, n} with m >= n and {m, m}; type_error and poplar_error otherwise. Option rowsPerIteration (32) is accepted and
 * has no effect: each column has steps of its own. */
POP_API void poplin_qr_factorization_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor q,
                                        pop_program sequence, const char *name, pop_options options);

POP_END_DECLS
#endif
