/* SPDX-License-Identifier: Apache-2.0 */
/* popops: gather and scatter of windows, as defined by XLA. */
#include "generators.h"

#include <popops/gather.h>
#include <popops/scatter.h>

/* How slices of an operand {dims} and index vectors are combined. */
struct windows {
    bool scatter;
    size_t rank, dims[MAX_DIMS], sizes[MAX_DIMS]; /* of the operand, of a slice */
    size_t mapped, map[MAX_DIMS];                 /* component k is of dimension map[k] */
    bool collapsed[MAX_DIMS];
    size_t batch_rank, batch[MAX_DIMS], vector_dim; /* of indices without their vectors */
    size_t result_rank, result[MAX_DIMS];           /* the result of gather, or the updates */
    bool is_window[MAX_DIMS];                       /* its dimensions that are a slice's */
};
static void windows_reference(const struct operation *op, double *const *in, struct expected *out)
{
    const struct windows *g = op->extra;
    size_t count = product(g->result, g->result_rank);
    unsigned *written = calloc(out->count + 1, sizeof(*written));
    if (g->scatter)
        memcpy(out->value, in[0], out->count * sizeof(double));
    for (size_t i = 0; i < count; ++i) {
        size_t at[MAX_DIMS], window[MAX_DIMS], batch[MAX_DIMS], rest = i, w = 0, b = 0, place = 0;
        for (size_t d = g->result_rank; d-- > 0; rest /= g->result[d])
            at[d] = rest % g->result[d];
        for (size_t d = 0; d < g->result_rank; ++d)
            if (g->is_window[d])
                window[w++] = at[d];
            else
                batch[b++] = at[d];
        long begin[MAX_DIMS] = { 0 };
        bool outside = false, single = true;
        for (size_t k = 0; k < g->mapped; ++k)
            single = single && g->sizes[g->map[k]] == 1;
        for (size_t k = 0; k < g->mapped; ++k) {
            size_t where = 0;
            for (size_t d = 0, from = 0; d <= g->batch_rank; ++d)
                if (d == g->vector_dim) {
                    where = where * g->mapped + k;
                } else if (from < g->batch_rank) {
                    where = where * g->batch[from] + batch[from];
                    ++from;
                }
            long x = (long)in[1][where], last = (long)(g->dims[g->map[k]] - g->sizes[g->map[k]]);
            outside = outside || x < 0 || x > last;
            if (g->scatter)
                begin[g->map[k]] = x < 0 ? 0 : x > last ? last : x;
            else
                begin[g->map[k]] = x < 0 || x >= (long)g->dims[g->map[k]] ? 0 : x;
        }
        w = 0;
        for (size_t d = 0; d < g->rank; ++d)
            place = place * g->dims[d] + ((size_t)begin[d] + (g->collapsed[d] ? 0 : window[w++])) % g->dims[d];
        if (!g->scatter)
            out->value[i] = in[0][place];
        else if (!(outside && single)) {
            out->value[place] = in[2][i];
            if (written[place]++)
                out->magnitude[place] = INFINITY;
        }
    }
    out->relative = out->absolute = 0;
    free(written);
}
void make_windows(struct world *w)
{
    static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_INT, POP_BOOL, POP_UNSIGNED_INT };
    pop_type type = types[below(w, 5)];
    struct windows g = { .scatter = chance(w, 50), .rank = between(w, 1, 4), .batch_rank = below(w, 3) };
    for (size_t d = 0; d < g.rank; ++d) {
        g.dims[d] = between(w, 1, 7);
        g.sizes[d] = chance(w, 40) ? 1 : between(w, 1, g.dims[d]);
        if (chance(w, 60))
            g.map[g.mapped++] = d;
        g.collapsed[d] = g.sizes[d] == 1 && chance(w, 60);
    }
    if (!g.mapped)
        g.map[g.mapped++] = g.rank - 1;
    if (g.mapped > 1 && chance(w, 30)) {
        size_t t = g.map[0];
        g.map[0] = g.map[g.mapped - 1];
        g.map[g.mapped - 1] = t;
    }
    for (size_t d = 0; d < g.batch_rank; ++d)
        g.batch[d] = between(w, chance(w, 5) ? 0 : 1, 5);
    g.vector_dim = below(w, g.batch_rank + 1);
    bool implied = g.mapped == 1 && chance(w, 30); /* each index is a vector */
    if (implied)
        g.vector_dim = g.batch_rank;
    size_t index_dims[MAX_DIMS], index_rank = 0, windows = 0;
    for (size_t d = 0, from = 0; d <= g.batch_rank; ++d)
        if (d == g.vector_dim) {
            if (!implied)
                index_dims[index_rank++] = g.mapped;
        } else {
            index_dims[index_rank++] = g.batch[from++];
        }
    unsigned window_dims[MAX_DIMS], collapsed[MAX_DIMS], map[MAX_DIMS];
    size_t num_collapsed = 0, kept[MAX_DIMS];
    for (unsigned d = 0; d < g.rank; ++d)
        if (g.collapsed[d])
            collapsed[num_collapsed++] = d;
        else
            kept[windows++] = g.sizes[d];
    for (size_t k = 0; k < g.mapped; ++k)
        map[k] = (unsigned)g.map[k];
    g.result_rank = g.batch_rank + windows;
    for (size_t d = 0, left = windows, from = 0, b = 0; d < g.result_rank; ++d) {
        g.is_window[d] = left && (g.result_rank - d == left || chance(w, 50));
        if (g.is_window[d]) {
            window_dims[from] = (unsigned)d;
            g.result[d] = kept[from++];
            --left;
        } else {
            g.result[d] = g.batch[b++];
        }
    }
    if (product(g.result, g.result_rank) > 5000)
        return;
    pop_program sequence;
    struct operation *op = op_begin(w, g.scatter ? "scatter" : "gather_slices", &sequence);
    op->reference = windows_reference;
    op->extra = malloc(sizeof(g));
    memcpy(op->extra, &g, sizeof(g));
    for (size_t d = 0; d < g.rank; ++d)
        op_describe(op, " %zu/%zu%s", g.sizes[d], g.dims[d], g.collapsed[d] ? "c" : "");
    op_describe(op, " vector dim %zu%s map", g.vector_dim, implied ? " implied" : "");
    for (size_t k = 0; k < g.mapped; ++k)
        op_describe(op, " %u", map[k]);
    struct view t = op_reads(w, op, wanted(w, type, g.dims, g.rank, !g.scatter, 0, 2));
    pop_type index_type = chance(w, 60) ? POP_INT : POP_UNSIGNED_INT;
    struct view indices = op_reads(w, op,
                                   new_view(w, index_type, index_dims, index_rank,
                                            index_type == POP_INT && chance(w, 20) ? -2 : 0, chance(w, 80) ? 4 : 9));
    pop_dims wd = { windows, window_dims }, cd = { num_collapsed, collapsed }, md = { g.mapped, map };
    if (g.scatter) {
        struct view updates = wanted(w, type, g.result, g.result_rank, true, 0, 2);
        if (updates.base == t.base)
            updates = new_view(w, type, g.result, g.result_rank, 0, 2);
        op_reads(w, op, updates);
        op_writes(w, op, t);
        popops_scatter(w->graph, t.tensor, indices.tensor, updates.tensor, g.vector_dim, wd, cd, md, sequence, "s",
                       POP_NO_OPTIONS);
    } else {
        op_makes(w, op,
                 popops_gather(w->graph, t.tensor, indices.tensor, g.vector_dim, wd, ((pop_shape){ g.rank, g.sizes }),
                               cd, md, sequence, "g", POP_NO_OPTIONS));
    }
    op_end(w, op, sequence, 2);
}
