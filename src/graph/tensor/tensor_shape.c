/* SPDX-License-Identifier: Apache-2.0 */
/* Views that keep all elements (or repeat them) under another shape: reshape, shuffle, expand, squeeze, broadcast,
 * reinterpret. */
#include "graph/view/tensor.h"
#include "graph/view/tensor_form.h"

#include "base/str.h"

#include <inttypes.h>

static const pop_tensor null;

static void add_dims(struct str *s, const uint64_t *dims, size_t rank)
{
    str_add(s, "{");
    for (size_t i = 0; i < rank; ++i)
        str_format(s, "%s%" PRIu64, i ? "," : "", dims[i]);
    str_add(s, "}");
}

/* Elements of a shape; false when there are too many to count. */
static bool count_elements(const uint64_t *shape, size_t rank, uint64_t *elements)
{
    bool empty = false, over = false;
    *elements = 1;
    for (size_t i = 0; i < rank; ++i) {
        empty |= !shape[i];
        over |= shape[i] > MAX_ELEMENTS;
        if (shape[i] && !over)
            over = *elements > MAX_ELEMENTS / shape[i], *elements *= over ? 1 : shape[i];
    }
    if (empty)
        *elements = 0;
    return empty || !over;
}

/* Gives v a shape of as many elements. */
static void set_shape(struct unpacked *v, const uint64_t *shape, unsigned rank)
{
    if (unpacked_is_empty(v)) {
        unpacked_row_major(v, shape, rank);
        return;
    }
    struct flat flat;
    unpacked_flat(v, &flat);
    if (unpacked_split(v, flat.digit, flat.piece.digits, shape, rank))
        return;
    unpacked_make_lazy(v);
    unpacked_row_major(v, shape, rank);
}

static bool fail_reshape(pop_store *store, pop_where where, const char *api, const uint64_t *from, size_t from_rank,
                         const uint64_t *to, size_t to_rank)
{
    struct str a = { 0 }, b = { 0 };
    add_dims(&a, from, from_rank);
    add_dims(&b, to, to_rank);
    store_fail(store, POP_POPLAR_ERROR, where, api, "%s reshaped to %s, which has another number of elements",
               str_text(&a), str_text(&b));
    str_free(&a);
    str_free(&b);
    return false;
}

/* Replaces dims [begin, end) by others of the same product. */
static pop_tensor reshape_dims(pop_where where, pop_tensor t, size_t begin, size_t end, const uint64_t *dims,
                               size_t count, const char *api)
{
    struct unpacked v;
    if (!view_open(&v, t))
        return null;
    if (begin > end || end > v.rank) {
        store_fail(v.store, POP_INDEX_ERROR, where, api, "dimensions [%zu, %zu) of a tensor of rank %u", begin, end,
                   v.rank);
        return null;
    }
    size_t rank = v.rank - (end - begin) + count;
    if (rank > MAX_RANK) {
        store_fail(v.store, POP_POPLAR_ERROR, where, api, "rank %zu; at most %d is allowed", rank, MAX_RANK);
        return null;
    }
    uint64_t old[MAX_RANK], shape[MAX_RANK], from, to;
    for (unsigned i = 0; i < v.rank; ++i)
        old[i] = unpacked_extent(&v, i);
    memcpy(shape, old, begin * sizeof(*shape));
    for (size_t i = 0; i < count; ++i)
        shape[begin + i] = dims[i];
    memcpy(shape + begin + count, old + end, (v.rank - end) * sizeof(*shape));
    if (!count_elements(old + begin, end - begin, &from) || !count_elements(dims, count, &to) || from != to) {
        fail_reshape(v.store, where, api, old + begin, end - begin, dims, count);
        return null;
    }
    set_shape(&v, shape, (unsigned)rank);
    return tensor_pack(&v);
}

static pop_tensor reshape_to(pop_where where, pop_tensor t, size_t begin, size_t end, pop_shape shape, const char *api)
{
    uint64_t dims[MAX_RANK];
    if (!store_ready(t.store))
        return null;
    if (shape.rank > MAX_RANK) {
        store_fail(t.store, POP_POPLAR_ERROR, where, api, "rank %zu; at most %d is allowed", shape.rank, MAX_RANK);
        return null;
    }
    if (!store_has_list(t.store, POP_POPLAR_ERROR, where, api, "extents", shape.rank, shape.dims))
        return null;
    for (size_t i = 0; i < shape.rank; ++i)
        dims[i] = shape.dims[i];
    return reshape_dims(where, t, begin, end, dims, shape.rank, api);
}

pop_tensor pop_tensor_reshape_at(pop_where where, pop_tensor t, pop_shape shape)
{
    return reshape_to(where, t, 0, t.rank, shape, "pop_tensor_reshape");
}

pop_tensor pop_tensor_reshape_partial_at(pop_where where, pop_tensor t, unsigned begin, unsigned end, pop_shape dims)
{
    return reshape_to(where, t, begin, end, dims, "pop_tensor_reshape_partial");
}

static pop_tensor flatten_dims(pop_where where, pop_tensor t, unsigned begin, unsigned end, const char *api)
{
    uint64_t dims[MAX_RANK], product = 1;
    if (begin <= end && end <= t.rank) {
        for (unsigned i = begin; i < end; ++i)
            dims[i - begin] = pop_tensor_dim(t, i);
        if (!count_elements(dims, end - begin, &product)) {
            if (store_ready(t.store)) /* only an empty tensor has dims like these */
                store_fail(t.store, POP_OVERFLOW_ERROR, where, api, "the product of the dimensions is above 2^63 - 1");
            return null;
        }
    }
    return reshape_dims(where, t, begin, end, &product, 1, api);
}

pop_tensor pop_tensor_flatten_at(pop_where where, pop_tensor t)
{
    if (!(t.form & FORM_EMPTY) && t.rank && store_ready(t.store)) { /* the digits stay, in one dimension */
        struct unpacked v;
        if (t.rank == 1)
            return t;
        tensor_unpack(&v, t);
        v.digits = digits_merge(v.digit, v.digits);
        v.run[0] = (uint8_t)v.digits;
        v.rank = 1;
        return tensor_pack(&v);
    }
    return flatten_dims(where, t, 0, t.rank, "pop_tensor_flatten");
}

pop_tensor pop_tensor_flatten_dims_at(pop_where where, pop_tensor t, unsigned begin, unsigned end)
{
    return flatten_dims(where, t, begin, end, "pop_tensor_flatten_dims");
}

static pop_tensor shuffle(const struct unpacked *v, const unsigned *permutation)
{
    struct unpacked to = {
        .store = v->store, .source = v->source, .type = v->type, .rank = v->rank, .offset = v->offset
    };
    for (unsigned i = 0; i < v->rank; ++i) {
        unsigned from = permutation[i];
        to.run[i] = v->run[from];
        memcpy(to.digit + to.digits, v->digit + unpacked_first(v, from), v->run[from] * sizeof(*v->digit));
        to.digits += v->run[from];
    }
    return tensor_pack(&to);
}

pop_tensor pop_tensor_dim_shuffle_at(pop_where where, pop_tensor t, pop_dims permutation)
{
    const char *api = "pop_tensor_dim_shuffle";
    struct unpacked v;
    if (!view_open(&v, t))
        return null;
    if (permutation.count != v.rank) {
        store_fail(v.store, POP_POPLAR_ERROR, where, api, "%zu dimensions for a tensor of rank %u", permutation.count,
                   v.rank);
        return null;
    }
    if (!store_has_list(v.store, POP_POPLAR_ERROR, where, api, "dimensions", permutation.count, permutation.list))
        return null;
    uint64_t seen = 0;
    for (unsigned i = 0; i < v.rank; ++i) {
        unsigned dim = permutation.list[i];
        if (!view_check_dim(&v, dim, where, api))
            return null;
        if (seen >> dim & 1) {
            store_fail(v.store, POP_POPLAR_ERROR, where, api, "dimension %u is in the permutation twice", dim);
            return null;
        }
        seen |= UINT64_C(1) << dim;
    }
    return shuffle(&v, permutation.list);
}

static pop_tensor shuffle_partial(pop_where where, pop_tensor t, pop_dims source, pop_dims destination, const char *api)
{
    struct unpacked v;
    if (!view_open(&v, t))
        return null;
    if (source.count != destination.count) {
        store_fail(v.store, POP_POPLAR_ERROR, where, api, "%zu source and %zu destination dimensions", source.count,
                   destination.count);
        return null;
    }
    if (!store_has_list(v.store, POP_POPLAR_ERROR, where, api, "source dimensions", source.count, source.list) ||
        !store_has_list(v.store, POP_POPLAR_ERROR, where, api, "destination dimensions", destination.count,
                        destination.list))
        return null;
    unsigned permutation[MAX_RANK];
    uint64_t moved = 0, filled = 0;
    for (size_t i = 0; i < source.count; ++i) {
        unsigned from = source.list[i], to = destination.list[i];
        if (!view_check_dim(&v, from, where, api) || !view_check_dim(&v, to, where, api))
            return null;
        if ((moved >> from & 1) || (filled >> to & 1)) {
            store_fail(v.store, POP_POPLAR_ERROR, where, api, "%s dimension %u is given twice",
                       moved >> from & 1 ? "source" : "destination", moved >> from & 1 ? from : to);
            return null;
        }
        moved |= UINT64_C(1) << from;
        filled |= UINT64_C(1) << to;
        permutation[to] = from;
    }
    for (unsigned to = 0, from = 0; to < v.rank; ++to) {
        if (filled >> to & 1)
            continue;
        while (moved >> from & 1)
            ++from;
        permutation[to] = from++;
    }
    return shuffle(&v, permutation);
}

pop_tensor pop_tensor_dim_shuffle_partial_at(pop_where where, pop_tensor t, pop_dims source, pop_dims destination)
{
    return shuffle_partial(where, t, source, destination, "pop_tensor_dim_shuffle_partial");
}

pop_tensor pop_tensor_dim_roll_at(pop_where where, pop_tensor t, unsigned dim, unsigned new_index)
{
    return shuffle_partial(where, t, (pop_dims){ 1, &dim }, (pop_dims){ 1, &new_index }, "pop_tensor_dim_roll");
}

pop_tensor pop_tensor_transpose_at(pop_where where, pop_tensor t)
{
    (void)where;
    struct unpacked v;
    if (!view_open(&v, t))
        return null;
    unsigned permutation[MAX_RANK];
    for (unsigned i = 0; i < v.rank; ++i)
        permutation[i] = v.rank - 1 - i;
    return shuffle(&v, permutation);
}

pop_tensor pop_tensor_expand_at(pop_where where, pop_tensor t, pop_dims dims)
{
    const char *api = "pop_tensor_expand";
    struct unpacked v;
    if (!view_open(&v, t))
        return null;
    if (v.rank + dims.count > MAX_RANK) {
        store_fail(v.store, POP_POPLAR_ERROR, where, api, "rank %zu; at most %d is allowed", v.rank + dims.count,
                   MAX_RANK);
        return null;
    }
    if (!store_has_list(v.store, POP_POPLAR_ERROR, where, api, "dimensions", dims.count, dims.list))
        return null;
    unsigned before[MAX_RANK + 1] = { 0 };
    for (size_t i = 0; i < dims.count; ++i) {
        if (dims.list[i] > v.rank) {
            store_fail(v.store, POP_INDEX_ERROR, where, api, "a dimension before dimension %u of a tensor of rank %u",
                       dims.list[i], v.rank);
            return null;
        }
        ++before[dims.list[i]];
    }
    uint8_t run[MAX_RANK];
    unsigned rank = 0;
    for (unsigned i = 0; i <= v.rank; ++i) {
        for (unsigned k = 0; k < before[i]; ++k)
            run[rank++] = 0;
        if (i < v.rank)
            run[rank++] = v.run[i];
    }
    memcpy(v.run, run, rank);
    v.rank = rank;
    return tensor_pack(&v);
}

pop_tensor pop_tensor_squeeze_at(pop_where where, pop_tensor t, pop_dims dims)
{
    const char *api = "pop_tensor_squeeze";
    struct unpacked v;
    if (!view_open(&v, t))
        return null;
    if (!store_has_list(v.store, POP_POPLAR_ERROR, where, api, "dimensions", dims.count, dims.list))
        return null;
    uint64_t dropped = 0;
    for (size_t i = 0; i < dims.count; ++i) {
        unsigned dim = dims.list[i];
        if (!view_check_dim(&v, dim, where, api))
            return null;
        if (unpacked_extent(&v, dim) != 1) {
            store_fail(v.store, POP_POPLAR_ERROR, where, api,
                       "dimension %u has extent %zu; only extents of 1 can be removed", dim,
                       (size_t)unpacked_extent(&v, dim));
            return null;
        }
        dropped |= UINT64_C(1) << dim;
    }
    unsigned rank = 0;
    for (unsigned i = 0; i < v.rank; ++i)
        if (!(dropped >> i & 1))
            v.run[rank++] = v.run[i];
    v.rank = rank;
    return tensor_pack(&v);
}

/* Adds a digit of stride 0 to a dimension: outermost repeats the whole of it, innermost repeats each element. */
static pop_tensor repeat(pop_where where, pop_tensor t, unsigned times, unsigned dim, bool outermost, const char *api)
{
    struct unpacked v;
    if (!view_open(&v, t) || !view_check_dim(&v, dim, where, api))
        return null;
    uint64_t shape[MAX_RANK] = { 0 }, elements;
    for (unsigned i = 0; i < v.rank; ++i)
        shape[i] = unpacked_extent(&v, i);
    bool over = times && shape[dim] > MAX_ELEMENTS / times;
    shape[dim] = over ? UINT64_MAX : shape[dim] * times;
    if (over || !count_elements(shape, v.rank, &elements)) {
        store_fail(v.store, POP_OVERFLOW_ERROR, where, api, "%u times dimension %u gives more than 2^63 - 1 elements",
                   times, dim);
        return null;
    }
    if (times == 1)
        return t;
    struct digit run[MAX_DIGITS + 2];
    unsigned count = v.run[dim];
    memcpy(run + outermost, v.digit + unpacked_first(&v, dim), count * sizeof(*run));
    run[outermost ? 0 : count] = (struct digit){ times, 0 };
    unpacked_set_run(&v, dim, run, count + 1);
    return tensor_pack(&v);
}

pop_tensor pop_tensor_broadcast_at(pop_where where, pop_tensor t, unsigned times, unsigned dim)
{
    return repeat(where, t, times, dim, true, "pop_tensor_broadcast");
}

pop_tensor pop_tensor_upsample_at(pop_where where, pop_tensor t, unsigned scale, unsigned dim,
                                  pop_upsample_method method)
{
    if (method != POP_UPSAMPLE_REPEAT) {
        if (store_ready(t.store))
            store_fail(t.store, POP_POPLAR_ERROR, where, "pop_tensor_upsample",
                       "method %d; only POP_UPSAMPLE_REPEAT is known", (int)method);
        return null;
    }
    return repeat(where, t, scale, dim, false, "pop_tensor_upsample");
}

pop_tensor pop_tensor_reinterpret_at(pop_where where, pop_tensor t, pop_type type)
{
    if (!store_ready(t.store))
        return null;
    size_t from = pop_type_size(pop_tensor_type(t)), to = pop_type_size(type);
    if (!to || from != to) {
        store_fail(t.store, POP_TYPE_ERROR, where, "pop_tensor_reinterpret",
                   "%s (%zu bytes) as %s (%zu bytes); the sizes must be equal", pop_type_name(pop_tensor_type(t)), from,
                   pop_type_name(type), to);
        return null;
    }
    pop_tensor before = t;
    t.type = (uint8_t)type;
    if (type == POP_QUARTER && before.type != POP_QUARTER && !pop_tensor_has_metadata(t)) {
        store_fail(t.store, POP_TENSOR_METADATA_ERROR, where, "pop_tensor_reinterpret",
                   "elements of type %s as quarter have no metadata: add a quarter variable, and copy to its "
                   "reinterpretation as %s",
                   pop_type_name(pop_tensor_type(before)), pop_type_name(pop_tensor_type(before)));
        return null;
    }
    return t;
}
