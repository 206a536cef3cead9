/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual graphs: tile numbers, sharing, lifetimes. */
#include "fixture.h"

static void three_forms(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(2, 8);
    pop_graph *first = pop_graph_create_virtual(graph, 3);
    assert_int_equal(pop_target_num_tiles(pop_graph_target(first)), 6);
    assert_int_equal(pop_graph_target(first)->num_ipus, 2);
    assert_int_equal(pop_graph_physical_tile(first, 3), 8);
    assert_int_equal(pop_graph_virtual_tile(first, 10), 5);
    assert_int_equal(pop_graph_virtual_tile(first, 3), (unsigned)-1);
    assert_int_equal(pop_graph_physical_tile(first, 6), (unsigned)-1);

    pop_graph *range = pop_graph_create_virtual_range(graph, 2, 7);
    assert_int_equal(pop_target_num_tiles(pop_graph_target(range)), 5);
    assert_int_equal(pop_graph_target(range)->num_ipus, 1);
    assert_int_equal(pop_graph_physical_tile(range, 4), 6);
    pop_graph *middle = pop_graph_create_virtual_range(graph, 5, 11);
    assert_int_equal(pop_graph_target(middle)->num_ipus, 2);
    assert_int_equal(pop_graph_target(middle)->tiles_per_ipu, 3);

    pop_graph *tiles = pop_graph_create_virtual_tiles(graph, POP_DIMS(7, 1));
    assert_int_equal(pop_graph_physical_tile(tiles, 0), 7);
    assert_int_equal(pop_graph_physical_tile(tiles, 3), 9);
    assert_ptr_equal(pop_graph_top_level(tiles), graph);

    pop_graph *nested = pop_graph_create_virtual_range(tiles, 2, 4); /* tiles 7 and 1 of the second IPU */
    assert_int_equal(pop_graph_physical_tile(nested, 0), 15);
    assert_int_equal(pop_graph_physical_tile(nested, 1), 9);
    assert_int_equal(pop_graph_virtual_tile(nested, 7), (unsigned)-1);
    expect_no_error(graph);
    pop_graph_destroy(first);
    pop_graph_destroy(graph); /* the others are still shared */
    pop_tensor t = pop_graph_add_variable(nested, POP_INT, POP_SHAPE(3), "t");
    pop_graph_set_tile_mapping(nested, t, 1);
    pop_interval_lists lists;
    assert_true(pop_graph_get_tile_mapping(pop_graph_top_level(nested), t, NULL, &lists));
    assert_int_equal(lists.count, 16);
    assert_int_equal(lists.first[9], 0);
    assert_int_equal(lists.first[10], 1);
    pop_interval_lists_free(&lists);
    pop_graph_destroy(tiles);
    pop_graph_destroy(range);
    pop_graph_destroy(middle);
    pop_graph_destroy(nested);
}

static void tiles_outside_are_not_shown(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 8);
    pop_graph *part = pop_graph_create_virtual_range(graph, 4, 8);
    pop_tensor t = pop_graph_add_variable(graph, POP_INT, POP_SHAPE(6), "t");
    pop_graph_set_tile_mapping(graph, pop_tensor_slice(t, 0, 4, 0), 1);
    pop_graph_set_tile_mapping(part, pop_tensor_slice(t, 4, 6, 0), 1);
    pop_interval_lists lists;
    bool complete = false;
    assert_true(pop_graph_get_tile_mapping(part, t, &complete, &lists) && complete);
    assert_int_equal(lists.count, 4);
    assert_int_equal(lists.first[4], 1);
    assert_int_equal(lists.intervals[0].begin, 4);
    pop_interval_lists_free(&lists);
    for (int listed = 0; listed < 2; ++listed) { /* who wants all elements gets no part of them */
        assert_false(pop_graph_get_tile_mapping(part, t, NULL, listed ? &lists : NULL));
        EXPECT_ERROR(graph, POP_INVALID_TILE_MAPPING, "tiles that are not among this virtual graph's 4: copy it");
    }
    assert_true(pop_graph_get_tile_mapping(part, pop_tensor_slice(t, 4, 6, 0), NULL, NULL));
    pop_graph_set_tile_mapping(part, t, 4);
    EXPECT_ERROR(graph, POP_INVALID_TILE_MAPPING, "the graph has 4 tiles"); /* the error is shared */
    pop_tensor linear = pop_graph_add_variable_mapped(part, POP_INT, POP_SHAPE(256), POP_MAPPING_LINEAR, "linear");
    assert_true(pop_graph_get_tile_mapping(graph, linear, NULL, &lists));
    assert_int_equal(lists.first[4], 0);
    assert_int_equal(lists.first[8], 4);
    pop_interval_lists_free(&lists);
    pop_compute_set set = pop_graph_add_compute_set(part, "set");
    pop_vertex vertex = pop_graph_add_vertex(part, set, "Add");
    pop_graph_map_vertex(part, vertex, 3);
    assert_int_equal(graph->store->vertices.data[0].tile, 7);
    pop_graph_destroy(graph);
    pop_graph_destroy(part);
}

static void impossible_subsets_are_refused(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(2, 8);
    assert_null(pop_graph_create_virtual(graph, 0));
    EXPECT_ERROR(graph, POP_INDEX_ERROR, "1 to 8");
    assert_null(pop_graph_create_virtual(graph, 9));
    EXPECT_ERROR(graph, POP_INDEX_ERROR, "1 to 8");
    assert_null(pop_graph_create_virtual_range(graph, 3, 3));
    EXPECT_ERROR(graph, POP_INDEX_ERROR, "[3, 3)");
    assert_null(pop_graph_create_virtual_range(graph, 3, 17));
    EXPECT_ERROR(graph, POP_INDEX_ERROR, "16 tiles");
    assert_null(pop_graph_create_virtual_range(graph, 3, 12));
    EXPECT_ERROR(graph, POP_INDEX_ERROR, "not as many on each");
    assert_null(pop_graph_create_virtual_tiles(graph, POP_DIMS()));
    EXPECT_ERROR(graph, POP_INDEX_ERROR, "empty");
    assert_null(pop_graph_create_virtual_tiles(graph, POP_DIMS(1, 8)));
    EXPECT_ERROR(graph, POP_INDEX_ERROR, "no tile 8");
    assert_null(pop_graph_create_virtual_tiles(graph, POP_DIMS(1, 1)));
    EXPECT_ERROR(graph, POP_INDEX_ERROR, "twice");
    assert_int_equal(graph->store->handles, 1);
    pop_graph_destroy(graph);
}

static void top_level_graphs_are_shared(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4), *part = pop_graph_create_virtual(graph, 2),
              *top = pop_graph_share_top_level(part);
    pop_tensor t = pop_graph_add_variable(part, POP_FLOAT, POP_SHAPE(3), "t");
    assert_ptr_equal(top, graph);
    assert_ptr_equal(pop_graph_store(part), t.store);
    assert_ptr_equal(pop_store_graph(pop_graph_store(part)), graph);
    const char *kept = pop_store_keep_text(t.store, "a name");
    assert_string_equal(kept, "a name");
    assert_ptr_equal(pop_store_keep_text(t.store, "a name"), kept);
    assert_string_equal(pop_store_keep_text(NULL, "x"), "");
    const pop_status *status = pop_graph_error_status(part);
    assert_int_equal(*status, POP_OK);
    pop_graph_destroy(graph);
    pop_graph_destroy(part);
    pop_graph_set_tile_mapping(top, t, 99);
    assert_int_equal(*status, POP_INVALID_TILE_MAPPING);
    assert_int_equal(pop_graph_take_error(top, NULL), POP_INVALID_TILE_MAPPING);
    assert_int_equal(*status, POP_OK);
    pop_graph_destroy(top);
    assert_null(pop_graph_share_top_level(NULL));
    pop_target target = pop_graph_target(graph = fixture_graph(2, 4)) ? *pop_graph_target(graph) : (pop_target){ 0 };
    pop_graph *replicated = pop_graph_create_replicated(&target, 2);
    assert_null(pop_graph_share_top_level(replicated));
    EXPECT_ERROR(replicated, POP_GRAPH_REPLICATION_ERROR, "replication factor of 2");
    pop_graph_destroy(replicated);
    pop_graph_destroy(graph);
    assert_null(pop_graph_store(NULL));
    assert_null(pop_graph_error_status(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(top_level_graphs_are_shared),
        cmocka_unit_test(three_forms),
        cmocka_unit_test(tiles_outside_are_not_shown),
        cmocka_unit_test(impossible_subsets_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
