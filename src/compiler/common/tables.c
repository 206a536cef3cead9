/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/common/tables.h"

#include "base/log.h"
#include "popc/device/device_layout.h"

#include <assert.h>

uint32_t tables_set(struct compiler *c, const char *name)
{
    struct model *model = &c->image->model;
    *vec_push(&model->sets) = (struct model_set){ .name = compiler_string(c, name),
                                                  .first_part = model->parts.count,
                                                  .first_share = model->shares.count };
    return (uint32_t)model->sets.count - 1;
}

static struct model_set *last_set(struct model *model)
{
    assert(model->sets.count);
    return &model->sets.data[model->sets.count - 1];
}

void tables_part(struct compiler *c, uint32_t tile, const struct cost_tile *work)
{
    struct model *model = &c->image->model;
    struct model_set *set = last_set(model);
    uint64_t cycles = cost_tile_cycles(work);
    struct model_part *last = set->parts ? &model->parts.data[model->parts.count - 1] : NULL;
    assert(tile < pop_target_num_tiles(&c->store->target));
    assert(!last || last->tile + last->tiles <= tile); /* parts of a set by ascending tile */
    if (!cycles)
        return;
    struct model_part part = { tile, 1, cycles, work->active };
    if (last && model_part_joins(last, &part))
        return;
    *vec_push(&model->parts) = part;
    ++set->parts;
}

void tables_share(struct compiler *c, const struct model_share *share)
{
    struct model *model = &c->image->model;
    struct model_set *set = last_set(model);
    assert(share->type < model->types.count);
    for (uint64_t i = set->first_share; i < model->shares.count; ++i)
        if (model->shares.data[i].type == share->type) {
            model->shares.data[i].vertices += share->vertices;
            model->shares.data[i].active += share->active;
            model->shares.data[i].flops += share->flops;
            return;
        }
    *vec_push(&model->shares) = *share;
    ++set->shares;
}

/* A tile's entries are among the last ones, so the search for an entry to extend covers only this many. */
enum { COUNTS_SEARCHED = 64 };

void tables_count(struct compiler *c, uint32_t type, uint32_t tile, uint32_t vertices)
{
    struct model *model = &c->image->model;
    assert(model->sets.count && type < model->types.count);
    uint32_t set = (uint32_t)model->sets.count - 1;
    size_t end = model->counts.count, from = end > COUNTS_SEARCHED ? end - COUNTS_SEARCHED : 0;
    if (!vertices)
        return;
    for (size_t i = end; i > from && model->counts.data[i - 1].set == set; --i) {
        struct model_count *count = &model->counts.data[i - 1];
        if (count->type != type)
            continue;
        if (count->tile == tile) {
            count->vertices += vertices;
            return;
        }
        if (count->tile + count->tiles - 1 == tile) { /* the last of a run gets more */
            --count->tiles;
            vertices += count->vertices;
        } else if (count->tile + count->tiles == tile && count->vertices == vertices) {
            ++count->tiles;
            return;
        }
        break;
    }
    *vec_push(&model->counts) = (struct model_count){ set, type, tile, 1, vertices };
}

uint32_t tables_type(struct compiler *c, uint32_t *type_of, uint32_t type)
{
    assert(type < c->store->types.count && c->store->types.data[type].codelet);
    if (!type_of[type]) {
        const struct vertex_type *of = &c->store->types.data[type];
        struct device_layout layout;
        device_layout_make(&layout, of->codelet, &c->store->target);
        type_of[type] = tables_own_type(c, store_name(c->store, of->name), layout.state_bytes) + 1;
        device_layout_free(&layout);
    }
    assert(type_of[type] - 1 < c->image->model.types.count);
    return type_of[type] - 1;
}

/* Few entries: the compiler's copy vertices and the store's types, each looked up once. */
uint32_t tables_own_type(struct compiler *c, const char *name, uint32_t state_bytes)
{
    struct model *model = &c->image->model;
    uint32_t string = compiler_string(c, name);
    for (uint32_t i = 0; i < model->types.count; ++i)
        if (model->types.data[i].name == string)
            return i;
    *vec_push(&model->types) = (struct model_type){ string, state_bytes, MODEL_GIVEN };
    return (uint32_t)model->types.count - 1;
}

static struct model_exchange *last_exchange(struct model *model, enum exchange_list list)
{
    assert((list == EXCHANGES_INTERNAL ? model->exchanges.count
            : list == EXCHANGES_GLOBAL ? model->global_exchanges.count
                                       : model->host_exchanges.count) > 0);
    return list == EXCHANGES_INTERNAL ? &model->exchanges.data[model->exchanges.count - 1]
           : list == EXCHANGES_GLOBAL ? &model->global_exchanges.data[model->global_exchanges.count - 1]
                                      : &model->host_exchanges.data[model->host_exchanges.count - 1];
}

uint32_t tables_exchange(struct compiler *c, enum exchange_list list, const char *name)
{
    struct model *model = &c->image->model;
    struct model_exchange exchange = { .name = compiler_string(c, name), .first_flow = model->flows.count };
    switch (list) {
    case EXCHANGES_INTERNAL:
        *vec_push(&model->exchanges) = exchange;
        return (uint32_t)model->exchanges.count - 1;
    case EXCHANGES_GLOBAL:
        *vec_push(&model->global_exchanges) = exchange;
        return (uint32_t)model->global_exchanges.count - 1;
    default:
        *vec_push(&model->host_exchanges) = exchange;
        return (uint32_t)model->host_exchanges.count - 1;
    }
}

void tables_flow(struct compiler *c, enum exchange_list list, struct model_flow flow)
{
    struct model *model = &c->image->model;
    struct model_exchange *exchange = last_exchange(model, list);
    assert(exchange->first_flow + exchange->flows ==
           model->flows.count); /* precondition: this is the latest exchange */
    struct model_flow *last = exchange->flows ? &model->flows.data[model->flows.count - 1] : NULL;
    assert(!last || last->tile + last->tiles <= flow.tile);
    if (last && last->tile + last->tiles == flow.tile && last->sent == flow.sent && last->received == flow.received &&
        last->cycles == flow.cycles && last->code_bytes == flow.code_bytes && last->packets == flow.packets) {
        last->tiles += flow.tiles;
        return;
    }
    *vec_push(&model->flows) = flow;
    ++exchange->flows;
}

/* The largest power of two up to 8 that divides all of them. */
static uint32_t alignment_of(uint64_t bits)
{
    return bits & 7 ? (uint32_t)(bits & -bits & 7) : 8;
}

void copy_shape_add(struct copy_shape *shape, uint64_t offsets, uint64_t bytes)
{
    assert(bytes);
    uint32_t alignment = alignment_of(offsets | bytes);
    shape->alignment = shape->pieces && shape->alignment < alignment ? shape->alignment : alignment;
    shape->bytes += bytes;
    ++shape->pieces;
}

void tile_moves_begin(struct tile_moves *moves, const pop_target *target)
{
    *moves = (struct tile_moves){ .shapes = mem_zero(pop_target_num_tiles(target), sizeof(*moves->shapes)) };
}

void tile_moves_add(struct tile_moves *moves, uint32_t tile, uint64_t from, uint64_t to, uint64_t bytes)
{
    if (!moves->shapes[tile].pieces)
        *vec_push(&moves->tiles) = tile;
    copy_shape_add(&moves->shapes[tile], from | to, bytes);
}

void tile_moves_end(struct tile_moves *moves, tile_copies *copies)
{
    for (size_t i = 0; i < moves->tiles.count; ++i)
        *vec_push(copies) = (struct tile_copy){ moves->tiles.data[i], moves->shapes[moves->tiles.data[i]] };
    vec_free(&moves->tiles);
    free(moves->shapes);
}

static int copy_order(const void *left, const void *right)
{
    const struct tile_copy *a = left, *b = right;
    if (a->tile != b->tile)
        return a->tile < b->tile ? -1 : 1;
    if (a->shape.bytes != b->shape.bytes) /* any order of equal work will do, as long as it is always the same */
        return a->shape.bytes < b->shape.bytes ? 1 : -1;
    return a->shape.pieces != b->shape.pieces ? (a->shape.pieces < b->shape.pieces ? 1 : -1)
                                              : (int)b->shape.alignment - (int)a->shape.alignment;
}

uint32_t tables_rearranged(tile_byte_list *list, tile_copies *copies)
{
    size_t before = list->count;
    if (copies->count)
        qsort(copies->data, copies->count, sizeof(*copies->data), copy_order);
    for (size_t i = 0; i < copies->count; ++i) {
        if (!i || copies->data[i].tile != copies->data[i - 1].tile)
            *vec_push(list) = (struct tile_bytes){ .tile = copies->data[i].tile };
        list->data[list->count - 1].bytes += copies->data[i].shape.bytes;
    }
    return (uint32_t)(list->count - before);
}

uint32_t tables_copies(struct compiler *c, const char *name, tile_copies *copies)
{
    const pop_target *target = &c->store->target;
    if (!copies->count)
        return NONE;
    assert(copies->data[0].shape.pieces && copies->data[0].tile < pop_target_num_tiles(target));
    qsort(copies->data, copies->count, sizeof(*copies->data), copy_order);
    uint32_t set = tables_set(c, name);
    struct cost_tile work = cost_tile_start(target);
    for (size_t i = 0; i < copies->count; ++i) {
        struct copy_vertex vertex = copy_vertex_for(target, &copies->data[i].shape);
        if (vertex.supervisor)
            cost_tile_supervisor(&work, vertex.cycles);
        for (uint32_t v = 0; v < vertex.vertices && !vertex.supervisor; ++v)
            cost_tile_worker(&work, vertex.cycles);
        uint32_t type = tables_own_type(c, vertex.type, vertex.state_bytes);
        tables_share(c, &(struct model_share){
                            .type = type, .vertices = vertex.vertices, .active = vertex.vertices * vertex.cycles });
        tables_count(c, type, copies->data[i].tile, vertex.vertices);
        if (i + 1 == copies->count || copies->data[i + 1].tile != copies->data[i].tile) {
            tables_part(c, copies->data[i].tile, &work);
            work = cost_tile_start(target);
        }
    }
    LOG(COMPILER, DEBUG, "compute set '%s': %zu copies within tiles", name, copies->count);
    copies->count = 0;
    return set;
}

const char *tables_name(char *buffer, const char *name, const char *suffix)
{
    snprintf(buffer, TABLES_NAME, "%s/%s", name, suffix);
    return buffer;
}
