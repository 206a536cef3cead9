/* SPDX-License-Identifier: Apache-2.0 */
#include "base/options.h"
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const char variable[] = "POPLAR_ENGINE_OPTIONS";

static int clear(void **state)
{
    (void)state;
    unsetenv(variable);
    return 0;
}

static pop_status apply(struct option_set *set, const char *key, const char *value, pop_error *error)
{
    return options_apply(set, "engine", POP_OPTIONS({ key, value }), NULL, POP_HERE, "test_call", error);
}

static void test_the_table_is_valid(void **state)
{
    (void)state;
    size_t count;
    const pop_option_info *table = pop_option_table(&count);
    assert_true(count > 80);
    for (size_t i = 0; i < count; ++i) {
        assert_true(*table[i].group && *table[i].key && *table[i].values && table[i].standard);
        for (size_t j = 0; j < i; ++j)
            assert_false(strcmp(table[i].group, table[j].group) == 0 && strcmp(table[i].key, table[j].key) == 0);
        /* Every default is an allowed value. */
        struct option_set set = { 0 };
        if (*table[i].standard)
            assert_int_equal(options_apply(&set, table[i].group, POP_OPTIONS({ table[i].key, table[i].standard }), NULL,
                                           POP_HERE, "", NULL),
                             POP_OK);
        options_free(&set);
    }
}

/* option: debug.workerStackSizeInBytes */
static void test_another_name_of_an_option(void **state)
{
    (void)state;
    struct option_set set = { 0 };
    options_apply(&set, "engine",
                  POP_OPTIONS({ "target.workerStackSizeInBytes", "64" }, { "debug.workerStackSizeInBytes", "0x100" }),
                  NULL, POP_HERE, "", NULL);
    assert_int_equal(options_int(&set, "engine", "target.workerStackSizeInBytes"), 256);
    assert_int_equal(set.set.count, 1);
    setenv(variable, "{\"target.workerStackSizeInBytes\": \"128\"}", 1);
    options_apply(&set, "engine", POP_OPTIONS({ "debug.workerStackSizeInBytes", "64" }), variable, POP_HERE, "", NULL);
    assert_int_equal(options_int(&set, "engine", "target.workerStackSizeInBytes"), 128);
    pop_error error;
    assert_int_equal(apply(&set, "debug.workerStackSizeInBytes", "much", &error), POP_INVALID_OPTION);
    assert_non_null(strstr(error.text, "debug.workerStackSizeInBytes"));
    options_free(&set);
    /* Every other name stands for an option that is there. */
    size_t count, others = 0;
    const pop_option_info *table = pop_option_table(&count);
    for (size_t i = 0; i < count; ++i)
        if (table[i].effect && strncmp(table[i].effect, "another name of ", 16) == 0) {
            assert_string_not_equal(options_get(&set, table[i].group, table[i].effect + 16), "");
            ++others;
        }
    assert_true(others > 0);
}

/* No shell expands the ~ of an option's value; elsewhere in a path it is a character like others. */
static void test_home_directory_in_paths(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *stored;
    } rows[] = { { "autoReport.directory", "~", "/home of/me" },
                 { "autoReport.directory", "~/reports", "/home of/me/reports" },
                 { "debug.loweredVarDumpFile", "~/a/~b", "/home of/me/a/~b" },
                 { "target.saveArchive", "~me/x", "~me/x" },
                 { "debug.graphReportDestination", "a/~/x", "a/~/x" },
                 { "debug.dumpPasses", "~/x", "~/x" } };
    char *home = getenv("HOME") ? mem_string(getenv("HOME")) : NULL;
    struct option_set set = { 0 };
    pop_error error;
    setenv("HOME", "/home of/me", 1);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        assert_int_equal(apply(&set, rows[i].key, rows[i].value, &error), POP_OK);
        assert_string_equal(options_get(&set, "engine", rows[i].key), rows[i].stored);
    }
    setenv(variable, "{\"autoReport.directory\": \"~/from the environment\"}", 1);
    assert_int_equal(options_apply(&set, "engine", POP_NO_OPTIONS, variable, POP_HERE, "", NULL), POP_OK);
    assert_string_equal(options_get(&set, "engine", "autoReport.directory"), "/home of/me/from the environment");
    unsetenv("HOME");
    assert_int_equal(apply(&set, "autoReport.directory", "~/x", &error), POP_INVALID_OPTION);
    assert_non_null(strstr(error.text, "HOME is not set"));
    if (home)
        setenv("HOME", home, 1);
    free(home);
    options_free(&set);
}

static void test_defaults_and_repeated_names(void **state)
{
    (void)state;
    struct option_set set = { 0 };
    assert_string_equal(options_get(&set, "engine", "autoReport.directory"), ".");
    assert_false(options_bool(&set, "engine", "debug.checkedExecution"));
    assert_int_equal(options_int(&set, "engine", "target.hostThreads"), 0);
    assert_int_equal(options_apply(&set, "engine",
                                   POP_OPTIONS({ "target.hostThreads", "3" }, { "debug.checkedExecution", "true" },
                                               { "target.hostThreads", "0x10" }),
                                   NULL, POP_HERE, "", NULL),
                     POP_OK);
    assert_int_equal(options_int(&set, "engine", "target.hostThreads"), 16);
    assert_true(options_bool(&set, "engine", "debug.checkedExecution"));
    assert_true(options_is_set(&set, "target.hostThreads") && !options_is_set(&set, "debug.instrument"));
    assert_int_equal(set.set.count, 2);
    options_free(&set);
}

static void test_unknown_keys_name_the_nearest(void **state)
{
    (void)state;
    struct option_set set = { 0 };
    pop_error error;
    assert_int_equal(apply(&set, "debug.instrumnet", "true", &error), POP_INVALID_OPTION);
    assert_string_equal(
        error.text,
        "Unrecognised option 'debug.instrumnet': no engine option has this name (did you mean 'debug.instrument'?)");
    assert_string_equal(error.api, "test_call");
    assert_int_equal(error.where.line > 0, 1);
    assert_int_equal(apply(&set, "showVarStorage", "true", &error), POP_INVALID_OPTION);
    assert_string_equal(error.text, "Unrecognised option 'showVarStorage': no engine option has this name (there is a "
                                    "profile summary option of that name)");
    assert_int_equal(apply(&set, "qqqqqqqq", "true", &error), POP_INVALID_OPTION);
    assert_string_equal(error.text, "Unrecognised option 'qqqqqqqq': no engine option has this name");
    assert_int_equal(apply(&set, NULL, "true", &error), POP_INVALID_OPTION);
    assert_int_equal(apply(&set, "debug.instrument", NULL, &error), POP_INVALID_OPTION);
    assert_int_equal(set.set.count, 0);
}

static void test_values_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *stored; /* stored NULL: refused with an error that has these words */
        const char *words;
    } rows[] = {
        { "debug.instrument", "true", "true", NULL },
        { "debug.instrument", "1", "true", NULL },
        { "debug.instrument", "0", "false", NULL },
        { "debug.instrument", "yes", NULL,
          "the value of option 'debug.instrument' is 'yes', it must be true or false" },
        { "debug.instrument", "", NULL, "it must be true or false" },
        { "debug.computeInstrumentationLevel", "ipu", "ipu", NULL },
        { "debug.computeInstrumentationLevel", "chip", NULL, "it must be tile, vertex, device or ipu" },
        { "target.hostThreads", "9223372036854775807", "9223372036854775807", NULL },
        { "target.hostThreads", "9223372036854775808", NULL,
          "it must be an integer (decimal or 0x...) from 0 to 2^63 - 1" },
        { "target.hostThreads", "0xFf", "0xFf", NULL },
        { "target.hostThreads", "0x", NULL, "an integer" },
        { "target.hostThreads", "-1", NULL, "an integer" },
        { "target.hostThreads", " 1", NULL, "an integer" },
        { "target.hostThreads", "1 ", NULL, "an integer" },
        { "streamCallbacks.numWorkerThreads", "auto", "auto", NULL },
        { "streamCallbacks.numWorkerThreads", "4", "4", NULL },
        { "streamCallbacks.numWorkerThreads", "many", NULL, "from 0 to 2^63 - 1 or auto" },
        { "target.hostSyncTimeout", "0.5", "0.5", NULL },
        { "target.hostSyncTimeout", "-1", NULL, "a number that is not negative" },
        { "target.hostSyncTimeout", "1e999", NULL, "a number" },
        { "autoReport.directory", "", "", NULL },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        struct option_set set = { 0 };
        pop_error error = { 0 };
        pop_status status = apply(&set, rows[i].key, rows[i].value, &error);
        assert_int_equal(status, rows[i].stored ? POP_OK : POP_INVALID_OPTION);
        if (rows[i].stored)
            assert_string_equal(options_get(&set, "engine", rows[i].key), rows[i].stored);
        else
            assert_non_null(strstr(error.text, rows[i].words));
        options_free(&set);
    }
}

static void test_a_failed_call_changes_nothing(void **state)
{
    (void)state;
    struct option_set set = { 0 };
    assert_int_equal(apply(&set, "debug.instrument", "true", NULL), POP_OK);
    assert_int_equal(options_apply(&set, "engine", POP_OPTIONS({ "debug.instrument", "false" }, { "nothing", "x" }),
                                   NULL, POP_HERE, "", NULL),
                     POP_INVALID_OPTION);
    assert_true(options_bool(&set, "engine", "debug.instrument"));
    options_free(&set);
}

static void test_environment_overrides(void **state)
{
    (void)state;
    struct option_set set = { 0 };
    setenv(variable,
           "{\"debug.instrument\": \"false\", \"debug.verify\": true, \"target.hostThreads\": 7, "
           "\"target.hostSyncTimeout\": 1.5}",
           1);
    assert_int_equal(
        options_apply(&set, "engine", POP_OPTIONS({ "debug.instrument", "true" }), variable, POP_HERE, "", NULL),
        POP_OK);
    assert_false(options_bool(&set, "engine", "debug.instrument"));
    assert_true(options_bool(&set, "engine", "debug.verify"));
    assert_int_equal(options_int(&set, "engine", "target.hostThreads"), 7);
    assert_string_equal(options_get(&set, "engine", "target.hostSyncTimeout"), "1.5");
    options_free(&set);
    setenv(variable, "", 1);
    assert_int_equal(options_apply(&set, "engine", POP_NO_OPTIONS, variable, POP_HERE, "", NULL), POP_OK);
    assert_int_equal(set.set.count, 0);
}

static void test_broken_environment_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        pop_status status;
        const char *words;
    } rows[] = {
        { "{\"debug.instrument\": \"true\"", POP_PARSE_ERROR,
          "POPLAR_ENGINE_OPTIONS is not JSON: line 1, column 27: " },
        { "{\n'a': 1}", POP_PARSE_ERROR, "line 2, column 1" },
        { "[\"a\"]", POP_PARSE_ERROR, "POPLAR_ENGINE_OPTIONS must be a JSON object" },
        { "{} x", POP_PARSE_ERROR, "is not JSON" },
        { "{\"debug.instrument\": \"true\",\n\"debug.instrument\": \"false\"}", POP_PARSE_ERROR,
          "POPLAR_ENGINE_OPTIONS names an option twice: line 2, column 18: duplicate object key near" },
        { "{\"debug.instrument\": null}", POP_INVALID_OPTION,
          "POPLAR_ENGINE_OPTIONS: the value of option 'debug.instrument' must be a string" },
        { "{\"debug.instrument\": 2}", POP_INVALID_OPTION, "is '2', it must be true or false" },
        { "{\"debug.instrumen\": \"true\"}", POP_INVALID_OPTION,
          "POPLAR_ENGINE_OPTIONS: Unrecognised option 'debug.instrumen': no engine option has this name (did you "
          "mean" },
        { "{\"a\": \"\\ud800\"}", POP_PARSE_ERROR, "is not JSON" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        struct option_set set = { 0 };
        pop_error error;
        setenv(variable, rows[i].value, 1);
        assert_int_equal(options_apply(&set, "engine", POP_NO_OPTIONS, variable, POP_HERE, "", &error), rows[i].status);
        assert_non_null(strstr(error.text, rows[i].words));
        assert_int_equal(set.set.count, 0);
    }
}

static void test_runtime_takes_engine_names(void **state)
{
    (void)state;
    struct option_set set = { 0 };
    pop_error error;
    assert_int_equal(
        options_apply(&set, "runtime", POP_OPTIONS({ "exchange.enablePrefetch", "false" }), NULL, POP_HERE, "", NULL),
        POP_OK);
    assert_false(options_bool(&set, "engine", "exchange.enablePrefetch"));
    assert_int_equal(
        options_apply(&set, "runtime", POP_OPTIONS({ "exchange.enablePrefetc", "1" }), NULL, POP_HERE, "", &error),
        POP_INVALID_OPTION);
    assert_string_equal(error.text, "Unrecognised option 'exchange.enablePrefetc': no runtime option has this name "
                                    "(did you mean 'exchange.enablePrefetch'?)");
    options_free(&set);
}

static void test_wildcard_keys_survive_copies(void **state)
{
    (void)state;
    struct option_set set = { 0 }, copy = { 0 };
    assert_int_equal(options_apply(&set, "simulator",
                                   POP_OPTIONS({ "any.name", "1" }, { "", "x" }, { "any.name", "22" }), NULL, POP_HERE,
                                   "", NULL),
                     POP_OK);
    options_copy(&copy, &set);
    options_free(&set);
    assert_int_equal(copy.set.count, 2);
    assert_string_equal(options_get(&copy, "simulator", "any.name"), "22");
    assert_string_equal(options_get(&copy, "simulator", ""), "x");
    assert_string_equal(options_get(&copy, "simulator", "other"), "");
    options_free(&copy);
}

static void test_integers(void **state)
{
    (void)state;
    uint64_t value = 5;
    assert_true(str_integer("18446744073709551615", UINT64_MAX, &value) && value == UINT64_MAX);
    assert_true(str_integer("0", 0, &value) && value == 0);
    assert_false(str_integer("18446744073709551616", UINT64_MAX, &value) || str_integer("256", 255, &value) ||
                 str_integer("", 9, &value));
    assert_false(str_integer("+1", 9, &value) || str_integer("0xg", 99, &value) || str_integer("1.0", 9, &value));
    assert_int_equal(value, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_table_is_valid),
        cmocka_unit_test_teardown(test_another_name_of_an_option, clear),
        cmocka_unit_test_teardown(test_home_directory_in_paths, clear),
        cmocka_unit_test(test_defaults_and_repeated_names),
        cmocka_unit_test(test_unknown_keys_name_the_nearest),
        cmocka_unit_test(test_values_are_checked),
        cmocka_unit_test(test_a_failed_call_changes_nothing),
        cmocka_unit_test_teardown(test_environment_overrides, clear),
        cmocka_unit_test_teardown(test_broken_environment_is_named, clear),
        cmocka_unit_test(test_runtime_takes_engine_names),
        cmocka_unit_test(test_wildcard_keys_survive_copies),
        cmocka_unit_test(test_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
