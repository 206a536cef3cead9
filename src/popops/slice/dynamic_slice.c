/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of several dimensions are made one dimension at a time, beginning with the one that leaves the fewest
 * elements.  The tile of the first element along the sliced dimension does the work. */
#include "poplibs/codes.h"
#include "poplibs/log.h"
#include "poplibs/tiles.h"
#include "popops/slice/slicing.h"

#include <popops/dynamic_slice.h>
#include <poputil/util.h>

/* A slice of one dimension, which is dimension 0 here; the others are flattened. */
struct one_slice {
    const struct call *call;
    pop_compute_set set;
    pop_tensor base, sub, offset; /* {rows, n}, {sliced rows, n}, scalar */
    const char *vertex;           /* "popops::DynamicSlice" */
};

static void finish_vertex(const struct one_slice *slice, pop_vertex vertex, const char *size_field, size_t size,
                          unsigned tile)
{
    const struct call *call = slice->call;
    call_connect(call, vertex, "offset", slice->offset);
    call_set(call, vertex, "numBaseElements", pop_tensor_dim(slice->base, 0));
    call_set(call, vertex, "numSubElements", pop_tensor_dim(slice->sub, 0));
    call_set(call, vertex, size_field, size);
    pop_graph_map_vertex(call->graph, vertex, tile);
}

/* The columns in a list of intervals, as one flat tensor, row by row. */
static pop_tensor columns(const struct call *call, pop_tensor t, const pop_interval_lists *regions, size_t list)
{
    size_t first = regions->first[list], count = regions->first[list + 1] - first;
    if (count == 1)
        return pop_tensor_flatten(pop_tensor_slice_interval(t, regions->intervals[first], 1));
    pop_tensor *parts = poplibs_new(count, sizeof(*parts));
    pop_tensor_slices(t, (pop_interval_list){ count, regions->intervals + first }, 1, parts);
    pop_tensor joined = pop_tensor_flatten(pop_tensor_concat((pop_tensors){ count, parts }, 1));
    free(parts);
    return joined;
}

/* One vertex for the whole tile if its share of the base is contiguous. */
static bool add_one_region(const struct one_slice *slice, const struct poplibs_tile *tile)
{
    const struct call *call = slice->call;
    char name[80];
    if (tile->regions->count != 1)
        return false;
    pop_tensor base = columns(call, slice->base, tile->regions, 0), sub = columns(call, slice->sub, tile->regions, 0);
    if (!pop_tensor_is_contiguous(base))
        return false;
    snprintf(name, sizeof(name), "%sSupervisor<%s>", slice->vertex,
             pop_type_name(poplibs_codes_type(pop_tensor_type(base))));
    pop_vertex vertex = pop_graph_add_vertex(call->graph, slice->set, name);
    call_connect(call, vertex, "baseT", base);
    call_connect(call, vertex, "subT", sub);
    finish_vertex(slice, vertex, "regionSize", pop_tensor_num_elements(sub) / pop_tensor_dim(slice->sub, 0),
                  tile->tile);
    return true;
}

/* For each of count lists, connects one row of the field to each row of t. */
static void connect_rows(const struct one_slice *slice, pop_vertex vertex, const char *field, pop_tensor t,
                         const pop_interval_lists *regions, size_t first, size_t count)
{
    const struct call *call = slice->call;
    size_t rows = pop_tensor_dim(t, 0);
    pop_tensor *list = poplibs_new(rows * count, sizeof(*list));
    t = poplibs_codes(call, t);
    for (size_t i = 0; i < count; ++i)
        for (size_t row = 0; row < rows; ++row)
            list[i * rows + row] = call_slice_of_list(call, pop_tensor_at(t, row), regions, first + i);
    pop_graph_connect_list(call->graph, vertex, field, (pop_tensors){ rows * count, list });
    free(list);
}

static void add_tile(const struct one_slice *slice, const struct poplibs_tile *tile)
{
    const struct call *call = slice->call;
    char name[80];
    poputil_partitions parts;
    pop_type type = pop_tensor_type(slice->base);
    unsigned grain = pop_target_vector_width(pop_graph_target(call->graph), type);
    if (add_one_region(slice, tile))
        return;
    snprintf(name, sizeof(name), "%s2d<%s>", slice->vertex, pop_type_name(poplibs_codes_type(type)));
    poputil_split_regions_lists_between_workers(pop_graph_target(call->graph), tile->regions, grain, 2 * grain,
                                                POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT, &parts);
    for (size_t i = 0; i < parts.count; ++i) {
        size_t first = parts.first[i], count = parts.first[i + 1] - first;
        pop_vertex vertex = pop_graph_add_vertex(call->graph, slice->set, name);
        connect_rows(slice, vertex, "baseT", slice->base, &parts.regions, first, count);
        connect_rows(slice, vertex, "subT", slice->sub, &parts.regions, first, count);
        finish_vertex(slice, vertex, "numRegions", count, tile->tile);
    }
    poputil_partitions_free(&parts);
}

/* Views t as {dim's extent, product of the others}. */
static pop_tensor as_rows(const struct call *call, pop_tensor t, unsigned dim)
{
    size_t rows = pop_tensor_dim(t, dim);
    return pop_tensor_reshape(pop_tensor_dim_roll(t, dim, 0),
                              POP_SHAPE(rows, rows ? pop_tensor_num_elements(t) / rows : 0));
}

/* Adds the vertices between t and its slice sub along one dimension. */
static void add_slice(const struct call *call, const char *vertex, pop_tensor t, pop_tensor sub, pop_tensor offset,
                      unsigned dim, const char *step)
{
    pop_graph *graph = call->graph;
    char numbered[64];
    if (!call_ready(call) || !pop_tensor_num_elements(sub))
        return;
    snprintf(numbered, sizeof(numbered), "%s_d%u", step, dim);
    struct one_slice slice = { call,   pop_graph_add_compute_set(graph, call_path(call, call->name, numbered)),
                               { 0 },  { 0 },
                               offset, vertex };
    pop_mark mark = pop_graph_mark(graph);
    slice.base = as_rows(call, t, dim);
    slice.sub = as_rows(call, sub, dim);
    pop_tensor first = pop_tensor_at(slice.base, 0);
    pop_interval_lists mapping, regions;
    if (!pop_graph_get_tile_mapping(graph, first, NULL, &mapping))
        return;
    for (size_t tile = 0; tile < mapping.count; ++tile) {
        pop_interval_list here = { mapping.first[tile + 1] - mapping.first[tile],
                                   mapping.intervals + mapping.first[tile] };
        /* an element that occurs several times is sliced at each occurrence */
        if (here.count && pop_graph_get_sorted_contiguous_regions(graph, first, here, false, NULL, &regions)) {
            add_tile(&slice, &(struct poplibs_tile){ (unsigned)tile, &regions });
            pop_interval_lists_free(&regions);
        }
    }
    pop_interval_lists_free(&mapping);
    pop_graph_release(graph, mark);
    call_execute(call, slice.set, call->name);
}

/* Orders dims for slicing: those that reduce the size most come first. */
static void slicing_order(pop_tensor t, pop_dims dims, pop_shape sizes, size_t *order)
{
    for (size_t i = 0; i < dims.count; ++i) {
        size_t at = i;
        double part = (double)sizes.dims[i] / (double)pop_tensor_dim(t, dims.list[i]);
        for (; at && part < (double)sizes.dims[order[at - 1]] / (double)pop_tensor_dim(t, dims.list[order[at - 1]]);
             --at)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static pop_shape slice_shape(pop_tensor t, pop_dims dims, pop_shape sizes, size_t *shape)
{
    size_t rank = pop_tensor_shape(t, shape, POPOPS_MAX_DIMS);
    for (size_t i = 0; i < dims.count; ++i)
        shape[dims.list[i]] = sizes.dims[i];
    return (pop_shape){ rank, shape };
}

static bool check_tensor(const struct call *call, pop_tensor t, pop_dims dims, pop_shape sizes)
{
    size_t shape[POPOPS_MAX_DIMS] = { 0 };
    if (!call_takes(call, "the sliced tensor", t))
        return false;
    size_t rank = pop_tensor_shape(t, shape, POPOPS_MAX_DIMS);
    return slice_check_dims(call, (pop_shape){ rank, shape }, dims, sizes);
}

/* Slices t along the first count of the ordered dims; steps[i] is the tensor before step i, steps[count] the result. */
static void slice_steps(const struct call *call, pop_tensor *steps, pop_tensor offset, pop_dims dims, pop_shape sizes,
                        const size_t *order, size_t count)
{
    for (size_t i = 0; i < count && call_ready(call); ++i) {
        unsigned dim = dims.list[order[i]];
        steps[i + 1] =
            pop_graph_clone(call->graph, POP_TYPE_NULL, pop_tensor_slice(steps[i], 0, sizes.dims[order[i]], dim),
                            POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, call_path(call, call->name, "slicedTensor"));
        add_slice(call, "popops::DynamicSlice", steps[i], steps[i + 1], pop_tensor_at(offset, order[i]), dim,
                  "dynamicSlice");
    }
}

pop_tensor popops_dynamic_slice_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor offset, pop_dims dims,
                                   pop_shape sizes, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, t, offset, dims, sizes, name);
    pop_tensor steps[POPOPS_MAX_DIMS + 1] = { t }, none = { 0 };
    size_t order[POPOPS_MAX_DIMS];
    if (!call_ready(call) || !check_tensor(call, t, dims, sizes))
        return none;
    if (!dims.count) {
        steps[0] = poputil_duplicate(graph, t, sequence, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, name);
    } else {
        offset = slice_offsets(call, offset, dims.count);
        if (!call_ready(call))
            return none;
        slicing_order(t, dims, sizes, order);
        slice_steps(call, steps, offset, dims, sizes, order, dims.count);
    }
    poplibs_copy_metadata(call, t, steps[dims.count]);
    return call_ready(call) ? steps[dims.count] : none;
}

void popops_dynamic_slice_with_output_at(pop_where where, pop_graph *graph, pop_tensor output, pop_tensor t,
                                         pop_tensor offset, pop_dims dims, pop_shape sizes, pop_program sequence,
                                         const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, output, t, offset, dims, sizes, name);
    pop_tensor steps[POPOPS_MAX_DIMS + 1] = { t };
    size_t order[POPOPS_MAX_DIMS], shape[POPOPS_MAX_DIMS];
    if (!call_ready(call) || !check_tensor(call, t, dims, sizes) ||
        !call_takes_shape(call, "the output", output, pop_tensor_type(t), slice_shape(t, dims, sizes, shape)) ||
        !call_takes_writeable(call, "the tensor", output))
        return;
    poplibs_copy_metadata(call, t, output);
    if (!dims.count) {
        call_copy(call, t, output, name);
        return;
    }
    offset = slice_offsets(call, offset, dims.count);
    if (!call_ready(call))
        return;
    slicing_order(t, dims, sizes, order);
    size_t last = dims.count - 1;
    slice_steps(call, steps, offset, dims, sizes, order, last);
    add_slice(call, "popops::DynamicSlice", steps[last], output, pop_tensor_at(offset, order[last]),
              dims.list[order[last]], "dynamicSlice");
}

/* The slice at offset 0, as a view. */
static pop_tensor first_slice(const struct call *call, pop_tensor t, pop_dims dims, pop_shape sizes)
{
    for (size_t i = 0; i < dims.count; ++i)
        t = pop_tensor_slice(t, 0, sizes.dims[i], dims.list[i]);
    return t;
}

pop_tensor popops_create_dynamic_slice_output_at(pop_where where, pop_graph *graph, pop_tensor t, pop_dims dims,
                                                 pop_shape sizes, const char *name)
{
    POPLIBS_CALL(graph, t, dims, sizes, name);
    if (!call_ready(call) || !check_tensor(call, t, dims, sizes))
        return (pop_tensor){ 0 };
    return pop_graph_clone(graph, POP_TYPE_NULL, first_slice(call, t, dims, sizes),
                           POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, name);
}

bool popops_get_slice_mapping_at(pop_where where, pop_graph *graph, pop_tensor t, pop_dims dims, pop_shape sizes,
                                 pop_interval_lists *mapping)
{
    POPLIBS_CALL(graph, t, dims, sizes);
    *mapping = (pop_interval_lists){ 0 };
    if (!call_ready(call) || !check_tensor(call, t, dims, sizes))
        return false;
    return pop_graph_get_tile_mapping(graph, first_slice(call, t, dims, sizes), NULL, mapping);
}

void popops_dynamic_update_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s, pop_tensor offset,
                              pop_dims dims, pop_shape sizes, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, t, s, offset, dims, sizes, name);
    pop_tensor steps[POPOPS_MAX_DIMS + 1] = { t };
    size_t order[POPOPS_MAX_DIMS], shape[POPOPS_MAX_DIMS];
    if (!call_ready(call) || !check_tensor(call, t, dims, sizes) ||
        !call_takes_shape(call, "the slice", s, pop_tensor_type(t), slice_shape(t, dims, sizes, shape)) ||
        !call_takes_writeable(call, "the tensor", t))
        return;
    if (!dims.count) {
        call_copy(call, s, t, name);
        return;
    }
    offset = slice_offsets(call, offset, dims.count);
    if (!call_ready(call) || !pop_tensor_num_elements(s))
        return;
    slicing_order(t, dims, sizes, order);
    /* The nested slices that contain it are read, changed, and written back from the inside out. */
    slice_steps(call, steps, offset, dims, sizes, order, dims.count - 1);
    for (size_t i = dims.count; i-- > 0 && call_ready(call); s = steps[i])
        add_slice(call, "popops::DynamicUpdateSlice", steps[i], s, pop_tensor_at(offset, order[i]), dims.list[order[i]],
                  "dynamicUpdate");
}

/* ---- operands ---- */

/* n slices mapped like s; what a tile has of a slice is one region, and so are its parts of all slices. */
static pop_tensor slices_like(const struct call *call, pop_tensor s, size_t n)
{
    pop_clone_method method = pop_tensor_contains_aliases(s) ? POP_CLONE_CREATE_NEW_ORDER
                                                             : POP_CLONE_GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES;
    return pop_graph_clone_n(call->graph, POP_TYPE_NULL, s, n, method, POP_DUPLICATE_BY_TILE_CONTIGUOUS_REGION,
                             call->name);
}

/* Maps blocks of `share` columns.  A block that would fill more than a quarter of a tile is split by rows. */
static void map_shares(const struct call *call, pop_tensor variable, size_t rows, size_t columns, size_t share)
{
    const pop_target *target = pop_graph_target(call->graph);
    size_t blocks = share ? poplibs_ceil_div(columns, share) : 0, tiles = pop_target_num_tiles(target), splits = 1;
    if (blocks && rows &&
        rows * share * pop_target_type_size(target, pop_tensor_type(variable)) > target->bytes_per_tile / 4)
        splits = poplibs_max(1, poplibs_min(rows, tiles / blocks));
    size_t height = poplibs_ceil_div(rows, splits);
    for (size_t block = 0; block < blocks; ++block)
        for (size_t first = 0, split = 0; first < rows; first += height, ++split) {
            size_t width = poplibs_min(share, columns - block * share), begin = block * share * rows;
            pop_graph_set_tile_mapping(
                call->graph,
                pop_tensor_slice(variable, begin + first * width, begin + poplibs_min(rows, first + height) * width, 0),
                (unsigned)(block * splits + split));
        }
}

pop_tensor popops_create_sliceable_tensor_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                             pop_dims dims, pop_shape sizes, size_t min_grain_size, const char *name)
{
    POPLIBS_CALL(graph, log_type(type), shape, dims, sizes, min_grain_size, name);
    pop_tensor none = { 0 };
    if (!call_ready(call) || !slice_check_dims(call, shape, dims, sizes))
        return none;
    /* The sliced dims come first, then the others: the order in which parts are made. */
    unsigned order[POPOPS_MAX_DIMS], places[POPOPS_MAX_DIMS];
    size_t ordered[POPOPS_MAX_DIMS], rows = 1, columns = 1, count = 0, elements = 1;
    for (size_t i = 0; i < shape.rank; ++i)
        if (__builtin_mul_overflow(elements, shape.dims[i], &elements)) {
            char text[160];
            call_fail(call, POP_POPLAR_ERROR, "too many elements: %s", poplibs_shape_text(text, sizeof(text), shape));
            return none;
        }
    bool sliced[POPOPS_MAX_DIMS] = { false };
    for (size_t i = 0; i < dims.count; ++i) {
        sliced[dims.list[i]] = true;
        order[count++] = dims.list[i];
        rows *= shape.dims[dims.list[i]];
    }
    for (unsigned dim = 0; dim < shape.rank; ++dim)
        if (!sliced[dim]) {
            order[count++] = dim;
            columns *= shape.dims[dim];
        }
    for (unsigned i = 0; i < count; ++i) {
        ordered[i] = shape.dims[order[i]];
        places[order[i]] = i;
    }
    const pop_target *target = pop_graph_target(graph);
    size_t tiles = pop_target_num_tiles(target),
           grain = min_grain_size ? min_grain_size : poplibs_max(1, pop_target_vector_width(target, type));
    size_t share = poplibs_ceil_div(poplibs_ceil_div(columns, grain), tiles ? tiles : 1) * grain;
    size_t full = share ? columns / share : 0, rest = share ? columns % share : 0;
    /* Each tile's share is one region: its columns of the first row, then of the next. */
    pop_tensor variable = pop_graph_add_variable(graph, type, POP_SHAPE(rows * columns), name), parts[2];
    map_shares(call, variable, rows, columns, share);
    parts[0] = pop_tensor_reshape(pop_tensor_slice(variable, 0, full * share * rows, 0), POP_SHAPE(full, rows, share));
    parts[0] = pop_tensor_flatten_dims(pop_tensor_dim_shuffle(parts[0], POP_DIMS(1, 0, 2)), 1, 3);
    parts[1] =
        pop_tensor_reshape(pop_tensor_slice(variable, full * share * rows, rows * columns, 0), POP_SHAPE(rows, rest));
    pop_tensor t = rest ? pop_tensor_concat((pop_tensors){ 2, parts }, 1) : parts[0];
    t = pop_tensor_reshape(t, (pop_shape){ count, ordered });
    return pop_tensor_dim_shuffle(t, (pop_dims){ count, places });
}

pop_tensor popops_create_sliceable_tensor_from_slice_at(pop_where where, pop_graph *graph, pop_tensor s, pop_dims dims,
                                                        pop_shape num_out_indices, const char *name)
{
    POPLIBS_CALL(graph, s, dims, num_out_indices, name);
    pop_tensor none = { 0 };
    if (!call_ready(call) ||
        !check_tensor(call, s, dims, (pop_shape){ dims.count, (const size_t[POPOPS_MAX_DIMS]){ 0 } }))
        return none;
    if (num_out_indices.rank != dims.count) {
        call_fail(call, POP_POPLAR_ERROR, "%zu dims and %zu numbers of slices: there must be one for each", dims.count,
                  num_out_indices.rank);
        return none;
    }
    size_t total = 1, rank = pop_tensor_rank(s), shape[2 * POPOPS_MAX_DIMS];
    for (size_t i = 0; i < dims.count; ++i)
        total *= shape[i] = num_out_indices.dims[i];
    pop_tensor_shape(s, shape + dims.count, POPOPS_MAX_DIMS);
    pop_tensor t = slices_like(call, s, total);
    t = pop_tensor_reshape(t, (pop_shape){ dims.count + rank, shape });
    /* Inserts the number of slices before its dimension and merges both. */
    unsigned order[2 * POPOPS_MAX_DIMS], count = 0;
    for (unsigned dim = 0; dim < rank; ++dim) {
        for (unsigned i = 0; i < dims.count; ++i)
            if (dims.list[i] == dim)
                order[count++] = i;
        order[count++] = (unsigned)dims.count + dim;
    }
    t = pop_tensor_dim_shuffle(t, (pop_dims){ count, order });
    pop_tensor_shape(s, shape, POPOPS_MAX_DIMS);
    for (size_t i = 0; i < dims.count; ++i)
        shape[dims.list[i]] *= num_out_indices.dims[i];
    return pop_tensor_reshape(t, (pop_shape){ rank, shape });
}

pop_tensor popops_create_slice_tensor_at(pop_where where, pop_graph *graph, pop_tensor t, pop_dims dims,
                                         pop_shape sizes, size_t num_indices, const char *name)
{
    POPLIBS_CALL(graph, t, dims, sizes, num_indices, name);
    if (!call_ready(call) || !check_tensor(call, t, dims, sizes))
        return (pop_tensor){ 0 };
    return slices_like(call, first_slice(call, t, dims, sizes), num_indices);
}
