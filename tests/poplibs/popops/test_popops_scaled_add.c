/* SPDX-License-Identifier: Apache-2.0 */
/* Scaled additions: all types and forms on scattered mappings, against double precision; cost and errors. */
#include "poplibs/numeric.h"

#include <popops/codelets.h>
#include <popops/scaled_add.h>

enum form { ADD, SUBTRACT, ADD_BOTH, MIX, SUBTRACT_BOTH, FORMS };

static double wanted_of(enum form form, double a, double b, double x, double y)
{
    switch (form) {
    case ADD:
        return a + y * b;
    case SUBTRACT:
        return a - y * b;
    case ADD_BOTH:
        return x * a + y * b;
    case MIX:
        return a - x * a + y * b;
    default:
        return x * a - y * b;
    }
}

static pop_tensor factor(struct fixture *fixture, pop_type type, double value)
{
    pop_tensor t = pop_graph_add_variable(fixture->graph, type, POP_SHAPE(1), "factor");
    fixture_write(fixture, t, &value, 0, 0); /* unmapped: it is mapped */
    return t;
}

static void call(struct fixture *fixture, enum form form, pop_tensor a, pop_tensor b, double x, double y,
                 pop_type scale, pop_options options)
{
    pop_graph *graph = fixture->graph;
    pop_program seq = fixture->program;
    pop_tensor tx = scale && form >= ADD_BOTH ? factor(fixture, scale, x) : (pop_tensor){ 0 },
               ty = scale ? factor(fixture, scale, y) : tx;
    popops_scaled_add_specialisation how = form == MIX ? POPOPS_X_MINUS_AX_PLUS_BY : POPOPS_SCALED_ADD_DEFAULT;
    switch (form) {
    case ADD:
        if (scale)
            popops_scaled_add_to(graph, a, b, ty, seq, "s", options);
        else
            popops_scaled_add_to_constant(graph, a, b, y, seq, "s", options);
        break;
    case SUBTRACT:
        if (scale)
            popops_scaled_subtract_from(graph, a, b, ty, seq, "s", options);
        else
            popops_scaled_subtract_from_constant(graph, a, b, y, seq, "s", options);
        break;
    case SUBTRACT_BOTH:
        if (scale)
            popops_scaled_subtract_both(graph, a, tx, b, ty, seq, "s", options);
        else
            popops_scaled_subtract_both_constant(graph, a, x, b, y, seq, "s", options);
        break;
    default:
        if (scale)
            popops_scaled_add_both(graph, a, tx, b, ty, seq, how, "s", options);
        else
            popops_scaled_add_both_constant(graph, a, x, b, y, seq, how, "s", options);
    }
}

static double rounded(pop_type type, double value)
{
    uint64_t bits = 0;
    pop_convert(POP_DOUBLE, &value, type, &bits, 1);
    pop_convert(type, &bits, POP_DOUBLE, &value, 1);
    return value;
}

static void check_form(enum fixture_device device, enum form form, pop_type data, pop_type delta, pop_type scale,
                       unsigned seed)
{
    struct fixture fixture = fixture_open(device, 3, popops_add_codelets_at);
    fixture.random = seed;
    bool integer = !pop_type_is_floating_point(data);
    double x = integer ? 1 + (double)(seed % 3) : 0.7, y = integer ? 3 : seed % 2 ? 0.3 : -1.5;
    pop_tensor a = fixture_input(&fixture, data, POP_SHAPE(7, 1 + seed % 9), seed % 3),
               b = fixture_input(&fixture, delta, POP_SHAPE(7, 1 + seed % 9), seed % 2);
    call(&fixture, form, a, b, x, y, scale, seed % 4 ? POP_NO_OPTIONS : POP_OPTIONS({ "optimizeForSpeed", "true" }));
    double *got = fixture_run(&fixture, a), *as = fixture_given(&fixture, a), *bs = fixture_given(&fixture, b);
    x = scale ? rounded(scale, x) : x;
    y = scale ? rounded(scale, y) : y;
    double tolerance = data == POP_HALF ? 5e-4 : data == POP_FLOAT ? 3e-7 : 0;
    if ((form >= ADD_BOTH && data == POP_HALF) || (data == POP_FLOAT && delta == POP_HALF)) /* b was half before */
        tolerance = tolerance < 4e-7 ? 4e-7 : 1e-3;
    for (size_t i = 0; i < pop_tensor_num_elements(a); ++i) {
        double wanted = wanted_of(form, as[i], bs[i], x, y);
        if (data == POP_UNSIGNED_INT)
            wanted = fmod(wanted + 4294967296.0, 4294967296.0);
        if (!(fabs(got[i] - wanted) <= tolerance * (fabs(as[i]) + fabs(y * bs[i]) + 1e-4)))
            fail_msg("form %d, %s += %s * %s: %.9g where %.9g was expected", (int)form, pop_type_name(data),
                     pop_type_name(scale), pop_type_name(delta), got[i], wanted);
    }
    fixture_close(&fixture);
}

static void test_every_form(void **state)
{
    (void)state;
    static const pop_type reals[] = { POP_HALF, POP_FLOAT }, scales[] = { POP_TYPE_NULL, POP_HALF, POP_FLOAT },
                          integers[] = { POP_INT, POP_UNSIGNED_INT };
    unsigned seed = 1;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (enum form form = ADD; form < FORMS; ++form) {
            for (size_t i = 0; i < 12; ++i)
                check_form(device, form, reals[i % 2], reals[i / 2 % 2], scales[i / 4], ++seed);
            for (size_t i = 0; i < 4; ++i)
                check_form(device, form, integers[i % 2], integers[i % 2], i / 2 ? integers[i % 2] : POP_TYPE_NULL,
                           ++seed);
        }
}

/* A constant that half cannot represent is not rounded; within the tolerance it is. */
static void test_factor_of_half(void **state)
{
    (void)state;
    for (int coarse = 0; coarse < 2; ++coarse) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, popops_add_codelets_at);
        double zero = 0, big = 2048, tenth = 0.1;
        pop_tensor a = pop_graph_add_variable(fixture.graph, POP_HALF, POP_SHAPE(), "a"),
                   b = pop_graph_add_variable(fixture.graph, POP_HALF, POP_SHAPE(), "b");
        fixture_map(&fixture, a, FIXTURE_ONE_TILE);
        fixture_map(&fixture, b, FIXTURE_ONE_TILE);
        fixture_write(&fixture, a, &zero, 0, 0);
        fixture_write(&fixture, b, &big, 0, 0);
        popops_scaled_add_to_constant(fixture.graph, a, b, tenth, fixture.program, "s",
                                      coarse ? POP_OPTIONS({ "scaleFloatToHalfTolerance", "0.01" }) : POP_NO_OPTIONS);
        double *got = fixture_run(&fixture, a);
        assert_true(got[0] == (coarse ? 2048 * rounded(POP_HALF, 0.1) : rounded(POP_HALF, 204.8)));
        fixture_close(&fixture);
    }
}

static void test_empty_tensors_views_and_cost(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, popops_add_codelets_at);
    pop_tensor a = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(12, 12), FIXTURE_ONE_TILE),
               b = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(12), FIXTURE_ONE_TILE);
    popops_scaled_add_to_constant(fixture.graph, pop_tensor_slice(a, 3, 3, 0), pop_tensor_slice(a, 3, 3, 0), 2,
                                  fixture.program, "s", POP_NO_OPTIONS);
    popops_scaled_add_to_constant(fixture.graph, a,
                                  pop_tensor_broadcast(pop_tensor_reshape(b, POP_SHAPE(1, 12)), 12, 0), 2,
                                  fixture.program, "s", POP_NO_OPTIONS);
    double *got = fixture_run(&fixture, a), *as = fixture_given(&fixture, a), *bs = fixture_given(&fixture, b);
    for (size_t i = 0; i < 144; ++i)
        assert_true(fabs(got[i] - (as[i] + 2 * bs[i % 12])) < 1e-6);
    fixture_close(&fixture);

    fixture = fixture_open(FIXTURE_MODEL, 1, popops_add_codelets_at);
    a = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(144), FIXTURE_ONE_TILE),
    b = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(144), FIXTURE_ONE_TILE);
    popops_scaled_add_to_constant(fixture.graph, a, b, 2, fixture.program, "s", POP_NO_OPTIONS);
    fixture_run(&fixture, a);
    pop_cycles cycles;
    assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, NULL), POP_OK);
    assert_int_equal(cycles.compute, 21 + 198 + 7 + 12 + 6 * (18 + 6 + 3 * 11)); /* 12 vectors a worker */
    fixture_close(&fixture);
}

/* Elements of other operands that overlap a are read before they are written. */
static void test_operands_that_overlap(void **state)
{
    (void)state;
    enum { COUNT = 203 };
    for (enum fixture_device d = FIXTURE_CPU; d < FIXTURE_DEVICES; ++d)
        for (int tested = 0; tested < 3; ++tested) { /* b before a, b after a, a factor of a */
            struct fixture fixture = fixture_open(d, 3, popops_add_codelets_at);
            pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(COUNT),
                                         d == FIXTURE_CPU ? FIXTURE_ONE_TILE : FIXTURE_SCATTERED);
            pop_tensor head = pop_tensor_slice(t, 0, COUNT - 1, 0), tail = pop_tensor_slice(t, 1, COUNT, 0);
            double *given = fixture_given(&fixture, t), wanted[COUNT];
            memcpy(wanted, given, sizeof(wanted));
            if (tested == 2)
                popops_scaled_add_to(fixture.graph, t, t, pop_tensor_at(t, 0), fixture.program, "s", POP_NO_OPTIONS);
            else
                popops_scaled_add_to_constant(fixture.graph, tested ? head : tail, tested ? tail : head, 0.5,
                                              fixture.program, "s", POP_NO_OPTIONS);
            for (size_t i = 0; i < COUNT; ++i)
                if (tested == 2)
                    wanted[i] += given[0] * given[i];
                else if (tested ? i + 1 < COUNT : i > 0)
                    wanted[i] += 0.5 * given[tested ? i + 1 : i - 1];
            fixture_check(fixture_run(&fixture, t), wanted, COUNT, 1e-6, 1e-6);
            fixture_close(&fixture);
        }
}

/* b of a type for which there are no vertices is cast to a's. */
static void test_other_types_of_b(void **state)
{
    (void)state;
    static const pop_type types[][2] = { { POP_FLOAT, POP_INT },
                                         { POP_HALF, POP_UNSIGNED_INT },
                                         { POP_INT, POP_UNSIGNED_INT },
                                         { POP_INT, POP_SHORT },
                                         { POP_FLOAT, POP_BOOL } };
    for (unsigned test = 0; test < 10; ++test) {
        struct fixture fixture = fixture_open(test / 5 ? FIXTURE_MODEL : FIXTURE_CPU, 2, popops_add_codelets_at);
        pop_tensor a = fixture_input(&fixture, types[test % 5][0], POP_SHAPE(5, 3), FIXTURE_SCATTERED),
                   b = fixture_input(&fixture, types[test % 5][1], POP_SHAPE(5, 3), FIXTURE_LINEAR);
        double *x = fixture_given(&fixture, a), *y = fixture_given(&fixture, b), wanted[15];
        for (size_t i = 0; i < 15; ++i)
            wanted[i] = x[i] + 2 * y[i] - 3 * y[i];
        popops_scaled_add_to_constant(fixture.graph, a, b, 2, fixture.program, "s", POP_NO_OPTIONS);
        popops_scaled_subtract_from_constant(fixture.graph, a, b, 3, fixture.program, "s", POP_NO_OPTIONS);
        fixture_check(fixture_run(&fixture, a), wanted, 15, 0, types[test % 5][0] == POP_HALF ? 0.05 : 1e-5);
        fixture_close(&fixture);
    }
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, popops_add_codelets_at);
    pop_tensor a = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4, 2), FIXTURE_LINEAR),
               b = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(8), FIXTURE_LINEAR);
    pop_tensor i = fixture_input(&fixture, POP_INT, POP_SHAPE(4, 2), FIXTURE_LINEAR), null = { 0 },
               s = factor(&fixture, POP_FLOAT, 1);
    popops_scaled_add_to_constant(fixture.graph, a, b, 1, fixture.program, "s", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_scaled_add_to_constant", "shapes {4,2} and {8} differ");
    pop_tensor deep[2];
    for (size_t last = 1; last <= 2; ++last) /* they differ in the last of 17 dimensions */
        deep[last - 1] = fixture_input(&fixture, POP_FLOAT,
                                       POP_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, last), FIXTURE_LINEAR);
    popops_scaled_add_to_constant(fixture.graph, deep[0], deep[1], 1, fixture.program, "s", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_scaled_add_to_constant",
                 "1,1} and {1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2} differ");
    popops_scaled_add_to(fixture.graph, a, null, s, fixture.program, "s", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_scaled_add_to", "b is a null tensor");
    popops_scaled_subtract_from(fixture.graph, fixture_input(&fixture, POP_BOOL, POP_SHAPE(4, 2), FIXTURE_LINEAR), i, s,
                                fixture.program, "s", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_TYPE_ERROR, "popops_scaled_subtract_from", "a is bool; half, float");
    popops_scaled_subtract_from(fixture.graph, i, i, s, fixture.program, "s", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_TYPE_ERROR, "popops_scaled_subtract_from",
                 "a factor is float; for int tensors it must be int");
    popops_scaled_add_both_constant(fixture.graph, i, 2, i, 2, fixture.program, POPOPS_SCALED_ADD_DEFAULT, "s",
                                    POP_NO_OPTIONS);
    assert_built(fixture.graph);
    popops_scaled_add_to(fixture.graph, a, a, b, fixture.program, "s", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_scaled_add_to", "a factor has 8 elements");
    popops_scaled_add_to(fixture.graph, a, a, s, fixture.program, "s", POP_OPTIONS({ "optimiseForSpeed", "true" }));
    assert_error(fixture.graph, POP_INVALID_OPTION, "popops_scaled_add_to", "optimizeForSpeed");
    popops_scaled_add_to(fixture.graph, a, a, s, fixture.program, "s", POP_OPTIONS({ "optimizeForSpeed", NULL }));
    assert_error(fixture.graph, POP_INVALID_OPTION, "popops_scaled_add_to", "option 1 has no value");
    popops_scaled_add_to(fixture.graph, a, a, s, fixture.program, "s", POP_OPTIONS({ NULL, "true" }));
    assert_error(fixture.graph, POP_INVALID_OPTION, "popops_scaled_add_to", "option 1 has no key");
    popops_scaled_add_to(fixture.graph, pop_tensor_broadcast(pop_tensor_slice(a, 0, 1, 0), 4, 0), a, s, fixture.program,
                         "s", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_scaled_add_to", "repeated elements");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_form),
        cmocka_unit_test(test_factor_of_half),
        cmocka_unit_test(test_empty_tensors_views_and_cost),
        cmocka_unit_test(test_operands_that_overlap),
        cmocka_unit_test(test_other_types_of_b),
        cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
