/* SPDX-License-Identifier: Apache-2.0 */
/* All generators, with their weights. */
#include "generators.h"

const struct generator_row generators[] = {
    { "element", make_element_wise, 10, true },
    { "map", make_map, 3, false },
    { "cast", make_cast, 3, true },
    { "fill", make_fill, 2, false },
    { "copy", make_copy, 4, true },
    { "scaled", make_scaled_add, 3, false },
    { "reduce", make_reduce, 7, true },
    { "dynamic", make_dynamic, 4, true },
    { "multi", make_multi, 4, false },
    { "gather", make_gather, 2, true },
    { "sort", make_sort, 2, true },
    { "top_k", make_top_k, 3, true },
    { "pad", make_pad, 2, false },
    { "rows", make_rows, 3, false },
    { "truth", make_truth, 1, true },
    { "product", make_product, 4, false },
    { "conv", make_conv, 5, false },
    { "multi_conv", make_multi_conv, 2, false },
    { "bias", make_bias, 2, false },
    { "solve", make_solve, 2, false },
    { "pool", make_pool, 4, false },
    { "non_linearity", make_non_linearity, 4, false },
    { "loss", make_loss, 3, false },
    { "ctc", make_ctc, 1, false },
    { "norm", make_norm, 3, false },
    { "random", make_random, 2, false },
    { "recurrent", make_recurrent, 2, false },
    { "windows", make_windows, 3, false },
};
const size_t num_generators = sizeof(generators) / sizeof(generators[0]);
