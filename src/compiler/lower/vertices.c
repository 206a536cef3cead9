/* SPDX-License-Identifier: Apache-2.0 */
/* vertices: the groups and vertex states that the engine runs. Parts of groups are filled by threads, some hundred
 * thousand vertices at a time, at places that follow from all parts before. */
#include "compiler/lower/lower.h"
#include "compiler/lower/states.h"
#include "popc/module/module.h"
#include "popc/module/resolve.h"
#include "popc/popc.h"

#include "base/pool.h"

#include <assert.h>
#include <stdatomic.h>

/* Vertices in a part, and vertices and parts in a batch. */
enum { PART = WINDOW_MAX, BATCH_VERTICES = 8 * PART, BATCH_PARTS = 256 };

struct emitting {
    struct compiler *c;
    const struct check_result *check;
    const struct order_result *order;
    const struct storage_result *storage;
    uint32_t *codelet_of;   /* by type, index + 1 of image->codelets once it has one */
    struct filler *fillers; /* one for each thread */
    unsigned threads;
    VEC(struct state_part) parts; /* of the batch */
    atomic_size_t next;           /* part to take */
    uint32_t set, group;          /* of the next part to list */
    uint64_t place;
    size_t begun;              /* sets of the image */
    struct gather_space space; /* of the latest of them */
    bool lists_edges;          /* the image lists the sizes of edges */
    bool lists_tiles;          /* and the tiles of vertices */
};

/* The build of a codelet that honours the floating-point flags, if programs set them. Without one, exceptions are those
 * that the processor raises. */
static struct module *chosen_module(const struct emitting *e, struct module *module)
{
    struct module *behaving = e->check->behaves ? module_behaving(module) : NULL;
    return behaving ? behaving : module;
}

static uint32_t image_module(struct compiler *c, struct module *module)
{
    struct image *image = c->image;
    for (uint32_t i = 0; i < image->modules.count; ++i)
        if (image->modules.data[i] == module)
            return i;
    *vec_push(&image->modules) = module_retain(module);
    return (uint32_t)image->modules.count - 1;
}

/* Modules without vertices here, whose functions those with some use. */
static void add_used_modules(const struct emitting *e)
{
    const struct compiler *c = e->c;
    struct image *image = c->image;
    size_t own = image->modules.count, count = c->store->modules.count;
    bool *listed = mem_zero(count, sizeof(*listed));
    struct module **chosen = mem_zero(count, sizeof(*chosen));
    for (size_t m = 0; m < count; ++m) {
        struct module *module = c->store->modules.data[m];
        chosen[m] = module->object_count && module_shares(module) ? chosen_module(e, module) : module;
        for (size_t i = 0; i < own; ++i)
            listed[m] |= image->modules.data[i] == chosen[m];
    }
    modules_complete(chosen, count, listed);
    for (size_t m = 0; m < count; ++m)
        if (listed[m])
            image_module(e->c, chosen[m]);
    free(chosen);
    free(listed);
}

/* Whether its code has inline assembly, or calls functions in assembly. */
static bool assembles(const struct codelet *codelet)
{
    const struct module *module = codelet->module;
    return codelet->object < module->object_count && module->objects[codelet->object].assembles;
}

static uint32_t image_codelet_of(struct emitting *e, uint32_t type)
{
    struct compiler *c = e->c;
    const struct codelet *codelet = c->store->types.data[type].codelet;
    assert(codelet >= codelet->module->codelets &&
           codelet < codelet->module->codelets + codelet->module->codelet_count);
    if (!e->codelet_of[type]) {
        uint32_t module = image_module(c, chosen_module(e, codelet->module));
        for (size_t i = 0; (codelet->external || assembles(codelet)) && i < c->store->modules.count; ++i)
            if (c->store->modules.data[i]->tile_count) /* its code in assembly may be in any of them */
                image_module(c, c->store->modules.data[i]);
        *vec_push(&c->image->codelets) =
            (struct image_codelet){ module, (uint32_t)(codelet - codelet->module->codelets) };
        e->codelet_of[type] = (uint32_t)c->image->codelets.count;
    }
    return e->codelet_of[type] - 1;
}

static uint64_t codelet_alignment(const struct codelet *codelet)
{
    return codelet->state_alignment > 8 ? codelet->state_alignment : 8;
}

/* Reserves the structs of all vertices at once; only tables grow the array later. */
static void reserve_states(struct compiler *c, const struct order_result *order)
{
    uint64_t bytes = 0;
    for (size_t g = 0; g < order->groups.count; ++g) {
        const struct codelet *codelet = c->store->types.data[order->groups.data[g].type].codelet;
        bytes += order->groups.data[g].count * align_up(codelet->state_bytes, codelet_alignment(codelet)) +
                 codelet_alignment(codelet);
    }
    vec_reserve(&c->image->states, bytes);
}

static void begin_group(struct emitting *e, const struct state_part *part)
{
    const struct vertex_group *group = &e->order->groups.data[part->group];
    struct image *image = e->c->image;
    uint64_t alignment = codelet_alignment(part->codelet), stride = align_up(part->codelet->state_bytes, alignment);
    uint64_t end = image->states.count, first = align_up(end, alignment);
    memset(vec_extend(&image->states, first - end + group->count * stride), 0, first - end);
    *vec_push(&image->groups) =
        (struct image_group){ image_codelet_of(e, group->type), part->vertex_in_set, group->count, first, stride };
}

/* The next parts, up to the size of a batch. */
static void list_parts(struct emitting *e)
{
    const struct order_result *order = e->order;
    e->parts.count = 0;
    for (uint64_t vertices = 0;
         e->group < order->groups.count && vertices < BATCH_VERTICES && e->parts.count < BATCH_PARTS;) {
        const struct vertex_group *group = &order->groups.data[e->group];
        while (e->group >= order->sets.data[e->set].first_group + order->sets.data[e->set].groups)
            ++e->set;
        struct state_part part = { .codelet = e->c->store->types.data[group->type].codelet,
                                   .places = *group,
                                   .set = e->set,
                                   .group = e->group,
                                   .vertex_in_set = (uint32_t)(e->place - order->sets.data[e->set].first) };
        assert(part.vertex_in_set < order->sets.data[e->set].count);
        uint64_t left = group->first + group->count - e->place;
        part.places.first = e->place;
        part.places.count = left < PART ? left : PART;
        *vec_push(&e->parts) = part;
        e->place += part.places.count;
        vertices += part.places.count;
        e->group += part.places.count == left;
    }
}

static void measure_parts(void *context, uint32_t thread)
{
    struct emitting *e = context;
    struct filler filler = e->fillers[thread]; /* on no cache line of another thread; parts neither */
    for (size_t i; (i = atomic_fetch_add(&e->next, 1)) < e->parts.count;) {
        struct state_part part = e->parts.data[i];
        if (!state_has_items(part.codelet))
            continue;
        measure_part(&filler, &part);
        e->parts.data[i] = part;
    }
    e->fillers[thread] = filler;
}

/* Gives parts their places, in order: the states of a group, then tables and vector data of its vertices. */
static void place_parts(struct emitting *e)
{
    struct image *image = e->c->image;
    for (size_t i = 0; i < e->parts.count; ++i) {
        struct state_part *part = &e->parts.data[i];
        uint64_t before = part->places.first - e->order->groups.data[part->group].first;
        if (!before)
            begin_group(e, part);
        const struct image_group *group = &image->groups.data[image->groups.count - 1];
        part->stride = group->stride;
        part->at = group->states + before * group->stride;
        part->items = image->states.count;
        part->items_end = space_end(&part->space, part->items);
        (void)vec_extend(&image->states, part->items_end - part->items);
    }
}

static void fill_parts(void *context, uint32_t thread)
{
    struct emitting *e = context;
    struct image *image = e->c->image;
    struct filler filler = e->fillers[thread];
    for (size_t i; (i = atomic_fetch_add(&e->next, 1)) < e->parts.count;) {
        struct state_part part = e->parts.data[i];
        const uint32_t *vertices = e->order->vertices + part.places.first;
        fill_part(&filler, &part);
        memcpy(image->vertex_ids.data + part.places.first, vertices, part.places.count * sizeof(*vertices));
        for (uint64_t v = 0; e->lists_tiles && v < part.places.count; ++v)
            image->vertex_tiles.data[part.places.first + v] = e->c->store->vertices.data[vertices[v]].tile;
        e->parts.data[i] = part;
    }
    e->fillers[thread] = filler;
}

static void run_parts(struct emitting *e, pool_fn fn)
{
    atomic_store(&e->next, 0);
    pool_run(e->c->pool, e->threads, fn, e);
}

/* The set before is complete. */
static void begin_set(struct emitting *e, size_t index)
{
    struct image *image = e->c->image;
    struct image_set *out = &image->sets.data[index];
    out->first_gather = image->gathers.count;
    out->first_vertex_id = e->order->sets.data[index].first;
    out->first_vertex_tile = e->lists_tiles ? out->first_vertex_id : 0;
    e->space.scratch = e->space.work = 0;
    shared_gathers_begin(&e->space.shared);
}

static void end_set(struct emitting *e, size_t index)
{
    struct image *image = e->c->image;
    struct image_set *out = &image->sets.data[index];
    shared_gathers_end(&e->space.shared, image);
    out->gathers = image->gathers.count - out->first_gather;
    out->scratch_bytes = e->space.scratch;
    out->work = e->space.work;
    if (e->space.scratch && e->space.scratch + STORAGE_PADDING > image->scratch_bytes)
        image->scratch_bytes = e->space.scratch + STORAGE_PADDING;
}

/* Ends sets before one, and begins it. */
static void advance_to(struct emitting *e, size_t set)
{
    for (; e->begun <= set; ++e->begun) {
        if (e->begun)
            end_set(e, e->begun - 1);
        if (e->begun < e->order->sets.count)
            begin_set(e, e->begun);
    }
}

/* What takes the next place in a table, in the order of parts. */
static void finish_parts(struct emitting *e)
{
    for (size_t i = 0; i < e->parts.count; ++i) {
        struct state_part *part = &e->parts.data[i];
        advance_to(e, part->set);
        e->space.work += part->work;
        for (size_t g = 0; g < part->gathers.count; ++g)
            add_gather(e->c, e->storage, &part->gathers.data[g], &e->space);
        for (uint64_t v = 0; e->lists_edges && v < part->places.count; ++v)
            fill_checks(e->fillers, e->order->vertices[part->places.first + v], part->codelet);
        vec_free(&part->gathers);
    }
}

/* Whether a vertex runs in the interpreter of a tile, which needs the sizes of its edges. */
static bool has_external(const struct emitting *e)
{
    for (size_t i = 0; i < e->order->groups.count; ++i) {
        const struct codelet *codelet = e->c->store->types.data[e->order->groups.data[i].type].codelet;
        if (codelet->external || assembles(codelet))
            return true;
    }
    return false;
}

/* Whether the code of a vertex asks for its tile, be it in another object that it uses. */
static bool asks_tile(const struct emitting *e)
{
    bool asks = false;
    for (size_t i = 0; !asks && i < e->c->store->modules.count; ++i) {
        const struct module *module = e->c->store->modules.data[i];
        for (uint32_t k = 0; k < module->object_count; ++k)
            asks |= module->objects[k].asks_tile;
    }
    return asks;
}

static void emit_vertices(struct emitting *e)
{
    struct image *image = e->c->image;
    e->lists_tiles = e->check->behaves || asks_tile(e);
    e->lists_edges = e->c->options->checked || has_external(e);
    if (e->order->count)
        (void)vec_extend(&image->vertex_ids, e->order->count);
    if (e->order->count && e->lists_tiles)
        (void)vec_extend(&image->vertex_tiles, e->order->count);
    for (list_parts(e); e->parts.count; list_parts(e)) {
        run_parts(e, measure_parts);
        place_parts(e);
        run_parts(e, fill_parts);
        finish_parts(e);
    }
    advance_to(e, e->order->sets.count);
    add_used_modules(e);
    vec_free(&e->parts);
}

bool pass_vertices(struct compiler *c, const struct check_result *check, const struct order_result *order,
                   const struct storage_result *storage)
{
    uint32_t max = 0;
    for (size_t g = 0; g < order->groups.count; ++g) {
        const struct codelet *codelet = c->store->types.data[order->groups.data[g].type].codelet;
        max = codelet->field_count > max ? codelet->field_count : max;
    }
    assert(c->image->sets.count == order->sets.count); /* pass_schedule has made them */
    struct emitting e = { .c = c,
                          .check = check,
                          .order = order,
                          .storage = storage,
                          .codelet_of = mem_zero(c->store->types.count, sizeof(*e.codelet_of)),
                          .threads = pool_threads(c->pool) };
    e.fillers = mem_zero(e.threads, sizeof(*e.fillers));
    for (unsigned i = 0; i < e.threads; ++i)
        e.fillers[i] = (struct filler){
            .c = c, .order = order, .storage = storage, .edge_of = mem_lines(max, sizeof(*e.fillers->edge_of))
        };
    reserve_states(c, order);
    emit_vertices(&e);
    for (unsigned i = 0; i < e.threads; ++i) {
        vec_free(&e.fillers[i].writes);
        free(e.fillers[i].edge_of);
    }
    shared_gathers_free(&e.space.shared);
    free(e.fillers);
    free(e.codelet_of);
    return c->image->copies.count < UINT32_MAX ||
           compiler_fail(c, POP_GRAPH_MEMORY_ALLOCATION_ERROR, 0, NULL, "more than 2^32 edges are not contiguous");
}
