/* SPDX-License-Identifier: Apache-2.0 */
#include "popnn/norm/host_norm.h"

#include "popnn/host_rows.h"

#include <popnn/codelets.h>

/* Outputs of more elements do not stay in a core's caches. */
enum { MAX_RANK = 32, MIN_IMAGES = 8, CACHED_ELEMENTS = 1 << 21 };

/* On other devices these calls need codelets of popops and poplin alone, so these add those of popnn themselves. */

/* ---- statistics ---- */

static bool is_served(const pop_graph *graph, pop_tensor acts)
{
    size_t rank = pop_tensor_rank(acts);
    return poplibs_ready(graph) && pop_graph_target(graph)->type == POP_TARGET_CPU && rank >= 2 && rank <= MAX_RANK &&
           pop_tensor_type(acts) == POP_FLOAT && pop_tensor_num_elements(acts) && pop_tensor_is_contiguous(acts);
}
bool host_norm_measures(const struct host_statistics *s)
{
    return is_served(s->call->graph, s->acts) && pop_tensor_dim(s->acts, 0) >= MIN_IMAGES;
}

void host_norm_statistics(const struct host_statistics *s, pop_tensor *mean, pop_tensor *inverse)
{
    const struct call *call = s->call;
    const char *path = call_path(call, call->name, "Norm/statistics");
    size_t images = pop_tensor_dim(s->acts, 0), of_image = pop_tensor_num_elements(s->acts) / images,
           vertices = host_row_vertices(images, of_image);
    pop_tensor in = pop_tensor_flatten(s->acts), *const made[] = { mean, inverse };
    for (size_t k = 0; k < 2; ++k) {
        *made[k] = pop_graph_add_variable(call->graph, POP_FLOAT, POP_SHAPE(images), path);
        pop_graph_set_tile_mapping(call->graph, *made[k], 0);
    }
    popnn_add_codelets(call->graph);
    pop_compute_set set = pop_graph_add_compute_set(call->graph, path);
    for (size_t i = 0; i < vertices && call_ready(call); ++i) {
        pop_interval part = poplibs_cpu_part(images, vertices, i);
        pop_vertex vertex = call_vertex(call, set, "popnn::HostLayerStatistics", 0);
        call_connect(call, vertex, "in", pop_tensor_slice(in, part.begin * of_image, part.end * of_image, 0));
        call_connect(call, vertex, "mean", pop_tensor_slice(*mean, part.begin, part.end, 0));
        call_connect(call, vertex, "inverse", pop_tensor_slice(*inverse, part.begin, part.end, 0));
        call_set(call, vertex, "count", of_image);
        pop_graph_set_field_double(call->graph, vertex, "eps", s->eps);
        pop_graph_set_field_int(call->graph, vertex, "unbiased", s->unbiased);
        pop_graph_set_field_int(call->graph, vertex, "stable", s->stable);
    }
    call_execute(call, set, path);
}

/* ---- scaling ---- */

static bool is_row(pop_tensor t, size_t count)
{
    return pop_tensor_type(t) == POP_FLOAT && pop_tensor_rank(t) == 1 && pop_tensor_dim(t, 0) == count;
}
bool host_norm_serves(const struct host_norm *norm)
{
    if (!is_served(norm->call->graph, norm->acts))
        return false;
    size_t images = pop_tensor_dim(norm->acts, 0), channels = pop_tensor_dim(norm->acts, 1);
    return is_row(norm->mean, images) && is_row(norm->inverse, images) && is_row(norm->gamma, channels) &&
           is_row(norm->beta, channels);
}

pop_tensor host_norm_normalise(const struct host_norm *norm, pop_tensor *whitened)
{
    const struct call *call = norm->call;
    pop_graph *graph = call->graph;
    const char *path = call_path(call, call->name, "Norm/normalise");
    size_t dims[MAX_RANK], rank = pop_tensor_shape(norm->acts, dims, MAX_RANK), images = dims[0],
                           of_image = pop_tensor_num_elements(norm->acts) / images,
                           vertices = host_row_vertices(images, of_image);
    pop_tensor in = pop_tensor_flatten(norm->acts), out[2];
    for (size_t k = 0; k < 2; ++k) { /* the second is empty unless it is wanted */
        size_t count = k && !whitened ? 0 : images * of_image;
        out[k] = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(count), path);
        pop_graph_set_tile_mapping(graph, out[k], 0);
    }
    popnn_add_codelets(graph);
    pop_compute_set set = pop_graph_add_compute_set(graph, path);
    for (size_t i = 0; i < vertices && call_ready(call); ++i) {
        /* Backwards, because the images whose statistics were made last are in the caches. */
        pop_interval part = poplibs_cpu_part(images, vertices, vertices - 1 - i);
        size_t begin = part.begin * of_image, end = part.end * of_image;
        const struct {
            const char *field;
            pop_tensor t;
        } edges[] = { { "in", pop_tensor_slice(in, begin, end, 0) },
                      { "mean", pop_tensor_slice(norm->mean, part.begin, part.end, 0) },
                      { "inverse", pop_tensor_slice(norm->inverse, part.begin, part.end, 0) },
                      { "gamma", norm->gamma },
                      { "beta", norm->beta },
                      { "out", pop_tensor_slice(out[0], begin, end, 0) },
                      { "white", whitened ? pop_tensor_slice(out[1], begin, end, 0) : out[1] } };
        pop_vertex vertex = call_vertex(call, set, "popnn::HostLayerNormalise", 0);
        for (size_t k = 0; k < sizeof(edges) / sizeof(edges[0]); ++k)
            call_connect(call, vertex, edges[k].field, edges[k].t);
        call_set(call, vertex, "field", of_image / dims[1]);
        pop_graph_set_field_int(graph, vertex, "past", images * of_image > CACHED_ELEMENTS);
    }
    call_execute(call, set, path);
    if (whitened)
        *whitened = pop_tensor_reshape(out[1], (pop_shape){ rank, dims });
    return pop_tensor_reshape(out[0], (pop_shape){ rank, dims });
}
