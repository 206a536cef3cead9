/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/exchange/same_steps.h"
#include "compiler/common/window.h"

#include "base/sort.h"

#include <assert.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define NO_IPU UINT32_MAX

enum { MAX_VALUES = sizeof(((struct step_hash *)NULL)->values) / sizeof(uint64_t) };

static struct step_key key_of(const struct step_hash *hash)
{
    XXH128_hash_t key = XXH3_128bits(hash->values, hash->count * sizeof(*hash->values));
    return (struct step_key){ key.low64, key.high64 };
}

static void add(struct step_hash *hash, uint64_t value)
{
    if (hash->count == MAX_VALUES) {
        struct step_key key = key_of(hash);
        hash->values[0] = key.a;
        hash->values[1] = key.b;
        hash->count = 2;
    }
    hash->values[hash->count++] = value;
}

void step_describer_init(struct step_describer *d, const pop_store *store, const struct order_result *order)
{
    *d = (struct step_describer){ .store = store, .order = order };
    d->number = mem_zero(store->variables.count, sizeof(*d->number));
    d->maps = mem_zero(store->variables.count, sizeof(*d->maps));
}

void step_describer_free(struct step_describer *d)
{
    free(d->number);
    free(d->maps);
    vec_free(&d->variables);
}

static uint32_t ipu_of(const pop_store *store, uint32_t tile)
{
    return tile / store->target.tiles_per_ipu;
}

static struct map_key key_of_map(const pop_store *store, const struct variable *variable)
{
    struct map_key map = { .ipu = NO_IPU };
    struct step_hash hash;
    hash.count = 0;
    for (size_t i = 0; i < variable->map.ranges.count; ++i) {
        uint32_t ipu = ipu_of(store, variable->map.ranges.data[i].tile);
        map.several |= i && ipu != map.ipu;
        map.ipu = i ? map.ipu : ipu;
    }
    uint32_t first = map.several || map.ipu == NO_IPU ? 0 : map.ipu * store->target.tiles_per_ipu;
    add(&hash, variable->elements);
    add(&hash, (uint64_t)variable->type << 2 | map.several << 1 | variable->follows_vertex);
    for (size_t i = 0; i < variable->map.ranges.count; ++i) {
        add(&hash, variable->map.ranges.data[i].begin);
        add(&hash, variable->map.ranges.data[i].end);
        add(&hash, variable->map.ranges.data[i].tile - first);
    }
    map.key = key_of(&hash);
    return map;
}

/* Adds an IPU as a distance from the step's first one. */
static void add_ipu(struct step_describer *d, uint32_t ipu)
{
    if (d->ipu == NO_IPU)
        d->ipu = ipu;
    d->several |= ipu != d->ipu;
    add(&d->hash, ipu - d->ipu);
}

static void add_variable(struct step_describer *d, uint32_t variable)
{
    if (d->number[variable]) {
        add(&d->hash, d->number[variable]);
        return;
    }
    *vec_push(&d->variables) = variable;
    d->number[variable] = (uint32_t)d->variables.count;
    struct map_key *map = &d->maps[variable];
    if (!map->key.a && !map->key.b)
        *map = key_of_map(d->store, &d->store->variables.data[variable]);
    add(&d->hash, 0);
    add(&d->hash, map->key.a);
    add(&d->hash, map->key.b);
    if (map->ipu != NO_IPU)
        add_ipu(d, map->ipu);
    d->several |= map->several;
}

static void begin(struct step_describer *d, struct step_key rough)
{
    for (size_t i = 0; i < d->variables.count; ++i)
        d->number[d->variables.data[i]] = 0;
    d->variables.count = 0;
    d->ipu = NO_IPU;
    d->several = false;
    d->hash.count = 0;
    add(&d->hash, rough.a);
    add(&d->hash, rough.b);
}

/* The key of what was described. */
static struct step_key finish(struct step_describer *d, uint32_t *first_tile)
{
    bool one = d->ipu != NO_IPU && !d->several;
    add(&d->hash, one ? NO_IPU : d->ipu);
    *first_tile = one ? d->ipu * d->store->target.tiles_per_ipu : 0;
    return key_of(&d->hash);
}

static void add_view(struct step_describer *d, const struct view *view)
{
    add(&d->hash, (uint64_t)view->type << 32 | view->piece_count);
    for (uint32_t i = 0; i < view->piece_count; ++i) {
        add_variable(d, view->pieces[i].variable);
        add(&d->hash, (uint64_t)view->pieces[i].shape << 32 | view->pieces[i].offset);
    }
}

static void add_edge(struct step_describer *d, const struct edge *edge)
{
    add(&d->hash, (uint64_t)edge->field << 8 | edge->form);
    if (edge->form == EDGE_VIEW) {
        add_view(d, edge_view(d->store, edge));
        return;
    }
    add(&d->hash, edge->count);
    if (edge->form == EDGE_RUN) {
        add_variable(d, edge->variable);
        add(&d->hash, edge->offset);
    }
    for (uint64_t i = 0; edge->form == EDGE_LIST && i < edge->count; ++i)
        add_edge(d, edge_row(d->store, edge, i));
}

static void add_group(struct step_describer *d, const struct vertex_group *group)
{
    const struct codelet *codelet = d->store->types.data[group->type].codelet;
    struct window window;
    for (size_t i = group->first_span; i < group->first_span + group->spans; ++i) {
        uint32_t tile = d->order->spans.data[i].tile, ipu = ipu_of(d->store, tile);
        add_ipu(d, ipu);
        add(&d->hash, (uint64_t)(tile - ipu * d->store->target.tiles_per_ipu) << 32 | d->order->spans.data[i].count);
    }
    window_init(&window, d->store, d->order, group, 1, NULL);
    for (uint64_t i = group->first; i < group->first + group->count; ++i) {
        struct edge_list list = window_edges(&window, i);
        for (uint32_t e = list.first; e != NO_EDGE; e = edge_next(list.edges, e))
            if (codelet->fields[list.edges[e].field].direction != FIELD_STATE)
                add_edge(d, &list.edges[e]);
        add(&d->hash, UINT64_MAX); /* the end of a vertex */
    }
    window_free(&window);
}

static uint64_t by_variable(const void *variable)
{
    return *(const uint32_t *)variable;
}

/* Adds the order of the variables met so far in the store, by which a tile sends the parts of a copy: their numbers in
 * that order, or nothing where they are met in it. */
static void add_order(struct step_describer *d)
{
    size_t count = d->variables.count;
    bool ascending = true;
    for (size_t i = 1; i < count; ++i)
        ascending &= d->variables.data[i - 1] < d->variables.data[i];
    if (ascending)
        return;
    sort_by_key(d->variables.data, count, sizeof(*d->variables.data), by_variable);
    for (size_t i = 0; i < count; ++i)
        add(&d->hash, d->number[d->variables.data[i]]);
}

struct step_key rough_key_of_set(const struct order_result *order, const struct used_set *set)
{
    struct step_hash hash;
    hash.count = 0;
    add(&hash, 1);
    for (uint32_t g = set->first_group; g < set->first_group + set->groups; ++g) {
        const struct vertex_group *group = &order->groups.data[g];
        add(&hash, group->type);
        add(&hash, group->count);
        add(&hash, group->spans);
    }
    return key_of(&hash);
}

struct step_key rough_key_of_copy(const struct program_node *n)
{
    struct step_hash hash;
    hash.count = 0;
    add(&hash, 2);
    add(&hash, n->source->elements);
    add(&hash, (uint64_t)n->source->piece_count << 32 | n->destination->piece_count);
    return key_of(&hash);
}

struct step_key step_key_of_set(struct step_describer *d, const struct used_set *set, uint32_t *first_tile)
{
    begin(d, rough_key_of_set(d->order, set));
    for (uint32_t g = set->first_group; g < set->first_group + set->groups; ++g)
        add_group(d, &d->order->groups.data[g]);
    return finish(d, first_tile);
}

struct step_key step_key_of_copy(struct step_describer *d, const struct program_node *n, uint32_t *first_tile)
{
    begin(d, rough_key_of_copy(n));
    add_view(d, n->source);
    add_order(d);
    add_view(d, n->destination);
    return finish(d, first_tile);
}

void same_steps_find(const struct step_key *keys, size_t count, uint32_t *first)
{
    size_t slots = 16;
    while (slots < 2 * count)
        slots *= 2;
    uint32_t *slot = mem_zero(slots, sizeof(*slot)); /* step + 1 */
    for (uint32_t i = 0; i < count; ++i) {
        first[i] = i;
        if (!keys[i].a && !keys[i].b)
            continue;
        size_t at = keys[i].a & (slots - 1);
        while (slot[at] && (keys[slot[at] - 1].a != keys[i].a || keys[slot[at] - 1].b != keys[i].b))
            at = (at + 1) & (slots - 1);
        if (slot[at])
            first[i] = slot[at] - 1;
        else
            slot[at] = i + 1;
    }
    free(slot);
}
