/* SPDX-License-Identifier: Apache-2.0 */
/* Replicas of an existing graph: their tiles, variables, and all instances of a tensor side by side. */
#include "graph/store/store.h"
#include "graph/variable/variable.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"

#define NO_TILE UINT32_MAX

/* ---- the replicated graph ---- */

/* Whether a graph's tiles make n equal parts that are whole IPUs, or parts of one. */
static bool divides(const pop_graph *graph, unsigned n, unsigned *ipus, unsigned *tiles_per_ipu)
{
    unsigned all = graph->target.num_ipus, tiles = graph->target.tiles_per_ipu;
    *ipus = all / n ? all / n : 1;
    *tiles_per_ipu = tiles;
    if (all % n == 0)
        return true;
    if (n % all || tiles % (n / all))
        return graph_is_cpu(graph);
    *tiles_per_ipu = tiles / (n / all);
    return true;
}

pop_graph *pop_graph_replicate_at(pop_where where, pop_graph *graph, unsigned replicas)
{
    static const char api[] = "pop_graph_replicate";
    if (!graph_ready(graph))
        return NULL;
    pop_store *store = graph->store;
    const pop_status status = POP_GRAPH_REPLICATION_ERROR;
    unsigned ipus = 0, tiles = 0;
    if (!replicas || replicas > POP_REPLICAS_MAX)
        store_fail(store, status, where, api, "%u replicas: 1 to %d are allowed", replicas, POP_REPLICAS_MAX);
    else if (store->replicas > 1 || graph->group)
        store_fail(store, status, where, api, "the graph is one of %u replicas already: it cannot be replicated again",
                   pop_graph_replication_factor(graph));
    else if (store->groups.count == UINT16_MAX)
        store_fail(store, status, where, api, "a graph has at most %d replicated graphs", UINT16_MAX);
    else if (!divides(graph, replicas, &ipus, &tiles))
        store_fail(store, status, where, api,
                   "%u replicas of a graph of %u IPUs with %u tiles each: the number must divide the IPUs, or be a "
                   "multiple of them that divides their tiles",
                   replicas, graph->target.num_ipus, graph->target.tiles_per_ipu);
    if (!graph_ready(graph))
        return NULL;
    unsigned count = ipus * tiles, all = graph_num_tiles(store->top);
    bool shared = graph_is_cpu(graph) && (size_t)count * replicas > graph_num_tiles(graph);
    struct replica_group group = { .replicas = replicas, .tiles_of_one = count };
    group.tiles = mem_alloc((size_t)count * replicas * sizeof(*group.tiles));
    group.index = mem_alloc(all * sizeof(*group.index));
    for (unsigned i = 0; i < all; ++i)
        group.index[i] = NO_TILE;
    for (unsigned i = 0; i < count * replicas; ++i)
        group.tiles[i] = pop_graph_physical_tile(graph, shared ? i % count : i);
    for (unsigned i = 0; i < count; ++i)
        group.index[group.tiles[i]] = i;
    *vec_push(&store->groups) = group;
    unsigned *own = mem_alloc(count * sizeof(*own));
    for (unsigned i = 0; i < count; ++i)
        own[i] = i;
    pop_graph *result = virtual_create(graph, own, ipus, tiles);
    result->group = (uint16_t)store->groups.count;
    return result;
}

uint32_t replicate_tile(const struct replica_group *group, uint32_t replica, uint32_t tile)
{
    uint32_t index = group->index[tile];
    return index == NO_TILE ? tile : group->tiles[(size_t)replica * group->tiles_of_one + index];
}

/* ---- variables ---- */

uint32_t replicate_instances(const pop_store *store, uint32_t variable)
{
    uint16_t group = store->variables.data[variable].group;
    return group ? store->groups.data[group - 1].replicas : 0;
}

uint32_t replicate_add_variable(pop_graph *graph, pop_where where, const char *api, pop_type type, uint64_t elements,
                                const char *name)
{
    pop_store *store = graph->store;
    uint32_t variable = variable_add(store, where, api, type, elements, name), last = variable;
    uint32_t replicas = graph->group ? store->groups.data[graph->group - 1].replicas : 0;
    for (uint32_t r = 0; r < replicas && last != UINT32_MAX; ++r)
        last = variable_add(store, where, api, type, elements, name);
    if (last == UINT32_MAX)
        return last;
    store->variables.data[variable].group = graph->group;
    return variable;
}

void replicate_map(pop_store *store, uint32_t variable, uint64_t begin, uint64_t end, uint32_t tile)
{
    struct variable *v = &store->variables.data[variable];
    tile_map_add(&v->map, begin, end, tile);
    for (uint32_t r = 0, n = v->group ? replicate_instances(store, variable) : 0; r < n; ++r)
        tile_map_add(&v[r + 1].map, begin, end, replicate_tile(&store->groups.data[v->group - 1], r, tile));
}

static unsigned factor_of(const pop_store *store, uint16_t group)
{
    return group ? store->groups.data[group - 1].replicas : store->replicas;
}

unsigned pop_graph_variable_replication_factor(const pop_graph *graph, uint32_t variable)
{
    return graph && variable < graph->store->variables.count
               ? factor_of(graph->store, graph->store->variables.data[variable].group)
               : 0;
}

unsigned pop_stream_replication_factor(pop_stream stream)
{
    return stream.store && stream.id && stream.id <= stream.store->streams.count
               ? factor_of(stream.store, stream.store->streams.data[stream.id - 1].group)
               : 0;
}

/* ---- vertices ---- */

void replicate_note_vertex(pop_graph *graph)
{
    pop_store *store = graph->store;
    uint32_t vertex = (uint32_t)store->vertices.count - 1;
    if (!graph->group)
        return;
    struct replica_span *last = store->spans.count ? &store->spans.data[store->spans.count - 1] : NULL;
    if (last && last->group == graph->group && last->first + last->count == vertex)
        ++last->count;
    else
        *vec_push(&store->spans) = (struct replica_span){ vertex, 1, graph->group };
}

void replicate_take_back_vertex(pop_store *store)
{
    if (!store->spans.count)
        return;
    struct replica_span *last = &store->spans.data[store->spans.count - 1];
    if (last->first + last->count - 1 == store->vertices.count - 1 && !--last->count)
        --store->spans.count;
}

uint32_t replicate_group_of(const pop_store *store, uint32_t vertex)
{
    size_t low = 0, high = store->spans.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct replica_span *span = &store->spans.data[middle];
        if (vertex < span->first)
            high = middle;
        else if (vertex - span->first >= span->count)
            low = middle + 1;
        else
            return span->group;
    }
    return 0;
}

/* ---- tensors ---- */

struct group_walk {
    const pop_store *store;
    uint32_t group, other;
};

static bool of_group(const struct piece *piece, void *context)
{
    struct group_walk *walk = context;
    walk->other = walk->store->variables.data[piece->variable].group;
    return !walk->other || walk->other == walk->group;
}

bool replicate_check(pop_store *store, uint32_t group, pop_where where, const char *api, const char *path, pop_tensor t)
{
    struct group_walk walk = { store, group, 0 };
    if (!store->groups.count || !t.store || tensor_each_piece(t, of_group, &walk))
        return true;
    return store_fail_in(store, POP_GRAPH_REPLICATION_ERROR, where, api, path,
                         "tensor '%s' is of a replicated graph and stands for %u tensors, one of each replica: "
                         "pop_graph_non_replicated (getNonReplicatedTensor) gives them",
                         tensor_debug_name(t), store->groups.data[walk.other - 1].replicas);
}

/* The variable of an empty tensor, which has no pieces; UINT32_MAX when it is not known. */
static uint32_t empty_variable(const pop_store *store, pop_tensor t)
{
    return (t.form & FORM_EMPTY) && !(t.source & COMPOSITE) && t.source < store->variables.count ? t.source
                                                                                                 : UINT32_MAX;
}

uint32_t replicate_tensor_group(const pop_store *store, pop_tensor t)
{
    uint32_t variable = t.store == store ? empty_variable(store, t) : UINT32_MAX;
    if (variable != UINT32_MAX)
        return store->variables.data[variable].group;
    struct group_walk walk = { store, 0, 0 };
    return store->groups.count && t.store == store && !tensor_each_piece(t, of_group, &walk) ? walk.other : 0;
}

static bool is_placeholder(const struct piece *piece, void *store)
{
    return ((const pop_store *)store)->variables.data[piece->variable].group != 0;
}

bool replicate_holds_others(const pop_store *store, pop_tensor t)
{
    pop_store *whole = t.store;
    return whole == store && !tensor_each_piece(t, is_placeholder, whole);
}

struct instance_walk {
    pop_store *store;
    struct composite *composite;
    uint32_t replica;
};

static bool add_instance(const struct piece *piece, void *context)
{
    const struct instance_walk *walk = context;
    struct piece instance = *piece;
    if (walk->store->variables.data[piece->variable].group)
        instance.variable += 1 + walk->replica;
    composite_add(walk->store, walk->composite, &instance);
    return true;
}

pop_tensor pop_graph_non_replicated_at(pop_where where, pop_graph *graph, pop_tensor t)
{
    static const char api[] = "pop_graph_non_replicated";
    pop_tensor none = { 0 };
    if (!graph_ready(graph))
        return none;
    pop_store *store = graph->store;
    const pop_status status = POP_GRAPH_REPLICATION_ERROR;
    if (!pop_tensor_valid(t) || t.store != store) {
        store_fail(store, POP_GRAPH_OBJECT_CREATION_ERROR, where, api, "the tensor %s",
                   t.store ? "belongs to another graph" : "is null");
        return none;
    }
    if (!store->groups.count) {
        store_fail_in(store, status, where, api, tensor_debug_name(t),
                      store->replicas > 1
                          ? "the graph was made with a replication factor of %u, and has no parent that sees all "
                            "replicas: only one of createReplicatedGraph has"
                          : "the graph has no replicas (%u): createReplicatedGraph makes some",
                      store->replicas);
        return none;
    }
    uint32_t group = replicate_tensor_group(store, t);
    if (!group) {
        store_fail_in(store, status, where, api, tensor_debug_name(t),
                      "tensor '%s' is of no replicated graph: it is one tensor already", tensor_debug_name(t));
        return none;
    }
    if (graph->group == group) {
        store_fail_in(store, status, where, api, tensor_debug_name(t),
                      "the graph is the replicated one: its parent sees all replicas");
        return none;
    }
    if (!replicate_check(store, group, where, api, "", t))
        return none;
    if (t.rank == MAX_RANK) {
        store_fail(store, status, where, api, "rank %u: a dimension more makes a rank over %d", t.rank, MAX_RANK);
        return none;
    }
    uint64_t shape[MAX_RANK] = { store->groups.data[group - 1].replicas };
    for (unsigned i = 0; i < t.rank; ++i)
        shape[i + 1] = pop_tensor_dim(t, i);
    struct unpacked v = { .store = store, .type = t.type };
    if (!pop_tensor_num_elements(t)) {
        v.source = empty_variable(store, t) + 1; /* its instance in the first replica */
        unpacked_row_major(&v, shape, t.rank + 1u);
        return tensor_pack(&v);
    }
    struct instance_walk each = { store, MEM_NEW(struct composite), 0 };
    for (each.replica = 0; each.replica < shape[0]; ++each.replica)
        tensor_each_piece(t, add_instance, &each);
    unpacked_of_composite(&v, each.composite, shape, t.rank + 1u);
    v.type = t.type;
    return tensor_pack(&v);
}

bool graph_tensor(pop_graph *graph, pop_where where, const char *api, const char *path, pop_status status, pop_tensor t)
{
    if (!pop_tensor_valid(t))
        return store_fail_in(graph->store, status, where, api, path, "the tensor is null");
    if (t.store != graph->store)
        return store_fail_in(graph->store, status, where, api, path, "the tensor belongs to another graph");
    return replicate_check(graph->store, graph->group, where, api, path, t);
}
