/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices: every kind, every kind of field and state, gathered and overlapping edges, consensus, half.  The checked
 * mode, in which every scenario also runs, must give the same results. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>

static void a_vertex_on_each_tile_sums_a_slice(struct fixture *w)
{
    fixture_codelets(w);
    pop_tensor v1 = fixture_variable(w, POP_FLOAT, POP_SHAPE(4), "v1"),
               v2 = fixture_variable(w, POP_FLOAT, POP_SHAPE(4), "v2");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "suffix sum");
    for (unsigned i = 0; i < 4; ++i) {
        pop_vertex vertex = fixture_vertex(w, set, "SumVertex", i);
        pop_graph_connect(w->graph, vertex, "in", pop_tensor_slice(v1, i, 4, 0));
        pop_graph_connect(w->graph, vertex, "out", pop_tensor_at(v2, i));
    }
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    FIXTURE_PUT(w, "v1", ((const float[]){ 1, 1.5f, 2, 2.5f }));
    fixture_run(w, 0);
    FIXTURE_FLOATS(w, "v2", 7, 6, 4.5f, 2.5f);
}

static void an_input_may_be_the_output_of_its_own_vertex(struct fixture *w)
{
    fixture_codelets(w);
    pop_tensor t = fixture_variable(w, POP_INT, POP_SHAPE(5), "t"), s = fixture_variable(w, POP_INT, POP_SHAPE(5), "s");
    pop_compute_set same = pop_graph_add_compute_set(w->graph, "same"),
                    shifted = pop_graph_add_compute_set(w->graph, "shifted");
    pop_vertex a = fixture_vertex(w, same, "Successor", 0), b = fixture_vertex(w, shifted, "Successor", 0);
    pop_graph_connect(w->graph, a, "x", t);
    pop_graph_connect(w->graph, a, "y", t);
    pop_graph_connect(w->graph, b, "x", pop_tensor_slice(s, 0, 4, 0));
    pop_graph_connect(w->graph, b, "y", pop_tensor_slice(s, 1, 5, 0));
    fixture_start(w, POP_PROGRAMS(pop_repeat(3, pop_execute(same, NULL), NULL), pop_execute(shifted, NULL)));
    FIXTURE_PUT(w, "t", ((const int[]){ 1, 2, 3, 4, 5 }));
    fixture_run(w, 0);
    FIXTURE_INTS(w, "t", 4, 5, 6, 7, 8);
    FIXTURE_PUT(w, "s", ((const int[]){ 1, 10, 20, 30, 40 }));
    fixture_run(w, 1);
    FIXTURE_INTS(w, "s", 1, 2, 11, 21, 31);
}

/* More than are gathered at a time: 13 columns of 48 KB. */
static void many_large_edges_are_gathered(struct fixture *w)
{
    enum { ROWS = 12000, COLUMNS = 9 };
    static float values[ROWS][COLUMNS];
    fixture_codelets(w);
    pop_tensor in = fixture_variable(w, POP_FLOAT, POP_SHAPE(ROWS, COLUMNS), "in"),
               out = fixture_variable(w, POP_FLOAT, POP_SHAPE(COLUMNS), "out");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL);
    for (unsigned i = 0; i < COLUMNS; ++i) {
        pop_vertex vertex = fixture_vertex(w, set, "SumVertex", i % 4);
        pop_tensor columns = pop_tensor_transpose(pop_tensor_slice(in, i % 2 ? i - 1 : i, i + 1, 1));
        pop_graph_connect(w->graph, vertex, "in", pop_tensor_flatten(columns));
        pop_graph_connect(w->graph, vertex, "out", pop_tensor_at(out, i));
    }
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    for (unsigned i = 0; i < ROWS * COLUMNS; ++i)
        values[i / COLUMNS][i % COLUMNS] = (float)(i % COLUMNS + i / COLUMNS % 2);
    FIXTURE_PUT(w, "in", values);
    fixture_run(w, 0);
    FIXTURE_FLOATS(w, "out", 6000, 24000, 30000, 72000, 54000, 120000, 78000, 168000, 102000);
}

static void elements_that_an_output_does_not_write_keep_their_value(struct fixture *w)
{
    fixture_codelets(w);
    pop_tensor t = fixture_variable(w, POP_INT, POP_SHAPE(2, 4), "t");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL);
    pop_vertex whole = fixture_vertex(w, set, "EverySecond", 0), gathered = fixture_vertex(w, set, "EverySecond", 1);
    pop_tensor columns = pop_tensor_transpose(t);
    pop_graph_connect(w->graph, whole, "out", pop_tensor_at(columns, 0));
    pop_graph_connect(w->graph, gathered, "out",
                      pop_tensor_flatten(pop_tensor_reverse(pop_tensor_slice(columns, 1, 4, 0), 0)));
    pop_graph_set_field_int(w->graph, whole, "value", 7);
    pop_graph_set_field_double(w->graph, gathered, "value", 9);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    FIXTURE_PUT(w, "t", ((const int[]){ 0, 1, 2, 3, 4, 5, 6, 7 }));
    fixture_run(w, 0);
    FIXTURE_INTS(w, "t", 7, 9, 9, 9, 4, 5, 6, 7);
}

static void rows_of_vectors_and_lists(struct fixture *w)
{
    fixture_codelets(w);
    pop_tensor m = fixture_variable(w, POP_INT, POP_SHAPE(3, 4), "m"),
               sums = fixture_variable(w, POP_INT, POP_SHAPE(3), "sums");
    pop_tensor ragged = fixture_variable(w, POP_INT, POP_SHAPE(3), "ragged"),
               j = fixture_variable(w, POP_INT, POP_SHAPE(6), "j");
    pop_compute_set by_row = pop_graph_add_compute_set(w->graph, NULL),
                    by_list = pop_graph_add_compute_set(w->graph, NULL);
    pop_compute_set by_index = pop_graph_add_compute_set(w->graph, NULL),
                    prefix = pop_graph_add_compute_set(w->graph, NULL);
    pop_vertex a = fixture_vertex(w, by_row, "RowSums", 0), b = fixture_vertex(w, by_list, "RowSums", 1),
               c = fixture_vertex(w, by_index, "RowSums", 2);
    pop_graph_connect(w->graph, a, "rows", pop_tensor_reverse(m, 0)); /* a tensor of rank 2, by row */
    pop_graph_connect(w->graph, a, "sums", sums);
    pop_tensor columns = pop_tensor_transpose(m); /* rows that are not contiguous, of unequal length, one empty */
    pop_graph_connect_list(
        w->graph, b, "rows",
        POP_TENSORS(pop_tensor_at(columns, 3), pop_tensor_slice(pop_tensor_at(m, 0), 0, 0, 0), pop_tensor_flatten(m)));
    pop_graph_connect(w->graph, b, "sums", ragged);
    pop_graph_set_field_size(w->graph, c, "rows", 2);
    assert_int_equal(pop_graph_get_field_size(w->graph, c, "rows"), 2);
    pop_graph_connect_index(w->graph, c, "rows", 1, pop_tensor_at(m, 0));
    pop_graph_connect_index(w->graph, c, "rows", 0, pop_tensor_at(columns, 1));
    pop_graph_connect(w->graph, c, "sums", pop_tensor_slice(ragged, 1, 3, 0));
    pop_vertex d = fixture_vertex(w, prefix, "ListPrefix", 3);
    pop_graph_connect_list(
        w->graph, d, "rows",
        POP_TENSORS(pop_tensor_reverse(pop_tensor_slice(j, 0, 4, 0), 0), pop_tensor_slice(j, 4, 6, 0)));
    fixture_start(w, POP_PROGRAMS(pop_execute(by_row, NULL), pop_execute(by_list, NULL), pop_execute(by_index, NULL),
                                  pop_execute(prefix, NULL)));
    FIXTURE_PUT(w, "m", ((const int[]){ 0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23 }));
    FIXTURE_PUT(w, "j", ((const int[]){ 1, 2, 3, 4, 5, 6 }));
    fixture_run(w, 0);
    FIXTURE_INTS(w, "sums", 86, 46, 6);
    fixture_run(w, 1);
    FIXTURE_INTS(w, "ragged", 39, 0, 138);
    fixture_run(w, 2);
    FIXTURE_INTS(w, "ragged", 39, 33, 6);
    fixture_run(w, 3);
    FIXTURE_INTS(w, "j", 10, 9, 7, 4, 5, 11);
}

static void vectors_of_scalar_edges(struct fixture *w)
{
    fixture_codelets(w);
    pop_tensor t = fixture_variable(w, POP_INT, POP_SHAPE(6), "t");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL);
    pop_vertex v = fixture_vertex(w, set, "Gather", 2);
    pop_graph_connect_list(
        w->graph, v, "from",
        POP_TENSORS(pop_tensor_at(t, 4), pop_tensor_at(t, 4), fixture_constant(w, POP_INT, POP_SHAPE(1), 8)));
    pop_graph_connect(w->graph, v, "to", pop_tensor_sub_sample(t, 2, 0)); /* elements 0, 2, 4 */
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    FIXTURE_PUT(w, "t", ((const int[]){ 1, 2, 3, 4, 5, 6 }));
    fixture_run(w, 0);
    FIXTURE_INTS(w, "t", 50, 2, 50, 4, 80, 6);
}

static void every_layout(struct fixture *w)
{
    fixture_codelets(w);
    enum { N = 5 };
    pop_tensor t = fixture_variable(w, POP_INT, POP_SHAPE(7, N), "t"),
               out = fixture_variable(w, POP_INT, POP_SHAPE(N), "out");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL);
    pop_vertex v = fixture_vertex(w, set, "Layouts", 1);
    for (unsigned i = 0; i < 7; ++i) /* odd rows are reversed, so that aligned copies must be gathered */
        pop_graph_connect(w->graph, v, (char[]){ (char)('a' + i), 0 },
                          i % 2 ? pop_tensor_reverse(pop_tensor_at(t, i), 0) : pop_tensor_at(t, i));
    pop_graph_connect(w->graph, v, "out", out);
    pop_graph_set_field_int(w->graph, v, "n", N);
    pop_tensor good = fixture_variable(w, POP_BOOL, POP_SHAPE(), "good");
    fixture_start(w, POP_PROGRAMS(pop_execute_consensus(set, good, NULL)));
    int values[7][N], expected[N] = { 0 };
    for (int i = 0; i < 7; ++i)
        for (int j = 0; j < N; ++j) {
            values[i][j] = i * i * 7 + j * 3 + i * j;
            expected[i % 2 ? N - 1 - j : j] += values[i][j];
        }
    FIXTURE_PUT(w, "t", values);
    fixture_run(w, 0);
    fixture_expect(w, "good", POP_BOOL, (const uint8_t[]){ 1 }, 1);
    fixture_expect(w, "out", POP_INT, expected, sizeof(expected));
}

static void state_has_initial_values_and_persists(struct fixture *w)
{
    fixture_codelets(w);
    pop_tensor a = fixture_variable(w, POP_FLOAT, POP_SHAPE(9), "a"),
               b = fixture_variable(w, POP_FLOAT, POP_SHAPE(9), "b");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL);
    pop_vertex set_up = fixture_vertex(w, set, "Stateful", 0), plain = fixture_vertex(w, set, "Stateful", 1);
    pop_graph_connect(w->graph, set_up, "out", a);
    pop_graph_connect(w->graph, plain, "out", b);
    pop_graph_set_field_int(w->graph, set_up, "flag", 1);
    pop_graph_set_field_double(w->graph, set_up, "small", -3);
    pop_graph_set_field_double(w->graph, set_up, "h", 1.5);
    pop_graph_set_field(w->graph, set_up, "f", POP_FLOAT, &(const float){ 0.25f });
    pop_graph_set_field_int(w->graph, set_up, "large", (int64_t)5 << 32);
    pop_graph_set_field_vector(w->graph, set_up, POP_FIELD("list", POP_WHOLE), POP_INT, ((const int[]){ 1, 2, 65535 }),
                               3);
    pop_graph_set_field_size(w->graph, set_up, "table", 2);
    pop_graph_set_field_vector(w->graph, set_up, POP_FIELD("table", 0), POP_INT, ((const int[]){ 4 }), 1);
    pop_graph_set_field_vector(w->graph, set_up, POP_FIELD("table", 1), POP_SHORT, ((const short[]){ -6, 7 }), 2);
    pop_graph_set_field_int(w->graph, set_up, "runs", 40);
    pop_graph_set_field_size(w->graph, plain, "list", 2);
    pop_graph_set_field_size(w->graph, plain, "table", 0);
    fixture_start(w, POP_PROGRAMS(pop_repeat(2, pop_execute(set, NULL), NULL)));
    fixture_run(w, 0);
    FIXTURE_FLOATS(w, "a", 1, -3, 1.5f, 0.25f, 5, 3, 65535, -6, 42);
    FIXTURE_FLOATS(w, "b", 0, 0, 0, 0, 0, 2, 0, -1, 2);
    fixture_run(w, 0);
    FIXTURE_FLOATS(w, "a", 1, -3, 1.5f, 0.25f, 5, 3, 65535, -6, 44);
}

static void half_in_codelets(struct fixture *w)
{
    fixture_codelets(w);
    pop_tensor t = fixture_variable(w, POP_HALF, POP_SHAPE(3), "t");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL);
    pop_vertex v = fixture_vertex(w, set, "HalfScale", 0);
    pop_graph_connect(w->graph, v, "data", t);
    pop_graph_connect_constant(w->graph, v, "factor", POP_DOUBLE, &(const double){ 0.1 });
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    uint16_t values[3] = { pop_half_from_float(10), pop_half_from_float(-0.5f), pop_half_from_float(65504) },
             expected[3];
    for (int i = 0; i < 3; ++i)
        expected[i] = pop_half_from_float(pop_half_to_float(values[i]) * pop_half_to_float(pop_half_from_float(0.1f)));
    FIXTURE_PUT(w, "t", values);
    fixture_run(w, 0);
    fixture_expect(w, "t", POP_HALF, expected, sizeof(expected));
}

static void every_element_type(struct fixture *w)
{
    static const struct {
        const char *field;
        pop_type type;
        double before, after;
    } fields[] = { { "b", POP_BOOL, 0, 1 },
                   { "c", POP_CHAR, 127, -128 },
                   { "sc", POP_SIGNED_CHAR, -5, -4 },
                   { "uc", POP_UNSIGNED_CHAR, 255, 0 },
                   { "s", POP_SHORT, 32767, -32768 },
                   { "us", POP_UNSIGNED_SHORT, 65535, 0 },
                   { "i", POP_INT, -1, 0 },
                   { "u", POP_UNSIGNED_INT, 4294967294.0, 4294967295.0 },
                   { "l", POP_LONGLONG, 1099511627776.0, 1099511627777.0 },
                   { "ul", POP_UNSIGNED_LONGLONG, 1, 2 },
                   { "h", POP_HALF, 0.5, 1.5 },
                   { "f", POP_FLOAT, 0.25, 1.25 } };
    fixture_codelets(w);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL);
    pop_vertex v = fixture_vertex(w, set, "AllTypes", 0);
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); ++i) {
        pop_tensor t = fixture_variable(w, fields[i].type, POP_SHAPE(), fields[i].field);
        pop_graph_set_initial_fill(w->graph, t, POP_DOUBLE, &fields[i].before);
        pop_graph_connect(w->graph, v, fields[i].field, t);
    }
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    fixture_run(w, 0);
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); ++i) {
        unsigned char expected[8];
        pop_convert(POP_DOUBLE, &fields[i].after, fields[i].type, expected, 1);
        fixture_expect(w, fields[i].field, fields[i].type, expected, pop_type_size(fields[i].type));
    }
}

static void consensus_is_the_and_of_all(struct fixture *w)
{
    fixture_codelets(w);
    pop_tensor t = fixture_variable(w, POP_INT, POP_SHAPE(5), "t"),
               all = fixture_variable(w, POP_BOOL, POP_SHAPE(1), "all"),
               number = fixture_variable(w, POP_INT, POP_SHAPE(), "number");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL),
                    none = pop_graph_add_compute_set(w->graph, "no vertices");
    for (unsigned i = 0; i < 5; ++i)
        pop_graph_connect(w->graph, fixture_vertex(w, set, "NotZero", i), "x", pop_tensor_at(t, i));
    fixture_start(w, POP_PROGRAMS(pop_execute_consensus(set, all, NULL), pop_execute_consensus(set, number, NULL),
                                  pop_execute_consensus(none, all, NULL)));
    for (int zero = -1; zero < 5; ++zero) {
        int values[5] = { 1, 2, 3, 4, 5 };
        if (zero >= 0)
            values[zero] = 0;
        FIXTURE_PUT(w, "t", values);
        fixture_run(w, 0);
        fixture_expect(w, "all", POP_BOOL, &(const uint8_t){ zero < 0 }, 1);
        fixture_run(w, 1);
        FIXTURE_INTS(w, "number", zero < 0);
    }
    fixture_run(w, 2);
    fixture_expect(w, "all", POP_BOOL, &(const uint8_t){ 1 }, 1);
}

static void supervisors_and_all_six_workers(struct fixture *w)
{
    fixture_codelets(w);
    pop_tensor s = fixture_variable(w, POP_INT, POP_SHAPE(3), "s"),
               m = fixture_variable(w, POP_INT, POP_SHAPE(13), "m");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL);
    pop_graph_connect(w->graph, fixture_vertex(w, set, "SupervisorDouble", 0), "data", pop_tensor_reverse(s, 0));
    pop_graph_connect(w->graph, fixture_vertex(w, set, "Workers", 1), "data", pop_tensor_reverse(m, 0));
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    int values[13], expected[13];
    for (int i = 0; i < 13; ++i) {
        values[i] = i + 1;
        expected[i] = (i + 1) * 100 + (12 - i) % 6;
    }
    FIXTURE_PUT(w, "s", ((const int[]){ 1, 2, 3 }));
    FIXTURE_PUT(w, "m", values);
    fixture_run(w, 0);
    FIXTURE_INTS(w, "s", 2, 4, 6);
    fixture_expect(w, "m", POP_INT, expected, sizeof(expected));
}

static void constraints_do_not_change_results(struct fixture *w)
{
    fixture_codelets(w);
    pop_tensor a = fixture_variable(w, POP_FLOAT, POP_SHAPE(3), "a"),
               b = fixture_variable(w, POP_FLOAT, POP_SHAPE(2, 3), "b");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL);
    for (unsigned i = 0; i < 2; ++i) { /* one input read by two vertices, and broadcast to one of them */
        pop_vertex v = pop_graph_add_vertex_connected(
            w->graph, set, "Constrained",
            POP_CONNECTIONS({ "a", i ? a : pop_tensor_broadcast(pop_tensor_slice(a, 1, 2, 0), 3, 0) },
                            { "b", pop_tensor_at(b, i) }));
        pop_graph_map_vertex(w->graph, v, i % w->tiles);
    }
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    FIXTURE_PUT(w, "a", ((const float[]){ 1, 2, 3 }));
    FIXTURE_PUT(w, "b", ((const float[]){ 10, 20, 30, 40, 50, 60 }));
    fixture_run(w, 0);
    FIXTURE_FLOATS(w, "b", 12, 22, 32, 41, 52, 63);
}

/* In the checked mode an edge has its own pages: sizes around one page, of fields whose alignment needs more bytes than
 * a page has left. */
static void edges_of_about_a_page(struct fixture *w)
{
    enum { FIRST = 4080, LAST = 4112 };
    pop_graph_add_codelets_source(w->graph,
                                  "#include <poplar/vertex.h>\n"
                                  "POP_VERTEX(Next) { POP_INOUT(POP_VECTOR(unsigned char, SPAN, 8)) data; };\n"
                                  "bool Next_compute(Next *v) { for (size_t i = 0; i < v->data.size; ++i)\n"
                                  "  ++v->data.data[i]; return true; }\n",
                                  POP_FILE_C, "");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "pages");
    char name[16];
    for (unsigned size = FIRST; size <= LAST; ++size) {
        snprintf(name, sizeof(name), "v%u", size);
        pop_tensor t = fixture_variable(w, POP_UNSIGNED_CHAR, POP_SHAPE(size), name);
        pop_graph_connect(w->graph, fixture_vertex(w, set, "Next", size), "data", t);
    }
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    unsigned char given[LAST], got[LAST];
    for (unsigned k = 0; k < LAST; ++k)
        given[k] = (unsigned char)(k % 251);
    for (unsigned size = FIRST; size <= LAST; ++size) {
        snprintf(name, sizeof(name), "v%u", size);
        fixture_put(w, name, given, size);
    }
    fixture_run(w, 0);
    for (unsigned size = FIRST; size <= LAST; ++size) {
        snprintf(name, sizeof(name), "v%u", size);
        fixture_get(w, name, got, size);
        for (unsigned k = 0; k < size; ++k)
            assert_int_equal(got[k], given[k] + 1);
    }
}

static void edges_of_zero_elements(struct fixture *w)
{
    fixture_codelets(w);
    pop_tensor t = fixture_variable(w, POP_FLOAT, POP_SHAPE(3), "t"),
               sum = fixture_variable(w, POP_FLOAT, POP_SHAPE(), "sum");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL);
    pop_vertex v = fixture_vertex(w, set, "SumVertex", 0);
    pop_graph_connect(w->graph, v, "in", pop_tensor_slice(t, 1, 1, 0));
    pop_graph_connect(w->graph, v, "out", sum);
    pop_graph_connect(w->graph, fixture_vertex(w, set, "AddOne", 1), "data", pop_tensor_slice(t, 0, 0, 0));
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    FIXTURE_PUT(w, "t", ((const float[]){ 1, 2, 3 }));
    FIXTURE_PUT(w, "sum", ((const float[]){ 9 }));
    fixture_run(w, 0);
    FIXTURE_FLOATS(w, "sum", 0);
    FIXTURE_FLOATS(w, "t", 1, 2, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENARIO(a_vertex_on_each_tile_sums_a_slice),
        SCENARIO(an_input_may_be_the_output_of_its_own_vertex),
        SCENARIO(elements_that_an_output_does_not_write_keep_their_value),
        SCENARIO(many_large_edges_are_gathered),
        SCENARIO(rows_of_vectors_and_lists),
        SCENARIO(vectors_of_scalar_edges),
        SCENARIO(every_layout),
        SCENARIO(state_has_initial_values_and_persists),
        SCENARIO(half_in_codelets),
        SCENARIO(every_element_type),
        SCENARIO(consensus_is_the_and_of_all),
        SCENARIO(supervisors_and_all_six_workers),
        SCENARIO(constraints_do_not_change_results),
        SCENARIO(edges_of_about_a_page),
        SCENARIO(edges_of_zero_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
