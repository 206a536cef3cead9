/* SPDX-License-Identifier: Apache-2.0 */
/* The liveness solver: loops, branches and functions built by hand, and random programs compared with plain data flow
 * over all positions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "compiler/liveness/live_flow.h"

/* ---- the plain solution: calls are inlined, edges between positions, iterated until nothing changes ---- */

typedef VEC(uint32_t) positions;

struct edge_pair {
    uint32_t from, to;
};
struct plain {
    const struct flow *flow;
    VEC(struct edge_pair) edges;
};
/* Points of a program: before and after each node. */

static uint32_t before(uint32_t position)
{
    return 2 * position;
}
static uint32_t after(uint32_t position)
{
    return 2 * position + 1;
}

static void join(struct plain *p, uint32_t from, uint32_t to)
{
    *vec_push(&p->edges) = (struct edge_pair){ from, to };
}

static void link_children(struct plain *p, uint32_t position)
{
    const struct flow_node *node = &p->flow->nodes.data[position];
    uint32_t at = before(position), child = position + 1;
    if (node->kind == FLOW_SEQUENCE) {
        for (; child <= node->last; child = p->flow->nodes.data[child].last + 1) {
            join(p, at, before(child));
            at = after(child);
        }
        join(p, at, after(position));
    } else if (node->kind == FLOW_LOOP || node->kind == FLOW_SKIP) {
        if (!node->children || node->kind == FLOW_SKIP)
            join(p, before(position), after(position));
        if (node->children) {
            join(p, before(position), before(child));
            join(p, after(child), before(child));
            join(p, after(child), after(position));
        }
    } else if (node->kind == FLOW_WHILE) {
        uint32_t body = p->flow->nodes.data[child].last + 1;
        join(p, before(position), before(child));
        join(p, after(child), before(body)); /* reads of the node are on these two edges: see live_before */
        join(p, after(child), after(position));
        join(p, after(body), before(child));
    } else {
        if (node->open || !node->children)
            join(p, before(position), after(position));
        for (; child <= node->last; child = p->flow->nodes.data[child].last + 1) {
            join(p, before(position), before(child));
            join(p, after(child), after(position));
        }
    }
}

/* live: indexed by point. */
static void plain_solve(struct plain *p, const uint8_t *what, bool *live)
{
    const struct flow *flow = p->flow;
    for (bool again = true; again;) {
        again = false;
        bool start = false;
        for (size_t i = 0; i < flow->controls.count; ++i)
            start |= live[before(flow->controls.data[i])];
        for (size_t i = 0; i < flow->controls.count; ++i)
            if (start && !live[after(flow->controls.data[i])])
                again = live[after(flow->controls.data[i])] = true;
        for (size_t i = 0; i < p->edges.count; ++i)
            if (live[p->edges.data[i].to] && !live[p->edges.data[i].from])
                again = live[p->edges.data[i].from] = true;
        for (uint32_t n = 0; n < flow->nodes.count; ++n) {
            const struct flow_node *node = &flow->nodes.data[n];
            bool now = live[before(n)];
            if (node->kind == FLOW_LEAF)
                now = (what[n] & FLOW_READ) || (live[after(n)] && !(what[n] & FLOW_KILL));
            else if (node->kind == FLOW_WHILE && (what[n] & FLOW_READ) && !live[after(n + 1)])
                again = live[after(n + 1)] = true;
            else if (node->kind == FLOW_BRANCH && (what[n] & FLOW_READ))
                now = true;
            if (now && !live[before(n)])
                again = live[before(n)] = true;
        }
    }
}

/* Appends a copy of a node of `from` to `to`, calls as sequences; origin: by position of `to`. */
static void expand(const struct flow *from, uint32_t position, struct flow *to, positions *origin)
{
    const struct flow_node *node = &from->nodes.data[position];
    *vec_push(origin) = position;
    if (node->kind == FLOW_LEAF) {
        flow_leaf(to);
        return;
    }
    uint32_t copy = flow_open(to, node->kind == FLOW_CALL ? FLOW_SEQUENCE : (enum flow_kind)node->kind);
    to->nodes.data[copy].open = node->open;
    if (node->kind == FLOW_CALL)
        expand(from, node->callee, to, origin);
    else
        for (uint32_t child = position + 1; child <= node->last; child = from->nodes.data[child].last + 1)
            expand(from, child, to, origin);
    flow_close(to);
}

static bool covered(const struct flow *flow, uint32_t position)
{
    for (size_t i = 0; i < flow->spans.count; ++i)
        if (flow->spans.data[i].first <= position && position <= flow->spans.data[i].last)
            return true;
    return false;
}

/* ---- random programs ---- */

static uint64_t seed;
static uint32_t random_below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static void random_tree(struct flow *flow, int depth, positions *calls)
{
    uint32_t pick = random_below(depth > 0 ? 12 : 4);
    if (pick < 4) {
        if (pick == 3)
            *vec_push(calls) = flow_call(flow);
        else
            flow_leaf(flow);
        return;
    }
    static const uint8_t kinds[] = { FLOW_SEQUENCE, FLOW_SEQUENCE, FLOW_SEQUENCE, FLOW_LOOP,
                                     FLOW_SKIP,     FLOW_WHILE,    FLOW_BRANCH,   FLOW_BRANCH };
    enum flow_kind kind = kinds[pick - 4];
    uint32_t position = flow_open(flow, kind), children = kind == FLOW_SEQUENCE ? random_below(6)
                                                          : kind == FLOW_WHILE  ? 2
                                                          : kind == FLOW_BRANCH ? random_below(4)
                                                                                : 1;
    if (kind == FLOW_BRANCH)
        flow->nodes.data[position].open = !children || random_below(2);
    for (uint32_t i = 0; i < children; ++i)
        random_tree(flow, depth - 1, calls);
    flow_close(flow);
}

static void random_root(struct flow *flow, positions *roots, positions *calls)
{
    *vec_push(roots) = (uint32_t)flow->nodes.count;
    flow->open = FLOW_NONE;
    flow_open(flow, FLOW_SEQUENCE);
    for (uint32_t i = 0, count = 1 + random_below(4); i < count; ++i)
        random_tree(flow, 4, calls);
    flow_close(flow);
}

static void random_flow(struct flow *flow)
{
    positions roots = { 0 }, calls = { 0 };
    uint32_t controls = 1 + random_below(2), functions = 1 + random_below(3);
    for (uint32_t i = 0; i < controls + functions; ++i) {
        random_root(flow, &roots, &calls);
        if (i < controls)
            *vec_push(&flow->controls) = roots.data[i];
    }
    for (size_t i = 0; i < calls.count; ++i) { /* functions are called by earlier ones only; the last one calls none */
        uint32_t first = controls;
        while (first < roots.count && roots.data[first] <= calls.data[i])
            ++first;
        if (first == roots.count)
            flow->nodes.data[calls.data[i]].kind = FLOW_LEAF;
        else
            flow->nodes.data[calls.data[i]].callee = roots.data[first + random_below((uint32_t)roots.count - first)];
    }
    flow_ready(flow);
    vec_free(&roots);
    vec_free(&calls);
}

static bool all_called(const struct flow *flow)
{
    uint32_t controls = (uint32_t)flow->controls.count, roots = 0;
    for (uint32_t n = 0; n < flow->nodes.count; ++n)
        if (flow->nodes.data[n].parent == FLOW_NONE && roots++ >= controls && flow->first_call[n] == FLOW_NONE)
            return false;
    return true;
}

static uint8_t random_event(const struct flow_node *node)
{
    static const uint8_t kinds[] = { FLOW_READ, FLOW_WRITE, FLOW_WRITE | FLOW_KILL, FLOW_WRITE | FLOW_KILL, FLOW_KILL };
    if (random_below(6))
        return 0;
    if (node->kind == FLOW_LEAF)
        return kinds[random_below(5)];
    return (node->kind == FLOW_WHILE || node->kind == FLOW_BRANCH) && node->children ? FLOW_READ : 0;
}

static void check_random(struct flow *flow, const struct flow *expanded, const positions *origin)
{
    uint32_t count = (uint32_t)flow->nodes.count, points = (uint32_t)expanded->nodes.count;
    struct plain p = { .flow = expanded };
    VEC(struct flow_event) events = { 0 };
    uint8_t *what = mem_zero(count, 1), *what_there = mem_zero(points, 1);
    bool *live = mem_zero(2 * points, sizeof(*live)), *wanted = mem_zero(count, sizeof(*wanted));
    for (uint32_t n = 0; n < count; ++n)
        if ((what[n] = random_event(&flow->nodes.data[n])))
            *vec_push(&events) = (struct flow_event){ n, what[n] };
    for (uint32_t n = 0; n < points; ++n) {
        what_there[n] = what[origin->data[n]];
        if (expanded->nodes.data[n].kind != FLOW_LEAF)
            link_children(&p, n);
    }
    plain_solve(&p, what_there, live);
    flow_solve(flow, events.data, events.count);
    for (uint32_t n = 0; n < points; ++n)
        wanted[origin->data[n]] |= live[before(n)] || live[after(n)] || (what_there[n] & (FLOW_READ | FLOW_WRITE));
    for (uint32_t n = 0; n < count; ++n)
        if (flow->nodes.data[n].kind == FLOW_LEAF && covered(flow, n) != wanted[n])
            fail_msg("position %u of %u: %s", n, count, wanted[n] ? "is live" : "is not live");
    for (size_t i = 1; i < flow->spans.count; ++i)
        assert_true(flow->spans.data[i - 1].last + 1 < flow->spans.data[i].first);
    vec_free(&p.edges);
    vec_free(&events);
    free(what);
    free(what_there);
    free(live);
    free(wanted);
}

static void test_random_programs(void **state)
{
    (void)state;
    uint32_t checked = 0;
    for (uint32_t round = 0; round < 400; ++round) {
        struct flow flow = { 0 }, expanded = { 0 };
        positions origin = { 0 };
        seed = round * 77 + 5;
        random_flow(&flow);
        for (size_t i = 0; all_called(&flow) && i < flow.controls.count; ++i) {
            *vec_push(&expanded.controls) = (uint32_t)expanded.nodes.count;
            expanded.open = FLOW_NONE;
            expand(&flow, flow.controls.data[i], &expanded, &origin);
        }
        for (int variable = 0; expanded.nodes.count && expanded.nodes.count < 2000 && variable < 10;
             ++variable, ++checked)
            check_random(&flow, &expanded, &origin);
        flow_free(&flow);
        flow_free(&expanded);
        vec_free(&origin);
    }
    assert_true(checked > 200);
}

static void spans_are(struct flow *flow, const struct flow_event *events, size_t count, const struct flow_span *spans,
                      size_t wanted)
{
    flow_solve(flow, events, count);
    assert_int_equal(flow->spans.count, wanted);
    for (size_t i = 0; i < wanted; ++i) {
        assert_int_equal(flow->spans.data[i].first, spans[i].first);
        assert_int_equal(flow->spans.data[i].last, spans[i].last);
    }
}

/* A value that is written before a loop and read in it is live to the loop's end; one that each iteration writes first
 * is not. */
static void test_loop(void **state)
{
    (void)state;
    struct flow flow = { 0 };
    *vec_push(&flow.controls) = flow_open(&flow, FLOW_SEQUENCE); /* 0 */
    flow_leaf(&flow);                                            /* 1 */
    flow_open(&flow, FLOW_LOOP);                                 /* 2 */
    flow_open(&flow, FLOW_SEQUENCE);                             /* 3 */
    for (int i = 0; i < 3; ++i)
        flow_leaf(&flow); /* 4, 5, 6 */
    flow_close(&flow);
    flow_close(&flow);
    flow_leaf(&flow); /* 7 */
    flow_close(&flow);
    flow_ready(&flow);
    spans_are(&flow, (struct flow_event[]){ { 1, FLOW_WRITE | FLOW_KILL }, { 5, FLOW_READ } }, 2,
              (struct flow_span[]){ { 1, 6 } }, 1);
    spans_are(&flow, (struct flow_event[]){ { 4, FLOW_WRITE | FLOW_KILL }, { 5, FLOW_READ } }, 2,
              (struct flow_span[]){ { 4, 5 } }, 1);
    spans_are(&flow, (struct flow_event[]){ { 6, FLOW_WRITE | FLOW_KILL }, { 4, FLOW_READ } }, 2,
              (struct flow_span[]){ { 0, 4 }, { 6, 7 } }, 2);
    flow_free(&flow);
}

/* A function's own variable is live only in it; a variable that is live across a call is live in all of the function.
 */
static void test_function(void **state)
{
    (void)state;
    struct flow flow = { 0 };
    *vec_push(&flow.controls) = flow_open(&flow, FLOW_SEQUENCE); /* 0 */
    flow_leaf(&flow);                                            /* 1 */
    uint32_t call = flow_call(&flow);                            /* 2 */
    flow_leaf(&flow);                                            /* 3 */
    uint32_t again = flow_call(&flow);                           /* 4 */
    flow_close(&flow);
    flow.open = FLOW_NONE;
    uint32_t function = flow_open(&flow, FLOW_SEQUENCE); /* 5 */
    flow_leaf(&flow);                                    /* 6 */
    flow_leaf(&flow);                                    /* 7 */
    flow_close(&flow);
    flow.nodes.data[call].callee = flow.nodes.data[again].callee = function;
    flow_ready(&flow);
    spans_are(&flow, (struct flow_event[]){ { 6, FLOW_WRITE | FLOW_KILL }, { 7, FLOW_READ } }, 2,
              (struct flow_span[]){ { 6, 7 } }, 1);
    spans_are(&flow, (struct flow_event[]){ { 1, FLOW_WRITE | FLOW_KILL }, { 3, FLOW_READ } }, 2,
              (struct flow_span[]){ { 1, 3 }, { 5, 7 } }, 2);
    spans_are(&flow, (struct flow_event[]){ { 6, FLOW_READ }, { 7, FLOW_WRITE | FLOW_KILL } }, 2,
              (struct flow_span[]){ { 0, 7 } }, 1);
    flow_free(&flow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_function),
        cmocka_unit_test(test_random_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
