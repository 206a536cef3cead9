/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of a graph send what they send in a graph of their own, whether or not other layers send the same. */
#include "compiler/exchange/same_steps.h"
#include "fixture.h"

#include <stdlib.h>

enum { TILES = 64, VERTICES = 24, ELEMENTS = 8 * VERTICES };

/* One change each to a layer that is plain otherwise. */
enum change {
    PLAIN,
    TILE,
    MAPPING,
    OFFSET,
    LENGTH,
    GATHERED,
    ELSEWHERE,
    ONE_SOURCE,
    OTHER_SOURCE,
    TWICE,
    SHIFTED_COPY,
    CHANGES
};

static pop_tensor spread(struct fixture *f, unsigned shift, const char *name)
{
    pop_tensor t = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(ELEMENTS), name);
    for (unsigned i = 0; i < VERTICES; ++i)
        pop_graph_set_tile_mapping(f->graph, pop_tensor_slice(t, 8 * i, 8 * i + 8, 0), (i * 5 + shift) % TILES);
    return t;
}

/* Vertices that read an element more than one tile has, in turn of two tensors; then a copy of what they write. */
static void add_layer(struct fixture *f, enum change change, unsigned index, pop_program sequence)
{
    char name[32];
    snprintf(name, sizeof(name), "layer%u", index);
    pop_compute_set set = pop_graph_add_compute_set(f->graph, name);
    pop_tensor a = spread(f, 0, "a"), b = spread(f, 0, "b"), out = spread(f, 2, "out"),
               to = spread(f, change == MAPPING ? 4 : 3, "to");
    for (unsigned i = 0; i < VERTICES; ++i) {
        unsigned begin = 8 * i / 2 + (change == OFFSET && i == 7), end = begin + 9 + (change == LENGTH && i == 3);
        bool other = i % 2 && change != ONE_SOURCE && !(change == OTHER_SOURCE && i == 9);
        pop_tensor source = other ? b : a, in = pop_tensor_slice(source, begin, end, 0);
        size_t more = change == ELSEWHERE ? 140 : 100;
        if ((change == GATHERED || change == ELSEWHERE) && i == 5)
            in = pop_tensor_concat(POP_TENSORS(in, pop_tensor_slice(source, more, more + 3, 0)), 0);
        in_out(f, set, "Map", (i * 5 + 2 + (change == TILE && i == 11)) % TILES, in,
               pop_tensor_slice(out, 8 * i, 8 * i + 8, 0));
        if (change == TWICE && i == 9)
            pop_graph_connect(f->graph, vertex(f, set, "Sink", 51, 10), "in", in);
    }
    pop_sequence_add(sequence, pop_execute(set, NULL));
    pop_tensor from =
        change == SHIFTED_COPY
            ? pop_tensor_concat(POP_TENSORS(pop_tensor_slice(out, 1, ELEMENTS, 0), pop_tensor_slice(out, 0, 1, 0)), 0)
            : out;
    pop_sequence_add(sequence, pop_copy(from, to, false, name));
}

static void compare(const struct model *alone, size_t i, const struct model *all, size_t k)
{
    assert_true(k < all->exchanges.count);
    const struct model_exchange *x = &alone->exchanges.data[i], *y = &all->exchanges.data[k];
    assert_int_equal(x->flows, y->flows);
    assert_memory_equal(x->instructions, y->instructions, sizeof(x->instructions));
    assert_memory_equal(&alone->flows.data[x->first_flow], &all->flows.data[y->first_flow],
                        x->flows * sizeof(*alone->flows.data));
}

/* The model has the exchanges of sets first, then those of copies. */
static void test_as_alone(void **state)
{
    (void)state;
    static const enum change layers[] = {
        PLAIN, PLAIN,   TILE,         MAPPING,    GATHERED,     OFFSET,       PLAIN,  LENGTH,
        TILE,  TWICE,   ONE_SOURCE,   TWICE,      LENGTH,       SHIFTED_COPY, OFFSET, GATHERED,
        PLAIN, MAPPING, SHIFTED_COPY, ONE_SOURCE, OTHER_SOURCE, ELSEWHERE,    PLAIN,  OTHER_SOURCE
    };
    enum { LAYERS = sizeof(layers) / sizeof(layers[0]) };
    struct fixture all;
    begin(&all);
    pop_program sequence = pop_sequence(all.graph, "all");
    for (unsigned i = 0; i < LAYERS; ++i)
        add_layer(&all, layers[i], i, sequence);
    compiled(&all, sequence);
    size_t set = 0, copy = all.image->model.exchanges.count - LAYERS;
    for (unsigned i = 0; i < LAYERS; ++i) {
        struct fixture alone;
        begin(&alone);
        sequence = pop_sequence(alone.graph, "alone");
        add_layer(&alone, layers[i], i, sequence);
        compiled(&alone, sequence);
        size_t last = alone.image->model.exchanges.count - 1;
        assert_true(last >= 1 && last < SIZE_MAX);
        for (size_t k = 0; k < last; ++k)
            compare(&alone.image->model, k, &all.image->model, set++);
        compare(&alone.image->model, last, &all.image->model, copy++);
        end(&alone);
    }
    assert_int_equal(set, all.image->model.exchanges.count - LAYERS);
    end(&all);
}

static void test_first_of_equal_keys(void **state)
{
    (void)state;
    static const struct step_key keys[] = { { 5, 1 }, { 0, 0 }, { 5, 2 }, { 5, 1 },
                                            { 0, 0 }, { 0, 2 }, { 5, 1 }, { 0, 2 } };
    static const uint32_t expected[] = { 0, 1, 2, 0, 4, 5, 0, 5 };
    uint32_t first[8];
    same_steps_find(keys, 8, first);
    assert_memory_equal(first, expected, sizeof(first));
    same_steps_find(keys, 0, first);
}

/* A key does not depend on which variables a copy names, but on whether they are the same, and on where they are. */
static void test_keys_of_copies(void **state)
{
    (void)state;
    struct fixture f;
    struct order_result order = { 0 };
    struct step_key keys[4];
    begin(&f);
    pop_tensor a = spread(&f, 0, "a"), b = spread(&f, 0, "b"), c = spread(&f, 0, "c"), d = spread(&f, 9, "d");
    pop_tensor sources[4] = { pop_tensor_concat(POP_TENSORS(a, b), 0), pop_tensor_concat(POP_TENSORS(c, a), 0),
                              pop_tensor_concat(POP_TENSORS(a, a), 0), pop_tensor_concat(POP_TENSORS(a, d), 0) };
    pop_tensor to = variable(&f, 2 * ELEMENTS, 1, "to");
    pop_program sequence = pop_sequence(f.graph, "copies");
    for (int i = 0; i < 4; ++i)
        pop_sequence_add(sequence, pop_copy(sources[i], to, false, "copy"));
    compiled(&f, sequence);
    struct step_describer describer;
    step_describer_init(&describer, f.graph->store, &order);
    int found = 0;
    for (size_t i = 0; i < f.graph->store->programs.count; ++i)
        if (f.graph->store->programs.data[i]->kind == PROGRAM_COPY)
            keys[found++] = step_key_of_copy(&describer, f.graph->store->programs.data[i]);
    step_describer_free(&describer);
    assert_int_equal(found, 4);
    assert_memory_equal(&keys[0], &keys[1], sizeof(keys[0]));
    assert_memory_not_equal(&keys[0], &keys[2], sizeof(keys[0]));
    assert_memory_not_equal(&keys[0], &keys[3], sizeof(keys[0]));
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_as_alone), cmocka_unit_test(test_first_of_equal_keys),
                                        cmocka_unit_test(test_keys_of_copies) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
