/* SPDX-License-Identifier: Apache-2.0 */
/* Where the edges of vertices in assembly are on their tiles: in the block of their variable, or in a buffer of their
 * set for what comes from other tiles or is laid out anew.  In a buffer, edges follow each other in the order of
 * vertices (inferred). */
#include "compiler/common/edges.h"
#include "compiler/common/owners.h"
#include "compiler/placement/place.h"
#include "compiler/placement/placement.h"
#include "graph/graph.h"

#include <assert.h>

enum { GRAIN = 8 };
struct edge_placing {
    struct place *p;
    struct owners owners;
    uint64_t **range_at; /* by variable, range of its tile map: elements of the variable before it on its tile */
    uint64_t *tile_sums; /* by tile, zero between uses */
    uint64_t *taken;     /* by block: bytes that edges have */
    uint32_t set, tile;  /* of the current vertex */
};

/* ---- variables ---- */

static void number_ranges(struct edge_placing *e, uint32_t variable)
{
    const struct tile_map *map = &e->p->c->store->variables.data[variable].map;
    uint64_t *at = e->range_at[variable] = mem_zero(map->ranges.count + 1, sizeof(*at));
    for (size_t i = 0; i < map->ranges.count; ++i) {
        const struct tile_range *range = map->ranges.data + i;
        at[i] = e->tile_sums[range->tile];
        e->tile_sums[range->tile] += range->end - range->begin;
    }
    for (size_t i = 0; i < map->ranges.count; ++i)
        e->tile_sums[map->ranges.data[i].tile] = 0;
}

/* Elements of a variable on an element's tile before it. */
static uint64_t elements_before(struct edge_placing *e, uint32_t variable, uint64_t element)
{
    const struct tile_map *map = &e->p->c->store->variables.data[variable].map;
    size_t low = 0, high = map->ranges.count;
    if (!e->range_at[variable])
        number_ranges(e, variable);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (map->ranges.data[middle].begin <= element)
            low = middle;
        else
            high = middle;
    }
    return low < map->ranges.count ? e->range_at[variable][low] + (element - map->ranges.data[low].begin) : 0;
}

/* ---- edges ---- */

struct edge_runs {
    struct edge_placing *e;
    struct run first;
    uint64_t runs;
    bool away, everywhere;
};

static bool look_at_run(const struct run *run, void *context)
{
    struct edge_runs *runs = context;
    uint32_t home = owners_home(&runs->e->owners, run->variable, run->offset, run->offset + run->count);
    if (!runs->runs++)
        runs->first = *run;
    runs->everywhere |= home == HOME_EVERYWHERE;
    runs->away |= home != runs->e->tile && home != HOME_EVERYWHERE;
    return !runs->away;
}

/* An address + 1; 0 is behind the tile's memory. */
static uint32_t address_in(const struct place *p, uint32_t tile, uint32_t block, uint64_t offset, uint64_t bytes)
{
    uint64_t at = p->layouts.data[p->layout_of[tile]].address[block] + offset;
    return offset + bytes <= p->blocks.data[p->first[tile] + block].bytes && at + bytes <= p->memory.bytes
               ? (uint32_t)at + 1
               : 0;
}

static uint32_t in_variable(struct edge_placing *e, const struct edge_runs *runs, uint64_t bytes)
{
    uint32_t count, variable = runs->first.variable,
                    block = place_blocks_of(e->p, e->tile, PLACE_VARIABLE, variable, &count);
    uint64_t before = runs->everywhere ? runs->first.offset : elements_before(e, variable, runs->first.offset);
    return count == 1 ? address_in(e->p, e->tile, block, before * variable_element_bytes(e->p->c, variable), bytes) : 0;
}

static uint32_t in_buffer(struct edge_placing *e, bool away, bool read, uint64_t bytes)
{
    const uint32_t *buffers = e->p->live->set_buffers[e->set];
    uint32_t of = away && read ? buffers[buffers[LIVE_MESSAGE] == NONE ? LIVE_GLOBAL_MESSAGE : LIVE_MESSAGE]
                  : away       ? buffers[buffers[LIVE_OUTPUT] == NONE ? LIVE_GLOBAL_OUTPUT : LIVE_OUTPUT]
                               : buffers[read ? LIVE_ARRANGED_BEFORE : LIVE_ARRANGED_AFTER];
    uint32_t count = 0, block = of == NONE ? 0 : place_blocks_of(e->p, e->tile, PLACE_BUFFER, of, &count);
    for (; count; --count, ++block) {
        uint64_t *taken = e->taken + e->p->first[e->tile] + block;
        uint32_t address = address_in(e->p, e->tile, block, *taken, bytes);
        if (address) {
            *taken += align_up(bytes, GRAIN);
            return address;
        }
    }
    return 0;
}

static uint32_t edge_address(struct edge_placing *e, const struct codelet_field *field, const struct edge *edge)
{
    const pop_store *store = e->p->c->store;
    struct edge_runs runs = { .e = e };
    uint64_t bytes = edge_elements(store, edge) * pop_type_size((pop_type)field->type);
    if (!bytes)
        return 0;
    edge_each_run(store, edge, look_at_run, &runs);
    if (runs.runs == 1 && !runs.away)
        return in_variable(e, &runs, bytes);
    return in_buffer(e, runs.away, field->direction != FIELD_OUTPUT, bytes);
}

/* Entries for the edges of a vertex, as image.edge_bytes has them. */
static void add_vertex(struct edge_placing *e, uint32_t vertex, const struct codelet *codelet)
{
    const pop_store *store = e->p->c->store;
    struct image *image = e->p->c->image;
    const struct vertex *v = &store->vertices.data[vertex];
    e->tile = v->tile;
    for (uint16_t f = 0; f < codelet->field_count; ++f) {
        const struct codelet_field *field = codelet->fields + f;
        if (field->direction == FIELD_STATE)
            continue;
        const struct edge *edge = vertex_edge(store, v, f);
        bool list = edge->form == EDGE_LIST;
        *vec_push(&image->edge_addresses) = list || !codelet->external ? 0 : edge_address(e, field, edge);
        for (uint64_t row = 0; list && row < edge->count; ++row)
            *vec_push(&image->edge_addresses) =
                codelet->external ? edge_address(e, field, edge_row(store, edge, row)) : 0;
    }
}

static bool has_external(const struct place *p)
{
    const struct order_result *order = p->in->order;
    for (size_t g = 0; g < order->groups.count; ++g)
        if (p->c->store->types.data[order->groups.data[g].type].codelet->external)
            return true;
    return false;
}

void place_edges(struct place *p)
{
    const struct compiler *c = p->c;
    const struct order_result *order = p->in->order;
    if (!has_external(p))
        return;
    struct edge_placing e = { .p = p,
                              .range_at = mem_zero(c->store->variables.count + 1, sizeof(*e.range_at)),
                              .tile_sums = mem_zero(p->sizes.tiles, sizeof(*e.tile_sums)),
                              .taken = mem_zero(p->blocks.count + 1, sizeof(*e.taken)) };
    owners_init(&e.owners, c->store, p->in->check);
    for (size_t g = 0; g < order->groups.count; ++g) {
        const struct vertex_group *group = &order->groups.data[g];
        for (uint64_t i = group->first; i < group->first + group->count; ++i) {
            e.set = p->in->use->set_of[c->store->vertices.data[order->vertices[i]].set];
            assert(e.set != NONE); /* its group is of a used set */
            add_vertex(&e, order->vertices[i], c->store->types.data[group->type].codelet);
        }
    }
    owners_free(&e.owners);
    for (size_t v = 0; v < c->store->variables.count; ++v)
        free(e.range_at[v]);
    free(e.range_at);
    free(e.tile_sums);
    free(e.taken);
}
