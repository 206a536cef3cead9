/* SPDX-License-Identifier: Apache-2.0 */
/* Values that the type of their field, constant or variable cannot hold: one warning each, with name, value and range.
 */
#include "fixture.h"

#include "base/file.h"
#include "base/fit.h"
#include "base/log.h"

#include <unistd.h>

static const char file_name[] = "test_misfit.txt";

static pop_graph *begin(void)
{
    unlink(file_name);
    setenv("POPLAR_GRAPH_LOG_LEVEL", "WARN", 1);
    setenv("POPLAR_LOG_DEST", file_name, 1);
    log_reset();
    return fixture_graph(1, 4);
}

/* The warnings since begin; to be freed. */
static char *end(pop_graph *graph)
{
    expect_no_error(graph);
    pop_graph_destroy(graph);
    setenv("POPLAR_GRAPH_LOG_LEVEL", "OFF", 1);
    log_reset();
    char *text;
    size_t size;
    return file_read(file_name, &text, &size, NULL) == POP_OK ? text : mem_string("");
}

static unsigned times(const char *text, const char *what)
{
    unsigned count = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        ++count;
    return count;
}
static void expect_lines(char *text, unsigned lines, const char *const *parts, size_t count)
{
    if (times(text, "\n") != lines)
        fail_msg("%u lines, not %u:\n%s", times(text, "\n"), lines, text);
    for (size_t i = 0; i < count; ++i)
        if (times(text, parts[i]) != 1)
            fail_msg("%u times \"%s\" in:\n%s", times(text, parts[i]), parts[i], text);
    free(text);
}
#define EXPECT_LINES(text, lines, ...)                                                                                 \
    do {                                                                                                               \
        static const char *const parts[] = { __VA_ARGS__ };                                                            \
        expect_lines(text, lines, parts, sizeof(parts) / sizeof(parts[0]));                                            \
    } while (0)

static void fields(void **state)
{
    (void)state;
    pop_graph *graph = begin();
    pop_compute_set set = pop_graph_add_compute_set(graph, "set");
    for (int i = 0; i < 3; ++i) {
        pop_vertex v = pop_graph_add_vertex(graph, set, "test::Mix<float>");
        pop_graph_set_field_int(graph, v, "n", 70000 + i);
        pop_graph_set_field_double(graph, v, "scale", 1e5);
        pop_graph_set_field_double(graph, v, "wide", -1.5);
        pop_graph_set_field_vector(graph, v, POP_FIELD("table", POP_WHOLE), POP_DOUBLE, (double[]){ 1, -3e9, 5e9 }, 3);
        pop_graph_set_field_size(graph, v, "tables", 1);
        pop_graph_set_field_vector(graph, v, POP_FIELD("tables", 0), POP_INT, (int[]){ 255, -1, 256 }, 3);
    }
    EXPECT_LINES(end(graph), 4,
                 "70000 for field 'n' of vertex type 'test::Mix<float>' is beyond unsigned short, 0 to 65535: it "
                 "becomes 4464 (",
                 "100000 for field 'scale' of vertex type 'test::Mix<float>' is beyond half, -65504 to 65504: it "
                 "becomes inf",
                 "-3e+09 for field 'table' of vertex type 'test::Mix<float>' is beyond int, -2147483648 to 2147483647: "
                 "it becomes -2147483648",
                 "256 for field 'tables'", "beyond unsigned char, 0 to 255: it becomes 0");
}

static void constants_and_initial_values(void **state)
{
    (void)state;
    pop_graph *graph = begin();
    for (int i = 0; i < 3; ++i) /* one line of the program: one warning */
        pop_graph_add_constant_float(graph, POP_FLOAT, POP_SHAPE(2), 1e300, "large");
    pop_graph_add_constant(graph, POP_SHORT, POP_SHAPE(2), POP_INT, (int[]){ -32768, 32768 }, "list");
    pop_tensor t = pop_graph_add_variable(graph, POP_INT, POP_SHAPE(1), "variable");
    pop_graph_set_initial_value(graph, t, POP_UNSIGNED_LONGLONG, &(unsigned long long){ 1ull << 32 });
    /* These fit. */
    pop_graph_add_constant_float(graph, POP_FLOAT, POP_SHAPE(2), __builtin_inf(), "infinite");
    pop_graph_add_constant_float(graph, POP_INT, POP_SHAPE(2), 2147483647.9, "cut off");
    pop_graph_add_constant(graph, POP_UNSIGNED_INT, POP_SHAPE(1), POP_INT, (int[]){ -1 }, "all ones");
    pop_graph_add_constant(graph, POP_BOOL, POP_SHAPE(1), POP_INT, (int[]){ 2 }, "true");
    EXPECT_LINES(end(graph), 3,
                 "1e+300 for element 0 of 'large' is beyond float, -3.4028235e+38 to 3.4028235e+38: it becomes inf",
                 "32768 for element 1 of 'list' is beyond short, -32768 to 32767: it becomes -32768",
                 "4294967296 for element 0 of 'variable' is beyond int, -2147483648 to 2147483647: it becomes 0");
}

static void many_constants_end_in_one_line(void **state)
{
    (void)state;
    pop_graph *graph = begin();
    for (int i = 0; i < 100; ++i) {
        char name[16];
        snprintf(name, sizeof(name), "c%d", i);
        pop_graph_add_constant(graph, POP_CHAR, POP_SHAPE(1), POP_INT, (int[]){ 200 }, name);
    }
    EXPECT_LINES(end(graph), 9, "'c0'", "'c7'", "more values do not fit their types");
}

/* Against comparison in a wider type, at and beyond each bound. */
static void bounds_of_every_type(void **state)
{
    (void)state;
    static const pop_type types[] = { POP_CHAR, POP_SIGNED_CHAR,  POP_UNSIGNED_CHAR, POP_SHORT, POP_UNSIGNED_SHORT,
                                      POP_INT,  POP_UNSIGNED_INT, POP_LONGLONG,      POP_LONG };
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
        int bits = (int)pop_type_size(types[i]) * 8 - pop_type_is_signed(types[i]);
        double above = __builtin_ldexp(1, bits), below = pop_type_is_signed(types[i]) ? -above : 0;
        double values[] = { above, below, below * 1.01 - 1, __builtin_nextafter(above, 0), __builtin_nan("") };
        for (int k = 0; k < 5; ++k)
            assert_int_equal(fit_first_beyond(POP_DOUBLE, &values[k], types[i], 1), k == 1 || k == 3);
        unsigned long long natural = bits < 64 ? 1ull << bits : 0;
        assert_int_equal(fit_first_beyond(POP_UNSIGNED_LONGLONG, &natural, types[i], 1), 0);
        natural -= 1;
        assert_int_equal(fit_first_beyond(POP_UNSIGNED_LONGLONG, &natural, types[i], 1), 1);
        long long whole = pop_type_is_signed(types[i]) && bits < 63 ? -(1ll << bits) - 1 : -2;
        assert_int_equal(fit_first_beyond(POP_LONGLONG, &whole, types[i], 1), bits == 63);
    }
    assert_int_equal(fit_first_beyond(POP_FLOAT, (float[]){ 65519, 65520 }, POP_HALF, 2), 1); /* rounds to infinity */
    assert_int_equal(fit_first_beyond(POP_INT, (int[]){ 65519, 65520 }, POP_HALF, 2), 1);
    assert_int_equal(fit_first_beyond(POP_LONGLONG, (long long[]){ INT64_MIN }, POP_FLOAT, 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields),
        cmocka_unit_test(constants_and_initial_values),
        cmocka_unit_test(many_constants_end_in_one_line),
        cmocka_unit_test(bounds_of_every_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
