/* SPDX-License-Identifier: Apache-2.0 */
/* ROI align and its gradient against double precision: regions inside, across the edges and outside of the images. */
#include "poplibs/numeric.h"

#include <popnn/codelets.h>
#include <popnn/roi_align.h>
#include <popops/codelets.h>

enum { N = 3, C = 2, H = 7, W = 5, R = 6 };

static void add_all(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    popnn_add_codelets_at(where, graph);
}

/* The four places and weights of a sample; false where it counts as 0. */
static bool sample(const popnn_roi_align_params *p, const double *roi, size_t bin, size_t s, size_t *place,
                   double *weight)
{
    size_t n = p->sampling_ratio;
    double half = p->aligned ? 0.5 : 0, least = p->aligned ? 0 : 1;
    double x = roi[0] * p->spatial_scale - half, y = roi[1] * p->spatial_scale - half;
    double width = fmax(roi[2] * p->spatial_scale - half - x, least),
           height = fmax(roi[3] * p->spatial_scale - half - y, least);
    double dy = height / (double)p->aligned_height, dx = width / (double)p->aligned_width;
    y += (double)(bin / p->aligned_width) * dy + ((double)(s / n) + 0.5) * dy / (double)n;
    x += (double)(bin % p->aligned_width) * dx + ((double)(s % n) + 0.5) * dx / (double)n;
    if (y > H || x > W)
        return false;
    y = fmax(y, 0);
    x = fmax(x, 0);
    size_t y0 = (size_t)fmin(y, H - 1), x0 = (size_t)fmin(x, W - 1), y1 = y0 + (y0 < H - 1), x1 = x0 + (x0 < W - 1);
    double fy = y - (double)y0, fx = x - (double)x0;
    memcpy(place, (size_t[]){ y0 * W + x0, y0 * W + x1, y1 * W + x0, y1 * W + x1 }, 4 * sizeof(*place));
    memcpy(weight, (double[]){ (1 - fy) * (1 - fx), (1 - fy) * fx, fy * (1 - fx), fy * fx }, 4 * sizeof(*weight));
    return true;
}

struct planes {
    const double *data, *gradient;
    double *out, *back;
};

/* Both results: bins of data, and the gradient of data from that of the bins. */
static void refer(const popnn_roi_align_params *p, const double *rois, const double *images, struct planes *planes)
{
    size_t bins = p->aligned_height * p->aligned_width, n = p->sampling_ratio * p->sampling_ratio, place[4];
    double weight[4];
    for (size_t i = 0; i < R * C * bins * n; ++i) {
        size_t s = i % n, bin = i / n % bins, c = i / n / bins % C, r = i / n / bins / C;
        if (!sample(p, rois + 4 * r, bin, s, place, weight))
            continue;
        size_t plane = ((size_t)images[r] * C + c) * H * W, at = (r * C + c) * bins + bin;
        for (size_t k = 0; k < 4; ++k) {
            planes->out[at] += weight[k] * planes->data[plane + place[k]] / (double)n;
            planes->back[plane + place[k]] += weight[k] * planes->gradient[at] / (double)n;
        }
    }
}

static void check(enum fixture_device device, pop_type type, const popnn_roi_align_params *p)
{
    static const double corners[R * 4] = { 0.3, 0.6, 4.1, 6.4,  2.1, 1.2, 3.9, 3.3, -2.3, -1.1, 2.2,  1.7,
                                           3.1, 4.2, 9.4, 12.3, 1.2, 1.3, 1.4, 1.5, 11.3, 2.2,  13.1, 3.4 },
                                    images[R] = { 0, 2, 1, 0, 2, 1 };
    struct fixture fixture = fixture_open(device, 5, add_all);
    size_t bins = p->aligned_height * p->aligned_width;
    pop_tensor data = fixture_input(&fixture, type, POP_SHAPE(N, C, H, W), FIXTURE_SCATTERED),
               rois = pop_graph_add_variable(fixture.graph, type, POP_SHAPE(R, 4), "rois"),
               index = pop_graph_add_variable(fixture.graph, POP_INT, POP_SHAPE(R), "images"),
               gradient =
                   fixture_input(&fixture, type, POP_SHAPE(R, C, p->aligned_height, p->aligned_width), FIXTURE_LINEAR);
    fixture_map(&fixture, rois, FIXTURE_ONE_TILE);
    fixture_map(&fixture, index, FIXTURE_LINEAR);
    fixture_write(&fixture, rois, corners, 0, 0);
    fixture_write(&fixture, index, images, 0, 0);
    pop_tensor out = popnn_roi_align_fwd(fixture.graph, fixture.program, data, rois, index, p, "fwd");
    pop_tensor back =
        popnn_roi_align_input_gradient(fixture.graph, fixture.program, data, rois, index, gradient, p, "bwd");
    double *got[2], *sums = calloc(R * C * bins, sizeof(*sums)), *grads = calloc(N * C * H * W, sizeof(*grads));
    fixture_run_all(&fixture, (const pop_tensor[]){ out, back }, got, 2);
    struct planes planes = { fixture_given(&fixture, data), fixture_given(&fixture, gradient), sums, grads };
    refer(p, fixture_given(&fixture, rois), images, &planes);
    double tolerance = type == POP_HALF ? 2e-3 : 1e-5;
    fixture_check(got[0], sums, R * C * bins, tolerance, tolerance);
    fixture_check(got[1], grads, N * C * H * W, tolerance, tolerance);
    free(sums);
    free(grads);
    fixture_close(&fixture);
}

static void test_regions(void **state)
{
    (void)state;
    static const popnn_roi_align_params params[] = { { 2, 3, 2, false, 1 },
                                                     { 1, 1, 1, true, 1 },
                                                     { 3, 2, 5, true, 0.5f } };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t i = 0; i < 3; ++i)
            for (int half = 0; half < 2; ++half)
                check(device, half ? POP_HALF : POP_FLOAT, &params[i]);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, add_all);
    popnn_roi_align_params p = { 2, 2, 2, false, 1 };
    pop_tensor data = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(1, 2, 3, 3), FIXTURE_LINEAR),
               rois = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3, 4), FIXTURE_LINEAR),
               index = fixture_input(&fixture, POP_INT, POP_SHAPE(3), FIXTURE_LINEAR);
    popnn_roi_align_fwd(fixture.graph, fixture.program, rois, rois, index, &p, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_roi_align_fwd",
                 "bottomData has shape {3,4}; its rank must be 4");
    popnn_roi_align_fwd(fixture.graph, fixture.program, data, pop_tensor_slice(rois, 0, 3, 1), index, &p, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_roi_align_fwd", "3 rows of 3 coordinates for 3 images");
    popnn_roi_align_fwd(fixture.graph, fixture.program, data, rois, pop_tensor_flatten(rois), &p, "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popnn_roi_align_fwd", "bottomBatchIndex of float");
    popnn_roi_align_input_gradient(fixture.graph, fixture.program, data, rois, index, data, &p, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_roi_align_input_gradient", "it must be float {3,2,2,2}");
    p.sampling_ratio = 0;
    popnn_roi_align_fwd(fixture.graph, fixture.program, data, rois, index, &p, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_roi_align_fwd", "samplingRatio 0");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_regions), cmocka_unit_test(mistakes_are_errors) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
