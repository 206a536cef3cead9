/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms against a count in double precision, and normalised images: every type, both devices, unusual sizes and
 * layouts. */
#include "poplibs/numeric.h"

#include <popops/codelets.h>
#include <popops/gather_statistics.h>
#include <popops/normalise_image.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* The result has at most 32 counts. */
static void reference_histogram(const double *x, size_t count, const double *levels, size_t n, bool absolute,
                                double *counts)
{
    memset(counts, 0, (n + 1) * sizeof(*counts));
    for (size_t i = 0; i < count; ++i) {
        double value = absolute ? fabs(x[i]) : x[i];
        size_t bucket = 0;
        while (bucket < n && !(value < levels[bucket]))
            ++bucket;
        ++counts[bucket];
    }
}

static pop_tensor add_levels(struct fixture *fixture, pop_type type, size_t n)
{
    double values[32];
    pop_tensor t = pop_graph_add_variable(fixture->graph, type, POP_SHAPE(n), "levels");
    for (size_t i = 0; i < n; ++i)
        values[i] = -0.75 + 1.5 * (double)i / (double)n;
    fixture_map(fixture, t, FIXTURE_SCATTERED);
    fixture_write(fixture, t, values, 0, 0);
    return t;
}

static void test_histograms(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 2, 13, 397, 1024 }, levels[] = { 1, 2, 7, 31 };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t i = 0; i < COUNT(sizes) * COUNT(levels); ++i)
            for (int variant = 0; variant < 8; ++variant) {
                size_t count = sizes[i % COUNT(sizes)], n = levels[i / COUNT(sizes)];
                bool absolute = variant & 1, floats = variant & 4;
                pop_type type = variant & 2 ? POP_HALF : POP_FLOAT;
                struct fixture fixture = fixture_open(device, 5, popops_add_codelets_at);
                pop_tensor in = fixture_input(&fixture, type, POP_SHAPE(count), FIXTURE_SCATTERED),
                           limits = add_levels(&fixture, type, n);
                if (count > 2) { /* equal to a level, and a NaN */
                    double *values = fixture_given(&fixture, in);
                    values[0] = fixture_given(&fixture, limits)[n / 2];
                    values[1] = NAN;
                    values[2] = -INFINITY;
                }
                pop_options options = floats ? POP_OPTIONS({ "useFloatArithmetic", "true" }) : POP_NO_OPTIONS;
                pop_tensor out = popops_histogram(fixture.graph, in, limits, absolute, fixture.program, "x", options);
                assert_built(fixture.graph);
                assert_int_equal(pop_tensor_type(out), floats ? POP_FLOAT : POP_UNSIGNED_INT);
                assert_int_equal(pop_tensor_rank(out), 1);
                assert_int_equal(pop_tensor_dim(out, 0), n + 1);
                double wanted[32], *got = fixture_run(&fixture, out);
                reference_histogram(fixture_given(&fixture, in), count, fixture_given(&fixture, limits), n, absolute,
                                    wanted);
                fixture_check(got, wanted, n + 1, 0, 0);
                fixture_close(&fixture);
            }
}

/* Each element counts, also in a tensor that repeats its elements; the output is written or added to. */
static void test_histogram_with_output(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (int variant = 0; variant < 8; ++variant) {
            bool update = variant & 1, empty = variant & 4;
            struct fixture fixture = fixture_open(device, 3, popops_add_codelets_at);
            pop_tensor in = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(7, 5), FIXTURE_SCATTERED),
                       limits = add_levels(&fixture, POP_FLOAT, 4);
            pop_tensor out = fixture_input_of(&fixture, variant & 2 ? POP_FLOAT : POP_UNSIGNED_INT, POP_SHAPE(5),
                                              FIXTURE_SCATTERED, 0, 100);
            pop_tensor seen = pop_tensor_broadcast(pop_tensor_transpose(in), empty ? 0 : 3, 0);
            popops_histogram_with_output(fixture.graph, seen, out, update, limits, false, fixture.program, "x",
                                         POP_NO_OPTIONS);
            double wanted[5], before[5], *values = fixture_given(&fixture, in);
            memcpy(before, fixture_given(&fixture, out), sizeof(before));
            double *got = fixture_run(&fixture, out);
            reference_histogram(values, 35, fixture_given(&fixture, limits), 4, false, wanted);
            for (size_t i = 0; i < 5; ++i)
                wanted[i] = (empty ? 0 : 3 * wanted[i]) + (update ? before[i] : 0);
            fixture_check(got, wanted, 5, variant & 2 ? 1e-6 : 0, 0);
            fixture_close(&fixture);
        }
}

static void test_histogram_costs_and_errors(void **state)
{
    (void)state;
    uint64_t compute[2];
    for (int many = 0; many < 2; ++many) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, popops_add_codelets_at);
        pop_tensor in = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(600), FIXTURE_ONE_TILE);
        fixture_run(&fixture, popops_histogram(fixture.graph, in, add_levels(&fixture, POP_FLOAT, many ? 20 : 10),
                                               false, fixture.program, "x", POP_NO_OPTIONS));
        pop_cycles cycles;
        assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, NULL), POP_OK);
        compute[many] = cycles.compute;
        fixture_close(&fixture);
    }
    assert_true(compute[1] >= compute[0] + 6 * 10 * 50 * 3); /* 50 vectors of each of 6 workers, for each level */

    static const char api[] = "popops_histogram", with_output[] = "popops_histogram_with_output";
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, popops_add_codelets_at);
    pop_tensor in = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(2, 3), FIXTURE_LINEAR),
               limits = add_levels(&fixture, POP_FLOAT, 4);
    pop_tensor whole = fixture_input(&fixture, POP_INT, POP_SHAPE(5), FIXTURE_LINEAR);
    popops_histogram(fixture.graph, whole, limits, false, fixture.program, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_TYPE_ERROR, api, "cannot be int");
    popops_histogram(fixture.graph, in, add_levels(&fixture, POP_HALF, 4), false, fixture.program, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_TYPE_ERROR, api, "levels of half for an input of float");
    popops_histogram(fixture.graph, in, in, false, fixture.program, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, api, "levels of shape {2,3}");
    popops_histogram(fixture.graph, in, limits, false, fixture.program, "x",
                     POP_OPTIONS({ "useFloatArithmetics", "true" }));
    assert_error(fixture.graph, POP_INVALID_OPTION, api, "useFloatArithmetic");
    popops_histogram_with_output(fixture.graph, in, whole, false, limits, false, fixture.program, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_TYPE_ERROR, with_output, "cannot be int");
    popops_histogram_with_output(fixture.graph, in, limits, false, limits, false, fixture.program, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, with_output, "{4} for 4 levels: it must be {5}");
    fixture_close(&fixture);
}

static void test_normalised_images(void **state)
{
    (void)state;
    static const pop_type types[] = { POP_UNSIGNED_CHAR, POP_HALF, POP_FLOAT };
    static const size_t shapes[][4] = { { 0, 4, 4, 3 }, { 1, 1, 1, 3 }, { 1, 7, 5, 3 }, { 2, 13, 11, 3 } };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t i = 0; i < COUNT(shapes) * COUNT(types); ++i)
            for (int layout = 0; layout < 3; ++layout) {
                struct fixture fixture = fixture_open(device, 7, popops_add_codelets_at);
                pop_type type = types[i % COUNT(types)], result = type == POP_FLOAT ? POP_FLOAT : POP_HALF;
                const size_t *s = shapes[i / COUNT(types)];
                double high = type == POP_UNSIGNED_CHAR ? 256 : 1;
                pop_tensor in;
                if (layout == 0) {
                    in = popops_create_normalise_image_input(fixture.graph, type, (pop_shape){ 4, s }, "images");
                    fixture_write(&fixture, in, NULL, 0, high);
                } else if (layout == 1) {
                    in = fixture_input_of(&fixture, type, (pop_shape){ 4, s }, FIXTURE_SCATTERED, 0, high);
                } else { /* channels first in memory */
                    pop_tensor planes =
                        pop_graph_add_variable(fixture.graph, type, POP_SHAPE(s[0], 3, s[1], s[2]), "planes");
                    fixture_map(&fixture, planes, FIXTURE_LINEAR);
                    in = pop_tensor_dim_shuffle(planes, POP_DIMS(0, 2, 3, 1));
                    fixture_write(&fixture, in, NULL, 0, high);
                }
                pop_tensor offsets = fixture_input(&fixture, result, POP_SHAPE(3), FIXTURE_ONE_TILE),
                           scales = fixture_input(&fixture, result, POP_SHAPE(3), FIXTURE_LINEAR);
                float scale = 1 / (float)high;
                pop_tensor out =
                    popops_normalise_image(fixture.graph, in, scale, offsets, scales, fixture.program, "x");
                assert_built(fixture.graph);
                assert_int_equal(pop_tensor_type(out), result);
                assert_int_equal(pop_tensor_rank(out), 4);
                assert_int_equal(pop_tensor_dim(out, 2), s[2]);
                assert_int_equal(pop_tensor_dim(out, 3), 4);
                double *got = fixture_run(&fixture, out), *x = fixture_given(&fixture, in),
                       *below = fixture_given(&fixture, offsets), *times = fixture_given(&fixture, scales);
                for (size_t k = 0; k < s[0] * s[1] * s[2] * 4; ++k) {
                    size_t c = k % 4;
                    double wanted = c == 3 ? 0 : (x[k / 4 * 3 + c] * (double)scale - below[c]) * times[c];
                    fixture_check(got + k, &wanted, 1, result == POP_HALF ? 1e-3 : 1e-6, c == 3 ? 0 : 1e-6);
                }
                fixture_close(&fixture);
            }
}

static void test_images_mapping_and_errors(void **state)
{
    (void)state;
    static const char api[] = "popops_normalise_image", create[] = "popops_create_normalise_image_input";
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 4, popops_add_codelets_at);
    pop_tensor in = popops_create_normalise_image_input(fixture.graph, POP_HALF, POP_SHAPE(1, 4, 5, 3), "images");
    int *tiles = tiles_of_tensor(fixture.graph, in), spread = 0;
    for (size_t i = 0; i < 60; i += 3) { /* whole pixels, in pairs */
        assert_true(tiles[i] == tiles[i + 1] && tiles[i] == tiles[i + 2] && tiles[i] == tiles[i / 6 * 6]);
        spread |= 1 << tiles[i];
    }
    assert_int_equal(spread, 15);
    free(tiles);
    pop_tensor halves = fixture_input(&fixture, POP_HALF, POP_SHAPE(3), FIXTURE_LINEAR),
               floats = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3), FIXTURE_LINEAR);
    popops_create_normalise_image_input(fixture.graph, POP_INT, POP_SHAPE(2, 3), "images");
    assert_error(fixture.graph, POP_TYPE_ERROR, create, "cannot be int");
    popops_create_normalise_image_input(fixture.graph, POP_HALF, POP_SHAPE(3, 2), "images");
    assert_error(fixture.graph, POP_POPLAR_ERROR, create, "{3,2}");
    popops_create_normalise_image_input(fixture.graph, POP_HALF, POP_SHAPE(), "images");
    assert_error(fixture.graph, POP_POPLAR_ERROR, create, "rank must be 1");
    popops_normalise_image(fixture.graph, in, 1, floats, halves, fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, api, "the offsets of float {3}; they must be half {3}");
    popops_normalise_image(fixture.graph, in, 1, halves, pop_tensor_slice(halves, 0, 2, 0), fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, api, "the scales of half {2}");
    popops_normalise_image(fixture.graph, (pop_tensor){ 0 }, 1, halves, halves, fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, api, "images is a null tensor");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_histograms),
        cmocka_unit_test(test_histogram_with_output),
        cmocka_unit_test(test_histogram_costs_and_errors),
        cmocka_unit_test(test_normalised_images),
        cmocka_unit_test(test_images_mapping_and_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
