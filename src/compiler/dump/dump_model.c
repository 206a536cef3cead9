/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/dump/dump_model.h"
#include "compiler/liveness/live.h"

#include <inttypes.h>

/* "tile 3", or "tiles 3 to 5". */
static void add_tiles(uint32_t tile, uint32_t tiles, struct str *out)
{
    if (tiles == 1)
        str_format(out, "  tile %" PRIu32 ":", tile);
    else
        str_format(out, "  tiles %" PRIu32 " to %" PRIu32 ":", tile, tile + tiles - 1);
}

void dump_schedule(const struct compiler *c, const struct pass_results *r, struct str *out)
{
    const struct model *model = &c->image->model;
    (void)r;
    for (size_t s = 0; s < model->sets.count; ++s) {
        const struct model_set *set = &model->sets.data[s];
        str_format(out, "set %zu '%s'%s\n", s, image_string(c->image, set->name),
                   set->missing_estimate ? ": an estimate is missing" : "");
        for (uint64_t i = set->first_share; i < set->first_share + set->shares; ++i)
            str_format(out, "  %" PRIu32 " vertices of type '%s'\n", model->shares.data[i].vertices,
                       image_string(c->image, model->types.data[model->shares.data[i].type].name));
        for (uint64_t i = set->first_part; i < set->first_part + set->parts; ++i) {
            const struct model_part *part = &model->parts.data[i];
            add_tiles(part->tile, part->tiles, out);
            str_format(out, " %" PRIu64 " cycles, %" PRIu64 " of them active\n", part->cycles, part->active);
        }
    }
}

static void add_exchange(const struct compiler *c, const struct model_exchange *exchange, const char *kind,
                         struct str *out)
{
    const struct model *model = &c->image->model;
    str_format(out, "%s '%s'\n", kind, image_string(c->image, exchange->name));
    for (uint64_t i = exchange->first_flow; i < exchange->first_flow + exchange->flows; ++i) {
        const struct model_flow *flow = &model->flows.data[i];
        add_tiles(flow->tile, flow->tiles, out);
        str_format(out, " sends %" PRIu64 " bytes, receives %" PRIu64 ", %" PRIu64 " cycles\n", flow->sent,
                   flow->received, flow->cycles);
    }
}

void dump_exchange(const struct compiler *c, const struct pass_results *r, struct str *out)
{
    const struct model *model = &c->image->model;
    for (size_t i = 0; i < model->exchanges.count; ++i)
        add_exchange(c, &model->exchanges.data[i], "exchange", out);
    for (size_t i = 0; i < model->global_exchanges.count; ++i)
        add_exchange(c, &model->global_exchanges.data[i], "exchange between IPUs", out);
    for (size_t i = r->order->sets.count; i < model->sets.count; ++i)
        str_format(out, "copies within tiles '%s'\n", image_string(c->image, model->sets.data[i].name));
    for (size_t i = 0; i < r->exchange->rearranged.count; ++i)
        str_format(out, "rearranged on tile %" PRIu32 ": %" PRIu64 " bytes\n", r->exchange->rearranged.data[i].tile,
                   r->exchange->rearranged.data[i].bytes);
}

static const char *const kinds[] = {
#define MODEL_KIND(constant, tag) tag,
#include "image/model_kinds.def"
#undef MODEL_KIND
};

struct dump_frame {
    uint32_t step, depth;
};

/* A tree of any depth. */
static void add_tree(const struct compiler *c, const struct steps_result *steps, uint32_t root, struct str *out)
{
    static const char *const roles[] = {
        [ROLE_CONTAINER] = "",
        [ROLE_EXCHANGE_BEFORE] = " (exchange before)",
        [ROLE_COPY_BEFORE] = " (copy before)",
        [ROLE_SET] = " (set)",
        [ROLE_COPY_AFTER] = " (copy after)",
        [ROLE_EXCHANGE_AFTER] = " (exchange after)",
        [ROLE_COPY] = " (copy)",
        [ROLE_STREAM] = " (stream)",
        [ROLE_BROADCAST] = " (broadcast)",
        [ROLE_ENTRY] = " (entry)",
        [ROLE_OTHER] = "",
    };
    const struct model *model = &c->image->model;
    VEC(struct dump_frame) open = { 0 };
    *vec_push(&open) = (struct dump_frame){ root, 1 };
    while (open.count) {
        struct dump_frame at = open.data[--open.count];
        const struct model_step *step = &model->steps.data[at.step];
        str_format(out, "%*sstep %" PRIu32 " %s '%s'%s", 2 * (int)at.depth, "", at.step, kinds[step->kind],
                   image_string(c->image, step->name), roles[steps->origins.data[at.step].role]);
        if (step->kind == MODEL_CALL)
            str_format(out, " of function %" PRIu32, step->index);
        str_add(out, "\n");
        for (uint32_t i = step->children; i-- > 0;)
            *vec_push(&open) = (struct dump_frame){ model->children.data[step->first_child + i], at.depth + 1 };
    }
    vec_free(&open);
}

void dump_steps(const struct compiler *c, const struct pass_results *r, struct str *out)
{
    const struct model *model = &c->image->model;
    for (size_t i = 0; i < model->controls.count; ++i) {
        str_format(out, "program %zu\n", i);
        add_tree(c, r->steps, model->controls.data[i], out);
    }
    for (size_t i = 0; i < model->functions.count; ++i) {
        str_format(out, "function %zu\n", i);
        add_tree(c, r->steps, model->functions.data[i], out);
    }
}

static void add_class(const struct live *live, uint32_t class, struct str *out)
{
    const struct live_class *of = &live->classes.data[class];
    if (class == LIVE_ALWAYS)
        str_add(out, " always");
    else if (!of->count)
        str_add(out, " never");
    for (uint32_t i = 0; class != LIVE_ALWAYS && i < of->count; ++i) {
        const struct flow_span *span = &live->spans.data[of->first + i];
        str_format(out, "%s steps %" PRIu32 " to %" PRIu32, i ? "," : "", span->first, span->last);
    }
    str_add(out, "\n");
}

void dump_live(const struct compiler *c, const struct pass_results *r, struct str *out)
{
    const struct live *live = r->live;
    if (!c->modelled)
        return;
    str_add(out, "positions:");
    for (size_t i = 0; i < live->step.count; ++i)
        str_format(out, " %" PRIu32, live->step.data[i]);
    str_add(out, "\n");
    for (uint32_t v = 0; v < c->store->variables.count; ++v)
        if (r->storage->offset[v] != NO_STORAGE) {
            str_format(out, "variable %" PRIu32 " '%s':", v, variable_name(c, v));
            add_class(live, live->class_of[v], out);
        }
    for (size_t i = 0; i < live->buffers.count; ++i) {
        const struct live_buffer *buffer = &live->buffers.data[i];
        uint64_t bytes = 0;
        for (uint64_t k = buffer->first; k < buffer->first + buffer->count; ++k)
            bytes += live->bytes.data[k].bytes;
        str_format(out, "buffer '%s' of %" PRIu64 " bytes on %" PRIu32 " tiles:", image_string(c->image, buffer->name),
                   bytes, buffer->count);
        add_class(live, buffer->class, out);
    }
}

void dump_place(const struct compiler *c, const struct pass_results *r, struct str *out)
{
    static const char *const categories[] = {
#define MODEL_CATEGORY(constant, name) name,
#include "image/model_categories.def"
#undef MODEL_CATEGORY
    };
    const struct model *model = &c->image->model;
    (void)r;
    for (size_t i = 0; i < model->tiles.count; ++i) {
        const struct model_tile *tile = &model->tiles.data[i];
        uint64_t bytes = tile->bytes[MODEL_NON_INTERLEAVED] + tile->bytes[MODEL_INTERLEAVED];
        if (bytes || tile->bytes[MODEL_OVERFLOWED])
            str_format(out, "tile %zu: %" PRIu64 " bytes, %" PRIu64 " that do not fit\n", i, bytes,
                       tile->bytes[MODEL_OVERFLOWED]);
    }
    for (size_t i = 0; i < model->uses.count; ++i) {
        const struct model_use *use = &model->uses.data[i];
        str_format(out, "%s:\n", categories[use->category]);
        add_tiles(use->tile, use->tiles, out);
        str_format(out, " %" PRIu64 " bytes in region %u\n", use->bytes, (unsigned)use->region);
    }
}
