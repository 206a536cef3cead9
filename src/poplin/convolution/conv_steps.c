/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/convolution/convolution.h"
#include "poplin/host/host.h"
#include "poplin/host/host_conv_operand.h"

#include <popops/rearrange.h>

/* CPU devices have no plans: host/host_conv.c convolves there.  False on other devices. */
static bool is_for_host(const struct conv_call *request, const char *name, struct host_conv *host)
{
    *host = (struct host_conv){ request->call, name, &request->given };
    return call_ready(request->call) && host_conv_serves(request->call->graph, &request->given);
}

/* ---- operands ---- */

pop_tensor conv_make_input(const struct conv_call *request)
{
    struct conv_resolved conv;
    struct host_conv host;
    if (is_for_host(request, request->name, &host))
        return conv_call_new(request, conv_activations_out(request, host_conv_new_input(&host)));
    if (!conv_resolve(&conv, request, request->name))
        return (pop_tensor){ 0 };
    return conv_call_new(request, conv_activations_out(request, conv_new_input(&conv)));
}
pop_tensor conv_make_weights(const struct conv_call *request)
{
    struct conv_resolved conv;
    struct host_conv host;
    if (is_for_host(request, request->name, &host))
        return conv_call_new(request, conv_weights_out(request, host_conv_new_weights(&host)));
    if (!conv_resolve(&conv, request, request->name))
        return (pop_tensor){ 0 };
    return conv_call_new(request, conv_weights_out(request, conv_new_weights(&conv)));
}

/* ---- forward and backward ---- */

void conv_transpose_weights(struct conv_program *program, pop_tensor from, pop_tensor to, bool to_is_new)
{
    const struct call *call = program->call;
    pop_tensor source, destination;
    for (unsigned d = 3; d < pop_tensor_rank(from); ++d)
        from = pop_tensor_reverse(from, d);
    pop_compute_set set = conv_program_set(program, CONV_TRANSPOSE, program->name, "Transpose");
    from = popops_regroup_if_beneficial_apart(call->graph, pop_tensor_dim_roll(from, 1, 2), to, set, program->name,
                                              &source, &destination);
    if (pop_tensor_valid(source))
        conv_program_copy(program, CONV_TRANSPOSE, source, destination);
    if (to_is_new)
        conv_avoid_local_pieces(call, from, to);
    conv_program_copy(program, CONV_TURN, from, to);
}

pop_tensor conv_convolve(const struct conv_call *request, pop_tensor in, pop_tensor weights, bool transposed,
                         struct conv_program *program)
{
    struct conv_resolved conv;
    struct host_conv host;
    if (!conv_call_check_input(request, in, "in") || !conv_call_check_weights(request, weights, transposed))
        return (pop_tensor){ 0 };
    pop_tensor given[2] = { in, weights };
    in = conv_call_cast(request, in, program);
    weights = conv_call_cast(request, weights, program);
    if (is_for_host(request, request->path, &host))
        return conv_activations_out(request, host_conv_convolve(&host, conv_activations_in(request, in),
                                                                conv_weights_in(request, weights), transposed,
                                                                conv_program_sequence(program, CONV_CONVOLVE)));
    if (!conv_resolve(&conv, request, request->path))
        return (pop_tensor){ 0 };
    conv_take_metadata(&conv, given[0], given[1]);
    if (transposed) {
        pop_tensor turned = conv_weights_out(request, conv_new_weights(&conv));
        if (call_ready(request->call))
            conv_transpose_weights(program, weights, turned, true);
        weights = turned;
    }
    if (!call_ready(request->call))
        return (pop_tensor){ 0 };
    return conv_activations_out(
        request, conv_add(&conv, conv_activations_in(request, in), conv_weights_in(request, weights), program));
}

/* ---- the update of weights ---- */

pop_tensor conv_weight_deltas(const struct conv_call *request, pop_tensor deltas, pop_tensor activations,
                              struct conv_program *program)
{
    const struct call *call = request->call;
    struct conv_resolved conv;
    struct host_conv host;
    if (!conv_call_check_output(request, deltas, "deltas", request->given.input_type) ||
        !conv_call_check_input(request, activations, "activations"))
        return (pop_tensor){ 0 };
    pop_tensor input = conv_activations_in(request, activations), kernel = conv_activations_in(request, deltas);
    if (is_for_host(request, request->path, &host))
        return conv_weights_out(
            request, host_conv_weight_deltas(&host, kernel, input, conv_program_sequence(program, CONV_CONVOLVE)));
    if (!conv_resolve(&conv, request, request->path))
        return (pop_tensor){ 0 };
    /* {groups, input channels, batch, field...}, {groups, field..., output channels, batch} */
    input = pop_tensor_dim_roll(input, conv_last_dim(input), 1);
    input = pop_tensor_dim_roll(input, 2, conv_last_dim(input));
    kernel = pop_tensor_dim_roll(kernel, 1, conv_last_dim(kernel));
    /* {groups, input channels, kernel..., output channels} */
    pop_tensor made = conv_add(&conv, input, kernel, program);
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    return conv_weights_out(request, pop_tensor_dim_roll(made, 1, conv_last_dim(made)));
}
