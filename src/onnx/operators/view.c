/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that only arrange elements: on the device they are views, which cost nothing by themselves. */
#include "onnx/build/build.h"
#include "onnx/model/tensor_file.h"

#include <popops/pad.h>
#include <string.h>

static bool build_identity(onnx_builder *b)
{
    return onnx_give_like(b, onnx_tensor(b, 0));
}

/* Of two outputs the second is a mask of elements that are kept: all, in inference. */
static bool build_dropout(onnx_builder *b)
{
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    const onnx_value *training = onnx_input(b, 2), *ratio = onnx_input(b, 1);
    bool drops = training && onnx_known(b, 2) && onnx_integer(&training->host, 0) &&
                 !(ratio && onnx_known(b, 1) && onnx_number(&ratio->host, 0) == 0);
    if (drops)
        return onnx_complain(b, "training_mode drops random elements: only inference is supported");
    if (onnx_wants(b, 1)) {
        tremula_onnx_type type = b->model->opset < 10 ? onnx_type_of(b, 0) : TREMULA_ONNX_BOOL;
        if (!onnx_give(b, 1, onnx_fill(b, onnx_device_type(b, type), onnx_shape(b, t), 1), type))
            return false;
    }
    return onnx_give_like(b, t);
}

/* ---- shapes ---- */

/* A list of sizes or dimensions that is an attribute in early operator sets and input i in later ones. */
static const int64_t *read_list(onnx_builder *b, const char *name, size_t i, size_t *count)
{
    return onnx_input(b, i) ? onnx_known_ints(b, i, count) : onnx_ints(b, name, count);
}

static bool build_reshape(onnx_builder *b)
{
    size_t rank, dims[TREMULA_ONNX_MAX_RANK];
    const int64_t *wanted = read_list(b, "shape", 1, &rank);
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    if (rank > TREMULA_ONNX_MAX_RANK)
        return onnx_complain(b, "its shape has %zu dimensions; at most %d are supported", rank, TREMULA_ONNX_MAX_RANK);
    size_t rest = rank, product = 1, elements = pop_tensor_num_elements(t);
    bool zero_is_zero = onnx_int(b, "allowzero", 0);
    for (size_t i = 0; i < rank; ++i) {
        dims[i] = wanted[i] == 0 && !zero_is_zero ? pop_tensor_dim(t, i) : (size_t)wanted[i];
        if (wanted[i] == -1)
            rest = i;
        else
            product *= dims[i];
    }
    if (rest < rank)
        dims[rest] = product ? elements / product : 0;
    size_t count;
    if (!onnx_count_elements(rank, dims, 1, &count) || count != elements)
        return onnx_complain(b, "a tensor of %zu elements cannot have its new shape", elements);
    return onnx_give_like(b, onnx_reshape(b, t, (pop_shape){ rank, dims }));
}

static bool build_flatten(onnx_builder *b)
{
    size_t rank = onnx_rank_of(b, 0);
    int64_t axis = onnx_int(b, "axis", 1);
    size_t split = axis < 0 ? (size_t)(axis + (int64_t)rank) : (size_t)axis, rows = 1;
    if (split > rank)
        return onnx_complain(b, "axis %lld is none of a tensor of rank %zu", (long long)axis, rank);
    pop_tensor t = onnx_tensor(b, 0);
    for (size_t i = 0; i < split; ++i)
        rows *= onnx_shape_of(b, 0).dims[i];
    size_t columns = 1;
    for (size_t i = split; i < rank; ++i)
        columns *= onnx_shape_of(b, 0).dims[i];
    return onnx_ok(b) && onnx_give_like(b, onnx_reshape(b, t, POP_SHAPE(rows, columns)));
}

static bool build_squeeze(onnx_builder *b)
{
    size_t count, rank = onnx_rank_of(b, 0), dims[TREMULA_ONNX_MAX_RANK], kept = 0;
    const int64_t *axes = read_list(b, "axes", 1, &count);
    bool drop[TREMULA_ONNX_MAX_RANK] = { false };
    pop_shape shape = onnx_shape_of(b, 0);
    for (size_t i = 0; i < count && !b->failed; ++i)
        drop[onnx_axis(b, axes[i], rank)] = true;
    for (size_t i = 0; i < rank && !b->failed; ++i) {
        if (drop[i] && shape.dims[i] != 1)
            return onnx_complain(b, "dimension %zu has %zu elements, not 1", i, shape.dims[i]);
        if (!(axes ? drop[i] : shape.dims[i] == 1))
            dims[kept++] = shape.dims[i];
    }
    pop_tensor t = onnx_tensor(b, 0);
    return onnx_ok(b) && onnx_give_like(b, onnx_reshape(b, t, (pop_shape){ kept, dims }));
}

static bool build_unsqueeze(onnx_builder *b)
{
    size_t count, rank = onnx_rank_of(b, 0), dims[TREMULA_ONNX_MAX_RANK], from = 0;
    const int64_t *axes = read_list(b, "axes", 1, &count);
    bool added[TREMULA_ONNX_MAX_RANK] = { false };
    if (rank + count > TREMULA_ONNX_MAX_RANK)
        return onnx_complain(b, "its result has %zu dimensions; at most %d are supported", rank + count,
                             TREMULA_ONNX_MAX_RANK);
    for (size_t i = 0; i < count && !b->failed; ++i)
        added[onnx_axis(b, axes[i], rank + count)] = true;
    for (size_t i = 0; i < rank + count && !b->failed; ++i) {
        if (!added[i] && from == rank)
            return onnx_complain(b, "an axis is named twice");
        dims[i] = added[i] ? 1 : onnx_shape_of(b, 0).dims[from++];
    }
    pop_tensor t = onnx_tensor(b, 0);
    return onnx_ok(b) && onnx_give_like(b, onnx_reshape(b, t, (pop_shape){ rank + count, dims }));
}

static bool build_transpose(onnx_builder *b)
{
    size_t count, rank = onnx_rank_of(b, 0);
    const int64_t *permutation = onnx_ints(b, "perm", &count);
    unsigned order[TREMULA_ONNX_MAX_RANK];
    if (permutation && count != rank)
        return onnx_complain(b, "perm has %zu entries for a tensor of rank %zu", count, rank);
    for (size_t i = 0; i < rank; ++i)
        order[i] = permutation ? (unsigned)onnx_axis(b, permutation[i], rank) : (unsigned)(rank - 1 - i);
    pop_tensor t = onnx_tensor(b, 0);
    return onnx_ok(b) && onnx_give_like(b, onnx_permute(b, t, order));
}

static bool build_expand(onnx_builder *b)
{
    size_t count, dims[TREMULA_ONNX_MAX_RANK], own = onnx_rank_of(b, 0);
    const int64_t *wanted = onnx_known_ints(b, 1, &count);
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    size_t rank = count > own ? count : own;
    if (rank > TREMULA_ONNX_MAX_RANK)
        return onnx_complain(b, "its shape has %zu dimensions; at most %d are supported", rank, TREMULA_ONNX_MAX_RANK);
    for (size_t i = 0; i < rank; ++i) {
        size_t have = i + own < rank ? 1 : pop_tensor_dim(t, i + own - rank);
        size_t want = i + count < rank ? 1 : (size_t)wanted[i + count - rank];
        dims[i] = want == 1 ? have : want;
    }
    return onnx_give_like(b, onnx_broadcast(b, t, (pop_shape){ rank, dims }));
}

static bool build_tile(onnx_builder *b)
{
    size_t count, rank = onnx_rank_of(b, 0);
    const int64_t *repeats = onnx_known_ints(b, 1, &count);
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    if (count != rank)
        return onnx_complain(b, "it has %zu repeats for a tensor of rank %zu", count, rank);
    for (unsigned i = 0; i < rank; ++i)
        t = pop_tensor_broadcast_at(b->where, t, (unsigned)repeats[i], i);
    return onnx_give_like(b, t);
}

/* ---- parts ---- */

static bool build_concat(onnx_builder *b)
{
    size_t count = onnx_num_inputs(b), dim = onnx_axis(b, onnx_int(b, "axis", 1), onnx_rank_of(b, 0));
    pop_tensor *list = onnx_new(b->arena, count, sizeof(*list));
    for (size_t i = 0; i < count && !b->failed; ++i)
        list[i] = onnx_tensor(b, i);
    return onnx_ok(b) && onnx_give_like(b, pop_tensor_concat_at(b->where, (pop_tensors){ count, list }, (unsigned)dim));
}

static bool build_split(onnx_builder *b)
{
    size_t count, dim = onnx_axis(b, onnx_int(b, "axis", 0), onnx_rank_of(b, 0));
    const int64_t *sizes = read_list(b, "split", 1, &count);
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    size_t extent = pop_tensor_dim(t, dim), parts = sizes ? count : b->node->num_outputs, begin = 0;
    if (parts != b->node->num_outputs)
        return onnx_complain(b, "it has %zu sizes for %zu outputs", parts, b->node->num_outputs);
    size_t even = (extent + parts - 1) / parts;
    for (size_t i = 0; i < parts; ++i) {
        size_t size = sizes ? (size_t)sizes[i] : begin + even > extent ? extent - begin : even;
        if (size > extent - begin)
            return onnx_complain(b, "its sizes are more than the %zu elements of the dimension", extent);
        pop_tensor part = pop_tensor_slice_at(b->where, t, begin, begin + size, (unsigned)dim);
        if (!onnx_give(b, i, part, onnx_type_of(b, 0)))
            return false;
        begin += size;
    }
    return true;
}

/* The elements from start towards end, every step-th; a step may be negative. */
static pop_tensor slice_dim(onnx_builder *b, pop_tensor t, unsigned dim, const int64_t range[3])
{
    int64_t extent = (int64_t)pop_tensor_dim(t, dim), start = range[0], end = range[1], step = range[2];
    int64_t least = step < 0 ? -1 : 0, most = step < 0 ? extent - 1 : extent;
    start = start < 0 ? start + extent : start;
    end = end < 0 ? end + extent : end;
    start = start < (step < 0 ? least + 1 : 0) ? (step < 0 ? least : 0) : start > most ? most : start;
    end = end < least ? least : end > extent ? extent : end;
    if (step == 0) {
        onnx_complain(b, "a step is 0");
        return t;
    }
    if (step < 0) {
        if (start <= end)
            return pop_tensor_slice_at(b->where, t, 0, 0, dim);
        t = pop_tensor_slice_at(b->where, t, (size_t)(end + 1), (size_t)(start + 1), dim);
        t = pop_tensor_reverse_at(b->where, t, dim);
    } else {
        t = pop_tensor_slice_at(b->where, t, (size_t)start, (size_t)(end > start ? end : start), dim);
    }
    size_t stride = (size_t)(step < 0 ? -step : step);
    return stride == 1 || pop_tensor_dim(t, dim) == 0
               ? t
               : pop_tensor_sub_sample_at(b->where, t, (unsigned)(stride > UINT32_MAX ? UINT32_MAX : stride), dim);
}

static bool build_slice(onnx_builder *b)
{
    size_t count, ends_count, axes_count, steps_count;
    const int64_t *starts = read_list(b, "starts", 1, &count), *ends = read_list(b, "ends", 2, &ends_count),
                  *axes = read_list(b, "axes", 3, &axes_count), *steps = read_list(b, "steps", 4, &steps_count);
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    if (ends_count != count || (axes && axes_count != count) || (steps && steps_count != count))
        return onnx_complain(b, "its starts, ends, axes and steps have different numbers");
    for (size_t i = 0; i < count && onnx_ok(b); ++i) {
        size_t dim = onnx_axis(b, axes ? axes[i] : (int64_t)i, pop_tensor_rank(t));
        const int64_t range[3] = { starts[i], ends[i], steps ? steps[i] : 1 };
        if (!b->failed)
            t = slice_dim(b, t, (unsigned)dim, range);
    }
    return onnx_give_like(b, t);
}

/* Elements that a mask keeps, along an axis or of the flattened tensor. */
static bool build_compress(onnx_builder *b)
{
    size_t count, kept = 0;
    const int64_t *mask = onnx_known_ints(b, 1, &count);
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    size_t dim = onnx_has(b, "axis") ? onnx_axis(b, onnx_int(b, "axis", 0), pop_tensor_rank(t)) : 0;
    if (!onnx_has(b, "axis"))
        t = pop_tensor_flatten_at(b->where, t);
    pop_tensor *list = onnx_new(b->arena, count + 1, sizeof(*list));
    for (size_t i = 0; i < count; ++i)
        if (mask[i])
            list[kept++] = pop_tensor_slice_at(b->where, t, i, i + 1, (unsigned)dim);
    if (!kept)
        return onnx_give_like(b, pop_tensor_slice_at(b->where, t, 0, 0, (unsigned)dim));
    return onnx_give_like(b, pop_tensor_concat_at(b->where, (pop_tensors){ kept, list }, (unsigned)dim));
}

/* The first elements of each batch entry in reverse order. */
static bool build_reverse_sequence(onnx_builder *b)
{
    size_t count;
    const int64_t *lengths = onnx_known_ints(b, 1, &count);
    unsigned time = (unsigned)onnx_int(b, "time_axis", 0), batch = (unsigned)onnx_int(b, "batch_axis", 1);
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    if (time > 1 || batch > 1 || time == batch || pop_tensor_rank(t) < 2 || count != pop_tensor_dim(t, batch))
        return onnx_complain(b, "time_axis and batch_axis are 0 and 1, and there is a length for each batch entry");
    pop_tensor *list = onnx_new(b->arena, count + 1, sizeof(*list));
    for (size_t i = 0; i < count; ++i) {
        pop_tensor entry = pop_tensor_slice_at(b->where, t, i, i + 1, batch);
        size_t extent = pop_tensor_dim(t, time), length = (size_t)lengths[i];
        if (lengths[i] < 0 || length > extent)
            return onnx_complain(b, "length %lld is more than the %zu elements of time", (long long)lengths[i], extent);
        pop_tensor first = pop_tensor_slice_at(b->where, entry, 0, length, time);
        pop_tensor rest = pop_tensor_slice_at(b->where, entry, length, extent, time);
        list[i] = pop_tensor_concat_at(b->where, POP_TENSORS(pop_tensor_reverse_at(b->where, first, time), rest), time);
    }
    return onnx_give_like(b, pop_tensor_concat_at(b->where, (pop_tensors){ count, list }, batch));
}

/* ---- blocks ---- */

static bool build_depth_to_space(onnx_builder *b)
{
    size_t block = (size_t)onnx_int(b, "blocksize", 1);
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    if (pop_tensor_rank(t) != 4 || block == 0 || pop_tensor_dim(t, 1) % (block * block))
        return onnx_complain(b, "its input has 4 dimensions, and blocksize squared divides the channels");
    size_t n = pop_tensor_dim(t, 0), c = pop_tensor_dim(t, 1) / block / block, h = pop_tensor_dim(t, 2),
           w = pop_tensor_dim(t, 3);
    if (strcmp(onnx_text(b, "mode", "DCR"), "DCR") == 0) {
        t = onnx_reshape(b, t, POP_SHAPE(n, block, block, c, h, w));
        t = onnx_permute(b, t, (const unsigned[]){ 0, 3, 4, 1, 5, 2 });
    } else {
        t = onnx_reshape(b, t, POP_SHAPE(n, c, block, block, h, w));
        t = onnx_permute(b, t, (const unsigned[]){ 0, 1, 4, 2, 5, 3 });
    }
    return onnx_give_like(b, onnx_reshape(b, t, POP_SHAPE(n, c, h * block, w * block)));
}

static bool build_space_to_depth(onnx_builder *b)
{
    size_t block = (size_t)onnx_int(b, "blocksize", 1);
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    if (pop_tensor_rank(t) != 4 || block == 0 || pop_tensor_dim(t, 2) % block || pop_tensor_dim(t, 3) % block)
        return onnx_complain(b, "its input has 4 dimensions, and blocksize divides height and width");
    size_t n = pop_tensor_dim(t, 0), c = pop_tensor_dim(t, 1), h = pop_tensor_dim(t, 2) / block,
           w = pop_tensor_dim(t, 3) / block;
    t = onnx_reshape(b, t, POP_SHAPE(n, c, h, block, w, block));
    t = onnx_permute(b, t, (const unsigned[]){ 0, 3, 5, 1, 2, 4 });
    return onnx_give_like(b, onnx_reshape(b, t, POP_SHAPE(n, c * block * block, h, w)));
}

/* ---- Pad ---- */

static double pad_value(onnx_builder *b)
{
    if (!onnx_input(b, 2))
        return onnx_float(b, "value", 0);
    const tremula_onnx_tensor *value = onnx_known(b, 2);
    return value && tremula_onnx_tensor_elements(value) ? onnx_number(value, 0) : 0;
}

/* The paddings of all dimensions: the list is of all of them or, since set 18, of those of input 3. */
static bool read_pads(onnx_builder *b, size_t rank, int64_t *pads)
{
    size_t count, num_axes = rank;
    const int64_t *list = onnx_input(b, 1) ? onnx_known_ints(b, 1, &count)
                                           : onnx_ints(b, onnx_has(b, "pads") ? "pads" : "paddings", &count);
    const int64_t *axes = onnx_input(b, 3) ? onnx_known_ints(b, 3, &num_axes) : NULL;
    if (b->failed)
        return false;
    if (count != 2 * num_axes)
        return onnx_complain(b, "it has %zu paddings for %zu dimensions", count, num_axes);
    for (size_t i = 0; i < num_axes; ++i) {
        size_t dim = axes ? onnx_axis(b, axes[i], rank) : i;
        for (size_t end = 0; end < 2 && !b->failed; ++end) {
            pads[dim + end * rank] = list[i + end * num_axes];
            if (pads[dim + end * rank] > INT32_MAX || pads[dim + end * rank] < -INT32_MAX)
                return onnx_complain(b, "a padding is %lld", (long long)list[i + end * num_axes]);
        }
    }
    return !b->failed;
}

static bool build_pad(onnx_builder *b)
{
    size_t rank = onnx_rank_of(b, 0);
    int64_t pads[2 * TREMULA_ONNX_MAX_RANK] = { 0 };
    const char *mode = onnx_text(b, "mode", "constant");
    double value = pad_value(b);
    pop_tensor t = onnx_tensor(b, 0);
    if (!read_pads(b, rank, pads) || !onnx_ok(b))
        return false;
    bool constant = strcmp(mode, "constant") == 0, edge = strcmp(mode, "edge") == 0;
    if (!constant && !edge && strcmp(mode, "reflect") != 0)
        return onnx_complain(b, "mode '%s' is not supported (allowed: constant, edge, reflect)", mode);
    pop_tensor fill = onnx_fill(b, pop_tensor_type(t), POP_SHAPE(), value);
    for (unsigned i = 0; i < rank && onnx_ok(b); ++i) {
        ptrdiff_t lower = (ptrdiff_t)pads[i], upper = (ptrdiff_t)pads[i + rank];
        t = constant || (lower <= 0 && upper <= 0)
                ? popops_pad_dim_tensor_at(b->where, b->graph, t, lower, upper, i, fill, POPOPS_PADDING_MAPPING_EDGE)
                : popops_pad_dim_with_at(b->where, t, lower, upper, i,
                                         edge ? POPOPS_PADDING_EDGE : POPOPS_PADDING_REFLECT);
    }
    return onnx_give_like(b, t);
}

/* The upper or lower triangle of each matrix, with zeros elsewhere. */
static bool build_trilu(onnx_builder *b)
{
    const tremula_onnx_tensor *known = onnx_input(b, 1) ? onnx_known(b, 1) : NULL;
    int64_t k = known ? onnx_integer(known, 0) : 0;
    bool upper = onnx_int(b, "upper", 1);
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    unsigned rank = (unsigned)pop_tensor_rank(t);
    if (rank < 2)
        return onnx_complain(b, "its input has fewer than 2 dimensions");
    size_t rows = pop_tensor_dim(t, rank - 2), columns = pop_tensor_dim(t, rank - 1);
    if (pop_tensor_num_elements(t) == 0)
        return onnx_give_like(b, t);
    pop_shape shape = onnx_shape(b, t);
    pop_tensor zeros = onnx_fill(b, pop_tensor_type(t), shape, 0), *list = onnx_new(b->arena, rows, sizeof(*list));
    for (size_t i = 0; i < rows; ++i) {
        int64_t edge = (int64_t)i + k + (upper ? 0 : 1);
        size_t at = edge < 0 ? 0 : edge > (int64_t)columns ? columns : (size_t)edge;
        pop_tensor row = pop_tensor_slice_at(b->where, t, i, i + 1, rank - 2),
                   zero = pop_tensor_slice_at(b->where, zeros, i, i + 1, rank - 2);
        pop_tensor left = pop_tensor_slice_at(b->where, upper ? zero : row, 0, at, rank - 1),
                   right = pop_tensor_slice_at(b->where, upper ? row : zero, at, columns, rank - 1);
        list[i] = pop_tensor_concat_at(b->where, POP_TENSORS(left, right), rank - 1);
    }
    return onnx_give_like(b, pop_tensor_concat_at(b->where, (pop_tensors){ rows, list }, rank - 2));
}

const onnx_operator onnx_view_operators[] = {
    { ONNX_ROW("Compress", 9), build_compress, onnx_fold_views, 0, NULL },
    { ONNX_ROW("Concat", 4), build_concat, onnx_fold_views, 0, NULL },
    { ONNX_ROW("DepthToSpace", 1), build_depth_to_space, onnx_fold_views, 0, NULL },
    { ONNX_ROW("Dropout", 7), build_dropout, NULL, 0, NULL },
    { ONNX_ROW("Expand", 8), build_expand, onnx_fold_views, 0, NULL },
    { ONNX_ROW("Flatten", 1), build_flatten, onnx_fold_views, 0, NULL },
    { ONNX_ROW("Identity", 1), build_identity, onnx_fold_views, 0, NULL },
    { ONNX_ROW("Pad", 1), build_pad, onnx_fold_views, 0, NULL },
    { ONNX_ROW("Reshape", 1), build_reshape, onnx_fold_views, 0, NULL },
    { ONNX_ROW("ReverseSequence", 10), build_reverse_sequence, onnx_fold_views, 0, NULL },
    { ONNX_ROW("Slice", 1), build_slice, onnx_fold_views, 0, NULL },
    { ONNX_ROW("SpaceToDepth", 1), build_space_to_depth, onnx_fold_views, 0, NULL },
    { ONNX_ROW("Split", 2), build_split, onnx_fold_views, 0, NULL },
    { ONNX_ROW("Squeeze", 1), build_squeeze, onnx_fold_views, 0, NULL },
    { ONNX_ROW("Tile", 6), build_tile, onnx_fold_views, 0, NULL },
    { ONNX_ROW("Transpose", 1), build_transpose, onnx_fold_views, 0, NULL },
    { ONNX_ROW("Trilu", 14), build_trilu, onnx_fold_views, 0, NULL },
    { ONNX_ROW("Unsqueeze", 1), build_unsqueeze, onnx_fold_views, 0, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};
