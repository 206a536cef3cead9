/* SPDX-License-Identifier: Apache-2.0 */
/* The softmax family, composed of popops operations. The dimension that is summed over comes first in all views, so
 * that values per row broadcast over it. Sums are in float. */
#include "popnn/activation/softmax.h"

#include "poplibs/elements.h"
#include "poplibs/log.h"
#include "popnn/host_rows.h"
#include "popnn/support.h"

#include <math.h>
#include <popnn/codelets.h>
#include <popnn/log_softmax.h>
#include <popops/cast.h>
#include <popops/element_wise.h>
#include <popops/reduce.h>
#include <poputil/util.h>

struct build {
    const struct call *call;
    const char *name;
};

/* Reduces the last dimension to an extent of 1, so that the result broadcasts over t. */
static pop_tensor reduce_last(const struct build *b, pop_tensor t, pop_type type, popops_operation op)
{
    const struct call *call = b->call;
    unsigned last = (unsigned)pop_tensor_rank(t) - 1;
    pop_tensor reduced = popops_reduce(call->graph, t, type, POP_DIMS(last), (popops_reduce_params){ .op = op },
                                       call->sequence, b->name, POP_NO_OPTIONS);
    return pop_tensor_expand(reduced, POP_DIMS(last));
}
static void binary_in_place(const struct build *b, popops_binary_op op, pop_tensor t, popops_operand by)
{
    popops_binary_in_place_at(b->call->where, op, b->call->graph, popops_operand_of_tensor(t), by, b->call->sequence,
                              b->name);
}
/* Casts to the type of another tensor. */
static pop_tensor cast_like(const struct build *b, pop_tensor t, pop_tensor other)
{
    const struct call *call = b->call;
    if (pop_tensor_type(t) == pop_tensor_type(other))
        return t;
    return popops_cast(call->graph, t, pop_tensor_type(other), call->sequence, b->name);
}

/* ---- on a CPU device ---- */

static bool is_served_by_host(pop_graph *graph, popnn_non_linearity_type type, pop_tensor t)
{
    return pop_graph_target(graph)->type == POP_TARGET_CPU && type == POPNN_SOFTMAX_STABLE &&
           pop_tensor_type(t) == POP_FLOAT && pop_tensor_is_contiguous(t);
}
/* All steps in one vertex for each range of rows. */
static void host_softmax(const struct build *b, pop_tensor t)
{
    const struct call *call = b->call;
    size_t columns = pop_tensor_dim(t, pop_tensor_rank(t) - 1), rows = pop_tensor_num_elements(t) / columns,
           vertices = host_row_vertices(rows, columns);
    pop_tensor flat = pop_tensor_flatten(t);
    popnn_add_codelets(call->graph); /* the operations on other devices need those of popops alone */
    pop_compute_set set = pop_graph_add_compute_set(call->graph, b->name);
    for (size_t i = 0; i < vertices && call_ready(call); ++i) {
        pop_interval part = poplibs_cpu_part(rows, vertices, i);
        pop_vertex vertex = call_vertex(call, set, "popnn::HostSoftmax", 0);
        call_connect(call, vertex, "data", pop_tensor_slice(flat, part.begin * columns, part.end * columns, 0));
        call_set(call, vertex, "rows", part.end - part.begin);
        call_set(call, vertex, "columns", columns);
    }
    call_execute(call, set, b->name);
}

void softmax_at_last(const struct call *call, popnn_non_linearity_type type, pop_tensor t)
{
    struct build b = { call, call_path(call, call->name, "SoftMax") };
    if (!pop_tensor_num_elements(t))
        return;
    if (is_served_by_host(call->graph, type, t)) {
        host_softmax(&b, t);
        return;
    }
    if (type != POPNN_SOFTMAX) {
        pop_tensor largest = reduce_last(&b, t, POP_TYPE_NULL, POPOPS_MAX);
        if (type == POPNN_SOFTMAX_SCALED) /* scales the exponentials to use the whole range of half */
            binary_in_place(&b, POPOPS_BINARY_SUBTRACT, largest,
                            popops_operand_of_double(log((double)POPNN_SOFTMAX_SCALING)));
        binary_in_place(&b, POPOPS_BINARY_SUBTRACT, t, popops_operand_of_tensor(largest));
    }
    call_unary_in_place(call, POPOPS_UNARY_EXPONENT, t, b.name);
    pop_tensor factor = reduce_last(&b, t, POP_FLOAT, POPOPS_ADD);
    call_unary_in_place(call, POPOPS_UNARY_INVERSE, factor, b.name);
    if (type == POPNN_SOFTMAX_SCALED)
        binary_in_place(&b, POPOPS_BINARY_MULTIPLY, factor, popops_operand_of_double((double)POPNN_SOFTMAX_SCALING));
    binary_in_place(&b, POPOPS_BINARY_MULTIPLY, t, popops_operand_of_tensor(cast_like(&b, factor, t)));
}

pop_tensor softmax_gradient(const struct call *call, pop_tensor act, pop_tensor out_gradient)
{
    const char *path = call_path(call, call->name, "SoftMaxGrad");
    struct build b = { call, path };
    if (!pop_tensor_num_elements(act))
        return pop_graph_clone(call->graph, POP_TYPE_NULL, out_gradient, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, path);
    pop_tensor gradient = call_binary(call, POPOPS_BINARY_MULTIPLY, out_gradient, act, path);
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    /* act g - act (sum of act g); the product is available. */
    pop_tensor sum = cast_like(&b, reduce_last(&b, gradient, POP_FLOAT, POPOPS_ADD), act);
    pop_tensor share = call_binary(call, POPOPS_BINARY_MULTIPLY, act, sum, path);
    binary_in_place(&b, POPOPS_BINARY_SUBTRACT, gradient, popops_operand_of_tensor(share));
    return call_ready(call) ? gradient : (pop_tensor){ 0 };
}

/* ---- logarithms ---- */

static bool check_log_softmax(const struct call *call, pop_tensor t)
{
    if (!call_ready(call) || !check_floating(call, "the tensor", t))
        return false;
    return pop_tensor_rank(t) > 0 ||
           call_fail(call, POP_POPLAR_ERROR, "it goes along the last dimension; this is a scalar");
}

/* x - max, minus the logarithm of the sum of the exponentials. */
static void log_softmax(const struct call *call, pop_tensor t)
{
    const char *path = call_path(call, call->name, "LogSoftmax");
    struct build b = { call, path };
    if (!pop_tensor_num_elements(t))
        return;
    binary_in_place(&b, POPOPS_BINARY_SUBTRACT, t,
                    popops_operand_of_tensor(reduce_last(&b, t, POP_TYPE_NULL, POPOPS_MAX)));
    pop_tensor exponentials = call_unary(call, POPOPS_UNARY_EXPONENT, t, path);
    if (!call_ready(call))
        return;
    pop_tensor sum = reduce_last(&b, exponentials, POP_FLOAT, POPOPS_ADD);
    call_unary_in_place(call, POPOPS_UNARY_LOGARITHM, sum, path);
    binary_in_place(&b, POPOPS_BINARY_SUBTRACT, t, popops_operand_of_tensor(cast_like(&b, sum, t)));
}

void popnn_log_softmax_in_place_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence,
                                   const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, t, name);
    if (check_log_softmax(call, t))
        log_softmax(call, t);
}
pop_tensor popnn_log_softmax_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, t, name);
    if (!check_log_softmax(call, t))
        return (pop_tensor){ 0 };
    pop_tensor out = poputil_duplicate(graph, t, sequence, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, name);
    if (call_ready(call))
        log_softmax(call, out);
    return call_ready(call) ? out : (pop_tensor){ 0 };
}
