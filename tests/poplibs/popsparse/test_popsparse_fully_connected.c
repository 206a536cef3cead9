/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layers with sparse weights in all passes, with several patterns in one engine, against dense products
 * in double precision. */
#include "poplibs/numeric.h"
#include "poplibs/popsparse/patterns.h"

#include <popops/codelets.h>
#include <popsparse/codelets.h>
#include <popsparse/fully_connected.h>

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    popsparse_add_codelets_at(where, graph);
}

struct layer {
    size_t groups, rows, columns, batch, block_rows, block_columns, stored; /* of a group; stored: blocks of all */
    pop_type type;
    bool scattered; /* data with mappings of their own */
    pop_options options;
};

struct run {
    const struct layer *layer;
    struct fixture fixture;
    popsparse_dynamic_partitioner *partitioner;
    popsparse_dynamic_sparse_tensor weights;
    pop_tensor in, grad, out, grad_in, grad_w;
};

static void open_run(struct run *run, const struct layer *l, enum fixture_device device, unsigned tiles)
{
    pop_error error;
    popsparse_planning_cache *cache = popsparse_planning_cache_create(NULL);
    run->layer = l;
    run->fixture = fixture_open(device, tiles, add_codelets);
    pop_graph *g = run->fixture.graph;
    popsparse_dynamic_fully_connected_params params =
        popsparse_dynamic_fully_connected_params_create_with_num_non_zero_values(
            popsparse_sparsity_params_make(l->block_rows, l->block_columns),
            l->stored * l->block_rows * l->block_columns, l->batch, l->groups, l->columns, l->rows);
    run->partitioner = popsparse_dynamic_partitioner_create(&params, l->type, pop_device_target(run->fixture.device),
                                                            l->options, cache, "weights", &error);
    if (!run->partitioner)
        fail_msg("%s", error.text);
    assert_int_equal(popsparse_planning_cache_size(cache), 1);
    run->weights = popsparse_dynamic_create_fully_connected_weights(g, l->type, &params, "weights", l->options, cache);
    run->in =
        l->scattered
            ? fixture_input(&run->fixture, l->type, POP_SHAPE(l->batch, l->groups * l->columns), FIXTURE_SCATTERED)
            : popsparse_dynamic_create_fully_connected_input(g, l->type, &params, "in", l->options, NULL);
    if (!l->scattered)
        fixture_write(&run->fixture, run->in, NULL, -1, 1);
    run->grad = fixture_input(&run->fixture, l->type, POP_SHAPE(l->batch, l->groups * l->rows), FIXTURE_SCATTERED);
    run->out = popsparse_dynamic_fully_connected_fwd(g, run->weights, run->in, &params, run->fixture.program, "fwd",
                                                     l->options, cache);
    run->grad_in = popsparse_dynamic_fully_connected_grad_a(g, run->weights, run->grad, &params, run->fixture.program,
                                                            "gradA", l->options, cache);
    run->grad_w = popsparse_dynamic_fully_connected_sparse_grad_w(
        g, run->weights.meta_info, run->grad, run->in, &params, run->fixture.program, "gradW", l->options, NULL);
    assert_built(g);
    assert_int_equal(popsparse_planning_cache_size(cache), 1);
    popsparse_planning_cache_destroy(cache);
    pop_graph_create_host_write(g, "pattern", run->weights.meta_info);
    pop_graph_create_host_write(g, "values", run->weights.nz_values);
}

static void write_numbers(struct run *run, const char *handle, pop_type type, const double *values, size_t count)
{
    pop_error error;
    void *data = malloc(count * 8 + 1);
    pop_convert(POP_DOUBLE, values, type, data, count);
    if (pop_engine_write_tensor(run->fixture.engine, handle, data, POP_WHOLE, &error) != POP_OK)
        fail_msg("%s", error.text);
    free(data);
}
static double *read_numbers(struct run *run, const char *handle, pop_tensor t)
{
    pop_error error;
    size_t count = pop_tensor_num_elements(t);
    void *data = malloc(count * 8 + 1);
    double *values = malloc(count * sizeof(double) + 1);
    if (pop_engine_read_tensor(run->fixture.engine, handle, data, POP_WHOLE, &error) != POP_OK)
        fail_msg("%s", error.text);
    pop_convert(pop_tensor_type(t), data, POP_DOUBLE, values, count);
    free(data);
    return values;
}

/* result {batch, groups x lines} of data {batch, groups x others}. */
static void check_product(const struct run *run, const struct pattern *p, const double *data, const double *result,
                          bool transposed)
{
    const struct layer *l = run->layer;
    double tolerance = l->type == POP_HALF ? 2e-2 : 1e-4;
    size_t lines = transposed ? l->columns : l->rows, others = transposed ? l->rows : l->columns;
    for (size_t b = 0; b < l->batch; ++b)
        for (size_t g = 0; g < l->groups; ++g)
            for (size_t i = 0; i < lines; ++i) {
                double sum = 0, got = result[(b * l->groups + g) * lines + i];
                for (size_t k = 0; k < others; ++k) {
                    size_t row = g * l->rows + (transposed ? k : i), column = transposed ? i : k;
                    sum += p->values[row * l->columns + column] * data[(b * l->groups + g) * others + k];
                }
                if (!(fabs(got - sum) <= tolerance * (1 + fabs(sum))))
                    fail_msg("%s: batch %zu, group %zu, line %zu: %g where %g was expected",
                             transposed ? "gradA" : "fwd", b, g, i, got, sum);
            }
}
static void check_grad_w(const struct run *run, const struct pattern *p, const double *in, const double *grad,
                         const popsparse_sparsity_data *data)
{
    const struct layer *l = run->layer;
    double tolerance = l->type == POP_HALF ? 2e-2 : 1e-4, zeros = 0;
    popsparse_matrix made;
    pop_error error;
    if (popsparse_dynamic_partitioner_sparsity_data_to_matrix(run->partitioner, data, POPSPARSE_COO, &made, &error) !=
        POP_OK)
        fail_msg("%s", error.text);
    double *dense = dense_of(&made, p->rows, p->columns);
    assert_int_equal(made.num_nz_values, p->blocks * p->block_rows * p->block_columns);
    for (size_t row = 0; row < p->rows; ++row)
        for (size_t column = 0; column < p->columns; ++column) {
            size_t g = row / l->rows, i = row % l->rows;
            double sum = 0, got = dense[row * p->columns + column];
            if (!p->present[row / p->block_rows * (p->columns / p->block_columns) + column / p->block_columns])
                continue;
            for (size_t b = 0; b < l->batch; ++b)
                sum += grad[(b * l->groups + g) * l->rows + i] * in[(b * l->groups + g) * l->columns + column];
            if (!(fabs(got - sum) <= tolerance * (1 + fabs(sum))))
                fail_msg("gradW: row %zu, column %zu: %g where %g was expected", row, column, got, sum);
        }
    for (size_t i = 0; i < data->num_nz_values; ++i)
        zeros += data->nz_values[i] == 0;
    assert_true(zeros >= (double)(data->num_nz_values - made.num_nz_values)); /* in unused elements of buckets */
    free(dense);
    popsparse_matrix_free(&made);
}

static void start(struct run *run)
{
    pop_tensor outputs[] = { run->out, run->grad_in, run->grad_w };
    double *values[3];
    fixture_run_all(&run->fixture, outputs, values, 3);
}

/* A pattern in the engine that is already there. */
static void check_pattern(struct run *run, struct pattern *p, uint64_t *random)
{
    const struct layer *l = run->layer;
    pop_error error;
    popsparse_sparsity_data data;
    popsparse_matrix m = pattern_matrix(p, (popsparse_format)(next_random(random) % 3), random);
    if (popsparse_dynamic_partitioner_create_sparsity_data(run->partitioner, &m, &data, &error) != POP_OK)
        fail_msg("%s", error.text);
    popsparse_matrix_free(&m);
    assert_int_equal(data.num_meta_info, pop_tensor_num_elements(run->weights.meta_info));
    assert_int_equal(data.num_nz_values, pop_tensor_num_elements(run->weights.nz_values));
    assert_int_equal(data.num_nz_values, pop_tensor_num_elements(run->grad_w));
    double *pattern = malloc(data.num_meta_info * sizeof(double));
    for (size_t i = 0; i < data.num_meta_info; ++i)
        pattern[i] = (double)data.meta_info[i];
    write_numbers(run, "pattern", POP_UNSIGNED_SHORT, pattern, data.num_meta_info);
    write_numbers(run, "values", l->type, data.nz_values, data.num_nz_values);
    if (pop_engine_run(run->fixture.engine, 0, &error) != POP_OK)
        fail_msg("%s", error.text);
    double *out = read_numbers(run, "read0", run->out), *grad_in = read_numbers(run, "read1", run->grad_in),
           *in = fixture_given(&run->fixture, run->in), *grad = fixture_given(&run->fixture, run->grad);
    check_product(run, p, in, out, false);
    check_product(run, p, grad, grad_in, true);
    free(data.nz_values);
    data.nz_values = read_numbers(run, "read2", run->grad_w);
    check_grad_w(run, p, in, grad, &data);
    popsparse_sparsity_data_free(&data);
    free(pattern);
    free(out);
    free(grad_in);
}
static void close_run(struct run *run)
{
    popsparse_dynamic_partitioner_destroy(run->partitioner);
    fixture_close(&run->fixture);
}

/* Patterns of all kinds, one after the other: nothing, one block, full rows, full columns, a corner, random ones. */
static void check_layer(enum fixture_device device, unsigned tiles, const struct layer *l)
{
    uint64_t random = 9 + tiles;
    struct run run;
    size_t down = l->groups * l->rows / l->block_rows, across = l->columns / l->block_columns;
    open_run(&run, l, device, tiles);
    start(&run);
    for (unsigned kind = 0; kind < 6; ++kind) {
        struct pattern p = pattern_empty(l->groups * l->rows, l->columns, l->block_rows, l->block_columns);
        for (size_t i = 0; i < down * across && p.blocks < l->stored; ++i)
            if ((kind == 1 && i == 0) || (kind == 2 && i / across % 3 == 1) ||
                (kind == 4 && i % across < across / 2 + 1))
                pattern_add(&p, i / across, i % across, &random);
            else if (kind == 3 && i / down % 4 == 0)
                pattern_add(&p, i % down, i / down, &random);
        if (kind == 5)
            pattern_fill(&p, l->stored, &random);
        check_pattern(&run, &p, &random);
        pattern_free(&p);
    }
    close_run(&run);
}

#define TRAINING                                                                                                       \
    { "doGradAPass", "true" },                                                                                         \
    {                                                                                                                  \
        "doGradWPass", "true"                                                                                          \
    }

static void test_elements(void **state)
{
    (void)state;
    pop_options o = POP_OPTIONS(TRAINING);
    for (enum fixture_device d = FIXTURE_CPU; d < FIXTURE_DEVICES; ++d) {
        check_layer(d, 16, &(struct layer){ 1, 24, 40, 8, 1, 1, 200, POP_FLOAT, false, o });
        check_layer(d, 16, &(struct layer){ 1, 24, 40, 8, 1, 1, 200, POP_HALF, true, o });
        check_layer(d, 11, &(struct layer){ 2, 13, 17, 5, 1, 1, 60, POP_FLOAT, true, o });
        check_layer(d, 7, &(struct layer){ 3, 7, 5, 3, 1, 1, 33, POP_HALF, false, o });
        check_layer(d, 5, &(struct layer){ 1, 1, 1, 1, 1, 1, 1, POP_FLOAT, false, o });
    }
}
static void test_blocks(void **state)
{
    (void)state;
    pop_options o = POP_OPTIONS(TRAINING), halves = POP_OPTIONS(TRAINING, { "partialsType", "half" });
    for (enum fixture_device d = FIXTURE_CPU; d < FIXTURE_DEVICES; ++d) {
        check_layer(d, 9, &(struct layer){ 2, 24, 40, 4, 8, 8, 14, POP_HALF, true, halves });
        check_layer(d, 12, &(struct layer){ 1, 32, 48, 40, 4, 4, 60, POP_HALF, false, halves });
        check_layer(d, 12, &(struct layer){ 1, 40, 32, 6, 4, 4, 30, POP_FLOAT, false, o });
        check_layer(d, 9, &(struct layer){ 2, 24, 40, 4, 8, 8, 14, POP_HALF, true, o });
        check_layer(d, 6, &(struct layer){ 1, 64, 48, 2, 16, 16, 7, POP_HALF, false, o });
        check_layer(d, 6, &(struct layer){ 1, 12, 15, 2, 2, 3, 20, POP_FLOAT, false, o });
    }
}

/* Splits in all directions, and buckets that give half of their values away. */
static void test_splits_and_spills(void **state)
{
    (void)state;
    pop_options splits = POP_OPTIONS(TRAINING, { "planConstraints", "{\"partition\":{\"x\":3,\"y\":2,\"z\":2}}" }),
                spills = POP_OPTIONS(TRAINING, { "planConstraints", "{\"partition\":{\"x\":2,\"y\":3,\"z\":2}}" },
                                     { "partitioner.forceBucketSpills", "true" },
                                     { "metaInfoBucketOversizeProportion", "1.5" }),
                halves = POP_OPTIONS(TRAINING, { "planConstraints", "{\"partition\":{\"x\":2,\"y\":3,\"z\":2}}" },
                                     { "partitioner.forceBucketSpills", "true" },
                                     { "metaInfoBucketOversizeProportion", "1.5" }, { "partialsType", "half" }),
                slow = POP_OPTIONS(TRAINING, { "planConstraints", "{\"partition\":{\"x\":4,\"y\":2,\"z\":1}}" },
                                   { "partitioner.optimiseForSpeed", "false" }, { "availableMemoryProportion", "0" });
    check_layer(FIXTURE_MODEL, 12, &(struct layer){ 1, 30, 20, 8, 1, 1, 120, POP_FLOAT, false, splits });
    check_layer(FIXTURE_MODEL, 12, &(struct layer){ 1, 30, 20, 8, 1, 1, 120, POP_HALF, false, spills });
    check_layer(FIXTURE_MODEL, 24, &(struct layer){ 2, 24, 24, 4, 4, 4, 24, POP_FLOAT, false, spills });
    check_layer(FIXTURE_MODEL, 24, &(struct layer){ 2, 24, 24, 4, 4, 4, 24, POP_HALF, false, halves });
    check_layer(FIXTURE_MODEL, 12, &(struct layer){ 1, 32, 20, 8, 1, 1, 120, POP_FLOAT, true, slow });
    check_layer(FIXTURE_MODEL, 4, &(struct layer){ 1, 30, 20, 8, 1, 1, 600, POP_FLOAT, false, POP_OPTIONS(TRAINING) });
}

/* Random layers. TREMULA_ROUNDS makes it more. */
static void test_random_layers(void **state)
{
    (void)state;
    static const size_t sides[] = { 1, 1, 2, 4, 8, 16 };
    const char *more = getenv("TREMULA_ROUNDS");
    unsigned rounds = more ? 12 * (unsigned)strtoul(more, NULL, 10) : 12;
    for (unsigned seed = 1; seed <= rounds; ++seed) {
        uint64_t random = seed;
        size_t side = sides[next_random(&random) % 6], groups = 1 + next_random(&random) % 2;
        size_t down = 1 + next_random(&random) % 9, across = 1 + next_random(&random) % 11,
               all = groups * down * across;
        struct layer l = { groups,
                           down * side,
                           across * side,
                           1 + next_random(&random) % 9,
                           side,
                           side,
                           1 + next_random(&random) % all,
                           next_random(&random) & 1 ? POP_HALF : POP_FLOAT,
                           next_random(&random) & 1,
                           next_random(&random) & 1 ? POP_OPTIONS(TRAINING)
                                                    : POP_OPTIONS(TRAINING, { "partitioner.forceBucketSpills", "true" },
                                                                  { "metaInfoBucketOversizeProportion", "4" }) };
        check_layer(FIXTURE_MODEL, 2 + next_random(&random) % 20, &l);
    }
}

/* Whatever the host writes as a pattern, vertices stay within their fields. */
static void test_foreign_patterns(void **state)
{
    (void)state;
    uint64_t random = 4;
    struct layer l = { 1, 24, 20, 4, 1, 1, 100, POP_FLOAT, false, POP_OPTIONS(TRAINING) };
    struct run run;
    pop_error error;
    open_run(&run, &l, FIXTURE_MODEL, 6);
    start(&run);
    size_t count = pop_tensor_num_elements(run.weights.meta_info);
    uint16_t *numbers = malloc(count * sizeof(*numbers));
    for (unsigned round = 0; round < 60; ++round) {
        for (size_t i = 0; i < count; ++i)
            numbers[i] = (uint16_t)(next_random(&random) % (round & 1 ? 65536 : 12));
        numbers[0] = round % 7;
        assert_int_equal(pop_engine_write_tensor(run.fixture.engine, "pattern", numbers, POP_WHOLE, &error), POP_OK);
        assert_int_equal(pop_engine_run(run.fixture.engine, 0, &error), POP_OK);
    }
    free(numbers);
    close_run(&run);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 8, add_codelets);
    pop_graph *g = fixture.graph;
    popsparse_dynamic_fully_connected_params params = popsparse_dynamic_fully_connected_params_create_with_nz_ratio(
                                                 popsparse_sparsity_params_make(1, 1), 0.25, 4, 1, 16, 12),
                                             other = popsparse_dynamic_fully_connected_params_create_with_nz_ratio(
                                                 popsparse_sparsity_params_make(1, 1), 0.5, 4, 1, 16, 12);
    popsparse_dynamic_sparse_tensor w =
        popsparse_dynamic_create_fully_connected_weights(g, POP_FLOAT, &params, "w", POP_NO_OPTIONS, NULL);
    pop_tensor in = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4, 16), FIXTURE_LINEAR),
               out = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4, 12), FIXTURE_LINEAR),
               half = fixture_input(&fixture, POP_HALF, POP_SHAPE(4, 16), FIXTURE_LINEAR);
    popsparse_dynamic_create_fully_connected_weights(g, POP_INT, &params, "w", POP_NO_OPTIONS, NULL);
    assert_error(g, POP_TYPE_ERROR, "popsparse_dynamic_create_fully_connected_weights", "must be half or float");
    popsparse_dynamic_fully_connected_fwd(g, w, in, &other, fixture.program, "fwd", POP_NO_OPTIONS, NULL);
    assert_error(g, POP_POPLAR_ERROR, "popsparse_dynamic_fully_connected_fwd", "was created for another operation");
    w.op = NULL;
    popsparse_dynamic_fully_connected_fwd(g, w, in, &other, fixture.program, "fwd", POP_NO_OPTIONS, NULL);
    assert_error(g, POP_POPLAR_ERROR, "popsparse_dynamic_fully_connected_fwd",
                 "the meta information is unsigned short");
    popsparse_dynamic_fully_connected_fwd(g, w, out, &params, fixture.program, "fwd", POP_NO_OPTIONS, NULL);
    assert_error(g, POP_POPLAR_ERROR, "popsparse_dynamic_fully_connected_fwd",
                 "activations: the shape is {4,12}; it must be {4,16}");
    popsparse_dynamic_fully_connected_fwd(g, w, half, &params, fixture.program, "fwd", POP_NO_OPTIONS, NULL);
    assert_error(g, POP_TYPE_ERROR, "popsparse_dynamic_fully_connected_fwd", "activations: the type is half");
    popsparse_dynamic_fully_connected_grad_a(g, w, out, &params, fixture.program, "a", POP_NO_OPTIONS, NULL);
    assert_error(g, POP_POPLAR_ERROR, "popsparse_dynamic_fully_connected_grad_a", "'doGradAPass' is not set");
    popsparse_dynamic_fully_connected_sparse_grad_w(g, w.meta_info, out, in, &params, fixture.program, "w",
                                                    POP_NO_OPTIONS, NULL);
    assert_error(g, POP_POPLAR_ERROR, "popsparse_dynamic_fully_connected_sparse_grad_w", "'doGradWPass' is not set");
    popsparse_dynamic_serial_splits splits =
        popsparse_dynamic_fully_connected_dense_grad_w_serial_splits(g, POP_FLOAT, &params, POP_NO_OPTIONS, NULL);
    assert_true(splits.groups == 1 && splits.input_channels == 1 && splits.output_channels == 1);
    params = popsparse_dynamic_fully_connected_params_create_with_nz_ratio(popsparse_sparsity_params_make(1, 1), 0.01,
                                                                           8, 1, 2048, 1024);
    splits = popsparse_dynamic_fully_connected_dense_grad_w_serial_splits(g, POP_FLOAT, &params, POP_NO_OPTIONS, NULL);
    assert_true(splits.input_channels > 1 && 2048 % splits.input_channels == 0 && 1024 % splits.output_channels == 0);
    assert_built(g);
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements),          cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_splits_and_spills), cmocka_unit_test(test_random_layers),
        cmocka_unit_test(test_foreign_patterns),  cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
