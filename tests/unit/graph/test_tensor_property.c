/* SPDX-License-Identifier: Apache-2.0 */
/* Every view operation, composed at random, compared with a plain list of (variable, element). */
#include "graph/graph.h"
#include "graph/view/tensor.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"
#include "graph/view/view_table.h"
#include "rounds.h"

#include <poplar/poplar.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { LARGEST = 600, RANKS = 8, SLOTS = 14, CHAINS = 1500, STEPS = 12 };

struct element {
    uint32_t variable;
    uint64_t at;
};
struct naive {
    unsigned rank;
    size_t shape[RANKS + 1], count;
    struct element *list;
};

static uint64_t seed = 1;

static size_t below(size_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return n ? (size_t)(seed >> 33) % n : 0;
}

static size_t volume(const size_t *shape, unsigned rank)
{
    size_t count = 1;
    for (unsigned i = 0; i < rank; ++i)
        count *= shape[i];
    return count;
}

static struct naive naive_new(unsigned rank, const size_t *shape)
{
    struct naive n = { .rank = rank, .count = volume(shape, rank) };
    memcpy(n.shape, shape, rank * sizeof(*shape));
    n.list = mem_alloc(n.count * sizeof(*n.list));
    return n;
}

static struct naive naive_copy(const struct naive *n)
{
    struct naive to = naive_new(n->rank, n->shape);
    memcpy(to.list, n->list, n->count * sizeof(*n->list));
    return to;
}

static void unravel(const size_t *shape, unsigned rank, size_t flat, size_t *index)
{
    for (unsigned i = rank; i-- > 0; flat /= shape[i])
        index[i] = flat % shape[i];
}

static size_t ravel(const size_t *shape, unsigned rank, const size_t *index)
{
    size_t flat = 0;
    for (unsigned i = 0; i < rank; ++i)
        flat = flat * shape[i] + index[i];
    return flat;
}

/* Element [.., i, ..] of the result is element [.., pick[i], ..] of n. */
static struct naive naive_pick(const struct naive *n, unsigned dim, const size_t *pick, size_t count)
{
    size_t shape[RANKS + 1], index[RANKS + 1];
    memcpy(shape, n->shape, sizeof(shape));
    shape[dim] = count;
    struct naive to = naive_new(n->rank, shape);
    for (size_t i = 0; i < to.count; ++i) {
        unravel(shape, n->rank, i, index);
        index[dim] = pick[index[dim]];
        to.list[i] = n->list[ravel(n->shape, n->rank, index)];
    }
    return to;
}

static struct naive naive_slice(const struct naive *n, unsigned dim, size_t begin, size_t end)
{
    size_t pick[LARGEST + 1];
    for (size_t i = begin; i < end; ++i)
        pick[i - begin] = i;
    return naive_pick(n, dim, pick, end - begin);
}

static struct naive naive_shuffle(const struct naive *n, const unsigned *permutation)
{
    size_t shape[RANKS + 1], index[RANKS + 1], from[RANKS + 1];
    for (unsigned i = 0; i < n->rank; ++i)
        shape[i] = n->shape[permutation[i]];
    struct naive to = naive_new(n->rank, shape);
    for (size_t i = 0; i < to.count; ++i) {
        unravel(shape, n->rank, i, index);
        for (unsigned k = 0; k < n->rank; ++k)
            from[permutation[k]] = index[k];
        to.list[i] = n->list[ravel(n->shape, n->rank, from)];
    }
    return to;
}

static struct naive naive_concat(const struct naive *a, const struct naive *b, unsigned dim)
{
    size_t shape[RANKS + 1], index[RANKS + 1];
    memcpy(shape, a->shape, sizeof(shape));
    shape[dim] += b->shape[dim];
    struct naive to = naive_new(a->rank, shape);
    for (size_t i = 0; i < to.count; ++i) {
        unravel(shape, a->rank, i, index);
        const struct naive *from = a;
        if (index[dim] >= a->shape[dim]) {
            index[dim] -= a->shape[dim];
            from = b;
        }
        to.list[i] = from->list[ravel(from->shape, a->rank, index)];
    }
    return to;
}

static void set_shape(struct naive *n, unsigned rank, const size_t *shape)
{
    n->rank = rank;
    memcpy(n->shape, shape, rank * sizeof(*shape));
}

/* ---- checks of every tensor ---- */

struct elements {
    size_t count;
    struct element list[LARGEST + 1];
    size_t runs;
    struct run last;
};

static bool collect_run(const struct run *run, void *context)
{
    struct elements *e = context;
    assert_true(run->count > 0);
    if (e->runs) /* maximal */
        assert_false(e->last.variable == run->variable && e->last.offset + e->last.count == run->offset);
    e->last = *run;
    ++e->runs;
    for (uint64_t i = 0; i < run->count; ++i) {
        assert_true(e->count < LARGEST);
        e->list[e->count++] = (struct element){ run->variable, run->offset + i };
    }
    return true;
}

static void collect_digits(struct elements *e, uint32_t variable, uint64_t offset, const struct digit *digit,
                           unsigned digits)
{
    if (!digits) {
        assert_true(e->count < LARGEST);
        e->list[e->count++] = (struct element){ variable, offset };
        return;
    }
    for (uint64_t i = 0; i < digit->extent; ++i)
        collect_digits(e, variable, offset + i * (uint64_t)digit->stride, digit + 1, digits - 1);
}

static bool collect_piece(const struct piece *piece, void *context)
{
    struct elements *e = context;
    for (unsigned i = 0; i < piece->digits; ++i) { /* normal */
        assert_true(piece->digit[i].extent > 1);
        if (i)
            assert_false(piece->digit[i - 1].stride == piece->digit[i].stride * (int64_t)piece->digit[i].extent);
    }
    size_t before = e->count;
    collect_digits(e, piece->variable, piece->offset, piece->digit, piece->digits);
    assert_int_equal(e->count - before, piece->elements);
    return true;
}

static void assert_elements(const struct elements *e, const struct element *list, size_t count)
{
    assert_int_equal(e->count, count);
    for (size_t i = 0; i < count; ++i) {
        assert_int_equal(e->list[i].variable, list[i].variable);
        assert_int_equal(e->list[i].at, list[i].at);
    }
}

static bool follows(struct element a, struct element b)
{
    return a.variable == b.variable && a.at + 1 == b.at;
}

static int by_element(const void *a, const void *b)
{
    const struct element *x = a, *y = b;
    if (x->variable != y->variable)
        return x->variable < y->variable ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static bool naive_aliases(const struct naive *n)
{
    struct naive sorted = naive_copy(n);
    qsort(sorted.list, sorted.count, sizeof(*sorted.list), by_element);
    bool found = false;
    for (size_t i = 1; i < sorted.count && !found; ++i)
        found = !by_element(&sorted.list[i - 1], &sorted.list[i]);
    free(sorted.list);
    return found;
}

static void check_regions(pop_tensor t, const struct naive *n)
{
    pop_interval *regions;
    pop_variable_interval *ranges;
    size_t count = pop_tensor_contiguous_regions(t, &regions), at = 0;
    assert_int_equal(pop_tensor_var_regions(t, &ranges), count);
    for (size_t begin = 0, end; begin < n->count; begin = end, ++at) {
        for (end = begin + 1; end < n->count && follows(n->list[end - 1], n->list[end]); ++end)
            ;
        assert_true(at < count);
        assert_int_equal(regions[at].begin, begin);
        assert_int_equal(regions[at].end, end);
        assert_int_equal(ranges[at].variable, n->list[begin].variable);
        assert_int_equal(ranges[at].interval.begin, n->list[begin].at);
        assert_int_equal(ranges[at].interval.end, n->list[end - 1].at + 1);
    }
    assert_int_equal(at, count);
    struct run run;
    assert_int_equal(pop_tensor_is_contiguous(t), count <= 1);
    assert_int_equal(tensor_single_run(t, &run), count <= 1);
    if (count <= 1)
        assert_int_equal(run.count, n->count);
    if (count == 1) {
        assert_int_equal(run.variable, ranges->variable);
        assert_int_equal(run.offset, ranges->interval.begin);
    }
    free(regions);
    free(ranges);
}

/* Views of any form have a table, though only large ones use it. */
static void check_table(pop_tensor t, const struct naive *n)
{
    static struct elements e;
    struct flat flat;
    bool made;
    if (!n->count)
        return;
    size_t begin = below(n->count + 1);
    tensor_flat(t, &flat);
    e.count = 0;
    assert_true(table_each_piece(t.store, &flat.piece, begin, collect_piece, &e, &made));
    assert_true(made);
    assert_elements(&e, n->list + begin, n->count - begin);
}

static void check(pop_tensor t, const struct naive *n)
{
    assert_true(pop_tensor_valid(t));
    size_t shape[RANKS + 1];
    assert_int_equal(pop_tensor_shape(t, shape, RANKS + 1), n->rank);
    for (unsigned i = 0; i < n->rank; ++i) {
        assert_int_equal(shape[i], n->shape[i]);
        assert_int_equal(pop_tensor_dim(t, i), n->shape[i]);
    }
    assert_int_equal(pop_tensor_num_elements(t), n->count);
    static struct elements e;
    e.count = e.runs = 0;
    assert_true(tensor_each_run(t, collect_run, &e));
    assert_elements(&e, n->list, n->count);
    e.count = 0;
    assert_true(tensor_each_piece(t, collect_piece, &e));
    assert_elements(&e, n->list, n->count);
    size_t begin = below(n->count + 1), end = begin + below(n->count - begin + 1);
    e.count = e.runs = 0;
    assert_true(tensor_each_run_in(t, begin, end, collect_run, &e));
    assert_elements(&e, n->list + begin, end - begin);
    const struct view *view = view_keep(t);
    assert_int_equal(view->elements, n->count);
    assert_int_equal(view->rank, n->rank);
    e.count = e.runs = 0;
    assert_true(view_each_run(view, collect_run, &e));
    assert_elements(&e, n->list, n->count);
    struct run run;
    assert_int_equal(view_single_run(view, &run), e.runs <= 1);
    check_regions(t, n);
    check_table(t, n);
    bool constant = false, aliases = naive_aliases(n);
    for (size_t i = 0; i < n->count; ++i)
        constant |= t.store->variables.data[n->list[i].variable].constant;
    assert_int_equal(pop_tensor_contains_aliases(t), aliases);
    assert_int_equal(pop_tensor_contains_constant(t), constant);
    assert_int_equal(pop_tensor_is_parallel_writeable(t), !aliases && !constant);
}

static void check_pair(pop_tensor a, const struct naive *x, pop_tensor b, const struct naive *y)
{
    bool equal = x->rank == y->rank && !memcmp(x->shape, y->shape, x->rank * sizeof(*x->shape)), meet = false;
    for (size_t i = 0; equal && i < x->count; ++i)
        equal = !by_element(&x->list[i], &y->list[i]);
    struct naive sorted = naive_copy(y);
    qsort(sorted.list, sorted.count, sizeof(*sorted.list), by_element);
    for (size_t i = 0; !meet && i < x->count; ++i)
        meet = bsearch(&x->list[i], sorted.list, sorted.count, sizeof(*sorted.list), by_element);
    free(sorted.list);
    assert_int_equal(pop_tensor_equal(a, b), equal);
    assert_int_equal(pop_tensor_intersects(a, b), meet);
    assert_int_equal(pop_tensor_intersects(b, a), meet);
}

/* ---- the operations: each returns a tensor and a list, or that it does not apply ---- */

struct pair {
    pop_tensor t;
    struct naive n;
};

static void random_shape(size_t count, size_t *shape, unsigned *rank, unsigned max)
{
    *rank = 0;
    if (!count) {
        while (*rank < max && (!*rank || below(2)))
            shape[(*rank)++] = below(4);
        shape[below(*rank)] = 0;
        return;
    }
    while (count > 1 && *rank + 1 < max) {
        size_t divisor = 1 + below(count < 9 ? count : 9);
        if (count % divisor)
            continue;
        shape[(*rank)++] = divisor;
        count /= divisor;
        if (!below(4))
            break;
    }
    if (count > 1 || (max && !below(3)))
        shape[(*rank)++] = count;
}

static bool op_index(const struct pair *in, struct pair *out)
{
    if (!in->n.rank)
        return false;
    unsigned count = below(2) ? 1 : (unsigned)below(in->n.rank + 1);
    size_t index[RANKS];
    for (unsigned i = 0; i < count; ++i) {
        if (!in->n.shape[i])
            return false;
        index[i] = below(in->n.shape[i]);
    }
    out->n = naive_copy(&in->n);
    for (unsigned i = 0; i < count; ++i) {
        struct naive next = naive_slice(&out->n, i, index[i], index[i] + 1);
        free(out->n.list);
        out->n = next;
    }
    out->n.rank -= count;
    memmove(out->n.shape, out->n.shape + count, out->n.rank * sizeof(size_t));
    out->t = count == 1 ? pop_tensor_at(in->t, index[0]) : pop_tensor_index(in->t, (pop_shape){ count, index });
    return true;
}

static bool op_slice(const struct pair *in, struct pair *out)
{
    if (!in->n.rank)
        return false;
    unsigned dim = (unsigned)below(in->n.rank);
    size_t begin = below(in->n.shape[dim] + 1), end = begin + below(in->n.shape[dim] - begin + 1);
    out->n = naive_slice(&in->n, dim, begin, end);
    out->t = below(2) ? pop_tensor_slice(in->t, begin, end, dim)
                      : pop_tensor_slice_interval(in->t, (pop_interval){ begin, end }, dim);
    return true;
}

static bool op_slice_nd(const struct pair *in, struct pair *out)
{
    size_t begins[RANKS] = { 0 }, ends[RANKS] = { 0 };
    unsigned count = (unsigned)below(in->n.rank + 1);
    out->n = naive_copy(&in->n);
    for (unsigned i = 0; i < count; ++i) {
        begins[i] = below(in->n.shape[i] + 1);
        ends[i] = begins[i] + below(in->n.shape[i] - begins[i] + 1);
        struct naive next = naive_slice(&out->n, i, begins[i], ends[i]);
        free(out->n.list);
        out->n = next;
    }
    out->t = pop_tensor_slice_nd(in->t, (pop_shape){ count, begins }, (pop_shape){ count, ends });
    return true;
}

/* Lists of slices: one of them is the result. */
static bool op_slices(const struct pair *in, struct pair *out)
{
    if (!in->n.rank)
        return false;
    unsigned dim = (unsigned)below(in->n.rank);
    size_t extent = in->n.shape[dim], first[] = { 0, below(4), 0, 0 }, pick[4 * LARGEST], picked = 0, used = 0;
    pop_interval intervals[9];
    pop_tensor slices[9];
    first[2] = first[1] + below(4);
    first[3] = first[2] + below(3);
    for (size_t i = 0; i < first[3]; ++i) {
        intervals[i].begin = below(extent + 1);
        intervals[i].end = intervals[i].begin + below(extent - intervals[i].begin + 1);
    }
    if (below(2)) {
        size_t wanted = below(3);
        for (size_t i = first[wanted]; i < first[wanted + 1]; ++i)
            for (used = intervals[i].begin; used < intervals[i].end; ++used)
                pick[picked++] = used;
        if (picked > LARGEST || (extent && in->n.count / extent * picked > LARGEST))
            return false;
        pop_interval_lists lists = { 3, first, intervals };
        assert_true(pop_tensor_slices_nested(in->t, &lists, dim, slices));
        out->t = slices[wanted];
        out->n = naive_pick(&in->n, dim, pick, picked);
        return true;
    }
    if (!first[3])
        return false;
    size_t wanted = below(first[3]);
    if (extent && below(2)) {
        unsigned indices[9];
        for (size_t i = 0; i < first[3]; ++i)
            indices[i] = (unsigned)below(extent);
        assert_true(pop_tensor_slices_indices(in->t, (pop_dims){ first[3], indices }, dim, slices));
        out->n = naive_slice(&in->n, dim, indices[wanted], indices[wanted] + 1);
    } else {
        assert_true(pop_tensor_slices(in->t, (pop_interval_list){ first[3], intervals }, dim, slices));
        out->n = naive_slice(&in->n, dim, intervals[wanted].begin, intervals[wanted].end);
    }
    out->t = slices[wanted];
    return true;
}

static bool op_flatten(const struct pair *in, struct pair *out)
{
    out->n = naive_copy(&in->n);
    if (below(2)) {
        out->t = pop_tensor_flatten(in->t);
        set_shape(&out->n, 1, &in->n.count);
        return true;
    }
    unsigned begin = (unsigned)below(in->n.rank + 1), end = begin + (unsigned)below(in->n.rank - begin + 1);
    if (begin == end && in->n.rank == RANKS)
        begin = 0;
    size_t shape[RANKS + 1];
    unsigned rank = 0;
    for (unsigned i = 0; i < begin; ++i)
        shape[rank++] = in->n.shape[i];
    shape[rank++] = volume(in->n.shape + begin, end - begin);
    for (unsigned i = end; i < in->n.rank; ++i)
        shape[rank++] = in->n.shape[i];
    set_shape(&out->n, rank, shape);
    out->t = pop_tensor_flatten_dims(in->t, begin, end);
    return true;
}

static bool op_reshape(const struct pair *in, struct pair *out)
{
    size_t shape[RANKS + 1], whole[RANKS + 1];
    unsigned rank, begin = 0, end = in->n.rank, max = RANKS;
    bool partial = below(2);
    if (partial) {
        begin = (unsigned)below(in->n.rank + 1);
        end = begin + (unsigned)below(in->n.rank - begin + 1);
        max = RANKS - (in->n.rank - (end - begin));
    }
    size_t count = volume(in->n.shape + begin, end - begin);
    if (!max)
        return false;
    random_shape(count, shape, &rank, max);
    memcpy(whole, in->n.shape, begin * sizeof(*whole));
    memcpy(whole + begin, shape, rank * sizeof(*whole));
    memcpy(whole + begin + rank, in->n.shape + end, (in->n.rank - end) * sizeof(*whole));
    out->n = naive_copy(&in->n);
    set_shape(&out->n, in->n.rank - (end - begin) + rank, whole);
    pop_shape dims = { rank, shape };
    out->t = partial ? pop_tensor_reshape_partial(in->t, begin, end, dims) : pop_tensor_reshape(in->t, dims);
    return true;
}

static bool op_shuffle(const struct pair *in, struct pair *out)
{
    unsigned permutation[RANKS], rank = in->n.rank;
    for (unsigned i = 0; i < rank; ++i)
        permutation[i] = i;
    for (unsigned i = rank; i > 1; --i) {
        unsigned k = (unsigned)below(i), swap = permutation[k];
        permutation[k] = permutation[i - 1];
        permutation[i - 1] = swap;
    }
    out->t = pop_tensor_dim_shuffle(in->t, (pop_dims){ rank, permutation });
    out->n = naive_shuffle(&in->n, permutation);
    return true;
}

static bool op_shuffle_partial(const struct pair *in, struct pair *out)
{
    unsigned rank = in->n.rank, source[RANKS], destination[RANKS], permutation[RANKS], count = 0;
    bool from_used[RANKS] = { 0 }, to_used[RANKS] = { 0 };
    if (!rank)
        return false;
    bool roll = below(2);
    for (unsigned wanted = roll ? 1 : (unsigned)below(rank + 1); count < wanted;) {
        unsigned from = (unsigned)below(rank), to = (unsigned)below(rank);
        if (from_used[from] || to_used[to])
            continue;
        from_used[from] = to_used[to] = true;
        permutation[to] = source[count] = from;
        destination[count++] = to;
    }
    for (unsigned to = 0, from = 0; to < rank; ++to) {
        if (to_used[to])
            continue;
        while (from_used[from])
            ++from;
        permutation[to] = from++;
    }
    out->n = naive_shuffle(&in->n, permutation);
    out->t = roll
                 ? pop_tensor_dim_roll(in->t, source[0], destination[0])
                 : pop_tensor_dim_shuffle_partial(in->t, (pop_dims){ count, source }, (pop_dims){ count, destination });
    return true;
}

static bool op_transpose(const struct pair *in, struct pair *out)
{
    unsigned permutation[RANKS];
    for (unsigned i = 0; i < in->n.rank; ++i)
        permutation[i] = in->n.rank - 1 - i;
    out->n = naive_shuffle(&in->n, permutation);
    out->t = pop_tensor_transpose(in->t);
    return true;
}

static bool op_expand(const struct pair *in, struct pair *out)
{
    unsigned before[RANKS], count = (unsigned)below(RANKS - in->n.rank + 1), rank = 0;
    size_t shape[RANKS + 1];
    for (unsigned i = 0; i < count; ++i)
        before[i] = (unsigned)below(in->n.rank + 1);
    for (unsigned i = 0; i <= in->n.rank; ++i) {
        for (unsigned k = 0; k < count; ++k)
            if (before[k] == i)
                shape[rank++] = 1;
        if (i < in->n.rank)
            shape[rank++] = in->n.shape[i];
    }
    out->n = naive_copy(&in->n);
    set_shape(&out->n, rank, shape);
    out->t = pop_tensor_expand(in->t, (pop_dims){ count, before });
    return true;
}

static bool op_squeeze(const struct pair *in, struct pair *out)
{
    unsigned dims[RANKS], count = 0, rank = 0;
    size_t shape[RANKS + 1];
    for (unsigned i = 0; i < in->n.rank; ++i) {
        if (in->n.shape[i] == 1 && below(2))
            dims[count++] = i;
        else
            shape[rank++] = in->n.shape[i];
    }
    out->n = naive_copy(&in->n);
    set_shape(&out->n, rank, shape);
    out->t = pop_tensor_squeeze(in->t, (pop_dims){ count, dims });
    return true;
}

static bool op_repeat(const struct pair *in, struct pair *out)
{
    unsigned times = (unsigned)below(4), outermost = (unsigned)below(2);
    if (!in->n.rank || in->n.count * times > LARGEST)
        return false;
    unsigned dim = (unsigned)below(in->n.rank);
    size_t extent = in->n.shape[dim], pick[LARGEST + 1] = { 0 };
    if (extent * times > LARGEST)
        return false;
    for (size_t i = 0; i < extent * times; ++i)
        pick[i] = outermost ? i % extent : i / times;
    out->n = naive_pick(&in->n, dim, pick, extent * times);
    out->t = outermost ? pop_tensor_broadcast(in->t, times, dim)
                       : pop_tensor_upsample(in->t, times, dim, POP_UPSAMPLE_REPEAT);
    return true;
}

static bool op_sub_sample(const struct pair *in, struct pair *out)
{
    if (!in->n.rank)
        return false;
    unsigned dim = (unsigned)below(in->n.rank), stride = 1 + (unsigned)below(7);
    size_t pick[LARGEST + 1], count = 0;
    for (size_t i = 0; i < in->n.shape[dim]; i += stride)
        pick[count++] = i;
    out->n = naive_pick(&in->n, dim, pick, count);
    out->t = pop_tensor_sub_sample(in->t, stride, dim);
    return true;
}

static bool op_reverse(const struct pair *in, struct pair *out)
{
    if (!in->n.rank)
        return false;
    unsigned dim = (unsigned)below(in->n.rank);
    size_t pick[LARGEST + 1], extent = in->n.shape[dim];
    for (size_t i = 0; i < extent; ++i)
        pick[i] = extent - 1 - i;
    out->n = naive_pick(&in->n, dim, pick, extent);
    out->t = pop_tensor_reverse(in->t, dim);
    return true;
}

static bool op_reinterpret(const struct pair *in, struct pair *out)
{
    out->n = naive_copy(&in->n);
    out->t = pop_tensor_reinterpret(in->t, POP_UNSIGNED_INT);
    assert_int_equal(pop_tensor_type(out->t), POP_UNSIGNED_INT);
    out->t = pop_tensor_reinterpret(out->t, POP_FLOAT);
    return true;
}

/* A tensor of in's shape except in dim, made of other's elements. */
static bool shaped_like(const struct pair *other, const size_t *shape, unsigned rank, struct pair *out)
{
    size_t count = volume(shape, rank);
    if (count > other->n.count)
        return false;
    size_t begin = below(other->n.count - count + 1);
    pop_tensor flat = pop_tensor_flatten(other->t);
    out->t = pop_tensor_reshape(pop_tensor_slice(flat, begin, begin + count, 0), (pop_shape){ rank, shape });
    out->n = naive_new(rank, shape);
    memcpy(out->n.list, other->n.list + begin, count * sizeof(*out->n.list));
    return true;
}

static bool op_concat(const struct pair *in, const struct pair *other, struct pair *out)
{
    if (!in->n.rank)
        return false;
    unsigned dim = (unsigned)below(in->n.rank), append = (unsigned)below(2);
    size_t shape[RANKS + 1];
    memcpy(shape, in->n.shape, sizeof(shape));
    shape[dim] = append ? 1 : below(4);
    struct pair more;
    if (in->n.count + volume(shape, in->n.rank) > LARGEST || shape[dim] + in->n.shape[dim] > LARGEST ||
        !shaped_like(other, shape, in->n.rank, &more))
        return false;
    if (append) {
        out->t = pop_tensor_append(in->t, pop_tensor_squeeze(more.t, POP_DIMS(dim)), dim);
        out->n = naive_concat(&in->n, &more.n, dim);
    } else if (below(2)) {
        out->t = pop_tensor_concat(POP_TENSORS(in->t, more.t), dim);
        out->n = naive_concat(&in->n, &more.n, dim);
    } else {
        out->t = pop_tensor_concat(POP_TENSORS(more.t, in->t), dim);
        out->n = naive_concat(&more.n, &in->n, dim);
    }
    free(more.n.list);
    return true;
}

static bool op_concat_self(const struct pair *in, struct pair *out)
{
    if (!in->n.rank || 2 * in->n.count > LARGEST)
        return false;
    unsigned dim = (unsigned)below(in->n.rank);
    if (2 * in->n.shape[dim] > LARGEST)
        return false;
    out->t = pop_tensor_concat(POP_TENSORS(in->t, in->t), dim);
    out->n = naive_concat(&in->n, &in->n, dim);
    return true;
}

/* Many elements of both, in any order: more pieces than a composite copies from another. */
static bool op_gather(const struct pair *in, const struct pair *other, struct pair *out)
{
    pop_tensor part[60], flat[] = { pop_tensor_flatten(in->t), pop_tensor_flatten(other->t) };
    size_t count = 20 + below(40);
    if (!in->n.count || !other->n.count)
        return false;
    out->n = naive_new(1, &count);
    for (size_t i = 0; i < count; ++i) {
        const struct pair *from = below(2) ? in : other;
        size_t at = below(from->n.count);
        part[i] = pop_tensor_slice(flat[from == other], at, at + 1, 0);
        out->n.list[i] = from->n.list[at];
    }
    out->t = pop_tensor_concat(((pop_tensors){ count, part }), 0);
    return true;
}

static bool apply(size_t op, const struct pair *in, const struct pair *other, struct pair *out)
{
    static bool (*const unary[])(const struct pair *, struct pair *) = {
        op_index,   op_slice,      op_slice_nd,        op_slices,      op_flatten,     op_reshape,
        op_reshape, op_shuffle,    op_shuffle_partial, op_transpose,   op_expand,      op_squeeze,
        op_repeat,  op_sub_sample, op_reverse,         op_reinterpret, op_concat_self,
    };
    size_t count = sizeof(unary) / sizeof(*unary);
    op %= count + 6;
    if (op >= count + 4)
        return op_gather(in, other, out);
    return op < count ? unary[op](in, out) : op_concat(in, other, out);
}

static void add_pair(pop_graph *graph, struct pair *pair, unsigned rank, const size_t *shape, bool constant)
{
    pair->t = constant ? pop_graph_add_constant_float(graph, POP_FLOAT, (pop_shape){ rank, shape }, 1.5, "c")
                       : pop_graph_add_variable(graph, POP_FLOAT, (pop_shape){ rank, shape }, "v");
    pair->n = naive_new(rank, shape);
    for (size_t i = 0; i < pair->n.count; ++i)
        pair->n.list[i] = (struct element){ (uint32_t)pop_graph_num_variables(graph) - 1, i };
}

static void chain(pop_graph *graph, uint64_t start)
{
    static const size_t shapes[][RANKS] = {
        { 0 },     { 1 },       { 7 },       { 13, 1 },      { 3, 4 },
        { 6, 10 }, { 2, 3, 5 }, { 5, 0, 3 }, { 4, 1, 3, 2 }, { 2, 2, 2, 2, 2, 2, 2, 2 },
        { 120 }
    };
    static const unsigned ranks[] = { 0, 1, 1, 2, 2, 2, 3, 3, 4, 8, 1 };
    struct pair slot[SLOTS];
    seed = start;
    pop_mark mark = pop_graph_mark(graph);
    for (unsigned i = 0; i < SLOTS; ++i) {
        size_t k = below(sizeof(ranks) / sizeof(*ranks));
        add_pair(graph, &slot[i], ranks[k], shapes[k], !below(6));
    }
    for (unsigned step = 0; step < STEPS; ++step) {
        size_t from = below(4), other = below(SLOTS), to = below(4);
        struct pair out;
        if (!apply(below(1000), &slot[from], &slot[other], &out))
            continue;
        if (pop_graph_error(graph))
            pop_error_print(pop_graph_error(graph));
        assert_null(pop_graph_error(graph));
        check(out.t, &out.n);
        check_pair(out.t, &out.n, slot[from].t, &slot[from].n);
        check_pair(out.t, &out.n, slot[other].t, &slot[other].n);
        check(slot[from].t, &slot[from].n); /* views made later leave it as it was */
        free(slot[to].n.list);
        slot[to] = out;
    }
    for (unsigned i = 0; i < SLOTS; ++i) {
        check(slot[i].t, &slot[i].n);
        free(slot[i].n.list);
    }
    pop_graph_release(graph, mark);
    assert_int_equal(pop_graph_mark(graph).position, mark.position);
}

/* The same with values that are retained, copied, replaced and released in any order, and no marks. */
static void counted_chain(pop_graph *graph, uint64_t start)
{
    enum { COUNTED = 10, MANY_STEPS = 60 };
    struct pair slot[COUNTED];
    struct tensor_nodes *nodes = graph->store->nodes;
    assert_int_equal(tensor_nodes_count(nodes), 0);
    seed = start;
    for (unsigned i = 0; i < COUNTED; ++i) {
        const size_t shape[] = { 1 + below(3), 1 + below(20) };
        add_pair(graph, &slot[i], 2, shape, false);
    }
    for (unsigned step = 0; step < MANY_STEPS; ++step) {
        size_t from = below(COUNTED), to = below(COUNTED);
        struct pair out;
        if (!below(8)) {
            out = (struct pair){ slot[from].t, naive_copy(&slot[from].n) };
        } else if (!apply(below(1000), &slot[from], &slot[below(COUNTED)], &out)) {
            continue;
        }
        assert_null(pop_graph_error(graph));
        pop_tensor_retain(&out.t);
        pop_tensor_release(&slot[to].t);
        free(slot[to].n.list);
        slot[to] = out;
        check(out.t, &out.n);
        size_t any = below(COUNTED);
        check(slot[any].t, &slot[any].n);
        check_pair(out.t, &out.n, slot[any].t, &slot[any].n);
    }
    for (unsigned i = 0; i < COUNTED; ++i) {
        check(slot[i].t, &slot[i].n);
        pop_tensor_release(&slot[i].t);
        free(slot[i].n.list);
    }
    pop_tensor a = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(3), "a");
    pop_tensor b = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(3), "b");
    pop_tensor last =
        pop_tensor_concat(POP_TENSORS(a, b), 0); /* temporary nodes of calls are released with later ones */
    pop_tensor_retain(&last);
    pop_tensor_release(&last);
    assert_int_equal(tensor_nodes_count(nodes), 0);
}

static void each_chain(void (*chain_of)(pop_graph *, uint64_t), unsigned chains)
{
    pop_target target = pop_target_create_cpu(false, 1);
    const char *only = getenv("TENSOR_SEED");
    pop_graph *graph = NULL;
    for (uint64_t i = 0; i < (only ? 1 : rounds(chains)); ++i) {
        if (i % 100 == 0) {
            pop_graph_destroy(graph);
            graph = pop_graph_create(&target);
        }
        chain_of(graph, only ? strtoull(only, NULL, 10) : i * 7919 + 1);
    }
    pop_graph_destroy(graph);
}

static void random_views_have_the_elements_of_the_list(void **state)
{
    (void)state;
    each_chain(chain, CHAINS);
}

static void counted_views_have_the_elements_of_the_list(void **state)
{
    (void)state;
    each_chain(counted_chain, CHAINS / 5);
}

/* Additions to a composite after a mark are undone, and the elements before them are unchanged. */
static void release_restores_the_previous_state(void **state)
{
    (void)state;
    pop_target target = pop_target_create_cpu(false, 1);
    pop_graph *graph = pop_graph_create(&target);
    struct pair a, b, list;
    add_pair(graph, &a, 1, (size_t[]){ 60 }, false);
    add_pair(graph, &b, 1, (size_t[]){ 60 }, false);
    list.t = pop_tensor_concat(POP_TENSORS(pop_tensor_slice(a.t, 0, 3, 0), pop_tensor_slice(b.t, 5, 7, 0)), 0);
    list.n = naive_new(1, (size_t[]){ 5 });
    memcpy(list.n.list, a.n.list, 3 * sizeof(*a.n.list));
    memcpy(list.n.list + 3, b.n.list + 5, 2 * sizeof(*b.n.list));
    seed = 5;
    for (unsigned round = 0; round < 50; ++round) {
        pop_mark mark = pop_graph_mark(graph);
        struct pair grown = { list.t, naive_new(1, (size_t[]){ 25 }) };
        memcpy(grown.n.list, list.n.list, 5 * sizeof(*list.n.list));
        for (unsigned i = 0; i < 20; ++i) { /* odd rounds leave a gap where even ones continue the range */
            size_t at = i < 10 ? 7 + (round & 1) + i : below(60);
            const struct pair *from = i < 10 || below(2) ? &b : &a;
            grown.t = pop_tensor_append(grown.t, pop_tensor_at(from->t, at), 0);
            grown.n.list[5 + i] = from->n.list[at];
        }
        check(grown.t, &grown.n);
        check(list.t, &list.n);
        free(grown.n.list);
        pop_graph_release(graph, mark);
        check(list.t, &list.n);
        assert_int_equal(pop_graph_mark(graph).position, mark.position);
    }
    free(a.n.list);
    free(b.n.list);
    free(list.n.list);
    pop_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_views_have_the_elements_of_the_list),
        cmocka_unit_test(counted_views_have_the_elements_of_the_list),
        cmocka_unit_test(release_restores_the_previous_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
