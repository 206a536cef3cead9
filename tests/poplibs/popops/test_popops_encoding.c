/* SPDX-License-Identifier: Apache-2.0 */
/* One-hot rows and ramps: every type, layouts whose memory is not row-major, indices out of range; and padding, which
 * only makes views. */
#include "poplibs/bed.h"

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
    for (enum bed_device device = BED_CPU; device < BED_DEVICES; ++device)
        for (size_t i = 0; i < COUNT(index_types); ++i)
            for (size_t k = 0; k < COUNT(encoded_types); ++k)
                for (int values = 0; values < 2; ++values) {
                    struct bed bed = bed_open(device, 5, popops_add_codelets_at);
                    pop_tensor indices = pop_graph_add_variable(bed.graph, index_types[i], POP_SHAPE(7), "indices");
                    bed_map(&bed, indices, BED_SCATTERED);
                    double given[7];
                    for (size_t n = 0; n < 7; ++n)
                        given[n] = index_types[i] == POP_UNSIGNED_INT ? fmod(places[n] + 4294967296.0, 4294967296.0)
                                   : places[n] > 1e9                  ? -7
                                                                      : places[n];
                    bed_write(&bed, indices, given, 0, 0);
                    /* Memory in the order of columns, or of rows. */
                    pop_tensor memory = bed_input(&bed, encoded_types[k], i ? POP_SHAPE(11, 7) : POP_SHAPE(7, 11),
                                                  values ? BED_SCATTERED : BED_LINEAR);
                    pop_tensor t = i ? pop_tensor_transpose(memory) : memory;
                    double on = 1, off = 0;
                    if (values) {
                        pop_tensor on_tensor = bed_input(&bed, encoded_types[k], POP_SHAPE(), BED_ONE_TILE);
                        pop_tensor off_tensor = bed_input(&bed, encoded_types[k], POP_SHAPE(1), BED_ONE_TILE);
                        on = *bed_given(&bed, on_tensor), off = *bed_given(&bed, off_tensor);
                        popops_encode_one_hot_values(bed.graph, indices, t, bed.program, on_tensor, off_tensor, "x");
                    } else {
                        popops_encode_one_hot(bed.graph, indices, t, bed.program, "x");
                    }
                    double *got = bed_run(&bed, t);
                    for (size_t n = 0; n < 77; ++n)
                        assert_true(got[n] == (places[n / 11] == (double)(n % 11) ? on : off));
                    bed_close(&bed);
                }
}

static void test_one_hot_costs_and_errors(void **state)
{
    (void)state;
    for (int half = 0; half < 2; ++half) {
        struct bed bed = bed_open(BED_MODEL, 1, popops_add_codelets_at);
        pop_tensor indices = bed_input(&bed, POP_UNSIGNED_INT, POP_SHAPE(5), BED_ONE_TILE);
        pop_tensor t = bed_input(&bed, half ? POP_HALF : POP_FLOAT, POP_SHAPE(5, 9), BED_ONE_TILE);
        popops_encode_one_hot(bed.graph, indices, t, bed.program, "x");
        bed_run(&bed, t);
        pop_cycles cycles;
        assert_int_equal(pop_engine_cycles(bed.engine, &cycles, NULL), POP_OK);
        assert_int_equal(cycles.compute, half ? 198 + 5 * 76 : 6 * 500);
        bed_close(&bed);
    }
    struct bed bed = bed_open(BED_MODEL, 2, popops_add_codelets_at);
    pop_tensor indices = bed_input(&bed, POP_UNSIGNED_INT, POP_SHAPE(5), BED_LINEAR),
               floats = bed_input(&bed, POP_FLOAT, POP_SHAPE(5, 3), BED_LINEAR);
    popops_encode_one_hot(bed.graph, pop_tensor_slice(indices, 0, 4, 0), floats, bed.program, "x");
    assert_error(bed.graph, POP_POPLAR_ERROR, "popops_encode_one_hot", "{4} and an encoded tensor of {5,3}");
    popops_encode_one_hot(bed.graph, pop_tensor_slice(floats, 0, 1, 1), floats, bed.program, "x");
    assert_error(bed.graph, POP_POPLAR_ERROR, "popops_encode_one_hot", "{5,1}");
    popops_encode_one_hot(bed.graph, pop_tensor_flatten(pop_tensor_slice(floats, 0, 1, 1)), floats, bed.program, "x");
    assert_error(bed.graph, POP_TYPE_ERROR, "popops_encode_one_hot", "cannot be float");
    popops_encode_one_hot(bed.graph, indices, pop_tensor_broadcast(pop_tensor_slice(floats, 0, 1, 1), 2, 1),
                          bed.program, "x");
    assert_error(bed.graph, POP_POPLAR_ERROR, "popops_encode_one_hot", "constants or repeated");
    popops_encode_one_hot_values(bed.graph, indices, floats, bed.program, floats, floats, "x");
    assert_error(bed.graph, POP_POPLAR_ERROR, "popops_encode_one_hot_values", "one float each");
    popops_encode_one_hot(bed.graph, pop_tensor_slice(indices, 2, 2, 0), pop_tensor_slice(floats, 2, 2, 0), bed.program,
                          "nothing");
    assert_built(bed.graph);
    bed_close(&bed);
}

static void test_ramps(void **state)
{
    (void)state;
    for (enum bed_device device = BED_CPU; device < BED_DEVICES; ++device)
        for (size_t k = 0; k < COUNT(encoded_types); ++k) {
            struct bed bed = bed_open(device, 5, popops_add_codelets_at);
            pop_tensor t = bed_input(&bed, encoded_types[k], POP_SHAPE(7, 13), BED_SCATTERED),
                       turned = pop_tensor_transpose(t);
            int64_t start = encoded_types[k] == POP_UNSIGNED_INT ? 4294967290 : -5;
            popops_iota(bed.graph, turned, start, bed.program, "x");
            double *got = bed_run(&bed, turned);
            for (size_t i = 0; i < 91; ++i)
                assert_true(got[i] == (start > 0 ? (double)(uint32_t)(start + (int64_t)i) : (double)i - 5));
            bed_close(&bed);
        }
    struct bed bed = bed_open(BED_MODEL, 2, popops_add_codelets_at);
    popops_iota(bed.graph, bed_input(&bed, POP_BOOL, POP_SHAPE(3), BED_LINEAR), 0, bed.program, "x");
    assert_error(bed.graph, POP_TYPE_ERROR, "popops_iota", "bool");
    popops_iota(bed.graph, bed_input(&bed, POP_INT, POP_SHAPE(0), BED_LINEAR), 0, bed.program, "x");
    assert_built(bed.graph);
    bed_close(&bed);
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
            struct bed bed = bed_open(BED_MODEL, 3, popops_add_codelets_at);
            pop_tensor t = bed_input(&bed, POP_HALF, POP_SHAPE(5, 6), BED_SCATTERED),
                       value = bed_input(&bed, POP_HALF, POP_SHAPE(1), BED_ONE_TILE);
            popops_paddings below = { 2, lower }, above = { 2, upper };
            pop_tensor padded = type ? popops_pad_with(t, below, above, (popops_padding_type)type)
                                : tensor
                                    ? popops_pad_tensor(bed.graph, t, below, above, value, POPOPS_PADDING_MAPPING_ZERO)
                                    : popops_pad(bed.graph, t, below, above, 0.25, POPOPS_PADDING_MAPPING_EDGE);
            assert_int_equal(pop_tensor_dim(padded, 0), 6);
            assert_int_equal(pop_tensor_dim(padded, 1), 8);
            double *got = bed_run(&bed, padded), *given = bed_given(&bed, t);
            /* Elements are cut off before the rest is padded. */
            for (ptrdiff_t row = 0; row < 6; ++row)
                for (ptrdiff_t column = 0; column < 8; ++column) {
                    ptrdiff_t r = padded_place(row - 2, 4, type), c = padded_place(column, 5, type);
                    double wanted = r < 0 || c < 0 ? (tensor ? *bed_given(&bed, value) : 0.25) : given[r * 6 + c + 1];
                    assert_true(got[row * 8 + column] == wanted);
                }
            bed_close(&bed);
        }
}

static void test_mapping_of_padding_and_invalid_padding(void **state)
{
    (void)state;
    struct bed bed = bed_open(BED_MODEL, 4, NULL);
    pop_tensor t = bed_input(&bed, POP_FLOAT, POP_SHAPE(2, 4), BED_LINEAR); /* tiles 0 0 1 1 / 2 2 3 3 */
    int *tiles = tiles_of_tensor(bed.graph, popops_pad_dim(bed.graph, t, 1, 1, 1, 0, POPOPS_PADDING_MAPPING_EDGE));
    static const int edge[] = { 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3 };
    assert_memory_equal(tiles, edge, sizeof(edge));
    free(tiles);
    tiles = tiles_of_tensor(bed.graph, popops_pad_dim(bed.graph, t, 0, 1, 0, 0, POPOPS_PADDING_MAPPING_ZERO));
    assert_int_equal(tiles[11], 0);
    free(tiles);
    bool complete;
    pop_interval_lists mapping;
    assert_true(pop_graph_get_tile_mapping(
        bed.graph, popops_pad_dim(bed.graph, t, 0, 1, 0, 0, POPOPS_PADDING_MAPPING_NONE), &complete, &mapping));
    assert_false(complete);
    pop_interval_lists_free(&mapping);

    popops_pad(bed.graph, t, POPOPS_PADDINGS(1), POPOPS_PADDINGS(1, 1), 0, POPOPS_PADDING_MAPPING_ZERO);
    assert_error(bed.graph, POP_POPLAR_ERROR, "popops_pad", "1 paddings below and 2 above");
    popops_pad_dim(bed.graph, t, -1, -2, 0, 0, POPOPS_PADDING_MAPPING_ZERO);
    assert_error(bed.graph, POP_POPLAR_ERROR, "popops_pad_dim", "cuts off more than dimension 0 has: 2");
    popops_pad_dim(bed.graph, t, PTRDIFF_MIN, 0, 0, 0, POPOPS_PADDING_MAPPING_ZERO);
    assert_error(bed.graph, POP_POPLAR_ERROR, "popops_pad_dim", "cuts off more than dimension 0 has: 2");
    popops_pad_dim(bed.graph, t, 1, 0, 0, 0, (popops_padding_mapping)9);
    assert_error(bed.graph, POP_POPLAR_ERROR, "popops_pad_dim", "9 is not a mapping of padding");
    popops_pad_dim_with(t, 0, 2, 0, POPOPS_PADDING_REFLECT);
    assert_error(bed.graph, POP_POPLAR_ERROR, "popops_pad_dim_with", "at most 1");
    popops_pad_dim_with(pop_tensor_slice(t, 1, 1, 0), 0, 2, 0, POPOPS_PADDING_EDGE);
    assert_error(bed.graph, POP_POPLAR_ERROR, "popops_pad_dim_with", "at most 0");
    popops_pad_dim_with(t, 0, 2, 0, POPOPS_PADDING_CONSTANT);
    assert_error(bed.graph, POP_POPLAR_ERROR, "popops_pad_dim_with", "edge or reflect");
    popops_pad_dim_with(t, 0, 2, 2, POPOPS_PADDING_EDGE);
    assert_error(bed.graph, POP_INDEX_ERROR, "popops_pad_dim_with", "rank is 2");
    popops_pad_dim_tensor(bed.graph, t, 0, 2, 1, t, POPOPS_PADDING_MAPPING_ZERO);
    assert_error(bed.graph, POP_POPLAR_ERROR, "popops_pad_dim_tensor", "must be one of float");
    assert_int_equal(
        pop_tensor_dim(popops_pad_dim(bed.graph, pop_tensor_slice(t, 1, 1, 0), 0, 2, 0, 0, POPOPS_PADDING_MAPPING_EDGE),
                       0),
        2);
    assert_true(pop_tensor_equal(popops_pad(bed.graph, pop_tensor_at(pop_tensor_at(t, 0), 0), POPOPS_PADDINGS(),
                                            POPOPS_PADDINGS(), 0, POPOPS_PADDING_MAPPING_ZERO),
                                 pop_tensor_at(pop_tensor_at(t, 0), 0)));
    assert_built(bed.graph);
    bed_close(&bed);
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
