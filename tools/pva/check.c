/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that a report is complete and consistent: its files, SQLite's own checks of the database, and rules between
 * its tables (check_rules.def). */
#include "pva.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A rule is a query for violations; its columns are printed with their names, except columns named "it". */
static const struct {
    const char *what, *sql;
    bool archive; /* applies to a report of archive.a alone, too */
} rules[] = {
#define RULE(archive, what, sql) { what, sql, archive },
#include "check_rules.def"
#undef RULE
};
enum { RULES = sizeof(rules) / sizeof(rules[0]) };

struct found {
    const char *what;
    unsigned rows, problems;
};

static bool on_row(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    struct found *found = context;
    if (!values)
        return true;
    if (!found->rows++) {
        ++found->problems;
        paint(PAINT_RED);
        printf("%s", found->what);
        paint(PAINT_NONE);
        printf(":");
    } else {
        printf(";");
    }
    for (size_t i = 0; i < columns; ++i) {
        bool named = strcmp(names[i], "it") != 0;
        printf("%s%s%s %s", i ? "," : "", named ? " " : "", named ? names[i] : "",
               values[i].text ? values[i].text : "null");
    }
    return found->rows < 3;
}

/* Optional parts of a report, and why they are missing. */
static const struct {
    const char *what, *sql, *why;
} parts[] = {
    { "compilation", "SELECT compilation FROM format", "compiling ended early" },
    { "lowered variables", "SELECT lowered_vars FROM format", "autoReport.outputLoweredVars was not set" },
    { "execution", "SELECT execution FROM format", "nothing ran, or autoReport.outputExecutionProfile was not set" },
    { "measured cycles of compute sets", "SELECT compute > 0 FROM instrumentation",
      "debug.instrumentCompute was not set: estimates are shown" },
    { "blocks", "SELECT count(*) > 0 FROM blocks",
      "no block was recorded (profiler.blocks.filter, profiler.programs.filter)" },
};
static const struct {
    const char *file, *why;
} files[] = { { "archive.a", "autoReport.outputArchive was not set" },
              { "debug.cbor", "autoReport.outputDebugInfo was not set" },
              { "framework.json", "no framework wrote it" },
              { "app.json", "the program did not write it" } };

static void row(const char *what, bool there, const char *why)
{
    printf("  %-32s%s%s%s\n", what, there ? "yes" : "no", there ? "" : ": ", there ? "" : why);
}

/* The name of the file if the report was written with it, malloc'ed; else NULL. */
static char *query_listed(pva_file *file, const char *name)
{
    char sql[100];
    snprintf(sql, sizeof(sql), "SELECT name FROM files WHERE name = '%s'", name);
    return sql_text(file, sql);
}

static void list_parts(pva_file *file, const char *path, bool archive)
{
    struct stat facts;
    bool directory = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    const char *slash = strrchr(path, '/');
    int length = directory ? (int)strlen(path) : slash ? (int)(slash - path) : 1;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); ++i)
        row(parts[i].what, sql_uint(file, parts[i].sql) != 0, archive ? "archive.a alone has none" : parts[i].why);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); ++i) {
        char name[4200];
        snprintf(name, sizeof(name), "%.*s/%s", length, directory || slash ? path : ".", files[i].file);
        char *listed = query_listed(file, files[i].file);
        row(files[i].file, access(name, R_OK) == 0, archive || listed ? "it is not there" : files[i].why);
        free(listed);
    }
}

/* Reads all debug contexts and arrays once, which detects damage in them. */
static unsigned read_through(pva_file *file)
{
    pop_error error = { 0 };
    pva_object report = pva_root(file), compilation = pva_get(report, PVA_REPORT_COMPILATION),
               execution = pva_get(report, PVA_REPORT_EXECUTION);
    pva_count(report, PVA_REPORT_OPERATIONS);
    uint64_t steps = pva_count(compilation, PVA_COMPILATION_LIVENESS_PROGRAM_STEPS),
             sets = pva_count(compilation, PVA_COMPILATION_COMPUTE_SETS), number;
    uint64_t patterns = pva_count(execution, PVA_EXECUTION_STEPS), max_count = 20000;
    struct progress progress = progress_begin("reading", steps + sets);
    for (uint64_t i = 0; i < steps && !pva_failed(file); ++i) {
        pva_object of = pva_get(pva_at(compilation, PVA_COMPILATION_LIVENESS_PROGRAM_STEPS, i),
                                PVA_LIVENESS_STEP_NOT_ALWAYS_LIVE_MEMORY);
        pva_count(of, PVA_LIVE_MEMORY_VARIABLES);
        progress_at(&progress, i);
    }
    for (uint64_t i = 0; i < sets && !pva_failed(file); ++i) {
        pva_numbers(pva_at(compilation, PVA_COMPILATION_COMPUTE_SETS, i), PVA_COMPUTE_SET_ESTIMATED_CYCLES_BY_TILE, 0,
                    1, &number);
        progress_at(&progress, steps + i);
    }
    for (uint64_t i = 0; i < patterns && i < max_count && !pva_failed(file); ++i)
        pva_numbers(pva_at(execution, PVA_EXECUTION_STEPS, i), PVA_STEP_CYCLES_BY_TILE, 0, 1, &number);
    progress_end(&progress);
    if (pva_take_error(file, &error) == POP_OK)
        return 0;
    printf("%s\n", error.text);
    return 1;
}

static void on_file(void *context, bool problem, const char *text)
{
    struct found *found = context;
    found->problems += problem;
    if (problem)
        paint(PAINT_RED);
    printf("%s", text);
    if (problem)
        paint(PAINT_NONE);
    printf("\n");
}

static void check_rules(pva_file *file, bool archive, struct found *found)
{
    pop_error error = { 0 };
    char before[sizeof(error.text)] = "";
    for (size_t i = 0; i < RULES; ++i) {
        if (archive && !rules[i].archive)
            continue;
        found->what = rules[i].what;
        found->rows = 0;
        pop_status status = pva_sql(file, rules[i].sql, on_row, found, &error);
        if (found->rows)
            printf("\n");
        if (status == POP_OK)
            continue;
        ++found->problems;
        if (strcmp(error.text, before) != 0) /* what all rules meet that read a damaged table is said once */
            printf("%s: %s\n", rules[i].what, error.text);
        memcpy(before, error.text, sizeof(before));
    }
}

/* Completes the report; returns its final path, which the caller frees, or NULL with a line on standard error. */
static char *repair(const char *path)
{
    pop_error error = { 0 };
    if (pva_repair(path, &error) != POP_OK) {
        say_error("check", &error);
        return NULL;
    }
    printf("completed: %s\n", path);
    struct stat facts;
    size_t length = strlen(path);
    char *whole = malloc(length + sizeof("profile.pop"));
    if (!whole)
        return NULL;
    memcpy(whole, path, length + 1);
    char *slash = strrchr(whole, '/');
    if (stat(path, &facts) != 0) /* it was the temporary file */
        memcpy(slash ? slash + 1 : whole, "profile.pop", sizeof("profile.pop"));
    return whole;
}

static int check(const char *path)
{
    struct found found = { 0 };
    pop_error error = { 0 };
    int ignored = pva_check_files(path, on_file, &found, &error); /* opening the report gives the same error */
    (void)ignored;
    pva_file *file = open_or_say(path);
    if (!file)
        return EXIT_WRONG;
    bool archive = sql_uint(file, "SELECT NOT compilation AND type IS NULL FROM format, target") != 0;
    check_rules(file, archive, &found);
    if (!found.problems)
        found.problems += read_through(file);
    printf("%s\n", found.problems ? "the report is not whole; it has:" : "the report is whole; it has:");
    list_parts(file, path, archive);
    pva_close(file);
    return found.problems ? EXIT_FOUND : EXIT_DONE;
}

int command_check(int argc, char **argv)
{
    struct arguments arguments = { .options = { { "--repair!", NULL } } };
    if (!arguments_read(&arguments, argc, argv, 1, 1))
        return EXIT_WRONG;
    if (!arguments_get(&arguments, "--repair"))
        return check(arguments.words[0]);
    char *path = repair(arguments.words[0]);
    int result = path ? check(path) : EXIT_WRONG;
    free(path);
    return result;
}
