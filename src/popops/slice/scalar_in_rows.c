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
static bool check(const struct call *call, pop_tensor params, pop_tensor *indices)
{
    char text[64];
    pop_type type = pop_tensor_type(params);
    if (!call_ready(call) || !call_takes(call, "the tensor of rows", params))
        return false;
    if (pop_tensor_rank(params) != 2) {
        pop_tensor_shape_to_string(params, text, sizeof(text));
        return call_fail(call, POP_POPLAR_ERROR, "params of shape %s; they must be {rows,columns}", text);
    }
    if (type != POP_HALF && type != POP_FLOAT)
        return call_fail(call, POP_TYPE_ERROR, "params cannot be %s; they are half or float", pop_type_name(type));
    *indices = slice_offsets(call, *indices, pop_tensor_dim(params, 0));
    return call_ready(call);
}

pop_tensor popops_select_scalar_from_rows_at(pop_where where, pop_graph *graph, pop_tensor params, pop_tensor indices,
                                             pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, params, indices, name);
    char vertex_name[64];
    pop_tensor none = { 0 };
    if (!check(call, params, &indices))
        return none;
    size_t rows = pop_tensor_dim(params, 0), workers = pop_graph_target(graph)->num_worker_contexts;
    pop_tensor out = pop_graph_add_variable(graph, pop_tensor_type(params), POP_SHAPE(rows), name);
    poputil_map_tensor_linearly_grain(graph, out, 1, 1);
    pop_interval_lists mapping;
    if (!rows || !pop_graph_get_tile_mapping(graph, out, NULL, &mapping))
        return call_ready(call) ? out : none;
    pop_compute_set set = pop_graph_add_compute_set(graph, call_path(call, name, "SelectScalarFromRows"));
    snprintf(vertex_name, sizeof(vertex_name), "popops::SelectFromRows<%s>", pop_type_name(pop_tensor_type(params)));
    pop_tensor *list = poplibs_new(rows, sizeof(*list));
    for (size_t tile = 0; tile < mapping.count; ++tile)
        for (size_t i = mapping.first[tile]; i < mapping.first[tile + 1]; ++i) {
            pop_interval here = mapping.intervals[i];
            size_t share = poplibs_ceil_div(here.end - here.begin, workers);
            for (size_t first = here.begin, end; first < here.end; first = end) {
                end = poplibs_min(here.end, first + share);
                for (size_t row = first; row < end; ++row)
                    list[row - first] = pop_tensor_at(params, row);
                pop_vertex vertex = pop_graph_add_vertex(graph, set, vertex_name);
                pop_graph_connect_list(graph, vertex, "params", (pop_tensors){ end - first, list });
                call_connect(call, vertex, "indices", pop_tensor_slice(indices, first, end, 0));
                call_connect(call, vertex, "output", pop_tensor_slice(out, first, end, 0));
                pop_graph_map_vertex(graph, vertex, (unsigned)tile);
            }
        }
    free(list);
    pop_interval_lists_free(&mapping);
    call_execute(call, set, name);
    return call_ready(call) ? out : none;
}

struct update {
    const struct call *call;
    pop_compute_set set;
    pop_tensor flat, indices;
    size_t columns;
};

static void update_regions(const struct call *call, const struct poplibs_tile *tile, void *user)
{
    const struct update *update = user;
    char name[64];
    snprintf(name, sizeof(name), "popops::UpdateIntervalsDEC<%s>", pop_type_name(pop_tensor_type(update->flat)));
    for (size_t list = 0; list < tile->regions->count; ++list) {
        pop_vertex vertex = call_vertex(call, update->set, name, tile->tile);
        pop_interval rows = set_runs(call, vertex, tile->regions, list, update->columns);
        call_connect(call, vertex, "indices", pop_tensor_slice_interval(update->indices, rows, 0));
        call_connect(call, vertex, "params", call_slice_of_list(call, update->flat, tile->regions, list));
        call_set(call, vertex, "columns", update->columns);
    }
}

void popops_update_scalar_in_rows_at(pop_where where, pop_graph *graph, pop_tensor params, pop_tensor indices,
                                     pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, params, indices, name);
    if (!check(call, params, &indices) || !call_takes_writeable(call, "the tensor", params) ||
        !pop_tensor_num_elements(params))
        return;
    struct update update = { call, pop_graph_add_compute_set(graph, call_path(call, name, "UpdateScalarInRows")),
                             pop_tensor_flatten(params), indices, pop_tensor_dim(params, 1) };
    call_for_each_tile(call, update.flat, update_regions, &update);
    call_execute(call, update.set, name);
}
