/* SPDX-License-Identifier: Apache-2.0 */
/* Clones compared with the documented order of each method, element by element. */
#include "graph/graph.h"
#include "graph/store/store.h"
#include "graph/view/view.h"

#include <poplar/poplar.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { LARGEST = 1000, TILES = 7 };

struct element {
    uint32_t variable, tile;
    uint64_t at;
};
struct elements {
    pop_store *store;
    size_t count;
    struct element list[LARGEST];
};

static bool collect(const struct run *run, void *context)
{
    struct elements *e = context;
    struct tile_map *map = &e->store->variables.data[run->variable].map;
    tile_map_compact(map);
    for (uint64_t i = 0; i < run->count; ++i) {
        size_t cursor = 0;
        assert_true(e->count < LARGEST);
        e->list[e->count++] =
            (struct element){ run->variable, tile_map_find(map, run->offset + i, &cursor), run->offset + i };
    }
    return true;
}

static struct elements *elements_of(pop_tensor t)
{
    struct elements *e = MEM_NEW(struct elements);
    e->store = t.store;
    tensor_each_run(t, collect, e);
    assert_int_equal(e->count, pop_tensor_num_elements(t));
    return e;
}

static int in_memory(const void *a, const void *b)
{
    const struct element *x = a, *y = b;
    if (x->variable != y->variable)
        return x->variable < y->variable ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int by_tile(const void *a, const void *b)
{
    const struct element *x = a, *y = b;
    if (x->tile != y->tile)
        return x->tile < y->tile ? -1 : 1;
    return in_memory(a, b);
}

/* The position that the method gives element i: its index in sorted order, each index once. */
static size_t expected(const struct elements *e, pop_clone_method method, bool aliases, size_t *order)
{
    struct element sorted[LARGEST];
    int (*compare)(const void *, const void *) =
        method == POP_CLONE_GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES ? by_tile : in_memory;
    if (method == POP_CLONE_CREATE_NEW_ORDER || (method == POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES && aliases)) {
        for (size_t i = 0; i < e->count; ++i)
            order[i] = i;
        return e->count;
    }
    size_t kept = 0;
    memcpy(sorted, e->list, e->count * sizeof(*sorted));
    if (e->count)
        qsort(sorted, e->count, sizeof(*sorted), compare);
    for (size_t i = 0; i < e->count; ++i)
        if (!kept || compare(&sorted[kept - 1], &sorted[i]))
            sorted[kept++] = sorted[i];
    for (size_t i = 0; i < e->count; ++i)
        order[i] = (size_t)((struct element *)bsearch(&e->list[i], sorted, kept, sizeof(*sorted), compare) - sorted);
    return kept;
}

static void assert_shape(pop_tensor clone, pop_tensor t, bool outer, size_t n)
{
    assert_int_equal(pop_tensor_rank(clone), pop_tensor_rank(t) + outer);
    if (outer)
        assert_int_equal(pop_tensor_dim(clone, 0), n);
    for (size_t i = 0; i < pop_tensor_rank(t); ++i)
        assert_int_equal(pop_tensor_dim(clone, i + outer), pop_tensor_dim(t, i));
}

static void check_clone(pop_graph *graph, pop_tensor t, pop_clone_method method)
{
    size_t order[LARGEST], before = pop_graph_num_variables(graph);
    struct elements *from = elements_of(t);
    size_t kept = expected(from, method, pop_tensor_contains_aliases(t), order);
    pop_tensor clone = pop_graph_clone(graph, POP_TYPE_NULL, t, method, "clone");
    assert_null(pop_graph_error(graph));
    assert_int_equal(pop_graph_num_variables(graph), before + 1);
    assert_int_equal(pop_tensor_type(clone), pop_tensor_type(t));
    assert_shape(clone, t, false, 1);
    struct elements *to = elements_of(clone);
    assert_int_equal(t.store->variables.data[before].elements, kept);
    for (size_t i = 0; i < from->count; ++i) {
        assert_int_equal(to->list[i].variable, before);
        assert_int_equal(to->list[i].at, order[i]);
        if (method != POP_CLONE_CREATE_NEW_ORDER || from->count == kept)
            assert_int_equal(to->list[i].tile, from->list[i].tile);
    }
    free(from);
    free(to);
}

static void check_clone_n(pop_graph *graph, pop_tensor t, size_t n, pop_clone_method method,
                          pop_clone_duplication duplication)
{
    size_t order[LARGEST], before = pop_graph_num_variables(graph);
    struct elements *from = elements_of(t);
    size_t kept = expected(from, method, pop_tensor_contains_aliases(t), order);
    pop_tensor clone = pop_graph_clone_n(graph, POP_HALF, t, n, method, duplication, "clones");
    assert_null(pop_graph_error(graph));
    assert_int_equal(pop_tensor_type(clone), POP_HALF);
    assert_shape(clone, t, true, n);
    uint32_t tile[LARGEST]; /* of each element of one clone */
    for (size_t i = 0; i < from->count; ++i)
        tile[order[i]] = from->list[i].tile;
    struct elements *to = elements_of(clone);
    for (size_t i = 0; i < to->count; ++i) {
        size_t copy = i / from->count, at = order[i % from->count], want = copy * kept + at;
        if (duplication == POP_DUPLICATE_BY_TILE_CONTIGUOUS_REGION) {
            size_t begin = at, end = at + 1;
            while (begin && tile[begin - 1] == tile[at])
                --begin;
            while (end < kept && tile[end] == tile[at])
                ++end;
            want = n * begin + copy * (end - begin) + at - begin;
        }
        assert_int_equal(to->list[i].variable, before);
        assert_int_equal(to->list[i].at, want);
        assert_int_equal(to->list[i].tile, tile[at]);
    }
    free(from);
    free(to);
}

static pop_graph *new_graph(void)
{
    pop_target target;
    assert_int_equal(pop_target_create_ipu(1, "ipu1", &target, NULL), POP_OK);
    return pop_graph_create(&target);
}

static pop_tensor mapped(pop_graph *graph, pop_shape shape, size_t grain, unsigned shift)
{
    pop_tensor t = pop_graph_add_variable(graph, POP_FLOAT, shape, "v"), flat = pop_tensor_flatten(t);
    size_t count = pop_tensor_num_elements(t);
    for (size_t i = 0; i < count; i += grain)
        pop_graph_set_tile_mapping(graph, pop_tensor_slice(flat, i, i + grain < count ? i + grain : count, 0),
                                   (unsigned)((i / grain * 3 + shift) % TILES));
    return t;
}

/* Views with many kinds of memory layout. */
static size_t make_views(pop_graph *g, pop_tensor *view)
{
    pop_tensor a = mapped(g, POP_SHAPE(6, 10), 7, 1), b = mapped(g, POP_SHAPE(6, 4), 5, 2),
               c = mapped(g, POP_SHAPE(3, 5, 2), 4, 0);
    pop_tensor bare = pop_graph_add_variable(g, POP_FLOAT, POP_SHAPE(6, 3), "bare"), row = pop_tensor_at(a, 2);
    size_t n = 0;
    view[n++] = a;
    view[n++] = pop_tensor_at(row, 3);
    view[n++] = pop_tensor_slice(a, 0, 0, 1);
    view[n++] = pop_tensor_transpose(c);
    view[n++] = pop_tensor_reverse(pop_tensor_transpose(a), 1);
    view[n++] = pop_tensor_sub_sample(pop_tensor_slice(a, 1, 9, 1), 3, 1);
    view[n++] = pop_tensor_concat(POP_TENSORS(b, a), 1);
    view[n++] = pop_tensor_transpose(pop_tensor_concat(POP_TENSORS(a, bare, b), 1));
    view[n++] = pop_tensor_concat(POP_TENSORS(pop_tensor_slice(a, 6, 9, 1), b, pop_tensor_slice(a, 0, 3, 1)), 1);
    view[n++] = pop_tensor_broadcast(pop_tensor_slice(b, 1, 3, 1), 3, 0);
    view[n++] = pop_tensor_concat(POP_TENSORS(pop_tensor_slice(a, 0, 4, 0), pop_tensor_slice(a, 2, 6, 0)), 0);
    view[n++] = pop_tensor_upsample(pop_tensor_concat(POP_TENSORS(row, pop_tensor_flatten(b), row), 0), 2, 0,
                                    POP_UPSAMPLE_REPEAT);
    view[n++] =
        pop_tensor_reshape(pop_tensor_slice(pop_tensor_flatten(pop_tensor_transpose(a)), 5, 40, 0), POP_SHAPE(5, 7));
    view[n++] = pop_tensor_dim_shuffle(
        pop_tensor_reshape(pop_tensor_concat(POP_TENSORS(a, b), 1), POP_SHAPE(2, 3, 7, 2)), POP_DIMS(2, 0, 3, 1));
    return n;
}

static void clones_have_the_layout_of_the_method(void **state)
{
    (void)state;
    pop_graph *graph = new_graph();
    pop_tensor view[32];
    size_t count = make_views(graph, view);
    for (size_t i = 0; i < count; ++i)
        for (int method = 0; method <= POP_CLONE_GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES; ++method)
            check_clone(graph, view[i], (pop_clone_method)method);
    pop_graph_destroy(graph);
}

static void n_clones_have_an_outer_dimension(void **state)
{
    (void)state;
    pop_graph *graph = new_graph();
    pop_tensor view[32];
    size_t count = make_views(graph, view);
    for (size_t i = 0; i < count; ++i)
        for (int method = 0; method <= POP_CLONE_GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES; ++method)
            for (size_t n = 0; n < 4; ++n)
                if (n * pop_tensor_num_elements(view[i]) <= LARGEST && (method != POP_CLONE_CREATE_NEW_ORDER)) {
                    check_clone_n(graph, view[i], n, (pop_clone_method)method, POP_DUPLICATE_BY_OUTER_DIMENSION);
                    check_clone_n(graph, view[i], n, (pop_clone_method)method, POP_DUPLICATE_BY_TILE_CONTIGUOUS_REGION);
                }
    pop_graph_destroy(graph);
}

static void clones_of_large_views_cost_pieces(void **state)
{
    (void)state;
    pop_graph *graph = new_graph();
    pop_tensor big = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(10000, 10000), "big");
    pop_tensor more = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(10000, 3), "more");
    pop_graph_set_tile_mapping(graph, big, 3);
    size_t nodes = pop_graph_mark(graph).position;
    pop_tensor clone = pop_graph_clone(graph, POP_TYPE_NULL, pop_tensor_transpose(big),
                                       POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "clone");
    assert_true(pop_tensor_is_contiguous(pop_tensor_transpose(clone)));
    assert_int_equal(pop_graph_mark(graph).position, nodes);
    pop_tensor both = pop_tensor_concat(POP_TENSORS(more, big), 1);
    nodes = pop_graph_mark(graph).position;
    clone = pop_graph_clone(graph, POP_HALF, both, POP_CLONE_PRESERVE_ORDER_AND_ALIASES, "both");
    assert_true(pop_graph_mark(graph).position <= nodes + 2);
    assert_true(pop_tensor_is_contiguous(pop_tensor_slice(clone, 3, 10003, 1)));
    assert_true(pop_tensor_is_parallel_writeable(clone));
    pop_graph_destroy(graph);
}

static void expect(pop_graph *graph, pop_tensor result, pop_status status, const char *words)
{
    assert_false(pop_tensor_valid(result));
    assert_non_null(pop_graph_error(graph));
    assert_int_equal(pop_graph_error(graph)->status, status);
    assert_non_null(strstr(pop_graph_error(graph)->text, words));
    pop_graph_take_error(graph, NULL);
}

static void mistakes_are_reported(void **state)
{
    (void)state;
    pop_graph *graph = new_graph();
    pop_tensor t = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(4), "t"), null = { 0 };
    size_t variables = pop_graph_num_variables(graph);
    pop_clone_method keep = POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES;
    expect(graph, pop_graph_clone(graph, POP_FLOAT, null, keep, "n"), POP_TENSOR_CREATION_ERROR, "");
    expect(graph, pop_graph_clone(graph, POP_FLOAT, t, (pop_clone_method)9, "n"), POP_TENSOR_CREATION_ERROR,
           "9 is no clone method");
    expect(graph, pop_graph_clone(graph, POP_DOUBLE, t, keep, "n"), POP_TENSOR_CREATION_ERROR, "double");
    expect(graph, pop_graph_clone_n(graph, POP_FLOAT, t, 2, keep, (pop_clone_duplication)5, "n"),
           POP_TENSOR_CREATION_ERROR, "5 is no duplication method");
    expect(graph, pop_graph_clone_n(graph, POP_FLOAT, t, (size_t)1 << 62, keep, POP_DUPLICATE_BY_OUTER_DIMENSION, "n"),
           POP_TENSOR_CREATION_ERROR, "too many");
    assert_int_equal(pop_graph_num_variables(graph), variables);
    pop_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clones_have_the_layout_of_the_method),
        cmocka_unit_test(n_clones_have_an_outer_dimension),
        cmocka_unit_test(clones_of_large_views_cost_pieces),
        cmocka_unit_test(mistakes_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
