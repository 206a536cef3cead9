/* SPDX-License-Identifier: Apache-2.0 */
/* One small function for each class of program: the ops that it becomes. */
#include "compiler/lower/lower_kinds.h"

static uint32_t lower_sequence(struct lowering *l, struct frame *f, const struct program_node *n)
{
    (void)l;
    return f->stage < n->children.count ? n->children.data[f->stage] : LOWER_DONE;
}

static uint32_t lower_execute(struct lowering *l, struct frame *f, const struct program_node *n)
{
    (void)f;
    uint32_t consensus = n->source ? lower_copy(l->c, l->storage, NULL, n->source) + 1 : 0;
    lower_op(l, (struct image_op){ .kind = OP_EXECUTE, .a = l->use->set_of[n->object], .b = consensus });
    return LOWER_DONE;
}

static uint32_t lower_tensor_copy(struct lowering *l, struct frame *f, const struct program_node *n)
{
    (void)f;
    lower_op(l, (struct image_op){ .kind = OP_COPY, .a = lower_copy(l->c, l->storage, n->source, n->destination) });
    return LOWER_DONE;
}

static uint32_t node_string(const struct lowering *l, const struct program_node *n)
{
    return compiler_string(l->c, store_name(l->c->store, n->name));
}

static uint32_t lower_cross_copy(struct lowering *l, struct frame *f, const struct program_node *n)
{
    (void)f;
    struct image *image = l->c->image;
    uint32_t first = (uint32_t)image->senders.count;
    for (size_t r = 0; r < n->values.count; ++r)
        *vec_push(&image->senders) = (uint32_t)n->values.data[r];
    struct image_op op = { .kind = OP_CROSS_COPY, .a = (uint32_t)image->copies.count, .b = first };
    op.d = n->operands.count ? n->operands.count / 2 : 1;
    op.c = node_string(l, n);
    for (size_t i = 0; i < n->operands.count; i += 2)
        lower_copy(l->c, l->storage, n->operands.data[i], n->operands.data[i + 1]);
    if (!n->operands.count)
        lower_copy(l->c, l->storage, n->source, n->destination);
    lower_op(l, op);
    return LOWER_DONE;
}

static uint32_t lower_stream(struct lowering *l, struct frame *f, const struct program_node *n)
{
    (void)f;
    lower_op(l, (struct image_op){ .kind = n->kind == PROGRAM_STREAM_IN ? OP_STREAM_IN : OP_STREAM_OUT,
                                   .a = n->object,
                                   .b = lower_copy(l->c, l->storage, n->source, n->destination) });
    return LOWER_DONE;
}

static uint32_t lower_remote(struct lowering *l, struct frame *f, const struct program_node *n)
{
    (void)f;
    if (n->control && !n->control->elements) /* no rows */
        return LOWER_DONE;
    struct image_op op = { .kind = n->kind == PROGRAM_REMOTE_IN ? OP_REMOTE_IN : OP_REMOTE_OUT, .a = n->object };
    op.b = lower_copy(l->c, l->storage, n->source, n->destination);
    op.c = n->control ? lower_operand(l, n->control) + 1 : 0;
    op.d = n->control ? n->control->elements : 1;
    lower_op(l, op);
    return LOWER_DONE;
}

static uint32_t lower_repeat(struct lowering *l, struct frame *f, const struct program_node *n)
{
    if (!n->count)
        return LOWER_DONE;
    if (f->stage == 0) {
        f->op = lower_op(l, (struct image_op){ .kind = OP_REPEAT, .d = n->count });
        return n->children.data[0];
    }
    if (lower_here(l) == f->op + 1) { /* nothing in the body: nothing to repeat */
        lower_drop(l);
        return LOWER_DONE;
    }
    lower_op(l, (struct image_op){ .kind = OP_REPEAT_END, .a = f->op + 1 });
    l->c->image->ops.data[f->op].a = lower_here(l);
    return LOWER_DONE;
}

/* op: the loop's first; jumps: the op that leaves it. */
static uint32_t lower_while(struct lowering *l, struct frame *f, const struct program_node *n)
{
    switch (f->stage) {
    case 0:
        f->op = lower_here(l);
        return n->children.data[0];
    case 1:
        f->jumps = lower_op(l, (struct image_op){ .kind = n->kind == PROGRAM_WHILE_TRUE ? OP_JUMP_UNLESS : OP_JUMP_IF,
                                                  .b = lower_operand(l, n->control) });
        return n->children.data[1];
    default:
        lower_op(l, (struct image_op){ .kind = OP_JUMP, .a = f->op });
        l->c->image->ops.data[f->jumps].a = lower_here(l);
        return LOWER_DONE;
    }
}

static uint32_t lower_if(struct lowering *l, struct frame *f, const struct program_node *n)
{
    switch (f->stage) {
    case 0:
        f->op = lower_op(l, (struct image_op){ .kind = OP_JUMP_UNLESS, .b = lower_operand(l, n->control) });
        return n->children.data[0];
    case 1:
        f->jumps = lower_op(l, (struct image_op){ .kind = OP_JUMP });
        l->c->image->ops.data[f->op].a = lower_here(l);
        return n->children.data[1];
    default:
        l->c->image->ops.data[f->jumps].a = lower_here(l);
        return LOWER_DONE;
    }
}

/* Emits the error for a value without a case, if the default is declared unreachable. */
static void lower_unreachable(struct lowering *l)
{
    lower_op(l, (struct image_op){ .kind = OP_ABORT,
                                   .a = compiler_string(l->c, "a Switch met a value that none of its cases has") });
}

/* Stage i emits case i - 1; children[0], the default, comes last. */
static uint32_t lower_switch(struct lowering *l, struct frame *f, const struct program_node *n)
{
    struct image *image = l->c->image;
    uint32_t cases = (uint32_t)n->values.count;
    if (f->stage == 0) {
        f->op = lower_op(
            l, (struct image_op){
                   .kind = OP_SWITCH, .b = lower_operand(l, n->control), .c = cases, .d = image->cases.count });
        for (uint32_t i = 0; i < cases; ++i)
            *vec_push(&image->cases) = (struct image_case){ n->values.data[i], 0 };
        *vec_push(&image->cases) = (struct image_case){ 0, 0 };
    } else if (f->stage <= cases) {
        f->jumps = lower_op(l, (struct image_op){ .kind = OP_JUMP, .a = f->jumps });
    }
    if (f->stage <= cases) {
        image->cases.data[image->ops.data[f->op].d + f->stage].target = lower_here(l);
        if (f->stage < cases)
            return n->children.data[f->stage + 1];
        if (n->flag)
            lower_unreachable(l);
        return n->children.data[0];
    }
    for (uint32_t jump = f->jumps; jump != NONE;) {
        uint32_t before = image->ops.data[jump].a;
        image->ops.data[jump].a = lower_here(l);
        jump = before;
    }
    return LOWER_DONE;
}

static uint32_t lower_call(struct lowering *l, struct frame *f, const struct program_node *n)
{
    (void)f;
    lower_op(l,
             (struct image_op){ .kind = OP_CALL, .a = lower_body(l, l->c->store->functions.data[n->object].program) });
    return LOWER_DONE;
}

static uint32_t lower_call_host(struct lowering *l, struct frame *f, const struct program_node *n)
{
    (void)f;
    uint32_t inputs = l->c->store->host_functions.data[n->object].input_count,
             first = (uint32_t)l->c->image->copies.count;
    for (uint32_t i = 0; i < n->operands.count; ++i)
        lower_copy(l->c, l->storage, i < inputs ? n->operands.data[i] : NULL, i < inputs ? NULL : n->operands.data[i]);
    lower_op(l, (struct image_op){ .kind = OP_CALL_HOST, .a = n->object, .b = first });
    return LOWER_DONE;
}

static uint32_t lower_print(struct lowering *l, struct frame *f, const struct program_node *n)
{
    (void)f;
    struct image *image = l->c->image;
    struct image_print print = { .title = compiler_string(l->c, n->text ? n->text : n->tensor_name),
                                 .operand = lower_operand(l, n->source),
                                 .first_dim = (uint32_t)image->dims.count,
                                 .rank = n->source->rank,
                                 .format_given = n->flag };
    print.metadata = n->control ? lower_operand(l, n->control) + 1 : 0;
    print.format = n->format;
    for (uint32_t i = 0; i < n->source->rank; ++i)
        *vec_push(&image->dims) = n->source->shape[i];
    *vec_push(&image->prints) = print;
    lower_op(l, (struct image_op){ .kind = n->kind == PROGRAM_ERROR ? OP_ERROR : OP_PRINT,
                                   .a = (uint32_t)image->prints.count - 1 });
    return LOWER_DONE;
}

static uint32_t lower_abort(struct lowering *l, struct frame *f, const struct program_node *n)
{
    (void)f;
    struct image_op op = { .kind = OP_ABORT, .a = compiler_string(l->c, n->text) };
    if (n->kind == PROGRAM_ABORT_IF) {
        op.kind = OP_ABORT_IF;
        op.b = lower_operand(l, n->control);
    }
    lower_op(l, op);
    return LOWER_DONE;
}

static uint32_t lower_sync(struct lowering *l, struct frame *f, const struct program_node *n)
{
    (void)f, (void)n;
    lower_op(l, (struct image_op){ .kind = OP_STEP });
    return LOWER_DONE;
}

static uint32_t lower_stamp(struct lowering *l, struct frame *f, const struct program_node *n)
{
    (void)f;
    uint32_t start = n->source ? lower_operand(l, n->source) + 1 : 0;
    lower_op(
        l, (struct image_op){
               .kind = OP_STAMP, .a = lower_copy(l->c, l->storage, NULL, n->destination), .b = start, .c = n->object });
    return LOWER_DONE;
}

/* Checked only in debug modes. */
static uint32_t lower_assume_equal(struct lowering *l, struct frame *f, const struct program_node *n)
{
    (void)f;
    if (l->c->store->replicas > 1 && (l->c->options->checked || l->c->options->runtime_verify))
        lower_op(l,
                 (struct image_op){ .kind = OP_CHECK_EQUAL, .a = lower_operand(l, n->source), .c = node_string(l, n) });
    return LOWER_DONE;
}

/* WriteUndef is a hint for liveness: no op. */
static uint32_t lower_nothing(struct lowering *l, struct frame *f, const struct program_node *n)
{
    (void)l, (void)f, (void)n;
    return LOWER_DONE;
}

const lower_kind lower_kinds[PROGRAM_KINDS] = {
    [PROGRAM_SEQUENCE] = lower_sequence,   [PROGRAM_BLOCK] = lower_sequence,
    [PROGRAM_EXECUTE] = lower_execute,     [PROGRAM_COPY] = lower_tensor_copy,
    [PROGRAM_STREAM_IN] = lower_stream,    [PROGRAM_STREAM_OUT] = lower_stream,
    [PROGRAM_REMOTE_IN] = lower_remote,    [PROGRAM_REMOTE_OUT] = lower_remote,
    [PROGRAM_REPEAT] = lower_repeat,       [PROGRAM_WHILE_TRUE] = lower_while,
    [PROGRAM_WHILE_FALSE] = lower_while,   [PROGRAM_IF] = lower_if,
    [PROGRAM_SWITCH] = lower_switch,       [PROGRAM_CALL] = lower_call,
    [PROGRAM_CALL_HOST] = lower_call_host, [PROGRAM_PRINT] = lower_print,
    [PROGRAM_WRITE_UNDEF] = lower_nothing, [PROGRAM_SYNC] = lower_sync,
    [PROGRAM_ABORT] = lower_abort,         [PROGRAM_ABORT_IF] = lower_abort,
    [PROGRAM_ERROR] = lower_print,         [PROGRAM_ASSUME_EQUAL] = lower_assume_equal,
    [PROGRAM_STAMP] = lower_stamp,         [PROGRAM_CROSS_COPY] = lower_cross_copy,
};
