/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of the store: composites and wide views, as a log that mark and release cut back. */
#include "graph/build.h"
#include "graph/tensor.h"

#include <assert.h>

/* A composite as it was before something was added to it. */
struct before {
    uint32_t source;
    unsigned depth;
    size_t children, pool;
    uint64_t total;
    uint64_t extent; /* of the last child's first digit */
    struct child last;
};

struct node {
    enum { NODE_COMPOSITE, NODE_WIDE, NODE_ADDITION } kind;
    bool counted; /* a caller that counts has had it, or a later one: nobody else may hold it */
    uint32_t references;
    void *memory; /* composite, wide or before */
};

struct tensor_nodes {
    VEC(struct node) log;
    VEC(struct composite *) composites; /* by index */
};

struct tensor_nodes *tensor_nodes_create(void)
{
    return MEM_NEW(struct tensor_nodes);
}

size_t tensor_nodes_mark(const struct tensor_nodes *nodes)
{
    return nodes->log.count;
}

void composite_free(struct composite *composite)
{
    vec_free(&composite->children);
    vec_free(&composite->pool);
    free(composite);
}

static void take_back(struct composite *composite, const struct before *before)
{
    composite->children.count = before->children;
    composite->pool.count = before->pool;
    composite->total = before->total;
    composite->depth = before->depth;
    composite->children.data[before->children - 1] = before->last;
    if (before->last.digits)
        composite->pool.data[before->last.first].extent = before->extent;
}

static void drop_last(struct tensor_nodes *nodes)
{
    struct node node = nodes->log.data[--nodes->log.count];
    if (node.kind == NODE_COMPOSITE) {
        composite_free(node.memory);
        --nodes->composites.count;
        return;
    }
    if (node.kind == NODE_ADDITION) {
        const struct before *before = node.memory;
        take_back(nodes->composites.data[before->source & ~COMPOSITE], before);
    }
    free(node.memory);
}

void tensor_nodes_release(struct tensor_nodes *nodes, size_t mark)
{
    while (nodes->log.count > mark)
        drop_last(nodes);
}

/* ---- counting: nodes are given back from the end of the log, as far as nobody has them.  What a node refers to stands before it. ---- */

/* The node of a value, NULL when it has none (or a release of a mark took it). */
static struct node *node_of(const pop_tensor *t)
{
    struct tensor_nodes *nodes = t->store->nodes;
    size_t at = SIZE_MAX;
    if (t->form & FORM_WIDE)
        at = ((const struct wide *)(uintptr_t)t->offset)->node;
    else if ((t->source & COMPOSITE) && (t->source & ~COMPOSITE) < nodes->composites.count)
        at = composite_of(t->store, t->source)->node;
    return at < nodes->log.count ? &nodes->log.data[at] : NULL;
}

/* Whether something was added to a composite that is still held: then the addition stays. */
static const struct node *holder_of(const struct tensor_nodes *nodes, const struct node *node)
{
    if (node->kind != NODE_ADDITION)
        return node;
    const struct before *before = node->memory;
    return &nodes->log.data[nodes->composites.data[before->source & ~COMPOSITE]->node];
}

void pop_tensor_retain(const pop_tensor *t)
{
    struct node *node = t->store ? node_of(t) : NULL;
    if (!node)
        return;
    ++t->store->handles;
    ++node->references;
    for (struct node *first = t->store->nodes->log.data; node >= first && !node->counted; --node)
        node->counted = true; /* those before it were made on the way to it */
}

void pop_tensor_release(const pop_tensor *t)
{
    struct node *node = t->store ? node_of(t) : NULL;
    if (!node || !node->references)
        return;
    struct tensor_nodes *nodes = t->store->nodes;
    if (--node->references == 0)
        while (nodes->log.count) {
            const struct node *last = holder_of(nodes, &nodes->log.data[nodes->log.count - 1]);
            if (last->references || !last->counted)
                break;
            drop_last(nodes);
        }
    if (--t->store->handles == 0)
        store_destroy(t->store);
}

void tensor_nodes_destroy(struct tensor_nodes *nodes)
{
    if (!nodes)
        return;
    tensor_nodes_release(nodes, 0);
    vec_free(&nodes->log);
    vec_free(&nodes->composites);
    free(nodes);
}

static void log_node(struct tensor_nodes *nodes, int kind, void *memory)
{
    struct node *node = vec_push(&nodes->log);
    *node = (struct node){ .kind = kind, .memory = memory };
}

struct wide *wide_keep(pop_store *store, unsigned digits)
{
    struct wide *wide = mem_alloc(sizeof(*wide) + digits * sizeof(*wide->digit));
    wide->node = store->nodes->log.count;
    log_node(store->nodes, NODE_WIDE, wide);
    return wide;
}

struct composite *composite_of(const pop_store *store, uint32_t source)
{
    return store->nodes->composites.data[source & ~COMPOSITE];
}

uint32_t composite_keep(pop_store *store, struct composite *composite)
{
    struct tensor_nodes *nodes = store->nodes;
    assert(nodes->composites.count < COMPOSITE);
    uint32_t source = (uint32_t)nodes->composites.count | COMPOSITE;
    *vec_push(&nodes->composites) = composite;
    composite->node = nodes->log.count;
    log_node(nodes, NODE_COMPOSITE, composite);
    return source;
}

void composite_open(pop_store *store, uint32_t source)
{
    const struct composite *composite = composite_of(store, source);
    struct before *before = mem_alloc(sizeof(*before));
    struct child last = composite->children.data[composite->children.count - 1];
    *before = (struct before){ .source = source,
                               .depth = composite->depth,
                               .children = composite->children.count,
                               .pool = composite->pool.count,
                               .total = composite->total,
                               .extent = last.digits ? composite->pool.data[last.first].extent : 0,
                               .last = last };
    log_node(store->nodes, NODE_ADDITION, before);
}

size_t composite_find(const struct composite *composite, uint64_t element, size_t hint)
{
    const struct child *child = composite->children.data;
    size_t low = 0, high = composite->children.count;
    for (size_t i = hint; i < hint + 2 && i < high; ++i)
        if (child[i].begin <= element && element < composite_end(composite, i))
            return i;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (child[middle].begin <= element)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static size_t pool_add(struct composite *composite, const struct digit *digit, unsigned count)
{
    size_t first = composite->pool.count;
    vec_reserve(&composite->pool, count + 1); /* never NULL, even when no child has digits */
    if (count)
        memcpy(vec_extend(&composite->pool, count), digit, count * sizeof(*digit));
    return first;
}

/* Whether a piece goes on where the last child ends, as more of its outermost digit. */
static bool extend(struct composite *composite, struct child *last, const struct piece *piece)
{
    if (!last->digits)
        return false;
    struct digit *outer = composite->pool.data + last->first;
    if (piece->offset != last->offset + outer->extent * (uint64_t)outer->stride)
        return false;
    bool blocks = piece->digits == last->digits && piece->digit->stride == outer->stride &&
                  digits_equal(outer + 1, piece->digit + 1, last->digits - 1);
    bool block = piece->digits + 1 == last->digits && digits_equal(outer + 1, piece->digit, piece->digits);
    if (!blocks && !block)
        return false;
    outer->extent += blocks ? piece->digit->extent : 1;
    return true;
}

/* Whether the last child is one block before those of the piece, or the piece is another such block. */
static bool prepend(struct composite *composite, struct child *last, const struct piece *piece)
{
    struct digit joined[MAX_DIGITS + 2];
    const struct digit *block = composite->pool.data + last->first;
    uint64_t move = piece->offset - last->offset;
    if (piece->digits == last->digits + 1 && move == (uint64_t)piece->digit->stride &&
        digits_equal(block, piece->digit + 1, last->digits))
        joined[0] = (struct digit){ piece->digit->extent + 1, (int64_t)move };
    else if (piece->digits == last->digits && digits_equal(block, piece->digit, last->digits))
        joined[0] = (struct digit){ 2, (int64_t)move };
    else
        return false;
    if (last->digits)
        memcpy(joined + 1, block, last->digits * sizeof(*block));
    last->digits = digits_merge(joined, last->digits + 1);
    last->first = pool_add(composite, joined, last->digits);
    return true;
}

static void add_piece(struct composite *composite, const struct piece *piece)
{
    if (composite->children.count) {
        struct child *last = &composite->children.data[composite->children.count - 1];
        if (last->source == piece->variable && (extend(composite, last, piece) || prepend(composite, last, piece))) {
            composite->total += piece->elements;
            return;
        }
    }
    size_t first = pool_add(composite, piece->digit, piece->digits);
    *vec_push(&composite->children) = (struct child){ .begin = composite->total,
                                                      .offset = piece->offset,
                                                      .source = piece->variable,
                                                      .digits = piece->digits,
                                                      .first = first };
    composite->total += piece->elements;
}

/* Pieces of a view over a composite, gathered so that the composite they are for may be the one they come from. */
struct gathered {
    VEC(struct piece) pieces;
    VEC(struct digit) digits;
    size_t limit;
};

static bool gather(const struct piece *piece, void *context)
{
    struct gathered *to = context;
    if (to->pieces.count == to->limit)
        return false;
    vec_reserve(&to->digits, piece->digits + 1); /* never NULL, even when no piece has digits */
    *vec_push(&to->pieces) = *piece;
    if (piece->digits)
        memcpy(vec_extend(&to->digits, piece->digits), piece->digit, piece->digits * sizeof(*piece->digit));
    return true;
}

void composite_add(pop_store *store, struct composite *composite, const struct piece *piece)
{
    enum { FEW_PIECES = 16, MAX_DEPTH = 32 };
    if (!(piece->variable & COMPOSITE)) {
        add_piece(composite, piece);
        return;
    }
    unsigned depth = composite_of(store, piece->variable)->depth + 1;
    struct gathered own = { .limit = depth > MAX_DEPTH ? SIZE_MAX : FEW_PIECES };
    if (walk_pieces(store, piece, gather, &own)) {
        const struct digit *digit = own.digits.data;
        for (size_t i = 0; i < own.pieces.count; ++i) {
            own.pieces.data[i].digit = digit;
            digit += own.pieces.data[i].digits;
            add_piece(composite, &own.pieces.data[i]);
        }
    } else {
        add_piece(composite, piece);
        if (composite->depth < depth)
            composite->depth = depth;
    }
    vec_free(&own.pieces);
    vec_free(&own.digits);
}
