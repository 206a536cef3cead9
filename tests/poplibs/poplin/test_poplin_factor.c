/* SPDX-License-Identifier: Apache-2.0 */
/* LU and QR factorisations: products of the factors, their shapes and triangles, orthogonality. */
#include "poplibs/numeric.h"

#include <poplin/codelets.h>
#include <poplin/lu_factorization.h>
#include <poplin/qr_factorization.h>
#include <popops/codelets.h>

static void add_all(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    poplin_add_codelets_at(where, graph);
}

/* a{m,k} b{k,n}, b transposed if so. */
static double *product(const double *a, const double *b, size_t m, size_t k, size_t n, bool transposed)
{
    double *out = calloc(m * n + 1, sizeof(*out));
    for (size_t i = 0; i < m; ++i)
        for (size_t j = 0; j < n; ++j)
            for (size_t l = 0; l < k; ++l)
                out[i * n + j] += a[i * k + l] * (transposed ? b[j * k + l] : b[l * n + j]);
    return out;
}

/* A matrix without small pivots: the diagonal dominates. */
static pop_tensor matrix(struct fixture *fixture, pop_type type, size_t m, size_t n, enum fixture_mapping mapping,
                         double diagonal)
{
    double *values = malloc((m * n + 1) * sizeof(*values));
    for (size_t i = 0; i < m * n; ++i)
        values[i] = (double)(next_random(&fixture->random) % 2000) / 1000 - 1 + (i / n == i % n ? diagonal : 0);
    pop_tensor t = pop_graph_add_variable(fixture->graph, type, POP_SHAPE(m, n), "matrix");
    fixture_map(fixture, t, mapping);
    fixture_write(fixture, t, values, 0, 0);
    free(values);
    return t;
}

static void check_lu(enum fixture_device device, pop_type type, size_t m, size_t n, enum fixture_mapping mapping)
{
    struct fixture fixture = fixture_open(device, 3, add_all);
    pop_tensor a = matrix(&fixture, type, m, n, mapping, (double)(m + n)), upper;
    pop_tensor lower = poplin_lu_factorization(fixture.graph, a, fixture.program, "lu", &upper);
    double *got[2];
    fixture_run_all(&fixture, (const pop_tensor[]){ lower, upper }, got, 2);
    for (size_t i = 0; i < m * m; ++i)
        if (i / m <= i % m)
            assert_true(got[0][i] == (i / m == i % m ? 1 : 0));
    for (size_t i = 0; i < m * n; ++i)
        if (i / n > i % n)
            assert_true(got[1][i] == 0);
    double *made = product(got[0], got[1], m, m, n, false);
    fixture_check(made, fixture_given(&fixture, a), m * n, 1e-5, 1e-5);
    free(made);
    fixture_close(&fixture);
}

static void test_lu(void **state)
{
    (void)state;
    static const size_t sizes[][2] = { { 1, 1 }, { 5, 5 }, { 23, 23 }, { 4, 9 }, { 29, 7 }, { 1, 6 } };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t i = 0; i < 6; ++i)
            check_lu(device, i == 3 ? POP_HALF : POP_FLOAT, sizes[i][0], sizes[i][1],
                     i % 2 ? FIXTURE_SCATTERED : FIXTURE_LINEAR);
}

static void check_qr(enum fixture_device device, size_t m, size_t n, bool created)
{
    struct fixture fixture = fixture_open(device, 3, add_all);
    pop_tensor q, a = matrix(&fixture, POP_FLOAT, m, n, FIXTURE_SCATTERED, 0), r = a;
    double *one = calloc(m * m, sizeof(*one));
    for (size_t i = 0; i < m; ++i)
        one[i * m + i] = 1;
    if (created) {
        r = poplin_create_qr_factorization_matrices(fixture.graph, POP_FLOAT, m, n, "qr", &q);
    } else {
        r = pop_graph_clone(fixture.graph, POP_TYPE_NULL, a, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "r");
        q = pop_graph_add_variable(fixture.graph, POP_FLOAT, POP_SHAPE(m, m), "q");
        fixture_map(&fixture, q, FIXTURE_SCATTERED);
    }
    fixture_write(&fixture, q, one, 0, 0);
    pop_sequence_add(fixture.program, pop_copy(a, r, false, NULL));
    poplin_qr_factorization(fixture.graph, r, q, fixture.program, "qr", POP_OPTIONS({ "rowsPerIteration", "16" }));
    double *got[2];
    fixture_run_all(&fixture, (const pop_tensor[]){ r, q }, got, 2);
    double *made = product(got[1], got[0], m, m, n, false), *unit = product(got[1], got[1], m, m, m, true);
    fixture_check(made, fixture_given(&fixture, a), m * n, 0, 1e-5);
    fixture_check(unit, one, m * m, 0, 1e-5);
    for (size_t i = 0; i < m * n; ++i) {
        if (i / n > i % n)
            assert_true(fabs(got[0][i]) < 1e-5);
        if (i == 0)
            assert_true((got[0][0] < 0) == (fixture_given(&fixture, a)[0] >= 0));
    }
    free(made);
    free(unit);
    free(one);
    fixture_close(&fixture);
}

static void test_qr(void **state)
{
    (void)state;
    static const size_t sizes[][2] = { { 1, 1 }, { 6, 6 }, { 23, 7 }, { 13, 1 }, { 17, 17 } };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t i = 0; i < 5; ++i)
            check_qr(device, sizes[i][0], sizes[i][1], i % 2 == 0);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, add_all);
    pop_tensor wide = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(2, 3), FIXTURE_LINEAR), upper,
               half = fixture_input(&fixture, POP_HALF, POP_SHAPE(3, 3), FIXTURE_LINEAR);
    poplin_lu_factorization(fixture.graph, pop_tensor_flatten(wide), fixture.program, "x", &upper);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "poplin_lu_factorization", "rank 1; it must be a matrix");
    poplin_create_qr_factorization_matrices(fixture.graph, POP_FLOAT, 2, 3, "x", &upper);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "poplin_create_qr_factorization_matrices", "2 rows and 3 columns");
    poplin_qr_factorization(fixture.graph, wide, wide, fixture.program, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "poplin_qr_factorization", "A is {2,3} and Q {2,3}");
    poplin_qr_factorization(fixture.graph, half, half, fixture.program, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_TYPE_ERROR, "poplin_qr_factorization", "A is half and Q half");
    poplin_qr_factorization(fixture.graph, wide, wide, fixture.program, "x", POP_OPTIONS({ "rows", "1" }));
    assert_error(fixture.graph, POP_INVALID_OPTION, "poplin_qr_factorization", "rowsPerIteration");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_lu), cmocka_unit_test(test_qr),
                                        cmocka_unit_test(mistakes_are_errors) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
