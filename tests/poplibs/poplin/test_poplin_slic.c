/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions by the vertex for few channels per group: in all passes against their definition, its cycles, and the
 * cases that it does not support. */
#include "poplibs/poplin/conv_runs.h"

#include "../../../src/poplin/conv_vertices/performance.c"

static void test_random_convolutions(void **state)
{
    (void)state;
    static const char *const constraints[] = {
        "{\"method\":\"SLIC\"}",
        "{\"method\":\"SLIC\",\"convGroupsPerGroup\":1}",
        "{\"method\":\"SLIC\",\"convGroupsPerGroup\":2}",
        "{\"method\":\"SLIC\",\"convGroupsPerGroup\":4}",
        "{\"method\":\"SLIC\",\"slicWindowWidth\":4,\"0\":{\"transform\":{\"swapOperands\":false}}}",
    };
    uint64_t random = 3;
    for (unsigned i = 0; i < 36; ++i) {
        poplin_conv_params p = random_params(&random, i / 2 % 3);
        struct fixture fixture = fixture_open((enum fixture_device)(i % FIXTURE_DEVICES), 64, add_codelets);
        bool units = i % FIXTURE_DEVICES == FIXTURE_MODEL; /* the CPU has no conv units: it uses another vertex */
        pop_options options = POP_OPTIONS({ "planConstraints", units ? constraints[i % 5] : "{}" },
                                          { "partialsType", i % 4 == 1 ? "half" : "float" });
        run(&fixture, &p, i / 2 % 3, options, NULL);
        fixture_close(&fixture);
    }
}

#define PLAIN "\"0\":{\"transform\":{\"swapOperands\":false,\"expandDims\":[],\"outChanFlattenDims\":[]}}"

/* Sums of sub-kernels in the type of partials, for all unit counts and strides; kernels that are split in rows. */
static void test_vertices(void **state)
{
    (void)state;
    static const struct {
        const char *constraints, *partials, *vertex;
        size_t chans, groups;
        unsigned stride;
    } rows[] = {
        { "{\"method\":\"SLIC\",\"convGroupsPerGroup\":4," PLAIN "}", "float",
          "poplin::ConvPartial1x4SLIC<half,float,1,true,2,4>", 1, 8, 1 },
        { "{\"method\":\"SLIC\",\"convGroupsPerGroup\":2," PLAIN "}", "half",
          "poplin::ConvPartial1x4SLIC<half,half,2,true,4,2>", 2, 5, 2 },
        { "{\"method\":\"SLIC\",\"convGroupsPerGroup\":1," PLAIN "}", "float",
          "poplin::ConvPartial1x4SLIC<half,float,2,true,2,1>", 4, 3, 2 },
        { "{\"method\":\"SLIC\",\"convGroupsPerGroup\":4,\"0\":{\"transform\":{\"swapOperands\":false,\"expandDims\":[]"
          "},\"partition\":{\"kernelSplit\":{\"0\":3}}}}",
          "float", "poplin::ConvPartial1x4SLIC<half,float,1,true,2,4>", 1, 4, 1 },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        poplin_conv_params p = poplin_conv_params_make(POP_HALF, POP_HALF, 2, POP_SHAPE(7, 9), POP_SHAPE(3, 5),
                                                       rows[i].chans, rows[i].chans, rows[i].groups);
        p.input_transform.padding_lower[0] = p.input_transform.padding_upper[1] = 1;
        p.output_transform.stride[1] = rows[i].stride;
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 48, add_codelets);
        pop_options options =
            POP_OPTIONS({ "planConstraints", rows[i].constraints }, { "partialsType", rows[i].partials });
        run(&fixture, &p, 0, options, rows[i].vertex);
        fixture_close(&fixture);
    }
}

/* The formula, calculated by hand for two workers' rows, and the vertex's estimate, which is the planner's on one tile.
 */
static void cycles_follow_the_formulas(void **state)
{
    (void)state;
    const unsigned long_rows[] = { 9, 3 };
    const struct worklist lists[6] = { { long_rows, 2 }, { long_rows, 1 } };
    struct slic_work slic = { .num_workers = 6,
                              .conv_group_groups = 2,
                              .conv_groups_per_group = 1,
                              .sub_kernels = 3,
                              .stride = 1,
                              .passes = 1,
                              .float_partials = true };
    uint64_t worker = 17 + 15 + 4 + 15;
    assert_int_equal(cycles_slic(&slic, lists), 28 + 2 * (15 + 3 * (34 + 6 * worker + 28)) + 6);
    slic.passes = 2, slic.stride = 2, slic.conv_groups_per_group = 4, slic.float_partials = false;
    worker = 17 + 15 + 2 * 12 + 15;
    assert_int_equal(cycles_slic(&slic, lists),
                     25 + 2 * (12 + 3 * (15 + 60 + 6 + 16 + 6 * worker + 28) + 6 * (2 + 24)) + 6);

    pop_options options =
        POP_OPTIONS({ "planConstraints",
                      "{\"method\":\"SLIC\",\"0\":{\"transform\":{\"swapOperands\":false,\"expandDims\":[]}}}" });
    poplin_conv_params p = poplin_conv_params_make(POP_HALF, POP_FLOAT, 1, POP_SHAPE(11, 16), POP_SHAPE(3, 4), 1, 1, 8);
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, add_codelets);
    run(&fixture, &p, 0, options, "SLIC");
    poplin_detailed_plan_costs costs = poplin_report_detailed_plan_estimated_costs(fixture.graph, &p, options, NULL);
    assert_int_equal(costs.tile_level_transform.cycles, 0); /* whole windows, no padding: operands are used in place */
    pop_cycles cycles;
    pop_error error;
    assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, &error), POP_OK);
    assert_in_range(cycles.compute, costs.compute.cycles - 50, costs.compute.cycles + 50 + costs.transform.cycles);
    fixture_close(&fixture);
}

/* The formulas of 2021, worked by hand from docs/reference/depthwise.md. */
static void test_cycles_2021(void **state)
{
    (void)state;
    const unsigned rows[] = { 9, 3 };
    const struct worklist lists[6] = { { rows, 2 }, { rows, 1 } };
    struct slic_work slic = { .num_workers = 6,
                              .conv_group_groups = 2,
                              .conv_groups_per_group = 4,
                              .sub_kernels = 3,
                              .stride = 1,
                              .passes = 2,
                              .float_partials = true,
                              .release = POP_POPLIBS_2021 };
    /* rows of 9: 15 + 4; of 3: 13 + 3 when zeroing, else 17 + 3; one less for float partials, in each of two passes */
    uint64_t zeroing = 2 + 3 + 12 + (10 + 1 + 3 + 2 * 18) + (10 + 1 + 3 + 2 * 15),
             adding = 2 + 3 + 12 + (10 + 3 + 2 * 18) + (10 + 3 + 2 * 19), load = 16 + 9 + 6 + 60 + 6;
    assert_int_equal(cycles_slic(&slic, lists), 28 + 15 * 2 + 6 + 1 + (load + 3 + 2 + 1 + 13) * 3 + 6 * 2 + 1 +
                                                    2 * 6 * zeroing + 2 * 2 * 6 * adding);
    /* two chains and half partials: 15 outputs are put together after the first pass; a row of 9 adds 3 when adding */
    slic.float_partials = false, slic.conv_groups_per_group = 1;
    zeroing = 2 + 2 + 12 + 1 + 2 + (9 + 1 + 2 * 19) + (9 + 1 + 2 * 16);
    adding = 2 + 2 + 12 + 1 + 2 + (9 + 2 * 22) + (9 + 2 * 20);
    assert_int_equal(cycles_slic(&slic, lists), 25 + 12 * 2 + 6 + 1 + (16 + 18 + 2 + 13) * 3 + 6 * 2 + 1 +
                                                    2 * (6 * zeroing + 2 + 2 * 21) + 2 * 2 * 6 * adding);
    slic.stride = 2, slic.passes = 1, slic.sub_kernels = 1, slic.conv_group_groups = 1;
    zeroing = 2 + 3 + 12 + (10 + 1 + 27) + (10 + 1 + 15);
    assert_int_equal(cycles_slic(&slic, lists), 28 + 15 + 1 + (16 + 18 + 3 + 2 + 1 + 13) + 1 + 6 * zeroing);
}

/* With the formulas of 2021: in all passes against the definition; operands that would have to be flipped or dilated in
 * the kernel are left to other methods. */
static void test_release_2021(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (unsigned i = 0; i < 12; ++i) {
        poplin_conv_params p = random_params(&random, 0);
        bool fits = true;
        for (size_t d = 0; d < p.num_field_dims; ++d)
            fits = fits && !p.input_transform.flip[d] && !p.kernel_transform.flip[d] &&
                   p.kernel_transform.dilation[d] == 1 && !p.kernel_transform.padding_upper[d];
        struct fixture fixture =
            fixture_open_with(FIXTURE_MODEL, 64, POP_OPTIONS({ "poplibsRelease", "2021" }), add_codelets);
        pop_options options = POP_OPTIONS({ "planConstraints", fits ? "{\"method\":\"SLIC\"}" : "{}" },
                                          { "partialsType", i % 2 ? "half" : "float" });
        run(&fixture, &p, 0, options, fits ? "SLIC" : NULL);
        fixture_close(&fixture);
    }
}

/* Zeros in the gaps of a dilated input count: backward, a layer with a stride has conv units for 8 combined groups on
 * ipu1; on ipu2, which has more tiles, the smaller part of each tile has fewer of them. */
static void test_zeros_of_2021(void **state)
{
    (void)state;
    static const struct {
        const char *system, *method;
        size_t field, groups;
    } rows[] = { { "ipu2", "AMP", 56, 128 }, { "ipu1", "AMP", 14, 512 }, { "ipu2", "SLIC", 14, 512 } };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        char text[8192], line[64];
        pop_target target;
        pop_error error;
        assert_int_equal(pop_target_create_ipu_options(1, 0, rows[i].system, POP_OPTIONS({ "poplibsRelease", "2021" }),
                                                       &target, &error),
                         POP_OK);
        pop_graph *graph = pop_graph_create(&target);
        poplin_conv_params p = poplin_conv_params_make(POP_HALF, POP_HALF, 4, POP_SHAPE(rows[i].field, rows[i].field),
                                                       POP_SHAPE(3, 3), 1, 1, rows[i].groups);
        p.input_transform.padding_lower[0] = p.input_transform.padding_lower[1] = 1;
        p.output_transform.stride[0] = p.output_transform.stride[1] = 2;
        poplin_conv_params gradient = poplin_get_gradient_params(&p);
        poplin_report_plan_info(graph, &gradient, POP_OPTIONS({ "pass", "TRAINING_BWD" }), NULL, text, sizeof(text));
        snprintf(line, sizeof(line), "method                     %s\n", rows[i].method);
        assert_non_null(strstr(text, line));
        pop_graph_destroy(graph);
    }
}

/* The input of a plan with combined groups has their order in memory; the tiles put the channels next to each other.
 * In all passes, with rows of odd and of even length. */
static void test_combined_groups(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 12; ++i) {
        unsigned pass = i % 3;
        bool combined = i < 6; /* else the operands' groups are 4 channels or more */
        poplin_conv_params p =
            poplin_conv_params_make(POP_HALF, POP_HALF, 2, POP_SHAPE(6, i % 2 ? 7 : 8), POP_SHAPE(3, 3), 1, 1, 16);
        p.input_transform.padding_lower[0] = p.input_transform.padding_lower[1] = 1;
        p.output_transform.stride[0] = p.output_transform.stride[1] = 2;
        p.input_transform.flip[1] = i == 9;
        struct fixture fixture =
            fixture_open_with(FIXTURE_MODEL, 40, POP_OPTIONS({ "poplibsRelease", "2021" }), add_codelets);
        pop_options options =
            POP_OPTIONS({ "planConstraints", combined ? "{\"0\":{\"transform\":{\"combineConvGroupsFactor\":[8],"
                                                        "\"swapOperands\":false,\"expandDims\":[]}}}"
                                                      : "{\"0\":{\"transform\":{\"combineConvGroupsFactor\":[4]}}}" });
        run(&fixture, &p, pass, options, NULL);
        if (combined) {
            pop_tensor in = poplin_create_input(fixture.graph, &p, "in", options, NULL); /* {batch, channels, field} */
            pop_tensor row = pop_tensor_slice(pop_tensor_slice(pop_tensor_slice(in, 0, 1, 0), 3, 4, 1), 0, 1, 2);
            assert_true(pop_tensor_is_contiguous(row));
        }
        fixture_close(&fixture);
    }
}

/* Depthwise layers use it by default; fully connected ones, float operands and wide strides do not. */
static void test_supported_convolutions(void **state)
{
    (void)state;
    char text[8192];
    pop_target target;
    pop_error error;
    assert_int_equal(pop_target_create_ipu(1, "ipu2", &target, &error), POP_OK);
    pop_graph *graph = pop_graph_create(&target);
    poplin_conv_params p =
        poplin_conv_params_make(POP_HALF, POP_HALF, 4, POP_SHAPE(14, 14), POP_SHAPE(3, 3), 1, 1, 512);
    p.input_transform.padding_lower[0] = p.input_transform.padding_lower[1] = p.input_transform.padding_upper[0] =
        p.input_transform.padding_upper[1] = 1;
    poplin_report_plan_info(graph, &p, POP_OPTIONS({ "pass", "TRAINING_FWD" }), NULL, text, sizeof(text));
    assert_non_null(strstr(text, "method                     SLIC\n"));
    assert_non_null(strstr(text, "slicWindowWidth            4\n"));
    static const struct {
        pop_type type;
        unsigned stride;
        const char *pass;
    } others[] = { { POP_FLOAT, 1, "TRAINING_FWD" },
                   { POP_HALF, 3, "TRAINING_FWD" },
                   { POP_HALF, 1, "FC_INFERENCE_FWD" } };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); ++i) {
        poplin_conv_params other =
            poplin_conv_params_make(others[i].type, others[i].type, 1, POP_SHAPE(1, 20), POP_SHAPE(1, 4), 1, 1, 4);
        other.output_transform.stride[1] = others[i].stride;
        pop_options options =
            POP_OPTIONS({ "pass", others[i].pass }, { "planConstraints", "{\"method\":\"SLIC\"," PLAIN "}" });
        poplin_report_plan_info(graph, &other, options, NULL, text, sizeof(text));
        assert_error(graph, POP_INVALID_OPTION, "poplin_report_plan_info", "cannot be satisfied");
    }
    pop_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_convolutions),   cmocka_unit_test(test_vertices),
        cmocka_unit_test(cycles_follow_the_formulas), cmocka_unit_test(test_cycles_2021),
        cmocka_unit_test(test_release_2021),          cmocka_unit_test(test_zeros_of_2021),
        cmocka_unit_test(test_combined_groups),       cmocka_unit_test(test_supported_convolutions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
