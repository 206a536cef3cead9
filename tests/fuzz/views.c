/* SPDX-License-Identifier: Apache-2.0 */
/* Views of bases, made as tensors and as lists of indices in parallel. */
#include "fuzz.h"

struct view whole(struct world *w, int base)
{
    const struct base *b = &w->bases[base];
    struct view v = {
        .tensor = b->tensor, .base = base, .snapshot = b->snapshot, .rank = b->rank, .count = b->count, .type = b->type
    };
    memcpy(v.dims, b->dims, sizeof(v.dims));
    v.index = malloc(v.count * sizeof(size_t) + 1);
    for (size_t i = 0; i < v.count; ++i)
        v.index[i] = i;
    return v;
}
bool view_alters(const struct view *v)
{
    return !v->count || pop_tensor_is_parallel_writeable(v->tensor);
}

/* The view whose element at index p is v's at begin + stride p (mod its extent) along a dimension, of an extent. */
static struct view along(struct view v, pop_tensor tensor, unsigned dim, size_t extent, long begin, long stride,
                         bool modulo)
{
    size_t inner = product(v.dims + dim + 1, v.rank - dim - 1), outer = product(v.dims, dim), old = v.dims[dim];
    struct view r = v;
    r.tensor = tensor;
    r.dims[dim] = extent;
    r.count = outer * extent * inner;
    r.index = malloc(r.count * sizeof(size_t) + 1);
    for (size_t o = 0; o < outer; ++o)
        for (size_t e = 0; e < extent; ++e)
            for (size_t i = 0; i < inner; ++i) {
                long from = begin + stride * (long)e;
                if (modulo)
                    from %= (long)old;
                r.index[(o * extent + e) * inner + i] = v.index[(o * old + (size_t)from) * inner + i];
            }
    return r;
}
struct view view_slice(struct view v, size_t begin, size_t end, unsigned dim)
{
    return along(v, pop_tensor_slice(v.tensor, begin, end, dim), dim, end - begin, (long)begin, 1, false);
}
struct view view_every(struct view v, unsigned stride, unsigned dim)
{
    return along(v, pop_tensor_sub_sample(v.tensor, stride, dim), dim, (v.dims[dim] + stride - 1) / stride, 0, stride,
                 false);
}
struct view view_reverse(struct view v, unsigned dim)
{
    return along(v, pop_tensor_reverse(v.tensor, dim), dim, v.dims[dim], (long)v.dims[dim] - 1, -1, false);
}
struct view view_broadcast(struct view v, unsigned times, unsigned dim)
{
    return along(v, pop_tensor_broadcast(v.tensor, times, dim), dim, v.dims[dim] * times, 0, 1, true);
}
struct view view_reshape(struct view v, const size_t *dims, size_t rank)
{
    v.tensor = pop_tensor_reshape(v.tensor, ((pop_shape){ rank, dims }));
    v.rank = rank;
    memcpy(v.dims, dims, rank * sizeof(*dims));
    return v;
}
struct view view_shuffle(struct view v, const unsigned *permutation)
{
    struct view r = v;
    r.tensor = pop_tensor_dim_shuffle(v.tensor, ((pop_dims){ v.rank, permutation }));
    r.index = malloc(v.count * sizeof(size_t) + 1);
    size_t at[MAX_DIMS] = { 0 };
    for (size_t d = 0; d < v.rank; ++d)
        r.dims[d] = v.dims[permutation[d]];
    for (size_t i = 0; i < v.count; ++i) {
        size_t from[MAX_DIMS], place = 0;
        for (size_t d = 0; d < v.rank; ++d)
            from[permutation[d]] = at[d];
        for (size_t d = 0; d < v.rank; ++d)
            place = place * v.dims[d] + from[d];
        r.index[i] = v.index[place];
        for (size_t d = v.rank; d-- > 0;) {
            if (++at[d] < r.dims[d])
                break;
            at[d] = 0;
        }
    }
    return r;
}

static int tame_base(struct world *w, pop_type type, double low, double high)
{
    int found[MAX_BASES];
    size_t count = 0;
    for (size_t i = 0; i < w->num_bases; ++i) {
        const struct base *b = &w->bases[i];
        bool fits = b->type == type && b->tame && b->count;
        for (size_t k = 0; fits && k < b->count; ++k)
            fits = b->guess[k] >= low && b->guess[k] < high;
        if (fits)
            found[count++] = (int)i;
    }
    return count ? found[below(w, count)] : -1;
}
static void any_permutation(struct world *w, unsigned *permutation, size_t rank)
{
    for (size_t i = 0; i < rank; ++i)
        permutation[i] = (unsigned)i;
    for (size_t i = rank; i > 1; --i) {
        size_t k = below(w, i);
        unsigned t = permutation[k];
        permutation[k] = permutation[i - 1];
        permutation[i - 1] = t;
    }
}
/* A slice, a reversal, a transposition or a subsample. */
static struct view any_change(struct world *w, struct view v, bool aliases)
{
    if (!v.rank || !v.count)
        return v;
    unsigned dim = (unsigned)below(w, v.rank), permutation[MAX_DIMS];
    switch (below(w, aliases ? 6 : 5)) {
    case 0: {
        size_t begin = below(w, v.dims[dim]);
        return view_slice(v, begin, between(w, begin + 1, v.dims[dim]), dim);
    }
    case 1:
        return view_reverse(v, dim);
    case 2:
        any_permutation(w, permutation, v.rank);
        return view_shuffle(v, permutation);
    case 3:
        return view_every(v, (unsigned)between(w, 1, 3), dim);
    case 4: {
        if (v.rank < 2)
            return v;
        size_t dims[MAX_DIMS], n = 0; /* merges two neighbours */
        unsigned at = (unsigned)below(w, v.rank - 1);
        for (size_t d = 0; d < v.rank; ++d)
            if (d == at) {
                dims[n++] = v.dims[d] * v.dims[d + 1];
                ++d;
            } else {
                dims[n++] = v.dims[d];
            }
        return view_reshape(v, dims, n);
    }
    default:
        return v.count < 3000 ? view_broadcast(v, (unsigned)between(w, 1, 3), dim) : v;
    }
}
struct view new_view(struct world *w, pop_type type, const size_t *dims, size_t rank, double low, double high)
{
    double usual =
        pop_type_is_floating_point(type) ? 2.5 : 20; /* the accepted range may be wider than the generated one */
    if (low < usual && high > -usual) {
        low = low < -usual ? -usual : low;
        high = high > usual ? usual : high;
    }
    return whole(w, new_input(w, type, dims, rank, low, high));
}
struct view wanted(struct world *w, pop_type type, const size_t *dims, size_t rank, bool aliases, double low,
                   double high)
{
    size_t count = product(dims, rank);
    int base = chance(w, 50) && count ? tame_base(w, type, low, high) : -1;
    if (base < 0) {
        if (chance(w, 60) || !count)
            return new_view(w, type, dims, rank, low, high);
        size_t more = count + below(w, count + 5);
        base = new_view(w, type, &more, 1, low, high).base;
    }
    struct view v = whole(w, base);
    if (!aliases && v.count < count)
        return new_view(w, type, dims, rank, low, high);
    for (size_t i = below(w, 3); i-- > 0;) {
        struct view next = any_change(w, v, false);
        if (next.count < count && v.count >= count)
            break;
        v = next;
    }
    if (!v.count) /* the graph has an error */
        return v;
    v = view_reshape(v, &v.count, 1);
    if (v.count < count)
        v = view_broadcast(v, (unsigned)((count + v.count - 1) / v.count), 0);
    if (count > 1 && (v.count - 1) / (count - 1) > 1 && chance(w, 20))
        v = view_every(v, (unsigned)((v.count - 1) / (count - 1)), 0);
    size_t begin = below(w, v.count - count + 1);
    v = view_slice(v, begin, begin + count, 0);
    if (rank > 1 && chance(w, 40)) {
        unsigned permutation[MAX_DIMS], back[MAX_DIMS];
        size_t shuffled[MAX_DIMS];
        any_permutation(w, permutation, rank);
        for (unsigned d = 0; d < rank; ++d) {
            shuffled[d] = dims[permutation[d]];
            back[permutation[d]] = d;
        }
        return view_shuffle(view_reshape(v, shuffled, rank), back);
    }
    return view_reshape(v, dims, rank);
}
struct view any_view(struct world *w, pop_type type, bool aliases, double low, double high, size_t max)
{
    int base = chance(w, 60) ? tame_base(w, type, low, high) : -1;
    if (base < 0 || w->bases[base].count > max) {
        size_t dims[MAX_DIMS], rank = chance(w, 5) ? between(w, 5, 8) : below(w, 5);
        for (size_t i = 0; i < rank; ++i)
            dims[i] = rank > 4 ? between(w, 1, 3) : any_extent(w);
        while (product(dims, rank) > max)
            dims[below(w, rank)] = 1;
        base = new_view(w, type, dims, rank, low, high).base;
    }
    struct view v = whole(w, base);
    for (size_t i = below(w, 4); i-- > 0;)
        v = any_change(w, v, aliases);
    return v;
}
