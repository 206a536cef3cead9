/* SPDX-License-Identifier: Apache-2.0 */
/* Control programs: what runs, how often, and in which order.  A trace of ints records it: mark(k) shifts the trace by
 * one and writes k to the front. */
#include "fixture.h"

#include <poplar/memory.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRACE = 8 };

struct traced {
    struct fixture *w;
    pop_tensor trace;
};

static struct traced traced_open(struct fixture *w)
{
    return (struct traced){ w, fixture_variable(w, POP_INT, POP_SHAPE(TRACE), "trace") };
}

static pop_program mark(struct traced t, int k)
{
    pop_program shift =
        pop_copy(pop_tensor_slice(t.trace, 0, TRACE - 1, 0), pop_tensor_slice(t.trace, 1, TRACE, 0), false, "shift");
    pop_program put = pop_copy(fixture_constant(t.w, POP_INT, POP_SHAPE(), k), pop_tensor_at(t.trace, 0), false, "put");
    return pop_sequence_of(t.w->graph, POP_PROGRAMS(shift, put), "mark");
}

/* Moves the first element to the end. */
static pop_program rotate(pop_tensor v)
{
    size_t n = pop_tensor_dim(v, 0);
    return pop_copy(pop_tensor_concat(POP_TENSORS(pop_tensor_slice(v, 1, n, 0), pop_tensor_slice(v, 0, 1, 0)), 0), v,
                    false, "rotate");
}

static void repeats(struct fixture *w)
{
    struct traced t = traced_open(w);
    pop_program inner = pop_repeat(3, mark(t, 2), "inner");
    pop_program outer = pop_repeat(2, pop_sequence_of(w->graph, POP_PROGRAMS(mark(t, 1), inner), NULL), "outer");
    pop_program nothing =
        pop_repeat(UINT32_MAX, pop_repeat(UINT32_MAX, pop_sequence(w->graph, NULL), NULL), "nothing, 2^64 times");
    pop_program none = pop_sequence_of(w->graph, POP_PROGRAMS(nothing, pop_repeat(0, mark(t, 9), "none")), NULL);
    fixture_start(w, POP_PROGRAMS(none, pop_repeat(1, mark(t, 5), "once"), outer));
    fixture_run(w, 0);
    FIXTURE_INTS(w, "trace", 0, 0, 0, 0, 0, 0, 0, 0);
    fixture_run(w, 1);
    FIXTURE_INTS(w, "trace", 5, 0, 0, 0, 0, 0, 0, 0);
    fixture_run(w, 2);
    FIXTURE_INTS(w, "trace", 2, 2, 2, 1, 2, 2, 2, 1);
}

static void deep_repeats(struct fixture *w)
{
    struct traced t = traced_open(w);
    pop_tensor ring = fixture_variable(w, POP_INT, POP_SHAPE(1009), "ring");
    pop_program body = rotate(ring);
    for (int depth = 0; depth < 3; ++depth)
        body = pop_repeat(7, body, NULL);
    fixture_start(w, POP_PROGRAMS(pop_sequence_of(w->graph, POP_PROGRAMS(body, mark(t, 1)), NULL)));
    int values[1009] = { 0 };
    values[400] = 1;
    FIXTURE_PUT(w, "ring", values);
    fixture_run(w, 0);
    fixture_get(w, "ring", values, sizeof(values));
    assert_int_equal(values[400 - 343], 1);
    FIXTURE_INTS(w, "trace", 1, 0, 0, 0, 0, 0, 0, 0);
}

static void whiles(struct fixture *w)
{
    struct traced t = traced_open(w);
    pop_tensor flags = fixture_variable(w, POP_BOOL, POP_SHAPE(4), "flags");
    pop_program body = pop_sequence_of(w->graph, POP_PROGRAMS(mark(t, 2), rotate(flags)), "body");
    pop_tensor first = pop_tensor_at(flags, 0);
    fixture_start(w, POP_PROGRAMS(pop_repeat_while_true(mark(t, 1), first, body, "true"),
                                  pop_repeat_while_false(mark(t, 1), first, body, "false")));
    FIXTURE_PUT(w, "flags", ((const uint8_t[]){ 1, 1, 0, 1 }));
    fixture_run(w, 0);
    FIXTURE_INTS(w, "trace", 1, 2, 1, 2, 1, 0, 0, 0);
    FIXTURE_PUT(w, "trace", (const int[TRACE]){ 0 });
    FIXTURE_PUT(w, "flags", ((const uint8_t[]){ 0, 0, 0, 1 }));
    fixture_run(w, 1);
    FIXTURE_INTS(w, "trace", 1, 2, 1, 2, 1, 2, 1, 0);
    FIXTURE_PUT(w, "trace", (const int[TRACE]){ 0 });
    fixture_run(w, 1); /* true at once: the condition runs, the body does not */
    FIXTURE_INTS(w, "trace", 1, 0, 0, 0, 0, 0, 0, 0);
}

static void conditions_of_every_integer_type(struct fixture *w)
{
    static const pop_type types[] = {
        POP_BOOL,           POP_CHAR, POP_SIGNED_CHAR,  POP_UNSIGNED_CHAR, POP_SHORT,
        POP_UNSIGNED_SHORT, POP_INT,  POP_UNSIGNED_INT, POP_LONGLONG,      POP_UNSIGNED_LONGLONG
    };
    enum { TYPES = sizeof(types) / sizeof(types[0]) };
    struct traced t = traced_open(w);
    pop_program programs[TYPES];
    for (size_t i = 0; i < TYPES; ++i) {
        pop_tensor predicate = fixture_variable(w, types[i], POP_SHAPE(), pop_type_name(types[i]));
        programs[i] = pop_if(predicate, mark(t, 1), mark(t, 2), NULL);
    }
    fixture_start(w, ((pop_programs){ TYPES, programs }));
    for (unsigned i = 0; i < TYPES; ++i) {
        size_t bytes = pop_type_size(types[i]);
        for (size_t bit = 0; bit <= 8 * bytes; ++bit) { /* each single bit is true; none is false */
            if (types[i] == POP_BOOL && bit > 0 && bit < 8)
                continue; /* a bool is 0 or 1 */
            uint64_t value = bit < 8 * bytes ? (uint64_t)1 << bit : 0;
            fixture_put(w, pop_type_name(types[i]), &value, bytes);
            fixture_run(w, i);
            int seen[TRACE];
            fixture_get(w, "trace", seen, sizeof(seen));
            assert_int_equal(seen[0], value ? 1 : 2);
        }
    }
}

static void switches(struct fixture *w)
{
    struct traced t = traced_open(w);
    pop_tensor control = fixture_variable(w, POP_INT, POP_SHAPE(1), "control");
    pop_tensor natural = fixture_variable(w, POP_UNSIGNED_INT, POP_SHAPE(), "natural");
    pop_program with = pop_switch(control, "with"), without = pop_switch(control, "without"),
                of_natural = pop_switch(natural, NULL);
    pop_switch_add(with, 7, mark(t, 7));
    pop_switch_add(with, -2, mark(t, -2));
    pop_switch_add(with, INT32_MIN, mark(t, 5));
    pop_switch_add(with, 0, pop_sequence(w->graph, NULL));
    pop_switch_default(with, mark(t, 100));
    pop_switch_add(without, 1, mark(t, 1));
    pop_switch_add(of_natural, 3, mark(t, 3));
    pop_switch_unreachable_default(of_natural);
    fixture_start(w, POP_PROGRAMS(with, without, of_natural, pop_switch(control, "no cases")));
    static const struct {
        unsigned program;
        int control, expected; /* 0: nothing is marked */
    } cases[] = { { 0, 7, 7 },           { 0, -2, -2 }, { 0, INT32_MIN, 5 }, { 0, 0, 0 },  { 0, 8, 100 },
                  { 0, INT32_MAX, 100 }, { 1, 1, 1 },   { 1, 2, 0 },         { 1, -1, 0 }, { 3, 0, 0 } };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        FIXTURE_PUT(w, "trace", (const int[TRACE]){ 0 });
        fixture_put(w, "control", &cases[i].control, sizeof(int));
        fixture_run(w, cases[i].program);
        FIXTURE_INTS(w, "trace", cases[i].expected, 0, 0, 0, 0, 0, 0, 0);
    }
    FIXTURE_PUT(w, "natural", (const unsigned[]){ 3 });
    fixture_run(w, 2);
    FIXTURE_INTS(w, "trace", 3, 0, 0, 0, 0, 0, 0, 0);
    FIXTURE_PUT(w, "natural", (const unsigned[]){ 4 });
    fixture_run_fails(w, 2, POP_APPLICATION_RUNTIME_ERROR, "Switch");
}

static void functions_are_called_from_several_places(struct fixture *w)
{
    struct traced t = traced_open(w);
    pop_function inner = pop_graph_add_function(w->graph, mark(t, 3));
    pop_program twice = pop_sequence_of(w->graph, POP_PROGRAMS(mark(t, 1), pop_call(inner, NULL)), NULL);
    pop_function outer = pop_graph_add_function(w->graph, twice);
    pop_program main = pop_sequence_of(
        w->graph,
        POP_PROGRAMS(pop_call(outer, "first"), pop_repeat(2, pop_call(inner, NULL), NULL), pop_call(outer, "last")),
        NULL);
    fixture_start(w, POP_PROGRAMS(main, pop_call(inner, "alone")));
    fixture_run(w, 0);
    FIXTURE_INTS(w, "trace", 3, 1, 3, 3, 3, 1, 0, 0);
    fixture_run(w, 1);
    FIXTURE_INTS(w, "trace", 3, 3, 1, 3, 3, 3, 1, 0);
}

static void a_sequence_grows_after_it_was_added(struct fixture *w)
{
    struct traced t = traced_open(w);
    pop_program sequence = pop_sequence(w->graph, "grows");
    pop_program twice = pop_repeat(2, pop_block(sequence, "block"), NULL);
    assert_true(pop_program_is_empty(sequence));
    pop_sequence_add(sequence, mark(t, 1));
    pop_sequence_add(sequence, pop_sync(w->graph, POP_SYNC_INTERNAL, NULL));
    pop_sequence_add(sequence, mark(t, 2));
    assert_false(pop_program_is_empty(sequence));
    fixture_start(w, POP_PROGRAMS(twice));
    fixture_run(w, 0);
    FIXTURE_INTS(w, "trace", 2, 1, 2, 1, 0, 0, 0, 0);
}

static void programs_without_effect(struct fixture *w)
{
    struct traced t = traced_open(w);
    pop_tensor dead = fixture_variable(w, POP_FLOAT, POP_SHAPE(3), "dead");
    pop_tensor none = fixture_variable(w, POP_FLOAT, POP_SHAPE(0), "none");
    pop_program sequence = pop_sequence(w->graph, NULL);
    pop_sequence_add(sequence, pop_sequence(w->graph, "empty"));
    pop_sequence_add(sequence, pop_repeat(100000, pop_sequence(w->graph, NULL), "of nothing"));
    pop_sequence_add(sequence, pop_write_undef(dead, NULL));
    pop_sequence_add(sequence, pop_sync(w->graph, POP_SYNC_GLOBAL, NULL));
    pop_sequence_add(sequence, pop_sync(w->graph, POP_SYNC_EXTERNAL, NULL));
    pop_sequence_add(sequence, pop_assume_equal_across_replicas(dead, NULL));
    pop_sequence_add(sequence, pop_copy(none, none, false, NULL));
    pop_sequence_add(sequence, mark(t, 1));
    fixture_start(w, POP_PROGRAMS(sequence, pop_sequence(w->graph, NULL)));
    fixture_run(w, 0);
    FIXTURE_INTS(w, "trace", 1, 0, 0, 0, 0, 0, 0, 0);
    fixture_run(w, 1);
    FIXTURE_INTS(w, "trace", 1, 0, 0, 0, 0, 0, 0, 0);
}

static void aborts_end_the_run_and_leave_the_engine_usable(struct fixture *w)
{
    struct traced t = traced_open(w);
    pop_tensor bad = fixture_variable(w, POP_BOOL, POP_SHAPE(), "bad");
    pop_tensor values = fixture_variable(w, POP_INT, POP_SHAPE(3), "values");
    pop_program abort_program =
        pop_sequence_of(w->graph, POP_PROGRAMS(mark(t, 1), pop_abort(w->graph, "no more", NULL), mark(t, 2)), NULL);
    pop_program maybe =
        pop_sequence_of(w->graph, POP_PROGRAMS(pop_abort_on_condition(bad, "bad is set", NULL), mark(t, 3)), NULL);
    fixture_start(w, POP_PROGRAMS(abort_program, maybe, pop_error_program("values are wrong", values, NULL),
                                  pop_abort(w->graph, NULL, NULL)));
    fixture_run_fails(w, 0, POP_APPLICATION_RUNTIME_ERROR, "no more");
    FIXTURE_INTS(w, "trace", 1, 0, 0, 0, 0, 0, 0, 0);
    fixture_run(w, 1);
    FIXTURE_INTS(w, "trace", 3, 1, 0, 0, 0, 0, 0, 0);
    FIXTURE_PUT(w, "bad", (const uint8_t[]){ 1 });
    fixture_run_fails(w, 1, POP_APPLICATION_RUNTIME_ERROR, "bad is set");
    FIXTURE_PUT(w, "values", ((const int[]){ 4, 5, 6 }));
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    pop_engine_set_print_stream(w->engine, file);
    fixture_run_fails(w, 2, POP_APPLICATION_RUNTIME_ERROR, "values are wrong");
    pop_engine_set_print_stream(w->engine, NULL);
    fclose(file);
    assert_non_null(strstr(text, "values are wrong"));
    assert_non_null(strstr(text, "4 5 6"));
    free(text);
    fixture_run_fails(w, 3, POP_APPLICATION_RUNTIME_ERROR, "");
}

static pop_status reverse_and_count(const void *const *inputs, void *const *outputs, void *user)
{
    const int *in = inputs[0];
    int *out = outputs[0];
    for (int i = 0; i < 5; ++i)
        out[i] = in[4 - i];
    *(int *)outputs[1] = ++*(int *)user;
    return POP_OK;
}

static pop_status refuse(const void *const *inputs, void *const *outputs, void *user)
{
    (void)inputs, (void)outputs, (void)user;
    return POP_RUNTIME_ERROR;
}

static void host_functions_read_and_write_tensors(struct fixture *w)
{
    pop_tensor v = fixture_variable(w, POP_INT, POP_SHAPE(5), "v"),
               count = fixture_variable(w, POP_INT, POP_SHAPE(), "count");
    pop_host_argument in[] = { { POP_INT, 5 } }, out[] = { { POP_INT, 5 }, { POP_INT, 1 } };
    pop_host_function reverse = pop_graph_add_host_function(w->graph, "reverse", in, 1, out, 2);
    pop_program call = pop_call_host(reverse, POP_TENSORS(v), POP_TENSORS(pop_tensor_reverse(v, 0), count), NULL);
    fixture_start(w, POP_PROGRAMS(pop_repeat(3, call, NULL)));
    FIXTURE_PUT(w, "v", ((const int[]){ 1, 2, 3, 4, 5 }));
    pop_error error = { 0 };
    int calls = 10;
    must(pop_engine_connect_host_function(w->engine, "reverse", reverse_and_count, &calls, &error), &error);
    fixture_run(w, 0);
    FIXTURE_INTS(w, "v", 1, 2, 3, 4, 5); /* reversed into the reversed view */
    FIXTURE_INTS(w, "count", 13);
    assert_int_equal(calls, 13);
    pop_memory_fail(1, false); /* its arguments */
    fixture_run_fails(w, 0, POP_STREAM_MEMORY_ALLOCATION_ERROR, "bytes of host memory for host function 'reverse'");
    assert_int_equal(pop_memory_fail(0, false), 0);
    must(pop_engine_connect_host_function(w->engine, "reverse", refuse, NULL, &error), &error);
    fixture_run_fails(w, 0, POP_RUNTIME_ERROR, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENARIO(repeats),
        SCENARIO(deep_repeats),
        SCENARIO(whiles),
        SCENARIO(conditions_of_every_integer_type),
        SCENARIO(switches),
        SCENARIO(functions_are_called_from_several_places),
        SCENARIO(a_sequence_grows_after_it_was_added),
        SCENARIO(programs_without_effect),
        SCENARIO(aborts_end_the_run_and_leave_the_engine_usable),
        SCENARIO(host_functions_read_and_write_tensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
