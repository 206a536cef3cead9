/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of convolutions whose innermost dimension is not the plan's, with the rules of 2021. */
#include "poplibs/poplin/conv_runs.h"

static struct fixture fixture_of(const char *release)
{
    return fixture_open_with(FIXTURE_MODEL, 24, POP_OPTIONS({ "poplibsRelease", release }), add_codelets);
}

/* Whether vertices transpose operands of an update. */
static bool transposes(const char *release, const char *channels, bool swaps)
{
    char constraints[160];
    struct fixture fixture = fixture_of(release);
    snprintf(constraints, sizeof(constraints),
             "{\"method\":\"AMP\",\"inChansPerGroup\":%s,\"0\":{\"transform\":{\"swapOperands\":%s,"
             "\"expandDims\":[0,1]}}}",
             channels, swaps ? "true" : "false");
    poplin_conv_params p = poplin_conv_params_make(POP_HALF, POP_HALF, 4, POP_SHAPE(5, 7), POP_SHAPE(1, 1), 32, 48, 1);
    poplin_conv_params gradient = poplin_get_gradient_params(&p);
    pop_tensor in = poplin_create_input(fixture.graph, &p, "in", POP_NO_OPTIONS, NULL),
               deltas = poplin_create_input(fixture.graph, &gradient, "deltas", POP_NO_OPTIONS, NULL);
    fixture_write(&fixture, in, NULL, -1, 1);
    fixture_write(&fixture, deltas, NULL, -1, 1);
    pop_tensor out = poplin_calculate_weight_deltas(fixture.graph, deltas, in, &p, fixture.program, "wu",
                                                    POP_OPTIONS({ "planConstraints", constraints }), NULL);
    double *wanted = reference_conv(&p, 2, fixture_given(&fixture, in), fixture_given(&fixture, deltas));
    fixture_check(fixture_run(&fixture, out), wanted, pop_tensor_num_elements(out), 0.02, 0.02);
    free(wanted);
    char *summary = summary_of(&fixture);
    bool found = strstr(summary, "popops::Transpose");
    free(summary);
    fixture_close(&fixture);
    return found;
}

/* Channels of an update's operands are together, where its plan has positions, of which the last group is padded: 140
 * are 8 groups of 16 and a rest of 12.  Groups that are no longer than a word of the data path are not transposed. */
static void test_blocks_are_transposed(void **state)
{
    (void)state;
    for (int swaps = 0; swaps < 2; ++swaps) {
        assert_true(transposes("2021", "16", swaps));
        assert_false(transposes("2021", "4", swaps));
        assert_false(transposes("1.2", "16", swaps));
    }
}

/* More channels than random_params has, in all passes. */
static void test_random_operands(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (unsigned i = 0; i < 18; ++i) {
        poplin_conv_params p = random_params(&random, i % 3);
        p.num_conv_groups = 1 + below(&random, 2);
        p.batch_size = 1 + below(&random, 5);
        p.input_channels_per_conv_group = 8 * (1 + below(&random, 4));
        p.output_channels_per_conv_group = 8 * (1 + below(&random, 4));
        struct fixture fixture = fixture_of("2021");
        run(&fixture, &p, i % 3, POP_NO_OPTIONS, NULL);
        fixture_close(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_are_transposed),
        cmocka_unit_test(test_random_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
