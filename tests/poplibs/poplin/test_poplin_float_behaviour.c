/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries' vertices follow the tiles' floating-point behaviour: casts, element-wise operations, expressions and
 * products of half round stochastically, an exception names its vertex, and values that a kernel computes besides its
 * results raise none. */
#include "poplibs/numeric.h"

#include <poplin/codelets.h>
#include <poplin/mat_mul.h>
#include <popops/cast.h>
#include <popops/codelets.h>
#include <popops/element_wise.h>
#include <popops/expr.h>

enum { COUNT = 8192, SIDE = 64 };

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    poplin_add_codelets_at(where, graph);
}

static struct fixture open_behaving(enum fixture_device device, pop_float_behaviour behaviour)
{
    struct fixture fixture = fixture_open(device, 4, add_codelets);
    pop_set_float_behaviour(fixture.graph, fixture.program, behaviour, NULL);
    return fixture;
}

static pop_tensor constant_input(struct fixture *fixture, pop_type type, pop_shape shape, double value)
{
    pop_tensor t = pop_graph_add_variable(fixture->graph, type, shape, "input");
    double *values = malloc(pop_tensor_num_elements(t) * sizeof(*values) + 1);
    for (size_t i = 0; i < pop_tensor_num_elements(t); ++i)
        values[i] = value;
    fixture_map(fixture, t, FIXTURE_LINEAR);
    fixture_write(fixture, t, values, 0, 0);
    free(values);
    return t;
}

/* Results are one of the two neighbours, and their mean is the exact value, within some of a half's last places. */
static void expect_unbiased(struct fixture *fixture, pop_tensor out, double expected, double place)
{
    size_t count = pop_tensor_num_elements(out), low = 0, high = 0;
    double *got = fixture_run(fixture, out), sum = 0, below = floor(expected / place) * place;
    for (size_t i = 0; i < count; ++i) {
        low += got[i] == below;
        high += got[i] == below + place;
        sum += got[i];
    }
    assert_int_equal(low + high, count);
    assert_true(low > 0 && high > 0);
    assert_true(fabs(sum / (double)count - expected) < 4 * place / sqrt((double)count));
}

static void casts_round_stochastically(void **state)
{
    (void)state;
    for (enum fixture_device d = FIXTURE_CPU; d < FIXTURE_DEVICES; ++d) {
        struct fixture fixture = open_behaving(d, (pop_float_behaviour){ .esr = true });
        pop_tensor in = constant_input(&fixture, POP_FLOAT, POP_SHAPE(COUNT), 3 + 1.0 / 2048);
        expect_unbiased(&fixture, popops_cast(fixture.graph, in, POP_HALF, fixture.program, NULL), 3 + 1.0 / 2048,
                        1.0 / 512);
        fixture_close(&fixture);
    }
}

static void element_wise_operations_round_stochastically(void **state)
{
    (void)state;
    for (enum fixture_device d = FIXTURE_CPU; d < FIXTURE_DEVICES; ++d) {
        struct fixture fixture = open_behaving(d, (pop_float_behaviour){ .esr = true });
        pop_tensor a = constant_input(&fixture, POP_HALF, POP_SHAPE(COUNT), 1),
                   b = constant_input(&fixture, POP_HALF, POP_SHAPE(COUNT), 1.0 / 4096);
        expect_unbiased(&fixture, popops_add(fixture.graph, a, b, fixture.program, NULL), 1 + 1.0 / 4096, 1.0 / 1024);
        fixture_close(&fixture);
        fixture = open_behaving(d, (pop_float_behaviour){ .esr = true });
        a = constant_input(&fixture, POP_HALF, POP_SHAPE(COUNT), 1);
        b = constant_input(&fixture, POP_HALF, POP_SHAPE(COUNT), 3.0 / 8192);
        expect_unbiased(&fixture,
                        popops_map(fixture.graph, "_1 + _2", POP_TENSORS(a, b), fixture.program, NULL, POP_NO_OPTIONS),
                        1 + 3.0 / 8192, 1.0 / 1024);
        fixture_close(&fixture);
    }
}

static void products_round_stochastically(void **state)
{
    (void)state;
    struct fixture fixture = open_behaving(FIXTURE_MODEL, (pop_float_behaviour){ .esr = true });
    pop_tensor a = constant_input(&fixture, POP_HALF, POP_SHAPE(SIDE, SIDE), 1.0 / SIDE),
               b = constant_input(&fixture, POP_HALF, POP_SHAPE(SIDE, SIDE), 1 + 1.0 / 1024);
    pop_tensor c =
        poplin_mat_mul(fixture.graph, a, b, fixture.program, NULL, POP_OPTIONS({ "partialsType", "float" }), NULL);
    double *got = fixture_run(&fixture, c);
    for (size_t i = 0; i < SIDE * SIDE; ++i) /* exact: nothing to round */
        assert_true(got[i] == 1 + 1.0 / 1024);
    fixture_close(&fixture);
    fixture = open_behaving(FIXTURE_MODEL, (pop_float_behaviour){ .esr = true });
    a = constant_input(&fixture, POP_HALF, POP_SHAPE(SIDE, SIDE), 1.0 / SIDE * (1 + 1.0 / 128));
    b = constant_input(&fixture, POP_HALF, POP_SHAPE(SIDE, SIDE), 1 + 1.0 / 64);
    expect_unbiased(
        &fixture,
        poplin_mat_mul(fixture.graph, a, b, fixture.program, NULL, POP_OPTIONS({ "partialsType", "float" }), NULL),
        (1 + 1.0 / 128) * (1 + 1.0 / 64), 1.0 / 1024);
    fixture_close(&fixture);
}

/* The exceptions of a run of division. */
static pop_status divide(enum fixture_device device, double divisor, char *text, size_t size)
{
    struct fixture fixture = open_behaving(device, (pop_float_behaviour){ .inv = true, .div0 = true, .oflo = true });
    pop_tensor a = constant_input(&fixture, POP_FLOAT, POP_SHAPE(37), 1),
               b = constant_input(&fixture, POP_FLOAT, POP_SHAPE(37), divisor);
    popops_div(fixture.graph, a, b, fixture.program, NULL);
    assert_built(fixture.graph);
    pop_error error = { 0 };
    pop_tensor written[] = { a, b };
    for (size_t i = 0; i < 2; ++i)
        pop_graph_create_host_write(fixture.graph, i ? "b" : "a", written[i]);
    fixture.engine = pop_engine_create(fixture.graph, POP_PROGRAMS(fixture.program), POP_NO_OPTIONS, &error);
    assert_non_null(fixture.engine);
    assert_int_equal(pop_engine_load(fixture.engine, fixture.device, &error), POP_OK);
    float values[37];
    for (size_t i = 0; i < 2; ++i) {
        for (size_t k = 0; k < 37; ++k)
            values[k] = i ? (float)divisor : 1;
        assert_int_equal(pop_engine_write_tensor(fixture.engine, i ? "b" : "a", values, sizeof(values), &error),
                         POP_OK);
    }
    pop_status status = pop_engine_run(fixture.engine, 0, &error);
    snprintf(text, size, "%s", status == POP_OK ? "" : error.text);
    fixture_close(&fixture);
    return status;
}

static void exceptions_name_the_librarys_vertex(void **state)
{
    (void)state;
    char text[1024];
    for (enum fixture_device d = FIXTURE_CPU; d < FIXTURE_DEVICES; ++d) {
        assert_int_equal(divide(d, 0, text, sizeof(text)), POP_APPLICATION_RUNTIME_ERROR);
        assert_non_null(strstr(text, "div0"));
        assert_non_null(strstr(text, "popops::"));
        assert_int_equal(divide(d, 2, text, sizeof(text)), POP_OK); /* nor elements beyond the last of 37 */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(casts_round_stochastically),
        cmocka_unit_test(element_wise_operations_round_stochastically),
        cmocka_unit_test(products_round_stochastically),
        cmocka_unit_test(exceptions_name_the_librarys_vertex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
