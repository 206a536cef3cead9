/* SPDX-License-Identifier: Apache-2.0 */
/* fill and zero: all types, scattered mappings, aliases, parts of tensors; and their costs. */
#include "poplibs/numeric.h"

#include <popops/codelets.h>
#include <popops/fill.h>

static void test_every_type_gets_the_value(void **state)
{
    (void)state;
    static const pop_type types[] = { POP_HALF,  POP_FLOAT,          POP_INT,  POP_UNSIGNED_INT, POP_BOOL,
                                      POP_SHORT, POP_UNSIGNED_SHORT, POP_CHAR, POP_UNSIGNED_CHAR };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
            struct fixture fixture = fixture_open(device, 5, popops_add_codelets_at);
            pop_tensor t = fixture_input(&fixture, types[i], POP_SHAPE(7, 13), FIXTURE_SCATTERED),
                       part = pop_tensor_slice(t, 2, 5, 0);
            popops_fill(fixture.graph, part, fixture.program, types[i] == POP_HALF ? 0.1 : 3, "x");
            double *got = fixture_run(&fixture, t), *given = fixture_given(&fixture, t);
            double three = types[i] == POP_BOOL ? 1 : types[i] == POP_HALF ? 0.0999755859375 : 3;
            for (size_t k = 0; k < 91; ++k)
                assert_true(got[k] == (k >= 26 && k < 65 ? three : given[k]));
            fixture_close(&fixture);
        }
}

static void test_zero_of_aliases_and_empty_tensors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, popops_add_codelets_at);
    pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4, 3), FIXTURE_SCATTERED);
    popops_zero(fixture.graph, pop_tensor_broadcast(pop_tensor_at(t, 1), 5, 0), fixture.program, "twice");
    popops_zero(fixture.graph, pop_tensor_slice(t, 1, 1, 0), fixture.program, "nothing");
    pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "on a tile");
    popops_zero_on_tile(fixture.graph, t, POP_INTERVALS({ 0, 2 }), 2, set);
    popops_zero_in(fixture.graph, pop_tensor_at(t, 3), set);
    pop_sequence_add(fixture.program, pop_execute(set, "on a tile"));
    double *got = fixture_run(&fixture, t), *given = fixture_given(&fixture, t);
    for (size_t k = 0; k < 12; ++k)
        assert_true(got[k] == (k < 2 || (k >= 3 && k < 6) || k >= 9 ? 0 : given[k]));
    fixture_close(&fixture);
}

static void test_cost_and_codelets_twice(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, popops_add_codelets_at);
    popops_add_codelets(fixture.graph);
    pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(12 * 64), FIXTURE_LINEAR);
    popops_zero(fixture.graph, t, fixture.program, "zero");
    fixture_run(&fixture, t);
    pop_cycles cycles;
    assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, NULL), POP_OK);
    assert_int_equal(cycles.compute, 6 * (20 + 32)); /* 64 floats a worker */
    fixture_close(&fixture);
}

static void test_unmapped_is_an_error(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, popops_add_codelets_at);
    popops_zero(fixture.graph, pop_graph_add_variable(fixture.graph, POP_FLOAT, POP_SHAPE(3), "x"), fixture.program,
                "zero");
    assert_error(fixture.graph, POP_INVALID_TILE_MAPPING, "popops_zero", "not mapped");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type_gets_the_value),
        cmocka_unit_test(test_zero_of_aliases_and_empty_tensors),
        cmocka_unit_test(test_cost_and_codelets_twice),
        cmocka_unit_test(test_unmapped_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
