/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/convolution/conv_views.h"

#include <assert.h>
#include <poplin/conv_util.h>

/* Zeros with t's type and shape, except for the size of one dimension. */
static pop_tensor zeros_like(const struct call *call, pop_tensor t, unsigned dim, size_t size)
{
    size_t dims[CONV_MAX_DIMS];
    pop_shape shape = conv_shape(dims, pop_tensor_shape(t, dims, CONV_MAX_DIMS));
    assert(dim < shape.rank);
    dims[dim] = size;
    pop_tensor made = pop_graph_add_constant_float(call->graph, pop_tensor_type(t), shape, 0, "zeros");
    pop_graph_set_tile_mapping(call->graph, made, 0);
    return made;
}
bool conv_is_zeros(const struct call *call, uint32_t variable, struct conv_constant *last)
{
    double value;
    if (!pop_graph_is_constant(call->graph, variable))
        return false;
    if (!last->known || last->variable != variable)
        *last = (struct conv_constant){
            true, pop_tensor_constant_double(pop_graph_variable(call->graph, variable), &value) && value == 0, variable
        };
    return last->zero;
}
pop_tensor conv_pad(const struct call *call, pop_tensor t, unsigned dim, size_t before, size_t after)
{
    pop_tensor list[3];
    size_t count = 0;
    if (!call_ready(call)) /* t may be null after an error */
        return t;
    if (before)
        list[count++] = zeros_like(call, t, dim, before);
    list[count++] = t;
    if (after)
        list[count++] = zeros_like(call, t, dim, after);
    return count == 1 ? t : pop_tensor_concat((pop_tensors){ count, list }, dim);
}

/* The length of the longest run of POPLIN_NO_INDEX. */
static size_t longest_gap(const unsigned *indices, size_t count)
{
    size_t longest = 0, gap = 0;
    for (size_t i = 0; i < count; ++i) {
        gap = indices[i] == POPLIN_NO_INDEX ? gap + 1 : 0;
        longest = poplibs_max(longest, gap);
    }
    return longest;
}

/* Indices with a constant step form one piece; all gaps are slices of one constant. */
pop_tensor conv_gather(const struct call *call, pop_tensor t, unsigned dim, const unsigned *indices, size_t count)
{
    if (!pop_tensor_valid(t)) /* after an error */
        return t;
    pop_tensor *pieces = poplibs_new(count + 1, sizeof(*pieces)), joined = { 0 };
    size_t used = 0, gap = longest_gap(indices, count);
    pop_tensor zeros = gap ? zeros_like(call, t, dim, gap) : (pop_tensor){ 0 };
    for (size_t at = 0, end; at < count; at = end) {
        end = at + 1;
        if (indices[at] == POPLIN_NO_INDEX) {
            while (end < count && indices[end] == POPLIN_NO_INDEX)
                ++end;
            pieces[used++] = pop_tensor_slice(zeros, 0, end - at, dim);
            continue;
        }
        if (end < count && indices[end] != POPLIN_NO_INDEX && indices[end] != indices[at])
            for (++end; end < count && indices[end] != POPLIN_NO_INDEX &&
                        indices[end] - indices[end - 1] == indices[at + 1] - indices[at];)
                ++end;
        unsigned low = (unsigned)poplibs_min(indices[at], indices[end - 1]),
                 high = (unsigned)poplibs_max(indices[at], indices[end - 1]);
        assert(high < pop_tensor_dim(t, dim));
        pop_tensor piece = pop_tensor_slice(t, low, high + 1, dim);
        if (end - at > 1)
            piece = pop_tensor_sub_sample(piece, (high - low) / (unsigned)(end - at - 1), dim);
        pieces[used++] = indices[at] > indices[end - 1] ? pop_tensor_reverse(piece, dim) : piece;
    }
    joined = used == 1 ? pieces[0]
             : used    ? pop_tensor_concat((pop_tensors){ used, pieces }, dim)
                       : pop_tensor_slice(t, 0, 0, dim);
    free(pieces);
    return joined;
}
