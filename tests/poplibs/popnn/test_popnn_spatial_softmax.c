/* SPDX-License-Identifier: Apache-2.0 */
/* Expected positions of maxima against double precision; a temperature, given probabilities, errors. */
#include "poplibs/numeric.h"

#include <poplin/codelets.h>
#include <popnn/codelets.h>
#include <popnn/spatial_softmax.h>
#include <popops/codelets.h>

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    poplin_add_codelets_at(where, graph);
    popnn_add_codelets_at(where, graph);
}

static double place(size_t i, size_t size)
{
    return size > 1 ? 2.0 * (double)i / (double)(size - 1) - 1 : -1;
}
/* Fields of weights, which need not add up to 1. */
static void expected(const double *weights, size_t fields, size_t height, size_t width, double *out)
{
    for (size_t f = 0; f < fields; ++f, out += 2) {
        out[0] = out[1] = 0;
        for (size_t i = 0; i < height * width; ++i) {
            out[0] += *weights * place(i / width, height);
            out[1] += *weights++ * place(i % width, width);
        }
    }
}

static void test_positions(void **state)
{
    (void)state;
    static const size_t shapes[][3] = { { 3, 5, 7 }, { 1, 1, 9 }, { 6, 8, 1 } };
    for (unsigned test = 0; test < 3 * 2 * 2; ++test) {
        const size_t *dims = shapes[test % 3], n = dims[1] * dims[2];
        bool half = test / 3 % 2;
        struct fixture fixture = fixture_open(test / 6 ? FIXTURE_MODEL : FIXTURE_CPU, 5, add_codelets);
        pop_tensor fields = fixture_input_of(&fixture, half ? POP_HALF : POP_FLOAT, (pop_shape){ 3, dims },
                                             test % 2 ? FIXTURE_SCATTERED : FIXTURE_LINEAR, 0, 3),
                   out[3];
        out[0] = popnn_spatial_softmax_2d(fixture.graph, fixture.program, fields, 0.75, false, "a", &out[1]);
        out[2] = popnn_spatial_softmax_2d(fixture.graph, fixture.program, fields, 1, true, "b", NULL);
        assert_int_equal(pop_tensor_rank(out[1]), 0);
        double *got[3], *given = fixture_given(&fixture, fields), weights[105], wanted[12];
        fixture_run_all(&fixture, out, got, 3);
        for (size_t f = 0; f < dims[0]; ++f) {
            double sum = 0;
            for (size_t i = f * n; i < f * n + n; ++i)
                sum += weights[i] = exp(given[i] / 0.75);
            for (size_t i = f * n; i < f * n + n; ++i)
                weights[i] /= sum;
        }
        expected(weights, dims[0], dims[1], dims[2], wanted);
        fixture_check(got[0], wanted, 2 * dims[0], half ? 0.01 : 1e-5, half ? 0.004 : 2e-6);
        assert_true(got[1][0] == 0.75);
        expected(given, dims[0], dims[1], dims[2], wanted);
        fixture_check(got[2], wanted, 2 * dims[0], half ? 0.01 : 1e-5, half ? 0.02 : 1e-5);
        fixture_close(&fixture);
    }
}

static void test_empty_tensors_and_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, add_codelets);
    pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(2, 3, 4), FIXTURE_LINEAR);
    pop_tensor none =
        popnn_spatial_softmax_2d(fixture.graph, fixture.program, pop_tensor_slice(t, 1, 1, 0), 1, false, "x", NULL);
    assert_true(pop_tensor_rank(none) == 2 && pop_tensor_dim(none, 0) == 0 && pop_tensor_dim(none, 1) == 2);
    assert_built(fixture.graph);
    popnn_spatial_softmax_2d(fixture.graph, fixture.program, pop_tensor_at(t, 0), 1, false, "x", NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_spatial_softmax_2d",
                 "the fields have shape {3,4}; {fields, height, width} is needed");
    popnn_spatial_softmax_2d(fixture.graph, fixture.program, t, 0, false, "x", NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_spatial_softmax_2d", "the temperature is 0");
    popnn_spatial_softmax_2d(fixture.graph, fixture.program,
                             fixture_input(&fixture, POP_INT, POP_SHAPE(2, 3, 4), FIXTURE_LINEAR), 1, false, "x", NULL);
    assert_error(fixture.graph, POP_TYPE_ERROR, "popnn_spatial_softmax_2d", "type int");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_empty_tensors_and_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
