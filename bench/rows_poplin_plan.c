/* SPDX-License-Identifier: Apache-2.0 */
/* Planning of all distinct convolutions of a ResNet-50 on one ipu2: forward, gradient of the input, gradient of the
 * weights; half, four images. */
#include "bench.h"

#include <poplin/conv_util.h>
#include <poplin/planning.h>
#include <stdlib.h>

/* field, channels in and out, kernel, stride */
static const struct layer {
    size_t field, in, out, kernel, stride;
} layers[] = {
    { 224, 3, 64, 7, 2 },     { 56, 64, 64, 1, 1 },    { 56, 64, 64, 3, 1 },    { 56, 64, 256, 1, 1 },
    { 56, 256, 64, 1, 1 },    { 56, 256, 128, 1, 1 },  { 56, 128, 128, 3, 2 },  { 28, 128, 512, 1, 1 },
    { 56, 256, 512, 1, 2 },   { 28, 512, 128, 1, 1 },  { 28, 128, 128, 3, 1 },  { 28, 512, 256, 1, 1 },
    { 28, 256, 256, 3, 2 },   { 14, 256, 1024, 1, 1 }, { 28, 512, 1024, 1, 2 }, { 14, 1024, 256, 1, 1 },
    { 14, 256, 256, 3, 1 },   { 14, 1024, 512, 1, 1 }, { 14, 512, 512, 3, 2 },  { 7, 512, 2048, 1, 1 },
    { 14, 1024, 2048, 1, 2 }, { 7, 2048, 512, 1, 1 },  { 7, 512, 512, 3, 1 },
};
enum { LAYERS = sizeof(layers) / sizeof(layers[0]), PASSES = 3, IMAGES = 4 };

static poplin_conv_params params_of(const struct layer *layer)
{
    const size_t field[] = { layer->field, layer->field }, kernel[] = { layer->kernel, layer->kernel };
    poplin_conv_params p = poplin_conv_params_make(POP_HALF, POP_HALF, IMAGES, (pop_shape){ 2, field },
                                                   (pop_shape){ 2, kernel }, layer->in, layer->out, 1);
    for (size_t d = 0; d < 2; ++d) {
        p.input_transform.padding_lower[d] = p.input_transform.padding_upper[d] = (unsigned)(layer->kernel / 2);
        p.output_transform.stride[d] = (unsigned)layer->stride;
    }
    return p;
}

static double plan_all(pop_graph *graph, poplin_planning_cache *cache)
{
    static const char *const passes[] = { "TRAINING_FWD", "TRAINING_BWD", "TRAINING_WU" };
    double start = bench_seconds();
    for (size_t i = 0; i < LAYERS; ++i) {
        poplin_conv_params p[PASSES] = { params_of(&layers[i]) };
        p[1] = poplin_get_gradient_params(&p[0]);
        p[2] = poplin_get_weight_update_params(&p[0]);
        for (size_t pass = 0; pass < PASSES; ++pass)
            if (i || pass != 1) /* the images need no gradient */
                poplin_report_plan_estimated_costs(graph, &p[pass], POP_OPTIONS({ "pass", passes[pass] }), cache);
    }
    bench_must_build(graph);
    return bench_seconds() - start;
}

void row_plan(void)
{
    pop_device *device = bench_device();
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    poplin_planning_cache *cache = poplin_planning_cache_create();
    bench_report("plan: convolutions of a ResNet-50, cold", plan_all(graph, cache), "s", 20);
    bench_report("plan: the same from the cache", plan_all(graph, cache), "s", 0.1);
    bench_report("plan: different convolutions", (double)poplin_planning_cache_size(cache), "plans", 0);
    poplin_planning_cache_destroy(cache);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
}
