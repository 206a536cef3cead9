/* SPDX-License-Identifier: Apache-2.0 */
#include "popops/slice/slicing.h"

bool slice_check_dims(const struct call *call, pop_shape shape, pop_dims dims, pop_shape sizes)
{
    if (dims.count != sizes.rank)
        return call_fail(call, POP_POPLAR_ERROR, "%zu dims and %zu sizes: there must be a size for each", dims.count,
                         sizes.rank);
    if (shape.rank > POPOPS_MAX_DIMS)
        return call_fail(call, POP_POPLAR_ERROR, "a tensor of rank %zu; at most %d", shape.rank, POPOPS_MAX_DIMS);
    bool seen[POPOPS_MAX_DIMS] = { false };
    for (size_t i = 0; i < dims.count; ++i) {
        unsigned dim = dims.list[i];
        if (dim >= shape.rank)
            return call_fail(call, POP_INDEX_ERROR, "there is no dimension %u: the tensor's rank is %zu", dim,
                             shape.rank);
        if (seen[dim])
            return call_fail(call, POP_POPLAR_ERROR, "dimension %u is sliced twice", dim);
        if (sizes.dims[i] > shape.dims[dim])
            return call_fail(call, POP_POPLAR_ERROR, "a slice of %zu elements of dimension %u, which has %zu",
                             sizes.dims[i], dim, shape.dims[dim]);
        seen[dim] = true;
    }
    return true;
}

pop_tensor slice_offsets(const struct call *call, pop_tensor offset, size_t count)
{
    pop_type type = pop_tensor_type(offset);
    pop_tensor none = { 0 };
    if (!call_takes(call, "the tensor of offsets", offset))
        return none;
    if (pop_tensor_num_elements(offset) != count) {
        call_fail(call, POP_POPLAR_ERROR, "%zu offsets; there must be %zu", pop_tensor_num_elements(offset), count);
        return none;
    }
    if (type != POP_UNSIGNED_INT && type != POP_INT) {
        call_fail(call, POP_TYPE_ERROR, "offsets cannot be %s; they are unsigned int", pop_type_name(type));
        return none;
    }
    offset = pop_tensor_flatten(offset);
    return type == POP_INT ? pop_tensor_reinterpret(offset, POP_UNSIGNED_INT) : offset;
}
