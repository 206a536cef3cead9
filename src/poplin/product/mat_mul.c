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

static bool are_operands(const struct mat_mul_call *request, pop_tensor a, pop_tensor b, pop_type output_type,
                         size_t rank, poplin_mat_mul_params *params)
{
    if (!mat_mul_is_operand(request, "the first operand", a) || !mat_mul_is_operand(request, "the second operand", b))
        return false;
    if (pop_tensor_type(a) != pop_tensor_type(b))
        return poplibs_fail(request->graph, POP_TYPE_ERROR, request->where, request->api,
                            "operands are %s and %s; both must have the same type", pop_type_name(pop_tensor_type(a)),
                            pop_type_name(pop_tensor_type(b)));
    struct mat_mul_dims a_dims, b_dims;
    return mat_mul_shapes(request, pop_tensor_type(a), output_type, mat_mul_shape_of(a, &a_dims),
                          mat_mul_shape_of(b, &b_dims), rank, params);
}
static bool is_result(const struct mat_mul_call *request, pop_tensor out, const poplin_mat_mul_params *params,
                      size_t rank)
{
    const size_t wanted[] = { params->a_shape[0], params->a_shape[1], params->b_shape[2] };
    struct mat_mul_dims dims;
    pop_shape shape = mat_mul_shape_of(out, &dims);
    char given[96], must[96];
    if (shape.rank != rank || memcmp(shape.dims, wanted + 3 - rank, rank * sizeof(size_t)) != 0)
        return poplibs_fail(request->graph, POP_POPLAR_ERROR, request->where, request->api,
                            "the result has shape %s; the product has %s",
                            poplibs_shape_text(given, sizeof(given), shape),
                            poplibs_shape_text(must, sizeof(must), (pop_shape){ rank, wanted + 3 - rank }));
    if (!pop_tensor_is_parallel_writeable(out))
        return poplibs_fail(request->graph, POP_POPLAR_ERROR, request->where, request->api,
                            "the result contains constants or repeated elements");
    return true;
}

/* ---- products ---- */

static pop_tensor product(const struct mat_mul_call *request, pop_tensor a, pop_tensor b, pop_program sequence,
                          pop_type output_type, size_t rank)
{
    poplin_mat_mul_params params;
    pop_tensor out;
    if (!are_operands(request, a, b, output_type, rank, &params))
        return (pop_tensor){ 0 };
    a = mat_mul_grouped(request, a);
    b = mat_mul_grouped(request, b);
    if (mat_mul_is_for_host(request)) {
        out = mat_mul_new_output(request, &params);
        poplin_host_mat_mul(request->where, request->graph, a, b, out, (pop_tensor){ 0 }, sequence, request->name);
    } else {
        out = mat_mul_conv_product(request, &params, a, b, sequence);
    }
    return rank == 3 ? out : pop_tensor_squeeze_at(request->where, out, POP_DIMS(0));
}

pop_tensor poplin_mat_mul_typed_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b, pop_program sequence,
                                   pop_type output_type, const char *name, pop_options options,
                                   poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, a, b, log_type(output_type), name, options);
    struct mat_mul_call request;
    if (!mat_mul_begin(&request, where, graph, "poplin_mat_mul", name, options, cache))
        return (pop_tensor){ 0 };
    return product(&request, a, b, sequence, output_type, 2);
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
    struct mat_mul_call request;
    if (!mat_mul_begin(&request, where, graph, "poplin_mat_mul_grouped", name, options, cache))
        return (pop_tensor){ 0 };
    return product(&request, a, b, sequence, output_type, 3);
}

/* Transposes blocks of a product of halves whose innermost dimension is not that of `like`, as poplibs of 2021 does:
 * the exchange moves words. */
static pop_tensor transposed_like(const struct mat_mul_call *request, pop_tensor product, pop_tensor like,
                                  pop_program sequence)
{
    if (!pop_tensor_valid(product) || pop_tensor_type(product) != POP_HALF ||
        pop_graph_target(request->graph)->poplibs_release != POP_POPLIBS_2021)
        return product;
    return popops_regroup_if_beneficial_at(request->where, request->graph, product, like, sequence, request->name);
}

/* Writes the product to an existing tensor, or adds it with a factor. */
static void product_to(const struct mat_mul_call *request, pop_tensor a, pop_tensor b, pop_tensor out,
                       pop_tensor factor, pop_program sequence, size_t rank)
{
    poplin_mat_mul_params params;
    if (!mat_mul_is_operand(request, "the result", out) ||
        !are_operands(request, a, b, pop_tensor_type(out), rank, &params) || !is_result(request, out, &params, rank))
        return;
    a = mat_mul_grouped(request, a);
    b = mat_mul_grouped(request, b);
    out = mat_mul_grouped(request, out);
    if (mat_mul_is_for_host(request)) {
        poplin_host_mat_mul(request->where, request->graph, a, b, out, factor, sequence, request->name);
        return;
    }
    pop_tensor product = mat_mul_conv_product(request, &params, a, b, sequence);
    if (pop_tensor_valid(factor))
        popops_scaled_add_to_at(request->where, request->graph, out, transposed_like(request, product, out, sequence),
                                factor, sequence, request->name, POP_NO_OPTIONS);
    else
        pop_sequence_add_at(request->where, sequence, pop_copy_at(request->where, product, out, false, request->name));
}

static void with_output(const struct mat_mul_call *request, pop_tensor a, pop_tensor b, pop_tensor out,
                        pop_program sequence, size_t rank)
{
    product_to(request, a, b, out, (pop_tensor){ 0 }, sequence, rank);
}
void poplin_mat_mul_with_output_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b, pop_tensor out,
                                   pop_program sequence, const char *name, pop_options options,
                                   poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, a, b, out, name, options);
    struct mat_mul_call request;
    if (mat_mul_begin(&request, where, graph, "poplin_mat_mul_with_output", name, options, cache))
        with_output(&request, a, b, out, sequence, 2);
}
void poplin_mat_mul_grouped_with_output_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b,
                                           pop_tensor out, pop_program sequence, const char *name, pop_options options,
                                           poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, a, b, out, name, options);
    struct mat_mul_call request;
    if (mat_mul_begin(&request, where, graph, "poplin_mat_mul_grouped_with_output", name, options, cache))
        with_output(&request, a, b, out, sequence, 3);
}

static void accumulate(const struct mat_mul_call *request, pop_tensor c, pop_tensor k, pop_tensor a, pop_tensor b,
                       pop_program sequence, size_t rank)
{
    if (!poplibs_is_scale(request->graph, request->where, request->api, "the factor", k))
        return;
    pop_type type = pop_tensor_type(k);
    if (pop_tensor_num_elements(k) != 1 || (type != POP_HALF && type != POP_FLOAT)) {
        char shape[96];
        struct mat_mul_dims dims;
        poplibs_fail(request->graph, POP_TYPE_ERROR, request->where, request->api,
                     "the factor is %s%s; it must be one half or float", pop_type_name(type),
                     poplibs_shape_text(shape, sizeof(shape), mat_mul_shape_of(k, &dims)));
        return;
    }
    if (type == POP_HALF)
        k = popops_cast_at(request->where, request->graph, k, POP_FLOAT, sequence, request->name);
    product_to(request, a, b, c, pop_tensor_reshape_at(request->where, k, POP_SHAPE()), sequence, rank);
}
static void accumulate_number(const struct mat_mul_call *request, pop_tensor c, float k, pop_tensor a, pop_tensor b,
                              pop_program sequence, size_t rank)
{
    char path[POPLIBS_PATH_SIZE];
    pop_tensor factor = pop_graph_add_constant_at(request->where, request->graph, POP_FLOAT, POP_SHAPE(), POP_FLOAT, &k,
                                                  poplibs_path(path, sizeof(path), request->name, "factor"));
    pop_graph_set_tile_mapping_at(request->where, request->graph, factor, 0);
    accumulate(request, c, factor, a, b, sequence, rank);
}

void poplin_mat_mul_acc_at(pop_where where, pop_graph *graph, pop_tensor c, float k, pop_tensor a, pop_tensor b,
                           pop_program sequence, const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, c, k, a, b, name, options);
    struct mat_mul_call request;
    if (mat_mul_begin(&request, where, graph, "poplin_mat_mul_acc", name, options, cache))
        accumulate_number(&request, c, k, a, b, sequence, 2);
}
void poplin_mat_mul_acc_tensor_at(pop_where where, pop_graph *graph, pop_tensor c, pop_tensor k, pop_tensor a,
                                  pop_tensor b, pop_program sequence, const char *name, pop_options options,
                                  poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, c, k, a, b, name, options);
    struct mat_mul_call request;
    if (mat_mul_begin(&request, where, graph, "poplin_mat_mul_acc_tensor", name, options, cache))
        accumulate(&request, c, k, a, b, sequence, 2);
}
void poplin_mat_mul_grouped_acc_at(pop_where where, pop_graph *graph, pop_tensor c, float k, pop_tensor a, pop_tensor b,
                                   pop_program sequence, const char *name, pop_options options,
                                   poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, c, k, a, b, name, options);
    struct mat_mul_call request;
    if (mat_mul_begin(&request, where, graph, "poplin_mat_mul_grouped_acc", name, options, cache))
        accumulate_number(&request, c, k, a, b, sequence, 3);
}
void poplin_mat_mul_grouped_acc_tensor_at(pop_where where, pop_graph *graph, pop_tensor c, pop_tensor k, pop_tensor a,
                                          pop_tensor b, pop_program sequence, const char *name, pop_options options,
                                          poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, c, k, a, b, name, options);
    struct mat_mul_call request;
    if (mat_mul_begin(&request, where, graph, "poplin_mat_mul_grouped_acc_tensor", name, options, cache))
        accumulate(&request, c, k, a, b, sequence, 3);
}
