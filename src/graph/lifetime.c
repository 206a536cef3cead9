/* SPDX-License-Identifier: Apache-2.0 */
/* How long a store lives: as long as a graph, a retained tensor or a compilation refers to it. */
#include "graph/graph.h"
#include "graph/view/view.h"
#include "popc/module/module.h"

pop_store *store_create(pop_graph *top, const pop_target *target)
{
    size_t memory_failures = mem_failures();
    pop_store *store = MEM_NEW(pop_store);
    store->memory_failures = memory_failures;
    store->top = top;
    store->handles = 1;
    store->target = *target;
    store->replicas = 1;
    store->device_ipus = target->num_ipus;
    store->nodes = tensor_nodes_create();
    *vec_push(&store->wheres) = NO_WHERE;
    intern_add(&store->names, "");
    return store;
}

static void free_views(struct view *view)
{
    for (struct view *next; view; view = next) {
        next = view->next;
        free(view);
    }
}

/* Frees everything, the top graph included. */
static void store_destroy(pop_store *store)
{
    if (store->programs_free)
        store->programs_free(store);
    for (size_t i = 0; i < store->variables.count; ++i)
        vec_free(&store->variables.data[i].map.ranges);
    for (size_t i = 0; i < store->host_functions.count; ++i)
        free(store->host_functions.data[i].arguments);
    for (size_t i = 0; i < store->modules.count; ++i)
        module_release(store->modules.data[i]);
    free_views(store->view_list);
    piece_shapes_free(&store->shapes);
    free(store->aliases);
    recent_walks_free(store->walks);
    vec_free(&store->owned);
    tensor_nodes_destroy(store->nodes);
    vec_free(&store->wheres);
    debug_calls_free(&store->calls);
    vec_free(&store->variables);
    vec_free(&store->initials);
    vec_free(&store->data);
    vec_free(&store->sets);
    vec_free(&store->vertices);
    vec_free(&store->edges);
    vec_free(&store->views);
    vec_free(&store->estimates);
    vec_free(&store->modules);
    vec_free(&store->types);
    free(store->type_by_name);
    vec_free(&store->host_reads);
    vec_free(&store->host_writes);
    vec_free(&store->streams);
    vec_free(&store->remotes);
    vec_free(&store->host_functions);
    vec_free(&store->functions);
    vec_free(&store->programs);
    for (size_t i = 0; i < store->groups.count; ++i) {
        free(store->groups.data[i].tiles);
        free(store->groups.data[i].index);
    }
    vec_free(&store->groups);
    vec_free(&store->spans);
    intern_free(&store->names);
    arena_free(&store->arena);
    free(store->top);
    free(store);
}

void store_release(pop_store *store)
{
    if (--store->handles == 0)
        store_destroy(store);
}

void pop_graph_destroy(pop_graph *graph)
{
    if (!graph)
        return;
    pop_store *store = graph->store;
    if (graph != store->top) { /* the top graph itself lives as long as anything refers to it */
        free(graph->tiles);
        free(graph->virtuals);
        free(graph);
    }
    store_release(store);
}

void pop_tensor_release(const pop_tensor *t)
{
    if (tensor_nodes_let_go(t))
        store_release(t->store);
}
