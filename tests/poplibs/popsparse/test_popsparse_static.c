/* SPDX-License-Identifier: Apache-2.0 */
/* Products whose pattern is fixed, with the sparse matrix on either side, against products in double precision. */
#include "poplibs/numeric.h"
#include "poplibs/popsparse/patterns.h"

#include <popops/codelets.h>
#include <popsparse/codelets.h>
#include <popsparse/static_mat_mul.h>

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    popsparse_add_codelets_at(where, graph);
}

struct product {
    size_t m, k, n, block, stored;
    pop_type type;
    bool on_right;  /* dense x sparse */
    bool exchanged; /* the dense operand's dimensions */
    bool created;
    pop_options options;
};

static pop_tensor dense_of_product(struct fixture *fixture, const struct product *p,
                                   const popsparse_static_mat_mul_params *params, const popsparse_matrix *m)
{
    if (!p->created)
        return fixture_input(fixture, p->type,
                             p->on_right != p->exchanged ? POP_SHAPE(1, p->n, p->k) : POP_SHAPE(1, p->k, p->n),
                             FIXTURE_SCATTERED);
    pop_tensor made = p->on_right ? popsparse_static_create_dense_sparse_mat_mul_lhs(fixture->graph, p->type, params, m,
                                                                                     "dense", p->options, NULL)
                                  : popsparse_static_create_sparse_dense_mat_mul_rhs(fixture->graph, p->type, params, m,
                                                                                     "dense", p->options, NULL);
    fixture_write(fixture, made, NULL, -1, 1);
    return made;
}

static void check_values(const struct product *p, const struct pattern *pattern, const double *given, const double *got)
{
    double tolerance = p->type == POP_HALF ? 1e-2 : 1e-5;
    for (size_t i = 0; i < p->m; ++i)
        for (size_t c = 0; c < p->n; ++c) {
            double sum = 0, value = p->on_right ? got[c * p->m + i] : got[i * p->n + c];
            for (size_t k = 0; k < p->k; ++k)
                sum += (p->on_right ? pattern->values[k * p->m + i] : pattern->values[i * p->k + k]) *
                       (p->on_right != p->exchanged ? given[c * p->k + k] : given[k * p->n + c]);
            if (!(fabs(value - sum) <= tolerance * (1 + fabs(sum))))
                fail_msg("row %zu, column %zu: %g where %g was expected", i, c, value, sum);
        }
}

static void check_product(enum fixture_device device, unsigned tiles, const struct product *p)
{
    struct fixture fixture = fixture_open(device, tiles, add_codelets);
    uint64_t random = p->stored + tiles;
    pop_error error;
    popsparse_sparsity_data data;
    popsparse_static_mat_mul_params params =
        p->on_right ? popsparse_static_mat_mul_params_create_for_dense_sparse(1, p->n, p->k, p->m)
                    : popsparse_static_mat_mul_params_create_for_sparse_dense(1, p->m, p->k, p->n);
    struct pattern pattern = pattern_empty(p->on_right ? p->k : p->m, p->on_right ? p->m : p->k, p->block, p->block);
    pattern_fill(&pattern, p->stored, &random);
    popsparse_matrix m = pattern_matrix(&pattern, POPSPARSE_CSR, &random), back;
    popsparse_static_partitioner *partitioner = popsparse_static_partitioner_create(
        &params, p->type, pop_device_target(fixture.device), p->options, NULL, NULL, &error);
    if (!partitioner || popsparse_static_partitioner_create_sparsity_data(partitioner, &m, &data, &error) != POP_OK)
        fail_msg("%s", error.text);
    popsparse_static_sparse_tensor sparse =
        p->on_right ? popsparse_static_create_dense_sparse_mat_mul_rhs(fixture.graph, p->type, &params, &m, "sparse",
                                                                       p->options, NULL)
                    : popsparse_static_create_sparse_dense_mat_mul_lhs(fixture.graph, p->type, &params, &m, "sparse",
                                                                       p->options, NULL);
    assert_built(fixture.graph);
    assert_int_equal(data.num_nz_values, pop_tensor_num_elements(sparse.nz_values));
    fixture_write(&fixture, sparse.nz_values, data.nz_values, 0, 0);
    pop_tensor dense = dense_of_product(&fixture, p, &params, &m);
    pop_tensor out = p->on_right
                         ? popsparse_static_dense_sparse_mat_mul(fixture.graph, dense, sparse, fixture.program,
                                                                 p->exchanged, false, "product", p->options, NULL)
                         : popsparse_static_sparse_dense_mat_mul(fixture.graph, sparse, dense, fixture.program, false,
                                                                 p->exchanged, "product", p->options, NULL);
    double *got = fixture_run(&fixture, out);
    check_values(p, &pattern, fixture_given(&fixture, dense), got);
    assert_int_equal(
        popsparse_static_partitioner_sparsity_data_to_matrix(partitioner, &data, POPSPARSE_CSC, &back, &error), POP_OK);
    double *values = dense_of(&back, pattern.rows, pattern.columns);
    assert_memory_equal(values, pattern.values, pattern.rows * pattern.columns * sizeof(double));
    free(values);
    ++data.num_nz_values;
    popsparse_matrix none;
    assert_int_equal(
        popsparse_static_partitioner_sparsity_data_to_matrix(partitioner, &data, POPSPARSE_CSC, &none, &error),
        POP_POPLAR_ERROR);
    assert_non_null(strstr(error.text, "Sparsity representation does not match"));
    popsparse_matrix_free(&back);
    popsparse_matrix_free(&m);
    popsparse_sparsity_data_free(&data);
    popsparse_static_partitioner_destroy(partitioner);
    pattern_free(&pattern);
    fixture_close(&fixture);
}

static void test_products(void **state)
{
    (void)state;
    for (enum fixture_device d = FIXTURE_CPU; d < FIXTURE_DEVICES; ++d)
        for (unsigned i = 0; i < 8; ++i) {
            pop_type type = i & 1 ? POP_HALF : POP_FLOAT;
            check_product(d, 11, &(struct product){ 17, 23, 2 + i, 1, 40, type, i & 2, i & 4, false, POP_NO_OPTIONS });
            check_product(d, 14, &(struct product){ 32, 24, 6, 8, 5, type, i & 2, i & 4, false, POP_NO_OPTIONS });
        }
    pop_options bands = POP_OPTIONS({ "numBands", "3" }, { "nSplit", "2" }); /* 48 / 3, 12 / 3 */
    check_product(FIXTURE_MODEL, 16, &(struct product){ 64, 48, 8, 16, 6, POP_HALF, false, false, true, bands });
    check_product(FIXTURE_MODEL, 16, &(struct product){ 16, 12, 8, 4, 9, POP_FLOAT, true, false, true, bands });
    check_product(FIXTURE_MODEL, 16,
                  &(struct product){ 64, 48, 8, 16, 6, POP_HALF, false, false, true, POP_NO_OPTIONS });
    check_product(FIXTURE_MODEL, 16,
                  &(struct product){ 16, 12, 8, 4, 12, POP_FLOAT, true, false, true, POP_NO_OPTIONS });
    check_product(FIXTURE_MODEL, 9, &(struct product){ 9, 12, 5, 1, 0, POP_FLOAT, false, false, true, POP_NO_OPTIONS });
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 4, add_codelets);
    size_t rows[] = { 0, 1, 1, 2, 2 }, columns[] = { 3, 0 };
    double values[] = { 1, 2 };
    popsparse_matrix m = { POPSPARSE_CSR, 4, 5, { 1, 1 }, 2, 5, 2, values, rows, columns };
    popsparse_static_mat_mul_params params = popsparse_static_mat_mul_params_create_for_sparse_dense(1, 4, 5, 2);
    popsparse_static_sparse_tensor lhs = popsparse_static_create_sparse_dense_mat_mul_lhs(
        fixture.graph, POP_FLOAT, &params, &m, "lhs", POP_NO_OPTIONS, NULL);
    pop_tensor rhs = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(1, 5, 2), FIXTURE_LINEAR);
    assert_built(fixture.graph);
    popsparse_static_sparse_dense_mat_mul(fixture.graph, lhs, rhs, fixture.program, true, false, NULL, POP_NO_OPTIONS,
                                          NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popsparse_static_sparse_dense_mat_mul", "cannot be transposed");
    popsparse_static_dense_sparse_mat_mul(fixture.graph, rhs, lhs, fixture.program, false, false, NULL, POP_NO_OPTIONS,
                                          NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popsparse_static_dense_sparse_mat_mul",
                 "created for another operation");
    popsparse_static_create_dense_sparse_mat_mul_rhs(fixture.graph, POP_FLOAT, &params, &m, NULL, POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popsparse_static_create_dense_sparse_mat_mul_rhs",
                 "params are those of sparse x dense");
    params.num_groups = 2;
    popsparse_static_create_sparse_dense_mat_mul_lhs(fixture.graph, POP_FLOAT, &params, &m, NULL, POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popsparse_static_create_sparse_dense_mat_mul_lhs", "has one group");
    lhs.op = NULL;
    popsparse_static_sparse_dense_mat_mul(fixture.graph, lhs, rhs, fixture.program, false, false, NULL, POP_NO_OPTIONS,
                                          NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popsparse_static_sparse_dense_mat_mul", "has no meta-data");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_products), cmocka_unit_test(mistakes_are_errors) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
