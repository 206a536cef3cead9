/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors with the same elements in a simpler order, or fewer of them. */
#include "graph/store/store.h"
#include "graph/variable/regions.h"
#include "graph/variable/variable.h"
#include "graph/view/tensor.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"

struct run_count {
    uint64_t runs, max;
    uint64_t end; /* of the last run, in its variable */
    uint32_t variable;
};

/* Runs of a piece are counted without a look at each: where a digit counts up and those inside it begin again, the step
 * is always the same, and runs are joined if it is their length. */
static bool count_piece(const struct piece *piece, void *context)
{
    struct run_count *count = context;
    unsigned outer = piece->digits;
    uint64_t length = 1, runs = 1, span = 0;
    if (outer && piece->digit[outer - 1].stride == 1)
        length = piece->digit[--outer].extent;
    while (outer-- > 0) {
        const struct digit *digit = &piece->digit[outer];
        uint64_t again = digit->extent - 1, step = (uint64_t)digit->stride - span;
        runs = runs * digit->extent - (step == length ? again : 0);
        span += again * (uint64_t)digit->stride;
    }
    bool joined = count->runs && count->variable == piece->variable && count->end == piece->offset;
    count->runs += runs - joined;
    count->variable = piece->variable;
    count->end = piece->offset + span + length;
    return count->runs < count->max;
}

/* Number of runs in flat order; those above a maximum may not be counted. */
static uint64_t count_regions(pop_tensor t, uint64_t max)
{
    struct run_count count = { .max = max };
    tensor_each_piece(t, count_piece, &count);
    return count.runs;
}

/* A permutation of flat elements: by digits, then by the places of runs, unless there are none. */
struct reorder {
    unsigned digits;
    uint64_t extent[MAX_DIGITS];
    unsigned order[MAX_DIGITS]; /* new dimension i is digit order[i] */
    bool down[MAX_DIGITS];
    struct placed_runs runs; /* of the tensor that is sorted, in the order of memory */
    bool changes;            /* an order that is not that of the tensor */
};

static uint64_t step_of(struct digit digit)
{
    return (uint64_t)(digit.stride < 0 ? -digit.stride : digit.stride);
}

/* Repeats outermost, then long steps before short ones. */
static void order_digits(struct reorder *r, const struct digit *digit, unsigned count)
{
    r->digits = count;
    for (unsigned i = 0; i < count; ++i) {
        unsigned k = i;
        for (; k; --k) {
            uint64_t other = step_of(digit[r->order[k - 1]]), step = step_of(digit[i]);
            if (!other || (step && other >= step))
                break;
            r->order[k] = r->order[k - 1];
        }
        r->order[k] = i;
        r->extent[i] = digit[i].extent;
        r->down[i] = digit[i].stride < 0;
        r->changes |= k != i || r->down[i];
    }
}

static pop_tensor apply_strided(const struct reorder *r, pop_tensor t)
{
    struct unpacked v, to;
    pop_tensor split = pop_tensor_reshape_at(NO_WHERE, t, (pop_shape){ r->digits, (const size_t *)r->extent });
    tensor_unpack(&v, split);
    to = v;
    to.digits = 0;
    for (unsigned i = 0; i < r->digits; ++i) {
        unsigned from = r->order[i];
        const struct digit *digit = v.digit + unpacked_first(&v, from);
        to.run[i] = v.run[from];
        for (unsigned k = 0; k < v.run[from]; ++k) {
            struct digit d = digit[k];
            if (r->down[from]) {
                to.offset += (d.extent - 1) * (uint64_t)d.stride;
                d.stride = -d.stride;
            }
            to.digit[to.digits++] = d;
        }
    }
    return pop_tensor_flatten_at(NO_WHERE, tensor_pack(&to));
}

struct gathering {
    pop_store *store;
    struct composite *composite;
};

static bool gather_piece(const struct piece *piece, void *context)
{
    struct gathering *to = context;
    composite_add(to->store, to->composite, piece);
    return true;
}

static pop_tensor gathered(struct gathering *to, pop_tensor t)
{
    uint64_t elements = pop_tensor_num_elements(t);
    struct unpacked v = { .store = t.store, .type = t.type };
    unpacked_of_composite(&v, to->composite, &elements, 1);
    return tensor_pack(&v);
}

static pop_tensor apply_runs(const struct reorder *r, pop_tensor t)
{
    struct flat flat;
    struct gathering to = { t.store, MEM_NEW(struct composite) };
    tensor_flat(t, &flat);
    tensor_keep_walk(t, r->runs.list.count);
    for (size_t i = 0; i < r->runs.list.count; ++i) {
        const struct placed_run *run = &r->runs.list.data[i];
        view_each_piece_in(t.store, &flat.piece, run->flat, run->flat + run->count, gather_piece, &to);
    }
    return gathered(&to, t);
}

static pop_tensor apply(const struct reorder *r, pop_tensor t)
{
    if (!pop_tensor_num_elements(t))
        return pop_tensor_flatten_at(NO_WHERE, t);
    pop_tensor strided = apply_strided(r, t);
    return r->runs.list.count ? apply_runs(r, strided) : strided;
}

/* The tensor that is sorted itself: its runs are known. */
static pop_tensor apply_to_sorted(const struct reorder *r, pop_tensor t)
{
    struct gathering to = { t.store, NULL };
    if (!r->runs.list.count)
        return apply(r, t);
    to.composite = MEM_NEW(struct composite);
    for (size_t i = 0; i < r->runs.list.count; ++i) {
        const struct placed_run *run = &r->runs.list.data[i];
        struct digit digit = { run->count, 1 };
        composite_add(t.store, to.composite,
                      &(struct piece){ run->variable, run->count > 1, run->offset, run->count, &digit });
    }
    return gathered(&to, t);
}

/* The permutation that sorts t's elements by where they are.  Digits come first also where their source is a composite:
 * blocks are mostly joined in the order of memory, so that few regions are left to be sorted. */
static void find_order(struct reorder *r, pop_tensor t)
{
    struct flat flat;
    tensor_flat(t, &flat);
    order_digits(r, flat.digit, flat.piece.digits);
    if (!(flat.piece.variable & COMPOSITE))
        return;
    if (placed_runs_add(&r->runs, apply_strided(r, t), 0, flat.piece.elements))
        r->changes |= placed_runs_sort(&r->runs);
    else
        r->runs.list.count = 0;
}

/* Of the tensor that is sorted, afterwards. */
static uint64_t sorted_regions(const struct reorder *r, pop_tensor t)
{
    const struct placed_run *run = r->runs.list.data;
    uint64_t regions = r->runs.list.count != 0;
    if (!regions)
        return count_regions(apply(r, t), UINT64_MAX);
    for (size_t i = 1; i < r->runs.list.count; ++i)
        regions += run[i].variable != run[i - 1].variable || run[i].offset != run[i - 1].offset + run[i - 1].count;
    return regions;
}

/* Whether two tensors are the same view, as those of an operation in place are. */
static bool is_same_view(pop_tensor a, pop_tensor b)
{
    struct flat x, y;
    if ((a.form | b.form) & FORM_EMPTY)
        return false;
    tensor_flat(a, &x);
    tensor_flat(b, &y);
    return x.piece.variable == y.piece.variable && x.piece.offset == y.piece.offset &&
           x.piece.digits == y.piece.digits && digits_equal(x.digit, y.digit, x.piece.digits);
}

static bool check_others(pop_graph *graph, pop_where where, const char *api, pop_tensor t, pop_tensor **others,
                         size_t count)
{
    size_t elements = pop_tensor_num_elements(t);
    for (size_t i = 0; i < count; ++i) {
        if (!graph_tensor(graph, where, api, "", POP_POPLAR_ERROR, *others[i]))
            return false;
        if (pop_tensor_num_elements(*others[i]) != elements)
            return store_fail(graph->store, POP_POPLAR_ERROR, where, api,
                              "tensor %zu has %zu elements, the tensor to simplify has %zu", i,
                              pop_tensor_num_elements(*others[i]), elements);
    }
    return true;
}

void pop_graph_reorder_to_simplify_at(pop_where where, pop_graph *graph, pop_tensor *t, pop_tensor **others,
                                      size_t count, bool require_similarity)
{
    const char *api = "pop_graph_reorder_to_simplify";
    if (!graph_ready(graph) || !graph_tensor(graph, where, api, "", POP_POPLAR_ERROR, *t) ||
        !check_others(graph, where, api, *t, others, count))
        return;
    struct reorder r = { 0 };
    if (pop_tensor_num_elements(*t))
        find_order(&r, *t);
    pop_tensor *result = mem_alloc((count + 1) * sizeof(*result)); /* t's is last */
    uint64_t regions = r.changes ? sorted_regions(&r, *t) : 0;
    bool better = r.changes && regions < count_regions(*t, regions + 1), similar = true;
    result[count] = better ? apply_to_sorted(&r, *t) : pop_tensor_flatten_at(where, *t);
    for (size_t i = 0; similar && i < count; ++i) {
        if (is_same_view(*others[i], *t))
            result[i] = result[count];
        else
            result[i] = better ? apply(&r, *others[i]) : pop_tensor_flatten_at(where, *others[i]);
        similar = !better || !require_similarity ||
                  count_regions(result[i], UINT64_MAX) <= count_regions(*others[i], UINT64_MAX);
    }
    if (similar) {
        *t = result[count];
        for (size_t i = 0; i < count; ++i)
            *others[i] = result[i];
    }
    vec_free(&r.runs.list);
    free(result);
}

pop_tensor pop_graph_find_unbroadcast_tensor_at(pop_where where, pop_graph *graph, pop_tensor t)
{
    if (!graph_ready(graph) ||
        !graph_tensor(graph, where, "pop_graph_find_unbroadcast_tensor", "", POP_POPLAR_ERROR, t))
        return (pop_tensor){ 0 };
    if (t.form & FORM_EMPTY)
        return t;
    struct unpacked v;
    tensor_unpack(&v, t);
    for (unsigned dim = 0; dim < v.rank; ++dim) /* what is repeated, once */
        while (v.run[dim] && !v.digit[unpacked_first(&v, dim)].stride)
            unpacked_drop(&v, dim, 0, 1);
    return tensor_pack(&v);
}
