/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes and initial values of state. */
#include "fixture.h"
#include "graph/graph.h"
#include "graph/view/edge.h"

static pop_vertex mix(pop_graph *graph)
{
    return pop_graph_add_vertex(graph, pop_graph_add_compute_set(graph, "set"), "test::Mix<float>");
}

static const struct edge *edge_of(const pop_graph *graph, uint16_t field)
{
    return vertex_edge(graph->store, &graph->store->vertices.data[0], field);
}

static void scalars_are_converted(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_vertex v = mix(graph);
    pop_graph_set_field_int(graph, v, "n", 65537);
    assert_int_equal(edge_of(graph, 6)->variable, 1); /* wraps as C converts */
    pop_graph_set_field_int(graph, v, "n", 12);
    assert_int_equal(edge_of(graph, 6)->variable, 12); /* the later value is used */
    assert_int_equal(edge_of(graph, 6)->form, EDGE_VALUE);
    pop_graph_set_field_double(graph, v, "scale", 1.0 + 1.0 / 4096); /* rounds to the nearest half */
    assert_int_equal(edge_of(graph, 7)->variable, 0x3c00);
    int64_t wide = INT64_C(-5000000000);
    pop_graph_set_field(graph, v, "wide", POP_LONGLONG, &wide);
    const struct edge *edge = edge_of(graph, 8);
    assert_true((int64_t)((uint64_t)edge->count << 32 | edge->variable) == wide);
    assert_int_equal(graph->store->edges.count, 3);
    assert_int_equal(pop_graph_get_field_size(graph, v, "n"), 0);
    assert_int_equal(pop_graph_num_edges(graph), 0); /* state is not a connection */
    expect_no_error(graph);
    pop_graph_destroy(graph);
}

static void vectors_hold_their_values(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_vertex v = mix(graph);
    pop_graph_set_field_size(graph, v, "table", 5);
    assert_int_equal(edge_of(graph, 9)->form, EDGE_SIZE);
    assert_int_equal(pop_graph_get_field_size(graph, v, "table"), 5);
    pop_graph_set_field_size(graph, v, "table", 4);
    assert_int_equal(pop_graph_get_field_size(graph, v, "table"), 4);
    const double values[] = { 1, -2, 3.9 };
    pop_graph_set_field_vector(graph, v, POP_FIELD("table", POP_WHOLE), POP_DOUBLE, values, 3);
    const struct edge *edge = edge_of(graph, 9);
    assert_int_equal(edge->form, EDGE_DATA);
    assert_int_equal(edge->count, 3);
    const int *table = (const int *)(edge_data(graph->store, edge));
    assert_int_equal(table[0], 1);
    assert_int_equal(table[1], -2);
    assert_int_equal(table[2], 3);
    pop_graph_set_field_vector(graph, v, POP_FIELD("table", POP_WHOLE), POP_DOUBLE, NULL, 0);
    assert_int_equal(pop_graph_get_field_size(graph, v, "table"), 0);
    pop_graph_set_field_vector(graph, v, POP_FIELD("tables", 0), POP_DOUBLE, values, 1);
    EXPECT_ERROR(graph, POP_NO_SIZE_SPECIFIED, "set its size first");
    pop_graph_set_field_size(graph, v, "tables", 2);
    const unsigned char bytes[] = { 9, 8, 7, 6, 5 };
    pop_graph_set_field_vector(graph, v, POP_FIELD("tables", 1), POP_UNSIGNED_CHAR, bytes, 5);
    edge = edge_of(graph, 10);
    assert_int_equal(edge->form, EDGE_LIST);
    edge = &graph->store->edges.data[edge->offset + 1];
    assert_memory_equal(edge_data(graph->store, edge), bytes, 5);
    expect_no_error(graph);
    pop_graph_destroy(graph);
}

static void oversized_values_are_refused(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_vertex v = mix(graph);
    int one = 1;
    pop_graph_set_field_int(graph, v, "in", 1);
    EXPECT_ERROR(graph, POP_GRAPH_CONNECTION_ERROR, "is an edge, not state: connect it with pop_graph_connect");
    pop_graph_set_field_int(graph, v, "table", 1);
    EXPECT_ERROR(graph, POP_TYPE_ERROR, "pop_graph_set_field_vector");
    pop_graph_set_field_int(graph, v, "m", 1);
    EXPECT_ERROR(graph, POP_UNKNOWN_FIELD, "has no field 'm' (did you mean 'n'?)");
    pop_graph_set_field(graph, v, "n", POP_TYPE_NULL, &one);
    EXPECT_ERROR(graph, POP_TYPE_ERROR, "no type");
    pop_graph_set_field(graph, v, "n", POP_INT, NULL);
    EXPECT_ERROR(graph, POP_POPLAR_ERROR, "NULL");
    pop_graph_set_field_vector(graph, v, POP_FIELD("n", POP_WHOLE), POP_INT, &one, 1);
    EXPECT_ERROR(graph, POP_TYPE_ERROR, "is a scalar");
    pop_graph_set_field_vector(graph, v, POP_FIELD("table", 0), POP_INT, &one, 1);
    EXPECT_ERROR(graph, POP_INDEX_ERROR, "no row 0");
    pop_graph_set_field_vector(graph, v, POP_FIELD("tables", POP_WHOLE), POP_INT, &one, 1);
    EXPECT_ERROR(graph, POP_INDEX_ERROR, "row by row");
    pop_graph_set_field_vector(graph, v, POP_FIELD("table", POP_WHOLE), POP_INT, &one, (size_t)1 << 33);
    EXPECT_ERROR(graph, POP_OVERFLOW_ERROR, "2^32");
    pop_graph_set_field_size(graph, v, "n", 2);
    EXPECT_ERROR(graph, POP_TYPE_ERROR, "is a scalar");
    pop_graph_set_field_size(graph, v, "in", 2);
    EXPECT_ERROR(graph, POP_TYPE_ERROR, "takes its size from the tensor");
    pop_graph_set_field_size(graph, v, "tables", SIZE_MAX);
    EXPECT_ERROR(graph, POP_OVERFLOW_ERROR, "2^32");
    assert_int_equal(graph->store->edges.count, 0);
    pop_graph_set_field_size(graph, v, "tables", 2);
    pop_graph_set_field_vector(graph, v, POP_FIELD("tables", 2), POP_INT, &one, 1);
    EXPECT_ERROR(graph, POP_INDEX_ERROR, "no row 2: its size is 2");
    pop_graph_set_field_size(graph, v, "tables", 3);
    EXPECT_ERROR(graph, POP_GRAPH_CONNECTION_ERROR, "already has 2 elements");
    assert_int_equal(pop_graph_get_field_size(graph, v, "nothing"), 0);
    assert_int_equal(pop_graph_get_field_size(graph, v, NULL), 0);
    pop_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_are_converted),
        cmocka_unit_test(vectors_hold_their_values),
        cmocka_unit_test(oversized_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
