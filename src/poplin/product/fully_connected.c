/* SPDX-License-Identifier: Apache-2.0 */
#include <poplin/fully_connected.h>

static poplin_fc_mat_mul product(pop_type type, size_t groups, size_t rows, size_t depth, size_t columns,
                                 const char *pass)
{
    return (poplin_fc_mat_mul){ { type, type, { groups, rows, depth }, { groups, depth, columns } }, pass };
}

size_t poplin_fc_get_mat_mul_pre_plan_parameters(const poplin_fully_connected_params *params, pop_type type,
                                                 bool inference_only, poplin_fc_mat_mul list[POPLIN_MAX_FC_MAT_MULS])
{
    size_t groups = params->num_groups, batch = params->batch_size, in = params->input_size, out = params->output_size;
    list[0] = product(type, groups, batch, in, out, inference_only ? "INFERENCE_FWD" : "TRAINING_FWD");
    if (inference_only)
        return 1;
    list[1] = product(type, groups, batch, out, in, "TRAINING_BWD");
    list[2] = product(type, groups, in, batch, out, "TRAINING_WU");
    return 3;
}
