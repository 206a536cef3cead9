/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix products of a fully connected layer, for poplin_preplan_mat_muls. */
#ifndef POPLIN_FULLY_CONNECTED_H
#define POPLIN_FULLY_CONNECTED_H

#include <poplin/mat_mul.h>

/* Sizes of a fully connected layer: its weights are {groups, output size, input size}. */
typedef struct poplin_fully_connected_params {
    size_t num_groups, batch_size, input_size, output_size; /* layers; rows; columns of the input; of the output */
} poplin_fully_connected_params;

/* A product, and the value of its option fullyConnectedPass. */
typedef struct poplin_fc_mat_mul {
    poplin_mat_mul_params params; /* sizes and types of the product */
    const char *pass;             /* static storage */
} poplin_fc_mat_mul;
enum { POPLIN_MAX_FC_MAT_MULS = 3 };

POP_BEGIN_DECLS

/* Writes the forward product and, for training, those of the gradients of input and weights.  Returns their number. */
POP_API size_t poplin_fc_get_mat_mul_pre_plan_parameters(const poplin_fully_connected_params *params, pop_type type,
                                                         bool inference_only,
                                                         poplin_fc_mat_mul list[POPLIN_MAX_FC_MAT_MULS]);

POP_END_DECLS
#endif
