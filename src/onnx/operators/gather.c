/* SPDX-License-Identifier: Apache-2.0 */
/* Gather and Scatter families.
 *
 * GatherElements, GatherND and the scatters turn their indices into positions in the flattened data: they are computed
 * on the host where indices are known, otherwise by the device, and then one lookup of rows does the rest. */
#include "onnx/build/build.h"

#include <popops/dynamic_slice.h>
#include <popops/gather.h>
#include <popops/scatter.h>
#include <string.h>

enum { MAX_VIEW_PARTS = 4096 }; /* more parts than this become a lookup */

/* Negative indices count from the end. */
static pop_tensor wrap_indices(onnx_builder *b, pop_tensor indices, size_t extent)
{
    return onnx_map(b, "select(_1 + _2, _1, _1 < 0)",
                    POP_TENSORS(indices, onnx_fill(b, POP_INT, POP_SHAPE(), (double)extent)));
}

/* A known index, counted from the start; extent when it is out of range. */
static size_t known_index(const tremula_onnx_tensor *indices, size_t i, size_t extent)
{
    int64_t index = onnx_integer(indices, i);
    index = index < 0 ? index + (int64_t)extent : index;
    return index < 0 || index >= (int64_t)extent ? extent : (size_t)index;
}

/* ---- Gather ---- */

/* Slices at known indices, as a view; runs of neighbours are one slice. */
static bool gather_view(onnx_builder *b, pop_tensor t, unsigned dim, pop_shape shape)
{
    const tremula_onnx_tensor *indices = &onnx_input(b, 1)->host;
    size_t count = tremula_onnx_tensor_elements(indices), extent = pop_tensor_dim(t, dim), parts = 0;
    pop_tensor *list = onnx_new(b->arena, count + 1, sizeof(*list));
    for (size_t i = 0, end; i < count; i = end) {
        size_t first = known_index(indices, i, extent);
        if (first == extent)
            return onnx_complain(b, "index %lld is out of range: the dimension has %zu elements",
                                 (long long)onnx_integer(indices, i), extent);
        for (end = i + 1;
             end < count && known_index(indices, end, extent) == first + (end - i) && first + (end - i) < extent;)
            ++end;
        list[parts++] = pop_tensor_slice_at(b->where, t, first, first + (end - i), dim);
    }
    pop_tensor result = parts ? pop_tensor_concat_at(b->where, (pop_tensors){ parts, list }, dim)
                              : pop_tensor_slice_at(b->where, t, 0, 0, dim);
    return onnx_ok(b) && onnx_give_like(b, onnx_reshape(b, result, shape));
}

static bool build_gather(onnx_builder *b)
{
    size_t rank = onnx_rank_of(b, 0), axis = onnx_axis(b, onnx_int(b, "axis", 0), rank),
           dims[2 * TREMULA_ONNX_MAX_RANK], kept = 0;
    pop_shape index_shape = onnx_shape_of(b, 1);
    const onnx_value *indices = onnx_input(b, 1), *data = onnx_input(b, 0);
    if (b->failed || !indices)
        return onnx_complain(b, "it has no indices");
    for (size_t i = 0; i < axis; ++i)
        dims[kept++] = onnx_shape_of(b, 0).dims[i];
    for (size_t i = 0; i < index_shape.rank; ++i)
        dims[kept++] = index_shape.dims[i];
    for (size_t i = axis + 1; i < rank; ++i)
        dims[kept++] = onnx_shape_of(b, 0).dims[i];
    if (kept > TREMULA_ONNX_MAX_RANK)
        return onnx_complain(b, "its result has %zu dimensions; at most %d are supported", kept, TREMULA_ONNX_MAX_RANK);
    size_t count = tremula_onnx_tensor_elements(&indices->host), extent = onnx_shape_of(b, 0).dims[axis];
    if (indices->known && (count <= MAX_VIEW_PARTS || b->scratch)) {
        pop_tensor t = onnx_tensor(b, 0);
        return onnx_ok(b) && gather_view(b, t, (unsigned)axis, (pop_shape){ kept, dims });
    }
    size_t rows = extent, columns = rows ? tremula_onnx_tensor_elements(&data->host) / rows : 0;
    pop_tensor matrix, offsets = wrap_indices(b, onnx_reshape(b, onnx_tensor(b, 1), POP_SHAPE(count)), extent);
    if (data->known && axis == 0 && onnx_ok(b)) { /* an embedding: a matrix laid out for lookups */
        matrix = popops_create_sliceable_tensor_at(b->where, b->graph, onnx_device_type(b, data->type),
                                                   POP_SHAPE(rows, columns), POP_DIMS(0), POP_SHAPE(1), 0, "rows");
        onnx_set_initial(b, matrix, &data->host);
    } else {
        matrix = pop_tensor_dim_roll_at(b->where, onnx_tensor(b, 0), (unsigned)axis, 0);
        matrix = onnx_ok(b) ? onnx_reshape(b, matrix, POP_SHAPE(rows, columns)) : matrix;
    }
    if (!onnx_ok(b))
        return false;
    pop_tensor found = popops_multi_slice_at(
        b->where, b->graph, matrix, onnx_reshape(b, onnx_cast(b, offsets, POP_UNSIGNED_INT), POP_SHAPE(count, 1)),
        POP_DIMS(0), POP_SHAPE(1), b->program, NULL, b->name, POP_NO_OPTIONS);
    if (!onnx_ok(b))
        return false;
    size_t rolled[2 * TREMULA_ONNX_MAX_RANK],
        n = 0; /* {indices, the other dimensions}, then the indices go to the axis */
    rolled[n++] = count;
    for (size_t i = 0; i < rank; ++i)
        if (i != axis)
            rolled[n++] = onnx_shape_of(b, 0).dims[i];
    found = pop_tensor_dim_roll_at(b->where, onnx_reshape(b, found, (pop_shape){ n, rolled }), 0, (unsigned)axis);
    return onnx_give_like(b, onnx_reshape(b, found, (pop_shape){ kept, dims }));
}

/* ---- positions in flattened data ---- */

/* Elements of t, flattened, at positions {n} of INT; each position is that of a row of `width` elements. */
static pop_tensor look_up(onnx_builder *b, pop_tensor t, pop_tensor positions, size_t width)
{
    size_t count = pop_tensor_num_elements(positions), rows = width ? pop_tensor_num_elements(t) / width : 0;
    pop_tensor matrix = onnx_reshape(b, pop_tensor_flatten_at(b->where, t), POP_SHAPE(rows, width));
    pop_tensor offsets = onnx_reshape(b, onnx_cast(b, positions, POP_UNSIGNED_INT), POP_SHAPE(count, 1));
    return onnx_ok(b) ? popops_multi_slice_at(b->where, b->graph, matrix, offsets, POP_DIMS(0), POP_SHAPE(1),
                                              b->program, NULL, b->name, POP_NO_OPTIONS)
                      : t;
}

/* For GatherElements and ScatterElements: the position of what an index addresses, in data of that shape. */
static pop_tensor element_positions(onnx_builder *b, pop_shape data, size_t axis)
{
    const onnx_value *indices = onnx_input(b, 1);
    pop_shape shape = onnx_shape_of(b, 1);
    size_t count = tremula_onnx_tensor_elements(&indices->host), strides[TREMULA_ONNX_MAX_RANK], stride = 1;
    for (size_t d = data.rank; d-- > 0; stride *= data.dims[d])
        strides[d] = stride;
    int32_t *base = onnx_new(b->arena, count + 1, sizeof(*base));
    for (size_t i = 0; i < count; ++i) {
        size_t rest = i, position = 0;
        for (size_t d = shape.rank; d-- > 0; rest /= shape.dims[d])
            position += d == axis ? 0 : rest % shape.dims[d] * strides[d];
        if (indices->known)
            position += known_index(&indices->host, i, data.dims[axis]) * strides[axis];
        base[i] = (int32_t)position;
    }
    pop_tensor others = onnx_int_constant(b, POP_SHAPE(count), base);
    if (indices->known)
        return others;
    pop_tensor wrapped = wrap_indices(b, onnx_reshape(b, onnx_tensor(b, 1), POP_SHAPE(count)), data.dims[axis]);
    return onnx_map(b, "_1 * _2 + _3",
                    POP_TENSORS(wrapped, onnx_fill(b, POP_INT, POP_SHAPE(), (double)strides[axis]), others));
}

static bool build_gather_elements(onnx_builder *b)
{
    size_t rank = onnx_rank_of(b, 0), axis = onnx_axis(b, onnx_int(b, "axis", 0), rank);
    if (onnx_rank_of(b, 1) != rank)
        return onnx_complain(b, "its data and its indices have different numbers of dimensions");
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    pop_tensor positions = element_positions(b, onnx_shape_of(b, 0), axis);
    if (!onnx_ok(b))
        return false;
    return onnx_give_like(b, onnx_reshape(b, look_up(b, t, positions, 1), onnx_shape_of(b, 1)));
}

/* For GatherND and ScatterND: positions of slices of data, of `outer` dimensions from `batch` on. */
static pop_tensor slice_positions(onnx_builder *b, pop_shape data, size_t batch, size_t outer, size_t *count)
{
    pop_shape shape = onnx_shape_of(b, 1);
    size_t per_batch = 1, strides[TREMULA_ONNX_MAX_RANK], stride = 1;
    for (size_t d = batch + outer; d-- > batch; stride *= data.dims[d])
        strides[d - batch] = stride;
    *count = 1;
    for (size_t i = 0; i + 1 < shape.rank; ++i) {
        *count *= shape.dims[i];
        if (i >= batch)
            per_batch *= shape.dims[i];
    }
    int32_t *base = onnx_new(b->arena, *count + 1, sizeof(*base));
    for (size_t i = 0; i < *count && per_batch; ++i)
        base[i] = (int32_t)(i / per_batch * stride);
    pop_tensor positions = onnx_int_constant(b, POP_SHAPE(*count), base);
    pop_tensor indices = onnx_reshape(b, onnx_tensor(b, 1), POP_SHAPE(*count, outer));
    for (size_t d = 0; d < outer && onnx_ok(b); ++d) {
        pop_tensor one = onnx_reshape(b, pop_tensor_slice_at(b->where, indices, d, d + 1, 1), POP_SHAPE(*count));
        one = wrap_indices(b, one, data.dims[batch + d]);
        positions = onnx_map(b, "_1 * _2 + _3",
                             POP_TENSORS(one, onnx_fill(b, POP_INT, POP_SHAPE(), (double)strides[d]), positions));
    }
    return positions;
}

static bool check_nd(onnx_builder *b, size_t batch, size_t *outer)
{
    pop_shape data = onnx_shape_of(b, 0), indices = onnx_shape_of(b, 1);
    if (indices.rank == 0 || indices.rank <= batch || indices.dims[indices.rank - 1] + batch > data.rank)
        return onnx_complain(b, "the last dimension of its indices is longer than its data have dimensions");
    *outer = indices.dims[indices.rank - 1];
    return true;
}

static bool build_gather_nd(onnx_builder *b)
{
    size_t batch = (size_t)onnx_int(b, "batch_dims", 0), outer = 0, dims[2 * TREMULA_ONNX_MAX_RANK], rank = 0,
           width = 1, count;
    pop_shape data = onnx_shape_of(b, 0), indices = onnx_shape_of(b, 1);
    if (!check_nd(b, batch, &outer))
        return false;
    for (size_t i = 0; i + 1 < indices.rank; ++i)
        dims[rank++] = indices.dims[i];
    for (size_t i = batch + outer; i < data.rank; ++i) {
        dims[rank++] = data.dims[i];
        width *= data.dims[i];
    }
    pop_tensor t = onnx_tensor(b, 0), positions = slice_positions(b, data, batch, outer, &count);
    if (!onnx_ok(b))
        return false;
    return onnx_give_like(b, onnx_reshape(b, look_up(b, t, positions, width), (pop_shape){ rank, dims }));
}

/* ---- scatters: a copy of the data whose rows at positions are replaced, or combined with updates ---- */

struct reduction {
    onnx_builder *b;
    popops_binary_op op;
};

static pop_tensor combine(pop_graph *graph, pop_tensor old, pop_tensor update, pop_program program, void *user)
{
    struct reduction *r = user;
    return popops_binary_at(r->b->where, r->op, graph, popops_operand_of_tensor(old), popops_operand_of_tensor(update),
                            program, r->b->name);
}

static bool find_reduction(const char *name, popops_binary_op *op)
{
    static const struct {
        const char *name;
        popops_binary_op op;
    } all[] = { { "add", POPOPS_BINARY_ADD },
                { "mul", POPOPS_BINARY_MULTIPLY },
                { "max", POPOPS_BINARY_MAXIMUM },
                { "min", POPOPS_BINARY_MINIMUM } };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
        if (strcmp(all[i].name, name) == 0) {
            *op = all[i].op;
            return true;
        }
    return false;
}

static bool scatter_rows(onnx_builder *b, pop_tensor positions, size_t width)
{
    const char *reduction = onnx_text(b, "reduction", "none");
    pop_tensor data = onnx_tensor(b, 0), updates = onnx_tensor(b, 2);
    if (!onnx_ok(b))
        return false;
    struct reduction r = { b, 0 };
    bool replaces = strcmp(reduction, "none") == 0;
    if (!replaces && !find_reduction(reduction, &r.op))
        return onnx_complain(b, "reduction '%s' is not supported (allowed: none, add, mul, max, min)", reduction);
    size_t count = pop_tensor_num_elements(positions), rows = width ? pop_tensor_num_elements(data) / width : 0;
    pop_tensor result = onnx_variable(b, pop_tensor_type(data), onnx_shape(b, data), b->name);
    pop_sequence_add_at(b->where, b->program, pop_copy_at(b->where, data, result, false, b->name));
    pop_tensor matrix = onnx_reshape(b, result, POP_SHAPE(rows, width)),
               list = onnx_reshape(b, updates, POP_SHAPE(count, width));
    pop_tensor offsets = onnx_reshape(b, positions, POP_SHAPE(count, 1));
    if (!onnx_ok(b))
        return false;
    if (replaces)
        popops_scatter_at(b->where, b->graph, matrix, offsets, list, 1, POP_DIMS(1), POP_DIMS(0), POP_DIMS(0),
                          b->program, b->name, POP_NO_OPTIONS);
    else
        popops_scatter_with_at(b->where, b->graph, matrix, offsets, list, 1, POP_DIMS(1), POP_DIMS(0), POP_DIMS(0),
                               combine, &r, b->program, b->name, POP_NO_OPTIONS);
    return onnx_give_like(b, result);
}

static bool build_scatter_elements(onnx_builder *b)
{
    size_t rank = onnx_rank_of(b, 0), axis = onnx_axis(b, onnx_int(b, "axis", 0), rank);
    if (onnx_rank_of(b, 1) != rank || onnx_rank_of(b, 2) != rank)
        return onnx_complain(b, "its data, indices and updates have different numbers of dimensions");
    pop_tensor positions = element_positions(b, onnx_shape_of(b, 0), axis);
    return onnx_ok(b) && scatter_rows(b, positions, 1);
}

static bool build_scatter_nd(onnx_builder *b)
{
    size_t outer = 0, width = 1, count;
    pop_shape data = onnx_shape_of(b, 0);
    if (!check_nd(b, 0, &outer))
        return false;
    for (size_t i = outer; i < data.rank; ++i)
        width *= data.dims[i];
    pop_tensor positions = slice_positions(b, data, 0, outer, &count);
    return onnx_ok(b) && scatter_rows(b, positions, width);
}

/* ---- OneHot: {off, on} by comparing indices with the numbers of classes ---- */

static bool build_one_hot(onnx_builder *b)
{
    size_t depth_count, rank = onnx_rank_of(b, 0);
    const int64_t *depth = onnx_known_ints(b, 1, &depth_count);
    size_t axis = onnx_axis(b, onnx_int(b, "axis", -1), rank + 1), dims[TREMULA_ONNX_MAX_RANK];
    pop_tensor indices = onnx_tensor(b, 0), values = onnx_tensor(b, 2);
    if (!onnx_ok(b) || depth_count != 1 || depth[0] < 0 || depth[0] > INT32_MAX || rank >= TREMULA_ONNX_MAX_RANK)
        return onnx_complain(b, "its depth is no number");
    size_t classes = (size_t)depth[0];
    int32_t *numbers = onnx_new(b->arena, classes + 1, sizeof(*numbers));
    for (size_t i = 0; i < classes; ++i)
        numbers[i] = (int32_t)i;
    for (size_t i = 0; i <= rank; ++i)
        dims[i] = i == axis ? classes : 1;
    pop_tensor whole = wrap_indices(b, onnx_cast(b, indices, POP_INT), classes);
    whole = pop_tensor_expand_at(b->where, whole, POP_DIMS((unsigned)axis));
    pop_tensor equal = ONNX_BINARY(b, EQUAL, whole, onnx_int_constant(b, (pop_shape){ rank + 1, dims }, numbers));
    pop_tensor off = pop_tensor_at_at(b->where, values, 0), on = pop_tensor_at_at(b->where, values, 1);
    return onnx_ok(b) && onnx_give(b, 0, ONNX_TERNARY(b, SELECT, on, off, equal), onnx_type_of(b, 2));
}

const onnx_operator onnx_gather_operators[] = {
    { ONNX_ROW("Gather", 1), build_gather, onnx_fold_views, 0, NULL },
    { ONNX_ROW("GatherElements", 11), build_gather_elements, NULL, 0, NULL },
    { ONNX_ROW("GatherND", 11), build_gather_nd, NULL, 0, NULL },
    { ONNX_ROW("OneHot", 9), build_one_hot, NULL, 0, NULL },
    { ONNX_ROW("Scatter", 9), build_scatter_elements, NULL, 0, NULL },
    { ONNX_ROW("ScatterElements", 11), build_scatter_elements, NULL, 0, NULL },
    { ONNX_ROW("ScatterND", 11), build_scatter_nd, NULL, 0, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};
