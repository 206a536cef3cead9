/* SPDX-License-Identifier: Apache-2.0 */
/* fill and zero: all types, scattered mappings, aliases, parts of tensors; and their costs. */
#include "poplibs/bed.h"

#include <popops/codelets.h>
#include <popops/fill.h>

static void test_every_type_gets_the_value(void **state)
{
    (void)state;
    static const pop_type types[] = { POP_HALF,  POP_FLOAT,          POP_INT,  POP_UNSIGNED_INT, POP_BOOL,
                                      POP_SHORT, POP_UNSIGNED_SHORT, POP_CHAR, POP_UNSIGNED_CHAR };
    for (enum bed_device device = BED_CPU; device < BED_DEVICES; ++device)
        for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
            struct bed bed = bed_open(device, 5, popops_add_codelets_at);
            pop_tensor t = bed_input(&bed, types[i], POP_SHAPE(7, 13), BED_SCATTERED),
                       part = pop_tensor_slice(t, 2, 5, 0);
            popops_fill(bed.graph, part, bed.program, types[i] == POP_HALF ? 0.1 : 3, "x");
            double *got = bed_run(&bed, t), *given = bed_given(&bed, t);
            double three = types[i] == POP_BOOL ? 1 : types[i] == POP_HALF ? 0.0999755859375 : 3;
            for (size_t k = 0; k < 91; ++k)
                assert_true(got[k] == (k >= 26 && k < 65 ? three : given[k]));
            bed_close(&bed);
        }
}

static void test_zero_of_aliases_and_empty_tensors(void **state)
{
    (void)state;
    struct bed bed = bed_open(BED_MODEL, 3, popops_add_codelets_at);
    pop_tensor t = bed_input(&bed, POP_FLOAT, POP_SHAPE(4, 3), BED_SCATTERED);
    popops_zero(bed.graph, pop_tensor_broadcast(pop_tensor_at(t, 1), 5, 0), bed.program, "twice");
    popops_zero(bed.graph, pop_tensor_slice(t, 1, 1, 0), bed.program, "nothing");
    pop_compute_set set = pop_graph_add_compute_set(bed.graph, "on a tile");
    popops_zero_on_tile(bed.graph, t, POP_INTERVALS({ 0, 2 }), 2, set);
    popops_zero_in(bed.graph, pop_tensor_at(t, 3), set);
    pop_sequence_add(bed.program, pop_execute(set, "on a tile"));
    double *got = bed_run(&bed, t), *given = bed_given(&bed, t);
    for (size_t k = 0; k < 12; ++k)
        assert_true(got[k] == (k < 2 || (k >= 3 && k < 6) || k >= 9 ? 0 : given[k]));
    bed_close(&bed);
}

static void test_cost_and_codelets_twice(void **state)
{
    (void)state;
    struct bed bed = bed_open(BED_MODEL, 2, popops_add_codelets_at);
    popops_add_codelets(bed.graph);
    pop_tensor t = bed_input(&bed, POP_FLOAT, POP_SHAPE(12 * 64), BED_LINEAR);
    popops_zero(bed.graph, t, bed.program, "zero");
    bed_run(&bed, t);
    pop_cycles cycles;
    assert_int_equal(pop_engine_cycles(bed.engine, &cycles, NULL), POP_OK);
    assert_int_equal(cycles.compute, 6 * (20 + 32)); /* 64 floats a worker */
    bed_close(&bed);
}

static void test_unmapped_is_an_error(void **state)
{
    (void)state;
    struct bed bed = bed_open(BED_MODEL, 2, popops_add_codelets_at);
    popops_zero(bed.graph, pop_graph_add_variable(bed.graph, POP_FLOAT, POP_SHAPE(3), "x"), bed.program, "zero");
    assert_error(bed.graph, POP_INVALID_TILE_MAPPING, "popops_zero", "not mapped");
    bed_close(&bed);
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
