/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives of all replicas under their older names, with the operations of reductions. */
#include "popops/collectives/collectives.h"

#include "poplibs/log.h"

pop_tensor popops_replicated_all_reduce_at(pop_where where, pop_graph *graph, pop_tensor data, popops_operation op,
                                           pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, data, log_name(popops_operation_name(op)), name, options);
    popops_collective_operator as;
    return collective_operator_of(call, op, &as) ? collective_all_reduce(call, data, as, POPOPS_ALL_REPLICAS)
                                                 : (pop_tensor){ 0 };
}

void popops_replicated_all_reduce_with_output_at(pop_where where, pop_graph *graph, pop_tensor data, pop_tensor output,
                                                 popops_operation op, pop_program sequence, const char *name,
                                                 pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, data, output, log_name(popops_operation_name(op)), name, options);
    popops_collective_operator as;
    if (collective_operator_of(call, op, &as))
        collective_all_reduce_to(call, data, output, as, POPOPS_ALL_REPLICAS);
}

void popops_replicated_all_reduce_in_place_at(pop_where where, pop_graph *graph, pop_tensor data, popops_operation op,
                                              pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, data, log_name(popops_operation_name(op)), name, options);
    popops_collective_operator as;
    if (collective_operator_of(call, op, &as))
        collective_all_reduce_to(call, data, data, as, POPOPS_ALL_REPLICAS);
}

pop_tensor popops_replicated_reduce_scatter_at(pop_where where, pop_graph *graph, pop_tensor data, popops_operation op,
                                               pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, data, log_name(popops_operation_name(op)), name, options);
    popops_collective_operator as;
    return collective_operator_of(call, op, &as) ? collective_reduce_scatter(call, data, as, POPOPS_ALL_REPLICAS)
                                                 : (pop_tensor){ 0 };
}

pop_tensor popops_replicated_all_gather_at(pop_where where, pop_graph *graph, pop_tensor data, pop_program sequence,
                                           const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, data, name, options);
    return collective_all_gather(call, data, POPOPS_ALL_REPLICAS);
}

pop_tensor popops_all_to_all_personalized_exchange_at(pop_where where, pop_graph *graph, pop_tensor data,
                                                      pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, data, name, options);
    return collective_all_to_all(call, data, POPOPS_ALL_REPLICAS);
}
