/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions by the vertex for few channels a group: in all passes against their definition, its cycles, and where it
 * is not for. */
#include "poplibs/bed.h"
#include "poplibs/conv_reference.h"

#include "../../src/poplin/conv_vertices/performance.c"

#include <poplin/codelets.h>
#include <poplin/convolution.h>
#include <popops/codelets.h>

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    poplin_add_codelets_at(where, graph);
}
static unsigned below(uint64_t *state, unsigned limit)
{
    return next_random(state) % limit;
}

static poplin_conv_params params_of(const poplin_conv_params *p, unsigned pass)
{
    return pass == 0 ? *p : pass == 1 ? poplin_get_gradient_params(p) : poplin_get_weight_update_params(p);
}
/* What the vertex is not for. */
static bool pads_output(const poplin_conv_params *p)
{
    for (size_t d = 0; d < p->num_field_dims; ++d)
        if (p->output_transform.padding_lower[d] || p->output_transform.padding_upper[d])
            return true;
    return false;
}

/* Few channels, and all that is done to operands around a convolution but strides above 2 along the last dimension. */
static poplin_conv_params random_params(uint64_t *state, unsigned pass)
{
    poplin_conv_params p, of_pass;
    do {
        size_t dims = 1 + below(state, 3), field[3], kernel[3], few = 1 + below(state, 2) * 3;
        for (size_t d = 0; d < dims; ++d) {
            field[d] = 1 + below(state, dims == 3 ? 5 : 11);
            kernel[d] = 1 + below(state, dims == 3 ? 3 : 6);
        }
        p = poplin_conv_params_make(POP_HALF, POP_HALF, 1 + below(state, 3), (pop_shape){ dims, field },
                                    (pop_shape){ dims, kernel }, 1 + below(state, (unsigned)few + 1),
                                    1 + below(state, (unsigned)few + 1), 1 + below(state, 9));
        for (size_t d = 0; d < dims; ++d) {
            p.input_transform.padding_lower[d] = below(state, 3);
            p.input_transform.padding_upper[d] = below(state, 3);
            p.input_transform.dilation[d] = 1 + below(state, 4) / 3;
            p.input_transform.flip[d] = below(state, 4) == 0;
            p.input_transform.truncation_lower[d] = below(state, 6) / 5;
            p.kernel_transform.dilation[d] = 1 + below(state, 5) / 4;
            p.kernel_transform.flip[d] = below(state, 6) == 0;
            p.kernel_transform.truncation_upper[d] = below(state, 6) / 5;
            p.kernel_transform.padding_upper[d] = below(state, 6) / 5;
            p.output_transform.stride[d] = 1 + below(state, 5) / 3;
            p.output_transform.truncation_lower[d] = below(state, 6) / 5;
        }
        of_pass = params_of(&p, pass);
    } while (poplin_conv_params_validate(&p, NULL) != POP_OK || pads_output(&of_pass));
    return p;
}

static char *summary_of(struct bed *bed)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    pop_error error;
    assert_int_equal(pop_engine_print_profile_summary(bed->engine, file, POP_NO_OPTIONS, &error), POP_OK);
    fclose(file);
    return text;
}

/* A pass (0 forward, 1 backward, 2 update) with plan constraints, against its definition. */
static void run(struct bed *bed, const poplin_conv_params *p, unsigned pass, pop_options options, const char *vertex)
{
    char text[2048];
    poplin_conv_params_to_text(p, text, sizeof(text));
    pop_tensor in = poplin_create_input(bed->graph, p, "in", options, NULL),
               weights = poplin_create_weights(bed->graph, p, "weights", options, NULL), out;
    poplin_conv_params gradient = poplin_get_gradient_params(p);
    pop_tensor deltas = poplin_create_input(bed->graph, &gradient, "deltas", POP_NO_OPTIONS, NULL);
    bed_write(bed, in, NULL, -1, 1);
    bed_write(bed, weights, NULL, -1, 1);
    bed_write(bed, deltas, NULL, -1, 1);
    if (pass == 0)
        out = poplin_convolution(bed->graph, in, weights, p, false, bed->program, "fwd", options, NULL);
    else if (pass == 1)
        out = poplin_convolution(bed->graph, deltas, weights, &gradient, true, bed->program, "bwd", options, NULL);
    else
        out = poplin_calculate_weight_deltas(bed->graph, deltas, in, p, bed->program, "wu", options, NULL);
    if (pop_graph_error(bed->graph))
        fail_msg("pass %u: %s\n%s", pass, pop_graph_error(bed->graph)->text, text);
    double *wanted = reference_conv(p, (int)pass, bed_given(bed, pass == 1 ? deltas : in),
                                    bed_given(bed, pass == 2 ? deltas : weights));
    double *got = bed_run(bed, out);
    for (size_t i = 0; i < pop_tensor_num_elements(out); ++i)
        if (!(fabs(got[i] - wanted[i]) <= 0.02 * (1 + fabs(wanted[i]))))
            fail_msg("pass %u, element %zu of %zu: %g where %g was expected\n%s", pass, i, pop_tensor_num_elements(out),
                     got[i], wanted[i], text);
    free(wanted);
    if (vertex) {
        char *summary = summary_of(bed);
        if (!strstr(summary, vertex))
            fail_msg("%s did not run:\n%s\n%s", vertex, text, summary);
        free(summary);
    }
}

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
        struct bed bed = bed_open((enum bed_device)(i % BED_DEVICES), 64, add_codelets);
        bool units = i % BED_DEVICES == BED_MODEL; /* the CPU has no conv units: it takes another vertex */
        pop_options options = POP_OPTIONS({ "planConstraints", units ? constraints[i % 5] : "{}" },
                                          { "partialsType", i % 4 == 1 ? "half" : "float" });
        run(&bed, &p, i / 2 % 3, options, NULL);
        bed_close(&bed);
    }
}

#define PLAIN "\"0\":{\"transform\":{\"swapOperands\":false,\"expandDims\":[],\"outChanFlattenDims\":[]}}"

/* Sums of sub-kernels in the type of partials, whatever unit counts and strides; kernels that are split in rows. */
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
        struct bed bed = bed_open(BED_MODEL, 48, add_codelets);
        pop_options options =
            POP_OPTIONS({ "planConstraints", rows[i].constraints }, { "partialsType", rows[i].partials });
        run(&bed, &p, 0, options, rows[i].vertex);
        bed_close(&bed);
    }
}

/* The formula: by hand for two workers' rows, and the vertex' estimate, which is what the planner thinks on one tile.
 */
static void test_cycles(void **state)
{
    (void)state;
    const unsigned long_rows[] = { 9, 3 };
    const struct poplin_worklist lists[6] = { { long_rows, 2 }, { long_rows, 1 } };
    struct poplin_slic slic = { .num_workers = 6,
                                .conv_group_groups = 2,
                                .conv_groups_per_group = 1,
                                .sub_kernels = 3,
                                .stride = 1,
                                .passes = 1,
                                .float_partials = true };
    uint64_t worker = 17 + 15 + 4 + 15;
    assert_int_equal(poplin_cycles_slic(&slic, lists), 28 + 2 * (15 + 3 * (34 + 6 * worker + 28)) + 6);
    slic.passes = 2, slic.stride = 2, slic.conv_groups_per_group = 4, slic.float_partials = false;
    worker = 17 + 15 + 2 * 12 + 15;
    assert_int_equal(poplin_cycles_slic(&slic, lists),
                     25 + 2 * (12 + 3 * (15 + 60 + 6 + 16 + 6 * worker + 28) + 6 * (2 + 24)) + 6);

    pop_options options =
        POP_OPTIONS({ "planConstraints",
                      "{\"method\":\"SLIC\",\"0\":{\"transform\":{\"swapOperands\":false,\"expandDims\":[]}}}" });
    poplin_conv_params p = poplin_conv_params_make(POP_HALF, POP_FLOAT, 1, POP_SHAPE(11, 16), POP_SHAPE(3, 4), 1, 1, 8);
    struct bed bed = bed_open(BED_MODEL, 1, add_codelets);
    run(&bed, &p, 0, options, "SLIC");
    poplin_detailed_plan_costs costs = poplin_report_detailed_plan_estimated_costs(bed.graph, &p, options, NULL);
    assert_int_equal(costs.tile_level_transform.cycles,
                     0); /* whole windows, no padding: operands are taken as they lie */
    pop_cycles cycles;
    pop_error error;
    assert_int_equal(pop_engine_cycles(bed.engine, &cycles, &error), POP_OK);
    assert_in_range(cycles.compute, costs.compute.cycles - 50, costs.compute.cycles + 50 + costs.transform.cycles);
    bed_close(&bed);
}

/* Depthwise layers get it without being asked; fully connected ones, float operands and wide strides do not. */
static void test_where_it_is_for(void **state)
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
        cmocka_unit_test(test_random_convolutions),
        cmocka_unit_test(test_vertices),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_where_it_is_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
