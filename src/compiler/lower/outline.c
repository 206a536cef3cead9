/* SPDX-License-Identifier: Apache-2.0 */
/* outline: merges equal programs, so that lowering makes one function of code in several places, whether the same
 * program was added repeatedly or equal ones were built. */
#include "compiler/check/check.h"
#include "compiler/lower/lower.h"

#include <assert.h>

enum { MIN_LEAVES = 2 }; /* a function of one step saves nothing */

struct outline {
    const struct compiler *c;
    uint32_t *same;
    uint32_t *leaves;  /* by node, up to MIN_LEAVES */
    uint64_t *hashes;  /* by node */
    uint32_t *slots;   /* node + 1, or 0 */
    size_t slot_count; /* a power of two */
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t mix_view(uint64_t hash, const struct view *view)
{
    if (!view)
        return mix(hash, 1);
    hash = mix(mix(hash, view->elements), view->piece_count);
    for (uint32_t i = 0; i < view->piece_count; ++i)
        hash = mix(mix(hash, view->pieces[i].variable), view->pieces[i].offset);
    return hash;
}

static bool same_views(const struct view *a, const struct view *b)
{
    if (a == b || !a || !b)
        return a == b;
    if (a->type != b->type || a->elements != b->elements || a->piece_count != b->piece_count)
        return false;
    return !a->piece_count || memcmp(a->pieces, b->pieces, a->piece_count * sizeof(*a->pieces)) == 0;
}

static bool can_be_same(const struct outline *o, uint32_t node, const struct program_node *n)
{
    switch (n->kind) {
    case PROGRAM_COPY:
        return !n->flag; /* dontOutline */
    case PROGRAM_EXECUTE:
    case PROGRAM_STREAM_IN:
    case PROGRAM_STREAM_OUT:
    case PROGRAM_REMOTE_IN:
    case PROGRAM_REMOTE_OUT:
        return true;
    case PROGRAM_SEQUENCE:
    case PROGRAM_BLOCK:
    case PROGRAM_REPEAT:
    case PROGRAM_WHILE_TRUE:
    case PROGRAM_WHILE_FALSE:
    case PROGRAM_IF:
    case PROGRAM_SWITCH:
        return o->leaves[node] >= MIN_LEAVES;
    default:
        return false;
    }
}

static uint32_t same_child(const struct outline *o, uint32_t child)
{
    return child == NO_PROGRAM ? child : o->same[child];
}

static uint64_t hash_node(const struct outline *o, const struct program_node *n)
{
    uint64_t hash = mix(mix(mix(mix(n->kind, n->name), n->object), n->count), n->flag);
    hash = mix_view(mix_view(mix_view(hash, n->source), n->destination), n->control);
    for (size_t i = 0; i < n->children.count; ++i)
        hash = mix(hash, same_child(o, n->children.data[i]));
    for (size_t i = 0; i < n->values.count; ++i)
        hash = mix(hash, (uint64_t)n->values.data[i]);
    return hash;
}

static bool same_nodes(const struct outline *o, const struct program_node *a, const struct program_node *b)
{
    if (a->kind != b->kind || a->name != b->name || a->object != b->object || a->count != b->count ||
        a->flag != b->flag || a->children.count != b->children.count || a->values.count != b->values.count)
        return false;
    for (size_t i = 0; i < a->children.count; ++i)
        if (same_child(o, a->children.data[i]) != same_child(o, b->children.data[i]))
            return false;
    for (size_t i = 0; i < a->values.count; ++i)
        if (a->values.data[i] != b->values.data[i])
            return false;
    return same_views(a->source, b->source) && same_views(a->destination, b->destination) &&
           same_views(a->control, b->control);
}

static void find_same(struct outline *o, uint32_t node)
{
    assert(o->same[node] == node);
    const pop_store *store = o->c->store;
    const struct program_node *n = store->programs.data[node];
    o->hashes[node] = hash_node(o, n);
    size_t at = o->hashes[node] & (o->slot_count - 1);
    for (; o->slots[at]; at = (at + 1) & (o->slot_count - 1)) {
        uint32_t other = o->slots[at] - 1;
        if (o->hashes[other] == o->hashes[node] && same_nodes(o, n, store->programs.data[other])) {
            o->same[node] = other;
            return;
        }
    }
    o->slots[at] = node + 1;
}

static void count_leaves(struct outline *o, uint32_t node)
{
    const struct program_node *n = o->c->store->programs.data[node];
    uint32_t child, leaves = n->children.count ? 0 : n->kind != PROGRAM_SEQUENCE;
    for (size_t i = 0; leaves < MIN_LEAVES && use_child(o->c, n, i, &child); ++i)
        leaves += child == NO_PROGRAM ? 0 : o->leaves[child];
    o->leaves[node] = leaves;
}

/* Parents follow their children in the list, so in a backward walk each node's count is complete when it is reached. */
static void count_references(const struct compiler *c, const struct use_result *use, struct outline_result *result)
{
    for (size_t i = 0; i < c->program_count; ++i)
        ++result->references[result->same[c->programs[i].id - 1]];
    for (size_t i = use->finished.count; i-- > 0;) {
        uint32_t node = use->finished.data[i], child;
        if (!result->references[node])
            continue;
        for (size_t k = 0; use_child(c, c->store->programs.data[node], k, &child); ++k)
            if (child != NO_PROGRAM)
                ++result->references[result->same[child]];
    }
}

const struct outline_result *pass_outline(struct compiler *c, const struct use_result *use)
{
    size_t nodes = c->store->programs.count;
    struct outline_result *result = ARENA_NEW(&c->arena, struct outline_result);
    result->same = arena_alloc(&c->arena, nodes * sizeof(*result->same));
    result->references = arena_zero(&c->arena, nodes, sizeof(*result->references));
    struct outline o = { .c = c,
                         .same = result->same,
                         .leaves = mem_zero(nodes, sizeof(*o.leaves)),
                         .hashes = mem_alloc(nodes * sizeof(*o.hashes)),
                         .slot_count = 16 };
    while (o.slot_count < 2 * use->finished.count)
        o.slot_count *= 2;
    assert((o.slot_count & (o.slot_count - 1)) == 0 &&
           o.slot_count > use->finished.count); /* a free slot ends each search */
    o.slots = mem_zero(o.slot_count, sizeof(*o.slots));
    for (uint32_t i = 0; i < nodes; ++i)
        result->same[i] = i;
    for (size_t i = 0; i < use->finished.count; ++i) {
        uint32_t node = use->finished.data[i];
        count_leaves(&o, node);
        if (can_be_same(&o, node, c->store->programs.data[node]))
            find_same(&o, node);
    }
    count_references(c, use, result);
    free(o.leaves);
    free(o.hashes);
    free(o.slots);
    return result;
}
