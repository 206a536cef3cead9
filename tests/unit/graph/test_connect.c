/* SPDX-License-Identifier: Apache-2.0 */
/* Connecting tensors to fields: what is stored, and what is refused. */
#include "fixture.h"
#include "graph/graph.h"
#include "graph/view/edge.h"

struct fixture {
    pop_graph *graph;
    pop_compute_set set;
    pop_vertex add, mix;
    pop_tensor vector, matrix, ints, halves;
};

static struct fixture setup(void)
{
    struct fixture s = { .graph = fixture_graph(1, 4) };
    s.set = pop_graph_add_compute_set(s.graph, "the set");
    s.add = pop_graph_add_vertex(s.graph, s.set, "Add");
    s.mix = pop_graph_add_vertex(s.graph, s.set, "test::Mix<float>");
    s.vector = pop_graph_add_variable(s.graph, POP_FLOAT, POP_SHAPE(12), "vector");
    s.matrix = pop_graph_add_variable(s.graph, POP_FLOAT, POP_SHAPE(3, 4), "matrix");
    s.ints = pop_graph_add_variable(s.graph, POP_INT, POP_SHAPE(6), "ints");
    s.halves = pop_graph_add_variable(s.graph, POP_HALF, POP_SHAPE(3, 5), "halves");
    return s;
}

static const struct edge *edge_of(const struct fixture *s, pop_vertex vertex, uint16_t field)
{
    return vertex_edge(s->graph->store, &s->graph->store->vertices.data[vertex.id - 1], field);
}

static void expect_run(const struct edge *edge, uint32_t variable, uint64_t offset, uint32_t count)
{
    assert_non_null(edge);
    assert_int_equal(edge->form, EDGE_RUN);
    assert_int_equal(edge->variable, variable);
    assert_int_equal(edge->offset, offset);
    assert_int_equal(edge->count, count);
}

static void scalars_and_vectors(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_graph_connect(s.graph, s.add, "a", pop_tensor_at(s.vector, 3));
    pop_graph_connect(s.graph, s.add, "c",
                      pop_tensor_slice(s.vector, 4, 5, 0)); /* rank 1 is accepted, in any order of elements */
    pop_graph_connect(s.graph, s.add, "b", pop_tensor_at(s.vector, 3));
    expect_run(edge_of(&s, s.add, 0), 0, 3, 1);
    expect_run(edge_of(&s, s.add, 1), 0, 3, 1);
    expect_run(edge_of(&s, s.add, 2), 0, 4, 1);
    pop_graph_connect(s.graph, s.mix, "io", pop_tensor_at(s.matrix, 2));
    expect_run(edge_of(&s, s.mix, 1), 1, 8, 4);
    pop_graph_connect(s.graph, s.mix, "in", pop_tensor_at(pop_tensor_transpose(s.matrix), 1));
    const struct edge *strided = edge_of(&s, s.mix, 0);
    assert_int_equal(strided->form, EDGE_VIEW);
    assert_int_equal(s.graph->store->views.data[strided->variable]->elements, 3);
    assert_int_equal(pop_graph_num_edges(s.graph), 5);
    pop_tensor joined = pop_tensor_concat(POP_TENSORS(s.vector, pop_tensor_flatten(s.matrix)), 0);
    const size_t views = s.graph->store->views.count;
    pop_vertex other = pop_graph_add_vertex(s.graph, s.set, "test::Mix<float>");
    pop_graph_connect(s.graph, other, "io", pop_tensor_slice(joined, 2, 6, 0)); /* one run of a composite */
    expect_run(edge_of(&s, other, 1), 0, 2, 4);
    pop_graph_connect(s.graph, other, "in", pop_tensor_slice(joined, 10, 14, 0)); /* two */
    strided = edge_of(&s, other, 0);
    assert_int_equal(strided->form, EDGE_VIEW);
    assert_int_equal(s.graph->store->views.count, views + 1);
    assert_int_equal(s.graph->store->views.data[strided->variable]->piece_count, 2);
    expect_no_error(s.graph);
    pop_graph_destroy(s.graph);
}

static void empty_vectors_and_far_offsets(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_graph_connect(s.graph, s.mix, "in", pop_tensor_slice(s.vector, 5, 5, 0));
    assert_int_equal(edge_of(&s, s.mix, 0)->form, EDGE_RUN);
    assert_int_equal(edge_of(&s, s.mix, 0)->count, 0);
    pop_tensor large = pop_graph_add_variable(s.graph, POP_FLOAT, POP_SHAPE((size_t)1 << 39), "large");
    size_t far = ((size_t)1 << 39) - 3;
    pop_graph_connect(s.graph, s.add, "c", pop_tensor_slice(large, far, far + 1, 0));
    assert_int_equal(edge_of(&s, s.add, 2)->form, EDGE_VIEW); /* farther than an edge can say */
    assert_int_equal(s.graph->store->views.data[edge_of(&s, s.add, 2)->variable]->elements, 1);
    pop_graph_connect(s.graph, s.mix, "ins", pop_graph_add_variable(s.graph, POP_INT, POP_SHAPE(2), "few"));
    struct run run;
    pop_vertex other = pop_graph_add_vertex(s.graph, s.set, "test::Mix<float>");
    pop_tensor ints = pop_graph_add_variable(s.graph, POP_INT, POP_SHAPE((size_t)1 << 34), "ints");
    size_t end = ((size_t)1 << 32) + 2;
    pop_graph_connect(s.graph, other, "ins", pop_tensor_slice(ints, end - 4, end, 0));
    const struct edge *ins = edge_of(&s, other, 4);
    for (uint32_t i = 0; i < 4; ++i) {
        assert_true(edge_single_run(s.graph->store, edge_row(s.graph->store, ins, i), &run));
        assert_int_equal(run.offset, end - 4 + i);
        assert_int_equal(run.count, 1);
    }
    pop_graph_connect(s.graph, s.mix, "io", pop_tensor_slice(large, 0, (size_t)1 << 33, 0));
    assert_int_equal(edge_of(&s, s.mix, 1)->form, EDGE_VIEW); /* more than an edge can count */
    expect_no_error(s.graph);
    pop_graph_destroy(s.graph);
}

static void lists_of_edges_pass_long_rows(void **state)
{
    (void)state;
    struct fixture s = setup();
    const pop_store *store = s.graph->store;
    pop_graph_connect(s.graph, s.mix, "in", s.vector);
    pop_graph_connect(s.graph, s.mix, "ins",
                      pop_graph_add_variable(s.graph, POP_INT, POP_SHAPE(3 * EDGE_BACK_MAX), "many"));
    pop_graph_connect(s.graph, s.mix, "rows", s.matrix);
    static const uint32_t fields[] = { 2, 4, 0 };
    uint32_t at = store->vertices.data[s.mix.id - 1].edge;
    for (size_t i = 0; i < 3; ++i, at = edge_next(store->edges.data, at))
        assert_int_equal(store->edges.data[at].field, fields[i]);
    assert_int_equal(at, NO_EDGE);
    expect_run(edge_of(&s, s.mix, 0), 0, 0, 12);
    assert_int_equal(edge_of(&s, s.mix, 4)->count, 3 * EDGE_BACK_MAX);
    expect_no_error(s.graph);
    pop_graph_destroy(s.graph);
}

static void rows_and_lists(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_graph_connect(s.graph, s.mix, "rows", s.matrix);
    const struct edge *rows = edge_of(&s, s.mix, 2);
    assert_int_equal(rows->form, EDGE_LIST);
    assert_int_equal(rows->count, 3);
    for (uint32_t i = 0; i < 3; ++i)
        expect_run(&s.graph->store->edges.data[rows->offset + i], 1, i * 4, 4);
    pop_tensor jagged[] = { pop_tensor_at(s.halves, 0), pop_tensor_slice(pop_tensor_flatten(s.halves), 5, 7, 0) };
    pop_graph_connect_list(s.graph, s.mix, "list", (pop_tensors){ 2, jagged });
    const struct edge *list = edge_of(&s, s.mix, 3);
    expect_run(&s.graph->store->edges.data[list->offset], 3, 0, 5);
    expect_run(&s.graph->store->edges.data[list->offset + 1], 3, 5, 2);
    pop_graph_connect(s.graph, s.mix, "ins", pop_tensor_sub_sample(s.ints, 2, 0));
    const struct edge *ins = edge_of(&s, s.mix, 4);
    assert_int_equal(ins->count, 3);
    for (uint32_t i = 0; i < 3; ++i)
        expect_run(&s.graph->store->edges.data[ins->offset + i], 2, i * 2, 1);
    assert_int_equal(pop_graph_num_edges(s.graph), 8);
    assert_int_equal(pop_graph_get_field_size(s.graph, s.mix, "rows"), 3);
    expect_no_error(s.graph);
    pop_graph_connect_list(s.graph, s.mix, "rows", POP_TENSORS(s.vector));
    EXPECT_ERROR(s.graph, POP_GRAPH_CONNECTION_ERROR, "already connected");
    pop_graph_destroy(s.graph);
}

static void element_by_element(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_graph_connect_index(s.graph, s.mix, "ins", 0, pop_tensor_at(s.ints, 0));
    EXPECT_ERROR(s.graph, POP_NO_SIZE_SPECIFIED, "set its size first");
    pop_graph_set_field_size(s.graph, s.mix, "ins", 2);
    pop_graph_connect_index(s.graph, s.mix, "ins", 2, pop_tensor_at(s.ints, 0));
    EXPECT_ERROR(s.graph, POP_INDEX_ERROR, "no element 2: its size is 2");
    pop_graph_connect_index(s.graph, s.mix, "ins", 1, pop_tensor_at(s.ints, 5));
    const struct edge *ins = edge_of(&s, s.mix, 4);
    assert_int_equal(s.graph->store->edges.data[ins->offset].form, EDGE_NONE);
    expect_run(&s.graph->store->edges.data[ins->offset + 1], 2, 5, 1);
    pop_graph_connect_index(s.graph, s.mix, "ins", 1, pop_tensor_at(s.ints, 4));
    EXPECT_ERROR(s.graph, POP_GRAPH_CONNECTION_ERROR, "already connected at [1]");
    pop_graph_connect_index(s.graph, s.mix, "ins", 0, pop_tensor_slice(s.ints, 0, 2, 0));
    EXPECT_ERROR(s.graph, POP_GRAPH_CONNECTION_ERROR, "takes one element at [0], the tensor's shape is {2}");
    pop_graph_connect_index(s.graph, s.mix, "in", 0, pop_tensor_at(s.vector, 0));
    EXPECT_ERROR(s.graph, POP_GRAPH_CONNECTION_ERROR, "is one edge");
    pop_graph_set_field_size(s.graph, s.mix, "rows", 3);
    pop_graph_connect(s.graph, s.mix, "rows", s.matrix); /* as a whole, into the size that was set */
    pop_graph_set_field_size(s.graph, s.mix, "list", 2);
    pop_graph_connect(s.graph, s.mix, "list", s.halves);
    EXPECT_ERROR(s.graph, POP_GRAPH_CONNECTION_ERROR, "was given the size 2, 3 tensors");
    pop_graph_destroy(s.graph);
}

static void constants_on_edges(void **state)
{
    (void)state;
    struct fixture s = setup();
    double value = 2.5;
    pop_graph_connect_constant(s.graph, s.add, "a", POP_DOUBLE, &value);
    pop_graph_connect_constant(s.graph, s.add, "b", POP_DOUBLE, &value);
    const pop_store *store = s.graph->store;
    const struct edge *edge = edge_of(&s, s.add, 0);
    expect_run(edge, 4, 0, 1);
    expect_run(edge_of(&s, s.add, 1), 4, 0, 1); /* the same value, the same variable */
    const struct variable *hidden = &store->variables.data[4];
    assert_true(hidden->constant && hidden->follows_vertex);
    float bits;
    memcpy(&bits, store->data.data + store->initials.data[hidden->initial].data, sizeof(bits));
    assert_true(bits == 2.5f);
    pop_vertex second = pop_graph_add_vertex(s.graph, s.set, "Add");
    value = 3;
    pop_graph_connect_constant(s.graph, second, "a", POP_DOUBLE, &value);
    assert_int_equal(edge_of(&s, second, 0)->variable, 5);
    pop_graph_connect_constant(s.graph, second, "c", POP_DOUBLE, &value);
    EXPECT_ERROR(s.graph, POP_GRAPH_CONNECTION_ERROR, "cannot be written");
    pop_graph_connect_constant(s.graph, s.mix, "in", POP_DOUBLE, &value);
    EXPECT_ERROR(s.graph, POP_GRAPH_CONNECTION_ERROR, "no scalar");
    pop_graph_connect_constant(s.graph, s.mix, "n", POP_DOUBLE, &value);
    EXPECT_ERROR(s.graph, POP_GRAPH_CONNECTION_ERROR, "initial value");
    pop_graph_connect_constant(s.graph, second, "b", POP_TYPE_NULL, &value);
    EXPECT_ERROR(s.graph, POP_TYPE_ERROR, "needs a value");
    pop_graph_connect_constant(s.graph, second, "a", POP_DOUBLE, &value);
    EXPECT_ERROR(s.graph, POP_GRAPH_CONNECTION_ERROR, "already connected");
    pop_graph_destroy(s.graph);
}

static void oversized_values_are_refused_without_changes(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_graph *other = fixture_graph(1, 4);
    pop_tensor foreign = pop_graph_add_variable(other, POP_FLOAT, POP_SHAPE(1), "foreign");
    pop_tensor constant = pop_graph_add_constant_float(s.graph, POP_FLOAT, POP_SHAPE(2), 1, "constant");
    pop_tensor mixed = pop_tensor_concat(POP_TENSORS(s.vector, constant), 0);
    pop_tensor twice = pop_tensor_broadcast(s.vector, 2, 0);
    const struct {
        pop_vertex vertex;
        const char *field;
        pop_tensor t;
        pop_status status;
        const char *words;
    } rows[] = {
        { s.add, "d", s.vector, POP_UNKNOWN_FIELD, "has no field 'd'" },
        { s.mix, "row", s.vector, POP_UNKNOWN_FIELD, "did you mean 'rows'?" },
        { s.mix, NULL, s.vector, POP_UNKNOWN_FIELD, "(null)" },
        { { 0 }, "a", s.vector, POP_INDEX_ERROR, "the vertex is null" },
        { { s.graph->store, 3 }, "a", s.vector, POP_INDEX_ERROR, "the vertex" },
        { s.add,
          "a",
          { 0 },
          POP_GRAPH_CONNECTION_ERROR,
          "field 'a' of vertex type 'Add' cannot be connected to a null tensor" },
        { s.add, "a", foreign, POP_GRAPH_CONNECTION_ERROR, "another graph" },
        { s.add, "a", s.vector, POP_GRAPH_CONNECTION_ERROR,
          "takes one element, of rank 0 or 1, the tensor's shape is {12}" },
        { s.add, "a", pop_tensor_slice(s.vector, 0, 0, 0), POP_GRAPH_CONNECTION_ERROR, "takes one element" },
        { s.add, "a", pop_tensor_at(s.ints, 0), POP_TYPE_ERROR, "has elements of type float, the tensor's are int" },
        { s.add, "c", pop_tensor_at(constant, 0), POP_GRAPH_CONNECTION_ERROR, "holds constants (constant)" },
        { s.mix, "io", mixed, POP_GRAPH_CONNECTION_ERROR, "holds constants" },
        { s.mix, "io", twice, POP_GRAPH_CONNECTION_ERROR, "more than once" },
        { s.mix, "in", s.matrix, POP_GRAPH_CONNECTION_ERROR, "takes a tensor of rank 1, the tensor's shape is {3,4}" },
        { s.mix, "in", pop_tensor_at(s.vector, 0), POP_GRAPH_CONNECTION_ERROR, "takes a tensor of rank 1" },
        { s.mix, "rows", s.vector, POP_GRAPH_CONNECTION_ERROR, "takes a tensor of rank 2, by row" },
        { s.mix, "n", s.vector, POP_GRAPH_CONNECTION_ERROR, "is state, not an edge: give it an initial value" },
        { s.mix, "table", s.vector, POP_GRAPH_CONNECTION_ERROR, "initial value" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        pop_graph_connect(s.graph, rows[i].vertex, rows[i].field, rows[i].t);
        if (pop_graph_error(s.graph) && strstr(rows[i].words, "field"))
            assert_string_equal(pop_graph_error(s.graph)->path, "the set");
        EXPECT_ERROR(s.graph, rows[i].status, rows[i].words);
        assert_int_equal(s.graph->store->edges.count, 0);
        assert_int_equal(pop_graph_num_edges(s.graph), 0);
    }
    pop_graph_connect(s.graph, s.mix, "in", mixed);
    pop_vertex second = pop_graph_add_vertex(s.graph, s.set, "test::Mix<float>");
    pop_graph_connect(s.graph, second, "in", twice); /* reading what is aliased or constant is fine */
    expect_no_error(s.graph);
    pop_graph_connect(s.graph, second, "in", s.vector);
    EXPECT_ERROR(s.graph, POP_GRAPH_CONNECTION_ERROR, "already connected");
    pop_graph_connect_list(s.graph, second, "io", POP_TENSORS(s.vector));
    EXPECT_ERROR(s.graph, POP_GRAPH_CONNECTION_ERROR, "pop_tensor_concat");
    size_t edges = s.graph->store->edges.count;
    pop_graph_connect_list(s.graph, second, "rows", POP_TENSORS(s.vector, s.matrix));
    EXPECT_ERROR(s.graph, POP_GRAPH_CONNECTION_ERROR, "takes a tensor of rank 1 at [1]");
    assert_int_equal(s.graph->store->edges.count, edges);
    pop_graph_destroy(other);
    pop_graph_destroy(s.graph);
}

static void char_is_signed_char(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_graph_connect(s.graph, s.mix, "chars", pop_graph_add_variable(s.graph, POP_CHAR, POP_SHAPE(3), "c"));
    expect_no_error(s.graph);
    pop_vertex second = pop_graph_add_vertex(s.graph, s.set, "test::Mix<float>");
    pop_graph_connect(s.graph, second, "chars", pop_graph_add_variable(s.graph, POP_UNSIGNED_CHAR, POP_SHAPE(3), "u"));
    EXPECT_ERROR(s.graph, POP_TYPE_ERROR, "unsigned char");
    pop_graph_destroy(s.graph);
}

static void many_rows_need_no_nodes(void **state)
{
    (void)state;
    struct fixture s = setup();
    pop_tensor a = pop_graph_add_variable(s.graph, POP_FLOAT, POP_SHAPE(101, 3), "a");
    pop_tensor b = pop_graph_add_variable(s.graph, POP_FLOAT, POP_SHAPE(101, 2), "b");
    pop_tensor joined = pop_tensor_concat(POP_TENSORS(a, b), 1);
    size_t mark = tensor_nodes_mark(s.graph->store->nodes);
    pop_graph_connect(s.graph, s.mix, "rows", joined);
    assert_int_equal(tensor_nodes_mark(s.graph->store->nodes), mark);
    assert_int_equal(pop_graph_get_field_size(s.graph, s.mix, "rows"), 101);
    expect_no_error(s.graph);
    pop_graph_destroy(s.graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_and_vectors),
        cmocka_unit_test(empty_vectors_and_far_offsets),
        cmocka_unit_test(lists_of_edges_pass_long_rows),
        cmocka_unit_test(rows_and_lists),
        cmocka_unit_test(element_by_element),
        cmocka_unit_test(constants_on_edges),
        cmocka_unit_test(oversized_values_are_refused_without_changes),
        cmocka_unit_test(char_is_signed_char),
        cmocka_unit_test(many_rows_need_no_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
