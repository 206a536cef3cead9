/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices in assembly in a program: on modelled IPUs and the CPU, in the normal and in the checked mode. */
#include "fixture.h"

#include <poplar/popc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_codelets(struct fixture *w)
{
    pop_graph_add_codelets(w->graph, TESTS_ASSEMBLY ".cpp");
    pop_graph_add_codelets(w->graph, TESTS_ASSEMBLY ".S");
    must_build(w);
}

static void connect(struct fixture *w, pop_vertex v, const char *field, pop_tensor t)
{
    pop_graph_connect(w->graph, v, field, t);
    must_build(w);
}

static pop_tensor floats(struct fixture *w, const char *name, size_t count)
{
    pop_tensor t = fixture_variable(w, POP_FLOAT, POP_SHAPE(count), name);
    pop_graph_set_tile_mapping(w->graph, t, 0);
    return t;
}

static void a_worker_adds_two_vectors(struct fixture *w)
{
    add_codelets(w);
    pop_tensor a = floats(w, "a", 6), b = floats(w, "b", 6), out = floats(w, "out", 6);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "add");
    pop_vertex v = fixture_vertex(w, set, "assembly::AddPairs", 0);
    connect(w, v, "a", a);
    connect(w, v, "b", b);
    connect(w, v, "out", out);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    const float x[] = { 1, 2, 3, 4, 5, 6 }, y[] = { 10, 20, 30, 40, 50, 60 };
    FIXTURE_PUT(w, "a", x);
    FIXTURE_PUT(w, "b", y);
    fixture_run(w, 0);
    FIXTURE_FLOATS(w, "out", 11, 22, 33, 44, 55, 66);
    if (strcmp(w->machine, "cpu") != 0) { /* 7 + 5 * 3 + exit slots */
        pop_error error = { 0 };
        pop_cycles cycles = { 0 };
        must(pop_engine_cycles(w->engine, &cycles, &error), &error);
        assert_int_equal(cycles.compute, 6 * 23);
    }
}

/* docs/concepts/assembly.md promises a slot for each pair in the loop; 14 are around it. */
static void a_dot_product_takes_a_slot_for_a_pair(struct fixture *w)
{
    enum { PAIRS = 32 };
    float x[2 * PAIRS], y[2 * PAIRS], sum = 0;
    add_codelets(w);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "dot");
    pop_vertex v = fixture_vertex(w, set, "assembly::DotProduct", 0);
    pop_tensor out = floats(w, "out", 1);
    connect(w, v, "x", floats(w, "x", 2 * PAIRS));
    connect(w, v, "y", floats(w, "y", 2 * PAIRS));
    connect(w, v, "out", pop_tensor_at(out, 0));
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    for (int i = 0; i < 2 * PAIRS; ++i) {
        x[i] = (float)(i - 20);
        y[i] = (float)(3 * i + 1);
        sum += x[i] * y[i];
    }
    FIXTURE_PUT(w, "x", x);
    FIXTURE_PUT(w, "y", y);
    fixture_run(w, 0);
    FIXTURE_FLOATS(w, "out", sum);
    pop_error error = { 0 };
    pop_cycles cycles = { 0 };
    if (strcmp(w->machine, "cpu") == 0)
        return;
    must(pop_engine_cycles(w->engine, &cycles, &error), &error);
    assert_int_equal(cycles.compute, 6 * (14 + PAIRS));
}

static void six_workers_scale_a_vector(struct fixture *w)
{
    enum { PAIRS = 17 };
    float in[2 * PAIRS], out[2 * PAIRS];
    add_codelets(w);
    pop_tensor x = floats(w, "in", 2 * PAIRS), y = floats(w, "out", 2 * PAIRS);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "scale");
    pop_vertex v = fixture_vertex(w, set, "assembly::Scale<float>", 0);
    connect(w, v, "in", x);
    connect(w, v, "out", y);
    pop_graph_set_field_int(w->graph, v, "pairs", PAIRS);
    pop_graph_set_field_double(w->graph, v, "factor", 0.5);
    must_build(w);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    for (int i = 0; i < 2 * PAIRS; ++i)
        in[i] = (float)i;
    FIXTURE_PUT(w, "in", in);
    fixture_run(w, 0);
    fixture_get(w, "out", out, sizeof(out));
    for (int i = 0; i < 2 * PAIRS; ++i)
        assert_true(out[i] == (float)i / 2);
}

/* An int variable on tile 0 that is connected to a field. */
static pop_tensor ints(struct fixture *w, pop_vertex v, const char *field, const char *name, size_t count)
{
    pop_tensor t = fixture_variable(w, POP_INT, POP_SHAPE(count), name);
    pop_graph_set_tile_mapping(w->graph, t, 0);
    if (field)
        connect(w, v, field, t);
    return t;
}

static void a_field_has_each_layout(struct fixture *w)
{
    static const char *const names[] = { "shortSpan", "scaled32", "scaled64", "scaled128", "compact" };
    add_codelets(w);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "set");
    pop_vertex v = fixture_vertex(w, set, "assembly::Layouts", 0);
    for (size_t i = 0; i < 5; ++i)
        ints(w, v, names[i], names[i], 4 + i);
    connect(w, v, "scalar", pop_tensor_at(ints(w, v, NULL, "scalar", 1), 0));
    connect(w, v, "sum", pop_tensor_at(ints(w, v, NULL, "sum", 1), 0));
    pop_graph_set_field_int(w->graph, v, "small", 200);
    pop_graph_set_field_int(w->graph, v, "number", 40000);
    must_build(w);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    for (int i = 0; i < 5; ++i) {
        int values[9] = { 1 << i };
        fixture_put(w, names[i], values, sizeof(int) * (4 + (size_t)i));
    }
    const int scalar = 1000, sum = 5;
    fixture_put(w, "scalar", &scalar, sizeof(scalar));
    fixture_put(w, "sum", &sum, sizeof(sum));
    fixture_run(w, 0);
    FIXTURE_INTS(w, "sum", 5 + 1000 + 31 + 4 + 200 + 40000);
}

static void tables_have_rows_and_scalars(struct fixture *w)
{
    add_codelets(w);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "set");
    pop_vertex v = fixture_vertex(w, set, "assembly::Rows", 0);
    pop_tensor all = ints(w, v, NULL, "all", 10);
    const pop_tensor rows[] = { pop_tensor_slice(all, 0, 3, 0), pop_tensor_slice(all, 3, 4, 0) },
                     scalars[] = { pop_tensor_at(all, 8), pop_tensor_at(all, 9) };
    const int weights[] = { 100, 200, 300 };
    pop_graph_connect_list(w->graph, v, "rows", POP_TENSORS(rows[0], rows[1]));
    pop_graph_connect_list(w->graph, v, "first", POP_TENSORS(rows[1]));
    pop_graph_connect_list(w->graph, v, "scalars", POP_TENSORS(scalars[0], scalars[1]));
    pop_graph_set_field_vector(w->graph, v, POP_FIELD("weights", POP_WHOLE), POP_INT, weights, 3);
    connect(w, v, "sum", pop_tensor_at(ints(w, v, NULL, "sum", 1), 0));
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    const int values[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
    FIXTURE_PUT(w, "all", values);
    fixture_run(w, 0);
    FIXTURE_INTS(w, "sum", 1 + 2 + 3 + 4 + 4 + 9 + 10 + 600);
}

static void a_vector_list_is_written(struct fixture *w)
{
    add_codelets(w);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "set");
    pop_vertex v = fixture_vertex(w, set, "assembly::List", 0);
    pop_tensor all = ints(w, v, NULL, "all", 6);
    const pop_tensor rows[] = { pop_tensor_slice(all, 4, 6, 0), pop_tensor_slice(all, 0, 3, 0) };
    pop_graph_connect_list(w->graph, v, "list", POP_TENSORS(rows[0], rows[1]));
    pop_graph_set_field_int(w->graph, v, "one", 1);
    must_build(w);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    const int values[] = { 1, 2, 3, 4, 5, 6 };
    FIXTURE_PUT(w, "all", values);
    fixture_run(w, 0);
    FIXTURE_INTS(w, "all", -1, -2, -3, 4, -5, -6);
}

static void a_supervisor_runs_workers(struct fixture *w)
{
    add_codelets(w);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "set");
    pop_vertex v = fixture_vertex(w, set, "assembly::Supervised", 0);
    ints(w, v, "values", "values", 6);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    const int values[] = { 10, 20, 30, 40, 50, 60 };
    FIXTURE_PUT(w, "values", values);
    fixture_run(w, 0);
    FIXTURE_INTS(w, "values", 12, 24, 36, 48, 60, 72);
}

static void state_and_result_are_kept(struct fixture *w)
{
    add_codelets(w);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "set");
    pop_vertex v = fixture_vertex(w, set, "assembly::IsZero", 0);
    connect(w, v, "value", pop_tensor_at(ints(w, v, NULL, "value", 1), 0));
    connect(w, v, "times", pop_tensor_at(ints(w, v, NULL, "times", 1), 0));
    pop_tensor agreed = fixture_variable(w, POP_BOOL, POP_SHAPE(), "agreed");
    fixture_start(w, POP_PROGRAMS(pop_execute_consensus(set, agreed, NULL)));
    for (int i = 0; i < 3; ++i) {
        unsigned char said;
        const int value = i == 1;
        fixture_put(w, "value", &value, sizeof(value));
        fixture_run(w, 0);
        FIXTURE_INTS(w, "times", i + 1);
        fixture_get(w, "agreed", &said, 1);
        assert_int_equal(said, i != 1);
    }
}

/* option: TREMULA_TILE_TRACE: each slot of a vertex, with what it executes. */
static void a_trace_shows_the_slots(struct fixture *w)
{
    if (w->checked)
        return;
    setenv("TREMULA_TILE_TRACE", "assembly::AddPairs", 1);
    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    FILE *file = tmpfile();
    dup2(fileno(file), STDERR_FILENO);
    a_worker_adds_two_vectors(w);
    dup2(kept, STDERR_FILENO);
    close(kept);
    unsetenv("TREMULA_TILE_TRACE");
    char line[400];
    unsigned adds = 0, runs = 0, counting = 0;
    rewind(file);
    while (fgets(line, sizeof(line), file)) {
        adds += strstr(line, "f32v2add $a0:1, $a0:1, $a2:3") != NULL;
        runs += strcmp(line, "assembly::AddPairs on tile 0\n") == 0;
        counting += strcmp(line, "assembly::AddPairs in the run that counts its cycles\n") == 0;
    }
    fclose(file);
    assert_int_equal(adds, strcmp(w->machine, "cpu") == 0 ? 3 : 6); /* once more when cycles are counted */
    assert_int_equal(runs, 1);
    assert_int_equal(counting, strcmp(w->machine, "cpu") == 0 ? 0 : 1);
}

/* After the seed 1 the first number of each worker is 0x00003ff9 (docs/reference/tile-isa.md, 2.17). */
static void random_numbers_continue_from_vertex_to_vertex(struct fixture *w)
{
    add_codelets(w);
    pop_compute_set seed = pop_graph_add_compute_set(w->graph, "seed"),
                    draw = pop_graph_add_compute_set(w->graph, "draw");
    pop_vertex seeder = fixture_vertex(w, seed, "assembly::Seed", 0),
               drawer = fixture_vertex(w, draw, "assembly::Draw", 0);
    pop_tensor s = fixture_variable(w, POP_UNSIGNED_INT, POP_SHAPE(1), "seed"),
               out = fixture_variable(w, POP_UNSIGNED_INT, POP_SHAPE(6), "out");
    connect(w, seeder, "seed", pop_tensor_at(s, 0));
    connect(w, drawer, "out", out);
    fixture_start(w, POP_PROGRAMS(pop_execute(seed, NULL), pop_execute(draw, NULL)));
    const unsigned one = 1;
    unsigned first[6], second[6];
    fixture_put(w, "seed", &one, sizeof(one));
    fixture_run(w, 0);
    fixture_run(w, 1);
    fixture_get(w, "out", first, sizeof(first));
    fixture_run(w, 1);
    fixture_get(w, "out", second, sizeof(second));
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(first[i], 0x3ff9);
        assert_int_not_equal(second[i], first[i]);
        assert_int_equal(second[i], second[0]);
    }
}

/* The executable carries the assembled code. */
static void an_executable_carries_the_code(struct fixture *w)
{
    add_codelets(w);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "set");
    pop_vertex v = fixture_vertex(w, set, "assembly::Supervised", 0);
    ints(w, v, "values", "values", 6);
    pop_executable *made = NULL, *read = NULL;
    pop_error error = { 0 };
    void *data;
    size_t size;
    must(pop_compile_graph(w->graph, POP_PROGRAMS(pop_execute(set, NULL)),
                           POP_OPTIONS({ "debug.checkedExecution", w->checked ? "true" : "false" }), NULL, NULL, &made,
                           &error),
         &error);
    must(pop_executable_to_memory(made, &data, &size, &error), &error);
    pop_executable_destroy(made);
    must(pop_executable_from_memory(data, size, &read, &error), &error);
    free(data);
    pop_engine *engine = pop_engine_create_from(read, POP_NO_OPTIONS, &error);
    int values[] = { 10, 20, 30, 40, 50, 60 };
    assert_non_null(engine);
    must(pop_engine_load(engine, w->device, &error), &error);
    must(pop_engine_write_tensor(engine, "values", values, sizeof(values), &error), &error);
    must(pop_engine_run(engine, 0, &error), &error);
    must(pop_engine_read_tensor(engine, "values", values, sizeof(values), &error), &error);
    assert_int_equal(values[5], 72);
    pop_engine_destroy(engine);
    pop_executable_destroy(read);
}

static void source_text_is_assembled(struct fixture *w)
{
    pop_graph_add_codelets_source(
        w->graph,
        "#include <poplar/Vertex.hpp>\nclass Seven : public poplar::Vertex { public: static const "
        "bool isExternalCodelet = true; poplar::Output<int> out; bool compute(); };\n",
        POP_FILE_CPP, "");
    pop_graph_add_codelets_source(w->graph,
                                  ".globl __runCodelet_Seven\n.worker\n__runCodelet_Seven: ld32 $m0, $mvertex_base, 0\n"
                                  "setzi $m1, 7\nst32 $m1, $m0, $mzero, 0\nexitz $mzero\n",
                                  POP_FILE_ASM, "");
    must_build(w);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "set");
    pop_vertex v = fixture_vertex(w, set, "Seven", 0);
    connect(w, v, "out", pop_tensor_at(ints(w, v, NULL, "out", 1), 0));
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    fixture_run(w, 0);
    FIXTURE_INTS(w, "out", 7);
}

static void an_estimate_overrides_the_count(struct fixture *w)
{
    if (w->checked || strcmp(w->machine, "cpu") == 0)
        return;
    add_codelets(w);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "set");
    pop_vertex v = fixture_vertex(w, set, "assembly::Supervised", 0);
    ints(w, v, "values", "values", 6);
    pop_graph_set_perf_estimate(w->graph, v, 1200, 0);
    must_build(w);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    fixture_run(w, 0);
    pop_error error = { 0 };
    pop_cycles cycles = { 0 };
    must(pop_engine_cycles(w->engine, &cycles, &error), &error);
    assert_int_equal(cycles.compute % 1200, 0);
}

static uint64_t compute_cycles(struct fixture *w)
{
    pop_error error = { 0 };
    pop_cycles cycles = { 0 };
    must(pop_engine_cycles(w->engine, &cycles, &error), &error);
    return cycles.compute;
}

/* Of the longest execution in the profile. */
static uint64_t longest_step(struct fixture *w)
{
    pop_error error = { 0 };
    pop_profile_value profile;
    uint64_t longest = 0;
    must(pop_engine_execution_profile(w->engine, &profile, &error), &error);
    const pop_profile_value *steps = pop_profile_path(&profile, "simulation.steps");
    for (size_t i = 0; i < pop_profile_size(steps); ++i) {
        const pop_profile_value *step = pop_profile_at(steps, i);
        uint64_t cycles = pop_profile_as_uint(pop_profile_get(step, "cycles"));
        if (strcmp(pop_profile_as_string(pop_profile_get(step, "type")), "OnTileExecute") == 0 && cycles > longest)
            longest = cycles;
    }
    pop_profile_free(&profile);
    return longest;
}

/* What a vertex takes is counted as it runs: here 6 slots and one for each number that it counts. */
static void cycles_depend_on_the_data(struct fixture *w)
{
    enum { SLOTS = 6, WORKERS = 6, FIRST = 100, MORE = 10, REPEATS = 3 };
    int value = FIRST;
    uint64_t expected = WORKERS * (SLOTS + FIRST);
    if (strcmp(w->machine, "cpu") == 0)
        return;
    add_codelets(w);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "set");
    pop_vertex v = fixture_vertex(w, set, "assembly::Countdown", 0);
    connect(w, v, "value", pop_tensor_at(ints(w, v, NULL, "value", 1), 0));
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL), pop_repeat(REPEATS, pop_execute(set, NULL), NULL)));
    fixture_put(w, "value", &value, sizeof(value));
    fixture_run(w, 0);
    assert_int_equal(compute_cycles(w), expected);
    fixture_run(w, 1);
    for (int i = 1; i <= REPEATS; ++i)
        expected += WORKERS * (SLOTS + FIRST + (uint64_t)i * MORE);
    assert_int_equal(compute_cycles(w), expected);
    assert_int_equal(longest_step(w), WORKERS * (SLOTS + FIRST + REPEATS * MORE));
    pop_engine_reset_execution_profile(w->engine);
    fixture_put(w, "value", &value, sizeof(value));
    fixture_run(w, 0);
    assert_int_equal(compute_cycles(w), WORKERS * (SLOTS + FIRST));
}

static uint64_t at_type(const pop_profile_value *graph, const pop_profile_value *vector, const char *type)
{
    const pop_profile_value *names = pop_profile_path(graph, "vertexTypes.names");
    for (size_t i = 0; i < pop_profile_size(names); ++i)
        if (strcmp(pop_profile_as_string(pop_profile_at(names, i)), type) == 0)
            return (uint64_t)pop_profile_sum(pop_profile_at(vector, i));
    fail_msg("no type '%s'", type);
    return 0;
}

static const char *mark_of(const pop_profile_value *graph, size_t type)
{
    return pop_profile_as_string(pop_profile_at(pop_profile_path(graph, "vertexTypes.estimates"), type));
}

/* Estimates, marks and the cycles of vertices are of the last execution; before one they are counted on zeros, and say
 * so. */
static void must_profile(struct fixture *w, bool ran, uint64_t slots)
{
    pop_error error = { 0 };
    pop_profile_value graph, executed;
    must(pop_engine_graph_profile(w->engine, &graph, &error), &error);
    const pop_profile_value *estimates = pop_profile_path(&graph, "computeSets.cycleEstimates"),
                            *types = pop_profile_get(estimates, "activeCyclesByVertexType");
    assert_int_equal(at_type(&graph, pop_profile_at(types, 0), "assembly::Countdown"), slots);
    assert_int_equal(pop_profile_sum(pop_profile_at(pop_profile_get(estimates, "cyclesByTile"), 0)), 6 * slots);
    assert_int_equal(pop_profile_sum(pop_profile_at(pop_profile_get(estimates, "activeCyclesByTile"), 0)), slots);
    assert_string_equal(mark_of(&graph, 0), ran ? "counted" : "counted on zeros");
    assert_string_equal(mark_of(&graph, 1), "counted on zeros");
    must(pop_engine_execution_profile(w->engine, &executed, &error), &error);
    if (ran)
        assert_int_equal(pop_profile_sum(pop_profile_get(&executed, "vertexCycles")), 6 * slots);
    pop_profile_free(&graph);
    pop_profile_free(&executed);
}

/* "Cycles by vertex type" of the summary. */
static void must_print(struct fixture *w, const char *first, const char *second)
{
    pop_error error = { 0 };
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    must(pop_engine_print_profile_summary(w->engine, file, POP_NO_OPTIONS, &error), &error);
    fclose(file);
    if (!strstr(text, first) || !strstr(text, second))
        fail_msg("%s or %s is not in\n%s", first, second, strstr(text, "Execution"));
    free(text);
}

static void profiles_have_what_ran(struct fixture *w)
{
    enum { SLOTS = 6, FIRST = 100, MORE = 10 };
    int value = FIRST;
    if (strcmp(w->machine, "cpu") == 0)
        return;
    add_codelets(w);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "set"), never = pop_graph_add_compute_set(w->graph, "");
    pop_vertex v = fixture_vertex(w, set, "assembly::Countdown", 0),
               n = fixture_vertex(w, never, "assembly::Address", 0);
    connect(w, v, "value", pop_tensor_at(ints(w, v, NULL, "value", 1), 0));
    ints(w, n, "in", "in", 2);
    connect(w, n, "address", pop_tensor_at(ints(w, n, NULL, "address", 1), 0));
    fixture_start_with(
        w, POP_PROGRAMS(pop_execute(set, NULL), pop_repeat(2, pop_execute(set, NULL), NULL), pop_execute(never, NULL)),
        POP_OPTIONS({ "debug.instrumentCompute", "true" }, { "debug.computeInstrumentationLevel", "vertex" }));
    fixture_put(w, "value", &value, sizeof(value));
    must_profile(w, false, SLOTS);
    fixture_run(w, 1);
    must_profile(w, true, SLOTS + FIRST + MORE);
    value = 0;
    fixture_put(w, "value", &value, sizeof(value));
    fixture_run(w, 0);
    must_profile(w, true, SLOTS);
    must_print(w, "assembly::Countdown          (1 instances):            6\n",
               "assembly::Address            (1 instances):            4  (counted on zeros)\n");
}

/* Sizes of code are those of the sections in the .S file. */
static void code_has_the_size_of_its_words(void **state)
{
    enum { ADD_PAIRS = 4 * 13, SUPERVISED = 4 * 10, WORKER = 4 * 8 };
    (void)state;
    struct fixture w = { .machine = "ipu2", .tiles = 2 };
    pop_error error = { 0 };
    w.device = pop_ipu_model_create_device(
        &(pop_ipu_model){ .version = "ipu2", .tiles_per_ipu = 2, .compile_ipu_code = true }, &error);
    w.graph = pop_graph_create(pop_device_target(w.device));
    add_codelets(&w);
    pop_compute_set set = pop_graph_add_compute_set(w.graph, "set");
    pop_vertex add = fixture_vertex(&w, set, "assembly::AddPairs", 0),
               supervised = fixture_vertex(&w, set, "assembly::Supervised", 1);
    connect(&w, add, "a", floats(&w, "a", 6));
    connect(&w, add, "b", floats(&w, "b", 6));
    connect(&w, add, "out", floats(&w, "out", 6));
    ints(&w, supervised, "values", "values", 6);
    fixture_start(&w, POP_PROGRAMS(pop_execute(set, NULL)));
    pop_profile_value graph;
    must(pop_engine_graph_profile(w.engine, &graph, &error), &error);
    const pop_profile_value *code = pop_profile_path(&graph, "memory.byVertexType.codeBytes"),
                            *categories = pop_profile_path(&graph, "memory.byCategory");
    assert_int_equal(at_type(&graph, code, "assembly::AddPairs"), ADD_PAIRS);
    assert_int_equal(at_type(&graph, code, "assembly::Supervised"), SUPERVISED);
    assert_int_equal(pop_profile_sum(pop_profile_path(categories, "sharedCodeStorage.total")), WORKER);
    pop_profile_free(&graph);
    fixture_close(&w);
}

static void popc_lists_the_size_of_code(void **state)
{
    static const char *const files[] = { TESTS_ASSEMBLY ".cpp", TESTS_ASSEMBLY ".S" };
    static const char *const said[] = { "code on ipu21: 52 bytes\n",
                                        "code on ipu2: 40 bytes, shared functions 32, shared data 0, stack 8\n" };
    (void)state;
    pop_error error = { 0 };
    for (size_t both = 0; both < 2; ++both) {
        char *text;
        size_t size;
        FILE *file = open_memstream(&text, &size);
        must(popc_compile_files(files, 1 + both, "", "sized.gp", false, &error), &error);
        must(popc_list_file("sized.gp", file, &error), &error);
        fclose(file);
        for (size_t i = 0; i < 2; ++i)
            assert_true((strstr(text, said[i]) != NULL) == both);
        if (!both)
            assert_non_null(strstr(text, "code: not in this file ('__runCodelet_assembly__AddPairs')"));
        free(text);
    }
    unlink("sized.gp");
}

/* Weights belong to the tile, whichever thread and vertex type loads and uses them. */
static void weights_stay_on_the_tile(struct fixture *w)
{
    enum { TILES = 3, MOST = 4 };
    unsigned count = strcmp(w->machine, "cpu") == 0 ? 1 : TILES;
    uint16_t weights[TILES][MOST] = { { 0x3c00 }, { 0x4000 }, { 0x4200 } }, x[MOST] = { 0x4400, 1, 1, 1 };
    add_codelets(w);
    pop_compute_set load = pop_graph_add_compute_set(w->graph, "load"),
                    use = pop_graph_add_compute_set(w->graph, "use");
    pop_tensor all = fixture_variable(w, POP_HALF, POP_SHAPE(TILES, MOST), "weights"),
               in = fixture_variable(w, POP_HALF, POP_SHAPE(MOST), "x"),
               out = fixture_variable(w, POP_FLOAT, POP_SHAPE(TILES), "out");
    for (unsigned i = 0; i < count; ++i) {
        pop_vertex loads = fixture_vertex(w, load, "assembly::LoadWeights", i),
                   uses = fixture_vertex(w, use, "assembly::UseWeights", i);
        connect(w, loads, "weights", pop_tensor_at(all, i));
        connect(w, uses, "x", in);
        connect(w, uses, "sum", pop_tensor_at(out, i));
    }
    fixture_start(w, POP_PROGRAMS(pop_execute(load, NULL), pop_execute(use, NULL)));
    FIXTURE_PUT(w, "weights", weights);
    FIXTURE_PUT(w, "x", x);
    float sums[TILES] = { 0 };
    for (int times = 0; times < 3; ++times) {
        if (times < 2)
            fixture_run(w, 0);
        fixture_run(w, 1);
        fixture_get(w, "out", sums, sizeof(sums));
        for (unsigned i = 0; i < count; ++i)
            assert_true(sums[i] == (float)(4 * (i + 1)));
    }
}

/* The halves of a variable are beside each other in the tile's memory. */
static void fields_stand_where_they_were_placed(struct fixture *w)
{
    int address[2];
    bool placed = strcmp(w->machine, "cpu") != 0 && !w->checked;
    add_codelets(w);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "set");
    pop_tensor in = ints(w, (pop_vertex){ 0 }, NULL, "in", 16), out = ints(w, (pop_vertex){ 0 }, NULL, "out", 2);
    for (size_t i = 0; i < 2; ++i) {
        pop_vertex v = fixture_vertex(w, set, "assembly::Address", 0);
        connect(w, v, "in", pop_tensor_slice(in, 8 * i, 8 * i + 8, 0));
        connect(w, v, "address", pop_tensor_at(out, i));
    }
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    fixture_run(w, 0);
    fixture_get(w, "out", address, sizeof(address));
    assert_int_equal(address[1] - address[0], placed ? 32 : 0);
}

/* Element conflicts are those of the placement: two small variables of a tile are in one element. */
static void conflicts_are_those_of_the_placement(struct fixture *w)
{
    enum { LARGE = 8192 };
    if (strcmp(w->machine, "cpu") == 0 || w->checked)
        return;
    add_codelets(w);
    pop_compute_set near = pop_graph_add_compute_set(w->graph, "near"),
                    far = pop_graph_add_compute_set(w->graph, "far");
    pop_vertex v = fixture_vertex(w, near, "assembly::LoadBoth", 0);
    pop_tensor sum = ints(w, v, "sum", "sum", 1), large = ints(w, v, NULL, "large", LARGE);
    connect(w, v, "a", pop_tensor_slice(large, 0, 4, 0));
    connect(w, v, "b", pop_tensor_slice(large, 4, 8, 0));
    v = fixture_vertex(w, far, "assembly::LoadBoth", 0);
    connect(w, v, "sum", sum);
    connect(w, v, "a", pop_tensor_slice(large, 0, 4, 0));
    connect(w, v, "b", pop_tensor_slice(large, LARGE - 4, LARGE, 0));
    fixture_start(w, POP_PROGRAMS(pop_execute(near, NULL), pop_execute(far, NULL)));
    fixture_run_fails(w, 0, POP_APPLICATION_RUNTIME_ERROR,
                      "in one memory element, in one instruction: the first is in field 'a', the second in field 'b'; "
                      "the constraint \"elem(*a) != elem(*b)\" of the class keeps them apart (instruction at ");
    fixture_run(w, 1);
}

/* A conflict names both fields, also where the class has a constraint, which parts of one variable cannot satisfy. */
static void a_conflict_names_the_constraint(struct fixture *w)
{
    if (strcmp(w->machine, "cpu") == 0 || w->checked)
        return;
    add_codelets(w);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "dot");
    pop_vertex v = fixture_vertex(w, set, "assembly::DotProduct", 0);
    pop_tensor both = floats(w, "both", 128);
    connect(w, v, "x", pop_tensor_slice(both, 0, 64, 0));
    connect(w, v, "y", pop_tensor_slice(both, 64, 128, 0));
    connect(w, v, "out", pop_tensor_at(floats(w, "out", 1), 0));
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    fixture_run_fails(w, 0, POP_APPLICATION_RUNTIME_ERROR,
                      "the first is in field 'x', the second in field 'y', although the class has the constraint "
                      "\"elem(*x) != elem(*y)\" (it cannot keep parts of one variable apart)");
}

/* A slice that is not aligned as its field is copied for the vertex: to an element without the other field, also where
 * that one takes several. */
static void a_copied_field_has_its_own_element(struct fixture *w)
{
    enum { LONG = 8000 };
    static const size_t starts[][3] = { { 1, 0, 64 }, { 0, 3, 64 }, { 5, 5, 64 }, { 2, 0, 64 }, { 1, 0, LONG } };
    static const char *const fields[] = { "x", "y", "out" };
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); ++i) {
        fixture_close(w);
        fixture_open(w, w->machine, w->checked);
        add_codelets(w);
        pop_compute_set set = pop_graph_add_compute_set(w->graph, "dot");
        pop_vertex v = fixture_vertex(w, set, "assembly::DotProduct", 0);
        for (int f = 0; f < 2; ++f) {
            size_t begin = starts[i][f], end = begin + starts[i][2];
            pop_tensor whole = floats(w, fields[f], end);
            pop_graph_set_initial_fill(w->graph, whole, POP_DOUBLE, &(double){ f + 2 });
            connect(w, v, fields[f], pop_tensor_slice(whole, begin, end, 0));
        }
        connect(w, v, "out", pop_tensor_at(floats(w, "out", 1), 0));
        fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
        fixture_run(w, 0);
        FIXTURE_FLOATS(w, "out", 6.0f * (float)starts[i][2]);
    }
}

/* "assembly.S:" and the number of the line that has the words. */
static void place_of_line(const char *words, char place[40])
{
    char line[400];
    unsigned number = 0, found = 0;
    FILE *file = fopen(TESTS_ASSEMBLY ".S", "r");
    while (fgets(line, sizeof(line), file)) {
        ++number;
        found = strstr(line, words) ? number : found;
    }
    fclose(file);
    assert_int_not_equal(found, 0);
    snprintf(place, 40, "assembly.S:%u", found);
}

static void a_store_beyond_a_field_is_found(struct fixture *w)
{
    char place[40];
    if (!w->checked)
        return;
    add_codelets(w);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "set");
    pop_vertex v = fixture_vertex(w, set, "assembly::Beyond", 0);
    ints(w, v, "out", "out", 3);
    place_of_line("# one too far", place);
    for (int isolated = 0; isolated < 2; ++isolated) {
        fixture_start_with(w, POP_PROGRAMS(pop_execute(set, NULL)),
                           POP_OPTIONS({ "debug.isolateCodelets", isolated ? "true" : "false" }));
        fixture_run_fails(w, 0, POP_APPLICATION_RUNTIME_ERROR, place);
        fixture_run_fails(
            w, 0, POP_APPLICATION_RUNTIME_ERROR,
            "outside of what the vertex may write: right behind field 'out' of 12 bytes (instruction at ");
    }
}

/* In the normal mode, too, what ends a run is named by its line, in this process or in one of its own. */
static void a_wild_store_is_found(struct fixture *w)
{
    char place[40];
    add_codelets(w);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "set");
    pop_vertex v = fixture_vertex(w, set, "assembly::Wild", 0);
    ints(w, v, "out", "out", 3);
    place_of_line("# outside of memory", place);
    for (int isolated = 0; isolated < 2; ++isolated) {
        fixture_start_with(w, POP_PROGRAMS(pop_execute(set, NULL)),
                           POP_OPTIONS({ "debug.isolateCodelets", isolated ? "true" : "false" }));
        fixture_run_fails(w, 0, POP_APPLICATION_RUNTIME_ERROR, place);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { SCENARIO(a_worker_adds_two_vectors),
                                        SCENARIO(a_dot_product_takes_a_slot_for_a_pair),
                                        SCENARIO(six_workers_scale_a_vector),
                                        SCENARIO(a_field_has_each_layout),
                                        SCENARIO(tables_have_rows_and_scalars),
                                        SCENARIO(a_vector_list_is_written),
                                        SCENARIO(a_supervisor_runs_workers),
                                        SCENARIO(state_and_result_are_kept),
                                        SCENARIO(random_numbers_continue_from_vertex_to_vertex),
                                        SCENARIO(an_executable_carries_the_code),
                                        SCENARIO(source_text_is_assembled),
                                        SCENARIO(a_trace_shows_the_slots),
                                        SCENARIO(an_estimate_overrides_the_count),
                                        SCENARIO(cycles_depend_on_the_data),
                                        SCENARIO(fields_stand_where_they_were_placed),
                                        SCENARIO(conflicts_are_those_of_the_placement),
                                        SCENARIO(a_conflict_names_the_constraint),
                                        SCENARIO(a_copied_field_has_its_own_element),
                                        SCENARIO(profiles_have_what_ran),
                                        SCENARIO(weights_stay_on_the_tile),
                                        SCENARIO(a_store_beyond_a_field_is_found),
                                        SCENARIO(a_wild_store_is_found),
                                        cmocka_unit_test(code_has_the_size_of_its_words),
                                        cmocka_unit_test(popc_lists_the_size_of_code) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
