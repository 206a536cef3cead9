/* SPDX-License-Identifier: Apache-2.0 */
/* Variables, constants and initial values. */
#include "fixture.h"

static void shapes_of_all_sizes(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_tensor scalar = pop_graph_add_variable(graph, POP_INT, POP_SHAPE(), "scalar");
    assert_int_equal(pop_tensor_rank(scalar), 0);
    assert_int_equal(pop_tensor_num_elements(scalar), 1);
    pop_tensor empty = pop_graph_add_variable(graph, POP_INT, POP_SHAPE(3, 0, (size_t)1 << 60), "empty");
    assert_int_equal(pop_tensor_num_elements(empty), 0);
    assert_int_equal(pop_tensor_rank(empty), 3);
    pop_tensor eight = pop_graph_add_variable(graph, POP_HALF, POP_SHAPE(2, 1, 3, 1, 5, 7, 1, 11), "eight");
    assert_int_equal(pop_tensor_rank(eight), 8);
    assert_int_equal(pop_tensor_num_elements(eight), 2310);
    pop_tensor large = pop_graph_add_variable(graph, POP_CHAR, POP_SHAPE((size_t)1 << 40), "large");
    assert_int_equal(pop_tensor_num_elements(large), (size_t)1 << 40);
    assert_int_equal(pop_graph_num_variables(graph), 4);
    assert_string_equal(pop_graph_variable_name(graph, 2), "eight");
    assert_string_equal(pop_graph_variable_name(graph, 99), "");
    expect_no_error(graph);
    pop_graph_destroy(graph);
}

static void unsupported_types_are_refused(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    static const struct {
        pop_type type;
        const char *words;
    } refused[] = {
        { POP_LONG, "long" },
        { POP_UNSIGNED_LONG, "unsigned long" },
        { POP_DOUBLE, "double" },
        { POP_TYPE_NULL, "0 is no element type" },
        { (pop_type)77, "77 is no element type" },
    };
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); ++i) {
        assert_false(pop_tensor_valid(pop_graph_add_variable(graph, refused[i].type, POP_SHAPE(1), "x")));
        EXPECT_ERROR(graph, POP_TENSOR_CREATION_ERROR, refused[i].words);
    }
    pop_graph_add_variable(graph, POP_INT, POP_SHAPE(((size_t)1 << 40) + 1), "x");
    EXPECT_ERROR(graph, POP_TENSOR_CREATION_ERROR, "2^40");
    pop_graph_add_variable(graph, POP_INT, POP_SHAPE((size_t)1 << 62, 4, 4), "x");
    EXPECT_ERROR(graph, POP_TENSOR_CREATION_ERROR, "2^40");
    size_t dims[65];
    for (int i = 0; i < 65; ++i)
        dims[i] = 1;
    pop_graph_add_variable(graph, POP_INT, (pop_shape){ 65, dims }, "x");
    EXPECT_ERROR(graph, POP_TENSOR_CREATION_ERROR, "rank 65");
    assert_true(pop_tensor_valid(pop_graph_add_variable(graph, POP_INT, (pop_shape){ 64, dims }, "x")));
    pop_graph_variable(graph, 1);
    EXPECT_ERROR(graph, POP_INDEX_ERROR, "no variable 1");
    assert_int_equal(pop_graph_num_variables(graph), 1);
    pop_graph_destroy(graph);
}

static const void *contents(const pop_graph *graph, uint32_t variable)
{
    const struct variable *v = &graph->store->variables.data[variable];
    return graph->store->data.data + graph->store->initials.data[v->initial].data;
}

static void constants_hold_converted_values(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    const int values[] = { 1, -2, 65537 };
    pop_tensor t = pop_graph_add_constant(graph, POP_SHORT, POP_SHAPE(3), POP_INT, values, NULL);
    assert_true(pop_graph_is_constant(graph, 0));
    assert_true(pop_tensor_contains_constant(t));
    assert_string_equal(pop_graph_variable_name(graph, 0), "<const>");
    const int16_t *shorts = contents(graph, 0);
    assert_int_equal(shorts[0], 1);
    assert_int_equal(shorts[1], -2);
    assert_int_equal(shorts[2], 1); /* wraps as C converts */
    pop_tensor fill = pop_graph_add_constant_float(graph, POP_HALF, POP_SHAPE(1000, 1000), 1.5, "fill");
    double value;
    assert_true(pop_tensor_constant_double(fill, &value));
    assert_true(value == 1.5);
    assert_true(graph->store->data.count < 64); /* a fill costs one element */
    const uint16_t bits[] = { 0x7d01, 0x3c00 }; /* a signalling NaN stays one */
    pop_graph_add_constant_half(graph, POP_SHAPE(2), bits, "bits");
    assert_memory_equal(contents(graph, 2), bits, sizeof(bits));
    int64_t large = INT64_C(9007199254740993), back;
    pop_tensor wide = pop_graph_add_constant_fill(graph, POP_LONGLONG, POP_SHAPE(), POP_LONGLONG, &large, "wide");
    assert_true(pop_tensor_constant_int64(wide, &back));
    assert_true(back == large);
    pop_tensor empty = pop_graph_add_constant(graph, POP_FLOAT, POP_SHAPE(0), POP_FLOAT, NULL, "empty");
    assert_true(pop_tensor_valid(empty));
    pop_graph_add_constant(graph, POP_FLOAT, POP_SHAPE(2), POP_FLOAT, NULL, "none");
    EXPECT_ERROR(graph, POP_POPLAR_ERROR, "NULL");
    pop_graph_add_constant(graph, POP_FLOAT, POP_SHAPE(2), POP_TYPE_NULL, values, "none");
    EXPECT_ERROR(graph, POP_TYPE_ERROR, "no type of host values");
    float one = 1;
    pop_graph_add_constant(graph, POP_FLOAT, POP_SHAPE((size_t)1 << 41), POP_FLOAT, &one, "none");
    EXPECT_ERROR(graph, POP_TENSOR_CREATION_ERROR, "2^40");
    assert_int_equal(pop_graph_num_variables(graph), 5);
    pop_graph_destroy(graph);
}

static void initial_values_follow_the_view(void **state)
{
    (void)state;
    pop_graph *graph = fixture_graph(1, 4);
    pop_tensor t = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(2, 3), "t");
    const double values[] = { 1, 2, 3, 4, 5, 6 };
    pop_graph_set_initial_value(graph, pop_tensor_transpose(t), POP_DOUBLE, values);
    float image[6] = { 0 };
    for (size_t i = 0; i < graph->store->initials.count; ++i) {
        const struct initial *initial = &graph->store->initials.data[i];
        memcpy(image + initial->begin, graph->store->data.data + initial->data, initial->count * sizeof(float));
    }
    const float expected[] = { 1, 3, 5, 2, 4, 6 };
    assert_memory_equal(image, expected, sizeof(expected));
    assert_int_equal(graph->store->initials.count, 1); /* in the order of memory */
    int zero = 0;
    pop_graph_set_initial_fill(graph, pop_tensor_transpose(t), POP_INT, &zero);
    assert_int_equal(graph->store->initials.count, 2);
    /* of a repeated element, the last value counts */
    pop_tensor repeated = pop_tensor_concat(
        POP_TENSORS(pop_tensor_slice(pop_tensor_flatten(t), 2, 4, 0), pop_tensor_slice(pop_tensor_flatten(t), 1, 3, 0)),
        0);
    pop_graph_set_initial_value(graph, repeated, POP_DOUBLE, values);
    for (size_t i = 2; i < graph->store->initials.count; ++i) {
        const struct initial *initial = &graph->store->initials.data[i];
        memcpy(image + initial->begin, graph->store->data.data + initial->data, initial->count * sizeof(float));
    }
    assert_true(image[1] == 3 && image[2] == 4 && image[3] == 2);
    pop_graph_set_initial_fill(graph, pop_tensor_at(t, 1), POP_INT, &zero);
    const struct initial *last = &graph->store->initials.data[graph->store->initials.count - 1];
    assert_true(last->fill && last->begin == 3 && last->count == 3);

    const uint16_t bits[] = { 1 };
    pop_graph_set_initial_half(graph, t, bits);
    EXPECT_ERROR(graph, POP_TYPE_ERROR, "float");
    pop_graph_set_initial_value(graph, (pop_tensor){ 0 }, POP_DOUBLE, values);
    EXPECT_ERROR(graph, POP_POPLAR_ERROR, "null");
    pop_tensor constant = pop_graph_add_constant_float(graph, POP_FLOAT, POP_SHAPE(2), 1, "c");
    pop_graph_set_initial_value(graph, constant, POP_DOUBLE, values);
    EXPECT_ERROR(graph, POP_POPLAR_ERROR, "constants");
    pop_graph *other = fixture_graph(1, 4);
    pop_graph_set_initial_value(other, t, POP_DOUBLE, values);
    EXPECT_ERROR(other, POP_POPLAR_ERROR, "another graph");
    pop_graph_destroy(other);
    pop_graph_set_initial_value(graph, pop_graph_add_variable(graph, POP_INT, POP_SHAPE(0), "e"), POP_INT, NULL);
    expect_no_error(graph);
    pop_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_of_all_sizes),
        cmocka_unit_test(unsupported_types_are_refused),
        cmocka_unit_test(constants_hold_converted_values),
        cmocka_unit_test(initial_values_follow_the_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
