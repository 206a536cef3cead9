/* SPDX-License-Identifier: Apache-2.0 */
/* C++ codelets in an engine: kinds, fields, state, half; the checked mode, in which every scenario also runs, gives the
 * same results and finds writes beyond a field. */
#include "fixture.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void add_codelets(struct fixture *w)
{
    if (!pop_graph_add_codelets(w->graph, SYSTEM_CPP_CODELETS)) {
        pop_error error;
        pop_graph_take_error(w->graph, &error);
        fail_msg("%s", error.text);
    }
}

static void vectors_scalars_and_defaults(struct fixture *w)
{
    add_codelets(w);
    pop_tensor in = fixture_variable(w, POP_FLOAT, POP_SHAPE(6), "in"),
               out = fixture_variable(w, POP_FLOAT, POP_SHAPE(2), "out");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL);
    for (unsigned i = 0; i < 2; ++i) {
        pop_vertex vertex = fixture_vertex(w, set, "cpp::Sum<float>", i);
        pop_graph_connect(w->graph, vertex, "in", i ? pop_tensor_reverse(in, 0) : pop_tensor_slice(in, 1, 4, 0));
        pop_graph_connect(w->graph, vertex, "out", pop_tensor_at(out, i));
        if (i)
            pop_graph_set_field_double(w->graph, vertex, "scale", 0.5);
    }
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    FIXTURE_PUT(w, "in", ((const float[]){ 1, 2, 3, 4, 5, 6.5f }));
    fixture_run(w, 0);
    FIXTURE_FLOATS(w, "out", 9, 10.75f);
}

static void rows_lists_and_state(struct fixture *w)
{
    add_codelets(w);
    pop_tensor m = fixture_variable(w, POP_INT, POP_SHAPE(2, 3), "m"),
               sums = fixture_variable(w, POP_INT, POP_SHAPE(2), "sums");
    pop_tensor total = fixture_variable(w, POP_INT, POP_SHAPE(1), "total");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL), lists = pop_graph_add_compute_set(w->graph, NULL);
    pop_vertex rows = fixture_vertex(w, set, "cpp::RowSums", 0), list = fixture_vertex(w, lists, "cpp::ListSum", 1);
    pop_graph_connect(w->graph, rows, "rows", m);
    pop_graph_connect(w->graph, rows, "sums", sums);
    pop_graph_set_field_vector(w->graph, rows, POP_FIELD("weights", POP_WHOLE), POP_INT, (const int[]){ 10, 100 }, 2);
    pop_graph_connect_list(w->graph, list, "lists",
                           POP_TENSORS(pop_tensor_at(m, 0), pop_tensor_slice(pop_tensor_at(m, 1), 1, 3, 0)));
    pop_graph_connect_list(w->graph, list, "more", POP_TENSORS(pop_tensor_at(sums, 0), pop_tensor_at(sums, 1)));
    pop_graph_connect(w->graph, list, "sum", total);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL), pop_execute(lists, NULL)));
    FIXTURE_PUT(w, "m", ((const int[]){ 1, 2, 3, 4, 5, 6 }));
    fixture_run(w, 0);
    FIXTURE_INTS(w, "sums", 60, 1500);
    fixture_run(w, 1);
    FIXTURE_INTS(w, "total", 6 + 11 + 1560);
}

static void multi_vertices_and_supervisors(struct fixture *w)
{
    add_codelets(w);
    pop_tensor data = fixture_variable(w, POP_INT, POP_SHAPE(8), "data"),
               x = fixture_variable(w, POP_INT, POP_SHAPE(1), "x");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL);
    pop_graph_connect(w->graph, fixture_vertex(w, set, "cpp::Worker", 0), "data", pop_tensor_reverse(data, 0));
    pop_graph_connect(w->graph, fixture_vertex(w, set, "cpp::Supervisor", 1), "x", x);
    fixture_start(w, POP_PROGRAMS(pop_repeat(2, pop_execute(set, NULL), NULL)));
    FIXTURE_PUT(w, "data", ((const int[]){ 0, 0, 0, 0, 0, 0, 0, 100 }));
    FIXTURE_PUT(w, "x", ((const int[]){ 1 }));
    fixture_run(w, 0);
    FIXTURE_INTS(w, "data", 4, 2, 12, 10, 8, 6, 4, 102);
    FIXTURE_INTS(w, "x", 1 + 5 + 6);
}

/* half cannot represent 2051: sums grow in steps of 2 above 2048. */
static void half_rounds_to_nearest_even(struct fixture *w)
{
    add_codelets(w);
    pop_tensor in = fixture_variable(w, POP_HALF, POP_SHAPE(4), "in"),
               out = fixture_variable(w, POP_HALF, POP_SHAPE(4), "out");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL);
    pop_vertex vertex = fixture_vertex(w, set, "cpp::HalfSteps", 0);
    pop_graph_connect(w->graph, vertex, "in", in);
    pop_graph_connect(w->graph, vertex, "out", out);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    FIXTURE_PUT(w, "in", ((const uint16_t[]){ 0x6155, 0x3c00, 0x3c00, 0x2e66 })); /* 682.5, 1, 1, 0.1 (0.09997559) */
    fixture_run(w, 0);
    uint16_t seen[4];
    fixture_get(w, "out", seen, sizeof(seen));
    static const uint16_t expected[] = { 0x6800, 0x6802, 0x6804,
                                         0x6804 }; /* 2048 (from 2047.5), 2052 (from 2051), 2056, 2056 */
    assert_memory_equal(seen, expected, sizeof(seen));
}

static void a_failed_assertion_names_the_vertex(struct fixture *w)
{
    add_codelets(w);
    pop_tensor out = fixture_variable(w, POP_INT, POP_SHAPE(4), "out");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL);
    pop_vertex vertex = fixture_vertex(w, set, "cpp::Bad", 0);
    pop_graph_connect(w->graph, vertex, "out", out);
    pop_graph_set_field_int(w->graph, vertex, "at", 100);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    fixture_run_fails(w, 0, POP_APPLICATION_RUNTIME_ERROR, "cpp::Bad");
    fixture_run_fails(w, 0, POP_APPLICATION_RUNTIME_ERROR, "assertion 'at < 100' failed");
}

static void writes_beyond_a_field_are_found(struct fixture *w)
{
    if (!w->checked)
        return;
    add_codelets(w);
    pop_tensor out = fixture_variable(w, POP_INT, POP_SHAPE(8), "out");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL);
    pop_vertex vertex = fixture_vertex(w, set, "cpp::Bad", 0);
    pop_graph_connect(w->graph, vertex, "out", pop_tensor_slice(out, 0, 4, 0));
    pop_graph_set_field_int(w->graph, vertex, "at", 5);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    fixture_run_fails(w, 0, POP_APPLICATION_RUNTIME_ERROR, "out");
}

static void a_compute_in_assembly_fails_only_the_run(struct fixture *w)
{
    add_codelets(w);
    pop_tensor out = fixture_variable(w, POP_INT, POP_SHAPE(1), "out");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL);
    pop_graph_connect(w->graph, fixture_vertex(w, set, "cpp::External", 0), "out", out);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    fixture_run_fails(w, 0, POP_APPLICATION_RUNTIME_ERROR, "its compute is declared and not defined");
}

static void source_text_is_compiled(struct fixture *w)
{
    assert_true(pop_graph_add_codelets_source(
        w->graph,
        "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
        "class Twice : public Vertex { public: InOut<int> x; bool compute() { *x = *x * N; return true; } };\n",
        POP_FILE_CPP, "-O3 -DN=2 -ffast-math"));
    pop_tensor x = fixture_variable(w, POP_INT, POP_SHAPE(1), "x");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL);
    pop_graph_connect(w->graph, fixture_vertex(w, set, "Twice", 0), "x", x);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    FIXTURE_PUT(w, "x", ((const int[]){ 21 }));
    fixture_run(w, 0);
    FIXTURE_INTS(w, "x", 42);
}

/* Vertices of two sets, on tiles in no order; a MultiVertex too. A reading of the counter of cycles takes six of them.
 */
static void asks_tiles(struct fixture *w, pop_options options)
{
    enum { VERTICES = 11 };
    assert_true(pop_graph_add_codelets_source(
        w->graph,
        "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
        "class Ask : public Vertex { public: Output<unsigned> tile; Output<unsigned> cycles;\n"
        "    void compute() { *tile = __builtin_ipu_get_tile_id(); unsigned from = __builtin_ipu_get_scount_l();\n"
        "        *cycles = 100 * (__builtin_ipu_get_scount_l() - from) + from + __builtin_ipu_get_scount_u(); } };\n"
        "class Asks : public MultiVertex { public: Output<Vector<unsigned>> tiles;\n"
        "    void compute(unsigned w) { tiles[w] = 10 * __builtin_ipu_get_tile_id() + w; } };\n"
        "class Silent : public Vertex { public: Output<unsigned> x; void compute() { *x = 7; } };\n",
        POP_FILE_CPP, NULL));
    pop_tensor tile = fixture_variable(w, POP_UNSIGNED_INT, POP_SHAPE(2, VERTICES), "tile"),
               cycles = fixture_variable(w, POP_UNSIGNED_INT, POP_SHAPE(2, VERTICES), "cycles"),
               tiles = fixture_variable(w, POP_UNSIGNED_INT, POP_SHAPE(6), "tiles"),
               silent = fixture_variable(w, POP_UNSIGNED_INT, POP_SHAPE(1), "silent");
    unsigned expected[2][VERTICES], all[6], seen[2][VERTICES], seen_all[6];
    pop_compute_set sets[2];
    for (unsigned s = 0; s < 2; ++s) {
        sets[s] = pop_graph_add_compute_set(w->graph, NULL);
        if (s)
            pop_graph_connect(w->graph, fixture_vertex(w, sets[s], "Silent", 2), "x", pop_tensor_at(silent, 0));
        for (unsigned i = 0; i < VERTICES; ++i) {
            pop_vertex vertex = fixture_vertex(w, sets[s], "Ask", 5 * i + s + i / 4);
            expected[s][i] = (5 * i + s + i / 4) % w->tiles;
            pop_graph_connect(w->graph, vertex, "tile", pop_tensor_at(pop_tensor_at(tile, s), i));
            pop_graph_connect(w->graph, vertex, "cycles", pop_tensor_at(pop_tensor_at(cycles, s), i));
        }
    }
    pop_graph_connect(w->graph, fixture_vertex(w, sets[1], "Asks", w->tiles - 1), "tiles", tiles);
    fixture_start_with(w, POP_PROGRAMS(pop_execute(sets[0], NULL), pop_execute(sets[1], NULL)), options);
    for (unsigned i = 0; i < 6; ++i)
        all[i] = 10 * (w->tiles - 1) + i;
    for (unsigned run = 0; run < 2; ++run) {
        fixture_run(w, 0);
        fixture_run(w, 1);
        fixture_get(w, "tile", seen, sizeof(seen));
        assert_memory_equal(seen, expected, sizeof(seen));
        fixture_get(w, "tiles", seen_all, sizeof(seen_all));
        assert_memory_equal(seen_all, all, sizeof(all));
        fixture_get(w, "cycles", seen, sizeof(seen));
        for (unsigned i = 0; i < VERTICES; ++i)
            assert_int_equal(seen[1][i], 606);
    }
}

static void vertices_know_their_tiles(struct fixture *w)
{
    asks_tiles(w, (pop_options){ 0 });
}
/* ThreadSanitizer refuses a process that starts threads after a fork. */
#ifdef __SANITIZE_THREAD__
enum { CAN_ISOLATE = false };
#else
enum { CAN_ISOLATE = true };
#endif
static void isolated_vertices_know_their_tiles(struct fixture *w)
{
    if (!w->checked && CAN_ISOLATE)
        asks_tiles(w, POP_OPTIONS({ "debug.isolateCodelets", "true" }));
}
static void rounding_vertices_know_their_tiles(struct fixture *w)
{
    asks_tiles(w, POP_OPTIONS({ "prng.enableStochasticRounding", "true" }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENARIO(vectors_scalars_and_defaults),
        SCENARIO(rows_lists_and_state),
        SCENARIO(multi_vertices_and_supervisors),
        SCENARIO(half_rounds_to_nearest_even),
        SCENARIO(a_failed_assertion_names_the_vertex),
        SCENARIO(writes_beyond_a_field_are_found),
        SCENARIO(a_compute_in_assembly_fails_only_the_run),
        SCENARIO(source_text_is_compiled),
        SCENARIO(vertices_know_their_tiles),
        SCENARIO(isolated_vertices_know_their_tiles),
        SCENARIO(rounding_vertices_know_their_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
