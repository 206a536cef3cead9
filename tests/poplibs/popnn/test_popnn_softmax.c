/* SPDX-License-Identifier: Apache-2.0 */
/* The softmax family, its gradient and its logarithm against double precision: shapes, layouts, values that would
 * overflow. */
#include "poplibs/bed.h"

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
        struct bed bed = bed_open(test / 8 ? BED_MODEL : BED_CPU, 5, add_codelets);
        pop_tensor t = bed_input_of(&bed, half ? POP_HALF : POP_FLOAT, (pop_shape){ 3, dims },
                                    test % 2 ? BED_SCATTERED : BED_LINEAR, -5, 5),
                   out[8];
        float scaling[4] = { 0 };
        double *got[8], wanted[210], logs[210], *given = bed_given(&bed, t);
        pop_tensor copies[4];
        for (size_t i = 0; i < 4; ++i)
            copies[i] = poputil_duplicate(bed.graph, t, bed.program, POP_CLONE_CREATE_NEW_ORDER, "copy");
        out[0] = popnn_softmax(bed.graph, t, bed.program, "a");
        out[1] = popnn_softmax_stable(bed.graph, t, bed.program, "b");
        out[2] = popnn_scaled_softmax_stable(bed.graph, t, &scaling[0], bed.program, "c");
        out[3] = popnn_log_softmax(bed.graph, t, bed.program, "d");
        popnn_softmax_in_place(bed.graph, copies[0], bed.program, "e");
        popnn_softmax_stable_in_place(bed.graph, copies[1], bed.program, "f");
        popnn_scaled_softmax_stable_in_place(bed.graph, copies[2], &scaling[1], bed.program, "g");
        popnn_log_softmax_in_place(bed.graph, copies[3], bed.program, "h");
        memcpy(out + 4, copies, sizeof(copies));
        popnn_non_linearity_scaled(bed.graph, POPNN_SOFTMAX, t, &scaling[2], bed.program, "i");
        bed_run_all(&bed, out, got, 8);
        assert_true(scaling[0] == 62000 && scaling[1] == 62000 && scaling[2] == 1);
        for (size_t i = 0; i < 8; ++i) {
            softmax(given, wanted, logs, rows, n, i % 4 == 2 ? 62000 : 1);
            if (i % 4 == 3)
                bed_check(got[i], logs, rows * n, half ? 0.002 : 1e-6, half ? 0.003 : 2e-6);
            else /* in half, x - max is off by up to 0.004 */
                bed_check(got[i], wanted, rows * n, half ? 0.008 : 2e-5, half ? 1e-6 : 1e-7);
        }
        bed_close(&bed);
    }
}

/* Only the plain variant overflows. */
static void test_large_values(void **state)
{
    (void)state;
    for (unsigned half = 0; half < 2; ++half) {
        struct bed bed = bed_open(BED_MODEL, 3, add_codelets);
        pop_tensor t = bed_input_of(&bed, half ? POP_HALF : POP_FLOAT, POP_SHAPE(3, 9), BED_LINEAR, 980, 1000);
        pop_tensor out[] = { popnn_softmax_stable(bed.graph, t, bed.program, "a"),
                             popnn_log_softmax(bed.graph, t, bed.program, "b"),
                             popnn_non_linearity(bed.graph, POPNN_SOFTMAX_SCALED, t, bed.program, "unscaled") };
        double *got[3], wanted[27], logs[27];
        bed_run_all(&bed, out, got, 3);
        softmax(bed_given(&bed, t), wanted, logs, 3, 9, 1);
        bed_check(got[0], wanted, 27, half ? 0.01 : 1e-5, 1e-7);
        bed_check(got[1], logs, 27, half ? 0.002 : 1e-6, half ? 0.001 : 2e-6);
        bed_check(got[2], got[0], 27, 0, 0);
        bed_close(&bed);
    }
}

static void test_gradient(void **state)
{
    (void)state;
    for (unsigned test = 0; test < 4; ++test) {
        bool half = test & 1;
        pop_type type = half ? POP_HALF : POP_FLOAT;
        struct bed bed = bed_open(test & 2 ? BED_MODEL : BED_CPU, 5, add_codelets);
        pop_tensor act = bed_input_of(&bed, type, POP_SHAPE(5, 17), BED_SCATTERED, 0, 0.1),
                   g = bed_input(&bed, type, POP_SHAPE(5, 17), BED_LINEAR);
        pop_tensor in = popnn_non_linearity_input_gradient(bed.graph, POPNN_SOFTMAX_STABLE, act, g, bed.program, "x");
        double *got = bed_run(&bed, in), *a = bed_given(&bed, act), *d = bed_given(&bed, g), wanted[85];
        for (size_t row = 0; row < 5; ++row) {
            double sum = 0;
            for (size_t i = 17 * row; i < 17 * row + 17; ++i)
                sum += a[i] * d[i];
            for (size_t i = 17 * row; i < 17 * row + 17; ++i)
                wanted[i] = a[i] * (d[i] - sum);
        }
        bed_check(got, wanted, 85, half ? 0.003 : 1e-6, half ? 1e-4 : 1e-7);
        bed_close(&bed);
    }
}

static void test_empty_tensors_and_errors(void **state)
{
    (void)state;
    struct bed bed = bed_open(BED_MODEL, 2, add_codelets);
    pop_tensor t = bed_input(&bed, POP_FLOAT, POP_SHAPE(3, 4), BED_LINEAR), none = pop_tensor_slice(t, 1, 1, 0);
    popnn_softmax_in_place(bed.graph, none, bed.program, "x");
    assert_int_equal(pop_tensor_num_elements(popnn_log_softmax(bed.graph, none, bed.program, "x")), 0);
    assert_int_equal(pop_tensor_num_elements(
                         popnn_non_linearity_input_gradient(bed.graph, POPNN_SOFTMAX, none, none, bed.program, "x")),
                     0);
    assert_built(bed.graph);
    popnn_log_softmax(bed.graph, pop_tensor_at(pop_tensor_at(t, 0), 0), bed.program, "x");
    assert_error(bed.graph, POP_POPLAR_ERROR, "popnn_log_softmax", "this is a scalar");
    popnn_log_softmax_in_place(bed.graph, bed_input(&bed, POP_INT, POP_SHAPE(3), BED_LINEAR), bed.program, "x");
    assert_error(bed.graph, POP_TYPE_ERROR, "popnn_log_softmax_in_place", "type int");
    bed_close(&bed);
}

/* Rows longer than vectors, on a CPU device (x - max is off by up to 2e-6): contiguous ones in one vertex for many,
 * others by popops' operations. */
static void test_long_rows(void **state)
{
    (void)state;
    enum { ROWS = 67, COLUMNS = 1003 };
    static double wanted[ROWS * COLUMNS], logs[ROWS * COLUMNS];
    for (int layout = 0; layout < 2; ++layout) {
        struct bed bed = bed_open(BED_CPU, 1, add_codelets);
        pop_tensor t =
            bed_input_of(&bed, POP_FLOAT, POP_SHAPE(ROWS, COLUMNS), layout ? BED_SCATTERED : BED_LINEAR, -30, 30);
        double *got, *given = bed_given(&bed, t);
        popnn_softmax_stable_in_place(bed.graph, t, bed.program, "rows");
        bed_run_all(&bed, &t, &got, 1);
        softmax(given, wanted, logs, ROWS, COLUMNS, 1);
        for (size_t i = 0; i < ROWS * COLUMNS; ++i)
            if (fabs(got[i] - wanted[i]) > 5e-6 * wanted[i] + 1e-38)
                fail_msg("element %zu is %.9g instead of %.9g", i, got[i], wanted[i]);
        bed_close(&bed);
    }
}

/* A softmax of a CPU device needs no codelets that it does not need on an IPU. */
static void test_codelets_of_popops_suffice(void **state)
{
    (void)state;
    for (enum bed_device device = BED_CPU; device < BED_DEVICES; ++device) {
        struct bed bed = bed_open(device, 2, popops_add_codelets_at);
        pop_tensor t = bed_input(&bed, POP_FLOAT, POP_SHAPE(3, 5), BED_ONE_TILE);
        double *got, wanted[15], logs[15];
        popnn_softmax_stable_in_place(bed.graph, t, bed.program, "x");
        bed_run_all(&bed, &t, &got, 1);
        softmax(bed_given(&bed, t), wanted, logs, 3, 5, 1);
        bed_check(got, wanted, 15, 1e-6, 0);
        bed_close(&bed);
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
