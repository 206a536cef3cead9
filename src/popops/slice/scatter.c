/* SPDX-License-Identifier: Apache-2.0 */
/* Scatters, implemented by multi-updates of reshaped tensors, or, with a callback, by a loop over the indices. */
#include "poplibs/log.h"
#include "popops/slice/index_vectors.h"

#include <popops/dynamic_slice.h>
#include <popops/scatter.h>
#include <poputil/loop.h>

static bool holds(pop_dims dims, size_t dim)
{
    for (size_t i = 0; i < dims.count; ++i)
        if (dims.list[i] == dim)
            return true;
    return false;
}

/* The arguments of a call, and its updates as {n, slice of the operand's rank}. */
struct scatter {
    struct slice_windows windows;
    pop_tensor updates;
    popops_update_computation computation;
    void *user;
    pop_tensor places; /* rows {n, 1}, or offsets {n, dims} */
};

/* Without a batch dimension, window dims may still count one before the window: then they are shifted down by 1. */
static pop_dims without_batch(pop_dims window_dims, unsigned *storage)
{
    if (!window_dims.count || window_dims.count > POPOPS_MAX_DIMS || holds(window_dims, 0))
        return window_dims;
    for (size_t i = 0; i < window_dims.count; ++i)
        storage[i] = window_dims.list[i] - 1;
    return (pop_dims){ window_dims.count, storage };
}

static bool take_updates(struct scatter *scatter, pop_tensor updates, pop_dims window_dims, pop_dims insert_dims,
                         size_t batch)
{
    struct slice_windows *windows = &scatter->windows;
    const struct call *call = windows->call;
    size_t rank = pop_tensor_rank(windows->operand), update_rank = pop_tensor_rank(updates), at = batch, n = 1,
           shape[POPOPS_MAX_DIMS + 1];
    unsigned order[POPOPS_MAX_DIMS], storage[POPOPS_MAX_DIMS], count = 0;
    window_dims = batch ? window_dims : without_batch(window_dims, storage);
    if (!call_takes(call, "the tensor of updates", updates))
        return false;
    if (pop_tensor_type(updates) != pop_tensor_type(windows->operand))
        return call_fail(call, POP_TYPE_ERROR, "updates of %s for a tensor of %s",
                         pop_type_name(pop_tensor_type(updates)), pop_type_name(pop_tensor_type(windows->operand)));
    if (rank > POPOPS_MAX_DIMS / 2 || update_rank > POPOPS_MAX_DIMS || update_rank + insert_dims.count != rank + batch)
        return call_fail(call, POP_POPLAR_ERROR,
                         "%zu window and %zu inserted dims for a tensor of rank %zu, updates of rank %zu and "
                         "indices of rank %zu without their vectors",
                         window_dims.count, insert_dims.count, rank, update_rank, batch);
    /* Window dims come last; the first dims, as many as the indices have without their vectors, are the updates.  So an
     * update of one element may have all dims as window and all dims of the tensor inserted. */
    for (unsigned dim = 0; dim < update_rank; ++dim)
        if (!holds(window_dims, dim))
            order[count++] = dim;
    bool fits = count + window_dims.count == update_rank;
    for (size_t i = 0; i < window_dims.count && fits; ++i) {
        fits = window_dims.list[i] < update_rank;
        order[count++] = window_dims.list[i];
    }
    if (!fits)
        return call_fail(call, POP_POPLAR_ERROR, "window dims of updates of rank %zu: each must occur once",
                         update_rank);
    for (size_t i = 0; i < batch; ++i)
        n *= pop_tensor_dim(updates, order[i]);
    for (size_t dim = 0; dim < rank; ++dim) {
        bool inserted = holds(insert_dims, dim);
        if (!inserted && at == update_rank)
            return call_fail(call, POP_POPLAR_ERROR, "%zu inserted dims of a tensor of rank %zu: each must occur once",
                             insert_dims.count, rank);
        windows->sizes[dim] = inserted ? 1 : pop_tensor_dim(updates, order[at++]);
    }
    updates = pop_tensor_dim_shuffle(updates, (pop_dims){ count, order });
    shape[0] = n;
    memcpy(shape + 1, windows->sizes, rank * sizeof(*shape));
    scatter->updates = pop_tensor_reshape(updates, (pop_shape){ rank + 1, shape });
    return call_ready(call);
}

static bool take(struct scatter *scatter, pop_tensor indices, pop_tensor updates, size_t index_vector_dim,
                 pop_dims window_dims, pop_dims insert_dims, pop_options options)
{
    if (!call_ready(scatter->windows.call) || !slice_take_options(&scatter->windows, options))
        return false;
    size_t index_rank = pop_tensor_rank(indices), batch = index_rank - (index_vector_dim < index_rank);
    if (!take_updates(scatter, updates, window_dims, insert_dims, batch) ||
        !slice_take_vectors(&scatter->windows, indices, index_vector_dim) ||
        !call_takes_writeable(scatter->windows.call, "the tensor", scatter->windows.operand))
        return false;
    size_t n = pop_tensor_dim(scatter->windows.vectors, 0);
    if (pop_tensor_dim(scatter->updates, 0) != n)
        return call_fail(scatter->windows.call, POP_POPLAR_ERROR, "%zu updates for %zu index vectors",
                         pop_tensor_dim(scatter->updates, 0), n);
    return true;
}

/* Views updates {n, slice} as rows {n, 1, columns}, in the order of slice_as_rows. */
static pop_tensor updates_as_rows(const struct scatter *scatter)
{
    const struct slice_windows *windows = &scatter->windows;
    const struct call *call = windows->call;
    unsigned order[POPOPS_MAX_DIMS] = { 0 }, count = 1;
    size_t n = pop_tensor_dim(scatter->updates, 0), columns = 1;
    for (size_t i = 0; i < windows->dims.count; ++i)
        order[count++] = 1 + windows->dims.list[i];
    for (unsigned dim = 0; dim < pop_tensor_rank(windows->operand); ++dim)
        if (!holds(windows->dims, dim)) {
            order[count++] = 1 + dim;
            columns *= windows->sizes[dim];
        }
    return pop_tensor_reshape(pop_tensor_dim_shuffle(scatter->updates, (pop_dims){ count, order }),
                              POP_SHAPE(n, 1, columns));
}

static pop_shape sizes_of(const struct slice_windows *windows, size_t *sizes)
{
    for (size_t i = 0; i < windows->dims.count; ++i)
        sizes[i] = windows->sizes[windows->dims.list[i]];
    return (pop_shape){ windows->dims.count, sizes };
}

void popops_scatter_at(pop_where where, pop_graph *graph, pop_tensor operand, pop_tensor indices, pop_tensor updates,
                       size_t index_vector_dim, pop_dims update_window_dims, pop_dims insert_window_dims,
                       pop_dims scatter_dims_to_operand_dims, pop_program sequence, const char *name,
                       pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, operand, indices, updates, index_vector_dim, update_window_dims,
                    insert_window_dims, scatter_dims_to_operand_dims, name, options);
    struct scatter scatter = { .windows = { .call = call, .operand = operand, .dims = scatter_dims_to_operand_dims } };
    size_t sizes[POPOPS_MAX_DIMS];
    if (!take(&scatter, indices, updates, index_vector_dim, update_window_dims, insert_window_dims, options) ||
        !pop_tensor_num_elements(updates))
        return;
    slice_add_index_check(&scatter.windows);
    bool rows = slice_are_rows(&scatter.windows);
    pop_tensor places = slice_places(&scatter.windows, rows, true);
    if (rows)
        popops_multi_update(graph, slice_as_rows(&scatter.windows), updates_as_rows(&scatter), places, POP_DIMS(0),
                            POP_SHAPE(1), sequence, NULL, name, POP_NO_OPTIONS);
    else
        popops_multi_update(graph, slice_cut_operand(&scatter.windows), scatter.updates, places, scatter.windows.dims,
                            sizes_of(&scatter.windows, sizes), sequence, NULL, name, POP_NO_OPTIONS);
}

/* The loop body for one index; the multi-slice and multi-update of one row handle an index out of range. */
static pop_program scatter_one(pop_graph *graph, pop_tensor i, void *user)
{
    const struct scatter *scatter = user;
    const struct slice_windows *windows = &scatter->windows;
    const struct call *call = windows->call;
    const char *name = call->name;
    size_t sizes[POPOPS_MAX_DIMS], shape[POPOPS_MAX_DIMS + 1] = { 1 };
    bool rows = slice_are_rows(windows);
    pop_program body = pop_sequence(graph, name);
    pop_tensor step = pop_tensor_reshape(i, POP_SHAPE(1));
    pop_tensor operand = rows ? slice_as_rows(windows) : slice_cut_operand(windows);
    pop_dims dims = rows ? POP_DIMS(0) : windows->dims;
    pop_shape taken = rows ? POP_SHAPE(1) : sizes_of(windows, sizes);
    pop_tensor place = popops_dynamic_slice(graph, scatter->places, step, POP_DIMS(0), POP_SHAPE(1), body, name);
    pop_tensor update = popops_dynamic_slice(graph, scatter->updates, step, POP_DIMS(0), POP_SHAPE(1), body, name);
    pop_tensor slice = popops_multi_slice(graph, operand, place, dims, taken, body, NULL, name, POP_NO_OPTIONS);
    pop_tensor made = scatter->computation(graph, slice, update, body, scatter->user);
    size_t rank = pop_tensor_shape(slice, shape, POPOPS_MAX_DIMS + 1);
    if (call_ready(call) && call_takes_shape(call, "the result of the computation", made, pop_tensor_type(slice),
                                             (pop_shape){ rank, shape }))
        popops_multi_update(graph, operand, made, place, dims, taken, body, NULL, name, POP_NO_OPTIONS);
    return body;
}

void popops_scatter_with_at(pop_where where, pop_graph *graph, pop_tensor operand, pop_tensor indices,
                            pop_tensor updates, size_t index_vector_dim, pop_dims update_window_dims,
                            pop_dims insert_window_dims, pop_dims scatter_dims_to_operand_dims,
                            popops_update_computation computation, void *user, pop_program sequence, const char *name,
                            pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, operand, indices, updates, index_vector_dim, update_window_dims,
                    insert_window_dims, scatter_dims_to_operand_dims, name, options);
    struct scatter scatter = { .windows = { .call = call, .operand = operand, .dims = scatter_dims_to_operand_dims },
                               .computation = computation,
                               .user = user };
    if (!computation) {
        if (call_ready(call))
            call_fail(call, POP_POPLAR_ERROR, "the computation is NULL; popops_scatter needs none");
        return;
    }
    if (!take(&scatter, indices, updates, index_vector_dim, update_window_dims, insert_window_dims, options) ||
        !pop_tensor_num_elements(updates))
        return;
    slice_add_index_check(&scatter.windows);
    bool rows = slice_are_rows(&scatter.windows);
    scatter.places = slice_places(&scatter.windows, rows, true);
    if (rows)
        scatter.updates = updates_as_rows(&scatter);
    pop_program loop =
        poputil_counted_loop(graph, 0, pop_tensor_dim(scatter.updates, 0), 1, name, scatter_one, &scatter);
    if (call_ready(call))
        pop_sequence_add(sequence, loop);
}
