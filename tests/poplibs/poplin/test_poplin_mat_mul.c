/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products against sums in double precision: odd shapes, views, types, groups, factors; and errors. */
#include "poplibs/numeric.h"

#include <poplin/codelets.h>
#include <poplin/mat_mul.h>
#include <popops/codelets.h>

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    poplin_add_codelets_at(where, graph);
}

/* out{g,m,n} = start + k * a b, in double; start may be NULL. */
static double *reference(const double *a, const double *b, size_t g, size_t m, size_t k, size_t n, const double *start,
                         double factor)
{
    double *out = malloc(g * m * n * sizeof(*out) + 1);
    for (size_t at = 0; at < g * m * n; ++at) {
        size_t group = at / (m * n), row = at / n % m, column = at % n;
        double sum = 0;
        for (size_t i = 0; i < k; ++i)
            sum += a[(group * m + row) * k + i] * b[(group * k + i) * n + column];
        out[at] = (start ? start[at] : 0) + factor * sum;
    }
    return out;
}

/* The memory layout of an operand: plain, transposed, columns of a wider matrix, or scattered over a larger one. */
enum lie { PLAIN, TURNED, PART, SPREAD, LIES };

static pop_tensor operand(struct fixture *fixture, pop_type type, size_t g, size_t rows, size_t columns, enum lie lie)
{
    pop_tensor t;
    switch (lie) {
    case TURNED:
        t = fixture_input(fixture, type, POP_SHAPE(g, columns, rows), FIXTURE_SCATTERED);
        return pop_tensor_dim_shuffle(t, POP_DIMS(0, 2, 1));
    case PART:
        t = fixture_input(fixture, type, POP_SHAPE(g, rows, columns + 3), FIXTURE_SCATTERED);
        return pop_tensor_slice(t, 2, columns + 2, 2);
    case SPREAD:
        t = fixture_input(fixture, type, POP_SHAPE(columns, rows, g, 2), FIXTURE_SCATTERED);
        return pop_tensor_dim_shuffle(pop_tensor_at(pop_tensor_dim_shuffle(t, POP_DIMS(3, 0, 1, 2)), 1),
                                      POP_DIMS(2, 1, 0));
    default:
        return fixture_input(fixture, type, POP_SHAPE(g, rows, columns), FIXTURE_SCATTERED);
    }
}
/* The contents of a view of an input: through the elements of the variable. */
static double *view_values(struct fixture *fixture, pop_tensor view, size_t input)
{
    size_t count = pop_tensor_num_elements(view), regions;
    double *values = malloc(count * sizeof(*values) + 1);
    pop_variable_interval *intervals;
    regions = pop_tensor_var_regions(view, &intervals);
    size_t at = 0;
    for (size_t i = 0; i < regions; ++i)
        for (size_t k = intervals[i].interval.begin; k < intervals[i].interval.end; ++k)
            values[at++] = fixture->tensors[input].values[k];
    free(intervals);
    assert_int_equal(at, count);
    return values;
}

static void check_in(struct fixture fixture, pop_type type, pop_type out_type, const size_t *s, enum lie a_lie,
                     enum lie b_lie, pop_options options)
{
    size_t g = s[0], m = s[1], k = s[2], n = s[3];
    pop_tensor a = operand(&fixture, type, g, m, k, a_lie), b = operand(&fixture, type, g, k, n, b_lie);
    double *a_values = view_values(&fixture, a, 0), *b_values = view_values(&fixture, b, 1);
    pop_tensor out = poplin_mat_mul_grouped(fixture.graph, a, b, fixture.program, out_type, "mm", options, NULL);
    assert_built(fixture.graph);
    assert_int_equal(pop_tensor_type(out), out_type);
    assert_int_equal(pop_tensor_dim(out, 1), m);
    double *wanted = reference(a_values, b_values, g, m, k, n, NULL, 1), *got = fixture_run(&fixture, out);
    double root = sqrt((double)k + 1);
    fixture_check(got, wanted, g * m * n, out_type == POP_HALF ? 2e-3 : 1e-5,
                  (out_type == POP_HALF ? 1e-4 : 1e-6) * root);
    free(a_values);
    free(b_values);
    free(wanted);
    fixture_close(&fixture);
}

static void check_product(enum fixture_device device, pop_type type, pop_type out_type, const size_t *s, enum lie a_lie,
                          enum lie b_lie)
{
    check_in(fixture_open(device, 7, add_codelets), type, out_type, s, a_lie, b_lie, POP_NO_OPTIONS);
}

/* The summary of a run's profile, to be freed. */
static char *steps_of(struct fixture *fixture)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    pop_error error;
    assert_int_equal(
        pop_engine_print_profile_summary(
            fixture->engine, file, POP_OPTIONS({ "showExecutionSteps", "true" }, { "showVarStorage", "true" }), &error),
        POP_OK);
    fclose(file);
    char *summary = strdup(text); /* gcc takes pointers into text for pointers to this function's variable */
    free(text);
    return summary;
}

/* Products of release 2021: exchanged operands, and operands that many tiles read. */
static void test_release_2021(void **state)
{
    (void)state;
    static const size_t shapes[][4] = { { 1, 1, 1, 1 },    { 1, 17, 31, 13 }, { 2, 5, 7, 3 },
                                        { 3, 14, 32, 32 }, { 1, 1, 97, 61 },  { 1, 61, 97, 1 } };
    for (size_t i = 0; i < 4 * sizeof(shapes) / sizeof(shapes[0]); ++i) {
        struct fixture fixture =
            fixture_open_with(FIXTURE_MODEL, 40, POP_OPTIONS({ "poplibsRelease", "2021" }), add_codelets);
        pop_options options =
            POP_OPTIONS({ "planConstraints", i % 4 ? "{\"0\":{\"transform\":{\"swapOperands\":true}}}" : "{}" });
        check_in(fixture, i % 3 ? POP_FLOAT : POP_HALF, i % 5 > 2 ? POP_HALF : POP_FLOAT, shapes[i / 4],
                 (enum lie)(i % LIES), (enum lie)((i / LIES + i) % LIES), options);
    }
}

static bool is_always_live(const char *summary, const char *part_of_name)
{
    const char *list = strstr(summary, "Always-live variables:");
    assert_non_null(list);
    const char *found = strstr(list, part_of_name);
    return found && found < strstr(list, "Maximum live bytes");
}

/* Release 2021 copies the padding of operands with the data; others zero it before.  Either need no memory before. */
static void test_padding_is_copied(void **state)
{
    (void)state;
    enum { K = 61, N = 24 };
    for (unsigned i = 0; i < 4; ++i) {
        pop_type type = i / 2 ? POP_HALF : POP_FLOAT;
        struct fixture fixture = fixture_open_with(
            FIXTURE_MODEL, 64, POP_OPTIONS({ "poplibsRelease", i % 2 ? "2021" : "1.2" }), add_codelets);
        pop_options options = POP_OPTIONS({ "planConstraints", "{\"method\": \"AMP\", \"inChansPerGroup\": 8}" });
        pop_tensor a = fixture_input(&fixture, type, POP_SHAPE(1, 1, K), FIXTURE_LINEAR),
                   b = poplin_transpose_grouped_matrix(
                       fixture_input(&fixture, type, POP_SHAPE(1, N, K), FIXTURE_LINEAR));
        double *b_values = view_values(&fixture, b, 1);
        pop_tensor out = poplin_mat_mul_grouped(fixture.graph, a, b, fixture.program, POP_FLOAT, "mm", options, NULL);
        double *wanted = reference(fixture_given(&fixture, a), b_values, 1, 1, K, N, NULL, 1);
        fixture_check(fixture_run(&fixture, out), wanted, N, 1e-3, 1e-3);
        char *text = steps_of(&fixture);
        assert_int_equal(strstr(text, "Zero") != NULL, i % 2 == 0);
        assert_non_null(strstr(text, "Arranged"));
        assert_false(is_always_live(text, "Arranged"));
        free(text);
        free(wanted);
        free(b_values);
        fixture_close(&fixture);
    }
}

/* Release 2021 transposes an operand of halves whose columns are contiguous on tiles, but for the group of channels
 * that is padded; the exchange separates floats. */
static void test_halves_are_transposed(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; ++i) {
        pop_type type = i % 2 ? POP_FLOAT : POP_HALF;
        size_t m = 64, k = i / 2 ? 60 : 64, n = 48;
        struct fixture fixture =
            fixture_open_with(FIXTURE_MODEL, 64, POP_OPTIONS({ "poplibsRelease", "2021" }), add_codelets);
        pop_options options = POP_OPTIONS({ "planConstraints", "{\"method\": \"AMP\"}" });
        pop_tensor a = fixture_input(&fixture, type, POP_SHAPE(1, k, m), FIXTURE_LINEAR),
                   b = fixture_input(&fixture, type, POP_SHAPE(1, k, n), FIXTURE_LINEAR);
        pop_tensor turned = poplin_transpose_grouped_matrix(a);
        double *a_values = view_values(&fixture, turned, 0);
        pop_tensor out =
            poplin_mat_mul_grouped(fixture.graph, turned, b, fixture.program, POP_FLOAT, "mm", options, NULL);
        double *wanted = reference(a_values, fixture_given(&fixture, b), 1, m, k, n, NULL, 1);
        fixture_check(fixture_run(&fixture, out), wanted, m * n, 1e-3, 1e-3);
        char *text = steps_of(&fixture);
        assert_int_equal(strstr(text, "Transpose") != NULL, type == POP_HALF);
        free(text);
        free(wanted);
        free(a_values);
        fixture_close(&fixture);
    }
}

/* So is a product that is added to a tensor of halves whose rows are contiguous, if its columns are; in all passes of a
 * layer plans may exchange the operands. */
static void test_sums_of_halves_are_transposed(void **state)
{
    (void)state;
    enum { M = 48, K = 32, N = 64 };
    for (unsigned swap = 0; swap < 2; ++swap) {
        struct fixture fixture =
            fixture_open_with(FIXTURE_MODEL, 64, POP_OPTIONS({ "poplibsRelease", "2021" }), add_codelets);
        pop_options options = POP_OPTIONS(
            { "fullyConnectedPass", "TRAINING_WU" },
            { "planConstraints", swap ? "{\"method\": \"AMP\", \"0\": {\"transform\": {\"swapOperands\": true}}}"
                                      : "{\"method\": \"AMP\", \"0\": {\"transform\": {\"swapOperands\": false}}}" });
        pop_tensor a = fixture_input(&fixture, POP_HALF, POP_SHAPE(M, K), FIXTURE_LINEAR),
                   b = poplin_transpose_grouped_matrix(pop_tensor_expand(
                       fixture_input(&fixture, POP_HALF, POP_SHAPE(N, K), FIXTURE_LINEAR), POP_DIMS(0))),
                   sum = swap ? fixture_input(&fixture, POP_HALF, POP_SHAPE(N, M), FIXTURE_LINEAR)
                              : fixture_input(&fixture, POP_HALF, POP_SHAPE(M, N), FIXTURE_LINEAR);
        double *b_values = view_values(&fixture, b, 1);
        pop_tensor c = swap ? pop_tensor_dim_shuffle(sum, POP_DIMS(1, 0)) : sum;
        double *c_values = view_values(&fixture, c, 2);
        poplin_mat_mul_acc(fixture.graph, c, 0.5, a, pop_tensor_squeeze(b, POP_DIMS(0)), fixture.program, "mm", options,
                           NULL);
        double *wanted = reference(fixture_given(&fixture, a), b_values, 1, M, K, N, c_values, 0.5);
        fixture_check(fixture_run(&fixture, c), wanted, M * N, 5e-3, 5e-3);
        char *text = steps_of(&fixture);
        assert_non_null(strstr(text, "Transpose"));
        free(text);
        free(wanted);
        free(b_values);
        free(c_values);
        fixture_close(&fixture);
    }
}

/* Operands that are created for a plan with exchanged operands are used as they are. */
static void test_created_operands_are_exchanged(void **state)
{
    (void)state;
    enum { M = 4, K = 32, N = 64 };
    struct fixture fixture =
        fixture_open_with(FIXTURE_MODEL, 64, POP_OPTIONS({ "poplibsRelease", "2021" }), add_codelets);
    pop_options options = POP_OPTIONS({ "planConstraints", "{\"0\":{\"transform\":{\"swapOperands\":true}}}" });
    pop_tensor a = poplin_create_mat_mul_input_lhs(fixture.graph, POP_FLOAT, POP_FLOAT, POP_SHAPE(M, K),
                                                   POP_SHAPE(K, N), "a", options, NULL),
               b = poplin_create_mat_mul_input_rhs(fixture.graph, POP_FLOAT, POP_FLOAT, POP_SHAPE(M, K),
                                                   POP_SHAPE(K, N), "b", options, NULL);
    fixture_write(&fixture, a, NULL, -1, 1);
    fixture_write(&fixture, b, NULL, -1, 1);
    pop_tensor out = poplin_mat_mul(fixture.graph, a, b, fixture.program, "mm", options, NULL);
    double *wanted = reference(fixture_given(&fixture, a), fixture_given(&fixture, b), 1, M, K, N, NULL, 1);
    fixture_check(fixture_run(&fixture, out), wanted, M * N, 1e-3, 1e-3);
    char *text = steps_of(&fixture);
    assert_null(strstr(text, "OnTileCopy"));
    free(text);
    free(wanted);
    fixture_close(&fixture);
}

static void test_shapes_views_and_types(void **state)
{
    (void)state;
    static const size_t shapes[][4] = { { 1, 1, 1, 1 },    { 1, 17, 31, 13 }, { 2, 5, 7, 3 },    { 1, 61, 333, 67 },
                                        { 3, 14, 32, 32 }, { 1, 1, 97, 211 }, { 1, 211, 97, 1 }, { 1, 100, 650, 41 },
                                        { 1, 3, 5, 0 },    { 1, 3, 0, 5 },    { 0, 2, 3, 4 },    { 1, 0, 3, 4 },
                                        { 1, 190, 20, 33 } };
    unsigned turn = 0;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); ++i)
        for (unsigned lies = 0; lies < 4; ++lies, ++turn)
            check_product(turn % 2 ? FIXTURE_MODEL : FIXTURE_CPU, turn % 3 ? POP_FLOAT : POP_HALF,
                          turn % 5 > 2 ? POP_HALF : POP_FLOAT, shapes[i], (enum lie)(turn % LIES),
                          (enum lie)((turn / LIES + turn) % LIES));
}

/* Constant weights, in part or as a whole, are not taken for padding, though some of them are 0. */
static void test_constant_operands(void **state)
{
    (void)state;
    enum { M = 6, K = 35, N = 9, FROZEN = 5 }; /* N columns, FROZEN of them constant */
    for (unsigned test = 0; test < 2 * 2; ++test) {
        struct fixture fixture = fixture_open(test / 2 ? FIXTURE_MODEL : FIXTURE_CPU, 5, add_codelets);
        float frozen[K * N];
        double b_values[K * N];
        for (size_t i = 0; i < K * N; ++i)
            b_values[i] = frozen[i] = i / N % 7 ? (float)(i % 11) - 4 : 0;
        pop_tensor a = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(M, K), FIXTURE_LINEAR),
                   none = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(K, N - FROZEN), FIXTURE_SCATTERED);
        pop_tensor b = pop_graph_add_constant(fixture.graph, POP_FLOAT, POP_SHAPE(K, N), POP_FLOAT, frozen, "frozen");
        fixture_scatter(&fixture, b);
        if (test % 2) {
            b = pop_tensor_concat(POP_TENSORS(pop_tensor_slice(b, 0, FROZEN, 1), none), 1);
            for (size_t i = 0; i < K; ++i)
                memcpy(b_values + i * N + FROZEN, fixture_given(&fixture, none) + i * (N - FROZEN),
                       (N - FROZEN) * sizeof(*b_values));
        }
        double *wanted = reference(fixture_given(&fixture, a), b_values, 1, M, K, N, NULL, 1);
        fixture_check(
            fixture_run(&fixture, poplin_mat_mul(fixture.graph, a, b, fixture.program, "mm", POP_NO_OPTIONS, NULL)),
            wanted, M * N, 1e-5, 1e-5);
        free(wanted);
        fixture_close(&fixture);
    }
}

static void test_adds_to_existing_values(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2 * LIES + 1; ++i) {
        struct fixture fixture = fixture_open(i % 4 < 2 ? FIXTURE_CPU : FIXTURE_MODEL, 7, add_codelets);
        pop_type type = i % 2 ? POP_HALF : POP_FLOAT;
        size_t m = 23, k = 530, n = 37;
        pop_tensor a = operand(&fixture, POP_FLOAT, 2, m, k, PLAIN), b = operand(&fixture, POP_FLOAT, 2, k, n, TURNED);
        pop_tensor c = operand(&fixture, type, 2, m, n, (enum lie)(i / 2 % LIES));
        double *a_values = view_values(&fixture, a, 0), *b_values = view_values(&fixture, b, 1),
               *c_values = view_values(&fixture, c, 2);
        if (i % 3 == 0) {
            pop_tensor factor =
                pop_graph_add_constant(fixture.graph, POP_FLOAT, POP_SHAPE(1), POP_FLOAT, &(float){ -0.5f }, "k");
            pop_graph_set_tile_mapping(fixture.graph, factor, 0);
            poplin_mat_mul_grouped_acc_tensor(fixture.graph, c, factor, a, b, fixture.program, "acc", POP_NO_OPTIONS,
                                              NULL);
        } else if (i % 3 == 1) {
            poplin_mat_mul_grouped_acc(fixture.graph, c, -0.5f, a, b, fixture.program, "acc", POP_NO_OPTIONS, NULL);
        } else {
            for (size_t g = 0; g < 2; ++g)
                poplin_mat_mul_acc(fixture.graph, pop_tensor_at(c, g), -0.5f, pop_tensor_at(a, g), pop_tensor_at(b, g),
                                   fixture.program, "acc", POP_NO_OPTIONS, NULL);
        }
        double *wanted = reference(a_values, b_values, 2, m, k, n, c_values, -0.5), *got = fixture_run(&fixture, c);
        fixture_check(got, wanted, 2 * m * n, type == POP_HALF ? 1e-3 : 1e-5, type == POP_HALF ? 1e-3 : 2e-5);
        free(a_values);
        free(b_values);
        free(c_values);
        free(wanted);
        fixture_close(&fixture);
    }
}

/* A product into its own operand: everything is read before anything is written. */
static void test_the_result_is_an_operand(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_CPU, 1, add_codelets);
    pop_tensor a = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(70, 70), FIXTURE_LINEAR);
    poplin_mat_mul_with_output(fixture.graph, a, pop_tensor_transpose(a), a, fixture.program, "square", POP_NO_OPTIONS,
                               NULL);
    double turned[70 * 70], *given = fixture_given(&fixture, a);
    for (size_t i = 0; i < 70 * 70; ++i)
        turned[i] = given[i % 70 * 70 + i / 70];
    double *wanted = reference(given, turned, 1, 70, 70, 70, NULL, 1);
    fixture_check(fixture_run(&fixture, a), wanted, 70 * 70, 1e-5, 1e-5);
    free(wanted);
    fixture_close(&fixture);
}

static void check_operands(enum fixture_device device)
{
    struct fixture fixture = fixture_open(device, 3, add_codelets);
    pop_shape left = POP_SHAPE(9, 11), right = POP_SHAPE(11, 6), lefts = POP_SHAPE(2, 9, 11),
              rights = POP_SHAPE(2, 11, 6);
    pop_options arranged = POP_OPTIONS({ "inputRHSIsPreArranged", "true" });
    pop_tensor a =
        poplin_create_mat_mul_input_lhs(fixture.graph, POP_FLOAT, POP_FLOAT, left, right, "a", POP_NO_OPTIONS, NULL);
    pop_tensor b =
        poplin_create_mat_mul_input_rhs(fixture.graph, POP_FLOAT, POP_FLOAT, left, right, "b", POP_NO_OPTIONS, NULL);
    pop_tensor out =
        poplin_create_mat_mul_output(fixture.graph, POP_FLOAT, POP_FLOAT, left, right, "out", POP_NO_OPTIONS, NULL);
    pop_tensor as = poplin_create_mat_mul_grouped_input_lhs(fixture.graph, POP_FLOAT, POP_FLOAT, lefts, rights, "as",
                                                            POP_NO_OPTIONS, NULL);
    pop_tensor bs = poplin_create_mat_mul_grouped_input_rhs(fixture.graph, POP_FLOAT, POP_FLOAT, lefts, rights, "bs",
                                                            POP_NO_OPTIONS, NULL);
    pop_tensor outs = poplin_create_mat_mul_grouped_output(fixture.graph, POP_FLOAT, POP_FLOAT, lefts, rights, "outs",
                                                           POP_NO_OPTIONS, NULL);
    assert_built(fixture.graph);
    const pop_tensor inputs[] = { a, b, as, bs };
    for (size_t i = 0; i < 4; ++i)
        fixture_write(&fixture, inputs[i], NULL, -1, 1);
    pop_tensor b_once =
        poplin_pre_arrange_mat_mul_input_rhs(fixture.graph, left, b, fixture.program, POP_FLOAT, "b", arranged, NULL);
    pop_tensor bs_once = poplin_pre_arrange_mat_mul_grouped_input_rhs(fixture.graph, lefts, bs, fixture.program,
                                                                      POP_FLOAT, "bs", arranged, NULL);
    poplin_mat_mul_with_output(fixture.graph, a, b_once, out, fixture.program, "mm", arranged, NULL);
    poplin_mat_mul_grouped_with_output(fixture.graph, as, bs_once, outs, fixture.program, "mm", arranged, NULL);
    double *values[2],
        *wanted = reference(fixture_given(&fixture, a), fixture_given(&fixture, b), 1, 9, 11, 6, NULL, 1);
    double *wanteds = reference(fixture_given(&fixture, as), fixture_given(&fixture, bs), 2, 9, 11, 6, NULL, 1);
    fixture_run_all(&fixture, (const pop_tensor[]){ out, outs }, values, 2);
    fixture_check(values[0], wanted, 54, 1e-5, 1e-5);
    fixture_check(values[1], wanteds, 108, 1e-5, 1e-5);
    free(wanted);
    free(wanteds);
    fixture_close(&fixture);
}

/* A second operand that is passed as arranged must have that arrangement. */
static void test_arranged_operands_are_checked(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 16, add_codelets);
    pop_options arranged = POP_OPTIONS({ "inputRHSIsPreArranged", "true" });
    pop_tensor a = fixture_input(&fixture, POP_HALF, POP_SHAPE(32, 64), FIXTURE_LINEAR),
               b = fixture_input(&fixture, POP_HALF, POP_SHAPE(64, 48), FIXTURE_SCATTERED);
    pop_tensor once = poplin_pre_arrange_mat_mul_input_rhs(fixture.graph, POP_SHAPE(32, 64), b, fixture.program,
                                                           POP_HALF, "b", arranged, NULL);
    poplin_mat_mul(fixture.graph, a, once, fixture.program, "mm", arranged, NULL);
    assert_built(fixture.graph);
    poplin_mat_mul(fixture.graph, a, b, fixture.program, "mm", arranged, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "poplin_mat_mul",
                 "create it by poplin_pre_arrange_mat_mul_input_rhs with the same shapes");
    fixture_close(&fixture);
}

static void test_layouts_of_operands(void **state)
{
    (void)state;
    check_operands(FIXTURE_CPU);
    check_operands(FIXTURE_MODEL);
}

static void test_plans(void **state)
{
    (void)state;
    char text[4096], again[4096];
    pop_error error;
    poplin_planning_cache *cache = poplin_planning_cache_create();
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        struct fixture fixture = fixture_open(device, 4, add_codelets);
        poplin_mat_mul_params params = { POP_FLOAT, POP_FLOAT, { 1, 6, 5 }, { 1, 5, 7 } };
        poplin_mat_mul_plan_request requests[] = {
            { pop_graph_target(fixture.graph), params, POP_OPTIONS({ "partialsType", "float" }) },
            { pop_graph_target(fixture.graph), { POP_HALF, POP_HALF, { 2, 6, 5 }, { 2, 5, 7 } }, POP_NO_OPTIONS }
        };
        assert_int_equal(poplin_preplan_mat_muls(requests, 2, cache, &error), POP_OK);
        assert_int_equal(poplin_planning_cache_size(cache), device == FIXTURE_CPU ? 0 : 2);
        size_t length = poplin_mat_mul_report_plan(fixture.graph, POP_FLOAT, POP_FLOAT, POP_SHAPE(6, 5),
                                                   POP_SHAPE(5, 7), POP_NO_OPTIONS, cache, text, sizeof(text));
        assert_true(length > 20);
        assert_true(poplin_mat_mul_grouped_report_plan(fixture.graph, POP_FLOAT, POP_FLOAT, POP_SHAPE(1, 6, 5),
                                                       POP_SHAPE(1, 5, 7), POP_NO_OPTIONS, cache, again,
                                                       sizeof(again)) == length);
        assert_string_equal(text, again);
        assert_int_equal(poplin_mat_mul_report_plan(fixture.graph, POP_FLOAT, POP_FLOAT, POP_SHAPE(6, 5),
                                                    POP_SHAPE(6, 7), POP_NO_OPTIONS, cache, text, 9),
                         0);
        assert_error(fixture.graph, POP_POPLAR_ERROR, "poplin_mat_mul_report_plan", "as many columns");
        requests[1].params.b_shape[0] = 3;
        assert_int_equal(poplin_preplan_mat_muls(requests, 2, cache, &error), POP_POPLAR_ERROR);
        assert_non_null(strstr(error.text, "numbers of groups"));
        poplin_conv_params conv = poplin_mat_mul_conv_params(&params);
        assert_int_equal(conv.input_field_shape[0], 7);
        assert_int_equal(conv.input_channels_per_conv_group, 5);
        assert_int_equal(conv.output_channels_per_conv_group, 6);
        fixture_close(&fixture);
    }
    poplin_planning_cache_destroy(cache);
}

/* A fully connected layer; methods: those of a joint plan of the three passes in training, NULL: it has none. */
struct trained {
    const char *release; /* poplibsRelease */
    pop_type type;
    size_t batch, in, out;
    const char *const *methods;
};
static const char *const training[] = { "TRAINING_FWD", "TRAINING_BWD", "TRAINING_WU" };

/* The shapes {rows, depth, columns} of the products forward, backward and update. */
static void product_of(const struct trained *layer, size_t pass, size_t size[3])
{
    size_t b = layer->batch, i = layer->in, o = layer->out;
    const size_t sizes[3][3] = { { b, i, o }, { b, o, i }, { i, b, o } };
    memcpy(size, sizes[pass], sizeof(sizes[pass]));
}
static void check_plans(const struct trained *layer, pop_graph *graph, poplin_planning_cache *cache)
{
    char text[8192], words[64];
    for (size_t pass = 0; pass < 3; ++pass) {
        size_t size[3];
        product_of(layer, pass, size);
        poplin_mat_mul_report_plan(graph, layer->type, layer->type, POP_SHAPE(size[0], size[1]),
                                   POP_SHAPE(size[1], size[2]), POP_OPTIONS({ "fullyConnectedPass", training[pass] }),
                                   cache, text, sizeof(text));
        assert_built(graph);
        snprintf(words, sizeof(words), "%-27s%d\n", "isJointPlan", layer->methods != NULL);
        if (!strstr(text, words))
            fail_msg("%zu x %zu x %zu, %s:\n%s", size[0], size[1], size[2], training[pass], text);
        snprintf(words, sizeof(words), "%-27s%s\n", "method", layer->methods ? layer->methods[pass] : "");
        if (layer->methods && !strstr(text, words))
            fail_msg("%zu x %zu x %zu, %s:\n%s", size[0], size[1], size[2], training[pass], text);
    }
}
/* The result of a pass from x {batch, in}, w {in, out} and d {batch, out}, at a row and a column. */
static double pass_at(const struct trained *layer, size_t pass, double *const v[3], size_t row, size_t column)
{
    double sum = 0;
    size_t in = layer->in, out = layer->out;
    if (pass == 0)
        for (size_t k = 0; k < in; ++k)
            sum += v[0][row * in + k] * v[1][k * out + column];
    else if (pass == 1)
        for (size_t k = 0; k < out; ++k)
            sum += v[2][row * out + k] * v[1][column * out + k];
    else
        for (size_t k = 0; k < layer->batch; ++k)
            sum += v[0][k * in + row] * v[2][k * out + column];
    return sum;
}

static void check_layer(const struct trained *layer)
{
    struct fixture fixture =
        fixture_open_with(FIXTURE_MODEL, 16, POP_OPTIONS({ "poplibsRelease", layer->release }), add_codelets);
    pop_type type = layer->type;
    bool half = type == POP_HALF;
    poplin_planning_cache *cache = poplin_planning_cache_create();
    pop_options forward = POP_OPTIONS({ "fullyConnectedPass", training[0] });
    pop_shape xs = POP_SHAPE(layer->batch, layer->in), ws = POP_SHAPE(layer->in, layer->out);
    pop_tensor x = poplin_create_mat_mul_input_lhs(fixture.graph, type, type, xs, ws, "x", forward, cache),
               w = poplin_create_mat_mul_input_rhs(fixture.graph, type, type, xs, ws, "w", forward, cache),
               d = fixture_input(&fixture, type, POP_SHAPE(layer->batch, layer->out), FIXTURE_SCATTERED);
    pop_tensor a[] = { x, d, pop_tensor_transpose(x) }, b[] = { w, pop_tensor_transpose(w), d }, out[3],
               views[3] = { x, w, d };
    fixture_write(&fixture, x, NULL, -1, 1);
    fixture_write(&fixture, w, NULL, -1, 1);
    check_plans(layer, fixture.graph, cache);
    for (size_t i = 0; i < 3; ++i)
        out[i] = poplin_mat_mul(fixture.graph, a[i], b[i], fixture.program, training[i],
                                POP_OPTIONS({ "fullyConnectedPass", training[i] }), cache);
    assert_built(fixture.graph);
    double *got[3], *v[3];
    for (size_t i = 0; i < 3; ++i)
        v[i] = fixture_given(&fixture, views[i]);
    fixture_run_all(&fixture, out, got, 3);
    for (size_t i = 0; i < 3; ++i) {
        size_t size[3];
        product_of(layer, i, size);
        for (size_t at = 0; at < size[0] * size[2]; ++at) {
            double sum = pass_at(layer, i, v, at / size[2], at % size[2]);
            fixture_check(&got[i][at], &sum, 1, half ? 2e-3 : 1e-5, half ? 5e-3 : 1e-5);
        }
    }
    char *text = steps_of(&fixture);
    if (layer->methods && strcmp(layer->release, "2021") == 0) /* the weights, where they are */
        assert_non_null(strstr(text, "TRAINING_BWD/Transpose"));
    free(text);
    poplin_planning_cache_destroy(cache);
    fixture_close(&fixture);
}

/* The passes of a layer have one layout of the weights where a joint plan takes no more cycles: with conv units in all
 * passes or, where one row is multiplied, with MAC and an outer product. */
static void test_passes_of_a_layer(void **state)
{
    (void)state;
    static const char *const units[] = { "AMP", "AMP", "AMP" }, *const row[] = { "MAC", "MAC", "OUTER_PRODUCT" };
    const struct trained layers[] = {
        { "1.2", POP_FLOAT, 12, 40, 24, NULL },    { "1.2", POP_HALF, 12, 40, 24, NULL },
        { "1.2", POP_HALF, 8, 256, 256, units },   { "1.2", POP_FLOAT, 1, 256, 256, row },
        { "1.2", POP_HALF, 1, 127, 113, row },     { "1.2", POP_FLOAT, 13, 37, 1, NULL },
        { "1.2", POP_HALF, 1, 1, 31, NULL },       { "1.2", POP_FLOAT, 7, 1, 31, NULL },
        { "2021", POP_FLOAT, 8, 128, 256, units }, { "2021", POP_HALF, 8, 256, 256, units },
        { "2021", POP_FLOAT, 1, 256, 256, row },   { "2021", POP_HALF, 1, 256, 256, row },
    };
    for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); ++i)
        check_layer(&layers[i]);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_CPU, 3, add_codelets);
    pop_graph *graph = fixture.graph;
    pop_tensor a = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4, 5), FIXTURE_LINEAR),
               h = fixture_input(&fixture, POP_HALF, POP_SHAPE(5, 6), FIXTURE_LINEAR);
    pop_tensor i = fixture_input(&fixture, POP_INT, POP_SHAPE(5, 6), FIXTURE_LINEAR), none = { 0 },
               b = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(5, 6), FIXTURE_LINEAR);
    pop_tensor unmapped = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(5, 6), "unmapped"),
               wide = pop_tensor_broadcast(a, 2, 1);
#define REFUSED(b, options, status, words)                                                                             \
    do {                                                                                                               \
        assert_false(pop_tensor_valid(poplin_mat_mul(graph, a, b, fixture.program, "x", options, NULL)));              \
        assert_error(graph, status, "poplin_mat_mul", words);                                                          \
    } while (0)
    REFUSED(none, POP_NO_OPTIONS, POP_POPLAR_ERROR, "the second operand is a null tensor");
    REFUSED(h, POP_NO_OPTIONS, POP_TYPE_ERROR, "float and half");
    REFUSED(i, POP_NO_OPTIONS, POP_TYPE_ERROR, "float and int");
    REFUSED(a, POP_NO_OPTIONS, POP_POPLAR_ERROR, "{4,5} and {4,5}");
    REFUSED(pop_tensor_flatten(b), POP_NO_OPTIONS, POP_POPLAR_ERROR, "rank 2");
    REFUSED(b, POP_OPTIONS({ "availableMemoryProportion", "-1.5" }), POP_INVALID_OPTION, "is -1.5;");
    REFUSED(b, POP_OPTIONS({ "fullyConnectedPass", "FWD" }), POP_INVALID_OPTION, "TRAINING_FWD");
    REFUSED(b, POP_OPTIONS({ "partialType", "half" }), POP_INVALID_OPTION, "'partialsType'");
    poplin_mat_mul_typed(graph, a, b, fixture.program, POP_INT, "x", POP_NO_OPTIONS, NULL);
    assert_error(graph, POP_TYPE_ERROR, "poplin_mat_mul", "result has type int");
    /* a CPU has one tile, and unmapped elements are on it */
    assert_true(pop_tensor_valid(poplin_mat_mul(graph, a, unmapped, fixture.program, "x", POP_NO_OPTIONS, NULL)));
    poplin_mat_mul_with_output(graph, a, b, a, fixture.program, "x", POP_NO_OPTIONS, NULL);
    assert_error(graph, POP_POPLAR_ERROR, "poplin_mat_mul_with_output",
                 "the result has shape {4,5}; the product has {4,6}");
    poplin_mat_mul_acc(graph, wide, 1, a, fixture_input(&fixture, POP_FLOAT, POP_SHAPE(5, 10), FIXTURE_LINEAR),
                       fixture.program, "x", POP_NO_OPTIONS, NULL);
    assert_error(graph, POP_POPLAR_ERROR, "poplin_mat_mul_acc", "repeated elements");
    poplin_mat_mul_acc_tensor(graph, a, i, a, b, fixture.program, "x", POP_NO_OPTIONS, NULL);
    assert_error(graph, POP_TYPE_ERROR, "poplin_mat_mul_acc_tensor", "the factor is int{5,6}");
    poplin_mat_mul_grouped(graph, pop_tensor_expand(a, POP_DIMS(0)),
                           poplin_transpose_grouped_matrix(pop_tensor_expand(b, POP_DIMS(0))), fixture.program,
                           POP_FLOAT, "x", POP_NO_OPTIONS, NULL);
    assert_error(graph, POP_POPLAR_ERROR, "poplin_mat_mul_grouped", "{1,4,5} and {1,6,5}");
    fixture_close(&fixture);
}

static void test_options_of_the_convolution(void **state)
{
    (void)state;
    pop_option list[POPLIN_MAX_MAT_MUL_OPTIONS];
    size_t count;
    pop_error error;
    pop_options given = POP_OPTIONS({ "fullyConnectedPass", "TRAINING_BWD" }, { "partialsType", "float" },
                                    { "partialsType", "half" }, { "inputRHSIsPreArranged", "true" });
    assert_int_equal(poplin_mat_mul_conv_options(given, list, POPLIN_MAX_MAT_MUL_OPTIONS, &count, &error), POP_OK);
    assert_int_equal(count, 2);
    assert_string_equal(list[0].key, "pass");
    assert_string_equal(list[0].value, "FC_TRAINING_BWD");
    assert_string_equal(list[1].key, "partialsType");
    assert_string_equal(list[1].value, "half");
    assert_int_equal(
        poplin_mat_mul_conv_options(POP_OPTIONS({ "pass", "x" }), list, POPLIN_MAX_MAT_MUL_OPTIONS, &count, &error),
        POP_INVALID_OPTION);
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, NULL);
    assert_true(poplin_matmul_validate_options(fixture.graph, given));
    assert_false(poplin_matmul_validate_options(fixture.graph, POP_OPTIONS({ "gatherOutput", "yes" })));
    assert_error(fixture.graph, POP_INVALID_OPTION, "poplin_matmul_validate_options", "true or false");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes_views_and_types),
        cmocka_unit_test(test_release_2021),
        cmocka_unit_test(test_padding_is_copied),
        cmocka_unit_test(test_halves_are_transposed),
        cmocka_unit_test(test_sums_of_halves_are_transposed),
        cmocka_unit_test(test_created_operands_are_exchanged),
        cmocka_unit_test(test_constant_operands),
        cmocka_unit_test(test_adds_to_existing_values),
        cmocka_unit_test(test_the_result_is_an_operand),
        cmocka_unit_test(test_layouts_of_operands),
        cmocka_unit_test(test_arranged_operands_are_checked),
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_passes_of_a_layer),
        cmocka_unit_test(mistakes_are_errors),
        cmocka_unit_test(test_options_of_the_convolution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
