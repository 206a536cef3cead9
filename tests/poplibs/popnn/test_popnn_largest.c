/* SPDX-License-Identifier: Apache-2.0 */
/* The largest, smallest and k largest of rows: types, lengths, ties; and the costs of their vertices. */
#include "poplibs/numeric.h"

#include <popnn/codelets.h>
#include <popnn/loss.h>
#include <popops/codelets.h>
#include <popops/sort.h>
#include <popops/top_k.h>

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    popnn_add_codelets_at(where, graph);
}

static const pop_type types[] = { POP_FLOAT, POP_HALF, POP_INT, POP_UNSIGNED_INT };

static void test_largest_and_smallest(void **state)
{
    (void)state;
    static const size_t shapes[][2] = { { 1, 1 }, { 3, 10 }, { 2, 997 }, { 40, 7 }, { 1, 20011 } };
    for (unsigned test = 0; test < 5 * 4 * 2; ++test) {
        size_t rows = shapes[test % 5][0], n = shapes[test % 5][1];
        struct fixture fixture = fixture_open(test / 20 ? FIXTURE_MODEL : FIXTURE_CPU, 7, add_codelets);
        pop_tensor t = fixture_input(&fixture, types[test / 5 % 4], POP_SHAPE(rows, n),
                                     n < 1000 ? FIXTURE_SCATTERED : FIXTURE_LINEAR); /* integers: with ties */
        popnn_extreme max = popnn_max_and_arg_max(fixture.graph, t, fixture.program, "max"),
                      min = popnn_min_and_arg_min(fixture.graph, t, fixture.program, "min");
        pop_tensor outputs[] = { max.value,
                                 max.index,
                                 min.value,
                                 min.index,
                                 popnn_arg_max(fixture.graph, t, fixture.program, ""),
                                 popnn_arg_min(fixture.graph, t, fixture.program, "") };
        assert_true(pop_tensor_type(max.value) == types[test / 5 % 4] &&
                    pop_tensor_type(min.value) == types[test / 5 % 4]);
        double *got[6], *given = fixture_given(&fixture, t);
        fixture_run_all(&fixture, outputs, got, 6);
        for (size_t row = 0; row < rows; ++row, given += n) {
            size_t largest = 0, smallest = 0;
            for (size_t i = 1; i < n; ++i) {
                largest = given[i] > given[largest] ? i : largest;
                smallest = given[i] < given[smallest] ? i : smallest;
            }
            assert_true(got[0][row] == given[largest] && got[1][row] == (double)largest &&
                        got[4][row] == (double)largest);
            assert_true(got[2][row] == given[smallest] && got[3][row] == (double)smallest &&
                        got[5][row] == (double)smallest);
        }
        fixture_close(&fixture);
    }
}

/* A row with a NaN at each place and the extreme behind it, so that each share of a worker and of a tile begins with
 * the NaN in some row; then a row of NaN alone, whose index is 0. */
static void test_nan_is_never_the_extreme(void **state)
{
    (void)state;
    static const size_t lengths[] = { 2, 8, 24, 61, 130 };
    static double values[130 * 130];
    for (unsigned test = 0; test < 5 * 2 * 2 * 2; ++test) {
        size_t n = lengths[test % 5];
        bool min = test / 5 % 2;
        struct fixture fixture = fixture_open(test / 20 ? FIXTURE_MODEL : FIXTURE_CPU, n < 130 ? 4 : 520, add_codelets);
        pop_tensor t = pop_graph_add_variable(fixture.graph, types[test / 10 % 2], POP_SHAPE(n, n), "t");
        fixture_map(&fixture, t, FIXTURE_LINEAR);
        for (size_t row = 0; row < n; ++row)
            for (size_t i = 0; i < n; ++i)
                values[row * n + i] =
                    row + 1 == n || i == row ? NAN : (min ? -1 : 1) * (i == row + 1 ? 100 : (double)i / 4);
        fixture_write(&fixture, t, values, 0, 0);
        popnn_extreme found = min ? popnn_min_and_arg_min(fixture.graph, t, fixture.program, "min")
                                  : popnn_max_and_arg_max(fixture.graph, t, fixture.program, "max");
        double *got[2];
        fixture_run_all(&fixture, (pop_tensor[]){ found.value, found.index }, got, 2);
        for (size_t row = 0; row + 1 < n; ++row)
            assert_true(got[0][row] == (min ? -100 : 100) && got[1][row] == (double)(row + 1));
        assert_true(isnan(got[0][n - 1]) && got[1][n - 1] == 0);
        fixture_close(&fixture);
    }
}

/* popops' top k, popnn's and the sort have one order: a NaN is larger than every number. */
static void test_k_largest_with_nan(void **state)
{
    (void)state;
    enum { ROWS = 3, N = 200, K = 7 };
    static double values[ROWS * N];
    uint64_t random = 5;
    for (size_t i = 0; i < ROWS * N; ++i)
        values[i] = i % 50 == 24 || i % 50 == 31 ? NAN : next_random(&random) % 40;
    for (unsigned test = 0; test < 4; ++test) {
        struct fixture fixture = fixture_open(test / 2 ? FIXTURE_MODEL : FIXTURE_CPU, 9, add_codelets);
        pop_tensor t = pop_graph_add_variable(fixture.graph, types[test % 2], POP_SHAPE(ROWS, N), "t"), places;
        fixture_map(&fixture, t, FIXTURE_SCATTERED);
        fixture_write(&fixture, t, values, 0, 0);
        pop_tensor of_popnn = popnn_top_k(fixture.graph, t, &places, K, true, fixture.program, "popnn");
        popops_top_k_params params = { K, true, POPOPS_SORT_DESCENDING, .stable = true };
        pop_tensor chosen,
            of_popops = popops_top_k_with_permutation(fixture.graph, fixture.program, t, params, &chosen, "popops");
        pop_tensor sorted = popops_sort(fixture.graph, t, 1, fixture.program, "sort");
        pop_tensor outputs[] = { of_popnn, places, of_popops, chosen, sorted };
        double *got[5];
        fixture_run_all(&fixture, outputs, got, 5);
        fixture_check(got[0], got[2], ROWS * K, 0, 0);
        fixture_check(got[1], got[3], ROWS * K, 0, 0);
        for (size_t i = 0; i < ROWS * K; ++i) {
            double wanted = got[4][i / K * N + N - 1 - i % K];
            assert_true(got[0][i] == wanted || (isnan(got[0][i]) && isnan(wanted)));
        }
        assert_true(isnan(got[0][0]) && got[1][0] == 24 && got[1][1] == 31);
        fixture_close(&fixture);
    }
}

static void test_k_largest(void **state)
{
    (void)state;
    static const size_t shapes[][3] = { { 1, 1, 1 },  { 3, 10, 10 },  { 2, 997, 5 },
                                        { 40, 7, 2 }, { 1, 5003, 3 }, { 2, 9, 0 } };
    for (unsigned test = 0; test < 6 * 4 * 2; ++test) {
        size_t rows = shapes[test % 6][0], n = shapes[test % 6][1], k = shapes[test % 6][2];
        struct fixture fixture = fixture_open(test / 24 ? FIXTURE_MODEL : FIXTURE_CPU, 7, add_codelets);
        pop_tensor t = fixture_input(&fixture, types[test / 6 % 4], POP_SHAPE(rows, n),
                                     n < 1000 ? FIXTURE_SCATTERED : FIXTURE_LINEAR),
                   places[2];
        pop_tensor sorted = popnn_top_k(fixture.graph, t, &places[0], (unsigned)k, true, fixture.program, "sorted");
        pop_tensor any = popnn_top_k(fixture.graph, t, &places[1], (unsigned)k, false, fixture.program, "any");
        assert_int_equal(pop_tensor_type(sorted), pop_tensor_type(t));
        assert_int_equal(pop_tensor_type(any), pop_tensor_type(t));
        size_t shape[3];
        assert_int_equal(pop_tensor_shape(test % 2 ? sorted : places[1], shape, 3), 3);
        assert_true(shape[0] == rows && shape[1] == 1 && shape[2] == k);
        pop_tensor outputs[] = { sorted, places[0], any, places[1] };
        double *got[4], *given = fixture_given(&fixture, t);
        fixture_run_all(&fixture, outputs, got, 4);
        for (size_t row = 0; row < rows; ++row, given += n) {
            bool *taken = calloc(n, sizeof(bool));
            for (size_t i = 0; i < k; ++i) {
                size_t best = n;
                for (size_t j = 0; j < n; ++j)
                    if (!taken[j] && (best == n || given[j] > given[best]))
                        best = j;
                taken[best] = true;
                assert_true(got[0][row * k + i] == given[best] && got[1][row * k + i] == (double)best);
            }
            for (size_t i = 0; i < k; ++i) { /* the same ones */
                size_t place = (size_t)got[3][row * k + i];
                assert_true(place < n && taken[place] && got[2][row * k + i] == given[place]);
                taken[place] = false;
            }
            free(taken);
        }
        fixture_close(&fixture);
    }
}

static void estimates_follow_the_formulas(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, add_codelets);
    pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "estimates");
    pop_vertex gather = pop_graph_add_vertex(fixture.graph, set, "popnn::ReduceMaxClassGather<half,unsigned int>");
    pop_graph_set_field_int(fixture.graph, gather, "size", 40);
    pop_graph_set_field_int(fixture.graph, gather, "divisorLog2", 3);
    assert_int_equal(pop_graph_get_perf_estimate(fixture.graph, gather).cycles, 9 + 6 * (30 + 3 * 7));
    pop_vertex sparse = pop_graph_add_vertex(fixture.graph, set, "popnn::ReduceMinClassSparse<float,unsigned int>");
    pop_tensor t = pop_graph_add_variable(fixture.graph, POP_FLOAT, POP_SHAPE(100), "t");
    pop_graph_connect(fixture.graph, sparse, "activations", t);
    assert_int_equal(pop_graph_get_perf_estimate(fixture.graph, sparse).cycles, 24 + 3 * 99);
    pop_vertex top = pop_graph_add_vertex(fixture.graph, set, "popnn::ReduceMaxNClassSparse<float,false>");
    pop_graph_connect(fixture.graph, top, "activations", t);
    pop_graph_connect(fixture.graph, top, "maxValues", pop_tensor_slice(t, 0, 1, 0));
    assert_int_equal(pop_graph_get_perf_estimate(fixture.graph, top).cycles, 35 + 99 * 13 + 8);
    fixture_close(&fixture);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, add_codelets);
    pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3, 4), FIXTURE_LINEAR),
               flags = fixture_input(&fixture, POP_BOOL, POP_SHAPE(3, 4), FIXTURE_LINEAR), places;
    popnn_arg_max(fixture.graph, pop_tensor_at(t, 0), fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_arg_max", "shape {4}; a matrix");
    popnn_arg_min(fixture.graph, flags, fixture.program, "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popnn_arg_min", "type bool");
    popnn_max_and_arg_max(fixture.graph, (pop_tensor){ 0 }, fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_max_and_arg_max", "null tensor");
    popnn_arg_max(fixture.graph, pop_tensor_slice(t, 1, 1, 1), fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_arg_max", "no largest");
    popnn_top_k(fixture.graph, t, &places, 5, true, fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_top_k", "the 5 largest of rows of 4");
    assert_int_equal(
        pop_tensor_num_elements(popnn_arg_max(fixture.graph, pop_tensor_slice(t, 1, 1, 0), fixture.program, "x")), 0);
    assert_built(fixture.graph);
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_largest_and_smallest),
        cmocka_unit_test(test_nan_is_never_the_extreme),
        cmocka_unit_test(test_k_largest),
        cmocka_unit_test(test_k_largest_with_nan),
        cmocka_unit_test(estimates_follow_the_formulas),
        cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
