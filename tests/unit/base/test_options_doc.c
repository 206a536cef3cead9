/* SPDX-License-Identifier: Apache-2.0 */
/* docs/options.md against the table of options (scripts/check-options has the table against the source).  With --print,
 * writes the page. */
#include <poplar/options.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const pop_option_info table[] = {
#define POP_OPTION(group, key, values, standard, effect) { group, key, values, standard, effect },
#include "base/options.def"
#undef POP_OPTION
};
enum { ROWS = sizeof(table) / sizeof(table[0]) };

static const struct {
    const char *group, *title, *text;
} groups[] = {
    { "engine", "Engine",
      "For `pop_compile_graph`, `pop_engine_create` and `pop_engine_create_from`; the variable `POPLAR_ENGINE_OPTIONS` "
      "overrides them." },
    { "stream", "Streams", "For `pop_graph_add_host_to_device_fifo` and `pop_graph_add_device_to_host_fifo`." },
    { "target", "Targets and devices",
      "For `pop_target_create_ipu_options`, `pop_ipu_model_create_device_options`, `pop_device_manager_create` and\n"
      "`pop_device_manager_devices_options`; the variable `POPLAR_TARGET_OPTIONS` overrides them. `ipuModel` is the "
      "manager's." },
    { "report", "Profile summary", "For `pop_print_profile_summary` and its parts." },
    { "pvti", "Trace points", "In the variable `PVTI_OPTIONS` alone." },
    { "simulator", "Simulator",
      "The guide names the variable `POPLAR_SIMULATOR_OPTIONS`; there is no simulator here, and nothing reads it." },
};

static const char top[] = "# Options\n"
                          "\n"
                          "Written by `scripts/options-doc` from `src/base/options.def`; a test compares the two.\n"
                          "\n"
                          "An option is a pair of strings. `true|false` also takes `1` and `0`; integers are decimal "
                          "or `0x...`, not negative. A name that does\n"
                          "not stand here is an `invalid_option` error that says the nearest one, and so is a value "
                          "that is not allowed. Of two equal names the\n"
                          "last wins. A variable of the environment holds a JSON object, whose values may be strings, "
                          "numbers or booleans, and overrides the\n"
                          "program:\n"
                          "\n"
                          "    export POPLAR_ENGINE_OPTIONS='{\"debug.checkedExecution\": true}'\n"
                          "\n"
                          "All names of Poplar are accepted, so that programs which set them run. Those that have no "
                          "effect here are listed apart.\n";

static const char bottom[] =
    "\n"
    "## Environment\n"
    "\n"
    "| variable | what it does |\n"
    "| --- | --- |\n"
    "| `POPLAR_ENGINE_OPTIONS`, `POPLAR_TARGET_OPTIONS` | options, as JSON, over those of the program |\n"
    "| `TREMULA_IPU` | modelled IPUs that the device manager offers as hardware ([devices.md](devices.md)) |\n"
    "| `TREMULA_CC`, `TREMULA_DEVICE_CC`, `TREMULA_INCLUDE`, `TREMULA_CACHE_DIR`, `TREMULA_CACHE_SIZE`, `TREMULA_CACHE_SHARED` | the compilers of codelets and their cache "
    "([codelets.md](codelets.md)) |\n"
    "| `POPLAR_LOG_LEVEL`, `POPLAR_LOG_DEST`, `POPLIBS_LOG_LEVEL`, ... | logging ([logging.md](logging.md)) |\n"
    "| `POPLAR_GRAPH_REPORT_DEST` | where the graph's summary is printed when it has been compiled, as `debug.graphReportDestination` |\n"
    "| `CLICOLOR`, `CLICOLOR_FORCE` | 0 and 1: whether a profile summary is coloured |\n";

static size_t count_rows(const char *group, bool effect)
{
    size_t count = 0;
    for (size_t i = 0; i < ROWS; ++i)
        count += strcmp(table[i].group, group) == 0 && !table[i].effect == !effect;
    return count;
}

/* A bar would end the cell. */
static void print_values(FILE *file, const char *values)
{
    for (; *values; ++values)
        if (*values == '|')
            fputs(", ", file);
        else
            fputc(*values, file);
}

static void print_rows(FILE *file, const char *group, bool effect)
{
    fputs(effect ? "\n| option | values | default | effect |\n| --- | --- | --- | --- |\n"
                 : "\n| option | values | default |\n| --- | --- | --- |\n",
          file);
    for (size_t i = 0; i < ROWS; ++i) {
        if (strcmp(table[i].group, group) != 0 || !table[i].effect != !effect)
            continue;
        fprintf(file, "| `%s` | ", table[i].key);
        print_values(file, table[i].values);
        fprintf(file, *table[i].standard ? " | `%s` |" : " | %s |", table[i].standard);
        if (effect)
            fprintf(file, " %s |", table[i].effect);
        fputc('\n', file);
    }
}

static void print_page(FILE *file)
{
    fputs(top, file);
    for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); ++g) {
        fprintf(file, "\n## %s\n\n%s\n", groups[g].title, groups[g].text);
        if (count_rows(groups[g].group, true))
            print_rows(file, groups[g].group, true);
        if (count_rows(groups[g].group, false)) {
            fputs("\nAccepted without effect:\n", file);
            print_rows(file, groups[g].group, false);
        }
    }
    fputs(bottom, file);
}

/* A file of the project, found from where this one lies; NULL when it is not there. */
static char *read_file(const char *path)
{
    static const char here[] = "tests/unit/base/test_options_doc.c";
    char name[4096];
    size_t length = strlen(__FILE__) - (sizeof(here) - 1);
    snprintf(name, sizeof(name), "%.*s%s", (int)length, __FILE__, path);
    FILE *file = fopen(name, "r");
    if (!file)
        return NULL;
    char *text = NULL;
    size_t room = 0;
    if (getdelim(&text, &room, 0, file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static void test_every_group_has_its_part(void **state)
{
    (void)state;
    size_t count = 0;
    for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); ++g)
        count += count_rows(groups[g].group, true) + count_rows(groups[g].group, false);
    assert_int_equal(count, ROWS);
}

static void test_the_page_is_that_of_the_table(void **state)
{
    (void)state;
    char *page = NULL, *stored = read_file("docs/options.md");
    size_t size;
    FILE *file = open_memstream(&page, &size);
    print_page(file);
    fclose(file);
    assert_non_null(stored);
    if (strcmp(page, stored) != 0)
        fail_msg("docs/options.md is not what src/base/options.def says: run scripts/options-doc");
    free(page);
    free(stored);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--print") == 0) {
        print_page(stdout);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_group_has_its_part),
        cmocka_unit_test(test_the_page_is_that_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
