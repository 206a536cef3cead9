/* SPDX-License-Identifier: Apache-2.0 */
/* The views in which poplibs of 2021 plans and computes a forward pass. */
#include "popnn/pooling/pooling.h"

#include <assert.h>

enum { MAX_RANK = 3 + POPNN_MAX_FIELD_DIMS };

/* Whether each element of the field is in exactly one window's step, so that rows of windows can follow each other. */
static bool has_separate_windows(const popnn_pool_params *p)
{
    for (unsigned i = 0; i < p->dims; ++i)
        if (p->padding_lower[i] || p->padding_upper[i] || p->stride[i] < p->kernel[i] ||
            p->input_field[i] % p->stride[i])
            return false;
    return p->dims >= 2;
}

struct pool_view pool_view_of(const popnn_pool_params *params, size_t group)
{
    struct pool_view view = { *params, 0 };
    popnn_pool_params *p = &view.params;
    p->channels = params->batch * params->channels;
    p->batch = 1;
    if (group && p->channels && p->channels % group == 0 && has_separate_windows(params)) {
        unsigned row = p->dims - 2;
        view.group = group;
        p->input_field[row + 1] *= p->channels / group * (p->input_field[row] / p->stride[row]);
        p->input_field[row] = p->stride[row];
        p->channels = group;
    }
    return view;
}

pop_tensor pool_view_in(const struct call *call, const struct pool_view *view, pop_tensor in)
{
    const popnn_pool_params *p = &view->params;
    size_t shape[MAX_RANK + 1] = { 1, p->channels }, groups = 1, rank = pop_tensor_rank(in);
    assert(rank == 2 + p->dims);
    memcpy(shape + 2, p->input_field, p->dims * sizeof(*shape));
    if (!view->group)
        return pop_tensor_reshape(in, (pop_shape){ rank, shape });
    /* {groups, channels, field..., rows, stride, columns}, then groups and rows beside the columns */
    size_t split[MAX_RANK + 1], count = 0;
    groups = pop_tensor_dim(in, 0) * pop_tensor_dim(in, 1) / view->group;
    split[count++] = groups;
    split[count++] = view->group;
    for (size_t i = 2; i + 2 < rank; ++i)
        split[count++] = pop_tensor_dim(in, (unsigned)i);
    split[count++] = pop_tensor_dim(in, (unsigned)rank - 2) / p->stride[p->dims - 2];
    split[count++] = p->stride[p->dims - 2];
    split[count++] = pop_tensor_dim(in, (unsigned)rank - 1);
    in = pop_tensor_reshape(in, (pop_shape){ count, split });
    in = pop_tensor_dim_roll(in, (unsigned)count - 3, (unsigned)count - 2);
    in = pop_tensor_dim_roll(in, 0, (unsigned)count - 3);
    return pop_tensor_reshape(in, (pop_shape){ rank, shape });
}

pop_tensor pool_view_out(const struct call *call, const struct pool_view *view, const popnn_pool_params *params,
                         pop_tensor out)
{
    size_t shape[MAX_RANK] = { params->batch, params->channels }, rank = 2 + params->dims;
    popnn_pool_output_field(params, shape + 2);
    if (view->group) {
        /* {channels, field..., groups, rows, columns} */
        size_t split[MAX_RANK], count = 0;
        split[count++] = view->group;
        for (size_t i = 2; i + 2 < rank; ++i)
            split[count++] = shape[i];
        split[count++] = params->batch * params->channels / view->group;
        split[count++] = shape[rank - 2];
        split[count++] = shape[rank - 1];
        out = pop_tensor_dim_roll(pop_tensor_reshape(out, (pop_shape){ count, split }), (unsigned)count - 3, 0);
    }
    return pop_tensor_reshape(out, (pop_shape){ rank, shape });
}
