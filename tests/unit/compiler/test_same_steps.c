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
    BETWEEN, /* the copy is to the first IPU */
    CHANGES
};

/* From a tile on. */
static pop_tensor spread_from(struct fixture *f, unsigned first, unsigned shift, const char *name)
{
    pop_tensor t = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(ELEMENTS), name);
    for (unsigned i = 0; i < VERTICES; ++i)
        pop_graph_set_tile_mapping(f->graph, pop_tensor_slice(t, 8 * i, 8 * i + 8, 0), first + (i * 5 + shift) % TILES);
    return t;
}

static pop_tensor spread(struct fixture *f, unsigned shift, const char *name)
{
    return spread_from(f, 0, shift, name);
}

/* Vertices that read an element more than one tile has, in turn of two tensors; then a copy of what they write. */
static void add_layer_from(struct fixture *f, enum change change, unsigned first, unsigned index, pop_program sequence)
{
    char name[32];
    snprintf(name, sizeof(name), "layer%u", index);
    pop_compute_set set = pop_graph_add_compute_set(f->graph, name);
    pop_tensor a = spread_from(f, first, 0, "a"), b = spread_from(f, first, 0, "b"),
               out = spread_from(f, first, 2, "out"),
               to = spread_from(f, change == BETWEEN ? 0 : first, change == MAPPING ? 4 : 3, "to");
    for (unsigned i = 0; i < VERTICES; ++i) {
        unsigned begin = 8 * i / 2 + (change == OFFSET && i == 7), end = begin + 9 + (change == LENGTH && i == 3);
        bool other = i % 2 && change != ONE_SOURCE && !(change == OTHER_SOURCE && i == 9);
        pop_tensor source = other ? b : a, in = pop_tensor_slice(source, begin, end, 0);
        size_t more = change == ELSEWHERE ? 140 : 100;
        if ((change == GATHERED || change == ELSEWHERE) && i == 5)
            in = pop_tensor_concat(POP_TENSORS(in, pop_tensor_slice(source, more, more + 3, 0)), 0);
        in_out(f, set, "Map", first + (i * 5 + 2 + (change == TILE && i == 11)) % TILES, in,
               pop_tensor_slice(out, 8 * i, 8 * i + 8, 0));
        if (change == TWICE && i == 9)
            pop_graph_connect(f->graph, vertex(f, set, "Sink", first + 51, 10), "in", in);
    }
    pop_sequence_add(sequence, pop_execute(set, NULL));
    pop_tensor from =
        change == SHIFTED_COPY
            ? pop_tensor_concat(POP_TENSORS(pop_tensor_slice(out, 1, ELEMENTS, 0), pop_tensor_slice(out, 0, 1, 0)), 0)
            : out;
    pop_sequence_add(sequence, pop_copy(from, to, false, name));
}

static void add_layer(struct fixture *f, enum change change, unsigned index, pop_program sequence)
{
    add_layer_from(f, change, 0, index, sequence);
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

/* A copy whose pieces are in turn from two variables, which are in the store as the copy meets them or the other way
 * round. */
static void add_copy_of_two(struct fixture *f, bool reversed, pop_program sequence)
{
    enum { PIECES = 48, PIECE = 5 };
    const pop_shape shape = POP_SHAPE(PIECES / 2 * PIECE);
    pop_tensor first = pop_graph_add_variable(f->graph, POP_FLOAT, shape, "x"),
               second = pop_graph_add_variable(f->graph, POP_FLOAT, shape, "y"),
               to = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(PIECES * PIECE), "to"), pieces[PIECES];
    uint32_t random = 1;
    for (unsigned i = 0; i < PIECES; ++i) {
        unsigned at = i / 2 * PIECE;
        pieces[i] = pop_tensor_slice(reversed == (i % 2 == 0) ? second : first, at, at + PIECE, 0);
        random = random * 1664525 + 1013904223;
        pop_graph_set_tile_mapping(f->graph, pieces[i], (random >> 20) % 3);
        pop_graph_set_tile_mapping(f->graph, pop_tensor_slice(to, i * PIECE, (i + 1) * PIECE, 0),
                                   3 + (random >> 28) % 4);
    }
    pop_sequence_add(sequence, pop_copy(pop_tensor_concat((pop_tensors){ PIECES, pieces }, 0), to, false, "copy"));
}

static void test_order_of_variables(void **state)
{
    (void)state;
    struct fixture all, alone[2];
    begin(&all);
    pop_program sequence = pop_sequence(all.graph, "all");
    for (int i = 0; i < 4; ++i)
        add_copy_of_two(&all, i % 2, sequence);
    compiled(&all, sequence);
    for (int i = 0; i < 2; ++i) {
        begin(&alone[i]);
        sequence = pop_sequence(alone[i].graph, "alone");
        add_copy_of_two(&alone[i], i, sequence);
        compiled(&alone[i], sequence);
    }
    const struct model *one = &alone[0].image->model, *other = &alone[1].image->model;
    bool differ = one->flows.count != other->flows.count;
    assert_true(differ || memcmp(one->flows.data, other->flows.data, one->flows.count * sizeof(*one->flows.data)) != 0);
    for (size_t i = 0; i < 4; ++i)
        compare(&alone[i % 2].image->model, 0, &all.image->model, i);
    for (int i = 0; i < 2; ++i)
        end(&alone[i]);
    end(&all);
}

/* ---- several IPUs ---- */

enum { IPUS = 3 };

static void begin_ipus(struct fixture *f)
{
    pop_target target;
    memset(f, 0, sizeof(*f));
    assert_int_equal(pop_target_create_ipu(IPUS, "ipu1", &target, &f->error), POP_OK);
    target.type = POP_TARGET_IPU_MODEL;
    f->graph = pop_graph_create(&target);
    assert_true(store_add_module(f->graph->store, POP_HERE, "test", make_module()));
}

static bool names_equal(const struct image *a, uint32_t x, const struct image *b, uint32_t y)
{
    return strcmp(image_string(a, x), image_string(b, y)) == 0;
}

/* What an image has is in another one under the same names; returns how many exchanges and sets that is. */
static size_t is_in(const struct image *part, const struct image *all)
{
    const struct model *a = &part->model, *b = &all->model;
    size_t found = 0;
    for (size_t i = 0; i < a->exchanges.count; ++i)
        for (size_t k = 0; k < b->exchanges.count; ++k)
            if (names_equal(part, a->exchanges.data[i].name, all, b->exchanges.data[k].name)) {
                compare(a, i, b, k);
                ++found;
            }
    for (size_t i = 0; i < a->global_exchanges.count; ++i)
        for (size_t k = 0; k < b->global_exchanges.count; ++k) {
            const struct model_exchange *x = &a->global_exchanges.data[i], *y = &b->global_exchanges.data[k];
            if (!names_equal(part, x->name, all, y->name))
                continue;
            assert_int_equal(x->flows, y->flows);
            assert_memory_equal(&a->flows.data[x->first_flow], &b->flows.data[y->first_flow],
                                x->flows * sizeof(*a->flows.data));
            ++found;
        }
    for (size_t i = 0; i < a->sets.count; ++i)
        for (size_t k = 0; k < b->sets.count; ++k) {
            const struct model_set *x = &a->sets.data[i], *y = &b->sets.data[k];
            if (!names_equal(part, x->name, all, y->name))
                continue;
            assert_int_equal(x->parts, y->parts);
            assert_memory_equal(&a->parts.data[x->first_part], &b->parts.data[y->first_part],
                                x->parts * sizeof(*a->parts.data));
            ++found;
        }
    return found;
}

static size_t image_steps(const struct image *image)
{
    return image->model.exchanges.count + image->model.global_exchanges.count + image->model.sets.count;
}

/* Layers on several IPUs send what each of them sends alone. */
static void test_ipus(void **state)
{
    (void)state;
    static const struct {
        enum change change;
        unsigned ipu;
    } layers[] = { { GATHERED, 1 }, { GATHERED, 0 }, { GATHERED, 2 }, { GATHERED, 1 }, { BETWEEN, 1 },
                   { BETWEEN, 2 },  { TWICE, 2 },    { PLAIN, 0 },    { TWICE, 0 },    { BETWEEN, 1 } };
    enum { LAYERS = sizeof(layers) / sizeof(layers[0]) };
    struct fixture all;
    begin_ipus(&all);
    unsigned tiles = pop_graph_target(all.graph)->tiles_per_ipu;
    pop_program sequence = pop_sequence(all.graph, "all");
    for (unsigned i = 0; i < LAYERS; ++i)
        add_layer_from(&all, layers[i].change, layers[i].ipu * tiles, i, sequence);
    compiled(&all, sequence);
    size_t steps = 0;
    for (unsigned i = 0; i < LAYERS; ++i) {
        struct fixture alone;
        begin_ipus(&alone);
        sequence = pop_sequence(alone.graph, "alone");
        add_layer_from(&alone, layers[i].change, layers[i].ipu * tiles, i, sequence);
        compiled(&alone, sequence);
        assert_int_equal(is_in(alone.image, all.image), image_steps(alone.image));
        steps += image_steps(alone.image);
        end(&alone);
    }
    assert_int_equal(steps, image_steps(all.image));
    end(&all);
}

/* Copies within IPUs have one key, whichever IPU it is; those between IPUs only if they are between the same ones. */
static void test_keys_of_ipus(void **state)
{
    (void)state;
    struct fixture f;
    struct order_result order = { 0 };
    struct step_key keys[6];
    uint32_t tile[6];
    static const unsigned from[6] = { 1, 2, 0, 1, 2, 1 }, to[6] = { 1, 2, 0, 0, 1, 0 };
    begin_ipus(&f);
    unsigned tiles = pop_graph_target(f.graph)->tiles_per_ipu;
    pop_program sequence = pop_sequence(f.graph, "copies");
    for (int i = 0; i < 6; ++i)
        pop_sequence_add(sequence, pop_copy(spread_from(&f, from[i] * tiles, 0, "from"),
                                            spread_from(&f, to[i] * tiles, 3, "to"), false, "copy"));
    compiled(&f, sequence);
    struct step_describer describer;
    step_describer_init(&describer, f.graph->store, &order);
    int found = 0;
    for (size_t i = 0; i < f.graph->store->programs.count; ++i)
        if (f.graph->store->programs.data[i]->kind == PROGRAM_COPY) {
            keys[found] = step_key_of_copy(&describer, f.graph->store->programs.data[i], &tile[found]);
            ++found;
        }
    step_describer_free(&describer);
    assert_int_equal(found, 6);
    for (int i = 0; i < 6; ++i)
        assert_int_equal(tile[i], from[i] == to[i] ? from[i] * tiles : 0);
    assert_memory_equal(&keys[0], &keys[1], sizeof(keys[0]));
    assert_memory_equal(&keys[0], &keys[2], sizeof(keys[0]));
    assert_memory_not_equal(&keys[0], &keys[3], sizeof(keys[0]));
    assert_memory_not_equal(&keys[3], &keys[4], sizeof(keys[0]));
    assert_memory_equal(&keys[3], &keys[5], sizeof(keys[0]));
    end(&f);
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

/* A key does not depend on which variables a copy names, but on whether they are the same, on where they are and on
 * their order. */
static void test_keys_of_copies(void **state)
{
    (void)state;
    struct fixture f;
    struct order_result order = { 0 };
    struct step_key keys[5];
    uint32_t tile;
    begin(&f);
    pop_tensor a = spread(&f, 0, "a"), b = spread(&f, 0, "b"), c = spread(&f, 0, "c"), d = spread(&f, 9, "d");
    pop_tensor sources[5] = { pop_tensor_concat(POP_TENSORS(a, b), 0), pop_tensor_concat(POP_TENSORS(b, c), 0),
                              pop_tensor_concat(POP_TENSORS(a, a), 0), pop_tensor_concat(POP_TENSORS(a, d), 0),
                              pop_tensor_concat(POP_TENSORS(c, a), 0) };
    pop_tensor to = variable(&f, 2 * ELEMENTS, 1, "to");
    pop_program sequence = pop_sequence(f.graph, "copies");
    for (int i = 0; i < 5; ++i)
        pop_sequence_add(sequence, pop_copy(sources[i], to, false, "copy"));
    compiled(&f, sequence);
    struct step_describer describer;
    step_describer_init(&describer, f.graph->store, &order);
    int found = 0;
    for (size_t i = 0; i < f.graph->store->programs.count; ++i)
        if (f.graph->store->programs.data[i]->kind == PROGRAM_COPY)
            keys[found++] = step_key_of_copy(&describer, f.graph->store->programs.data[i], &tile);
    step_describer_free(&describer);
    assert_int_equal(found, 5);
    assert_memory_equal(&keys[0], &keys[1], sizeof(keys[0]));
    assert_memory_not_equal(&keys[0], &keys[2], sizeof(keys[0]));
    assert_memory_not_equal(&keys[0], &keys[3], sizeof(keys[0]));
    assert_memory_not_equal(&keys[0], &keys[4], sizeof(keys[0]));
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_alone),       cmocka_unit_test(test_first_of_equal_keys),
        cmocka_unit_test(test_keys_of_copies), cmocka_unit_test(test_order_of_variables),
        cmocka_unit_test(test_ipus),           cmocka_unit_test(test_keys_of_ipus)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
