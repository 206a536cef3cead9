/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/log.h"
#include "popsparse/dynamic/dynamic.h"
#include "popsparse/pass/pass.h"

#include <popops/scaled_add.h>
#include <popsparse/embedding.h>
#include <poputil/tile_mapping.h>

/* The layer's request, and one whose batch is the indices, with the same buckets. */
struct embedding {
    struct sparse_request layer, lookups;
};

static bool make(const struct call *call, const popsparse_dynamic_fully_connected_params *params, pop_type type,
                 popsparse_planning_cache *cache, struct embedding *embedding)
{
    if (!sparse_layer_request(call, params, type, cache, &embedding->layer))
        return false;
    if (embedding->layer.shape.groups != 1)
        return call_fail(call, POP_POPLAR_ERROR, "the layer has %zu groups; an embedding has one",
                         embedding->layer.shape.groups);
    return true;
}
/* z parts of the indices, as many as divide them. */
static void set_lookups(struct embedding *embedding, size_t indices)
{
    embedding->lookups = embedding->layer;
    embedding->lookups.shape.batch = indices;
    embedding->lookups.plan.z = poplibs_gcd(embedding->layer.plan.z, indices);
    embedding->lookups.plan.cell_batch = indices / embedding->lookups.plan.z;
    embedding->lookups.options.sums = POP_FLOAT; /* as its vertices have them */
}
static bool takes_indices(const struct call *call, pop_tensor indices)
{
    if (!call_takes(call, "indices", indices))
        return false;
    return (pop_tensor_type(indices) == POP_UNSIGNED_INT && pop_tensor_rank(indices) == 1) ||
           call_fail(call, POP_POPLAR_ERROR, "indices is %s of rank %zu; it must be unsigned int of rank 1",
                     pop_type_name(pop_tensor_type(indices)), (size_t)pop_tensor_rank(indices));
}
/* {indices, in} as {1, in, indices}. */
static pop_tensor to_columns(const struct call *call, pop_tensor slices)
{
    return pop_tensor_dim_shuffle(pop_tensor_expand(slices, POP_DIMS(0)), POP_DIMS(0, 2, 1));
}
static pop_tensor to_slices(const struct call *call, pop_tensor columns)
{
    return call_ready(call) ? pop_tensor_transpose(pop_tensor_at(columns, 0)) : (pop_tensor){ 0 };
}

/* ---- creation ---- */

pop_tensor popsparse_dynamic_create_indices_tensor_at(pop_where where, pop_graph *graph,
                                                      const popsparse_dynamic_fully_connected_params *params,
                                                      size_t num_indices, pop_options options, const char *name)
{
    POPLIBS_CALL(graph, num_indices, options, name);
    struct embedding embedding;
    if (!make(call, params, POP_FLOAT, NULL, &embedding))
        return (pop_tensor){ 0 };
    pop_tensor made = pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(num_indices), name);
    poputil_map_tensor_linearly_grain(graph, made, 32, 1);
    return made;
}

pop_tensor popsparse_dynamic_create_slice_tensor_at(pop_where where, pop_graph *graph, pop_type data_type,
                                                    const popsparse_dynamic_fully_connected_params *params,
                                                    size_t num_indices, const char *name, pop_options options,
                                                    popsparse_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_type(data_type), num_indices, name, options);
    struct embedding embedding;
    if (!make(call, params, data_type, cache, &embedding))
        return (pop_tensor){ 0 };
    set_lookups(&embedding, num_indices);
    pop_tensor made = sparse_dense_variable(call, &embedding.lookups, SPARSE_COLUMNS, name);
    return to_slices(call, sparse_dense_view(call, &embedding.lookups, made));
}

/* ---- rows ---- */

static void connect_indices(const struct call *call, const struct sparse_pass *pass, const struct sparse_place *place)
{
    const struct sparse_plan *plan = &pass->request->plan;
    size_t x = place->cell / plan->y, first = place->z * plan->cell_batch;
    call_connect(call, place->vertex, "indices", pop_tensor_slice(pass->other, first, first + plan->cell_batch, 0));
    call_set(call, place->vertex, "firstRow", x * plan->cell_rows);
    if (pass->writes)
        call_connect(call, place->vertex, "s",
                     sparse_dense_part(call, pass->request, SPARSE_COLUMNS, pass->in, place->cell, place->z));
    else
        call_connect(
            call, place->vertex, "q",
            sparse_dense_part(call, pass->request, SPARSE_COLUMNS, pop_tensor_at(pass->out, x), place->cell, place->z));
}

pop_tensor popsparse_dynamic_embedding_slice_at(pop_where where, pop_graph *graph, popsparse_dynamic_sparse_tensor t,
                                                pop_tensor indices, pop_program sequence,
                                                const popsparse_dynamic_fully_connected_params *params,
                                                const char *name, pop_options options, popsparse_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, t.nz_values, indices, name, options);
    struct embedding embedding;
    struct sparse_cells cells;
    if (!make(call, params, pop_tensor_type(t.nz_values), cache, &embedding) ||
        !sparse_operand_take(call, &embedding.layer, t, &cells) || !takes_indices(call, indices))
        return (pop_tensor){ 0 };
    set_lookups(&embedding, pop_tensor_dim(indices, 0));
    struct sparse_pass pass = { .request = &embedding.lookups,
                                .vertex = "SparseDenseMultiSlice",
                                .block_vertex = "SparseDenseMultiSlice",
                                .values = "r",
                                .connect = connect_indices,
                                .other = indices };
    pass.out = sparse_partials(call, &embedding.lookups, SPARSE_COLUMNS);
    sparse_pass_run(call, &pass, &cells);
    return to_slices(call, sparse_result(call, &embedding.lookups, SPARSE_COLUMNS, pass.out));
}

void popsparse_dynamic_embedding_update_add_at(pop_where where, pop_graph *graph, popsparse_dynamic_sparse_tensor t,
                                               pop_tensor slices, pop_tensor indices, pop_tensor scale,
                                               pop_program sequence,
                                               const popsparse_dynamic_fully_connected_params *params, const char *name,
                                               pop_options options, popsparse_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, t.nz_values, slices, indices, scale, name, options);
    struct embedding embedding;
    struct sparse_cells cells;
    if (!make(call, params, pop_tensor_type(t.nz_values), cache, &embedding) ||
        !sparse_layer_planned_for(call, embedding.layer.options.grad_w, "doGradWPass") ||
        !sparse_operand_take(call, &embedding.layer, t, &cells) || !takes_indices(call, indices) ||
        !call_takes_shape(call, "slices", slices, embedding.layer.shape.type,
                          POP_SHAPE(pop_tensor_dim(indices, 0), embedding.layer.shape.columns)) ||
        !call_takes_scale(call, "scale", scale))
        return;
    set_lookups(&embedding, pop_tensor_dim(indices, 0));
    struct sparse_pass pass = { .request = &embedding.lookups,
                                .vertex = "SparseDenseMultiUpdateAdd",
                                .block_vertex = "SparseDenseMultiUpdateAdd",
                                .values = "rGrad",
                                .writes = true,
                                .connect = connect_indices,
                                .other = indices };
    pass.in = sparse_dense_arranged(call, &embedding.lookups, SPARSE_COLUMNS, to_columns(call, slices));
    struct sparse_cells written = cells;
    written.values = sparse_value_partials(call, &embedding.lookups);
    sparse_pass_run(call, &pass, &written);
    pop_tensor sum = sparse_value_sum(call, &embedding.lookups, written.values, POP_FLOAT);
    if (call_ready(call))
        popops_scaled_add_to(graph, t.nz_values, sum, scale, sequence, call_path(call, name, "update"), POP_NO_OPTIONS);
}
