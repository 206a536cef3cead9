/* SPDX-License-Identifier: Apache-2.0 */
/* docs/reference/options.md against the tables of options (scripts/lint options has the table against the source).
 * With
 * --print, writes the page. */
#include <poplar/options.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HARDWARE ""
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
      "The guide names the variable `POPLAR_SIMULATOR_OPTIONS`; there is no simulator here. An engine warns when it is "
      "set." },
};

static const char top[] = "# Options\n"
                          "\n"
                          "Written by `scripts/options-doc` from `src/base/options.def`; a test compares the two.\n"
                          "\n"
                          "An option is a pair of strings. `true|false` also takes `1` and `0`; integers are decimal "
                          "or `0x...`, not negative.\n"
                          "A path may begin with `~`, the home directory. Unknown names and invalid values are "
                          "`invalid_option` errors, which name the\n"
                          "nearest valid one. If a name is given twice, the last value is used. An environment "
                          "variable overrides the program. Its value\n"
                          "is a JSON object of strings, numbers or Booleans, without repeated names:\n"
                          "\n"
                          "    export POPLAR_ENGINE_OPTIONS='{\"debug.checkedExecution\": true}'\n"
                          "\n"
                          "All names of Poplar are accepted, so that programs that set them run. Those without "
                          "effect have a section of their own; an engine\n"
                          "logs one line (`WARN`) with those that have another value than the default, and another "
                          "(`INFO`) with those that concern\n"
                          "hardware only.\n";

static const char bottom[] =
    "\n"
    "## Environment\n"
    "\n"
    "| variable | what it does |\n"
    "| --- | --- |\n"
    "| `POPLAR_ENGINE_OPTIONS`, `POPLAR_TARGET_OPTIONS` | options, as JSON, over those of the program |\n"
    "| `TREMULA_IPU` | modelled IPUs that the device manager offers as hardware ([devices.md](../concepts/devices.md)) "
    "|\n"
    "| `TREMULA_CC`, `TREMULA_DEVICE_CC`, `TREMULA_INCLUDE`, `TREMULA_CACHE_DIR`, `TREMULA_CACHE_SIZE`, "
    "`TREMULA_CACHE_SHARED` | the compilers of codelets and their cache "
    "([codelets.md](../concepts/codelets.md)) |\n"
    "| `TREMULA_CC_SECONDS`, `TREMULA_CC_MEGABYTES` | time and memory that a compiler of codelets may take (1800 and "
    "8192; "
    "0 for no limit) |\n"
    "| `TREMULA_TILE_TRACE` | a vertex type in assembly, or `TYPE:TILE`: each slot of such vertices is printed on "
    "standard error ([assembly.md](../concepts/assembly.md)) |\n"
    "| `TREMULA_CODELET_FILES` | a directory: codelets are loaded from files there instead of from memory, compiled "
    "with `-g` and named by vertex type, so that gdb and perf can read their symbols "
    "([debugging.md](../internals/debugging.md)) |\n"
    "| `POPLAR_LOG_LEVEL`, `POPLAR_LOG_DEST`, `POPLIBS_LOG_LEVEL`, ... | "
    "[logging](../concepts/errors.md#logging) |\n"
    "| `POPLAR_GRAPH_REPORT_DEST` | where the graph's summary is printed when it has been compiled, as "
    "`debug.graphReportDestination` |\n"
    "| `CLICOLOR`, `CLICOLOR_FORCE` | 0 and 1: whether a profile summary is coloured |\n";

enum kind { EFFECT, NO_EFFECT, FOR_HARDWARE, KINDS };
static const char *const kind_titles[KINDS] = { "", "\nAccepted without effect:\n",
                                                "\nFor hardware alone, accepted without effect:\n" };

static enum kind kind_of(const char *effect)
{
    return !effect || strncmp(effect, "none: ", 6) == 0 ? NO_EFFECT : !*effect ? FOR_HARDWARE : EFFECT;
}
static size_t count_rows(const char *group, enum kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < ROWS; ++i)
        count += strcmp(table[i].group, group) == 0 && kind_of(table[i].effect) == kind;
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

static void print_rows(FILE *file, const char *group, enum kind kind)
{
    bool effect = kind == EFFECT;
    fputs(effect                 ? "\n| option | values | default | effect |\n| --- | --- | --- | --- |\n"
          : kind == FOR_HARDWARE ? "\n| option | values | default |\n| --- | --- | --- |\n"
                                 : "\n| option | values | default | why |\n| --- | --- | --- | --- |\n",
          file);
    for (size_t i = 0; i < ROWS; ++i) {
        if (strcmp(table[i].group, group) != 0 || kind_of(table[i].effect) != kind)
            continue;
        fprintf(file, "| `%s` | ", table[i].key);
        print_values(file, table[i].values);
        fprintf(file, *table[i].standard ? " | `%s` |" : " | %s |", table[i].standard);
        if (effect)
            fprintf(file, " %s |", table[i].effect);
        else if (kind == NO_EFFECT)
            fprintf(file, " %s |", table[i].effect ? table[i].effect + strlen("none: ") : "");
        fputc('\n', file);
    }
}

/* ---- the libraries' ---- */

#define LIBRARY_ROW(key, kind, member, choices, standard, effect) { key, #kind, choices, standard, effect },
#define POPLIN_PASS_NAMES                                                                                              \
    "NONE|NONE_MATMUL|INFERENCE_FWD|TRAINING_FWD|TRAINING_BWD|TRAINING_WU|FC_INFERENCE_FWD|FC_TRAINING_FWD|FC_"        \
    "TRAINING_BWD|FC_TRAINING_WU"
struct library_row {
    const char *key, *kind, *choices, *standard, *effect;
};
#define LIBRARY_TABLE(name) static const struct library_row name##_rows[] =
LIBRARY_TABLE(conv){
#define CONV_OPTION LIBRARY_ROW
#include "poplibs/options.def"
};
LIBRARY_TABLE(mat_mul){
#define MAT_MUL_OPTION LIBRARY_ROW
#include "poplibs/options.def"
};
LIBRARY_TABLE(multi_conv){
#define MULTI_CONV_OPTION LIBRARY_ROW
#include "poplibs/options.def"
};
LIBRARY_TABLE(cholesky){
#define CHOLESKY_OPTION LIBRARY_ROW
#include "poplibs/options.def"
};
LIBRARY_TABLE(qr){
#define QR_OPTION LIBRARY_ROW
#include "poplibs/options.def"
};
LIBRARY_TABLE(plain_norm){
#define PLAIN_NORM_OPTION LIBRARY_ROW
#include "poplibs/options.def"
};
LIBRARY_TABLE(norm){
#define NORM_OPTION LIBRARY_ROW
#include "poplibs/options.def"
};
LIBRARY_TABLE(ctc_loss){
#define CTC_LOSS_OPTION LIBRARY_ROW
#include "poplibs/options.def"
};
LIBRARY_TABLE(ctc_infer){
#define CTC_INFER_OPTION LIBRARY_ROW
#include "poplibs/options.def"
};
LIBRARY_TABLE(pool){
#define POOL_OPTION LIBRARY_ROW
#include "poplibs/options.def"
};
LIBRARY_TABLE(recurrent){
#define RECURRENT_OPTION LIBRARY_ROW
#include "poplibs/options.def"
};
LIBRARY_TABLE(reduce){
#define REDUCE_OPTION LIBRARY_ROW
#include "poplibs/options.def"
};
LIBRARY_TABLE(slice){
#define SLICE_OPTION LIBRARY_ROW
#include "poplibs/options.def"
};
LIBRARY_TABLE(collective){
#define COLLECTIVE_OPTION LIBRARY_ROW
#include "poplibs/options.def"
};
LIBRARY_TABLE(histogram){
#define HISTOGRAM_OPTION LIBRARY_ROW
#include "poplibs/options.def"
};
LIBRARY_TABLE(scaled){
#define SCALED_OPTION LIBRARY_ROW
#include "poplibs/options.def"
};
LIBRARY_TABLE(map){
#define MAP_OPTION LIBRARY_ROW
#include "poplibs/options.def"
};

static const struct {
    const char *title;
    const struct library_row *rows;
    size_t count;
} libraries[] = {
#define LIBRARY(title, name)                                                                                           \
    {                                                                                                                  \
        title, name##_rows, sizeof(name##_rows) / sizeof(name##_rows[0])                                               \
    }
    LIBRARY("Convolutions (poplin)", conv),
    LIBRARY("Matrix products (poplin)", mat_mul),
    LIBRARY("Multi-convolutions (poplin)", multi_conv),
    LIBRARY("Cholesky factorisation (poplin), beside those of matrix products", cholesky),
    LIBRARY("QR factorisation (poplin)", qr),
    LIBRARY("Batch normalisation (poplin, popnn::bn)", plain_norm),
    LIBRARY("Group, layer and instance normalisation (popnn)", norm),
    LIBRARY("CTC losses (popnn)", ctc_loss),
    LIBRARY("CTC beam search (popnn)", ctc_infer),
    LIBRARY("Pooling (popnn)", pool),
    LIBRARY("Recurrent layers (popnn)", recurrent),
    LIBRARY("Reductions (popops)", reduce),
    LIBRARY("Slices, updates, gathers, scatters and their plans (popops)", slice),
    LIBRARY("Collectives (popops)", collective),
    LIBRARY("Histograms (popops)", histogram),
    LIBRARY("Scaled additions (popops)", scaled),
    LIBRARY("Expressions (popops::map)", map),
};

static const char *library_values(const struct library_row *row)
{
    return row->choices                               ? row->choices
           : strcmp(row->kind, "POPLIBS_BOOL") == 0   ? "true|false"
           : strcmp(row->kind, "POPLIBS_DOUBLE") == 0 ? "number"
           : strcmp(row->kind, "POPLIBS_TEXT") == 0   ? "text"
                                                      : "integer";
}
static void print_library(FILE *file, const struct library_row *rows, size_t count, enum kind kind)
{
    bool begun = false;
    for (size_t i = 0; i < count; ++i) {
        if (kind_of(rows[i].effect) != kind)
            continue;
        if (!begun)
            fprintf(file, "%s%s", kind_titles[kind],
                    kind == EFFECT ? "\n| option | values | default | effect |\n| --- | --- | --- | --- |\n"
                                   : "\n| option | values | default | why |\n| --- | --- | --- | --- |\n");
        begun = true;
        fprintf(file, "| `%s` | ", rows[i].key);
        print_values(file, library_values(&rows[i]));
        fprintf(file, *rows[i].standard ? " | `%s` |" : " | %s |", rows[i].standard);
        fprintf(file, " %s |", rows[i].effect + (kind == EFFECT ? 0 : strlen("none: ")));
        fputc('\n', file);
    }
}
static void print_libraries(FILE *file)
{
    fputs("\n## Options of the libraries\n\nWritten from `src/poplibs/options.def`. A call says once in a process, in "
          "one warning of its library's log, which of "
          "the options that it was\ngiven have no effect.\n",
          file);
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); ++i) {
        fprintf(file, "\n### %s\n", libraries[i].title);
        for (enum kind kind = EFFECT; kind < KINDS; ++kind)
            print_library(file, libraries[i].rows, libraries[i].count, kind);
    }
}

static void print_page(FILE *file)
{
    fputs(top, file);
    for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); ++g) {
        fprintf(file, "\n## %s\n\n%s\n", groups[g].title, groups[g].text);
        for (enum kind kind = EFFECT; kind < KINDS; ++kind)
            if (count_rows(groups[g].group, kind)) {
                fputs(kind_titles[kind], file);
                print_rows(file, groups[g].group, kind);
            }
    }
    print_libraries(file);
    fputs(bottom, file);
}

/* A file of the project, found from the path of this file; NULL if there is none. */
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
    size_t capacity = 0;
    if (getdelim(&text, &capacity, 0, file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static void test_every_group_has_a_part(void **state)
{
    (void)state;
    size_t count = 0;
    for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); ++g)
        for (enum kind kind = EFFECT; kind < KINDS; ++kind)
            count += count_rows(groups[g].group, kind);
    assert_int_equal(count, ROWS);
}

static void test_the_page_matches_the_table(void **state)
{
    (void)state;
    char *page = NULL, *stored = read_file("docs/reference/options.md");
    size_t size;
    FILE *file = open_memstream(&page, &size);
    print_page(file);
    fclose(file);
    assert_non_null(stored);
    if (strcmp(page, stored) != 0)
        fail_msg("docs/reference/options.md differs from src/base/options.def: run scripts/options-doc");
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
        cmocka_unit_test(test_every_group_has_a_part),
        cmocka_unit_test(test_the_page_matches_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
