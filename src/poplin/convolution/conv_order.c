/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/convolution/convolution.h"

unsigned conv_last_dim(pop_tensor t)
{
    size_t rank = pop_tensor_rank(t);
    return rank ? (unsigned)rank - 1 : 0;
}
static pop_tensor roll(const struct conv_call *request, pop_tensor t, unsigned from, unsigned to)
{
    const struct call *call = request->call;
    return pop_tensor_dim_roll(t, from, to);
}
/* Adds a last dimension of 1 if the caller's tensors have no field. */
static pop_tensor with_field(const struct conv_call *request, pop_tensor t)
{
    const struct call *call = request->call;
    return request->no_field ? pop_tensor_expand(t, POP_DIMS((unsigned)pop_tensor_rank(t))) : t;
}
static pop_tensor without_field(const struct conv_call *request, pop_tensor t)
{
    const struct call *call = request->call;
    return request->no_field && pop_tensor_valid(t) ? pop_tensor_squeeze(t, POP_DIMS(conv_last_dim(t))) : t;
}
/* {batch, groups x channels, field...} to {groups, batch, field..., channels}, and the inverse. */
pop_tensor conv_activations_in(const struct conv_call *request, pop_tensor t)
{
    const struct call *call = request->call;
    size_t groups = request->given.num_conv_groups, channels = groups ? pop_tensor_dim(t, 1) / groups : 0;
    t = pop_tensor_reshape_partial(with_field(request, t), 1, 2, POP_SHAPE(groups, channels));
    t = roll(request, t, 1, 0);
    return roll(request, t, 2, conv_last_dim(t));
}
pop_tensor conv_activations_out(const struct conv_call *request, pop_tensor t)
{
    const struct call *call = request->call;
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    t = roll(request, t, 0, 1);
    t = roll(request, t, conv_last_dim(t), 2);
    return without_field(request, pop_tensor_flatten_dims(t, 1, 3));
}
/* {groups, output channels, input channels, kernel...} to {groups, kernel..., output channels, input channels}, and the
 * inverse. */
pop_tensor conv_weights_in(const struct conv_call *request, pop_tensor t)
{
    t = with_field(request, t);
    t = roll(request, t, 1, conv_last_dim(t));
    return roll(request, t, 1, conv_last_dim(t));
}
pop_tensor conv_weights_out(const struct conv_call *request, pop_tensor t)
{
    if (!call_ready(request->call))
        return (pop_tensor){ 0 };
    t = roll(request, t, conv_last_dim(t), 1);
    return without_field(request, roll(request, t, conv_last_dim(t), 1));
}
