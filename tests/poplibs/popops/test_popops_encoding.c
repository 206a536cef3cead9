/* SPDX-License-Identifier: Apache-2.0 */
/* One-hot rows and ramps: every type, layouts whose memory is not row-major, indices out of range; and padding, which
 * only makes views. */
#include "poplibs/numeric.h"

#include <popops/codelets.h>
#include <popops/encoding.h>
#include <popops/pad.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const pop_type index_types[] = { POP_UNSIGNED_INT, POP_INT };
static const pop_type encoded_types[] = { POP_HALF, POP_FLOAT, POP_INT, POP_UNSIGNED_INT };

static void test_one_hot_of_every_type(void **state)
{
    (void)state;
    static const double places[7] = { 3, 0, 10, 11, -1, 7, 4e9 };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t i = 0; i < COUNT(index_types); ++i)
            for (size_t k = 0; k < COUNT(encoded_types); ++k)
                for (int values = 0; values < 2; ++values) {
                    struct fixture fixture = fixture_open(device, 5, popops_add_codelets_at);
                    pop_tensor indices = pop_graph_add_variable(fixture.graph, index_types[i], POP_SHAPE(7), "indices");
                    fixture_map(&fixture, indices, FIXTURE_SCATTERED);
                    double given[7];
                    for (size_t n = 0; n < 7; ++n)
                        given[n] = index_types[i] == POP_UNSIGNED_INT ? fmod(places[n] + 4294967296.0, 4294967296.0)
                                   : places[n] > 1e9                  ? -7
                                                                      : places[n];
                    fixture_write(&fixture, indices, given, 0, 0);
                    /* Memory in the order of columns, or of rows. */
                    pop_tensor memory =
                        fixture_input(&fixture, encoded_types[k], i ? POP_SHAPE(11, 7) : POP_SHAPE(7, 11),
                                      values ? FIXTURE_SCATTERED : FIXTURE_LINEAR);
                    pop_tensor t = i ? pop_tensor_transpose(memory) : memory;
                    double on = 1, off = 0;
                    if (values) {
                        pop_tensor on_tensor = fixture_input(&fixture, encoded_types[k], POP_SHAPE(), FIXTURE_ONE_TILE);
                        pop_tensor off_tensor =
                            fixture_input(&fixture, encoded_types[k], POP_SHAPE(1), FIXTURE_ONE_TILE);
                        on = *fixture_given(&fixture, on_tensor), off = *fixture_given(&fixture, off_tensor);
                        popops_encode_one_hot_values(fixture.graph, indices, t, fixture.program, on_tensor, off_tensor,
                                                     "x");
                    } else {
                        popops_encode_one_hot(fixture.graph, indices, t, fixture.program, "x");
                    }
                    double *got = fixture_run(&fixture, t);
                    for (size_t n = 0; n < 77; ++n)
                        assert_true(got[n] == (places[n / 11] == (double)(n % 11) ? on : off));
                    fixture_close(&fixture);
                }
}

static void test_one_hot_costs_and_errors(void **state)
{
    (void)state;
    for (int half = 0; half < 2; ++half) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, popops_add_codelets_at);
        pop_tensor indices = fixture_input(&fixture, POP_UNSIGNED_INT, POP_SHAPE(5), FIXTURE_ONE_TILE);
        pop_tensor t = fixture_input(&fixture, half ? POP_HALF : POP_FLOAT, POP_SHAPE(5, 9), FIXTURE_ONE_TILE);
        popops_encode_one_hot(fixture.graph, indices, t, fixture.program, "x");
        fixture_run(&fixture, t);
        pop_cycles cycles;
        assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, NULL), POP_OK);
        assert_int_equal(cycles.compute, half ? 198 + 5 * 76 : 6 * 500);
        fixture_close(&fixture);
    }
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, popops_add_codelets_at);
    pop_tensor indices = fixture_input(&fixture, POP_UNSIGNED_INT, POP_SHAPE(5), FIXTURE_LINEAR),
               floats = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(5, 3), FIXTURE_LINEAR);
    popops_encode_one_hot(fixture.graph, pop_tensor_slice(indices, 0, 4, 0), floats, fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_encode_one_hot", "{4} and an encoded tensor of {5,3}");
    popops_encode_one_hot(fixture.graph, pop_tensor_slice(floats, 0, 1, 1), floats, fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_encode_one_hot", "{5,1}");
    popops_encode_one_hot(fixture.graph, pop_tensor_flatten(pop_tensor_slice(floats, 0, 1, 1)), floats, fixture.program,
                          "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popops_encode_one_hot", "cannot be float");
    popops_encode_one_hot(fixture.graph, indices, pop_tensor_broadcast(pop_tensor_slice(floats, 0, 1, 1), 2, 1),
                          fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_encode_one_hot", "constants or repeated");
    popops_encode_one_hot_values(fixture.graph, indices, floats, fixture.program, floats, floats, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_encode_one_hot_values", "one float each");
    popops_encode_one_hot(fixture.graph, pop_tensor_slice(indices, 2, 2, 0), pop_tensor_slice(floats, 2, 2, 0),
                          fixture.program, "nothing");
    assert_built(fixture.graph);
    fixture_close(&fixture);
}

static void test_ramps(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t k = 0; k < COUNT(encoded_types); ++k) {
            struct fixture fixture = fixture_open(device, 5, popops_add_codelets_at);
            pop_tensor t = fixture_input(&fixture, encoded_types[k], POP_SHAPE(7, 13), FIXTURE_SCATTERED),
                       turned = pop_tensor_transpose(t);
            int64_t start = encoded_types[k] == POP_UNSIGNED_INT ? 4294967290 : -5;
            popops_iota(fixture.graph, turned, start, fixture.program, "x");
            double *got = fixture_run(&fixture, turned);
            for (size_t i = 0; i < 91; ++i)
                assert_true(got[i] == (start > 0 ? (double)(uint32_t)(start + (int64_t)i) : (double)i - 5));
            fixture_close(&fixture);
        }
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, popops_add_codelets_at);
    popops_iota(fixture.graph, fixture_input(&fixture, POP_BOOL, POP_SHAPE(3), FIXTURE_LINEAR), 0, fixture.program,
                "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popops_iota", "bool");
    popops_iota(fixture.graph, fixture_input(&fixture, POP_INT, POP_SHAPE(0), FIXTURE_LINEAR), 0, fixture.program, "x");
    assert_built(fixture.graph);
    fixture_close(&fixture);
}

/* The source of an element of a padded row: its index in the row, or -1 for a constant. */
static ptrdiff_t padded_place(ptrdiff_t at, ptrdiff_t extent, int type)
{
    if (at >= 0 && at < extent)
        return at;
    if (type == POPOPS_PADDING_CONSTANT)
        return -1;
    if (type == POPOPS_PADDING_EDGE)
        return at < 0 ? 0 : extent - 1;
    return at < 0 ? -at : 2 * (extent - 1) - at;
}

static void test_padding_of_every_kind(void **state)
{
    (void)state;
    static const ptrdiff_t lower[] = { 2, -1 }, upper[] = { -1, 3 };
    for (int type = POPOPS_PADDING_CONSTANT; type <= POPOPS_PADDING_REFLECT; ++type)
        for (int tensor = 0; tensor < (type == POPOPS_PADDING_CONSTANT ? 2 : 1); ++tensor) {
            struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, popops_add_codelets_at);
            pop_tensor t = fixture_input(&fixture, POP_HALF, POP_SHAPE(5, 6), FIXTURE_SCATTERED),
                       value = fixture_input(&fixture, POP_HALF, POP_SHAPE(1), FIXTURE_ONE_TILE);
            popops_paddings below = { 2, lower }, above = { 2, upper };
            pop_tensor padded =
                type     ? popops_pad_with(t, below, above, (popops_padding_type)type)
                : tensor ? popops_pad_tensor(fixture.graph, t, below, above, value, POPOPS_PADDING_MAPPING_ZERO)
                         : popops_pad(fixture.graph, t, below, above, 0.25, POPOPS_PADDING_MAPPING_EDGE);
            assert_int_equal(pop_tensor_dim(padded, 0), 6);
            assert_int_equal(pop_tensor_dim(padded, 1), 8);
            double *got = fixture_run(&fixture, padded), *given = fixture_given(&fixture, t);
            /* Elements are cut off before the rest is padded. */
            for (ptrdiff_t row = 0; row < 6; ++row)
                for (ptrdiff_t column = 0; column < 8; ++column) {
                    ptrdiff_t r = padded_place(row - 2, 4, type), c = padded_place(column, 5, type);
                    double wanted =
                        r < 0 || c < 0 ? (tensor ? *fixture_given(&fixture, value) : 0.25) : given[r * 6 + c + 1];
                    assert_true(got[row * 8 + column] == wanted);
                }
            fixture_close(&fixture);
        }
}

static void test_mapping_of_padding_and_invalid_padding(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 4, NULL);
    pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(2, 4), FIXTURE_LINEAR); /* tiles 0 0 1 1 / 2 2 3 3 */
    int *tiles =
        tiles_of_tensor(fixture.graph, popops_pad_dim(fixture.graph, t, 1, 1, 1, 0, POPOPS_PADDING_MAPPING_EDGE));
    static const int edge[] = { 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3 };
    assert_memory_equal(tiles, edge, sizeof(edge));
    free(tiles);
    tiles = tiles_of_tensor(fixture.graph, popops_pad_dim(fixture.graph, t, 0, 1, 0, 0, POPOPS_PADDING_MAPPING_ZERO));
    assert_int_equal(tiles[11], 0);
    free(tiles);
    bool complete;
    pop_interval_lists mapping;
    assert_true(pop_graph_get_tile_mapping(
        fixture.graph, popops_pad_dim(fixture.graph, t, 0, 1, 0, 0, POPOPS_PADDING_MAPPING_NONE), &complete, &mapping));
    assert_false(complete);
    pop_interval_lists_free(&mapping);

    popops_pad(fixture.graph, t, POPOPS_PADDINGS(1), POPOPS_PADDINGS(1, 1), 0, POPOPS_PADDING_MAPPING_ZERO);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_pad", "1 paddings below and 2 above");
    popops_pad_dim(fixture.graph, t, -1, -2, 0, 0, POPOPS_PADDING_MAPPING_ZERO);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_pad_dim", "cuts off more than dimension 0 has: 2");
    popops_pad_dim(fixture.graph, t, PTRDIFF_MIN, 0, 0, 0, POPOPS_PADDING_MAPPING_ZERO);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_pad_dim", "cuts off more than dimension 0 has: 2");
    popops_pad_dim(fixture.graph, t, 1, 0, 0, 0, (popops_padding_mapping)9);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_pad_dim", "9 is not a mapping of padding");
    popops_pad_dim_with(t, 0, 2, 0, POPOPS_PADDING_REFLECT);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_pad_dim_with", "at most 1");
    popops_pad_dim_with(pop_tensor_slice(t, 1, 1, 0), 0, 2, 0, POPOPS_PADDING_EDGE);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_pad_dim_with", "at most 0");
    popops_pad_dim_with(t, 0, 2, 0, POPOPS_PADDING_CONSTANT);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_pad_dim_with", "edge or reflect");
    popops_pad_dim_with(t, 0, 2, 2, POPOPS_PADDING_EDGE);
    assert_error(fixture.graph, POP_INDEX_ERROR, "popops_pad_dim_with", "rank is 2");
    popops_pad_dim_tensor(fixture.graph, t, 0, 2, 1, t, POPOPS_PADDING_MAPPING_ZERO);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_pad_dim_tensor", "must be one of float");
    assert_int_equal(
        pop_tensor_dim(
            popops_pad_dim(fixture.graph, pop_tensor_slice(t, 1, 1, 0), 0, 2, 0, 0, POPOPS_PADDING_MAPPING_EDGE), 0),
        2);
    assert_true(pop_tensor_equal(popops_pad(fixture.graph, pop_tensor_at(pop_tensor_at(t, 0), 0), POPOPS_PADDINGS(),
                                            POPOPS_PADDINGS(), 0, POPOPS_PADDING_MAPPING_ZERO),
                                 pop_tensor_at(pop_tensor_at(t, 0), 0)));
    assert_built(fixture.graph);
    fixture_close(&fixture);
}

int main(void)
{
    setenv("POPLAR_ENGINE_OPTIONS", "{\"debug.checkedExecution\":\"true\"}", 1); /* no write is out of bounds */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_hot_of_every_type),
        cmocka_unit_test(test_one_hot_costs_and_errors),
        cmocka_unit_test(test_ramps),
        cmocka_unit_test(test_padding_of_every_kind),
        cmocka_unit_test(test_mapping_of_padding_and_invalid_padding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
