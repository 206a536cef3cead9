/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/options.h"

#include <poplin/multi_convolution.h>

static bool check(pop_where where, pop_graph *graph, const char *api, pop_options given)
{
    struct multi_options {
        int plan_type;
        unsigned per_conv_reserved_tiles;
        double cycle_back_off;
    } options = { 0, 50, 0.1 };
    static const struct poplibs_option table[] = {
        { "planType", POPLIBS_CHOICE, offsetof(struct multi_options, plan_type), "parallel|serial" },
        { "perConvReservedTiles", POPLIBS_UNSIGNED, offsetof(struct multi_options, per_conv_reserved_tiles), NULL },
        { "cycleBackOff", POPLIBS_DOUBLE, offsetof(struct multi_options, cycle_back_off), NULL },
    };
    return poplibs_ready(graph) && poplibs_parse_options(where, graph, api, given, table, sizeof(table) / sizeof(table[0]), &options);
}

static const poplin_multi_conv *find(pop_where where, pop_graph *graph, const char *api, const poplin_multi_conv *convs, size_t count, size_t index,
                                     pop_options options)
{
    if (!check(where, graph, api, options))
        return NULL;
    if (index < count)
        return &convs[index];
    poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "index %zu; there are %zu convolutions", index, count);
    return NULL;
}
pop_tensor poplin_multi_create_input_at(pop_where where, pop_graph *graph, const poplin_multi_conv *convs, size_t count, size_t index,
                                        pop_options options, poplin_planning_cache *cache)
{
    const poplin_multi_conv *conv = find(where, graph, "poplin_multi_create_input", convs, count, index, options);
    return conv ? poplin_create_input_at(where, graph, conv->params, conv->name, conv->options, cache) : (pop_tensor){ 0 };
}
pop_tensor poplin_multi_create_weights_at(pop_where where, pop_graph *graph, const poplin_multi_conv *convs, size_t count, size_t index,
                                          pop_options options, poplin_planning_cache *cache)
{
    const poplin_multi_conv *conv = find(where, graph, "poplin_multi_create_weights", convs, count, index, options);
    return conv ? poplin_create_weights_at(where, graph, conv->params, conv->name, conv->options, cache) : (pop_tensor){ 0 };
}

void poplin_multi_convolution_at(pop_where where, pop_graph *graph, const poplin_multi_conv *convs, size_t count, bool transpose_and_flip_weights,
                                 pop_program sequence, const char *name, pop_options options, poplin_planning_cache *cache, pop_tensor *outputs)
{
    bool good = check(where, graph, "poplin_multi_convolution", options);
    for (size_t i = 0; i < count; ++i)
        outputs[i] = good ? poplin_convolution_at(where, graph, convs[i].input, convs[i].weights, convs[i].params, transpose_and_flip_weights, sequence,
                                                  name, convs[i].options, cache)
                          : (pop_tensor){ 0 };
}

void poplin_multi_calculate_weight_deltas_at(pop_where where, pop_graph *graph, const poplin_multi_conv *convs, size_t count, pop_program sequence,
                                             const char *name, pop_options options, poplin_planning_cache *cache, pop_tensor *outputs)
{
    bool good = check(where, graph, "poplin_multi_calculate_weight_deltas", options);
    for (size_t i = 0; i < count; ++i)
        outputs[i] = good ? poplin_calculate_weight_deltas_at(where, graph, convs[i].deltas, convs[i].input, convs[i].params, sequence, name,
                                                              convs[i].options, cache)
                          : (pop_tensor){ 0 };
}

void poplin_multi_convolution_weight_update_at(pop_where where, pop_graph *graph, const poplin_multi_conv *convs, size_t count, pop_program sequence,
                                               const char *name, pop_options options, poplin_planning_cache *cache)
{
    if (!check(where, graph, "poplin_multi_convolution_weight_update", options))
        return;
    for (const poplin_multi_conv *conv = convs; conv < convs + count; ++conv)
        if (pop_tensor_valid(conv->scale))
            poplin_convolution_weight_update_at(where, graph, conv->deltas, conv->weights, conv->input, conv->params, conv->scale, sequence, name,
                                                conv->options, cache);
        else
            poplin_convolution_weight_update_constant_at(where, graph, conv->deltas, conv->weights, conv->input, conv->params, conv->scale_constant,
                                                         sequence, name, conv->options, cache);
}

void poplin_multi_weights_transpose_chans_flip_xy_at(pop_where where, pop_graph *graph, const poplin_multi_conv *convs, size_t count,
                                                     pop_program sequence, const char *name, pop_options options, poplin_planning_cache *cache,
                                                     pop_tensor *outputs)
{
    bool good = check(where, graph, "poplin_multi_weights_transpose_chans_flip_xy", options);
    for (size_t i = 0; i < count; ++i) {
        outputs[i] = good ? poplin_create_weights_at(where, graph, convs[i].params, name, convs[i].options, cache) : (pop_tensor){ 0 };
        if (good)
            poplin_weights_transpose_chans_flip_xy_at(where, graph, convs[i].weights, outputs[i], sequence, name);
    }
}
