/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling and its gradients against double precision: one to three dimensions, strides, padding of both signs, layouts;
 * costs; errors. */
#include "poplibs/numeric.h"

#include <poplin/codelets.h>
#include <popnn/codelets.h>
#include <popnn/pooling.h>
#include <popops/codelets.h>

static const struct {
    unsigned dims, batch, channels;
    size_t field[3], kernel[3];
    unsigned stride[3];
    int lower[3], upper[3];
} cases[] = {
    { 2, 2, 3, { 7, 9 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 } },
    { 2, 1, 16, { 11, 8 }, { 3, 2 }, { 2, 2 }, { 0, 1 }, { 1, 0 } },
    { 1, 3, 5, { 13 }, { 4 }, { 3 }, { 2 }, { 3 } },
    { 3, 1, 2, { 4, 5, 6 }, { 2, 3, 1 }, { 1, 2, 3 }, { 1, 0, 0 }, { 0, 1, 0 } },
    { 2, 2, 4, { 9, 9 }, { 2, 3 }, { 3, 1 }, { -1, -2 }, { -2, 0 } }, /* separate windows, and a part of the input that
                                                                         no window covers */
    { 2, 1, 1, { 1, 1 }, { 3, 3 }, { 2, 2 }, { 1, 1 }, { 1, 1 } },
    { 1, 1, 7, { 600 }, { 5 }, { 1 }, { 2 }, { 2 } },              /* rows longer than a run */
    { 2, 1, 3, { 3, 4 }, { 2, 3 }, { 1, 2 }, { 5, 3 }, { 2, 6 } }, /* windows wholly in padding */
    /* Windows that do not overlap and leave no rest: images, groups and rows become one row. */
    { 2, 2, 6, { 6, 8 }, { 2, 2 }, { 2, 2 }, { 0, 0 }, { 0, 0 } }, /* a group of 4 has channels of two images */
    { 3, 1, 16, { 2, 4, 6 }, { 1, 2, 2 }, { 1, 2, 3 }, { 0, 0, 0 }, { 0, 0, 0 } },
    /* Windows as large as the field. */
    { 2, 3, 16, { 3, 2 }, { 3, 2 }, { 3, 2 }, { 0, 0 }, { 0, 0 } },
    { 1, 2, 5, { 41 }, { 41 }, { 1 }, { 0 }, { 0 } },
    { 3, 1, 7, { 3, 4, 5 }, { 3, 4, 5 }, { 2, 1, 1 }, { 0, 0, 0 }, { 0, 0, 0 } },
};
enum { CASES = sizeof(cases) / sizeof(cases[0]), LIMIT = 6000 };

static popnn_pool_params params_of(unsigned i, popnn_pooling_type type, pop_type data_type)
{
    popnn_pool_params params = { .type = type,
                                 .dims = cases[i].dims,
                                 .channels = cases[i].channels,
                                 .batch = cases[i].batch,
                                 .data_type = data_type };
    for (unsigned d = 0; d < params.dims; ++d) {
        params.input_field[d] = cases[i].field[d];
        params.kernel[d] = cases[i].kernel[d];
        params.stride[d] = cases[i].stride[d];
        params.padding_lower[d] = cases[i].lower[d];
        params.padding_upper[d] = cases[i].upper[d];
    }
    return params;
}
static size_t product(const size_t *sizes, unsigned count)
{
    size_t elements = 1;
    for (unsigned i = 0; i < count; ++i)
        elements *= sizes[i];
    return elements;
}
/* Lists the input elements (of one channel) that an output element's window covers. */
static size_t covered(const popnn_pool_params *p, const size_t *out_field, size_t out, size_t *list)
{
    size_t place[3] = { 0 }, count = 0;
    for (unsigned d = p->dims; d-- > 0; out /= out_field[d])
        place[d] = out % out_field[d];
    for (size_t k = 0; k < product(p->kernel, p->dims); ++k) {
        size_t at = 0, rest = k, window[3] = { 0 };
        bool inside = true;
        for (unsigned d = p->dims; d-- > 0; rest /= p->kernel[d])
            window[d] = rest % p->kernel[d];
        for (unsigned d = 0; d < p->dims; ++d) {
            long i = (long)(place[d] * p->stride[d] + window[d]) - p->padding_lower[d];
            inside = inside && i >= 0 && i < (long)p->input_field[d];
            at = at * p->input_field[d] + (size_t)i;
        }
        if (inside)
            list[count++] = at;
    }
    return count;
}

static void reference(const popnn_pool_params *p, const double *in, double *out)
{
    size_t out_field[3], list[64];
    popnn_pool_output_field(p, out_field);
    size_t in_size = product(p->input_field, p->dims), out_size = product(out_field, p->dims);
    for (size_t image = 0; image < p->batch * p->channels; ++image)
        for (size_t o = 0; o < out_size; ++o) {
            size_t n = covered(p, out_field, o, list);
            double value =
                p->type == POPNN_POOL_MAX && n ? (p->data_type == POP_HALF ? -65504 : -3.4028234663852886e38) : 0;
            for (size_t i = 0; i < n; ++i)
                value = p->type == POPNN_POOL_MAX ? fmax(value, in[image * in_size + list[i]])
                                                  : value + in[image * in_size + list[i]];
            out[image * out_size + o] = p->type == POPNN_POOL_AVG && n ? value / (double)n : value;
        }
}
static void reference_gradient(const popnn_pool_params *p, const double *in, const double *out, const double *g,
                               double *result, bool scaled)
{
    size_t out_field[3], list[64];
    popnn_pool_output_field(p, out_field);
    size_t in_size = product(p->input_field, p->dims), out_size = product(out_field, p->dims);
    memset(result, 0, p->batch * p->channels * in_size * sizeof(*result));
    for (size_t image = 0; image < p->batch * p->channels; ++image)
        for (size_t o = 0; o < out_size; ++o) {
            size_t n = covered(p, out_field, o, list), largest = 0;
            for (size_t i = 0; i < n; ++i)
                largest += in[image * in_size + list[i]] == out[image * out_size + o];
            for (size_t i = 0; i < n; ++i) {
                size_t at = image * in_size + list[i];
                double value = g[image * out_size + o];
                if (p->type == POPNN_POOL_MAX)
                    result[at] += in[at] == out[image * out_size + o] ? value / (scaled ? (double)largest : 1) : 0;
                else
                    result[at] += p->type == POPNN_POOL_AVG ? value / (double)n : value;
            }
        }
}

static pop_tensor tensor_of(struct fixture *fixture, const popnn_pool_params *p, const size_t *field, unsigned layout)
{
    size_t dims[5] = { p->batch, p->channels };
    memcpy(dims + 2, field, p->dims * sizeof(*dims));
    if (layout == 2) { /* channels innermost */
        size_t rolled[5] = { p->batch };
        memcpy(rolled + 1, field, p->dims * sizeof(*dims));
        rolled[1 + p->dims] = p->channels;
        return pop_tensor_dim_roll(
            fixture_input(fixture, p->data_type, (pop_shape){ 2 + p->dims, rolled }, FIXTURE_LINEAR), 1 + p->dims, 1);
    }
    return fixture_input(fixture, p->data_type, (pop_shape){ 2 + p->dims, dims },
                         layout ? FIXTURE_SCATTERED : FIXTURE_LINEAR);
}
/* The values written to a tensor of tensor_of, in the order of {batch, channels, field}. */
static void given_of(struct fixture *fixture, pop_tensor t, const popnn_pool_params *p, const size_t *field,
                     unsigned layout, double *values)
{
    size_t size = product(field, p->dims);
    const double *given = fixture_given(fixture, layout == 2 ? pop_tensor_dim_roll(t, 1, 1 + p->dims) : t);
    for (size_t b = 0; b < p->batch; ++b)
        for (size_t c = 0; c < p->channels; ++c)
            for (size_t i = 0; i < size; ++i)
                values[(b * p->channels + c) * size + i] =
                    layout == 2 ? given[(b * size + i) * p->channels + c] : given[(b * p->channels + c) * size + i];
}

static void add_codelets(pop_where where, pop_graph *graph)
{
    popnn_add_codelets_at(where, graph);
    poplin_add_codelets_at(where, graph);
    popops_add_codelets_at(where, graph);
}

static void test_pooling_and_gradients(void **state)
{
    (void)state;
    static double in[LIMIT], out[LIMIT], g[LIMIT], wanted[LIMIT];
    enum { DEVICES = 3 }; /* CPU, modelled IPU, modelled IPU with the work lists of 2021 */
    for (unsigned test = 0; test < CASES * 3 * 2 * DEVICES; ++test) {
        popnn_pooling_type type = (popnn_pooling_type)(test / CASES % 3);
        bool half = test / (3 * CASES) % 2;
        popnn_pool_params p = params_of(test % CASES, type, half ? POP_HALF : POP_FLOAT);
        size_t out_field[3];
        popnn_pool_output_field(&p, out_field);
        unsigned layout = test % 3;
        struct fixture fixture =
            test / (6 * CASES) == 2
                ? fixture_open_with(FIXTURE_MODEL, 11, POP_OPTIONS({ "poplibsRelease", "2021" }), add_codelets)
                : fixture_open(test / (6 * CASES) ? FIXTURE_MODEL : FIXTURE_CPU, 11, popnn_add_codelets_at);
        pop_tensor t = tensor_of(&fixture, &p, p.input_field, layout),
                   gradient = tensor_of(&fixture, &p, out_field, (layout + 1) % 3), outputs[3];
        if (half) { /* with ties in a window */
            double *given = fixture_given(&fixture, layout == 2 ? pop_tensor_dim_roll(t, 1, 1 + p.dims) : t);
            for (size_t i = 0; i < pop_tensor_num_elements(t); ++i)
                given[i] = floor(given[i] * 4) / 4;
        }
        outputs[0] = popnn_pool(fixture.graph, &p, t, fixture.program, "pool", POP_NO_OPTIONS);
        outputs[1] = popnn_pool_input_gradient(fixture.graph, &p, t, outputs[0], gradient, false, fixture.program,
                                               "grad", POP_NO_OPTIONS);
        if (type == POPNN_POOL_MAX)
            outputs[2] = popnn_pool_input_gradient(fixture.graph, &p, t, outputs[0], gradient, true, fixture.program,
                                                   "scaled", POP_NO_OPTIONS);
        else
            outputs[2] = popnn_pool_input_gradient_without_activations(
                fixture.graph, &p, p.channels % 2 ? 1 : 2, gradient, fixture.program, "chans", POP_NO_OPTIONS);
        double *got[3];
        fixture_run_all(&fixture, outputs, got, 3);
        given_of(&fixture, t, &p, p.input_field, layout, in);
        given_of(&fixture, gradient, &p, out_field, (layout + 1) % 3, g);
        size_t in_elements = p.batch * p.channels * product(p.input_field, p.dims),
               out_elements = p.batch * p.channels * product(out_field, p.dims);
        reference(&p, in, out);
        fixture_check(got[0], out, out_elements, half ? 0.0006 : 2e-7, half ? 1e-7 : 1e-6);
        for (unsigned i = 1; i < 3; ++i) {
            reference_gradient(&p, in, out, g, wanted, type == POPNN_POOL_MAX && i == 2);
            fixture_check(got[i], wanted, in_elements, half ? 0.001 : 2e-7,
                          half ? 1e-3 : 1e-6); /* scaled gradients are rounded to half once more */
        }
        fixture_close(&fixture);
    }
}

/* optimizeForSpeed: the same results, by a convolution if that is faster; never for a maximum, or for an average of
 * windows in padding.  Weights and partial sums of a convolution are separate variables. */
static void test_sums_as_convolutions(void **state)
{
    (void)state;
    static double in[LIMIT], out[LIMIT];
    unsigned convolutions = 0, pools = 0;
    for (unsigned test = 0; test < CASES * 3 * 2; ++test) {
        popnn_pooling_type type = (popnn_pooling_type)(test / CASES % 3);
        popnn_pool_params p = params_of(test % CASES, type, test / (3 * CASES) ? POP_HALF : POP_FLOAT);
        size_t out_field[3];
        popnn_pool_output_field(&p, out_field);
        bool padded = false, cut = false;
        for (unsigned i = 0; i < p.dims; ++i) {
            padded |= p.padding_lower[i] || p.padding_upper[i];
            cut |= p.padding_lower[i] < 0 || p.padding_upper[i] < 0;
        }
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 11, add_codelets);
        pop_tensor t = tensor_of(&fixture, &p, p.input_field, 2);
        size_t before = pop_graph_num_variables(fixture.graph);
        popnn_pool(fixture.graph, &p, t, pop_sequence(fixture.graph, "other"), "other", POP_NO_OPTIONS);
        size_t plain = pop_graph_num_variables(fixture.graph) - before;
        pop_tensor pooled =
            popnn_pool(fixture.graph, &p, t, fixture.program, "pool", POP_OPTIONS({ "optimizeForSpeed", "true" }));
        assert_built(fixture.graph);
        bool convolution = pop_graph_num_variables(fixture.graph) != before + 2 * plain;
        if (type == POPNN_POOL_MAX || cut || (type == POPNN_POOL_AVG && padded))
            assert_false(convolution);
        convolutions += convolution;
        pools += !convolution;
        const double *got = fixture_run(&fixture, pooled);
        given_of(&fixture, t, &p, p.input_field, 2, in);
        reference(&p, in, out);
        bool half = p.data_type == POP_HALF;
        fixture_check(got, out, p.batch * p.channels * product(out_field, p.dims), half ? 0.003 : 2e-6,
                      half ? 2e-3 : 1e-6);
        fixture_close(&fixture);
    }
    print_message("%u convolutions, %u pools\n", convolutions, pools);
    assert_true(convolutions > 0 && pools > 0);
}

/* A window as large as the field is reduced by the release of 2021, with the vertices of popops. */
static void test_global_pooling_is_a_reduction(void **state)
{
    (void)state;
    for (unsigned test = 0; test < 6; ++test) {
        const char *release = test % 2 ? "2021" : "1.2";
        struct fixture fixture =
            fixture_open_with(FIXTURE_MODEL, 4, POP_OPTIONS({ "poplibsRelease", release }), popnn_add_codelets_at);
        popnn_pool_params p = params_of(CASES - 1, test / 2 ? POPNN_POOL_MAX : POPNN_POOL_AVG, POP_HALF);
        p.padding_upper[1] = p.kernel[1] % 2 == 0 && test / 2 == 2; /* the window is the field, but not all of it */
        popnn_pool(fixture.graph, &p, tensor_of(&fixture, &p, p.input_field, 0), fixture.program, "pool",
                   POP_NO_OPTIONS);
        if (test % 2 && test / 2 < 2)
            assert_error(fixture.graph, POP_UNKNOWN_VERTEX_TYPE, "pop_graph_add_vertex", "popops::addCodelets");
        else
            assert_built(fixture.graph);
        fixture_close(&fixture);
    }
}

static void test_cycles_and_memory(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 4, popnn_add_codelets_at);
    popnn_pool_params p = params_of(0, POPNN_POOL_MAX, POP_HALF);
    size_t field[3];
    popnn_pool_output_field(&p, field);
    assert_true(field[0] == 7 && field[1] == 9);
    uint64_t flops = 2 * 3 * (3 * 7 - 2) * (3 * 9 - 2);
    assert_int_equal(popnn_pool_fwd_flops(&p), flops);
    assert_int_equal(popnn_pool_bwd_flops(&p), flops);
    assert_true(popnn_pool_fwd_perfect_cycle_count(fixture.graph, &p) == (double)flops / 16 &&
                popnn_pool_bwd_perfect_cycle_count(fixture.graph, &p) == (double)flops / 16);
    p = params_of(4, POPNN_POOL_MAX, POP_HALF);
    popnn_pool_output_field(&p, field);
    assert_true(field[0] == 2 && field[1] == 5);

    /* One group of 8 halves, rows of 6 and of 2, a window of 3 by 3: one piece for each worker. */
    int part[] = { 1, 1, 8, 2, 0, 3, 0, 5, 3, 1, 0, 9, 0, 6, 0, 8, 3, 1, 0, 9 };
    pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "estimates");
    pop_vertex vertex = pop_graph_add_vertex(fixture.graph, set, "popnn::MaxPooling<half>");
    pop_graph_set_field_vector(fixture.graph, vertex, POP_FIELD("part", POP_WHOLE), POP_INT, part, 20);
    assert_int_equal(pop_graph_get_perf_estimate(fixture.graph, vertex).cycles,
                     7 + 6 * (20 + 13 + 6 + 9 * (20 + 9 + 2 * (3 + 4 + 9))) + 6);
    assert_string_equal(popnn_pooling_type_name(POPNN_POOL_AVG), "avg");
    fixture_close(&fixture);
}

/* Work lists: two groups of 8 halves; the slowest worker has rows of 4 and 1 elements, one with two items. */
static void test_cycles_of_work_lists(void **state)
{
    (void)state;
    struct fixture fixture =
        fixture_open_with(FIXTURE_MODEL, 4, POP_OPTIONS({ "poplibsRelease", "2021" }), popnn_add_codelets_at);
    static const unsigned short ends[] = { 1, 3, 3, 3, 3, 3 }, bases[] = { 0, 0, 1, 0, 5, 0 },
                                items[] = { 0, 0, 3, 1, 4, 2 };
    pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "estimates");
    pop_vertex vertex = pop_graph_add_vertex(fixture.graph, set, "popnn::MaxPoolingWorkList<half>");
    pop_graph_connect(fixture.graph, vertex, "out",
                      fixture_input(&fixture, POP_HALF, POP_SHAPE(2 * 6 * 8), FIXTURE_LINEAR));
    pop_graph_set_field_vector(fixture.graph, vertex, POP_FIELD("startPos", POP_WHOLE), POP_UNSIGNED_SHORT, ends, 6);
    pop_graph_set_field_vector(fixture.graph, vertex, POP_FIELD("offsetBase", POP_WHOLE), POP_UNSIGNED_SHORT, bases, 6);
    pop_graph_set_field_size(fixture.graph, vertex, "workList", 3);
    for (size_t row = 0; row < 3; ++row)
        pop_graph_set_field_vector(fixture.graph, vertex, POP_FIELD("workList", row), POP_UNSIGNED_SHORT, items,
                                   row == 1   ? 6
                                   : row == 2 ? 3
                                              : 0);
    pop_graph_set_field_int(fixture.graph, vertex, "numChans", 8);
    pop_graph_set_field_int(fixture.graph, vertex, "numGroups", 2);
    uint64_t of_3 = 23 + 2 * (2 + 2 * (3 + 4 + 9)) + 4, of_2 = 23 + 2 * (2 + 2 * (3 + 4 + 6)) + 4;
    assert_int_equal(pop_graph_get_perf_estimate(fixture.graph, vertex).cycles,
                     13 + 6 * (17 + 2 + 2 * (4 + 2) + 6 + 2 + 1 + 2 + 1 + 6 + 4 + 2 * 15 + 2 * of_3 + of_2));
    fixture_close(&fixture);
}

/* {1, channels, 5, 5} with channels in groups of `group`. */
static pop_tensor in_groups(struct fixture *fixture, size_t channels, size_t group)
{
    pop_tensor t = fixture_input(fixture, POP_HALF, POP_SHAPE(1, channels / group, 5, 5, group), FIXTURE_LINEAR);
    return pop_tensor_reshape(pop_tensor_dim_roll(t, 4, 2), POP_SHAPE(1, channels, 5, 5));
}
/* Whether so many channels of the first field element are together. */
static bool together(pop_tensor t, size_t channels)
{
    pop_tensor first = pop_tensor_slice(pop_tensor_slice(pop_tensor_index(t, POP_SHAPE(0)), 0, 1, 1), 0, 1, 2);
    return pop_tensor_is_contiguous(pop_tensor_slice(first, 0, channels, 0));
}

/* The output keeps the groups of the input's channels, the input's gradient those of the output's gradient. */
static void test_groups_of_channels(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 4, popnn_add_codelets_at);
    popnn_pool_params p = { .type = POPNN_POOL_MAX,
                            .dims = 2,
                            .channels = 32,
                            .batch = 1,
                            .data_type = POP_HALF,
                            .input_field = { 5, 5 },
                            .kernel = { 3, 3 },
                            .stride = { 1, 1 },
                            .padding_lower = { 1, 1 },
                            .padding_upper = { 1, 1 } };
    pop_tensor in = in_groups(&fixture, 32, 8), gradient = in_groups(&fixture, 32, 16);
    pop_tensor out = popnn_pool(fixture.graph, &p, in, fixture.program, "pool", POP_NO_OPTIONS);
    pop_tensor back =
        popnn_pool_input_gradient(fixture.graph, &p, in, out, gradient, false, fixture.program, "back", POP_NO_OPTIONS);
    assert_built(fixture.graph);
    assert_true(together(out, 8) && !together(out, 16) && together(back, 16));
    fixture_close(&fixture);
}

/* With work lists the plan chooses the group: halves of an input with 8 channels together are computed by 4 or 8; 16
 * are kept where they are together.  10 channels are two groups of 8, of which six channels are zero. */
static void test_chosen_groups(void **state)
{
    (void)state;
    static const struct {
        size_t channels, together, group; /* group: of the output */
        unsigned tiles;
    } tests[] = { { 16, 8, 4, 64 }, { 32, 8, 8, 4 }, { 32, 16, 16, 4 }, { 10, 10, 8, 4 } };
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); ++i) {
        struct fixture fixture = fixture_open_with(FIXTURE_MODEL, tests[i].tiles,
                                                   POP_OPTIONS({ "poplibsRelease", "2021" }), popnn_add_codelets_at);
        popnn_pool_params p = { .type = POPNN_POOL_MAX,
                                .dims = 2,
                                .channels = tests[i].channels,
                                .batch = 1,
                                .data_type = POP_HALF,
                                .input_field = { 5, 5 },
                                .kernel = { 3, 3 },
                                .stride = { 1, 1 },
                                .padding_lower = { 1, 1 },
                                .padding_upper = { 1, 1 } };
        pop_tensor out = popnn_pool(fixture.graph, &p, in_groups(&fixture, tests[i].channels, tests[i].together),
                                    fixture.program, "pool", POP_NO_OPTIONS);
        assert_built(fixture.graph);
        assert_true(together(out, tests[i].group) && !together(out, tests[i].group + 1));
        fixture_close(&fixture);
    }
}

/* Blocks are on tiles that have what they read: rows of windows, last rows on the first tile; without introspective
 * mapping, and in release 1.2, in order. */
static void test_tiles_of_blocks(void **state)
{
    (void)state;
    for (unsigned test = 0; test < 3; ++test) {
        struct fixture fixture = fixture_open_with(
            FIXTURE_MODEL, 4, POP_OPTIONS({ "poplibsRelease", test == 2 ? "1.2" : "2021" }), popnn_add_codelets_at);
        popnn_pool_params p = { .type = POPNN_POOL_MAX,
                                .dims = 2,
                                .channels = 4,
                                .batch = 1,
                                .data_type = POP_HALF,
                                .input_field = { 8, 2 },
                                .kernel = { 2, 2 },
                                .stride = { 2, 2 } };
        pop_tensor rows = fixture_input(&fixture, POP_HALF, POP_SHAPE(8, 2, 4), FIXTURE_LINEAR);
        for (unsigned tile = 0; tile < 4; ++tile)
            pop_graph_set_tile_mapping(fixture.graph, pop_tensor_slice(rows, 2 * (size_t)tile, 2 * (size_t)tile + 2, 0),
                                       3 - tile);
        pop_tensor in = pop_tensor_reshape(pop_tensor_dim_roll(rows, 2, 0), POP_SHAPE(1, 4, 8, 2)), out;
        out = popnn_pool(fixture.graph, &p, in, fixture.program, "pool",
                         POP_OPTIONS({ "poolUseIntrospectiveMapping", test == 1 ? "false" : "true" }));
        assert_built(fixture.graph);
        for (unsigned row = 0; row < 4; ++row) {
            pop_interval_lists mapping;
            assert_true(
                pop_graph_get_tile_mapping(fixture.graph, pop_tensor_slice(out, row, row + 1, 2), NULL, &mapping));
            unsigned tile = test ? row : 3 - row;
            assert_true(mapping.first[tile + 1] > mapping.first[tile]);
            assert_int_equal(mapping.first[tile + 1] - mapping.first[tile], mapping.first[4]);
            pop_interval_lists_free(&mapping);
        }
        fixture_close(&fixture);
    }
}

/* No images, and no channels. */
static void test_empty_tensors_with_lists(void **state)
{
    (void)state;
    struct fixture fixture =
        fixture_open_with(FIXTURE_MODEL, 3, POP_OPTIONS({ "poplibsRelease", "2021" }), popnn_add_codelets_at);
    for (int which = 0; which < 2; ++which) {
        popnn_pool_params p = params_of(8, POPNN_POOL_MAX, POP_HALF);
        size_t field[3];
        *(which ? &p.channels : &p.batch) = 0;
        popnn_pool_output_field(&p, field);
        pop_tensor in = tensor_of(&fixture, &p, p.input_field, 0), gradient = tensor_of(&fixture, &p, field, 0);
        pop_tensor out = popnn_pool(fixture.graph, &p, in, fixture.program, "x", POP_NO_OPTIONS),
                   back = popnn_pool_input_gradient(fixture.graph, &p, in, out, gradient, true, fixture.program, "x",
                                                    POP_NO_OPTIONS);
        assert_built(fixture.graph);
        assert_true(pop_tensor_num_elements(out) == 0 && pop_tensor_dim(out, 3) == 4);
        assert_true(pop_tensor_num_elements(back) == 0 && pop_tensor_dim(back, 3) == 8);
    }
    fixture_close(&fixture);
}

/* Parts with more elements than 16 bits can number have no work lists. */
static void test_large_parts(void **state)
{
    (void)state;
    struct fixture fixture =
        fixture_open_with(FIXTURE_MODEL, 1, POP_OPTIONS({ "poplibsRelease", "2021" }), popnn_add_codelets_at);
    popnn_pool_params p = params_of(6, POPNN_POOL_SUM, POP_FLOAT);
    p.channels = 1;
    p.input_field[0] = 65536;
    pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(1, 1, 65536), FIXTURE_LINEAR);
    double *given = fixture_given(&fixture, t);
    for (size_t i = 0; i < 65536; ++i)
        given[i] = (double)(i % 7);
    const double *got =
        fixture_run(&fixture, popnn_pool(fixture.graph, &p, t, fixture.program, "pool", POP_NO_OPTIONS));
    for (size_t i = 2; i + 2 < 65536; ++i) {
        double sum = 0;
        for (size_t k = i - 2; k <= i + 2; ++k)
            sum += (double)(k % 7);
        assert_true(got[i] == sum);
    }
    fixture_close(&fixture);
}

static void test_errors_and_empty_tensors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, popnn_add_codelets_at);
    popnn_pool_params p = params_of(1, POPNN_POOL_MAX, POP_FLOAT), wrong = p;
    size_t field[3];
    popnn_pool_output_field(&p, field);
    pop_tensor in = tensor_of(&fixture, &p, p.input_field, 0), out = tensor_of(&fixture, &p, field, 0);
#define POOL(params, t) popnn_pool(fixture.graph, params, t, fixture.program, "x", POP_NO_OPTIONS)
    POOL(NULL, in);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_pool", "the parameters are NULL");
    POOL(&p, out);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_pool",
                 "the input: the shape is {1,16,5,4}; it must be {1,16,11,8}");
    POOL(&p, (pop_tensor){ 0 });
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_pool", "a null tensor");
    wrong.stride[1] = 0;
    POOL(&wrong, in);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_pool", "dimension 1 has a window of 2 and a stride of 0");
    wrong = p, wrong.kernel[0] = 13;
    POOL(&wrong, in);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_pool", "the window must fit");
    wrong = p, wrong.padding_lower[0] = wrong.padding_upper[0] = INT32_MAX;
    POOL(&wrong, in);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_pool",
                 "dimension 0 of the field has 4294967305 elements with its padding");
    wrong = p, wrong.data_type = POP_INT;
    POOL(&wrong, in);
    assert_error(fixture.graph, POP_TYPE_ERROR, "popnn_pool", "type int are to be pooled");
    wrong = p, wrong.dims = 7;
    POOL(&wrong, in);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_pool", "over 7 dimensions");
    popnn_pool(fixture.graph, &p, in, fixture.program, "x", POP_OPTIONS({ "poolUseIntrospectiveMappings", "true" }));
    assert_error(fixture.graph, POP_INVALID_OPTION, "popnn_pool", "the nearest is 'poolUseIntrospectiveMapping'");
    popnn_pool_input_gradient(fixture.graph, &p, in, in, out, false, fixture.program, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_pool_input_gradient", "the output: the shape is");
    popnn_pool_input_gradient_without_activations(fixture.graph, &p, 8, out, fixture.program, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_pool_input_gradient_without_activations",
                 "max needs the activations");
    wrong = p, wrong.type = POPNN_POOL_SUM;
    popnn_pool_input_gradient_without_activations(fixture.graph, &wrong, 3, out, fixture.program, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_pool_input_gradient_without_activations", "groups of 3 of 16");
    wrong = p, wrong.batch = 0;
    pop_tensor none = popnn_pool(fixture.graph, &wrong, pop_tensor_slice(in, 0, 0, 0), fixture.program, "x",
                                 POP_OPTIONS({ "optimizeForSpeed", "true" }));
    assert_true(pop_tensor_rank(none) == 4 && pop_tensor_num_elements(none) == 0 && pop_tensor_dim(none, 2) == 5);
    assert_built(fixture.graph);
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pooling_and_gradients),
        cmocka_unit_test(test_sums_as_convolutions),
        cmocka_unit_test(test_global_pooling_is_a_reduction),
        cmocka_unit_test(test_cycles_and_memory),
        cmocka_unit_test(test_cycles_of_work_lists),
        cmocka_unit_test(test_large_parts),
        cmocka_unit_test(test_errors_and_empty_tensors),
        cmocka_unit_test(test_groups_of_channels),
        cmocka_unit_test(test_chosen_groups),
        cmocka_unit_test(test_tiles_of_blocks),
        cmocka_unit_test(test_empty_tensors_with_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
