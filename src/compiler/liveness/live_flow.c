/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/liveness/live_flow.h"

#include <assert.h>

/* The effect of a part of the program on the variable. gen: its value at the start may be read; pass: its value at the
 * start may reach the end. */
struct flow_item {
    uint32_t stamp;
    uint8_t what;
    bool gen, pass;
    uint32_t next;  /* item of the same block that comes before it */
    uint32_t child; /* first touched block below it */
    uint32_t touched;
};
struct flow_block {
    uint32_t stamp;
    bool gen, pass, out;  /* out: live at its end */
    uint32_t first, tail; /* items, from the last one to the first */
    uint32_t next;        /* touched block of the same parent that follows */
};

static bool is_control(uint8_t kind)
{
    return kind >= FLOW_LOOP;
}

static uint32_t add_node(struct flow *flow, enum flow_kind kind)
{
    uint32_t at = (uint32_t)flow->nodes.count, parent = flow->nodes.count ? flow->open : FLOW_NONE;
    struct flow_node *node = vec_push(&flow->nodes);
    *node = (struct flow_node){
        .kind = (uint8_t)kind, .parent = parent, .last = at, .block = at, .root = at, .callee = FLOW_NONE
    };
    if (parent == FLOW_NONE)
        return at;
    assert(parent < flow->nodes.count);
    struct flow_node *above = &flow->nodes.data[parent];
    ++above->children;
    node->root = above->root;
    if (!is_control(above->kind))
        node->block = above->block;
    return at;
}

uint32_t flow_open(struct flow *flow, enum flow_kind kind)
{
    return flow->open = add_node(flow, kind);
}

void flow_close(struct flow *flow)
{
    assert(flow->open < flow->nodes.count);
    struct flow_node *node = &flow->nodes.data[flow->open];
    node->last = (uint32_t)flow->nodes.count - 1;
    flow->open = node->parent;
}

uint32_t flow_leaf(struct flow *flow)
{
    return add_node(flow, FLOW_LEAF);
}

uint32_t flow_call(struct flow *flow)
{
    return add_node(flow, FLOW_CALL);
}

void flow_ready(struct flow *flow)
{
    size_t count = flow->nodes.count;
    assert(!count || flow->open == FLOW_NONE); /* every node is closed */
    flow->items = mem_zero(count, sizeof(*flow->items));
    flow->blocks = mem_zero(count, sizeof(*flow->blocks));
    flow->seen = mem_zero(count, sizeof(*flow->seen));
    flow->first_call = mem_alloc((count + !count) * sizeof(*flow->first_call));
    for (size_t i = 0; i < count; ++i)
        flow->first_call[i] = FLOW_NONE;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t callee = flow->nodes.data[i].callee;
        if (callee == FLOW_NONE)
            continue;
        assert(callee > i && flow->nodes.data[callee].parent == FLOW_NONE);
        flow->functions += flow->first_call[callee] == FLOW_NONE;
        *vec_push(&flow->calls) = (struct flow_call){ i, callee, flow->first_call[callee] };
        flow->first_call[callee] = (uint32_t)flow->calls.count - 1;
    }
}

void flow_free(struct flow *flow)
{
    vec_free(&flow->nodes);
    vec_free(&flow->controls);
    vec_free(&flow->calls);
    vec_free(&flow->touched);
    vec_free(&flow->stack);
    vec_free(&flow->spans);
    free(flow->items);
    free(flow->blocks);
    free(flow->seen);
    free(flow->first_call);
    *flow = (struct flow){ 0 };
}

static int by_first(const void *left, const void *right)
{
    const struct flow_span *a = left, *b = right;
    return a->first < b->first ? -1 : a->first > b->first;
}

void flow_join(flow_spans *spans)
{
    size_t kept = 0;
    if (spans->count > 1)
        qsort(spans->data, spans->count, sizeof(*spans->data), by_first);
    for (size_t i = 0; i < spans->count; ++i) {
        struct flow_span span = spans->data[i];
        if (kept && span.first <= spans->data[kept - 1].last + 1) {
            if (span.last > spans->data[kept - 1].last)
                spans->data[kept - 1].last = span.last;
        } else {
            spans->data[kept++] = span;
        }
    }
    spans->count = kept;
}

static void emit(struct flow *flow, int64_t first, int64_t last)
{
    assert(last < (int64_t)flow->nodes.count);
    if (first <= last)
        *vec_push(&flow->spans) = (struct flow_span){ (uint32_t)first, (uint32_t)last };
}

static void touch(struct flow *flow, uint32_t position, uint8_t what)
{
    assert(position < flow->nodes.count);
    struct flow_item *item = &flow->items[position];
    if (item->stamp != flow->solution) {
        *item = (struct flow_item){ .stamp = flow->solution, .next = FLOW_NONE, .child = FLOW_NONE };
        *vec_push(&flow->touched) = position;
    }
    item->what |= what;
}

static int descending(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? 1 : a > b ? -1 : 0;
}

/* Marks the enclosing nodes of touched steps: loops, branches, and calls of their functions unless only one function
 * uses the variable. */
static void touch_program(struct flow *flow, bool own)
{
    for (size_t i = 0; i < flow->touched.count; ++i) {
        uint32_t block = flow->nodes.data[flow->touched.data[i]].block, owner = flow->nodes.data[block].parent;
        if (flow->blocks[block].stamp == flow->solution)
            continue;
        flow->blocks[block] = (struct flow_block){
            .stamp = flow->solution, .pass = true, .first = FLOW_NONE, .tail = FLOW_NONE, .next = FLOW_NONE
        };
        if (owner != FLOW_NONE)
            touch(flow, owner, 0);
        else
            for (uint32_t call = own ? FLOW_NONE : flow->first_call[block]; call != FLOW_NONE;
                 call = flow->calls.data[call].next)
                touch(flow, flow->calls.data[call].position, 0);
    }
    qsort(flow->touched.data, flow->touched.count, sizeof(uint32_t), descending);
}

static const struct flow_block transparent = { .pass = true };

/* The blocks of a WHILE, which may not be touched. */
static void while_blocks(const struct flow *flow, uint32_t position, const struct flow_block **condition,
                         const struct flow_block **body)
{
    uint32_t first = position + 1, second = flow->nodes.data[first].last + 1;
    assert(second < flow->nodes.count && flow->nodes.data[second].parent == position);
    *condition = flow->blocks[first].stamp == flow->solution ? &flow->blocks[first] : &transparent;
    *body = flow->blocks[second].stamp == flow->solution ? &flow->blocks[second] : &transparent;
}

static void sum_while(const struct flow *flow, uint32_t position, struct flow_item *item)
{
    const struct flow_block *condition, *body;
    while_blocks(flow, position, &condition, &body);
    item->gen = condition->gen || (condition->pass && ((item->what & FLOW_READ) || body->gen));
    item->pass = condition->pass;
}

static void sum_children(const struct flow *flow, uint32_t position, struct flow_item *item)
{
    const struct flow_node *node = &flow->nodes.data[position];
    item->gen = item->what & FLOW_READ;
    item->pass = node->kind == FLOW_SKIP || node->open || item->touched < node->children;
    for (uint32_t b = item->child; b != FLOW_NONE; b = flow->blocks[b].next) {
        item->gen |= flow->blocks[b].gen;
        item->pass |= flow->blocks[b].pass;
    }
}

static void sum_item(const struct flow *flow, uint32_t position, struct flow_item *item)
{
    const struct flow_node *node = &flow->nodes.data[position];
    item->gen = item->what & FLOW_READ;
    item->pass = item->gen || !(item->what & FLOW_KILL);
    if (node->kind == FLOW_CALL && flow->blocks[node->callee].stamp == flow->solution) {
        item->gen |= flow->blocks[node->callee].gen;
        item->pass &= flow->blocks[node->callee].pass;
    } else if (node->kind == FLOW_WHILE && node->children == 2) {
        sum_while(flow, position, item);
    } else if (is_control(node->kind)) {
        sum_children(flow, position, item);
    }
}

/* Backward over positions: the effects below a node, and after it in its block, are known when the node is met. */
static void sum_up(struct flow *flow)
{
    for (size_t i = 0; i < flow->touched.count; ++i) {
        uint32_t position = flow->touched.data[i], at = flow->nodes.data[position].block,
                 owner = flow->nodes.data[at].parent;
        assert(!i || position < flow->touched.data[i - 1]); /* from the last to the first */
        struct flow_item *item = &flow->items[position];
        struct flow_block *block = &flow->blocks[at];
        sum_item(flow, position, item);
        block->gen = item->gen || (item->pass && block->gen);
        block->pass = item->pass && block->pass;
        if (block->tail != FLOW_NONE) {
            flow->items[block->tail].next = position;
        } else {
            block->first = position;
            if (owner != FLOW_NONE) {
                block->next = flow->items[owner].child;
                flow->items[owner].child = at;
                ++flow->items[owner].touched;
            }
        }
        block->tail = position;
    }
}

static void push_block(struct flow *flow, uint32_t block, bool out)
{
    flow->blocks[block].out = out;
    *vec_push(&flow->stack) = block;
}

static void enter_while(struct flow *flow, uint32_t position, const struct flow_item *item, bool after, bool before)
{
    const struct flow_block *condition, *body;
    while_blocks(flow, position, &condition, &body);
    uint32_t first = position + 1, second = flow->nodes.data[first].last + 1;
    bool out = (item->what & FLOW_READ) || after || body->gen || (body->pass && before);
    if (condition != &transparent)
        push_block(flow, first, out);
    else if (out)
        emit(flow, first, second - 1);
    if (body != &transparent)
        push_block(flow, second, before);
    else if (before)
        emit(flow, second, flow->nodes.data[position].last);
}

/* Loops: what the body reads first is live at its end too. */
static void enter_children(struct flow *flow, uint32_t position, const struct flow_item *item, bool after)
{
    const struct flow_node *node = &flow->nodes.data[position];
    int64_t from = (int64_t)position + 1;
    for (uint32_t b = item->child; b != FLOW_NONE; b = flow->blocks[b].next) {
        if (after)
            emit(flow, from, (int64_t)b - 1);
        push_block(flow, b, after || (node->kind != FLOW_BRANCH && flow->blocks[b].gen));
        from = (int64_t)flow->nodes.data[b].last + 1;
    }
    if (after)
        emit(flow, from, node->last);
}

static void enter_item(struct flow *flow, uint32_t position, bool after, bool before)
{
    const struct flow_node *node = &flow->nodes.data[position];
    const struct flow_item *item = &flow->items[position];
    if (before || (!is_control(node->kind) && (after || (item->what & (FLOW_READ | FLOW_WRITE)))))
        emit(flow, position, position);
    if (node->kind == FLOW_CALL && flow->blocks[node->callee].stamp == flow->solution)
        flow->blocks[node->callee].out |= after;
    else if (node->kind == FLOW_WHILE && node->children == 2)
        enter_while(flow, position, item, after, before);
    else if (is_control(node->kind))
        enter_children(flow, position, item, after);
}

/* Top-down from a root; each block backward. */
static void walk_down(struct flow *flow, uint32_t root)
{
    *vec_push(&flow->stack) = root;
    while (flow->stack.count) {
        uint32_t at = flow->stack.data[--flow->stack.count];
        int64_t cursor = flow->nodes.data[at].last;
        bool live = flow->blocks[at].out;
        for (uint32_t p = flow->blocks[at].first; p != FLOW_NONE; p = flow->items[p].next) {
            bool before = flow->items[p].gen || (flow->items[p].pass && live);
            if (live)
                emit(flow, (int64_t)flow->nodes.data[p].last + 1, cursor);
            enter_item(flow, p, live, before);
            live = before;
            cursor = (int64_t)p - 1;
        }
        if (live)
            emit(flow, at, cursor);
    }
}

static size_t first_call_from(const struct flow *flow, uint32_t position)
{
    size_t low = 0, high = flow->calls.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (flow->calls.data[middle].position < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A variable that is live across a call is live throughout the called function, and functions it calls, if they do not
 * touch it. touched: functions that do.  emit extends the list of spans, which the loop then reaches. */
static void spread_calls(struct flow *flow, uint32_t touched)
{
    uint32_t left = flow->functions - touched;
    for (size_t i = 0; left && i < flow->spans.count; ++i) {
        struct flow_span span = flow->spans.data[i];
        for (size_t k = first_call_from(flow, span.first);
             left && k < flow->calls.count && flow->calls.data[k].position <= span.last; ++k) {
            uint32_t root = flow->calls.data[k].callee;
            if (flow->seen[root] == flow->solution)
                continue;
            flow->seen[root] = flow->solution;
            --left;
            emit(flow, root, flow->nodes.data[root].last);
        }
    }
    flow_join(&flow->spans);
}

/* A variable that one function alone accesses: if its value is live at the function's entry, it is live outside too. */
static void solve_own(struct flow *flow, uint32_t root)
{
    bool kept = flow->blocks[root].gen;
    flow->blocks[root].out = kept;
    walk_down(flow, root);
    if (kept) {
        emit(flow, 0, (int64_t)root - 1);
        emit(flow, (int64_t)flow->nodes.data[root].last + 1, (int64_t)flow->nodes.count - 1);
        flow_join(&flow->spans);
        return;
    }
    flow_join(&flow->spans);
    flow->seen[root] = flow->solution;
    spread_calls(flow, 1);
}

static int ascending(const void *left, const void *right)
{
    return descending(right, left);
}

/* Programs may run in any order: what one reads before it writes is live at the end of all. */
static void solve_roots(struct flow *flow)
{
    bool live = false;
    uint32_t functions = 0;
    VEC(uint32_t) roots = { 0 };
    for (size_t i = 0; i < flow->controls.count; ++i) {
        const struct flow_block *block = &flow->blocks[flow->controls.data[i]];
        live |= block->stamp == flow->solution && block->gen;
    }
    for (size_t i = 0; i < flow->touched.count; ++i) {
        uint32_t root = flow->nodes.data[flow->touched.data[i]].root;
        if (flow->seen[root] != flow->solution) {
            *vec_push(&roots) = root;
            functions += flow->first_call[root] != FLOW_NONE;
        }
        flow->seen[root] = flow->solution;
    }
    for (size_t i = 0; i < flow->controls.count; ++i) {
        uint32_t root = flow->controls.data[i];
        if (flow->blocks[root].stamp == flow->solution)
            flow->blocks[root].out = live;
        else if (live)
            emit(flow, root, flow->nodes.data[root].last);
    }
    qsort(roots.data, roots.count, sizeof(uint32_t), ascending);
    for (size_t i = 0; i < roots.count; ++i)
        walk_down(flow, roots.data[i]);
    vec_free(&roots);
    flow_join(&flow->spans);
    spread_calls(flow, functions);
}

void flow_solve(struct flow *flow, const struct flow_event *events, size_t count)
{
    assert(flow->items && flow->blocks); /* flow_ready was called */
    flow->spans.count = flow->touched.count = 0;
    if (!count)
        return;
    ++flow->solution;
    uint32_t root = flow->nodes.data[events[0].position].root;
    bool own = flow->first_call[root] != FLOW_NONE;
    for (size_t i = 0; i < count; ++i) {
        touch(flow, events[i].position, events[i].what);
        own = own && flow->nodes.data[events[i].position].root == root;
    }
    for (size_t i = 0; own && i < flow->controls.count; ++i)
        own = flow->controls.data[i] != root;
    touch_program(flow, own);
    sum_up(flow);
    if (own)
        solve_own(flow, root);
    else
        solve_roots(flow);
}
