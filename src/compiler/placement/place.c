/* SPDX-License-Identifier: Apache-2.0 */
/* place: assigns addresses in tile memory. A tile has one block for each variable and each buffer with bytes on it
 * (several for rows that are received), and one for each category of permanent data. Tiles with equal blocks are placed
 * once. */
#include "compiler/placement/place.h"
#include "compiler/placement/placement.h"

#include "base/log.h"
#include "base/pool.h"

#include <assert.h>

enum { WORD = 4, MESSAGE_ALIGNMENT = 8 /* exchanges and copies move up to 64 bits at a time */ };

/* A block, which is counted first and put in its tile's place later. */
static void push(struct place *p, uint32_t tile, struct fit_block fit, enum place_kind kind, uint32_t what)
{
    assert(tile < p->sizes.tiles && fit.alignment && fit.class < p->live->classes.count);
    if (!fit.bytes)
        return;
    fit.what = what;
    fit.kind = (uint8_t)kind;
    if (p->next)
        p->blocks.data[p->next[tile]++] = fit;
    else
        ++p->first[tile + 1];
}

/* Alignment: a multiple of a word, of the element, and of what fields require. */
static uint32_t variable_alignment(const struct place *p, uint32_t variable)
{
    const struct compiler *c = p->c;
    uint32_t alignment = p->live->alignment[variable], element = (uint32_t)variable_element_bytes(c, variable),
             min = WORD;
    min = element > min ? element : min;
    alignment = alignment > min ? alignment : min;
    while (alignment & (alignment - 1)) /* a power of two */
        alignment += alignment & -alignment;
    assert(alignment >= WORD && alignment % element == 0);
    return alignment;
}

static struct fit_block variable_block(const struct place *p, uint32_t variable, uint64_t bytes)
{
    const struct compiler *c = p->c;
    return (struct fit_block){ .bytes = bytes,
                               .class = p->live->class_of[variable],
                               .alignment = variable_alignment(p, variable),
                               .category =
                                   live_is_constant(c, variable) ? MODEL_CONSTANT_CATEGORY : MODEL_VARIABLE_CATEGORY,
                               .where = p->live->interleaved[variable] ? FIT_INTERLEAVED : FIT_DATA };
}

struct tile_sums {
    uint64_t *bytes; /* by tile */
    VEC(uint32_t) touched;
};

/* Its elements on a tile are one block. */
static void add_variable(struct place *p, uint32_t variable, struct tile_sums *sums)
{
    assert(!sums->touched.count);
    const struct variable *v = &p->c->store->variables.data[variable];
    uint64_t element = variable_element_bytes(p->c, variable);
    for (size_t i = 0; i < v->map.ranges.count; ++i) {
        const struct tile_range *range = &v->map.ranges.data[i];
        if (!sums->bytes[range->tile])
            *vec_push(&sums->touched) = range->tile;
        sums->bytes[range->tile] += (range->end - range->begin) * element;
    }
    for (size_t i = 0; i < sums->touched.count; ++i) {
        uint32_t tile = sums->touched.data[i];
        push(p, tile, variable_block(p, variable, sums->bytes[tile]), PLACE_VARIABLE, variable);
        sums->bytes[tile] = 0;
    }
    sums->touched.count = 0;
}

static bool is_code(int category)
{
    return category == MODEL_CONTROL_CODE_CATEGORY || category == MODEL_VERTEX_CODE_CATEGORY ||
           category == MODEL_SHARED_CODE_STORAGE_CATEGORY || category == MODEL_INTERNAL_EXCHANGE_CODE_CATEGORY ||
           category == MODEL_HOST_EXCHANGE_CODE_CATEGORY || category == MODEL_GLOBAL_EXCHANGE_CODE_CATEGORY;
}

static void add_fixed(struct place *p)
{
    for (uint32_t tile = 0; tile < p->sizes.tiles; ++tile)
        for (int category = 0; category < MODEL_CATEGORIES; ++category)
            push(p, tile,
                 (struct fit_block){ .bytes = p->sizes.fixed[tile][category],
                                     .class = LIVE_ALWAYS,
                                     .alignment = 8,
                                     .category = (uint8_t)category,
                                     .where = is_code(category) ? FIT_CODE : FIT_DATA },
                 PLACE_FIXED, (uint32_t)category);
}

/* What is received is stored row by row where memory is free: blocks of a memory element, or of the longest row. */
static uint64_t piece_bytes(const struct place *p, const struct live_buffer *buffer)
{
    if (!buffer->row)
        return UINT64_MAX;
    return buffer->row > p->memory.element ? align_up(buffer->row, MESSAGE_ALIGNMENT) : p->memory.element;
}

/* While an exchange runs, a tile fetches its code, loads what it sends and stores what it receives; an element serves
 * one access a cycle (docs/reference/ipu-model.md, 1.3): code is in the first, what is sent in the second, what is
 * received from the third on, or from the second on where the tile sends nothing. */
static uint8_t buffer_element(const struct place *p, const struct live_buffer *buffer, struct tile_bytes all)
{
    enum { SENT = 1, RECEIVED };
    if (p->c->store->target.poplibs_release != POP_POPLIBS_2021 ||
        !p->sizes.fixed[all.tile][MODEL_INTERNAL_EXCHANGE_CODE_CATEGORY])
        return 0;
    return !buffer->result && all.sends ? RECEIVED : SENT;
}

static void add_buffer(struct place *p, uint32_t index)
{
    const struct live_buffer *buffer = &p->live->buffers.data[index];
    uint64_t max = piece_bytes(p, buffer);
    assert(max % MESSAGE_ALIGNMENT == 0 || max == UINT64_MAX);
    for (uint64_t k = buffer->first; k < buffer->first + buffer->count; ++k) {
        struct tile_bytes all = p->live->bytes.data[k];
        uint64_t apart = all.bytes <= max ? place_apart_bytes(p, index, all.tile, all.bytes) : 0;
        for (uint64_t bytes; all.bytes; all.bytes -= bytes, apart = 0) {
            bytes = apart ? apart : all.bytes < max ? all.bytes : max;
            push(p, all.tile,
                 (struct fit_block){ .bytes = bytes,
                                     .class = buffer->class,
                                     .alignment = MESSAGE_ALIGNMENT,
                                     .category = buffer->category,
                                     .where = FIT_DATA,
                                     .element = buffer_element(p, buffer, all) },
                 PLACE_BUFFER, index);
        }
    }
}

static void push_all(struct place *p)
{
    const struct compiler *c = p->c;
    const struct live *live = p->live;
    struct tile_sums sums = { .bytes = mem_zero(p->sizes.tiles, sizeof(*sums.bytes)) };
    size_t constant = 0;
    for (uint32_t v = 0; v < c->store->variables.count; ++v) {
        if (p->in->storage->offset[v] != NO_STORAGE && !c->store->variables.data[v].follows_vertex)
            add_variable(p, v, &sums);
        for (; constant < live->constants.count && live->constants.data[constant].variable == v; ++constant)
            push(p, live->constants.data[constant].tile,
                 variable_block(p, v, c->store->variables.data[v].elements * variable_element_bytes(c, v)),
                 PLACE_VARIABLE, v);
    }
    assert(constant == live->constants.count); /* they are sorted by variable */
    for (uint32_t i = 0; i < live->buffers.count; ++i)
        add_buffer(p, i);
    add_fixed(p);
    vec_free(&sums.touched);
    free(sums.bytes);
}

/* By tile, then by variable, buffer and category. They are many, so each is written once, where it belongs. */
static void collect(struct place *p)
{
    place_find_apart(p);
    p->first = mem_zero((size_t)p->sizes.tiles + 1, sizeof(*p->first));
    push_all(p);
    for (uint32_t tile = 0; tile < p->sizes.tiles; ++tile)
        p->first[tile + 1] += p->first[tile];
    p->next = mem_copy(p->first, p->sizes.tiles * sizeof(*p->next));
    if (p->first[p->sizes.tiles])
        (void)vec_extend(&p->blocks, p->first[p->sizes.tiles]);
    push_all(p);
    assert(!p->sizes.tiles || p->next[p->sizes.tiles - 1] == p->blocks.count);
    free(p->next);
    p->next = NULL;
}

/* ---- layouts ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 31;
}

static uint64_t hash_tile(const struct place *p, uint32_t tile)
{
    uint64_t hash = p->first[tile + 1] - p->first[tile];
    for (size_t i = p->first[tile]; i < p->first[tile + 1]; ++i) {
        const struct fit_block *b = &p->blocks.data[i];
        hash = mix(hash, b->bytes);
        hash = mix(hash, (uint64_t)b->class << 32 | b->alignment);
        hash = mix(hash, (uint64_t)b->category << 16 | (uint64_t)b->element << 8 | b->where);
    }
    for (size_t i = p->first_pair[tile]; i < p->first_pair[tile + 1]; ++i)
        hash = mix(hash, (uint64_t)p->pairs[i].a << 32 | p->pairs[i].b);
    return hash;
}

static bool same_block(const struct fit_block *a, const struct fit_block *b)
{
    return a->bytes == b->bytes && a->class == b->class && a->alignment == b->alignment && a->category == b->category &&
           a->where == b->where && a->element == b->element;
}

static bool same_tile(const struct place *p, uint32_t a, uint32_t b)
{
    size_t count = p->first[a + 1] - p->first[a], pairs = p->first_pair[a + 1] - p->first_pair[a];
    if (count != p->first[b + 1] - p->first[b] || pairs != p->first_pair[b + 1] - p->first_pair[b])
        return false;
    for (size_t i = 0; i < count; ++i)
        if (!same_block(&p->blocks.data[p->first[a] + i], &p->blocks.data[p->first[b] + i]))
            return false;
    return !pairs || !memcmp(p->pairs + p->first_pair[a], p->pairs + p->first_pair[b], pairs * sizeof(*p->pairs));
}

/* Each different tile has a layout. */
static void find_layouts(struct place *p)
{
    size_t slots = 16;
    while (slots < 2 * (size_t)p->sizes.tiles)
        slots *= 2;
    uint32_t *slot = mem_zero(slots, sizeof(*slot));
    p->layout_of = mem_zero(p->sizes.tiles, sizeof(*p->layout_of));
    for (uint32_t tile = 0; tile < p->sizes.tiles; ++tile) {
        uint64_t hash = hash_tile(p, tile);
        size_t at = hash & (slots - 1);
        while (slot[at] &&
               !(p->layouts.data[slot[at] - 1].hash == hash && same_tile(p, p->layouts.data[slot[at] - 1].tile, tile)))
            at = (at + 1) & (slots - 1);
        if (!slot[at]) {
            *vec_push(&p->layouts) = (struct place_layout){ .hash = hash, .tile = tile };
            slot[at] = (uint32_t)p->layouts.count;
        }
        p->layout_of[tile] = slot[at] - 1;
    }
    free(slot);
}

/* Changes nothing but the layout: threads make one each. */
static void make_layout(void *context, uint32_t index)
{
    const struct place *p = context;
    struct place_layout *layout = &p->layouts.data[index];
    size_t first = p->first[layout->tile], count = p->first[layout->tile + 1] - first;
    layout->first = first;
    layout->count = count;
    layout->address = mem_alloc((count + !count) * sizeof(*layout->address));
    fit_place(&p->memory, p->live, p->blocks.data + first, count, p->pairs + p->first_pair[layout->tile],
              p->first_pair[layout->tile + 1] - p->first_pair[layout->tile], layout->address, &layout->result);
}

/* False: a constraint cannot be met. */
static bool place_tiles(struct place *p)
{
    find_layouts(p);
    pool_run(p->c->pool, (uint32_t)p->layouts.count, make_layout, p);
    for (size_t i = 0; i < p->layouts.count; ++i) {
        const struct place_layout *layout = &p->layouts.data[i];
        if (layout->result.failed_pair != NONE)
            return place_fail_pair(p, layout->tile,
                                   &p->pairs[p->first_pair[layout->tile] + layout->result.failed_pair]);
    }
    return true;
}

/* ---- the model's tables ---- */

static void fill_uses(struct place *p, uint8_t category, uint8_t region, uint8_t kind)
{
    struct model *model = &p->c->image->model;
    struct model_use *last = NULL;
    for (uint32_t tile = 0; tile < p->sizes.tiles; ++tile) {
        uint64_t bytes = p->layouts.data[p->layout_of[tile]].result.uses[category][region][kind];
        if (!bytes)
            continue;
        if (last && last->tile + last->tiles == tile && last->bytes == bytes) {
            ++last->tiles;
            continue;
        }
        last = vec_push(&model->uses);
        *last = (struct model_use){ category, region, kind, tile, 1, bytes };
    }
}

static void fill_model(struct place *p)
{
    struct model *model = &p->c->image->model;
    for (uint32_t tile = 0; tile < p->sizes.tiles; ++tile)
        *vec_push(&model->tiles) = p->layouts.data[p->layout_of[tile]].result.tile;
    for (uint8_t category = 0; category < MODEL_CATEGORIES; ++category)
        for (uint8_t region = 0; region < MODEL_REGIONS; ++region)
            for (uint8_t kind = 0; kind < MODEL_OVERLAPS; ++kind)
                fill_uses(p, category, region, kind);
}

static void place_free(struct place *p)
{
    free(p->sizes.fixed);
    vec_free(&p->apart);
    vec_free(&p->blocks);
    free(p->first);
    free(p->pairs);
    free(p->first_pair);
    free(p->layout_of);
    for (size_t i = 0; i < p->layouts.count; ++i)
        free(p->layouts.data[i].address);
    vec_free(&p->layouts);
}

bool pass_place(struct compiler *c, const struct place_inputs *in)
{
    const pop_target *target = &c->store->target;
    if (!c->modelled)
        return true;
    struct place p = { .c = c, .in = in, .live = in->live };
    uint64_t start = (uint64_t)target->interleaved_memory_element_index * target->memory_element_bytes;
    p.memory =
        (struct fit_memory){ target->bytes_per_tile, start < target->bytes_per_tile ? start : target->bytes_per_tile,
                             target->memory_element_bytes };
    place_sizes(c, in, &p.sizes);
    live_lists(c, in, &p.sizes);
    collect(&p);
    place_constraints(&p);
    bool good = place_tiles(&p);
    if (good) {
        fill_model(&p);
        place_keep(&p);
        place_edges(&p);
        LOG(COMPILER, DEBUG, "placed %zu blocks on %u tiles in %zu layouts", p.blocks.count, p.sizes.tiles,
            p.layouts.count);
        good = place_check_memory(&p);
        good = place_dump(&p) && good; /* also when memory is exceeded: the dump serves to find out why */
    }
    place_free(&p);
    return good;
}
