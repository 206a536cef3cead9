/* SPDX-License-Identifier: Apache-2.0 */
/* vertices: the groups and vertex states that the engine runs. */
#include "compiler/lower/vertices.h"
#include "compiler/lower/states.h"
#include "popc/behave.h"
#include "popc/module.h"

#include <assert.h>

/* The build of a codelet that honours the floating-point flags, if programs set them. Without one, exceptions are those
 * that the processor raises. */
static struct module *chosen_module(const struct filler *f, struct module *module)
{
    struct module *behaving = f->check->behaves ? module_behaving(module) : NULL;
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

/* codelet_of: by type, index + 1 of image->codelets once it has one. */
static uint32_t image_codelet_of(struct filler *f, uint32_t type, uint32_t *codelet_of)
{
    struct compiler *c = f->c;
    const struct codelet *codelet = c->store->types.data[type].codelet;
    assert(codelet >= codelet->module->codelets &&
           codelet < codelet->module->codelets + codelet->module->codelet_count);
    if (!codelet_of[type]) {
        uint32_t module = image_module(c, chosen_module(f, codelet->module));
        *vec_push(&c->image->codelets) =
            (struct image_codelet){ module, (uint32_t)(codelet - codelet->module->codelets) };
        codelet_of[type] = (uint32_t)c->image->codelets.count;
    }
    return codelet_of[type] - 1;
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

static void emit_group(struct filler *f, const struct used_set *set, const struct vertex_group *group,
                       uint32_t image_codelet)
{
    assert(group->first >= set->first && group->first + group->count <= set->first + set->count);
    struct compiler *c = f->c;
    const struct codelet *codelet = c->store->types.data[group->type].codelet;
    uint64_t alignment = codelet_alignment(codelet), stride = align_up(codelet->state_bytes, alignment);
    uint64_t end = c->image->states.count, first = align_up(end, alignment),
             bytes = first - end + group->count * stride;
    memset(vec_extend(&c->image->states, bytes), 0, bytes);
    *vec_push(&c->image->groups) =
        (struct image_group){ image_codelet, (uint32_t)(group->first - set->first), group->count, first, stride };
    struct window window;
    window_init(&window, c->store, f->order, group, 1, NULL);
    for (uint64_t i = 0; i < group->count; ++i) {
        f->vertex_in_set = (uint32_t)(group->first - set->first + i);
        fill_state(f, window_edges(&window, group->first + i), codelet, first + i * stride);
        uint32_t vertex = f->order->vertices[group->first + i];
        *vec_push(&c->image->vertex_ids) = vertex;
        if (f->check->behaves)
            *vec_push(&c->image->vertex_tiles) = c->store->vertices.data[vertex].tile;
        if (c->options->checked)
            fill_checks(f, vertex, codelet);
    }
    window_free(&window);
}

static void emit_set(struct filler *f, size_t index, uint32_t *codelet_of)
{
    struct image *image = f->c->image;
    const struct used_set *set = &f->order->sets.data[index];
    struct image_set *out = &image->sets.data[index];
    out->first_gather = image->gathers.count;
    out->first_vertex_id = image->vertex_ids.count;
    out->first_vertex_tile = image->vertex_tiles.count;
    f->scratch = f->work = 0;
    for (uint32_t g = 0; g < set->groups; ++g) {
        const struct vertex_group *group = &f->order->groups.data[set->first_group + g];
        emit_group(f, set, group, image_codelet_of(f, group->type, codelet_of));
    }
    assert(image->vertex_ids.count - out->first_vertex_id == set->count);
    out->gathers = image->gathers.count - out->first_gather;
    out->scratch_bytes = f->scratch;
    out->work = f->work;
    if (f->scratch && f->scratch + STORAGE_PADDING > image->scratch_bytes)
        image->scratch_bytes = f->scratch + STORAGE_PADDING;
}

bool pass_vertices(struct compiler *c, const struct check_result *check, const struct order_result *order,
                   const struct storage_result *storage)
{
    uint32_t max = 0, *codelet_of = mem_zero(c->store->types.count, sizeof(*codelet_of));
    for (size_t g = 0; g < order->groups.count; ++g) {
        const struct codelet *codelet = c->store->types.data[order->groups.data[g].type].codelet;
        max = codelet->field_count > max ? codelet->field_count : max;
    }
    struct filler filler = {
        .c = c, .check = check, .order = order, .storage = storage, .edge_of = mem_alloc(max * sizeof(*filler.edge_of))
    };
    assert(c->image->sets.count == order->sets.count); /* pass_schedule has made them */
    reserve_states(c, order);
    for (size_t s = 0; s < order->sets.count; ++s)
        emit_set(&filler, s, codelet_of);
    bool fits = c->image->copies.count < UINT32_MAX;
    vec_free(&filler.writes);
    free(filler.edge_of);
    free(codelet_of);
    return fits ||
           compiler_fail(c, POP_GRAPH_MEMORY_ALLOCATION_ERROR, 0, NULL, "more than 2^32 edges are not contiguous");
}
