/* SPDX-License-Identifier: Apache-2.0 */
/* lower: the program tree as flat ops. Programs may nest to any depth, so the frames of programs being emitted are in
 * an explicit stack.  A function, and any program that holds others and is in several places, is emitted once and
 * called, so that ops are linear in nodes. */
#include "compiler/lower/lower.h"
#include "compiler/lower/lower_kinds.h"

#include "compiler/lower/blocks.h"
#include "compiler/lower/plan.h"

#include <assert.h>

uint32_t lower_here(const struct lowering *l)
{
    return (uint32_t)l->c->image->ops.count;
}

uint32_t lower_op(struct lowering *l, struct image_op op)
{
    assert(l->result->op_node.count == l->c->image->ops.count);
    *vec_push(&l->c->image->ops) = op;
    *vec_push(&l->result->op_node) = l->node;
    return lower_here(l) - 1;
}

void lower_drop(struct lowering *l)
{
    assert(l->c->image->ops.count && l->result->op_node.count == l->c->image->ops.count);
    --l->c->image->ops.count;
    --l->result->op_node.count;
}

uint32_t lower_body(struct lowering *l, uint32_t node)
{
    node = l->outline->same[node];
    assert(l->outline->same[node] == node);
    if (l->body_of[node] == NONE) {
        l->body_of[node] = (uint32_t)l->bodies.count;
        *vec_push(&l->bodies) = node;
    }
    return l->body_of[node];
}

uint32_t lower_copy(struct compiler *c, const struct storage_result *storage, const struct view *source,
                    const struct view *destination)
{
    const struct view *any = source ? source : destination;
    assert(any && (!source || !destination || source->elements == destination->elements));
    struct plan_side from = source ? plan_side_of_view(source) : PLAN_BUFFER,
                     to = destination ? plan_side_of_view(destination) : PLAN_BUFFER;
    return plan_copy(&c->moves, storage->offset, from, to, any->elements, (unsigned)pop_type_size((pop_type)any->type));
}

uint32_t lower_operand(struct lowering *l, const struct view *view)
{
    struct image *image = l->c->image;
    uint32_t copy = lower_copy(l->c, l->storage, view, NULL);
    *vec_push(&image->operands) = (struct image_operand){ copy, view->type, view->elements };
    return (uint32_t)image->operands.count - 1;
}

static void note(struct lowering *l, enum lowered_kind kind, uint32_t node)
{
    *vec_push(&l->result->events) = (struct lowered_event){ (uint8_t)kind, node, lower_here(l) };
}

/* A step without effect on the host: a block's stamp, or a flush. */
static void lower_block(struct lowering *l, enum lowered_kind kind, uint32_t node)
{
    note(l, kind, node);
    lower_op(l, (struct image_op){ .kind = OP_STEP });
}

static void open_frame(struct lowering *l, uint32_t node)
{
    if (is_block(l->blocks, node))
        lower_block(l, LOWERED_BLOCK, node);
    note(l, LOWERED_OPEN, node);
    *vec_push(&l->frames) = (struct frame){ .node = node, .jumps = NONE };
}

/* A repeated program without children: the same op again, with its existing copy plans. */
static void lower_again(struct lowering *l, uint32_t node)
{
    assert(l->leaf_op[node] < l->c->image->ops.count);
    uint32_t parent = l->node;
    note(l, LOWERED_AGAIN, node);
    l->node = node;
    lower_op(l, l->c->image->ops.data[l->leaf_op[node]]);
    l->node = parent;
}

/* Emits a child in place: its ops, or a call if they are shared. */
static void open_child(struct lowering *l, uint32_t node)
{
    node = l->outline->same[node];
    const struct program_node *n = l->c->store->programs.data[node];
    if (l->outline->references[node] > 1 && n->children.count) {
        note(l, LOWERED_CALL, node);
        lower_op(l, (struct image_op){ .kind = OP_CALL, .a = lower_body(l, node) });
    } else if (l->leaf_op[node] != NONE)
        lower_again(l, node);
    else
        open_frame(l, node);
}

static void lower_one_body(struct lowering *l, uint32_t node)
{
    assert(!l->frames.count);
    *vec_push(&l->body_op) = lower_here(l);
    note(l, LOWERED_BODY, node);
    open_frame(l, node);
    while (l->frames.count) {
        size_t top = l->frames.count - 1;
        l->node = l->frames.data[top].node;
        const struct program_node *n = l->c->store->programs.data[l->node];
        assert(n->kind < PROGRAM_KINDS && l->outline->same[l->node] == l->node);
        if (flushes_blocks(l->blocks, l->node) && l->frames.data[top].stage == (n->kind == PROGRAM_REPEAT ? 1 : 2))
            lower_block(l, LOWERED_FLUSH, l->node);
        uint32_t before = lower_here(l), child = lower_kinds[n->kind](l, &l->frames.data[top], n);
        ++l->frames.data[top].stage;
        if (child == LOWER_DONE) {
            --l->frames.count;
            note(l, LOWERED_CLOSE, l->node);
            if (is_block(l->blocks, l->node))
                lower_block(l, LOWERED_BLOCK_END, l->node);
            else if (!n->children.count && lower_here(l) == before + 1)
                l->leaf_op[l->node] = before;
        }
        if (child != LOWER_DONE && n->kind != PROGRAM_SEQUENCE && n->kind != PROGRAM_BLOCK)
            note(l, LOWERED_SLOT, l->node);
        if (child != LOWER_DONE && child != NO_PROGRAM)
            open_child(l, child);
    }
    l->node = node;
    lower_op(l, (struct image_op){ .kind = OP_END });
}

const struct lower_result *pass_lower(struct compiler *c, const struct use_result *use,
                                      const struct storage_result *storage, const struct blocks_result *blocks,
                                      const struct outline_result *outline)
{
    assert(use->references && storage->offset && outline->same);
    struct lower_result *result = ARENA_NEW(&c->arena, struct lower_result);
    arena_adopt_vec(&c->arena, &result->op_node);
    arena_adopt_vec(&c->arena, &result->events);
    arena_adopt_vec(&c->arena, &result->control_body);
    struct lowering l = { .c = c,
                          .use = use,
                          .storage = storage,
                          .blocks = blocks,
                          .outline = outline,
                          .result = result,
                          .body_of = mem_alloc(c->store->programs.count * sizeof(*l.body_of)) };
    l.leaf_op = mem_alloc(c->store->programs.count * sizeof(*l.leaf_op));
    for (size_t i = 0; i < c->store->programs.count; ++i)
        l.body_of[i] = l.leaf_op[i] = NONE;
    for (size_t i = 0; i < c->program_count; ++i)
        *vec_push(&result->control_body) = lower_body(&l, c->programs[i].id - 1);
    for (size_t b = 0; b < l.bodies.count; ++b)
        lower_one_body(&l, l.bodies.data[b]);
    if (!c->image->ops.count)
        lower_op(&l, (struct image_op){ .kind = OP_END });
    for (size_t i = 0; i < c->program_count; ++i)
        *vec_push(&c->image->programs) = l.body_op.data[result->control_body.data[i]];
    for (size_t i = 0; i < c->image->ops.count; ++i)
        if (c->image->ops.data[i].kind == OP_CALL)
            c->image->ops.data[i].a = l.body_op.data[c->image->ops.data[i].a];
    assert(l.body_op.count == l.bodies.count);
    bool fits = c->image->ops.count < LOWER_DONE;
    vec_free(&l.frames);
    vec_free(&l.bodies);
    vec_free(&l.body_op);
    free(l.body_of);
    free(l.leaf_op);
    if (!fits)
        compiler_fail(c, POP_CONTROL_PROGRAM_ERROR, 0, NULL, "the control programs have more than 2^32 steps");
    return fits ? result : NULL;
}
