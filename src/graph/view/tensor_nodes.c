/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of the store: composites, wide views and additions to composites, in the order in which they were made.  They
 * are freed from the end back to a mark, or one by one by reference counting. */
#include "graph/store/store.h"
#include "graph/view/tensor.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"
#include "graph/view/view_walk.h"

#include <assert.h>

enum { NODE_COMPOSITE, NODE_WIDE, NODE_ADDITION };

/* A composite as it was before something was added to it. */
struct addition {
    struct node node;
    struct composite *composite;
    struct addition *before; /* the one before it to the same composite */
    unsigned depth;
    size_t children, pool;
    uint64_t total;
    uint64_t extent; /* of the last child's first digit */
    struct node_child last;
};

struct tensor_nodes {
    struct node *last;
    size_t count;
    size_t next;                        /* serial of the next one */
    uint64_t stamps;                    /* given out */
    size_t counted;                     /* nodes with a smaller serial are owned by reference-counting callers only */
    VEC(struct composite *) composites; /* by index; NULL: spare */
    VEC(uint32_t) spare;                /* indices */
    VEC(struct node *)
    waiting; /* counted nodes that may have no reference: freed at the next release */
};

struct tensor_nodes *tensor_nodes_create(void)
{
    return MEM_NEW(struct tensor_nodes);
}

size_t tensor_nodes_mark(const struct tensor_nodes *nodes)
{
    return nodes->next;
}

size_t tensor_nodes_count(const struct tensor_nodes *nodes)
{
    return nodes->count;
}

static void link_node(struct tensor_nodes *nodes, struct node *node, uint8_t kind)
{
    *node = (struct node){ .previous = nodes->last, .serial = nodes->next++, .kind = kind };
    if (node->previous)
        node->previous->following = node;
    nodes->last = node;
    ++nodes->count;
}

static void unlink_node(struct tensor_nodes *nodes, struct node *node)
{
    assert(nodes->count && (node->following || nodes->last == node));
    if (node->previous)
        node->previous->following = node->following;
    if (node->following)
        node->following->previous = node->previous;
    else
        nodes->last = node->previous;
    --nodes->count;
    for (size_t i = 0; node->waiting && i < nodes->waiting.count; ++i)
        if (nodes->waiting.data[i] == node) {
            nodes->waiting.data[i] = nodes->waiting.data[--nodes->waiting.count];
            node->waiting = false;
        }
}

/* ---- references of nodes: a composite's children and a wide view's source live as long as it ---- */

static bool is_held(const struct node *node)
{
    return node->retained || node->users;
}

static void collect_if_unused(struct tensor_nodes *nodes, struct node *node)
{
    if (is_held(node) || node->waiting || node->serial >= nodes->counted || node->kind == NODE_ADDITION)
        return;
    node->waiting = true;
    *vec_push(&nodes->waiting) = node;
}

static void hold(const pop_store *store, uint32_t source)
{
    if (source & COMPOSITE)
        ++composite_of(store, source)->node.users;
}

static void release_child(struct tensor_nodes *nodes, uint32_t source)
{
    if (!(source & COMPOSITE))
        return;
    struct node *node = &nodes->composites.data[source & ~COMPOSITE]->node;
    assert(node->users);
    --node->users;
    collect_if_unused(nodes, node);
}

static void release_children(struct tensor_nodes *nodes, const struct composite *composite, size_t from)
{
    for (size_t i = from; composite->depth && i < composite->children.count; ++i)
        release_child(nodes, composite->children.data[i].source);
}

static void free_composite(struct composite *composite)
{
    vec_free(&composite->children);
    vec_free(&composite->pool);
    free(composite);
}

void composite_free(pop_store *store, struct composite *composite)
{
    release_children(store->nodes, composite, 0);
    free_composite(composite);
}

static void take_back(struct tensor_nodes *nodes, const struct addition *addition)
{
    struct composite *composite = addition->composite;
    assert(addition->children && addition->children <= composite->children.count);
    release_children(nodes, composite, addition->children);
    composite->children.count = addition->children;
    composite->pool.count = addition->pool;
    composite->total = addition->total;
    composite->depth = addition->depth;
    composite->children.data[addition->children - 1] = addition->last;
    if (addition->last.digits)
        composite->pool.data[addition->last.first].extent = addition->extent;
    composite->additions = addition->before;
}

static void drop_composite(struct tensor_nodes *nodes, struct composite *composite)
{
    for (struct addition *addition = composite->additions, *before; addition; addition = before) {
        before = addition->before;
        unlink_node(nodes, &addition->node);
        free(addition);
    }
    release_children(nodes, composite, 0);
    nodes->composites.data[composite->index] = NULL;
    *vec_push(&nodes->spare) = composite->index;
    unlink_node(nodes, &composite->node);
    free_composite(composite);
}

/* Each kind of node has it as its first member. */
static void drop(struct tensor_nodes *nodes, struct node *node)
{
    if (node->kind == NODE_COMPOSITE) {
        drop_composite(nodes, (struct composite *)node);
        return;
    }
    if (node->kind == NODE_ADDITION)
        take_back(nodes, (struct addition *)node);
    else
        release_child(nodes, ((struct wide *)node)->source);
    unlink_node(nodes, node);
    free(node);
}

/* ---- marks ---- */

/* What a caller that counts still needs: additions stay with their composite. */
static bool is_kept(const struct tensor_nodes *nodes, const struct node *node)
{
    if (node->kind != NODE_ADDITION)
        return is_held(node);
    const struct node *composite = &((const struct addition *)node)->composite->node;
    return composite->serial < nodes->counted && is_held(composite);
}

void tensor_nodes_release(struct tensor_nodes *nodes, size_t mark)
{
    size_t next = mark;
    for (struct node *node = nodes->last, *previous; node && node->serial >= mark; node = previous) {
        previous = node->previous;
        if (!is_kept(nodes, node))
            drop(nodes, node);
        else if (next == mark)
            next = node->serial + 1;
    }
    if (next < nodes->next)
        nodes->next = next;
    if (nodes->counted > nodes->next)
        nodes->counted = nodes->next;
}

/* ---- counting ---- */

/* The node of a value, NULL when it has none. */
static struct node *node_of(const pop_tensor *t)
{
    const struct tensor_nodes *nodes = t->store->nodes;
    if (t->form & FORM_WIDE)
        return &((struct wide *)(uintptr_t)t->offset)->node;
    if (!(t->source & COMPOSITE) || (t->source & ~COMPOSITE) >= nodes->composites.count)
        return NULL;
    struct composite *composite = composite_of(t->store, t->source);
    return composite ? &composite->node : NULL;
}

void pop_tensor_retain(const pop_tensor *t)
{
    struct node *node = t->store ? node_of(t) : NULL;
    if (!node)
        return;
    ++t->store->handles;
    ++node->retained;
    struct tensor_nodes *nodes = t->store->nodes;
    size_t before = nodes->counted;
    if (node->serial < before)
        return;
    nodes->counted = node->serial + 1;
    while ((node = node->previous) && node->serial >= before)
        collect_if_unused(nodes, node); /* made on the way to it */
}

bool tensor_nodes_let_go(const pop_tensor *t)
{
    struct node *node = t->store ? node_of(t) : NULL;
    if (!node || !node->retained)
        return false;
    struct tensor_nodes *nodes = t->store->nodes;
    --node->retained;
    collect_if_unused(nodes, node);
    while (nodes->waiting.count) { /* children of what goes may join them */
        node = nodes->waiting.data[--nodes->waiting.count];
        node->waiting = false;
        if (!is_held(node))
            drop(nodes, node);
    }
    return true;
}

void tensor_nodes_destroy(struct tensor_nodes *nodes)
{
    if (!nodes)
        return;
    for (struct node *node = nodes->last, *previous; node; node = previous) {
        previous = node->previous;
        if (node->kind == NODE_COMPOSITE)
            free_composite((struct composite *)node);
        else
            free(node);
    }
    vec_free(&nodes->composites);
    vec_free(&nodes->spare);
    vec_free(&nodes->waiting);
    free(nodes);
}

/* ---- making nodes ---- */

struct wide *wide_keep(pop_store *store, uint32_t source, unsigned digits)
{
    struct wide *wide = mem_alloc(sizeof(*wide) + digits * sizeof(*wide->digit));
    link_node(store->nodes, &wide->node, NODE_WIDE);
    wide->source = source;
    hold(store, source);
    return wide;
}

struct composite *composite_of(const pop_store *store, uint32_t source)
{
    assert((source & COMPOSITE) && (source & ~COMPOSITE) < store->nodes->composites.count &&
           store->nodes->composites.data[source & ~COMPOSITE]);
    return store->nodes->composites.data[source & ~COMPOSITE];
}

void source_bounds(const pop_store *store, uint32_t source, uint32_t *low, uint32_t *high)
{
    bool composite = source & COMPOSITE;
    *low = composite ? composite_of(store, source)->low : source;
    *high = composite ? composite_of(store, source)->high : source;
}

uint32_t composite_keep(pop_store *store, struct composite *composite)
{
    assert(composite->children.count);
    struct tensor_nodes *nodes = store->nodes;
    if (nodes->spare.count) {
        composite->index = nodes->spare.data[--nodes->spare.count];
    } else {
        assert(nodes->composites.count < COMPOSITE);
        composite->index = (uint32_t)nodes->composites.count;
        vec_push(&nodes->composites);
    }
    nodes->composites.data[composite->index] = composite;
    composite->stamp = ++nodes->stamps;
    vec_trim(&composite->children); /* most are not added to */
    vec_trim(&composite->pool);
    link_node(nodes, &composite->node, NODE_COMPOSITE);
    return composite->index | COMPOSITE;
}

void composite_drop_unused(pop_store *store, uint32_t source)
{
    struct tensor_nodes *nodes = store->nodes;
    struct node *node = &composite_of(store, source)->node;
    if (is_held(node))
        return;
    if (node == nodes->last && node->serial >= nodes->counted)
        nodes->next = node->serial;
    drop(nodes, node);
}

void composite_open(pop_store *store, uint32_t source)
{
    struct composite *composite = composite_of(store, source);
    assert(composite->children.count);
    composite->stamp = ++store->nodes->stamps;
    if (composite->node.serial < store->nodes->counted && is_held(&composite->node))
        return; /* marks do not take anything of it */
    struct addition *addition = mem_alloc(sizeof(*addition));
    struct node_child last = composite->children.data[composite->children.count - 1];
    *addition = (struct addition){ .composite = composite,
                                   .before = composite->additions,
                                   .depth = composite->depth,
                                   .children = composite->children.count,
                                   .pool = composite->pool.count,
                                   .total = composite->total,
                                   .extent = last.digits ? composite->pool.data[last.first].extent : 0,
                                   .last = last };
    composite->additions = addition;
    link_node(store->nodes, &addition->node, NODE_ADDITION);
}

size_t composite_find(struct composite *composite, uint64_t element)
{
    assert(element < composite->total);
    const struct node_child *child = composite->children.data;
    size_t low = 0, high = composite->children.count;
    for (size_t i = composite->found; i < composite->found + 2 && i < high; ++i)
        if (child[i].begin <= element && element < composite_end(composite, i))
            return composite->found = i;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (child[middle].begin <= element)
            low = middle;
        else
            high = middle;
    }
    return composite->found = low;
}

static size_t pool_add(struct composite *composite, const struct digit *digit, unsigned count)
{
    size_t first = composite->pool.count;
    vec_reserve(&composite->pool, count + 1); /* never NULL, even when no child has digits */
    if (count)
        digits_copy(vec_extend(&composite->pool, count), digit, count);
    return first;
}

/* Whether a piece goes on where the last child ends, as more of its outermost digit. */
static bool extend(struct composite *composite, struct node_child *last, const struct piece *piece)
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

/* Prepends: true if child and piece continue each other at a constant stride. */
static bool prepend(struct composite *composite, struct node_child *last, const struct piece *piece)
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

static void add_bounds(const pop_store *store, struct composite *composite, uint32_t source)
{
    uint32_t low, high;
    source_bounds(store, source, &low, &high);
    composite->low = composite->total && composite->low < low ? composite->low : low;
    composite->high = composite->total && composite->high > high ? composite->high : high;
}

static void add_piece(pop_store *store, struct composite *composite, const struct piece *piece)
{
    assert(piece->digits <= MAX_DIGITS + 2);
    add_bounds(store, composite, piece->variable);
    if (composite->children.count) {
        struct node_child *last = &composite->children.data[composite->children.count - 1];
        if (last->source == piece->variable && (extend(composite, last, piece) || prepend(composite, last, piece))) {
            composite->total += piece->elements;
            return;
        }
    }
    size_t first = pool_add(composite, piece->digit, piece->digits);
    *vec_push(&composite->children) = (struct node_child){ .begin = composite->total,
                                                           .offset = piece->offset,
                                                           .source = piece->variable,
                                                           .digits = piece->digits,
                                                           .first = first };
    composite->total += piece->elements;
    hold(store, piece->variable);
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
        digits_copy(vec_extend(&to->digits, piece->digits), piece->digit, piece->digits);
    return true;
}

void composite_add(pop_store *store, struct composite *composite, const struct piece *piece)
{
    enum { FEW_PIECES = 16, MAX_DEPTH = 32 };
    if (!(piece->variable & COMPOSITE)) {
        add_piece(store, composite, piece);
        return;
    }
    unsigned depth = composite_of(store, piece->variable)->depth + 1;
    struct gathered own = { .limit = depth > MAX_DEPTH ? SIZE_MAX : FEW_PIECES };
    if (walk_pieces(store, piece, gather, &own)) {
        const struct digit *digit = own.digits.data;
        for (size_t i = 0; i < own.pieces.count; ++i) {
            own.pieces.data[i].digit = digit;
            digit += own.pieces.data[i].digits;
            add_piece(store, composite, &own.pieces.data[i]);
        }
    } else {
        add_piece(store, composite, piece);
        if (composite->depth < depth)
            composite->depth = depth;
    }
    vec_free(&own.pieces);
    vec_free(&own.digits);
}
