/* SPDX-License-Identifier: Apache-2.0 */
/* popops: reductions over any dimensions. */
#include "generators.h"

#include <popops/reduce.h>

/* The initial value of a reduction; without any elements, that of min and max is finite. */
static double neutral(int op, pop_type type, bool empty)
{
    double max = type == POP_INT            ? 2147483647.0
                 : type == POP_UNSIGNED_INT ? 4294967295.0
                 : !empty                   ? INFINITY
                 : type == POP_HALF         ? 65504
                                            : 3.4028234663852886e38;
    switch (op) {
    case POPOPS_MUL:
    case POPOPS_LOGICAL_AND:
        return 1;
    case POPOPS_MIN:
        return max;
    case POPOPS_MAX:
        return type == POP_INT ? -max - 1 : type == POP_UNSIGNED_INT ? 0 : -max;
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
/* Accumulated for each result besides its value. */
struct reduced {
    const struct operation *op;
    struct expected *out;
    int kind;
    pop_type type;
    double scale;
    double *largest, *terms; /* LogAdd's max element, or the max intermediate product; the number of elements */
    uint64_t *whole;         /* sums and products that wrap */
};
static bool is_sum(int kind)
{
    return kind == POPOPS_ADD || kind == POPOPS_SQUARE_ADD;
}
static bool wraps(const struct reduced *r)
{
    return !pop_type_is_floating_point(r->type) && r->type != POP_BOOL && (is_sum(r->kind) || r->kind == POPOPS_MUL);
}

/* The result that an element is reduced into. */
static size_t result_of(const struct operation *op, size_t element)
{
    const struct view *v = &op->in[0];
    size_t at[MAX_DIMS] = { 0 }, place = 0;
    for (size_t d = v->rank; d-- > 0;) {
        at[d] = element % v->dims[d];
        element /= v->dims[d];
    }
    for (size_t d = 0; d < v->rank; ++d)
        if (!(op->whole[3] >> d & 1))
            place = place * v->dims[d] + at[d];
    return place;
}

static void join_whole(struct reduced *r, size_t place, double x)
{
    uint64_t u = (uint64_t)(int64_t)x;
    if (r->kind == POPOPS_ADD)
        r->whole[place] += u;
    else if (r->kind == POPOPS_MUL)
        r->whole[place] *= u;
    else
        r->whole[place] += u * u;
}
/* pass: LogAdd finds the max first. */
static void join(struct reduced *r, size_t place, double x, int pass)
{
    double *y = &r->out->value[place], *largest = &r->largest[place];
    switch (r->kind) {
    case POPOPS_ADD:
        *y += x;
        r->out->magnitude[place] += fabs(x);
        break;
    case POPOPS_MUL:
        *y *= x;
        *largest *= fabs(x) > 1 ? fabs(x) : 1;
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
        r->out->magnitude[place] += x * x;
        break;
    case POPOPS_LOG_ADD:
        if (pass == 1 && x == -INFINITY)
            break;
        if (pass == 0)
            *largest = x > *largest ? x : *largest;
        else
            *y = *y == -INFINITY ? exp(x - *largest) : *y + exp(x - *largest);
        break;
    }
}

/* before: the old output of an update; else NULL. */
static void finish_log_add(struct reduced *r, size_t i, const double *before)
{
    double *y = &r->out->value[i], largest = r->largest[i];
    *y = *y == -INFINITY ? -INFINITY : log(*y) + largest;
    r->out->magnitude[i] = largest == INFINITY ? INFINITY : (isinf(largest) ? 0 : fabs(largest)) + 1 + fabs(r->scale);
    *y += r->scale;
    if (before) {
        double a = *y, b = before[i], m = fmax(a, b);
        *y = m == -INFINITY ? m : m + log(exp(a - m) + exp(b - m));
        r->out->magnitude[i] += fabs(b);
    }
}
static void finish_whole(struct reduced *r, size_t i, const double *before)
{
    bool scaled = r->op->whole[2];
    double *y = &r->out->value[i];
    int64_t s = as_int(r->type, r->whole[i]);
    *y = scaled ? (double)s * r->scale : (double)s;
    if (before)
        *y = (double)as_int(r->type, (uint64_t)(int64_t)*y + (uint64_t)(int64_t)before[i]);
    r->out->magnitude[i] = scaled ? INFINITY : 0;
}
static void finish_other(struct reduced *r, size_t i, const double *before)
{
    double *y = &r->out->value[i], *magnitude = &r->out->magnitude[i];
    bool overflows = pop_type_is_floating_point(r->type) && is_sum(r->kind) && *magnitude > 3e38;
    *y *= r->scale;
    *magnitude = r->kind == POPOPS_MUL ? fabs(*y) * (r->terms[i] + 1)
                 : is_sum(r->kind)     ? *magnitude * fabs(r->scale)
                                       : fabs(*y);
    if (r->type == POP_HALF && is_sum(r->kind) && *magnitude / fmax(1e-9, fabs(r->scale)) > 60000 && r->op->whole[4])
        *magnitude = INFINITY;
    if (overflows || (r->kind == POPOPS_MUL &&
                      !(r->largest[i] < 1e38))) /* an infinity may or may not have been multiplied by a zero */
        *magnitude = INFINITY;
    if (before) {
        *y += before[i];
        *magnitude += fabs(before[i]);
    }
}

static void allow(const struct reduced *r)
{
    struct expected *out = r->out;
    if (!pop_type_is_floating_point(r->type))
        return;
    if (!is_sum(r->kind) && r->kind != POPOPS_MUL && r->kind != POPOPS_LOG_ADD) {
        out->relative = out->absolute = 0;
        return;
    }
    out->relative = r->op->out[0].view.type == POP_HALF ? 1.5e-3 : 4e-6;
    if (r->op->whole[4]) { /* half partials */
        double max = 0;
        for (size_t i = 0; i < out->count; ++i)
            max = fmax(max, r->terms[i]);
        out->relative = 1e-3 * (2 + sqrt(max));
        out->absolute = 6e-8 * (1 + max);
    }
    if (r->kind == POPOPS_MUL && r->type == POP_HALF)
        out->absolute = 1e-4, out->relative = 1e-2;
}

static void reduce_reference(const struct operation *op, double *const *in, struct expected *out)
{
    const struct view *v = &op->in[0];
    struct reduced r = { .op = op, .out = out, .kind = (int)op->whole[0], .type = v->type };
    bool scaled = op->whole[2];
    const double *before = op->whole[1] ? in[scaled ? 2 : 1] : NULL;
    r.scale = scaled ? in[1][0] : r.kind == POPOPS_LOG_ADD ? 0 : 1;
    r.largest = calloc(out->count + 1, sizeof(double));
    r.terms = calloc(out->count + 1, sizeof(double));
    r.whole = calloc(out->count + 1, sizeof(*r.whole));
    for (size_t i = 0; i < out->count; ++i) {
        out->value[i] = neutral(r.kind, r.type, !v->count);
        r.whole[i] = (uint64_t)(int64_t)out->value[i];
        out->magnitude[i] = 0;
        r.largest[i] = r.kind == POPOPS_MUL ? 1 : -INFINITY;
    }
    for (int pass = 0; pass < (r.kind == POPOPS_LOG_ADD ? 2 : 1); ++pass)
        for (size_t i = 0; i < v->count; ++i) {
            size_t place = result_of(op, i);
            r.terms[place] += 1;
            if (wraps(&r))
                join_whole(&r, place, in[0][i]);
            join(&r, place, in[0][i], pass);
        }
    void (*finish)(struct reduced * r, size_t i, const double *before) = r.kind == POPOPS_LOG_ADD ? finish_log_add
                                                                         : wraps(&r)              ? finish_whole
                                                                                                  : finish_other;
    for (size_t i = 0; i < out->count; ++i)
        finish(&r, i, before);
    allow(&r);
    free(r.largest);
    free(r.terms);
    free(r.whole);
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
    unsigned dims[MAX_DIMS];
    size_t count = 0, kept_dims[MAX_DIMS], kept = 0;
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
    op_describe(op, " %s update %d scaled %d over", popops_operation_name((popops_operation)kind), update, scaled);
    for (size_t i = 0; i < count; ++i)
        op_describe(op, " %u", dims[i]);
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
        op_describe(op, " %s=%s", list[i].key, list[i].value);
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
