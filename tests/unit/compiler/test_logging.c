/* SPDX-License-Identifier: Apache-2.0 */
/* What a compilation logs at each level, as documented in the guide. */
#include "fixture.h"

#include "base/file.h"
#include "base/log.h"

#include <unistd.h>

static const char file_name[] = "test_compiler_logging.txt";

/* The log of compiling a graph at a level: a copy and an exchange between tiles 0 and 1, 7 vertices on tile 1. */
static char *log_of_strict(const char *level, bool estimates, bool mapped, bool strict)
{
    struct fixture f;
    unlink(file_name);
    setenv("POPLAR_COMPILER_LOG_LEVEL", level, 1);
    setenv("POPLAR_LOG_DEST", file_name, 1);
    log_reset();
    begin(&f);
    if (strict)
        assert_int_equal(options_apply(&f.options, "engine", POP_OPTIONS({ "debug.requirePerfEstimates", "true" }),
                                       NULL, NO_WHERE, "test", &f.error),
                         POP_OK);
    pop_tensor a = variable(&f, 10, 0, "a"), b = variable(&f, 10, 1, "b");
    pop_compute_set set = pop_graph_add_compute_set(f.graph, "my set");
    for (unsigned i = 0; i < 7; ++i) {
        pop_vertex v = vertex(&f, set, "Sum", 1, estimates ? 10 : 0);
        pop_graph_connect(f.graph, v, "in", a);
        pop_graph_connect(f.graph, v, "out", pop_tensor_at(b, i));
    }
    if (!mapped)
        pop_graph_add_vertex(f.graph, set, "Sum");
    pop_program program =
        pop_sequence_of(f.graph, POP_PROGRAMS(pop_execute(set, NULL), pop_copy(b, a, false, "my copy")), NULL);
    assert_int_equal(compile(&f, program), mapped ? POP_OK : POP_INVALID_TILE_MAPPING);
    end(&f);
    setenv("POPLAR_COMPILER_LOG_LEVEL", "OFF", 1);
    log_reset();
    char *text;
    size_t size;
    return file_read(file_name, &text, &size, NULL) == POP_OK ? text : mem_string("");
}

static char *log_of(const char *level, bool estimates, bool mapped)
{
    return log_of_strict(level, estimates, mapped, false);
}

static unsigned lines(const char *text, const char *what)
{
    unsigned count = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        ++count;
    return count;
}

static void expect_times(char *text, const char *what, unsigned times)
{
    if (lines(text, what) != times)
        fail_msg("%u of '%s', and not %u, in:\n%s", lines(text, what), what, times, text);
}

static void test_levels(void **state)
{
    (void)state;
    char *text = log_of("WARN", true, true);
    assert_string_equal(text, "");
    free(text);
    text = log_of("INFO", true, true);
    expect_times(text, "PO:COMPILER", 2 + 1 + 17); /* the begin and end lines, the table's heading and its passes */
    expect_times(text, "[INFO] compiling a graph of 7 vertices, 2 variables", 1);
    expect_times(text, "[INFO] compiled in ", 1);
    expect_times(text, "[INFO] pass               ms   share  peak memory\n", 1);
    expect_times(text, "[INFO] exchange ", 1);
    free(text);
    text = log_of("DEBUG", true, true);
    expect_times(text, "[DEBUG] exchange ", 1);
    expect_times(text, "[DEBUG] hazard ", 1);
    expect_times(text, "tile 1", 0);
    free(text);
}

static void test_trace_is_by_tile(void **state)
{
    (void)state;
    char *text = log_of("TRACE", true, true);
    expect_times(text, "[TRACE] compute set 'my set': tile 1 has 7 vertices, 120 cycles", 1);
    expect_times(text, "[TRACE] compute set", 1);
    expect_times(text, "[TRACE] exchange 'my set/ExchangePre': tile 0 sends 40 bytes, receives 0 bytes, ", 1);
    expect_times(text, "[TRACE] exchange 'my set/ExchangePre': tile 1 sends 0 bytes, receives 40 bytes, ", 1);
    expect_times(text, "[TRACE] exchange 'my copy': tile 1 sends 40 bytes, receives 0 bytes", 1);
    expect_times(text, "[TRACE] exchange", 4);
    free(text);
}

static void test_warnings_and_errors(void **state)
{
    (void)state;
    char *text = log_of("WARN", false, true);
    expect_times(text, "are guessed because vertex type 'Sum' has no estimate and its code cannot be counted (", 1);
    expect_times(text, "[WARN] cycles of 7 vertices are guessed", 1);
    free(text);
    text = log_of_strict("WARN", false, true, true);
    expect_times(text, "[WARN] cycles of 1 compute set are not known: no performance estimate of vertex type 'Sum'", 1);
    free(text);
    text = log_of("ERR", false, true);
    assert_string_equal(text, "");
    free(text);
    text = log_of("ERR", true, false);
    expect_times(text, "[ERR] ", lines(text, "\n"));
    expect_times(text, "is not mapped to a tile", 1);
    free(text);
}

static void test_graphs_and_programs(void **state)
{
    (void)state;
    setenv("POPLAR_GRAPH_LOG_LEVEL", "TRACE", 1);
    setenv("POPLAR_PROGRAM_LOG_LEVEL", "TRACE", 1);
    char *text = log_of("OFF", true, true);
    expect_times(text, "[DEBUG] variable 'a' of 10 elements of float", 1);
    expect_times(text, "[DEBUG] compute set 'my set'", 1);
    expect_times(text, "[TRACE] vertex of type 'Sum' in compute set 'my set'", 7);
    expect_times(text, "[INFO] 1 control programs", 1);
    expect_times(text, "'my copy'", 1);
    unsetenv("POPLAR_GRAPH_LOG_LEVEL");
    unsetenv("POPLAR_PROGRAM_LOG_LEVEL");
    log_reset();
    free(text);
}

static int clean(void **state)
{
    (void)state;
    unlink(file_name);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test_teardown(test_levels, clean),
                                        cmocka_unit_test_teardown(test_trace_is_by_tile, clean),
                                        cmocka_unit_test_teardown(test_warnings_and_errors, clean),
                                        cmocka_unit_test_teardown(test_graphs_and_programs, clean) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
