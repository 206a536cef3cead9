/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of compiling: their texts, and the user's lines that they name. */
#include "fixture.h"

static void test_missing_edge(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_compute_set set = pop_graph_add_compute_set(f.graph, "sums");
    int line = __LINE__ + 1;
    pop_vertex v = pop_graph_add_vertex(f.graph, set, "Sum");
    pop_graph_map_vertex(f.graph, v, 0);
    pop_graph_connect(f.graph, v, "in", variable(&f, 4, 0, "x"));
    refused(&f, pop_execute(set, NULL), POP_GRAPH_CONNECTION_ERROR, "Sum.out is not connected");
    assert_int_equal(f.error.where.line, line);
    assert_string_equal(f.error.path, "sums");
    assert_non_null(strstr(f.error.text, "in compute set 'sums'"));
    end(&f);
}

static void test_unused_sets_may_be_incomplete(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_graph_add_vertex(f.graph, pop_graph_add_compute_set(f.graph, "left alone"), "Sum");
    pop_graph_add_variable(f.graph, POP_FLOAT, POP_SHAPE(3), "unmapped");
    compiled(&f, pop_sequence(f.graph, NULL));
    assert_int_equal(f.image->sets.count, 0);
    assert_int_equal(f.image->variables.count, 0);
    end(&f);
}

static void test_missing_row_and_size(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_compute_set set = pop_graph_add_compute_set(f.graph, "set");
    pop_tensor x = variable(&f, 8, 0, "x");
    pop_vertex v = vertex(&f, set, "Rows", 0, 1);
    pop_graph_set_field_size(f.graph, v, "in", 2);
    pop_graph_connect_index(f.graph, v, "in", 0, pop_tensor_slice(x, 0, 2, 0));
    pop_graph_connect(f.graph, v, "out", pop_tensor_slice(x, 4, 6, 0));
    refused(&f, pop_execute(set, NULL), POP_GRAPH_CONNECTION_ERROR, "Rows.in[1] is not connected");
    pop_graph_connect_index(f.graph, v, "in", 1, pop_tensor_slice(x, 2, 3, 0));
    refused(&f, pop_execute(set, NULL), POP_NO_SIZE_SPECIFIED, "Rows.taps has no size");
    pop_graph_set_field_size(f.graph, v, "taps", 0);
    compiled(&f, pop_execute(set, NULL));
    end(&f);
}

/* By default a value that its type cannot hold is a warning when it is given; with an option, an error. */
static void test_values_that_do_not_fit(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor x = variable(&f, 2, 0, "x");
    int line = __LINE__ + 1;
    pop_graph_set_initial_fill(f.graph, x, POP_DOUBLE, &(double){ -1e300 });
    compiled(&f, pop_copy(pop_tensor_at(x, 0), pop_tensor_at(x, 1), false, NULL));
    options_apply(&f.options, "engine", POP_OPTIONS({ "debug.requireValuesFit", "true" }), NULL, POP_HERE, "test",
                  NULL);
    refused(&f, pop_sequence(f.graph, NULL), POP_OVERFLOW_ERROR,
            "-1e+300 for element 0 of 'x' is beyond float, -3.4028235e+38 to 3.4028235e+38: it becomes -inf");
    assert_int_equal(f.error.where.line, line);
    assert_non_null(strstr(f.error.text, "debug.requireValuesFit"));
    end(&f);
}

static void test_unmapped(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_compute_set set = pop_graph_add_compute_set(f.graph, "set");
    pop_tensor out = variable(&f, 1, 0, "out");
    int line = __LINE__ + 1;
    pop_tensor x = pop_graph_add_variable(f.graph, POP_FLOAT, POP_SHAPE(7), "gappy");
    pop_graph_set_tile_mapping(f.graph, pop_tensor_slice(x, 0, 3, 0), 1);
    pop_graph_set_tile_mapping(f.graph, pop_tensor_slice(x, 4, 7, 0), 2);
    pop_vertex v = pop_graph_add_vertex(f.graph, set, "Sum");
    pop_graph_connect(f.graph, v, "in", x);
    pop_graph_connect(f.graph, v, "out", pop_tensor_at(out, 0));
    refused(&f, pop_execute(set, NULL), POP_INVALID_TILE_MAPPING, "a vertex of type Sum is not mapped");
    pop_graph_map_vertex(f.graph, v, 3);
    refused(&f, pop_execute(set, NULL), POP_INVALID_TILE_MAPPING,
            "element 3 of variable 'gappy' (7 elements) is not mapped to a tile");
    assert_int_equal(f.error.where.line, line);
    assert_non_null(strstr(f.error.text, "\n1 of its elements is not: "));
    assert_non_null(strstr(f.error.text, "used by Sum.in"));
    /* copies and handles need a mapping only of the elements that they use */
    refused(&f, pop_copy(pop_tensor_slice(x, 2, 4, 0), pop_tensor_slice(x, 0, 2, 0), false, NULL),
            POP_INVALID_TILE_MAPPING, "element 3 of");
    compiled(&f, pop_copy(pop_tensor_slice(x, 0, 3, 0), pop_tensor_slice(x, 4, 7, 0), false, NULL));
    /* the line is printed once if the variable was created on it too */
    pop_program copy = pop_copy(pop_graph_add_variable(f.graph, POP_FLOAT, POP_SHAPE(2), "here"),
                                pop_tensor_slice(x, 0, 2, 0), false, NULL);
    refused(&f, copy, POP_INVALID_TILE_MAPPING, "used by Copy");
    assert_null(strstr(f.error.text, "used by Copy at"));
    pop_graph_create_host_read(f.graph, "r", x);
    refused(&f, pop_sequence(f.graph, NULL), POP_INVALID_TILE_MAPPING, "used by a host read");
    end(&f);
}

static void test_programs(void **state)
{
    (void)state;
    struct fixture f, other;
    begin(&f);
    begin(&other);
    refused(&f, (pop_program){ 0 }, POP_CONTROL_PROGRAM_ERROR, "null program");
    refused(&f, pop_sequence(other.graph, NULL), POP_CONTROL_PROGRAM_ERROR, "another graph");
    pop_program outer = pop_sequence(f.graph, NULL), inner = pop_sequence(f.graph, NULL);
    pop_sequence_add(outer, inner);
    pop_sequence_add(inner, outer);
    refused(&f, outer, POP_GRAPH_RECURSION_ERROR, "contains itself");
    pop_program body = pop_sequence(f.graph, NULL);
    pop_function function = pop_graph_add_function(f.graph, body);
    int line = __LINE__ + 1;
    pop_sequence_add(body, pop_call(function, NULL));
    refused(&f, pop_call(function, NULL), POP_GRAPH_RECURSION_ERROR, "functions cannot recurse");
    assert_int_equal(f.error.where.line, line);
    end(&f);
    end(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing_edge),
        cmocka_unit_test(test_unused_sets_may_be_incomplete),
        cmocka_unit_test(test_missing_row_and_size),
        cmocka_unit_test(test_values_that_do_not_fit),
        cmocka_unit_test(test_unmapped),
        cmocka_unit_test(test_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
