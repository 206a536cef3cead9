/* SPDX-License-Identifier: Apache-2.0 */
#include "popsparse/pass/layout.h"

unsigned sparse_control_tile(const struct call *call, const struct sparse_request *request)
{
    size_t tiles = pop_target_num_tiles(pop_graph_target(call->graph)), used = request->plan.cells * request->plan.z;
    return (unsigned)poplibs_min(tiles - 1, used);
}

/* ---- dense matrices ---- */

struct range {
    size_t first, end;
};
/* Lines of a cell: those of its rows or columns. */
static struct range lines_of(const struct sparse_request *request, enum sparse_lines lines, size_t cell)
{
    const struct sparse_plan *plan = &request->plan;
    size_t index = lines == SPARSE_COLUMNS ? cell % plan->y : cell / plan->y % plan->x,
           size = lines == SPARSE_COLUMNS ? plan->cell_columns : plan->cell_rows,
           count = sparse_num_lines(request, lines);
    return (struct range){ poplibs_min(index * size, count), poplibs_min((index + 1) * size, count) };
}

/* Gives each of `tiles` an equal share of a contiguous part, in units of 8 bytes. */
static void map_shares(const struct call *call, pop_tensor part, const unsigned *tiles, size_t count)
{
    size_t elements = pop_tensor_num_elements(part), unit = 8 / pop_type_size(pop_tensor_type(part));
    size_t share = poplibs_ceil_div(poplibs_ceil_div(elements, count), unit) * unit;
    pop_tensor flat = pop_tensor_flatten(part);
    for (size_t i = 0, at = 0; at < elements; ++i, at += share)
        pop_graph_set_tile_mapping(call->graph, pop_tensor_slice(flat, at, poplibs_min(at + share, elements), 0),
                                   tiles[i]);
}

pop_tensor sparse_dense_part(const struct call *call, const struct sparse_request *request, enum sparse_lines lines,
                             pop_tensor dense, size_t cell, size_t z)
{
    const struct sparse_plan *plan = &request->plan;
    struct range range = lines_of(request, lines, cell);
    pop_tensor group = pop_tensor_at(pop_tensor_at(dense, z), cell / plan->y / plan->x);
    return pop_tensor_flatten(pop_tensor_slice(group, range.first, range.end, 0));
}

pop_tensor sparse_dense_variable(const struct call *call, const struct sparse_request *request, enum sparse_lines lines,
                                 const char *name)
{
    const struct sparse_plan *plan = &request->plan;
    const pop_target *target = pop_graph_target(call->graph);
    pop_tensor dense = pop_graph_add_variable(
        call->graph, request->shape.type,
        POP_SHAPE(plan->z, request->shape.groups, sparse_num_lines(request, lines), plan->cell_batch), name);
    size_t parts = lines == SPARSE_COLUMNS ? plan->y : plan->x, sharers = lines == SPARSE_COLUMNS ? plan->x : plan->y;
    unsigned *tiles = poplibs_new(sharers, sizeof(*tiles));
    for (size_t group = 0; group < request->shape.groups && call_ready(call); ++group)
        for (size_t part = 0; part < parts; ++part)
            for (size_t z = 0; z < plan->z; ++z) {
                for (size_t i = 0; i < sharers; ++i)
                    tiles[i] = sparse_plan_tile(plan, target,
                                                lines == SPARSE_COLUMNS ? sparse_cell(plan, group, i, part)
                                                                        : sparse_cell(plan, group, part, i),
                                                z);
                size_t cell =
                    lines == SPARSE_COLUMNS ? sparse_cell(plan, group, 0, part) : sparse_cell(plan, group, part, 0);
                map_shares(call, sparse_dense_part(call, request, lines, dense, cell, z), tiles, sharers);
            }
    free(tiles);
    return dense;
}

pop_tensor sparse_dense_view(const struct call *call, const struct sparse_request *request, pop_tensor dense)
{
    return pop_tensor_reshape(pop_tensor_dim_shuffle(dense, POP_DIMS(1, 2, 0, 3)),
                              POP_SHAPE(request->shape.groups, pop_tensor_dim(dense, 2), request->shape.batch));
}

pop_tensor sparse_dense_arranged(const struct call *call, const struct sparse_request *request, enum sparse_lines lines,
                                 pop_tensor t)
{
    const struct sparse_plan *plan = &request->plan;
    pop_tensor view = pop_tensor_dim_shuffle(
        pop_tensor_reshape(t, POP_SHAPE(request->shape.groups, pop_tensor_dim(t, 1), plan->z, plan->cell_batch)),
        POP_DIMS(2, 0, 1, 3));
    bool contiguous = true;
    for (size_t cell = 0; cell < plan->cells && contiguous; ++cell)
        for (size_t z = 0; z < plan->z && contiguous; ++z)
            contiguous = pop_tensor_is_contiguous(sparse_dense_part(call, request, lines, view, cell, z));
    if (contiguous || !call_ready(call))
        return view;
    pop_tensor arranged = sparse_dense_variable(call, request, lines, call_path(call, call->name, "arranged"));
    call_copy(call, view, arranged, call->name);
    return arranged;
}

/* ---- buckets ---- */

void sparse_map_buckets(const struct call *call, const struct sparse_request *request, pop_tensor buckets,
                        size_t elements)
{
    const struct sparse_plan *plan = &request->plan;
    unsigned *tiles = poplibs_new(plan->z, sizeof(*tiles));
    for (size_t cell = 0; cell < plan->cells && call_ready(call); ++cell) {
        for (size_t z = 0; z < plan->z; ++z)
            tiles[z] = sparse_plan_tile(plan, pop_graph_target(call->graph), cell, z);
        map_shares(call, pop_tensor_slice(buckets, cell * elements, (cell + 1) * elements, 0), tiles, plan->z);
    }
    free(tiles);
}

pop_tensor sparse_bucket_variable(const struct call *call, const struct sparse_request *request, pop_type type,
                                  size_t elements, const char *name)
{
    pop_tensor made = pop_graph_add_variable(call->graph, type, POP_SHAPE(request->plan.cells * elements), name);
    sparse_map_buckets(call, request, made, elements);
    return made;
}

pop_tensor sparse_meta_info_variable(const struct call *call, const struct sparse_request *request, const char *name)
{
    size_t elements = sparse_meta_info_elements(&request->plan);
    pop_tensor made = pop_graph_add_variable(call->graph, POP_UNSIGNED_SHORT, POP_SHAPE(elements), name);
    if (!call_ready(call))
        return made;
    pop_graph_set_tile_mapping(call->graph, pop_tensor_slice(made, 0, SPARSE_HEADER, 0),
                               sparse_control_tile(call, request));
    sparse_map_buckets(call, request, pop_tensor_slice(made, SPARSE_HEADER, elements, 0), request->plan.meta_info);
    return made;
}
