/* SPDX-License-Identifier: Apache-2.0 */
/* steps: the tree of steps that the machine runs, as profiles show it (the guide, Program structure), and which
 * of them the engine's ops stand for.  Programs that are in several places are functions, as in the lower pass. */
#include "compiler/steps/steps.h"

#include "compiler/lower/blocks.h"

#include <assert.h>

static uint32_t new_step(struct steps_builder *b, struct model_step step, struct step_origin origin)
{
    assert(b->result->origins.count == b->model->steps.count);
    step.program = origin.node == NONE ? 0 : origin.node + 1;
    *vec_push(&b->model->steps) = step;
    *vec_push(&b->result->origins) = origin;
    return (uint32_t)b->model->steps.count - 1;
}

uint32_t steps_leaf(struct steps_builder *b, uint32_t op, struct model_step step, struct step_origin origin)
{
    assert(op == NONE || !b->op_steps.count ||
           b->op_steps.data[b->op_steps.count - 1].op <= op); /* index_ops needs them in order */
    uint32_t index = new_step(b, step, origin);
    *vec_push(&b->pending) = index;
    if (op != NONE)
        *vec_push(&b->op_steps) = (struct op_step){ op, index };
    return index;
}

static const struct program_node *node_at(const struct steps_builder *b, uint32_t node)
{
    return b->c->store->programs.data[node];
}

static bool is_sequence(const struct program_node *n)
{
    return n->kind == PROGRAM_SEQUENCE || n->kind == PROGRAM_BLOCK;
}

static void open_step(struct steps_builder *b, uint32_t node, uint32_t step, bool shares)
{
    *vec_push(&b->open) = (struct open_step){ node, step, b->pending.count, shares };
}

static struct open_step *top(struct steps_builder *b)
{
    assert(b->open.count);
    return &b->open.data[b->open.count - 1];
}

/* The children that were collected become the step's. */
static void close_step(struct steps_builder *b)
{
    steps_flush(b);
    struct open_step *open = top(b);
    assert(open->first_child <= b->pending.count);
    if (!open->shares) {
        struct model_step *step = &b->model->steps.data[open->step];
        uint32_t count = (uint32_t)(b->pending.count - open->first_child);
        step->first_child = (uint32_t)b->model->children.count;
        step->children = count;
        if (count)
            memcpy(vec_extend(&b->model->children, count), b->pending.data + open->first_child,
                   count * sizeof(uint32_t));
        b->pending.count = open->first_child;
    }
    --b->open.count;
}

static uint32_t new_sequence(struct steps_builder *b, uint32_t node)
{
    uint32_t name = node == NONE ? 0 : compiler_string(b->c, store_name(b->c->store, node_at(b, node)->name));
    return new_step(b, (struct model_step){ .kind = MODEL_SEQUENCE, .name = name },
                    (struct step_origin){ .node = node, .set = NONE, .role = ROLE_CONTAINER });
}

/* Closes the steps that the body or slot before has left open. */
static void close_slot(struct steps_builder *b)
{
    while (b->open.count && top(b)->node == NONE)
        close_step(b);
}

static void begin_body(struct steps_builder *b, uint32_t op)
{
    close_slot(b);
    assert(!b->open.count);
    uint32_t step = new_sequence(b, NONE);
    *vec_push(&b->body_step) = step;
    assert(!b->body_op.count || b->body_op.data[b->body_op.count - 1] < op); /* body_of_op searches them */
    *vec_push(&b->body_op) = op;
    open_step(b, NONE, step, false);
}

static void begin_slot(struct steps_builder *b)
{
    close_slot(b);
    uint32_t step = new_sequence(b, NONE);
    *vec_push(&b->pending) = step;
    open_step(b, NONE, step, false);
}

static enum model_kind container_kind(const struct program_node *n)
{
    switch (n->kind) {
    case PROGRAM_REPEAT:
        return MODEL_REPEAT;
    case PROGRAM_WHILE_TRUE:
    case PROGRAM_WHILE_FALSE:
        return MODEL_REPEAT_WHILE;
    case PROGRAM_IF:
        return n->children.data[1] == NO_PROGRAM ? MODEL_IF : MODEL_IF_ELSE;
    default:
        return MODEL_SWITCH;
    }
}

static void begin_container(struct steps_builder *b, uint32_t node, uint32_t op)
{
    const struct program_node *n = node_at(b, node);
    steps_flush(b);
    steps_before(b, node, op);
    uint32_t step = new_step(b,
                             (struct model_step){ .kind = (uint8_t)container_kind(n),
                                                  .name = compiler_string(b->c, store_name(b->c->store, n->name)) },
                             (struct step_origin){ .node = node, .set = NONE, .role = ROLE_CONTAINER });
    *vec_push(&b->pending) = step;
    open_step(b, node, step, false);
}

/* A Sequence that is the only content of its body or slot takes its place. */
static void begin_sequence(struct steps_builder *b, uint32_t node)
{
    struct open_step *parent = top(b);
    if (parent->node == NONE && parent->first_child == b->pending.count && !b->streams.nodes.count) {
        struct model_step *step = &b->model->steps.data[parent->step];
        step->name = compiler_string(b->c, store_name(b->c->store, node_at(b, node)->name));
        b->result->origins.data[parent->step].node = node;
        open_step(b, node, parent->step, true);
        return;
    }
    steps_flush(b);
    uint32_t step = new_sequence(b, node);
    *vec_push(&b->pending) = step;
    open_step(b, node, step, false);
}

/* A block encloses its program; a Sequence or Block program is the block itself. */
static void begin_block(struct steps_builder *b, uint32_t node, uint32_t op)
{
    steps_flush(b);
    uint32_t step = new_sequence(b, node);
    b->model->steps.data[step].mark = MODEL_BLOCK;
    *vec_push(&b->pending) = step;
    open_step(b, node, step, false);
    steps_stamp(b, node, op, MODEL_BLOCK_BEGIN);
}

static void end_block(struct steps_builder *b, uint32_t node, uint32_t op)
{
    steps_flush(b);
    steps_stamp(b, node, op, MODEL_BLOCK_END);
    assert(top(b)->node == node);
    close_step(b);
}

static bool is_container(const struct program_node *n)
{
    return n->kind == PROGRAM_REPEAT || n->kind == PROGRAM_WHILE_TRUE || n->kind == PROGRAM_WHILE_FALSE ||
           n->kind == PROGRAM_IF || n->kind == PROGRAM_SWITCH;
}

static void begin_program(struct steps_builder *b, uint32_t node, uint32_t op)
{
    const struct program_node *n = node_at(b, node);
    if (is_sequence(n) && is_block(b->blocks, node))
        return;
    if (is_sequence(n))
        begin_sequence(b, node);
    else if (is_container(n))
        begin_container(b, node, op);
    else
        steps_of_program(b, node, op);
}

static void end_program(struct steps_builder *b, uint32_t node)
{
    const struct program_node *n = node_at(b, node);
    if (is_sequence(n) ? is_block(b->blocks, node) : !is_container(n))
        return;
    if (is_container(n))
        close_slot(b);
    assert(top(b)->node == node);
    close_step(b);
}

/* A call of a body, which resolve_calls makes a call of a function when all bodies are known. */
static void call(struct steps_builder *b, const char *name, uint32_t op)
{
    assert(b->c->image->ops.data[op].kind == OP_CALL);
    steps_flush(b);
    uint32_t step = steps_leaf(b, NONE, (struct model_step){ .kind = MODEL_CALL, .name = compiler_string(b->c, name) },
                               (struct step_origin){ .node = NONE, .set = NONE, .role = ROLE_OTHER });
    *vec_push(&b->call_step) = step;
    *vec_push(&b->call_op) = b->c->image->ops.data[op].a;
}

static void build(struct steps_builder *b)
{
    for (size_t i = 0; i < b->lower->events.count; ++i) {
        const struct lowered_event *event = &b->lower->events.data[i];
        switch (event->kind) {
        case LOWERED_BODY:
            begin_body(b, event->op);
            break;
        case LOWERED_SLOT:
            begin_slot(b);
            break;
        case LOWERED_CLOSE:
            end_program(b, event->node);
            break;
        case LOWERED_CALL:
            call(b, "", event->op);
            break;
        case LOWERED_BLOCK:
            begin_block(b, event->node, event->op);
            break;
        case LOWERED_BLOCK_END:
            end_block(b, event->node, event->op);
            break;
        case LOWERED_FLUSH:
            steps_flush(b);
            steps_flush_blocks(b, event->node, event->op);
            break;
        default: /* OPEN, AGAIN */
            if (node_at(b, event->node)->kind == PROGRAM_CALL)
                call(b, store_name(b->c->store, node_at(b, event->node)->name), event->op);
            else
                begin_program(b, event->node, event->op);
        }
    }
    close_slot(b);
}

static uint32_t body_of_op(const struct steps_builder *b, uint32_t op)
{
    size_t low = 0, high = b->body_op.count;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (b->body_op.data[middle] <= op)
            low = middle;
        else
            high = middle;
    }
    assert(b->body_op.data[low] == op);
    return (uint32_t)low;
}

/* Index of model.functions; function: by body, index + 1. */
static uint32_t function_of(struct steps_builder *b, uint32_t *function, uint32_t body)
{
    assert(body < b->body_step.count);
    if (!function[body]) {
        *vec_push(&b->model->functions) = b->body_step.data[body];
        function[body] = (uint32_t)b->model->functions.count;
    }
    return function[body] - 1;
}

static void resolve_calls(struct steps_builder *b, uint32_t *function)
{
    for (size_t i = 0; i < b->call_op.count; ++i)
        b->model->steps.data[b->call_step.data[i]].index = function_of(b, function, body_of_op(b, b->call_op.data[i]));
}

/* A control program as a case: its body, or a call of it where that is a function. */
static uint32_t control_case(struct steps_builder *b, uint32_t *function, size_t i)
{
    uint32_t body = b->lower->control_body.data[i];
    if (!function[body])
        return b->body_step.data[body];
    uint32_t call = new_step(b, (struct model_step){ .kind = MODEL_CALL, .index = function_of(b, function, body) },
                             (struct step_origin){ .node = NONE, .set = NONE, .role = ROLE_OTHER });
    uint32_t step = new_sequence(b, NONE);
    b->model->steps.data[step].first_child = (uint32_t)b->model->children.count;
    b->model->steps.data[step].children = 1;
    *vec_push(&b->model->children) = call;
    return step;
}

/* Whether a run begins with words from the host: those that select one of several programs, and in 2021 also with one,
 * if the host reads or writes tensors (docs/reference/ipu-model.md, 2.5). */
static bool has_entry(const struct compiler *c)
{
    bool host = c->store->host_reads.count || c->store->host_writes.count;
    return c->program_count > 1 || (c->program_count && host && c->store->target.poplibs_release == POP_POPLIBS_2021);
}

/* The only control program, after what a run begins with. */
static uint32_t make_control(struct steps_builder *b, uint32_t *function, uint32_t entry)
{
    uint32_t program = control_case(b, function, 0), step = new_sequence(b, NONE);
    b->model->steps.data[step].first_child = (uint32_t)b->model->children.count;
    b->model->steps.data[step].children = 2;
    *vec_push(&b->model->children) = entry;
    *vec_push(&b->model->children) = program;
    return step;
}

/* A single control program is the whole tree; several are the cases of a Switch on the program that the host selects.
 */
static void make_controls(struct steps_builder *b, uint32_t *function, uint32_t entry)
{
    struct compiler *c = b->c;
    if (c->program_count < 2) {
        uint32_t program = b->body_step.data[b->lower->control_body.data[0]];
        *vec_push(&b->model->controls) = entry == NONE ? program : make_control(b, function, entry);
        return;
    }
    *vec_push(&b->model->controls) = entry;
    bool *met = mem_zero(b->body_op.count, sizeof(*met));
    for (size_t i = 0; i < c->program_count; ++i) {
        if (met[b->lower->control_body.data[i]]) /* a program that occurs twice is a function */
            function_of(b, function, b->lower->control_body.data[i]);
        met[b->lower->control_body.data[i]] = true;
    }
    free(met);
    for (size_t i = 0; i < c->program_count; ++i)
        *vec_push(&b->pending) = control_case(b, function, i);
    assert(b->pending.count == c->program_count); /* nothing else is left */
    struct model_step *choice =
        &b->model->steps.data[b->model->children.data[b->model->steps.data[entry].first_child +
                                                      b->model->steps.data[entry].children - 1]];
    choice->first_child = (uint32_t)b->model->children.count;
    choice->children = (uint32_t)c->program_count;
    memcpy(vec_extend(&b->model->children, c->program_count), b->pending.data, c->program_count * sizeof(uint32_t));
}

/* The steps that each op corresponds to: the pairs are in the order of ops. */
static void index_ops(struct steps_builder *b)
{
    struct model *model = b->model;
    size_t next = 0;
    for (uint32_t op = 0; op < b->c->image->ops.count; ++op) {
        *vec_push(&model->op_first) = (uint32_t)model->op_steps.count;
        for (; next < b->op_steps.count && b->op_steps.data[next].op == op; ++next)
            *vec_push(&model->op_steps) = b->op_steps.data[next].step;
    }
    *vec_push(&model->op_first) = (uint32_t)model->op_steps.count;
    assert(next == b->op_steps.count);
}

static void count_graph(struct compiler *c, const struct order_result *order)
{
    uint64_t vertices = order->count;
    struct model *model = &c->image->model;
    for (size_t i = order->sets.count; i < model->sets.count; ++i) /* the compiler's own */
        for (uint64_t k = model->sets.data[i].first_share;
             k < model->sets.data[i].first_share + model->sets.data[i].shares; ++k)
            vertices += model->shares.data[k].vertices;
    *vec_push(&model->graph_counts) = c->modelled ? model->sets.count : order->sets.count;
    *vec_push(&model->graph_counts) = c->store->edge_count;
    *vec_push(&model->graph_counts) = c->store->variables.count;
    *vec_push(&model->graph_counts) = vertices;
}

static void add_metric(struct compiler *c, const char *name, uint64_t value)
{
    *vec_push(&c->image->model.metrics) = (struct model_metric){ compiler_string(c, name), (double)value };
}

/* What compiling saved and added; the same whenever the same graph is compiled. */
static void measure(struct compiler *c, const struct order_result *order, const struct steps_result *result)
{
    const struct model *model = &c->image->model;
    uint64_t streams = 0, calls = 0, copies = 0;
    for (size_t i = 0; i < model->steps.count; ++i) {
        bool begins = model->steps.data[i].kind == MODEL_STREAM_COPY && result->origins.data[i].merged > 1 &&
                      (!i || result->origins.data[i].first_merged != result->origins.data[i - 1].first_merged ||
                       model->steps.data[i - 1].kind != MODEL_STREAM_COPY);
        streams += begins ? result->origins.data[i].merged - 1 : 0;
        calls += model->steps.data[i].kind == MODEL_CALL;
    }
    for (size_t i = order->sets.count; i < model->sets.count; ++i)
        for (uint64_t k = model->sets.data[i].first_share;
             k < model->sets.data[i].first_share + model->sets.data[i].shares; ++k)
            copies += model->shares.data[k].vertices;
    add_metric(c, "copy vertices added", copies);
    add_metric(c, "functions", model->functions.count);
    add_metric(c, "calls of functions", calls);
    add_metric(c, "stream copies merged", streams);
}

const struct steps_result *pass_steps(struct compiler *c, const struct use_result *use,
                                      const struct check_result *check, const struct order_result *order,
                                      const struct blocks_result *blocks, const struct lower_result *lower,
                                      const struct exchange_result *exchange)
{
    assert(lower->op_node.count == c->image->ops.count && lower->control_body.count == c->program_count);
    struct steps_result *result = ARENA_NEW(&c->model, struct steps_result);
    if (!c->modelled) {
        count_graph(c, order);
        return result;
    }
    arena_adopt_vec(&c->model, &result->origins);
    arena_adopt_vec(&c->model, &result->merged);
    struct steps_builder b = { .c = c,
                               .use = use,
                               .blocks = blocks,
                               .lower = lower,
                               .exchange = exchange,
                               .result = result,
                               .model = &c->image->model,
                               .stamp = NONE };
    owners_init(&b.owners, c->store, check);
    b.written = mem_zero(c->store->variables.count, sizeof(*b.written));
    b.touched = mem_zero(c->store->variables.count, sizeof(*b.touched));
    b.streams.number = 1;
    host_exchange_init(&b.host, c, &b.owners);
    loads_init(&b.loads, &c->store->target);
    uint32_t entry = NONE;
    if (has_entry(c)) {
        entry = new_sequence(&b, NONE);
        open_step(&b, NONE, entry, false);
        steps_entry(&b);
        close_step(&b);
    }
    build(&b);
    assert(!b.open.count && !b.streams.nodes.count);
    uint32_t *function = mem_zero(b.body_op.count, sizeof(*function));
    resolve_calls(&b, function);
    if (c->program_count)
        make_controls(&b, function, entry);
    free(function);
    index_ops(&b);
    count_graph(c, order);
    measure(c, order, result);
    host_exchange_free(&b.host);
    owners_free(&b.owners);
    loads_free(&b.loads);
    vec_free(&b.copies);
    vec_free(&b.streams.nodes);
    free(b.written);
    free(b.touched);
    vec_free(&b.open);
    vec_free(&b.pending);
    vec_free(&b.op_steps);
    vec_free(&b.body_step);
    vec_free(&b.body_op);
    vec_free(&b.call_op);
    vec_free(&b.call_step);
    vec_free(&b.broadcasts);
    return result;
}
