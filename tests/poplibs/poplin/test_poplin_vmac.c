/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions by dot products along rows of the kernel: in all passes against their definition, their cycles, and
 * the cases in which the planner selects them. */
#include "poplibs/poplin/conv_runs.h"

#include "../../../src/poplin/conv_vertices/performance.c"

#define PLAIN "\"0\":{\"transform\":{\"swapOperands\":false,\"expandDims\":[],\"outChanFlattenDims\":[]}}"

static struct fixture open_2021(enum fixture_device device, unsigned tiles)
{
    return fixture_open_with(device, tiles, POP_OPTIONS({ "poplibsRelease", "2021" }), add_codelets);
}

static void test_random_convolutions(void **state)
{
    (void)state;
    static const char *const constraints[] = {
        "{\"method\":\"VMAC\"}",
        "{\"method\":\"VMAC\"," PLAIN "}",
        "{\"method\":\"VMAC\",\"0\":{\"transform\":{\"swapOperands\":true}}}",
    };
    uint64_t random = 11;
    for (unsigned i = 0; i < 48; ++i) {
        unsigned pass = i / 2 % 3;
        poplin_conv_params p = random_params(&random, pass);
        struct fixture fixture = open_2021((enum fixture_device)(i % FIXTURE_DEVICES), 64);
        bool plans = i % FIXTURE_DEVICES == FIXTURE_MODEL; /* CPU devices have no plans */
        pop_options options = POP_OPTIONS({ "planConstraints", plans ? constraints[i / 6 % 3] : "{}" });
        run(&fixture, &p, pass, options, NULL);
        fixture_close(&fixture);
    }
}

/* Kernel positions without an input are left out: dilated and flipped operands, kernels split over tiles, a row of
 * the kernel shared by workers. */
static void test_vertices(void **state)
{
    (void)state;
    static const struct {
        const char *constraints, *vertex;
        size_t chans, groups, batch;
        unsigned input_dilation, kernel_dilation;
        bool flip_input, flip_kernel;
    } rows[] = {
        { "{\"method\":\"VMAC\"," PLAIN "}", "poplin::ConvPartialVerticalMac<half,float,true,4>", 1, 8, 2, 1, 1, 0, 0 },
        { "{\"method\":\"VMAC\"," PLAIN "}", "VerticalMac", 3, 5, 1, 2, 1, 0, 1 },
        { "{\"method\":\"VMAC\"," PLAIN "}", "VerticalMac", 2, 1, 1, 3, 2, 1, 0 },
        { "{\"method\":\"VMAC\"," PLAIN "}", "VerticalMac", 1, 4, 1, 2, 3, 1, 1 },
        { "{\"method\":\"VMAC\",\"0\":{\"transform\":{\"swapOperands\":false,\"expandDims\":[]},\"partition\":{"
          "\"kernelSplit\":{\"0\":3},\"inChanSplit\":{\"serial\":1,\"parallel\":2}}}}",
          "VerticalMac", 2, 4, 1, 1, 1, 0, 1 },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
        for (unsigned tiles = 1; tiles <= 48; tiles += 47) {
            poplin_conv_params p =
                poplin_conv_params_make(POP_HALF, POP_HALF, rows[i].batch, POP_SHAPE(7, 9), POP_SHAPE(3, 5),
                                        rows[i].chans, rows[i].chans, rows[i].groups);
            p.input_transform.padding_lower[0] = p.input_transform.padding_upper[1] = 2;
            p.input_transform.padding_lower[1] = p.output_transform.stride[0] = 2;
            p.input_transform.dilation[1] = rows[i].input_dilation;
            p.kernel_transform.dilation[1] = rows[i].kernel_dilation;
            p.input_transform.flip[1] = rows[i].flip_input;
            p.kernel_transform.flip[1] = rows[i].flip_kernel;
            if (tiles == 1 && i == 4)
                continue; /* asks for splits */
            struct fixture fixture = open_2021(FIXTURE_MODEL, tiles);
            run(&fixture, &p, 0, POP_OPTIONS({ "planConstraints", rows[i].constraints }), rows[i].vertex);
            fixture_close(&fixture);
        }
}

/* Worked by hand from docs/reference/depthwise.md: an item of n positions takes 20 + 2 (n - 1). */
static void cycles_follow_the_formulas(void **state)
{
    (void)state;
    assert_int_equal(cycles_vmac_item(1), 20);
    assert_int_equal(cycles_vmac_item(3), 24);
    assert_int_equal(cycles_vmac_item(0), 18);
    /* 3 items of 24; 50 outputs: 9 a worker, 19 * 9 / 4 = 42 */
    struct vmac_work vmac = { 6, 2, 3, 50, 3 * 24 };
    assert_int_equal(cycles_vmac(&vmac), 100 + 2 * (4 + 50 + 32 + 3 * (24 + 6 * (6 + 72)) + 10 + 42));

    /* One tile, a field of 6 x 7 outputs and a kernel of 3 x 3, without padding: 42 outputs are 7 for each worker, a
     * row of the kernel each.  The planner zeroes 42, the vertex 42 x 4, and takes a row of 3 for one of 2. */
    pop_options options = POP_OPTIONS({ "planConstraints", "{\"method\":\"VMAC\"," PLAIN "}" });
    poplin_conv_params p = poplin_conv_params_make(POP_HALF, POP_FLOAT, 1, POP_SHAPE(8, 9), POP_SHAPE(3, 3), 1, 1, 8);
    struct fixture fixture = open_2021(FIXTURE_MODEL, 1);
    run(&fixture, &p, 0, options, "VerticalMac");
    poplin_detailed_plan_costs costs = poplin_report_detailed_plan_estimated_costs(fixture.graph, &p, options, NULL);
    assert_int_equal(costs.compute.cycles, 100 + 2 * (4 + 42 + 32 + 24 + 6 * (6 + 3 * 7 * 24) + 10 + 19 * 7 / 4));
    assert_int_equal(costs.tile_level_transform.cycles, 0);
    pop_cycles cycles;
    pop_error error;
    assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, &error), POP_OK);
    uint64_t vertex = 100 + 2 * (4 + 168 + 32 + 24 + 6 * (6 + 3 * 7 * 22) + 10 + 19 * 28 / 4);
    assert_in_range(cycles.compute, vertex, vertex + costs.transform.cycles + 60);
    fixture_close(&fixture);
}

/* Outputs that do not divide by the workers: they share the kernel positions of an output.  4 outputs of 6 positions
 * are 12 thirds of a row, 2 for each worker. */
static void test_shared_rows(void **state)
{
    (void)state;
    pop_options options = POP_OPTIONS({ "planConstraints", "{\"method\":\"VMAC\"," PLAIN "}" });
    poplin_conv_params p = poplin_conv_params_make(POP_HALF, POP_FLOAT, 1, POP_SHAPE(9), POP_SHAPE(6), 1, 1, 4);
    struct fixture fixture = open_2021(FIXTURE_MODEL, 1);
    run(&fixture, &p, 0, options, "VerticalMac");
    poplin_detailed_plan_costs costs = poplin_report_detailed_plan_estimated_costs(fixture.graph, &p, options, NULL);
    assert_int_equal(costs.compute.cycles, 100 + 4 + 4 + 32 + 24 + 6 * (6 + 2 * 22) + 10 + 19 * 1 / 4);
    fixture_close(&fixture);
}

/* Only with the formulas of 2021, for half inputs and float partials. */
static void test_supported_convolutions(void **state)
{
    (void)state;
    static const struct {
        const char *release, *partials;
        pop_type type;
        bool taken;
    } rows[] = { { "2021", "float", POP_HALF, true },
                 { "1.2", "float", POP_HALF, false },
                 { "2021", "half", POP_HALF, false },
                 { "2021", "float", POP_FLOAT, false } };
    char text[8192];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        pop_target target;
        pop_error error;
        assert_int_equal(pop_target_create_ipu_options(1, 0, "ipu2", POP_OPTIONS({ "poplibsRelease", rows[i].release }),
                                                       &target, &error),
                         POP_OK);
        pop_graph *graph = pop_graph_create(&target);
        poplin_conv_params p =
            poplin_conv_params_make(rows[i].type, rows[i].type, 1, POP_SHAPE(9, 20), POP_SHAPE(1, 4), 1, 1, 4);
        pop_options options =
            POP_OPTIONS({ "partialsType", rows[i].partials }, { "planConstraints", "{\"method\":\"VMAC\"}" });
        poplin_report_plan_info(graph, &p, options, NULL, text, sizeof(text));
        if (!rows[i].taken)
            assert_error(graph, POP_INVALID_OPTION, "poplin_report_plan_info", "VMAC");
        else
            assert_non_null(strstr(text, "method                     VMAC\n"));
        pop_graph_destroy(graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_convolutions),    cmocka_unit_test(test_vertices),
        cmocka_unit_test(cycles_follow_the_formulas),  cmocka_unit_test(test_shared_rows),
        cmocka_unit_test(test_supported_convolutions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
