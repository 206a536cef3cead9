/* SPDX-License-Identifier: Apache-2.0 */
/* Before the passes: replicated parts of a graph (createReplicatedGraph) become one part for each replica.
 * Vertices and most programs are repeated; one Copy moves the data of all replicas; CrossReplicaCopy is a Copy. */
#include "compiler/check/check.h"
#include "compiler/common/compiler.h"
#include "graph/graph.h"
#include "graph/view/edge.h"
#include "program/node.h"

#include "base/str.h"

struct expansion {
    pop_store *store;
    struct pop_store before; /* the store before the expansion; it shares some arrays with the current one */
    VEC(struct view *) views;
    VEC(struct program_node *) nodes;
    pop_error *error;
    bool failed;
};

static bool fail(struct expansion *e, uint32_t where, const char *api, const char *text)
{
    e->failed = true;
    error_set(e->error, POP_GRAPH_REPLICATION_ERROR, e->store->wheres.data[where], api, "%s", text);
    return false;
}

/* ---- views ---- */

static uint32_t view_group(const pop_store *store, const struct view *view)
{
    uint32_t group = 0;
    for (uint32_t i = 0; view && i < view->piece_count && !group; ++i)
        group = store->variables.data[view->pieces[i].variable].group;
    return group;
}

/* The view repeated along a new outermost dimension, once for each entry of replicas, with placeholders replaced by
 * that replica's variables. */
static const struct view *instances(struct expansion *e, const struct view *view, const uint32_t *replicas,
                                    uint32_t count, bool outer)
{
    if (!view)
        return NULL;
    size_t pieces = (size_t)view->piece_count * count;
    unsigned rank = view->rank + outer;
    struct view *made = mem_alloc(sizeof(*made) + rank * sizeof(uint64_t) + pieces * sizeof(struct kept_piece));
    *vec_push(&e->views) = made;
    uint64_t *shape = (uint64_t *)(made + 1);
    struct kept_piece *piece = (struct kept_piece *)(shape + rank);
    *made = (struct view){ .type = view->type,
                           .rank = (uint8_t)rank,
                           .piece_count = (uint32_t)pieces,
                           .elements = view->elements * count,
                           .pieces = piece,
                           .shapes = view->shapes,
                           .shape = shape };
    if (outer)
        shape[0] = count;
    if (view->rank)
        memcpy(shape + outer, view->shape, view->rank * sizeof(*shape));
    for (uint32_t r = 0; r < count; ++r)
        for (uint32_t i = 0; i < view->piece_count; ++i, ++piece) {
            *piece = view->pieces[i];
            if (e->store->variables.data[piece->variable].group)
                piece->variable += 1 + replicas[r];
        }
    return made;
}

static const struct view *instance(struct expansion *e, const struct view *view, uint32_t replica)
{
    return instances(e, view, &replica, 1, false);
}

/* The instances of all replicas, in order. */
static const struct view *all_instances(struct expansion *e, const struct view *view, uint32_t group)
{
    uint32_t count = e->store->groups.data[group - 1].replicas, *order = mem_alloc(count * sizeof(*order));
    for (uint32_t r = 0; r < count; ++r)
        order[r] = r;
    const struct view *made = instances(e, view, order, count, true);
    free(order);
    return made;
}

/* ---- vertices ---- */

/* One replica's copy of an edge. */
static struct edge replica_edge(struct expansion *e, struct edge edge, uint32_t replica)
{
    pop_store *store = e->store;
    if (edge.form == EDGE_RUN && edge.count && store->variables.data[edge.variable].group) {
        edge.variable += 1 + replica;
    } else if (edge.form == EDGE_VIEW && view_group(store, edge_view(store, &edge))) {
        const struct view *view = instance(e, edge_view(store, &edge), replica);
        edge.variable = (uint32_t)store->views.count;
        *vec_push(&store->views) = view;
    }
    return edge;
}

/* One replica's copies of a vertex's edges, in the same order; returns the first. */
static uint32_t replica_edges(struct expansion *e, uint32_t first, uint32_t replica)
{
    pop_store *store = e->store;
    uint32_t head = NO_EDGE;
    VEC(uint32_t) list = { 0 };
    for (uint32_t i = first; i != NO_EDGE; i = edge_next(store->edges.data, i))
        *vec_push(&list) = i;
    for (size_t i = list.count; i-- > 0;) { /* the oldest first: edges refer to older ones */
        struct edge edge = replica_edge(e, store->edges.data[list.data[i]], replica);
        if (edge.form == EDGE_LIST) {
            uint32_t from = edge.offset, to = (uint32_t)store->edges.count;
            (void)vec_extend(&store->edges, edge.count);
            for (uint32_t k = 0; k < edge.count; ++k) {
                struct edge row = replica_edge(e, store->edges.data[from + k], replica);
                store->edges.data[to + k] = row;
            }
            edge.offset = to;
        }
        head = edge_add(store, head, edge);
    }
    vec_free(&list);
    return head;
}

static bool expand_vertices(struct expansion *e)
{
    pop_store *store = e->store;
    const struct pop_store *before = &e->before;
    for (size_t v = 0, span = 0; v < before->vertices.count; ++v) {
        struct vertex vertex = before->vertices.data[v];
        while (span < before->spans.count && v >= before->spans.data[span].first + before->spans.data[span].count)
            ++span;
        if (span == before->spans.count || v < before->spans.data[span].first) {
            *vec_push(&store->vertices) = vertex;
            continue;
        }
        const struct replica_group *group = &store->groups.data[before->spans.data[span].group - 1];
        store->sets.data[vertex.set].vertex_count += group->replicas - 1;
        uint32_t tile = vertex.tile, edge = vertex.edge;
        for (uint32_t r = 0; r < group->replicas; ++r) {
            vertex.tile = tile == UNMAPPED_TILE ? tile : replicate_tile(group, r, tile);
            vertex.edge = replica_edges(e, edge, r);
            *vec_push(&store->vertices) = vertex;
        }
        if (store->edges.count >= UINT32_MAX - 2 || store->vertices.count >= UINT32_MAX - 2)
            return fail(e, vertex.where, COMPILE_API, "the replicas have more than 2^32 edges or vertices");
    }
    return true;
}

/* ---- programs ---- */

/* How a kind of program is replicated: a column of its row. */
enum way { WAY_NONE, WAY_TOGETHER, WAY_EACH, WAY_NEVER };
static const uint8_t ways[PROGRAM_KINDS] = {
#define PROGRAM_KIND(constant, class, way) WAY_##way,
#include "program/kinds.def"
#undef PROGRAM_KIND
};

/* A copy of a node, with nothing in its lists. */
static struct program_node *node_like(struct expansion *e, const struct program_node *node)
{
    struct program_node *made = MEM_NEW(struct program_node);
    *made = *node;
    memset(&made->children, 0, sizeof(made->children));
    memset(&made->values, 0, sizeof(made->values));
    memset(&made->operands, 0, sizeof(made->operands));
    *vec_push(&e->nodes) = made;
    return made;
}

static struct program_node *add_child(struct expansion *e, struct program_node *sequence,
                                      const struct program_node *like)
{
    struct program_node *child = node_like(e, like);
    *vec_push(&sequence->children) = (uint32_t)e->store->programs.count;
    *vec_push(&e->store->programs) = child;
    return child;
}

/* The stream or remote buffer of a replica. */
static uint32_t object_of(const struct expansion *e, const struct program_node *node, uint32_t replica)
{
    bool stream = node->kind == PROGRAM_STREAM_IN || node->kind == PROGRAM_STREAM_OUT;
    if (node->kind == PROGRAM_STAMP)
        return node->object;
    if (!replica || (!stream && node->kind != PROGRAM_REMOTE_IN && node->kind != PROGRAM_REMOTE_OUT))
        return node->object;
    return (stream ? e->store->streams.data[node->object].first_copy
                   : e->store->remotes.data[node->object].first_copy) +
           replica - 1;
}

static struct program_node *sequence_for(struct expansion *e, const struct program_node *node)
{
    struct program_node *sequence = node_like(e, node);
    sequence->kind = PROGRAM_SEQUENCE;
    sequence->source = sequence->destination = sequence->control = NULL;
    sequence->text = NULL;
    return sequence;
}

static struct program_node *for_each(struct expansion *e, const struct program_node *node, uint32_t group)
{
    const struct replica_group *g = &e->store->groups.data[group - 1];
    struct program_node *sequence = sequence_for(e, node);
    for (uint32_t r = 0; r < g->replicas; ++r) {
        struct program_node *child = add_child(e, sequence, node);
        child->source = instance(e, node->source, r);
        child->destination = instance(e, node->destination, r);
        child->control = instance(e, node->control, r);
        child->object = object_of(e, node, r);
        if (node->kind == PROGRAM_STAMP)
            child->object = replicate_tile(g, r, node->object);
        if (node->kind != PROGRAM_PRINT)
            continue;
        struct str title = { 0 };
        str_format(&title, "replica %u: %s", r, node->text ? node->text : node->tensor_name);
        child->text = intern_text(&e->store->names, intern_add(&e->store->names, title.text));
        str_free(&title);
    }
    return sequence;
}

/* A broadcast stream is copied to replica 0, and from there to the others. */
static struct program_node *broadcast(struct expansion *e, const struct program_node *node, uint32_t group)
{
    uint32_t others = e->store->groups.data[group - 1].replicas - 1;
    uint32_t *to = mem_alloc((others + 1) * sizeof(*to)), *from = mem_zero(others + 1, sizeof(*from));
    struct program_node *sequence = sequence_for(e, node);
    add_child(e, sequence, node)->destination = instance(e, node->destination, 0);
    for (uint32_t r = 0; r < others; ++r)
        to[r] = r + 1;
    if (others) {
        struct program_node *copy = add_child(e, sequence, node);
        copy->kind = PROGRAM_COPY;
        copy->flag = false;
        copy->source = instances(e, node->destination, from, others, true);
        copy->destination = instances(e, node->destination, to, others, true);
    }
    free(to);
    free(from);
    return sequence;
}

/* One Copy between the replicas for each part. */
static struct program_node *cross_copy(struct expansion *e, const struct program_node *node, uint32_t group)
{
    uint32_t count = e->store->groups.data[group - 1].replicas, *senders = mem_alloc(count * sizeof(*senders));
    size_t parts = node->operands.count ? node->operands.count / 2 : 1;
    struct program_node *sequence = sequence_for(e, node);
    for (size_t i = 0; i < parts; ++i) {
        struct program_node *copy = add_child(e, sequence, node);
        copy->kind = PROGRAM_COPY;
        copy->flag = false;
        for (uint32_t r = 0; r < count; ++r)
            senders[r] = (uint32_t)node->values.data[i * count + r];
        copy->source =
            instances(e, node->operands.count ? node->operands.data[2 * i] : node->source, senders, count, true);
        copy->destination =
            all_instances(e, node->operands.count ? node->operands.data[2 * i + 1] : node->destination, group);
    }
    free(senders);
    return sequence;
}

/* The replicated group of a node's operands, 0: none; false when there are two, or the node does not allow one. */
static bool node_group(struct expansion *e, const struct program_node *node, uint32_t *group)
{
    const pop_store *store = e->store;
    bool stream = node->kind == PROGRAM_STREAM_IN || node->kind == PROGRAM_STREAM_OUT;
    bool remote = node->kind == PROGRAM_REMOTE_IN || node->kind == PROGRAM_REMOTE_OUT;
    const struct view *views[] = { node->source, node->destination, node->control };
    *group = 0;
    for (size_t i = 0; i < 3 + node->operands.count; ++i) {
        uint32_t of = view_group(store, i < 3 ? views[i] : node->operands.data[i - 3]);
        if (of && *group && of != *group)
            return fail(e, node->where, program_kind_name(node->kind),
                        "the operands are of two replicated graphs: take single tensors of them "
                        "(getNonReplicatedTensor)");
        *group = of ? of : *group;
    }
    if (stream || remote) {
        uint32_t own = stream ? store->streams.data[node->object].group : store->remotes.data[node->object].group;
        if (own != *group)
            return fail(e, node->where, program_kind_name(node->kind),
                        own ? "the stream or remote buffer is of a replicated graph, and the tensor is not"
                            : "the tensor is of a replicated graph, and the stream or remote buffer is not: "
                              "getNonReplicatedTensor gives the tensor of all replicas");
    }
    if (node->kind == PROGRAM_COPY && *group && !view_group(store, node->destination))
        return fail(e, node->where, program_kind_name(node->kind),
                    "the source is of a replicated graph and has one value for each replica, the destination has one: "
                    "getNonReplicatedTensor gives the tensors of all replicas");
    if (*group && ways[node->kind] == WAY_NEVER)
        return fail(e, node->where, program_kind_name(node->kind),
                    "the operand is of a replicated graph and has one value for each replica, and all replicas run one "
                    "program: take one of them (getNonReplicatedTensor)");
    return true;
}

/* Which nodes the control programs reach; wrong programs are reported later. */
static bool *used_nodes(const struct expansion *e, const pop_program *programs, size_t count)
{
    const pop_store *store = e->store;
    bool *used = mem_zero(e->before.programs.count, sizeof(*used));
    VEC(uint32_t) open = { 0 };
    for (size_t i = 0; i < count; ++i)
        if (program_node(store, programs[i]))
            *vec_push(&open) = programs[i].id - 1;
    while (open.count) {
        uint32_t at = open.data[--open.count];
        if (used[at])
            continue;
        used[at] = true;
        const struct program_node *node = e->before.programs.data[at];
        if (node->kind == PROGRAM_CALL)
            *vec_push(&open) = store->functions.data[node->object].program;
        for (size_t i = 0; i < node->children.count; ++i)
            if (node->children.data[i] != NO_PROGRAM)
                *vec_push(&open) = node->children.data[i];
    }
    vec_free(&open);
    return used;
}

static bool expand_node(struct expansion *e, size_t index)
{
    pop_store *store = e->store;
    const struct program_node *node = e->before.programs.data[index];
    uint32_t group;
    if (!node_group(e, node, &group))
        return false;
    if (!group)
        return true;
    struct program_node *made;
    if (node->kind == PROGRAM_CROSS_COPY) {
        made = cross_copy(e, node, group);
    } else if (node->kind == PROGRAM_ASSUME_EQUAL) {
        made = sequence_for(e, node);
    } else if (node->kind == PROGRAM_STREAM_IN && store->streams.data[node->object].mode == POP_STREAM_BROADCAST) {
        made = broadcast(e, node, group);
    } else if (ways[node->kind] == WAY_EACH) {
        made = for_each(e, node, group);
    } else {
        made = node_like(e, node);
        made->source = node->source ? all_instances(e, node->source, group) : NULL;
        made->destination = node->destination ? all_instances(e, node->destination, group) : NULL;
    }
    store->programs.data[index] = made;
    return true;
}

static bool expand_programs(struct expansion *e, const pop_program *programs, size_t count)
{
    bool *used = used_nodes(e, programs, count), good = true;
    for (size_t i = 0; i < e->before.programs.count && good; ++i)
        good = !used[i] || expand_node(e, i);
    free(used);
    return good;
}

/* ---- the host's side ---- */

static void expand_handles(struct expansion *e)
{
    pop_store *store = e->store;
    const struct pop_store *before = &e->before;
    for (size_t i = 0; i < before->host_reads.count + before->host_writes.count; ++i) {
        bool read = i < before->host_reads.count;
        struct host_handle handle =
            read ? before->host_reads.data[i] : before->host_writes.data[i - before->host_reads.count];
        uint32_t group = view_group(store, handle.view);
        handle.view = group ? all_instances(e, handle.view, group) : handle.view;
        if (read)
            *vec_push(&store->host_reads) = handle;
        else
            *vec_push(&store->host_writes) = handle;
    }
}

static void expand_streams(struct expansion *e)
{
    pop_store *store = e->store;
    for (size_t i = 0, all = store->streams.count; i < all; ++i) {
        struct stream *stream = &store->streams.data[i], copy = *stream;
        if (!stream->group || (stream->direction == POP_HOST_TO_DEVICE_FIFO && stream->mode == POP_STREAM_BROADCAST))
            continue;
        stream->copies = store->groups.data[stream->group - 1].replicas;
        stream->first_copy = (uint32_t)store->streams.count;
        copy.copies = 0;
        for (uint32_t r = 1, n = stream->copies; r < n; ++r)
            *vec_push(&store->streams) = copy;
    }
    for (size_t i = 0, all = store->remotes.count; i < all; ++i) {
        struct remote_buffer *remote = &store->remotes.data[i], copy = *remote;
        if (!remote->group)
            continue;
        remote->copies = store->groups.data[remote->group - 1].replicas;
        remote->first_copy = (uint32_t)store->remotes.count;
        copy.copies = 0;
        for (uint32_t r = 1, n = remote->copies; r < n; ++r)
            *vec_push(&store->remotes) = copy;
    }
}

/* ---- the whole ---- */

#define ANEW(list) memset(&store->list, 0, sizeof(store->list))
/* Lists that are referenced by index: existing entries keep their index. */
#define SAME(list)                                                                                                     \
    do {                                                                                                               \
        ANEW(list);                                                                                                    \
        if (e->before.list.count)                                                                                      \
            memcpy(vec_extend(&store->list, e->before.list.count), e->before.list.data,                                \
                   e->before.list.count * sizeof(*store->list.data));                                                  \
    } while (0)

bool expansion_make(pop_store *store, const pop_program *programs, size_t count, struct expansion **expansion,
                    pop_error *error)
{
    *expansion = NULL;
    if (!store->groups.count)
        return true;
    struct expansion *e = *expansion = MEM_NEW(struct expansion);
    e->store = store;
    e->before = *store;
    e->error = error;
    SAME(sets);
    SAME(programs);
    SAME(streams);
    SAME(remotes);
    ANEW(vertices);
    ANEW(host_reads);
    ANEW(host_writes);
    ANEW(spans);
    expand_streams(e);
    expand_handles(e);
    if (expand_vertices(e) && expand_programs(e, programs, count))
        return true;
    expansion_undo(e);
    *expansion = NULL;
    return false;
}

#define BACK(list)                                                                                                     \
    do {                                                                                                               \
        vec_free(&store->list);                                                                                        \
        store->list = e->before.list;                                                                                  \
    } while (0)

void expansion_undo(struct expansion *e)
{
    if (!e)
        return;
    pop_store *store = e->store;
    BACK(sets);
    BACK(vertices);
    BACK(programs);
    BACK(host_reads);
    BACK(host_writes);
    BACK(spans);
    BACK(streams);
    BACK(remotes);
    store->edges.count = e->before.edges.count; /* edges of replicas follow them */
    store->views.count = e->before.views.count;
    for (size_t i = 0; i < e->nodes.count; ++i)
        vec_free(&e->nodes.data[i]->children), free(e->nodes.data[i]);
    for (size_t i = 0; i < e->views.count; ++i)
        free(e->views.data[i]);
    vec_free(&e->nodes);
    vec_free(&e->views);
    free(e);
}
