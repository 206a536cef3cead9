/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of a view: packed in the value, wide, unpacked, flat. */
#include "graph/view/tensor_form.h"
#include "graph/store/store.h"
#include "graph/view/tensor.h"
#include "graph/view/view.h"
#include "graph/view/view_walk.h"

#include <assert.h>

static struct wide *wide_of(pop_tensor t)
{
    return (struct wide *)(uintptr_t)t.offset;
}

void tensor_unpack(struct unpacked *v, pop_tensor t)
{
    v->store = t.store;
    v->source = t.source;
    v->made = 0;
    v->type = t.type;
    v->rank = t.rank;
    v->digits = t.digits;
    if (t.form & FORM_WIDE) {
        const struct wide *wide = wide_of(t);
        v->offset = wide->offset;
        memcpy(v->run, wide->run, t.rank);
        memcpy(v->digit, wide->digit, t.digits * sizeof(*v->digit));
        return;
    }
    v->offset = t.offset;
    memcpy(v->run, t.run, sizeof(t.run));
    for (unsigned i = 0; i < t.digits; ++i)
        v->digit[i] = (struct digit){ t.digit[i].extent, t.digit[i].stride };
}

bool view_open(struct unpacked *v, pop_tensor t)
{
    if (!store_ready(t.store))
        return false;
    tensor_unpack(v, t);
    return true;
}

bool view_check_dim(const struct unpacked *v, unsigned dim, pop_where where, const char *api)
{
    if (dim < v->rank)
        return true;
    return store_fail(v->store, POP_INDEX_ERROR, where, api, "dimension %u of a tensor of rank %u", dim, v->rank);
}

unsigned unpacked_first(const struct unpacked *v, unsigned dim)
{
    assert(dim <= v->rank);
    unsigned first = 0;
    for (unsigned i = 0; i < dim; ++i)
        first += v->run[i];
    return first;
}

uint64_t unpacked_extent(const struct unpacked *v, unsigned dim)
{
    assert(dim < v->rank);
    const struct digit *digit = v->digit + unpacked_first(v, dim);
    uint64_t extent = 1;
    for (unsigned i = 0; i < v->run[dim]; ++i)
        extent *= digit[i].extent;
    return extent;
}

bool unpacked_is_empty(const struct unpacked *v)
{
    for (unsigned i = 0; i < v->digits; ++i)
        if (!v->digit[i].extent)
            return true;
    return false;
}

void unpacked_set_run(struct unpacked *v, unsigned dim, const struct digit *digit, unsigned count)
{
    unsigned first = unpacked_first(v, dim), old = v->run[dim];
    assert(v->digits - old + count <= MAX_DIGITS + 2);
    memmove(v->digit + first + count, v->digit + first + old, (v->digits - first - old) * sizeof(*digit));
    memcpy(v->digit + first, digit, count * sizeof(*digit));
    v->run[dim] = (uint8_t)count;
    v->digits += count - old;
}

void unpacked_drop(struct unpacked *v, unsigned dim, unsigned from, unsigned count)
{
    assert(from + count <= v->run[dim]);
    if (!count)
        return;
    for (unsigned at = unpacked_first(v, dim) + from; at + count < v->digits; ++at)
        v->digit[at] = v->digit[at + count];
    v->run[dim] = (uint8_t)(v->run[dim] - count);
    v->digits -= count;
}

static bool digits_join(struct digit outer, struct digit inner)
{
    return outer.stride == inner.stride * (int64_t)inner.extent;
}

unsigned digits_merge(struct digit *digit, unsigned count)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < count; ++i) {
        if (digit[i].extent == 1)
            continue;
        if (kept && digits_join(digit[kept - 1], digit[i]))
            digit[kept - 1] = (struct digit){ digit[kept - 1].extent * digit[i].extent, digit[i].stride };
        else
            digit[kept++] = digit[i];
    }
    return kept;
}

void digits_span(const struct digit *digit, unsigned count, int64_t *low, int64_t *high)
{
    *low = *high = 0;
    for (unsigned i = 0; i < count; ++i) {
        int64_t reach = (int64_t)(digit[i].extent - 1) * digit[i].stride;
        *(reach < 0 ? low : high) += reach;
    }
}

void unpacked_row_major(struct unpacked *v, const uint64_t *shape, unsigned rank)
{
    assert(rank <= MAX_RANK);
    uint64_t stride = 1;
    v->rank = rank;
    v->digits = 0;
    for (unsigned i = 0; i < rank; ++i)
        v->digits += v->run[i] = shape[i] != 1;
    for (unsigned i = rank, k = v->digits; i-- > 0;) {
        if (shape[i] == 1)
            continue;
        v->digit[--k] = (struct digit){ shape[i], (int64_t)stride };
        stride *= shape[i];
    }
}

void unpacked_flat(const struct unpacked *v, struct flat *flat)
{
    assert(v->digits <= MAX_DIGITS + 2);
    digits_copy(flat->digit, v->digit, v->digits);
    uint64_t elements = 1;
    for (unsigned i = 0; i < v->digits; ++i)
        elements *= v->digit[i].extent;
    flat->piece = (struct piece){ .variable = v->source,
                                  .digits = digits_merge(flat->digit, v->digits),
                                  .offset = v->offset,
                                  .elements = elements,
                                  .digit = flat->digit };
}

void tensor_flat(pop_tensor t, struct flat *flat)
{
    if (t.form & FORM_WIDE) {
        struct unpacked v;
        tensor_unpack(&v, t);
        unpacked_flat(&v, flat);
        return;
    }
    uint64_t elements = 1;
    for (unsigned i = 0; i < t.digits; ++i) {
        flat->digit[i] = (struct digit){ t.digit[i].extent, t.digit[i].stride };
        elements *= t.digit[i].extent;
    }
    flat->piece = (struct piece){ .variable = t.source,
                                  .digits = digits_merge(flat->digit, t.digits),
                                  .offset = t.offset,
                                  .elements = elements,
                                  .digit = flat->digit };
}

void unpacked_make_lazy(struct unpacked *v)
{
    uint64_t shape[MAX_RANK];
    for (unsigned i = 0; i < v->rank; ++i)
        shape[i] = unpacked_extent(v, i);
    if (unpacked_is_empty(v)) { /* no elements: any strides do */
        unpacked_row_major(v, shape, v->rank);
        return;
    }
    struct flat flat;
    unpacked_flat(v, &flat);
    struct composite *composite = MEM_NEW(struct composite);
    composite_add(v->store, composite, &flat.piece);
    uint32_t own = v->made;
    v->source = v->made = composite_keep(v->store, composite);
    v->offset = 0;
    if (own)
        composite_drop_unused(v->store, own);
    unpacked_row_major(v, shape, v->rank);
}

bool unpacked_split(struct unpacked *v, const struct digit *flat, unsigned count, const uint64_t *shape, unsigned rank)
{
    struct digit split[MAX_DIGITS + 2]; /* innermost first */
    uint8_t run[MAX_RANK];
    unsigned used = 0;
    struct digit left = { 1, 0 };
    for (unsigned i = rank; i-- > 0;) {
        uint64_t want = shape[i];
        for (run[i] = 0; want > 1; ++run[i]) {
            if (left.extent == 1)
                left = flat[--count];
            uint64_t take = left.extent <= want ? left.extent : want;
            if (want % take || left.extent % take || used == MAX_DIGITS)
                return false;
            split[used++] = (struct digit){ take, left.stride };
            left = (struct digit){ left.extent / take, left.stride * (int64_t)take };
            want /= take;
        }
    }
    v->rank = rank;
    v->digits = used;
    memcpy(v->run, run, rank);
    for (unsigned i = 0; i < used; ++i)
        v->digit[i] = split[used - 1 - i];
    return true;
}

void unpacked_of_composite(struct unpacked *v, struct composite *composite, const uint64_t *shape, unsigned rank)
{
    if (composite->children.count == 1) { /* all parts continue each other */
        struct piece whole = child_piece(composite, 0);
        v->source = whole.variable;
        v->offset = whole.offset;
        if (unpacked_split(v, whole.digit, whole.digits, shape, rank)) {
            composite_free(v->store, composite);
            return;
        }
    }
    v->source = v->made = composite_keep(v->store, composite);
    v->offset = 0;
    unpacked_row_major(v, shape, rank);
}

/* Each dimension's digits merged; an empty view keeps its shape only. */
static bool normalise(struct unpacked *v)
{
    bool empty = unpacked_is_empty(v);
    if (empty) {
        v->offset = 0;
        for (unsigned i = 0; i < v->digits; ++i)
            v->digit[i].stride = 0;
    }
    unsigned kept = 0, from = 0;
    for (unsigned i = 0; i < v->rank; ++i) {
        unsigned first = kept;
        for (unsigned end = from + v->run[i]; from < end; ++from) {
            struct digit digit = v->digit[from];
            if (digit.extent == 1)
                continue;
            if (kept > first && digits_join(v->digit[kept - 1], digit))
                digit.extent *= v->digit[--kept].extent;
            v->digit[kept++] = digit;
        }
        v->run[i] = (uint8_t)(kept - first);
    }
    v->digits = kept;
    return empty;
}

/* One step from a composite to the child that holds all of v, so that chains of views do not grow. */
static bool collapse(struct unpacked *v)
{
    struct composite *composite = composite_of(v->store, v->source);
    int64_t low, high;
    digits_span(v->digit, v->digits, &low, &high);
    size_t index = composite_find(composite, v->offset + (uint64_t)low);
    assert(index < composite->children.count && v->offset + (uint64_t)low >= composite->children.data[index].begin);
    if (v->offset + (uint64_t)high >= composite_end(composite, index))
        return false;
    struct composed out;
    struct piece child = child_piece(composite, index);
    uint64_t at = v->offset - composite->children.data[index].begin;
    if (!digits_compose(&child, at, v->digit, v->digits, v->digits ? v->digit[0].extent : 1, &out))
        return false;
    unsigned next = 0, first = 0;
    for (unsigned dim = 0; dim < v->rank; ++dim) {
        unsigned count = 0;
        for (first += v->run[dim]; next < out.digits && out.owner[next] < first; ++next)
            ++count;
        v->run[dim] = (uint8_t)count;
    }
    digits_copy(v->digit, out.digit, out.digits);
    v->digits = out.digits;
    v->offset = out.offset;
    uint32_t above = v->source;
    v->source = child.variable;
    if (above == v->made) {
        v->made = 0;
        composite_drop_unused(v->store, above);
    }
    return true;
}

static bool fits(const struct unpacked *v)
{
    if (v->digits > POP_TENSOR_DIGITS || v->rank > POP_TENSOR_RUNS)
        return false;
    for (unsigned i = 0; i < v->digits; ++i)
        if (v->digit[i].extent > UINT32_MAX || v->digit[i].stride > INT32_MAX || v->digit[i].stride < INT32_MIN)
            return false;
    return true;
}

pop_tensor tensor_pack(struct unpacked *v)
{
    bool empty = normalise(v);
    while (!empty && (v->source & COMPOSITE) && collapse(v))
        normalise(v);
    assert(v->rank <= MAX_RANK && v->digits <= MAX_DIGITS);
    pop_tensor t = { .store = v->store,
                     .offset = v->offset,
                     .source = v->source,
                     .type = v->type,
                     .rank = (uint8_t)v->rank,
                     .digits = (uint8_t)v->digits,
                     .form = empty ? FORM_EMPTY : 0 };
    if (fits(v)) {
        memcpy(t.run, v->run, v->rank);
        for (unsigned i = 0; i < v->digits; ++i) {
            t.digit[i].extent = (uint32_t)v->digit[i].extent;
            t.digit[i].stride = (int32_t)v->digit[i].stride;
        }
        return t;
    }
    struct wide *wide = wide_keep(v->store, v->source, v->digits);
    wide->offset = v->offset;
    memcpy(wide->run, v->run, v->rank);
    memcpy(wide->digit, v->digit, v->digits * sizeof(*v->digit));
    t.offset = (uint64_t)(uintptr_t)wide;
    t.form |= FORM_WIDE;
    return t;
}

pop_tensor tensor_of_variable(pop_store *store, uint32_t variable, pop_type type, const size_t *shape, size_t rank,
                              uint64_t offset)
{
    assert(rank <= MAX_RANK);
    uint64_t dims[MAX_RANK];
    for (size_t i = 0; i < rank; ++i)
        dims[i] = shape[i];
    struct unpacked v = { .store = store, .source = variable, .type = (uint8_t)type, .offset = offset };
    unpacked_row_major(&v, dims, (unsigned)rank);
    return tensor_pack(&v);
}
