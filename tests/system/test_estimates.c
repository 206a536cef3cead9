/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices without a performance estimate: their cycles are those that their code for the device executes.  For code
 * written as instructions of the machine that stands in for the device, counts are worked out by hand; for plain C,
 * their growth is checked. */
#include "fixture.h"

#include <poplar/popc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char codelets[] =
    "#include <poplar/vertex.h>\n"
    "#ifdef __riscv\n"
    "#define MACHINE(...) __asm__ volatile(__VA_ARGS__)\n"
    "#else\n"
    "#define MACHINE(...) (void)0\n"
    "#endif\n"
    /* 2 + 3 n instructions between call and return */
    "POP_VERTEX(Loop) { POP_INPUT(POP_VECTOR(float)) in; POP_OUTPUT(float) out; };\n"
    "bool Loop_compute(Loop *v) { size_t n = v->in.size; MACHINE(\"mv t0, %0\\n1: beqz t0, 2f\\naddi t0, t0, -1\\nj "
    "1b\\n2:\" :: \"r\"(n) : \"t0\");\n"
    "  *v->out = n; return true; }\n"
    /* for each of m rows 4 instructions and 3 for each of its elements */
    "POP_VERTEX(Nest) { POP_INPUT(POP_VECTORS(float)) in; POP_OUTPUT(float) out; };\n"
    "bool Nest_compute(Nest *v) { size_t m = v->in.size, n = m ? v->in.data[0].size : 0;\n"
    "  MACHINE(\"mv t0, %0\\n1: beqz t0, 4f\\nmv t1, %1\\n2: beqz t1, 3f\\naddi t1, t1, -1\\nj 2b\\n3: addi t0, t0, "
    "-1\\nj 1b\\n4:\" :: \"r\"(m), \"r\"(n) : \"t0\", \"t1\");\n"
    "  *v->out = m * n; return true; }\n"
    /* ten instructions for each element that is not 0, none for a 0 */
    "POP_VERTEX(Branch) { POP_INPUT(POP_VECTOR(int)) in; POP_OUTPUT(int) out; };\n"
    "bool Branch_compute(Branch *v) { int sum = 0; for (size_t i = 0; i < v->in.size; ++i) { int x = v->in.data[i];\n"
    "  if (x) { MACHINE(\"nop\\nnop\\nnop\\nnop\\nnop\\nnop\\nnop\\nnop\\nnop\\nnop\"); sum += x; } }\n"
    "  *v->out = sum; return true; }\n"
    "POP_VERTEX(Dot) { POP_INPUT(POP_VECTOR(float)) a; POP_INPUT(POP_VECTOR(float)) b; POP_OUTPUT(float) out; };\n"
    "bool Dot_compute(Dot *v) { float sum = 0; for (size_t i = 0; i < v->a.size; ++i) sum += v->a.data[i] * "
    "v->b.data[i];\n"
    "  *v->out = sum; return true; }\n"
    "POP_VERTEX(Pi) { POP_STATE(unsigned) slices; POP_OUTPUT(float) out; };\n"
    "bool Pi_compute(Pi *v) { float sum = 0, step = 1.0f / (float)v->slices;\n"
    "  for (unsigned i = 0; i < v->slices; ++i) { float x = ((float)i + 0.5f) * step; sum += 4.0f / (1.0f + x * x); }\n"
    "  *v->out = sum * step; return true; }\n"
    "POP_VERTEX(Repeated) { POP_STATE(unsigned) times; POP_OUTPUT(float) out; };\n"
    "bool Repeated_compute(Repeated *v) { unsigned n = v->times; MACHINE(\"mv t0, %0\\n1: beqz t0, 2f\\naddi t0, t0, "
    "-1\\nj 1b\\n2:\" :: \"r\"(n) : \"t0\");\n"
    "  *v->out = n; return true; }\n"
    "POP_VERTEX(Listed) { POP_STATE(POP_VECTOR(unsigned)) times; POP_OUTPUT(float) out; };\n"
    "bool Listed_compute(Listed *v) { unsigned n = v->times.data[3] + v->times.size; MACHINE(\"mv t0, %0\\n1: beqz t0, "
    "2f\\naddi t0, t0, -1\\nj 1b\\n2:\" :: \"r\"(n) : \"t0\");\n"
    "  *v->out = n; return true; }\n"
    "POP_VERTEX(Endless) { POP_INPUT(float) in; POP_OUTPUT(float) out; };\n"
    "bool Endless_compute(Endless *v) { volatile float x = *v->in; while (x < 10) x = x + *v->in; *v->out = x; return "
    "true; }\n"
    "POP_VERTEX(Wild) { POP_INPUT(POP_VECTOR(int)) in; POP_OUTPUT(int) out; };\n"
    "bool Wild_compute(Wild *v) { *v->out = v->in.size ? v->in.data[(size_t)(v->in.data[0] - 7) << 20] : 0; return "
    "true; }\n"
    "POP_MULTI_VERTEX(Shared) { POP_INPUT(POP_VECTOR(float)) in; POP_INOUT(float) out; };\n"
    "bool Shared_compute(Shared *v, unsigned worker) { size_t n = worker ? 1 : v->in.size;\n"
    "  MACHINE(\"mv t0, %0\\n1: beqz t0, 2f\\naddi t0, t0, -1\\nj 1b\\n2:\" :: \"r\"(n) : \"t0\"); return true; }\n";

static struct fixture open_ipu(void)
{
    struct fixture w = { 0 };
    fixture_open(&w, "ipu2", false);
    pop_graph_add_codelets_source(w.graph, codelets, POP_FILE_C, "-O1");
    must_build(&w);
    return w;
}

/* Cycles of one vertex of a type, whose field "in" is connected to a tensor: a worker has one of six slots. */
static uint64_t cycles_in(struct fixture *w, const char *type, pop_tensor in, const char *field, pop_options options)
{
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "set");
    pop_vertex v = pop_graph_add_vertex(w->graph, set, type);
    pop_tensor out =
        pop_graph_add_variable(w->graph, strstr("Branch Wild", type) ? POP_INT : POP_FLOAT, POP_SHAPE(), "out");
    pop_graph_map_vertex(w->graph, v, 0);
    pop_graph_set_tile_mapping(w->graph, out, 0);
    if (field)
        pop_graph_connect(w->graph, v, field, in);
    pop_graph_connect(w->graph, v, "out", out);
    must_build(w);
    fixture_start_with(w, POP_PROGRAMS(pop_execute(set, NULL)), options);
    fixture_run(w, 0);
    pop_error error = { 0 };
    pop_cycles cycles = { 0 };
    must(pop_engine_cycles(w->engine, &cycles, &error), &error);
    assert_int_equal(cycles.compute % 6, 0);
    return cycles.compute / 6;
}

static uint64_t cycles_of(const char *type, pop_type element, size_t rows, size_t columns)
{
    struct fixture w = open_ipu();
    pop_tensor in = rows ? pop_graph_add_variable(w.graph, element, POP_SHAPE(rows, columns), "in")
                         : pop_graph_add_variable(w.graph, element, POP_SHAPE(columns), "in");
    pop_graph_set_tile_mapping(w.graph, in, 0);
    uint64_t cycles = cycles_in(&w, type, in, "in", POP_NO_OPTIONS);
    fixture_close(&w);
    return cycles;
}

static void a_loop_costs_its_instructions_for_each_element(void **state)
{
    (void)state;
    uint64_t none = cycles_of("Loop", POP_FLOAT, 0, 0);
    assert_int_equal(cycles_of("Loop", POP_FLOAT, 0, 1) - none, 3);
    assert_int_equal(cycles_of("Loop", POP_FLOAT, 0, 1000) - none, 3000);
    assert_in_range(none, 6, 20); /* mv, beqz, and the instructions that load the size and store the result */
}

static void nested_loops_multiply(void **state)
{
    (void)state;
    uint64_t base = cycles_of("Nest", POP_FLOAT, 1, 1) - (5 + 3);
    assert_int_equal(cycles_of("Nest", POP_FLOAT, 2, 1) - base, 2 * (5 + 3));
    assert_int_equal(cycles_of("Nest", POP_FLOAT, 7, 11) - base, 7 * (5 + 3 * 11));
}

static void only_executed_branches_count(void **state)
{
    (void)state;
    enum { COUNT = 16 };
    uint64_t cycles[COUNT + 1];
    for (int set = 0; set <= COUNT; set += 4) {
        int values[COUNT] = { 0 };
        struct fixture w = open_ipu();
        for (int i = 0; i < set; ++i)
            values[(i * 5) % COUNT] = 1;
        pop_tensor in = fixture_ints(&w, COUNT, values);
        cycles[set] = cycles_in(&w, "Branch", in, "in", POP_NO_OPTIONS);
        fixture_close(&w);
    }
    /* ten instructions and an addition; the compiler may add a jump of the loop to one of the branches */
    uint64_t each = (cycles[16] - cycles[0]) / 16;
    assert_in_range(each, 10, 12);
    for (int set = 0; set <= COUNT; set += 4)
        assert_int_equal(cycles[set], cycles[0] + each * (uint64_t)set);
    assert_int_equal(cycles_of("Branch", POP_INT, 0, COUNT), cycles[0]); /* variables count as zeros */
}

static void plain_c_grows_with_its_fields(void **state)
{
    (void)state;
    uint64_t cycles[3];
    for (int i = 0; i < 3; ++i) {
        struct fixture w = open_ipu();
        pop_tensor in = pop_graph_add_variable(w.graph, POP_FLOAT, POP_SHAPE(100u << i), "in");
        pop_graph_set_tile_mapping(w.graph, in, 0);
        pop_compute_set set = pop_graph_add_compute_set(w.graph, "set");
        pop_vertex v = pop_graph_add_vertex(w.graph, set, "Dot");
        pop_tensor out = pop_graph_add_variable(w.graph, POP_FLOAT, POP_SHAPE(), "out");
        pop_graph_map_vertex(w.graph, v, 0);
        pop_graph_set_tile_mapping(w.graph, out, 0);
        pop_graph_connect(w.graph, v, "a", in);
        pop_graph_connect(w.graph, v, "b", in);
        pop_graph_connect(w.graph, v, "out", out);
        fixture_start(&w, POP_PROGRAMS(pop_execute(set, NULL)));
        fixture_run(&w, 0);
        pop_error error = { 0 };
        pop_cycles total = { 0 };
        must(pop_engine_cycles(w.engine, &total, &error), &error);
        cycles[i] = total.compute / 6;
        fixture_close(&w);
    }
    /* two loads, a multiplication, an addition, two or three of the loop */
    assert_in_range((cycles[1] - cycles[0]) / 100, 5, 9);
    assert_int_equal(cycles[2] - cycles[1], 2 * (cycles[1] - cycles[0]));
}

static uint64_t repeated(const char *type, const char *field, unsigned times)
{
    struct fixture w = open_ipu();
    pop_compute_set set = pop_graph_add_compute_set(w.graph, "set");
    pop_tensor out = pop_graph_add_variable(w.graph, POP_FLOAT, POP_SHAPE(2), "out");
    pop_graph_set_tile_mapping(w.graph, out, 0);
    for (unsigned i = 0; i < 2; ++i) { /* the same vertex with another state */
        pop_vertex v = pop_graph_add_vertex(w.graph, set, type);
        pop_graph_map_vertex(w.graph, v, 0);
        pop_graph_set_field_int(w.graph, v, field, (int)(times * i));
        pop_graph_connect(w.graph, v, "out", pop_tensor_at(out, i));
    }
    fixture_start(&w, POP_PROGRAMS(pop_execute(set, NULL)));
    fixture_run(&w, 0);
    pop_error error = { 0 };
    pop_cycles cycles = { 0 };
    must(pop_engine_cycles(w.engine, &cycles, &error), &error);
    fixture_close(&w);
    return cycles.compute / 6; /* of the longer one: they run in parallel */
}

static void counts_depend_on_the_vertexs_state(void **state)
{
    (void)state;
    assert_int_equal(repeated("Repeated", "times", 500) - repeated("Repeated", "times", 0), 1500);
}

/* An integer becomes a float through memory, a division takes three slots: a published program, the integral of
 * 4 / (1 + x^2) by slices, takes 15 bundles a slice on the machine. */
static void instructions_take_the_tiles_slots(void **state)
{
    (void)state;
    uint64_t each = (repeated("Pi", "slices", 1010) - repeated("Pi", "slices", 10)) / 1000;
    print_message("%u slots a slice\n", (unsigned)each);
    assert_in_range(each, 14, 16);
}

static uint64_t listed(unsigned last)
{
    struct fixture w = open_ipu();
    pop_compute_set set = pop_graph_add_compute_set(w.graph, "set");
    pop_tensor out = pop_graph_add_variable(w.graph, POP_FLOAT, POP_SHAPE(), "out");
    pop_graph_set_tile_mapping(w.graph, out, 0);
    pop_vertex v = pop_graph_add_vertex(w.graph, set, "Listed");
    pop_graph_map_vertex(w.graph, v, 0);
    pop_graph_set_field_vector(w.graph, v, POP_FIELD("times", POP_WHOLE), POP_UNSIGNED_INT,
                               ((unsigned[]){ 9, 9, 9, last }), 4);
    pop_graph_connect(w.graph, v, "out", out);
    must_build(&w);
    fixture_start(&w, POP_PROGRAMS(pop_execute(set, NULL)));
    fixture_run(&w, 0);
    pop_error error = { 0 };
    pop_cycles cycles = { 0 };
    must(pop_engine_cycles(w.engine, &cycles, &error), &error);
    fixture_close(&w);
    return cycles.compute / 6;
}

static void vectors_of_state_match_the_vertex(void **state)
{
    (void)state;
    assert_int_equal(listed(700) - listed(0), 2100);
}

/* START + 6 times the longest worker. */
static void workers_of_a_multi_vertex_run_in_parallel(void **state)
{
    (void)state;
    uint64_t seen[2];
    for (unsigned i = 0; i < 2; ++i) {
        struct fixture w = open_ipu();
        pop_compute_set set = pop_graph_add_compute_set(w.graph, "set");
        pop_vertex v = pop_graph_add_vertex(w.graph, set, "Shared");
        pop_tensor in = pop_graph_add_variable(w.graph, POP_FLOAT, POP_SHAPE(10 + 100 * i), "in"),
                   out = pop_graph_add_variable(w.graph, POP_FLOAT, POP_SHAPE(), "out");
        pop_graph_map_vertex(w.graph, v, 0);
        pop_graph_set_tile_mapping(w.graph, in, 0);
        pop_graph_set_tile_mapping(w.graph, out, 0);
        pop_graph_connect(w.graph, v, "in", in);
        pop_graph_connect(w.graph, v, "out", out);
        fixture_start(&w, POP_PROGRAMS(pop_execute(set, NULL)));
        fixture_run(&w, 0);
        pop_error error = { 0 };
        pop_cycles cycles = { 0 };
        must(pop_engine_cycles(w.engine, &cycles, &error), &error);
        seen[i] = cycles.compute;
        assert_int_equal((cycles.compute - 11) % 6, 0);
        fixture_close(&w);
    }
    assert_int_equal(seen[1] - seen[0], 6 * 300);
}

static void must_mark(struct fixture *w, const char *type, const char *mark)
{
    pop_error error = { 0 };
    pop_profile_value profile;
    must(pop_engine_graph_profile(w->engine, &profile, &error), &error);
    const pop_profile_value *names = pop_profile_path(&profile, "vertexTypes.names"),
                            *marks = pop_profile_path(&profile, "vertexTypes.estimates");
    assert_non_null(names);
    assert_non_null(marks);
    bool found = false;
    for (size_t i = 0; i < pop_profile_size(names); ++i)
        if (strcmp(pop_profile_as_string(pop_profile_at(names, i)), type) == 0) {
            assert_string_equal(pop_profile_as_string(pop_profile_at(marks, i)), mark);
            found = true;
        }
    assert_true(found);
    pop_profile_free(&profile);
}

static const char log_name[] = "test_estimates_log.txt";

static void must_log(const char *words)
{
    FILE *log = fopen(log_name, "r");
    assert_non_null(log);
    char line[1000];
    bool found = false;
    while (!found && fgets(line, sizeof(line), log))
        found = strstr(line, words) != NULL;
    fclose(log);
    if (!found)
        fail_msg("the log does not contain '%s'", words);
}

static void estimates_are_marked(void **state)
{
    (void)state;
    struct fixture w = open_ipu();
    pop_tensor in = pop_graph_add_variable(w.graph, POP_FLOAT, POP_SHAPE(10), "in");
    pop_graph_set_tile_mapping(w.graph, in, 0);
    cycles_in(&w, "Loop", in, "in", POP_NO_OPTIONS);
    must_mark(&w, "Loop", "counted");
    fixture_close(&w);
    must_log("[INFO] no performance estimate of vertex type 'Loop': the cycles of 1 vertices are counted from their "
             "code for the device; pop_graph_set_perf_estimate or ");
}

/* Neither can be counted, and neither has an effect: the guess grows with the field. */
static void uncountable_vertices_have_guessed_cycles(void **state)
{
    (void)state;
    uint64_t seen[2];
    for (unsigned i = 0; i < 2; ++i) {
        struct fixture w = open_ipu();
        pop_tensor in = pop_graph_add_variable(w.graph, POP_INT, POP_SHAPE(10 + 10 * i), "in");
        pop_graph_set_tile_mapping(w.graph, in, 0);
        pop_graph_set_initial_fill(w.graph, in, POP_INT, &(const int){ 7 });
        seen[i] = cycles_in(&w, "Wild", in, "in", POP_NO_OPTIONS);
        must_mark(&w, "Wild", "guessed");
        fixture_close(&w);
    }
    must_log("are guessed because vertex type 'Wild' has no estimate and its code cannot be counted (");
    must_log("[WARN] cycles of 1 vertices are guessed because ");
    assert_true(seen[0] > 10);
    assert_int_equal(seen[1], 2 * seen[0]);
}

/* A .gp file has the code for the count if it was compiled for a device. */
static void files_for_devices_are_counted(void **state)
{
    (void)state;
    uint64_t expected = cycles_of("Loop", POP_FLOAT, 0, 50);
    char source[] = "/tmp/tremula-estimates-XXXXXX", path[64], output[64];
    assert_non_null(mkdtemp(source));
    snprintf(path, sizeof(path), "%s/loop.c", source);
    snprintf(output, sizeof(output), "%s/loop.gp", source);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(codelets, file);
    fclose(file);
    for (unsigned for_device = 0; for_device < 2; ++for_device) {
        pop_error error = { 0 };
        struct fixture w = { 0 };
        must(popc_compile_files((const char *const[]){ path }, 1, for_device ? "-O1 --target ipu1,ipu2" : "-O1", output,
                                false, &error),
             &error);
        fixture_open(&w, "ipu2", false);
        pop_graph_add_codelets(w.graph, output);
        pop_tensor in = pop_graph_add_variable(w.graph, POP_FLOAT, POP_SHAPE(50), "in");
        pop_graph_set_tile_mapping(w.graph, in, 0);
        uint64_t cycles = cycles_in(&w, "Loop", in, "in", POP_NO_OPTIONS);
        must_mark(&w, "Loop", for_device ? "counted" : "guessed");
        if (for_device)
            assert_int_equal(cycles, expected);
        fixture_close(&w);
    }
    unlink(path);
    unlink(output);
    rmdir(source);
}

static void the_strict_mode_refuses_them(void **state)
{
    (void)state;
    struct fixture w = open_ipu();
    pop_tensor in = pop_graph_add_variable(w.graph, POP_FLOAT, POP_SHAPE(10), "in"),
               out = pop_graph_add_variable(w.graph, POP_FLOAT, POP_SHAPE(), "out");
    pop_graph_set_tile_mapping(w.graph, in, 0);
    pop_graph_set_tile_mapping(w.graph, out, 0);
    pop_compute_set set = pop_graph_add_compute_set(w.graph, "set");
    pop_vertex v = pop_graph_add_vertex(w.graph, set, "Loop");
    pop_graph_map_vertex(w.graph, v, 0);
    pop_graph_connect(w.graph, v, "in", in);
    pop_graph_connect(w.graph, v, "out", out);
    fixture_start_with(&w, POP_PROGRAMS(pop_execute(set, NULL)), POP_OPTIONS({ "debug.requirePerfEstimates", "true" }));
    fixture_run(&w, 0);
    pop_error error = { 0 };
    pop_cycles cycles;
    assert_int_equal(pop_engine_cycles(w.engine, &cycles, &error), POP_MISSING_PERF_ESTIMATE);
    assert_non_null(strstr(error.text, "'Loop'"));
    fixture_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_costs_its_instructions_for_each_element),
        cmocka_unit_test(nested_loops_multiply),
        cmocka_unit_test(only_executed_branches_count),
        cmocka_unit_test(plain_c_grows_with_its_fields),
        cmocka_unit_test(counts_depend_on_the_vertexs_state),
        cmocka_unit_test(instructions_take_the_tiles_slots),
        cmocka_unit_test(vectors_of_state_match_the_vertex),
        cmocka_unit_test(workers_of_a_multi_vertex_run_in_parallel),
        cmocka_unit_test(estimates_are_marked),
        cmocka_unit_test(uncountable_vertices_have_guessed_cycles),
        cmocka_unit_test(files_for_devices_are_counted),
        cmocka_unit_test(the_strict_mode_refuses_them),
    };
    remove(log_name);
    setenv("POPLAR_COMPILER_LOG_LEVEL", "INFO", 1);
    setenv("POPLAR_LOG_DEST", log_name, 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(log_name);
    return failed;
}
