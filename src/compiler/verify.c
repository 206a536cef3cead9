/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/verify.h"
#include "compiler/liveness/live.h"

#include <assert.h>

#ifndef NDEBUG

void verify_sets(const struct compiler *c, const struct pass_results *r)
{
    uint64_t count = 0;
    assert(r->sets->sets.count == r->use->sets.count && r->sets->count == r->check->vertex_count);
    for (size_t s = 0; s < r->sets->sets.count; ++s) {
        const struct used_set *set = &r->sets->sets.data[s];
        assert(set->first == count && r->use->set_of[set->set] == s);
        for (uint64_t i = 0; i < set->count; ++i, ++count)
            assert(c->store->vertices.data[r->sets->vertices[count]].set == set->set);
    }
    assert(count == r->check->vertex_count);
}

void verify_order(const struct compiler *c, const struct pass_results *r)
{
    const struct order_result *order = r->order;
    const struct vertex *vertices = c->store->vertices.data;
    for (size_t g = 0; g < order->groups.count; ++g)
        for (uint64_t i = 0; i < order->groups.data[g].count; ++i)
            assert(vertices[order->vertices[order->groups.data[g].first + i]].type == order->groups.data[g].type);
    uint64_t at = 0;
    for (size_t s = 0; s < order->spans.count; ++s)
        for (uint32_t i = 0; i < order->spans.data[s].count; ++i, ++at)
            assert(vertices[order->vertices[at]].tile == order->spans.data[s].tile);
    assert(at == r->check->vertex_count);
    for (size_t s = 0; s < order->sets.count; ++s)
        assert(order->sets.data[s].first == r->sets->sets.data[s].first &&
               order->sets.data[s].count == r->sets->sets.data[s].count);
}

void verify_bits(const struct compiler *c, const struct pass_results *r)
{
    (void)r;
    for (uint32_t v = 0; v < c->store->variables.count; ++v)
        assert(bitmaps_clean(&c->bits, v, c->store->variables.data[v].elements));
}

void verify_storage(const struct compiler *c, const struct pass_results *r)
{
    for (uint32_t v = 0; v < c->store->variables.count; ++v) {
        uint64_t offset = r->storage->offset[v];
        assert((offset != NO_STORAGE) == (r->check->variable_use[v] != VARIABLE_UNUSED));
        assert(offset == NO_STORAGE || (offset % STORAGE_ALIGNMENT == 0 && offset < c->image->storage_bytes));
    }
}

void verify_outline(const struct compiler *c, const struct pass_results *r)
{
    for (uint32_t node = 0; node < c->store->programs.count; ++node) {
        uint32_t same = r->outline->same[node];
        assert(same < c->store->programs.count && r->outline->same[same] == same);
        assert(same == node || !r->outline->references[node]);
    }
}

void verify_lower(const struct compiler *c, const struct pass_results *r)
{
    assert(r->lower->op_node.count == c->image->ops.count);
    assert(r->lower->control_body.count == c->program_count && c->image->programs.count == c->program_count);
    for (size_t i = 0; i < c->image->copies.count; ++i)
        assert(c->image->copies.data[i].first_move + c->image->copies.data[i].moves <= c->image->moves.count);
}

void verify_vertices(const struct compiler *c, const struct pass_results *r)
{
    assert(c->image->sets.count == r->order->sets.count && c->image->groups.count == r->order->groups.count);
    assert(c->image->vertex_ids.count == r->order->count);
}

void verify_schedule(const struct compiler *c, const struct pass_results *r)
{
    const struct model *model = &c->image->model;
    assert(!c->modelled || model->sets.count == r->order->sets.count);
    for (size_t s = 0; s < model->sets.count; ++s)
        assert(model->sets.data[s].first_part + model->sets.data[s].parts <= model->parts.count);
    for (size_t p = 0; p < model->parts.count; ++p)
        assert(model->parts.data[p].tile + model->parts.data[p].tiles <= pop_target_num_tiles(&c->store->target));
}

void verify_exchange(const struct compiler *c, const struct pass_results *r)
{
    const struct model *model = &c->image->model;
    verify_bits(c, r);
    for (size_t s = 0; c->modelled && s < r->order->sets.count; ++s) {
        const struct step_plan *plan = &r->exchange->of_set[s];
        assert(plan->known && plan->set == s);
        assert(plan->exchange_before == NONE || plan->exchange_before < model->exchanges.count);
        assert(plan->exchange_after == NONE || plan->exchange_after < model->exchanges.count);
        assert(plan->global_before == NONE || plan->global_before < model->global_exchanges.count);
        assert(plan->global_after == NONE || plan->global_after < model->global_exchanges.count);
    }
}

void verify_steps(const struct compiler *c, const struct pass_results *r)
{
    const struct model *model = &c->image->model;
    assert(r->steps->origins.count == model->steps.count);
    assert(!c->modelled || model->op_first.count == c->image->ops.count + 1);
    for (size_t i = 0; i < model->steps.count; ++i)
        assert(model->steps.data[i].first_child + model->steps.data[i].children <= model->children.count);
}

void verify_live(const struct compiler *c, const struct pass_results *r)
{
    const struct live *live = r->live;
    for (uint32_t v = 0; c->modelled && v < c->store->variables.count; ++v)
        assert(live->class_of[v] < live->classes.count);
    for (size_t i = 0; i < live->classes.count; ++i)
        assert(live->classes.data[i].first + live->classes.data[i].count <= live->spans.count);
    for (size_t i = 0; i < live->buffers.count; ++i)
        assert(live->buffers.data[i].class < live->classes.count);
}

/* Addresses of all categories are those of all tiles; a list's bytes are its rows'. */
void verify_place(const struct compiler *c, const struct pass_results *r)
{
    const struct model *model = &c->image->model;
    uint64_t uses = 0, tiles = 0, rows = 0, lists = 0;
    (void)r;
    for (size_t i = 0; i < model->uses.count; ++i)
        uses += model->uses.data[i].overlapped == MODEL_OVERLAPPED
                    ? 0
                    : model->uses.data[i].bytes * model->uses.data[i].tiles;
    for (size_t i = 0; i < model->tiles.count; ++i)
        for (int region = 0; region < MODEL_REGIONS; ++region)
            tiles += model->tiles.data[i].bytes[region];
    for (size_t i = 0; i < model->live.count; ++i)
        rows += model->live.data[i].bytes;
    for (size_t i = 0; i < model->live_lists.count; ++i)
        lists += model->live_lists.data[i].bytes;
    assert(uses == tiles && rows == lists);
    assert(!c->modelled || model->step_live.count == model->steps.count);
}

#endif
