/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of reductions by length: short and long rows, blocks, columns. */
#include "poplibs/popops/reduce_reference.h"

#include <popops/codelets.h>

/* Rows, blocks and columns of few elements or of many, all operations and types; many for each vertex. */
static void test_lengths(void **state)
{
    (void)state;
    static const size_t lengths[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 15, 16, 17, 22, 24, 31, 39, 40, 65, 1031 };
    enum { LENGTHS = sizeof(lengths) / sizeof(lengths[0]) };
    unsigned at = 0;
    for (popops_operation op = POPOPS_ADD; (int)op < POPOPS_OPERATIONS; ++op)
        for (size_t t = 0; t < TYPES; ++t)
            for (unsigned i = 0; i < LENGTHS / 2 && takes(op, types[t]); ++i, ++at) {
                size_t n = lengths[at % LENGTHS];
                pop_shape shape = n > 100 ? POP_SHAPE(3, 7, n) : POP_SHAPE(29, 7, n);
                unsigned dim = at % 5 < 3 ? 2 : at % 5 - 3; /* max elements in rows */
                bool product = op == POPOPS_MUL && pop_type_is_floating_point(types[t]);
                struct fixture fixture = fixture_open(at % 3 ? FIXTURE_MODEL : FIXTURE_CPU, 1, popops_add_codelets_at);
                fixture.random = at;
                pop_tensor in = product ? fixture_input_of(&fixture, types[t], shape, FIXTURE_LINEAR, 0.99, 1.01)
                                        : fixture_input(&fixture, types[t], shape, FIXTURE_LINEAR);
                popops_reduce_params params = { .op = op };
                pop_tensor out = popops_reduce(fixture.graph, in, types[t], POP_DIMS(dim), params, fixture.program, "r",
                                               POP_NO_OPTIONS);
                double *got = fixture_run(&fixture, out);
                struct wanted wanted = reference(fixture_given(&fixture, in), shape, POP_DIMS(dim), op);
                for (size_t k = 0; k < wanted.count && op == POPOPS_MUL && !product; ++k)
                    wanted.values[k] = fabs(wanted.values[k]) < 2147483648.0
                                           ? wanted.values[k]
                                           : got[k]; /* test_random has the wrapping ones */
                fixture_check(got, wanted.values, wanted.count, types[t] == POP_HALF ? 2e-3 : 4e-6,
                              types[t] == POP_HALF ? 2e-2 : 1e-5);
                free(wanted.values);
                fixture_close(&fixture);
            }
}

/* An output's bits depend on its elements, not on its position. */
static void test_equal_rows_give_equal_bits(void **state)
{
    (void)state;
    for (size_t n = 2; n < 60; n += 1 + n / 8) {
        enum { ROWS = 205 };
        double values[ROWS * 60], sum = 0;
        for (size_t i = 0; i < ROWS * n; ++i)
            values[i] = 1 / (3.0 + (double)(i % n));
        for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
            struct fixture fixture = fixture_open(device, 1, popops_add_codelets_at);
            pop_tensor in = pop_graph_add_variable(fixture.graph, POP_FLOAT, POP_SHAPE(ROWS, n), "in");
            pop_graph_set_tile_mapping(fixture.graph, in, 0);
            fixture_write(&fixture, in, values, 0, 0);
            popops_reduce_params params = { .op = POPOPS_ADD };
            double *got = fixture_run(&fixture, popops_reduce(fixture.graph, in, POP_FLOAT, POP_DIMS(1), params,
                                                              fixture.program, "r", POP_NO_OPTIONS));
            sum = device == FIXTURE_CPU ? got[0] : sum;
            for (size_t k = 0; k < ROWS; ++k)
                assert_true(got[k] == sum);
            fixture_close(&fixture);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_equal_rows_give_equal_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
