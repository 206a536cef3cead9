/* SPDX-License-Identifier: Apache-2.0 */
/* One element of each row: selections distribute the rows evenly over the tiles, updates run on the tile of the row. */
#include "poplibs/log.h"
#include "poplibs/tiles.h"
#include "popops/slice/runs.h"
#include "popops/slice/slicing.h"

#include <popops/select_scalar_from_rows.h>
#include <popops/update_scalar_in_rows.h>
#include <poputil/tile_mapping.h>

/* Checks both tensors; converts the indices to UNSIGNED_INT. */
static bool check(pop_where where, pop_graph *graph, const char *api, pop_tensor params, pop_tensor *indices)
{
    char text[64];
    pop_type type = pop_tensor_type(params);
    if (!poplibs_ready(graph) || !poplibs_is_operand(graph, where, api, "the tensor of rows", params))
        return false;
    if (pop_tensor_rank(params) != 2) {
        pop_tensor_shape_to_string(params, text, sizeof(text));
        return poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "params of shape %s; they must be {rows,columns}",
                            text);
    }
    if (type != POP_HALF && type != POP_FLOAT)
        return poplibs_fail(graph, POP_TYPE_ERROR, where, api, "params cannot be %s; they are half or float",
                            pop_type_name(type));
    *indices = popops_offsets(where, graph, api, *indices, pop_tensor_dim(params, 0));
    return poplibs_ready(graph);
}

pop_tensor popops_select_scalar_from_rows_at(pop_where where, pop_graph *graph, pop_tensor params, pop_tensor indices,
                                             pop_program sequence, const char *name)
{
    POPLIBS_CALL(graph, params, indices, name);
    char path[POPLIBS_PATH_SIZE], vertex_name[64];
    pop_tensor none = { 0 };
    if (!check(where, graph, "popops_select_scalar_from_rows", params, &indices))
        return none;
    size_t rows = pop_tensor_dim(params, 0), workers = pop_graph_target(graph)->num_worker_contexts;
    pop_tensor out = pop_graph_add_variable_at(where, graph, pop_tensor_type(params), POP_SHAPE(rows), name);
    poputil_map_tensor_linearly_grain_at(where, graph, out, 1, 1);
    pop_interval_lists mapping;
    if (!rows || !pop_graph_get_tile_mapping_at(where, graph, out, NULL, &mapping))
        return poplibs_ready(graph) ? out : none;
    pop_compute_set set =
        pop_graph_add_compute_set_at(where, graph, poplibs_path(path, sizeof(path), name, "SelectScalarFromRows"));
    snprintf(vertex_name, sizeof(vertex_name), "popops::SelectFromRows<%s>", pop_type_name(pop_tensor_type(params)));
    pop_tensor *list = poplibs_new(rows, sizeof(*list));
    for (size_t tile = 0; tile < mapping.count; ++tile)
        for (size_t i = mapping.first[tile]; i < mapping.first[tile + 1]; ++i) {
            pop_interval here = mapping.intervals[i];
            size_t share = poplibs_ceil_div(here.end - here.begin, workers);
            for (size_t first = here.begin, end; first < here.end; first = end) {
                end = poplibs_min(here.end, first + share);
                for (size_t row = first; row < end; ++row)
                    list[row - first] = pop_tensor_at_at(where, params, row);
                pop_vertex vertex = pop_graph_add_vertex_at(where, graph, set, vertex_name);
                pop_graph_connect_list_at(where, graph, vertex, "params", (pop_tensors){ end - first, list });
                pop_graph_connect_at(where, graph, vertex, "indices",
                                     pop_tensor_slice_at(where, indices, first, end, 0));
                pop_graph_connect_at(where, graph, vertex, "output", pop_tensor_slice_at(where, out, first, end, 0));
                pop_graph_map_vertex_at(where, graph, vertex, (unsigned)tile);
            }
        }
    free(list);
    pop_interval_lists_free(&mapping);
    pop_sequence_add_at(where, sequence, pop_execute_at(where, set, name));
    return poplibs_ready(graph) ? out : none;
}

struct update {
    pop_where where;
    pop_compute_set set;
    pop_tensor flat, indices;
    size_t columns;
};

static void update_regions(pop_graph *graph, const struct poplibs_tile *tile, void *user)
{
    const struct update *update = user;
    pop_where where = update->where;
    char name[64];
    snprintf(name, sizeof(name), "popops::UpdateIntervalsDEC<%s>", pop_type_name(pop_tensor_type(update->flat)));
    for (size_t list = 0; list < tile->regions->count; ++list) {
        pop_vertex vertex = pop_graph_add_vertex_at(where, graph, update->set, name);
        pop_interval rows = popops_set_runs(where, graph, vertex, tile->regions, list, update->columns);
        pop_graph_connect_at(where, graph, vertex, "indices",
                             pop_tensor_slice_interval_at(where, update->indices, rows, 0));
        pop_graph_connect_at(where, graph, vertex, "params",
                             poplibs_slice_of_list(where, update->flat, tile->regions, list));
        pop_graph_set_field_int_at(where, graph, vertex, "columns", (int64_t)update->columns);
        pop_graph_map_vertex_at(where, graph, vertex, tile->tile);
    }
}

void popops_update_scalar_in_rows_at(pop_where where, pop_graph *graph, pop_tensor params, pop_tensor indices,
                                     pop_program sequence, const char *name)
{
    POPLIBS_CALL(graph, params, indices, name);
    static const char api[] = "popops_update_scalar_in_rows";
    char path[POPLIBS_PATH_SIZE];
    if (!check(where, graph, api, params, &indices) || !popops_check_writeable(where, graph, api, params) ||
        !pop_tensor_num_elements(params))
        return;
    struct update update = {
        where, pop_graph_add_compute_set_at(where, graph, poplibs_path(path, sizeof(path), name, "UpdateScalarInRows")),
        pop_tensor_flatten_at(where, params), indices, pop_tensor_dim(params, 1)
    };
    poplibs_for_each_tile(where, graph, update.flat, update_regions, &update);
    pop_sequence_add_at(where, sequence, pop_execute_at(where, update.set, name));
}
