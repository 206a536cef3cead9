/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/log.h"
#include "popsparse/dynamic/dynamic.h"
#include "popsparse/pass/pass.h"

#include <popsparse/fully_connected.h>

/* Data of a layer are {batch, groups x channels}; those of a product {groups, channels, batch}. */
static pop_tensor to_product(const struct call *call, const struct sparse_request *request, pop_tensor t)
{
    size_t groups = request->shape.groups, batch = request->shape.batch;
    size_t channels = groups ? pop_tensor_dim(t, 1) / groups : 0;
    return pop_tensor_dim_shuffle(pop_tensor_reshape(t, POP_SHAPE(batch, groups, channels)), POP_DIMS(1, 2, 0));
}
static pop_tensor to_layer(const struct call *call, pop_tensor t)
{
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    return pop_tensor_reshape(pop_tensor_dim_shuffle(t, POP_DIMS(2, 0, 1)),
                              POP_SHAPE(pop_tensor_dim(t, 2), pop_tensor_dim(t, 0) * pop_tensor_dim(t, 1)));
}

static bool takes_data(const struct call *call, const struct sparse_request *request, const char *what, pop_tensor t,
                       size_t channels)
{
    return call_takes_shape(call, what, t, request->shape.type,
                            POP_SHAPE(request->shape.batch, request->shape.groups * channels));
}
/* ---- creation ---- */

popsparse_dynamic_sparse_tensor popsparse_dynamic_create_fully_connected_weights_at(
    pop_where where, pop_graph *graph, pop_type input_type, const popsparse_dynamic_fully_connected_params *params,
    const char *name, pop_options options, popsparse_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_type(input_type), name, options);
    struct sparse_request request;
    if (!sparse_layer_request(call, params, input_type, cache, &request))
        return (popsparse_dynamic_sparse_tensor){ 0 };
    return sparse_operand_create(call, &request);
}

pop_tensor popsparse_dynamic_create_fully_connected_input_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                             const popsparse_dynamic_fully_connected_params *params,
                                                             const char *name, pop_options options,
                                                             popsparse_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_type(input_type), name, options);
    struct sparse_request request;
    if (!sparse_layer_request(call, params, input_type, cache, &request))
        return (pop_tensor){ 0 };
    pop_tensor made = sparse_dense_variable(call, &request, SPARSE_COLUMNS, name);
    return to_layer(call, sparse_dense_view(call, &request, made));
}

/* ---- passes ---- */

pop_tensor popsparse_dynamic_fully_connected_fwd_at(pop_where where, pop_graph *graph,
                                                    popsparse_dynamic_sparse_tensor weights, pop_tensor activations,
                                                    const popsparse_dynamic_fully_connected_params *params,
                                                    pop_program sequence, const char *name, pop_options options,
                                                    popsparse_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, weights.nz_values, activations, name, options);
    struct sparse_request request;
    struct sparse_cells cells;
    if (!sparse_layer_request(call, params, pop_tensor_type(weights.nz_values), cache, &request) ||
        !sparse_operand_take(call, &request, weights, &cells) ||
        !takes_data(call, &request, "activations", activations, request.shape.columns))
        return (pop_tensor){ 0 };
    return to_layer(call, sparse_product(call, &request, &cells, to_product(call, &request, activations), false));
}

pop_tensor popsparse_dynamic_fully_connected_grad_a_at(pop_where where, pop_graph *graph,
                                                       popsparse_dynamic_sparse_tensor weights, pop_tensor gradients,
                                                       const popsparse_dynamic_fully_connected_params *params,
                                                       pop_program sequence, const char *name, pop_options options,
                                                       popsparse_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, weights.nz_values, gradients, name, options);
    struct sparse_request request;
    struct sparse_cells cells;
    if (!sparse_layer_request(call, params, pop_tensor_type(weights.nz_values), cache, &request) ||
        !sparse_layer_planned_for(call, request.options.grad_a, "doGradAPass") ||
        !sparse_operand_take(call, &request, weights, &cells) ||
        !takes_data(call, &request, "gradients", gradients, request.shape.rows))
        return (pop_tensor){ 0 };
    return to_layer(call, sparse_product(call, &request, &cells, to_product(call, &request, gradients), true));
}

pop_tensor popsparse_dynamic_fully_connected_sparse_grad_w_at(pop_where where, pop_graph *graph, pop_tensor meta_info,
                                                              pop_tensor gradients, pop_tensor activations,
                                                              const popsparse_dynamic_fully_connected_params *params,
                                                              pop_program sequence, const char *name,
                                                              pop_options options, popsparse_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, meta_info, gradients, activations, name, options);
    struct sparse_request request;
    struct sparse_cells cells;
    if (!sparse_layer_request(call, params, pop_tensor_type(activations), cache, &request) ||
        !sparse_layer_planned_for(call, request.options.grad_w, "doGradWPass") ||
        !sparse_operand_take_pattern(call, &request, meta_info, &cells) ||
        !takes_data(call, &request, "gradients", gradients, request.shape.rows) ||
        !takes_data(call, &request, "activations", activations, request.shape.columns))
        return (pop_tensor){ 0 };
    return sparse_grad_w(call, &request, &cells, to_product(call, &request, gradients),
                         to_product(call, &request, activations));
}

/* ---- dense gradients ---- */

/* The next number of parts that divides a size; the size itself is the last. */
static size_t more_parts(size_t parts, size_t size)
{
    while (parts < size && size % ++parts)
        ;
    return parts;
}

popsparse_dynamic_serial_splits
popsparse_dynamic_fully_connected_dense_grad_w_serial_splits_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                                const popsparse_dynamic_fully_connected_params *params,
                                                                pop_options options, popsparse_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_type(input_type), options);
    popsparse_dynamic_serial_splits splits = { 1, 1, 1 };
    struct sparse_request request;
    if (!sparse_layer_request(call, params, input_type, cache, &request))
        return splits;
    const struct sparse_shape *s = &request.shape;
    const pop_target *target = pop_graph_target(graph);
    double limit = request.options.proportion * (double)pop_target_memory_bytes(target),
           size = (double)pop_type_size(s->type);
    size_t in = 1, out = 1;
    for (;;) { /* operands, and the result in float and in its type */
        double rows = (double)(s->columns / in), columns = (double)(s->rows / out), batch = (double)s->batch;
        double bytes = (double)s->groups * ((rows + columns) * batch * size + rows * columns * (4 + size));
        if (bytes <= limit || (in >= s->columns && out >= s->rows))
            break;
        if (out < s->rows && (columns >= rows || in >= s->columns))
            out = more_parts(out, s->rows);
        else
            in = more_parts(in, s->columns);
    }
    splits.input_channels = (unsigned)in;
    splits.output_channels = (unsigned)out;
    return splits;
}
