/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of sparse weights: read by indices, and updated by slices, against dense matrices in double precision. */
#include "poplibs/numeric.h"
#include "poplibs/popsparse/patterns.h"

#include <popops/codelets.h>
#include <popsparse/codelets.h>
#include <popsparse/embedding.h>

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    popsparse_add_codelets_at(where, graph);
}

struct table {
    size_t rows, columns, block, stored, indices;
    pop_type type;
    bool scattered;
    pop_options options;
};
struct run {
    const struct table *table;
    struct fixture fixture;
    struct pattern pattern;
    popsparse_dynamic_fully_connected_params params;
    popsparse_dynamic_partitioner *partitioner;
    popsparse_dynamic_sparse_tensor weights;
    popsparse_sparsity_data data;
    pop_tensor indices;
};

static void open_run(struct run *run, const struct table *t, enum fixture_device device, unsigned tiles)
{
    uint64_t random = t->stored;
    pop_error error;
    *run = (struct run){ .table = t, .fixture = fixture_open(device, tiles, add_codelets) };
    run->params = popsparse_dynamic_fully_connected_params_create_with_num_non_zero_values(
        popsparse_sparsity_params_make(t->block, t->block), t->stored * t->block * t->block, 8, 1, t->columns, t->rows);
    run->partitioner = popsparse_dynamic_partitioner_create(
        &run->params, t->type, pop_device_target(run->fixture.device), t->options, NULL, NULL, &error);
    run->pattern = pattern_empty(t->rows, t->columns, t->block, t->block);
    pattern_fill(&run->pattern, t->stored, &random);
    popsparse_matrix m = pattern_matrix(&run->pattern, POPSPARSE_CSC, &random);
    if (!run->partitioner ||
        popsparse_dynamic_partitioner_create_sparsity_data(run->partitioner, &m, &run->data, &error) != POP_OK)
        fail_msg("%s", error.text);
    popsparse_matrix_free(&m);
    run->weights = popsparse_dynamic_create_fully_connected_weights(run->fixture.graph, t->type, &run->params, "w",
                                                                    t->options, NULL);
    double *numbers = malloc(run->data.num_meta_info * sizeof(double));
    for (size_t i = 0; i < run->data.num_meta_info; ++i)
        numbers[i] = (double)run->data.meta_info[i];
    fixture_write(&run->fixture, run->weights.meta_info, numbers, 0, 0);
    fixture_write(&run->fixture, run->weights.nz_values, run->data.nz_values, 0, 0);
    free(numbers);
    run->indices =
        popsparse_dynamic_create_indices_tensor(run->fixture.graph, &run->params, t->indices, t->options, "i");
    numbers = malloc((t->indices + 1) * sizeof(double));
    for (size_t i = 0; i < t->indices; ++i) /* some rows several times, some indices out of range */
        numbers[i] = i % 7 == 3   ? 4294967295.0
                     : i % 7 == 5 ? (double)t->rows
                                  : (double)(next_random(&random) % t->rows);
    fixture_write(&run->fixture, run->indices, numbers, 0, 0);
    free(numbers);
}
static void close_run(struct run *run)
{
    popsparse_sparsity_data_free(&run->data);
    popsparse_dynamic_partitioner_destroy(run->partitioner);
    pattern_free(&run->pattern);
    fixture_close(&run->fixture);
}

static double rounded(double value, pop_type type)
{
    char data[8];
    pop_convert(POP_DOUBLE, &value, type, data, 1);
    pop_convert(type, data, POP_DOUBLE, &value, 1);
    return value;
}

static void check_slice(enum fixture_device device, unsigned tiles, const struct table *t)
{
    struct run run;
    open_run(&run, t, device, tiles);
    pop_tensor out = popsparse_dynamic_embedding_slice(run.fixture.graph, run.weights, run.indices, run.fixture.program,
                                                       &run.params, "slice", t->options, NULL);
    assert_built(run.fixture.graph);
    assert_int_equal(pop_tensor_dim(out, 0), t->indices);
    assert_int_equal(pop_tensor_dim(out, 1), t->columns);
    double *got = fixture_run(&run.fixture, out), *indices = fixture_given(&run.fixture, run.indices);
    for (size_t i = 0; i < t->indices; ++i)
        for (size_t c = 0; c < t->columns; ++c) {
            double wanted = indices[i] < (double)t->rows ? run.pattern.values[(size_t)indices[i] * t->columns + c] : 0;
            if (got[i * t->columns + c] != rounded(wanted, t->type))
                fail_msg("slice %zu, column %zu: %g where %g was expected", i, c, got[i * t->columns + c], wanted);
        }
    close_run(&run);
}

static void check_update(enum fixture_device device, unsigned tiles, const struct table *t)
{
    struct run run;
    double scale_value = -0.75, tolerance = t->type == POP_HALF ? 4e-3 : 1e-5;
    pop_error error;
    popsparse_matrix made;
    open_run(&run, t, device, tiles);
    pop_tensor slices = t->scattered
                            ? fixture_input(&run.fixture, t->type, POP_SHAPE(t->indices, t->columns), FIXTURE_SCATTERED)
                            : popsparse_dynamic_create_slice_tensor(run.fixture.graph, t->type, &run.params, t->indices,
                                                                    "slices", t->options, NULL);
    if (!t->scattered)
        fixture_write(&run.fixture, slices, NULL, -1, 1);
    pop_tensor scale = pop_graph_add_variable(run.fixture.graph, t->type, POP_SHAPE(), "scale");
    pop_graph_set_tile_mapping(run.fixture.graph, scale, 0);
    fixture_write(&run.fixture, scale, &scale_value, 0, 0);
    popsparse_dynamic_embedding_update_add(run.fixture.graph, run.weights, slices, run.indices, scale,
                                           run.fixture.program, &run.params, "update", t->options, NULL);
    double *given = fixture_given(&run.fixture, slices), *indices = fixture_given(&run.fixture, run.indices),
           *updated = fixture_run(&run.fixture, run.weights.nz_values);
    memcpy(run.data.nz_values, updated, run.data.num_nz_values * sizeof(double));
    assert_int_equal(
        popsparse_dynamic_partitioner_sparsity_data_to_matrix(run.partitioner, &run.data, POPSPARSE_COO, &made, &error),
        POP_OK);
    double *dense = dense_of(&made, t->rows, t->columns);
    for (size_t r = 0; r < t->rows; ++r)
        for (size_t c = 0; c < t->columns; ++c) {
            double wanted = run.pattern.values[r * t->columns + c], got = dense[r * t->columns + c];
            if (!run.pattern.present[r / t->block * (t->columns / t->block) + c / t->block])
                continue;
            for (size_t i = 0; i < t->indices; ++i)
                wanted += indices[i] == (double)r ? scale_value * given[i * t->columns + c] : 0;
            if (!(fabs(got - wanted) <= tolerance * (1 + fabs(wanted))))
                fail_msg("row %zu, column %zu: %g where %g was expected", r, c, got, wanted);
        }
    free(dense);
    popsparse_matrix_free(&made);
    close_run(&run);
}

#define TRAINING                                                                                                       \
    {                                                                                                                  \
        "doGradWPass", "true"                                                                                          \
    }

static void test_tables(void **state)
{
    (void)state;
    pop_options plain = POP_OPTIONS(TRAINING),
                spills = POP_OPTIONS(TRAINING, { "planConstraints", "{\"partition\":{\"x\":2,\"y\":3,\"z\":2}}" },
                                     { "partitioner.forceBucketSpills", "true" },
                                     { "metaInfoBucketOversizeProportion", "2" });
    for (enum fixture_device d = FIXTURE_CPU; d < FIXTURE_DEVICES; ++d)
        for (unsigned half = 0; half < 2; ++half) {
            struct table tables[] = { { 24, 20, 1, 120, 13, half ? POP_HALF : POP_FLOAT, false, plain },
                                      { 40, 24, 4, 20, 16, half ? POP_HALF : POP_FLOAT, true, plain },
                                      { 30, 18, 1, 100, 12, half ? POP_HALF : POP_FLOAT, false, spills },
                                      { 7, 5, 1, 20, 1, half ? POP_HALF : POP_FLOAT, true, plain },
                                      { 7, 5, 1, 20, 0, half ? POP_HALF : POP_FLOAT, false, plain } };
            for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); ++i) {
                if (i == 2 && d == FIXTURE_CPU)
                    continue; /* one tile has no splits */
                check_slice(d, 14, tables + i);
                check_update(d, 14, tables + i);
            }
        }
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct table t = { 8, 8, 1, 20, 4, POP_FLOAT, false, POP_NO_OPTIONS };
    struct run run;
    open_run(&run, &t, FIXTURE_MODEL, 5);
    pop_tensor slices = fixture_input(&run.fixture, POP_FLOAT, POP_SHAPE(3, 8), FIXTURE_LINEAR),
               reals = fixture_input(&run.fixture, POP_FLOAT, POP_SHAPE(4), FIXTURE_LINEAR);
    popsparse_dynamic_embedding_slice(run.fixture.graph, run.weights, reals, run.fixture.program, &run.params, NULL,
                                      POP_NO_OPTIONS, NULL);
    assert_error(run.fixture.graph, POP_POPLAR_ERROR, "popsparse_dynamic_embedding_slice",
                 "indices is float of rank 1");
    popsparse_dynamic_embedding_update_add(run.fixture.graph, run.weights, slices, run.indices, reals,
                                           run.fixture.program, &run.params, NULL, POP_NO_OPTIONS, NULL);
    assert_error(run.fixture.graph, POP_POPLAR_ERROR, "popsparse_dynamic_embedding_update_add",
                 "'doGradWPass' is not set");
    run.params.num_groups = 2;
    popsparse_dynamic_create_slice_tensor(run.fixture.graph, POP_FLOAT, &run.params, 3, NULL, POP_NO_OPTIONS, NULL);
    assert_error(run.fixture.graph, POP_POPLAR_ERROR, "popsparse_dynamic_create_slice_tensor",
                 "the layer has 2 groups");
    close_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_tables), cmocka_unit_test(mistakes_are_errors) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
