/* SPDX-License-Identifier: Apache-2.0 */
/* popnn: pooling and its gradient. */
#include "generators.h"

#include <popnn/pooling.h>

enum { MAX_WINDOW = 256 };
static size_t covered(const popnn_pool_params *p, const size_t *out_field, size_t out, size_t *list)
{
    size_t place[POPNN_MAX_FIELD_DIMS] = { 0 }, count = 0;
    for (unsigned d = p->dims; d-- > 0; out /= out_field[d])
        place[d] = out % out_field[d];
    for (size_t k = 0; k < product(p->kernel, p->dims); ++k) {
        size_t at = 0, rest = k, window[POPNN_MAX_FIELD_DIMS] = { 0 };
        bool inside = true;
        for (unsigned d = p->dims; d-- > 0; rest /= p->kernel[d])
            window[d] = rest % p->kernel[d];
        for (unsigned d = 0; d < p->dims; ++d) {
            long i = (long)(place[d] * p->stride[d] + window[d]) - p->padding_lower[d];
            long begin = p->padding_lower[d] < 0 ? -p->padding_lower[d] : 0,
                 end = (long)p->input_field[d] + (p->padding_upper[d] < 0 ? p->padding_upper[d] : 0);
            inside = inside && i >= begin && i < end;
            at = at * p->input_field[d] + (size_t)i;
        }
        if (inside)
            list[count++] = at;
    }
    return count;
}
static void pool_reference(const struct operation *op, double *const *in, struct expected *out)
{ /* in: input; gradient: input, pooled, gradient (MAX), or the gradient alone.  whole: is gradient, scaled */
    const popnn_pool_params *p = op->extra;
    size_t out_field[POPNN_MAX_FIELD_DIMS], list[MAX_WINDOW];
    popnn_pool_output_field(p, out_field);
    size_t in_size = product(p->input_field, p->dims), out_size = product(out_field, p->dims);
    bool gradient = op->whole[0], max = p->type == POPNN_POOL_MAX;
    const double *x = in[0], *y = gradient && max ? in[1] : NULL, *g = gradient ? in[max ? 2 : 0] : NULL;
    for (size_t i = 0; i < out->count; ++i)
        out->magnitude[i] = 0;
    for (size_t image = 0; image < p->batch * p->channels; ++image)
        for (size_t o = 0; o < out_size; ++o) {
            size_t n = covered(p, out_field, o, list), at = image * out_size + o, largest = 0;
            double value = max && n ? (p->data_type == POP_HALF ? -65504 : -3.4028234663852886e38) : 0, size = 0;
            if (!gradient) {
                for (size_t i = 0; i < n; ++i) {
                    double v = x[image * in_size + list[i]];
                    value = max ? fmax(value, v) : value + v;
                    size += fabs(v);
                }
                bool avg = p->type == POPNN_POOL_AVG && n;
                out->value[at] = avg ? value / (double)n : value;
                out->magnitude[at] = max ? 0 : avg ? size / (double)n : size;
                continue;
            }
            for (size_t i = 0; i < n && max; ++i)
                largest += x[image * in_size + list[i]] == y[at];
            for (size_t i = 0; i < n; ++i) {
                size_t to = image * in_size + list[i];
                double v = g[at];
                if (max)
                    v = x[to] == y[at] ? v / (op->whole[1] ? (double)largest : 1) : 0;
                else
                    v = p->type == POPNN_POOL_AVG ? v / (double)n : v;
                out->value[to] += v;
                out->magnitude[to] += fabs(v);
            }
        }
    out->relative = p->data_type == POP_HALF ? 2.2e-3 : 3e-6;
    if (gradient && p->data_type == POP_HALF)
        out->relative = 5e-3;
    out->absolute = p->data_type == POP_HALF ? 3e-7 : 1e-30;
}
void make_pool(struct world *w)
{
    popnn_pool_params p = { .type = (popnn_pooling_type)below(w, 3),
                            .dims = (unsigned)(chance(w, 75) ? 2 : between(w, 1, 3)),
                            .channels = any_extent(w),
                            .batch = between(w, 1, 3),
                            .data_type = any_real(w) };
    size_t in_dims[8], out_dims[8], out_field[POPNN_MAX_FIELD_DIMS];
    if (p.channels > 40)
        p.channels = 33;
    if (!p.channels && chance(w, 80))
        p.channels = 5;
    for (unsigned d = 0; d < p.dims; ++d) {
        p.input_field[d] = between(w, 1, p.dims == 3 ? 5 : 11);
        p.kernel[d] = between(w, 1, 4);
        p.stride[d] = (unsigned)between(w, 1, 3);
        if (chance(w, 40))
            p.padding_lower[d] = (int)below(w, 4) - (chance(w, 20) ? 1 : 0);
        if (chance(w, 40))
            p.padding_upper[d] = (int)below(w, 4) - (chance(w, 20) ? 1 : 0);
    }
    popnn_pool_output_field(&p, out_field);
    in_dims[0] = out_dims[0] = p.batch;
    in_dims[1] = out_dims[1] = p.channels;
    for (unsigned d = 0; d < p.dims; ++d) {
        in_dims[2 + d] = p.input_field[d];
        out_dims[2 + d] = out_field[d];
        if (!out_field[d] || (long)p.input_field[d] + (p.padding_lower[d] < 0 ? p.padding_lower[d] : 0) +
                                     (p.padding_upper[d] < 0 ? p.padding_upper[d] : 0) <=
                                 0)
            return;
    }
    pop_program sequence;
    bool gradient = chance(w, 50), max = p.type == POPNN_POOL_MAX;
    struct operation *op = op_begin(w, gradient ? "pool_gradient" : "pool", &sequence);
    op->reference = pool_reference;
    op->extra = malloc(sizeof(p));
    memcpy(op->extra, &p, sizeof(p));
    op->whole[0] = gradient;
    op->whole[1] = chance(w, 50);
    op_describe(op, " type %d scaled %ld", (int)p.type, op->whole[1]);
    for (unsigned d = 0; d < p.dims; ++d)
        op_describe(op, " [%zu k%zu s%u p%d:%d]", p.input_field[d], p.kernel[d], p.stride[d], p.padding_lower[d],
                    p.padding_upper[d]);
    pop_options options =
        POP_OPTIONS({ "poolUseIntrospectiveMapping", chance(w, 50) ? "true" : "false" },
                    { "optimizeForSpeed", chance(w, 30) && p.data_type == POP_FLOAT ? "true" : "false" });
    size_t rank = 2 + p.dims;
    if (!gradient) {
        struct view in = op_reads(w, op, wanted(w, p.data_type, in_dims, rank, true, -300, 300));
        op_makes(w, op, popnn_pool(w->graph, &p, in.tensor, sequence, "p", options));
    } else if (max) {
        struct view in = op_reads(w, op, new_view(w, p.data_type, in_dims, rank, -3, 3)),
                    pooled = op_reads(w, op, new_view(w, p.data_type, out_dims, rank, -3, 3));
        struct base *b = &w->bases[pooled.base]; /* the result of the forward pass */
        size_t list[MAX_WINDOW], in_size = product(p.input_field, p.dims), out_size = product(out_field, p.dims);
        for (size_t i = 0; i < b->count; ++i) {
            size_t n = covered(&p, out_field, i % out_size, list);
            double value = !n ? 0 : p.data_type == POP_HALF ? -65504 : -(double)3.4028234663852886e38f;
            for (size_t k = 0; k < n; ++k)
                value = fmax(value, w->bases[in.base].written[i / out_size * in_size + list[k]]);
            b->written[i] = b->guess[i] = w->snapshots[b->snapshot].guess[i] = value;
        }
        struct view g = op_reads(w, op, wanted(w, p.data_type, out_dims, rank, true, -30, 30));
        op_makes(w, op,
                 popnn_pool_input_gradient(w->graph, &p, in.tensor, pooled.tensor, g.tensor, op->whole[1], sequence,
                                           "g", options));
    } else {
        struct view g = op_reads(w, op, wanted(w, p.data_type, out_dims, rank, true, -30, 30));
        pop_tensor none = { 0 };
        op_makes(w, op,
                 chance(w, 50)
                     ? popnn_pool_input_gradient_without_activations(w->graph, &p, 1, g.tensor, sequence, "g", options)
                     : popnn_pool_input_gradient(w->graph, &p, none, none, g.tensor, false, sequence, "g", options));
    }
    op_end(w, op, sequence, 2);
}
