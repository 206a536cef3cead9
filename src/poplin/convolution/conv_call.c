/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/convolution/conv_call.h"

#include <poplin/conv_util.h>
#include <popops/cast.h>

enum { MAX_RANK = POPLIN_MAX_FIELD_DIMS + 4 };

static bool check_params(const struct call *call, const poplin_conv_params *params)
{
    pop_error error;
    pop_status status = params ? poplin_conv_params_validate(params, &error) : POP_POPLAR_ERROR;
    if (status == POP_OK)
        return true;
    return call_fail(call, status, "%s", params ? error.text : "params is NULL");
}

/* The debug name of a convolution's steps: "name/Conv_3x3". */
static const char *path_of(const struct call *call, const char *name, const poplin_conv_params *params)
{
    char step[16 + 21 * POPLIN_MAX_FIELD_DIMS] = "Conv_";
    size_t length = strlen(step);
    for (size_t d = 0; d < params->num_field_dims; ++d)
        length +=
            (size_t)snprintf(step + length, sizeof(step) - length, "%s%zu", d ? "x" : "", params->kernel_shape[d]);
    return call_path(call, name, step);
}

static int update_pass(int pass)
{
    if (pass_is_fully_connected(pass))
        return POPLIN_PASS_FC_TRAINING_WU;
    return pass == POPLIN_PASS_NONE || pass == POPLIN_PASS_NONE_MATMUL ? pass : POPLIN_PASS_TRAINING_WU;
}

/* Decides whether QUARTER operands are multiplied as such: that is planned where the target can. False after an error
 * of the graph. */
static bool decide_quarter(struct conv_call *request)
{
    bool can = !request->simple.is_empty && plan_can_keep_quarter(pop_graph_target(request->call->graph));
    if (can && !plan_get(request->call, &request->simple.params, &request->options, request->cache, &request->planned))
        return false;
    request->is_planned = can;
    request->options.keeps_quarter = can && request->planned.params.input_type == POP_QUARTER;
    if (!request->options.keeps_quarter)
        request->given.input_type = request->convolved.input_type = request->simple.params.input_type = POP_HALF;
    return true;
}

bool conv_call_begin(const struct call *call, struct conv_call *request, enum conv_purpose purpose,
                     const poplin_conv_params *params, const char *name, pop_options options,
                     poplin_planning_cache *cache)
{
    *request = (struct conv_call){ .call = call, .purpose = purpose, .cache = cache };
    if (!call_ready(call) || !check_params(call, params) ||
        !conv_options_parse(call, pop_graph_target(call->graph), options, &request->options))
        return false;
    request->no_field = !params->num_field_dims;
    request->given = request->no_field ? params_with_field(params) : *params;
    if (params->input_type == POP_QUARTER) {
        if (purpose == CONV_WEIGHT_UPDATE)
            return call_fail(call, POP_TYPE_ERROR,
                             "weights of type quarter are not updated: cast activations and gradients to half");
        request->quarter = true;
        conv_options_for_quarter(&request->options);
    }
    request->convolved = request->given;
    if (purpose == CONV_WEIGHT_UPDATE) {
        request->convolved = poplin_get_weight_update_params(&request->given);
        request->options.pass = update_pass(request->options.pass);
    }
    request->simple = conv_simplify(&request->convolved);
    if (request->quarter && !decide_quarter(request))
        return false;
    request->name = name ? name : "";
    request->path = path_of(call, name, &request->convolved);
    return true;
}

/* ---- operands ---- */

/* The number of field dimensions of the caller's tensors. */
static size_t given_dims(const struct conv_call *request)
{
    return request->no_field ? 0 : request->given.num_field_dims;
}
static pop_type operand_type(const struct conv_call *request)
{
    return request->quarter ? POP_QUARTER : request->given.input_type;
}
bool conv_call_check_input(const struct conv_call *request, pop_tensor t, const char *what)
{
    const poplin_conv_params *p = &request->given;
    size_t dims[MAX_RANK] = { p->batch_size, p->num_conv_groups * p->input_channels_per_conv_group };
    memcpy(dims + 2, p->input_field_shape, sizeof(p->input_field_shape));
    return call_takes_shape(request->call, what, t, operand_type(request),
                            (pop_shape){ 2 + given_dims(request), dims });
}
bool conv_call_check_output(const struct conv_call *request, pop_tensor t, const char *what, pop_type type)
{
    const poplin_conv_params *p = &request->given;
    size_t dims[MAX_RANK] = { p->batch_size, p->num_conv_groups * p->output_channels_per_conv_group };
    for (size_t d = 0; d < p->num_field_dims; ++d)
        dims[2 + d] = poplin_conv_output_size(p, d);
    return call_takes_shape(request->call, what, t, type, (pop_shape){ 2 + given_dims(request), dims });
}
bool conv_call_check_weights(const struct conv_call *request, pop_tensor t, bool transposed)
{
    const poplin_conv_params *p = &request->given;
    size_t ins = p->input_channels_per_conv_group, outs = p->output_channels_per_conv_group;
    size_t dims[MAX_RANK] = { p->num_conv_groups, transposed ? ins : outs, transposed ? outs : ins };
    memcpy(dims + 3, p->kernel_shape, sizeof(p->kernel_shape));
    return call_takes_shape(request->call, "weights", t, operand_type(request),
                            (pop_shape){ 3 + given_dims(request), dims });
}

pop_tensor conv_call_cast(const struct conv_call *request, pop_tensor t, struct conv_program *program)
{
    const struct call *call = request->call;
    if (!request->quarter)
        return t;
    if (request->options.keeps_quarter)
        return pop_tensor_reinterpret(t, POP_UNSIGNED_CHAR);
    pop_compute_set set = conv_program_set(program, CONV_CAST_OPERANDS, request->path, "PreMacCast");
    return popops_cast_in(call->graph, t, POP_HALF, set, request->path);
}
pop_tensor conv_call_new(const struct conv_call *request, pop_tensor t)
{
    const struct call *call = request->call;
    if (!request->quarter || !call_ready(call))
        return t;
    return pop_graph_clone(call->graph, POP_QUARTER, t, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, request->name);
}
