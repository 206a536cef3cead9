/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives of one replica: its own data, copied. */
#include "popops/collectives/collectives.h"

#include "poplibs/log.h"
#include "poplibs/options.h"

#include <popops/collectives.h>
#include <poputil/util.h>

struct options {
    int method;
    bool replicated;
};

bool popops_check_collective(pop_where where, pop_graph *graph, const char *api, pop_tensor data, pop_options given)
{
    struct options options; /* how links are used: nothing of it counts for one replica */
    static const struct poplibs_option table[] = {
#define COLLECTIVE_OPTION(...) POPLIBS_ROW(struct options, __VA_ARGS__)
#include "poplibs/options.def"
    };
    if (!poplibs_ready(graph))
        return false;
    if (!poplibs_is_operand(graph, where, api, "the data", data))
        return false;
    unsigned replicas = pop_graph_replication_factor(graph);
    if (replicas != 1)
        return poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "the graph has %u replicas; this works on one so far",
                            replicas);
    return poplibs_parse_options(where, graph, api, given, table, sizeof(table) / sizeof(table[0]), &options);
}
bool popops_check_collective_operation(pop_where where, pop_graph *graph, const char *api, popops_operation op)
{
    return (unsigned)op < POPOPS_OPERATIONS ||
           poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "%d is no operation", (int)op);
}
static pop_tensor copy_of(pop_where where, pop_graph *graph, pop_tensor data, pop_program sequence, const char *name)
{
    return poputil_duplicate_at(where, graph, data, sequence, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, name);
}

pop_tensor popops_replicated_all_reduce_at(pop_where where, pop_graph *graph, pop_tensor data, popops_operation op,
                                           pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL(graph, data, log_name(popops_operation_name(op)), name, options);
    static const char api[] = "popops_replicated_all_reduce";
    if (!popops_check_collective(where, graph, api, data, options) ||
        !popops_check_collective_operation(where, graph, api, op))
        return (pop_tensor){ 0 };
    return copy_of(where, graph, data, sequence, name);
}
void popops_replicated_all_reduce_with_output_at(pop_where where, pop_graph *graph, pop_tensor data, pop_tensor output,
                                                 popops_operation op, pop_program sequence, const char *name,
                                                 pop_options options)
{
    POPLIBS_CALL(graph, data, output, log_name(popops_operation_name(op)), name, options);
    static const char api[] = "popops_replicated_all_reduce_with_output";
    if (popops_check_collective(where, graph, api, data, options) &&
        popops_check_collective_operation(where, graph, api, op))
        pop_sequence_add_at(where, sequence, pop_copy_at(where, data, output, false, name));
}
void popops_replicated_all_reduce_in_place_at(pop_where where, pop_graph *graph, pop_tensor data, popops_operation op,
                                              pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL(graph, data, log_name(popops_operation_name(op)), name, options);
    static const char api[] = "popops_replicated_all_reduce_in_place";
    (void)sequence, (void)name; /* nothing to do */
    if (popops_check_collective(where, graph, api, data, options))
        popops_check_collective_operation(where, graph, api, op);
}
pop_tensor popops_replicated_reduce_scatter_at(pop_where where, pop_graph *graph, pop_tensor data, popops_operation op,
                                               pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL(graph, data, log_name(popops_operation_name(op)), name, options);
    static const char api[] = "popops_replicated_reduce_scatter";
    if (!popops_check_collective(where, graph, api, data, options) ||
        !popops_check_collective_operation(where, graph, api, op))
        return (pop_tensor){ 0 };
    if (pop_tensor_rank(data) != 1) {
        poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "a tensor of rank %zu; it must be of rank 1",
                     pop_tensor_rank(data));
        return (pop_tensor){ 0 };
    }
    return copy_of(where, graph, data, sequence, name);
}
pop_tensor popops_replicated_all_gather_at(pop_where where, pop_graph *graph, pop_tensor data, pop_program sequence,
                                           const char *name, pop_options options)
{
    POPLIBS_CALL(graph, data, name, options);
    if (!popops_check_collective(where, graph, "popops_replicated_all_gather", data, options))
        return (pop_tensor){ 0 };
    return pop_tensor_expand_at(where, copy_of(where, graph, data, sequence, name), POP_DIMS(0));
}
pop_tensor popops_all_to_all_personalized_exchange_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                      pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL(graph, data, name, options);
    static const char api[] = "popops_all_to_all_personalized_exchange";
    if (!popops_check_collective(where, graph, api, data, options))
        return (pop_tensor){ 0 };
    if (!pop_tensor_rank(data) || pop_tensor_dim(data, 0) != 1) {
        poplibs_fail(graph, POP_POPLAR_ERROR, where, api,
                     "the outer dimension is %zu; it must be the number of replicas, 1", pop_tensor_dim(data, 0));
        return (pop_tensor){ 0 };
    }
    return copy_of(where, graph, data, sequence, name);
}
