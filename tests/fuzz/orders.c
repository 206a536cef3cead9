/* SPDX-License-Identifier: Apache-2.0 */
/* popops: sorting and the largest elements of lines. */
#include "generators.h"

#include <popops/sort.h>
#include <popops/top_k.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return isnan(x) ? !isnan(y) : isnan(y) ? -1 : (x > y) - (x < y);
}
static void sort_reference(const struct operation *op, double *const *in, struct expected *out)
{ /* the keys; values of pairs are their keys */
    const struct view *t = &op->in[0];
    size_t dim = (size_t)op->whole[0], extent = t->dims[dim], inner = product(t->dims + dim + 1, t->rank - dim - 1),
           outer = product(t->dims, dim);
    double *line = malloc(extent * sizeof(double) + 1);
    for (size_t o = 0; o < outer; ++o)
        for (size_t i = 0; i < inner; ++i) {
            for (size_t e = 0; e < extent; ++e)
                line[e] = in[0][(o * extent + e) * inner + i];
            qsort(line, extent, sizeof(*line), ascending);
            for (size_t e = 0; e < extent; ++e)
                for (size_t k = 0; k < op->outs; ++k)
                    out[k].value[(o * extent + e) * inner + i] = line[e];
        }
    for (size_t k = 0; k < op->outs; ++k)
        out[k].relative = out[k].absolute = 0;
    free(line);
}
static void copied_reference(const struct operation *op, double *const *in, struct expected *out)
{
    (void)op;
    memcpy(out->value, in[0], out->count * sizeof(double));
    out->relative = out->absolute = 0;
}
void make_sort(struct world *w)
{
    static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_INT, POP_UNSIGNED_INT };
    pop_type type = types[below(w, 4)];
    bool in_place = chance(w, 40), pairs = chance(w, 40);
    struct view t = any_view(w, type, !in_place, type == POP_UNSIGNED_INT ? 0 : -300, 300, 3000);
    if (!t.rank)
        return;
    pop_program sequence;
    struct view v = { 0 };
    if (pairs) {
        struct operation *copy = op_begin(w, "copy", &sequence);
        copy->reference = copied_reference;
        op_reads(w, copy, t);
        v = new_view(w, type, t.dims, t.rank, type == POP_UNSIGNED_INT ? 0 : -1, 1);
        op_writes(w, copy, v);
        pop_sequence_add(sequence, pop_copy(t.tensor, v.tensor, false, "values"));
        op_end(w, copy, sequence, 2);
        v = whole(w, v.base);
        t.snapshot = w->bases[t.base].snapshot;
    }
    struct operation *op = op_begin(w, pairs ? "sort_key_value" : "sort", &sequence);
    op->reference = sort_reference;
    unsigned dim = (unsigned)below(w, t.rank);
    op->whole[0] = dim;
    op_describe(op, " dim %u", dim);
    op_reads(w, op, t);
    if (pairs) { /* the values are a copy of the keys: any order of equal keys is accepted */
        if (in_place) {
            op_writes(w, op, t);
            op_writes(w, op, v);
            popops_sort_key_value_in_place(w->graph, t.tensor, v.tensor, dim, sequence, "s");
        } else {
            op_makes(w, op, popops_sort_key_value(w->graph, t.tensor, v.tensor, dim, sequence, "s"));
        }
    } else if (in_place) {
        op_writes(w, op, t);
        popops_sort_in_place(w->graph, t.tensor, dim, sequence, "s");
    } else {
        op_makes(w, op, popops_sort(w->graph, t.tensor, dim, sequence, "s"));
    }
    op_end(w, op, sequence, in_place ? 1 : 2);
}
static void top_k_reference(const struct operation *op, double *const *in, struct expected *out)
{ /* kind: 0 keys; 1 pairs whose values are the keys; 2 permutation */
    const struct view *t = &op->in[0];
    size_t extent = t->dims[t->rank - 1], k = (size_t)op->whole[0], rows = extent ? t->count / extent : 0;
    bool largest = op->whole[1], sorted = op->whole[2];
    double *line = malloc(extent * sizeof(double) + 1);
    for (size_t r = 0; r < rows; ++r) {
        memcpy(line, in[0] + r * extent, extent * sizeof(*line));
        qsort(line, extent, sizeof(*line), ascending);
        for (size_t i = 0; i < k; ++i) {
            double x = largest ? line[extent - 1 - i] : line[i];
            if (op->whole[2] == 1)
                x = largest ? line[extent - k + i] : line[i];
            if (op->whole[2] == 2)
                x = largest ? line[extent - 1 - i] : line[k - 1 - i];
            for (size_t o = 0; o < op->outs; ++o) {
                out[o].value[r * k + i] = x;
                if (!sorted)
                    out[o].magnitude[r * k + i] = INFINITY;
            }
            if (op->whole[3] == 2 && op->outs > 1) {
                out[1].magnitude[r * k + i] = INFINITY;
                size_t found = 0, at = 0;
                for (size_t e = 0; e < extent; ++e)
                    if (in[0][r * extent + e] == x)
                        ++found, at = e;
                if (found == 1 && sorted) {
                    out[1].value[r * k + i] = (double)at;
                    out[1].magnitude[r * k + i] = 0;
                }
            }
        }
    }
    for (size_t o = 0; o < op->outs; ++o)
        out[o].relative = out[o].absolute = 0;
    free(line);
}
void make_top_k(struct world *w)
{
    static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_INT, POP_UNSIGNED_INT };
    pop_type type = types[below(w, 4)];
    struct view t = any_view(w, type, true, type == POP_UNSIGNED_INT ? 0 : -300, 300, 3000);
    if (!t.rank || !t.dims[t.rank - 1])
        return;
    size_t extent = t.dims[t.rank - 1], k = chance(w, 20) ? extent : between(w, 1, extent);
    pop_program sequence;
    struct operation *op = op_begin(w, "top_k", &sequence);
    op->reference = top_k_reference;
    popops_top_k_params params = { .k = (unsigned)k,
                                   .largest = chance(w, 60),
                                   .sort_order = (popops_sort_order)below(w, 3),
                                   .stable = chance(w, 30) };
    int kind = (int)below(w, 3);
    op->whole[0] = (long)k;
    op->whole[1] = params.largest;
    op->whole[2] = params.sort_order;
    op->whole[3] = kind;
    op_describe(op, " k %zu largest %d order %d stable %d kind %d", k, params.largest, (int)params.sort_order,
                params.stable, kind);
    op_reads(w, op, t);
    pop_tensor other = { 0 };
    if (kind == 0) {
        op_makes(w, op, popops_top_k(w->graph, sequence, t.tensor, params, "t"));
    } else if (kind == 1) {
        op_makes(w, op, popops_top_k_key_value(w->graph, sequence, t.tensor, t.tensor, params, &other, "t"));
        op_makes(w, op, other);
    } else {
        op_makes(w, op, popops_top_k_with_permutation(w->graph, sequence, t.tensor, params, &other, "t"));
        op_makes(w, op, other);
    }
    op_end(w, op, sequence, 2);
}
