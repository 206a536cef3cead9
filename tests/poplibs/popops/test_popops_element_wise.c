/* SPDX-License-Identifier: Apache-2.0 */
/* Every operator of operators.def, every type, both devices, scattered and other mappings, all three forms, against
 * double precision. */
#include "poplibs/popops/element_wise_references.h"

#include <popops/codelets.h>

/* Operands of one shape or one of them a single element, and the expected result, rounded to its type. */
static pop_type operand_type(const struct operator_test *test, pop_type type, int operand)
{
    return test->arity == 3 && test->op == POPOPS_TERNARY_SELECT && operand == 2 ? POP_BOOL : type;
}
static void add_inputs(struct fixture *fixture, const struct operator_test *test, pop_type type,
                       enum fixture_mapping mapping, int scalar, pop_tensor *in)
{
    for (int i = 0; i < test->arity; ++i) {
        pop_type own = operand_type(test, type, i);
        struct operator_range range = operator_range(test, own, i);
        if (own == POP_BOOL)
            range = (struct operator_range){ 0, 2 };
        in[i] = fixture_input_of(fixture, own, i == scalar ? POP_SHAPE() : POP_SHAPE(7, 11), mapping, range.low,
                                 range.high);
    }
}
static void check(struct fixture *fixture, const struct operator_test *test, pop_type type, int scalar,
                  const pop_tensor *in, const double *got)
{
    double given[3] = { 0 }, wanted[77];
    for (size_t k = 0; k < 77; ++k) {
        for (int i = 0; i < test->arity; ++i)
            given[i] = fixture_given(fixture, in[i])[i == scalar ? 0 : k];
        wanted[k] = operator_reference(test, type, given[0], given[1], given[2]);
    }
    bool real = pop_type_is_floating_point(type) && !test->boolean;
    bool steep =
        test->arity == 1 && test->op == POPOPS_UNARY_GELU_ERF; /* its tail magnifies the rounding of the argument */
    double relative = !real ? 0 : type == POP_FLOAT ? (steep ? 4e-6 : 5e-7) : 1e-3;
    for (size_t k = 0; k < 77; ++k)
        if (!(fabs(got[k] - wanted[k]) <= relative * fabs(wanted[k]) + (real ? type == POP_FLOAT ? 1e-37 : 6e-8 : 0)))
            fail_msg("%s of %s, element %zu (%.9g, ...): %.9g where %.9g was expected", test->name, pop_type_name(type),
                     k, fixture_given(fixture, in[0])[k], got[k], wanted[k]);
}

enum { BATCH = 16 };
enum form { NEW, IN_PLACE, WITH_OUTPUT, FORMS };

static bool has_form(const struct operator_test *test, pop_type type, enum form form)
{
    return form != IN_PLACE || !test->boolean || type == POP_BOOL;
}
/* The result; in place it is the first operand itself. */
static pop_tensor add_operator(struct fixture *fixture, const struct operator_test *test, pop_type type,
                               const pop_tensor *in, enum form form)
{
    if (form == NEW)
        return test->new_one(fixture->graph, in, fixture->program);
    if (form == IN_PLACE) {
        test->in_place(fixture->graph, in, fixture->program);
        return in[0];
    }
    pop_tensor out = pop_graph_add_variable(fixture->graph, test->boolean ? POP_BOOL : type, POP_SHAPE(7, 11), "out");
    fixture_map(fixture, out, FIXTURE_SCATTERED);
    test->with_output(fixture->graph, in, out, fixture->program);
    return out;
}

/* All operators of a type in few programs, since building engines takes most of the time.  scalar is the operand of one
 * element, or -1. */
static void test_type(enum fixture_device device, pop_type type, enum fixture_mapping mapping, int scalar,
                      enum form form)
{
    for (size_t from = 0; from < OPERATOR_TESTS;) {
        struct fixture fixture = fixture_open(device, 5, popops_add_codelets_at);
        pop_tensor in[BATCH][3], out[BATCH];
        const struct operator_test *tests[BATCH];
        double *got[BATCH];
        size_t count = 0;
        for (; from < OPERATOR_TESTS && count < BATCH; ++from) {
            const struct operator_test *test = &operator_tests[from];
            if (!(test->types >> type & 1) || scalar >= test->arity || (test->arity == 1 && scalar >= 0) ||
                !has_form(test, type, form))
                continue;
            add_inputs(&fixture, test, type, mapping, scalar, in[count]);
            out[count] = add_operator(&fixture, test, type, in[count], form);
            tests[count++] = test;
        }
        fixture_run_all(&fixture, out, got, count);
        for (size_t i = 0; i < count; ++i)
            check(&fixture, tests[i], type, scalar, in[i], got[i]);
        fixture_close(&fixture);
    }
}

static void test_every_operator_on_every_type(void **state)
{
    (void)state;
    for (pop_type type = POP_BOOL; type < POP_TYPE_COUNT; ++type)
        if (pop_type_is_supported(type)) {
            test_type(FIXTURE_CPU, type, FIXTURE_LINEAR, -1, NEW);
            test_type(FIXTURE_MODEL, type, FIXTURE_SCATTERED, -1, NEW);
            test_type(FIXTURE_MODEL, type, FIXTURE_LINEAR, -1, NEW);
        }
}
static void test_in_place_and_with_output(void **state)
{
    (void)state;
    for (pop_type type = POP_BOOL; type < POP_TYPE_COUNT; ++type)
        if (pop_type_is_supported(type)) {
            test_type(FIXTURE_CPU, type, FIXTURE_SCATTERED, -1, IN_PLACE);
            test_type(FIXTURE_MODEL, type, FIXTURE_SCATTERED, -1, IN_PLACE);
            test_type(FIXTURE_MODEL, type, FIXTURE_LINEAR, -1, IN_PLACE);
            test_type(FIXTURE_MODEL, type, FIXTURE_LINEAR, -1, WITH_OUTPUT);
        }
}
/* The first operand of an operation in place cannot be the single element. */
static void test_operands_of_one_element(void **state)
{
    (void)state;
    for (pop_type type = POP_BOOL; type < POP_TYPE_COUNT; ++type)
        for (int scalar = 0; scalar < 3 && pop_type_is_supported(type); ++scalar) {
            test_type(scalar % 2 ? FIXTURE_CPU : FIXTURE_MODEL, type, FIXTURE_SCATTERED, scalar, NEW);
            test_type(FIXTURE_MODEL, type, FIXTURE_LINEAR, scalar, scalar ? IN_PLACE : WITH_OUTPUT);
        }
}

/* Shapes whose dimensions are those of one shape or 1, or missing: all that NumPy broadcasts. */
static void test_broadcasting_of_random_shapes(void **state)
{
    (void)state;
    static const int ops[] = { POPOPS_BINARY_ADD, POPOPS_BINARY_SUBTRACT, POPOPS_BINARY_MULTIPLY,
                               POPOPS_BINARY_VARIANCE_TO_INV_STD_DEV, POPOPS_BINARY_LESS_THAN };
    uint64_t random = 5;
    for (int round = 0; round < 40; ++round) {
        struct fixture fixture = fixture_open(round % 2 ? FIXTURE_MODEL : FIXTURE_CPU, 5, popops_add_codelets_at);
        pop_type type = round % 3 ? POP_FLOAT : POP_HALF;
        size_t whole[4], dims[2][4], missing[2], rank = next_random(&random) % 5;
        bool in_place = round % 4 == 3;
        for (size_t i = 0; i < rank; ++i)
            whole[i] = 1 + next_random(&random) % (i == 3 ? 40 : 7);
        pop_tensor in[2];
        for (int k = 0; k < 2; ++k) {
            missing[k] = next_random(&random) % (rank + 1);
            bool full = k == 0 && (in_place || next_random(&random) % 2);
            missing[k] = full ? 0 : missing[k];
            for (size_t i = 0; i < rank; ++i)
                dims[k][i] = full || (i >= missing[k] && next_random(&random) % 2) ? whole[i] : 1;
            in[k] = fixture_input_of(&fixture, type, (pop_shape){ rank - missing[k], dims[k] + missing[k] },
                                     (enum fixture_mapping)(next_random(&random) % 3), 0.25, 4);
        }
        int op = ops[round % (in_place ? 4 : 5)];
        pop_tensor out = in[0];
        if (in_place)
            popops_binary_in_place_at(POP_HERE, (popops_binary_op)op, fixture.graph, POPOPS_OPERAND(in[0]),
                                      POPOPS_OPERAND(in[1]), fixture.program, "x");
        else
            out = popops_binary_at(POP_HERE, (popops_binary_op)op, fixture.graph, POPOPS_OPERAND(in[0]),
                                   POPOPS_OPERAND(in[1]), fixture.program, "x");
        double *got = fixture_run(&fixture, out);
        size_t shape[4], count = pop_tensor_num_elements(out), out_rank = pop_tensor_shape(out, shape, 4);
        for (size_t k = 0; k < count; ++k) {
            double given[2];
            for (int j = 0; j < 2; ++j) { /* the index of element k in operand j */
                size_t at = 0, stride = 1, rest = k, own = rank - missing[j];
                for (size_t i = 0; i < out_rank; ++i) {
                    size_t extent = shape[out_rank - 1 - i], mine = i < own ? dims[j][rank - 1 - i] : 1;
                    at += mine == 1 ? 0 : rest % extent * stride;
                    stride *= mine;
                    rest /= extent;
                }
                given[j] = fixture_given(&fixture, in[j])[at];
            }
            double wanted = binary_reference(op, given[0], given[1]), close = type == POP_FLOAT ? 3e-7 : 1e-3;
            if (!(fabs(got[k] - wanted) <= close * fabs(wanted)))
                fail_msg("round %d, element %zu of %zu: %.9g where %.9g was expected", round, k, count, got[k], wanted);
        }
        fixture_close(&fixture);
    }
}

/* Elements that are read and written are read first. */
static void test_operands_that_overlap(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        struct fixture fixture = fixture_open(device, 4, popops_add_codelets_at);
        pop_tensor a = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(5, 5), FIXTURE_SCATTERED),
                   b = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(6), FIXTURE_SCATTERED);
        pop_tensor c = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(9), FIXTURE_SCATTERED), outs[3] = { a, b, c };
        popops_add_in_place(fixture.graph, a, pop_tensor_transpose(a), fixture.program, "x");
        popops_mul_in_place(fixture.graph, b, pop_tensor_at(b, 2), fixture.program, "x");
        popops_neg_with_output(fixture.graph, pop_tensor_slice(c, 0, 8, 0), pop_tensor_slice(c, 1, 9, 0),
                               fixture.program, "x");
        popops_sub_in_place(fixture.graph, pop_tensor_slice(c, 0, 0, 0), pop_tensor_slice(c, 1, 1, 0), fixture.program,
                            "nothing");
        double *got[3], *x = fixture_given(&fixture, a), *y = fixture_given(&fixture, b),
                        *z = fixture_given(&fixture, c);
        fixture_run_all(&fixture, outs, got, 3);
        for (int i = 0; i < 25; ++i)
            assert_true(got[0][i] == (double)(float)(x[i] + x[i % 5 * 5 + i / 5]));
        for (int i = 0; i < 6; ++i)
            assert_true(got[1][i] == (double)(float)(y[i] * y[2]));
        for (int i = 0; i < 9; ++i)
            assert_true(got[2][i] == (i ? -z[i - 1] : z[0]));
        fixture_close(&fixture);
    }
}

/* The cycles of the only operation on one tile. */
static uint64_t cycles_of(struct fixture *fixture, pop_tensor out)
{
    pop_cycles cycles;
    fixture_run(fixture, out);
    assert_int_equal(pop_engine_cycles(fixture->engine, &cycles, NULL), POP_OK);
    fixture_close(fixture);
    return cycles.compute;
}
/* Poplibs 1.2's formulas on six workers: shares of 100 elements, which are 50 vectors of float and 25
 * of half. */
static void operators_take_the_published_cycles(void **state)
{
    (void)state;
#define COST(type, call, wanted)                                                                                       \
    {                                                                                                                  \
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, popops_add_codelets_at);                               \
        pop_graph *graph = fixture.graph;                                                                              \
        pop_tensor a = fixture_input_of(&fixture, type, POP_SHAPE(600), FIXTURE_ONE_TILE, 1, 2),                       \
                   b = fixture_input_of(&fixture, type, POP_SHAPE(600), FIXTURE_ONE_TILE, 1, 2);                       \
        pop_tensor one = fixture_input_of(&fixture, type, POP_SHAPE(), FIXTURE_ONE_TILE, 1, 2);                        \
        (void)b, (void)one;                                                                                            \
        call;                                                                                                          \
        assert_int_equal(cycles_of(&fixture, a), wanted);                                                              \
    }
    COST(POP_FLOAT, popops_exp(graph, a, fixture.program, "x"), 198 + 9 + 6 * (20 + 6 * 50))
    COST(POP_HALF, popops_tanh_in_place(graph, a, fixture.program, "x"), 198 + 9 + 6 * (20 + 6 * 25))
    COST(POP_FLOAT, popops_sqrt(graph, a, fixture.program, "x"), 198 + 9 + 6 * (20 + 27 * 100))
    COST(POP_FLOAT, popops_add(graph, a, b, fixture.program, "x"), 198 + 6 * (22 + 3 * 50))
    COST(POP_HALF, popops_mul_in_place(graph, a, b, fixture.program, "x"), 198 + 6 * (13 + 3 * 25))
    COST(POP_INT, popops_add(graph, a, b, fixture.program, "x"), 198 + 6 * (22 + 7 * 100))
    COST(POP_FLOAT, popops_div(graph, a, b, fixture.program, "x"), 198 + 6 * (22 + 15 * 100))
    COST(POP_FLOAT, popops_lt(graph, a, b, fixture.program, "x"), 198 + 6 * (22 + 5 * 100))
    COST(POP_FLOAT, popops_add(graph, a, one, fixture.program, "x"), 198 + 6 * (20 + 2 * 50))
    COST(POP_FLOAT, popops_mul(graph, one, a, fixture.program, "x"), 198 + 6 * (20 + 2 * 50))
    COST(POP_FLOAT, popops_clamp(graph, a, b, b, fixture.program, "x"), 6 * (5 + 6 + 2 * 50))
}
/* A bias is connected once, for any number of rows: 60 rows of 10, of which each worker has 10. */
static void test_costs_of_vectors(void **state)
{
    (void)state;
    for (int outer = 0; outer < 2; ++outer) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, popops_add_codelets_at);
        pop_tensor a = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(60, 10), FIXTURE_ONE_TILE);
        pop_tensor bias = outer ? fixture_input(&fixture, POP_FLOAT, POP_SHAPE(60, 1), FIXTURE_ONE_TILE)
                                : fixture_input(&fixture, POP_FLOAT, POP_SHAPE(10), FIXTURE_ONE_TILE);
        popops_add_in_place(fixture.graph, a, bias, fixture.program, "bias");
        assert_int_equal(cycles_of(&fixture, a),
                         outer ? 198 + 6 * (15 + 10 * (7 + 2 * 5)) : 8 + 6 * (17 + 7 + 10 * (8 + 2 * 10)));
    }
    /* rows of the view are columns in memory, as those of products are */
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, popops_add_codelets_at);
    pop_tensor a = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(60, 10), FIXTURE_ONE_TILE),
               bias = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(60), FIXTURE_ONE_TILE);
    double *elements = fixture_given(&fixture, a), *biases = fixture_given(&fixture, bias), wanted[600];
    for (size_t i = 0; i < 600; ++i)
        wanted[i] = (float)elements[i] + (float)biases[i / 10];
    popops_add_in_place(fixture.graph, pop_tensor_transpose(a), bias, fixture.program, "bias");
    fixture_check(fixture_run(&fixture, a), wanted, 600, 1e-6, 1e-6);
    pop_cycles cycles;
    assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, NULL), POP_OK);
    assert_int_equal(cycles.compute, 198 + 6 * (15 + 10 * (7 + 2 * 5)));
    fixture_close(&fixture);
}

/* Channels last, in blocks on separate tiles, each of which is one region of memory: one vertex for each block, which
 * has its part of the bias once. */
static void test_vectors_along_blocks(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 4, popops_add_codelets_at);
    pop_tensor blocks[4];
    for (unsigned i = 0; i < 4; ++i) {
        blocks[i] = pop_graph_add_variable(fixture.graph, POP_HALF, POP_SHAPE(30, 8), "block");
        pop_graph_set_tile_mapping(fixture.graph, blocks[i], i);
    }
    pop_tensor upper = pop_tensor_concat(POP_TENSORS(blocks[2], blocks[1]), 1),
               lower = pop_tensor_concat(POP_TENSORS(blocks[0], blocks[3]), 1);
    pop_tensor acts = pop_tensor_concat(POP_TENSORS(upper, lower), 0),
               bias = fixture_input(&fixture, POP_HALF, POP_SHAPE(16), FIXTURE_LINEAR);
    fixture_write(&fixture, acts, NULL, -1, 1);
    popops_add_in_place(fixture.graph, acts, bias, fixture.program, "bias");
    assert_int_equal(pop_graph_num_vertices(fixture.graph), 4);
    double *x = fixture_given(&fixture, acts), *b = fixture_given(&fixture, bias), *got = fixture_run(&fixture, acts),
           wanted[960];
    for (size_t i = 0; i < 960; ++i)
        wanted[i] = x[i] + b[i % 16];
    fixture_check(got, wanted, 960, 1e-3, 1e-4);
    pop_cycles cycles;
    assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, NULL), POP_OK);
    assert_int_equal(cycles.compute, 8 + 6 * (27 + 3 + 15 + 2 * 4));
    fixture_close(&fixture);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, popops_add_codelets_at);
    pop_graph *graph = fixture.graph;
    pop_tensor f = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3), FIXTURE_LINEAR),
               i = fixture_input(&fixture, POP_INT, POP_SHAPE(3), FIXTURE_LINEAR);
    pop_tensor four = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4), FIXTURE_LINEAR), none = { 0 };
#define WRONG(call, status, api, words)                                                                                \
    call;                                                                                                              \
    assert_error(graph, status, api, words);
    WRONG(popops_add(graph, f, i, fixture.program, "x"), POP_TYPE_ERROR, "popops_add",
          "operands are float and int: they must have the same type")
    WRONG(popops_exp(graph, i, fixture.program, "x"), POP_TYPE_ERROR, "popops_exp",
          "operands are int; allowed are half, float")
    WRONG(popops_bitwise_and(graph, f, f, fixture.program, "x"), POP_TYPE_ERROR, "popops_bitwise_and",
          "operands are float")
    WRONG(popops_mul_in_place(graph, i, 0.5, fixture.program, "x"), POP_TYPE_ERROR, "popops_mul_in_place",
          "0.5 cannot be represented as int")
    WRONG(popops_add(graph, i, 1e12, fixture.program, "x"), POP_TYPE_ERROR, "popops_add",
          "1e+12 cannot be represented as int")
    WRONG(
        popops_binary_as(POPOPS_BINARY_ADD, graph, POPOPS_OPERAND(f), POPOPS_OPERAND(f), POP_INT, fixture.program, "x"),
        POP_TYPE_ERROR, "popops_binary_as", "the result cannot be int; allowed are half, float")
    WRONG(popops_create_output_for_element_wise_op(graph, POP_TENSORS(f, none), POP_FLOAT, "x"), POP_POPLAR_ERROR,
          "popops_create_output_for_element_wise_op", "input 2 is a null tensor")
    pop_graph *stranger = pop_graph_create(pop_graph_target(graph));
    pop_tensor strange =
        pop_graph_add_variable_mapped(stranger, POP_FLOAT, POP_SHAPE(3), POP_MAPPING_LINEAR, "strange");
    WRONG(popops_add(graph, f, strange, fixture.program, "x"), POP_POPLAR_ERROR, "popops_add",
          "operand 2 belongs to another graph")
    WRONG(popops_add_with_output(graph, f, f, strange, fixture.program, "x"), POP_POPLAR_ERROR,
          "popops_add_with_output", "the output belongs to another graph")
    pop_graph_destroy(stranger);
    WRONG(popops_add(graph, 1, 2, fixture.program, "x"), POP_TYPE_ERROR, "popops_add", "no operand is a tensor")
    WRONG(popops_add(graph, f, none, fixture.program, "x"), POP_POPLAR_ERROR, "popops_add",
          "operand 2 is a null tensor")
    WRONG(popops_add(graph, f, four, fixture.program, "x"), POP_POPLAR_ERROR, "popops_add",
          "shapes {3} and {4} do not match")
    WRONG(popops_select(graph, f, f, f, fixture.program, "x"), POP_TYPE_ERROR, "popops_select",
          "the condition is float, not bool")
    WRONG(popops_lt_in_place(graph, f, f, fixture.program, "x"), POP_TYPE_ERROR, "popops_lt_in_place",
          "the output is float, the result bool")
    WRONG(popops_neg_with_output(graph, f, four, fixture.program, "x"), POP_POPLAR_ERROR, "popops_neg_with_output",
          "the output has shape {4}, the result {3}")
    WRONG(popops_neg_in_place(graph, pop_tensor_broadcast(f, 2, 0), fixture.program, "x"), POP_POPLAR_ERROR,
          "popops_neg_in_place", "repeated elements")
    WRONG(popops_unary_at(POP_HERE, POPOPS_UNARY_COUNT, graph, f, fixture.program, "x"), POP_POPLAR_ERROR,
          "popops_element_wise", "there is no operator")
    WRONG(popops_create_output_for_element_wise_op(graph, POP_TENSORS(f, four), POP_FLOAT, "x"), POP_POPLAR_ERROR,
          "popops_create_output_for_element_wise_op", "do not match")
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_operator_on_every_type),
        cmocka_unit_test(test_in_place_and_with_output),
        cmocka_unit_test(test_operands_of_one_element),
        cmocka_unit_test(test_broadcasting_of_random_shapes),
        cmocka_unit_test(test_operands_that_overlap),
        cmocka_unit_test(operators_take_the_published_cycles),
        cmocka_unit_test(test_costs_of_vectors),
        cmocka_unit_test(test_vectors_along_blocks),
        cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
