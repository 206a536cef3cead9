/* SPDX-License-Identifier: Apache-2.0 */
/* Estimators and the limits of fields. */
#include "fixture.h"
#include "graph/graph.h"

static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    ++*(int *)user;
    assert_int_equal(target->num_worker_contexts, 6);
    assert_string_equal(pop_vertex_view_type(vertex), "test::Mix<float>");
    assert_int_equal(pop_vertex_view_compute_set(vertex), 1);
    assert_true(pop_vertex_view_has_field(vertex, "rows"));
    assert_false(pop_vertex_view_has_field(vertex, "column"));
    assert_int_equal(pop_vertex_view_field_rank(vertex, "n"), 0);
    assert_int_equal(pop_vertex_view_field_rank(vertex, "in"), 1);
    assert_int_equal(pop_vertex_view_field_rank(vertex, "rows"), 2);
    assert_int_equal(pop_vertex_view_field_size(vertex, "n", POP_WHOLE), 1);
    assert_int_equal(pop_vertex_view_field_size(vertex, "rows", POP_WHOLE), 2);
    assert_int_equal(pop_vertex_view_field_size(vertex, "rows", 1), 3);
    assert_int_equal(pop_vertex_view_field_size(vertex, "rows", 2), 0);
    assert_int_equal(pop_vertex_view_field_size(vertex, "io", POP_WHOLE), 0); /* not connected */
    assert_true(pop_vertex_view_field_value(vertex, "n", 0) == 12);
    assert_true(pop_vertex_view_field_value(vertex, "n", 1) == 0);
    assert_true(pop_vertex_view_field_value(vertex, "table", 1) == -4);
    assert_true(pop_vertex_view_field_value(vertex, "table", 2) == 0);
    assert_true(pop_vertex_view_field_value(vertex, "scale", 0) == 0);
    double values[3] = { 1, 1, 1 };
    assert_int_equal(pop_vertex_view_field_values(vertex, "n", POP_WHOLE, values, 3), 1);
    assert_true(values[0] == 12 && values[1] == 1);
    assert_int_equal(pop_vertex_view_field_values(vertex, "table", POP_WHOLE, values, 3), 2);
    assert_true(values[1] == -4 && values[2] == 1);
    assert_int_equal(pop_vertex_view_field_values(vertex, "table", POP_WHOLE, values, 1), 1);
    assert_int_equal(pop_vertex_view_field_values(vertex, "table", 0, values, 3), 0); /* it has no rows */
    assert_int_equal(pop_vertex_view_field_values(vertex, "in", POP_WHOLE, values, 3), 0);
    assert_int_equal(pop_vertex_view_field_values(vertex, "rows", 0, values, 3), 0);
    assert_int_equal(pop_vertex_view_field_values(NULL, "n", POP_WHOLE, values, 3), 0);
    assert_true(pop_vertex_view_field_value(vertex, "in", 0) == 0);
    assert_true(pop_vertex_view_field_row_value(vertex, "rows", 0, 0) == 0); /* an edge */
    assert_true(pop_vertex_view_field_row_value(vertex, "table", 0, 0) == 0 &&
                pop_vertex_view_field_row_value(NULL, "n", 0, 0) == 0);
    assert_int_equal(pop_vertex_view_field_layout(vertex, "in", 0), POP_VECTOR_SPAN);
    assert_int_equal(pop_vertex_view_field_layout(vertex, "in", 1), POP_VECTOR_NONE);
    assert_int_equal(pop_vertex_view_field_layout(vertex, "n", 0), POP_VECTOR_NONE);
    assert_int_equal(pop_vertex_view_field_list_layout(vertex, "in"), POP_VECTOR_LIST_NONE);
    assert_int_not_equal(pop_vertex_view_field_list_layout(vertex, "rows"), POP_VECTOR_LIST_NONE);
    assert_int_equal(pop_vertex_view_field_list_layout(NULL, "rows"), POP_VECTOR_LIST_NONE);
    return (pop_perf){ 5 * pop_vertex_view_field_size(vertex, "in", POP_WHOLE), 2 };
}

static void estimators_see_the_vertex(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_vertex v = pop_graph_add_vertex(graph, pop_graph_add_compute_set(graph, "the set"), "test::Mix<float>");
    pop_tensor t = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(2, 3), "t");
    pop_graph_connect(graph, v, "rows", t);
    pop_graph_connect(graph, v, "in", pop_tensor_flatten(pop_tensor_transpose(t)));
    pop_graph_set_field_int(graph, v, "n", 12);
    pop_graph_set_field_vector(graph, v, POP_FIELD("table", POP_WHOLE), POP_INT, ((int[]){ 3, -4 }), 2);
    assert_int_equal(pop_graph_get_perf_estimate(graph, v).cycles, 0);
    assert_string_equal(pop_graph_error(graph)->path, "the set");
    EXPECT_ERROR(graph, POP_MISSING_PERF_ESTIMATE, "'test::Mix<float>'");
    int calls = 0;
    pop_graph_register_perf_estimator(graph, "test::Mix<float>", estimate, &calls);
    pop_perf perf = pop_graph_get_perf_estimate(graph, v);
    assert_int_equal(perf.cycles, 30);
    assert_int_equal(perf.flops, 2);
    assert_int_equal(calls, 1);
    pop_graph_set_perf_estimate(graph, v, 0, 0); /* a vertex's own estimate has priority, even if it is 0 */
    assert_int_equal(pop_graph_get_perf_estimate(graph, v).cycles, 0);
    assert_int_equal(calls, 1);
    expect_no_error(graph);
    pop_graph_destroy(graph);
}

static void estimators_may_come_before_codelets(void **state)
{
    (void)state;
    pop_target target = pop_target_create_cpu(false, 1);
    pop_graph *graph = pop_graph_create(&target);
    int calls = 0;
    pop_graph_register_perf_estimator(graph, "Add", estimate, &calls);
    assert_false(pop_graph_has_codelet(graph, "Add"));
    pop_graph_add_vertex(graph, pop_graph_add_compute_set(graph, ""), "Add");
    EXPECT_ERROR(graph, POP_UNKNOWN_VERTEX_TYPE, "'Add'");
    assert_true(store_add_module(graph->store, NO_WHERE, "test", fixture_module("fixture.gp", "code")));
    assert_true(pop_graph_has_codelet(graph, "Add"));
    assert_true(graph->store->types.data[store_find_type(graph->store, "Add")].estimator == estimate);
    pop_graph_register_perf_estimator(graph, "Add", NULL, NULL);
    EXPECT_ERROR(graph, POP_POPLAR_ERROR, "estimator");
    pop_graph_destroy(graph);
}

static void limits_of_fields(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    uint64_t floats = pop_graph_target(graph)->bytes_per_tile / 4;
    assert_int_equal(pop_graph_max_field_dim(graph, "test::Mix<float>", "in", 0), floats);
    assert_int_equal(pop_graph_max_field_dim(graph, "test::Mix<float>", "io", 0), 2047);
    assert_int_equal(pop_graph_max_field_dim(graph, "test::Mix<float>", "list", 1),
                     4095); /* 20 + 12 bits for elements of 2 bytes */
    assert_true(pop_graph_max_vertex_field_value(graph, "test::Mix<float>", "n") == 65535);
    assert_true(pop_graph_max_vertex_field_value(graph, "test::Mix<float>", "scale") == 65504);
    expect_no_error(graph);
    pop_graph_max_field_dim(graph, "test::Mix<float>", "in", 1);
    expect_error(graph, POP_INDEX_ERROR, "has 1 dimensions", NULL);
    pop_graph_max_field_dim(graph, "test::Mix<float>", "inn", 0);
    expect_error(graph, POP_UNKNOWN_FIELD, "did you mean 'in'?", NULL);
    pop_graph_max_field_dim(graph, "Mix", "in", 0);
    expect_error(graph, POP_UNKNOWN_VERTEX_TYPE, "'Mix'", NULL);
    pop_graph_max_vertex_field_value(graph, "test::Mix<float>", "in");
    expect_error(graph, POP_TYPE_ERROR, "is an edge", NULL);
    pop_graph_destroy(graph);
}

static pop_perf estimate_by_default(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    assert_true(pop_vertex_view_field_value(vertex, "n", 0) == 7); /* fixture.h: the first byte of the defaults */
    assert_true(pop_vertex_view_field_value(vertex, "n", 1) == 0);
    assert_true(pop_vertex_view_field_value(vertex, "table", 0) == 0);
    return (pop_perf){ 1, 0 };
}

/* State that was not set has the default of the codelet's class. */
static void estimators_see_defaults(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_vertex v = pop_graph_add_vertex(graph, pop_graph_add_compute_set(graph, "set"), "test::Mix<float>");
    pop_graph_register_perf_estimator(graph, "test::Mix<float>", estimate_by_default, NULL);
    assert_int_equal(pop_graph_get_perf_estimate(graph, v).cycles, 1);
    expect_no_error(graph);
    pop_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimators_see_defaults),
        cmocka_unit_test(estimators_see_the_vertex),
        cmocka_unit_test(estimators_may_come_before_codelets),
        cmocka_unit_test(limits_of_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
