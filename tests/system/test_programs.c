/* SPDX-License-Identifier: Apache-2.0 */
/* Typical programs: the guide's matrix-vector product, a compute set in several programs, a loop until convergence, a
 * stop from outside, results that do not depend on the number of threads. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 23, COLUMNS = 31, SPLIT = 4 };

/* Each row in SPLIT pieces, a dot product for each, and a sum: tutorial 7. */
static pop_program matrix_vector(struct fixture *w, pop_tensor matrix, pop_tensor in, pop_tensor out)
{
    pop_tensor partials = pop_graph_add_variable(w->graph, POP_FLOAT, POP_SHAPE(ROWS, SPLIT), "partials");
    pop_compute_set multiply = pop_graph_add_compute_set(w->graph, "mul"),
                    reduce = pop_graph_add_compute_set(w->graph, "reduce");
    fixture_spread(w, partials);
    for (unsigned row = 0; row < ROWS; ++row) {
        for (unsigned piece = 0; piece < SPLIT; ++piece) {
            size_t begin = COLUMNS * piece / SPLIT, end = COLUMNS * (piece + 1) / SPLIT;
            pop_vertex v = pop_graph_add_vertex_connected(
                w->graph, multiply, "DotProduct",
                POP_CONNECTIONS({ "a", pop_tensor_slice(pop_tensor_at(matrix, row), begin, end, 0) },
                                { "b", pop_tensor_slice(in, begin, end, 0) },
                                { "out", pop_tensor_index(partials, POP_SHAPE(row, piece)) }));
            pop_graph_map_vertex(w->graph, v, (row * SPLIT + piece) % w->tiles);
        }
        pop_vertex sum = fixture_vertex(w, reduce, "SumVertex", row);
        pop_graph_connect(w->graph, sum, "in", pop_tensor_at(partials, row));
        pop_graph_connect(w->graph, sum, "out", pop_tensor_at(out, row));
    }
    return pop_sequence_of(w->graph, POP_PROGRAMS(pop_execute(multiply, NULL), pop_execute(reduce, NULL)),
                           "matrix vector");
}

static void the_guides_matrix_vector_product(struct fixture *w)
{
    fixture_codelets(w);
    pop_tensor matrix = pop_graph_add_variable(w->graph, POP_FLOAT, POP_SHAPE(ROWS, COLUMNS), "matrix");
    pop_tensor in = pop_graph_add_variable(w->graph, POP_FLOAT, POP_SHAPE(COLUMNS), "in"),
               out = pop_graph_add_variable(w->graph, POP_FLOAT, POP_SHAPE(ROWS), "out");
    fixture_spread(w, matrix);
    fixture_spread(w, in);
    fixture_spread(w, out);
    pop_stream matrix_stream = pop_graph_add_host_to_device_fifo(w->graph, "matrix", POP_FLOAT, ROWS * COLUMNS,
                                                                 POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    pop_stream in_stream =
        pop_graph_add_host_to_device_fifo(w->graph, "in", POP_FLOAT, COLUMNS, POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    pop_stream out_stream = pop_graph_add_device_to_host_fifo(w->graph, "out", POP_FLOAT, ROWS, POP_NO_OPTIONS);
    fixture_start(w, POP_PROGRAMS(pop_sequence_of(w->graph,
                                                  POP_PROGRAMS(pop_copy_from_stream(matrix_stream, matrix, false, NULL),
                                                               pop_copy_from_stream(in_stream, in, false, NULL)),
                                                  NULL),
                                  matrix_vector(w, matrix, in, out), pop_copy_to_stream(out, out_stream, false, NULL)));
    float m[ROWS][COLUMNS], x[COLUMNS], y[ROWS];
    struct dice dice = { 7 };
    for (int j = 0; j < COLUMNS; ++j) {
        x[j] = (float)dice_roll(&dice, 17) - 8;
        for (int i = 0; i < ROWS; ++i)
            m[i][j] = (float)dice_roll(&dice, 17) - 8;
    }
    pop_error error = { 0 };
    must(pop_engine_connect_stream(w->engine, "matrix", m, &error), &error);
    must(pop_engine_connect_stream(w->engine, "in", x, &error), &error);
    must(pop_engine_connect_stream(w->engine, "out", y, &error), &error);
    for (unsigned program = 0; program < 3; ++program)
        fixture_run(w, program);
    for (int i = 0; i < ROWS; ++i) {
        float expected = 0; /* small integers: exact in any order */
        for (int j = 0; j < COLUMNS; ++j)
            expected += m[i][j] * x[j];
        assert_true(y[i] == expected);
    }
}

static void a_set_in_several_programs_and_vertices_added_late(struct fixture *w)
{
    fixture_codelets(w);
    pop_tensor v = fixture_variable(w, POP_FLOAT, POP_SHAPE(4), "v");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL);
    pop_program twice = pop_repeat(2, pop_execute(set, NULL), NULL), once = pop_execute(set, NULL);
    pop_graph_connect(w->graph, fixture_vertex(w, set, "AddOne", 0), "data", pop_tensor_slice(v, 0, 2, 0));
    pop_graph_connect(w->graph, fixture_vertex(w, set, "AddOne", 1), "data",
                      pop_tensor_slice(v, 2, 3, 0)); /* added after the programs */
    fixture_start(w, POP_PROGRAMS(twice, once));
    fixture_run(w, 0);
    fixture_run(w, 1);
    FIXTURE_FLOATS(w, "v", 3, 3, 3, 0);
    pop_graph_connect(w->graph, fixture_vertex(w, set, "AddOne", 2), "data",
                      pop_tensor_slice(v, 3, 4, 0)); /* part of the next engine only */
    fixture_run(w, 1);
    FIXTURE_FLOATS(w, "v", 4, 4, 4, 0);
    fixture_start(w, POP_PROGRAMS(twice, once));
    fixture_run(w, 0);
    FIXTURE_FLOATS(w, "v", 2, 2, 2, 2);
}

static void a_graph_is_usable_after_a_program_that_does_not_compile(struct fixture *w)
{
    fixture_codelets(w);
    pop_tensor v = fixture_variable(w, POP_FLOAT, POP_SHAPE(2), "v");
    pop_compute_set bad = pop_graph_add_compute_set(w->graph, "bad"),
                    good = pop_graph_add_compute_set(w->graph, "good");
    pop_graph_connect(w->graph, fixture_vertex(w, bad, "AddOne", 0), "data", v);
    pop_graph_connect(w->graph, fixture_vertex(w, bad, "AddOne", 1), "data", v);
    pop_graph_connect(w->graph, fixture_vertex(w, good, "AddOne", 1), "data", v);
    pop_error error = { 0 };
    assert_null(pop_engine_create(w->graph, POP_PROGRAMS(pop_execute(bad, NULL)), POP_NO_OPTIONS, &error));
    assert_int_equal(error.status, POP_GRAPH_CYCLE_ERROR);
    pop_graph_take_error(w->graph, NULL);
    fixture_start(w, POP_PROGRAMS(pop_execute(good, NULL)));
    fixture_run(w, 0);
    FIXTURE_FLOATS(w, "v", 1, 1);
}

struct stopper {
    struct fixture *w;
    int calls;
};

static pop_status stop_at_five(const void *const *inputs, void *const *outputs, void *user)
{
    struct stopper *s = user;
    (void)inputs, (void)outputs;
    if (++s->calls == 5)
        pop_engine_stop(s->w->engine);
    return POP_OK;
}

static void a_run_stops_when_asked_and_can_run_again(struct fixture *w)
{
    pop_tensor v = fixture_variable(w, POP_INT, POP_SHAPE(1), "v");
    pop_host_function tick = pop_graph_add_host_function(w->graph, "tick", NULL, 0, NULL, 0);
    pop_program call = pop_call_host(tick, (pop_tensors){ 0 }, (pop_tensors){ 0 }, NULL);
    fixture_start(
        w,
        POP_PROGRAMS(pop_repeat(1000000000,
                                pop_sequence_of(w->graph, POP_PROGRAMS(call, pop_copy(v, v, false, NULL)), NULL), NULL),
                     call));
    struct stopper stopper = { w, 0 };
    pop_error error = { 0 };
    must(pop_engine_connect_host_function(w->engine, "tick", stop_at_five, &stopper, &error), &error);
    pop_status status = pop_engine_run(w->engine, 0, &error); /* the run may end before the stop takes effect */
    (void)status;
    assert_int_equal(stopper.calls, 5);
    fixture_run(w, 1);
    assert_int_equal(stopper.calls, 6);
}

/* A loop whose condition is a consensus: every element goes up by one until one of them is 0. */
static void a_loop_until_all_vertices_agree(struct fixture *w)
{
    fixture_codelets(w);
    pop_tensor t = fixture_variable(w, POP_INT, POP_SHAPE(6), "t"),
               busy = fixture_variable(w, POP_BOOL, POP_SHAPE(), "busy");
    pop_compute_set test = pop_graph_add_compute_set(w->graph, NULL), step = pop_graph_add_compute_set(w->graph, NULL);
    for (unsigned i = 0; i < 6; ++i)
        pop_graph_connect(w->graph, fixture_vertex(w, test, "NotZero", i), "x", pop_tensor_at(t, i));
    pop_vertex v = fixture_vertex(w, step, "Successor", 0);
    pop_graph_connect(w->graph, v, "x", t);
    pop_graph_connect(w->graph, v, "y", t);
    fixture_start(w, POP_PROGRAMS(pop_repeat_while_true(pop_execute_consensus(test, busy, NULL), busy,
                                                        pop_execute(step, NULL), NULL)));
    FIXTURE_PUT(w, "t", ((const int[]){ -9, -7, -20, -8, 5, -30 }));
    fixture_run(w, 0);
    FIXTURE_INTS(w, "t", -2, 0, -13, -1, 12, -23);
}

/* The same bytes with 1, 2 and 4 threads. */
static void threads_do_not_change_results(struct fixture *w)
{
    enum { N = 997 };
    fixture_codelets(w);
    pop_tensor v = fixture_variable(w, POP_FLOAT, POP_SHAPE(N, 7), "v"),
               sums = fixture_variable(w, POP_FLOAT, POP_SHAPE(N), "sums");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL), add = pop_graph_add_compute_set(w->graph, NULL);
    for (unsigned i = 0; i < N; ++i) {
        pop_vertex vertex = fixture_vertex(w, set, "SumVertex", i);
        pop_graph_connect(w->graph, vertex, "in",
                          i % 2 ? pop_tensor_at(v, i)
                                : pop_tensor_slice(pop_tensor_flatten(pop_tensor_transpose(v)), i, i + 7, 0));
        pop_graph_connect(w->graph, vertex, "out", pop_tensor_at(sums, i));
        pop_graph_connect(w->graph, fixture_vertex(w, add, "AddOne", i), "data",
                          pop_tensor_reverse(pop_tensor_at(v, i), 0));
    }
    float *values = malloc(N * 7 * sizeof(*values)), *results[3];
    struct dice dice = { 3 };
    for (int i = 0; i < N * 7; ++i)
        values[i] = (float)dice_roll(&dice, 1000000) / 7;
    static const char *const threads[] = { "1", "2", "4" };
    for (int k = 0; k < 3; ++k) {
        fixture_start_with(
            w,
            POP_PROGRAMS(pop_repeat(
                3, pop_sequence_of(w->graph, POP_PROGRAMS(pop_execute(add, NULL), pop_execute(set, NULL)), NULL),
                NULL)),
            POP_OPTIONS({ "target.hostThreads", threads[k] }));
        fixture_put(w, "v", values, N * 7 * sizeof(*values));
        fixture_run(w, 0);
        results[k] = malloc(N * sizeof(float));
        fixture_get(w, "sums", results[k], N * sizeof(float));
        assert_memory_equal(results[k], results[0], N * sizeof(float));
    }
    for (int k = 0; k < 3; ++k)
        free(results[k]);
    free(values);
}

/* A virtual graph has its own tile numbers, and shares everything else with its parent graph. */
static void virtual_graphs_build_one_program(struct fixture *w)
{
    if (w->tiles < 7)
        return;
    fixture_codelets(w);
    pop_tensor v = fixture_variable(w, POP_FLOAT, POP_SHAPE(4), "v"),
               s = fixture_variable(w, POP_FLOAT, POP_SHAPE(2), "s");
    pop_compute_set set = pop_graph_add_compute_set(w->graph, NULL);
    pop_graph *parts[] = { pop_graph_create_virtual_range(w->graph, 0, 3),
                           pop_graph_create_virtual_tiles(w->graph, POP_DIMS(6, 4)) };
    for (unsigned i = 0; i < 2; ++i) {
        pop_vertex sum = pop_graph_add_vertex(parts[i], set, "SumVertex");
        pop_graph_connect(parts[i], sum, "in", pop_tensor_slice(v, 2 * i, 2 * i + 2, 0));
        pop_graph_connect(parts[i], sum, "out", pop_tensor_at(s, i));
        pop_graph_set_tile_mapping(parts[i], pop_tensor_at(s, i), 1);
        pop_graph_map_vertex(parts[i], sum, 1);
    }
    assert_int_equal(pop_graph_physical_tile(parts[1], 1), 4);
    assert_int_equal(pop_graph_virtual_tile(parts[1], 6), 0);
    fixture_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    pop_graph_destroy(parts[0]);
    pop_graph_destroy(parts[1]);
    FIXTURE_PUT(w, "v", ((const float[]){ 1, 2, 3, 4 }));
    fixture_run(w, 0);
    FIXTURE_FLOATS(w, "s", 3, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENARIO(the_guides_matrix_vector_product),
        SCENARIO(a_set_in_several_programs_and_vertices_added_late),
        SCENARIO(a_graph_is_usable_after_a_program_that_does_not_compile),
        SCENARIO(a_run_stops_when_asked_and_can_run_again),
        SCENARIO(a_loop_until_all_vertices_agree),
        SCENARIO(threads_do_not_change_results),
        SCENARIO(virtual_graphs_build_one_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
