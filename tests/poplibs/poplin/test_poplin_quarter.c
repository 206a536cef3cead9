/* SPDX-License-Identifier: Apache-2.0 */
/* Products and convolutions of 8-bit floats, of both formats with scales, against sums in double precision. */
#include "poplibs/numeric.h"
#include "poplibs/poplin/conv_reference.h"

#include <poplar/metadata.h>
#include <poplin/codelets.h>
#include <poplin/convolution.h>
#include <poplin/mat_mul.h>
#include <popops/codelets.h>
#include <unistd.h>

/* An operand of a test: the tensor, the codes that it gets and their values. */
struct operand {
    pop_tensor t;
    uint8_t metadata, *codes;
    double *values;
    size_t count;
};

static const uint8_t formats[][2] = { { 0x80, 0x80 }, { 0x00, 0x80 }, { 0x81, 0x3e }, { 0x3d, 0x02 } };
enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

/* Codes of values about 1 without the scale, of both signs; every seventh is any code but NaN. */
static void fill(struct fixture *fixture, struct operand *operand, pop_tensor t, uint8_t metadata)
{
    operand->t = t;
    operand->metadata = metadata;
    operand->count = pop_tensor_num_elements(t);
    operand->codes = malloc(operand->count + 1);
    operand->values = malloc(operand->count * sizeof(double) + 1);
    for (size_t i = 0; i < operand->count; ++i) {
        double value = (double)(next_random(&fixture->random) % 4096) / 2048 - 1;
        uint8_t scale_0 = metadata & 0x80;
        operand->codes[i] = pop_quarter_from_double(value, scale_0, true);
        operand->values[i] = (double)pop_quarter_to_float(operand->codes[i], metadata);
    }
    assert_true(pop_tensor_type(t) == POP_QUARTER && pop_tensor_has_metadata(t));
}
static void add_codelets(pop_where where, pop_graph *graph)
{
    poplin_add_codelets_at(where, graph);
    popops_add_codelets_at(where, graph);
}
static void free_operand(struct operand *operand)
{
    free(operand->codes);
    free(operand->values);
}

/* Runs the program on two operands and reads the result, which is HALF. */
static double *run(struct fixture *fixture, const struct operand *a, const struct operand *b, pop_tensor out)
{
    pop_error error;
    size_t count = pop_tensor_num_elements(out);
    uint16_t *halves = malloc(count * 2 + 1);
    double *got = malloc(count * sizeof(double) + 1);
    assert_built(fixture->graph);
    assert_int_equal(pop_tensor_type(out), POP_HALF);
    pop_graph_create_host_write(fixture->graph, "a", a->t);
    pop_graph_create_host_write(fixture->graph, "b", b->t);
    pop_graph_create_host_read(fixture->graph, "out", out);
    assert_built(fixture->graph);
    fixture->engine = pop_engine_create(fixture->graph, POP_PROGRAMS(fixture->program), POP_NO_OPTIONS, &error);
    if (!fixture->engine || pop_engine_load(fixture->engine, fixture->device, &error) != POP_OK ||
        pop_engine_write_quarter(fixture->engine, "a", a->metadata, a->codes, POP_WHOLE, &error) != POP_OK ||
        pop_engine_write_quarter(fixture->engine, "b", b->metadata, b->codes, POP_WHOLE, &error) != POP_OK ||
        pop_engine_run(fixture->engine, 0, &error) != POP_OK ||
        pop_engine_read_tensor(fixture->engine, "out", halves, POP_WHOLE, &error) != POP_OK)
        fail_msg("%s", error.text);
    pop_convert(POP_HALF, halves, POP_DOUBLE, got, count);
    free(halves);
    return got;
}
/* The error of partial sums that are rounded to half: of the sum of magnitudes. */
static void check(const double *got, const double *wanted, const double *sizes, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (!(fabs(got[i] - wanted[i]) <= 0x1p-9 * sizes[i] + 0x1p-24))
            fail_msg("element %zu of %zu: %.9g where %.9g was expected", i, count, got[i], wanted[i]);
}

/* Devices: the two of every test, and one with 8-bit conv units. */
enum { WITH_UNITS = FIXTURE_DEVICES, DEVICES };
static struct fixture open_device(unsigned device, unsigned tiles)
{
    pop_error error;
    if (device != WITH_UNITS)
        return fixture_open(device, tiles, add_codelets);
    struct fixture fixture = { .random = 1 };
    fixture.device = pop_ipu_model_create_device_options(
        &(pop_ipu_model){ .version = "ipu21", .num_ipus = 1, .tiles_per_ipu = tiles }, POP_NO_OPTIONS, &error);
    assert_non_null(fixture.device);
    fixture.graph = pop_graph_create(pop_device_target(fixture.device));
    fixture.program = pop_sequence(fixture.graph, "test");
    add_codelets(POP_HERE, fixture.graph);
    return fixture;
}
/* Groups of 32 input channels, which halves have not: operands stay of 8 bits where there are such vertices. */
#define KEPT                                                                                                           \
    POP_OPTIONS({ "planConstraints",                                                                                   \
                  "{\"inChansPerGroup\": 32, \"partialChansPerGroup\": 16, \"method\": {\"type\": \"AMP\"}}" })

static void product_with(const size_t *shape, unsigned device, const uint8_t *metadata, bool planned,
                         pop_options options)
{
    size_t groups = shape[0], m = shape[1], k = shape[2], n = shape[3];
    struct fixture fixture = open_device(device, 5);
    struct operand a, b;
    if (planned) {
        fill(&fixture, &a,
             poplin_create_mat_mul_grouped_input_lhs(fixture.graph, POP_QUARTER, POP_HALF, POP_SHAPE(groups, m, k),
                                                     POP_SHAPE(groups, k, n), "a", options, NULL),
             metadata[0]);
        fill(&fixture, &b,
             poplin_create_mat_mul_grouped_input_rhs(fixture.graph, POP_QUARTER, POP_HALF, POP_SHAPE(groups, m, k),
                                                     POP_SHAPE(groups, k, n), "b", options, NULL),
             metadata[1]);
    } else {
        fill(&fixture, &a, pop_graph_add_variable(fixture.graph, POP_QUARTER, POP_SHAPE(groups, m, k), "a"),
             metadata[0]);
        fill(&fixture, &b, pop_graph_add_variable(fixture.graph, POP_QUARTER, POP_SHAPE(groups, k, n), "b"),
             metadata[1]);
        fixture_map(&fixture, a.t, FIXTURE_SCATTERED);
        fixture_map(&fixture, b.t, FIXTURE_SCATTERED);
    }
    pop_tensor out = poplin_mat_mul_grouped(fixture.graph, a.t, b.t, fixture.program, POP_HALF, "p", options, NULL);
    double *got = run(&fixture, &a, &b, out), *wanted = calloc(groups * m * n + 1, sizeof(double)),
           *sizes = calloc(groups * m * n + 1, sizeof(double));
    for (size_t i = 0; i < groups * m * n; ++i)
        for (size_t g = i / (m * n), row = i / n % m, column = i % n, j = 0; j < k; ++j) {
            double term = a.values[(g * m + row) * k + j] * b.values[(g * k + j) * n + column];
            wanted[i] += term;
            sizes[i] += fabs(term);
        }
    check(got, wanted, sizes, groups * m * n);
    free(got);
    free(wanted);
    free(sizes);
    free_operand(&a);
    free_operand(&b);
    fixture_close(&fixture);
}

static void test_products(void **state)
{
    (void)state;
    static const size_t shapes[][4] = { { 1, 1, 1, 1 }, { 1, 7, 33, 5 }, { 3, 4, 64, 16 }, { 1, 16, 0, 3 } };
    for (unsigned device = FIXTURE_CPU; device < DEVICES; ++device)
        for (size_t i = 0; i < FORMATS; ++i)
            product_with(shapes[i], device, formats[i], i % 2, POP_NO_OPTIONS);
    for (size_t i = 0; i < 2 * FORMATS; ++i)
        product_with(shapes[i % FORMATS], WITH_UNITS, formats[i / 2], i % 3, KEPT);
}

/* The cycles of a vertex of 16 units: 6 workers with 10 positions each of 32 channels (docs/reference/ipu-model.md). */
static void test_cycles(void **state)
{
    (void)state;
    enum { WORKERS = 6, POSITIONS = 10, LOAD = 16 * 32 / 8 };
    const unsigned worker = 17 + 27 + 4 * (POSITIONS - 3) - 5;
    struct fixture fixture = open_device(WITH_UNITS, 1);
    pop_cycles cycles;
    pop_tensor a = poplin_create_mat_mul_input_lhs(fixture.graph, POP_QUARTER, POP_HALF, POP_SHAPE(16, 32),
                                                   POP_SHAPE(32, WORKERS * POSITIONS), "a", POP_NO_OPTIONS, NULL),
               b = poplin_create_mat_mul_input_rhs(fixture.graph, POP_QUARTER, POP_HALF, POP_SHAPE(16, 32),
                                                   POP_SHAPE(32, WORKERS * POSITIONS), "b", POP_NO_OPTIONS, NULL);
    struct operand left, right;
    fill(&fixture, &left, a, 0x80);
    fill(&fixture, &right, b, 0);
    pop_tensor out = poplin_mat_mul_typed(fixture.graph, a, b, fixture.program, POP_HALF, "p", POP_NO_OPTIONS, NULL);
    free(run(&fixture, &left, &right, out));
    assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, NULL), POP_OK);
    assert_int_equal(cycles.compute, 46 + (2 * WORKERS + 9) + (6 * WORKERS + 10) +
                                         (14 * WORKERS + 11 + 6 * WORKERS + LOAD) + WORKERS * worker +
                                         14); /* the supervisor's wait */
    free_operand(&left);
    free_operand(&right);
    fixture_close(&fixture);
}

static void test_convolutions(void **state)
{
    (void)state;
    for (unsigned device = FIXTURE_CPU; device <= DEVICES; ++device) /* the last one: kept operands */
        for (size_t f = 0; f < FORMATS; ++f) {
            struct fixture fixture = open_device(device == DEVICES ? WITH_UNITS : device, 6);
            pop_options options = device == DEVICES ? KEPT : POP_NO_OPTIONS;
            bool transposed = f == 2;
            poplin_conv_params params = poplin_conv_params_make(POP_QUARTER, POP_HALF, 2, POP_SHAPE(5, 7),
                                                                POP_SHAPE(3, 2), transposed ? 3 : 5, 3, 1 + f % 2);
            params.input_transform.padding_lower[0] = 1;
            struct operand in, weights;
            fill(&fixture, &in, poplin_create_input(fixture.graph, &params, "in", options, NULL), formats[f][0]);
            fill(&fixture, &weights, poplin_create_weights(fixture.graph, &params, "weights", options, NULL),
                 formats[f][1]);
            pop_tensor used = weights.t;
            if (transposed) { /* channels are equal: the call's result has the shape of its operand */
                used = poplin_create_weights(fixture.graph, &params, "turned", options, NULL);
                poplin_weights_transpose_chans_flip_xy(fixture.graph, weights.t, used, fixture.program, "turn");
            }
            pop_tensor out = poplin_convolution(fixture.graph, in.t, used, &params, transposed, fixture.program, "conv",
                                                options, NULL);
            double *got = run(&fixture, &in, &weights, out);
            /* what is turned twice is as it was */
            double *wanted = reference_conv(&params, 0, in.values, weights.values);
            for (size_t i = 0; i < in.count; ++i)
                in.values[i] = fabs(in.values[i]);
            for (size_t i = 0; i < weights.count; ++i)
                weights.values[i] = fabs(weights.values[i]);
            double *sizes = reference_conv(&params, 0, in.values, weights.values);
            check(got, wanted, sizes, pop_tensor_num_elements(out));
            free(got);
            free(wanted);
            free(sizes);
            free_operand(&in);
            free_operand(&weights);
            fixture_close(&fixture);
        }
}

/* Searches that the log has, which is emptied. */
static const char log_name[] = "test_poplin_quarter.log";
static size_t searches(void)
{
    static char line[8000];
    size_t count = 0;
    FILE *file = fopen(log_name, "r");
    while (file && fgets(line, sizeof(line), file))
        count += strstr(line, "Planning convolution ") != NULL;
    if (file)
        fclose(file);
    assert_int_equal(truncate(log_name, 0), 0);
    return count;
}

/* As quarter and as half, once each, with a cache or without; with one, each only the first time. */
static void each_candidate_is_planned_once(void **state)
{
    (void)state;
    for (unsigned cached = 0; cached < 2; ++cached) {
        struct fixture fixture = open_device(WITH_UNITS, 4);
        poplin_planning_cache *cache = cached ? poplin_planning_cache_create() : NULL;
        poplin_conv_params params =
            poplin_conv_params_make(POP_QUARTER, POP_HALF, 2, POP_SHAPE(6, 6), POP_SHAPE(3, 3), 32, 16, 1);
        pop_tensor q[2];
        searches();
        q[0] = poplin_create_input(fixture.graph, &params, "in", POP_NO_OPTIONS, cache);
        assert_int_equal(searches(), 2);
        q[1] = poplin_create_weights(fixture.graph, &params, "weights", POP_NO_OPTIONS, cache);
        assert_int_equal(searches(), cached ? 0 : 2);
        poplin_convolution(fixture.graph, q[0], q[1], &params, false, fixture.program, "conv", POP_NO_OPTIONS, cache);
        assert_int_equal(searches(), cached ? 0 : 2);
        poplin_report_plan_estimated_costs(fixture.graph, &params, POP_NO_OPTIONS, cache);
        assert_int_equal(searches(), cached ? 0 : 2);
        assert_int_equal(poplin_planning_cache_size(cache), cached ? 2 : 0);
        assert_built(fixture.graph);
        poplin_planning_cache_destroy(cache);
        fixture_close(&fixture);
    }
}

#define REFUSED(graph, status, wanted, call)                                                                           \
    do {                                                                                                               \
        pop_error error;                                                                                               \
        (void)(call);                                                                                                  \
        assert_int_equal(pop_graph_take_error(graph, &error), status);                                                 \
        if (!strstr(error.text, wanted))                                                                               \
            fail_msg("%s", error.text);                                                                                \
    } while (0)

static void test_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, add_codelets);
    pop_tensor q = pop_graph_add_variable(fixture.graph, POP_QUARTER, POP_SHAPE(4, 4), "q"),
               h = pop_graph_add_variable(fixture.graph, POP_HALF, POP_SHAPE(4, 4), "h");
    fixture_map(&fixture, q, FIXTURE_ONE_TILE);
    fixture_map(&fixture, h, FIXTURE_ONE_TILE);
    REFUSED(fixture.graph, POP_TYPE_ERROR, "with quarter operands it must be half",
            poplin_mat_mul_typed(fixture.graph, q, q, fixture.program, POP_FLOAT, NULL, POP_NO_OPTIONS, NULL));
    REFUSED(fixture.graph, POP_TYPE_ERROR, "both must have the same type",
            poplin_mat_mul_typed(fixture.graph, q, h, fixture.program, POP_HALF, NULL, POP_NO_OPTIONS, NULL));
    poplin_conv_params params = poplin_conv_params_make(POP_QUARTER, POP_FLOAT, 1, POP_SHAPE(5), POP_SHAPE(1), 4, 4, 1);
    REFUSED(fixture.graph, POP_TYPE_ERROR, "with quarter operands it must be half",
            poplin_create_input(fixture.graph, &params, "in", POP_NO_OPTIONS, NULL));
    params.output_type = POP_HALF;
    pop_tensor in = poplin_create_input(fixture.graph, &params, "in", POP_NO_OPTIONS, NULL);
    REFUSED(
        fixture.graph, POP_TYPE_ERROR, "cast activations and gradients to half",
        poplin_calculate_weight_deltas(fixture.graph, in, in, &params, fixture.program, "wu", POP_NO_OPTIONS, NULL));
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),     cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_convolutions), cmocka_unit_test(each_candidate_is_planned_once),
        cmocka_unit_test(test_errors),
    };
    setenv("POPLIBS_LOG_LEVEL", "INFO", 1);
    setenv("POPLIBS_LOG_DEST", log_name, 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(log_name);
    return failed;
}
