/* SPDX-License-Identifier: Apache-2.0 */
/* Casts: every pair of types on scattered mappings, in all forms; cost and errors. */
#include "poplibs/numeric.h"

#include <popops/cast.h>
#include <popops/codelets.h>
#include <popops/expr.h>

static const pop_type types[] = { POP_HALF,  POP_FLOAT,          POP_INT,         POP_UNSIGNED_INT,
                                  POP_BOOL,  POP_CHAR,           POP_SIGNED_CHAR, POP_UNSIGNED_CHAR,
                                  POP_SHORT, POP_UNSIGNED_SHORT, POP_LONGLONG,    POP_UNSIGNED_LONGLONG };
enum { TYPES = sizeof(types) / sizeof(types[0]) };

/* Values in the range of the result type for a real converted to an integer; any if integers wrap. */
static pop_tensor input_of(struct fixture *fixture, pop_type from, pop_type to, pop_shape shape,
                           enum fixture_mapping mapping)
{
    bool positive = pop_type_is_integral(to) && !pop_type_is_signed(to) && to != POP_BOOL;
    if (pop_type_is_floating_point(from))
        return fixture_input_of(fixture, from, shape, mapping, positive ? 0 : -100, 100);
    if (from == POP_BOOL)
        return fixture_input_of(fixture, from, shape, mapping, 0, 2);
    return pop_type_is_signed(from) ? fixture_input_of(fixture, from, shape, mapping, -128, 128)
                                    : fixture_input_of(fixture, from, shape, mapping, 0, 256);
}

/* As a cast in C. */
static double *cast_of(const double *values, size_t count, pop_type from, pop_type to)
{
    void *given = malloc(count * 8 + 1), *cast = malloc(count * 8 + 1);
    double *wanted = malloc(count * sizeof(double) + 1);
    pop_convert(POP_DOUBLE, values, from, given, count);
    pop_convert(from, given, to, cast, count);
    pop_convert(to, cast, POP_DOUBLE, wanted, count);
    free(given);
    free(cast);
    return wanted;
}

static void test_every_pair(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t from = 0; from < TYPES; ++from) {
            struct fixture fixture = fixture_open(device, 3, popops_add_codelets_at);
            fixture.random += from;
            pop_tensor in[TYPES], out[TYPES];
            double *got[TYPES];
            for (size_t to = 0; to < TYPES; ++to) {
                in[to] = input_of(&fixture, types[from], types[to], POP_SHAPE(5, 1 + to, 3), to % 3);
                if (to % 2)
                    out[to] = popops_cast(fixture.graph, in[to], types[to], fixture.program, "c");
                else {
                    pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "set");
                    out[to] = popops_cast_in(fixture.graph, in[to], types[to], set, "c");
                    pop_sequence_add(fixture.program, pop_execute(set, NULL));
                }
                assert_int_equal(pop_tensor_type(out[to]), types[to]);
                assert_int_equal(pop_tensor_rank(out[to]), 3);
            }
            fixture_run_all(&fixture, out, got, TYPES);
            for (size_t to = 0; to < TYPES; ++to) {
                size_t count = pop_tensor_num_elements(in[to]);
                double *wanted = cast_of(fixture_given(&fixture, in[to]), count, types[from], types[to]);
                for (size_t i = 0; i < count; ++i)
                    if (got[to][i] != wanted[i])
                        fail_msg("%s to %s: %g where %g was expected", pop_type_name(types[from]),
                                 pop_type_name(types[to]), got[to][i], wanted[i]);
                free(wanted);
            }
            fixture_close(&fixture);
        }
}

static void test_outputs_elsewhere(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        struct fixture fixture = fixture_open(device, 4, popops_add_codelets_at);
        pop_tensor in = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(31, 7), FIXTURE_SCATTERED), out[4];
        for (size_t i = 0; i < 4; ++i)
            out[i] = fixture_input(&fixture, i == 3 ? POP_FLOAT : POP_HALF, POP_SHAPE(7, 31), FIXTURE_LINEAR);
        pop_tensor turned = pop_tensor_transpose(in);
        popops_cast_with_output(fixture.graph, turned, out[0], fixture.program, "x");
        pop_sequence_add(fixture.program, popops_cast_program(fixture.graph, turned, out[1], "x"));
        pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "set");
        popops_cast_to(fixture.graph, turned, out[2], set);
        pop_sequence_add(fixture.program, pop_execute(set, NULL));
        pop_sequence_add(fixture.program, popops_cast_program(fixture.graph, turned, out[3], "x")); /* a copy */
        double *got[4], *given = fixture_given(&fixture, in);
        for (size_t i = 0; i < 4; ++i)
            fixture.tensors[1 + i].written = false;
        pop_tensor read[4];
        for (size_t i = 0; i < 4; ++i)
            read[i] = pop_tensor_transpose(out[i]);
        fixture_run_all(&fixture, read, got, 4);
        double *half = cast_of(given, 217, POP_FLOAT, POP_HALF);
        for (size_t i = 0; i < 4; ++i)
            fixture_check(got[i], i == 3 ? given : half, 217, 0, 0);
        free(half);
        fixture_close(&fixture);
    }
}

static void test_empty_tensors_and_views(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, popops_add_codelets_at);
    pop_tensor in = fixture_input(&fixture, POP_INT, POP_SHAPE(6), FIXTURE_SCATTERED);
    pop_tensor none = popops_cast(fixture.graph, pop_tensor_slice(in, 2, 2, 0), POP_HALF, fixture.program, "none");
    assert_int_equal(pop_tensor_num_elements(none), 0);
    pop_tensor rank0 = popops_cast(fixture.graph, pop_tensor_at(in, 3), POP_FLOAT, fixture.program, "one");
    pop_tensor wide = popops_cast(fixture.graph, pop_tensor_broadcast(in, 3, 0), POP_FLOAT, fixture.program, "wide"),
               outs[] = { rank0, wide };
    double *got[2], *given = fixture_given(&fixture, in);
    fixture_run_all(&fixture, outs, got, 2);
    assert_true(got[0][0] == given[3]);
    for (size_t i = 0; i < 18; ++i)
        assert_true(got[1][i] == given[i % 6]);
    fixture_close(&fixture);
}

/* As a compiled expression. */
static pop_tensor map_cast(struct fixture *fixture, pop_tensor t, pop_type type)
{
    popops_expr_node nodes[] = { { .kind = POPOPS_EXPR_PLACEHOLDER, .op = 1 },
                                 { .kind = POPOPS_EXPR_CAST, .type = type } };
    return popops_map_expr(fixture->graph, ((popops_expr){ nodes, 2 }), POP_TENSORS(t), fixture->program, "m",
                           POP_OPTIONS({ "forceGenerateCodelet", "true" }));
}
/* A real beyond an integer type gives its nearest bound and a NaN 0: the rule of pop_convert, hence of constants and
 * initial values, too. */
static void test_reals_beyond_the_type(void **state)
{
    (void)state;
    static const double values[] = { 300,        256,        255.9, -1,   -0.5,   -300,    1000,   65504,
                                     INFINITY,   -INFINITY,  NAN,   128,  -129,   127.9,   -128.9, 7e4,
                                     2147483648, 4294967296, 3e9,   -3e9, 9.3e18, -9.3e18, 2e19,   -2e19 };
    enum { COUNT = sizeof(values) / sizeof(values[0]) };
    for (unsigned test = 0; test < 4; ++test) {
        struct fixture fixture = fixture_open(test / 2 ? FIXTURE_MODEL : FIXTURE_CPU, 3, popops_add_codelets_at);
        pop_type from = test % 2 ? POP_HALF : POP_FLOAT;
        pop_tensor in = pop_graph_add_variable(fixture.graph, from, POP_SHAPE(COUNT), "in"), out[2 * TYPES];
        fixture_map(&fixture, in, FIXTURE_LINEAR);
        fixture_write(&fixture, in, values, 0, 0);
        double *got[2 * TYPES];
        size_t count = 0;
        for (size_t to = 2; to < TYPES; ++to) {
            out[count++] = popops_cast(fixture.graph, in, types[to], fixture.program, "c");
            if (types[to] != POP_CHAR && types[to] != POP_SIGNED_CHAR && types[to] != POP_UNSIGNED_CHAR)
                out[count++] = map_cast(&fixture, in, types[to]);
        }
        fixture_run_all(&fixture, out, got, count);
        for (size_t i = 0; i < count; ++i) {
            double *wanted = cast_of(values, COUNT, from, pop_tensor_type(out[i]));
            fixture_check(got[i], wanted, COUNT, 0, 0);
            free(wanted);
        }
        fixture_close(&fixture);
    }
}

static void test_accuracy(void **state)
{
    (void)state;
    static const double values[] = { 0, 1, 1.0009765625, 1.0004, 65504, 1e6, 3e-7, -0.1, INFINITY }, tolerance = 1e-4;
    enum { COUNT = sizeof(values) / sizeof(values[0]) };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        struct fixture fixture = fixture_open(device, 2, popops_add_codelets_at);
        pop_tensor outs[COUNT + 1];
        double *got[COUNT + 1];
        for (size_t i = 0; i < COUNT; ++i) {
            pop_tensor in = pop_graph_add_variable(fixture.graph, POP_FLOAT, POP_SHAPE(1), "in");
            pop_graph_set_tile_mapping(fixture.graph, in, device == FIXTURE_CPU ? 0 : i % 2);
            fixture_write(&fixture, in, &values[i], 0, 0);
            outs[i] = popops_check_accuracy_when_cast(fixture.graph, in, POP_HALF, tolerance, fixture.program, "a");
            if (i == 3)
                outs[COUNT] =
                    popops_check_accuracy_when_cast(fixture.graph, in, POP_FLOAT, tolerance, fixture.program, "a");
        }
        fixture_run_all(&fixture, outs, got, COUNT + 1);
        for (size_t i = 0; i < COUNT; ++i) {
            double *half = cast_of(&values[i], 1, POP_FLOAT, POP_HALF);
            assert_int_equal(got[i][0],
                             isfinite(*half) && fabs(*half - (double)(float)values[i]) < tolerance * fabs(values[i]));
            free(half);
        }
        assert_true(got[COUNT][0] == 1);
        fixture_close(&fixture);
    }
}

/* 7 + 6 (20 + worker), where the worker of 24 halves takes 2 + 26 + 2 * 6. */
static void a_cast_takes_the_published_cycles(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, popops_add_codelets_at);
    pop_tensor in = fixture_input(&fixture, POP_HALF, POP_SHAPE(144), FIXTURE_ONE_TILE);
    fixture_run(&fixture, popops_cast(fixture.graph, in, POP_FLOAT, fixture.program, "c"));
    pop_cycles cycles;
    assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, NULL), POP_OK);
    assert_int_equal(cycles.compute, 7 + 6 * (20 + 2 + 26 + 12));
    fixture_close(&fixture);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, popops_add_codelets_at);
    pop_tensor in = fixture_input(&fixture, POP_HALF, POP_SHAPE(4, 2), FIXTURE_LINEAR),
               out = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(8), FIXTURE_LINEAR), null = { 0 };
    popops_cast_with_output(fixture.graph, in, out, fixture.program, "c");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_cast_with_output",
                 "the output has shape {8}, the input {4,2}");
    popops_cast(fixture.graph, null, POP_FLOAT, fixture.program, "c");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_cast", "null tensor");
    popops_cast(fixture.graph, in, POP_DOUBLE, fixture.program, "c");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popops_cast", "a cast to double");
    popops_cast_program(fixture.graph, in,
                        pop_tensor_broadcast(pop_tensor_slice(pop_tensor_reshape(out, POP_SHAPE(4, 2)), 0, 1, 0), 4, 0),
                        "c");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_cast_program", "repeated elements");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pair),
        cmocka_unit_test(test_outputs_elsewhere),
        cmocka_unit_test(test_empty_tensors_and_views),
        cmocka_unit_test(test_reals_beyond_the_type),
        cmocka_unit_test(test_accuracy),
        cmocka_unit_test(a_cast_takes_the_published_cycles),
        cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
