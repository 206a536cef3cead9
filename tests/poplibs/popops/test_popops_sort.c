/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting and top-k against qsort: every type, all dimensions, equal keys, NaN, lines that are split. */
#include "poplibs/numeric.h"

#include <popops/codelets.h>
#include <popops/sort.h>
#include <popops/top_k.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_INT, POP_UNSIGNED_INT };

/* NaN last; equal ones in their order. */
struct item {
    double key;
    size_t index;
};
static int compare_keys(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}
static int ascending(const void *a, const void *b)
{
    const struct item *left = a, *right = b;
    int order = compare_keys(left->key, right->key);
    return order ? order : (left->index > right->index) - (left->index < right->index);
}
static int descending(const void *a, const void *b)
{
    const struct item *left = a, *right = b;
    int order = compare_keys(right->key, left->key);
    return order ? order : (left->index > right->index) - (left->index < right->index);
}

/* Writes a NaN over some keys of a floating-point tensor. */
static void add_nan(struct fixture *fixture, pop_tensor t, size_t every)
{
    double *given = fixture_given(fixture, t);
    for (size_t i = every / 2; pop_type_is_floating_point(pop_tensor_type(t)) && i < pop_tensor_num_elements(t);
         i += every)
        given[i] = NAN;
}

static void test_sort_along_each_dimension(void **state)
{
    (void)state;
    static const size_t shape[] = { 7, 5, 11 };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t k = 0; k < COUNT(types); ++k)
            for (unsigned dim = 0; dim < 3; ++dim) {
                struct fixture fixture = fixture_open(device, 5, popops_add_codelets_at);
                pop_tensor t = fixture_input(&fixture, types[k], (pop_shape){ 3, shape }, FIXTURE_SCATTERED);
                pop_tensor changed = fixture_input(&fixture, types[k], (pop_shape){ 3, shape },
                                                   dim ? FIXTURE_SCATTERED : FIXTURE_ONE_TILE),
                           results[3];
                add_nan(&fixture, t, 17);
                results[0] = popops_sort(fixture.graph, t, dim, fixture.program, "x");
                pop_sequence_add(fixture.program, pop_copy(t, changed, false, NULL));
                popops_sort_in_place(fixture.graph, changed, dim, fixture.program, "x");
                results[1] = changed;
                results[2] = t;
                assert_built(fixture.graph);
                double *got[3], *given = fixture_given(&fixture, t);
                fixture_run_all(&fixture, results, got, 3);
                size_t stride = dim == 0 ? 55 : dim == 1 ? 11 : 1, n = shape[dim];
                for (size_t first = 0; first < 385; ++first) {
                    if (first / stride % n)
                        continue;
                    struct item line[11];
                    for (size_t i = 0; i < n; ++i)
                        line[i] = (struct item){ given[first + i * stride], i };
                    qsort(line, n, sizeof(line[0]), ascending);
                    for (size_t i = 0; i < n; ++i) {
                        fixture_check(&got[0][first + i * stride], &line[i].key, 1, 0, 0);
                        fixture_check(&got[1][first + i * stride], &line[i].key, 1, 0, 0);
                    }
                }
                fixture_check(got[2], given, 385, 0, 0);
                fixture_close(&fixture);
            }
}

static void test_values_go_with_keys(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t k = 0; k < 16; ++k) {
            struct fixture fixture = fixture_open(device, 5, popops_add_codelets_at);
            pop_tensor keys = fixture_input(&fixture, types[k / 4], POP_SHAPE(4, 23), FIXTURE_SCATTERED),
                       values = fixture_input(&fixture, types[k % 4], POP_SHAPE(4, 23), FIXTURE_LINEAR);
            double place[92], *given = fixture_given(&fixture, keys), *by = fixture_given(&fixture, values);
            for (size_t i = 0; i < 92; ++i) {
                by[i] = (double)i; /* so that each value identifies its key */
                place[i] = given[i] = types[k / 4] == POP_UNSIGNED_INT
                                          ? (double)(i * 37 % 29)
                                          : (double)(i * 37 % 29) - 11; /* no duplicates in a line */
            }
            pop_tensor out[3] = { popops_sort_key_value(fixture.graph, keys, values, 1, fixture.program, "x"), keys,
                                  values };
            popops_sort_key_value_in_place(fixture.graph, keys, values, 1, fixture.program, "x");
            assert_built(fixture.graph);
            double *got[3];
            fixture_run_all(&fixture, out, got, 3);
            for (size_t line = 0; line < 4; ++line)
                for (size_t i = 0; i < 23; ++i) {
                    size_t at = line * 23 + i;
                    assert_true(!i || got[1][at - 1] < got[1][at]);
                    assert_true(place[(size_t)got[0][at]] == got[1][at]);
                    assert_true((size_t)got[0][at] / 23 == line);
                    assert_true(got[2][at] == got[0][at]);
                }
            fixture_close(&fixture);
        }
}

static void check_top_k(enum fixture_device device, pop_type type, pop_shape shape, popops_top_k_params params,
                        bool made)
{
    struct fixture fixture = fixture_open(device, 6, popops_add_codelets_at);
    size_t n = shape.dims[shape.rank - 1], k = params.k, picked[3];
    pop_tensor t = made ? popops_create_top_k_input(fixture.graph, type, shape, params, "t")
                        : fixture_input(&fixture, type, shape, FIXTURE_SCATTERED);
    if (made)
        fixture_write(&fixture, t, NULL, 0, 9);
    add_nan(&fixture, t, 31);
    size_t lines = pop_tensor_num_elements(t) / n;
    pop_tensor values = fixture_input(&fixture, POP_INT, shape, FIXTURE_SCATTERED), out[5];
    out[0] = popops_top_k(fixture.graph, fixture.program, t, params, "x");
    out[1] = popops_top_k_key_value(fixture.graph, fixture.program, t, values, params, &out[2], "x");
    out[3] = popops_top_k_with_permutation(fixture.graph, fixture.program, t, params, &out[4], "x");
    assert_built(fixture.graph);
    assert_int_equal(pop_tensor_shape(out[4], picked, 3), shape.rank);
    assert_int_equal(picked[shape.rank - 1], k);
    double *got[5], *given = fixture_given(&fixture, t), *by = fixture_given(&fixture, values);
    fixture_run_all(&fixture, out, got, 5);
    struct item *line = malloc(n * sizeof(*line));
    for (size_t i = 0; i < lines; ++i) {
        for (size_t j = 0; j < n; ++j)
            line[j] = (struct item){ given[i * n + j], j };
        qsort(line, n, sizeof(*line), params.largest ? descending : ascending);
        bool falling =
            params.sort_order == POPOPS_SORT_NONE ? params.largest : params.sort_order == POPOPS_SORT_DESCENDING;
        qsort(line, k, sizeof(*line), falling ? descending : ascending);
        for (size_t j = 0; j < k; ++j) {
            size_t at = i * k + j;
            fixture_check(&got[0][at], &line[j].key, 1, 0, 0);
            fixture_check(&got[1][at], &line[j].key, 1, 0, 0);
            fixture_check(&got[3][at], &line[j].key, 1, 0, 0);
            assert_true(got[4][at] == (double)line[j].index);
            assert_true(got[2][at] == by[i * n + line[j].index]);
        }
    }
    free(line);
    fixture_close(&fixture);
}

static void test_top_k(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t i = 0; i < COUNT(types); ++i)
            for (int order = POPOPS_SORT_NONE; order <= POPOPS_SORT_DESCENDING; ++order)
                for (int largest = 0; largest < 2; ++largest) {
                    popops_top_k_params params = { 5, largest, (popops_sort_order)order, true };
                    check_top_k(device, types[i], POP_SHAPE(3, 2, 37), params, order == POPOPS_SORT_NONE);
                    check_top_k(device, types[i], POP_SHAPE(487), params,
                                order == POPOPS_SORT_ASCENDING); /* in parts */
                    params.k = largest ? 1 : 13;
                    check_top_k(device, types[i], POP_SHAPE(2, 13), params, false);
                    params.k = 0;
                    check_top_k(device, types[i], POP_SHAPE(2, 3), params, order == POPOPS_SORT_NONE);
                }
}

static void test_costs_and_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, popops_add_codelets_at);
    pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(2, 20), FIXTURE_ONE_TILE),
               bools = fixture_input(&fixture, POP_BOOL, POP_SHAPE(2, 20), FIXTURE_ONE_TILE);
    popops_top_k_params params = { 21, true, POPOPS_SORT_NONE, false };
    popops_top_k(fixture.graph, fixture.program, t, params, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_top_k", "21 of 20");
    params.k = 3;
    popops_top_k(fixture.graph, fixture.program, t, (popops_top_k_params){ 3, true, (popops_sort_order)9, false }, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_top_k", "9 is not an order");
    popops_top_k_with_permutation(fixture.graph, fixture.program, t, params, NULL, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_top_k_with_permutation",
                 "the pointer to the indices is NULL");
    popops_top_k(fixture.graph, fixture.program, bools, params, "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popops_top_k", "bool");
    popops_top_k(fixture.graph, fixture.program, pop_tensor_at(pop_tensor_at(t, 0), 0), params, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_top_k", "rank 0");
    pop_tensor values;
    popops_top_k_key_value(fixture.graph, fixture.program, t, pop_tensor_at(t, 0), params, &values, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_top_k_key_value", "{2,20} and values of {20}");
    popops_sort(fixture.graph, t, 2, fixture.program, "x");
    assert_error(fixture.graph, POP_INDEX_ERROR, "popops_sort", "no dimension 2");
    popops_sort(fixture.graph, bools, 1, fixture.program, "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popops_sort", "bool");
    popops_sort_in_place(fixture.graph, pop_tensor_broadcast(t, 2, 0), 1, fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_sort_in_place", "aliases");
    popops_sort_key_value(fixture.graph, t, pop_tensor_slice(t, 0, 1, 0), 1, fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_sort_key_value", "{2,20} and values of {1,20}");
    popops_sort_key_value_in_place(fixture.graph, t, t, 1, fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_sort_key_value_in_place", "share");
    assert_int_equal(
        pop_tensor_num_elements(popops_sort(fixture.graph, pop_tensor_slice(t, 0, 0, 1), 1, fixture.program, "x")), 0);
    popops_sort_in_place(fixture.graph, pop_tensor_slice(t, 0, 0, 0), 1, fixture.program, "x");
    popops_sort_in_place(fixture.graph, t, 1, fixture.program, "x"); /* in place */
    fixture_run(&fixture, t);
    pop_cycles cycles;
    assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, NULL), POP_OK);
    assert_int_equal(cycles.compute, 6 * 8 * (19 * 20 * 4 + 6 * 20 + 2));
    fixture_close(&fixture);
}

int main(void)
{
    setenv("POPLAR_ENGINE_OPTIONS", "{\"debug.checkedExecution\":\"true\"}", 1); /* no write is out of bounds */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sort_along_each_dimension),
        cmocka_unit_test(test_values_go_with_keys),
        cmocka_unit_test(test_top_k),
        cmocka_unit_test(test_costs_and_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
