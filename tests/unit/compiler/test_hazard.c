/* SPDX-License-Identifier: Apache-2.0 */
/* Conflicts between vertices of one compute set. */
#include "fixture.h"

#include <stdio.h>

static void test_two_writers(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor data = variable(&f, 153600, 0, "data");
    pop_compute_set set = pop_graph_add_compute_set(f.graph, "stencil");
    pop_graph_connect(f.graph, vertex(&f, set, "Scale", 0, 1), "data", pop_tensor_slice(data, 153599, 153600, 0));
    int line = __LINE__ + 1;
    pop_vertex v = pop_graph_add_vertex(f.graph, set, "Scale");
    pop_graph_map_vertex(f.graph, v, 1);
    pop_graph_connect(f.graph, v, "data", data);
    char text[256];
    snprintf(text, sizeof(text),
             "%s:%d Field Scale.data writes to elements [0:153600) of variable 'data' that are written to elsewhere in "
             "same compute set",
             __FILE__, line);
    refused(&f, pop_execute(set, NULL), POP_GRAPH_CYCLE_ERROR, text);
    assert_non_null(strstr(f.error.text, "\nvertex Scale on tile 0, added at "));
    assert_non_null(
        strstr(f.error.text, ", writes [153599:153600) through its field data; the first one is on tile 1\n"));
    assert_int_equal(f.error.where.line, line);
    assert_string_equal(f.error.path, "stencil");
    end(&f);
}

static void test_reader_of_another(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = variable(&f, 130, 0, "a"), b = variable(&f, 130, 0, "b");
    pop_compute_set set = pop_graph_add_compute_set(f.graph, "set");
    in_out(&f, set, "Map", 0, pop_tensor_slice(b, 0, 65, 0), pop_tensor_slice(a, 0, 65, 0));
    in_out(&f, set, "Map", 0, pop_tensor_slice(a, 65, 130, 0),
           pop_tensor_slice(a, 65, 130, 0)); /* its own elements: accepted */
    compiled(&f, pop_execute(set, NULL));
    in_out(&f, set, "Sum", 1, pop_tensor_slice(a, 64, 66, 0), pop_tensor_at(b, 100));
    refused(
        &f, pop_execute(set, NULL), POP_GRAPH_CYCLE_ERROR,
        "Field Sum.in reads from elements [64:66) of variable 'a' that are written to elsewhere in same compute set");
    end(&f);
}

/* A vertex may read what it writes, but not what another vertex writes too. */
static void test_own_writes_do_not_hide_others(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = variable(&f, 10, 0, "a");
    pop_compute_set set = pop_graph_add_compute_set(f.graph, "set");
    in_out(&f, set, "Map", 0, a, pop_tensor_slice(a, 0, 5, 0));
    compiled(&f, pop_execute(set, NULL));
    pop_graph_connect(f.graph, vertex(&f, set, "Scale", 0, 1), "data", pop_tensor_slice(a, 9, 10, 0));
    refused(&f, pop_execute(set, NULL), POP_GRAPH_CYCLE_ERROR, "Field Map.in reads from elements [0:10)");
    end(&f);
}

static void test_outputs_of_one_vertex(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = variable(&f, 10, 0, "a");
    pop_compute_set set = pop_graph_add_compute_set(f.graph, "set");
    pop_vertex v = vertex(&f, set, "Two", 0, 1);
    pop_graph_connect(f.graph, v, "a", pop_tensor_slice(a, 0, 6, 0));
    pop_graph_connect(f.graph, v, "b", pop_tensor_slice(a, 5, 10, 0));
    refused(&f, pop_execute(set, NULL), POP_GRAPH_CYCLE_ERROR, "writes to elements");
    end(&f);
}

/* Each set is checked by itself; writers of interleaved elements do not conflict; empty edges write nothing. */
static void test_allowed_operations(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = variable(&f, 1000, 0, "a"), b = variable(&f, 1000, 0, "b");
    pop_program program = pop_sequence(f.graph, NULL);
    for (int i = 0; i < 2; ++i) {
        pop_compute_set set = pop_graph_add_compute_set(f.graph, "set");
        in_out(&f, set, "Map", 0, b, pop_tensor_sub_sample(a, 2, 0));
        in_out(&f, set, "Map", 1, b, pop_tensor_sub_sample(pop_tensor_slice(a, 1, 1000, 0), 2, 0));
        in_out(&f, set, "Map", 2, pop_tensor_slice(a, 5, 5, 0), pop_tensor_slice(a, 5, 5, 0));
        pop_sequence_add(program, pop_execute(set, NULL));
    }
    compiled(&f, program);
    end(&f);
}

/* A write in place is also compared with vertices that are added later. */
static void test_writes_in_place_conflict_with_later_vertices(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    pop_tensor a = variable(&f, 200, 0, "a"), b = variable(&f, 10, 0, "b");
    pop_compute_set set = pop_graph_add_compute_set(f.graph, "set");
    in_out(&f, set, "Map", 0, pop_tensor_slice(a, 0, 150, 0), pop_tensor_slice(a, 0, 150, 0));
    compiled(&f, pop_execute(set, NULL));
    in_out(&f, set, "Map", 0, pop_tensor_slice(a, 70, 71, 0), pop_tensor_slice(b, 0, 1, 0));
    refused(&f, pop_execute(set, NULL), POP_GRAPH_CYCLE_ERROR, "Field Map.in reads from elements [70:71)");
    end(&f);
    begin(&f);
    a = variable(&f, 200, 0, "a");
    set = pop_graph_add_compute_set(f.graph, "set");
    in_out(&f, set, "Map", 0, pop_tensor_slice(a, 0, 150, 0), pop_tensor_slice(a, 0, 150, 0));
    in_out(&f, set, "Map", 0, pop_tensor_slice(a, 140, 160, 0), pop_tensor_slice(a, 180, 200, 0));
    refused(&f, pop_execute(set, NULL), POP_GRAPH_CYCLE_ERROR, "Field Map.in reads from elements [140:160)");
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writes_in_place_conflict_with_later_vertices),
        cmocka_unit_test(test_two_writers),
        cmocka_unit_test(test_reader_of_another),
        cmocka_unit_test(test_own_writes_do_not_hide_others),
        cmocka_unit_test(test_outputs_of_one_vertex),
        cmocka_unit_test(test_allowed_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
