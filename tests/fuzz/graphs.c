/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of graphs and detectors: splines, ROI align. */
#include "generators.h"

#include <popnn/roi_align.h>
#include <popops/spline_basis.h>
#include <popops/spline_weighting.h>

/* ---- splines ---- */

static double b_spline(double f, unsigned degree, unsigned k)
{
    const double pieces[3][4] = { { 1 - f, f },
                                  { f * f / 2 - f + 0.5, -f * f + f + 0.5, f * f / 2 },
                                  { pow(1 - f, 3) / 6, (3 * pow(f, 3) - 6 * f * f + 4) / 6,
                                    (-3 * pow(f, 3) + 3 * f * f + 3 * f + 1) / 6, pow(f, 3) / 6 } };
    return pieces[degree - 1][k];
}
static void basis_reference(const struct operation *op, double *const *in, struct expected *out)
{ /* whole: edges, dimensions, splines, degree */
    size_t edges = (size_t)op->whole[0], dims = (size_t)op->whole[1], splines = (size_t)op->whole[2];
    unsigned degree = (unsigned)op->whole[3];
    for (size_t i = 0; i < edges * splines; ++i) {
        double product = 1, at = 0, stride = 1;
        size_t rest = i % splines, e = i / splines;
        for (size_t d = 0; d < dims; ++d, rest /= degree + 1) {
            unsigned k = (unsigned)(rest % (degree + 1));
            double place = in[0][e * dims + d] * (in[1][d] - degree * in[2][d]);
            at += fmod(floor(place) + k, in[1][d]) * stride;
            stride *= in[1][d];
            product *= b_spline(place - floor(place), degree, k);
            if (fabs(place - round(place)) < 1e-5 && place != round(place)) /* float may be at the integer */
                out[0].magnitude[i] = out[1].magnitude[i] = INFINITY;
        }
        out[0].value[i] = product;
        out[1].value[i] = at;
    }
    out[0].absolute = op->out[0].view.type == POP_HALF ? 2e-3 : 1e-5;
}
static void weighting_reference(const struct operation *op, double *const *in, struct expected *out)
{ /* whole: edges, kernels, splines, inputs, outputs */
    size_t k = (size_t)op->whole[1], s = (size_t)op->whole[2], ins = (size_t)op->whole[3], outs = (size_t)op->whole[4];
    for (size_t i = 0; i < out->count; ++i) {
        size_t e = i / outs, o = i % outs;
        out->value[i] = out->magnitude[i] = 0;
        for (size_t j = 0; j < s * ins; ++j) {
            double index = in[3][e * s + j / ins];
            if (index < 0 || index >= (double)k)
                continue;
            double term =
                in[2][e * s + j / ins] * in[1][((size_t)index * ins + j % ins) * outs + o] * in[0][e * ins + j % ins];
            out->value[i] += term;
            out->magnitude[i] += fabs(term);
        }
    }
    sum_tolerance(op, out, op->in[0].type, s * ins);
}
void make_spline(struct world *w)
{
    pop_program sequence;
    bool weighting = chance(w, 50);
    struct operation *op = op_begin(w, weighting ? "spline_weighting" : "spline_basis", &sequence);
    pop_type type = any_real(w);
    size_t edges = between(w, 1, 20), dims = between(w, 1, 3), s = 1, ins = between(w, 1, 6), outs = between(w, 1, 6),
           kernels = between(w, 1, 9);
    unsigned degree = (unsigned)between(w, 1, 3);
    for (size_t d = 0; d < dims; ++d)
        s *= degree + 1;
    size_t edge_dims[] = { edges, dims }, basis_dims[] = { edges, s }, in_dims[] = { edges, ins },
           weight_dims[] = { kernels, ins, outs };
    if (weighting) {
        long values[] = { (long)edges, (long)kernels, (long)s, (long)ins, (long)outs };
        memcpy(op->whole, values, sizeof(values));
        op->reference = weighting_reference;
        struct view in = op_reads(w, op, wanted(w, type, in_dims, 2, true, -2, 2)),
                    weight = op_reads(w, op, wanted(w, type, weight_dims, 3, true, -2, 2)),
                    basis = op_reads(w, op, wanted(w, type, basis_dims, 2, true, 0, 1)),
                    index = op_reads(w, op, new_view(w, POP_INT, basis_dims, 2, 0, (double)kernels));
        op_makes(
            w, op,
            popops_spline_weighting(w->graph, in.tensor, weight.tensor, basis.tensor, index.tensor, sequence, "w"));
        op_end(w, op, sequence, 2);
        return;
    }
    long values[] = { (long)edges, (long)dims, (long)s, degree };
    memcpy(op->whole, values, sizeof(values));
    op_describe(op, " degree %u", degree);
    op->reference = basis_reference;
    struct view pseudo = op_reads(w, op, new_view(w, type, edge_dims, 2, 0, 1)),
                sizes = op_reads(w, op, new_view(w, POP_INT, &dims, 1, 4, 8)),
                open = op_reads(w, op, new_view(w, POP_UNSIGNED_CHAR, &dims, 1, 0, 2)),
                basis = new_view(w, type, basis_dims, 2, 0, 1), index = new_view(w, POP_INT, basis_dims, 2, 0, 1);
    op_writes(w, op, basis);
    op_writes(w, op, index);
    popops_spline_basis(w->graph, pseudo.tensor, sizes.tensor, open.tensor, basis.tensor, index.tensor, degree,
                        sequence, "b");
    op_end(w, op, sequence, 2);
}

/* ---- ROI align ---- */

struct roi {
    popnn_roi_align_params params;
    size_t images, channels, height, width, regions;
};

/* The four places and weights of a sample; false where it counts as 0, *close where rounding decides. */
static bool sample(const struct roi *r, const double *roi, size_t bin, size_t s, size_t *place, double *weight,
                   bool *close)
{
    const popnn_roi_align_params *p = &r->params;
    size_t n = p->sampling_ratio, w = r->width, h = r->height;
    double half = p->aligned ? 0.5 : 0, least = p->aligned ? 0 : 1, scale = (double)p->spatial_scale;
    double x = roi[0] * scale - half, y = roi[1] * scale - half;
    double width = fmax(roi[2] * scale - half - x, least), height = fmax(roi[3] * scale - half - y, least);
    double dy = height / (double)p->aligned_height, dx = width / (double)p->aligned_width;
    y += (double)(bin / p->aligned_width) * dy + ((double)(s / n) + 0.5) * dy / (double)n;
    x += (double)(bin % p->aligned_width) * dx + ((double)(s % n) + 0.5) * dx / (double)n;
    *close = fabs(y - (double)h) < 1e-3 || fabs(x - (double)w) < 1e-3;
    if (y > (double)h || x > (double)w)
        return false;
    y = fmax(y, 0);
    x = fmax(x, 0);
    size_t y0 = (size_t)fmin(y, (double)h - 1), x0 = (size_t)fmin(x, (double)w - 1), y1 = y0 + (y0 < h - 1),
           x1 = x0 + (x0 < w - 1);
    double fy = y - (double)y0, fx = x - (double)x0;
    memcpy(place, (size_t[]){ y0 * w + x0, y0 * w + x1, y1 * w + x0, y1 * w + x1 }, 4 * sizeof(*place));
    memcpy(weight, (double[]){ (1 - fy) * (1 - fx), (1 - fy) * fx, fy * (1 - fx), fy * fx }, 4 * sizeof(*weight));
    return true;
}
static void roi_reference(const struct operation *op, double *const *in, struct expected *out)
{ /* inputs: data, regions, images, and for the gradient of data that of the bins */
    const struct roi *r = op->extra;
    bool gradient = op->whole[0];
    size_t bins = r->params.aligned_height * r->params.aligned_width,
           n = r->params.sampling_ratio * r->params.sampling_ratio, place[4];
    double weight[4];
    for (size_t i = 0; i < out->count; ++i)
        out->value[i] = out->magnitude[i] = 0;
    for (size_t i = 0; i < r->regions * r->channels * bins * n; ++i) {
        size_t s = i % n, bin = i / n % bins, c = i / n / bins % r->channels, q = i / n / bins / r->channels;
        size_t plane = ((size_t)in[2][q] * r->channels + c) * r->height * r->width,
               at = (q * r->channels + c) * bins + bin;
        bool close, inside = sample(r, in[1] + 4 * q, bin, s, place, weight, &close);
        for (size_t k = 0; k < 4 && (inside || close); ++k) {
            double *value = gradient ? &out->value[plane + (inside ? place[k] : 0)] : &out->value[at];
            size_t to = (size_t)(value - out->value);
            double term = inside ? weight[k] * (gradient ? in[3][at] : in[0][plane + place[k]]) / (double)n : 0;
            *value += term;
            out->magnitude[to] += fabs(term);
        }
        for (size_t k = 0; close && k < out->count; ++k)
            out->magnitude[k] = INFINITY;
    }
    bool half = op->in[0].type == POP_HALF;
    out->relative = half ? 1e-2 : 1e-4;
    out->absolute = half ? 2e-2 : 1e-4; /* of the coordinates */
}
void make_roi(struct world *w)
{
    pop_program sequence;
    bool gradient = chance(w, 50);
    struct operation *op = op_begin(w, gradient ? "roi_gradient" : "roi_align", &sequence);
    struct roi *r = malloc(sizeof(*r));
    *r =
        (struct roi){ { between(w, 1, 3), between(w, 1, 4), between(w, 1, 4), chance(w, 50), chance(w, 50) ? 1 : 0.5f },
                      between(w, 1, 3),
                      between(w, 1, 4),
                      between(w, 1, 8),
                      between(w, 1, 8),
                      between(w, 1, 6) };
    op->extra = r;
    op->whole[0] = gradient;
    op->reference = roi_reference;
    pop_type type = any_real(w);
    size_t data_dims[] = { r->images, r->channels, r->height, r->width }, roi_dims[] = { r->regions, 4 },
           out_dims[] = { r->regions, r->channels, r->params.aligned_height, r->params.aligned_width };
    struct view data = op_reads(w, op, wanted(w, type, data_dims, 4, true, -2, 2)),
                rois = op_reads(w, op, new_view(w, type, roi_dims, 2, -3, 12)),
                index = op_reads(w, op, new_view(w, POP_INT, roi_dims, 1, 0, (double)r->images));
    if (gradient) {
        struct view back = op_reads(w, op, wanted(w, type, out_dims, 4, true, -2, 2));
        op_makes(w, op,
                 popnn_roi_align_input_gradient(w->graph, sequence, data.tensor, rois.tensor, index.tensor, back.tensor,
                                                &r->params, "g"));
    } else {
        op_makes(w, op,
                 popnn_roi_align_fwd(w->graph, sequence, data.tensor, rois.tensor, index.tensor, &r->params, "f"));
    }
    op_end(w, op, sequence, 2);
}
