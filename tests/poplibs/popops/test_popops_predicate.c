/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of all elements: a single element that differs is found anywhere; collectives of one replica. */
#include "poplibs/numeric.h"

#include <popops/all_true.h>
#include <popops/codelets.h>
#include <popops/collectives.h>
#include <popops/nan.h>

static pop_tensor numbers(struct fixture *fixture, pop_type type, size_t count, enum fixture_mapping mapping,
                          const double *values)
{
    pop_tensor t = pop_graph_add_variable(fixture->graph, type, POP_SHAPE(count), "t");
    fixture_map(fixture, t, mapping);
    fixture_write(fixture, t, values, 0, 0);
    return t;
}

static void test_all_true(void **state)
{
    (void)state;
    enum { COUNT = 77, TIMES = 8 };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        struct fixture fixture = fixture_open(device, 5, popops_add_codelets_at);
        pop_tensor outs[TIMES + 1];
        double *got[TIMES + 1];
        for (size_t i = 0; i < TIMES; ++i) {
            double values[COUNT];
            for (size_t k = 0; k < COUNT; ++k)
                values[k] = i % 2 == 0 || k != 11 * (i - 1);
            outs[i] =
                popops_all_true(fixture.graph, numbers(&fixture, POP_BOOL, COUNT, i % 3, values), fixture.program, "a");
        }
        pop_tensor one = numbers(&fixture, POP_BOOL, 1, FIXTURE_LINEAR, (double[]){ 0 });
        outs[TIMES] = popops_all_true(fixture.graph, pop_tensor_slice(one, 0, 0, 0), fixture.program, "none");
        fixture_run_all(&fixture, outs, got, TIMES + 1);
        for (size_t i = 0; i <= TIMES; ++i)
            assert_true(got[i][0] == (i % 2 == 0));
        fixture_close(&fixture);
    }
}

static void test_nan(void **state)
{
    (void)state;
    static const double bad[] = { 0, NAN, INFINITY, -INFINITY, 65504, -NAN };
    enum { COUNT = 45, TIMES = 6 };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (int half = 0; half < 2; ++half) {
            struct fixture fixture = fixture_open(device, 4, popops_add_codelets_at);
            pop_tensor outs[2 * TIMES];
            double *got[2 * TIMES];
            for (size_t i = 0; i < TIMES; ++i) {
                double values[COUNT];
                for (size_t k = 0; k < COUNT; ++k)
                    values[k] = k == i * 8 ? bad[i] : -(double)k;
                pop_tensor t = numbers(&fixture, half ? POP_HALF : POP_FLOAT, COUNT, i % 3, values);
                outs[2 * i] = popops_has_nan(fixture.graph, t, fixture.program, "n");
                outs[2 * i + 1] = popops_has_nan_or_inf(fixture.graph, t, fixture.program, "n");
            }
            fixture_run_all(&fixture, outs, got, 2 * TIMES);
            for (size_t i = 0; i < TIMES; ++i) {
                assert_true(got[2 * i][0] == (bad[i] != bad[i]));
                assert_true(got[2 * i + 1][0] == !isfinite(bad[i]));
            }
            fixture_close(&fixture);
        }
}

static void test_collectives_of_one_replica(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, popops_add_codelets_at);
    pop_tensor t = fixture_input(&fixture, POP_HALF, POP_SHAPE(1, 17), FIXTURE_SCATTERED), flat = pop_tensor_flatten(t),
               out = fixture_input(&fixture, POP_HALF, POP_SHAPE(17), FIXTURE_LINEAR);
    pop_tensor outs[] = {
        popops_replicated_all_reduce(fixture.graph, t, POPOPS_ADD, fixture.program, "c", POP_NO_OPTIONS),
        popops_replicated_reduce_scatter(fixture.graph, flat, POPOPS_MAX, fixture.program, "c", POP_NO_OPTIONS),
        popops_replicated_all_gather(fixture.graph, flat, fixture.program, "c", POP_NO_OPTIONS),
        popops_all_to_all_personalized_exchange(fixture.graph, t, fixture.program, "c",
                                                POP_OPTIONS({ "useReplicatedImplementation", "true" })),
        out
    };
    popops_replicated_all_reduce_with_output(fixture.graph, flat, out, POPOPS_ADD, fixture.program, "c",
                                             POP_NO_OPTIONS);
    popops_replicated_all_reduce_in_place(fixture.graph, t, POPOPS_ADD, fixture.program, "c", POP_NO_OPTIONS);
    fixture.tensors[1].written = false;
    assert_int_equal(pop_tensor_rank(outs[2]), 2);
    double *got[5];
    fixture_run_all(&fixture, outs, got, 5);
    for (size_t i = 0; i < 5; ++i)
        fixture_check(got[i], fixture_given(&fixture, t), 17, 0, 0);
    popops_replicated_all_reduce(fixture.graph, t, (popops_operation)99, fixture.program, "c", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_replicated_all_reduce", "99 is not an operation");
    popops_replicated_all_gather(fixture.graph, t, fixture.program, "c", POP_OPTIONS({ "metod", "ring" }));
    assert_error(fixture.graph, POP_INVALID_OPTION, "popops_replicated_all_gather", "the nearest is 'method'");
    fixture_close(&fixture);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, popops_add_codelets_at);
    pop_tensor in = fixture_input(&fixture, POP_INT, POP_SHAPE(4), FIXTURE_LINEAR), null = { 0 };
    popops_all_true(fixture.graph, in, fixture.program, "a");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popops_all_true", "int tensor");
    popops_has_nan(fixture.graph, in, fixture.program, "n");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popops_has_nan", "half or float");
    popops_has_nan_or_inf(fixture.graph, null, fixture.program, "n");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_has_nan_or_inf", "null");
    fixture_close(&fixture);
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
