/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: compiled as one vertex they give the same bits as their operators one after the other; text, types,
 * forms, costs and mistakes. */
#include "poplibs/numeric.h"

#include <popops/codelets.h>
#include <popops/expr.h>
#include <unistd.h>

/* _1 and _2 FLOAT, _3 HALF, _4 and _5 INT, _6 BOOL, _7 a FLOAT of one element, _8 UNSIGNED_INT. */
enum { TENSORS = 8, ROWS = 9, COLUMNS = 131 };

static void add_inputs(struct fixture *fixture, enum fixture_mapping mapping, pop_tensor *in)
{
    static const pop_type types[TENSORS] = { POP_FLOAT, POP_FLOAT, POP_HALF,  POP_INT,
                                             POP_INT,   POP_BOOL,  POP_FLOAT, POP_UNSIGNED_INT };
    for (int i = 0; i < TENSORS; ++i)
        in[i] = fixture_input(fixture, types[i],
                              i == 6             ? POP_SHAPE()
                              : i == 1 || i == 4 ? POP_SHAPE(COLUMNS)
                                                 : POP_SHAPE(ROWS, COLUMNS),
                              mapping);
}

static void test_compiled_and_one_by_one_agree(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "_1 * tanh(_2) + 0.5 * _7",
        "half(_1 * _2) + _3 * 1.1h - sigmoid(-_3)",
        "select(_1, float(_4 % 3), _4 > _5 && !_6)",
        "(_4 << 2 ^ ~_5 | 7) - abs(_4 & -_5)",
        "clamp(sqrt(square(_1) + square(_2)), 0.1, max(_7, 0.3))",
        "bool(_8 >> 1) == (_3 <= 0.25 || is_nan(_1 / _1))",
        "unsigned(abs(_1) * 10) + _8 / 3",
    };
    enum { TEXTS = sizeof(texts) / sizeof(texts[0]) };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        struct fixture fixture = fixture_open(device, 5, popops_add_codelets_at);
        pop_tensor in[TENSORS], out[2 * TEXTS];
        double *got[2 * TEXTS];
        add_inputs(&fixture, device == FIXTURE_CPU ? FIXTURE_LINEAR : FIXTURE_SCATTERED, in);
        const pop_tensors list = { TENSORS, in };
        for (int i = 0; i < TEXTS; ++i) {
            out[2 * i] = popops_map(fixture.graph, texts[i], list, fixture.program, "fused", POP_NO_OPTIONS);
            out[2 * i + 1] = popops_map(fixture.graph, texts[i], list, fixture.program, "steps",
                                        POP_OPTIONS({ "enableGenerateCodelet", "false" }));
        }
        fixture_run_all(&fixture, out, got, 2 * TEXTS);
        for (int i = 0; i < TEXTS; ++i)
            for (size_t k = 0; k < ROWS * COLUMNS; ++k)
                if (got[2 * i][k] != got[2 * i + 1][k] && !(isnan(got[2 * i][k]) && isnan(got[2 * i + 1][k])))
                    fail_msg("'%s', element %zu: %.9g compiled, %.9g one by one", texts[i], k, got[2 * i][k],
                             got[2 * i + 1][k]);
        double *x = fixture_given(&fixture, in[0]), *y = fixture_given(&fixture, in[1]),
               *one = fixture_given(&fixture, in[6]);
        for (size_t k = 0; k < ROWS * COLUMNS; ++k)
            assert_true(fabs(got[0][k] - (x[k] * tanh(y[k % COLUMNS]) + 0.5 * one[0])) < 3e-7);
        fixture_close(&fixture);
    }
}

static void test_in_place_and_with_output(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        struct fixture fixture = fixture_open(device, 3, popops_add_codelets_at);
        pop_tensor a = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(700), FIXTURE_SCATTERED),
                   b = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(700), FIXTURE_LINEAR);
        pop_tensor c = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(26, 26), FIXTURE_SCATTERED), outs[3] = { a, b, c };
        popops_map_in_place(fixture.graph, "_1 * 0.5 + _2 * _1", POP_TENSORS(a, b), fixture.program, "x",
                            POP_NO_OPTIONS);
        popops_map_with_output(fixture.graph, "_1 * 3 - 1", POP_TENSORS(b), b, fixture.program, "x", POP_NO_OPTIONS);
        popops_map_in_place(fixture.graph, "_1 + _2 * 2", POP_TENSORS(c, pop_tensor_transpose(c)), fixture.program,
                            "overlaps itself", POP_NO_OPTIONS);
        double *got[3], *x = fixture_given(&fixture, a), *y = fixture_given(&fixture, b),
                        *z = fixture_given(&fixture, c);
        fixture_run_all(&fixture, outs, got, 3);
        for (int i = 0; i < 700; ++i) {
            assert_true(got[0][i] == (double)((float)x[i] * 0.5f + (float)y[i] * (float)x[i]));
            assert_true(got[1][i] == (double)((float)y[i] * 3 - 1));
        }
        for (int i = 0; i < 676; ++i)
            assert_true(got[2][i] == (double)((float)z[i] + (float)z[i % 26 * 26 + i / 26] * 2));
        fixture_close(&fixture);
    }
}

/* Casts and tensors alone are copies; numbers and forced codelets work too. */
static void test_small_expressions(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, popops_add_codelets_at);
    pop_tensor a = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(31), FIXTURE_LINEAR), out[4];
    double *got[4], *x = fixture_given(&fixture, a);
    out[0] = popops_map(fixture.graph, "_1", POP_TENSORS(a), fixture.program, "copy", POP_NO_OPTIONS);
    out[1] = popops_map(fixture.graph, "int(_1 * 4)", POP_TENSORS(a), fixture.program, "cast",
                        POP_OPTIONS({ "enableGenerateCodelet", "false" }));
    out[2] = popops_map(fixture.graph, "2 + 0x10 - _1", POP_TENSORS(a), fixture.program, "numbers",
                        POP_OPTIONS({ "enableGenerateCodelet", "false" }));
    out[3] = popops_map(fixture.graph, "-_1", POP_TENSORS(a), fixture.program, "forced",
                        POP_OPTIONS({ "forceGenerateCodelet", "true" }));
    assert_true(pop_graph_has_codelet(fixture.graph, "popops::Map1DSupervisor<Neg(_1),float>"));
    fixture_run_all(&fixture, out, got, 4);
    for (int i = 0; i < 31; ++i) {
        assert_true(got[0][i] == x[i] && got[1][i] == trunc(4 * x[i]) && got[3][i] == -x[i]);
        assert_true(got[2][i] == (double)(18 - (float)x[i]));
    }
    fixture_close(&fixture);
}

/* Without a compiler and without cached code, an expression runs as one operator after the other. */
static void test_without_a_compiler(void **state)
{
    (void)state;
    char directory[] = "/tmp/tremula-test-XXXXXX";
    assert_non_null(mkdtemp(directory));
    setenv("TREMULA_CACHE_DIR", directory, 1);
    setenv("TREMULA_CC", "no-such-compiler", 1);
    struct fixture fixture = fixture_open(FIXTURE_CPU, 1, popops_add_codelets_at);
    pop_tensor a = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(31), FIXTURE_LINEAR);
    pop_tensor out = popops_map(fixture.graph, "_1 * 3 + 1", POP_TENSORS(a), fixture.program, "x", POP_NO_OPTIONS);
    unsetenv("TREMULA_CC");
    unsetenv("TREMULA_CACHE_DIR");
    rmdir(directory);
    double *x = fixture_given(&fixture, a), *got = fixture_run(&fixture, out);
    for (int i = 0; i < 31; ++i)
        assert_true(got[i] == (double)((float)x[i] * 3 + 1));
    assert_false(pop_graph_has_codelet(fixture.graph, "popops::Map1DSupervisor<Add(Mul(_1,3),1),float>"));
    fixture_close(&fixture);
}

/* Two operators of one cycle, three inputs, and 3 cycles of overhead, for each vector of two floats. */
static void an_expression_takes_the_cycles_of_one_loop(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, popops_add_codelets_at);
    pop_tensor in[3];
    for (int i = 0; i < 3; ++i)
        in[i] = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(600), FIXTURE_ONE_TILE);
    fixture_run(&fixture, popops_map(fixture.graph, "_1 * _2 + _3", (pop_tensors){ 3, in }, fixture.program, "x",
                                     POP_NO_OPTIONS));
    pop_cycles cycles;
    assert_int_equal(pop_engine_cycles(fixture.engine, &cycles, NULL), POP_OK);
    assert_int_equal(cycles.compute, 198 + 6 * (20 + 8 * 50));
    fixture_close(&fixture);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        pop_status status;
        const char *words;
    } wrong[] = {
        { "_1 +", POP_PARSE_ERROR, "a number, a placeholder like _1, or a function was expected at ''" },
        { "(_1 + 2", POP_PARSE_ERROR, "')' was expected" },
        { "_1 2", POP_PARSE_ERROR, "an operator or the end was expected at '2'" },
        { "tan(_1, _1)", POP_PARSE_ERROR, "')' was expected at ', _1)'" },
        { "tangent(_1)", POP_PARSE_ERROR,
          "a number, a placeholder like _1, or a function was expected at 'tangent(_1)'" },
        { "", POP_PARSE_ERROR, "is not an expression" },
        { "_3 + 1", POP_INDEX_ERROR, "there is no tensor for placeholder _3: the list has 2" },
        { "_0 + 1", POP_INDEX_ERROR, "placeholder _0" },
        { "_1 + _2 + 1", POP_TYPE_ERROR, "operands of add are float and int: they must have the same type" },
        { "exp(_2 * 2)", POP_TYPE_ERROR, "exp does not take int" },
        { "_2 * 2 + 0.5", POP_TYPE_ERROR, "the number 0.5 cannot be represented as int" },
        { "select(_1, 2, _1) + 1", POP_TYPE_ERROR, "the condition of select is float, not bool" },
        { "1 + 2", POP_POPLAR_ERROR, "no placeholder" },
    };
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, popops_add_codelets_at);
    pop_tensor f = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3), FIXTURE_LINEAR),
               i = fixture_input(&fixture, POP_INT, POP_SHAPE(3), FIXTURE_LINEAR);
    for (size_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); ++k) {
        popops_map(fixture.graph, wrong[k].text, POP_TENSORS(f, i), fixture.program, "x", POP_NO_OPTIONS);
        assert_error(fixture.graph, wrong[k].status, "popops_map", wrong[k].words);
    }
    char deep[2001];
    memset(deep, '(', 2000);
    deep[2000] = 0;
    popops_map(fixture.graph, deep, POP_TENSORS(f, i), fixture.program, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_PARSE_ERROR, "popops_map", "less depth was expected");
    popops_map(fixture.graph, "_1", POP_TENSORS(f), fixture.program, "x",
               POP_OPTIONS({ "enableGenerateCodelet", "maybe" }));
    assert_error(fixture.graph, POP_INVALID_OPTION, "popops_map", "true or false");
    popops_map_with_output(fixture.graph, "_1 * 2 + 1", POP_TENSORS(f), i, fixture.program, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_TYPE_ERROR, "popops_map_with_output", "the output is int, the result float");
    popops_map_expr(fixture.graph, (popops_expr){ (popops_expr_node[]){ { .kind = POPOPS_EXPR_BINARY } }, 1 },
                    POP_TENSORS(f), fixture.program, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_map", "and come after its operands");
    const popops_expr_node unknown[] = { { .kind = POPOPS_EXPR_PLACEHOLDER, .op = 1 },
                                         { .kind = POPOPS_EXPR_UNARY, .op = POPOPS_UNARY_COUNT } };
    popops_map_expr(fixture.graph, (popops_expr){ unknown, 2 }, POP_TENSORS(f), fixture.program, "x", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_map", "a valid kind, operator and type");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compiled_and_one_by_one_agree),
        cmocka_unit_test(test_in_place_and_with_output),
        cmocka_unit_test(test_small_expressions),
        cmocka_unit_test(test_without_a_compiler),
        cmocka_unit_test(an_expression_takes_the_cycles_of_one_loop),
        cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
