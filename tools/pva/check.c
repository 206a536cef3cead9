/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a report is whole and consistent: what SQLite says about the file, and rules between its tables.  A rule is a
 * query of what breaks it. */
#include "pva.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *what, *sql;
} rules[] = {
    { "the database is damaged",
      "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok' LIMIT 20" },
    { "the writer did not end (the program was killed, or is still running)",
      "SELECT writer FROM format WHERE NOT closed" },
    { "the compilation's part is not whole", "SELECT writer FROM format WHERE NOT compilation" },
    { "the report ended early", "SELECT value FROM info WHERE name = 'error'" },
    { "the memory of tiles is missing",
      "SELECT num_tiles FROM target WHERE type <> 'CPU' AND num_tiles <> (SELECT count(*) FROM memory_by_tile)" },
    { "the memory of a tile's regions is not its total",
      "SELECT tile, total FROM memory_by_tile WHERE interleaved + non_interleaved + overflowed <> total LIMIT 20" },
    { "totals of categories are not the tiles' total",
      "SELECT (SELECT sum(bytes) FROM memory_by_category WHERE overlap <> 1) AS categories, (SELECT sum(total) FROM "
      "memory_by_tile) AS tiles "
      "WHERE categories <> tiles" },
    { "bytes of a category are not the sum of its tiles",
      "SELECT category, region, overlap, bytes FROM memory_by_category WHERE array_sum(bytes_by_tile) <> bytes LIMIT "
      "20" },
    { "ids of programs have gaps", "SELECT count(*), max(id) FROM programs HAVING count(*) <> ifnull(max(id) + 1, 0)" },
    { "a child is no program",
      "SELECT program, child FROM program_children WHERE child NOT IN (SELECT id FROM programs) LIMIT 20" },
    { "a program's compute set is missing", "SELECT id, compute_set FROM programs WHERE compute_set IS NOT NULL AND "
                                            "compute_set NOT IN (SELECT compute_set FROM compute_sets) LIMIT 20" },
    { "a program's exchange is missing", "SELECT id, exchange FROM programs WHERE exchange IS NOT NULL AND exchange "
                                         "NOT IN (SELECT id FROM exchanges) LIMIT 20" },
    { "the vertices of compute sets are not the graph's",
      "SELECT num_vertices, (SELECT sum(count) FROM compute_set_vertices) AS counted FROM graph WHERE counted <> "
      "num_vertices" },
    { "a liveness step's program or list is missing",
      "SELECT id FROM liveness_steps WHERE program NOT IN (SELECT id FROM programs) OR list NOT IN (SELECT id FROM "
      "live_lists) LIMIT 20" },
    { "a lowered variable's tile, name or category is missing",
      "SELECT v.id FROM vars_info v WHERE v.tile >= (SELECT num_tiles FROM target) OR v.name NOT IN (SELECT id FROM "
      "vars_string_table) OR v.category NOT IN "
      "(SELECT id FROM var_categories) LIMIT 20" },
    { "executed steps have gaps", "SELECT count(*), max(id) FROM executed HAVING count(*) <> ifnull(max(id) + 1, 0)" },
    { "steps of runs are not the executed steps",
      "SELECT * FROM (SELECT ifnull(sum(steps), 0) AS of_runs, (SELECT count(*) FROM executed) AS executed FROM runs) "
      "WHERE of_runs <> executed" },
    { "a step's program, pattern or run is missing",
      "SELECT id FROM executed WHERE program NOT IN (SELECT id FROM programs) OR pattern NOT IN (SELECT id FROM "
      "patterns) OR run NOT IN (SELECT id FROM runs) "
      "LIMIT 20" },
    { "a pattern has no figures for each IPU", "SELECT id FROM patterns p WHERE (SELECT count(*) FROM pattern_ipus i "
                                               "WHERE i.pattern = p.id) <> (SELECT num_ipus FROM target) LIMIT 20" },
    { "an array's parent is missing", "SELECT id FROM arrays WHERE data IS NULL AND (parent NOT IN (SELECT id FROM "
                                      "arrays) OR plus NOT IN (SELECT id FROM arrays)) LIMIT 20" },
    { "a run ends before it begins", "SELECT id FROM runs WHERE cycles_to < cycles_from LIMIT 20" },
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
        printf("%s%s%s:", colours() ? "\033[31m" : "", found->what, colours() ? "\033[0m" : "");
    } else {
        printf(";");
    }
    for (size_t i = 0; i < columns; ++i)
        printf("%s %s %s", i ? "," : "", names[i], values[i].text ? values[i].text : "null");
    return found->rows < 3;
}

/* What the report could have, and why it has not. */
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

static void list_parts(pva_file *file, const char *path)
{
    struct stat facts;
    bool directory = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    const char *slash = strrchr(path, '/');
    int length = directory ? (int)strlen(path) : slash ? (int)(slash - path) : 1;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); ++i)
        row(parts[i].what, sql_uint(file, parts[i].sql) != 0, parts[i].why);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); ++i) {
        char name[4200];
        snprintf(name, sizeof(name), "%.*s/%s", length, directory || slash ? path : ".", files[i].file);
        row(files[i].file, access(name, R_OK) == 0, files[i].why);
    }
}

/* Debug contexts and arrays are read once, so that damage in them is found. */
static unsigned read_through(pva_file *file)
{
    pop_error error = { 0 };
    pva_object report = pva_root(file), compilation = pva_get(report, PVA_REPORT_COMPILATION),
               execution = pva_get(report, PVA_REPORT_EXECUTION);
    pva_count(report, PVA_REPORT_OPERATIONS);
    uint64_t steps = pva_count(compilation, PVA_COMPILATION_LIVENESS_PROGRAM_STEPS),
             sets = pva_count(compilation, PVA_COMPILATION_COMPUTE_SETS), number;
    uint64_t patterns = pva_count(execution, PVA_EXECUTION_STEPS), most = 20000;
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
    for (uint64_t i = 0; i < patterns && i < most && !pva_failed(file); ++i)
        pva_numbers(pva_at(execution, PVA_EXECUTION_STEPS, i), PVA_STEP_CYCLES_BY_TILE, 0, 1, &number);
    progress_end(&progress);
    if (pva_take_error(file, &error) == POP_OK)
        return 0;
    printf("%s\n", error.text);
    return 1;
}

int command_check(int argc, char **argv)
{
    struct arguments arguments = { .options = { { "--repair!", NULL } } };
    if (!arguments_read(&arguments, argc, argv, 1, 1))
        return EXIT_WRONG;
    const char *path = arguments.words[0];
    pop_error error = { 0 };
    if (arguments_get(&arguments, "--repair")) {
        if (pva_repair(path, &error) != POP_OK)
            return say_error("check", &error);
        printf("completed: %s\n", path);
        char *slash = strrchr(arguments.words[0], '/');
        struct stat facts;
        if (stat(path, &facts) != 0) { /* it was the temporary file */
            static char whole[4200];
            snprintf(whole, sizeof(whole), "%.*sprofile.pop", slash ? (int)(slash - path + 1) : 0, path);
            path = whole;
        }
    }
    pva_file *file = open_or_say(path);
    if (!file)
        return EXIT_WRONG;
    struct found found = { 0 };
    for (size_t i = 0; i < RULES; ++i) {
        found.what = rules[i].what;
        found.rows = 0;
        pop_status status = pva_sql(file, rules[i].sql, on_row, &found, &error);
        if (found.rows)
            printf("\n");
        if (status != POP_OK) {
            printf("%s: %s\n", rules[i].what, error.text);
            ++found.problems;
        }
    }
    if (!found.problems)
        found.problems += read_through(file);
    printf("%s\n", found.problems ? "the report is not whole; it has:" : "the report is whole; it has:");
    list_parts(file, path);
    pva_close(file);
    return found.problems ? EXIT_FOUND : EXIT_DONE;
}
