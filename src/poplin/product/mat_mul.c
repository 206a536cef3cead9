/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products: on CPU devices by host_gemm.c, on others as convolutions. */
#include "poplin/product/mat_mul_call.h"
#include "poplin/product/mat_mul_checks.h"
#include "poplin/product/mat_mul_conv.h"
#include "poplin/product/mat_mul_options.h"

#include "poplibs/log.h"
#include "poplin/host/host_gemm.h"

#include <popops/cast.h>
#include <popops/rearrange.h>
#include <popops/scaled_add.h>

/* ---- arguments ---- */

static bool are_operands(const struct mat_mul_call *call, pop_tensor a, pop_tensor b, pop_type output_type, size_t rank,
                         poplin_mat_mul_params *params)
{
    if (!mat_mul_is_operand(call, "the first operand", a) || !mat_mul_is_operand(call, "the second operand", b))
        return false;
    if (pop_tensor_type(a) != pop_tensor_type(b))
        return poplibs_fail(call->graph, POP_TYPE_ERROR, call->where, call->api,
                            "operands are %s and %s; both must have the same type", pop_type_name(pop_tensor_type(a)),
                            pop_type_name(pop_tensor_type(b)));
    struct mat_mul_dims a_dims, b_dims;
    return mat_mul_shapes(call, pop_tensor_type(a), output_type, mat_mul_shape_of(a, &a_dims),
                          mat_mul_shape_of(b, &b_dims), rank, params);
}
static bool is_result(const struct mat_mul_call *call, pop_tensor out, const poplin_mat_mul_params *params, size_t rank)
{
    const size_t wanted[] = { params->a_shape[0], params->a_shape[1], params->b_shape[2] };
    struct mat_mul_dims dims;
    pop_shape shape = mat_mul_shape_of(out, &dims);
    char given[96], must[96];
    if (shape.rank != rank || memcmp(shape.dims, wanted + 3 - rank, rank * sizeof(size_t)) != 0)
        return poplibs_fail(call->graph, POP_POPLAR_ERROR, call->where, call->api,
                            "the result has shape %s; the product has %s",
                            poplibs_shape_text(given, sizeof(given), shape),
                            poplibs_shape_text(must, sizeof(must), (pop_shape){ rank, wanted + 3 - rank }));
    if (!pop_tensor_is_parallel_writeable(out))
        return poplibs_fail(call->graph, POP_POPLAR_ERROR, call->where, call->api,
                            "the result contains constants or repeated elements");
    return true;
}

/* ---- products ---- */

static pop_tensor product(const struct mat_mul_call *call, pop_tensor a, pop_tensor b, pop_program sequence,
                          pop_type output_type, size_t rank)
{
    poplin_mat_mul_params params;
    pop_tensor out;
    if (!are_operands(call, a, b, output_type, rank, &params))
        return (pop_tensor){ 0 };
    a = mat_mul_grouped(call, a);
    b = mat_mul_grouped(call, b);
    if (mat_mul_is_for_host(call)) {
        out = mat_mul_new_output(call, &params);
        poplin_host_mat_mul(call->where, call->graph, a, b, out, (pop_tensor){ 0 }, sequence, call->name);
    } else {
        out = mat_mul_conv_product(call, &params, a, b, sequence);
    }
    return rank == 3 ? out : pop_tensor_squeeze_at(call->where, out, POP_DIMS(0));
}

pop_tensor poplin_mat_mul_typed_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b, pop_program sequence,
                                   pop_type output_type, const char *name, pop_options options,
                                   poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, a, b, log_type(output_type), name, options);
    struct mat_mul_call call;
    if (!mat_mul_begin(&call, where, graph, "poplin_mat_mul", name, options, cache))
        return (pop_tensor){ 0 };
    return product(&call, a, b, sequence, output_type, 2);
}
pop_tensor poplin_mat_mul_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b, pop_program sequence,
                             const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, a, b, name, options);
    return poplin_mat_mul_typed_at(where, graph, a, b, sequence, pop_tensor_valid(a) ? pop_tensor_type(a) : POP_FLOAT,
                                   name, options, cache);
}
pop_tensor poplin_mat_mul_grouped_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b,
                                     pop_program sequence, pop_type output_type, const char *name, pop_options options,
                                     poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, a, b, log_type(output_type), name, options);
    struct mat_mul_call call;
    if (!mat_mul_begin(&call, where, graph, "poplin_mat_mul_grouped", name, options, cache))
        return (pop_tensor){ 0 };
    return product(&call, a, b, sequence, output_type, 3);
}

/* Transposes blocks of a product of halves whose innermost dimension is not that of `like`, as poplibs of 2021 does:
 * the exchange moves words. */
static pop_tensor transposed_like(const struct mat_mul_call *call, pop_tensor product, pop_tensor like,
                                  pop_program sequence)
{
    if (!pop_tensor_valid(product) || pop_tensor_type(product) != POP_HALF ||
        pop_graph_target(call->graph)->poplibs_release != POP_POPLIBS_2021)
        return product;
    return popops_regroup_if_beneficial_at(call->where, call->graph, product, like, sequence, call->name);
}

/* Writes the product to an existing tensor, or adds it with a factor. */
static void product_to(const struct mat_mul_call *call, pop_tensor a, pop_tensor b, pop_tensor out, pop_tensor factor,
                       pop_program sequence, size_t rank)
{
    poplin_mat_mul_params params;
    if (!mat_mul_is_operand(call, "the result", out) ||
        !are_operands(call, a, b, pop_tensor_type(out), rank, &params) || !is_result(call, out, &params, rank))
        return;
    a = mat_mul_grouped(call, a);
    b = mat_mul_grouped(call, b);
    out = mat_mul_grouped(call, out);
    if (mat_mul_is_for_host(call)) {
        poplin_host_mat_mul(call->where, call->graph, a, b, out, factor, sequence, call->name);
        return;
    }
    pop_tensor product = mat_mul_conv_product(call, &params, a, b, sequence);
    if (pop_tensor_valid(factor))
        popops_scaled_add_to_at(call->where, call->graph, out, transposed_like(call, product, out, sequence), factor,
                                sequence, call->name, POP_NO_OPTIONS);
    else
        pop_sequence_add_at(call->where, sequence, pop_copy_at(call->where, product, out, false, call->name));
}

static void with_output(const struct mat_mul_call *call, pop_tensor a, pop_tensor b, pop_tensor out,
                        pop_program sequence, size_t rank)
{
    product_to(call, a, b, out, (pop_tensor){ 0 }, sequence, rank);
}
void poplin_mat_mul_with_output_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b, pop_tensor out,
                                   pop_program sequence, const char *name, pop_options options,
                                   poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, a, b, out, name, options);
    struct mat_mul_call call;
    if (mat_mul_begin(&call, where, graph, "poplin_mat_mul_with_output", name, options, cache))
        with_output(&call, a, b, out, sequence, 2);
}
void poplin_mat_mul_grouped_with_output_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b,
                                           pop_tensor out, pop_program sequence, const char *name, pop_options options,
                                           poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, a, b, out, name, options);
    struct mat_mul_call call;
    if (mat_mul_begin(&call, where, graph, "poplin_mat_mul_grouped_with_output", name, options, cache))
        with_output(&call, a, b, out, sequence, 3);
}

static void accumulate(const struct mat_mul_call *call, pop_tensor c, pop_tensor k, pop_tensor a, pop_tensor b,
                       pop_program sequence, size_t rank)
{
    if (!poplibs_is_scale(call->graph, call->where, call->api, "the factor", k))
        return;
    pop_type type = pop_tensor_type(k);
    if (pop_tensor_num_elements(k) != 1 || (type != POP_HALF && type != POP_FLOAT)) {
        char shape[96];
        struct mat_mul_dims dims;
        poplibs_fail(call->graph, POP_TYPE_ERROR, call->where, call->api,
                     "the factor is %s%s; it must be one half or float", pop_type_name(type),
                     poplibs_shape_text(shape, sizeof(shape), mat_mul_shape_of(k, &dims)));
        return;
    }
    if (type == POP_HALF)
        k = popops_cast_at(call->where, call->graph, k, POP_FLOAT, sequence, call->name);
    product_to(call, a, b, c, pop_tensor_reshape_at(call->where, k, POP_SHAPE()), sequence, rank);
}
static void accumulate_number(const struct mat_mul_call *call, pop_tensor c, float k, pop_tensor a, pop_tensor b,
                              pop_program sequence, size_t rank)
{
    char path[POPLIBS_PATH_SIZE];
    pop_tensor factor = pop_graph_add_constant_at(call->where, call->graph, POP_FLOAT, POP_SHAPE(), POP_FLOAT, &k,
                                                  poplibs_path(path, sizeof(path), call->name, "factor"));
    pop_graph_set_tile_mapping_at(call->where, call->graph, factor, 0);
    accumulate(call, c, factor, a, b, sequence, rank);
}

void poplin_mat_mul_acc_at(pop_where where, pop_graph *graph, pop_tensor c, float k, pop_tensor a, pop_tensor b,
                           pop_program sequence, const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, c, k, a, b, name, options);
    struct mat_mul_call call;
    if (mat_mul_begin(&call, where, graph, "poplin_mat_mul_acc", name, options, cache))
        accumulate_number(&call, c, k, a, b, sequence, 2);
}
void poplin_mat_mul_acc_tensor_at(pop_where where, pop_graph *graph, pop_tensor c, pop_tensor k, pop_tensor a,
                                  pop_tensor b, pop_program sequence, const char *name, pop_options options,
                                  poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, c, k, a, b, name, options);
    struct mat_mul_call call;
    if (mat_mul_begin(&call, where, graph, "poplin_mat_mul_acc_tensor", name, options, cache))
        accumulate(&call, c, k, a, b, sequence, 2);
}
void poplin_mat_mul_grouped_acc_at(pop_where where, pop_graph *graph, pop_tensor c, float k, pop_tensor a, pop_tensor b,
                                   pop_program sequence, const char *name, pop_options options,
                                   poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, c, k, a, b, name, options);
    struct mat_mul_call call;
    if (mat_mul_begin(&call, where, graph, "poplin_mat_mul_grouped_acc", name, options, cache))
        accumulate_number(&call, c, k, a, b, sequence, 3);
}
void poplin_mat_mul_grouped_acc_tensor_at(pop_where where, pop_graph *graph, pop_tensor c, pop_tensor k, pop_tensor a,
                                          pop_tensor b, pop_program sequence, const char *name, pop_options options,
                                          poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, c, k, a, b, name, options);
    struct mat_mul_call call;
    if (mat_mul_begin(&call, where, graph, "poplin_mat_mul_grouped_acc_tensor", name, options, cache))
        accumulate(&call, c, k, a, b, sequence, 3);
}
