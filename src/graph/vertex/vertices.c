/* SPDX-License-Identifier: Apache-2.0 */
/* Many vertices of one type in a call, for languages whose calls are dear. */
#include "graph/store/store.h"

#include <poplar/graph.h>

static const char api[] = "pop_graph_add_vertices";

/* Whether tensors have an entry for each vertex along their first dimension. */
static bool check_rows(pop_where where, pop_graph *graph, size_t count, pop_connections rows)
{
    for (size_t i = 0; i < rows.count; ++i) {
        const pop_tensor *t = &rows.list[i].tensor;
        if (pop_tensor_rank(*t) && pop_tensor_dim(*t, 0) == count)
            continue;
        char shape[128];
        pop_tensor_shape_to_string(*t, shape, sizeof shape);
        store_fail(graph->store, POP_GRAPH_CONNECTION_ERROR, where, api,
                   "field '%s' gets a tensor of shape %s; its first dimension must be the number of vertices, %zu",
                   rows.list[i].field, shape, count);
        return false;
    }
    return true;
}

size_t pop_graph_add_vertices_at(pop_where where, pop_graph *graph, pop_compute_set set, const char *vertex_type,
                                 size_t count, const unsigned *tiles, pop_connections rows,
                                 const pop_field_values *values, size_t num_values)
{
    if (!graph_ready(graph) || !check_rows(where, graph, count, rows))
        return 0;
    const pop_status *status = pop_graph_error_status(graph);
    for (size_t v = 0; v < count; ++v) {
        pop_vertex vertex = pop_graph_add_vertex_at(where, graph, set, vertex_type);
        for (size_t i = 0; i < rows.count && !*status; ++i)
            pop_graph_connect_at(where, graph, vertex, rows.list[i].field,
                                 pop_tensor_at_at(where, rows.list[i].tensor, v));
        for (size_t i = 0; i < num_values && !*status; ++i)
            pop_graph_set_field_at(where, graph, vertex, values[i].field, values[i].type,
                                   (const char *)values[i].values + v * pop_type_size(values[i].type));
        if (tiles && !*status)
            pop_graph_map_vertex_at(where, graph, vertex, tiles[v]);
        if (*status) {
            pop_graph_take_back_vertex(graph, vertex);
            return v;
        }
    }
    return count;
}
