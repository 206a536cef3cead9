/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the sources of matrix products share. */
#ifndef POPLIN_PRODUCT_MAT_MUL_CALL_H
#define POPLIN_PRODUCT_MAT_MUL_CALL_H

#include "poplibs/call.h"

#include <poplin/mat_mul.h>

/* The arguments that all calls share; the options are checked and converted to those of a convolution. */
struct mat_mul_call {
    const struct call *call;
    poplin_planning_cache *cache;
    pop_option list[POPLIN_MAX_MAT_MUL_OPTIONS];
    size_t options;
    bool rhs_is_arranged; /* as the caller declared */
};
static inline pop_options mat_mul_options(const struct mat_mul_call *request)
{
    return (pop_options){ request->list, request->options };
}

/* A tensor's shape; dims is its storage. */
struct mat_mul_dims {
    size_t list[POP_TENSOR_RUNS];
};
static inline pop_shape mat_mul_shape_of(pop_tensor t, struct mat_mul_dims *dims)
{
    size_t rank = pop_tensor_shape(t, dims->list, POP_TENSOR_RUNS);
    return (pop_shape){ poplibs_min(rank, POP_TENSOR_RUNS), dims->list };
}
/* Checks that a tensor is valid and mapped; false after an error of the graph. */
static inline bool mat_mul_is_operand(const struct mat_mul_call *request, const char *what, pop_tensor t)
{
    return call_takes(request->call, what, t);
}
/* Views a matrix as a group of one. */
static inline pop_tensor mat_mul_grouped(const struct mat_mul_call *request, pop_tensor t)
{
    const struct call *call = request->call;
    return pop_tensor_rank(t) == 3 ? t : pop_tensor_expand(t, POP_DIMS(0));
}

static inline bool mat_mul_is_for_host(const struct mat_mul_call *request)
{
    return pop_graph_target(request->call->graph)->type == POP_TARGET_CPU;
}

#endif
