/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices in assembly in a program: on modelled IPUs and the CPU, in the normal and in the checked mode. */
#include "world.h"

#include <stdio.h>
#include <string.h>

static void add_codelets(struct world *w)
{
    pop_graph_add_codelets(w->graph, TESTS_ASSEMBLY ".cpp");
    pop_graph_add_codelets(w->graph, TESTS_ASSEMBLY ".S");
    must_build(w);
}

static void connect(struct world *w, pop_vertex v, const char *field, pop_tensor t)
{
    pop_graph_connect(w->graph, v, field, t);
    must_build(w);
}

static pop_tensor floats(struct world *w, const char *name, size_t count)
{
    pop_tensor t = world_variable(w, POP_FLOAT, POP_SHAPE(count), name);
    pop_graph_set_tile_mapping(w->graph, t, 0);
    return t;
}

static void a_worker_adds_two_vectors(struct world *w)
{
    add_codelets(w);
    pop_tensor a = floats(w, "a", 6), b = floats(w, "b", 6), out = floats(w, "out", 6);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "add");
    pop_vertex v = world_vertex(w, set, "assembly::AddPairs", 0);
    connect(w, v, "a", a);
    connect(w, v, "b", b);
    connect(w, v, "out", out);
    world_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    const float x[] = { 1, 2, 3, 4, 5, 6 }, y[] = { 10, 20, 30, 40, 50, 60 };
    WORLD_PUT(w, "a", x);
    WORLD_PUT(w, "b", y);
    world_run(w, 0);
    WORLD_FLOATS(w, "out", 11, 22, 33, 44, 55, 66);
    if (strcmp(w->machine, "cpu") != 0) { /* 7 + 5 * 3 + exit slots */
        pop_error error = { 0 };
        pop_cycles cycles = { 0 };
        must(pop_engine_cycles(w->engine, &cycles, &error), &error);
        assert_int_equal(cycles.compute, 6 * 23);
    }
}

static void six_workers_scale_a_vector(struct world *w)
{
    enum { PAIRS = 17 };
    float in[2 * PAIRS], out[2 * PAIRS];
    add_codelets(w);
    pop_tensor x = floats(w, "in", 2 * PAIRS), y = floats(w, "out", 2 * PAIRS);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "scale");
    pop_vertex v = world_vertex(w, set, "assembly::Scale<float>", 0);
    connect(w, v, "in", x);
    connect(w, v, "out", y);
    pop_graph_set_field_int(w->graph, v, "pairs", PAIRS);
    pop_graph_set_field_double(w->graph, v, "factor", 0.5);
    must_build(w);
    world_start(w, POP_PROGRAMS(pop_execute(set, NULL)));
    for (int i = 0; i < 2 * PAIRS; ++i)
        in[i] = (float)i;
    WORLD_PUT(w, "in", in);
    world_run(w, 0);
    world_get(w, "out", out, sizeof(out));
    for (int i = 0; i < 2 * PAIRS; ++i)
        assert_true(out[i] == (float)i / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = { SCENARIO(a_worker_adds_two_vectors), SCENARIO(six_workers_scale_a_vector) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
