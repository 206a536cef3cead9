/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of lightweight profiling: stamps are compute sets on the tiles that record, a flush is a stream copy of their
 * buffers. */
#include "compiler/lower/blocks.h"
#include "compiler/steps/steps.h"

#include <assert.h>

/* All stamps are one set: a vertex of the runtime on each tile that records. */
static uint32_t stamp_set(struct steps_builder *b)
{
    struct model *model = b->model;
    if (b->stamp != NONE)
        return b->stamp;
    assert(model->blocks.count); /* pass_blocks has found the tiles */
    b->stamp = tables_set(b->c, "BlockStamp");
    struct model_set *set = &model->sets.data[b->stamp];
    for (size_t i = 1; i < model->blocks.count; ++i)
        *vec_push(&model->parts) =
            (struct model_part){ model->blocks.data[i], 1, BLOCK_STAMP_CYCLES, BLOCK_STAMP_CYCLES };
    set->parts = (uint32_t)(model->blocks.count - 1);
    return b->stamp;
}

void steps_stamp(struct steps_builder *b, uint32_t node, uint32_t op, enum model_mark mark)
{
    uint32_t name = compiler_string(b->c, store_name(b->c->store, b->c->store->programs.data[node]->name));
    struct model_step step = { .kind = MODEL_EXECUTE, .mark = (uint8_t)mark, .name = name, .index = stamp_set(b) };
    steps_leaf(b, op, step, steps_origin(node, ROLE_OTHER));
}

void steps_flush_blocks(struct steps_builder *b, uint32_t node, uint32_t op)
{
    size_t first = b->pending.count;
    host_exchange_begin(&b->host, "BlockFlush");
    for (size_t i = 1; i < b->model->blocks.count; ++i)
        host_exchange_to_host(&b->host, b->model->blocks.data[i], b->blocks->buffer);
    host_exchange_end(&b->host);
    steps_host_copies(b, op, compiler_string(b->c, "BlockFlush"), MODEL_STREAM_HOST, steps_origin(node, ROLE_OTHER));
    for (size_t i = first; i < b->pending.count; ++i)
        b->model->steps.data[b->pending.data[i]].mark = MODEL_BLOCK_FLUSH;
}
