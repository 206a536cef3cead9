/* SPDX-License-Identifier: Apache-2.0 */
/* popops: casts, fills, scaled additions; and copies. */
#include "generators.h"

#include "poplibs/popops/element_wise_references.h"
#include <popops/cast.h>
#include <popops/fill.h>
#include <popops/scaled_add.h>

static void cast_reference(const struct operation *op, double *const *in, struct expected *out)
{
    pop_type to = op->out[0].view.type;
    for (size_t i = 0; i < out->count; ++i) {
        double x = in[0][i];
        if (to == POP_BOOL)
            x = x != 0;
        else if (!pop_type_is_floating_point(to)) {
            unsigned bits = 8 * (unsigned)pop_type_size(to);
            double top = ldexp(1, (int)bits - pop_type_is_signed(to)), bottom = pop_type_is_signed(to) ? -top : 0;
            if (!(trunc(x) >= bottom && trunc(x) < top)) {
                if (pop_type_is_floating_point(op->in[0].type)) {
                    out->magnitude[i] = INFINITY;
                    continue;
                }
                x = wrapped(to, (int64_t)x);
            }
            x = trunc(x);
        } else if (to == POP_HALF && fabs(x) > 65000) {
            out->magnitude[i] = INFINITY;
            continue;
        }
        out->value[i] = rounded_to(to, x);
    }
    out->relative = to == POP_HALF && op->in[0].type != POP_FLOAT ? 1e-3 : 0; /* through float */
    out->absolute = 0;
}
void make_cast(struct world *w)
{
    static const pop_type types[] = { POP_HALF,           POP_FLOAT,         POP_INT,
                                      POP_UNSIGNED_INT,   POP_BOOL,          POP_SHORT,
                                      POP_UNSIGNED_SHORT, POP_LONGLONG,      POP_UNSIGNED_LONGLONG,
                                      POP_CHAR,           POP_UNSIGNED_CHAR, POP_SIGNED_CHAR };
    pop_type from = types[chance(w, 60) ? below(w, 4) : below(w, 12)],
             to = types[chance(w, 60) ? below(w, 4) : below(w, 12)];
    pop_program sequence;
    struct operation *op = op_begin(w, "cast", &sequence);
    op->reference = cast_reference;
    bool is_signed = pop_type_is_signed(from) || pop_type_is_floating_point(from);
    struct view in = op_reads(
        w, op,
        any_view(w, from, true,
                 from == POP_BOOL || !is_signed || (!pop_type_is_signed(to) && !pop_type_is_floating_point(to)) ? 0
                                                                                                                : -100,
                 from == POP_BOOL ? 2 : 100, 6000));
    if (chance(w, 30)) {
        struct view out = wanted(w, to, in.dims, in.rank, false, to == POP_BOOL ? 0 : -300, to == POP_BOOL ? 2 : 300);
        if (out.base == in.base)
            out = new_view(w, to, in.dims, in.rank, 0, 2);
        op_writes(w, op, out);
        popops_cast_with_output(w->graph, in.tensor, out.tensor, sequence, "c");
    } else {
        op_makes(w, op, popops_cast(w->graph, in.tensor, to, sequence, "c"));
    }
    op_end(w, op, sequence, 2);
}
static void fill_reference(const struct operation *op, double *const *in, struct expected *out)
{
    (void)in;
    for (size_t i = 0; i < out->count; ++i)
        out->value[i] = rounded_to(op->out[0].view.type, op->number[0]);
}
void make_fill(struct world *w)
{
    static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_INT,  POP_UNSIGNED_INT,
                                      POP_BOOL, POP_SHORT, POP_CHAR, POP_LONGLONG };
    pop_type type = types[below(w, 8)];
    pop_program sequence;
    struct operation *op = op_begin(w, "fill", &sequence);
    op->reference = fill_reference;
    struct view v = any_view(w, type, false, 0, 2, 6000);
    if (chance(w, 50))
        op->number[0] = type == POP_BOOL                   ? 1
                        : pop_type_is_floating_point(type) ? real_between(w, -4, 4)
                                                           : floor(real_between(w, 0, 100));
    op_describe(op, " %g", op->number[0]);
    op_writes(w, op, v);
    if (op->number[0] == 0 && chance(w, 50))
        popops_zero(w->graph, v.tensor, sequence, "z");
    else
        popops_fill(w->graph, v.tensor, sequence, op->number[0], "f");
    op_end(w, op, sequence, 2);
}
static void copy_reference(const struct operation *op, double *const *in, struct expected *out)
{
    (void)op;
    memcpy(out->value, in[0], out->count * sizeof(double));
    out->relative = out->absolute = 0;
}
void make_copy(struct world *w)
{
    static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_INT, POP_BOOL, POP_SHORT, POP_CHAR, POP_LONGLONG };
    pop_type type = types[below(w, 7)];
    pop_program sequence;
    struct operation *op = op_begin(w, "copy", &sequence);
    op->reference = copy_reference;
    struct view out = any_view(w, type, false, 0, 2, 6000);
    struct view in = op_reads(w, op, wanted(w, type, out.dims, out.rank, true, 0, 2));
    op_writes(w, op, out);
    pop_sequence_add(sequence, pop_copy(in.tensor, out.tensor, chance(w, 30), "copy"));
    op_end(w, op, sequence, in.base == out.base ? 1 : 2);
}

/* ---- scaled addition ---- */
static void scaled_reference(const struct operation *op, double *const *in, struct expected *out)
{
    size_t at = 2;
    double sa = op->whole[0] ? op->number[0] : 1, sb = op->number[1];
    if (op->whole[2]) {
        if (op->whole[0])
            sa = in[at++][0];
        sb = in[at++][0];
    }
    if (op->whole[3])
        sa = 1 - sa;
    if (op->whole[1])
        sb = -sb;
    for (size_t i = 0; i < out->count; ++i) {
        out->value[i] = sa * in[0][i] + sb * in[1][i];
        if (!pop_type_is_floating_point(op->in[0].type))
            out->value[i] = wrapped(op->in[0].type, (int64_t)out->value[i]);
        out->magnitude[i] = fabs(sa * in[0][i]) + fabs(sb * in[1][i]) + (op->whole[3] ? fabs(in[0][i]) : 0);
    }
    if (op->in[0].type == POP_HALF)
        out->relative = 2.1e-3, out->absolute = 2e-7;
    else if (pop_type_is_floating_point(op->in[0].type) && op->whole[0] && op->in[1].type == POP_HALF)
        out->relative = 1e-6;
}
void make_scaled_add(struct world *w)
{
    pop_type a_type = chance(w, 80)   ? any_real(w)
                      : chance(w, 50) ? POP_INT
                                      : POP_UNSIGNED_INT,
             b_type = pop_type_is_floating_point(a_type) && chance(w, 40) ? any_real(w) : a_type;
    pop_program sequence;
    struct operation *op = op_begin(w, "scaled_add", &sequence);
    op->reference = scaled_reference;
    bool real = pop_type_is_floating_point(a_type), both = real && chance(w, 40), subtract = chance(w, 40),
         tensor = chance(w, 50);
    bool special = both && !subtract && chance(w, 30);
    double low = a_type == POP_UNSIGNED_INT ? 0 : -300;
    struct view a = op_reads(w, op, any_view(w, a_type, false, low, 300, 6000));
    struct view b = wanted(w, b_type, a.dims, a.rank, true, low, 300);
    if (b.base == a.base)
        b = new_view(w, b_type, a.dims, a.rank, low, 300);
    op_reads(w, op, b);
    op->whole[0] = both;
    op->whole[1] = subtract;
    op->whole[2] = tensor;
    op->whole[3] = special;
    op->number[0] = both ? rounded_to(POP_HALF, real_between(w, -2, 2)) : 1;
    op->number[1] = real ? rounded_to(POP_HALF, real_between(w, -2, 2))
                         : floor(real_between(w, a_type == POP_UNSIGNED_INT ? 0 : -3, 4));
    op_describe(op, " both %d subtract %d tensor %d special %d %g %g", both, subtract, tensor, special, op->number[0],
                op->number[1]);
    op_writes(w, op, a);
    pop_options none = POP_OPTIONS({ "optimizeForSpeed", chance(w, 50) ? "true" : "false" });
    popops_scaled_add_specialisation how = special ? POPOPS_X_MINUS_AX_PLUS_BY : POPOPS_SCALED_ADD_DEFAULT;
    if (tensor) {
        pop_type scale_type = real ? chance(w, 50) ? a_type : POP_FLOAT : a_type;
        struct view sa = { 0 }, sb;
        if (both)
            sa = op_reads(w, op, new_view(w, scale_type, NULL, 0, -2, 2));
        sb = op_reads(w, op, new_view(w, scale_type, NULL, 0, low < 0 ? -2 : 0, 2));
        if (both && subtract)
            popops_scaled_subtract_both(w->graph, a.tensor, sa.tensor, b.tensor, sb.tensor, sequence, "s", none);
        else if (both)
            popops_scaled_add_both(w->graph, a.tensor, sa.tensor, b.tensor, sb.tensor, sequence, how, "s", none);
        else if (subtract)
            popops_scaled_subtract_from(w->graph, a.tensor, b.tensor, sb.tensor, sequence, "s", none);
        else
            popops_scaled_add_to(w->graph, a.tensor, b.tensor, sb.tensor, sequence, "s", none);
    } else if (both && subtract) {
        popops_scaled_subtract_both_constant(w->graph, a.tensor, op->number[0], b.tensor, op->number[1], sequence, "s",
                                             none);
    } else if (both) {
        popops_scaled_add_both_constant(w->graph, a.tensor, op->number[0], b.tensor, op->number[1], sequence, how, "s",
                                        none);
    } else if (subtract) {
        popops_scaled_subtract_from_constant(w->graph, a.tensor, b.tensor, op->number[1], sequence, "s", none);
    } else {
        popops_scaled_add_to_constant(w->graph, a.tensor, b.tensor, op->number[1], sequence, "s", none);
    }
    op_end(w, op, sequence, 1);
}
