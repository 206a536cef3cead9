/* SPDX-License-Identifier: Apache-2.0 */
#include "popops/slice/index_vectors.h"
#include "popops/slice/multi_slice.h"
#include "popops/slice/slice_plan.h"

#include "poplibs/log.h"

#include <poputil/tile_mapping.h>

bool slice_take_options(struct slice_windows *windows, pop_options options)
{
    return slice_check_options(windows->call, options, &windows->validate, &windows->padding);
}

void slice_add_index_check(const struct slice_windows *windows)
{
    const struct call *call = windows->call;
    size_t starts[POPOPS_MAX_DIMS];
    pop_tensor offsets = windows->vectors;
    if (!windows->validate || !windows->dims.count)
        return;
    if (pop_tensor_type(offsets) == POP_INT)
        offsets = pop_tensor_reinterpret(offsets, POP_UNSIGNED_INT);
    for (size_t i = 0; i < windows->dims.count; ++i) {
        unsigned dim = windows->dims.list[i];
        starts[i] = pop_tensor_dim(windows->operand, dim) - windows->sizes[dim] + 1 + windows->padding;
    }
    slice_add_offset_check(call, offsets, windows->dims, (pop_shape){ windows->dims.count, starts });
}

bool slice_take_vectors(struct slice_windows *windows, pop_tensor indices, size_t index_vector_dim)
{
    const struct call *call = windows->call;
    pop_type type = pop_tensor_type(indices);
    size_t rank = pop_tensor_rank(indices), components = windows->dims.count, n = pop_tensor_num_elements(indices);
    if (!call_takes(call, "the tensor", windows->operand) || !call_takes(call, "the tensor of indices", indices))
        return false;
    if (type != POP_INT && type != POP_UNSIGNED_INT)
        return call_fail(call, POP_TYPE_ERROR, "indices cannot be %s; they are int or unsigned int",
                         pop_type_name(type));
    if (index_vector_dim > rank)
        return call_fail(call, POP_INDEX_ERROR, "there is no dimension %zu: the rank of the indices is %zu",
                         index_vector_dim, rank);
    size_t there = index_vector_dim < rank ? pop_tensor_dim(indices, index_vector_dim) : 1;
    if (there != components)
        return call_fail(call, POP_POPLAR_ERROR, "index vectors of %zu components for %zu dimensions", there,
                         components);
    if (index_vector_dim < rank)
        indices = pop_tensor_dim_roll(indices, (unsigned)index_vector_dim, (unsigned)rank - 1);
    size_t vectors = components ? n / components : 0;
    if (!components) {
        vectors = 1;
        for (size_t i = 0; i + 1 < rank; ++i)
            vectors *= pop_tensor_dim(indices, i);
    }
    windows->vectors = pop_tensor_reshape(indices, POP_SHAPE(vectors, components));
    for (size_t i = 0; i < components; ++i) {
        unsigned dim = windows->dims.list[i];
        if (dim >= pop_tensor_rank(windows->operand))
            return call_fail(call, POP_INDEX_ERROR, "there is no dimension %u: the tensor's rank is %zu", dim,
                             pop_tensor_rank(windows->operand));
        for (size_t k = 0; k < i; ++k)
            if (windows->dims.list[k] == dim)
                return call_fail(call, POP_POPLAR_ERROR, "dimension %u is indexed twice", dim);
    }
    for (size_t dim = 0; dim < pop_tensor_rank(windows->operand); ++dim)
        if (windows->sizes[dim] > pop_tensor_dim(windows->operand, dim))
            return call_fail(call, POP_POPLAR_ERROR, "a slice of %zu elements of dimension %zu, which has %zu",
                             windows->sizes[dim], dim, pop_tensor_dim(windows->operand, dim));
    return true;
}

static bool is_indexed(const struct slice_windows *windows, unsigned dim)
{
    for (size_t i = 0; i < windows->dims.count; ++i)
        if (windows->dims.list[i] == dim)
            return true;
    return false;
}

bool slice_are_rows(const struct slice_windows *windows)
{
    for (size_t i = 0; i < windows->dims.count; ++i)
        if (windows->sizes[windows->dims.list[i]] != 1)
            return false;
    return true;
}

pop_tensor slice_cut_operand(const struct slice_windows *windows)
{
    const struct call *call = windows->call;
    pop_tensor t = windows->operand;
    for (unsigned dim = 0; dim < pop_tensor_rank(windows->operand); ++dim)
        if (!is_indexed(windows, dim))
            t = pop_tensor_slice(t, 0, windows->sizes[dim], dim);
    return t;
}

pop_tensor slice_as_rows(const struct slice_windows *windows)
{
    const struct call *call = windows->call;
    unsigned order[POPOPS_MAX_DIMS], count = 0;
    size_t rows = 1, columns = 1;
    pop_tensor t = slice_cut_operand(windows);
    for (size_t i = 0; i < windows->dims.count; ++i) {
        order[count++] = windows->dims.list[i];
        rows *= pop_tensor_dim(t, windows->dims.list[i]);
    }
    for (unsigned dim = 0; dim < pop_tensor_rank(t); ++dim)
        if (!is_indexed(windows, dim)) {
            order[count++] = dim;
            columns *= pop_tensor_dim(t, dim);
        }
    return pop_tensor_reshape(pop_tensor_dim_shuffle(t, (pop_dims){ count, order }), POP_SHAPE(rows, columns));
}

pop_tensor slice_places(const struct slice_windows *windows, bool rows, bool skip)
{
    const struct call *call = windows->call;
    pop_graph *graph = call->graph;
    size_t n = pop_tensor_dim(windows->vectors, 0), components = windows->dims.count;
    uint32_t limits[POPOPS_MAX_DIMS], strides[POPOPS_MAX_DIMS], stride = 1;
    for (size_t k = components; k-- > 0;) {
        size_t extent = pop_tensor_dim(windows->operand, windows->dims.list[k]);
        limits[k] = (uint32_t)(extent - windows->sizes[windows->dims.list[k]]);
        strides[k] = stride;
        stride *= (uint32_t)extent;
    }
    pop_tensor places = pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(n, rows ? 1 : components),
                                               call_path(call, call->name, "places"));
    poputil_map_tensor_linearly_grain(graph, places, (unsigned)(rows ? 8 : 8 * components),
                                      (unsigned)(rows ? 1 : components));
    pop_interval_lists mapping;
    if (!n || !pop_graph_get_tile_mapping(graph, pop_tensor_slice(places, 0, 1, 1), NULL, &mapping))
        return places;
    pop_compute_set set = pop_graph_add_compute_set(graph, call_path(call, call->name, "Indices"));
    pop_tensor vectors = windows->vectors;
    bool is_signed = pop_tensor_type(vectors) == POP_INT;
    vectors = is_signed ? pop_tensor_reinterpret(vectors, POP_UNSIGNED_INT) : vectors;
    for (size_t tile = 0; tile < mapping.count; ++tile)
        for (size_t i = mapping.first[tile]; i < mapping.first[tile + 1]; ++i) {
            pop_vertex vertex = pop_graph_add_vertex(graph, set, "popops::IndexPlaces");
            pop_interval here = mapping.intervals[i];
            call_connect(call, vertex, "indices", pop_tensor_flatten(pop_tensor_slice_interval(vectors, here, 0)));
            call_connect(call, vertex, "places", pop_tensor_flatten(pop_tensor_slice_interval(places, here, 0)));
            pop_graph_set_field_vector(graph, vertex, POP_FIELD("limits", POP_WHOLE), POP_UNSIGNED_INT, limits,
                                       components);
            pop_graph_set_field_vector(graph, vertex, POP_FIELD("strides", POP_WHOLE), POP_UNSIGNED_INT, strides,
                                       components);
            pop_graph_set_field_int(graph, vertex, "isSigned", is_signed);
            pop_graph_set_field_int(graph, vertex, "rows", rows);
            pop_graph_set_field_int(graph, vertex, "skip", skip);
            pop_graph_map_vertex(graph, vertex, (unsigned)tile);
        }
    pop_interval_lists_free(&mapping);
    call_execute(call, set, call->name);
    return places;
}
