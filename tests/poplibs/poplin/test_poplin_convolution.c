/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions of random parameters, in all passes, against their definition. */
#include "poplibs/poplin/conv_check.h"

#include <poputil/tile_mapping.h>

static unsigned below(uint64_t *state, unsigned limit)
{
    return next_random(state) % limit;
}
static void random_transform(uint64_t *state, poplin_input_transform *t, size_t d, size_t size)
{
    t->dilation[d] = 1 + below(state, 6) / 4;
    t->padding_lower[d] = below(state, 3);
    t->padding_upper[d] = below(state, 3);
    t->flip[d] = below(state, 4) == 0;
    if (size > 2) {
        t->truncation_lower[d] = below(state, 6) / 5;
        t->truncation_upper[d] = below(state, 6) / 5;
    }
}
/* Small enough for the reference. */
static poplin_conv_params random_params(uint64_t *state, pop_type type)
{
    poplin_conv_params p;
    do {
        size_t dims = 1 + below(state, 3), field[3], kernel[3];
        for (size_t d = 0; d < dims; ++d) {
            field[d] = 1 + below(state, dims == 3 ? 4 : 9);
            kernel[d] = 1 + below(state, 3);
        }
        p = poplin_conv_params_make(type, type, 1 + below(state, 3), (pop_shape){ dims, field },
                                    (pop_shape){ dims, kernel }, 1 + below(state, 19), 1 + below(state, 19),
                                    1 + below(state, 5) / 3);
        for (size_t d = 0; d < dims; ++d) {
            if (below(state, 2))
                random_transform(state, &p.input_transform, d, field[d]);
            if (below(state, 3) == 0) {
                random_transform(state, &p.kernel_transform, d, kernel[d]);
                p.kernel_transform.padding_lower[d] = below(state, 6) / 5;
                p.kernel_transform.padding_upper[d] = below(state, 6) / 5;
            }
            p.output_transform.stride[d] = 1 + below(state, 5) / 3;
            p.output_transform.truncation_lower[d] = below(state, 6) / 5;
        }
    } while (poplin_conv_params_validate(&p, NULL) != POP_OK);
    return p;
}

static void test_random_convolutions(void **state)
{
    (void)state;
    static const unsigned tiles[] = { 1, 7, 64 };
    uint64_t random = getenv("TSEED") ? (uint64_t)atoi(getenv("TSEED")) : 1;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (unsigned i = 0; i < 30; ++i) {
            poplin_conv_params p = random_params(&random, i % 4 == 3 ? POP_HALF : POP_FLOAT);
            conv_check(device, tiles[i % 3], &p, (enum conv_pass)(i / 2 % CONV_PASSES), 1e-5, 0.02);
        }
}

/* A convolution on the model whose plan is fixed by constraints, in all passes in which they can be satisfied. */
static double *forced(poplin_conv_params p, const char *constraints, struct fixture *fixture, pop_tensor *out)
{
    poplin_planning_cache *cache = poplin_planning_cache_create();
    pop_options options = { (const pop_option[]){ { "planConstraints", constraints } }, 1 };
    *fixture = fixture_open(FIXTURE_MODEL, 48, conv_codelets);
    pop_tensor in = poplin_create_input(fixture->graph, &p, "in", options, cache),
               weights = poplin_create_weights(fixture->graph, &p, "w", options, cache);
    fixture_write(fixture, in, NULL, -1, 1);
    fixture_write(fixture, weights, NULL, -1, 1);
    *out = poplin_convolution(fixture->graph, in, weights, &p, false, fixture->program, "forced", options, cache);
    char report[4096];
    poplin_report_plan_info(fixture->graph, &p, options, cache, report, sizeof(report));
    poplin_planning_cache_destroy(cache);
    return reference_conv(&p, 0, fixture_given(fixture, in), fixture_given(fixture, weights));
}

static void test_forced_plans(void **state)
{
    (void)state;
    static const struct forced_plan {
        const char *constraints;
        size_t field[2], kernel, ins, outs, groups;
        const char *vertex;
    } plans[] = {
        { "{\"method\":\"AMP\",\"inChansPerGroup\":8,\"partialChansPerGroup\":16}",
          { 5, 7 },
          1,
          19,
          33,
          1,
          "poplin::ConvPartial1x1Out<float,float,true,false,16>" },
        { "{\"method\":\"AMP\",\"inChansPerGroup\":4}",
          { 5, 7 },
          3,
          9,
          10,
          2,
          "poplin::ConvPartialnx1<float,float,true,false,16>" },
        { "{\"method\":\"MAC\"}", { 5, 7 }, 2, 9, 3, 1, "poplin::ConvPartialHorizontalMac<float,float,true>" },
        { "{\"method\":\"OUTER_PRODUCT\"}", { 1, 37 }, 1, 1, 13, 1, "poplin::OuterProduct<float>" },
        { "{\"method\":\"OUTER_PRODUCT\",\"0\":{\"partition\":{\"convGroupSplit\":2}}}",
          { 1, 7 },
          1,
          1,
          5,
          6,
          "poplin::OuterProduct<float>" },
        { "{\"0\":{\"transform\":{\"swapOperands\":true}}}", { 5, 7 }, 3, 5, 7, 2, NULL },
        { "{\"0\":{\"transform\":{\"expandDims\":[0,1]}}}", { 6, 7 }, 3, 5, 7, 1, NULL },
        { "{\"0\":{\"transform\":{\"outChanFlattenDims\":[0]}}}", { 4, 5 }, 3, 2, 3, 1, NULL },
        { "{\"0\":{\"transform\":{\"combineConvGroupsFactor\":4}}}", { 4, 5 }, 3, 1, 1, 6, NULL },
        { "{\"0\":{\"partition\":{\"outChanSplit\":{\"serial\":3}}}}", { 4, 5 }, 1, 16, 48, 1, NULL },
        { "{\"method\":\"AMP\",\"partialChansPerGroup\":8,\"0\":{\"partition\":{\"outChanSplit\":{\"serial\":2,"
          "\"parallel\":2}}}}",
          { 4, 5 },
          1,
          4,
          22,
          1,
          NULL },
        { "{\"0\":{\"partition\":{\"inChanSplit\":{\"serial\":2,\"parallel\":2}}}}", { 4, 5 }, 1, 64, 8, 1, NULL },
        /* Steps with channels that fill no group, of several convolutions, with operands that change places. */
        { "{\"0\":{\"partition\":{\"inChanSplit\":{\"serial\":3}}}}", { 5, 4 }, 3, 15, 7, 2, NULL },
        { "{\"0\":{\"partition\":{\"outChanSplit\":{\"serial\":5}}}}", { 5, 4 }, 3, 3, 35, 3, NULL },
        { "{\"0\":{\"transform\":{\"swapOperands\":true},\"partition\":{\"inChanSplit\":{\"serial\":2}}}}",
          { 5, 4 },
          3,
          6,
          5,
          1,
          NULL },
        { "{\"0\":{\"partition\":{\"inChanSplit\":{\"serial\":1,\"parallel\":32}}}}", { 2, 3 }, 1, 512, 8, 1, NULL },
        { "{\"0\":{\"partition\":{\"kernelSplit\":{\"0\":3}}}}", { 8, 5 }, 3, 8, 8, 1, NULL },
    };
    for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); ++i) {
        struct fixture fixture;
        pop_tensor out;
        poplin_conv_params p =
            poplin_conv_params_make(POP_FLOAT, POP_FLOAT, 1, (pop_shape){ 2, plans[i].field },
                                    POP_SHAPE(plans[i].field[0] == 1 ? 1 : plans[i].kernel, plans[i].kernel),
                                    plans[i].ins, plans[i].outs, plans[i].groups);
        double *wanted = forced(p, plans[i].constraints, &fixture, &out);
        if (pop_graph_error(fixture.graph))
            print_message("%s\n", plans[i].constraints);
        double *got = fixture_run(&fixture, out);
        fixture_check(got, wanted, pop_tensor_num_elements(out), 1e-5, 1e-5);
        free(wanted);
        if (plans[i].vertex) {
            char *text;
            size_t size;
            FILE *file = open_memstream(&text, &size);
            pop_error error;
            assert_int_equal(pop_engine_print_profile_summary(fixture.engine, file, POP_NO_OPTIONS, &error), POP_OK);
            fclose(file);
            if (!strstr(text, plans[i].vertex))
                fail_msg("%s did not run:\n%s", plans[i].vertex, text);
            free(text);
        }
        fixture_close(&fixture);
    }
}

/* One input channel and a kernel of one element, with an input that is truncated by as much as it is padded, or
 * flipped. */
static void test_one_channel_transformed(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; ++i) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 16, conv_codelets);
        poplin_conv_params p = poplin_conv_params_make(POP_FLOAT, POP_HALF, 4, POP_SHAPE(11), POP_SHAPE(1), 1, 4, 1);
        if (i < 2)
            p.input_transform.truncation_upper[0] = p.input_transform.padding_upper[0] = 2;
        else
            p.output_transform.truncation_lower[0] = p.output_transform.padding_upper[0] = 3;
        p.input_transform.flip[0] = i % 2;
        pop_tensor in = poplin_create_input(fixture.graph, &p, "in", POP_NO_OPTIONS, NULL),
                   weights = poplin_create_weights(fixture.graph, &p, "w", POP_NO_OPTIONS, NULL);
        fixture_write(&fixture, in, NULL, -1, 1);
        fixture_write(&fixture, weights, NULL, -1, 1);
        pop_tensor out =
            poplin_convolution(fixture.graph, in, weights, &p, false, fixture.program, "x", POP_NO_OPTIONS, NULL);
        double *wanted = reference_conv(&p, 0, fixture_given(&fixture, in), fixture_given(&fixture, weights));
        fixture_check(fixture_run(&fixture, out), wanted, pop_tensor_num_elements(out), 1e-3, 1e-6);
        free(wanted);
        fixture_close(&fixture);
    }
}

/* The cycles of a convolution's vertices on one tile, which is all of it, equal the planner's estimate. */
static void check_cost(const poplin_conv_params *p, const char *constraints)
{
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, conv_codelets);
    pop_options options = POP_OPTIONS({ "planConstraints", constraints });
    pop_tensor in = poplin_create_input(fixture.graph, p, "in", options, NULL),
               weights = poplin_create_weights(fixture.graph, p, "w", options, NULL);
    fixture_run(&fixture,
                poplin_convolution(fixture.graph, in, weights, p, false, fixture.program, "x", options, NULL));
    poplin_detailed_plan_costs costs = poplin_report_detailed_plan_estimated_costs(fixture.graph, p, options, NULL);
    pop_cycles cycles;
    pop_error error;
    assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, &error), POP_OK);
    if (costs.transform.cycles == 0)
        assert_int_equal(cycles.compute, costs.compute.cycles + costs.output_cast.cycles);
    fixture_close(&fixture);
}
static void test_cost_equals_the_planners_estimate(void **state)
{
    (void)state;
    static const char *const methods[] = { "{\"method\":\"AMP\"}", "{\"method\":\"MAC\"}" };
    for (size_t i = 0; i < 4; ++i) {
        size_t kernel = i < 2 ? 1 : 3;
        poplin_conv_params p =
            poplin_conv_params_make(POP_FLOAT, POP_FLOAT, 1, POP_SHAPE(11, 13), POP_SHAPE(kernel, kernel), 16, 16, 1);
        check_cost(&p, methods[i % 2]);
    }
}

/* Filters of 4 rows for 4 channels, of which the last may have fewer rows of the kernel. */
static void test_cost_of_filters_of_several_rows_equals_the_planners_estimate(void **state)
{
    (void)state;
    for (size_t rows = 1; rows <= 8; ++rows) {
        poplin_conv_params p =
            poplin_conv_params_make(POP_HALF, POP_FLOAT, 1, POP_SHAPE(15, 13), POP_SHAPE(rows, 3), 4, 16, 1);
        check_cost(&p, "{\"method\":\"AMP\",\"inChansPerGroup\":4,\"partialChansPerGroup\":16,"
                       "\"0\":{\"transform\":{\"swapOperands\":false,\"expandDims\":[]}}}");
    }
}

/* A gathered output is one variable, with the same values; the copy takes cycles. */
static void test_output_is_gathered(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (int gather = 0; gather < 2; ++gather) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 16, conv_codelets);
        pop_options options =
            POP_OPTIONS({ "gatherConvOutput", gather ? "true" : "false" },
                        { "planConstraints", "{\"0\": {\"partition\": {\"outChanSplit\": {\"parallel\": 2}}}}" });
        poplin_conv_params p =
            poplin_conv_params_make(POP_FLOAT, POP_FLOAT, 2, POP_SHAPE(7, 5), POP_SHAPE(3, 3), 8, 32, 1);
        pop_tensor in = poplin_create_input(fixture.graph, &p, "in", options, NULL),
                   weights = poplin_create_weights(fixture.graph, &p, "w", options, NULL);
        fixture_write(&fixture, in, NULL, -1, 1);
        fixture_write(&fixture, weights, NULL, -1, 1);
        double *wanted = reference_conv(&p, 0, fixture_given(&fixture, in), fixture_given(&fixture, weights));
        pop_tensor out = poplin_convolution(fixture.graph, in, weights, &p, false, fixture.program, "x", options, NULL);
        pop_variable_interval *regions;
        size_t count = pop_tensor_var_regions(out, &regions), others = 0;
        for (size_t i = 1; i < count; ++i)
            others += regions[i].variable != regions[0].variable;
        free(regions);
        assert_true(gather ? others == 0 : others > 0);
        fixture_check(fixture_run(&fixture, out), wanted, pop_tensor_num_elements(out), 1e-5, 1e-5);
        pop_cycles all;
        pop_error error;
        assert_int_equal(pop_engine_cycles(fixture.engine, &all, &error), POP_OK);
        cycles[gather] = all.total;
        free(wanted);
        fixture_close(&fixture);
    }
    assert_true(cycles[1] > cycles[0]);
}

/* Long names are kept in full. */
static void test_names_are_not_cut(void **state)
{
    (void)state;
    char name[400], wanted[500];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = 0;
    snprintf(wanted, sizeof(wanted), "%s/Conv_3x2/gathered", name);
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 4, conv_codelets);
    pop_options options = POP_OPTIONS({ "gatherConvOutput", "true" });
    poplin_conv_params p = poplin_conv_params_make(POP_FLOAT, POP_FLOAT, 1, POP_SHAPE(5, 5), POP_SHAPE(3, 2), 4, 4, 1);
    pop_tensor in = poplin_create_input(fixture.graph, &p, "in", options, NULL),
               weights = poplin_create_weights(fixture.graph, &p, "w", options, NULL);
    pop_tensor out = poplin_convolution(fixture.graph, in, weights, &p, false, fixture.program, name, options, NULL);
    assert_built(fixture.graph);
    pop_variable_interval *regions;
    assert_true(pop_tensor_var_regions(out, &regions) > 0);
    assert_string_equal(pop_graph_variable_name(fixture.graph, regions[0].variable), wanted);
    free(regions);
    fixture_close(&fixture);
}

/* The end of used memory on a convolution's only tile. */
static uint64_t end_of_tile(const char *method)
{
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, conv_codelets);
    pop_options options = POP_OPTIONS({ "planConstraints", method });
    poplin_conv_params p =
        poplin_conv_params_make(POP_FLOAT, POP_FLOAT, 1, POP_SHAPE(5, 5), POP_SHAPE(1, 1), 16, 16, 1);
    pop_tensor in = poplin_create_input(fixture.graph, &p, "in", options, NULL),
               weights = poplin_create_weights(fixture.graph, &p, "w", options, NULL);
    fixture_run(&fixture,
                poplin_convolution(fixture.graph, in, weights, &p, false, fixture.program, "x", options, NULL));
    pop_profile_value profile;
    assert_int_equal(pop_engine_graph_profile(fixture.engine, &profile, NULL), POP_OK);
    uint64_t end =
        pop_profile_as_uint(pop_profile_at(pop_profile_path(&profile, "memory.byTile.totalIncludingGaps"), 0));
    pop_profile_free(&profile);
    fixture_close(&fixture);
    return end;
}
/* Conv units write interleaved memory; other products read inputs and weights from two elements below it. */
static void test_memory_elements(void **state)
{
    (void)state;
    enum { ELEMENT = 16384, INTERLEAVED = 13 * ELEMENT };
    uint64_t amp = end_of_tile("{\"method\":\"AMP\"}"), mac = end_of_tile("{\"method\":\"MAC\"}");
    assert_true(amp > INTERLEAVED);
    assert_true(mac > ELEMENT && mac < 2 * ELEMENT);
}

/* The number of compute sets that multiply a group of input channels with one kernel position. */
static uint64_t sets_of_result(pop_type type)
{
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, conv_codelets);
    pop_options options =
        POP_OPTIONS({ "planConstraints",
                      "{\"method\":\"AMP\",\"inChansPerGroup\":16,\"0\":{\"transform\":{\"swapOperands\":false}}}" });
    poplin_conv_params p = poplin_conv_params_make(POP_HALF, type, 1, POP_SHAPE(11, 13), POP_SHAPE(1, 1), 16, 16, 1);
    pop_tensor in = poplin_create_input(fixture.graph, &p, "in", options, NULL),
               weights = poplin_create_weights(fixture.graph, &p, "w", options, NULL);
    fixture_write(&fixture, in, NULL, -1, 1);
    fixture_write(&fixture, weights, NULL, -1, 1);
    double *wanted = reference_conv(&p, 0, fixture_given(&fixture, in), fixture_given(&fixture, weights));
    pop_tensor out = poplin_convolution(fixture.graph, in, weights, &p, false, fixture.program, "x", options, NULL);
    fixture_check(fixture_run(&fixture, out), wanted, pop_tensor_num_elements(out), 0.001, 0.001);
    pop_profile_value profile;
    assert_int_equal(pop_engine_graph_profile(fixture.engine, &profile, NULL), POP_OK);
    uint64_t sets = pop_profile_as_uint(pop_profile_path(&profile, "graph.numComputeSets"));
    pop_profile_free(&profile);
    free(wanted);
    fixture_close(&fixture);
    return sets;
}
/* Results of half are written directly, as those of float: they are not cast from wider partials. */
static void test_results_need_no_partials(void **state)
{
    (void)state;
    assert_int_equal(sets_of_result(POP_HALF), sets_of_result(POP_FLOAT));
}

/* Cycles of one tile's vertices for a field that is dilated to 15 by 15 elements; the planner's estimate in *planned.
 */
static uint64_t compute_of_dilation(size_t field, unsigned dilation, uint64_t *planned)
{
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, conv_codelets);
    pop_options options =
        POP_OPTIONS({ "planConstraints", "{\"method\":\"AMP\",\"inChansPerGroup\":16,"
                                         "\"0\":{\"transform\":{\"swapOperands\":false,\"expandDims\":[]}}}" });
    poplin_conv_params p =
        poplin_conv_params_make(POP_HALF, POP_FLOAT, 1, POP_SHAPE(field, field), POP_SHAPE(3, 3), 16, 16, 1);
    p.input_transform.dilation[0] = p.input_transform.dilation[1] = dilation;
    pop_tensor in = poplin_create_input(fixture.graph, &p, "in", options, NULL),
               weights = poplin_create_weights(fixture.graph, &p, "w", options, NULL);
    fixture_write(&fixture, in, NULL, -1, 1);
    fixture_write(&fixture, weights, NULL, -1, 1);
    double *wanted = reference_conv(&p, 0, fixture_given(&fixture, in), fixture_given(&fixture, weights));
    pop_tensor out = poplin_convolution(fixture.graph, in, weights, &p, false, fixture.program, "x", options, NULL);
    fixture_check(fixture_run(&fixture, out), wanted, pop_tensor_num_elements(out), 0.001, 0.001);
    *planned = poplin_report_detailed_plan_estimated_costs(fixture.graph, &p, options, NULL).compute.cycles;
    pop_cycles cycles;
    pop_error error;
    assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, &error), POP_OK);
    free(wanted);
    fixture_close(&fixture);
    return cycles.compute;
}
/* Workers share the outputs of a kernel position: a quarter of them if every other row and column of the input is a
 * gap. */
static void test_gaps_take_no_time(void **state)
{
    (void)state;
    uint64_t planned_plain, planned, plain = compute_of_dilation(15, 1, &planned_plain),
                                     dilated = compute_of_dilation(8, 2, &planned);
    assert_true(3 * dilated < 2 * plain && 3 * planned < 2 * planned_plain);
    assert_in_range(dilated, planned - planned / 8, planned);
}

/* Small pieces of operands are sent by exchange: copies within tiles take little of the time. */
static void test_small_pieces_are_exchanged(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 64, conv_codelets);
    poplin_conv_params p = poplin_conv_params_make(POP_HALF, POP_HALF, 4, POP_SHAPE(7, 7), POP_SHAPE(3, 3), 1, 1, 64);
    pop_tensor in = poplin_create_input(fixture.graph, &p, "in", POP_NO_OPTIONS, NULL);
    size_t dims[4] = { 4, 64, 5, 5 };
    pop_tensor deltas = pop_graph_add_variable(fixture.graph, POP_HALF, (pop_shape){ 4, dims }, "deltas");
    poputil_map_tensor_linearly(fixture.graph, deltas);
    fixture_write(&fixture, in, NULL, -1, 1);
    fixture_write(&fixture, deltas, NULL, -1, 1);
    double *wanted = reference_conv(&p, 2, fixture_given(&fixture, in), fixture_given(&fixture, deltas));
    pop_tensor out =
        poplin_calculate_weight_deltas(fixture.graph, deltas, in, &p, fixture.program, "wu", POP_NO_OPTIONS, NULL);
    fixture_check(fixture_run(&fixture, out), wanted, pop_tensor_num_elements(out), 0.02, 0.02);
    pop_cycles cycles;
    pop_error error;
    assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, &error), POP_OK);
    assert_true(cycles.compute < 2000); /* 9,670 where each tile moves its own */
    free(wanted);
    fixture_close(&fixture);
}

static bool profile_mentions(const struct fixture *fixture, const char *words)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    pop_error error;
    assert_int_equal(pop_engine_print_profile_summary(fixture->engine, file, POP_NO_OPTIONS, &error), POP_OK);
    fclose(file);
    bool found = strstr(text, words);
    free(text);
    return found;
}

/* Tiles may exchange halves of sums that were accumulated in float. */
static void test_partials_between_tiles(void **state)
{
    (void)state;
    static const char *const splits[] = { "{\"0\":{\"partition\":{\"inChanSplit\":{\"serial\":1,\"parallel\":20}}}}",
                                          "{\"0\":{\"partition\":{\"inChanSplit\":{\"serial\":2,\"parallel\":3}}}}" };
    for (size_t i = 0; i < 4; ++i) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 40, conv_codelets);
        bool halves = i % 2;
        pop_options options =
            POP_OPTIONS({ "planConstraints", splits[i / 2] }, { "partialsType.interTile", halves ? "half" : "float" });
        poplin_conv_params p =
            poplin_conv_params_make(POP_HALF, POP_FLOAT, 1, POP_SHAPE(3, 4), POP_SHAPE(1, 1), 640, 8, 1);
        pop_tensor in = poplin_create_input(fixture.graph, &p, "in", options, NULL),
                   weights = poplin_create_weights(fixture.graph, &p, "w", options, NULL);
        fixture_write(&fixture, in, NULL, -1, 1);
        fixture_write(&fixture, weights, NULL, -1, 1);
        double *wanted = reference_conv(&p, 0, fixture_given(&fixture, in), fixture_given(&fixture, weights));
        pop_tensor out = poplin_convolution(fixture.graph, in, weights, &p, false, fixture.program, "x", options, NULL);
        double *got = fixture_run(&fixture, out);
        for (size_t k = 0; k < pop_tensor_num_elements(out); ++k)
            assert_true(fabs(got[k] - wanted[k]) <= (halves ? 0.05 : 0.001) * (1 + fabs(wanted[k])));
        /* Serial steps keep the type of the partials; what their loop adds up is cast at its end. */
        assert_true(profile_mentions(&fixture, i == 3 ? "poplin::ReduceAdd<half,half>"
                                                      : "poplin::ReduceAdd<float,half>") == halves);
        free(wanted);
        fixture_close(&fixture);
    }
}

/* With the rules of 2021 the partial results of other tiles are one region, in all pairs of types and in several
 * stages; the option turns it off. */
static void test_partials_as_one_region(void **state)
{
    (void)state;
    static const char *const parallel[] = { "4", "20" }, *const partials[] = { "float", "half" };
    for (size_t i = 0; i < 16; ++i) {
        bool single = i & 8;
        char constraints[100], vertex[60];
        struct fixture fixture =
            fixture_open_with(FIXTURE_MODEL, 40, POP_OPTIONS({ "poplibsRelease", "2021" }), conv_codelets);
        pop_type type = i & 4 ? POP_FLOAT : POP_HALF;
        snprintf(constraints, sizeof(constraints), "{\"0\":{\"partition\":{\"inChanSplit\":{\"parallel\":%s}}}}",
                 parallel[i & 1]);
        pop_options options =
            POP_OPTIONS({ "planConstraints", constraints }, { "partialsType.interTile", partials[i >> 1 & 1] },
                        { "enableSingleInputReduce", single ? "true" : "false" });
        poplin_conv_params p =
            poplin_conv_params_make(POP_HALF, type, 1, POP_SHAPE(16, 40), POP_SHAPE(1, 1), 640, 16, 1);
        pop_tensor in = poplin_create_input(fixture.graph, &p, "in", options, NULL),
                   weights = poplin_create_weights(fixture.graph, &p, "w", options, NULL);
        fixture_write(&fixture, in, NULL, -1, 1);
        fixture_write(&fixture, weights, NULL, -1, 1);
        double *wanted = reference_conv(&p, 0, fixture_given(&fixture, in), fixture_given(&fixture, weights));
        pop_tensor out = poplin_convolution(fixture.graph, in, weights, &p, false, fixture.program, "x", options, NULL);
        fixture_check(fixture_run(&fixture, out), wanted, pop_tensor_num_elements(out), 0.05, 0.05);
        snprintf(vertex, sizeof(vertex), "poplin::ReduceAddSingleInput<%s,%s>", pop_type_name(type),
                 partials[i >> 1 & 1]);
        assert_true(profile_mentions(&fixture, vertex) == single);
        free(wanted);
        fixture_close(&fixture);
    }
}

/* Compute and exchange cycles for a kernel of one element on a square field. */
static pop_cycles cycles_of_stride(size_t field, unsigned stride)
{
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 24, conv_codelets);
    poplin_conv_params p =
        poplin_conv_params_make(POP_HALF, POP_HALF, 2, POP_SHAPE(field, field), POP_SHAPE(1, 1), 32, 32, 1);
    p.output_transform.stride[0] = p.output_transform.stride[1] = stride;
    pop_tensor in = poplin_create_input(fixture.graph, &p, "in", POP_NO_OPTIONS, NULL),
               weights = poplin_create_weights(fixture.graph, &p, "w", POP_NO_OPTIONS, NULL);
    fixture_write(&fixture, in, NULL, -1, 1);
    fixture_write(&fixture, weights, NULL, -1, 1);
    pop_tensor out =
        poplin_convolution(fixture.graph, in, weights, &p, false, fixture.program, "x", POP_NO_OPTIONS, NULL);
    double *wanted = reference_conv(&p, 0, fixture_given(&fixture, in), fixture_given(&fixture, weights));
    fixture_check(fixture_run(&fixture, out), wanted, pop_tensor_num_elements(out), 0.02, 0.02);
    pop_cycles cycles;
    pop_error error;
    assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, &error), POP_OK);
    free(wanted);
    fixture_close(&fixture);
    return cycles;
}
/* Elements that a stride skips are neither sent nor convolved. */
static void test_skipped_elements_of_a_stride(void **state)
{
    (void)state;
    pop_cycles strided = cycles_of_stride(11, 2), plain = cycles_of_stride(6, 1);
    assert_int_equal(strided.compute, plain.compute);
    assert_true(strided.exchange <= plain.exchange + plain.exchange / 8);
}

/* Partial sums of eight tiles each are sent in a ring without waiting for each other, also if they do not divide
 * evenly. */
static void test_partials_in_a_ring(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 8, conv_codelets);
    pop_options options =
        POP_OPTIONS({ "planConstraints",
                      "{\"method\":\"AMP\",\"partialChansPerGroup\":8,\"0\":{\"transform\":{\"swapOperands\":false},"
                      "\"partition\":{\"inChanSplit\":{\"serial\":1,\"parallel\":8}}}}" });
    poplin_conv_params p = poplin_conv_params_make(POP_HALF, POP_HALF, 1, POP_SHAPE(7, 42), POP_SHAPE(1, 1), 128, 8, 1);
    pop_tensor in = poplin_create_input(fixture.graph, &p, "in", options, NULL),
               weights = poplin_create_weights(fixture.graph, &p, "w", options, NULL);
    fixture_write(&fixture, in, NULL, -1, 1);
    fixture_write(&fixture, weights, NULL, -1, 1);
    fixture_run(&fixture,
                poplin_convolution(fixture.graph, in, weights, &p, false, fixture.program, "x", options, NULL));
    pop_cycles cycles;
    pop_error error;
    assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, &error), POP_OK);
    assert_in_range(cycles.exchange, 2058, 2150); /* 7 eighths of 294 positions of 8 channels, a word each */
    fixture_close(&fixture);
}

static void test_updates(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (unsigned half = 0; half < 2; ++half) {
            pop_type type = half ? POP_HALF : POP_FLOAT;
            poplin_conv_params p = poplin_conv_params_make(type, type, 2, POP_SHAPE(5, 4), POP_SHAPE(3, 2), 3, 5, 2);
            struct fixture fixture = fixture_open(device, 7, conv_codelets);
            pop_tensor in = fixture_input(&fixture, type, POP_SHAPE(2, 6, 5, 4), FIXTURE_SCATTERED),
                       weights = fixture_input(&fixture, type, POP_SHAPE(2, 5, 3, 3, 2), FIXTURE_SCATTERED);
            pop_tensor others = fixture_input(&fixture, type, POP_SHAPE(2, 5, 3, 3, 2), FIXTURE_LINEAR),
                       deltas = fixture_input(&fixture, type, POP_SHAPE(2, 10, 3, 3), FIXTURE_SCATTERED);
            pop_tensor factor = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(1), FIXTURE_ONE_TILE),
                       biases = poplin_create_biases(fixture.graph, deltas, "b", POP_NO_OPTIONS);
            pop_tensor sums = fixture_input(&fixture, type, POP_SHAPE(10), FIXTURE_SCATTERED),
                       more = fixture_input(&fixture, type, POP_SHAPE(10), FIXTURE_LINEAR);
            pop_tensor acts = fixture_input(&fixture, type, POP_SHAPE(2, 10, 3, 3), FIXTURE_LINEAR),
                       turned = fixture_input(&fixture, type, POP_SHAPE(2, 3, 5, 3, 2), FIXTURE_LINEAR);
            fixture_write(&fixture, biases, NULL, -1, 1);
            poplin_convolution_weight_update(fixture.graph, deltas, weights, in, &p, factor, fixture.program, "u",
                                             POP_NO_OPTIONS, NULL);
            poplin_convolution_weight_update_constant(fixture.graph, deltas, others, in, &p, -0.5, fixture.program, "u",
                                                      POP_NO_OPTIONS, NULL);
            poplin_add_bias(fixture.graph, acts, biases, fixture.program, "b", POP_NO_OPTIONS);
            poplin_convolution_bias_update(fixture.graph, deltas, sums, factor, fixture.program, "b", POP_NO_OPTIONS);
            poplin_convolution_bias_update_constant(fixture.graph, deltas, more, 0.25, fixture.program, "b",
                                                    POP_NO_OPTIONS);
            poplin_weights_transpose_chans_flip_xy(fixture.graph, others, turned, fixture.program, "t");
            pop_tensor outputs[] = { weights, others, acts, sums, more, turned };
            double *got[6];
            fixture_run_all(&fixture, outputs, got, 6);
            double scale = *fixture_given(&fixture, factor), *d = fixture_given(&fixture, deltas),
                   *gradient = reference_conv(&p, 2, fixture_given(&fixture, in), d);
            double *w = fixture_given(&fixture, weights), *o = fixture_given(&fixture, others),
                   *a = fixture_given(&fixture, acts), *b = fixture_given(&fixture, biases);
            double *s = fixture_given(&fixture, sums), *m = fixture_given(&fixture, more),
                   relative = half ? 0.01 : 1e-5, absolute = half ? 0.01 : 1e-5;
            double first[180], second[180], biased[180];
            for (size_t i = 0; i < 180; ++i) {
                first[i] = w[i] + scale * gradient[i];
                second[i] = o[i] - 0.5 * gradient[i];
                biased[i] = a[i] + b[i / 9 % 10];
                s[i / 9 % 10] += scale * d[i];
                m[i / 9 % 10] += 0.25 * d[i];
            }
            fixture_check(got[0], first, 180, relative, absolute);
            fixture_check(got[1], second, 180, relative, absolute);
            fixture_check(got[2], biased, 180, relative, absolute);
            fixture_check(got[3], s, 10, relative, absolute);
            fixture_check(got[4], m, 10, relative, absolute);
            for (size_t g = 0; g < 2; ++g)
                for (size_t x = 0; x < 5; ++x)
                    for (size_t y = 0; y < 3; ++y)
                        for (size_t k = 0; k < 6; ++k)
                            assert_true(got[5][((g * 3 + y) * 5 + x) * 6 + k] ==
                                        got[1][((g * 5 + x) * 3 + y) * 6 + 5 - k]);
            free(gradient);
            fixture_close(&fixture);
        }
}

static void test_given_output_and_empty_tensors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, conv_codelets);
    poplin_conv_params p = poplin_conv_params_make(POP_FLOAT, POP_HALF, 1, POP_SHAPE(3), POP_SHAPE(2), 2, 2, 1),
                       none = p;
    none.batch_size = 0;
    pop_tensor in = poplin_create_input(fixture.graph, &p, "in", POP_NO_OPTIONS, NULL),
               weights = poplin_create_weights(fixture.graph, &p, "w", POP_NO_OPTIONS, NULL);
    fixture_write(&fixture, in, NULL, 1, 1);
    fixture_write(&fixture, weights, NULL, 2, 2);
    pop_tensor out = poplin_create_conv_output(fixture.graph, &p, "out", POP_NO_OPTIONS, NULL);
    poplin_convolution_with_output(fixture.graph, in, weights, out, &p, false, fixture.program, "x", POP_NO_OPTIONS,
                                   NULL);
    if (poplin_conv_params_validate(&none, NULL) == POP_OK) {
        pop_tensor empty =
            poplin_convolution(fixture.graph, poplin_create_input(fixture.graph, &none, "in", POP_NO_OPTIONS, NULL),
                               weights, &none, false, fixture.program, "none", POP_NO_OPTIONS, NULL);
        assert_int_equal(pop_tensor_num_elements(empty), 0);
    }
    double *got = fixture_run(&fixture, out);
    for (size_t i = 0; i < 4; ++i)
        assert_true(got[i] == 8);
    fixture_close(&fixture);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, conv_codelets);
    poplin_conv_params p = poplin_conv_params_make(POP_FLOAT, POP_FLOAT, 1, POP_SHAPE(3), POP_SHAPE(2), 2, 2, 1),
                       bad = p;
    bad.kernel_shape[0] = 4;
    pop_tensor in = poplin_create_input(fixture.graph, &p, "in", POP_NO_OPTIONS, NULL),
               weights = poplin_create_weights(fixture.graph, &p, "w", POP_NO_OPTIONS, NULL);
    pop_tensor halves = fixture_input(&fixture, POP_HALF, POP_SHAPE(1, 2, 3), FIXTURE_LINEAR);
    assert_built(fixture.graph);
    poplin_convolution(fixture.graph, in, in, &p, false, fixture.program, "x", POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "poplin_convolution",
                 "weights: the shape is {1,2,3}; it must be {1,2,2,2}");
    poplin_convolution(fixture.graph, halves, weights, &p, false, fixture.program, "x", POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_TYPE_ERROR, "poplin_convolution", "in: the type is half; it must be float");
    poplin_convolution(fixture.graph, (pop_tensor){ 0 }, weights, &p, false, fixture.program, "x", POP_NO_OPTIONS,
                       NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "poplin_convolution", "in is a null tensor");
    poplin_create_input(fixture.graph, &bad, "in", POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "poplin_create_input", "kernel");
    poplin_create_input(fixture.graph, NULL, "in", POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "poplin_create_input", "params is NULL");
    poplin_create_weights(fixture.graph, &p, "w", POP_OPTIONS({ "passs", "NONE" }), NULL);
    assert_error(fixture.graph, POP_INVALID_OPTION, "poplin_create_weights", "passs");
    poplin_create_weights(fixture.graph, &p, "w", POP_OPTIONS({ "availableMemoryProportion", "-1" }), NULL);
    poplin_add_bias(fixture.graph, in, weights, fixture.program, "b", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_INVALID_OPTION, "poplin_create_weights", "availableMemoryProportion");
    poplin_add_bias(fixture.graph, in, pop_tensor_flatten(weights), fixture.program, "b", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "poplin_add_bias", "biases: the shape is {8}; it must be {2}");
    poplin_weights_transpose_chans_flip_xy(fixture.graph, weights, in, fixture.program, "t");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "poplin_weights_transpose_chans_flip_xy",
                 "weights_out: the shape is {1,2,3}");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_convolutions),
        cmocka_unit_test(test_forced_plans),
        cmocka_unit_test(test_one_channel_transformed),
        cmocka_unit_test(test_cost_equals_the_planners_estimate),
        cmocka_unit_test(test_cost_of_filters_of_several_rows_equals_the_planners_estimate),
        cmocka_unit_test(test_gaps_take_no_time),
        cmocka_unit_test(test_small_pieces_are_exchanged),
        cmocka_unit_test(test_skipped_elements_of_a_stride),
        cmocka_unit_test(test_partials_between_tiles),
        cmocka_unit_test(test_partials_as_one_region),
        cmocka_unit_test(test_partials_in_a_ring),
        cmocka_unit_test(test_output_is_gathered),
        cmocka_unit_test(test_names_are_not_cut),
        cmocka_unit_test(test_memory_elements),
        cmocka_unit_test(test_results_need_no_partials),
        cmocka_unit_test(test_updates),
        cmocka_unit_test(test_given_output_and_empty_tensors),
        cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
