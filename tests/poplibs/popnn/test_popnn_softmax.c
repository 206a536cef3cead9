/* SPDX-License-Identifier: Apache-2.0 */
/* The softmax family, its gradient and its logarithm against double precision: shapes, layouts, values that would
 * overflow. */
#include "poplibs/numeric.h"

#include <popnn/codelets.h>
#include <popnn/log_softmax.h>
#include <popnn/non_linearity.h>
#include <popops/codelets.h>
#include <poputil/util.h>

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    popnn_add_codelets_at(where, graph);
}

/* rows of n, along the last dimension */
static void softmax(const double *in, double *out, double *logs, size_t rows, size_t n, double scale)
{
    for (size_t row = 0; row < rows; ++row, in += n, out += n, logs += n) {
        double max = in[0], sum = 0;
        for (size_t i = 1; i < n; ++i)
            max = fmax(max, in[i]);
        for (size_t i = 0; i < n; ++i)
            sum += exp(in[i] - max);
        for (size_t i = 0; i < n; ++i) {
            out[i] = scale * exp(in[i] - max) / sum;
            logs[i] = in[i] - max - log(sum);
        }
    }
}

static void test_family(void **state)
{
    (void)state;
    static const size_t shapes[][3] = { { 1, 7, 13 }, { 3, 2, 5 }, { 1, 1, 101 }, { 2, 3, 1 } };
    for (unsigned test = 0; test < 4 * 2 * 2; ++test) {
        const size_t *dims = shapes[test % 4], n = dims[2], rows = dims[0] * dims[1];
        bool half = test / 4 % 2;
        struct fixture fixture = fixture_open(test / 8 ? FIXTURE_MODEL : FIXTURE_CPU, 5, add_codelets);
        pop_tensor t = fixture_input_of(&fixture, half ? POP_HALF : POP_FLOAT, (pop_shape){ 3, dims },
                                        test % 2 ? FIXTURE_SCATTERED : FIXTURE_LINEAR, -5, 5),
                   out[8];
        float scaling[4] = { 0 };
        double *got[8], wanted[210], logs[210], *given = fixture_given(&fixture, t);
        pop_tensor copies[4];
        for (size_t i = 0; i < 4; ++i)
            copies[i] = poputil_duplicate(fixture.graph, t, fixture.program, POP_CLONE_CREATE_NEW_ORDER, "copy");
        out[0] = popnn_softmax(fixture.graph, t, fixture.program, "a");
        out[1] = popnn_softmax_stable(fixture.graph, t, fixture.program, "b");
        out[2] = popnn_scaled_softmax_stable(fixture.graph, t, &scaling[0], fixture.program, "c");
        out[3] = popnn_log_softmax(fixture.graph, t, fixture.program, "d");
        popnn_softmax_in_place(fixture.graph, copies[0], fixture.program, "e");
        popnn_softmax_stable_in_place(fixture.graph, copies[1], fixture.program, "f");
        popnn_scaled_softmax_stable_in_place(fixture.graph, copies[2], &scaling[1], fixture.program, "g");
        popnn_log_softmax_in_place(fixture.graph, copies[3], fixture.program, "h");
        memcpy(out + 4, copies, sizeof(copies));
        popnn_non_linearity_scaled(fixture.graph, POPNN_SOFTMAX, t, &scaling[2], fixture.program, "i");
        fixture_run_all(&fixture, out, got, 8);
        assert_true(scaling[0] == 62000 && scaling[1] == 62000 && scaling[2] == 1);
        for (size_t i = 0; i < 8; ++i) {
            softmax(given, wanted, logs, rows, n, i % 4 == 2 ? 62000 : 1);
            if (i % 4 == 3)
                fixture_check(got[i], logs, rows * n, half ? 0.002 : 1e-6, half ? 0.003 : 2e-6);
            else /* in half, x - max is off by up to 0.004 */
                fixture_check(got[i], wanted, rows * n, half ? 0.008 : 2e-5, half ? 1e-6 : 1e-7);
        }
        fixture_close(&fixture);
    }
}

/* Only the plain variant overflows. */
static void test_large_values(void **state)
{
    (void)state;
    for (unsigned half = 0; half < 2; ++half) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, add_codelets);
        pop_tensor t =
            fixture_input_of(&fixture, half ? POP_HALF : POP_FLOAT, POP_SHAPE(3, 9), FIXTURE_LINEAR, 980, 1000);
        pop_tensor out[] = { popnn_softmax_stable(fixture.graph, t, fixture.program, "a"),
                             popnn_log_softmax(fixture.graph, t, fixture.program, "b"),
                             popnn_non_linearity(fixture.graph, POPNN_SOFTMAX_SCALED, t, fixture.program, "unscaled") };
        double *got[3], wanted[27], logs[27];
        fixture_run_all(&fixture, out, got, 3);
        softmax(fixture_given(&fixture, t), wanted, logs, 3, 9, 1);
        fixture_check(got[0], wanted, 27, half ? 0.01 : 1e-5, 1e-7);
        fixture_check(got[1], logs, 27, half ? 0.002 : 1e-6, half ? 0.001 : 2e-6);
        fixture_check(got[2], got[0], 27, 0, 0);
        fixture_close(&fixture);
    }
}

static void test_gradient(void **state)
{
    (void)state;
    for (unsigned test = 0; test < 4; ++test) {
        bool half = test & 1;
        pop_type type = half ? POP_HALF : POP_FLOAT;
        struct fixture fixture = fixture_open(test & 2 ? FIXTURE_MODEL : FIXTURE_CPU, 5, add_codelets);
        pop_tensor act = fixture_input_of(&fixture, type, POP_SHAPE(5, 17), FIXTURE_SCATTERED, 0, 0.1),
                   g = fixture_input(&fixture, type, POP_SHAPE(5, 17), FIXTURE_LINEAR);
        pop_tensor in =
            popnn_non_linearity_input_gradient(fixture.graph, POPNN_SOFTMAX_STABLE, act, g, fixture.program, "x");
        double *got = fixture_run(&fixture, in), *a = fixture_given(&fixture, act), *d = fixture_given(&fixture, g),
               wanted[85];
        for (size_t row = 0; row < 5; ++row) {
            double sum = 0;
            for (size_t i = 17 * row; i < 17 * row + 17; ++i)
                sum += a[i] * d[i];
            for (size_t i = 17 * row; i < 17 * row + 17; ++i)
                wanted[i] = a[i] * (d[i] - sum);
        }
        fixture_check(got, wanted, 85, half ? 0.003 : 1e-6, half ? 1e-4 : 1e-7);
        fixture_close(&fixture);
    }
}

static void test_empty_tensors_and_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, add_codelets);
    pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3, 4), FIXTURE_LINEAR),
               none = pop_tensor_slice(t, 1, 1, 0);
    popnn_softmax_in_place(fixture.graph, none, fixture.program, "x");
    assert_int_equal(pop_tensor_num_elements(popnn_log_softmax(fixture.graph, none, fixture.program, "x")), 0);
    assert_int_equal(pop_tensor_num_elements(popnn_non_linearity_input_gradient(fixture.graph, POPNN_SOFTMAX, none,
                                                                                none, fixture.program, "x")),
                     0);
    assert_built(fixture.graph);
    popnn_log_softmax(fixture.graph, pop_tensor_at(pop_tensor_at(t, 0), 0), fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_log_softmax", "this is a scalar");
    popnn_log_softmax_in_place(fixture.graph, fixture_input(&fixture, POP_INT, POP_SHAPE(3), FIXTURE_LINEAR),
                               fixture.program, "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popnn_log_softmax_in_place", "type int");
    fixture_close(&fixture);
}

/* Rows longer than vectors, on a CPU device (x - max is off by up to 2e-6): contiguous ones in one vertex for many,
 * others by popops' operations. */
static void test_long_rows(void **state)
{
    (void)state;
    enum { ROWS = 67, COLUMNS = 1003 };
    static double wanted[ROWS * COLUMNS], logs[ROWS * COLUMNS];
    for (int layout = 0; layout < 2; ++layout) {
        struct fixture fixture = fixture_open(FIXTURE_CPU, 1, add_codelets);
        pop_tensor t = fixture_input_of(&fixture, POP_FLOAT, POP_SHAPE(ROWS, COLUMNS),
                                        layout ? FIXTURE_SCATTERED : FIXTURE_LINEAR, -30, 30);
        double *got, *given = fixture_given(&fixture, t);
        popnn_softmax_stable_in_place(fixture.graph, t, fixture.program, "rows");
        fixture_run_all(&fixture, &t, &got, 1);
        softmax(given, wanted, logs, ROWS, COLUMNS, 1);
        for (size_t i = 0; i < ROWS * COLUMNS; ++i)
            if (fabs(got[i] - wanted[i]) > 5e-6 * wanted[i] + 1e-38)
                fail_msg("element %zu is %.9g instead of %.9g", i, got[i], wanted[i]);
        fixture_close(&fixture);
    }
}

/* A softmax of a CPU device needs no codelets that it does not need on an IPU. */
static void test_codelets_of_popops_suffice(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        struct fixture fixture = fixture_open(device, 2, popops_add_codelets_at);
        pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3, 5), FIXTURE_ONE_TILE);
        double *got, wanted[15], logs[15];
        popnn_softmax_stable_in_place(fixture.graph, t, fixture.program, "x");
        fixture_run_all(&fixture, &t, &got, 1);
        softmax(fixture_given(&fixture, t), wanted, logs, 3, 5, 1);
        fixture_check(got, wanted, 15, 1e-6, 0);
        fixture_close(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_family),    cmocka_unit_test(test_large_values),
        cmocka_unit_test(test_long_rows), cmocka_unit_test(test_codelets_of_popops_suffice),
        cmocka_unit_test(test_gradient),  cmocka_unit_test(test_empty_tensors_and_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
