/* SPDX-License-Identifier: Apache-2.0 */
/* TopK, and operators whose result has as many elements as values say: these are computed on the host. */
#include "onnx/build/build.h"

#include <popops/top_k.h>
#include <stdlib.h>
#include <string.h>

static bool build_top_k(onnx_builder *b)
{
    size_t rank = onnx_rank_of(b, 0), axis = onnx_axis(b, onnx_int(b, "axis", -1), rank), count = 0;
    const int64_t *given = onnx_input(b, 1) ? onnx_known_ints(b, 1, &count) : NULL;
    int64_t k = given && count == 1 ? given[0] : onnx_int(b, "k", -1);
    pop_tensor t = onnx_tensor(b, 0), indices;
    if (!onnx_ok(b))
        return false;
    if (k < 0 || (size_t)k > pop_tensor_dim(t, axis))
        return onnx_complain(b, "k is %lld, and its dimension has %zu elements", (long long)k, pop_tensor_dim(t, axis));
    bool largest = onnx_int(b, "largest", 1);
    unsigned last = (unsigned)rank - 1;
    t = pop_tensor_dim_roll_at(b->where, t, (unsigned)axis, last);
    popops_top_k_params params = { .k = (unsigned)k,
                                   .largest = largest,
                                   .sort_order = largest ? POPOPS_SORT_DESCENDING : POPOPS_SORT_ASCENDING,
                                   .stable = true };
    pop_tensor values = popops_top_k_with_permutation_at(b->where, b->graph, b->program, t, params, &indices, b->name);
    if (!onnx_ok(b))
        return false;
    values = pop_tensor_dim_roll_at(b->where, values, last, (unsigned)axis);
    indices = pop_tensor_dim_roll_at(b->where, onnx_cast(b, indices, POP_INT), last, (unsigned)axis);
    return onnx_give_like(b, values) && onnx_give(b, 1, indices, TREMULA_ONNX_INT64);
}

/* ---- on the host ---- */

static bool fold_non_zero(onnx_builder *b)
{
    const tremula_onnx_tensor *t = onnx_known(b, 0);
    size_t count = 0, elements = t ? tremula_onnx_tensor_elements(t) : 0, column = 0;
    for (size_t i = 0; i < elements; ++i)
        count += onnx_number(t, i) != 0;
    if (!t)
        return false;
    tremula_onnx_tensor result = onnx_new_tensor(b, TREMULA_ONNX_INT64, POP_SHAPE(t->rank, count));
    for (size_t i = 0; i < elements && result.data; ++i) {
        size_t rest = i;
        if (onnx_number(t, i) == 0)
            continue;
        for (size_t d = t->rank; d-- > 0; rest /= t->dims[d])
            onnx_set_integer(&result, d * count + column, (int64_t)(rest % t->dims[d]));
        ++column;
    }
    return onnx_give_known(b, 0, result);
}

/* Slices along an axis, or elements: what is compared. */
struct slices {
    const tremula_onnx_tensor *t;
    size_t count, before, after; /* slices, elements before and after the axis */
};

static double slice_element(const struct slices *s, size_t slice, size_t i)
{
    return onnx_number(s->t, (i / s->after * s->count + slice) * s->after + i % s->after);
}

static int compare_slices(const struct slices *s, size_t x, size_t y)
{
    for (size_t i = 0; i < s->before * s->after; ++i) {
        double p = slice_element(s, x, i), q = slice_element(s, y, i);
        if (p != q)
            return p < q ? -1 : 1;
    }
    return 0;
}

/* The distinct slices in the order of their first occurrence, or sorted; counts and inverse have their entries. */
static size_t find_unique(const struct slices *s, bool sorted, size_t *first, int64_t *inverse, int64_t *counts)
{
    size_t found = 0;
    for (size_t i = 0; i < s->count; ++i) {
        size_t at = 0;
        while (at < found && compare_slices(s, first[at], i) != 0)
            ++at;
        if (at < found)
            continue;
        if (sorted)
            for (at = 0; at < found && compare_slices(s, first[at], i) < 0;)
                ++at;
        memmove(first + at + 1, first + at, (found - at) * sizeof(*first));
        first[at] = i;
        ++found;
    }
    for (size_t i = 0; i < s->count; ++i)
        for (size_t at = 0; at < found; ++at)
            if (compare_slices(s, first[at], i) == 0) {
                inverse[i] = (int64_t)at;
                ++counts[at];
            }
    return found;
}

static bool fold_unique(onnx_builder *b)
{
    const tremula_onnx_tensor *t = onnx_known(b, 0);
    if (!t)
        return false;
    struct slices s = { t, tremula_onnx_tensor_elements(t), 1, 1 };
    size_t axis = 0, dims[TREMULA_ONNX_MAX_RANK] = { 0 };
    if (onnx_has(b, "axis")) {
        axis = onnx_axis(b, onnx_int(b, "axis", 0), t->rank);
        s.count = t->dims[axis];
        for (size_t i = 0; i < t->rank; ++i) {
            s.before *= i < axis ? t->dims[i] : 1;
            s.after *= i > axis ? t->dims[i] : 1;
        }
        memcpy(dims, t->dims, sizeof(dims));
    }
    size_t *first = onnx_new(b->arena, s.count + 1, sizeof(*first));
    int64_t *inverse = onnx_new(b->arena, s.count + 1, sizeof(*inverse)),
            *counts = onnx_new(b->arena, s.count + 1, sizeof(*counts));
    size_t found = find_unique(&s, onnx_int(b, "sorted", 1), first, inverse, counts);
    dims[axis] = found;
    tremula_onnx_tensor result = onnx_new_tensor(b, t->type, (pop_shape){ onnx_has(b, "axis") ? t->rank : 1, dims });
    if (!result.data)
        return false;
    struct slices out = { &result, found, s.before, s.after };
    int64_t *firsts = onnx_new(b->arena, found + 1, sizeof(*firsts));
    for (size_t at = 0; at < found; ++at) {
        firsts[at] = (int64_t)first[at];
        for (size_t i = 0; i < s.before * s.after; ++i)
            onnx_set_number(&result, (i / out.after * found + at) * out.after + i % out.after,
                            slice_element(&s, first[at], i));
    }
    return onnx_give_known(b, 0, result) && onnx_give_known(b, 1, onnx_int_list(b, firsts, found)) &&
           onnx_give_known(b, 2, onnx_int_list(b, inverse, s.count)) &&
           onnx_give_known(b, 3, onnx_int_list(b, counts, found));
}

const onnx_operator onnx_sort_operators[] = {
    { ONNX_HOST_ROW("NonZero", 9), NULL, fold_non_zero, 0, NULL },
    { ONNX_ROW("TopK", 1), build_top_k, NULL, 0, NULL },
    { ONNX_HOST_ROW("Unique", 11), NULL, fold_unique, 0, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};
