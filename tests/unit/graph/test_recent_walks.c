/* SPDX-License-Identifier: Apache-2.0 */
/* Views of many pieces are walked over once: what is kept of a walk must be what the next walk would find. */
#include "graph/store/store.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"

#include <poplar/poplar.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { PARTS = 200, LENGTH = 4, ELEMENTS = PARTS * LENGTH };

struct collected {
    size_t count, pieces, stop; /* stop: after so many pieces, 0: never */
    pop_tensor nested;          /* is walked over at each piece, if it is valid */
    uint64_t places[2 * ELEMENTS];
};

static bool collect_run(const struct run *run, void *context)
{
    struct collected *to = context;
    for (uint64_t i = 0; i < run->count; ++i) {
        assert_true(to->count < 2 * ELEMENTS);
        to->places[to->count++] = (uint64_t)run->variable << 32 | (run->offset + i);
    }
    return true;
}

static bool count_only(const struct piece *piece, void *context)
{
    *(uint64_t *)context += piece->elements;
    return true;
}

static bool collect_piece(const struct piece *piece, void *context)
{
    struct collected *to = context;
    uint64_t elements = 0;
    piece_each_run(piece, collect_run, to);
    if (pop_tensor_valid(to->nested)) {
        assert_true(tensor_each_piece(to->nested, count_only, &elements));
        assert_int_equal(elements, pop_tensor_num_elements(to->nested));
    }
    return ++to->pieces != to->stop;
}

/* What a walk finds, one element after the other: views of one element are never kept. */
static void check_walk(pop_tensor t, const struct collected *found)
{
    pop_tensor flat = pop_tensor_flatten(t);
    assert_int_equal(found->count, pop_tensor_num_elements(flat));
    for (size_t i = 0; i < found->count; ++i) {
        struct run run;
        assert_true(tensor_single_run(pop_tensor_slice(flat, i, i + 1, 0), &run));
        assert_int_equal(found->places[i], (uint64_t)run.variable << 32 | run.offset);
    }
}

static bool is_kept(pop_tensor t)
{
    struct flat flat;
    tensor_flat(t, &flat);
    return recent_walk_find(t.store, &flat.piece) != NULL;
}

static void walk(pop_tensor t, pop_tensor nested)
{
    struct collected found = { .nested = nested };
    assert_true(tensor_each_piece(t, collect_piece, &found));
    check_walk(t, &found);
}

/* Parts of a view that was walked over: pieces are cut, and found from the last one on or from the beginning. */
static void walk_parts(pop_tensor t)
{
    struct collected whole = { 0 }, part;
    size_t elements = pop_tensor_num_elements(t);
    tensor_each_piece(t, collect_piece, &whole);
    for (unsigned i = 0; i < 300; ++i) {
        size_t begin = i * 37 % elements, end = begin + 1 + i * i % 61;
        end = end < elements ? end : elements;
        part.count = 0;
        assert_true(tensor_each_run_in(t, begin, end, collect_run, &part));
        assert_int_equal(part.count, end - begin);
        assert_memory_equal(part.places, whole.places + begin, (end - begin) * sizeof(*part.places));
    }
}

static int set_up(void **state)
{
    pop_target target = pop_target_create_cpu(false, 1);
    *state = pop_graph_create(&target);
    return 0;
}

static int tear_down(void **state)
{
    pop_graph_destroy(*state);
    return 0;
}

/* Pieces of LENGTH elements (every step-th one) in an order of no pattern. */
static pop_tensor pieces_of(pop_graph *graph, unsigned seed)
{
    pop_tensor parts[PARTS], t = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(PARTS, LENGTH, 2), "v");
    for (unsigned i = 0; i < PARTS; ++i) {
        unsigned row = (i * i * 7 + seed * (i % 13) + seed) % PARTS;
        pop_tensor part = pop_tensor_at(t, row);
        part = pop_tensor_at(pop_tensor_dim_roll(part, 1, 0), i % 2);
        parts[i] = i % 3 ? part : pop_tensor_reverse(part, 0);
    }
    return pop_tensor_concat((pop_tensors){ PARTS, parts }, 0);
}

static void walks_are_kept(void **state)
{
    pop_tensor none = { 0 }, t = pieces_of(*state, 1), turned = pop_tensor_reshape(t, POP_SHAPE(PARTS, LENGTH));
    walk(t, none);
    assert_true(is_kept(t));
    walk(t, none);
    turned = pop_tensor_flatten(pop_tensor_transpose(turned)); /* of the same composite */
    walk(turned, none);
    walk(turned, none);
    walk(t, none);
    assert_true(is_kept(t) && is_kept(turned));
    pop_tensor part = pop_tensor_slice(t, 5, ELEMENTS - 5, 0); /* other offset, other extent */
    walk(part, none);
    walk(part, none);
    walk_parts(t);
    walk_parts(turned);
    walk_parts(part);
    assert_true(is_kept(t) && is_kept(turned) && is_kept(part));
}

/* Pieces of several digits, which parts begin and end inside of. */
static void parts_of_strided_pieces_are_found(void **state)
{
    enum { BLOCKS = 140 };
    pop_tensor none = { 0 }, parts[BLOCKS], v[BLOCKS];
    for (unsigned i = 0; i < BLOCKS; ++i) {
        v[i] = pop_graph_add_variable(*state, POP_FLOAT, POP_SHAPE(3, 4, 2), "v");
        parts[i] = pop_tensor_at(pop_tensor_dim_shuffle(v[i], POP_DIMS(2, 1, 0)), i % 2);
        parts[i] = pop_tensor_flatten(pop_tensor_slice(parts[i], i % 2, 4, 0));
    }
    pop_tensor t = pop_tensor_concat((pop_tensors){ BLOCKS, parts }, 0);
    walk(t, none);
    assert_true(is_kept(t));
    walk_parts(t);
}

static void small_and_broken_walks_are_not(void **state)
{
    pop_tensor none = { 0 }, t = pieces_of(*state, 2);
    struct collected found = { .stop = PARTS / 2 };
    assert_false(tensor_each_piece(t, collect_piece, &found));
    assert_false(is_kept(t));
    pop_tensor v = pop_graph_add_variable(*state, POP_FLOAT, POP_SHAPE(ELEMENTS), "v");
    pop_tensor parts[] = { pop_tensor_slice(v, 500, 800, 0), pop_tensor_slice(v, 0, 300, 0),
                           pop_tensor_slice(v, 320, 490, 0) };
    pop_tensor few = pop_tensor_concat((pop_tensors){ 3, parts }, 0);
    walk(few, none);
    assert_false(is_kept(few));
    walk(t, none);
    found = (struct collected){ .stop = PARTS / 2 };
    assert_false(tensor_each_piece(t, collect_piece, &found)); /* a kept walk can be left, too */
    walk(t, none);
}

/* 300,000 pieces of one element are too many; after a thousand that is known. */
static void large_walks_are_not(void **state)
{
    enum { WIDE = 150000 };
    pop_tensor parts[2];
    for (unsigned i = 0; i < 2; ++i)
        parts[i] = pop_graph_add_variable(*state, POP_FLOAT, POP_SHAPE(1, WIDE), "v");
    pop_tensor t = pop_tensor_flatten(pop_tensor_transpose(pop_tensor_concat((pop_tensors){ 2, parts }, 0)));
    for (unsigned i = 0; i < 2; ++i) {
        uint64_t elements = 0;
        assert_true(tensor_each_piece(t, count_only, &elements));
        assert_int_equal(elements, 2 * WIDE);
        assert_false(is_kept(t));
    }
    pop_tensor part = pop_tensor_slice(t, 0, 200000, 0);
    uint64_t elements = 0;
    assert_true(tensor_each_piece(part, count_only, &elements));
    assert_true(is_kept(part));
}

/* More views than are kept, and walks inside of walks, of the same view and of others. */
static void older_walks_are_replaced(void **state)
{
    enum { VIEWS = 11 };
    pop_tensor none = { 0 }, t[VIEWS];
    for (unsigned i = 0; i < VIEWS; ++i)
        walk(t[i] = pieces_of(*state, i), none);
    assert_false(is_kept(t[0]));
    assert_true(is_kept(t[VIEWS - 1]));
    for (unsigned i = 0; i < VIEWS; ++i) {
        walk(t[i], t[(i + 3) % VIEWS]);
        walk(t[i], t[i]);
    }
}

/* A concatenation may add to its first operand's composite, and a release takes the addition back. */
static void composites_that_grow_are_walked_again(void **state)
{
    pop_graph *graph = *state;
    pop_tensor none = { 0 }, t = pieces_of(graph, 5), other = pieces_of(graph, 6);
    walk(t, none);
    pop_mark mark = pop_graph_mark(graph);
    pop_tensor longer = pop_tensor_concat((pop_tensors){ 2, (pop_tensor[]){ t, other } }, 0);
    walk(longer, none);
    walk(t, none);
    pop_graph_release(graph, mark);
    longer = pop_tensor_concat((pop_tensors){ 2, (pop_tensor[]){ t, pieces_of(graph, 7) } }, 0);
    walk(longer, none);
    walk(longer, none);
    walk(t, none);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(walks_are_kept),      TEST(parts_of_strided_pieces_are_found), TEST(small_and_broken_walks_are_not),
        TEST(large_walks_are_not), TEST(older_walks_are_replaced),          TEST(composites_that_grow_are_walked_again)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
