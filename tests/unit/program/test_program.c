/* SPDX-License-Identifier: Apache-2.0 */
/* Program trees: what their constructors accept and refuse, and the text of a tree. */
#include "program/node.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int setup(void **state)
{
    pop_target target;
    if (pop_target_create_ipu(1, "ipu1", &target, NULL) != POP_OK)
        return -1;
    *state = pop_graph_create(&target);
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    pop_graph_destroy(*state);
    return 0;
}

/* The pending error has this kind, names this file, and its text has the words. */
static void expect_error(pop_graph *graph, pop_status status, const char *words)
{
    pop_error error;
    assert_string_equal(pop_status_name(pop_graph_take_error(graph, &error)), pop_status_name(status));
    if (!strstr(error.text, words))
        fail_msg("'%s' does not contain '%s'", error.text, words);
    assert_string_equal(error.where.file, __FILE__);
    assert_true(error.where.line > 0);
}

static void a_copy_needs_equal_sizes_and_types(void **state)
{
    pop_graph *graph = *state;
    pop_tensor a = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(2, 3), "a");
    pop_tensor b = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(6), "b");
    pop_tensor c = pop_graph_add_variable(graph, POP_INT, POP_SHAPE(6), "c");
    assert_true(pop_copy(a, b, false, NULL).id != 0);
    assert_int_equal(pop_copy(a, pop_tensor_slice(b, 0, 5, 0), false, NULL).id, 0);
    expect_error(graph, POP_CONTROL_PROGRAM_ERROR, "6 elements (shape {2,3}), the destination 5");
    assert_int_equal(pop_copy(a, c, false, NULL).id, 0);
    expect_error(graph, POP_TYPE_ERROR, "float, the destination int");
    assert_int_equal(pop_copy(a, (pop_tensor){ 0 }, false, NULL).id, 0);
    expect_error(graph, POP_CONTROL_PROGRAM_ERROR, "destination is a null tensor");
}

static void a_destination_must_be_writable(void **state)
{
    pop_graph *graph = *state;
    pop_tensor a = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(4), "a");
    pop_tensor one = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(1), "one");
    pop_tensor k = pop_graph_add_constant_float(graph, POP_FLOAT, POP_SHAPE(4), 1, "k");
    pop_copy(a, k, false, NULL);
    expect_error(graph, POP_CONTROL_PROGRAM_ERROR, "constants");
    pop_copy(a, pop_tensor_broadcast(one, 4, 0), false, NULL);
    expect_error(graph, POP_CONTROL_PROGRAM_ERROR, "more than once");
    assert_true(pop_copy(pop_tensor_broadcast(one, 4, 0), a, false, NULL).id != 0);
}

static void a_predicate_is_one_integer(void **state)
{
    pop_graph *graph = *state;
    pop_program body = pop_sequence(graph, NULL);
    pop_tensor two = pop_graph_add_variable(graph, POP_INT, POP_SHAPE(2), "two");
    pop_tensor real = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(), "real");
    pop_if(two, body, body, NULL);
    expect_error(graph, POP_CONTROL_PROGRAM_ERROR, "2 elements");
    pop_repeat_while_true(body, real, body, NULL);
    expect_error(graph, POP_TYPE_ERROR, "float");
    assert_true(pop_if(pop_tensor_at(two, 1), body, body, NULL).id != 0);
}

static void only_sequences_grow(void **state)
{
    pop_graph *graph = *state;
    pop_program sequence = pop_sequence(graph, NULL);
    assert_true(pop_program_is_empty(sequence));
    pop_sequence_add(sequence, sequence);
    expect_error(graph, POP_GRAPH_RECURSION_ERROR, "itself");
    pop_program repeat = pop_repeat(3, sequence, NULL);
    pop_sequence_add(repeat, sequence);
    expect_error(graph, POP_CONTROL_PROGRAM_ERROR, "not to a Repeat");
    pop_sequence_add(sequence, (pop_program){ 0 });
    expect_error(graph, POP_CONTROL_PROGRAM_ERROR, "null program");
    assert_true(pop_program_is_empty(sequence));
}

static void switch_cases_are_distinct(void **state)
{
    pop_graph *graph = *state;
    pop_tensor control = pop_graph_add_variable(graph, POP_INT, POP_SHAPE(), "control");
    pop_program body = pop_sequence(graph, NULL), choice = pop_switch(control, NULL);
    pop_switch_add(choice, 4, body);
    pop_switch_add(choice, 4, body);
    expect_error(graph, POP_CONTROL_PROGRAM_ERROR, "a case for 4 already");
}

static void programs_of_another_graph_are_refused(void **state)
{
    pop_graph *graph = *state, *other = pop_graph_create(pop_graph_target(graph));
    pop_program sequence = pop_sequence(graph, NULL);
    pop_sequence_add(sequence, pop_sequence(other, NULL));
    expect_error(graph, POP_CONTROL_PROGRAM_ERROR, "another graph");
    pop_graph_destroy(other);
}

static void stream_copies_match_their_stream(void **state)
{
    pop_graph *graph = *state;
    pop_stream in = pop_graph_add_host_to_device_fifo(graph, "in", POP_INT, 10, POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    pop_tensor ten = pop_graph_add_variable(graph, POP_INT, POP_SHAPE(10), "ten");
    assert_true(pop_copy_from_stream(in, ten, false, NULL).id != 0);
    pop_copy_from_stream(in, pop_tensor_slice(ten, 0, 9, 0), false, NULL);
    expect_error(graph, POP_CONTROL_PROGRAM_ERROR, "9 elements, a copy of stream 'in' moves 10");
    pop_copy_to_stream(ten, in, false, NULL);
    expect_error(graph, POP_CONTROL_PROGRAM_ERROR, "cannot be copied to");
}

static void an_unknown_float_format_is_refused(void **state)
{
    pop_graph *graph = *state;
    pop_tensor a = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(4), "a");
    pop_print_format format = pop_print_format_default();
    format.float_format = (pop_float_format)3;
    assert_true(pop_print_tensor_format(NULL, a, format, NULL).id != 0);
    *(unsigned *)&format.float_format = 9;
    assert_int_equal(pop_print_tensor_format(NULL, a, format, NULL).id, 0);
    expect_error(graph, POP_CONTROL_PROGRAM_ERROR, "9 is not a float format");
}

static void a_dump_shows_the_tree(void **state)
{
    pop_graph *graph = *state;
    pop_tensor a = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(4), "a");
    pop_tensor b = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(4), "b");
    pop_program inner =
        pop_sequence_of(graph, POP_PROGRAMS(pop_copy(a, b, false, "move"), pop_print_tensor(NULL, b, NULL)), "inner");
    pop_program repeat = pop_repeat(2, inner, NULL);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_true(pop_dump_program(graph, repeat, file));
    fclose(file);
    assert_string_equal(text, "Repeat 2 times\n  Sequence: inner\n    Copy: move 4 elements\n    PrintTensor 'b'\n");
    free(text);
    assert_false(pop_dump_program(graph, (pop_program){ 0 }, stdout));
}

/* No program is created while an error is pending. */
static void a_pending_error_makes_nothing(void **state)
{
    pop_graph *graph = *state;
    pop_tensor a = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(2), "a");
    pop_program copy = pop_copy(a, a, false, NULL), sequence = pop_sequence(graph, NULL);
    size_t before = graph->store->programs.count;
    pop_copy(a, pop_tensor_slice(a, 0, 1, 0), false, NULL);
    assert_false(pop_sequence_of(graph, POP_PROGRAMS(copy, copy), NULL).id);
    assert_false(pop_sequence_copy(sequence).id);
    assert_false(pop_repeat(3, copy, NULL).id);
    assert_int_equal(graph->store->programs.count, before);
    expect_error(graph, POP_CONTROL_PROGRAM_ERROR, "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_pending_error_makes_nothing, setup, teardown),
        TEST(a_copy_needs_equal_sizes_and_types),
        TEST(a_destination_must_be_writable),
        TEST(a_predicate_is_one_integer),
        TEST(only_sequences_grow),
        TEST(switch_cases_are_distinct),
        TEST(programs_of_another_graph_are_refused),
        TEST(stream_copies_match_their_stream),
        TEST(a_dump_shows_the_tree),
        TEST(an_unknown_float_format_is_refused),
    };
    return cmocka_run_group_tests_name("program", tests, NULL, NULL);
}
