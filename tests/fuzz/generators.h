/* SPDX-License-Identifier: Apache-2.0 */
/* The generators of operations, and their shared helpers. */
#ifndef TESTS_FUZZ_GENERATORS_H
#define TESTS_FUZZ_GENERATORS_H

#include "fuzz.h"

generator make_element_wise, make_map, make_cast, make_fill, make_copy, make_scaled_add;
generator make_reduce, make_dynamic, make_multi, make_gather, make_sort, make_top_k, make_pad, make_rows, make_truth;
generator make_pool, make_non_linearity, make_loss, make_norm, make_random, make_recurrent;
generator make_windows, make_ctc;
generator make_multi_conv;
generator make_product, make_conv, make_bias, make_solve;
generator make_factor, make_quarter, make_spline, make_roi, make_sparse, make_dynamic_sparse;

/* The index in a view of a smaller shape that is broadcast, for element i of the whole. */
size_t broadcast_place(const struct view *small, const struct view *out, size_t i);
/* A shape that broadcasts to v's; returns its rank. */
size_t smaller_shape(struct world *w, const struct view *v, size_t *dims);

/* Random options of a convolution or product, whose texts are static; writes up to 12, returns how many. */
size_t linear_options(struct world *w, struct operation *op, pop_option *list, bool product);
/* Constraints without a plan are an expected error: takes it, and drops the operation. */
bool refused_plan(struct world *w, struct operation *op);
/* The tolerance of sums of that many products, relative to their magnitude. */
void sum_tolerance(const struct operation *op, struct expected *out, pop_type in_type, size_t terms);
/* An input created by the library. */
struct view laid_out(struct world *w, pop_tensor t);

#endif
