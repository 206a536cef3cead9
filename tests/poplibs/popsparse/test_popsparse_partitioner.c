/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of the host become buckets and matrices again; what does not fit or is not consistent is an error. */
#include "poplibs/popsparse/patterns.h"

struct layer {
    size_t groups, rows, columns, batch, block_rows, block_columns, nz; /* rows and columns of a group */
    unsigned tiles;                                                     /* 0: the CPU */
    pop_options options;
};

static popsparse_dynamic_partitioner *partitioner_of(const struct layer *l)
{
    pop_target target = pop_target_create_cpu(true, 1);
    pop_error error;
    if (l->tiles && pop_target_create_ipu_options(1, l->tiles, "ipu2", POP_NO_OPTIONS, &target, &error) != POP_OK)
        fail_msg("%s", error.text);
    popsparse_dynamic_fully_connected_params params =
        popsparse_dynamic_fully_connected_params_create_with_num_non_zero_values(
            popsparse_sparsity_params_make(l->block_rows, l->block_columns), l->nz, l->batch, l->groups, l->columns,
            l->rows);
    popsparse_dynamic_partitioner *p =
        popsparse_dynamic_partitioner_create(&params, POP_FLOAT, &target, l->options, NULL, "weights", &error);
    if (!p)
        fail_msg("%s", error.text);
    return p;
}

/* There and back in all formats gives the same values. */
static void check_round(const struct layer *l, const struct pattern *pattern, uint64_t *random)
{
    popsparse_dynamic_partitioner *p = partitioner_of(l);
    size_t sizes[2] = { 0, 0 };
    pop_error error;
    for (popsparse_format from = POPSPARSE_COO; from <= POPSPARSE_CSC; ++from)
        for (popsparse_format to = POPSPARSE_COO; to <= POPSPARSE_CSC; ++to) {
            popsparse_matrix given = pattern_matrix(pattern, from, random), made;
            popsparse_sparsity_data data;
            if (popsparse_dynamic_partitioner_create_sparsity_data(p, &given, &data, &error) != POP_OK)
                fail_msg("%s", error.text);
            for (size_t i = 0; i < data.num_meta_info; ++i)
                assert_true(data.meta_info[i] <= UINT16_MAX);
            assert_true(!sizes[0] || (data.num_meta_info == sizes[0] && data.num_nz_values == sizes[1]));
            sizes[0] = data.num_meta_info, sizes[1] = data.num_nz_values;
            if (popsparse_dynamic_partitioner_sparsity_data_to_matrix(p, &data, to, &made, &error) != POP_OK)
                fail_msg("%s", error.text);
            assert_int_equal(made.num_nz_values, given.num_nz_values);
            assert_true(made.num_rows == (to == POPSPARSE_COO ? 0 : pattern->rows));
            double *dense = dense_of(&made, pattern->rows, pattern->columns);
            assert_memory_equal(dense, pattern->values, pattern->rows * pattern->columns * sizeof(double));
            free(dense);
            popsparse_sparsity_data_free(&data);
            popsparse_matrix_free(&made);
            popsparse_matrix_free(&given);
        }
    popsparse_dynamic_partitioner_destroy(p);
}

static void test_round_trips(void **state)
{
    (void)state;
    static const size_t blocks[][2] = { { 1, 1 }, { 4, 4 }, { 8, 8 }, { 16, 16 }, { 4, 8 }, { 2, 3 } };
    uint64_t random = 7;
    for (size_t b = 0; b < sizeof(blocks) / sizeof(blocks[0]); ++b)
        for (unsigned seed = 0; seed < 4; ++seed) {
            size_t groups = 1 + seed % 2, rows = blocks[b][0] * (5 + 3 * seed), columns = blocks[b][1] * (7 + 2 * seed);
            size_t all = groups * (5 + 3 * seed) * (7 + 2 * seed), stored = seed == 2 ? all : 1 + all / (2 + seed);
            struct layer l = {
                groups,    rows,          columns, 4, blocks[b][0], blocks[b][1], stored * blocks[b][0] * blocks[b][1],
                seed * 11, POP_NO_OPTIONS
            };
            struct pattern p = pattern_empty(groups * rows, columns, blocks[b][0], blocks[b][1]);
            pattern_fill(&p, stored, &random);
            check_round(&l, &p, &random);
            pattern_free(&p);
        }
}

/* All values in one corner, and forced spills: the other buckets take them. */
static void test_uneven_patterns(void **state)
{
    (void)state;
    uint64_t random = 3;
    struct layer l = { 1, 48, 48, 2, 1, 1, 24 * 12, 16, POP_NO_OPTIONS };
    struct pattern corner = pattern_empty(48, 48, 1, 1), column = pattern_empty(48, 48, 1, 1),
                   none = pattern_empty(48, 48, 1, 1);
    for (size_t i = 0; i < 24 * 12; ++i)
        pattern_add(&corner, i / 12, i % 12, &random);
    for (size_t i = 0; i < 48; ++i)
        pattern_add(&column, i, 5, &random);
    check_round(&l, &corner, &random);
    check_round(&l, &column, &random);
    check_round(&l, &none, &random);
    l.options = POP_OPTIONS({ "partitioner.optimiseForSpeed", "false" });
    check_round(&l, &corner, &random);
    pop_options spills =
        POP_OPTIONS({ "partitioner.forceBucketSpills", "true" }, { "metaInfoBucketOversizeProportion", "1" });
    l.options = spills;
    check_round(&l, &column, &random);
    pop_options passes = POP_OPTIONS({ "doGradAPass", "true" }, { "doGradWPass", "true" });
    l.options = passes;
    check_round(&l, &corner, &random);
    pattern_free(&corner);
    pattern_free(&column);
    pattern_free(&none);
}

static void expect_refused(const popsparse_dynamic_partitioner *p, const popsparse_matrix *m, const char *words)
{
    popsparse_sparsity_data data;
    pop_error error;
    assert_int_equal(popsparse_dynamic_partitioner_create_sparsity_data(p, m, &data, &error), POP_POPLAR_ERROR);
    if (!strstr(error.text, words))
        fail_msg("'%s' not in '%s'", words, error.text);
    assert_null(data.meta_info);
    assert_non_null(error.where.file);
}

/* As many values as there are places fit, wherever they are; one more does not. */
static void test_full_buckets(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 6; ++seed) {
        uint64_t random = seed;
        size_t stored = 96;
        struct layer l = { 1,      32,       32,
                           2,      1,        1,
                           stored, 4 + seed, POP_OPTIONS({ "metaInfoBucketOversizeProportion", "4" }) };
        popsparse_dynamic_partitioner *p = partitioner_of(&l);
        struct pattern few = pattern_empty(32, 32, 1, 1);
        pattern_fill(&few, 1, &random);
        popsparse_matrix m = pattern_matrix(&few, POPSPARSE_COO, &random);
        popsparse_sparsity_data data;
        assert_int_equal(popsparse_dynamic_partitioner_create_sparsity_data(p, &m, &data, NULL), POP_OK);
        popsparse_matrix_free(&m);
        size_t places = data.num_nz_values;
        popsparse_sparsity_data_free(&data);
        assert_true(places >= stored && places < 32 * 32);
        pattern_fill(&few, places, &random);
        check_round(&l, &few, &random);
        pattern_fill(&few, places + 1, &random);
        m = pattern_matrix(&few, POPSPARSE_CSR, &random);
        expect_refused(p, &m, "Overflow in buckets: 1 of ");
        popsparse_matrix_free(&m);
        pattern_free(&few);
        popsparse_dynamic_partitioner_destroy(p);
    }
}

static void test_inconsistent_matrices(void **state)
{
    (void)state;
    struct layer l = { 1, 8, 12, 2, 4, 4, 64, 6, POP_NO_OPTIONS };
    popsparse_dynamic_partitioner *p = partitioner_of(&l);
    double values[64] = { 0 };
    size_t rows[] = { 0, 4, 0, 4 }, columns[] = { 8, 0, 0, 8 }, offsets[] = { 0, 32, 64 };
    popsparse_matrix good = { POPSPARSE_COO, 8, 12, { 4, 4 }, 64, 4, 4, values, rows, columns }, m = good;
    popsparse_sparsity_data data;
    assert_int_equal(popsparse_dynamic_partitioner_create_sparsity_data(p, &m, &data, NULL), POP_OK);
    popsparse_sparsity_data_free(&data);
    m.num_rows = 12;
    expect_refused(p, &m, "COO Validation failed: the matrix is 12 x 12");
    m = good;
    m.block_dimensions[1] = 2;
    expect_refused(p, &m, "blocks are 4 x 2, and those of the operation 4 x 4");
    m = good;
    m.num_nz_values = 63;
    expect_refused(p, &m, "63 values are no whole number of blocks");
    m = good;
    m.num_column_indices = 3;
    expect_refused(p, &m, "3 column indices where 4 are needed");
    m = good;
    m.row_indices = (size_t[]){ 0, 4, 2, 4 };
    expect_refused(p, &m, "row index 2 is 2; it must be below 8 and a multiple of the block's 4");
    m.row_indices = (size_t[]){ 0, 8, 0, 4 };
    expect_refused(p, &m, "row index 1 is 8");
    m.row_indices = (size_t[]){ 0, 4, 0, 0 };
    expect_refused(p, &m, "two entries are at row 0, column 8");
    m = (popsparse_matrix){ POPSPARSE_CSR, 0, 0, { 4, 4 }, 64, 3, 4, values, offsets, columns };
    assert_int_equal(popsparse_dynamic_partitioner_create_sparsity_data(p, &m, &data, NULL), POP_OK);
    popsparse_sparsity_data_free(&data);
    m.row_indices = (size_t[]){ 0, 80, 64 };
    expect_refused(p, &m, "CSR Validation failed: offset 2 of rows is 64");
    m.row_indices = (size_t[]){ 0, 16, 48 };
    expect_refused(p, &m, "the last offset of rows is 48 where there are 64 values");
    m = (popsparse_matrix){ POPSPARSE_CSC, 0, 0, { 4, 4 }, 64, 4, 4, values, rows, (size_t[]){ 0, 16, 17, 64 } };
    expect_refused(p, &m, "CSC Validation failed: offset 2 of columns is 17");
    popsparse_dynamic_partitioner_destroy(p);
}

/* Numbers that no partitioner has made are refused, whatever they are. */
static void test_foreign_data(void **state)
{
    (void)state;
    struct layer l = { 1, 16, 16, 2, 1, 1, 64, 4, POP_NO_OPTIONS };
    popsparse_dynamic_partitioner *p = partitioner_of(&l);
    struct pattern pattern = pattern_empty(16, 16, 1, 1);
    uint64_t random = 5;
    pop_error error;
    pattern_fill(&pattern, 60, &random);
    popsparse_matrix m = pattern_matrix(&pattern, POPSPARSE_COO, &random), made;
    popsparse_sparsity_data data;
    assert_int_equal(popsparse_dynamic_partitioner_create_sparsity_data(p, &m, &data, &error), POP_OK);
    unsigned refused = 0;
    for (unsigned i = 0; i < 500; ++i) {
        size_t *at = data.meta_info + next_random(&random) % data.num_meta_info, kept = *at;
        *at = next_random(&random) % (i & 1 ? 65536 : 40);
        pop_status status =
            popsparse_dynamic_partitioner_sparsity_data_to_matrix(p, &data, POPSPARSE_CSR, &made, &error);
        refused += status != POP_OK;
        popsparse_matrix_free(&made);
        *at = kept;
    }
    assert_true(refused > 100);
    assert_non_null(strstr(error.text, "is no pattern of this operation"));
    --data.num_nz_values;
    assert_int_equal(popsparse_dynamic_partitioner_sparsity_data_to_matrix(p, &data, POPSPARSE_CSR, &made, &error),
                     POP_POPLAR_ERROR);
    popsparse_sparsity_data_free(&data);
    popsparse_matrix_free(&m);
    pattern_free(&pattern);
    popsparse_dynamic_partitioner_destroy(p);
}

static void refuse_params(size_t rows, size_t block, size_t nz, pop_options options, const char *words)
{
    pop_target target = pop_target_create_cpu(true, 1);
    pop_error error = { 0 };
    popsparse_dynamic_mat_mul_params params = popsparse_dynamic_mat_mul_params_create_with_num_non_zero_values(
        popsparse_sparsity_params_make(block, block), nz, 1, rows, 8, 4);
    assert_null(popsparse_dynamic_partitioner_create_mat_mul(&params, POP_HALF, &target, options, NULL, NULL, &error));
    if (!strstr(error.text, words))
        fail_msg("'%s' not in '%s'", words, error.text);
}

static void test_parameters(void **state)
{
    (void)state;
    popsparse_sparsity_params single = popsparse_sparsity_params_make(1, 1);
    popsparse_dynamic_fully_connected_params params =
        popsparse_dynamic_fully_connected_params_create_with_nz_ratio(single, 0.1, 4, 2, 7, 11);
    assert_int_equal(single.type, POPSPARSE_SPARSITY_ELEMENT);
    assert_int_equal(popsparse_sparsity_params_make(4, 1).type, POPSPARSE_SPARSITY_BLOCK);
    assert_int_equal(params.num_non_zero_values, 16); /* 15.4 */
    assert_int_equal(popsparse_dynamic_fully_connected_params_validate(&params, NULL), POP_OK);
    params.nz_ratio = 1.5;
    assert_int_equal(popsparse_dynamic_fully_connected_params_validate(&params, NULL), POP_POPLAR_ERROR);
    refuse_params(10, 4, 16, POP_NO_OPTIONS, "a matrix of 10 x 8 is not divided into blocks of 4 x 4");
    refuse_params(8, 4, 65, POP_NO_OPTIONS, "the share of non-zero values is 1.01562");
    refuse_params(8, 1, 16, POP_OPTIONS({ "doGradAPas", "true" }), "Unrecognised option 'doGradAPas'");
    refuse_params(8, 1, 16, POP_OPTIONS({ "planConstraints", "{\"partition\":{\"w\":1}}" }), "'partition.w'");
    refuse_params(8, 1, 16, POP_OPTIONS({ "planConstraints", "{\"useDense\":true}" }), "'useDense'");
    refuse_params(8, 1, 16, POP_OPTIONS({ "planConstraints", "{\"partition\":{\"x\":64}}" }), "no plan splits 8 x 8");
    refuse_params(8, 1, 16, POP_OPTIONS({ "planConstraints", "{" }),
                  "it takes JSON: {\"partition\": {...}} with x, y and z");
    refuse_params(8, 1, 16, POP_OPTIONS({ "metaInfoBucketOversizeProportion", "-1" }), "must be from 0 to 1000");
}

static void test_plan_partitions(void **state)
{
    (void)state;
    struct layer l = { 1,  30, 20,
                       8,  1,  1,
                       60, 12, POP_OPTIONS({ "planConstraints", "{\"partition\":{\"x\":3,\"y\":2,\"z\":2}}" }) };
    popsparse_dynamic_partitioner *p = partitioner_of(&l);
    size_t starts[3];
    assert_int_equal(popsparse_dynamic_partitioner_get_plan_partitions(p, 0, starts, 3), 3);
    assert_true(starts[0] == 0 && starts[1] == 10 && starts[2] == 20);
    assert_int_equal(popsparse_dynamic_partitioner_get_plan_partitions(p, 1, starts, 3), 2);
    assert_int_equal(starts[1], 10);
    assert_int_equal(popsparse_dynamic_partitioner_get_plan_partitions(p, 2, starts, 3), 2);
    assert_int_equal(starts[1], 4);
    assert_true(popsparse_dynamic_partitioner_get_meta_info_bucket_elements(p) > 10);
    popsparse_dynamic_partitioner_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),     cmocka_unit_test(test_uneven_patterns),
        cmocka_unit_test(test_full_buckets),    cmocka_unit_test(test_inconsistent_matrices),
        cmocka_unit_test(test_foreign_data),    cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_plan_partitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
