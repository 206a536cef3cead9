/* SPDX-License-Identifier: Apache-2.0 */
/* Even steps, grids, and the products of a fully connected layer. */
#include "poplibs/numeric.h"

#include <poplin/fully_connected.h>
#include <poplin/mesh_grid.h>

static void test_even_steps(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        struct fixture fixture = fixture_open(device, 3, NULL);
        pop_tensor t = poplin_linspace(fixture.graph, POP_FLOAT, -1, 2, 7, "x"),
                   one = poplin_linspace(fixture.graph, POP_HALF, 0.1, 5, 1, NULL);
        assert_int_equal(pop_tensor_num_elements(poplin_linspace(fixture.graph, POP_FLOAT, 1, 2, 0, "none")), 0);
        double *values[2];
        fixture_run_all(&fixture, (const pop_tensor[]){ t, one }, values, 2);
        fixture_check(values[0], (const double[]){ -1, -0.5, 0, 0.5, 1, 1.5, 2 }, 7, 0, 0);
        fixture_check(values[1], (const double[]){ 0.0999755859375 }, 1, 0, 0);
        assert_false(pop_tensor_valid(poplin_linspace(fixture.graph, POP_INT, 0, 1, 2, "x")));
        assert_error(fixture.graph, POP_TYPE_ERROR, "poplin_linspace", "the type is int");
        fixture_close(&fixture);
    }
}

static void test_grids(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, NULL);
    pop_tensor x = fixture_input(&fixture, POP_INT, POP_SHAPE(3), FIXTURE_SCATTERED),
               y = fixture_input(&fixture, POP_INT, POP_SHAPE(2), FIXTURE_SCATTERED), grids[2];
    assert_true(poplin_meshgrid2d(fixture.graph, x, y, grids));
    double *values[2], *columns = fixture_given(&fixture, x), *rows = fixture_given(&fixture, y);
    fixture_run_all(&fixture, grids, values, 2);
    assert_int_equal(pop_tensor_dim(grids[1], 0), 2);
    for (size_t i = 0; i < 6; ++i) {
        assert_true(values[0][i] == columns[i % 3]);
        assert_true(values[1][i] == rows[i / 3]);
    }
    assert_false(poplin_meshgrid2d(fixture.graph, grids[0], y, grids));
    assert_error(fixture.graph, POP_POPLAR_ERROR, "poplin_meshgrid2d", "ranks are 2 and 1");
    fixture_close(&fixture);
}

static void test_products_of_a_layer(void **state)
{
    (void)state;
    poplin_fully_connected_params params = { 2, 16, 784, 30 };
    poplin_fc_mat_mul list[POPLIN_MAX_FC_MAT_MULS];
    assert_int_equal(poplin_fc_get_mat_mul_pre_plan_parameters(&params, POP_HALF, true, list), 1);
    assert_string_equal(list[0].pass, "INFERENCE_FWD");
    assert_int_equal(poplin_fc_get_mat_mul_pre_plan_parameters(&params, POP_HALF, false, list), 3);
    static const size_t shapes[3][6] = { { 2, 16, 784, 2, 784, 30 },
                                         { 2, 16, 30, 2, 30, 784 },
                                         { 2, 784, 16, 2, 16, 30 } };
    static const char *const passes[] = { "TRAINING_FWD", "TRAINING_BWD", "TRAINING_WU" };
    for (size_t i = 0; i < 3; ++i) {
        assert_memory_equal(list[i].params.a_shape, shapes[i], 3 * sizeof(size_t));
        assert_memory_equal(list[i].params.b_shape, shapes[i] + 3, 3 * sizeof(size_t));
        assert_int_equal(list[i].params.input_type, POP_HALF);
        assert_string_equal(list[i].pass, passes[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_even_steps),
        cmocka_unit_test(test_grids),
        cmocka_unit_test(test_products_of_a_layer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
