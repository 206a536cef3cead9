/* SPDX-License-Identifier: Apache-2.0 */
/* Option remapOutputTensor: a result without groups of elements that are together is copied to groups of channels that
 * are mapped linearly. */
#include "poplibs/poplin/conv_check.h"

#include <poplin/mat_mul.h>
#include <poputil/tile_mapping.h>
#include <poputil/var_structure.h>

/* A result {batch, channels, field...}, and the size of its groups of channels. */
static void check_is_linear(struct fixture *fixture, pop_tensor out, size_t grouping)
{
    size_t dims[8], rank = pop_tensor_shape(out, dims, 8);
    pop_tensor grouped = pop_tensor_reshape_partial(out, 1, 2, POP_SHAPE(dims[1] / grouping, grouping));
    grouped = pop_tensor_dim_roll(pop_tensor_dim_roll(grouped, 1, 0), 2, (unsigned)rank);
    assert_true(pop_tensor_is_contiguous(grouped));
    pop_interval_lists mapping;
    bool complete;
    assert_true(pop_graph_get_tile_mapping(fixture->graph, grouped, &complete, &mapping));
    assert_true(complete);
    const size_t elements = pop_tensor_num_elements(out), grains = elements / grouping;
    const unsigned tiles = pop_target_num_tiles(pop_graph_target(fixture->graph));
    const size_t share = (grains + tiles - 1) / tiles;
    size_t at = 0;
    for (unsigned tile = 0; tile < mapping.count; ++tile) {
        size_t count = mapping.first[tile + 1] - mapping.first[tile];
        assert_true(count <= 1); /* each tile has one piece, in the order of the tiles */
        if (!count)
            continue;
        pop_interval piece = mapping.intervals[mapping.first[tile]];
        assert_int_equal(piece.begin, at);
        assert_int_equal(piece.end % grouping, 0);
        assert_true(piece.end - piece.begin <= share * grouping);
        at = piece.end;
    }
    assert_int_equal(at, elements);
    pop_interval_lists_free(&mapping);
}

static size_t groupings(struct fixture *fixture, pop_tensor t)
{
    poputil_dim_grouping first;
    return poputil_detect_dim_groupings(fixture->graph, t, &first, 1);
}

struct layer {
    size_t in, out, groups, remapped; /* channels of a group, groups; channels of a group of the result, 0: as it was */
};

/* Results of layers of one input channel have neighbouring channels and places on different tiles. */
static void check_layer(const struct layer *layer, pop_type type, const char *remap, const char *pass)
{
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 16, conv_codelets);
    pop_options options = POP_OPTIONS({ "remapOutputTensor", remap ? remap : "true" }, { "pass", pass });
    if (!remap)
        options.list += 1, options.count -= 1; /* the default */
    poplin_conv_params p =
        poplin_conv_params_make(type, type, 1, POP_SHAPE(7, 5), POP_SHAPE(3, 3), layer->in, layer->out, layer->groups);
    pop_tensor in = poplin_create_input(fixture.graph, &p, "in", options, NULL),
               weights = poplin_create_weights(fixture.graph, &p, "w", options, NULL);
    fixture_write(&fixture, in, NULL, -1, 1);
    fixture_write(&fixture, weights, NULL, -1, 1);
    double *wanted = reference_conv(&p, 0, fixture_given(&fixture, in), fixture_given(&fixture, weights));
    pop_tensor out = poplin_convolution(fixture.graph, in, weights, &p, false, fixture.program, "x", options, NULL);
    assert_built(fixture.graph);
    if (layer->remapped && !(remap && strcmp(remap, "false") == 0) && strcmp(pass, "TRAINING_WU") != 0)
        check_is_linear(&fixture, out, layer->remapped);
    else
        assert_int_equal(groupings(&fixture, out), 0);
    double tolerance = type == POP_HALF ? 0.01 : 1e-5;
    fixture_check(fixture_run(&fixture, out), wanted, pop_tensor_num_elements(out), tolerance, tolerance);
    free(wanted);
    fixture_close(&fixture);
}

static void test_results_are_remapped(void **state)
{
    (void)state;
    static const struct layer layers[] = { { 1, 4, 1, 4 },   { 1, 12, 1, 4 }, { 1, 24, 1, 8 }, { 1, 20, 2, 8 },
                                           { 1, 24, 2, 16 }, { 1, 11, 1, 0 }, { 1, 7, 2, 0 },  { 1, 12, 2, 8 } };
    for (size_t i = 0; i < 7; ++i) {
        check_layer(&layers[i], POP_FLOAT, NULL, "INFERENCE_FWD");
        check_layer(&layers[i], POP_FLOAT, "true", "INFERENCE_FWD");
        check_layer(&layers[i], POP_FLOAT, "false", "INFERENCE_FWD");
    }
    check_layer(&layers[7], POP_HALF, NULL, "INFERENCE_FWD");
    check_layer(&layers[1], POP_FLOAT, "true", "TRAINING_WU");
}

/* The number of products {rows, 9} {9, 13} whose results have no groups; rows, which are its channels, are multiples of
 * 4. */
static size_t scattered_products(const char *remap)
{
    size_t count = 0;
    for (size_t rows = 4; rows <= 12; rows += 4) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 16, conv_codelets);
        pop_options options = POP_OPTIONS({ "remapOutputTensor", remap });
        pop_shape a_shape = POP_SHAPE(rows, 9), b_shape = POP_SHAPE(9, 13);
        pop_tensor a = poplin_create_mat_mul_input_lhs(fixture.graph, POP_FLOAT, POP_FLOAT, a_shape, b_shape, "a",
                                                       options, NULL),
                   b = poplin_create_mat_mul_input_rhs(fixture.graph, POP_FLOAT, POP_FLOAT, a_shape, b_shape, "b",
                                                       options, NULL);
        fixture_write(&fixture, a, NULL, -1, 1);
        fixture_write(&fixture, b, NULL, -1, 1);
        const double *x = fixture_given(&fixture, a), *y = fixture_given(&fixture, b);
        double wanted[12 * 13] = { 0 };
        for (size_t i = 0; i < rows * 13; ++i)
            for (size_t k = 0; k < 9; ++k)
                wanted[i] += x[i / 13 * 9 + k] * y[k * 13 + i % 13];
        pop_tensor out = poplin_mat_mul(fixture.graph, a, b, fixture.program, "x", options, NULL);
        assert_built(fixture.graph);
        count += groupings(&fixture, out) == 0;
        fixture_check(fixture_run(&fixture, out), wanted, rows * 13, 1e-5, 1e-5);
        fixture_close(&fixture);
    }
    return count;
}

static void test_products_are_remapped(void **state)
{
    (void)state;
    assert_true(scattered_products("false") > 0);
    assert_int_equal(scattered_products("true"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_results_are_remapped),
                                        cmocka_unit_test(test_products_are_remapped) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
