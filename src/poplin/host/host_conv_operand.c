/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/host/host_conv_operand.h"
#include "poplibs/call.h"

enum { MAX_RANK = HOST_CONV_DIMS + 2 };

/* Supported memory orders of dimensions, slowest first; f: those of the field or the kernel, other letters: those of
 * `dims`.  New operands have the first order. */
static const struct {
    const char *dims, *orders[4];
} kinds[] = {
    [HOST_CONV_INPUT] = { "gnfc", { "nfgc", "gnfc", "ngcf" } },
    [HOST_CONV_DELTAS] = { "gnfc", { "nfgc", "gnfc", "ngcf" } },
    [HOST_CONV_WEIGHTS] = { "gfoi", { "gfio", "gfoi", "goif", "giof" } },
};

/* order[i]: the dimension that is the i-th in memory. */
static void expand(enum host_conv_kind kind, const char *order, size_t rank, unsigned *to)
{
    const char *dims = kinds[kind].dims;
    unsigned fields = (unsigned)rank - 3, f = (unsigned)(strchr(dims, 'f') - dims);
    for (; *order; ++order) {
        unsigned d = (unsigned)(strchr(dims, *order) - dims);
        for (unsigned i = 0; *order == 'f' && i < fields; ++i)
            *to++ = f + i;
        if (*order != 'f')
            *to++ = d < f ? d : d + fields - 1;
    }
}
static struct host_conv_operand read_in_order(const struct host_conv *conv, pop_tensor t, const unsigned *order)
{
    const struct call *call = conv->call;
    size_t rank = pop_tensor_rank(t), stride = 1;
    pop_tensor memory = pop_tensor_dim_shuffle(t, (pop_dims){ rank, order });
    struct host_conv_operand operand = { .memory = pop_tensor_flatten(memory) };
    for (size_t i = rank; i-- > 0; stride *= pop_tensor_dim(memory, (unsigned)i))
        operand.strides[order[i]] = stride;
    return operand;
}

pop_tensor host_conv_variable(const struct host_conv *conv, pop_type type, pop_shape shape, const char *step)
{
    const struct call *call = conv->call;
    pop_tensor t = pop_graph_add_variable(call->graph, type, shape, call_path(call, conv->name, step));
    pop_graph_set_tile_mapping(call->graph, t, 0);
    return t;
}
/* A new variable in a kind's first order, viewed in the kind's order of dimensions. */
static pop_tensor new_operand(const struct host_conv *conv, enum host_conv_kind kind, pop_type type, const size_t *dims,
                              size_t rank, const char *step)
{
    const struct call *call = conv->call;
    unsigned order[MAX_RANK], back[MAX_RANK];
    size_t in_memory[MAX_RANK];
    expand(kind, kinds[kind].orders[0], rank, order);
    for (unsigned i = 0; i < rank; ++i) {
        in_memory[i] = dims[order[i]];
        back[order[i]] = i;
    }
    pop_tensor t = host_conv_variable(conv, type, (pop_shape){ rank, in_memory }, step);
    return pop_tensor_dim_shuffle(t, (pop_dims){ rank, back });
}

struct host_conv_operand host_conv_operand(const struct host_conv *conv, pop_tensor t, enum host_conv_kind kind,
                                           pop_program sequence)
{
    const struct call *call = conv->call;
    unsigned order[MAX_RANK];
    size_t dims[MAX_RANK], rank = pop_tensor_shape(t, dims, MAX_RANK);
    for (size_t i = 0; i < 4 && kinds[kind].orders[i]; ++i) {
        expand(kind, kinds[kind].orders[i], rank, order);
        struct host_conv_operand operand = read_in_order(conv, t, order);
        if (pop_tensor_is_contiguous(operand.memory))
            return operand;
    }
    pop_tensor copy = new_operand(conv, kind, pop_tensor_type(t), dims, rank, "Gathered");
    pop_sequence_add(sequence, pop_copy(t, copy, false, conv->name));
    expand(kind, kinds[kind].orders[0], rank, order);
    return read_in_order(conv, copy, order);
}

pop_tensor host_conv_new_input(const struct host_conv *conv)
{
    const poplin_conv_params *params = conv->params;
    size_t dims[MAX_RANK] = { params->num_conv_groups, params->batch_size }, rank = 2;
    for (size_t d = 0; d < params->num_field_dims; ++d)
        dims[rank++] = params->input_field_shape[d];
    dims[rank++] = params->input_channels_per_conv_group;
    return new_operand(conv, HOST_CONV_INPUT, params->input_type, dims, rank, NULL);
}
pop_tensor host_conv_new_weights_of(const struct host_conv *conv, pop_type type)
{
    const poplin_conv_params *params = conv->params;
    size_t dims[MAX_RANK] = { params->num_conv_groups }, rank = 1;
    for (size_t d = 0; d < params->num_field_dims; ++d)
        dims[rank++] = params->kernel_shape[d];
    dims[rank++] = params->output_channels_per_conv_group;
    dims[rank++] = params->input_channels_per_conv_group;
    return new_operand(conv, HOST_CONV_WEIGHTS, type, dims, rank, NULL);
}
pop_tensor host_conv_new_weights(const struct host_conv *conv)
{
    return host_conv_new_weights_of(conv, conv->params->input_type);
}
