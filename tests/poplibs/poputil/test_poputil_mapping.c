/* SPDX-License-Identifier: Apache-2.0 */
/* Even shares over tiles, with offsets, and queries of mappings. */
#include "poplibs/fixture.h"

#include <poputil/poputil.h>

static pop_tensor floats(pop_graph *graph, pop_shape shape)
{
    return pop_graph_add_variable(graph, POP_FLOAT, shape, "t");
}

static void linear_mapping_fills_tiles_evenly(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 7);
    const size_t sizes[] = { 0, 1, 31, 32, 63, 64, 65, 96, 223, 224, 1009, 4001 };
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); ++s) {
        pop_interval_lists mapping;
        pop_tensor t = floats(graph, POP_SHAPE(sizes[s]));
        assert_true(poputil_calc_linear_tile_mapping_of_tensor(graph, t, &mapping));
        assert_int_equal(mapping.count, 7);
        size_t used = 0, at = 0;
        for (size_t tile = 0; tile < 7; ++tile)
            for (size_t i = mapping.first[tile]; i < mapping.first[tile + 1]; ++i) {
                assert_int_equal(tile, used++); /* consecutive tiles, from 0 */
                assert_int_equal(mapping.intervals[i].begin, at);
                at = mapping.intervals[i].end;
                assert_true(at % 2 == 0 || at == sizes[s]);
            }
        assert_int_equal(at, sizes[s]);
        size_t expected = sizes[s] / 32 < 7 ? sizes[s] / 32 : 7;
        if (sizes[s])
            assert_in_range(used, expected ? expected : 1,
                            sizes[s] % 32 == 31 ? expected + 1
                            : expected          ? expected
                                                : 1);
        pop_interval_lists_free(&mapping);
        poputil_map_tensor_linearly(graph, t);
        int *tiles = tiles_of_tensor(graph, t);
        for (size_t i = 1; i < sizes[s]; ++i)
            assert_true(tiles[i] >= tiles[i - 1] && tiles[i] <= tiles[i - 1] + 1);
        free(tiles);
    }
    assert_built(graph);
    pop_graph_destroy(graph);
}

static void grains_and_minimum_elements_are_respected(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 4);
    pop_interval_lists mapping;
    assert_true(poputil_calc_linear_tile_mapping(graph, POP_SHAPE(2, 5), 0, 3, &mapping));
    const pop_interval expected[] = { { 0, 3 }, { 3, 6 }, { 6, 9 }, { 9, 10 } };
    assert_memory_equal(mapping.intervals, expected, sizeof(expected));
    pop_interval_lists_free(&mapping);

    pop_tensor t = floats(graph, POP_SHAPE(2, 5));
    poputil_map_tensor_linearly_grain(graph, t, 4, 1);
    int *tiles = tiles_of_tensor(graph, t);
    assert_int_equal(tiles[4], 0);
    assert_int_equal(tiles[5], 1);
    assert_int_equal(tiles[9], 1);
    free(tiles);

    pop_tensor scalar = floats(graph, POP_SHAPE());
    poputil_map_tensor_linearly(graph, scalar);
    tiles = tiles_of_tensor(graph, scalar);
    assert_int_equal(tiles[0], 0);
    free(tiles);
    pop_tensor view = pop_tensor_broadcast(pop_tensor_reverse(t, 1), 3, 0); /* aliases: the last mapping counts */
    poputil_map_tensor_linearly_grain(graph, view, 0, 1);
    assert_built(graph);
    tiles = tiles_of_tensor(graph, t);
    assert_true(tiles[0] >= 0);
    free(tiles);
    pop_graph_destroy(graph);
}

static void offsets_wrap_and_reverse(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 4);
    pop_tensor t = floats(graph, POP_SHAPE(3));
    assert_int_equal(poputil_map_tensor_linearly_with_offset_grain(graph, t, 1, 1, 2, true), 1);
    int *tiles = tiles_of_tensor(graph, t);
    assert_true(tiles[0] == 2 && tiles[1] == 3 && tiles[2] == 0);
    free(tiles);
    assert_int_equal(poputil_map_tensor_linearly_with_offset_grain(graph, t, 1, 1, 1, false), 0);
    tiles = tiles_of_tensor(graph, t);
    assert_true(tiles[0] == 2 && tiles[1] == 1 && tiles[2] == 0);
    free(tiles);
    assert_int_equal(poputil_map_tensor_linearly_with_offset(graph, t, 3, true), 0);
    tiles = tiles_of_tensor(graph, t);
    assert_true(tiles[0] == 3 && tiles[2] == 3);
    free(tiles);
    pop_interval_lists mapping;
    unsigned next;
    assert_true(poputil_calc_linear_tile_mapping_and_new_offset(graph, POP_SHAPE(5), 1, 1, 3, true, &mapping, &next));
    assert_int_equal(next, 3); /* every tile has some */
    pop_interval_lists_free(&mapping);
    assert_true(poputil_calc_linear_tile_mapping_and_new_offset_of_tensor(graph, t, 1, true, &mapping, &next));
    assert_int_equal(next, 2);
    pop_interval_lists_free(&mapping);
    for (unsigned offset = 0; offset < 9; ++offset)
        for (unsigned tile = 0; tile < 7; ++tile)
            for (unsigned up = 0; up < 2; ++up)
                assert_int_equal(
                    poputil_inv_transform_tile_index(poputil_transform_tile_index(tile, 7, offset, up), 7, offset, up),
                    tile);
    assert_int_equal(poputil_transform_tile_index(2, 7, 5, true), 4);
    assert_int_equal(poputil_transform_tile_index(2, 7, 4, false), 1);
    assert_int_equal(poputil_inv_transform_tile_index(4, 7, 5, true), 2);
    assert_int_equal(poputil_transform_tile_index(3, 0, 1, true) + poputil_inv_transform_tile_index(3, 0, 1, true), 0);
    assert_built(graph);
    pop_graph_destroy(graph);
}

static void chosen_offsets_differ_and_repeat(void **state)
{
    (void)state;
    unsigned seen[16] = { 0 }, different = 0;
    for (size_t i = 0; i < 200; ++i) {
        size_t offset = poputil_choose_mapping_offset(16, POP_SHAPE(i, 3), 7);
        assert_true(offset < 16);
        assert_int_equal(offset, poputil_choose_mapping_offset(16, POP_SHAPE(i, 3), 7));
        different += !seen[offset]++;
    }
    assert_true(different == 16);
    assert_int_equal(poputil_choose_mapping_offset(0, POP_SHAPE(1), 1), 0);
    /* boost::hash_combine, by hand: (0 ^ mixed 0) * factor + constant */
    assert_int_equal(poputil_choose_mapping_offset(1000, POP_SHAPE(0), 0), 0xe6546b64u % 1000);
}

static void imbalance_counts_beyond_an_even_share(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 4);
    pop_tensor t = floats(graph, POP_SHAPE(10));
    pop_graph_set_tile_mapping(graph, t, 1);
    assert_int_equal(poputil_get_tile_imbalance_of_tensor(graph, t, 0, 1), 7); /* 3 are even */
    assert_int_equal(poputil_get_tile_imbalance_of_tensor(graph, t, 0, 4), 6);
    assert_int_equal(poputil_get_tile_imbalance_of_tensor(graph, t, 8, 1), 2);
    assert_int_equal(poputil_get_tile_imbalance_of_tensor(graph, t, 32, 1), 0);
    poputil_map_tensor_linearly_grain(graph, t, 0, 1);
    assert_int_equal(poputil_get_tile_imbalance_of_tensor(graph, t, 0, 1), 0);
    assert_int_equal(poputil_get_tile_imbalance(&(pop_interval_lists){ 0 }, 0, 0), 0);
    assert_built(graph);
    pop_graph_destroy(graph);
}

static void splits_of_dimensions(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(2, 2);
    pop_tensor t = floats(graph, POP_SHAPE(2, 6)), empty = floats(graph, POP_SHAPE(0, 3));
    pop_graph_set_tile_mapping(graph, pop_tensor_at(t, 0), 1);
    pop_graph_set_tile_mapping(graph, pop_tensor_at(t, 1), 2);
    assert_true(poputil_dim_is_split_over_tiles(graph, t, 0));
    assert_false(poputil_dim_is_split_over_tiles(graph, t, 1));
    assert_true(poputil_dim_is_split_over_ipus(graph, t, 0));
    pop_graph_set_tile_mapping(graph, pop_tensor_slice(t, 3, 6, 1), 3);
    assert_true(poputil_dim_is_split_over_tiles(graph, t, 1));
    pop_graph_set_tile_mapping(graph, pop_tensor_at(t, 0), 0);
    pop_graph_set_tile_mapping(graph, pop_tensor_slice(pop_tensor_at(t, 0), 3, 6, 0), 1);
    assert_true(poputil_dim_is_split_over_tiles(graph, t, 1));
    assert_false(poputil_dim_is_split_over_ipus(graph, t, 1));
    assert_false(poputil_dim_is_split_over_tiles(graph, empty, 0));
    assert_built(graph);
    assert_false(poputil_dim_is_split_over_tiles(graph, t, 2));
    assert_error(graph, POP_INDEX_ERROR, "poputil_dim_is_split_over_tiles", "rank is 2");
    pop_graph_destroy(graph);
}

static void mistakes_are_recorded(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 2);
    pop_tensor null = { 0 }, unmapped = floats(graph, POP_SHAPE(3));
    pop_interval_lists mapping;
    poputil_map_tensor_linearly(graph, null);
    assert_error(graph, POP_INVALID_TILE_MAPPING, "poputil_map_tensor_linearly", "null tensor");
    poputil_get_tile_imbalance_of_tensor(graph, unmapped, 0, 1);
    assert_int_equal(pop_graph_error(graph)->where.line, __LINE__ - 1);
    assert_false(
        poputil_calc_linear_tile_mapping_of_tensor(graph, unmapped, &mapping)); /* no effect until the error is taken */
    assert_int_equal(mapping.count, 0);
    assert_error(graph, POP_INVALID_TILE_MAPPING, "pop_graph_get_tile_mapping", "not mapped");
    poputil_dim_is_split_over_ipus(graph, null, 0);
    assert_error(graph, POP_INVALID_TILE_MAPPING, "poputil_dim_is_split_over_ipus", "null tensor");
    poputil_map_tensor_linearly(NULL, null);
    assert_false(poputil_calc_linear_tile_mapping(NULL, POP_SHAPE(1), 1, 1, &mapping));
    pop_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_mapping_fills_tiles_evenly),
        cmocka_unit_test(grains_and_minimum_elements_are_respected),
        cmocka_unit_test(offsets_wrap_and_reverse),
        cmocka_unit_test(chosen_offsets_differ_and_repeat),
        cmocka_unit_test(imbalance_counts_beyond_an_even_share),
        cmocka_unit_test(splits_of_dimensions),
        cmocka_unit_test(mistakes_are_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
