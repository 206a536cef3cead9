/* SPDX-License-Identifier: Apache-2.0 */
#include "popnn/host_norm.h"

#include "popnn/host_rows.h"

enum { MAX_RANK = 32 };

static bool is_row(pop_tensor t, size_t count)
{
    return pop_tensor_type(t) == POP_FLOAT && pop_tensor_rank(t) == 1 && pop_tensor_dim(t, 0) == count;
}
bool host_norm_serves(const struct host_norm *norm)
{
    size_t rank = pop_tensor_rank(norm->acts);
    if (!poplibs_ready(norm->graph) || pop_graph_target(norm->graph)->type != POP_TARGET_CPU || rank < 2 ||
        rank > MAX_RANK || pop_tensor_type(norm->acts) != POP_FLOAT || !pop_tensor_num_elements(norm->acts))
        return false;
    size_t images = pop_tensor_dim(norm->acts, 0), channels = pop_tensor_dim(norm->acts, 1);
    return is_row(norm->mean, images) && is_row(norm->inverse, images) && is_row(norm->gamma, channels) &&
           is_row(norm->beta, channels) && pop_tensor_is_contiguous(norm->acts);
}

pop_tensor host_norm_normalise(const struct host_norm *norm, pop_program sequence, const char *name,
                               pop_tensor *whitened)
{
    char path[POPLIBS_PATH_SIZE];
    pop_where where = norm->where;
    pop_graph *graph = norm->graph;
    poplibs_path(path, sizeof(path), name, "Norm/normalise");
    size_t dims[MAX_RANK], rank = pop_tensor_shape(norm->acts, dims, MAX_RANK), images = dims[0],
                           of_image = pop_tensor_num_elements(norm->acts) / images,
                           vertices = host_row_vertices(images, of_image);
    pop_tensor in = pop_tensor_flatten_at(where, norm->acts), out[2];
    for (size_t k = 0; k < 2; ++k) { /* the second is empty unless it is wanted */
        size_t count = k && !whitened ? 0 : images * of_image;
        out[k] = pop_graph_add_variable_at(where, graph, POP_FLOAT, POP_SHAPE(count), path);
        pop_graph_set_tile_mapping_at(where, graph, out[k], 0);
    }
    pop_compute_set set = pop_graph_add_compute_set_at(where, graph, path);
    for (size_t i = 0; i < vertices && poplibs_ready(graph); ++i) {
        pop_interval part = poplibs_cpu_part(images, vertices, i);
        size_t begin = part.begin * of_image, end = part.end * of_image;
        const struct {
            const char *field;
            pop_tensor t;
        } edges[] = { { "in", pop_tensor_slice_at(where, in, begin, end, 0) },
                      { "mean", pop_tensor_slice_at(where, norm->mean, part.begin, part.end, 0) },
                      { "inverse", pop_tensor_slice_at(where, norm->inverse, part.begin, part.end, 0) },
                      { "gamma", norm->gamma },
                      { "beta", norm->beta },
                      { "out", pop_tensor_slice_at(where, out[0], begin, end, 0) },
                      { "white", whitened ? pop_tensor_slice_at(where, out[1], begin, end, 0) : out[1] } };
        pop_vertex vertex = pop_graph_add_vertex_at(where, graph, set, "popnn::HostLayerNormalise");
        pop_graph_map_vertex_at(where, graph, vertex, 0);
        for (size_t k = 0; k < sizeof(edges) / sizeof(edges[0]); ++k)
            pop_graph_connect_at(where, graph, vertex, edges[k].field, edges[k].t);
        pop_graph_set_field_int_at(where, graph, vertex, "field", (int64_t)(of_image / dims[1]));
    }
    pop_sequence_add_at(where, sequence, pop_execute_at(where, set, path));
    if (whitened)
        *whitened = pop_tensor_reshape_at(where, out[1], (pop_shape){ rank, dims });
    return pop_tensor_reshape_at(where, out[0], (pop_shape){ rank, dims });
}
