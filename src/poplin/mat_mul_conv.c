/* SPDX-License-Identifier: Apache-2.0 */
/* Where operands of products lie. */
#include "poplin/mat_mul_call.h"

static pop_tensor on_host(const struct mat_mul_call *call, pop_type type, size_t groups, size_t rows, size_t columns, const char *what)
{
    char path[256];
    pop_tensor t = pop_graph_add_variable_at(call->where, call->graph, type, POP_SHAPE(groups, rows, columns),
                                             poplibs_path(path, sizeof(path), call->name, what));
    pop_graph_set_tile_mapping_at(call->where, call->graph, t, 0);
    return t;
}

pop_tensor mat_mul_new_lhs(const struct mat_mul_call *call, const poplin_mat_mul_params *params)
{
    return on_host(call, params->input_type, params->a_shape[0], params->a_shape[1], params->a_shape[2], "lhs");
}
pop_tensor mat_mul_new_rhs(const struct mat_mul_call *call, const poplin_mat_mul_params *params)
{
    return on_host(call, params->input_type, params->b_shape[0], params->b_shape[1], params->b_shape[2], "rhs");
}
pop_tensor mat_mul_new_output(const struct mat_mul_call *call, const poplin_mat_mul_params *params)
{
    return on_host(call, params->output_type, params->a_shape[0], params->a_shape[1], params->b_shape[2], "Out");
}
pop_tensor mat_mul_arranged_rhs(const struct mat_mul_call *call, const poplin_mat_mul_params *params, pop_tensor b, pop_program sequence)
{
    (void)call, (void)params, (void)sequence;
    return b;
}
