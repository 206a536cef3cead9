/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that are one step: Execute, Sync, WriteUndef, AssumeEqualAcrossReplicas, Abort, and the call of a host
 * function. */
#include "graph/view/view.h"
#include "program/node.h"

static pop_program execute(const struct program_call *call, pop_compute_set set, const pop_tensor *consensus,
                           const char *name)
{
    pop_program program = { 0 };
    if (!store_ready(call->store))
        return program;
    if (!set.id || set.store != call->store || set.id > call->store->sets.count) {
        store_fail(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api,
                   set.id ? "the compute set belongs to another graph" : "the compute set is null");
        return program;
    }
    if (consensus && (!node_check_scalar(call, *consensus, "the consensus") ||
                      !node_check_writable(call, *consensus, "the consensus")))
        return program;
    struct program_node *node = node_add(call, PROGRAM_EXECUTE, name, &program);
    node->object = set.id - 1;
    node->source = consensus ? view_keep(*consensus) : NULL;
    return program;
}

pop_program pop_execute_at(pop_where where, pop_compute_set set, const char *name)
{
    struct program_call call = { set.store, where, "pop_execute" };
    return execute(&call, set, NULL, name);
}

pop_program pop_execute_consensus_at(pop_where where, pop_compute_set set, pop_tensor consensus, const char *name)
{
    struct program_call call = { set.store ? set.store : consensus.store, where, "pop_execute_consensus" };
    return execute(&call, set, &consensus, name);
}

pop_program pop_sync_at(pop_where where, pop_graph *graph, pop_sync_type type, const char *name)
{
    pop_program program = { 0 };
    struct program_call call = { graph ? graph->store : NULL, where, "pop_sync" };
    if (!store_ready(call.store))
        return program;
    if ((unsigned)type > POP_SYNC_GLOBAL) {
        store_fail(call.store, POP_CONTROL_PROGRAM_ERROR, where, call.api,
                   "%u is not a sync type, they are 0 (internal) to 2 (global)", (unsigned)type);
        return program;
    }
    node_add(&call, PROGRAM_SYNC, name, &program)->object = (uint32_t)type;
    return program;
}

/* Programs that only name a tensor. */
static pop_program about_tensor(const struct program_call *call, enum program_kind kind, pop_tensor t, const char *name)
{
    pop_program program = { 0 };
    if (store_ready(call->store) && node_check_tensor(call, t, "the tensor"))
        node_add(call, kind, name, &program)->source = view_keep(t);
    return program;
}

pop_program pop_write_undef_at(pop_where where, pop_tensor t, const char *name)
{
    struct program_call call = { t.store, where, "pop_write_undef" };
    return about_tensor(&call, PROGRAM_WRITE_UNDEF, t, name);
}

pop_program pop_assume_equal_across_replicas_at(pop_where where, pop_tensor t, const char *name)
{
    struct program_call call = { t.store, where, "pop_assume_equal_across_replicas" };
    return about_tensor(&call, PROGRAM_ASSUME_EQUAL, t, name);
}

static const char *message_text(pop_store *store, const char *message)
{
    return message ? arena_string(&store->arena, message) : NULL;
}

pop_program pop_abort_at(pop_where where, pop_graph *graph, const char *message, const char *name)
{
    pop_program program = { 0 };
    struct program_call call = { graph ? graph->store : NULL, where, "pop_abort" };
    if (store_ready(call.store))
        node_add(&call, PROGRAM_ABORT, name, &program)->text = message_text(call.store, message);
    return program;
}

pop_program pop_abort_on_condition_at(pop_where where, pop_tensor condition, const char *message, const char *name)
{
    pop_program program = { 0 };
    struct program_call call = { condition.store, where, "pop_abort_on_condition" };
    if (!store_ready(call.store) || !node_check_element(&call, condition, "the condition"))
        return program;
    struct program_node *node = node_add(&call, PROGRAM_ABORT_IF, name, &program);
    node->control = view_keep(condition);
    node->text = message_text(call.store, message);
    return program;
}

/* Whether tensors are the arguments that a host function declared. */
static bool check_arguments(const struct program_call *call, const pop_host_argument *wanted, size_t count,
                            pop_tensors given, bool written)
{
    const char *what = written ? "output" : "input";
    if (given.count != count)
        return store_fail(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api,
                          "%zu %ss given, the host function has %zu", given.count, what, count);
    if (!store_has_list(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api, written ? "outputs" : "inputs",
                        count, given.list))
        return false;
    for (size_t i = 0; i < count; ++i) {
        pop_tensor t = given.list[i];
        if (!(written ? node_check_writable : node_check_tensor)(call, t, what))
            return false;
        if (pop_tensor_type(t) != wanted[i].type)
            return store_fail(call->store, POP_TYPE_ERROR, call->where, call->api,
                              "%s %zu has type %s, the host function takes %s", what, i,
                              pop_type_name(pop_tensor_type(t)), pop_type_name(wanted[i].type));
        if (pop_tensor_num_elements(t) != wanted[i].elements)
            return store_fail(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api,
                              "%s %zu has %zu elements, the host function takes %zu", what, i,
                              pop_tensor_num_elements(t), wanted[i].elements);
    }
    return true;
}

pop_program pop_call_host_at(pop_where where, pop_host_function function, pop_tensors inputs, pop_tensors outputs,
                             const char *name)
{
    pop_program program = { 0 };
    struct program_call call = { function.store, where, "pop_call_host" };
    if (!store_ready(call.store))
        return program;
    if (!function.id || function.id > call.store->host_functions.count) {
        store_fail(call.store, POP_CONTROL_PROGRAM_ERROR, where, call.api, "the host function is null");
        return program;
    }
    const struct host_function *host = &call.store->host_functions.data[function.id - 1];
    if (!check_arguments(&call, host->arguments, host->input_count, inputs, false) ||
        !check_arguments(&call, host->arguments + host->input_count, host->output_count, outputs, true))
        return program;
    struct program_node *node = node_add(&call, PROGRAM_CALL_HOST, name, &program);
    node->object = function.id - 1;
    for (size_t i = 0; i < inputs.count; ++i)
        *vec_push(&node->operands) = view_keep(inputs.list[i]);
    for (size_t i = 0; i < outputs.count; ++i)
        *vec_push(&node->operands) = view_keep(outputs.list[i]);
    return program;
}
