/* SPDX-License-Identifier: Apache-2.0 */
/* The graph: its error, marks, vertex types. */
#include "fixture.h"
#include "graph/graph.h"

#include "popc/popc.h"

/* A target is a value, but its list of exchange limits is not: a graph keeps one of its own. */
static void a_graph_keeps_exchange_limits(void **state)
{
    (void)state;
    pop_exchange_flow flows[9];
    pop_exchange_limit limit = { 1e9, 9, flows };
    pop_target target;
    assert_int_equal(pop_target_create_ipu(16, "ipu2", &target, NULL), POP_OK);
    for (uint32_t i = 0; i < 9; ++i)
        flows[i] = (pop_exchange_flow){ i + 1, 0 };
    target.global_exchange = POP_GLOBAL_EXCHANGE_LISTED;
    target.exchange_limits = (pop_exchange_limits){ 1, &limit };
    pop_graph *graph = pop_graph_create(&target);
    memset(flows, 0, sizeof(flows));
    limit.bandwidth = 0;
    assert_true(pop_target_global_exchange_bandwidth(pop_graph_target(graph), 0) == 1e9);
    assert_int_equal(pop_target_global_exchange_flows(pop_graph_target(graph), 0, flows, 9), 9);
    assert_int_equal(flows[8].source, 9);
    pop_graph_destroy(graph);
}

static void an_error_stays_until_it_is_taken(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_graph_add_variable(graph, POP_LONG, POP_SHAPE(2), "first");
    int line = __LINE__ - 1;
    pop_graph_add_variable(graph, POP_DOUBLE, POP_SHAPE(2), "second");
    assert_false(pop_tensor_valid(pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(2), "third")));
    assert_int_equal(pop_graph_num_variables(graph), 0);
    const pop_error *error = pop_graph_error(graph);
    assert_non_null(error);
    assert_string_equal(error->path, "first");
    assert_string_equal(error->api, "pop_graph_add_variable");
    assert_int_equal(error->where.line, line);
    EXPECT_ERROR(graph, POP_TENSOR_CREATION_ERROR, "long");
    assert_null(pop_graph_error(graph));
    assert_int_equal(pop_graph_take_error(graph, NULL), POP_OK);
    assert_true(pop_tensor_valid(pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(2), NULL)));
    pop_graph_destroy(graph);
}

static void count_errors(const pop_error *error, void *user)
{
    assert_int_equal(error->status, POP_TENSOR_CREATION_ERROR);
    ++*(int *)user;
}

static void the_handler_is_called_once_for_each_recorded_error(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    int count = 0;
    pop_graph_on_error(graph, count_errors, &count);
    pop_graph_add_variable(graph, POP_LONG, POP_SHAPE(2), "x");
    pop_graph_add_variable(graph, POP_LONG, POP_SHAPE(2), "y");
    assert_int_equal(count, 1);
    pop_graph_take_error(graph, NULL);
    pop_graph_add_variable(graph, POP_UNSIGNED_LONG, POP_SHAPE(2), "z");
    assert_int_equal(count, 2);
    pop_graph_destroy(graph);
}

static void a_bad_target_is_recorded(void **state)
{
    (void)state;
    pop_graph *graph = pop_graph_create(NULL);
    assert_non_null(graph);
    expect_error(graph, POP_INVALID_MACHINE_MODEL, "NULL", NULL);
    pop_graph_destroy(graph);
    pop_target target = pop_target_create_cpu(false, 1);
    target.tiles_per_ipu = 0;
    graph = pop_graph_create(&target);
    expect_error(graph, POP_INVALID_MACHINE_MODEL, "tiles", NULL);
    pop_graph_destroy(graph);
}

static void null_graphs_are_harmless(void **state)
{
    (void)state;
    pop_graph_destroy(NULL);
    assert_null(pop_graph_target(NULL));
    assert_null(pop_graph_error(NULL));
    assert_int_equal(pop_graph_take_error(NULL, NULL), POP_OK);
    assert_false(pop_tensor_valid(pop_graph_add_variable(NULL, POP_FLOAT, POP_SHAPE(2), "x")));
    assert_int_equal(pop_graph_num_vertices(NULL), 0);
    assert_false(pop_graph_has_codelet(NULL, "Add"));
    assert_int_equal(pop_graph_add_vertex(NULL, (pop_compute_set){ 0 }, "Add").id, 0);
    pop_graph_set_tile_mapping(NULL, (pop_tensor){ 0 }, 0);
    assert_null(pop_graph_create_virtual(NULL, 1));
    pop_graph_release(NULL, pop_graph_mark(NULL));
    assert_int_equal(pop_graph_add_remote_buffer(NULL, "x", POP_INT, 1, 1, false, false).id, 0);
}

static void released_views_leave_connections_alone(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_tensor a = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(3), "a");
    pop_tensor b = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(2), "b");
    pop_mark mark = pop_graph_mark(graph);
    pop_tensor joined = pop_tensor_concat(POP_TENSORS(b, a), 0);
    pop_compute_set set = pop_graph_add_compute_set(graph, "set");
    pop_vertex vertex = pop_graph_add_vertex(graph, set, "test::Mix<float>");
    pop_graph_connect(graph, vertex, "in", joined);
    pop_graph_release(graph, mark);
    const struct edge *edge = vertex_edge(graph->store, &graph->store->vertices.data[0], 0);
    assert_int_equal(edge->form, EDGE_VIEW);
    assert_int_equal(graph->store->views.data[edge->variable]->elements, 5);
    expect_no_error(graph);
    pop_graph_destroy(graph);
}

static void modules_may_be_loaded_twice_but_must_agree(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    assert_true(pop_graph_has_codelet(graph, "test::Mix<float>"));
    assert_false(pop_graph_has_codelet(graph, "test::Mix"));
    assert_true(store_add_module(graph->store, POP_HERE, "test", fixture_module("again.gp", "code")));
    assert_int_equal(graph->store->modules.count, 1);
    assert_false(store_add_module(graph->store, POP_HERE, "test", fixture_module("other.gp", "other code")));
    EXPECT_ERROR(graph, POP_GRAPH_OBJECT_LOAD_ERROR, "'Add' of other.gp is already loaded from fixture.gp");
    pop_graph_destroy(graph);
}

static void invalid_codelet_files_are_refused(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    assert_false(pop_graph_add_codelets(graph, NULL));
    EXPECT_ERROR(graph, POP_FILE_LOAD_ERROR, "file name");
    assert_false(pop_graph_add_codelets_flags(graph, "x.ll", POP_FILE_IR, ""));
    EXPECT_ERROR(graph, POP_GRAPH_OBJECT_LOAD_ERROR, "sources in C, C++ and assembly");
    assert_false(pop_graph_add_codelets_source(graph, NULL, POP_FILE_C, NULL));
    EXPECT_ERROR(graph, POP_FILE_LOAD_ERROR, "NULL");
    assert_false(pop_graph_add_codelets_source(graph, "", POP_FILE_IR, NULL));
    EXPECT_ERROR(graph, POP_GRAPH_OBJECT_LOAD_ERROR, "POP_FILE_C");
    pop_graph_destroy(graph);
}

static const char vertex_text[] =
    "#include <poplar/vertex.h>\nPOP_VERTEX(V) { POP_OUTPUT(int) out; };\nvoid V_compute(V *v) { *v->out = 1; }\n";

/* Whether codelets that a graph on this target compiles have sizes for its architecture. */
static bool sizes_are_asked_for(pop_target target)
{
    struct device_code code;
    pop_graph *graph = pop_graph_create(&target);
    assert_true(pop_graph_add_codelets_source(graph, vertex_text, POP_FILE_C, NULL));
    const struct codelet *codelet = graph->store->types.data[store_find_type(graph->store, "V")].codelet;
    bool asked =
        device_code_of(codelet->module, codelet, &target, &code) && !strstr(code.reason, "without popc's --target");
    assert_false(pop_graph_add_codelets_source(graph, vertex_text, POP_FILE_C, "-O1 -D"));
    EXPECT_ERROR(graph, POP_INVALID_OPTION, "flag '-D' needs an argument");
    pop_graph_destroy(graph);
    return asked;
}

static void code_is_measured_when_the_target_has_compile_ipu_code(void **state)
{
    (void)state;
    static const char *const systems[] = { "ipu1", "ipu2", "ipu21", "bow" };
    for (int i = 0; i < 4; ++i) {
        pop_target target;
        pop_error error;
        assert_int_equal(pop_target_create_ipu(1, systems[i], &target, &error), POP_OK);
        assert_false(sizes_are_asked_for(target));
        target.compile_ipu_code = true;
        assert_true(sizes_are_asked_for(target));
    }
    pop_target cpu = pop_target_create_cpu(false, 1);
    cpu.compile_ipu_code = true;
    assert_false(sizes_are_asked_for(cpu));
}

static void lines_are_shared(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_compute_set set = pop_graph_add_compute_set(graph, "set");
    size_t before = graph->store->wheres.count;
    for (int i = 0; i < 1000; ++i) {
        pop_graph_add_vertex(graph, set, "Add");
        pop_graph_add_vertex(graph, set, "test::Mix<float>");
    }
    assert_int_equal(graph->store->wheres.count, before + 2);
    pop_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_keeps_exchange_limits),
        cmocka_unit_test(an_error_stays_until_it_is_taken),
        cmocka_unit_test(the_handler_is_called_once_for_each_recorded_error),
        cmocka_unit_test(a_bad_target_is_recorded),
        cmocka_unit_test(null_graphs_are_harmless),
        cmocka_unit_test(released_views_leave_connections_alone),
        cmocka_unit_test(modules_may_be_loaded_twice_but_must_agree),
        cmocka_unit_test(invalid_codelet_files_are_refused),
        cmocka_unit_test(code_is_measured_when_the_target_has_compile_ipu_code),
        cmocka_unit_test(lines_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
