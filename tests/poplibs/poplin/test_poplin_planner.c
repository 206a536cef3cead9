/* SPDX-License-Identifier: Apache-2.0 */
/* The planner: its cost model on published plans, options, constraints, memory, the cache; and the formulas of
 * vertices. */
#include "poplibs/fixture.h"

#include "../../../src/poplin/conv_vertices/performance.c"

#include <poplin/conv_util.h>
#include <poplin/planning.h>

static poplin_conv_params layer(pop_type type, size_t batch, size_t in, size_t out)
{
    return poplin_conv_params_make(type, type, 1, POP_SHAPE(out), POP_SHAPE(1), in, batch, 1);
}
static poplin_conv_params convolution(pop_type type, size_t batch, size_t field, size_t in, size_t out, size_t kernel,
                                      unsigned stride)
{
    poplin_conv_params p =
        poplin_conv_params_make(type, type, batch, POP_SHAPE(field, field), POP_SHAPE(kernel, kernel), in, out, 1);
    for (size_t d = 0; d < 2; ++d) {
        p.input_transform.padding_lower[d] = p.input_transform.padding_upper[d] = (unsigned)kernel / 2;
        p.output_transform.stride[d] = stride;
    }
    return p;
}
static pop_graph *graph_of_system(const char *system)
{
    pop_target target;
    pop_error error;
    assert_int_equal(pop_target_create_ipu(1, system, &target, &error), POP_OK);
    return pop_graph_create(&target);
}

/* Three rows of float partials. */
static uint64_t reduce_add(uint64_t outputs, bool float_out, bool single_input, pop_poplibs_release release)
{
    struct reduction_work reduction = { 6, 3, float_out, true, single_input, false, release };
    return cycles_reduce_add(&reduction, outputs);
}

/* The guide's profile: 16 x 784 x 30 in float, split 98 times in its inputs and 4 times in its outputs, by the formula
 * of that release. */
static void formulas_give_the_guides_figures(void **state)
{
    (void)state;
    struct amp_work amp = { .num_workers = 6,
                            .num_conv_units = 8,
                            .coeff_bytes_per_cycle = 8,
                            .conv_groups = 1,
                            .in_groups = 1,
                            .out_groups = 2,
                            .in_chans_per_group = 8,
                            .out_chans_per_group = 8,
                            .float_inputs = true,
                            .float_partials = true,
                            .conv_input_load = 2 };
    assert_int_equal(cycles_1x1_0940(&amp, (const unsigned[]){ 1, 1, 2, 1, 1, 2 }), 999);
    assert_int_equal(cycles_1x1_0940(&amp, (const unsigned[]){ 1, 1, 1, 1, 1, 1 }), 931);
    /* Six workers with one vector each. */
    assert_int_equal(cycles_cast(6, 12, true, false), 6 * (26 + 1));
    assert_int_equal(cycles_outer_product(true, 3, 12, 6), 25 + 2 * (11 + 3 * 6));
    assert_int_equal(cycles_outer_product(false, 3, 12, 4), 25 + 3 * (10 + 3 * 20));
    assert_int_equal(reduce_add(24, true, false, POP_POPLIBS_1_2), 6 * (32 + 16));
    assert_int_equal(reduce_add(25, true, false, POP_POPLIBS_1_2), 6 * (32 + 16 + 19));
    assert_int_equal(reduce_add(26, false, false, POP_POPLIBS_1_2), 6 * (32 + 2 * 15));
    assert_int_equal(reduce_add(24, true, true, POP_POPLIBS_1_2), 33 + 6 * (20 + 14));
    assert_int_equal(cycles_zero(6, 2, 120, true, 2), 6 * 2 * (10 + 5));
    struct mac_work mac = { 6, 1, 1, 1, 1, 30, 1, true, true, true, POP_POPLIBS_1_2 };
    const unsigned item = 1;
    const struct worklist lists[6] = { { &item, 1 } };
    assert_int_equal(cycles_horizontal_mac(&mac, lists), 58 + 54 + 23 + 15 + 10 + 6 * (16 + 16 + 19 + 7 + 37));
}

/* Formulas of 2021, calculated by hand. */
static void formulas_of_2021(void **state)
{
    (void)state;
    struct amp_work amp = { .num_workers = 6,
                            .num_conv_units = 8,
                            .coeff_bytes_per_cycle = 8,
                            .conv_groups = 1,
                            .in_groups = 1,
                            .out_groups = 1,
                            .in_chans_per_group = 16,
                            .out_chans_per_group = 8,
                            .float_partials = true,
                            .conv_input_load = 4,
                            .release = POP_POPLIBS_2021 };
    /* 4 elements a worker: 38 + 4 - 10; 8 units load 32 bytes each, 8 a cycle */
    assert_int_equal(cycles_1x1(&amp, (const unsigned[]){ 4, 4, 4, 4, 4, 4 }),
                     50 + 6 * 10 + 12 + 11 + 19 + 7 + 32 + (6 * 32 + 14));
    amp.release = POP_POPLIBS_1_2;
    assert_int_equal(cycles_1x1(&amp, (const unsigned[]){ 4, 4, 4, 4, 4, 4 }),
                     50 + 6 * 10 + 12 + 11 + 19 + 7 + 8 + (6 * 31 + 14));
    /* Three rows: 7 blocks of 4 take two rounds of 6 workers; 6 blocks and one or two smaller ones, one round and a
     * remainder */
    assert_int_equal(reduce_add(28, true, false, POP_POPLIBS_2021), 6 * (32 + 2 * 16));
    assert_int_equal(reduce_add(25, true, false, POP_POPLIBS_2021), 6 * (32 + 16 + 19));
    assert_int_equal(reduce_add(27, true, false, POP_POPLIBS_2021), 6 * (32 + 16 + 19));
    assert_int_equal(reduce_add(27, true, false, POP_POPLIBS_1_2), 6 * (32 + 16 + 19));
    assert_int_equal(reduce_add(26, true, false, POP_POPLIBS_1_2), 6 * (32 + 2 * 16));
    assert_int_equal(reduce_add(26, true, false, POP_POPLIBS_2021), 6 * (32 + 16 + 19));
}

/* One region of partial results: whole blocks; a whole memory element, of 16 kB, is too much for ipu1. */
static void regions_of_partials(void **state)
{
    (void)state;
    pop_target ipu1, ipu2;
    assert_int_equal(pop_target_create_ipu(1, "ipu1", &ipu1, NULL), POP_OK);
    assert_int_equal(pop_target_create_ipu(1, "ipu2", &ipu2, NULL), POP_OK);
    assert_false(reduces_single_input(&ipu2, 8, 3, true)); /* release 1.2 */
    ipu1.poplibs_release = ipu2.poplibs_release = POP_POPLIBS_2021;
    assert_false(reduces_single_input(&ipu1, 8, 3, true));
    assert_true(reduces_single_input(&ipu2, 8, 3, true));
    assert_true(reduces_single_input(&ipu2, 4, 3, true));
    assert_false(reduces_single_input(&ipu2, 4, 3, false));
    assert_false(reduces_single_input(&ipu2, 6, 3, true));
    assert_false(reduces_single_input(&ipu2, 8, 1, true));
    assert_true(reduces_single_input(&ipu2, 4096, 3, true));  /* two elements of 39,936 bytes */
    assert_false(reduces_single_input(&ipu2, 4096, 4, true)); /* three */
}

/* Half partials of two output channels in 4 input channels: 12 cycles for each element.  By the formulas of 2021 only
 * the first item has any. */
static void mac_of_half_partials(void **state)
{
    (void)state;
    const unsigned items[] = { 3, 2 };
    const struct worklist lists[2] = { { items, 2 }, { items, 1 } };
    struct mac_work mac = { .num_workers = 2,
                            .conv_groups = 1,
                            .in_groups = 1,
                            .out_groups = 1,
                            .kernel_size = 1,
                            .in_chans_per_group = 4,
                            .out_chans_per_group = 2 };
    uint64_t overhead = 63 + 2 * 9 + 23 + 15 + 10;
    assert_int_equal(cycles_horizontal_mac(&mac, lists),
                     overhead + 2 * (16 + 16 + 19 + 3 * (7 + 12) + 19 + 2 * (7 + 12)));
    mac.release = POP_POPLIBS_2021;
    assert_int_equal(cycles_horizontal_mac(&mac, lists), overhead + 2 * (16 + 16 + 19 + 3 * (7 + 12) + 19 + 2 * 7));
    mac.same_lists = true, mac.kernel_size = 5; /* the same lists for all positions, of which the first item is one */
    assert_int_equal(cycles_horizontal_mac(&mac, lists),
                     overhead + 2 * (16 + 3 * 12 + 5 * (16 + 19 + 3 * 7 + 19 + 2 * 7)));
}

/* Groups of one half channel are combined 4, 8 or 16 at a time in 2021, also 2 in 1.2. */
static void combined_groups(void **state)
{
    (void)state;
    static const struct {
        const char *release, *constraints;
        pop_type type;
        size_t channels;
        bool found;
    } rows[] = {
        { "1.2", "2", POP_HALF, 1, true },  { "2021", "2", POP_HALF, 1, false },  { "2021", "4", POP_HALF, 1, true },
        { "2021", "2", POP_HALF, 2, true }, { "2021", "16", POP_HALF, 1, true },  { "2021", "2", POP_FLOAT, 1, true },
        { "1.2", "2", POP_FLOAT, 2, true }, { "2021", "2", POP_FLOAT, 2, false }, { "2021", "1", POP_HALF, 3, true },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        char constraints[100], text[8192];
        snprintf(constraints, sizeof(constraints), "{\"0\":{\"transform\":{\"combineConvGroupsFactor\":%s}}}",
                 rows[i].constraints);
        pop_target target;
        pop_error error;
        assert_int_equal(pop_target_create_ipu_options(1, 0, "ipu2", POP_OPTIONS({ "poplibsRelease", rows[i].release }),
                                                       &target, &error),
                         POP_OK);
        pop_graph *graph = pop_graph_create(&target);
        poplin_conv_params params = poplin_conv_params_make(rows[i].type, rows[i].type, 1, POP_SHAPE(6, 6),
                                                            POP_SHAPE(3, 3), rows[i].channels, rows[i].channels, 32);
        poplin_report_plan_info(graph, &params, POP_OPTIONS({ "planConstraints", constraints }), NULL, text,
                                sizeof(text));
        assert_int_equal(pop_graph_error(graph) == NULL, rows[i].found);
        pop_graph_destroy(graph);
    }
}

/* The best plan of a convolution by the formulas of a release. */
static uint64_t planned_cycles(const char *system, const char *release, const poplin_conv_params *params)
{
    pop_target target;
    pop_error error;
    assert_int_equal(
        pop_target_create_ipu_options(1, 0, system, POP_OPTIONS({ "poplibsRelease", release }), &target, &error),
        POP_OK);
    pop_graph *graph = pop_graph_create(&target);
    uint64_t cycles = poplin_report_plan_estimated_costs(graph, params, POP_NO_OPTIONS, NULL).cycles;
    pop_graph_destroy(graph);
    return cycles;
}
static void plans_depend_on_the_release(void **state)
{
    (void)state;
    poplin_conv_params params =
        poplin_conv_params_make(POP_HALF, POP_HALF, 1, POP_SHAPE(14, 14), POP_SHAPE(3, 3), 64, 64, 1);
    uint64_t first = planned_cycles("ipu1", "1.2", &params), later = planned_cycles("ipu1", "2021", &params);
    assert_true(first && later && first != later);
    pop_graph *graph = graph_of_system("ipu1");
    assert_int_equal(poplin_report_plan_estimated_costs(graph, &params, POP_NO_OPTIONS, NULL).cycles, first);
    pop_graph_destroy(graph);
}

/* Rows of bench/anchors/published/planner-plans.csv with the same plan as here. */
static void costs_are_the_published_ones(void **state)
{
    (void)state;
    const struct {
        const char *system, *pass, *memory;
        poplin_conv_params params;
        uint64_t cycles, bytes;
    } rows[] = {
        { "ipu1", "FC_INFERENCE_FWD", "0.6", layer(POP_FLOAT, 32, 1024, 1024), 8818, 17600 },
        { "ipu1", "FC_INFERENCE_FWD", "0.1", layer(POP_FLOAT, 128, 512, 512), 8958, 18464 },
        { "ipu1", "FC_INFERENCE_FWD", "0.1", layer(POP_HALF, 32, 1024, 1024), 3967, 9920 },
        { "ipu2", "FC_INFERENCE_FWD", "0.6", layer(POP_HALF, 128, 512, 512), 3572, 8544 },
        { "ipu1", "TRAINING_FWD", "0.6", convolution(POP_FLOAT, 1, 14, 1024, 256, 1, 1), 12807, 28160 },
        { "ipu2", "TRAINING_FWD", "0.1", convolution(POP_HALF, 1, 56, 64, 256, 1, 1), 4392, 12064 },
        { "ipu2", "TRAINING_FWD", "0.1", convolution(POP_FLOAT, 1, 224, 4, 64, 7, 2), 19645, 19520 },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        pop_graph *graph = graph_of_system(rows[i].system);
        poplin_plan_costs costs = poplin_report_plan_estimated_costs(
            graph, &rows[i].params,
            POP_OPTIONS({ "pass", rows[i].pass }, { "availableMemoryProportion", rows[i].memory }), NULL);
        assert_built(graph);
        assert_int_equal(costs.cycles, rows[i].cycles);
        assert_int_equal(costs.memory, rows[i].bytes);
        pop_graph_destroy(graph);
    }
}

static poplin_detailed_plan_costs plan(pop_graph *graph, const poplin_conv_params *params, pop_options options)
{
    poplin_detailed_plan_costs costs = poplin_report_detailed_plan_estimated_costs(graph, params, options, NULL);
    assert_built(graph);
    return costs;
}

/* Tiles with one row and one position of a kernel that is split take the vertex for kernels of one, which the planner
 * does not count on, as it takes no account of how the field is split. */
static void split_kernels_cost_more(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 64);
    poplin_conv_params whole =
                           poplin_conv_params_make(POP_HALF, POP_HALF, 1, POP_SHAPE(8, 8), POP_SHAPE(3, 1), 16, 8, 1),
                       row = poplin_conv_params_make(POP_HALF, POP_HALF, 1, POP_SHAPE(1, 8), POP_SHAPE(1, 1), 16, 8, 1);
    whole.input_transform.padding_lower[0] = whole.input_transform.padding_upper[0] = 1;
    const char *split = "{\"method\": \"AMP\", \"inChansPerGroup\": 16, \"0\": {\"partition\": {\"fieldSplit\": "
                        "{\"0\": 8, \"1\": 1}, \"kernelSplit\": {\"0\": 3}, \"outChanSplit\": {\"parallel\": 1}}}}",
               *together = "{\"method\": \"AMP\", \"inChansPerGroup\": 16, \"0\": {\"partition\": {\"fieldSplit\": "
                           "{\"0\": 1, \"1\": 1}, \"outChanSplit\": {\"parallel\": 1}}}}";
    assert_true(plan(graph, &whole, POP_OPTIONS({ "planConstraints", split })).compute.cycles >
                plan(graph, &row, POP_OPTIONS({ "planConstraints", together })).compute.cycles);
    pop_graph_destroy(graph);
}

/* No plan with its splits of the field and the batch fixed takes fewer cycles, or as many and less memory. */
static void equal_cycles_go_to_less_memory(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 8);
    for (size_t field = 8; field <= 12; ++field) {
        poplin_conv_params params = convolution(POP_HALF, 2, field, 16, 8, 3, 1);
        poplin_plan_costs chosen = plan(graph, &params, POP_NO_OPTIONS).total;
        for (unsigned i = 0; i < 64; ++i) {
            char constraints[160];
            snprintf(constraints, sizeof(constraints),
                     "{\"0\": {\"partition\": {\"batchSplit\": %u, \"fieldSplit\": {\"0\": %u, \"1\": %u}}}}",
                     1 + i % 2, 1 + i / 2 % 4, 1 + i / 8 % 8);
            poplin_plan_costs other = poplin_report_plan_estimated_costs(
                graph, &params, POP_OPTIONS({ "planConstraints", constraints }), NULL);
            if (pop_graph_error(graph)) { /* no such plan */
                pop_graph_take_error(graph, NULL);
                continue;
            }
            assert_true(other.cycles > chosen.cycles ||
                        (other.cycles == chosen.cycles && other.memory >= chosen.memory));
        }
    }
    pop_graph_destroy(graph);
}

static void memory_bounds_plans(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 64);
    poplin_conv_params params = layer(POP_FLOAT, 64, 512, 512);
    poplin_detailed_plan_costs much = plan(graph, &params, POP_OPTIONS({ "pass", "FC_INFERENCE_FWD" })),
                               little = plan(graph, &params,
                                             POP_OPTIONS({ "pass", "FC_INFERENCE_FWD" },
                                                         { "availableMemoryProportion", "0.02" })),
                               min = plan(graph, &params,
                                          POP_OPTIONS({ "pass", "FC_INFERENCE_FWD" },
                                                      { "availableMemoryProportion", "1e-9" }));
    assert_int_equal(much.serial_split, 1);
    assert_true(much.total.memory > 638976 / 50);
    assert_true(little.total.memory <= 638976 / 50);
    assert_true(little.total.cycles > much.total.cycles);
    assert_true(little.serial_split > 1);
    assert_true(min.total.memory <= little.total.memory);
    pop_graph_destroy(graph);
}

static void constraints_hold(void **state)
{
    (void)state;
    char text[8192], file[] = "/tmp/planner-XXXXXX", json[4096];
    pop_graph *graph = graph_of(1, 120);
    poplin_conv_params params = convolution(POP_HALF, 2, 13, 24, 40, 3, 1);
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    size_t length = poplin_report_plan_info(
        graph, &params,
        POP_OPTIONS({ "planConstraintsOutputFilename", file },
                    { "planConstraints", "{\"method\": \"MAC\", \"0\": {\"transform\": {\"expandDims\": [0]},"
                                         " \"partition\": {\"fieldSplit\": {\"1\": 4}, \"outChanSplit\": 5}}}" }),
        NULL, text, sizeof(text));
    assert_built(graph);
    assert_int_equal(length, strlen(text));
    assert_non_null(strstr(text, "MAC"));
    assert_non_null(strstr(text, "outChanSplit.parallel      5\n"));
    assert_non_null(strstr(text, "expandDims                 {0}\n"));
    /* The written constraints give the same plan. */
    FILE *written = fopen(file, "r");
    json[fread(json, 1, sizeof(json) - 1, written)] = 0;
    fclose(written);
    remove(file);
    poplin_plan_costs again =
        poplin_report_plan_estimated_costs(graph, &params, POP_OPTIONS({ "planConstraints", json }), NULL);
    assert_built(graph);
    snprintf(json, sizeof(json), "Estimated cost: %llu cycles, %llu bytes", (unsigned long long)again.cycles,
             (unsigned long long)again.memory);
    assert_non_null(strstr(text, json));
    pop_graph_destroy(graph);
}

/* The plan with these constraints. */
static void planned(pop_graph *graph, const poplin_conv_params *params, const char *constraints, char *text,
                    size_t size)
{
    poplin_report_plan_info(graph, params, POP_OPTIONS({ "planConstraints", constraints }), NULL, text, size);
    assert_built(graph);
}

/* All spellings of the same constraints give the same plan; an array of alternatives the best of them. */
static void constraints_as_programs_write_them(void **state)
{
    (void)state;
    static const char *const same[] = {
        "{\"method\": \"AMP\", \"inChansPerGroup\": 8, \"0\": {\"transform\": {\"swapOperands\": false}, "
        "\"partition\": {\"batchSplit\": 2}}}",
        "{\"method\": {\"type\": \"AMP\"}, \"inChansPerGroup\": \"8\", \"0\": {\"transform\": {\"swapOperands\": "
        "\"false\"}, \"partition\": {\"batchSplit\": \"2\"}}}",
        "{\"method\": [\"AMP\"], \"inChansPerGroup\": [8], \"0\": {\"transform\": {\"swapOperands\": [0]}, "
        "\"partition\": {\"batchSplit\": [\"2\"]}},"
        " \"1\": {\"transform\": {\"expandDims\": [], \"combineConvGroupsFactor\": \"1\"}}}",
        /* Poplibs takes any other name beside the levels. */
        "{\"method\": \"AMP\", \"inChansPerGroup\": 8, \"startTile\": {\"x\": [1, 2]}, \"0\": {\"transform\": "
        "{\"swapOperands\": false}, \"partition\": {\"batchSplit\": 2}}}",
    };
    char first[8192], text[8192], mac[8192];
    pop_graph *graph = graph_of(1, 64);
    poplin_conv_params params = convolution(POP_FLOAT, 2, 13, 24, 40, 3, 1);
    planned(graph, &params, same[0], first, sizeof(first));
    assert_non_null(strstr(first, "inChansPerGroup            8\n"));
    assert_non_null(strstr(first, "batchSplit                 2\n"));
    for (size_t i = 1; i < sizeof(same) / sizeof(same[0]); ++i) {
        planned(graph, &params, same[i], text, sizeof(text));
        assert_string_equal(text, first);
    }
    planned(graph, &params, "{\"method\": \"AMP\"}", first, sizeof(first));
    planned(graph, &params, "{\"method\": \"HMAC\"}", mac, sizeof(mac));
    planned(graph, &params, "{\"method\": [\"MAC\", \"AMP\"]}", text, sizeof(text));
    assert_string_not_equal(first, mac);
    assert_string_equal(text, first);
    planned(graph, &params, "{\"0\": {\"transform\": {\"expandDims\": [[0], [0,1]]}}}", text, sizeof(text));
    assert_true(strstr(text, "expandDims                 {0}\n") || strstr(text, "expandDims                 {0,1}\n"));
    pop_graph_destroy(graph);

    /* A dimension with one kernel position has nothing to expand: constraining it changes nothing. */
    graph = graph_of(1, 64);
    params.kernel_shape[1] = 1;
    planned(graph, &params, "{\"0\": {\"transform\": {\"expandDims\": [0]}}}", first, sizeof(first));
    planned(graph, &params, "{\"0\": {\"transform\": {\"expandDims\": [0, 1]}}}", text, sizeof(text));
    assert_string_equal(text, first);
    params.kernel_shape[1] = params.kernel_shape[0];
    pop_graph_destroy(graph);

    /* A level that does not exist here is read and has no effect: transforms on a tile, splits between IPUs. */
    graph = graph_of(1, 64);
    planned(graph, &params, "{}", first, sizeof(first));
    planned(graph, &params, "{\"1\": {\"transform\": {\"swapOperands\": true, \"combineConvGroupsFactor\": [2, 4]}}}",
            text, sizeof(text));
    assert_string_equal(text, first);
    pop_graph_destroy(graph);
    graph = graph_of(2, 64);
    planned(graph, &params,
            "{\"0\": {\"partition\": {\"batchSplit\": 2}}, \"1\": {\"partition\": {\"outChanSplit\": 5}}}", text,
            sizeof(text));
    assert_non_null(strstr(text, "outChanSplit.parallel      5\n"));
    pop_graph_destroy(graph);

    /* On several IPUs level 0 is between them, and level 1 between the tiles. */
    graph = graph_of(2, 64);
    planned(graph, &params,
            "{\"0\": {\"partition\": {\"batchSplit\": 1}}, \"1\": {\"partition\": {\"batchSplit\": 2, "
            "\"outChanSplit\": {\"parallel\": 5}}}}",
            text, sizeof(text));
    assert_non_null(strstr(text, "outChanSplit.parallel      5\n"));
    pop_graph_destroy(graph);
}

/* A proportion of 0 memory gives the smallest plan. */
static void no_memory_is_the_smallest_plan(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 64);
    poplin_conv_params params = convolution(POP_FLOAT, 2, 13, 24, 40, 3, 1);
    poplin_plan_costs any = poplin_report_plan_estimated_costs(graph, &params, POP_NO_OPTIONS, NULL);
    poplin_plan_costs none =
        poplin_report_plan_estimated_costs(graph, &params, POP_OPTIONS({ "availableMemoryProportion", "0" }), NULL);
    assert_built(graph);
    assert_true(none.memory < any.memory && none.cycles >= any.cycles && none.cycles);
    pop_graph_destroy(graph);
}

/* The rest of the report's line that begins with a word; "" if there is none. */
static const char *line_of(const char *report, const char *word, char *line, size_t size)
{
    const char *at = strstr(report, word);
    snprintf(line, size, "%.*s", at ? (int)strcspn(at + strlen(word), "\n") : 0, at ? at + strlen(word) : "");
    return line;
}
static void report_with(pop_graph *graph, const poplin_conv_params *params, const char *key, const char *value,
                        char *text, size_t size)
{
    poplin_report_plan_info(graph, params, key ? POP_OPTIONS({ key, value }) : POP_NO_OPTIONS, NULL, text, size);
    assert_built(graph);
}
/* Options that choose the first tile of convolutions, and which plans are tried. */
static void options_change_plans(void **state)
{
    (void)state;
    char plain[8192], text[8192], line[64];
    pop_graph *graph = graph_of(1, 1216);
    poplin_conv_params params = convolution(POP_FLOAT, 2, 13, 24, 40, 3, 1),
                       deep = convolution(POP_HALF, 1, 7, 3, 64, 3, 1);
    report_with(graph, &params, NULL, NULL, plain, sizeof(plain));
    assert_string_equal(line_of(plain, "startTile                  ", line, sizeof(line)), "0");
    report_with(graph, &params, "enableConvDithering", "true", text, sizeof(text));
    assert_string_not_equal(line_of(text, "startTile                  ", line, sizeof(line)), "0");
    unsigned step_of_one = (unsigned)atoi(line);
    report_with(graph, &params, "startTileMultiplier", "6", text, sizeof(text));
    assert_int_equal(atoi(line_of(text, "startTile                  ", line, sizeof(line))) % 2, 0);
    assert_int_not_equal(atoi(line), step_of_one);
    /* With three input channels, kernel positions are moved into the channels. */
    report_with(graph, &deep, NULL, NULL, plain, sizeof(plain));
    report_with(graph, &deep, "disableTransformations", "true", text, sizeof(text));
    assert_string_not_equal(plain, text);
    assert_string_equal(line_of(text, "outChanFlattenDims         ", line, sizeof(line)), "{}");
    assert_string_equal(line_of(text, "combineConvGroupsFactor    ", line, sizeof(line)), "1");
    pop_graph_destroy(graph);
}
/* Half of a tile's conv units are planned only with enableAmpHalfEnginesPlan. */
static void half_engines_are_an_option(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 64);
    poplin_conv_params params = convolution(POP_HALF, 2, 5, 16, 16, 3, 1);
    pop_option options[] = { { "planConstraints", "{\"method\": \"AMP\", \"numConvUnits\": 4}" },
                             { "partialsType", "float" },
                             { "enableAmpHalfEnginesPlan", "true" } };
    poplin_report_plan_estimated_costs(graph, &params, (pop_options){ options, 2 }, NULL);
    assert_error(graph, POP_INVALID_OPTION, "poplin_report_plan_estimated_costs", "'method' cannot be satisfied");
    assert_true(poplin_report_plan_estimated_costs(graph, &params, (pop_options){ options, 3 }, NULL).cycles > 0);
    assert_built(graph);
    pop_graph_destroy(graph);
}

static void invalid_options_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *words;
    } rows[] = {
        { "availableMemoryProportion", "-0.1", "'availableMemoryProportion' is -0.1; it must not be negative" },
        { "availableMemoryProportion", "nan", "cannot be 'nan'; it takes a number" },
        { "experimental.slicVmac16", "yes", "it takes false|true|auto" },
        { "partialsTyp", "half", "the nearest is 'partialsType'" },
        { "partialsType", "double", "it takes half|float" },
        { "tilesPerIPU", "65", "the target has 64" },
        { "numIPUs", "2", "the target has 1" },
        { "planConstraints", "{", "planConstraints is not valid JSON" },
        { "planConstraints", "[]", "'planConstraints' takes an object" },
        { "planConstraints", "{\"method\": \"AMPS\"}", "'method' takes AMP" },
        { "planConstraints", "{\"7\": {\"partition\": {\"batchSplit\": 2}}}",
          "\"7\" is not a valid level of hierarchy: there are 0 and 1" },
        { "planConstraints", "{\"method\": {\"typ\": \"AMP\"}}", "'method' has no 'typ'; the nearest is 'type'" },
        { "planConstraints", "{\"method\": \"XMAC\"}", "or an object with such a type, not \"XMAC\"" },
        { "planConstraints", "{\"0\": {\"partition\": {\"batchSplits\": 2}}}",
          "'partition' has no 'batchSplits'; the nearest is 'batchSplit'" },
        { "planConstraints", "{\"inChansPerGroup\": \"x\"}",
          "'inChansPerGroup' takes a whole number from 1 on, not \"x\"" },
        { "planConstraints", "{\"0\": {\"partition\": {\"batchSplit\": -1}}}", "from 1 on, not -1" },
        { "planConstraints", "{\"0\": {\"partition\": {\"batchSplit\": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}}}",
          "more than 16 combinations" },
        { "planConstraints", "{\"0\": {\"partition\": {\"batchSplit\": 0}}}",
          "'batchSplit' takes a whole number from 1 on" },
        { "planConstraints", "{\"0\": {\"partition\": {\"batchSplit\": 17}}}",
          "'batchSplit' cannot be satisfied: a split must not be larger" },
        { "planConstraints", "{\"0\": {\"partition\": {\"batchSplit\": [17, 19]}}}",
          "The nearest plan has 'batchSplit' 1" },
        { "planConstraints",
          "{\"method\": \"MAC\", \"numAmpConvUnits\": 4, \"inChansPerGroup\": 7, \"partialChansPerGroup\": 3}",
          "'inChansPerGroup', 'partialChansPerGroup' cannot be satisfied together" },
        { "planConstraints", "{\"inChansPerGroup\": 7}", "'inChansPerGroup' cannot be satisfied" },
        { "planConstraints", "{\"method\": \"OUTER_PRODUCT\"}", "'method' cannot be satisfied" },
        { "planConstraints", "{\"0\": {\"partition\": {\"outChanSplit\": {\"serial\": 3}}}}",
          "'outChanSplit' cannot be satisfied" },
        { "planConstraints", "{\"0\": {\"partition\": {\"fieldSplit\": [65, 1]}}}",
          "'fieldSplit' cannot be satisfied" },
        { "planConstraints", "{\"0\": {\"transforms\": {}}}",
          "a level has no 'transforms'; the nearest is 'transform'" },
    };
    pop_graph *graph = graph_of(1, 64);
    poplin_conv_params params = convolution(POP_FLOAT, 2, 5, 16, 16, 3, 1);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        poplin_plan_costs costs =
            poplin_report_plan_estimated_costs(graph, &params, POP_OPTIONS({ rows[i].key, rows[i].value }), NULL);
        assert_int_equal(costs.cycles, 0);
        assert_error(graph, POP_INVALID_OPTION, "poplin_report_plan_estimated_costs", rows[i].words);
    }
    assert_false(poplin_convolution_validate_options(graph, POP_OPTIONS({ "pass", "FORWARD" })));
    assert_error(graph, POP_INVALID_OPTION, "poplin_convolution_validate_options", "'pass'");
    assert_true(
        poplin_convolution_validate_options(graph, POP_OPTIONS({ "pass", "TRAINING_WU" }, { "partialsType", "half" })));
    params.kernel_shape[1] = 9;
    poplin_report_weight_update_plan_info(graph, &params, POP_NO_OPTIONS, NULL, NULL, 0);
    assert_error(graph, POP_POPLAR_ERROR, "poplin_report_weight_update_plan_info",
                 "field dimension 1: the kernel has 9 elements");
    pop_graph_destroy(graph);
}

/* Any shape has a plan whose splits multiply to its number of tiles; also on one tile, and for empty convolutions. */
static void unusual_shapes_have_plans(void **state)
{
    (void)state;
    uint64_t random = 5;
    static const unsigned tiles[] = { 1, 2, 7, 60 };
    static const char *const passes[] = { "NONE", "INFERENCE_FWD", "TRAINING_BWD", "TRAINING_WU" };
    for (size_t i = 0; i < 24; ++i) {
        pop_graph *graph = graph_of(1, tiles[i % 4]);
        size_t dims = 1 + next_random(&random) % 3, field[3], kernel[3];
        for (size_t d = 0; d < dims; ++d) {
            kernel[d] = 1 + next_random(&random) % 4;
            field[d] = kernel[d] + next_random(&random) % 9;
        }
        pop_type type = next_random(&random) % 2 ? POP_HALF : POP_FLOAT;
        poplin_conv_params p =
            poplin_conv_params_make(type, type, i % 11 ? 1 + next_random(&random) % 3 : 0, (pop_shape){ dims, field },
                                    (pop_shape){ dims, kernel }, 1 + next_random(&random) % 19,
                                    1 + next_random(&random) % 19, 1 + next_random(&random) % 3);
        for (size_t d = 0; d < dims; ++d) {
            p.output_transform.stride[d] = 1 + next_random(&random) % 2;
            p.input_transform.padding_upper[d] = next_random(&random) % 2;
        }
        poplin_detailed_plan_costs costs =
            plan(graph, &p, POP_OPTIONS({ "pass", passes[i / 4 % 4] }, { "partialsType", i % 3 ? "float" : "half" }));
        assert_in_range(costs.parallel_split, p.batch_size ? 1 : 0,
                        tiles[i % 4]); /* empty convolutions are not split */
        assert_true(costs.total.cycles > 0 || !p.batch_size);
        pop_graph_destroy(graph);
    }
}

/* The passes of a layer, planned one by one, agree on whether they share a layout. */
static void layers_in_training(void **state)
{
    (void)state;
    char text[3][8192];
    static const char *const passes[] = { "FC_TRAINING_FWD", "FC_TRAINING_BWD", "FC_TRAINING_WU" };
    const poplin_conv_params params[] = { layer(POP_HALF, 8, 96, 80), layer(POP_HALF, 8, 80, 96),
                                          poplin_conv_params_make(POP_HALF, POP_HALF, 1, POP_SHAPE(80), POP_SHAPE(1), 8,
                                                                  96, 1) };
    pop_graph *graph = graph_of(1, 32);
    poplin_planning_cache *cache = poplin_planning_cache_create();
    for (size_t i = 0; i < 3; ++i)
        poplin_report_plan_info(graph, &params[i], POP_OPTIONS({ "pass", passes[i] }), cache, text[i], sizeof(text[i]));
    assert_built(graph);
    const char *joint = strstr(text[0], "isJointPlan");
    for (size_t i = 0; i < 3; ++i)
        assert_memory_equal(strstr(text[i], "isJointPlan"), joint, 28);
    assert_int_equal(poplin_planning_cache_size(cache), 3);
    poplin_planning_cache_destroy(cache);
    pop_graph_destroy(graph);
}

static void plans_are_cached(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 64);
    const pop_target *target = pop_graph_target(graph);
    poplin_planning_cache *cache = poplin_planning_cache_create();
    poplin_conv_params a = convolution(POP_HALF, 1, 9, 16, 16, 3, 1), b = layer(POP_FLOAT, 5, 30, 20), same = a,
                       wrong = a;
    same.output_transform.truncation_upper[0] = 1; /* canonical parameters are those with smaller padding */
    same.input_transform.padding_upper[0] += 1;
    wrong.num_field_dims = POPLIN_MAX_FIELD_DIMS + 1;
    const poplin_conv_plan_request requests[] = { { target, &a, POP_NO_OPTIONS },
                                                  { target, &b, POP_NO_OPTIONS },
                                                  { target, &same, POP_NO_OPTIONS },
                                                  { target, &b, POP_OPTIONS({ "partialsType", "half" }) } };
    assert_int_equal(poplin_preplan_convolutions(requests, 4, cache, NULL), POP_OK);
    assert_int_equal(poplin_planning_cache_size(cache), 3);
    poplin_plan_costs kept = poplin_report_plan_estimated_costs(graph, &a, POP_NO_OPTIONS, cache);
    poplin_plan_costs found = poplin_report_plan_estimated_costs(graph, &a, POP_NO_OPTIONS, NULL);
    assert_int_equal(kept.cycles, found.cycles);
    assert_int_equal(kept.memory, found.memory);
    assert_int_equal(poplin_planning_cache_size(cache), 3);
    pop_error error;
    const poplin_conv_plan_request bad[] = { { target, &a, POP_NO_OPTIONS },
                                             { target, &wrong, POP_NO_OPTIONS },
                                             { target, &a, POP_OPTIONS({ "pass", "?" }) } };
    assert_int_equal(poplin_preplan_convolutions(bad, 3, cache, &error), POP_POPLAR_ERROR);
    assert_string_equal(error.api, "poplin_preplan_convolutions");
    assert_non_null(strstr(error.text, "from 0 to 6"));
    assert_int_equal(poplin_preplan_convolutions(bad + 2, 1, cache, &error), POP_INVALID_OPTION);
    poplin_planning_cache_destroy(cache);
    poplin_planning_cache_destroy(NULL);
    pop_graph_destroy(graph);
}

static void counts_of_operations(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 10);
    poplin_conv_params p = poplin_conv_params_make(POP_FLOAT, POP_FLOAT, 3, POP_SHAPE(6), POP_SHAPE(3), 4, 5, 2);
    /* 4 outputs of 3 x 4 products in each of 3 x 2 x 5 planes */
    assert_int_equal(poplin_get_fwd_flops(&p), 30 * 4 * (2 * 12 - 1));
    assert_int_equal(poplin_get_bwd_flops(&p), 2 * 30 * 48 - 3 * 2 * 4 * 6);
    assert_int_equal(poplin_get_wu_flops(&p), 2 * 30 * 48 - 2 * 4 * 5 * 3);
    p.input_transform.padding_lower[0] = 1; /* one output more, a third of whose products is padding */
    assert_int_equal(poplin_get_fwd_flops(&p), 30 * (2 * (48 + 8) - 5));
    double cycles = poplin_get_fwd_perfect_cycle_count(graph, &p);
    assert_true(cycles > 0 && poplin_get_bwd_perfect_cycle_count(graph, &p) > cycles &&
                poplin_get_wu_perfect_cycle_count(graph, &p) > cycles);
    assert_true(cycles * 10 * 2 * 16 * 2 > 3209 && cycles * 10 * 2 * 16 * 2 < 3211);
    pop_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_give_the_guides_figures),
        cmocka_unit_test(formulas_of_2021),
        cmocka_unit_test(regions_of_partials),
        cmocka_unit_test(mac_of_half_partials),
        cmocka_unit_test(combined_groups),
        cmocka_unit_test(plans_depend_on_the_release),
        cmocka_unit_test(costs_are_the_published_ones),
        cmocka_unit_test(split_kernels_cost_more),
        cmocka_unit_test(equal_cycles_go_to_less_memory),
        cmocka_unit_test(memory_bounds_plans),
        cmocka_unit_test(options_change_plans),
        cmocka_unit_test(half_engines_are_an_option),
        cmocka_unit_test(constraints_as_programs_write_them),
        cmocka_unit_test(no_memory_is_the_smallest_plan),
        cmocka_unit_test(constraints_hold),
        cmocka_unit_test(invalid_options_are_refused),
        cmocka_unit_test(unusual_shapes_have_plans),
        cmocka_unit_test(layers_in_training),
        cmocka_unit_test(plans_are_cached),
        cmocka_unit_test(counts_of_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
