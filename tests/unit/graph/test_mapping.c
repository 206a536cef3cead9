/* SPDX-License-Identifier: Apache-2.0 */
/* Tile mapping, against plain arrays of owners. */
#include "fixture.h"
#include "graph/graph.h"

static uint64_t seed = 7;

static size_t below(size_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(seed >> 33) % n;
}

static struct tile_map *map_of(pop_graph *graph, uint32_t variable)
{
    return &graph->store->variables.data[variable].map;
}

/* The owners of a tensor's elements, according to the mapping. */
static void owners(pop_graph *graph, pop_tensor t, uint32_t *tile)
{
    pop_interval_lists lists;
    bool complete;
    for (size_t i = 0; i < pop_tensor_num_elements(t); ++i)
        tile[i] = UNMAPPED_TILE;
    assert_true(pop_graph_get_tile_mapping(graph, t, &complete, &lists));
    assert_int_equal(lists.count, graph_num_tiles(graph));
    for (size_t k = 0; k < lists.count; ++k)
        for (size_t i = lists.first[k]; i < lists.first[k + 1]; ++i) {
            assert_true(lists.intervals[i].begin < lists.intervals[i].end);
            if (i > lists.first[k])
                assert_true(lists.intervals[i - 1].end < lists.intervals[i].begin); /* ascending, neighbours merged */
            for (size_t e = lists.intervals[i].begin; e < lists.intervals[i].end; ++e) {
                assert_int_equal(tile[e], UNMAPPED_TILE);
                tile[e] = (uint32_t)k;
            }
        }
    pop_interval_lists_free(&lists);
}

static void later_calls_override(void **state)
{
    (void)state;
    enum { SIZE = 211, TILES = 7 };
    for (int round = 0; round < 60; ++round) {
        pop_graph *graph = fixture_graph(1, TILES);
        pop_tensor t = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(SIZE), "t");
        uint32_t naive[SIZE], tile[SIZE];
        for (int i = 0; i < SIZE; ++i)
            naive[i] = UNMAPPED_TILE;
        for (int call = 0; call < 40; ++call) {
            size_t begin = below(SIZE + 1), end = begin + below(SIZE - begin + 1), step = 1 + below(3);
            unsigned to = (unsigned)below(TILES);
            pop_graph_set_tile_mapping(
                graph, pop_tensor_sub_sample(pop_tensor_slice(t, begin, end, 0), (unsigned)step, 0), to);
            for (size_t i = begin; i < end; i += step)
                naive[i] = to;
            if (call % 7 == 0) {
                owners(graph, t, tile);
                assert_memory_equal(tile, naive, sizeof(tile));
            }
        }
        owners(graph, pop_tensor_reverse(t, 0), tile);
        for (int i = 0; i < SIZE; ++i)
            assert_int_equal(tile[i], naive[SIZE - 1 - i]);
        tile_map_compact(map_of(graph, 0));
        for (int i = 0; i < SIZE; ++i) {
            size_t cursor = below(SIZE);
            assert_int_equal(tile_map_find(map_of(graph, 0), (uint64_t)i, &cursor), naive[i]);
        }
        expect_no_error(graph);
        pop_graph_destroy(graph);
    }
}

static void ascending_calls_stay_compact(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_tensor t = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(1000), "t");
    for (unsigned i = 0; i < 1000; ++i)
        pop_graph_set_tile_mapping(graph, pop_tensor_at(t, i), i / 250);
    assert_true(map_of(graph, 0)->compact);
    assert_int_equal(map_of(graph, 0)->ranges.count, 4);
    for (int i = 0; i < 1000; ++i)
        pop_graph_set_tile_mapping(graph, t, (unsigned)i % 4); /* each covers the one before */
    assert_int_equal(map_of(graph, 0)->ranges.count, 1);
    pop_graph_destroy(graph);
}

static void descending_calls_are_not_quadratic(void **state)
{
    (void)state;
    enum { SIZE = 200000 };
    pop_graph *graph = fixture_graph(1, 4);
    pop_tensor t = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(SIZE), "t");
    for (size_t i = SIZE; i-- > 0;)
        pop_graph_set_tile_mapping(graph, pop_tensor_at(t, i), i % 2);
    tile_map_compact(map_of(graph, 0));
    assert_int_equal(map_of(graph, 0)->ranges.count, SIZE);
    pop_graph_destroy(graph);
}

/* Ranges of different lengths, and gaps; views with more columns than a row has hints. */
static void long_maps_are_searched_from_anywhere(void **state)
{
    (void)state;
    enum { ROWS = 9, COLUMNS = 1200, SIZE = ROWS * COLUMNS };
    static uint32_t naive[SIZE], tile[SIZE];
    pop_graph *graph = fixture_graph(1, 4);
    pop_tensor t = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(ROWS, COLUMNS), "t"),
               flat = pop_tensor_flatten(t);
    for (size_t i = 0, end; i < SIZE; i = end) {
        end = i + 1 + below(i < SIZE / 2 ? 3 : 40);
        end = end < SIZE ? end : SIZE;
        uint32_t owner = (uint32_t)below(5);
        for (size_t k = i; k < end; ++k)
            naive[k] = owner < 4 ? owner : UNMAPPED_TILE;
        if (owner < 4)
            pop_graph_set_tile_mapping(graph, pop_tensor_slice(flat, i, end, 0), owner);
    }
    tile_map_compact(map_of(graph, 0));
    size_t count = map_of(graph, 0)->ranges.count;
    for (int i = 0; i < 20000; ++i) {
        size_t cursor = below(count + 3), element = below(SIZE);
        assert_int_equal(tile_map_find(map_of(graph, 0), element, &cursor), naive[element]);
        assert_true(cursor <= count);
    }
    owners(graph, pop_tensor_reverse(t, 1), tile);
    for (size_t i = 0; i < SIZE; ++i)
        assert_int_equal(tile[i], naive[i / COLUMNS * COLUMNS + COLUMNS - 1 - i % COLUMNS]);
    owners(graph, pop_tensor_transpose(t), tile);
    for (size_t i = 0; i < SIZE; ++i)
        assert_int_equal(tile[i], naive[i % ROWS * COLUMNS + i / ROWS]);
    pop_graph_destroy(graph);
}

static void lists_map_the_flattened_view(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_tensor t = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(2, 3), "t");
    size_t first[] = { 0, 1, 2, 4, 4, 4 };
    pop_interval intervals[] = { { 0, 1 }, { 4, 6 }, { 1, 2 }, { 2, 4 } };
    pop_interval_lists lists = { 5, first, intervals }; /* an empty list beyond the last tile is harmless */
    pop_graph_set_tile_mapping_lists(graph, pop_tensor_transpose(t), &lists);
    expect_no_error(graph);
    uint32_t tile[6], expected[] = { 0, 2, 1, 2, 2, 1 };
    owners(graph, t, tile);
    assert_memory_equal(tile, expected, sizeof(tile));

    first[5] = 5;
    pop_interval beyond[] = { { 0, 1 }, { 4, 6 }, { 1, 2 }, { 2, 4 }, { 0, 1 } };
    lists.intervals = beyond;
    pop_graph_set_tile_mapping_lists(graph, t, &lists);
    EXPECT_ERROR(graph, POP_INVALID_TILE_MAPPING, "no tile 4: the graph has 4 tiles");
    first[5] = 4;
    beyond[1].end = 7;
    pop_graph_set_tile_mapping_lists(graph, t, &lists);
    EXPECT_ERROR(graph, POP_INVALID_TILE_MAPPING, "[4, 7) of tile 1");
    pop_graph_set_tile_mapping_lists(graph, t, NULL);
    EXPECT_ERROR(graph, POP_INVALID_TILE_MAPPING, "NULL");
    owners(graph, t, tile);
    assert_memory_equal(tile, expected, sizeof(tile));
    pop_graph_destroy(graph);
}

/* The same query without the list. */
static bool is_complete(pop_graph *graph, pop_tensor t)
{
    bool complete = false;
    assert_true(pop_graph_get_tile_mapping(graph, t, &complete, NULL));
    return complete;
}

static void gaps_are_reported_or_refused(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_tensor t = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(10), "gappy");
    pop_graph_set_tile_mapping(graph, pop_tensor_slice(t, 2, 5, 0), 3);
    pop_interval_lists lists;
    assert_false(pop_graph_get_tile_mapping(graph, t, NULL, &lists));
    assert_null(lists.first);
    assert_string_equal(pop_graph_error(graph)->path, "gappy");
    EXPECT_ERROR(graph, POP_INVALID_TILE_MAPPING, "not mapped completely");
    bool complete = true;
    assert_true(pop_graph_get_tile_mapping(graph, t, &complete, &lists));
    assert_false(complete);
    assert_int_equal(lists.first[4], 1);
    assert_int_equal(lists.intervals[0].begin, 2);
    assert_int_equal(lists.intervals[0].end, 5);
    pop_interval_lists_free(&lists);
    assert_true(pop_graph_get_tile_mapping(graph, pop_tensor_slice(t, 3, 5, 0), NULL, &lists));
    pop_interval_lists_free(&lists);
    assert_true(pop_graph_get_tile_mapping(graph, pop_tensor_slice(t, 9, 9, 0), NULL,
                                           &lists)); /* nothing is mapped completely */
    assert_int_equal(lists.first[4], 0);
    pop_interval_lists_free(&lists);
    assert_true(is_complete(graph, pop_tensor_slice(t, 3, 5, 0))); /* of a variable with gaps */
    assert_false(is_complete(graph, pop_tensor_slice(t, 3, 6, 0)));
    pop_tensor other = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(10), "other"),
               both = pop_tensor_concat(POP_TENSORS(t, other), 0);
    pop_graph_set_tile_mapping(graph, pop_tensor_slice(t, 5, 10, 0), 2);
    pop_graph_set_tile_mapping(graph, pop_tensor_slice(t, 0, 2, 0), 1);
    assert_true(is_complete(graph, t));
    assert_false(is_complete(graph, both));
    pop_graph_set_tile_mapping(graph, other, 0);
    pop_graph_set_tile_mapping(graph, pop_tensor_slice(t, 1, 3, 0), 0);
    assert_true(is_complete(graph, both));
    pop_tensor third = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(10), "third"),
               longer = pop_tensor_concat(POP_TENSORS(both, third),
                                          0); /* the cached result for `both` does not hold for it */
    assert_false(is_complete(graph, longer));
    assert_true(is_complete(graph, both));
    assert_true(is_complete(graph, pop_tensor_slice(longer, 0, 20, 0)));
    assert_false(is_complete(graph, pop_tensor_slice(longer, 19, 21, 0)));
    pop_graph_set_tile_mapping(graph, third, 1);
    assert_true(is_complete(graph, longer));
    pop_graph_set_tile_mapping(graph, t, 4);
    EXPECT_ERROR(graph, POP_INVALID_TILE_MAPPING, "no tile 4: the graph has 4 tiles");
    pop_graph_set_tile_mapping(graph, (pop_tensor){ 0 }, 0);
    EXPECT_ERROR(graph, POP_INVALID_TILE_MAPPING, "null");
    pop_graph_destroy(graph);
}

static void neighbours_of_several_variables_merge(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_tensor a = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(4, 3), "a");
    pop_tensor b = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(4, 2), "b");
    pop_graph_set_tile_mapping(graph, a, 1);
    pop_graph_set_tile_mapping(graph, b, 1);
    pop_interval_lists lists;
    assert_true(pop_graph_get_tile_mapping(graph, pop_tensor_concat(POP_TENSORS(a, b), 1), NULL, &lists));
    assert_int_equal(lists.first[4], 1);
    assert_int_equal(lists.intervals[0].end, 20);
    pop_interval_lists_free(&lists);
    pop_graph_destroy(graph);
}

static void linear_mapping(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 4, 5, 10, 33, 1009, 100003 };
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); ++k) {
        pop_graph *graph = fixture_graph(1, 5);
        pop_tensor t = pop_graph_add_variable_mapped(graph, POP_FLOAT, POP_SHAPE(sizes[k]), POP_MAPPING_LINEAR, "t");
        pop_interval_lists lists;
        assert_true(pop_graph_get_tile_mapping(graph, t, NULL, &lists));
        size_t at = 0;
        for (size_t tile = 0; tile < 5; ++tile)
            if (lists.first[tile] != lists.first[tile + 1]) {
                pop_interval interval = lists.intervals[lists.first[tile]];
                assert_int_equal(interval.begin, at);
                assert_in_range(interval.end - interval.begin, sizes[k] / 5, sizes[k] / 5 + 1);
                at = interval.end;
            }
        assert_int_equal(at, sizes[k]);
        assert_int_equal(lists.first[5], sizes[k] < 5 ? sizes[k] : 5);
        pop_interval_lists_free(&lists);
        pop_graph_destroy(graph);
    }
    pop_graph *graph = fixture_graph(1, 5);
    pop_graph_add_variable_mapped(graph, POP_FLOAT, POP_SHAPE(4), (pop_mapping_method)9, "t");
    EXPECT_ERROR(graph, POP_INVALID_TILE_MAPPING, "9 is no mapping method");
    pop_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_calls_override),
        cmocka_unit_test(ascending_calls_stay_compact),
        cmocka_unit_test(descending_calls_are_not_quadratic),
        cmocka_unit_test(long_maps_are_searched_from_anywhere),
        cmocka_unit_test(lists_map_the_flattened_view),
        cmocka_unit_test(gaps_are_reported_or_refused),
        cmocka_unit_test(neighbours_of_several_variables_merge),
        cmocka_unit_test(linear_mapping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
