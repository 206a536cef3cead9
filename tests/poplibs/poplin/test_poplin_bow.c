/* SPDX-License-Identifier: Apache-2.0 */
/* Products of {rows,16} by {16,16} halves with half partials on one tile of a bow, beside the cycles that follow from
 * the rates published for all its tiles (bench/anchors/published/bow-amp.csv: rows, TFLOPS, cycles). */
#include "poplibs/numeric.h"

#include <poplin/codelets.h>
#include <poplin/mat_mul.h>
#include <popops/codelets.h>

enum { MOST_POINTS = 100 };
struct point {
    unsigned rows;
    double cycles;
};

static size_t read_points(struct point *points)
{
    FILE *file = fopen(SOURCE_DIR "/bench/anchors/published/bow-amp.csv", "r");
    char line[128];
    size_t count = 0;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof(line), file));
    while (fgets(line, sizeof(line), file)) {
        double rate;
        assert_true(count < MOST_POINTS);
        assert_int_equal(sscanf(line, "%u,%lf,%lf", &points[count].rows, &rate, &points[count].cycles), 3);
        ++count;
    }
    fclose(file);
    return count;
}

/* The cycles of the product's vertices, whose operands come as its plan has them.  The product is the published one
 * transposed: the columns of the second operand are then the positions of the conv unit, whatever a plan's cost of
 * exchanging operands. */
static uint64_t product_cycles(pop_device *device, unsigned rows)
{
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    pop_options options = POP_OPTIONS({ "partialsType", "half" });
    pop_program program = pop_sequence(graph, "product");
    pop_cycles cycles;
    pop_error error;
    popops_add_codelets(graph);
    poplin_add_codelets(graph);
    pop_tensor a = poplin_create_mat_mul_input_lhs(graph, POP_HALF, POP_HALF, POP_SHAPE(16, 16), POP_SHAPE(16, rows),
                                                   "a", options, NULL);
    pop_tensor b = poplin_create_mat_mul_input_rhs(graph, POP_HALF, POP_HALF, POP_SHAPE(16, 16), POP_SHAPE(16, rows),
                                                   "b", options, NULL);
    poplin_mat_mul(graph, a, b, program, "mm", options, NULL);
    assert_built(graph);
    pop_engine *engine = pop_engine_create(graph, POP_PROGRAMS(program), POP_NO_OPTIONS, &error);
    if (!engine || pop_engine_load(engine, device, &error) != POP_OK || pop_engine_run(engine, 0, &error) != POP_OK ||
        pop_engine_cycles(engine, &cycles, &error) != POP_OK)
        fail_msg("%s", error.text);
    pop_engine_destroy(engine);
    pop_graph_destroy(graph);
    return cycles.compute;
}

static void products_take_the_published_cycles(void **state)
{
    (void)state;
    struct point points[MOST_POINTS];
    size_t count = read_points(points);
    pop_target target;
    pop_error error;
    assert_int_equal(count, 64);
    assert_int_equal(pop_target_from_text("bow type=ipu_model tiles=1", &target, &error), POP_OK);
    pop_device *device = pop_device_create(&target, &error);
    assert_non_null(device);
    for (size_t i = 0; i < count; ++i) {
        double cycles = (double)product_cycles(device, points[i].rows);
        printf("%4u rows: published %7.1f, ours %6.0f\n", points[i].rows, points[i].cycles, cycles);
        assert_true(fabs(cycles - points[i].cycles) <= 2);
    }
    pop_device_destroy(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(products_take_the_published_cycles) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
