/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/convolution/conv_steps.h"
#include "poplin/convolution/conv_build.h"
#include "poplin/convolution/conv_new.h"
#include "poplin/convolution/conv_order.h"
#include "poplin/convolution/conv_places.h"
#include "poplin/host/host_conv_operand.h"
#include "poplin/host/host_conv_update.h"

#include <popops/rearrange.h>

/* CPU devices have no plans: host/host_conv.c convolves there.  False on other devices. */
static bool is_for_host(const struct conv_call *call, const char *name, struct host_conv *host)
{
    *host = (struct host_conv){ call->where, call->graph, name, &call->given };
    return poplibs_ready(call->graph) && host_conv_serves(call->graph, &call->given);
}

/* ---- operands ---- */

pop_tensor conv_make_input(const struct conv_call *call)
{
    struct conv_resolved conv;
    struct host_conv host;
    if (is_for_host(call, call->name, &host))
        return conv_activations_out(call, host_conv_new_input(&host));
    if (!conv_resolve(&conv, call, call->name))
        return (pop_tensor){ 0 };
    return conv_activations_out(call, conv_new_input(&conv));
}
pop_tensor conv_make_weights(const struct conv_call *call)
{
    struct conv_resolved conv;
    struct host_conv host;
    if (is_for_host(call, call->name, &host))
        return conv_weights_out(call, host_conv_new_weights(&host));
    if (!conv_resolve(&conv, call, call->name))
        return (pop_tensor){ 0 };
    return conv_weights_out(call, conv_new_weights(&conv));
}

/* ---- forward and backward ---- */

void conv_transpose_weights(struct conv_program *program, pop_tensor from, pop_tensor to, bool to_is_new)
{
    pop_where where = program->where;
    pop_graph *graph = program->graph;
    pop_tensor source, destination;
    for (unsigned d = 3; d < pop_tensor_rank(from); ++d)
        from = pop_tensor_reverse_at(where, from, d);
    pop_compute_set set = conv_program_set(program, CONV_TRANSPOSE, program->name, "Transpose");
    from = popops_regroup_if_beneficial_apart_at(where, graph, pop_tensor_dim_roll_at(where, from, 1, 2), to, set,
                                                 program->name, &source, &destination);
    if (pop_tensor_valid(source))
        conv_program_copy(program, CONV_TRANSPOSE, source, destination);
    if (to_is_new)
        conv_avoid_local_pieces(where, graph, from, to);
    conv_program_copy(program, CONV_TURN, from, to);
}

pop_tensor conv_convolve(const struct conv_call *call, pop_tensor in, pop_tensor weights, bool transposed,
                         struct conv_program *program)
{
    struct conv_resolved conv;
    struct host_conv host;
    if (!conv_call_check_input(call, in, "in") || !conv_call_check_weights(call, weights, transposed))
        return (pop_tensor){ 0 };
    if (is_for_host(call, call->path, &host))
        return conv_activations_out(call, host_conv_convolve(&host, conv_activations_in(call, in),
                                                             conv_weights_in(call, weights), transposed,
                                                             conv_program_sequence(program, CONV_CONVOLVE)));
    if (!conv_resolve(&conv, call, call->path))
        return (pop_tensor){ 0 };
    if (transposed) {
        pop_tensor turned = conv_weights_out(call, conv_new_weights(&conv));
        if (poplibs_ready(call->graph))
            conv_transpose_weights(program, weights, turned, true);
        weights = turned;
    }
    if (!poplibs_ready(call->graph))
        return (pop_tensor){ 0 };
    return conv_activations_out(
        call, conv_add(&conv, conv_activations_in(call, in), conv_weights_in(call, weights), program));
}

/* ---- the update of weights ---- */

pop_tensor conv_weight_deltas(const struct conv_call *call, pop_tensor deltas, pop_tensor activations,
                              struct conv_program *program)
{
    struct conv_resolved conv;
    struct host_conv host;
    if (!conv_call_check_output(call, deltas, "deltas", call->given.input_type) ||
        !conv_call_check_input(call, activations, "activations"))
        return (pop_tensor){ 0 };
    pop_where where = call->where;
    pop_tensor input = conv_activations_in(call, activations), kernel = conv_activations_in(call, deltas);
    if (is_for_host(call, call->path, &host))
        return conv_weights_out(
            call, host_conv_weight_deltas(&host, kernel, input, conv_program_sequence(program, CONV_CONVOLVE)));
    if (!conv_resolve(&conv, call, call->path))
        return (pop_tensor){ 0 };
    /* {groups, input channels, batch, field...}, {groups, field..., output channels, batch} */
    input = pop_tensor_dim_roll_at(where, input, conv_last_dim(input), 1);
    input = pop_tensor_dim_roll_at(where, input, 2, conv_last_dim(input));
    kernel = pop_tensor_dim_roll_at(where, kernel, 1, conv_last_dim(kernel));
    /* {groups, input channels, kernel..., output channels} */
    pop_tensor made = conv_add(&conv, input, kernel, program);
    if (!poplibs_ready(call->graph))
        return (pop_tensor){ 0 };
    return conv_weights_out(call, pop_tensor_dim_roll_at(where, made, 1, conv_last_dim(made)));
}
