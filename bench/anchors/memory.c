/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of memory (ipu-model.md 3): a small program on each chip, the sums of its profile. */
#include "anchors.h"

#include <stdio.h>

static double sum_of(const pop_profile_value *profile, const char *path)
{
    const pop_profile_value *value = pop_profile_path(profile, path);
    return value ? (double)pop_profile_sum_uint(value) : 0;
}

static double max_of(const pop_profile_value *profile, const char *path)
{
    const pop_profile_value *list = pop_profile_path(profile, path);
    double max = 0;
    for (size_t i = 0; list && i < pop_profile_size(list); ++i) {
        double value = (double)pop_profile_as_uint(pop_profile_at(list, i));
        max = value > max ? value : max;
    }
    return max;
}

static double all_categories(const pop_profile_value *profile)
{
    const pop_profile_value *categories = pop_profile_path(profile, "memory.byCategory");
    double sum = 0;
    for (size_t i = 0; categories && i < pop_profile_size(categories); ++i)
        sum += sum_of(pop_profile_item(categories, i), "total");
    return sum;
}

static double vertex_data(const pop_profile_value *profile)
{
    return sum_of(profile, "memory.byCategory.vertexInstanceState.total") +
           sum_of(profile, "memory.byCategory.copyDescriptor.total") +
           sum_of(profile, "memory.byCategory.vectorListDescriptor.total") +
           sum_of(profile, "memory.byCategory.vertexFieldData.total");
}

static void published_figures(const pop_profile_value *profile, const char *version, double interleaved)
{
    char title[80];
    snprintf(title, sizeof(title), "Memory, %s", version);
    anchor_part(title, ANCHOR_PUBLISHED);
    anchor("stack of a tile", 3168, max_of(profile, "memory.byCategory.stack.total"), 0, NULL);
    anchor("interleaved data begin at: most of a tile, less its 4 KiB of them", interleaved,
           max_of(profile, "memory.byTile.totalIncludingGaps") - 4096, 0, NULL);
}

/* Sums that are equal by the definitions of the published profiles. */
static void identities(const pop_profile_value *profile, const char *version)
{
    double total = sum_of(profile, "memory.byTile.total");
    char title[80];
    snprintf(title, sizeof(title), "Sums of a profile, %s", version);
    anchor_part(title, ANCHOR_OWN);
    anchor("sum over categories less what shares addresses: sum over tiles", total, all_categories(profile), 0, NULL);
    anchor("regions of all tiles: total", total,
           sum_of(profile, "memory.byTile.interleaved") + sum_of(profile, "memory.byTile.nonInterleaved") +
               sum_of(profile, "memory.byTile.overflowed"),
           0, NULL);
    anchor(
        "vertex data by compute set: the four categories of it", vertex_data(profile),
        sum_of(profile, "memory.byComputeSet.vertexDataBytes") + sum_of(profile, "memory.byComputeSet.copyPtrBytes") +
            sum_of(profile, "memory.byComputeSet.descriptorBytes") +
            sum_of(profile, "memory.byComputeSet.edgePtrBytes") + sum_of(profile, "memory.byComputeSet.paddingBytes"),
        0, NULL);
}

static void one_chip(const char *version, double interleaved)
{
    enum { ELEMENTS = 1024 };
    pop_error error = { 0 };
    pop_device *device =
        pop_ipu_model_create_device(&(pop_ipu_model){ .version = version, .compile_ipu_code = true }, &error);
    anchor_must(error.status, &error);
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    pop_graph_add_codelets(graph, ANCHOR_CODELETS);
    pop_tensor in = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(ELEMENTS), "in");
    pop_tensor out = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(1), "out");
    pop_graph_set_tile_mapping(graph, in, 3);
    pop_graph_set_tile_mapping(graph, out, 5);
    pop_compute_set set = pop_graph_add_compute_set(graph, "set");
    pop_vertex vertex = pop_graph_add_vertex_connected(graph, set, "InterleavedVertex",
                                                       POP_CONNECTIONS({ "in", in }, { "out", pop_tensor_at(out, 0) }));
    pop_graph_map_vertex(graph, vertex, 3);
    pop_graph_set_perf_estimate(graph, vertex, 10, 0);
    anchor_must(pop_graph_take_error(graph, &error), &error);
    pop_executable *executable;
    pop_profile_value profile;
    anchor_must(
        pop_compile_graph(graph, POP_PROGRAMS(pop_execute(set, NULL)), POP_NO_OPTIONS, NULL, NULL, &executable, &error),
        &error);
    anchor_must(pop_executable_graph_profile(executable, &profile, &error), &error);
    published_figures(&profile, version, interleaved);
    identities(&profile, version);
    pop_profile_free(&profile);
    pop_executable_destroy(executable);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
}

void anchors_memory(void)
{
    one_chip("ipu1", 131072);
    one_chip("ipu2", 212992);
}
