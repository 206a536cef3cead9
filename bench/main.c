/* SPDX-License-Identifier: Apache-2.0 */
/* tremula-bench [--json FILE] [ROW ...]: runs the rows and prints a table. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct row {
    const char *name;
    void (*run)(void);
} rows[] = { { "build", row_build },       { "compile", row_compile },
             { "step", row_step },         { "run", row_run },
             { "time", row_time },         { "profile", row_profile },
             { "report", row_report },     { "views", row_views },
             { "file", row_file },         { "whole", row_whole },
             { "cpp", row_cpp },           { "codelet", row_codelet },
             { "assembly", row_assembly }, { "matmul", row_matmul },
             { "model", row_model },       { "elementwise", row_elementwise },
             { "plan", row_plan },         { "reduce", row_reduce },
             { "analyser", row_analyser }, { "large", row_large },
             { "replicas", row_replicas }, { "ranks", row_ranks },
             { "conv", row_conv },         { "start", row_start },
             { "scale", row_scale } };
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* The message from a row's process to the one that prints. */
struct result {
    char measure[96], unit[16];
    double value, aim;
};
enum { RESULT_FD = 3 };

double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double bench_processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double bench_resident(void)
{
    unsigned long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu %lu", &total, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

void bench_must(pop_status status, const pop_error *error)
{
    if (status == POP_OK)
        return;
    pop_error_print(error);
    exit(1);
}

void bench_must_build(pop_graph *graph)
{
    const pop_error *error = pop_graph_error(graph);
    if (error)
        bench_must(error->status, error);
}

double bench_min(const double *values, size_t count)
{
    double min = values[0];
    for (size_t i = 1; i < count; ++i)
        min = values[i] < min ? values[i] : min;
    return min;
}

void bench_report(const char *measure, double value, const char *unit, double aim)
{
    struct result result = { .value = value, .aim = aim };
    snprintf(result.measure, sizeof(result.measure), "%s", measure);
    snprintf(result.unit, sizeof(result.unit), "%s", unit);
    if (write(RESULT_FD, &result, sizeof(result)) != (ssize_t)sizeof(result))
        exit(1);
}

/* "met", "missed", or "" without an aim. */
static const char *verdict(const struct result *r)
{
    if (r->aim == 0)
        return "";
    return (r->aim > 0 ? r->value <= r->aim : r->value >= -r->aim) ? "met" : "missed";
}

static void print_result(const char *row, const struct result *r, FILE *json, bool first)
{
    char aim[32] = "";
    if (r->aim != 0)
        snprintf(aim, sizeof(aim), "%s %.4g", r->aim > 0 ? "<=" : ">=", r->aim > 0 ? r->aim : -r->aim);
    printf("%-8s %-46s %10.4g %-10s %-9s %s\n", row, r->measure, r->value, r->unit, aim, verdict(r));
    fflush(stdout);
    if (json)
        fprintf(json,
                "%s\n    {\"row\": \"%s\", \"measure\": \"%s\", \"value\": %.9g, \"unit\": \"%s\", \"aim\": %.9g, "
                "\"verdict\": \"%s\"}",
                first ? "" : ",", row, r->measure, r->value, r->unit, r->aim, verdict(r));
}

/* Runs a row in a child process; its results are printed as they arrive.  Returns their number. */
static int run_row(const struct row *row, FILE *json, bool first, bool *failed)
{
    int ends[2];
    if (pipe(ends) != 0) {
        *failed = true;
        return 0;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        if (ends[1] != RESULT_FD) {
            dup2(ends[1], RESULT_FD);
            close(ends[1]);
        }
        row->run();
        exit(0);
    }
    close(ends[1]);
    struct result result;
    int count = 0, status = 0;
    while (read(ends[0], &result, sizeof(result)) == (ssize_t)sizeof(result))
        print_result(row->name, &result, json, first && count == 0), ++count;
    close(ends[0]);
    waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return count;
    printf("%-8s failed\n", row->name);
    *failed = true;
    return count;
}

static bool wanted(const char *name, char **names, int count)
{
    for (int i = 0; i < count; ++i)
        if (strcmp(names[i], name) == 0)
            return true;
    return count == 0;
}

static int usage(void)
{
    fprintf(stderr, "usage: tremula-bench [--json FILE] [ROW ...]\nrows:");
    for (int i = 0; i < ROWS; ++i)
        fprintf(stderr, " %s", rows[i].name);
    fprintf(stderr, "\n");
    return 2;
}

static bool is_row(const char *name)
{
    for (int i = 0; i < ROWS; ++i)
        if (strcmp(rows[i].name, name) == 0)
            return true;
    return false;
}

/* As the system calls it: ratios between devices and kernels depend on it. */
static void processor_name(char *name, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    snprintf(name, size, "unknown processor");
    while (file && fgets(line, sizeof(line), file)) {
        const char *value = strchr(line, ':');
        line[strcspn(line, "\n\"\\")] = 0;
        if (value && (strncmp(line, "model name", 10) == 0 || strncmp(line, "CPU part", 8) == 0)) {
            snprintf(name, size, "%s", value + 1 + strspn(value + 1, " "));
            break;
        }
    }
    if (file)
        fclose(file);
}

int main(int argc, char **argv)
{
    const char *path = NULL;
    int names = 1;
    bool failed = false;
    if (argc > 2 && strcmp(argv[1], "--ranks") == 0)
        return ranks_program(argv[2]);
    if (argc > 2 && strcmp(argv[1], "--json") == 0) {
        path = argv[2];
        names = 3;
    }
    for (int i = names; i < argc; ++i)
        if (!is_row(argv[i]))
            return usage();
    FILE *json = path ? fopen(path, "w") : NULL;
    if (path && !json) {
        perror(path);
        return 1;
    }
    double load = 0; /* other processes make every row slower */
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    char name[128];
    processor_name(name, sizeof(name));
    if (getloadavg(&load, 1) == 1)
        printf("%s, %ld processors, load %.2f\n", name, processors, load);
    if (json)
        fprintf(json,
                "{\n  \"version\": \"%s\",\n  \"processor\": \"%s\",\n  \"processors\": %ld,\n  \"load\": %.2f,\n  "
                "\"results\": [",
                pop_version_string(), name, processors, load);
    printf("%-8s %-46s %10s %-10s %-9s\n", "row", "measure", "value", "", "aim");
    bool first = true;
    for (int i = 0; i < ROWS; ++i) {
        if (!wanted(rows[i].name, argv + names, argc - names))
            continue;
        int count = run_row(&rows[i], json, first, &failed);
        first = first && count == 0;
    }
    if (json) {
        fprintf(json, "\n  ]\n}\n");
        fclose(json);
    }
    return failed ? 1 : 0;
}
