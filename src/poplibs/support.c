/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/support.h"

const char *poplibs_shape_text(char *buffer, size_t size, pop_shape shape)
{
    size_t length = (size_t)snprintf(buffer, size, "{");
    for (size_t i = 0; i < shape.rank && length < size; ++i)
        length += (size_t)snprintf(buffer + length, size - length, "%s%zu", i ? "," : "", shape.dims[i]);
    if (length < size)
        snprintf(buffer + length, size - length, "}");
    return buffer;
}

const char *poplibs_shape_of(char *buffer, size_t size, pop_tensor t)
{
    size_t rank = pop_tensor_rank(t), *dims = poplibs_new(rank, sizeof(*dims));
    for (size_t i = 0; i < rank; ++i)
        dims[i] = pop_tensor_dim(t, (unsigned)i);
    poplibs_shape_text(buffer, size, (pop_shape){ rank, dims });
    free(dims);
    return buffer;
}

bool poplibs_shapes_equal(pop_tensor a, pop_tensor b)
{
    bool equal = pop_tensor_rank(a) == pop_tensor_rank(b);
    for (unsigned i = 0; equal && i < pop_tensor_rank(a); ++i)
        equal = pop_tensor_dim(a, i) == pop_tensor_dim(b, i);
    return equal;
}

void lists_begin(struct lists_vec *lists)
{
    lists->first = poplibs_grown(lists->first, &lists->capacity, lists->count + 2, sizeof(*lists->first));
    lists->first[lists->count++] = lists->intervals.count;
    lists->first[lists->count] = lists->intervals.count;
}

void lists_push(struct lists_vec *lists, size_t begin, size_t end)
{
    interval_push(&lists->intervals, begin, end);
    lists->first[lists->count] = lists->intervals.count;
}

pop_interval_lists lists_take(struct lists_vec *lists)
{
    pop_interval_lists taken = { lists->count, lists->first, lists->intervals.list };
    *lists = (struct lists_vec){ 0 };
    return taken;
}
