/* SPDX-License-Identifier: Apache-2.0 */
/* sets: the vertices of used sets by (set, creation).  In: sets, checked vertices.  Out: order, first and count of
 * sets. order: the same by (set, type, tile, creation), so that runs of one type are long and a tile's vertices are
 * neighbours.  Out: order, groups, spans. Counting sorts, least significant key first. */
#include "compiler/common/prefetch.h"

enum sort_key { KEY_TILE, KEY_TYPE, KEY_SET };

static uint32_t key_of(const struct compiler *c, uint32_t vertex, enum sort_key key)
{
    const struct vertex *v = &c->store->vertices.data[vertex];
    return key == KEY_TILE ? v->tile : key == KEY_TYPE ? v->type : c->set_of[v->set];
}

static bool is_sorted(const struct compiler *c, enum sort_key key)
{
    for (uint64_t i = 1; i < c->vertex_count; ++i) {
        prefetch_vertex(c, i);
        if (key_of(c, c->order[i - 1], key) > key_of(c, c->order[i], key))
            return false;
    }
    return true;
}

/* Stable; *spare is as long as order, and they change places. */
static void sort_by(struct compiler *c, enum sort_key key, uint32_t buckets, uint32_t **spare)
{
    if (buckets <= 1 || is_sorted(c, key))
        return;
    uint64_t *start = mem_zero((size_t)buckets + 1, sizeof(*start));
    if (!*spare)
        *spare = mem_alloc(c->vertex_count * sizeof(**spare));
    for (uint64_t i = 0; i < c->vertex_count; ++i) {
        prefetch_vertex(c, i);
        ++start[key_of(c, c->order[i], key) + 1];
    }
    for (uint32_t b = 0; b < buckets; ++b)
        start[b + 1] += start[b];
    for (uint64_t i = 0; i < c->vertex_count; ++i) {
        prefetch_vertex(c, i);
        (*spare)[start[key_of(c, c->order[i], key)]++] = c->order[i];
    }
    uint32_t *sorted = *spare;
    *spare = c->order;
    c->order = sorted;
    free(start);
}

bool pass_sets(struct compiler *c)
{
    const pop_store *store = c->store;
    uint64_t at = 0;
    uint32_t *spare = NULL;
    c->order = mem_alloc(c->vertex_count * sizeof(*c->order));
    for (size_t i = 0; i < store->vertices.count; ++i) {
        uint32_t set = c->set_of[store->vertices.data[i].set];
        if (set == NONE)
            continue;
        c->order[at++] = (uint32_t)i;
        ++c->sets.data[set].count;
    }
    sort_by(c, KEY_SET, (uint32_t)c->sets.count, &spare);
    free(spare);
    for (size_t s = 1; s < c->sets.count; ++s)
        c->sets.data[s].first = c->sets.data[s - 1].first + c->sets.data[s - 1].count;
    return true;
}

static void find_groups(struct compiler *c, struct used_set *set)
{
    const struct vertex *vertices = c->store->vertices.data;
    set->first_group = (uint32_t)c->groups.count;
    for (uint64_t i = set->first, end = set->first + set->count; i < end;) {
        struct vertex_group group = { .type = vertices[c->order[i]].type, .first = i, .first_span = c->spans.count };
        for (struct tile_span *span = NULL; i < end && vertices[c->order[i]].type == group.type; ++i, ++span->count) {
            prefetch_vertex(c, i);
            uint32_t tile = vertices[c->order[i]].tile;
            if (!span || span->tile != tile)
                *(span = vec_push(&c->spans)) = (struct tile_span){ tile, 0 };
        }
        group.count = i - group.first;
        group.spans = c->spans.count - group.first_span;
        *vec_push(&c->groups) = group;
    }
    set->groups = (uint32_t)c->groups.count - set->first_group;
}

bool pass_order(struct compiler *c)
{
    uint32_t tiles = 0, types = 0, first_type = c->vertex_count ? c->store->vertices.data[c->order[0]].type : 0,
             *spare = NULL;
    for (uint64_t i = 0; i < c->vertex_count; ++i) {
        const struct vertex *v = &c->store->vertices.data[c->order[i]];
        tiles = v->tile >= tiles ? v->tile + 1 : tiles;
        if (v->type != first_type)
            types = (uint32_t)c->store->types.count;
    }
    sort_by(c, KEY_TILE, tiles, &spare);
    sort_by(c, KEY_TYPE, types, &spare);
    sort_by(c, KEY_SET, (uint32_t)c->sets.count, &spare);
    free(spare);
    for (size_t s = 0; s < c->sets.count; ++s)
        find_groups(c, &c->sets.data[s]);
    return true;
}
