/* SPDX-License-Identifier: Apache-2.0 */
/* The softmax family, composed of popops operations. The dimension that is summed over comes first in all views, so
 * that values per row broadcast over it. Sums are in float. */
#include "popnn/activation/softmax.h"

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
    pop_where where;
    pop_graph *graph;
    pop_program sequence;
    const char *name;
};

/* Reduces the last dimension to an extent of 1, so that the result broadcasts over t. */
static pop_tensor reduce_last(const struct build *b, pop_tensor t, pop_type type, popops_operation op)
{
    unsigned last = (unsigned)pop_tensor_rank(t) - 1;
    pop_tensor reduced = popops_reduce_at(b->where, b->graph, t, type, POP_DIMS(last),
                                          (popops_reduce_params){ .op = op }, b->sequence, b->name, POP_NO_OPTIONS);
    return pop_tensor_expand_at(b->where, reduced, POP_DIMS(last));
}
static void binary_in_place(const struct build *b, popops_binary_op op, pop_tensor t, popops_operand by)
{
    popops_binary_in_place_at(b->where, op, b->graph, popops_operand_of_tensor(t), by, b->sequence, b->name);
}
/* Casts to the type of another tensor. */
static pop_tensor cast_like(const struct build *b, pop_tensor t, pop_tensor other)
{
    if (pop_tensor_type(t) == pop_tensor_type(other))
        return t;
    return popops_cast_at(b->where, b->graph, t, pop_tensor_type(other), b->sequence, b->name);
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
    size_t columns = pop_tensor_dim(t, pop_tensor_rank(t) - 1), rows = pop_tensor_num_elements(t) / columns,
           vertices = host_row_vertices(rows, columns);
    pop_tensor flat = pop_tensor_flatten_at(b->where, t);
    popnn_add_codelets_at(b->where, b->graph); /* the operations on other devices need those of popops alone */
    pop_compute_set set = pop_graph_add_compute_set_at(b->where, b->graph, b->name);
    for (size_t i = 0; i < vertices && poplibs_ready(b->graph); ++i) {
        pop_interval part = poplibs_cpu_part(rows, vertices, i);
        pop_vertex vertex = pop_graph_add_vertex_at(b->where, b->graph, set, "popnn::HostSoftmax");
        pop_graph_map_vertex_at(b->where, b->graph, vertex, 0);
        pop_graph_connect_at(b->where, b->graph, vertex, "data",
                             pop_tensor_slice_at(b->where, flat, part.begin * columns, part.end * columns, 0));
        pop_graph_set_field_int_at(b->where, b->graph, vertex, "rows", (int64_t)(part.end - part.begin));
        pop_graph_set_field_int_at(b->where, b->graph, vertex, "columns", (int64_t)columns);
    }
    pop_sequence_add_at(b->where, b->sequence, pop_execute_at(b->where, set, b->name));
}

void popnn_softmax_at_last(pop_where where, pop_graph *graph, popnn_non_linearity_type type, pop_tensor t,
                           pop_program sequence, const char *name)
{
    char path[POPLIBS_PATH_SIZE];
    struct build b = { where, graph, sequence, poplibs_path(path, sizeof(path), name, "SoftMax") };
    if (!pop_tensor_num_elements(t))
        return;
    if (is_served_by_host(graph, type, t)) {
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
    popops_unary_in_place_at(where, POPOPS_UNARY_EXPONENT, graph, t, sequence, b.name);
    pop_tensor factor = reduce_last(&b, t, POP_FLOAT, POPOPS_ADD);
    popops_unary_in_place_at(where, POPOPS_UNARY_INVERSE, graph, factor, sequence, b.name);
    if (type == POPNN_SOFTMAX_SCALED)
        binary_in_place(&b, POPOPS_BINARY_MULTIPLY, factor, popops_operand_of_double((double)POPNN_SOFTMAX_SCALING));
    binary_in_place(&b, POPOPS_BINARY_MULTIPLY, t, popops_operand_of_tensor(cast_like(&b, factor, t)));
}

pop_tensor popnn_softmax_gradient(pop_where where, pop_graph *graph, pop_tensor act, pop_tensor out_gradient,
                                  pop_program sequence, const char *name)
{
    char path[POPLIBS_PATH_SIZE];
    struct build b = { where, graph, sequence, poplibs_path(path, sizeof(path), name, "SoftMaxGrad") };
    if (!pop_tensor_num_elements(act))
        return pop_graph_clone_at(where, graph, POP_TYPE_NULL, out_gradient, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES,
                                  path);
    pop_tensor gradient = popops_binary_at(where, POPOPS_BINARY_MULTIPLY, graph, popops_operand_of_tensor(out_gradient),
                                           popops_operand_of_tensor(act), sequence, path);
    if (!poplibs_ready(graph))
        return (pop_tensor){ 0 };
    /* act g - act (sum of act g); the product is available. */
    pop_tensor sum = cast_like(&b, reduce_last(&b, gradient, POP_FLOAT, POPOPS_ADD), act);
    pop_tensor share = popops_binary_at(where, POPOPS_BINARY_MULTIPLY, graph, popops_operand_of_tensor(act),
                                        popops_operand_of_tensor(sum), sequence, path);
    binary_in_place(&b, POPOPS_BINARY_SUBTRACT, gradient, popops_operand_of_tensor(share));
    return poplibs_ready(graph) ? gradient : (pop_tensor){ 0 };
}

/* ---- logarithms ---- */

static bool check_log_softmax(pop_graph *graph, pop_where where, const char *api, pop_tensor t)
{
    if (!poplibs_ready(graph) || !popnn_check_floating(graph, where, api, "the tensor", t))
        return false;
    return pop_tensor_rank(t) > 0 ||
           poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "it goes along the last dimension; this is a scalar");
}

/* x - max, minus the logarithm of the sum of the exponentials. */
static void log_softmax(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence, const char *name)
{
    char path[POPLIBS_PATH_SIZE];
    struct build b = { where, graph, sequence, poplibs_path(path, sizeof(path), name, "LogSoftmax") };
    if (!pop_tensor_num_elements(t))
        return;
    binary_in_place(&b, POPOPS_BINARY_SUBTRACT, t,
                    popops_operand_of_tensor(reduce_last(&b, t, POP_TYPE_NULL, POPOPS_MAX)));
    pop_tensor exponentials = popops_unary_at(where, POPOPS_UNARY_EXPONENT, graph, t, sequence, path);
    if (!poplibs_ready(graph))
        return;
    pop_tensor sum = reduce_last(&b, exponentials, POP_FLOAT, POPOPS_ADD);
    popops_unary_in_place_at(where, POPOPS_UNARY_LOGARITHM, graph, sum, sequence, path);
    binary_in_place(&b, POPOPS_BINARY_SUBTRACT, t, popops_operand_of_tensor(cast_like(&b, sum, t)));
}

void popnn_log_softmax_in_place_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence,
                                   const char *name)
{
    POPLIBS_CALL(graph, t, name);
    if (check_log_softmax(graph, where, "popnn_log_softmax_in_place", t))
        log_softmax(where, graph, t, sequence, name);
}
pop_tensor popnn_log_softmax_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence, const char *name)
{
    POPLIBS_CALL(graph, t, name);
    if (!check_log_softmax(graph, where, "popnn_log_softmax", t))
        return (pop_tensor){ 0 };
    pop_tensor out = poputil_duplicate_at(where, graph, t, sequence, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, name);
    if (poplibs_ready(graph))
        log_softmax(where, graph, out, sequence, name);
    return poplibs_ready(graph) ? out : (pop_tensor){ 0 };
}
