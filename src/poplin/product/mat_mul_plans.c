/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of products' plans, and planning in advance. */
#include "poplibs/log.h"
#include "poplin/params/params.h"
#include "poplin/product/mat_mul_call.h"
#include "poplin/product/product.h"

static size_t report(const struct mat_mul_call *request, pop_type input_type, pop_type output_type, pop_shape a,
                     pop_shape b, size_t rank, char *buffer, size_t size)
{
    const struct call *call = request->call;
    poplin_mat_mul_params params;
    if (size)
        buffer[0] = 0;
    if (!mat_mul_shapes(request, input_type, output_type, a, b, rank, &params))
        return 0;
    if (mat_mul_is_for_host(request))
        return (size_t)snprintf(buffer, size, "%zu x {%zu,%zu} {%zu,%zu}: on the host\n", params.a_shape[0],
                                params.a_shape[1], params.a_shape[2], params.b_shape[1], params.b_shape[2]);
    poplin_conv_params conv = poplin_mat_mul_conv_params(&params);
    return poplin_report_plan_info(call->graph, &conv, mat_mul_options(request), request->cache, buffer, size);
}
size_t poplin_mat_mul_report_plan_at(pop_where where, pop_graph *graph, pop_type input_type, pop_type output_type,
                                     pop_shape a_shape, pop_shape b_shape, pop_options options,
                                     poplin_planning_cache *cache, char *buffer, size_t size)
{
    POPLIBS_CALL(graph, log_type(input_type), log_type(output_type), a_shape, b_shape, options, size);
    struct mat_mul_call request;
    if (!mat_mul_begin(call, &request, cache))
        return 0;
    return report(&request, input_type, output_type, a_shape, b_shape, 2, buffer, size);
}
size_t poplin_mat_mul_grouped_report_plan_at(pop_where where, pop_graph *graph, pop_type input_type,
                                             pop_type output_type, pop_shape a_shape, pop_shape b_shape,
                                             pop_options options, poplin_planning_cache *cache, char *buffer,
                                             size_t size)
{
    POPLIBS_CALL(graph, log_type(input_type), log_type(output_type), a_shape, b_shape, options, size);
    struct mat_mul_call request;
    if (!mat_mul_begin(call, &request, cache))
        return 0;
    return report(&request, input_type, output_type, a_shape, b_shape, 3, buffer, size);
}

/* Checks a request's shapes, types and options, which it converts to those of a convolution in `list`. */
static pop_status read_request(const struct call *call, const poplin_mat_mul_plan_request *given, pop_option *list,
                               size_t *options, pop_error *error)
{
    const poplin_mat_mul_params *params = &given->params;
    struct mat_mul_call request;
    poplin_mat_mul_params same;
    pop_error found;
    struct call own = call_reporting(call, &found);
    own.options = given->options;
    if (!given->target)
        return call_set_error(call, error, POP_POPLAR_ERROR, "a request's target is NULL");
    if (!mat_mul_begin(&own, &request, NULL) ||
        !mat_mul_shapes(&request, params->input_type, params->output_type, (pop_shape){ 3, params->a_shape },
                        (pop_shape){ 3, params->b_shape }, 3, &same))
        return call_report(&own, error);
    memcpy(list, request.list, request.options * sizeof(*list));
    *options = request.options;
    return POP_OK;
}

pop_status poplin_preplan_mat_muls_at(pop_where where, const poplin_mat_mul_plan_request *requests, size_t count,
                                      poplin_planning_cache *cache, pop_error *error)
{
    POPLIBS_CALL(NULL, count);
    poplin_conv_plan_request *convs = poplibs_new(count, sizeof(*convs));
    poplin_conv_params *params = poplibs_new(count, sizeof(*params));
    pop_option *lists = poplibs_new(count, POPLIN_MAX_MAT_MUL_OPTIONS * sizeof(*lists));
    pop_status status = POP_OK;
    size_t planned = 0; /* products on CPU devices have no plan */
    for (size_t i = 0; i < count && status == POP_OK; ++i) {
        pop_option *list = lists + i * POPLIN_MAX_MAT_MUL_OPTIONS;
        size_t options = 0;
        status = read_request(call, &requests[i], list, &options, error);
        if (status != POP_OK)
            break;
        params[i] = poplin_mat_mul_conv_params(&requests[i].params);
        if (requests[i].target->type != POP_TARGET_CPU)
            convs[planned++] = (poplin_conv_plan_request){ requests[i].target, &params[i], { list, options } };
    }
    if (status == POP_OK && planned)
        status = poplin_preplan_convolutions(convs, planned, cache, error);
    free(lists);
    free(params);
    free(convs);
    return status;
}
