/* SPDX-License-Identifier: Apache-2.0 */
/* C++ codelets with functions, builtins and inline assembly of the tile: on modelled IPUs and the CPU, in the normal
 * and in the checked mode. */
#include "fixture.h"

#include <poplar/popc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_codelets(struct fixture *w)
{
    pop_graph_add_codelets_flags(w->graph, TESTS_MIXED ".cpp", POP_FILE_AUTO, "--tile-builtins");
    pop_graph_add_codelets(w->graph, TESTS_MIXED ".S");
    must_build(w);
}

static void connect(struct fixture *w, pop_vertex v, const char *field, pop_tensor t)
{
    pop_graph_connect(w->graph, v, field, t);
    must_build(w);
}

static pop_tensor variable(struct fixture *w, pop_vertex v, const char *field, pop_type type, size_t count)
{
    pop_tensor t = fixture_variable(w, type, POP_SHAPE(count), field);
    pop_graph_set_tile_mapping(w->graph, t, 0);
    connect(w, v, field, count == 1 ? pop_tensor_at(t, 0) : t);
    return t;
}

static pop_vertex one_vertex(struct fixture *w, pop_compute_set *set, const char *type)
{
    add_codelets(w);
    *set = pop_graph_add_compute_set(w->graph, "set");
    return fixture_vertex(w, *set, type, 0);
}

static void functions_of_assembly_are_called(struct fixture *w)
{
    pop_compute_set set;
    pop_vertex v = one_vertex(w, &set, "mixed::Dot");
    variable(w, v, "x", POP_FLOAT, 6);
    variable(w, v, "y", POP_FLOAT, 6);
    variable(w, v, "out", POP_FLOAT, 1);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    const float x[] = { 1, 2, 3, 4, 5, 6 }, y[] = { 1, 10, 100, 1000, 10000, 100000 };
    FIXTURE_PUT(w, "x", x);
    FIXTURE_PUT(w, "y", y);
    for (int i = 0; i < 2; ++i) {
        fixture_run(w, 0);
        FIXTURE_FLOATS(w, "out", 654321 + 3 + 12 - 100);
    }
    if (strcmp(w->machine, "cpu") == 0)
        return;
    pop_error error = { 0 };
    pop_cycles cycles = { 0 };
    must(pop_engine_cycles(w->engine, &cycles, &error), &error);
    assert_int_equal(cycles.compute, 2 * 6 * (12 + 21 + 7)); /* slots of the three calls */
}

/* A vertex whose C++ cannot be counted without its call takes the slots of the call alone; where data that is zero does
 * not lead to the call, the C++ is counted, once, and the call is added when it is made. */
static void cycles_around_calls_are_counted_once(struct fixture *w)
{
    enum { DOT = 11 }; /* slots of mixed_dot with one pair */
    static const char source[] = "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
                                 "extern \"C\" float mixed_dot(const float *x, const float *y, unsigned pairs);\n"
                                 "template <bool guarded> class Calls : public Vertex {\npublic:\n"
                                 "    Input<Vector<float, VectorLayout::ONE_PTR, 8>> x;\n    Output<float> out;\n"
                                 "    bool compute() {\n        float sum = 0;\n"
                                 "        for (unsigned i = 0; i < 100; ++i) sum += x[i % 2];\n"
                                 "        if (!guarded || x[0] != 0) sum = mixed_dot(&x[0], &x[0], 1);\n"
                                 "        *out = sum;\n        return true;\n    }\n};\n"
                                 "template class Calls<true>;\ntemplate class Calls<false>;\n";
    uint64_t zero[2], three[2];
    if (strcmp(w->machine, "cpu") == 0)
        return;
    pop_graph_add_codelets_source(w->graph, source, POP_FILE_CPP, "--call-assembly");
    pop_graph_add_codelets(w->graph, TESTS_MIXED ".S");
    must_build(w);
    for (int guarded = 0; guarded < 2; ++guarded) {
        char name[20];
        pop_compute_set set = pop_graph_add_compute_set(w->graph, "set");
        pop_vertex v = fixture_vertex(w, set, guarded ? "Calls<true>" : "Calls<false>", 0);
        snprintf(name, sizeof(name), "x%d", guarded);
        pop_tensor x = fixture_variable(w, POP_FLOAT, POP_SHAPE(2), name);
        connect(w, v, "x", x);
        snprintf(name, sizeof(name), "out%d", guarded);
        connect(w, v, "out", pop_tensor_at(fixture_variable(w, POP_FLOAT, POP_SHAPE(1), name), 0));
        fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
        for (int value = 0; value < 2; ++value) {
            const float values[] = { value ? 3 : 0, 1 };
            pop_error error = { 0 };
            pop_cycles cycles = { 0 };
            snprintf(name, sizeof(name), "x%d", guarded);
            fixture_put(w, name, values, sizeof(values));
            pop_engine_reset_execution_profile(w->engine);
            fixture_run(w, 0);
            must(pop_engine_cycles(w->engine, &cycles, &error), &error);
            (value ? three : zero)[guarded] = cycles.compute;
        }
    }
    assert_int_equal(zero[0], 6 * DOT);
    assert_int_equal(three[0], 6 * DOT);
    assert_in_range(zero[1], 6 * 100, 6 * 2000); /* some instructions for each element */
    assert_int_equal(three[1] - zero[1], 6 * DOT);
}

static void builtins_use_packed_addresses(struct fixture *w)
{
    pop_compute_set set;
    pop_vertex v = one_vertex(w, &set, "mixed::Axpy");
    variable(w, v, "x", POP_FLOAT, 6);
    variable(w, v, "y", POP_FLOAT, 6);
    pop_graph_set_field_double(w->graph, v, "a", 0.5);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    const float x[] = { 2, 4, 6, 8, 10, 12 }, y[] = { 1, 10, 100, 1000, 10000, 100000 };
    FIXTURE_PUT(w, "x", x);
    FIXTURE_PUT(w, "y", y);
    fixture_run(w, 0);
    FIXTURE_FLOATS(w, "y", 2, 12, 103, 1004, 10005, 100006);
}

static void agrees(struct fixture *w, pop_compute_set set, const float *x, size_t bytes)
{
    pop_tensor agreed = fixture_variable(w, POP_BOOL, POP_SHAPE(), "agreed");
    unsigned char said = 0;
    fixture_start(w, POP_PROGRAMS(pop_execute_consensus(set, agreed, NULL)));
    fixture_put(w, "x", x, bytes);
    fixture_run(w, 0);
    fixture_get(w, "agreed", &said, 1);
    assert_int_equal(said, 1);
}

static void statements_have_operands(struct fixture *w)
{
    pop_compute_set set;
    pop_vertex v = one_vertex(w, &set, "mixed::Statements");
    const float x[] = { 1, 2, 3, 4, 5, 6 };
    variable(w, v, "x", POP_FLOAT, 6);
    variable(w, v, "y", POP_FLOAT, 6);
    agrees(w, set, x, sizeof(x));
    FIXTURE_FLOATS(w, "y", 1, 4, 9, 16, 25, 36);
}

static void workers_and_supervisors_have_their_registers(struct fixture *w)
{
    pop_compute_set set;
    pop_vertex v = one_vertex(w, &set, "mixed::Workers"), s = fixture_vertex(w, set, "mixed::Product", 0);
    variable(w, v, "numbers", POP_UNSIGNED_INT, 6);
    variable(w, s, "weights", POP_HALF, 4);
    pop_tensor done = fixture_variable(w, POP_UNSIGNED_INT, POP_SHAPE(1), "done");
    pop_graph_set_tile_mapping(w->graph, done, 0);
    connect(w, s, "done", done);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    fixture_run(w, 0);
    unsigned numbers[6], one;
    fixture_get(w, "numbers", numbers, sizeof(numbers));
    for (unsigned i = 0; i < 6; ++i)
        assert_int_equal(numbers[i], i);
    fixture_get(w, "done", &one, sizeof(one));
    assert_int_equal(one, 1);
}

static void accumulators_stay_between_statements(struct fixture *w)
{
    pop_compute_set set;
    pop_vertex v = one_vertex(w, &set, "mixed::Sums");
    const float x[] = { 1, 2, 3, 4, 10, 20, 30, 40 };
    variable(w, v, "x", POP_FLOAT, 8);
    variable(w, v, "out", POP_FLOAT, 5);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    FIXTURE_PUT(w, "x", x);
    fixture_run(w, 0);
    FIXTURE_FLOATS(w, "out", 11, 22, 33, 44, 25);
}

static void builtins_are_their_instructions(struct fixture *w)
{
    enum { NARROW = 19, ALL = 23 };
    bool wide = strcmp(w->machine, "ipu1") != 0;
    unsigned same[ALL] = { 0 };
    pop_compute_set load, set;
    pop_vertex s = one_vertex(w, &load, "mixed::Product");
    set = pop_graph_add_compute_set(w->graph, "units");
    pop_vertex v = fixture_vertex(w, set, "mixed::Units", 0);
    variable(w, s, "weights", POP_HALF, 4);
    pop_tensor done = fixture_variable(w, POP_UNSIGNED_INT, POP_SHAPE(1), "done");
    pop_graph_set_tile_mapping(w->graph, done, 0);
    connect(w, s, "done", done);
    variable(w, v, "same", POP_UNSIGNED_INT, ALL);
    pop_graph_set_field_int(w->graph, v, "wide", wide);
    must_build(w);
    fixture_start(w, POP_PROGRAMS(pop_sequence_of(
                         w->graph, POP_PROGRAMS(pop_execute(load, NULL), pop_execute(set, NULL)), NULL)));
    const uint16_t weights[] = { 0x3c00, 0x4000, 0x4200, 0xc400 }; /* 1, 2, 3, -4 */
    FIXTURE_PUT(w, "weights", weights);
    fixture_run(w, 0);
    fixture_get(w, "same", same, sizeof(same));
    for (unsigned i = 0; i < (wide ? ALL : NARROW); ++i)
        if (!same[i])
            fail_msg("builtin %u of mixed::Units is not its instruction, or gives nothing", i);
}

/* Weights that statements of a supervisor load belong to its tile, not to the thread of the host. */
static void weights_belong_to_the_tile(struct fixture *w)
{
    enum { TILES = 3, MOST = 4 };
    unsigned count = strcmp(w->machine, "cpu") == 0 ? 1 : TILES;
    const uint16_t weights[TILES][MOST] = { { 0x3c00 }, { 0x4000 }, { 0x4200 } };
    float out[TILES];
    add_codelets(w);
    pop_compute_set load = pop_graph_add_compute_set(w->graph, "load"),
                    use = pop_graph_add_compute_set(w->graph, "use");
    pop_tensor all = fixture_variable(w, POP_HALF, POP_SHAPE(TILES, MOST), "weights"),
               done = fixture_variable(w, POP_UNSIGNED_INT, POP_SHAPE(TILES, 1), "done"),
               found = fixture_variable(w, POP_FLOAT, POP_SHAPE(TILES), "found");
    for (unsigned i = 0; i < count; ++i) {
        pop_vertex loads = fixture_vertex(w, load, "mixed::Product", i),
                   uses = fixture_vertex(w, use, "mixed::Weight", i);
        connect(w, loads, "weights", pop_tensor_at(all, i));
        connect(w, loads, "done", pop_tensor_at(done, i));
        connect(w, uses, "out", pop_tensor_at(found, i));
    }
    fixture_start(w, POP_PROGRAMS(pop_execute(load, NULL), pop_execute(use, NULL)));
    FIXTURE_PUT(w, "weights", weights);
    fixture_run(w, 0);
    fixture_run(w, 1);
    fixture_get(w, "found", out, sizeof(out));
    for (unsigned i = 0; i < count; ++i)
        assert_true(out[i] == (float)(i + 1));
}

static void short_fields_are_kept_apart(struct fixture *w)
{
    enum { ROWS = 40 };
    pop_compute_set set;
    pop_vertex v = one_vertex(w, &set, "mixed::Rows");
    pop_tensor all = fixture_variable(w, POP_FLOAT, POP_SHAPE(ROWS, 2), "all"), rows[ROWS];
    float values[ROWS][2], sums[ROWS];
    pop_graph_set_tile_mapping(w->graph, all, 0);
    for (unsigned i = 0; i < ROWS; ++i) {
        rows[i] = pop_tensor_at(all, i);
        values[i][0] = (float)i;
        values[i][1] = 1;
    }
    pop_graph_connect_list(w->graph, v, "rows", (pop_tensors){ ROWS, rows });
    variable(w, v, "out", POP_FLOAT, ROWS);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    FIXTURE_PUT(w, "all", values);
    fixture_run(w, 0);
    fixture_get(w, "out", sums, sizeof(sums));
    for (unsigned i = 0; i < ROWS; ++i)
        assert_true(sums[i] == (float)(i * i + 1));
}

static void a_failed_statement_is_named(struct fixture *w)
{
    pop_compute_set set;
    pop_vertex v = one_vertex(w, &set, "mixed::Beyond");
    variable(w, v, "in", POP_INT, 3);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    fixture_run_fails(w, 0, POP_APPLICATION_RUNTIME_ERROR, "mixed.cpp:");
    fixture_run_fails(w, 0, POP_APPLICATION_RUNTIME_ERROR, "the inline assembly 'st32 %1, %0, $mzero, 0': stores to");
}

static void an_unknown_instruction_is_named(struct fixture *w)
{
    pop_compute_set set;
    pop_vertex v = one_vertex(w, &set, "mixed::Unknown");
    variable(w, v, "in", POP_INT, 1);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    fixture_run_fails(w, 0, POP_APPLICATION_RUNTIME_ERROR, "there is no instruction 'addd'");
}

/* What the C++ compiler, or popc, cannot map is an error of the compilation. */
static void statements_that_cannot_run_are_refused(void **state)
{
    (void)state;
    static const char head[] = "#include <poplar/Vertex.hpp>\nclass V : public poplar::Vertex { public: "
                               "poplar::Output<int> out; bool compute() { int n = 0;\n";
    static const struct {
        const char *statement, *said;
    } rows[] = {
        { "asm volatile(\"ld32 %0, %1, 0\" : \"=r\"(n) : \"m\"(*out));", "v.cpp:3: error: the inline assembly 'asm" },
        { "asm goto(\"bri %l0\" :::: end); end:", "it jumps to labels of C++" },
        { "n = (unsigned)&n;", "loses precision" },
        { "struct { int x[9]; } s; asm(\"nop\" :: \"r\"(s));", "is a number, a pointer or a short vector" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        char text[600];
        pop_error error = { 0 };
        snprintf(text, sizeof(text), "%s%s\nreturn n == 0; } };\n", head, rows[i].statement);
        FILE *file = fopen("v.cpp", "w");
        fputs(text, file);
        fclose(file);
        const char *input = "v.cpp";
        assert_int_not_equal(popc_compile_files(&input, 1, "--tile-builtins", "v.gp", false, &error), POP_OK);
        if (!strstr(error.text, rows[i].said))
            fail_msg("%s\nis not in\n%s", rows[i].said, error.text);
    }
    unlink("v.cpp");
}

/* popc links both into one file. */
static void popc_links_mixed_files(void **state)
{
    (void)state;
    const char *inputs[] = { TESTS_MIXED ".cpp", TESTS_MIXED ".S" };
    pop_error error = { 0 };
    must(popc_compile_files(inputs, 2, "--tile-builtins", "mixed.gp", false, &error), &error);
    struct fixture w;
    fixture_open(&w, "ipu2", false);
    pop_graph_add_codelets(w.graph, "mixed.gp");
    must_build(&w);
    pop_compute_set set = pop_graph_add_compute_set(w.graph, "set");
    pop_vertex v = fixture_vertex(&w, set, "mixed::Dot", 0);
    variable(&w, v, "x", POP_FLOAT, 2);
    variable(&w, v, "y", POP_FLOAT, 2);
    variable(&w, v, "out", POP_FLOAT, 1);
    fixture_start(&w, POP_PROGRAMS(pop_execute(set, NULL)));
    const float x[] = { 1, 2 };
    fixture_put(&w, "x", x, sizeof(x));
    fixture_put(&w, "y", x, sizeof(x));
    fixture_run(&w, 0);
    FIXTURE_FLOATS(&w, "out", 5 + 3 + 12 - 100);
    fixture_close(&w);
    unlink("mixed.gp");
}

int main(void)
{
    const struct CMUnitTest tests[] = { SCENARIO(functions_of_assembly_are_called),
                                        SCENARIO(cycles_around_calls_are_counted_once),
                                        SCENARIO(builtins_use_packed_addresses),
                                        SCENARIO(statements_have_operands),
                                        SCENARIO(workers_and_supervisors_have_their_registers),
                                        SCENARIO(accumulators_stay_between_statements),
                                        SCENARIO(builtins_are_their_instructions),
                                        SCENARIO(weights_belong_to_the_tile),
                                        SCENARIO(short_fields_are_kept_apart),
                                        SCENARIO(a_failed_statement_is_named),
                                        SCENARIO(an_unknown_instruction_is_named),
                                        cmocka_unit_test(statements_that_cannot_run_are_refused),
                                        cmocka_unit_test(popc_links_mixed_files) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
