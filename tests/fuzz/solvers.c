/* SPDX-License-Identifier: Apache-2.0 */
/* poplin: triangular systems and Cholesky's factors. */
#include "generators.h"

#include <poplin/cholesky.h>
#include <poplin/triangular_solve.h>

static void solve_reference(const struct operation *op, double *const *in, struct expected *out)
{ /* whole: kind (0 solve, 1 cholesky), groups, n, m, left, lower, unit */
    size_t g = (size_t)op->whole[1], n = (size_t)op->whole[2], m = (size_t)op->whole[3];
    bool left = op->whole[4], lower = op->whole[5], unit = op->whole[6], half = op->in[0].type == POP_HALF;
    out->relative = half ? 0.05 : 1e-4;
    out->absolute = half ? 0.05 : 1e-4;
    for (size_t q = 0; q < g; ++q) {
        const double *a = in[0] + q * n * n;
        if (op->whole[0]) { /* L L' of a symmetric matrix, of which one triangle is read */
            double *l = calloc(n * n + 1, sizeof(double));
            for (size_t j = 0; j < n; ++j)
                for (size_t i = j; i < n; ++i) {
                    double s = lower ? a[i * n + j] : a[j * n + i];
                    for (size_t k = 0; k < j; ++k)
                        s -= l[i * n + k] * l[j * n + k];
                    l[i * n + j] = i == j ? sqrt(s) : s / l[j * n + j];
                }
            for (size_t i = 0; i < n; ++i)
                for (size_t j = 0; j < n; ++j)
                    out->value[q * n * n + i * n + j] = lower ? l[i * n + j] : l[j * n + i];
            free(l);
            continue;
        }
        for (size_t c = 0; c < m; ++c) { /* a x = b; or x a = b: a' x' = b' */
            bool forward = left == lower;
            for (size_t step = 0; step < n; ++step) {
                size_t i = forward ? step : n - 1 - step;
                double s = left ? in[1][(q * n + i) * m + c] : in[1][(q * m + c) * n + i];
                for (size_t before = 0; before < step; ++before) {
                    size_t k = forward ? before : n - 1 - before;
                    s -= (left ? a[i * n + k] : a[k * n + i]) *
                         (left ? out->value[(q * n + k) * m + c] : out->value[(q * m + c) * n + k]);
                }
                double x = unit ? s : s / a[i * n + i];
                if (left)
                    out->value[(q * n + i) * m + c] = x;
                else
                    out->value[(q * m + c) * n + i] = x;
            }
        }
    }
}
void make_solve(struct world *w)
{
    pop_type type = chance(w, 70) ? POP_FLOAT : POP_HALF;
    bool cholesky = chance(w, 40), grouped = chance(w, 50), left = chance(w, 50), lower = chance(w, 50),
         unit = chance(w, 30);
    size_t g = grouped ? between(w, 1, 3) : 1, n = chance(w, 70) ? between(w, 1, 12) : between(w, 1, 50),
           m = between(w, 1, 9);
    size_t a_dims[3] = { g, n, n }, b_dims[3] = { g, left ? n : m, left ? m : n };
    pop_program sequence;
    struct operation *op = op_begin(w, cholesky ? "cholesky" : "triangular_solve", &sequence);
    op->reference = solve_reference;
    long values[] = { cholesky, (long)g, (long)n, (long)m, left, lower, unit };
    memcpy(op->whole, values, sizeof(values));
    size_t block = between(w, 1, 20);
    op_describe(op, " left %d lower %d unit %d block %zu", left, lower, unit, block);
    struct view a = new_view(w, type, a_dims + !grouped, 2 + grouped, -0.5, 0.5);
    struct base *b = &w->bases[a.base];
    for (size_t i = 0; i < b->count; ++i) { /* a dominant diagonal; symmetric for Cholesky's */
        size_t row = i / n % n, column = i % n;
        double x = row == column ? (cholesky ? (double)n * 0.6 + 1 : 1.5 + b->written[i])
                                 : b->written[i] * (cholesky ? 1 : 2.0 / (double)(n + 1));
        if (cholesky && column > row)
            x = b->written[i - row * n - column + column * n + row];
        b->written[i] = rounded_to(type, x);
    }
    if (cholesky)
        for (size_t i = 0; i < b->count; ++i) {
            size_t row = i / n % n, column = i % n;
            if (column > row)
                b->written[i] = b->written[i - row * n - column + column * n + row];
        }
    memcpy(b->guess, b->written, b->count * sizeof(double));
    memcpy(w->snapshots[b->snapshot].guess, b->written, b->count * sizeof(double));
    op_reads(w, op, a);
    pop_options none = POP_NO_OPTIONS;
    char text[20];
    snprintf(text, sizeof(text), "%zu", block);
    pop_option sized = { "blockSize", text };
    if (cholesky && chance(w, 40)) {
        op_writes(w, op, a);
        poplin_cholesky_in_place(w->graph, a.tensor, lower, sequence, "c", (pop_options){ &sized, 1 }, w->cache);
        op_end(w, op, sequence, 1);
        return;
    }
    if (cholesky) {
        op_makes(w, op,
                 poplin_cholesky(w->graph, a.tensor, lower, sequence, "c", (pop_options){ &sized, 1 }, w->cache));
    } else {
        struct view right = op_reads(w, op, wanted(w, type, b_dims + !grouped, 2 + grouped, true, -3, 3));
        op_makes(w, op,
                 poplin_triangular_solve(w->graph, a.tensor, right.tensor, left, lower, unit, block, sequence, "s",
                                         none, w->cache));
    }
    op_end(w, op, sequence, 2);
}
