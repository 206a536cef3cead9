/* SPDX-License-Identifier: Apache-2.0 */
/* poplin: LU and QR factors. */
#include "generators.h"

#include <poplin/lu_factorization.h>
#include <poplin/qr_factorization.h>

/* Makes the contents of a new view those of a function of row and column. */
static void rewrite(struct world *w, struct view v, size_t columns, double (*value)(size_t, size_t, double))
{
    struct base *b = &w->bases[v.base];
    for (size_t i = 0; i < b->count; ++i)
        b->guess[i] = b->written[i] = rounded_to(v.type, value(i / columns, i % columns, b->written[i]));
    memcpy(w->snapshots[b->snapshot].guess, b->written, b->count * sizeof(double));
}
/* Columns that no pivot or reflection makes small. */
static double dominant(size_t row, size_t column, double x)
{
    return row == column ? (x < 0 ? x - 3 : x + 3) : 0.25 * x;
}
static double identity(size_t row, size_t column, double x)
{
    (void)x;
    return row == column;
}

static void lu_reference(const struct operation *op, double *const *in, struct expected *out)
{ /* whole: m, n; outputs L and U */
    size_t m = (size_t)op->whole[0], n = (size_t)op->whole[1], least = m < n ? m : n;
    double *u = malloc(m * n * sizeof(double) + 1), *l = calloc(m * m + 1, sizeof(double));
    memcpy(u, in[0], m * n * sizeof(double));
    for (size_t i = 0; i < m; ++i)
        l[i * m + i] = 1;
    for (size_t k = 0; k < least; ++k)
        for (size_t i = k + 1; i < m; ++i) {
            double f = u[i * n + k] / u[k * n + k];
            l[i * m + k] = f;
            for (size_t j = k; j < n; ++j)
                u[i * n + j] -= f * u[k * n + j];
            u[i * n + k] = 0;
        }
    memcpy(out[0].value, l, m * m * sizeof(double));
    memcpy(out[1].value, u, m * n * sizeof(double));
    for (size_t k = 0; k < 2; ++k)
        out[k].relative = out[k].absolute = 1e-4;
    free(l);
    free(u);
}
static void qr_reference(const struct operation *op, double *const *in, struct expected *out)
{ /* whole: m, n; outputs R, in place of A, and Q, in place of the identity */
    size_t m = (size_t)op->whole[0], n = (size_t)op->whole[1];
    double *a = out[0].value, *q = out[1].value, *v = malloc(m * sizeof(double) + 1);
    memcpy(a, in[0], m * n * sizeof(double));
    memcpy(q, in[1], m * m * sizeof(double));
    for (size_t k = 0; k < n; ++k) {
        double norm = 0, size = 0;
        for (size_t i = k; i < m; ++i)
            norm += a[i * n + k] * a[i * n + k];
        for (size_t i = k; i < m; ++i)
            v[i] = a[i * n + k] + (i == k ? copysign(sqrt(norm), a[k * n + k]) : 0);
        for (size_t i = k; i < m; ++i)
            size += v[i] * v[i];
        for (size_t j = 0; j < n; ++j) { /* H A */
            double dot = 0;
            for (size_t i = k; i < m; ++i)
                dot += v[i] * a[i * n + j];
            for (size_t i = k; i < m; ++i)
                a[i * n + j] -= 2 * v[i] * dot / size;
        }
        for (size_t i = 0; i < m; ++i) { /* Q H */
            double dot = 0;
            for (size_t j = k; j < m; ++j)
                dot += q[i * m + j] * v[j];
            for (size_t j = k; j < m; ++j)
                q[i * m + j] -= 2 * v[j] * dot / size;
        }
    }
    for (size_t k = 0; k < 2; ++k)
        out[k].relative = out[k].absolute = 1e-4;
    free(v);
}

void make_factor(struct world *w)
{
    bool qr = chance(w, 50);
    size_t m = between(w, 1, 9), n = qr ? between(w, 1, m) : between(w, 1, 9), dims[] = { m, n }, square[] = { m, m };
    pop_program sequence;
    struct operation *op = op_begin(w, qr ? "qr" : "lu", &sequence);
    op->reference = qr ? qr_reference : lu_reference;
    op->whole[0] = (long)m;
    op->whole[1] = (long)n;
    pop_tensor q = { 0 }, upper = { 0 };
    struct view a;
    if (qr && chance(w, 50)) {
        a = laid_out(w, poplin_create_qr_factorization_matrices(w->graph, POP_FLOAT, m, n, "a", &q));
    } else {
        a = new_view(w, POP_FLOAT, dims, 2, -1, 1);
    }
    rewrite(w, a, n, dominant);
    op_reads(w, op, a);
    if (qr) {
        struct view one = pop_tensor_valid(q) ? laid_out(w, q) : new_view(w, POP_FLOAT, square, 2, 0, 1);
        rewrite(w, one, m, identity);
        op_reads(w, op, one);
        op_writes(w, op, a);
        op_writes(w, op, one);
        poplin_qr_factorization(w->graph, a.tensor, one.tensor, sequence, "qr", POP_NO_OPTIONS);
        op_end(w, op, sequence, 1);
        return;
    }
    pop_tensor lower = poplin_lu_factorization(w->graph, a.tensor, sequence, "lu", &upper);
    op_makes(w, op, lower);
    op_makes(w, op, upper);
    op_end(w, op, sequence, 2);
}
