/* SPDX-License-Identifier: Apache-2.0 */
/* Several convolutions in one call: their values in all passes, that they run in the steps of a single one, each on its
 * own tiles, and errors. */
#include "poplibs/numeric.h"
#include "poplibs/poplin/conv_reference.h"

#include <poplin/codelets.h>
#include <poplin/conv_util.h>
#include <poplin/multi_convolution.h>
#include <popops/codelets.h>

enum pass { FORWARD, BACKWARD, UPDATE, PASSES };
enum { MAX_CONVS = 4 };

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    poplin_add_codelets_at(where, graph);
}

/* Different enough to have different plans: fields, kernels, strides, groups, padded channels, empty products. */
static poplin_conv_params params_of(pop_type type, unsigned which)
{
    static const struct shape {
        size_t batch, field[2], kernel[2], ins, outs, groups, stride;
    } shapes[] = {
        { 2, { 9, 7 }, { 3, 3 }, 8, 16, 1, 1 }, { 1, { 6, 6 }, { 1, 1 }, 32, 24, 1, 2 },
        { 3, { 5, 4 }, { 2, 1 }, 3, 5, 2, 1 },  { 2, { 4, 9 }, { 1, 1 }, 16, 16, 1, 1 },
        { 1, { 3, 3 }, { 2, 2 }, 0, 4, 1, 1 },
    };
    const struct shape *s = &shapes[which % (sizeof(shapes) / sizeof(shapes[0]))];
    poplin_conv_params p = poplin_conv_params_make(type, type, s->batch, (pop_shape){ 2, s->field },
                                                   (pop_shape){ 2, s->kernel }, s->ins, s->outs, s->groups);
    p.output_transform.stride[0] = p.output_transform.stride[1] = (unsigned)s->stride;
    return p;
}

struct convs {
    struct fixture fixture;
    poplin_planning_cache *cache;
    size_t count;
    poplin_conv_params params[MAX_CONVS], gradients[MAX_CONVS];
    poplin_multi_conv forward[MAX_CONVS];
    pop_tensor out[MAX_CONVS];
};

static void create(struct convs *c, enum fixture_device device, unsigned tiles, pop_type type, unsigned first,
                   size_t count, pop_options options)
{
    *c = (struct convs){ .fixture = fixture_open(device, tiles, add_codelets),
                         .cache = poplin_planning_cache_create(),
                         .count = count };
    for (unsigned i = 0; i < count; ++i) {
        c->params[i] = params_of(type, first + i);
        c->gradients[i] = poplin_get_gradient_params(&c->params[i]);
        c->forward[i] = (poplin_multi_conv){ .params = &c->params[i], .name = "operand", .scale_constant = -0.5 };
    }
    for (unsigned i = 0; i < count; ++i) {
        c->forward[i].input = poplin_multi_create_input(c->fixture.graph, c->forward, count, i, options, c->cache);
        c->forward[i].weights = poplin_multi_create_weights(c->fixture.graph, c->forward, count, i, options, c->cache);
        size_t dims[4] = { c->params[i].batch_size,
                           c->params[i].num_conv_groups * c->params[i].output_channels_per_conv_group };
        for (size_t d = 0; d < 2; ++d)
            dims[2 + d] = poplin_conv_output_size(&c->params[i], d);
        c->forward[i].deltas = pop_graph_add_variable(c->fixture.graph, type, (pop_shape){ 4, dims }, "deltas");
        fixture_map(&c->fixture, c->forward[i].deltas, FIXTURE_SCATTERED);
        fixture_write(&c->fixture, c->forward[i].input, NULL, -1, 1);
        fixture_write(&c->fixture, c->forward[i].weights, NULL, -1, 1);
        fixture_write(&c->fixture, c->forward[i].deltas, NULL, -1, 1);
    }
}

static void end(struct convs *c)
{
    poplin_planning_cache_destroy(c->cache);
    fixture_close(&c->fixture);
}

static void build(struct convs *c, enum pass pass, pop_options options, poplin_planning_cache *cache)
{
    poplin_multi_conv backward[MAX_CONVS];
    for (size_t i = 0; i < c->count; ++i)
        backward[i] = (poplin_multi_conv){ .params = &c->gradients[i],
                                           .input = c->forward[i].deltas,
                                           .weights = c->forward[i].weights };
    if (pass == FORWARD)
        poplin_multi_convolution(c->fixture.graph, c->forward, c->count, false, c->fixture.program, "multi", options,
                                 cache, c->out);
    else if (pass == BACKWARD)
        poplin_multi_convolution(c->fixture.graph, backward, c->count, true, c->fixture.program, "multi", options,
                                 cache, c->out);
    else
        poplin_multi_calculate_weight_deltas(c->fixture.graph, c->forward, c->count, c->fixture.program, "multi",
                                             options, cache, c->out);
}

/* The operands of the reference's passes. */
static double *wanted(struct convs *c, enum pass pass, size_t i)
{
    double *in = fixture_given(&c->fixture, c->forward[i].input),
           *weights = fixture_given(&c->fixture, c->forward[i].weights),
           *deltas = fixture_given(&c->fixture, c->forward[i].deltas);
    return pass == FORWARD    ? reference_conv(&c->params[i], 0, in, weights)
           : pass == BACKWARD ? reference_conv(&c->params[i], 1, deltas, weights)
                              : reference_conv(&c->params[i], 2, in, deltas);
}

static pop_tensor all_of(pop_tensor *tensors, size_t count)
{
    pop_tensor flat[MAX_CONVS];
    for (size_t i = 0; i < count; ++i)
        flat[i] = pop_tensor_flatten(tensors[i]);
    return pop_tensor_concat((pop_tensors){ count, flat }, 0);
}

static void check_values(struct convs *c, enum pass pass, pop_type type)
{
    double *got = fixture_run(&c->fixture, all_of(c->out, c->count)), tolerance = type == POP_HALF ? 0.02 : 1e-5;
    for (size_t i = 0; i < c->count; ++i) {
        double *reference = wanted(c, pass, i);
        for (size_t k = 0; k < pop_tensor_num_elements(c->out[i]); ++k, ++got)
            if (!(fabs(*got - reference[k]) <= tolerance * (1 + fabs(reference[k]))))
                fail_msg("pass %d, convolution %zu, element %zu: %g where %g was expected", pass, i, k, *got,
                         reference[k]);
        free(reference);
    }
}

static void test_values(void **state)
{
    (void)state;
    static const unsigned tiles[] = { 1, 9, 64, 300 };
    unsigned number = 0;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (enum pass pass = FORWARD; pass < PASSES; ++pass)
            for (unsigned i = 0; i < 4; ++i, ++number) {
                pop_type type = number % 3 == 2 ? POP_HALF : POP_FLOAT;
                pop_options options =
                    i > 1 ? POP_OPTIONS({ "perConvReservedTiles", "0" }, { "cycleBackOff", i == 3 ? "0.5" : "1e300" })
                          : POP_NO_OPTIONS;
                struct convs c;
                create(&c, device, tiles[i], type, number, 1 + number % MAX_CONVS, options);
                build(&c, pass, options, number % 2 ? c.cache : NULL);
                check_values(&c, pass, type);
                end(&c);
            }
}

/* Marks the tiles that hold elements of a tensor. */
static void mark_tiles(const struct convs *c, pop_tensor t, unsigned *owners, unsigned mark)
{
    pop_interval_lists lists;
    assert_true(pop_graph_get_tile_mapping(c->fixture.graph, t, NULL, &lists));
    for (size_t tile = 0; tile < lists.count; ++tile)
        owners[tile] |= lists.first[tile] < lists.first[tile + 1] ? mark : 0;
    pop_interval_lists_free(&lists);
}

static void test_shares_of_tiles(void **state)
{
    (void)state;
    enum { TILES = 256, BOTH = 3 };
    size_t sets[2];
    for (unsigned serial = 0; serial < 2; ++serial) {
        pop_options options = serial ? POP_OPTIONS({ "planType", "serial" }) : POP_NO_OPTIONS;
        struct convs c;
        unsigned owners[TILES] = { 0 }, shared = 0;
        create(&c, FIXTURE_MODEL, TILES, POP_FLOAT, 0, 2, options);
        size_t before = pop_graph_num_compute_sets(c.fixture.graph);
        build(&c, FORWARD, options, c.cache);
        sets[serial] = pop_graph_num_compute_sets(c.fixture.graph) - before;
        mark_tiles(&c, c.out[0], owners, 1);
        mark_tiles(&c, c.out[1], owners, 2);
        for (unsigned tile = 0; tile < TILES; ++tile)
            shared += owners[tile] == BOTH;
        assert_int_equal(shared != 0, serial != 0);
        check_values(&c, FORWARD, POP_FLOAT);
        end(&c);
    }
    assert_true(sets[0] < sets[1]);
}

/* The first tile that holds elements of a tensor. */
static size_t first_tile(const struct convs *c, pop_tensor t)
{
    pop_interval_lists lists;
    size_t tile = 0;
    assert_true(pop_graph_get_tile_mapping(c->fixture.graph, t, NULL, &lists));
    while (lists.first[tile] == lists.first[tile + 1])
        ++tile;
    pop_interval_lists_free(&lists);
    return tile;
}

/* The one with the most products has the first tiles, then come the smallest, the next larger ones and the second
 * largest. */
static void test_order_of_tiles(void **state)
{
    (void)state;
    struct convs c;
    size_t order[MAX_CONVS];
    create(&c, FIXTURE_MODEL, 512, POP_FLOAT, 0, MAX_CONVS, POP_NO_OPTIONS);
    build(&c, FORWARD, POP_NO_OPTIONS, c.cache);
    for (size_t i = 0; i < MAX_CONVS; ++i) {
        size_t at = i;
        for (; at && poplin_get_fwd_flops(&c.params[order[at - 1]]) > poplin_get_fwd_flops(&c.params[i]); --at)
            order[at] = order[at - 1];
        order[at] = i;
    }
    assert_int_equal(first_tile(&c, c.out[order[MAX_CONVS - 1]]), 0);
    for (size_t i = 1; i + 1 < MAX_CONVS; ++i)
        assert_true(first_tile(&c, c.out[order[i - 1]]) < first_tile(&c, c.out[order[i]]));
    end(&c);
}

static void test_updates(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        struct convs c;
        pop_tensor weights[MAX_CONVS];
        create(&c, device, 64, POP_FLOAT, 0, 3, POP_NO_OPTIONS);
        c.forward[1].scale = pop_graph_add_constant_float(c.fixture.graph, POP_FLOAT, POP_SHAPE(1), -0.5, "scale");
        pop_graph_set_tile_mapping(c.fixture.graph, c.forward[1].scale, 0);
        poplin_multi_convolution_weight_update(c.fixture.graph, c.forward, c.count, c.fixture.program, "update",
                                               POP_NO_OPTIONS, c.cache);
        for (size_t i = 0; i < c.count; ++i)
            weights[i] = c.forward[i].weights;
        double *got = fixture_run(&c.fixture, all_of(weights, c.count));
        for (size_t i = 0; i < c.count; ++i) {
            double *deltas = wanted(&c, UPDATE, i), *given = fixture_given(&c.fixture, weights[i]);
            for (size_t k = 0; k < pop_tensor_num_elements(weights[i]); ++k, ++got)
                assert_true(fabs(*got - (given[k] - 0.5 * deltas[k])) <= 1e-5 * (1 + fabs(*got)));
            free(deltas);
        }
        end(&c);
    }
}

/* Updates of different weights are one compute set; the same weights are updated once for each convolution. */
static void test_updates_together(void **state)
{
    (void)state;
    size_t sets[2];
    for (unsigned same = 0; same < 2; ++same) {
        struct convs c;
        create(&c, FIXTURE_MODEL, 64, POP_FLOAT, 0, 2, POP_NO_OPTIONS);
        c.params[1] = same ? c.params[0] : c.params[1];
        c.forward[1] = same ? c.forward[0] : c.forward[1];
        c.forward[1].params = &c.params[1];
        size_t before = pop_graph_num_compute_sets(c.fixture.graph);
        build(&c, UPDATE, POP_NO_OPTIONS, c.cache);
        size_t deltas_sets = pop_graph_num_compute_sets(c.fixture.graph) - before;
        poplin_multi_convolution_weight_update(c.fixture.graph, c.forward, c.count, c.fixture.program, "update",
                                               POP_NO_OPTIONS, c.cache);
        sets[same] = pop_graph_num_compute_sets(c.fixture.graph) - before - 2 * deltas_sets;
        double *got = fixture_run(&c.fixture, c.forward[0].weights), *deltas = wanted(&c, UPDATE, 0),
               *given = fixture_given(&c.fixture, c.forward[0].weights);
        for (size_t k = 0; k < pop_tensor_num_elements(c.forward[0].weights); ++k)
            assert_true(fabs(got[k] - (given[k] - (same ? 1 : 0.5) * deltas[k])) <= 1e-5 * (1 + fabs(got[k])));
        free(deltas);
        end(&c);
    }
    assert_int_equal(sets[0], 1);
    assert_int_equal(sets[1], 2);
}

static void test_transposed_weights(void **state)
{
    (void)state;
    struct convs c;
    poplin_multi_conv backward[2];
    create(&c, FIXTURE_MODEL, 128, POP_FLOAT, 0, 2, POP_NO_OPTIONS);
    for (size_t i = 0; i < 2; ++i)
        backward[i] = (poplin_multi_conv){ .params = &c.gradients[i],
                                           .input = c.forward[i].deltas,
                                           .weights = c.forward[i].weights };
    pop_tensor turned[2];
    poplin_multi_weights_transpose_chans_flip_xy(c.fixture.graph, backward, 2, c.fixture.program, "turned",
                                                 POP_NO_OPTIONS, c.cache, turned);
    for (size_t i = 0; i < 2; ++i)
        backward[i].weights = turned[i];
    size_t plans = poplin_planning_cache_size(c.cache);
    poplin_multi_convolution(c.fixture.graph, backward, 2, false, c.fixture.program, "bwd", POP_NO_OPTIONS, c.cache,
                             c.out);
    assert_int_equal(poplin_planning_cache_size(c.cache), plans);
    check_values(&c, BACKWARD, POP_FLOAT);
    end(&c);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct convs c;
    create(&c, FIXTURE_MODEL, 16, POP_FLOAT, 0, 2, POP_NO_OPTIONS);
    pop_graph *graph = c.fixture.graph;
    build(&c, FORWARD, POP_OPTIONS({ "planType", "both" }), c.cache);
    assert_error(graph, POP_INVALID_OPTION, "poplin_multi_convolution", "planType");
    build(&c, FORWARD, POP_OPTIONS({ "cycleBackOff", "-0.1" }), c.cache);
    assert_error(graph, POP_INVALID_OPTION, "poplin_multi_convolution", "must not be below 0");
    poplin_multi_create_weights(graph, c.forward, 2, 2, POP_NO_OPTIONS, c.cache);
    assert_error(graph, POP_POPLAR_ERROR, "poplin_multi_create_weights", "there are 2 convolutions");
    c.forward[1].weights = c.forward[0].weights;
    build(&c, FORWARD, POP_NO_OPTIONS, c.cache);
    assert_error(graph, POP_POPLAR_ERROR, "poplin_multi_convolution", "weights: the shape is");
    assert_false(pop_tensor_valid(c.out[1]));
    poplin_multi_convolution(graph, c.forward, 2, false, c.fixture.program, "multi", POP_NO_OPTIONS, c.cache, NULL);
    assert_error(graph, POP_POPLAR_ERROR, "poplin_multi_convolution", "outputs is NULL");
    end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),           cmocka_unit_test(test_shares_of_tiles),
        cmocka_unit_test(test_order_of_tiles),   cmocka_unit_test(test_updates),
        cmocka_unit_test(test_updates_together), cmocka_unit_test(test_transposed_weights),
        cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
