/* SPDX-License-Identifier: Apache-2.0 */
/* Graph handles: lifetime, errors, marks and counts. */
#include "graph/graph.h"
#include "graph/store/store.h"
#include "graph/view/view.h"
#include "target/target.h"

pop_graph *pop_graph_create(const pop_target *target)
{
    size_t memory_failures = mem_failures();
    pop_graph *graph = MEM_NEW(pop_graph);
    if (target)
        graph->target = *target;
    pop_error error;
    bool valid = target && pop_target_check(target, &error) == POP_OK;
    if (valid)
        exchange_limits_keep(&graph->target.exchange_limits);
    else
        graph->target.exchange_limits = (pop_exchange_limits){ 0 };
    graph->store = store_create(graph, &graph->target);
    graph->store->memory_failures = memory_failures; /* that of the graph itself, too */
    if (!target)
        store_fail(graph->store, POP_INVALID_MACHINE_MODEL, NO_WHERE, "pop_graph_create", "target is NULL");
    else if (!valid)
        store_record(graph->store, &error, NO_WHERE, "pop_graph_create");
    return graph;
}

/* The part of a target that one of its replicas has. */
static bool part_of(pop_store *store, pop_where where, unsigned replicas, pop_target *target)
{
    static const char api[] = "pop_graph_create";
    unsigned ipus = target->num_ipus;
    if (!replicas || replicas > POP_REPLICAS_MAX)
        return store_fail(store, POP_GRAPH_REPLICATION_ERROR, where, api,
                          "a replication factor of %u: 1 to %d are allowed", replicas, POP_REPLICAS_MAX);
    if (target->type == POP_TARGET_CPU && ipus % replicas)
        return true;
    if (ipus % replicas)
        return store_fail(store, POP_GRAPH_REPLICATION_ERROR, where, api,
                          "a replication factor of %u does not divide the target's %u IPUs", replicas, ipus);
    target->num_ipus = ipus / replicas;
    return true;
}

pop_graph *pop_graph_create_replicated_at(pop_where where, const pop_target *target, unsigned replicas)
{
    pop_graph *graph = pop_graph_create(target);
    pop_store *store = graph->store;
    if (!store_ready(store) || !part_of(store, where, replicas, &store->target))
        return graph;
    graph->target = store->target;
    store->replicas = replicas;
    return graph;
}

const pop_target *pop_graph_target(const pop_graph *graph)
{
    return graph ? &graph->target : NULL;
}

unsigned pop_graph_replication_factor(const pop_graph *graph)
{
    if (!graph)
        return 0;
    return graph->group ? graph->store->groups.data[graph->group - 1].replicas : graph->store->replicas;
}

pop_graph *pop_graph_top_level(pop_graph *graph)
{
    return graph ? graph->store->top : NULL;
}

pop_graph *pop_store_graph(const pop_store *store)
{
    return store ? store->top : NULL;
}

pop_store *pop_graph_store(const pop_graph *graph)
{
    return graph ? graph->store : NULL;
}

const char *pop_store_keep_text(pop_store *store, const char *text)
{
    return store ? intern_text(&store->names, intern_add(&store->names, text)) : "";
}

pop_graph *pop_graph_share_top_level_at(pop_where where, pop_graph *graph)
{
    if (!graph || !graph_ready(graph))
        return NULL;
    if (graph == graph->store->top && graph->store->replicas > 1) {
        store_fail(graph->store, POP_GRAPH_REPLICATION_ERROR, where, "pop_graph_share_top_level",
                   "the graph was made with a replication factor of %u: it is itself the top level, and has no parent",
                   graph->store->replicas);
        return NULL;
    }
    ++graph->store->handles;
    return graph->store->top;
}

const pop_error *pop_graph_error(const pop_graph *graph)
{
    if (!graph)
        return NULL;
    store_notice_memory(graph->store);
    return graph->store->error.status != POP_OK ? &graph->store->error : NULL;
}

const pop_status *pop_graph_error_status(const pop_graph *graph)
{
    if (graph)
        store_notice_memory(graph->store);
    return graph ? &graph->store->error.status : NULL;
}

pop_status pop_graph_take_error(pop_graph *graph, pop_error *error)
{
    if (error)
        memset(error, 0, sizeof(*error));
    if (!graph)
        return POP_OK;
    store_notice_memory(graph->store);
    pop_status status = graph->store->error.status;
    if (status != POP_OK) {
        if (error)
            *error = graph->store->error;
        memset(&graph->store->error, 0, sizeof(graph->store->error));
    }
    return status;
}

bool pop_graph_fail(pop_graph *graph, pop_status status, pop_where caller, const char *api, const char *text)
{
    if (!graph || status <= POP_OK || status >= POP_STATUS_COUNT)
        return false;
    return store_fail(graph->store, status, caller, api ? api : "", "%s", text ? text : "");
}

void pop_graph_on_error(pop_graph *graph, pop_error_handler handler, void *user)
{
    if (!graph)
        return;
    graph->store->on_error = handler;
    graph->store->on_error_user = user;
}

pop_mark pop_graph_mark(pop_graph *graph)
{
    return (pop_mark){ graph ? tensor_nodes_mark(graph->store->nodes) : 0 };
}

void pop_graph_release(pop_graph *graph, pop_mark mark)
{
    if (graph)
        tensor_nodes_release(graph->store->nodes, mark.position);
}

size_t pop_graph_num_vertices(const pop_graph *graph)
{
    size_t count = graph ? graph->store->vertices.count : 0;
    for (size_t i = 0; graph && i < graph->store->spans.count; ++i) {
        struct replica_span span = graph->store->spans.data[i];
        count += (size_t)span.count * (graph->store->groups.data[span.group - 1].replicas - 1);
    }
    return count;
}

size_t pop_graph_num_variables(const pop_graph *graph)
{
    return graph ? graph->store->variables.count : 0;
}

size_t pop_graph_num_edges(const pop_graph *graph)
{
    return graph ? (size_t)graph->store->edge_count : 0;
}

size_t pop_graph_num_compute_sets(const pop_graph *graph)
{
    return graph ? graph->store->sets.count : 0;
}
