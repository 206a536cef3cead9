/* SPDX-License-Identifier: Apache-2.0 */
/* popops: padding, encodings, scalars of rows, tests of all elements. */
#include "generators.h"

#include <popops/all_true.h>
#include <popops/encoding.h>
#include <popops/nan.h>
#include <popops/pad.h>
#include <popops/select_scalar_from_rows.h>
#include <popops/update_scalar_in_rows.h>

/* ---- padding, copied ---- */
static void pad_reference(const struct operation *op, double *const *in, struct expected *out)
{ /* whole: type, then lower of each dimension */
    const struct view *t = &op->in[0], *o = &op->out[0].view;
    for (size_t i = 0; i < out->count; ++i) {
        size_t rest = i, place = 0, scale = 1;
        bool padding = false;
        for (size_t d = o->rank; d-- > 0;) {
            long at = (long)(rest % o->dims[d]) - op->whole[1 + d], extent = (long)t->dims[d];
            rest /= o->dims[d];
            if (at < 0 || at >= extent) {
                if (op->whole[0] == POPOPS_PADDING_CONSTANT)
                    padding = true;
                else if (op->whole[0] == POPOPS_PADDING_EDGE)
                    at = at < 0 ? 0 : extent - 1;
                else
                    at = at < 0 ? -at : 2 * (extent - 1) - at;
            }
            place += (size_t)at * scale;
            scale *= (size_t)extent;
        }
        out->value[i] = padding ? op->number[0] : in[0][place];
    }
    out->relative = out->absolute = 0;
}
void make_pad(struct world *w)
{
    static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_INT, POP_BOOL, POP_SHORT };
    pop_type type = types[below(w, 5)];
    struct view t = any_view(w, type, true, 0, 2, 1500);
    if (!t.count || t.rank > 5)
        return;
    pop_program sequence;
    struct operation *op = op_begin(w, "pad", &sequence);
    op->reference = pad_reference;
    op_reads(w, op, t);
    popops_padding_type kind = (popops_padding_type)below(w, 3);
    op->whole[0] = kind;
    op->number[0] = kind == POPOPS_PADDING_CONSTANT ? floor(real_between(w, 0, 2)) : 0;
    ptrdiff_t lower[MAX_DIMS], upper[MAX_DIMS];
    for (size_t d = 0; d < t.rank; ++d) {
        long extent = (long)t.dims[d], max = kind == POPOPS_PADDING_REFLECT ? extent - 1 < 3 ? extent - 1 : 3 : 3;
        lower[d] = chance(w, 40) ? 0 : (long)below(w, (size_t)max + 1);
        upper[d] = chance(w, 40) ? 0 : (long)below(w, (size_t)max + 1);
        if (chance(w, 15) && extent > 2)
            lower[d] = -1;
        if (chance(w, 15) && extent > 2)
            upper[d] = kind == POPOPS_PADDING_REFLECT ? 0 : -1;
        if (lower[d] < 0 && kind == POPOPS_PADDING_REFLECT)
            lower[d] = 0;
        if (kind == POPOPS_PADDING_EDGE && (lower[d] < 0 || upper[d] < 0))
            lower[d] = upper[d] = 1;
        op->whole[1 + d] = lower[d];
        op_describe(op, " %td:%td", lower[d], upper[d]);
    }
    popops_paddings below_it = { t.rank, lower }, above = { t.rank, upper };
    pop_tensor padded = kind == POPOPS_PADDING_CONSTANT
                            ? popops_pad(w->graph, t.tensor, below_it, above, op->number[0],
                                         chance(w, 50) ? POPOPS_PADDING_MAPPING_ZERO : POPOPS_PADDING_MAPPING_EDGE)
                            : popops_pad_with(t.tensor, below_it, above, kind);
    size_t dims[MAX_DIMS];
    if (!pop_tensor_valid(padded)) {
        op_end(w, op, sequence, 2);
        return;
    }
    pop_tensor_shape(padded, dims, MAX_DIMS);
    pop_tensor out = pop_graph_add_variable(w->graph, type, ((pop_shape){ t.rank, dims }), "padded");
    scatter(w, out);
    pop_sequence_add(sequence, pop_copy(padded, out, false, "pad"));
    op_makes(w, op, out);
    op_end(w, op, sequence, 2);
}

/* ---- encodings and rows ---- */
static void rows_reference(const struct operation *op, double *const *in, struct expected *out)
{ /* 0: one hot, 1: iota, 2: select scalar, 3: update scalar */
    const struct view *o = &op->out[0].view;
    size_t kind = (size_t)op->whole[0];
    if (kind == 1) {
        for (size_t i = 0; i < out->count; ++i)
            out->value[i] = rounded_to(o->type, (double)(op->whole[1] + (long)i));
        out->relative = out->absolute = 0;
        return;
    }
    const struct view *indices = kind == 0 ? &op->in[0] : &op->in[1];
    const double *index = kind == 0 ? in[0] : in[1];
    size_t columns = kind == 0 ? o->dims[1] : op->in[0].dims[1];
    for (size_t r = 0; r < indices->count; ++r) {
        uint32_t at = (uint32_t)(int64_t)index[r];
        if (kind == 0) {
            for (size_t c = 0; c < columns; ++c)
                out->value[r * columns + c] = op->ins > 1 ? (c == at ? in[1][0] : in[2][0]) : c == at;
        } else if (kind == 2) {
            out->value[r] = at == 0xffffffffu ? 0 : at >= columns ? NAN : in[0][r * columns + at];
        } else
            for (size_t c = 0; c < columns; ++c)
                out->value[r * columns + c] = at == 0xffffffffu ? in[0][r * columns + c]
                                              : at >= columns   ? NAN
                                                                : in[0][r * columns + c] - (c == at);
    }
    if (kind == 0)
        out->relative = out->absolute = 0;
}
void make_rows(struct world *w)
{
    size_t kind = below(w, 4), rows = any_extent(w), columns = any_extent(w);
    static const char *const names[] = { "one_hot", "iota", "select_scalar", "update_scalar" };
    static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_INT, POP_UNSIGNED_INT };
    pop_type type = types[below(w, kind >= 2 ? 2 : 4)];
    pop_program sequence;
    struct operation *op = op_begin(w, names[kind], &sequence);
    op->reference = rows_reference;
    op->whole[0] = (long)kind;
    if (kind == 1) {
        struct view t = any_view(w, type, false, 0, 2, 4000);
        op->whole[1] = type == POP_INT ? (long)below(w, 100) - 50 : (long)below(w, 1000);
        op_describe(op, " from %ld", op->whole[1]);
        op_writes(w, op, t);
        popops_iota(w->graph, t.tensor, op->whole[1], sequence, "i");
        op_end(w, op, sequence, 2);
        return;
    }
    if (rows * columns > 5000)
        rows = 3;
    size_t shape[2] = { rows, columns };
    struct view params =
        kind == 0 ? (struct view){ 0 } : op_reads(w, op, wanted(w, type, shape, 2, kind == 2, -300, 300));
    pop_type index_type = chance(w, 50) ? POP_INT : POP_UNSIGNED_INT;
    struct view indices = op_reads(w, op,
                                   new_view(w, index_type, &rows, 1, index_type == POP_INT && chance(w, 30) ? -1 : 0,
                                            (double)columns + (chance(w, 20) ? 3 : 0)));
    if (kind == 0) {
        struct view on = { 0 }, off = { 0 };
        bool values = chance(w, 40);
        if (values) {
            on = op_reads(w, op, new_view(w, type, NULL, 0, 0, 5));
            off = op_reads(w, op, new_view(w, type, NULL, 0, 0, 5));
        }
        struct view out = wanted(w, type, shape, 2, false, type == POP_UNSIGNED_INT ? 0 : -300, 300);
        for (size_t i = 0; i < op->ins; ++i)
            if (op->in[i].base == out.base)
                out = new_view(w, type, shape, 2, 0, 5);
        op_writes(w, op, out);
        if (values)
            popops_encode_one_hot_values(w->graph, indices.tensor, out.tensor, sequence, on.tensor, off.tensor, "o");
        else
            popops_encode_one_hot(w->graph, indices.tensor, out.tensor, sequence, "o");
    } else if (kind == 2) {
        op_makes(w, op, popops_select_scalar_from_rows(w->graph, params.tensor, indices.tensor, sequence, "s"));
    } else {
        op_writes(w, op, params);
        popops_update_scalar_in_rows(w->graph, params.tensor, indices.tensor, sequence, "u");
    }
    op_end(w, op, sequence, kind == 3 ? 1 : 2);
}
static void truth_reference(const struct operation *op, double *const *in, struct expected *out)
{
    bool all = true, nan = false, inf = false;
    for (size_t i = 0; i < op->in[0].count; ++i) {
        all = all && in[0][i] != 0;
        nan = nan || isnan(in[0][i]);
        inf = inf || isinf(in[0][i]);
    }
    out->value[0] = op->whole[0] == 0 ? all : op->whole[0] == 1 ? nan : nan || inf;
}
void make_truth(struct world *w)
{
    size_t kind = below(w, 3);
    pop_type type = kind == 0 ? POP_BOOL : any_real(w);
    pop_program sequence;
    struct operation *op = op_begin(w, kind == 0 ? "all_true" : kind == 1 ? "has_nan" : "has_nan_or_inf", &sequence);
    op->reference = truth_reference;
    op->whole[0] = (long)kind;
    struct view t =
        op_reads(w, op, any_view(w, type, true, kind == 0 ? chance(w, 50) ? 1 : 0 : -300, kind == 0 ? 2 : 300, 6000));
    op_makes(w, op,
             kind == 0   ? popops_all_true(w->graph, t.tensor, sequence, "a")
             : kind == 1 ? popops_has_nan(w->graph, t.tensor, sequence, "n")
                         : popops_has_nan_or_inf(w->graph, t.tensor, sequence, "n"));
    op_end(w, op, sequence, 2);
}
