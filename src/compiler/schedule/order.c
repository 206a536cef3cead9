/* SPDX-License-Identifier: Apache-2.0 */
/* sets and order: counting sorts, least significant key first. */
#include "compiler/common/prefetch.h"
#include "compiler/schedule/schedule.h"

#include <assert.h>

enum sort_key { KEY_TILE, KEY_TYPE, KEY_SET };

/* An order while it is made. */
struct sorting {
    const pop_store *store;
    const struct use_result *use;
    struct order_result *order;
    uint32_t *spare; /* as long as order->vertices, or NULL; they change places */
};

static uint32_t key_of(const struct sorting *s, uint32_t vertex, enum sort_key key)
{
    const struct vertex *v = &s->store->vertices.data[vertex];
    return key == KEY_TILE ? v->tile : key == KEY_TYPE ? v->type : s->use->set_of[v->set];
}

static bool is_sorted(const struct sorting *s, enum sort_key key)
{
    const uint32_t *vertices = s->order->vertices;
    for (uint64_t i = 1; i < s->order->count; ++i) {
        prefetch_vertex(s->store, s->order, i);
        if (key_of(s, vertices[i - 1], key) > key_of(s, vertices[i], key))
            return false;
    }
    return true;
}

/* Stable. */
static void sort_by(struct sorting *s, enum sort_key key, uint32_t buckets)
{
    if (buckets <= 1 || is_sorted(s, key))
        return;
    uint32_t *vertices = s->order->vertices;
    uint64_t *start = mem_zero((size_t)buckets + 1, sizeof(*start));
    if (!s->spare)
        s->spare = mem_alloc(s->order->count * sizeof(*s->spare));
    for (uint64_t i = 0; i < s->order->count; ++i) {
        prefetch_vertex(s->store, s->order, i);
        ++start[key_of(s, vertices[i], key) + 1];
    }
    for (uint32_t b = 0; b < buckets; ++b)
        start[b + 1] += start[b];
    for (uint64_t i = 0; i < s->order->count; ++i) {
        prefetch_vertex(s->store, s->order, i);
        s->spare[start[key_of(s, vertices[i], key)]++] = vertices[i];
    }
    s->order->vertices = s->spare;
    s->spare = vertices;
    assert(is_sorted(s, key));
    free(start);
}

static struct sorting sorting_begin(struct compiler *c, const struct use_result *use, uint64_t vertices)
{
    struct order_result *order = ARENA_NEW(&c->arena, struct order_result);
    arena_adopt(&c->arena, (void **)&order->vertices);
    arena_adopt_vec(&c->arena, &order->sets);
    arena_adopt_vec(&c->arena, &order->groups);
    arena_adopt_vec(&c->arena, &order->spans);
    order->vertices = mem_alloc(vertices * sizeof(*order->vertices));
    order->count = vertices;
    return (struct sorting){ .store = c->store, .use = use, .order = order };
}

const struct order_result *pass_sets(struct compiler *c, const struct use_result *use, const struct check_result *check)
{
    const pop_store *store = c->store;
    uint64_t at = 0;
    struct sorting s = sorting_begin(c, use, check->vertex_count);
    struct order_result *order = s.order;
    for (size_t i = 0; i < use->sets.count; ++i)
        *vec_push(&order->sets) = (struct used_set){ .set = use->sets.data[i] };
    for (size_t i = 0; i < store->vertices.count; ++i) {
        uint32_t set = use->set_of[store->vertices.data[i].set];
        if (set == NONE)
            continue;
        order->vertices[at++] = (uint32_t)i;
        ++order->sets.data[set].count;
    }
    assert(at == order->count);
    sort_by(&s, KEY_SET, (uint32_t)order->sets.count);
    free(s.spare);
    for (size_t i = 1; i < order->sets.count; ++i)
        order->sets.data[i].first = order->sets.data[i - 1].first + order->sets.data[i - 1].count;
    return order;
}

static void find_groups(const pop_store *store, struct order_result *order, struct used_set *set)
{
    assert(set->first + set->count <= order->count);
    const struct vertex *vertices = store->vertices.data;
    set->first_group = (uint32_t)order->groups.count;
    for (uint64_t i = set->first, end = set->first + set->count; i < end;) {
        struct vertex_group group = { .type = vertices[order->vertices[i]].type,
                                      .first = i,
                                      .first_span = order->spans.count };
        for (struct tile_span *span = NULL; i < end && vertices[order->vertices[i]].type == group.type;
             ++i, ++span->count) {
            prefetch_vertex(store, order, i);
            uint32_t tile = vertices[order->vertices[i]].tile;
            if (!span || span->tile != tile)
                *(span = vec_push(&order->spans)) = (struct tile_span){ tile, 0 };
        }
        group.count = i - group.first;
        group.spans = order->spans.count - group.first_span;
        *vec_push(&order->groups) = group;
    }
    set->groups = (uint32_t)order->groups.count - set->first_group;
}

const struct order_result *pass_order(struct compiler *c, const struct use_result *use, const struct order_result *sets)
{
    assert(sets->sets.count == use->sets.count && !sets->groups.count);
    const struct vertex *vertices = c->store->vertices.data;
    uint32_t tiles = 0, types = 0, first_type = sets->count ? vertices[sets->vertices[0]].type : 0;
    struct sorting s = sorting_begin(c, use, sets->count);
    struct order_result *order = s.order;
    if (sets->count)
        memcpy(order->vertices, sets->vertices, sets->count * sizeof(*order->vertices));
    for (size_t i = 0; i < sets->sets.count; ++i)
        *vec_push(&order->sets) = sets->sets.data[i];
    for (uint64_t i = 0; i < order->count; ++i) {
        const struct vertex *v = &vertices[order->vertices[i]];
        tiles = v->tile >= tiles ? v->tile + 1 : tiles;
        if (v->type != first_type)
            types = (uint32_t)c->store->types.count;
    }
    sort_by(&s, KEY_TILE, tiles);
    sort_by(&s, KEY_TYPE, types);
    sort_by(&s, KEY_SET, (uint32_t)order->sets.count);
    free(s.spare);
    for (size_t i = 0; i < order->sets.count; ++i)
        find_groups(c->store, order, &order->sets.data[i]);
    return order;
}
