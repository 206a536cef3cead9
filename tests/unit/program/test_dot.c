/* SPDX-License-Identifier: Apache-2.0 */
/* Programs as pictures: their nodes and edges, and that drawing ends. */
#include "../graph/fixture.h"

static char *drawn(pop_graph *graph, pop_program program, bool vertices)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    assert_true(vertices ? pop_graph_output_vertex_graph(graph, file, &program, 1)
                         : pop_graph_output_compute_graph(graph, file, &program, 1));
    fclose(file);
    expect_no_error(graph);
    return text;
}

static size_t times(const char *text, const char *words)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, words)); ++at)
        ++count;
    return count;
}

struct fixture {
    pop_graph *graph;
    pop_program program;
};

static struct fixture setup(void)
{
    struct fixture s = { .graph = fixture_graph(1, 4) };
    pop_tensor a = pop_graph_add_variable(s.graph, POP_FLOAT, POP_SHAPE(4), "a \"quoted\"");
    pop_tensor b = pop_graph_add_variable(s.graph, POP_FLOAT, POP_SHAPE(4), "b");
    pop_compute_set set = pop_graph_add_compute_set(s.graph, "adds");
    for (unsigned i = 0; i < 2; ++i) {
        pop_vertex v = pop_graph_add_vertex_connected(s.graph, set, "Add",
                                                      POP_CONNECTIONS({ "a", pop_tensor_at(a, i) },
                                                                      { "b", pop_tensor_at(a, i + 1) },
                                                                      { "c", pop_tensor_at(b, i) }));
        if (i)
            pop_graph_map_vertex(s.graph, v, 3);
    }
    s.program = pop_sequence(s.graph, NULL);
    pop_sequence_add(s.program, pop_copy(a, b, false, NULL));
    pop_function function = pop_graph_add_function(s.graph, pop_execute(set, NULL));
    pop_sequence_add(s.program, pop_repeat(10, pop_call(function, "call"), NULL));
    pop_sequence_add(s.program, pop_call(function, NULL));
    expect_no_error(s.graph);
    return s;
}

static void steps_and_variables(void **state)
{
    (void)state;
    struct fixture s = setup();
    char *text = drawn(s.graph, s.program, false);
    assert_true(strncmp(text, "digraph compute_graph {", 23) == 0);
    assert_non_null(strstr(text, "label=\"a \\\"quoted\\\"\\nfloat, 4\""));
    assert_non_null(strstr(text, "label=\"Repeat 10\""));
    assert_int_equal(times(text, "Execute\\nadds"), 1); /* a function's body is drawn once */
    assert_int_equal(times(text, "label=\"Call function 0"), 2);
    assert_int_equal(times(text, "shape=ellipse"), 2);
    assert_non_null(strstr(text, "v0 -> s0;"));
    assert_non_null(strstr(text, "s0 -> v1;"));
    assert_non_null(strstr(text, "s0 -> s1 [style=dashed];"));
    assert_int_equal(times(text, "{"), times(text, "}"));
    free(text);
    pop_graph_destroy(s.graph);
}

static void vertices_and_edges(void **state)
{
    (void)state;
    struct fixture s = setup();
    char *text = drawn(s.graph, s.program, true);
    assert_int_equal(times(text, "label=\"Add\\n"), 2);
    assert_int_equal(times(text, "tile 3"), 1);
    assert_int_equal(times(text, "unmapped"), 1);
    assert_non_null(strstr(text, "v0 -> x0;"));
    assert_non_null(strstr(text, "x1 -> v1;"));
    assert_int_equal(times(text, "{"), times(text, "}"));
    free(text);
    pop_graph_destroy(s.graph);
}

static void drawing_a_recursive_program_ends(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_program sequence = pop_sequence(graph, NULL);
    pop_sequence_add(sequence, pop_repeat(2, sequence, NULL));
    pop_graph_take_error(graph, NULL);
    free(drawn(graph, sequence, false));
    free(drawn(graph, sequence, true));
    pop_graph_output_compute_graph(graph, NULL, &sequence, 1);
    EXPECT_ERROR(graph, POP_FILE_LOAD_ERROR, "NULL");
    pop_graph_output_vertex_graph(graph, stdout, &(pop_program){ 0 }, 1);
    EXPECT_ERROR(graph, POP_CONTROL_PROGRAM_ERROR, "program 0 is null");
    pop_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_and_variables),
        cmocka_unit_test(vertices_and_edges),
        cmocka_unit_test(drawing_a_recursive_program_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
