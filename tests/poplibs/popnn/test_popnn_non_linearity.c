/* SPDX-License-Identifier: Apache-2.0 */
/* Activation functions and gradients against double precision, on scattered tensors; the estimates of their vertices.
 */
#include "poplibs/numeric.h"

#include <popnn/codelets.h>
#include <popnn/non_linearity.h>
#include <poputil/util.h>

static const popnn_non_linearity_type functions[] = { POPNN_SIGMOID, POPNN_HARD_SIGMOID, POPNN_RELU,    POPNN_TANH,
                                                      POPNN_GELU,    POPNN_SWISH,        POPNN_GELU_ERF };
enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static double value(popnn_non_linearity_type type, double x)
{
    switch ((int)type) {
    case POPNN_SIGMOID:
        return 1 / (1 + exp(-x));
    case POPNN_HARD_SIGMOID:
        return fmin(1, fmax(0, 0.2 * x + 0.5));
    case POPNN_RELU:
        return fmax(x, 0);
    case POPNN_TANH:
        return tanh(x);
    case POPNN_GELU:
        return x / 2 * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case POPNN_SWISH:
        return x / (1 + exp(-x));
    default:
        return x / 2 * (1 + erf(x / sqrt(2)));
    }
}
/* Derivative of f at x, by the difference of neighbours. */
static double derivative(popnn_non_linearity_type type, double x)
{
    return (value(type, x + 1e-6) - value(type, x - 1e-6)) / 2e-6;
}
static bool from_input(popnn_non_linearity_type type)
{
    return type == POPNN_GELU || type == POPNN_SWISH || type == POPNN_GELU_ERF;
}

static void test_values(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (unsigned half = 0; half < 2; ++half) {
            struct fixture fixture = fixture_open(device, 5, popnn_add_codelets_at);
            pop_tensor in[FUNCTIONS], out[2 * FUNCTIONS];
            double *got[2 * FUNCTIONS];
            for (size_t i = 0; i < FUNCTIONS; ++i) {
                in[i] = fixture_input_of(&fixture, half ? POP_HALF : POP_FLOAT, POP_SHAPE(7, 31),
                                         i % 2 ? FIXTURE_SCATTERED : FIXTURE_LINEAR, -6, 6);
                out[i] = popnn_non_linearity(fixture.graph, functions[i], in[i], fixture.program, "x");
                out[FUNCTIONS + i] =
                    poputil_duplicate(fixture.graph, in[i], fixture.program, POP_CLONE_CREATE_NEW_ORDER, "copy");
                popnn_non_linearity_in_place(fixture.graph, functions[i], out[FUNCTIONS + i], fixture.program, "y");
            }
            fixture_run_all(&fixture, out, got, 2 * FUNCTIONS);
            for (size_t i = 0; i < FUNCTIONS; ++i) {
                double *given = fixture_given(&fixture, in[i]), wanted[217];
                for (size_t k = 0; k < 217; ++k)
                    wanted[k] = value(functions[i], given[k]);
                fixture_check(got[i], wanted, 217, half ? 0.0006 : 1e-6, half ? 1e-5 : 2e-6);
                fixture_check(got[FUNCTIONS + i], got[i], 217, 0, 0);
            }
            fixture_close(&fixture);
        }
}

static void test_gradients(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (unsigned half = 0; half < 2; ++half) {
            struct fixture fixture = fixture_open(device, 5, popnn_add_codelets_at);
            pop_type type = half ? POP_HALF : POP_FLOAT;
            pop_tensor in[FUNCTIONS], gradient[FUNCTIONS], out[FUNCTIONS];
            double *got[FUNCTIONS];
            for (size_t i = 0; i < FUNCTIONS; ++i) {
                in[i] = fixture_input_of(&fixture, type, POP_SHAPE(67), FIXTURE_LINEAR, -3, 3);
                gradient[i] = fixture_input(&fixture, type, POP_SHAPE(67), i % 2 ? FIXTURE_SCATTERED : FIXTURE_LINEAR);
                double *given = fixture_given(&fixture, in[i]);
                for (size_t k = 0; k < 67 && !from_input(functions[i]); ++k) /* the output in place of the input */
                    given[k] = value(functions[i], given[k]);
                out[i] = popnn_non_linearity_input_gradient(fixture.graph, functions[i], in[i], gradient[i],
                                                            fixture.program, "x");
            }
            double inputs[FUNCTIONS][67];
            for (size_t i = 0; i < FUNCTIONS; ++i) { /* rounded as they are sent */
                double *given = fixture_given(&fixture, in[i]);
                for (size_t k = 0; k < 67; ++k)
                    inputs[i][k] = given[k] =
                        half ? pop_half_to_float(pop_half_from_double(given[k])) : (double)(float)given[k];
            }
            fixture_run_all(&fixture, out, got, FUNCTIONS);
            for (size_t i = 0; i < FUNCTIONS; ++i) {
                double *g = fixture_given(&fixture, gradient[i]), wanted[67];
                for (size_t k = 0; k < 67; ++k) {
                    double y = inputs[i][k];
                    switch ((int)functions[i]) {
                    case POPNN_SIGMOID:
                        wanted[k] = g[k] * y * (1 - y);
                        break;
                    case POPNN_HARD_SIGMOID:
                        wanted[k] = y > 0 && y < 1 ? 0.2 * g[k] : 0;
                        break;
                    case POPNN_RELU:
                        wanted[k] = y > 0 ? g[k] : 0;
                        break;
                    case POPNN_TANH:
                        wanted[k] = g[k] * (1 - y * y);
                        break;
                    default:
                        wanted[k] = g[k] * derivative(functions[i], y);
                    }
                }
                fixture_check(got[i], wanted, 67, half ? 0.0006 : 2e-6, half ? 1e-6 : 2e-6);
            }
            fixture_close(&fixture);
        }
}

/* Values and gradients where infinity and 0 meet: at the ends they are those of the limits. */
static void test_infinite_arguments(void **state)
{
    (void)state;
    static const double x[] = { -INFINITY, INFINITY, -65504, 65504, -110, 110, -21, 21, NAN };
    enum { COUNT = sizeof(x) / sizeof(x[0]) };
    for (unsigned test = 0; test < 4; ++test) {
        struct fixture fixture = fixture_open(test / 2 ? FIXTURE_MODEL : FIXTURE_CPU, 2, popnn_add_codelets_at);
        pop_tensor in = pop_graph_add_variable(fixture.graph, test % 2 ? POP_HALF : POP_FLOAT, POP_SHAPE(COUNT), "x"),
                   ones =
                       pop_graph_clone(fixture.graph, POP_TYPE_NULL, in, POP_CLONE_PRESERVE_ORDER_AND_ALIASES, "ones");
        fixture_map(&fixture, in, FIXTURE_LINEAR);
        fixture_map(&fixture, ones, FIXTURE_LINEAR);
        fixture_write(&fixture, in, x, 0, 0);
        fixture_write(&fixture, ones, (double[COUNT]){ 1, 1, 1, 1, 1, 1, 1, 1, 1 }, 0, 0);
        pop_tensor outputs[2 * FUNCTIONS];
        double *got[2 * FUNCTIONS];
        for (size_t i = 0; i < FUNCTIONS; ++i) {
            outputs[i] = popnn_non_linearity(fixture.graph, functions[i], in, fixture.program, "value");
            outputs[FUNCTIONS + i] =
                popnn_non_linearity_input_gradient(fixture.graph, functions[i], in, ones, fixture.program, "gradient");
        }
        fixture_run_all(&fixture, outputs, got, 2 * FUNCTIONS);
        for (size_t i = 0; i < FUNCTIONS; ++i)
            for (size_t k = 0; k < COUNT; ++k) {
                double wanted = fmax(x[k], 0);
                if (functions[i] == POPNN_TANH)
                    wanted = copysign(1, x[k]);
                if (functions[i] == POPNN_SIGMOID || functions[i] == POPNN_HARD_SIGMOID)
                    wanted = x[k] > 0;
                if (isnan(x[k])) /* RELU is the maximum with 0, which takes no NaN */
                    wanted = functions[i] == POPNN_RELU ? 0 : NAN;
                fixture_check(&got[i][k], &wanted, 1, 0, 1e-7);
                if (from_input(functions[i]) && !isnan(x[k]))
                    assert_true(fabs(got[FUNCTIONS + i][k] - (x[k] > 0)) < 1e-7);
            }
        fixture_close(&fixture);
    }
}

/* In float, within 2 units in the last place of the value, also where it is small. */
static void test_units_in_the_last_place(void **state)
{
    (void)state;
    enum { COUNT = 20001 };
    static double x[COUNT];
    static const popnn_non_linearity_type close[] = { POPNN_GELU, POPNN_SWISH };
    struct fixture fixture = fixture_open(FIXTURE_CPU, 1, popnn_add_codelets_at);
    pop_tensor in = pop_graph_add_variable(fixture.graph, POP_FLOAT, POP_SHAPE(COUNT), "x"), out[2];
    fixture_map(&fixture, in, FIXTURE_ONE_TILE);
    for (size_t i = 0; i < COUNT; ++i)
        x[i] = (double)(float)(-10 + (double)i / 1000);
    fixture_write(&fixture, in, x, 0, 0);
    double *got[2];
    for (size_t i = 0; i < 2; ++i)
        out[i] = popnn_non_linearity(fixture.graph, close[i], in, fixture.program, "x");
    fixture_run_all(&fixture, out, got, 2);
    for (size_t i = 0; i < 2; ++i)
        for (size_t k = 0; k < COUNT; ++k) {
            double z = close[i] == POPNN_SWISH ? x[k] : 2 * sqrt(2 / M_PI) * x[k] * (1 + 0.044715 * x[k] * x[k]);
            double wanted = x[k] / (1 + exp(-z));
            double unit = fmax(ldexp(1, ilogb(fmax(fabs(wanted), 0x1p-126)) - 23), 0x1p-149);
            if (fabs(got[i][k] - wanted) > 2 * unit)
                fail_msg("%s(%.9g) is %.9g, not %.9g: %.1f units", popnn_non_linearity_type_name(close[i]), x[k],
                         got[i][k], wanted, fabs(got[i][k] - wanted) / unit);
        }
    fixture_close(&fixture);
}

/* Poplibs 1.2's estimators, calculated by hand: 9 + 6 (18 + pipeline + 3 or 4 + rest). */
static void estimates_follow_the_formulas(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, popnn_add_codelets_at);
    static const struct {
        const char *type;
        pop_type element;
        size_t n;
        uint64_t one_region, two_rows;
    } table[] = {
        { "popnn::NonLinearity%s<float,popnn::NonLinearityType::RELU>", POP_FLOAT, 24, 9 + 6 * (18 + 7 + 3),
          14 + 2 * (11 + 3 + 2 + 22) },
        { "popnn::NonLinearity%s<float,popnn::NonLinearityType::SIGMOID>", POP_FLOAT, 25, 9 + 6 * (18 + 23 + 3 + 7),
          14 + 2 * (11 + 3 + 10 + 110 + 7) },
        { "popnn::NonLinearity%s<half,popnn::NonLinearityType::TANH>", POP_HALF, 27, 9 + 6 * (18 + 5 + 4 + 3 + 4),
          14 + 2 * (15 + 5 + 10 + 3 + 4) },
        { "popnn::NonLinearityGrad%s<float,popnn::NonLinearityType::GELU>", POP_FLOAT, 25, 9 + 6 * (20 + 8 + 4 + 4),
          17 + 2 * (10 + 5 + 33 + 4) },
        { "popnn::NonLinearityGrad%s<half,popnn::NonLinearityType::RELU>", POP_HALF, 3, 9 + 6 * (20 + 0 + 6 + 5 + 7),
          17 + 2 * (10 + 5 + 7) },
    };
    pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "estimates");
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); ++i)
        for (unsigned rows = 0; rows < 2; ++rows) {
            char name[128];
            snprintf(name, sizeof(name), table[i].type, rows ? "2D" : "Supervisor");
            bool gradient = strstr(name, "Grad") != NULL;
            pop_vertex vertex = pop_graph_add_vertex(fixture.graph, set, name);
            static const char *const fields[] = { "outGrad", "out" };
            for (size_t f = 0; f < (gradient ? 3u : 1u); ++f) {
                pop_tensor t = pop_graph_add_variable(fixture.graph, table[i].element, POP_SHAPE(2, table[i].n), "t");
                pop_graph_connect(fixture.graph, vertex,
                                  f          ? fields[f - 1]
                                  : gradient ? "inGrad"
                                             : "data",
                                  rows ? t : pop_tensor_at(t, 0));
            }
            assert_int_equal(pop_graph_get_perf_estimate(fixture.graph, vertex).cycles,
                             rows ? table[i].two_rows : table[i].one_region);
        }
    assert_built(fixture.graph);
    fixture_close(&fixture);
}

static void test_names_and_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, popnn_add_codelets_at);
    popnn_non_linearity_type type;
    for (unsigned i = 0; i < POPNN_NON_LINEARITY_TYPES; ++i)
        assert_true(
            popnn_non_linearity_type_by_name(popnn_non_linearity_type_name((popnn_non_linearity_type)i), &type) &&
            type == i);
    assert_true(popnn_non_linearity_type_by_name("hard_sigmoid", &type) && type == POPNN_HARD_SIGMOID);
    assert_true(popnn_non_linearity_type_by_name("Relu", &type) && type == POPNN_RELU);
    assert_false(popnn_non_linearity_type_by_name("Relu6", &type));
    assert_false(popnn_non_linearity_type_by_name("rel", &type));
    assert_null(popnn_non_linearity_type_name(POPNN_NON_LINEARITY_TYPES));

    pop_tensor whole = fixture_input(&fixture, POP_INT, POP_SHAPE(3), FIXTURE_LINEAR),
               a = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(2, 3), FIXTURE_LINEAR);
    pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "set");
    popnn_relu(fixture.graph, whole, fixture.program, "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popnn_non_linearity", "elements of type int; half or float");
    popnn_relu_in_place(fixture.graph, (pop_tensor){ 0 }, fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_non_linearity_in_place", "null tensor");
    popnn_non_linearity_in_place_in(fixture.graph, POPNN_SOFTMAX, a, set);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_non_linearity_in_place_in",
                 "SOFTMAX needs more than one compute set");
    popnn_softmax(fixture.graph, pop_tensor_at(pop_tensor_at(a, 0), 0), fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_non_linearity", "this is a scalar");
    popnn_non_linearity(fixture.graph, (popnn_non_linearity_type)10, a, fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_non_linearity", "10 is not a non-linearity");
    popnn_non_linearity_input_gradient(fixture.graph, POPNN_RELU, a, pop_tensor_at(a, 0), fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_non_linearity_input_gradient",
                 "shape {2,3} and the output's gradient {3}");
    pop_tensor half = fixture_input(&fixture, POP_HALF, POP_SHAPE(2, 3), FIXTURE_LINEAR);
    popnn_non_linearity_input_gradient_in(fixture.graph, POPNN_RELU, a, half, set, "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popnn_non_linearity_input_gradient_in",
                 "are float and the output's gradient is half");
    pop_tensor unmapped = pop_graph_add_variable(fixture.graph, POP_FLOAT, POP_SHAPE(3), "x");
    popnn_relu_in_place(fixture.graph, unmapped, fixture.program, "x");
    assert_error(fixture.graph, POP_INVALID_TILE_MAPPING, "popnn_non_linearity_in_place", "not mapped");
    fixture_close(&fixture);
}

static void test_empty_scalar_and_aliased_tensors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, popnn_add_codelets_at);
    pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3, 5), FIXTURE_SCATTERED), row = pop_tensor_at(t, 1);
    popnn_relu_in_place(fixture.graph, pop_tensor_slice(t, 1, 1, 0), fixture.program, "nothing");
    popnn_non_linearity_in_place(fixture.graph, POPNN_SIGMOID,
                                 pop_tensor_broadcast(pop_tensor_expand(row, POP_DIMS(0)), 3, 0), fixture.program,
                                 "once");
    pop_tensor scalar = popnn_tanh(fixture.graph, pop_tensor_at(pop_tensor_at(t, 2), 3), fixture.program, "scalar");
    assert_int_equal(pop_tensor_rank(scalar), 0);
    pop_tensor outputs[] = { t, scalar };
    double *got[2], *given = fixture_given(&fixture, t), wanted[15];
    fixture_run_all(&fixture, outputs, got, 2);
    for (size_t i = 0; i < 15; ++i)
        wanted[i] = i / 5 == 1 ? value(POPNN_SIGMOID, given[i]) : given[i];
    fixture_check(got[0], wanted, 15, 1e-6, 0);
    assert_true(fabs(got[1][0] - tanh(given[13])) < 1e-6);
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_infinite_arguments),
        cmocka_unit_test(test_units_in_the_last_place),
        cmocka_unit_test(estimates_follow_the_formulas),
        cmocka_unit_test(test_names_and_errors),
        cmocka_unit_test(test_empty_scalar_and_aliased_tensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
