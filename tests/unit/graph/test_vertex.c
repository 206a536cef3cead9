/* SPDX-License-Identifier: Apache-2.0 */
/* Compute sets, vertices and their own estimates. */
#include "fixture.h"

static void vertices_belong_to_sets(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_compute_set first = pop_graph_add_compute_set(graph, "first"), second = pop_graph_add_compute_set(graph, NULL);
    pop_vertex a = pop_graph_add_vertex(graph, first, "Add");
    pop_vertex b = pop_graph_add_vertex(graph, second, "test::Mix<float>");
    int line = __LINE__ - 1;
    assert_int_equal(pop_graph_num_vertices(graph), 2);
    assert_int_equal(pop_graph_num_compute_sets(graph), 2);
    const struct vertex *vertices = graph->store->vertices.data;
    assert_int_equal(vertices[0].set, 0);
    assert_int_equal(vertices[1].set, 1);
    assert_int_equal(vertices[0].tile, UNMAPPED_TILE);
    assert_string_equal(graph->store->types.data[vertices[1].type].codelet->name, "test::Mix<float>");
    assert_int_equal(graph->store->wheres.data[vertices[1].where].line, line);
    assert_int_equal(graph->store->sets.data[0].vertex_count, 1);
    pop_graph_map_vertex(graph, a, 3);
    pop_graph_map_vertex(graph, a, 2);
    assert_int_equal(vertices[0].tile, 2);
    pop_graph_map_vertex(graph, b, 4);
    EXPECT_ERROR(graph, POP_INVALID_TILE_MAPPING, "no tile 4");
    pop_graph_map_vertex(graph, (pop_vertex){ 0 }, 1);
    EXPECT_ERROR(graph, POP_INDEX_ERROR, "null");
    pop_graph *other = fixture_graph(1, 4);
    pop_graph_map_vertex(other, a, 1);
    EXPECT_ERROR(other, POP_INDEX_ERROR, "another graph");
    pop_graph_add_vertex(other, first, "Add");
    EXPECT_ERROR(other, POP_INDEX_ERROR, "another graph");
    pop_graph_destroy(other);
    pop_graph_destroy(graph);
}

static void unknown_types_name_the_nearest(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_compute_set set = pop_graph_add_compute_set(graph, "the set");
    assert_int_equal(pop_graph_add_vertex(graph, set, "test::Mix<floats>").id, 0);
    assert_string_equal(pop_graph_error(graph)->path, "the set");
    EXPECT_ERROR(graph, POP_UNKNOWN_VERTEX_TYPE, "did you mean 'test::Mix<float>'?");
    pop_graph_add_vertex(graph, set, NULL);
    EXPECT_ERROR(graph, POP_UNKNOWN_VERTEX_TYPE, "NULL");
    pop_graph_add_vertex(graph, (pop_compute_set){ 0 }, "Add");
    EXPECT_ERROR(graph, POP_INDEX_ERROR, "null");
    assert_int_equal(pop_graph_num_vertices(graph), 0);
    pop_graph_destroy(graph);
    pop_target target = pop_target_create_cpu(false, 1);
    graph = pop_graph_create(&target);
    pop_graph_add_vertex(graph, pop_graph_add_compute_set(graph, ""), "Add");
    EXPECT_ERROR(graph, POP_UNKNOWN_VERTEX_TYPE, "no codelets were added");
    pop_graph_destroy(graph);
}

static void names_are_compared_as_text(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_compute_set set = pop_graph_add_compute_set(graph, "set");
    char name[32] = "Add";
    pop_graph_add_vertex(graph, set, name);
    strcpy(name, "test::Mix<float>");
    pop_graph_add_vertex(graph, set, name);
    const struct vertex *vertices = graph->store->vertices.data;
    assert_int_not_equal(vertices[0].type, vertices[1].type);
    pop_graph_destroy(graph);
}

static void a_vertex_whose_connections_fail_is_not_added(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_compute_set set = pop_graph_add_compute_set(graph, "set");
    pop_tensor t = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(6), "t");
    pop_tensor strided = pop_tensor_sub_sample(t, 2, 0);
    pop_vertex v = pop_graph_add_vertex_connected(graph, set, "test::Mix<float>",
                                                  POP_CONNECTIONS({ "in", strided }, { "nothing", t }));
    assert_int_equal(v.id, 0);
    assert_string_equal(pop_graph_error(graph)->api, "pop_graph_add_vertex_connected");
    EXPECT_ERROR(graph, POP_UNKNOWN_FIELD, "nothing");
    const pop_store *store = graph->store;
    assert_int_equal(store->vertices.count + store->edges.count + store->views.count + store->edge_count, 0);
    assert_int_equal(store->sets.data[0].vertex_count, 0);
    v = pop_graph_add_vertex_connected(graph, set, "test::Mix<float>", POP_CONNECTIONS({ "in", strided }, { "io", t }));
    assert_int_equal(v.id, 1);
    assert_int_equal(pop_graph_num_edges(graph), 2);
    expect_no_error(graph);
    pop_graph_destroy(graph);
}

static void equal_estimates_are_shared(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_compute_set set = pop_graph_add_compute_set(graph, "set");
    for (unsigned i = 0; i < 100; ++i) {
        pop_vertex vertex = pop_graph_add_vertex(graph, set, "Add");
        pop_graph_set_perf_estimate(graph, vertex, 10 + i % 3, 5);
        pop_perf perf = pop_graph_get_perf_estimate(graph, vertex);
        assert_int_equal(perf.cycles, 10 + i % 3);
        assert_int_equal(perf.flops, 5);
    }
    assert_int_equal(graph->store->estimates.count, 3);
    pop_graph_set_cycle_estimate(graph, ((pop_vertex){ graph->store, 1 }), 77);
    assert_int_equal(pop_graph_get_perf_estimate(graph, ((pop_vertex){ graph->store, 1 })).cycles, 77);
    pop_graph_set_perf_estimate(graph, ((pop_vertex){ graph->store, 101 }), 1, 1);
    EXPECT_ERROR(graph, POP_INDEX_ERROR, "vertex");
    pop_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_belong_to_sets),    cmocka_unit_test(unknown_types_name_the_nearest),
        cmocka_unit_test(names_are_compared_as_text), cmocka_unit_test(a_vertex_whose_connections_fail_is_not_added),
        cmocka_unit_test(equal_estimates_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
