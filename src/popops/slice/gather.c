/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers, implemented by multi-slices of reshaped tensors. */
#include "poplibs/log.h"
#include "popops/slice/index_vectors.h"

#include <limits.h>
#include <popops/dynamic_slice.h>
#include <popops/gather.h>
#include <poputil/tile_mapping.h>

static bool holds(pop_dims dims, unsigned dim)
{
    for (size_t i = 0; i < dims.count; ++i)
        if (dims.list[i] == dim)
            return true;
    return false;
}

/* Checks that slice sizes and result dims match the operand. */
static bool check_slices(const struct slice_windows *windows, pop_shape slice_sizes, pop_dims collapsed,
                         pop_dims offset_dims, size_t result_rank)
{
    size_t rank = pop_tensor_rank(windows->operand);
    if (rank > POPOPS_MAX_DIMS / 2)
        return call_fail(windows->call, POP_POPLAR_ERROR, "a tensor of rank %zu; at most %d dimensions are possible",
                         rank, POPOPS_MAX_DIMS / 2);
    if (slice_sizes.rank != rank)
        return call_fail(windows->call, POP_POPLAR_ERROR, "%zu slice sizes for a tensor of rank %zu", slice_sizes.rank,
                         rank);
    for (size_t i = 0; i < collapsed.count; ++i)
        if (collapsed.list[i] >= rank || slice_sizes.dims[collapsed.list[i]] != 1)
            return call_fail(windows->call, POP_POPLAR_ERROR,
                             "dimension %u cannot be collapsed: its slice size is not 1", collapsed.list[i]);
    size_t kept = 0, placed = 0;
    for (unsigned dim = 0; dim < rank; ++dim)
        kept += !holds(collapsed, dim);
    for (unsigned dim = 0; dim < result_rank; ++dim)
        placed += holds(offset_dims, dim);
    if (kept != offset_dims.count || placed != kept)
        return call_fail(windows->call, POP_POPLAR_ERROR,
                         "%zu offset dims of a result of rank %zu for slices of rank %zu: each must occur once",
                         offset_dims.count, result_rank, kept);
    return true;
}

/* Reads n slices of the operand's rank. */
static pop_tensor take_slices(const struct slice_windows *windows)
{
    const struct call *call = windows->call;
    size_t sizes[POPOPS_MAX_DIMS], shape[POPOPS_MAX_DIMS], rank = pop_tensor_rank(windows->operand),
                                                           n = pop_tensor_dim(windows->vectors, 0);
    unsigned places_of[POPOPS_MAX_DIMS], count = 1;
    pop_options options =
        windows->padding ? POP_OPTIONS({ "paddingIndexUsed", "true" }) : POP_NO_OPTIONS; /* for rows of one dimension */
    if (!slice_are_rows(windows) || (windows->padding && windows->dims.count != 1)) {
        for (size_t i = 0; i < windows->dims.count; ++i)
            sizes[i] = windows->sizes[windows->dims.list[i]];
        return popops_multi_slice(call->graph, slice_cut_operand(windows), windows->vectors, windows->dims,
                                  (pop_shape){ windows->dims.count, sizes }, call->sequence, NULL, call->name, options);
    }
    /* with padding multi-slices take the index as it is: one dimension's is that of its row */
    pop_tensor places = windows->padding ? windows->vectors : slice_places(windows, true, false);
    pop_tensor rows = popops_multi_slice(call->graph, slice_as_rows(windows), places, POP_DIMS(0), POP_SHAPE(1),
                                         call->sequence, NULL, call->name, options);
    /* {n, 1, columns}: the indexed dims become 1, the others keep their order */
    shape[0] = n;
    for (size_t i = 0; i < windows->dims.count; ++i)
        places_of[windows->dims.list[i]] = count, shape[count++] = 1;
    for (unsigned dim = 0; dim < rank; ++dim)
        if (!holds(windows->dims, dim))
            places_of[dim] = count, shape[count++] = windows->sizes[dim];
    unsigned order[POPOPS_MAX_DIMS] = { 0 };
    for (unsigned dim = 0; dim < rank; ++dim)
        order[dim + 1] = places_of[dim];
    return pop_tensor_dim_shuffle(pop_tensor_reshape(rows, (pop_shape){ rank + 1, shape }),
                                  (pop_dims){ rank + 1, order });
}

pop_tensor popops_gather_at(pop_where where, pop_graph *graph, pop_tensor input, pop_tensor indices,
                            size_t index_vector_dim, pop_dims offset_dims, pop_shape slice_sizes,
                            pop_dims collapsed_slice_dims, pop_dims start_index_map, pop_program sequence,
                            const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, input, indices, index_vector_dim, offset_dims, slice_sizes, collapsed_slice_dims,
                    start_index_map, name, options);
    pop_tensor none = { 0 };
    struct slice_windows windows = { .call = call, .operand = input, .dims = start_index_map };
    if (!call_ready(call) || !slice_take_options(&windows, options))
        return none;
    size_t index_rank = pop_tensor_rank(indices), batch = index_rank - (index_vector_dim < index_rank),
           shape[POPOPS_MAX_DIMS], count = 0, dim = 0;
    if (!check_slices(&windows, slice_sizes, collapsed_slice_dims, offset_dims, batch + offset_dims.count))
        return none;
    memcpy(windows.sizes, slice_sizes.dims, slice_sizes.rank * sizeof(*windows.sizes));
    if (!slice_take_vectors(&windows, indices, index_vector_dim))
        return none;
    slice_add_index_check(&windows);
    pop_tensor slices = take_slices(&windows);
    if (!call_ready(call))
        return none;
    /* {batch dims..., slice dims...}; then each dimension is moved to its place */
    for (size_t i = 0; i < index_rank; ++i)
        if (i != index_vector_dim)
            shape[count++] = pop_tensor_dim(indices, i);
    for (unsigned i = 0; i < slice_sizes.rank; ++i)
        if (!holds(collapsed_slice_dims, i))
            shape[count++] = slice_sizes.dims[i];
    slices = pop_tensor_reshape(slices, (pop_shape){ count, shape });
    unsigned order[POPOPS_MAX_DIMS], next_batch = 0;
    for (; dim < count; ++dim) {
        if (!holds(offset_dims, (unsigned)dim)) {
            order[dim] = next_batch++;
            continue;
        }
        for (size_t i = 0; i < offset_dims.count; ++i)
            if (offset_dims.list[i] == dim)
                order[dim] = (unsigned)(batch + i);
    }
    return pop_tensor_dim_shuffle(slices, (pop_dims){ count, order });
}

pop_tensor popops_create_gather_input_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                         pop_shape slice_sizes, pop_dims start_index_map, const char *name)
{
    POPLIBS_CALL(graph, log_type(type), shape, slice_sizes, start_index_map, name);
    size_t sizes[POPOPS_MAX_DIMS];
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    if (slice_sizes.rank != shape.rank || start_index_map.count > POPOPS_MAX_DIMS) {
        call_fail(call, POP_POPLAR_ERROR, "%zu slice sizes for a tensor of rank %zu", slice_sizes.rank, shape.rank);
        return (pop_tensor){ 0 };
    }
    for (size_t i = 0; i < start_index_map.count; ++i)
        sizes[i] = start_index_map.list[i] < slice_sizes.rank ? slice_sizes.dims[start_index_map.list[i]] : 0;
    return popops_create_sliceable_tensor(graph, type, shape, start_index_map,
                                          (pop_shape){ start_index_map.count, sizes }, 0, name);
}

/* The largest number of elements of t on one tile; *tiles is the number of tiles that have any. */
static size_t fullest_tile(const struct call *call, pop_tensor t, size_t *tiles)
{
    pop_interval_lists mapping = { 0 };
    size_t max = *tiles = 0;
    if (!pop_graph_get_tile_mapping(call->graph, t, NULL, &mapping))
        return 0;
    for (size_t tile = 0; tile < mapping.count; ++tile) {
        size_t elements = 0;
        for (size_t i = mapping.first[tile]; i < mapping.first[tile + 1]; ++i)
            elements += mapping.intervals[i].end - mapping.intervals[i].begin;
        max = elements > max ? elements : max;
        *tiles += elements > 0;
    }
    pop_interval_lists_free(&mapping);
    return max;
}
/* Keeps whole slices on one tile unless a tile would exceed the limit; then slices are divided over more tiles. */
static void keep_to_max_elements(const struct call *call, pop_tensor t, size_t allowed)
{
    size_t used, fullest = fullest_tile(call, t, &used), elements = pop_tensor_num_elements(t);
    if (!allowed || fullest <= allowed)
        return;
    size_t tiles =
        poplibs_min(poplibs_ceil_div(elements, allowed), pop_target_num_tiles(pop_graph_target(call->graph)));
    if (tiles > used && elements / tiles <= UINT_MAX)
        poputil_map_tensor_linearly_grain(call->graph, t, (unsigned)(elements / tiles), 1);
}

pop_tensor popops_create_gather_input_axis_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                              unsigned axis, popops_gather_params params, const char *name)
{
    POPLIBS_CALL(graph, log_type(type), shape, axis, name);
    uint32_t variable = (uint32_t)pop_graph_num_variables(graph);
    pop_tensor t = popops_create_sliceable_tensor(graph, type, shape, POP_DIMS(axis),
                                                  POP_SHAPE(axis < shape.rank && !shape.dims[axis] ? 0 : 1), 0, name);
    if (pop_tensor_valid(t) && pop_graph_num_variables(graph) == variable + 1) /* fewer intervals than the view */
        keep_to_max_elements(call, pop_graph_variable(graph, variable), params.max_elements_per_tile);
    return t;
}

pop_tensor popops_gather_axis_at(pop_where where, pop_graph *graph, pop_tensor input, pop_tensor indices, unsigned axis,
                                 pop_program sequence, popops_gather_params params, const char *name,
                                 pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, input, indices, axis, name, options);
    pop_tensor none = { 0 };
    size_t sizes[POPOPS_MAX_DIMS], rank = pop_tensor_shape(input, sizes, POPOPS_MAX_DIMS),
                                   index_rank = pop_tensor_rank(indices), count = 0;
    unsigned offsets[POPOPS_MAX_DIMS];
    (void)params; /* used only for creating the input */
    if (!call_ready(call))
        return none;
    if (rank > POPOPS_MAX_DIMS / 2) {
        call_fail(call, POP_POPLAR_ERROR, "a tensor of rank %zu; at most %d dimensions are possible", rank,
                  POPOPS_MAX_DIMS / 2);
        return none;
    }
    if (axis >= rank) {
        call_fail(call, POP_INDEX_ERROR, "there is no axis %u: the tensor's rank is %zu", axis, rank);
        return none;
    }
    sizes[axis] = 1;
    for (unsigned dim = 0; dim < rank; ++dim)
        if (dim != axis)
            offsets[count++] = dim < axis ? dim : (unsigned)(dim - 1 + index_rank);
    return popops_gather(graph, input, indices, index_rank, (pop_dims){ count, offsets }, (pop_shape){ rank, sizes },
                         POP_DIMS(axis), POP_DIMS(axis), sequence, name, options);
}
