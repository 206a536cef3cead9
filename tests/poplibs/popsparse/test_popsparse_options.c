/* SPDX-License-Identifier: Apache-2.0 */
/* Options of sparse operations: what they change in plans, as the log has them, and what is said of those without
 * effect. */
#include "poplibs/numeric.h"
#include "poplibs/popsparse/patterns.h"

#include <popops/codelets.h>
#include <popsparse/codelets.h>
#include <popsparse/fully_connected.h>
#include <popsparse/static_mat_mul.h>
#include <unistd.h>

static const char log_name[] = "test_popsparse_options.log";

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    popsparse_add_codelets_at(where, graph);
}

/* Whether the log has a line of a level with a text; empties the log. */
static bool logged(const char *level, const char *wanted)
{
    static char line[4000];
    bool found = false;
    FILE *file = fopen(log_name, "r");
    while (file && fgets(line, sizeof(line), file))
        found = found || (strstr(line, level) && strstr(line, wanted));
    if (file)
        fclose(file);
    assert_int_equal(truncate(log_name, 0), 0);
    return found;
}

/* ---- static products ---- */

struct fixed {
    struct fixture fixture;
    struct pattern pattern;
    popsparse_matrix matrix;
    popsparse_static_mat_mul_params params;
};
/* 12 x 20 with a third of its values, times {20, 6}; or {6, 12} times it. */
static struct fixed open_fixed(bool on_right)
{
    struct fixed f = { .fixture = fixture_open(FIXTURE_MODEL, 16, add_codelets),
                       .pattern = pattern_empty(12, 20, 1, 1) };
    uint64_t random = 3;
    pattern_fill(&f.pattern, 80, &random);
    f.matrix = pattern_matrix(&f.pattern, POPSPARSE_CSR, &random);
    f.params = on_right ? popsparse_static_mat_mul_params_create_for_dense_sparse(1, 6, 12, 20)
                        : popsparse_static_mat_mul_params_create_for_sparse_dense(1, 12, 20, 6);
    return f;
}
static void close_fixed(struct fixed *f)
{
    popsparse_matrix_free(&f->matrix);
    pattern_free(&f->pattern);
    fixture_close(&f->fixture);
}
static popsparse_static_sparse_tensor create(struct fixed *f, pop_options options)
{
    return f->params.transposed
               ? popsparse_static_create_dense_sparse_mat_mul_rhs(f->fixture.graph, POP_FLOAT, &f->params, &f->matrix,
                                                                  "sparse", options, NULL)
               : popsparse_static_create_sparse_dense_mat_mul_lhs(f->fixture.graph, POP_FLOAT, &f->params, &f->matrix,
                                                                  "sparse", options, NULL);
}

static void plans_are_logged_when_asked(void **state)
{
    (void)state;
    struct fixed f = open_fixed(false);
    create(&f, POP_NO_OPTIONS);
    assert_false(logged("[INFO]", "plan of 1 groups"));
    create(&f, POP_NO_OPTIONS);
    assert_true(logged("[DEBUG]", "plan of 1 groups of sparse 12 x 20 in blocks of 1 x 1, 80 values, batch 6:"));
    create(&f, POP_OPTIONS({ "verboseLogging", "true" }));
    assert_true(logged("[INFO]", "plan of 1 groups of sparse 12 x 20 in blocks of 1 x 1, 80 values, batch 6:"));
    assert_built(f.fixture.graph);
    close_fixed(&f);
}

static void bands_and_splits_are_those_asked_for(void **state)
{
    (void)state;
    pop_options four = POP_OPTIONS({ "verboseLogging", "true" }, { "numBands", "4" }, { "nSplit", "2" }),
                two = POP_OPTIONS({ "verboseLogging", "true" }, { "numBands", "2" }, { "nSplit", "3" }),
                five = POP_OPTIONS({ "nSplit", "5" });
    for (unsigned on_right = 0; on_right < 2; ++on_right) {
        struct fixed f = open_fixed(on_right);
        popsparse_static_sparse_tensor sparse = create(&f, four);
        /* bands divide k */
        assert_true(logged("[INFO]", on_right ? "rows in 4 parts" : "columns in 4, the batch in 2;"));
        create(&f, two);
        assert_true(logged("[INFO]", ", the batch in 3;"));
        pop_tensor dense =
            fixture_input(&f.fixture, POP_FLOAT, on_right ? POP_SHAPE(1, 6, 12) : POP_SHAPE(1, 20, 6), FIXTURE_LINEAR);
        assert_built(f.fixture.graph);
        /* an operand of another plan */
        if (on_right)
            popsparse_static_dense_sparse_mat_mul(f.fixture.graph, dense, sparse, f.fixture.program, false, false, NULL,
                                                  two, NULL);
        else
            popsparse_static_sparse_dense_mat_mul(f.fixture.graph, sparse, dense, f.fixture.program, false, false, NULL,
                                                  two, NULL);
        assert_error(f.fixture.graph, POP_POPLAR_ERROR,
                     on_right ? "popsparse_static_dense_sparse_mat_mul" : "popsparse_static_sparse_dense_mat_mul",
                     "created for another operation or with other options");
        create(&f, five);
        assert_error(f.fixture.graph, POP_INVALID_OPTION,
                     on_right ? "popsparse_static_create_dense_sparse_mat_mul_rhs"
                              : "popsparse_static_create_sparse_dense_mat_mul_lhs",
                     "for a batch of 6 with these constraints");
        close_fixed(&f);
    }
}

/* ---- types of sums ---- */

static uint64_t cycles_of_layer(pop_type type, size_t block, pop_options options)
{
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 16, add_codelets);
    pop_error error;
    pop_cycles cycles;
    popsparse_dynamic_fully_connected_params params = popsparse_dynamic_fully_connected_params_create_with_nz_ratio(
        popsparse_sparsity_params_make(block, block), 0.5, 16, 1, 64, 64);
    popsparse_dynamic_sparse_tensor w =
        popsparse_dynamic_create_fully_connected_weights(fixture.graph, type, &params, "w", options, NULL);
    pop_tensor in = fixture_input(&fixture, type, POP_SHAPE(16, 64), FIXTURE_LINEAR),
               out = popsparse_dynamic_fully_connected_fwd(fixture.graph, w, in, &params, fixture.program, "fwd",
                                                           options, NULL),
               grad = popsparse_dynamic_fully_connected_sparse_grad_w(fixture.graph, w.meta_info, out, in, &params,
                                                                      fixture.program, "gradW", options, NULL);
    fixture_run(&fixture, grad);
    assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, &error), POP_OK);
    uint64_t total = cycles.total;
    fixture_close(&fixture);
    return total;
}
#define LAYER                                                                                                          \
    { "planConstraints", "{\"partition\":{\"x\":2,\"y\":4,\"z\":2}}" },                                                \
    {                                                                                                                  \
        "doGradWPass", "true"                                                                                          \
    }

static void half_sums_take_fewer_cycles(void **state)
{
    (void)state;
    pop_options floats = POP_OPTIONS(LAYER), halves = POP_OPTIONS(LAYER, { "partialsType", "half" });
    uint64_t with_floats = cycles_of_layer(POP_HALF, 16, floats);
    assert_true(logged("[DEBUG]", "partial sums float;"));
    uint64_t with_halves = cycles_of_layer(POP_HALF, 16, halves);
    assert_true(logged("[DEBUG]", "partial sums half;"));
    if (with_halves >= with_floats)
        fail_msg("%llu cycles with half sums, %llu with float ones", (unsigned long long)with_halves,
                 (unsigned long long)with_floats);
    assert_int_equal(cycles_of_layer(POP_HALF, 1, floats), cycles_of_layer(POP_HALF, 1, halves));
    assert_true(logged("[WARN]", "partial sums of a matrix of single elements are float, not half"));
    assert_int_equal(cycles_of_layer(POP_FLOAT, 4, floats), cycles_of_layer(POP_FLOAT, 4, halves));
    assert_true(logged("[WARN]", "partial sums of a matrix of float values are float, not half"));
}

static void options_without_effect_are_named(void **state)
{
    (void)state;
    struct fixed f = open_fixed(false);
    create(&f, POP_OPTIONS({ "enablePreprocessing", "false" }));
    assert_true(logged("[WARN]", "options without effect here: enablePreprocessing"));
    close_fixed(&f);
    cycles_of_layer(POP_FLOAT, 1,
                    POP_OPTIONS(LAYER, { "sharedBuckets", "false" }, { "enableStructuredRearrangements", "false" },
                                { "partitioner.useActualWorkerSplitCosts", "true" }));
    assert_true(logged("[WARN]", "without effect here: sharedBuckets, partitioner.useActualWorkerSplitCosts, "
                                 "enableStructuredRearrangements"));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(plans_are_logged_when_asked),
                                        cmocka_unit_test(bands_and_splits_are_those_asked_for),
                                        cmocka_unit_test(half_sums_take_fewer_cycles),
                                        cmocka_unit_test(options_without_effect_are_named) };
    setenv("POPLIBS_LOG_LEVEL", "DEBUG", 1);
    setenv("POPLIBS_LOG_DEST", log_name, 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(log_name);
    return failed;
}
