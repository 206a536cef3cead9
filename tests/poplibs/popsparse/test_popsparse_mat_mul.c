/* SPDX-License-Identifier: Apache-2.0 */
/* Products of sparse and dense matrices: groups, transposed operands, both types, against products in double precision.
 */
#include "poplibs/numeric.h"
#include "poplibs/popsparse/patterns.h"

#include <popops/codelets.h>
#include <popsparse/codelets.h>
#include <popsparse/mat_mul.h>

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    popsparse_add_codelets_at(where, graph);
}

struct product {
    size_t groups, m, k, n, block, stored;
    pop_type type;
    bool left, right; /* transposed */
    bool created;     /* the dense operand by the library */
};

/* Writes what the partitioner makes of a pattern. */
static void write_operand(struct fixture *fixture, const popsparse_dynamic_mat_mul_params *params,
                          const struct pattern *p, popsparse_dynamic_sparse_tensor lhs)
{
    uint64_t random = 2;
    pop_error error;
    popsparse_sparsity_data data;
    popsparse_matrix m = pattern_matrix(p, POPSPARSE_COO, &random);
    popsparse_dynamic_partitioner *partitioner = popsparse_dynamic_partitioner_create_mat_mul(
        params, pop_tensor_type(lhs.nz_values), pop_device_target(fixture->device), POP_NO_OPTIONS, NULL, "lhs",
        &error);
    if (!partitioner || popsparse_dynamic_partitioner_create_sparsity_data(partitioner, &m, &data, &error) != POP_OK)
        fail_msg("%s", error.text);
    double *numbers = malloc(data.num_meta_info * sizeof(double));
    for (size_t i = 0; i < data.num_meta_info; ++i)
        numbers[i] = (double)data.meta_info[i];
    fixture_write(fixture, lhs.meta_info, numbers, 0, 0);
    fixture_write(fixture, lhs.nz_values, data.nz_values, 0, 0);
    free(numbers);
    popsparse_sparsity_data_free(&data);
    popsparse_matrix_free(&m);
    popsparse_dynamic_partitioner_destroy(partitioner);
}

static void check_product(enum fixture_device device, unsigned tiles, const struct product *p)
{
    struct fixture fixture = fixture_open(device, tiles, add_codelets);
    popsparse_dynamic_mat_mul_params params = popsparse_dynamic_mat_mul_params_create_with_num_non_zero_values(
        popsparse_sparsity_params_make(p->block, p->block), p->stored * p->block * p->block, p->groups, p->m, p->k,
        p->n);
    struct pattern pattern = pattern_empty(p->groups * p->m, p->k, p->block, p->block);
    uint64_t random = p->stored;
    pattern_fill(&pattern, p->stored, &random);
    popsparse_dynamic_sparse_tensor lhs =
        popsparse_dynamic_create_sparse_dense_mat_mul_lhs(fixture.graph, p->type, &params, "lhs", POP_NO_OPTIONS, NULL);
    write_operand(&fixture, &params, &pattern, lhs);
    size_t lines = p->left ? p->k : p->m, others = p->left ? p->m : p->k;
    pop_shape shape = p->right ? POP_SHAPE(p->groups, p->n, others) : POP_SHAPE(p->groups, others, p->n);
    pop_tensor rhs = p->created ? popsparse_dynamic_create_sparse_dense_mat_mul_rhs(fixture.graph, p->type, &params,
                                                                                    "rhs", POP_NO_OPTIONS, NULL)
                                : fixture_input(&fixture, p->type, shape, FIXTURE_SCATTERED);
    if (p->created)
        fixture_write(&fixture, rhs, NULL, -1, 1);
    pop_tensor out = popsparse_dynamic_sparse_dense_mat_mul(fixture.graph, lhs, rhs, fixture.program, p->left, p->right,
                                                            "product", POP_NO_OPTIONS, NULL);
    assert_built(fixture.graph);
    double *got = fixture_run(&fixture, out), *given = fixture_given(&fixture, rhs),
           tolerance = p->type == POP_HALF ? 1e-2 : 1e-5;
    for (size_t g = 0; g < p->groups; ++g)
        for (size_t i = 0; i < lines; ++i)
            for (size_t c = 0; c < p->n; ++c) {
                double sum = 0, value = got[(g * lines + i) * p->n + c];
                for (size_t k = 0; k < others; ++k)
                    sum += pattern.values[(g * p->m + (p->left ? k : i)) * p->k + (p->left ? i : k)] *
                           given[p->right ? (g * p->n + c) * others + k : (g * others + k) * p->n + c];
                if (!(fabs(value - sum) <= tolerance * (1 + fabs(sum))))
                    fail_msg("group %zu, row %zu, column %zu: %g where %g was expected", g, i, c, value, sum);
            }
    pattern_free(&pattern);
    fixture_close(&fixture);
}

static void test_products(void **state)
{
    (void)state;
    for (enum fixture_device d = FIXTURE_CPU; d < FIXTURE_DEVICES; ++d)
        for (unsigned i = 0; i < 8; ++i) {
            pop_type type = i & 1 ? POP_HALF : POP_FLOAT;
            check_product(d, 13, &(struct product){ 1 + i % 3, 19, 23, 1 + i, 1, 30 + i, type, i & 2, i & 4, false });
            check_product(d, 10, &(struct product){ 1 + i % 2, 16, 24, 8, 4, 9, type, i & 2, i & 4, false });
        }
    check_product(FIXTURE_MODEL, 16, &(struct product){ 1, 32, 24, 16, 8, 5, POP_HALF, false, false, true });
    check_product(FIXTURE_MODEL, 16, &(struct product){ 2, 10, 12, 6, 1, 50, POP_FLOAT, false, false, true });
    check_product(FIXTURE_MODEL, 4, &(struct product){ 1, 5, 4, 0, 1, 3, POP_FLOAT, false, false, false });
    check_product(FIXTURE_MODEL, 4, &(struct product){ 1, 5, 4, 3, 1, 0, POP_FLOAT, true, false, false });
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 8, add_codelets);
    static const char api[] = "popsparse_dynamic_sparse_dense_mat_mul";
    popsparse_dynamic_mat_mul_params params =
        popsparse_dynamic_mat_mul_params_create_with_nz_ratio(popsparse_sparsity_params_make(1, 1), 0.3, 1, 8, 6, 4);
    assert_int_equal(params.num_non_zero_values, 15);
    popsparse_dynamic_sparse_tensor lhs = popsparse_dynamic_create_sparse_dense_mat_mul_lhs(
                                        fixture.graph, POP_FLOAT, &params, "lhs", POP_NO_OPTIONS, NULL),
                                    plain = lhs;
    pop_tensor rhs = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(1, 6, 4), FIXTURE_LINEAR);
    plain.op = NULL;
    popsparse_dynamic_sparse_dense_mat_mul(fixture.graph, plain, rhs, fixture.program, false, false, NULL,
                                           POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, api, "has no meta-data of its operation");
    plain.op = "matMul: 0 groups";
    popsparse_dynamic_sparse_dense_mat_mul(fixture.graph, plain, rhs, fixture.program, false, false, NULL,
                                           POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, api, "has no meta-data of its operation");
    popsparse_dynamic_sparse_dense_mat_mul(fixture.graph, lhs, rhs, fixture.program, false, true, NULL, POP_NO_OPTIONS,
                                           NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, api, "the dense operand: the shape is {1,6,4}; it must be {1,4,6}");
    popsparse_dynamic_sparse_dense_mat_mul(fixture.graph, lhs, rhs, fixture.program, false, false, NULL,
                                           POP_OPTIONS({ "metaInfoBucketOversizeProportion", "0.5" }), NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, api, "was created for another operation or with other options");
    popsparse_dynamic_create_sparse_dense_mat_mul_lhs(fixture.graph, POP_FLOAT, &params, "lhs",
                                                      POP_OPTIONS({ "doGradAPass", "true" }), NULL);
    assert_error(fixture.graph, POP_INVALID_OPTION, "popsparse_dynamic_create_sparse_dense_mat_mul_lhs",
                 "Unrecognised option 'doGradAPass'");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_products), cmocka_unit_test(mistakes_are_errors) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
