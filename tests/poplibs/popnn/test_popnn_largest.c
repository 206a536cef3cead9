/* SPDX-License-Identifier: Apache-2.0 */
/* The largest, smallest and k largest of rows: types, lengths, ties; and the costs of their vertices. */
#include "poplibs/bed.h"

#include <popnn/codelets.h>
#include <popnn/loss.h>

static const pop_type types[] = { POP_FLOAT, POP_HALF, POP_INT, POP_UNSIGNED_INT };

/* row: popnn argMax */
/* row: popnn argMin */
/* row: popnn maxAndArgMax */
/* row: popnn minAndArgMin */
static void test_largest_and_smallest(void **state)
{
    (void)state;
    static const size_t shapes[][2] = { { 1, 1 }, { 3, 10 }, { 2, 997 }, { 40, 7 }, { 1, 20011 } };
    for (unsigned test = 0; test < 5 * 4 * 2; ++test) {
        size_t rows = shapes[test % 5][0], n = shapes[test % 5][1];
        struct bed bed = bed_open(test / 20 ? BED_MODEL : BED_CPU, 7, popnn_add_codelets_at);
        pop_tensor t = bed_input(&bed, types[test / 5 % 4], POP_SHAPE(rows, n),
                                 n < 1000 ? BED_SCATTERED : BED_LINEAR); /* integers: with ties */
        popnn_extreme max = popnn_max_and_arg_max(bed.graph, t, bed.program, "max"),
                      min = popnn_min_and_arg_min(bed.graph, t, bed.program, "min");
        pop_tensor outputs[] = { max.value,
                                 max.index,
                                 min.value,
                                 min.index,
                                 popnn_arg_max(bed.graph, t, bed.program, ""),
                                 popnn_arg_min(bed.graph, t, bed.program, "") };
        double *got[6], *given = bed_given(&bed, t);
        bed_run_all(&bed, outputs, got, 6);
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
        bed_close(&bed);
    }
}

/* row: popnn topK */
static void test_k_largest(void **state)
{
    (void)state;
    static const size_t shapes[][3] = { { 1, 1, 1 },  { 3, 10, 10 },  { 2, 997, 5 },
                                        { 40, 7, 2 }, { 1, 5003, 3 }, { 2, 9, 0 } };
    for (unsigned test = 0; test < 6 * 4 * 2; ++test) {
        size_t rows = shapes[test % 6][0], n = shapes[test % 6][1], k = shapes[test % 6][2];
        struct bed bed = bed_open(test / 24 ? BED_MODEL : BED_CPU, 7, popnn_add_codelets_at);
        pop_tensor t = bed_input(&bed, types[test / 6 % 4], POP_SHAPE(rows, n), n < 1000 ? BED_SCATTERED : BED_LINEAR),
                   places[2];
        pop_tensor sorted = popnn_top_k(bed.graph, t, &places[0], (unsigned)k, true, bed.program, "sorted");
        pop_tensor any = popnn_top_k(bed.graph, t, &places[1], (unsigned)k, false, bed.program, "any");
        assert_int_equal(pop_tensor_type(sorted), pop_tensor_type(t));
        assert_int_equal(pop_tensor_type(any), pop_tensor_type(t));
        size_t shape[3];
        assert_int_equal(pop_tensor_shape(test % 2 ? sorted : places[1], shape, 3), 3);
        assert_true(shape[0] == rows && shape[1] == 1 && shape[2] == k);
        pop_tensor outputs[] = { sorted, places[0], any, places[1] };
        double *got[4], *given = bed_given(&bed, t);
        bed_run_all(&bed, outputs, got, 4);
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
        bed_close(&bed);
    }
}

static void test_estimates(void **state)
{
    (void)state;
    struct bed bed = bed_open(BED_MODEL, 1, popnn_add_codelets_at);
    pop_compute_set set = pop_graph_add_compute_set(bed.graph, "estimates");
    pop_vertex gather = pop_graph_add_vertex(bed.graph, set, "popnn::ReduceMaxClassGather<half,unsigned int>");
    pop_graph_set_field_int(bed.graph, gather, "size", 40);
    pop_graph_set_field_int(bed.graph, gather, "divisorLog2", 3);
    assert_int_equal(pop_graph_get_perf_estimate(bed.graph, gather).cycles, 9 + 6 * (30 + 3 * 7));
    pop_vertex sparse = pop_graph_add_vertex(bed.graph, set, "popnn::ReduceMinClassSparse<float,unsigned int>");
    pop_tensor t = pop_graph_add_variable(bed.graph, POP_FLOAT, POP_SHAPE(100), "t");
    pop_graph_connect(bed.graph, sparse, "activations", t);
    assert_int_equal(pop_graph_get_perf_estimate(bed.graph, sparse).cycles, 24 + 3 * 99);
    pop_vertex top = pop_graph_add_vertex(bed.graph, set, "popnn::ReduceMaxNClassSparse<float,false>");
    pop_graph_connect(bed.graph, top, "activations", t);
    pop_graph_connect(bed.graph, top, "maxValues", pop_tensor_slice(t, 0, 1, 0));
    assert_int_equal(pop_graph_get_perf_estimate(bed.graph, top).cycles, 35 + 99 * 13 + 8);
    bed_close(&bed);
}

static void test_errors(void **state)
{
    (void)state;
    struct bed bed = bed_open(BED_MODEL, 2, popnn_add_codelets_at);
    pop_tensor t = bed_input(&bed, POP_FLOAT, POP_SHAPE(3, 4), BED_LINEAR),
               flags = bed_input(&bed, POP_BOOL, POP_SHAPE(3, 4), BED_LINEAR), places;
    popnn_arg_max(bed.graph, pop_tensor_at(t, 0), bed.program, "x");
    assert_error(bed.graph, POP_POPLAR_ERROR, "popnn_arg_max", "shape {4}; a matrix");
    popnn_arg_min(bed.graph, flags, bed.program, "x");
    assert_error(bed.graph, POP_TYPE_ERROR, "popnn_arg_min", "type bool");
    popnn_max_and_arg_max(bed.graph, (pop_tensor){ 0 }, bed.program, "x");
    assert_error(bed.graph, POP_POPLAR_ERROR, "popnn_max_and_arg_max", "null tensor");
    popnn_arg_max(bed.graph, pop_tensor_slice(t, 1, 1, 1), bed.program, "x");
    assert_error(bed.graph, POP_POPLAR_ERROR, "popnn_arg_max", "no largest");
    popnn_top_k(bed.graph, t, &places, 5, true, bed.program, "x");
    assert_error(bed.graph, POP_POPLAR_ERROR, "popnn_top_k", "the 5 largest of rows of 4");
    assert_int_equal(pop_tensor_num_elements(popnn_arg_max(bed.graph, pop_tensor_slice(t, 1, 1, 0), bed.program, "x")),
                     0);
    assert_built(bed.graph);
    bed_close(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_largest_and_smallest),
        cmocka_unit_test(test_k_largest),
        cmocka_unit_test(test_estimates),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
