/* SPDX-License-Identifier: Apache-2.0 */
/* order: the vertices of used sets by (set, type, tile, creation), so that runs of one type are long and a tile's vertices are neighbours.
 * In: sets, checked vertices.  Out: order, groups, first and count of sets.  Counting sorts, least significant key first. */
#include "compiler/compiler.h"

enum sort_key { KEY_TILE, KEY_TYPE, KEY_SET };

static uint32_t key_of(const struct compiler *c, uint32_t vertex, enum sort_key key)
{
    const struct vertex *v = &c->store->vertices.data[vertex];
    return key == KEY_TILE ? v->tile : key == KEY_TYPE ? v->type : c->set_of[v->set];
}

static bool is_sorted(const struct compiler *c, enum sort_key key)
{
    for (uint64_t i = 1; i < c->vertex_count; ++i)
        if (key_of(c, c->order[i - 1], key) > key_of(c, c->order[i], key))
            return false;
    return true;
}

/* Stable; *spare is as long as order, and they change places. */
static void sort_by(struct compiler *c, enum sort_key key, uint32_t buckets, uint32_t **spare)
{
    if (is_sorted(c, key))
        return;
    uint64_t *start = mem_zero((size_t)buckets + 1, sizeof(*start));
    if (!*spare)
        *spare = mem_alloc(c->vertex_count * sizeof(**spare));
    for (uint64_t i = 0; i < c->vertex_count; ++i)
        ++start[key_of(c, c->order[i], key) + 1];
    for (uint32_t b = 0; b < buckets; ++b)
        start[b + 1] += start[b];
    for (uint64_t i = 0; i < c->vertex_count; ++i)
        (*spare)[start[key_of(c, c->order[i], key)]++] = c->order[i];
    uint32_t *sorted = *spare;
    *spare = c->order;
    c->order = sorted;
    free(start);
}

static void find_groups(struct compiler *c)
{
    const struct vertex *vertices = c->store->vertices.data;
    uint64_t i = 0;
    for (uint32_t s = 0; s < c->sets.count; ++s) {
        struct used_set *set = &c->sets.data[s];
        set->first = i;
        set->first_group = (uint32_t)c->groups.count;
        while (i < c->vertex_count && vertices[c->order[i]].set == set->set) {
            struct vertex_group group = { vertices[c->order[i]].type, i, 0 };
            while (i < c->vertex_count && vertices[c->order[i]].set == set->set && vertices[c->order[i]].type == group.type)
                ++i;
            group.count = i - group.first;
            *vec_push(&c->groups) = group;
        }
        set->count = i - set->first;
        set->groups = (uint32_t)c->groups.count - set->first_group;
    }
}

bool pass_order(struct compiler *c)
{
    const pop_store *store = c->store;
    c->order = mem_alloc(c->vertex_count * sizeof(*c->order));
    uint64_t at = 0;
    for (size_t i = 0; i < store->vertices.count; ++i)
        if (c->set_of[store->vertices.data[i].set] != NONE)
            c->order[at++] = (uint32_t)i;
    uint32_t tiles = 0;
    for (uint64_t i = 0; i < c->vertex_count; ++i)
        if (store->vertices.data[c->order[i]].tile >= tiles)
            tiles = store->vertices.data[c->order[i]].tile + 1;
    uint32_t *spare = NULL;
    sort_by(c, KEY_TILE, tiles, &spare);
    sort_by(c, KEY_TYPE, (uint32_t)store->types.count, &spare);
    sort_by(c, KEY_SET, (uint32_t)c->sets.count, &spare);
    free(spare);
    find_groups(c);
    return true;
}
