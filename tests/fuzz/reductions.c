/* SPDX-License-Identifier: Apache-2.0 */
/* popops: reductions over any dimensions. */
#include "generators.h"

#include <popops/reduce.h>

/* What elements are joined to; for no elements at all the least and the largest are those that are finite. */
static double neutral(int op, pop_type type, bool empty)
{
    double most = type == POP_INT            ? 2147483647.0
                  : type == POP_UNSIGNED_INT ? 4294967295.0
                  : !empty                   ? INFINITY
                  : type == POP_HALF         ? 65504
                                             : 3.4028234663852886e38;
    switch (op) {
    case POPOPS_MUL:
    case POPOPS_LOGICAL_AND:
        return 1;
    case POPOPS_MIN:
        return most;
    case POPOPS_MAX:
        return type == POP_INT ? -most - 1 : type == POP_UNSIGNED_INT ? 0 : -most;
    case POPOPS_LOG_ADD:
        return -INFINITY;
    default:
        return 0;
    }
}
static int64_t as_int(pop_type type, uint64_t x)
{
    return type == POP_INT ? (int32_t)x : (int64_t)(uint32_t)x;
}
static void reduce_reference(const struct operation *op, double *const *in, struct expected *out)
{
    const struct view *v = &op->in[0];
    int kind = (int)op->whole[0];
    bool update = op->whole[1];
    size_t at[MOST_DIMS] = { 0 };
    pop_type type = v->type;
    bool real = pop_type_is_floating_point(type);
    double scale = op->whole[2] ? in[1][0] : kind == POPOPS_LOG_ADD ? 0 : 1;
    double *largest = calloc(out->count + 1, sizeof(double)), *terms = calloc(out->count + 1, sizeof(double));
    uint64_t *whole = calloc(out->count + 1, sizeof(*whole));
    for (size_t i = 0; i < out->count; ++i) {
        out->value[i] = neutral(kind, type, !v->count);
        whole[i] = (uint64_t)(int64_t)out->value[i];
        out->magnitude[i] = 0;
        largest[i] = kind == POPOPS_MUL ? 1 : -INFINITY;
    }
    for (int pass = 0; pass < (kind == POPOPS_LOG_ADD ? 2 : 1); ++pass)
        for (size_t i = 0; i < v->count; ++i) {
            size_t rest = i, place = 0;
            for (size_t d = v->rank; d-- > 0;) {
                at[d] = rest % v->dims[d];
                rest /= v->dims[d];
            }
            for (size_t d = 0; d < v->rank; ++d)
                if (!(op->whole[3] >> d & 1))
                    place = place * v->dims[d] + at[d];
            double x = in[0][i], *y = &out->value[place];
            terms[place] += 1;
            if (!real && type != POP_BOOL) {
                uint64_t u = (uint64_t)(int64_t)x;
                switch (kind) {
                case POPOPS_ADD:
                    whole[place] += u;
                    break;
                case POPOPS_MUL:
                    whole[place] *= u;
                    break;
                case POPOPS_SQUARE_ADD:
                    whole[place] += u * u;
                    break;
                default:
                    break;
                }
            }
            switch (kind) {
            case POPOPS_ADD:
                *y += x;
                out->magnitude[place] += fabs(x);
                break;
            case POPOPS_MUL:
                *y *= x;
                largest[place] *= fabs(x) > 1 ? fabs(x) : 1;
                break;
            case POPOPS_MIN:
                *y = x < *y ? x : *y;
                break;
            case POPOPS_MAX:
                *y = x > *y ? x : *y;
                break;
            case POPOPS_LOGICAL_AND:
                *y = *y != 0 && x != 0;
                break;
            case POPOPS_LOGICAL_OR:
                *y = *y != 0 || x != 0;
                break;
            case POPOPS_SQUARE_ADD:
                *y += x * x;
                out->magnitude[place] += x * x;
                break;
            case POPOPS_LOG_ADD:
                if (pass == 1 && x == -INFINITY)
                    break;
                if (pass == 0)
                    largest[place] = x > largest[place] ? x : largest[place];
                else
                    *y = *y == -INFINITY ? exp(x - largest[place]) : *y + exp(x - largest[place]);
                break;
            }
        }
    size_t before = op->whole[2] ? 2 : 1;
    for (size_t i = 0; i < out->count; ++i) {
        if (kind == POPOPS_LOG_ADD) {
            out->value[i] = out->value[i] == -INFINITY ? -INFINITY : log(out->value[i]) + largest[i];
            out->magnitude[i] =
                largest[i] == INFINITY ? INFINITY : (isinf(largest[i]) ? 0 : fabs(largest[i])) + 1 + fabs(scale);
            out->value[i] += scale;
            if (update) {
                double a = out->value[i], b = in[before][i], m = fmax(a, b);
                out->value[i] = m == -INFINITY ? m : m + log(exp(a - m) + exp(b - m));
                out->magnitude[i] += fabs(b);
            }
            continue;
        }
        if (!real && type != POP_BOOL && (kind == POPOPS_ADD || kind == POPOPS_MUL || kind == POPOPS_SQUARE_ADD)) {
            int64_t s = as_int(type, whole[i]);
            out->value[i] = op->whole[2] ? (double)s * scale : (double)s;
            if (op->whole[2])
                out->magnitude[i] = INFINITY;
            if (update)
                out->value[i] =
                    (double)as_int(type, (uint64_t)(int64_t)out->value[i] + (uint64_t)(int64_t)in[before][i]);
            if (!op->whole[2])
                out->magnitude[i] = 0;
            continue;
        }
        bool overflows = real && (kind == POPOPS_ADD || kind == POPOPS_SQUARE_ADD) && out->magnitude[i] > 3e38;
        out->value[i] *= scale;
        out->magnitude[i] = kind == POPOPS_MUL                                ? fabs(out->value[i]) * (terms[i] + 1)
                            : kind == POPOPS_ADD || kind == POPOPS_SQUARE_ADD ? out->magnitude[i] * fabs(scale)
                                                                              : fabs(out->value[i]);
        if (type == POP_HALF && (kind == POPOPS_ADD || kind == POPOPS_SQUARE_ADD) &&
            out->magnitude[i] / fmax(1e-9, fabs(scale)) > 60000 && op->whole[4])
            out->magnitude[i] = INFINITY;
        if (overflows || (kind == POPOPS_MUL && !(largest[i] < 1e38))) /* on the way an infinity met a zero, or it did not */
            out->magnitude[i] = INFINITY;
        if (update) {
            out->value[i] += in[before][i];
            out->magnitude[i] += fabs(in[before][i]);
        }
    }
    if (real && (kind == POPOPS_ADD || kind == POPOPS_SQUARE_ADD || kind == POPOPS_MUL || kind == POPOPS_LOG_ADD)) {
        out->relative = op->out[0].view.type == POP_HALF ? 1.5e-3 : 4e-6;
        if (op->whole[4]) { /* half partials */
            double most = 0;
            for (size_t i = 0; i < out->count; ++i)
                most = fmax(most, terms[i]);
            out->relative = 1e-3 * (2 + sqrt(most));
            out->absolute = 6e-8 * (1 + most);
        }
        if (kind == POPOPS_MUL && type == POP_HALF)
            out->absolute = 1e-4, out->relative = 1e-2;
    } else if (real) {
        out->relative = out->absolute = 0;
    }
    free(largest);
    free(terms);
    free(whole);
}
void make_reduce(struct world *w)
{
    static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_INT, POP_UNSIGNED_INT, POP_HALF, POP_FLOAT, POP_BOOL };
    pop_type type = types[below(w, 7)];
    bool real = pop_type_is_floating_point(type);
    int kinds[] = { POPOPS_ADD, POPOPS_MUL, POPOPS_MIN, POPOPS_MAX, POPOPS_SQUARE_ADD, POPOPS_ADD, POPOPS_LOG_ADD };
    int kind = type == POP_BOOL ? (int)(chance(w, 50) ? POPOPS_LOGICAL_AND : POPOPS_LOGICAL_OR)
                                : kinds[below(w, real ? 7 : 6)];
    pop_program sequence;
    struct operation *op = op_begin(w, "reduce", &sequence);
    op->reference = reduce_reference;
    double limit = kind == POPOPS_MUL || kind == POPOPS_SQUARE_ADD ? 3 : 100;
    struct view in = op_reads(w, op,
                              any_view(w, type, true, type == POP_UNSIGNED_INT || type == POP_BOOL ? 0 : -limit,
                                       type == POP_BOOL ? 2 : limit, chance(w, 10) ? 40000 : 5000));
    unsigned dims[MOST_DIMS];
    size_t count = 0, kept_dims[MOST_DIMS], kept = 0;
    for (unsigned d = 0; d < in.rank; ++d)
        if (chance(w, 50)) {
            dims[count++] = d;
            op->whole[3] |= 1l << d;
        } else {
            kept_dims[kept++] = in.dims[d];
        }
    if (count > 1 && chance(w, 30)) {
        unsigned t = dims[0];
        dims[0] = dims[count - 1];
        dims[count - 1] = t;
    }
    op->whole[0] = kind;
    bool adds = kind == POPOPS_ADD || kind == POPOPS_SQUARE_ADD || kind == POPOPS_LOG_ADD;
    pop_type result = real && (adds || kind == POPOPS_MUL) && chance(w, 40) ? any_real(w) : type;
    bool update = adds && chance(w, 25), scaled = adds && chance(w, 25), with_output = update || chance(w, 20);
    op->whole[1] = update;
    op->whole[2] = scaled;
    op_says(op, " %s update %d scaled %d over", popops_operation_name((popops_operation)kind), update, scaled);
    for (size_t i = 0; i < count; ++i)
        op_says(op, " %u", dims[i]);
    popops_reduce_params params = { .op = (popops_operation)kind, .update = update };
    if (scaled)
        params.scale = op_reads(w, op, new_view(w, POP_FLOAT, NULL, 0, -2, 2)).tensor;
    pop_option list[2];
    size_t options = 0;
    if (chance(w, 15))
        list[options++] = (pop_option){ "accumType.inVertex", chance(w, 50) ? "half" : "float" };
    if (chance(w, 15))
        list[options++] = (pop_option){ "accumType.interTile", chance(w, 50) ? "half" : "float" };
    for (size_t i = 0; i < options; ++i) {
        op->whole[4] |= !strcmp(list[i].value, "half");
        op_says(op, " %s=%s", list[i].key, list[i].value);
    }
    pop_options all = { list, options };
    if (with_output) {
        struct view out =
            wanted(w, result, kept_dims, kept, false, result == POP_UNSIGNED_INT || result == POP_BOOL ? 0 : -300,
                   result == POP_BOOL ? 2 : 300);
        if (out.base == in.base)
            out = new_view(w, result, kept_dims, kept, result == POP_UNSIGNED_INT || result == POP_BOOL ? 0 : -20,
                           result == POP_BOOL ? 2 : 20);
        if (update)
            op_reads(w, op, out);
        op_writes(w, op, out);
        popops_reduce_with_output(w->graph, in.tensor, out.tensor, ((pop_dims){ count, dims }), params, sequence, "r",
                                  all);
    } else {
        op_makes(w, op,
                 popops_reduce(w->graph, in.tensor, chance(w, 50) && result == type ? POP_TYPE_NULL : result,
                               ((pop_dims){ count, dims }), params, sequence, "r", all));
    }
    op_end(w, op, sequence, update ? 1 : 2);
}
