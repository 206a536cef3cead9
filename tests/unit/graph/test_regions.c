/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted contiguous regions, orders that simplify, and tensors without their broadcast. */
#include "graph/store/store.h"
#include "graph/view/view.h"

#include <poplar/poplar.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { LARGEST = 512 };

struct element {
    uint32_t variable;
    uint64_t at;
};
struct elements {
    size_t count;
    struct element list[LARGEST];
};

static bool collect(const struct run *run, void *context)
{
    struct elements *e = context;
    for (uint64_t i = 0; i < run->count; ++i) {
        assert_true(e->count < LARGEST);
        e->list[e->count++] = (struct element){ run->variable, run->offset + i };
    }
    return true;
}

static struct elements elements_of(pop_tensor t)
{
    struct elements e = { 0 };
    tensor_each_run(t, collect, &e);
    return e;
}

static int compare(const void *a, const void *b)
{
    const struct element *x = a, *y = b;
    if (x->variable != y->variable)
        return x->variable < y->variable ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
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

static pop_tensor variable(pop_graph *graph, pop_shape shape)
{
    return pop_graph_add_variable(graph, POP_FLOAT, shape, "v");
}

/* Each group is one region, groups ascend, and together they hold the intervals' elements (each once, when aliases are
 * removed); each alias names an element of the groups that is the same. */
static void check_groups(pop_graph *graph, pop_tensor t, pop_interval_list intervals, bool remove_aliased)
{
    struct elements all = elements_of(t), wanted = { 0 }, got = { 0 };
    for (size_t i = 0; i < intervals.count; ++i)
        for (size_t k = intervals.list[i].begin; k < intervals.list[i].end; ++k)
            wanted.list[wanted.count++] = all.list[k];
    qsort(wanted.list, wanted.count, sizeof(*wanted.list), compare);
    struct elements sorted = wanted;
    if (remove_aliased) {
        size_t kept = 0;
        for (size_t i = 0; i < wanted.count; ++i)
            if (!kept || compare(&wanted.list[kept - 1], &wanted.list[i]))
                wanted.list[kept++] = wanted.list[i];
        wanted.count = kept;
    }
    size_t aliases[LARGEST];
    pop_interval_lists groups;
    assert_true(pop_graph_get_sorted_contiguous_regions(graph, t, intervals, remove_aliased, aliases, &groups));
    struct element before = { 0 };
    for (size_t g = 0; g < groups.count; ++g) {
        size_t begin = got.count;
        for (size_t i = groups.first[g]; i < groups.first[g + 1]; ++i)
            for (size_t k = groups.intervals[i].begin; k < groups.intervals[i].end; ++k) {
                struct element e = all.list[k];
                if (got.count > begin)
                    assert_true(e.variable == before.variable && e.at == before.at + 1);
                got.list[got.count++] = before = e;
            }
        assert_true(got.count > begin);
        if (begin && remove_aliased) /* sorted, and maximal */
            assert_true(compare(&got.list[begin - 1], &got.list[begin]) < 0 &&
                        !(got.list[begin - 1].variable == got.list[begin].variable &&
                          got.list[begin - 1].at + 1 == got.list[begin].at));
    }
    struct elements in_groups = got;
    if (!remove_aliased)
        qsort(got.list, got.count, sizeof(*got.list), compare);
    assert_int_equal(got.count, wanted.count);
    for (size_t i = 0; i < got.count; ++i)
        assert_true(compare(&got.list[i], &wanted.list[i]) == 0);
    size_t seen[LARGEST] = { 0 };
    for (size_t i = 0; i < sorted.count; ++i) {
        assert_true(aliases[i] < in_groups.count);
        ++seen[aliases[i]];
    }
    for (size_t i = 0; i < in_groups.count; ++i) { /* a representative counts for all its aliases */
        size_t same = 0;
        for (size_t k = 0; k < sorted.count; ++k)
            same += !compare(&sorted.list[k], &in_groups.list[i]);
        assert_true(seen[i] == same || (!remove_aliased && !seen[i]));
    }
    pop_interval_lists_free(&groups);
}

static void regions_come_in_the_order_of_memory(void **state)
{
    pop_graph *g = *state;
    pop_tensor a = variable(g, POP_SHAPE(5, 8)), b = variable(g, POP_SHAPE(13)), flat = pop_tensor_flatten(a);
    pop_tensor many = pop_tensor_flatten(pop_tensor_transpose(variable(g, POP_SHAPE(16, 28))));
    pop_tensor views[] = { flat,
                           pop_tensor_flatten(pop_tensor_transpose(a)),
                           pop_tensor_reverse(b, 0),
                           pop_tensor_concat(
                               POP_TENSORS(pop_tensor_slice(b, 4, 13, 0), flat, pop_tensor_slice(b, 0, 6, 0)), 0),
                           pop_tensor_broadcast(b, 3, 0),
                           pop_tensor_upsample(b, 2, 0, POP_UPSAMPLE_REPEAT),
                           pop_tensor_concat(POP_TENSORS(pop_tensor_reverse(b, 0), many, b), 0) };
    for (size_t i = 0; i < sizeof(views) / sizeof(*views); ++i)
        for (int remove = 0; remove < 2; ++remove) {
            size_t n = pop_tensor_num_elements(views[i]);
            check_groups(g, views[i], POP_INTERVALS({ 0, n }), remove);
            check_groups(g, views[i], POP_INTERVALS({ 7, 11 }, { 2, 5 }, { 3, 3 }), remove);
            check_groups(g, views[i], POP_INTERVALS({ 5, 13 }, { 0, 5 }, { 3, 9 }), remove);
            check_groups(g, views[i], POP_INTERVALS({ 1, 1 }), remove);
        }
    pop_interval_lists groups;
    assert_true(pop_graph_get_sorted_contiguous_regions(g, views[1], POP_INTERVALS({ 0, 40 }), false, NULL, &groups));
    assert_int_equal(groups.count, 1); /* a transposed matrix is one region of memory */
    pop_interval_lists_free(&groups);
    size_t aliases[6];
    pop_tensor twice = pop_tensor_concat(POP_TENSORS(pop_tensor_slice(b, 2, 5, 0), pop_tensor_slice(b, 1, 4, 0)), 0);
    assert_true(pop_graph_get_sorted_contiguous_regions(g, twice, POP_INTERVALS({ 0, 6 }), true, aliases, &groups));
    assert_int_equal(groups.count, 1); /* b[1:4] is intervals [3, 6), then b[4] is [2, 3) */
    assert_int_equal(groups.first[1], 2);
    assert_int_equal(groups.intervals[0].begin, 3);
    assert_int_equal(groups.intervals[1].begin, 2);
    const size_t want[] = { 0, 1, 2, 1, 2, 3 }; /* b[1] b[2] b[3], then b[2] b[3] b[4] */
    assert_memory_equal(aliases, want, sizeof(want));
    pop_interval_lists_free(&groups);
    assert_false(pop_graph_get_sorted_contiguous_regions(g, b, POP_INTERVALS({ 3, 14 }), false, NULL, &groups));
    assert_int_equal(pop_graph_error(g)->status, POP_INDEX_ERROR);
    assert_non_null(strstr(pop_graph_error(g)->text, "interval [3, 14) of a tensor of 13 elements"));
    pop_graph_take_error(g, NULL);
}

static size_t regions(pop_tensor t)
{
    pop_interval *list;
    size_t count = pop_tensor_contiguous_regions(t, &list);
    free(list);
    return count;
}

/* t and other were permuted in the same way. */
static void check_same_permutation(pop_tensor t, pop_tensor other, pop_tensor new_t, pop_tensor new_other)
{
    struct elements a = elements_of(t), b = elements_of(other), x = elements_of(new_t), y = elements_of(new_other);
    assert_int_equal(pop_tensor_rank(new_t), 1);
    assert_int_equal(a.count, x.count);
    assert_int_equal(b.count, y.count);
    bool used[LARGEST] = { 0 };
    for (size_t i = 0; i < x.count; ++i) {
        size_t k = 0;
        while (k < a.count && (used[k] || compare(&a.list[k], &x.list[i]) || compare(&b.list[k], &y.list[i])))
            ++k;
        assert_true(k < a.count);
        used[k] = true;
    }
}

static void reordering_simplifies(void **state)
{
    pop_graph *g = *state;
    pop_tensor m = variable(g, POP_SHAPE(6, 8)), n = variable(g, POP_SHAPE(6, 8)), o = variable(g, POP_SHAPE(48));
    pop_tensor left = pop_tensor_slice(m, 0, 4, 1), right = pop_tensor_slice(m, 4, 8, 1);
    pop_tensor cases[] = { pop_tensor_transpose(m),
                           pop_tensor_reverse(pop_tensor_transpose(m), 0),
                           pop_tensor_concat(POP_TENSORS(right, left), 0),
                           pop_tensor_transpose(pop_tensor_concat(POP_TENSORS(right, pop_tensor_slice(n, 0, 4, 1)), 1)),
                           pop_tensor_broadcast(pop_tensor_slice(pop_tensor_transpose(m), 0, 4, 0), 2, 1),
                           pop_tensor_concat(POP_TENSORS(pop_tensor_slice(m, 2, 3, 0), pop_tensor_slice(n, 0, 3, 0),
                                                         pop_tensor_slice(m, 0, 2, 0)),
                                             0) };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); ++i) {
        pop_tensor t = cases[i], other = i ? o : pop_tensor_transpose(n), *others[] = { &other };
        pop_graph_reorder_to_simplify(g, &t, others, 1, false);
        assert_null(pop_graph_error(g));
        assert_true(regions(t) < regions(cases[i]));
        check_same_permutation(cases[i], i ? o : pop_tensor_transpose(n), t, other);
    }
    pop_tensor t = pop_tensor_transpose(m), other = pop_tensor_transpose(n), *others[] = { &other };
    pop_graph_reorder_to_simplify(g, &t, others, 1, true);
    assert_true(pop_tensor_equal(t, pop_tensor_flatten(m)));
    assert_true(pop_tensor_equal(other, pop_tensor_flatten(n)));
    t = pop_tensor_transpose(m);
    other = o; /* contiguous, and would not be after reordering */
    pop_graph_reorder_to_simplify(g, &t, others, 1, true);
    assert_true(pop_tensor_equal(t, pop_tensor_transpose(m)) && pop_tensor_equal(other, o));
    pop_tensor cube = variable(g, POP_SHAPE(2, 3, 8)), turned = pop_tensor_dim_shuffle(cube, POP_DIMS(2, 1, 0));
    t = turned;
    other = o; /* the outermost dimension moves by two positions */
    pop_graph_reorder_to_simplify(g, &t, others, 1, false);
    assert_true(pop_tensor_equal(t, pop_tensor_flatten(cube)));
    check_same_permutation(turned, o, t, other);
    t = pop_tensor_slice(m, 2, 2, 0);
    other = pop_tensor_slice(o, 1, 1, 0);
    pop_graph_reorder_to_simplify(g, &t, others, 1, true);
    assert_int_equal(pop_tensor_num_elements(t) + pop_tensor_num_elements(other), 0);
    other = o;
    t = pop_tensor_at(m, 0);
    pop_graph_reorder_to_simplify(g, &t, others, 1, true);
    assert_int_equal(pop_graph_error(g)->status, POP_POPLAR_ERROR);
    assert_non_null(strstr(pop_graph_error(g)->text, "tensor 0 has 48 elements, the tensor to simplify has 8"));
    pop_graph_take_error(g, NULL);
}

static unsigned below(uint64_t *seed, unsigned limit)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*seed >> 33) % limit;
}

/* Strided, reversed and joined views: some of whose runs continue each other where a digit counts up. */
static void reordering_keeps_elements_and_never_adds_regions(void **state)
{
    pop_graph *g = *state;
    uint64_t seed = 2;
    unsigned better = 0;
    pop_tensor m = variable(g, POP_SHAPE(240)), n = variable(g, POP_SHAPE(240)), o = variable(g, POP_SHAPE(240));
    for (unsigned round = 0; round < 400; ++round) {
        unsigned cut = below(&seed, 240);
        pop_tensor t =
            below(&seed, 3)
                ? m
                : pop_tensor_concat(POP_TENSORS(pop_tensor_slice(n, cut, 240, 0), pop_tensor_slice(m, 0, cut, 0)), 0);
        for (unsigned step = round % 4; step; --step) {
            static const size_t sizes[] = { 2, 3, 4, 5, 6, 8, 10, 12 };
            size_t size = sizes[below(&seed, 8)];
            t = pop_tensor_reshape(t, POP_SHAPE(240 / size, size));
            if (below(&seed, 2))
                t = pop_tensor_reverse(t, below(&seed, 2));
            unsigned half = 1 + below(&seed, (unsigned)size - 1);
            t = below(&seed, 2) ? pop_tensor_transpose(t)
                                : pop_tensor_concat(POP_TENSORS(pop_tensor_flatten(pop_tensor_slice(t, half, size, 1)),
                                                                pop_tensor_flatten(pop_tensor_slice(t, 0, half, 1))),
                                                    0);
            t = pop_tensor_flatten(t);
        }
        pop_tensor before = t, other = o, *others[] = { &other };
        pop_graph_reorder_to_simplify(g, &t, others, 1, false);
        assert_null(pop_graph_error(g));
        check_same_permutation(before, o, t, other);
        assert_true(regions(t) < regions(before) || (pop_tensor_equal(t, before) && pop_tensor_equal(other, o)));
        better += regions(t) < regions(before);
    }
    assert_in_range(better, 300, 399);
}

static void broadcasts_are_found(void **state)
{
    pop_graph *g = *state;
    pop_tensor row = variable(g, POP_SHAPE(1, 8, 1));
    pop_tensor t = pop_tensor_broadcast(pop_tensor_broadcast(row, 5, 0), 3, 2);
    assert_true(pop_tensor_equal(pop_graph_find_unbroadcast_tensor(g, t), row));
    assert_true(pop_tensor_equal(pop_graph_find_unbroadcast_tensor(g, pop_tensor_broadcast(row, 4, 1)), row));
    assert_true(pop_tensor_equal(pop_graph_find_unbroadcast_tensor(g, row), row));
    assert_true(pop_tensor_equal(pop_graph_find_unbroadcast_tensor(g, pop_tensor_slice(t, 2, 2, 1)),
                                 pop_tensor_slice(t, 2, 2, 1)));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = { TEST(regions_come_in_the_order_of_memory), TEST(reordering_simplifies),
                                        TEST(reordering_keeps_elements_and_never_adds_regions),
                                        TEST(broadcasts_are_found) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
