/* SPDX-License-Identifier: Apache-2.0 */
/* Creates tensors whose partitions are contiguous. */
#include "poplibs/log.h"

#include <assert.h>
#include <poputil/var_structure.h>

static bool check(const struct call *call, size_t rank, pop_shape partitions)
{
    if (partitions.rank != rank)
        return call_fail(call, POP_POPLAR_ERROR, "%zu numbers of partitions for a tensor of rank %zu", partitions.rank,
                         rank);
    for (size_t i = 0; i < rank; ++i)
        if (!partitions.dims[i])
            return call_fail(call, POP_POPLAR_ERROR, "dimension %zu cannot be cut into 0 partitions", i);
    return true;
}

/* A variable of a shape in which each dimension is a multiple of its partition: the outer dimensions are the
 * partitions, the inner ones the elements of one. */
static pop_tensor even_block(const struct call *call, pop_type type, const size_t *shape, const size_t *partitions,
                             size_t rank)
{
    for (size_t i = 0; i < rank; ++i)
        assert(!partitions[i] || shape[i] % partitions[i] == 0);
    size_t *dims = poplibs_new(2 * rank, sizeof(*dims));
    unsigned *order = poplibs_new(2 * rank, sizeof(*order));
    for (size_t i = 0; i < rank; ++i) {
        dims[i] = partitions[i];
        dims[rank + i] = partitions[i] ? shape[i] / partitions[i] : 0;
        order[2 * i] = (unsigned)i;
        order[2 * i + 1] = (unsigned)(rank + i);
    }
    pop_tensor t = pop_graph_add_variable(call->graph, type, (pop_shape){ 2 * rank, dims }, call->name);
    t = pop_tensor_dim_shuffle(t, (pop_dims){ 2 * rank, order });
    t = pop_tensor_reshape(t, (pop_shape){ rank, shape });
    free(order);
    free(dims);
    return t;
}

/* For each dimension, the full partitions and the smaller last one are separate blocks. */
static pop_tensor block(const struct call *call, pop_type type, size_t *shape, size_t *partitions, size_t rank,
                        size_t from)
{
    for (size_t d = from; d < rank; ++d) {
        size_t each = poplibs_ceil_div(shape[d], partitions[d]);
        if (!each) {
            partitions[d] = 1;
            continue;
        }
        size_t full = shape[d] / each, rest = shape[d] % each;
        if (!rest) {
            partitions[d] = full;
            continue;
        }
        if (!full) {
            partitions[d] = 1;
            continue;
        }
        size_t own_shape = shape[d], own_partitions = partitions[d];
        size_t *saved = poplibs_new(rank, sizeof(*saved));
        memcpy(saved, partitions, rank * sizeof(*saved));
        shape[d] = full * each;
        partitions[d] = full;
        pop_tensor first = block(call, type, shape, partitions, rank, d + 1);
        memcpy(partitions, saved, rank * sizeof(*saved));
        free(saved);
        shape[d] = rest;
        partitions[d] = 1;
        pop_tensor last = block(call, type, shape, partitions, rank, d + 1);
        shape[d] = own_shape;
        partitions[d] = own_partitions;
        return pop_tensor_concat(POP_TENSORS(first, last), (unsigned)d);
    }
    return even_block(call, type, shape, partitions, rank);
}

pop_tensor poputil_create_partitionable_tensor_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                                  pop_shape partitions, const char *name)
{
    POPLIBS_CALL(graph, log_type(type), shape, partitions, name);
    if (!call_ready(call) || !check(call, shape.rank, partitions))
        return (pop_tensor){ 0 };
    size_t *dims = poplibs_new(2 * shape.rank, sizeof(*dims)), *numbers = dims + shape.rank;
    for (size_t i = 0; i < shape.rank; ++i) {
        dims[i] = shape.dims[i];
        numbers[i] = partitions.dims[i];
    }
    pop_tensor t = block(call, type, dims, numbers, shape.rank, 0);
    free(dims);
    return t;
}

void poputil_iterate_tensor_partitions_at(pop_where where, pop_graph *graph, pop_tensor t, pop_shape partitions,
                                          poputil_partition_visitor visit, void *user)
{
    POPLIBS_CALL(graph, t, partitions);
    size_t rank = pop_tensor_rank(t);
    if (!call_ready(call) || !check(call, rank, partitions))
        return;
    size_t *index = poplibs_zeros(rank, sizeof(*index));
    for (bool more = true; more && call_ready(call);) {
        pop_tensor slice = t;
        for (size_t d = 0; d < rank; ++d) {
            size_t dim = pop_tensor_dim(t, d), each = poplibs_ceil_div(dim, partitions.dims[d]);
            slice = pop_tensor_slice(slice, poplibs_min(index[d] * each, dim), poplibs_min((index[d] + 1) * each, dim),
                                     (unsigned)d);
        }
        more = visit((pop_shape){ rank, index }, slice, user);
        size_t d = rank;
        while (d > 0 && ++index[d - 1] == partitions.dims[d - 1])
            index[--d] = 0;
        more = more && d > 0;
    }
    free(index);
}
