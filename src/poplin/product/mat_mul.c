/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products: on CPU devices by host_gemm.c, on others as convolutions. */
#include "poplin/product/mat_mul_call.h"
#include "poplin/product/product.h"

#include "poplibs/log.h"
#include "poplin/host/host.h"

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
        return call_fail(request->call, POP_TYPE_ERROR, "operands are %s and %s; both must have the same type",
                         pop_type_name(pop_tensor_type(a)), pop_type_name(pop_tensor_type(b)));
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
        return call_fail(request->call, POP_POPLAR_ERROR, "the result has shape %s; the product has %s",
                         poplibs_shape_text(given, sizeof(given), shape),
                         poplibs_shape_text(must, sizeof(must), (pop_shape){ rank, wanted + 3 - rank }));
    return call_takes_writeable(request->call, "the result", out);
}

/* ---- products ---- */

/* An operand as it is multiplied, a group of matrices: on CPU devices QUARTER as HALF. */
static pop_tensor multiplied(const struct mat_mul_call *request, pop_tensor t)
{
    const struct call *call = request->call;
    t = mat_mul_grouped(request, t);
    return pop_tensor_type(t) == POP_QUARTER && mat_mul_is_for_host(request)
               ? popops_cast(call->graph, t, POP_HALF, call->sequence, call_path(call, call->name, "PreMacCast"))
               : t;
}

static pop_tensor product(const struct mat_mul_call *request, pop_tensor a, pop_tensor b, pop_type output_type,
                          size_t rank)
{
    const struct call *call = request->call;
    poplin_mat_mul_params params;
    pop_tensor out;
    if (!are_operands(request, a, b, output_type, rank, &params))
        return (pop_tensor){ 0 };
    a = multiplied(request, a);
    b = multiplied(request, b);
    if (mat_mul_is_for_host(request)) {
        out = mat_mul_new_output(request, &params);
        host_mat_mul(call, a, b, out, (pop_tensor){ 0 });
    } else {
        out = mat_mul_conv_product(request, &params, a, b);
    }
    return rank == 3 ? out : pop_tensor_squeeze(out, POP_DIMS(0));
}

pop_tensor poplin_mat_mul_typed_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b, pop_program sequence,
                                   pop_type output_type, const char *name, pop_options options,
                                   poplin_planning_cache *cache)
{
    POPLIBS_CALL_AS("poplin_mat_mul", sequence, graph, a, b, log_type(output_type), name, options);
    struct mat_mul_call request;
    if (!mat_mul_begin(call, &request, cache))
        return (pop_tensor){ 0 };
    return product(&request, a, b, output_type, 2);
}
pop_tensor poplin_mat_mul_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b, pop_program sequence,
                             const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, a, b, name, options);
    return poplin_mat_mul_typed(graph, a, b, sequence, pop_tensor_valid(a) ? pop_tensor_type(a) : POP_FLOAT, name,
                                options, cache);
}
pop_tensor poplin_mat_mul_grouped_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b,
                                     pop_program sequence, pop_type output_type, const char *name, pop_options options,
                                     poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, a, b, log_type(output_type), name, options);
    struct mat_mul_call request;
    if (!mat_mul_begin(call, &request, cache))
        return (pop_tensor){ 0 };
    return product(&request, a, b, output_type, 3);
}

/* Transposes blocks of a product of halves whose innermost dimension is not that of `like`, as poplibs of 2021 does:
 * the exchange moves words. */
static pop_tensor transposed_like(const struct mat_mul_call *request, pop_tensor product, pop_tensor like)
{
    const struct call *call = request->call;
    if (!pop_tensor_valid(product) || pop_tensor_type(product) != POP_HALF ||
        pop_graph_target(call->graph)->poplibs_release != POP_POPLIBS_2021)
        return product;
    return popops_regroup_if_beneficial(call->graph, product, like, call->sequence, call->name);
}

/* Writes the product to an existing tensor, or adds it with a factor. */
static void product_to(const struct mat_mul_call *request, pop_tensor a, pop_tensor b, pop_tensor out,
                       pop_tensor factor, size_t rank)
{
    const struct call *call = request->call;
    poplin_mat_mul_params params;
    if (!mat_mul_is_operand(request, "the result", out) ||
        !are_operands(request, a, b, pop_tensor_type(out), rank, &params) || !is_result(request, out, &params, rank))
        return;
    a = multiplied(request, a);
    b = multiplied(request, b);
    out = mat_mul_grouped(request, out);
    if (mat_mul_is_for_host(request)) {
        host_mat_mul(call, a, b, out, factor);
        return;
    }
    pop_tensor product = mat_mul_conv_product(request, &params, a, b);
    if (pop_tensor_valid(factor))
        popops_scaled_add_to(call->graph, out, transposed_like(request, product, out), factor, call->sequence,
                             call->name, POP_NO_OPTIONS);
    else
        call_copy(call, product, out, call->name);
}

static void with_output(const struct mat_mul_call *request, pop_tensor a, pop_tensor b, pop_tensor out, size_t rank)
{
    product_to(request, a, b, out, (pop_tensor){ 0 }, rank);
}
void poplin_mat_mul_with_output_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b, pop_tensor out,
                                   pop_program sequence, const char *name, pop_options options,
                                   poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, a, b, out, name, options);
    struct mat_mul_call request;
    if (mat_mul_begin(call, &request, cache))
        with_output(&request, a, b, out, 2);
}
void poplin_mat_mul_grouped_with_output_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b,
                                           pop_tensor out, pop_program sequence, const char *name, pop_options options,
                                           poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, a, b, out, name, options);
    struct mat_mul_call request;
    if (mat_mul_begin(call, &request, cache))
        with_output(&request, a, b, out, 3);
}

static void accumulate(const struct mat_mul_call *request, pop_tensor c, pop_tensor k, pop_tensor a, pop_tensor b,
                       size_t rank)
{
    const struct call *call = request->call;
    if (!call_takes_scale(call, "the factor", k))
        return;
    pop_type type = pop_tensor_type(k);
    if (pop_tensor_num_elements(k) != 1 || (type != POP_HALF && type != POP_FLOAT)) {
        char shape[96];
        struct mat_mul_dims dims;
        call_fail(call, POP_TYPE_ERROR, "the factor is %s%s; it must be one half or float", pop_type_name(type),
                  poplibs_shape_text(shape, sizeof(shape), mat_mul_shape_of(k, &dims)));
        return;
    }
    if (type == POP_HALF)
        k = popops_cast(call->graph, k, POP_FLOAT, call->sequence, call->name);
    product_to(request, a, b, c, pop_tensor_reshape(k, POP_SHAPE()), rank);
}
static void accumulate_number(const struct mat_mul_call *request, pop_tensor c, float k, pop_tensor a, pop_tensor b,
                              size_t rank)
{
    const struct call *call = request->call;
    pop_tensor factor = pop_graph_add_constant(call->graph, POP_FLOAT, POP_SHAPE(), POP_FLOAT, &k,
                                               call_path(call, call->name, "factor"));
    pop_graph_set_tile_mapping(call->graph, factor, 0);
    accumulate(request, c, factor, a, b, rank);
}

void poplin_mat_mul_acc_at(pop_where where, pop_graph *graph, pop_tensor c, float k, pop_tensor a, pop_tensor b,
                           pop_program sequence, const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, c, k, a, b, name, options);
    struct mat_mul_call request;
    if (mat_mul_begin(call, &request, cache))
        accumulate_number(&request, c, k, a, b, 2);
}
void poplin_mat_mul_acc_tensor_at(pop_where where, pop_graph *graph, pop_tensor c, pop_tensor k, pop_tensor a,
                                  pop_tensor b, pop_program sequence, const char *name, pop_options options,
                                  poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, c, k, a, b, name, options);
    struct mat_mul_call request;
    if (mat_mul_begin(call, &request, cache))
        accumulate(&request, c, k, a, b, 2);
}
void poplin_mat_mul_grouped_acc_at(pop_where where, pop_graph *graph, pop_tensor c, float k, pop_tensor a, pop_tensor b,
                                   pop_program sequence, const char *name, pop_options options,
                                   poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, c, k, a, b, name, options);
    struct mat_mul_call request;
    if (mat_mul_begin(call, &request, cache))
        accumulate_number(&request, c, k, a, b, 3);
}
void poplin_mat_mul_grouped_acc_tensor_at(pop_where where, pop_graph *graph, pop_tensor c, pop_tensor k, pop_tensor a,
                                          pop_tensor b, pop_program sequence, const char *name, pop_options options,
                                          poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, c, k, a, b, name, options);
    struct mat_mul_call request;
    if (mat_mul_begin(call, &request, cache))
        accumulate(&request, c, k, a, b, 3);
}
