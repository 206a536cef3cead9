/* SPDX-License-Identifier: Apache-2.0 */
/* Profile values: trees, JSON and CBOR written and read back, damaged input; and the summary compared with the guide's
 * listing. */
#include <poplar/profile.h>

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#include <cmocka.h>

#ifndef GOLDEN
#define GOLDEN "tests/golden"
#endif

static char *json_of(const pop_profile_value *value, bool pretty)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_true(pop_profile_write_json(file, value, pretty));
    fclose(file);
    return text;
}

static void expect_json(const pop_profile_value *value, bool pretty, const char *expected)
{
    char *text = json_of(value, pretty);
    assert_string_equal(text, expected);
    free(text);
}

static pop_profile_value sample(void)
{
    pop_profile_value map = pop_profile_map_new();
    pop_profile_set(&map, "type", pop_profile_string("a \"quoted\"\n\\ \x01 line"));
    pop_profile_value *numbers = pop_profile_set(&map, "numbers", pop_profile_vector_new());
    pop_profile_push(numbers, pop_profile_uint(UINT64_MAX));
    pop_profile_push(numbers, pop_profile_int(INT64_MIN));
    pop_profile_push(numbers, pop_profile_double(0.1));
    pop_profile_push(numbers, pop_profile_double(3));
    pop_profile_push(numbers, (pop_profile_value){ 0 });
    pop_profile_set(&map, "empty", pop_profile_map_new());
    pop_profile_set(&map, "alive", pop_profile_bool(true));
    return map;
}

static void maps_are_sorted_and_json_is_exact(void **state)
{
    (void)state;
    pop_profile_value map = sample();
    expect_json(&map, false,
                "{\"alive\":true,\"empty\":{},\"numbers\":[18446744073709551615,-9223372036854775808,0.1,3,null],"
                "\"type\":\"a \\\"quoted\\\"\\n\\\\ \\u0001 line\"}");
    pop_profile_set(&map, "type", pop_profile_uint(1)); /* replaces */
    assert_int_equal(pop_profile_size(&map), 4);
    expect_json(&map, true,
                "{\n  \"alive\":true,\n  \"empty\":{},\n  "
                "\"numbers\":[18446744073709551615,-9223372036854775808,0.1,3,null],\n"
                "  \"type\":1\n}\n");
    pop_profile_free(&map);
}

/* A whole number has no point, whatever its type, and an exponent neither sign nor zeros that say nothing; minus zero
 * keeps its point: as -0 it would be read as an integer, which has no sign. */
static void numbers_are_as_short_as_they_can_be(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = { { 42, "42" },
                  { 0.0123, "0.0123" },
                  { -7, "-7" },
                  { 0, "0" },
                  { -0.0, "-0.0" },
                  { 1e20, "1e20" },
                  { 1.5e-7, "1.5e-7" },
                  { 1e-300, "1e-300" },
                  { -2.5e100, "-2.5e100" },
                  { 1 / 3.0, "0.3333333333333333" },
                  { 9007199254740993.0, "9007199254740992" } };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); ++i) {
        pop_profile_value value = pop_profile_double(cases[i].value), again;
        expect_json(&value, false, cases[i].text);
        assert_int_equal(pop_profile_read_json(cases[i].text, strlen(cases[i].text), &again, NULL), POP_OK);
        double read = pop_profile_as_double(&again);
        assert_true(read == cases[i].value && signbit(read) == signbit(cases[i].value));
        pop_profile_free(&again);
    }
}

static void queries_never_fail(void **state)
{
    (void)state;
    pop_profile_value map = sample();
    assert_null(pop_profile_get(&map, "missing"));
    assert_null(pop_profile_path(&map, "numbers.x"));
    assert_null(pop_profile_at(&map, 0));
    assert_int_equal(pop_profile_as_uint(NULL), 0);
    assert_string_equal(pop_profile_as_string(pop_profile_get(&map, "alive")), "");
    assert_true(pop_profile_as_uint(pop_profile_at(pop_profile_get(&map, "numbers"), 0)) == UINT64_MAX);
    assert_null(pop_profile_push(&map, pop_profile_string("not a vector")));
    pop_profile_free(&map);
    assert_int_equal(map.type, POP_PROFILE_NULL);
}

static char *cbor_of(const pop_profile_value *value, size_t *size)
{
    char *data = NULL;
    FILE *file = open_memstream(&data, size);
    assert_true(pop_profile_write_cbor(file, value));
    fclose(file);
    return data;
}

static void cbor_reads_back(void **state)
{
    (void)state;
    pop_profile_value map = sample(), again;
    size_t size;
    char *data = cbor_of(&map, &size), *before = json_of(&map, false);
    assert_int_equal(pop_profile_read_cbor(data, size, &again, NULL), POP_OK);
    expect_json(&again, false, before);
    pop_profile_free(&again);
    for (size_t cut = 0; cut < size; ++cut) /* every truncation is refused */
        assert_int_equal(pop_profile_read_cbor(data, cut, &again, NULL), POP_PARSE_ERROR);
    for (size_t i = 0; i < size; ++i) { /* an altered byte causes no fault */
        for (int bit = 0; bit < 8; ++bit) {
            data[i] = (char)(data[i] ^ 1 << bit);
            if (pop_profile_read_cbor(data, size, &again, NULL) == POP_OK)
                pop_profile_free(&again);
            data[i] = (char)(data[i] ^ 1 << bit);
        }
    }
    free(data);
    free(before);
    pop_profile_free(&map);
}

static void deep_cbor_is_refused(void **state)
{
    (void)state;
    char nested[100000];
    memset(nested, (char)0x81, sizeof(nested));
    pop_profile_value value;
    pop_error error;
    assert_int_equal(pop_profile_read_cbor(nested, sizeof(nested), &value, &error), POP_PARSE_ERROR);
    assert_non_null(strstr(error.text, "too deeply"));
}

static void json_reads_back_and_says_where_it_breaks(void **state)
{
    (void)state;
    pop_profile_value value;
    pop_error error;
    const char text[] = "{\"a\":[1,-2,0.5,true,null,\"x\"]}";
    assert_int_equal(pop_profile_read_json(text, sizeof(text) - 1, &value, &error), POP_OK);
    expect_json(&value, false, text);
    pop_profile_free(&value);
    assert_int_equal(pop_profile_read_json("{\n \"a\": }", 9, &value, &error), POP_PARSE_ERROR);
    assert_non_null(strstr(error.text, "line 2"));
}

/* The guide's numbers give the guide's listing.  Corrected in the listing: a wrong indentation in ten rows of the
 * histogram, and two elisions ("..."). */
static void the_summary_is_the_guides(void **state)
{
    (void)state;
    char *json, *expected, *text = NULL;
    size_t json_size, expected_size, size = 0;
    pop_profile_value profile;
    assert_int_equal(file_read(GOLDEN "/guide-profile.json", &json, &json_size, NULL), POP_OK);
    assert_int_equal(file_read(GOLDEN "/guide-summary.txt", &expected, &expected_size, NULL), POP_OK);
    assert_int_equal(pop_profile_read_json(json, json_size, &profile, NULL), POP_OK);
    FILE *file = open_memstream(&text, &size);
    assert_int_equal(
        pop_print_profile_summary(file, pop_profile_get(&profile, "graph"), pop_profile_get(&profile, "execution"),
                                  POP_OPTIONS({ "showVarStorage", "true" }, { "showExecutionSteps", "true" }), NULL),
        POP_OK);
    fclose(file);
    /* Behind the guide's listing, which ends within the steps, comes what was executed. */
    assert_true(size > expected_size && memcmp(text, expected, expected_size) == 0);
    assert_string_equal(text + expected_size, "Executed compute sets\n"
                                              "  OnTileExecute: Layer1/Fwd/Conv_1/Convolve\n"
                                              "    Executions:                         1\n"
                                              "    Cycles:                             999\n");
    free(text);
    free(json);
    free(expected);
    pop_profile_free(&profile);
}

static pop_profile_value profile_with_totals(const uint64_t *totals, size_t tiles)
{
    pop_profile_value map = pop_profile_map_new();
    pop_profile_value *memory = pop_profile_set(&map, "memory", pop_profile_map_new());
    pop_profile_value *by_tile = pop_profile_set(memory, "byTile", pop_profile_map_new());
    pop_profile_value *total = pop_profile_set(by_tile, "total", pop_profile_vector_new());
    for (size_t i = 0; i < tiles; ++i)
        pop_profile_push(total, pop_profile_uint(totals[i]));
    return map;
}

/* How many rows the histogram has; *counted is the sum of their counts. */
static size_t histogram_rows(const uint64_t *totals, size_t tiles, size_t *counted)
{
    pop_profile_value map = profile_with_totals(totals, tiles);
    char *text = NULL;
    size_t size = 0, rows = 0;
    FILE *file = open_memstream(&text, &size);
    assert_int_equal(pop_print_graph_summary(file, &map, POP_NO_OPTIONS, NULL), POP_OK);
    fclose(file);
    *counted = 0;
    char *row = strchr(strstr(text, "Range (KB)"), '\n') + 1;
    for (; *row && *row != '\n'; row = strchr(row, '\n') + 1, ++rows)
        *counted += (size_t)strtoul(row + strcspn(row, "\n") - 6, NULL, 10);
    free(text);
    pop_profile_free(&map);
    return rows;
}

/* Every tile is counted in one of at most 128 bins, for any distribution. */
static void histograms_count_every_tile(void **state)
{
    (void)state;
    static const uint64_t totals[][4] = { { 0, 0, 0, 0 },           { 4096, 4096, 4096, 4096 },
                                          { 0, 1, 1023, 1024 },     { 1023, 131072, 131073, 262143 },
                                          { 5000, 638976, 1, 0 },   { 100, 50000000, 7, 3 },
                                          { 4095, 4096, 0, 20480 }, { 129 * 1024, 1024, 1, 66 * 1024 } };
    for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); ++i) {
        size_t counted, rows = histogram_rows(totals[i], 4, &counted);
        assert_int_equal(counted, 4);
        assert_true(rows >= 1 && rows <= 128);
    }
}

static void large_memories_are_in_gigabytes(void **state)
{
    (void)state;
    pop_profile_value map = pop_profile_map_new();
    pop_profile_value *target = pop_profile_set(&map, "target", pop_profile_map_new());
    pop_profile_set(target, "totalMemory", pop_profile_uint(UINT64_C(15049162752)));
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_int_equal(pop_print_graph_summary(file, &map, POP_NO_OPTIONS, NULL), POP_OK);
    fclose(file);
    assert_non_null(strstr(text, "  Total Memory:           14.0 GB\n"));
    free(text);
    pop_profile_free(&map);
}

static char *heading_of(const char *option, const char *allow, const char *force)
{
    pop_profile_value map = pop_profile_map_new();
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    allow ? setenv("CLICOLOR", allow, 1) : unsetenv("CLICOLOR");
    force ? setenv("CLICOLOR_FORCE", force, 1) : unsetenv("CLICOLOR_FORCE");
    assert_int_equal(
        pop_print_graph_summary(file, &map, option ? POP_OPTIONS({ "colours", option }) : POP_NO_OPTIONS, NULL),
        POP_OK);
    fclose(file);
    unsetenv("CLICOLOR");
    unsetenv("CLICOLOR_FORCE");
    text[strcspn(text, "\n")] = 0;
    pop_profile_free(&map);
    return text;
}

/* Priority: CLICOLOR_FORCE=1, CLICOLOR=0, the option, whether it is a terminal. */
static void colours_follow_the_environment(void **state)
{
    (void)state;
    static const struct {
        const char *option, *allow, *force;
        bool coloured;
    } cases[] = { { NULL, NULL, NULL, false },   { "true", NULL, NULL, true }, { "true", "0", NULL, false },
                  { "false", "1", NULL, false }, { "false", "0", "1", true },  { "true", NULL, "0", true } };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        char *heading = heading_of(cases[i].option, cases[i].allow, cases[i].force);
        assert_string_equal(heading, cases[i].coloured ? "\033[1mTarget:\033[0m" : "Target:");
        free(heading);
    }
}

static void writers_report_full_disks(void **state)
{
    (void)state;
    pop_profile_value map = sample();
    FILE *full = fopen("/dev/full", "w");
    assert_false(pop_profile_write_json(full, &map, false));
    assert_false(pop_profile_write_cbor(full, &map));
    fclose(full);
    pop_profile_free(&map);
}

static void summaries_refuse_invalid_values(void **state)
{
    (void)state;
    pop_profile_value nothing = { 0 }, map = pop_profile_map_new();
    pop_error error;
    assert_int_equal(pop_print_profile_summary(stdout, &nothing, NULL, POP_NO_OPTIONS, &error),
                     POP_MISSING_GRAPH_PROFILE);
    assert_int_equal(pop_print_execution_summary(stdout, &map, NULL, POP_NO_OPTIONS, &error), POP_MISSING_PROFILE_DATA);
    assert_int_equal(pop_print_graph_summary(stdout, &map, POP_OPTIONS({ "showVarStorag", "true" }), &error),
                     POP_INVALID_OPTION);
    assert_non_null(strstr(error.text, "showVarStorage"));
    FILE *full = fopen("/dev/full", "w");
    assert_int_equal(pop_print_graph_summary(full, &map, POP_NO_OPTIONS, &error), POP_RUNTIME_ERROR);
    fclose(full);
    pop_profile_free(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_are_sorted_and_json_is_exact),
        cmocka_unit_test(numbers_are_as_short_as_they_can_be),
        cmocka_unit_test(queries_never_fail),
        cmocka_unit_test(cbor_reads_back),
        cmocka_unit_test(deep_cbor_is_refused),
        cmocka_unit_test(json_reads_back_and_says_where_it_breaks),
        cmocka_unit_test(the_summary_is_the_guides),
        cmocka_unit_test(histograms_count_every_tile),
        cmocka_unit_test(large_memories_are_in_gigabytes),
        cmocka_unit_test(colours_follow_the_environment),
        cmocka_unit_test(writers_report_full_disks),
        cmocka_unit_test(summaries_refuse_invalid_values),
    };
    return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
