/* SPDX-License-Identifier: Apache-2.0 */
/* popops: the element-wise operators. */
#include "generators.h"

#include "poplibs/popops/element_wise_references.h"

size_t broadcast_place(const struct view *small, const struct view *out, size_t i)
{
    size_t place = 0, scale = 1;
    if (small->count == 1)
        return 0;
    for (size_t d = 0; d < out->rank; ++d) {
        size_t from_end = out->rank - 1 - d, at = i % out->dims[from_end];
        i /= out->dims[from_end];
        if (d < small->rank) {
            size_t extent = small->dims[small->rank - 1 - d];
            place += (extent == 1 ? 0 : at) * scale;
            scale *= extent;
        }
    }
    return place;
}
size_t smaller_shape(struct world *w, const struct view *v, size_t *dims)
{
    size_t rank = chance(w, 50) ? v->rank : below(w, v->rank + 1);
    for (size_t i = 0; i < rank; ++i) {
        dims[i] = v->dims[v->rank - rank + i];
        if (chance(w, 30))
            dims[i] = 1;
    }
    return rank;
}

static bool risky(const struct operator_test *t, pop_type type)
{ /* integers divided by a possible 0 */
    return t->arity == 2 && !pop_type_is_floating_point(type) &&
           (t->op == POPOPS_BINARY_DIVIDE || t->op == POPOPS_BINARY_REMAINDER);
}
static void element_reference(const struct operation *op, double *const *in, struct expected *out)
{
    const struct operator_test *t = &operator_tests[op->whole[0]];
    pop_type type = (pop_type)op->whole[1];
    const struct view *whole = &op->out[0].view;
    size_t at = 0;
    for (size_t i = 0; i < out->count; ++i) {
        double x[3] = { 0 };
        at = 0;
        for (int k = 0; k < t->arity; ++k)
            if (op->whole[2 + k]) {
                x[k] = op->number[k];
            } else {
                const struct view *v = &op->in[at];
                x[k] = in[at][broadcast_place(v, whole, i)];
                ++at;
            }
        if (risky(t, type) && x[1] == 0) {
            out->magnitude[i] = INFINITY;
            continue;
        }
        if (pop_type_is_floating_point(type) && t->arity == 2 && isnan(x[0] + x[1]) &&
            (t->op == POPOPS_BINARY_MAXIMUM || t->op == POPOPS_BINARY_MINIMUM))
            out->magnitude[i] = INFINITY;
        out->value[i] = operator_reference(t, type, x[0], x[1], x[2]);
        if (t->arity == 1 && t->op == POPOPS_UNARY_GELU_ERF && x[0] == -INFINITY)
            out->value[i] = 0; /* the limit */
        bool whole_number = !pop_type_is_floating_point(type);
        if (whole_number &&
            ((t->arity == 1 && t->op == POPOPS_UNARY_SQUARE) || (t->arity == 2 && t->op == POPOPS_BINARY_MULTIPLY))) {
            uint64_t a = (uint64_t)(int64_t)x[0], b = t->arity == 1 ? a : (uint64_t)(int64_t)x[1];
            out->value[i] = wrapped(type, (int64_t)(a * b)); /* double would round it */
        }
        if (t->arity == 2 && t->op == POPOPS_BINARY_INV_STD_DEV_TO_VARIANCE)
            out->magnitude[i] = fabs(1 / (x[0] * x[0])) + fabs(x[1]);
        if (t->arity == 2 && t->op == POPOPS_BINARY_VARIANCE_TO_INV_STD_DEV && x[0] + x[1] != 0) /* the sum cancels */
            out->magnitude[i] = fabs(out->value[i]) * (1 + (fabs(x[0]) + fabs(x[1])) / fabs(x[0] + x[1]));
        if (t->arity == 2 && t->op == POPOPS_BINARY_VARIANCE_TO_INV_STD_DEV && x[0] + x[1] <= 1e-6)
            out->magnitude[i] = INFINITY;
    }
    if (type == POP_FLOAT && pop_type_is_floating_point(op->out[0].view.type))
        out->relative = t->arity == 2 && t->op == POPOPS_BINARY_POWER                                     ? 4e-6
                        : t->arity == 1 && (t->op == POPOPS_UNARY_TAN || t->op == POPOPS_UNARY_EXPONENT2) ? 4e-6
                                                                                                          : 2e-6;
}
static popops_operand operand_of(const struct operation *op, int k, size_t *at, pop_type type)
{
    if (!op->whole[2 + k])
        return popops_operand_of_tensor(op->in[(*at)++].tensor);
    return pop_type_is_floating_point(type) ? popops_operand_of_double(op->number[k])
                                            : popops_operand_of_int((long long)op->number[k]);
}
void make_element_wise(struct world *w)
{
    static const pop_type types[] = { POP_HALF,  POP_FLOAT,          POP_INT,      POP_UNSIGNED_INT,     POP_BOOL,
                                      POP_SHORT, POP_UNSIGNED_SHORT, POP_LONGLONG, POP_UNSIGNED_LONGLONG };
    pop_type type;
    size_t which;
    do {
        which = below(w, OPERATOR_TESTS);
        type = types[chance(w, 60) ? below(w, 4) : below(w, 9)];
    } while (!(operator_tests[which].types >> type & 1));
    const struct operator_test *t = &operator_tests[which];
    pop_program sequence;
    struct operation *op = op_begin(w, t->name, &sequence);
    op->whole[0] = (long)which;
    op->whole[1] = type;
    op->reference = element_reference;
    bool is_signed = pop_type_is_signed(type) || pop_type_is_floating_point(type);
    double low = is_signed ? -300 : 0, high = 300;
    struct view whole_view = any_view(w, type, true, low, high, 6000), out;
    int full =
        t->arity == 1 ? 0 : (int)below(w, (size_t)(t->arity == 3 && t->op == POPOPS_TERNARY_SELECT ? 2 : t->arity));
    bool in_place = !t->boolean && chance(w, 25), with_output = !in_place && chance(w, 15);
    if (in_place) {
        if (!view_alters(&whole_view))
            whole_view = any_view(w, type, false, low, high, 6000);
        full = 0;
        if (!view_alters(&whole_view)) {
            op_drop(w, op);
            return;
        }
    }
    bool all_shapes = chance(w, 70);
    struct view operands[3];
    int tensors = 0;
    for (int k = 0; k < t->arity; ++k) {
        pop_type of = t->arity == 3 && t->op == POPOPS_TERNARY_SELECT && k == 2 ? POP_BOOL : type;
        double from = of == POP_BOOL ? 0 : low, to = of == POP_BOOL ? 2 : high;
        if (risky(t, type) && k == 1)
            from = 1, to = 40;
        if (k == full) {
            operands[k] = whole_view;
            if (risky(t, type) && k == 1)
                operands[k] = wanted(w, type, whole_view.dims, whole_view.rank, true, 1, 40);
        } else if (k > 0 && chance(w, 12) && type != POP_BOOL && of == type &&
                   !(pop_type_size(type) < 4 && type != POP_HALF)) {
            op->whole[2 + k] = 1;
            op->number[k] = pop_type_is_floating_point(type) ? rounded_to(type, real_between(w, -3, 3))
                                                             : floor(real_between(w,
                                                                                  from > 0    ? 1
                                                                                  : is_signed ? -5
                                                                                              : 0,
                                                                                  9));
            op_describe(op, " (%g)", op->number[k]);
            continue;
        } else {
            size_t dims[MAX_DIMS], rank = whole_view.rank;
            memcpy(dims, whole_view.dims, sizeof(dims));
            if (!all_shapes)
                rank = smaller_shape(w, &whole_view, dims);
            operands[k] = wanted(w, of, dims, rank, true, from, to);
        }
        op_reads(w, op, operands[k]);
        ++tensors;
    }
    size_t at = 0;
    popops_operand operand[3];
    for (int k = 0; k < t->arity; ++k)
        operand[k] = operand_of(op, k, &at, type);
    if (in_place) {
        op_writes(w, op, whole_view);
        if (t->arity == 1)
            popops_unary_in_place_at(POP_HERE, (popops_unary_op)t->op, w->graph, whole_view.tensor, sequence, "e");
        else if (t->arity == 2)
            popops_binary_in_place_at(POP_HERE, (popops_binary_op)t->op, w->graph, operand[0], operand[1], sequence,
                                      "e");
        else
            popops_ternary_in_place_at(POP_HERE, (popops_ternary_op)t->op, w->graph, operand[0], operand[1], operand[2],
                                       sequence, "e");
    } else if (with_output) {
        out = wanted(w, t->boolean ? POP_BOOL : type, whole_view.dims, whole_view.rank, false, t->boolean ? 0 : low,
                     t->boolean ? 2 : high);
        for (int k = 0; k < (int)op->ins; ++k)
            if (op->in[k].base == out.base)
                out = new_view(w, t->boolean ? POP_BOOL : type, whole_view.dims, whole_view.rank, t->boolean ? 0 : low,
                               t->boolean ? 2 : high);
        op_writes(w, op, out);
        if (t->arity == 1)
            popops_unary_with_output_at(POP_HERE, (popops_unary_op)t->op, w->graph, operand[0].tensor, out.tensor,
                                        sequence, "e");
        else if (t->arity == 2)
            popops_binary_with_output_at(POP_HERE, (popops_binary_op)t->op, w->graph, operand[0], operand[1],
                                         out.tensor, sequence, "e");
        else
            popops_ternary_with_output_at(POP_HERE, (popops_ternary_op)t->op, w->graph, operand[0], operand[1],
                                          operand[2], out.tensor, sequence, "e");
    } else if (t->arity == 1) {
        op_makes(w, op, popops_unary_at(POP_HERE, (popops_unary_op)t->op, w->graph, operand[0].tensor, sequence, "e"));
    } else if (t->arity == 2) {
        op_makes(w, op,
                 popops_binary_at(POP_HERE, (popops_binary_op)t->op, w->graph, operand[0], operand[1], sequence, "e"));
    } else {
        op_makes(w, op,
                 popops_ternary_at(POP_HERE, (popops_ternary_op)t->op, w->graph, operand[0], operand[1], operand[2],
                                   sequence, "e"));
    }
    op_end(w, op, sequence, in_place ? 1 : 2);
}
