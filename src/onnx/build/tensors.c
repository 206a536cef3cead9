/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of the graph: variables, constants, views. */
#include "onnx/build/build.h"

#include <poplar/memory.h>
#include <popops/cast.h>
#include <popops/expr.h>
#include <poputil/tile_mapping.h>
#include <poputil/util.h>
#include <string.h>

pop_type onnx_device_type(const onnx_builder *b, tremula_onnx_type type)
{
    switch (type) {
    case TREMULA_ONNX_FLOAT:
    case TREMULA_ONNX_DOUBLE:
    case TREMULA_ONNX_BFLOAT16:
        return b->real;
    case TREMULA_ONNX_FLOAT16:
        return POP_HALF;
    case TREMULA_ONNX_BOOL:
        return POP_BOOL;
    case TREMULA_ONNX_UINT32:
    case TREMULA_ONNX_UINT64:
        return POP_UNSIGNED_INT;
    case TREMULA_ONNX_UINT8:
    case TREMULA_ONNX_INT8:
    case TREMULA_ONNX_UINT16:
    case TREMULA_ONNX_INT16:
    case TREMULA_ONNX_INT32:
    case TREMULA_ONNX_INT64:
        return POP_INT;
    default:
        return POP_TYPE_NULL;
    }
}

pop_tensor onnx_variable(onnx_builder *b, pop_type type, pop_shape shape, const char *name)
{
    pop_tensor t = pop_graph_add_variable_at(b->where, b->graph, type, shape, name);
    poputil_map_tensor_linearly_at(b->where, b->graph, t);
    return t;
}

void onnx_set_initial(onnx_builder *b, pop_tensor variable, const tremula_onnx_tensor *known)
{
    pop_type type = pop_tensor_type(variable);
    size_t count = tremula_onnx_tensor_elements(known);
    pop_error error;
    if (!pop_tensor_valid(variable) || count != pop_tensor_num_elements(variable) || count == 0)
        return;
    void *elements = pop_memory_resize(NULL, count, pop_type_size(type));
    if (tremula_onnx_to_stream(known, type, elements, &error) != POP_OK)
        onnx_complain(b, "a constant that it reads: %s", error.text);
    else if (type == POP_HALF)
        pop_graph_set_initial_half_at(b->where, b->graph, variable, elements);
    else
        pop_graph_set_initial_value_at(b->where, b->graph, variable, type, elements);
    pop_memory_free(elements);
}

pop_tensor onnx_fill(onnx_builder *b, pop_type type, pop_shape shape, double value)
{
    if (b->scratch) { /* the element's type is that of the node's first input */
        tremula_onnx_type known_type = onnx_type_of(b, 0);
        tremula_onnx_tensor *known = onnx_new(b->arena, 1, sizeof(*known));
        *known = onnx_new_tensor(b, known_type, shape);
        for (size_t i = 0, n = tremula_onnx_tensor_elements(known); i < n; ++i)
            onnx_set_number(known, i, value);
        return onnx_scratch_tensor(b, known);
    }
    pop_tensor t = pop_graph_add_constant_float_at(b->where, b->graph, type, shape, value, b->name);
    poputil_map_tensor_linearly_at(b->where, b->graph, t);
    return t;
}

pop_tensor onnx_int_constant(onnx_builder *b, pop_shape shape, const int32_t *values)
{
    pop_tensor t = pop_graph_add_constant_at(b->where, b->graph, POP_INT, shape, POP_INT, values, b->name);
    poputil_map_tensor_linearly_at(b->where, b->graph, t);
    return t;
}

pop_tensor onnx_real_constant(onnx_builder *b, pop_type type, pop_shape shape, const double *values)
{
    pop_tensor t = pop_graph_add_constant_at(b->where, b->graph, type, shape, POP_DOUBLE, values, b->name);
    poputil_map_tensor_linearly_at(b->where, b->graph, t);
    return t;
}

pop_tensor onnx_cast(onnx_builder *b, pop_tensor t, pop_type type)
{
    if (!onnx_ok(b) || pop_tensor_type(t) == type)
        return t;
    return popops_cast_at(b->where, b->graph, t, type, b->program, b->name);
}

pop_tensor onnx_reduce(onnx_builder *b, pop_tensor t, pop_dims dims, popops_operation op)
{
    popops_reduce_params params = { .op = op };
    bool sum = op == POPOPS_ADD || op == POPOPS_SQUARE_ADD;
    pop_type type = onnx_ok(b) ? pop_tensor_type(t) : POP_TYPE_NULL;
    return popops_reduce_at(b->where, b->graph, t, sum && type == POP_HALF ? POP_FLOAT : type, dims, params, b->program,
                            b->name, POP_NO_OPTIONS);
}

pop_tensor onnx_map(onnx_builder *b, const char *text, pop_tensors tensors)
{
    return popops_map_at(b->where, b->graph, text, tensors, b->program, b->name, POP_NO_OPTIONS);
}

pop_options onnx_poplin_options(const onnx_builder *b)
{
    return (pop_options){ b->poplin_options, b->num_poplin_options };
}

pop_shape onnx_shape(onnx_builder *b, pop_tensor t)
{
    size_t rank = pop_tensor_rank(t), *dims = onnx_new(b->arena, rank + 1, sizeof(*dims));
    pop_tensor_shape(t, dims, rank);
    return (pop_shape){ rank, dims };
}

pop_tensor onnx_reshape(onnx_builder *b, pop_tensor t, pop_shape shape)
{
    return pop_tensor_reshape_at(b->where, t, shape);
}

pop_tensor onnx_permute(onnx_builder *b, pop_tensor t, const unsigned *order)
{
    return pop_tensor_dim_shuffle_at(b->where, t, (pop_dims){ pop_tensor_rank(t), order });
}

pop_tensor onnx_broadcast(onnx_builder *b, pop_tensor t, pop_shape shape)
{
    size_t rank = pop_tensor_rank(t);
    for (; rank < shape.rank; ++rank)
        t = pop_tensor_expand_at(b->where, t, POP_DIMS(0));
    for (unsigned i = 0; i < rank; ++i) {
        size_t dim = pop_tensor_dim(t, i), wanted = shape.dims[i];
        if (dim == wanted)
            continue;
        if (dim != 1 || rank > shape.rank) {
            onnx_complain(b, "a tensor with %zu elements in dimension %u cannot be broadcast to %zu", dim, i, wanted);
            return t;
        }
        t = pop_tensor_broadcast_at(b->where, t, (unsigned)wanted, i);
    }
    return t;
}
