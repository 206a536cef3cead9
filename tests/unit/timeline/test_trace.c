/* SPDX-License-Identifier: Apache-2.0 */
/* The record of executed ops: which blocks are folded, and that its size does not depend on the iterations. */
#include "fixture.h"

/* "0-3 5*{3-3}": ranges of ops, blocks with their counts; ! is a run. */
static void write_entries(char *text, size_t size, const struct trace_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const struct trace_entry *e = entries + i;
        size_t used = strlen(text);
        if (trace_is_counted(e)) {
            snprintf(text + used, size - used, "%u:%u ", e->first, e->count & ~TRACE_COUNTED);
        } else if (!e->times) {
            snprintf(text + used, size - used, "%u-%u ", e->first, e->first + e->count - 1);
        } else if (!e->count) {
            snprintf(text + used, size - used, "%s", e->first == TRACE_RUN ? "!... " : "... ");
        } else {
            snprintf(text + used, size - used, "%llu*%s{", (unsigned long long)e->times,
                     e->first == TRACE_RUN ? "!" : "");
            write_entries(text, size, e + 1, e->count);
            used = strlen(text);
            snprintf(text + used - 1, size - used, "} ");
            i += e->count;
        }
    }
}

static void assert_trace(const struct trace *trace, const char *expected)
{
    char text[2000] = "";
    write_entries(text, sizeof(text), trace->entries.data, trace->entries.count);
    if (*text)
        text[strlen(text) - 1] = 0;
    assert_string_equal(text, expected);
}

static void equal_runs_are_folded(void **state)
{
    (void)state;
    struct trace trace = { 0 };
    for (int i = 0; i < 3; ++i) {
        trace_begin(&trace, 4);
        trace_end(&trace, 10);
    }
    assert_trace(&trace, "3*!{4-9}");
    trace_begin(&trace, 0);
    trace_end(&trace, 2);
    trace_begin(&trace, 4);
    trace_end(&trace, 10);
    assert_trace(&trace, "3*!{4-9} 1*!{0-1} 1*!{4-9}");
    uint64_t counts[10] = { 0 };
    trace_count(&trace, counts);
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[9], 4);
    trace_reset(&trace);
    assert_trace(&trace, "");
    trace_begin(&trace, 4);
    trace_end(&trace, 4); /* stopped before its first op */
    trace_begin(&trace, 4);
    trace_end(&trace, 10);
    assert_trace(&trace, "1*!{4-9}");
    trace_free(&trace);
}

static void run_letter(struct trace *trace, char letter)
{
    uint32_t op = 10 * (uint32_t)(letter - 'a');
    trace_begin(trace, op);
    trace_end(trace, op + 1);
}

static void alternating_runs_are_folded(void **state)
{
    (void)state;
    static const struct {
        const char *runs, *expected;
    } cases[] = {
        { "abab", "2*{1*!{0-0} 1*!{10-10}}" },
        { "ababababab", "5*{1*!{0-0} 1*!{10-10}}" },
        { "cababa", "1*!{20-20} 2*{1*!{0-0} 1*!{10-10}} 1*!{0-0}" },
        { "aabaabaab", "3*{2*!{0-0} 1*!{10-10}}" },
        { "ababbb", "2*{1*!{0-0} 1*!{10-10}} 2*!{10-10}" },
        { "abcabcabd", "2*{1*!{0-0} 1*!{10-10} 1*!{20-20}} 1*!{0-0} 1*!{10-10} 1*!{30-30}" },
        { "abc", "1*!{0-0} 1*!{10-10} 1*!{20-20}" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        struct trace trace = { 0 };
        for (const char *run = cases[i].runs; *run; ++run)
            run_letter(&trace, *run);
        assert_trace(&trace, cases[i].expected);
        trace_free(&trace);
    }
    struct trace trace = { 0 };
    for (int i = 0; i < 100000; ++i)
        run_letter(&trace, (char)('a' + i % 8));
    assert_true(trace.entries.capacity < 100 && trace.tops.capacity < 100);
    trace_free(&trace);
}

/* 0: loop; 1: body; 2: end of the loop, back to 1. */
static void iterations_are_counted(void **state)
{
    (void)state;
    struct trace trace = { 0 };
    for (int run = 0; run < 2; ++run) {
        trace_begin(&trace, 0);
        for (int i = 1; i < 10; ++i)
            trace_jump(&trace, 2, 1, 0, true);
        trace_end(&trace, 4);
    }
    assert_trace(&trace, "2*!{0-2 8*{1-2} ... 1-3}");
    trace_free(&trace);
}

/* 0: outer head; 1: inner head; 2: end of inner; 3: end of outer; 4: end. */
static void inner_loops_are_folded_first(void **state)
{
    (void)state;
    struct trace trace = { 0 };
    trace_begin(&trace, 0);
    for (int outer = 0; outer < 100; ++outer) {
        for (int inner = 1; inner < 5; ++inner)
            trace_jump(&trace, 2, 1, 0, true);
        if (outer < 99)
            trace_jump(&trace, 3, 0, 0, true);
    }
    trace_end(&trace, 5);
    assert_trace(&trace, "1*!{0-2 3*{1-2} ... 1-3 98*{0-2 3*{1-2} ... 1-3} ... 0-2 3*{1-2} ... 1-4}");
    trace_free(&trace);
}

/* A loop whose body branches: equal neighbours are folded, others are not. */
static void different_branches_are_kept(void **state)
{
    (void)state;
    struct trace trace = { 0 };
    trace_begin(&trace, 0);
    for (int i = 0; i < 12; ++i) {
        if (i / 4 % 2)
            trace_jump(&trace, 1, 3, 0, false); /* 1 skips 2 */
        trace_jump(&trace, 4, 1, 0, true);
    }
    trace_end(&trace, 6);
    assert_trace(&trace, "1*!{0-4 3*{1-4} 4*{1-1 3-4} 4*{1-4} ... 1-5}");
    trace_free(&trace);
}

/* A function at 10 with a loop of its own, called twice in a loop. */
static void loops_of_functions_end_with_them(void **state)
{
    (void)state;
    struct trace trace = { 0 };
    trace_begin(&trace, 0);
    for (int i = 0; i < 6; ++i) {
        for (uint32_t call = 1; call <= 2; ++call) {
            trace_jump(&trace, call, 10, 1, false);
            for (int k = 0; k < 3; ++k)
                trace_jump(&trace, 11, 10, 1, true);
            trace_jump(&trace, 12, call + 1, 0, false);
        }
        trace_jump(&trace, 3, 0, 0, true);
    }
    trace_end(&trace, 1);
    assert_trace(&trace, "1*!{0-1 10-11 2*{10-11} ... 10-12 2-2 10-11 2*{10-11} ... 10-12 3-3 "
                         "5*{0-1 10-11 2*{10-11} ... 10-12 2-2 10-11 2*{10-11} ... 10-12 3-3} ... 0-0}");
    trace_free(&trace);
}

static void memory_follows_structure(void **state)
{
    (void)state;
    struct trace trace = { 0 };
    for (int run = 0; run < 1000; ++run) {
        trace_begin(&trace, 0);
        for (int i = 0; i < 1000; ++i)
            if (!trace_again(&trace, 5, 2))
                trace_jump(&trace, 5, 2, 0, true);
        trace_end(&trace, 7);
    }
    assert_true(trace.entries.count < 10 && trace.entries.capacity < 32);
    uint64_t counts[7] = { 0 };
    trace_count(&trace, counts);
    assert_int_equal(counts[5], 1001 * 1000);
    trace_free(&trace);
}

/* Reset from a callback: later ops are recorded. */
static void reset_while_running(void **state)
{
    (void)state;
    struct trace trace = { 0 };
    trace_begin(&trace, 0);
    trace_jump(&trace, 2, 7, 0, false);
    trace_reset(&trace);
    trace_end(&trace, 9);
    assert_trace(&trace, "1*!{7-8}");
    trace_free(&trace);
}

/* Iterations whose sets took the same are folded, others are kept. */
static void counted_ops_are_entries(void **state)
{
    (void)state;
    static const uint32_t costs[] = { 0, 0, 1, 1, 1 };
    struct trace trace = { 0 };
    trace_begin(&trace, 0);
    for (size_t i = 0; i < 5; ++i) {
        trace_counted(&trace, 3, costs[i]);
        if (i < 4)
            trace_jump(&trace, 5, 2, 0, true);
    }
    trace_end(&trace, 8);
    assert_trace(&trace, "1*!{0-2 3:0 4-5 1*{2-2 3:0 4-5} 2*{2-2 3:1 4-5} ... 2-2 3:1 4-7}");
    uint64_t counts[8] = { 0 };
    trace_count(&trace, counts);
    assert_int_equal(counts[3], 5);
    assert_int_equal(counts[7], 1);
    trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_runs_are_folded),       cmocka_unit_test(alternating_runs_are_folded),
        cmocka_unit_test(iterations_are_counted),      cmocka_unit_test(inner_loops_are_folded_first),
        cmocka_unit_test(different_branches_are_kept), cmocka_unit_test(loops_of_functions_end_with_them),
        cmocka_unit_test(memory_follows_structure),    cmocka_unit_test(reset_while_running),
        cmocka_unit_test(counted_ops_are_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
