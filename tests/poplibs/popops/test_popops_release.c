/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates of element-wise vertices by the formulas of Poplibs 1.2 and of 2021, calculated by hand. */
#include "poplibs/numeric.h"

#include <popops/codelets.h>

static pop_graph *graph_of_release(const char *release)
{
    pop_target target;
    pop_error error;
    pop_options options = POP_OPTIONS({ "poplibsRelease", release });
    assert_int_equal(pop_target_create_ipu_options(1, 1, "ipu2", options, &target, &error), POP_OK);
    pop_graph *graph = pop_graph_create(&target);
    popops_add_codelets(graph);
    return graph;
}

struct field {
    const char *name;
    pop_type type;
};
/* Cycles of a vertex with fields of these sizes. */
static uint64_t cycles_of(const char *release, const char *type, const struct field *fields, size_t elements)
{
    pop_graph *graph = graph_of_release(release);
    pop_vertex vertex = pop_graph_add_vertex(graph, pop_graph_add_compute_set(graph, "set"), type);
    for (; fields->name; ++fields) {
        pop_tensor t = pop_graph_add_variable(graph, fields->type, POP_SHAPE(elements), fields->name);
        pop_graph_connect(graph, vertex, fields->name, t);
    }
    uint64_t cycles = pop_graph_get_perf_estimate(graph, vertex).cycles;
    pop_error error = { 0 };
    assert_int_equal(pop_graph_take_error(graph, &error), POP_OK);
    pop_graph_destroy(graph);
    return cycles;
}

static void estimates_follow_the_formulas(void **state)
{
    (void)state;
    /* 60 elements: 10 for each of 6 workers, 5 vectors of floats, 3 of halves */
    const struct {
        const char *type;
        struct field fields[4];
        uint64_t first, later; /* releases 1.2 and 2021 */
    } rows[] = {
        { "popops::BinaryOp1DSupervisor<popops::expr::BinaryOpType::ADD,float>",
          { { "in1", POP_FLOAT }, { "in2", POP_FLOAT }, { "out", POP_FLOAT } },
          198 + 6 * (22 + 3 * 5),
          11 + 6 * (41 + 3 * 5) },
        { "popops::BinaryOp1DSupervisor<popops::expr::BinaryOpType::MULTIPLY,half>",
          { { "in1", POP_HALF }, { "in2", POP_HALF }, { "out", POP_HALF } },
          198 + 6 * (22 + 3 * 3),
          11 + 6 * (32 + 3 * 3) },
        { "popops::BinaryOp1DInPlaceSupervisor<popops::expr::BinaryOpType::SUBTRACT,float>",
          { { "in1Out", POP_FLOAT }, { "in2", POP_FLOAT } },
          198 + 6 * (13 + 3 * 5),
          11 + 6 * (58 + 3 * 5) },
        { "popops::UnaryOp1DInPlaceSupervisor<popops::expr::UnaryOpType::TANH,half>",
          { { "inOut", POP_HALF } },
          198 + 9 + 6 * (20 + 6 * 3),
          11 + 9 + 6 * (55 + 6 * 3) },
        /* groups of four: 12 elements for the worker with the most */
        { "popops::CastSupervisor<float,half>",
          { { "src", POP_FLOAT }, { "dst", POP_HALF } },
          7 + 6 * (20 + 4 + 26 + 2 * 3),
          19 + 6 * (23 + 19 + 2 * 3 + 2) },
        { "popops::CastSupervisor<half,float>",
          { { "src", POP_HALF }, { "dst", POP_FLOAT } },
          7 + 6 * (20 + 2 + 26 + 2 * 3),
          19 + 6 * (23 + 19 + 6 + 1) },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        assert_int_equal(cycles_of("1.2", rows[i].type, rows[i].fields, 60), rows[i].first);
        assert_int_equal(cycles_of("2021", rows[i].type, rows[i].fields, 60), rows[i].later);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(estimates_follow_the_formulas) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
