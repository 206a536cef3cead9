/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of all elements: a single element that differs is found anywhere; collectives of one replica. */
#include "poplibs/bed.h"

#include <popops/all_true.h>
#include <popops/codelets.h>
#include <popops/collectives.h>
#include <popops/nan.h>

static pop_tensor numbers(struct bed *bed, pop_type type, size_t count, enum bed_mapping mapping, const double *values)
{
    pop_tensor t = pop_graph_add_variable(bed->graph, type, POP_SHAPE(count), "t");
    bed_map(bed, t, mapping);
    bed_write(bed, t, values, 0, 0);
    return t;
}

static void test_all_true(void **state)
{
    (void)state;
    enum { COUNT = 77, TIMES = 8 };
    for (enum bed_device device = BED_CPU; device < BED_DEVICES; ++device) {
        struct bed bed = bed_open(device, 5, popops_add_codelets_at);
        pop_tensor outs[TIMES + 1];
        double *got[TIMES + 1];
        for (size_t i = 0; i < TIMES; ++i) {
            double values[COUNT];
            for (size_t k = 0; k < COUNT; ++k)
                values[k] = i % 2 == 0 || k != 11 * (i - 1);
            outs[i] = popops_all_true(bed.graph, numbers(&bed, POP_BOOL, COUNT, i % 3, values), bed.program, "a");
        }
        pop_tensor one = numbers(&bed, POP_BOOL, 1, BED_LINEAR, (double[]){ 0 });
        outs[TIMES] = popops_all_true(bed.graph, pop_tensor_slice(one, 0, 0, 0), bed.program, "none");
        bed_run_all(&bed, outs, got, TIMES + 1);
        for (size_t i = 0; i <= TIMES; ++i)
            assert_true(got[i][0] == (i % 2 == 0));
        bed_close(&bed);
    }
}

static void test_nan(void **state)
{
    (void)state;
    static const double bad[] = { 0, NAN, INFINITY, -INFINITY, 65504, -NAN };
    enum { COUNT = 45, TIMES = 6 };
    for (enum bed_device device = BED_CPU; device < BED_DEVICES; ++device)
        for (int half = 0; half < 2; ++half) {
            struct bed bed = bed_open(device, 4, popops_add_codelets_at);
            pop_tensor outs[2 * TIMES];
            double *got[2 * TIMES];
            for (size_t i = 0; i < TIMES; ++i) {
                double values[COUNT];
                for (size_t k = 0; k < COUNT; ++k)
                    values[k] = k == i * 8 ? bad[i] : -(double)k;
                pop_tensor t = numbers(&bed, half ? POP_HALF : POP_FLOAT, COUNT, i % 3, values);
                outs[2 * i] = popops_has_nan(bed.graph, t, bed.program, "n");
                outs[2 * i + 1] = popops_has_nan_or_inf(bed.graph, t, bed.program, "n");
            }
            bed_run_all(&bed, outs, got, 2 * TIMES);
            for (size_t i = 0; i < TIMES; ++i) {
                assert_true(got[2 * i][0] == (bad[i] != bad[i]));
                assert_true(got[2 * i + 1][0] == !isfinite(bad[i]));
            }
            bed_close(&bed);
        }
}

static void test_collectives_of_one_replica(void **state)
{
    (void)state;
    struct bed bed = bed_open(BED_MODEL, 3, popops_add_codelets_at);
    pop_tensor t = bed_input(&bed, POP_HALF, POP_SHAPE(1, 17), BED_SCATTERED), flat = pop_tensor_flatten(t),
               out = bed_input(&bed, POP_HALF, POP_SHAPE(17), BED_LINEAR);
    pop_tensor outs[] = { popops_replicated_all_reduce(bed.graph, t, POPOPS_ADD, bed.program, "c", POP_NO_OPTIONS),
                          popops_replicated_reduce_scatter(bed.graph, flat, POPOPS_MAX, bed.program, "c",
                                                           POP_NO_OPTIONS),
                          popops_replicated_all_gather(bed.graph, flat, bed.program, "c", POP_NO_OPTIONS),
                          popops_all_to_all_personalized_exchange(
                              bed.graph, t, bed.program, "c", POP_OPTIONS({ "useReplicatedImplementation", "true" })),
                          out };
    popops_replicated_all_reduce_with_output(bed.graph, flat, out, POPOPS_ADD, bed.program, "c", POP_NO_OPTIONS);
    popops_replicated_all_reduce_in_place(bed.graph, t, POPOPS_ADD, bed.program, "c", POP_NO_OPTIONS);
    bed.tensors[1].written = false;
    assert_int_equal(pop_tensor_rank(outs[2]), 2);
    double *got[5];
    bed_run_all(&bed, outs, got, 5);
    for (size_t i = 0; i < 5; ++i)
        bed_check(got[i], bed_given(&bed, t), 17, 0, 0);
    popops_replicated_all_reduce(bed.graph, t, (popops_operation)99, bed.program, "c", POP_NO_OPTIONS);
    assert_error(bed.graph, POP_POPLAR_ERROR, "popops_replicated_all_reduce", "99 is not an operation");
    popops_replicated_all_gather(bed.graph, t, bed.program, "c", POP_OPTIONS({ "metod", "ring" }));
    assert_error(bed.graph, POP_INVALID_OPTION, "popops_replicated_all_gather", "the nearest is 'method'");
    bed_close(&bed);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct bed bed = bed_open(BED_MODEL, 2, popops_add_codelets_at);
    pop_tensor in = bed_input(&bed, POP_INT, POP_SHAPE(4), BED_LINEAR), null = { 0 };
    popops_all_true(bed.graph, in, bed.program, "a");
    assert_error(bed.graph, POP_TYPE_ERROR, "popops_all_true", "int tensor");
    popops_has_nan(bed.graph, in, bed.program, "n");
    assert_error(bed.graph, POP_TYPE_ERROR, "popops_has_nan", "half or float");
    popops_has_nan_or_inf(bed.graph, null, bed.program, "n");
    assert_error(bed.graph, POP_POPLAR_ERROR, "popops_has_nan_or_inf", "null");
    bed_close(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_true),
        cmocka_unit_test(test_nan),
        cmocka_unit_test(test_collectives_of_one_replica),
        cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
