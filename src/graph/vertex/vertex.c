/* SPDX-License-Identifier: Apache-2.0 */
/* Compute sets and vertices. */
#include "graph/vertex/vertex.h"
#include "graph/store/store.h"
#include "graph/variable/variable.h"

#include "base/log.h"

pop_compute_set pop_graph_add_compute_set_at(pop_where where, pop_graph *graph, const char *name)
{
    if (!graph_ready(graph))
        return (pop_compute_set){ 0 };
    pop_store *store = graph->store;
    struct compute_set set = { .name = intern_add(&store->names, name), .where = store_where(store, where) };
    *vec_push(&store->sets) = set;
    LOG(GRAPH, DEBUG, "compute set '%s'", name ? name : "");
    return (pop_compute_set){ store, (uint32_t)store->sets.count };
}

static pop_vertex add_vertex(pop_where where, const char *api, pop_graph *graph, pop_compute_set set,
                             const char *vertex_type)
{
    pop_store *store = graph->store;
    pop_vertex none = { 0 };
    if (set.store != store || !set.id || set.id > store->sets.count) {
        store_fail(store, POP_INDEX_ERROR, where, api, "the compute set %s",
                   set.id ? "belongs to another graph" : "is null");
        return none;
    }
    struct compute_set *of = &store->sets.data[set.id - 1];
    uint32_t type;
    if (!store_loaded_type(store, where, api, store_name(store, of->name), vertex_type, &type))
        return none;
    if (store->vertices.count >= UINT32_MAX - 1) {
        store_fail(store, POP_OVERFLOW_ERROR, where, api, "a graph has at most 2^32 - 2 vertices");
        return none;
    }
    store->before_vertex.edges = store->edges.count;
    store->before_vertex.views = store->views.count;
    store->before_vertex.edge_count = store->edge_count;
    struct vertex *vertex = vec_push(&store->vertices);
    *vertex = (struct vertex){ .set = set.id - 1,
                               .tile = store->target.type == POP_TARGET_CPU ? 0 : UNMAPPED_TILE,
                               .edge = NO_EDGE,
                               .type = type };
    vertex->where = store_where(store, where);
    ++of->vertex_count;
    replicate_note_vertex(graph);
    LOG(GRAPH, TRACE, "vertex of type '%s' in compute set '%s'", vertex_type, store_name(store, of->name));
    return (pop_vertex){ store, (uint32_t)store->vertices.count };
}

pop_vertex pop_graph_add_vertex_at(pop_where where, pop_graph *graph, pop_compute_set set, const char *vertex_type)
{
    if (!graph_ready(graph))
        return (pop_vertex){ 0 };
    return add_vertex(where, "pop_graph_add_vertex", graph, set, vertex_type);
}

/* The vertex of a handle; NULL and index_error when it is null or another graph's. */
static struct vertex *vertex_of(pop_graph *graph, pop_where where, const char *api, pop_vertex vertex)
{
    pop_store *store = graph->store;
    if (vertex.store == store && vertex.id - 1 < store->vertices.count)
        return &store->vertices.data[vertex.id - 1];
    store_fail(store, POP_INDEX_ERROR, where, api, "the vertex %s", vertex.id ? "belongs to another graph" : "is null");
    return NULL;
}

void pop_graph_map_vertex_at(pop_where where, pop_graph *graph, pop_vertex vertex, unsigned tile)
{
    static const char api[] = "pop_graph_map_vertex";
    if (!graph_ready(graph))
        return;
    struct vertex *v = vertex_of(graph, where, api, vertex);
    uint32_t group = v ? replicate_group_of(graph->store, vertex.id - 1) : 0;
    if (group && group != graph->group)
        store_fail_in(graph->store, POP_GRAPH_REPLICATION_ERROR, where, api,
                      store_name(graph->store, graph->store->sets.data[v->set].name),
                      "the vertex is of a replicated graph, one in each of %u replicas: map it with that graph",
                      graph->store->groups.data[group - 1].replicas);
    else if (v && !graph_tile(graph, where, api, "", tile, &v->tile))
        error_path(&graph->store->error, store_name(graph->store, graph->store->sets.data[v->set].name));
}

/* The largest figure of an image. */
#define MAX_ESTIMATE ((uint64_t)1 << 48)

void pop_graph_set_perf_estimate_at(pop_where where, pop_graph *graph, pop_vertex vertex, uint64_t cycles,
                                    uint64_t flops)
{
    if (!graph_ready(graph))
        return;
    pop_store *store = graph->store;
    struct vertex *v = vertex_of(graph, where, "pop_graph_set_perf_estimate", vertex);
    if (!v)
        return;
    if (cycles > MAX_ESTIMATE) {
        store_fail_in(store, POP_OVERFLOW_ERROR, where, "pop_graph_set_perf_estimate",
                      store_name(store, store->sets.data[v->set].name),
                      "an estimate of %llu cycles; it can be 2^48 at most", (unsigned long long)cycles);
        return;
    }
    uint32_t *known = &store->estimate_cache[(cycles * 31 + flops) % STORE_CACHE];
    if (!*known || store->estimates.data[*known - 1].cycles != cycles ||
        store->estimates.data[*known - 1].flops != flops) {
        *vec_push(&store->estimates) = (pop_perf){ cycles, flops };
        *known = (uint32_t)store->estimates.count;
    }
    v->estimate = *known;
}

pop_perf pop_graph_get_perf_estimate_at(pop_where where, pop_graph *graph, pop_vertex vertex)
{
    static const char api[] = "pop_graph_get_perf_estimate";
    pop_perf perf = { 0 };
    const struct vertex *v = graph_ready(graph) ? vertex_of(graph, where, api, vertex) : NULL;
    if (!v || store_estimate(graph->store, vertex.id - 1, &perf))
        return perf;
    pop_store *store = graph->store;
    store_fail_in(store, POP_MISSING_PERF_ESTIMATE, where, api, store_name(store, store->sets.data[v->set].name),
                  "vertex type '%s' has no performance estimate: call pop_graph_set_perf_estimate for the vertex or "
                  "pop_graph_register_perf_estimator for the type",
                  store_name(store, store->types.data[v->type].name));
    return perf;
}

void pop_graph_take_back_vertex(pop_graph *graph, pop_vertex vertex)
{
    pop_store *store = graph ? graph->store : NULL;
    if (!store || vertex.store != store || !vertex.id || vertex.id != store->vertices.count)
        return;
    replicate_take_back_vertex(store);
    --store->sets.data[store->vertices.data[--store->vertices.count].set].vertex_count;
    store->edges.count = store->before_vertex.edges;
    store->views.count = store->before_vertex.views;
    store->edge_count = store->before_vertex.edge_count;
}

pop_vertex pop_graph_add_vertex_connected_at(pop_where where, pop_graph *graph, pop_compute_set set,
                                             const char *vertex_type, pop_connections connections)
{
    static const char api[] = "pop_graph_add_vertex_connected";
    if (!graph_ready(graph))
        return (pop_vertex){ 0 };
    if (!store_has_list(graph->store, POP_GRAPH_CONNECTION_ERROR, where, api, "connections", connections.count,
                        connections.list))
        return (pop_vertex){ 0 };
    pop_vertex vertex = add_vertex(where, api, graph, set, vertex_type);
    if (!vertex.id)
        return vertex;
    for (size_t i = 0; i < connections.count && graph_ready(graph); ++i)
        field_connect(where, api, graph, vertex, connections.list[i].field, &connections.list[i].tensor);
    if (graph_ready(graph))
        return vertex;
    pop_graph_take_back_vertex(graph, vertex);
    return (pop_vertex){ 0 };
}
