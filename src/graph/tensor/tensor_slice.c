/* SPDX-License-Identifier: Apache-2.0 */
/* Views that take part of each dimension: slice in every form, index, sub-sample; and reverse. */
#include "graph/store/store.h"
#include "graph/view/tensor.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"

#include <stddef.h>

/* Elements [begin, end), not empty, of a dimension; false when they are no run of digits. */
static bool cut_run(struct unpacked *v, unsigned dim, uint64_t begin, uint64_t end)
{
    struct digit *digit = v->digit + unpacked_first(v, dim);
    unsigned fixed = 0, run = v->run[dim];
    if (run == 1) {
        v->offset += begin * (uint64_t)digit->stride;
        digit->extent = end - begin;
        if (digit->extent == 1)
            unpacked_drop(v, dim, 0, 1);
        return true;
    }
    uint64_t inner = unpacked_extent(v, dim), offset = v->offset;
    for (; fixed < run; ++fixed) {
        inner /= digit[fixed].extent;
        uint64_t low = begin / inner, high = (end - 1) / inner;
        offset += low * (uint64_t)digit[fixed].stride;
        if (low != high) {
            if (begin % inner || end % inner)
                return false;
            digit[fixed].extent = high - low + 1;
            break;
        }
        begin -= low * inner;
        end -= low * inner;
    }
    v->offset = offset;
    unpacked_drop(v, dim, 0, fixed);
    return true;
}

static void cut(struct unpacked *v, unsigned dim, uint64_t begin, uint64_t end)
{
    if (begin == end) {
        unpacked_set_run(v, dim, &(struct digit){ 0, 0 }, 1);
    } else if (!cut_run(v, dim, begin, end)) {
        unpacked_make_lazy(v);
        cut_run(v, dim, begin, end);
    }
}

/* Slices the packed value, for the common case: a dimension of one digit, of a variable. False when the long way must
 * be taken. */
static inline bool cut_value(pop_tensor *t, uint64_t begin, uint64_t end, unsigned dim)
{
    if (t->form || (t->source & COMPOSITE) || dim >= t->rank || t->run[dim] != 1 || begin >= end ||
        !store_ready(t->store))
        return false;
    unsigned first = 0;
    for (unsigned i = 0; i < dim; ++i)
        first += t->run[i];
    if (end > t->digit[first].extent)
        return false;
    t->offset += begin * (uint64_t)t->digit[first].stride;
    if (end - begin > 1) {
        t->digit[first].extent = (uint32_t)(end - begin);
        return true;
    }
    t->run[dim] = 0;
    for (--t->digits; first < t->digits; ++first)
        t->digit[first] = t->digit[first + 1];
    return true;
}

static bool check_slice(const struct unpacked *v, uint64_t begin, uint64_t end, unsigned dim, pop_where where,
                        const char *api)
{
    if (!view_check_dim(v, dim, where, api))
        return false;
    uint64_t extent = unpacked_extent(v, dim);
    return (begin <= end && end <= extent) ||
           store_fail(v->store, POP_INDEX_ERROR, where, api, "slice [%zu, %zu) of dimension %u, which has extent %zu",
                      (size_t)begin, (size_t)end, dim, (size_t)extent);
}

static bool slice(struct unpacked *v, uint64_t begin, uint64_t end, unsigned dim, pop_where where, const char *api)
{
    if (!check_slice(v, begin, end, dim, where, api))
        return false;
    cut(v, dim, begin, end);
    return true;
}

/* Takes one index of dimension 0 and drops the dimension. */
static bool take(struct unpacked *v, uint64_t index, unsigned dim, pop_where where, const char *api)
{
    uint64_t extent = unpacked_extent(v, 0);
    if (index >= extent)
        return store_fail(v->store, POP_INDEX_ERROR, where, api, "index %zu of dimension %u, which has extent %zu",
                          (size_t)index, dim, (size_t)extent);
    cut(v, 0, index, index + 1);
    memmove(v->run, v->run + 1, --v->rank);
    return true;
}

_Static_assert(sizeof(pop_tensor) == 64 && offsetof(pop_tensor, source) == 16 && offsetof(pop_tensor, digit) == 24 &&
                   offsetof(pop_tensor, run) == 56 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "words of at_value");

/* t[index] of a packed value of a variable whose dimension 0 is one digit.  Made of words: a processor waits for bytes
 * that were written one by one when the value is copied at once, 14 % of the time of building plain vertices. */
static inline bool at_value(const pop_tensor *t, size_t index, pop_tensor *made)
{
    static const pop_tensor one = { .rank = 1, .digits = 1 };
    uint64_t words[8], ones;
    if (t->form || (t->source & COMPOSITE) || !t->rank || t->run[0] != 1 || index >= t->digit[0].extent ||
        !store_ready(t->store))
        return false;
    memcpy(&ones, &one.source, sizeof(ones));
    memcpy(words, t, sizeof(words));
    words[1] += index * (uint64_t)t->digit[0].stride;
    words[2] -= ones; /* rank and digits */
    words[3] = words[4];
    words[4] = words[5];
    words[5] = words[6];
    words[7] >>= 8; /* run */
    memcpy(made, words, sizeof(words));
    return true;
}

pop_tensor pop_tensor_at_at(pop_where where, pop_tensor t, size_t index)
{
    pop_tensor made;
    if (at_value(&t, index, &made))
        return made;
    struct unpacked v;
    if (!view_open(&v, t))
        return (pop_tensor){ 0 };
    if (!v.rank) {
        store_fail(v.store, POP_INDEX_ERROR, where, "pop_tensor_at", "index %zu into a tensor of rank 0", index);
        return (pop_tensor){ 0 };
    }
    return take(&v, index, 0, where, "pop_tensor_at") ? tensor_pack(&v) : (pop_tensor){ 0 };
}

pop_tensor pop_tensor_index_at(pop_where where, pop_tensor t, pop_shape indices)
{
    struct unpacked v;
    if (!view_open(&v, t))
        return (pop_tensor){ 0 };
    if (indices.rank > v.rank) {
        store_fail(v.store, POP_INDEX_ERROR, where, "pop_tensor_index", "%zu indices into a tensor of rank %u",
                   indices.rank, v.rank);
        return (pop_tensor){ 0 };
    }
    if (!store_has_list(v.store, POP_INDEX_ERROR, where, "pop_tensor_index", "indices", indices.rank, indices.dims))
        return (pop_tensor){ 0 };
    for (unsigned i = 0; i < indices.rank; ++i)
        if (!take(&v, indices.dims[i], i, where, "pop_tensor_index"))
            return (pop_tensor){ 0 };
    return tensor_pack(&v);
}

static pop_tensor slice_as(pop_where where, pop_tensor t, size_t begin, size_t end, unsigned dim, const char *api)
{
    if (cut_value(&t, begin, end, dim))
        return t;
    struct unpacked v;
    return view_open(&v, t) && slice(&v, begin, end, dim, where, api) ? tensor_pack(&v) : (pop_tensor){ 0 };
}

pop_tensor pop_tensor_slice_at(pop_where where, pop_tensor t, size_t begin, size_t end, unsigned dim)
{
    return slice_as(where, t, begin, end, dim, "pop_tensor_slice");
}

pop_tensor pop_tensor_slice_interval_at(pop_where where, pop_tensor t, pop_interval interval, unsigned dim)
{
    return slice_as(where, t, interval.begin, interval.end, dim, "pop_tensor_slice_interval");
}

pop_tensor pop_tensor_slice_nd_at(pop_where where, pop_tensor t, pop_shape begins, pop_shape ends)
{
    const char *api = "pop_tensor_slice_nd";
    struct unpacked v;
    if (!view_open(&v, t))
        return (pop_tensor){ 0 };
    if (begins.rank != ends.rank || begins.rank > v.rank) {
        store_fail(v.store, POP_POPLAR_ERROR, where, api, "%zu begins and %zu ends for a tensor of rank %u",
                   begins.rank, ends.rank, v.rank);
        return (pop_tensor){ 0 };
    }
    if (!store_has_list(v.store, POP_POPLAR_ERROR, where, api, "begins", begins.rank, begins.dims) ||
        !store_has_list(v.store, POP_POPLAR_ERROR, where, api, "ends", ends.rank, ends.dims))
        return (pop_tensor){ 0 };
    for (unsigned i = 0; i < begins.rank; ++i)
        if (!slice(&v, begins.dims[i], ends.dims[i], i, where, api))
            return (pop_tensor){ 0 };
    return tensor_pack(&v);
}

/* Results to clear if the call fails, and the mark before their nodes. */
struct results {
    pop_tensor *slices;
    size_t count, mark;
};

/* Clears the results; false when the call may not go on. */
static bool open_slices(pop_where where, const char *api, pop_tensor t, pop_tensor *slices, const void *list,
                        size_t count, struct results *results)
{
    for (size_t i = 0; slices && i < count; ++i)
        slices[i] = (pop_tensor){ 0 };
    if (!store_ready(t.store) ||
        !store_has_list(t.store, POP_POPLAR_ERROR, where, api, "places to slice at", count, list) ||
        !store_has_list(t.store, POP_POPLAR_ERROR, where, api, "places for slices", count, slices))
        return false;
    *results = (struct results){ slices, count, tensor_nodes_mark(t.store->nodes) };
    return true;
}

/* Frees the nodes that a failed call had made; returns false. */
static bool drop_slices(pop_tensor t, const struct results *results)
{
    for (size_t i = 0; i < results->count; ++i)
        results->slices[i] = (pop_tensor){ 0 };
    tensor_nodes_release(t.store->nodes, results->mark);
    return false;
}

/* Slices of one tensor. The first that is no run of digits makes a view over a composite of the tensor's own, which
 * those that follow share. */
struct slicer {
    pop_where where;
    const char *api;
    pop_tensor t;
    unsigned dim;
    struct unpacked own; /* that view */
    bool has_own, used;  /* used: a slice refers to the composite */
};

static bool cut_shared(struct slicer *slicer, struct unpacked *v, uint64_t begin, uint64_t end)
{
    if (begin == end || cut_run(v, slicer->dim, begin, end))
        return begin != end;
    if (!slicer->has_own) {
        tensor_unpack(&slicer->own, slicer->t);
        unpacked_make_lazy(&slicer->own);
        slicer->has_own = true;
    }
    *v = slicer->own;
    v->made = 0;
    return cut_run(v, slicer->dim, begin, end);
}

static pop_tensor packed(struct slicer *slicer, struct unpacked *v)
{
    pop_tensor t = tensor_pack(v);
    slicer->used |= slicer->own.made && t.source == slicer->own.made;
    return t;
}

static pop_tensor slice_shared(struct slicer *slicer, pop_interval at)
{
    pop_tensor t = slicer->t;
    struct unpacked v;
    if (cut_value(&t, at.begin, at.end, slicer->dim))
        return t;
    if (!view_open(&v, t) || !check_slice(&v, at.begin, at.end, slicer->dim, slicer->where, slicer->api))
        return (pop_tensor){ 0 };
    if (!cut_shared(slicer, &v, at.begin, at.end))
        unpacked_set_run(&v, slicer->dim, &(struct digit){ 0, 0 }, 1);
    return packed(slicer, &v);
}

static void slicer_end(const struct slicer *slicer)
{
    if (slicer->own.made && !slicer->used)
        composite_drop_unused(slicer->t.store, slicer->own.made);
}

bool pop_tensor_slices_at(pop_where where, pop_tensor t, pop_interval_list intervals, unsigned dim, pop_tensor *slices)
{
    struct results results;
    if (!open_slices(where, "pop_tensor_slices", t, slices, intervals.list, intervals.count, &results))
        return false;
    struct slicer slicer = { .where = where, .api = "pop_tensor_slices", .t = t, .dim = dim };
    size_t done = 0;
    while (done < intervals.count && (slices[done] = slice_shared(&slicer, intervals.list[done])).store)
        ++done;
    if (done < intervals.count)
        return drop_slices(t, &results);
    slicer_end(&slicer);
    return true;
}

static bool can_be_joined(const pop_interval *list, size_t count)
{
    uint64_t elements = 0;
    for (size_t i = 0; i < count; ++i) {
        if (list[i].begin > list[i].end || list[i].end - list[i].begin > MAX_ELEMENTS - elements)
            return false; /* pop_tensor_slice or pop_tensor_concat reports it */
        elements += list[i].end - list[i].begin;
    }
    return true;
}

/* Parts of a flat tensor, joined: each goes into a composite at once. */
static pop_tensor join_flat(struct slicer *slicer, const pop_interval *list, size_t count)
{
    pop_store *store = slicer->t.store;
    struct composite *composite = MEM_NEW(struct composite);
    struct unpacked v;
    struct flat flat;
    bool good = true;
    for (size_t i = 0; good && i < count; ++i) {
        tensor_unpack(&v, slicer->t);
        good = check_slice(&v, list[i].begin, list[i].end, slicer->dim, slicer->where, slicer->api);
        if (!good || !cut_shared(slicer, &v, list[i].begin, list[i].end))
            continue;
        unpacked_flat(&v, &flat);
        composite_add(store, composite, &flat.piece);
    }
    uint64_t elements = composite->total;
    if (!good || !elements) {
        composite_free(store, composite);
        return good ? slice_shared(slicer, (pop_interval){ 0, 0 }) : (pop_tensor){ 0 };
    }
    tensor_unpack(&v, slicer->t);
    unpacked_of_composite(&v, composite, &elements, 1);
    return packed(slicer, &v);
}

static pop_tensor slice_list(struct slicer *slicer, const pop_interval *list, size_t count)
{
    if (!count)
        return slice_shared(slicer, (pop_interval){ 0, 0 });
    if (count == 1)
        return slice_shared(slicer, *list);
    if (slicer->t.rank == 1 && !(slicer->t.form & FORM_EMPTY) && can_be_joined(list, count))
        return join_flat(slicer, list, count);
    pop_tensor *parts = mem_alloc(count * sizeof(*parts));
    size_t done = 0;
    while (done < count && (parts[done] = slice_shared(slicer, list[done])).store)
        ++done;
    pop_tensor joined = done == count ? pop_tensor_concat_at(slicer->where, (pop_tensors){ count, parts }, slicer->dim)
                                      : (pop_tensor){ 0 };
    free(parts);
    return joined;
}

bool pop_tensor_slices_nested_at(pop_where where, pop_tensor t, const pop_interval_lists *lists, unsigned dim,
                                 pop_tensor *slices)
{
    size_t count = lists ? lists->count : 0;
    struct results results;
    if (!open_slices(where, "pop_tensor_slices_nested", t, slices, count ? lists->first : NULL, count, &results))
        return false;
    struct slicer slicer = { .where = where, .api = "pop_tensor_slices_nested", .t = t, .dim = dim };
    for (size_t i = 0; i < count; ++i) {
        slices[i] = slice_list(&slicer, lists->intervals + lists->first[i], lists->first[i + 1] - lists->first[i]);
        if (!slices[i].store)
            return drop_slices(t, &results);
    }
    slicer_end(&slicer);
    return true;
}

bool pop_tensor_slices_indices_at(pop_where where, pop_tensor t, pop_dims indices, unsigned dim, pop_tensor *slices)
{
    struct results results;
    if (!open_slices(where, "pop_tensor_slices_indices", t, slices, indices.list, indices.count, &results))
        return false;
    for (size_t i = 0; i < indices.count; ++i) {
        slices[i] = slice_as(where, t, indices.list[i], (size_t)indices.list[i] + 1, dim, "pop_tensor_slices_indices");
        if (!slices[i].store)
            return drop_slices(t, &results);
    }
    return true;
}

/* Every step-th element of a dimension: whole inner digits drop out, or one digit takes longer steps. */
static void step_run(struct unpacked *v, unsigned dim, uint64_t step)
{
    while (step > 1 && v->run[dim]) {
        unsigned run = v->run[dim];
        struct digit *inner = &v->digit[unpacked_first(v, dim) + run - 1];
        if (step % inner->extent == 0 || (run == 1 && step > inner->extent)) {
            step /= inner->extent;
            unpacked_drop(v, dim, run - 1, 1);
            continue;
        }
        if (run > 1 && inner->extent % step) {
            unpacked_make_lazy(v);
            continue;
        }
        inner->extent = (inner->extent + step - 1) / step;
        inner->stride *= (int64_t)step;
        return;
    }
}

pop_tensor pop_tensor_sub_sample_at(pop_where where, pop_tensor t, unsigned stride, unsigned dim)
{
    const char *api = "pop_tensor_sub_sample";
    struct unpacked v;
    if (!view_open(&v, t) || !view_check_dim(&v, dim, where, api))
        return (pop_tensor){ 0 };
    if (!stride) {
        store_fail(v.store, POP_POPLAR_ERROR, where, api, "stride 0; it must be at least 1");
        return (pop_tensor){ 0 };
    }
    if (!unpacked_extent(&v, dim))
        return t;
    step_run(&v, dim, stride);
    return tensor_pack(&v);
}

pop_tensor pop_tensor_reverse_at(pop_where where, pop_tensor t, unsigned dim)
{
    struct unpacked v;
    if (!view_open(&v, t) || !view_check_dim(&v, dim, where, "pop_tensor_reverse"))
        return (pop_tensor){ 0 };
    if (t.form & FORM_EMPTY)
        return t;
    struct digit *digit = v.digit + unpacked_first(&v, dim);
    for (unsigned i = 0; i < v.run[dim]; ++i) {
        v.offset += (digit[i].extent - 1) * (uint64_t)digit[i].stride;
        digit[i].stride = -digit[i].stride;
    }
    return tensor_pack(&v);
}
