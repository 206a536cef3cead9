/* SPDX-License-Identifier: Apache-2.0 */
/* A large report of a real compilation: 10 million vertices in layers, their lowered variables, and a run of it.  Time
 * of writing the compilation's part, compared with SQLite's for the same rows, and time until libpva opens the file and
 * answers (open_report.c, in a separate process). */
#include "bench.h"

#include <fcntl.h>
#include <libgen.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One vertex per tile on 1,472 tiles in 6,794 layers are 10,000,768. */
enum { LAYERS = 6794, ITERATIONS = 20, PATH_BYTES = 600 };

static void fail(const char *what)
{
    fprintf(stderr, "large: %s\n", what);
    exit(1);
}

static double file_bytes(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (double)about.st_size : 0;
}

/* A variable with an element on each tile. */
static pop_tensor layer_variable(pop_graph *graph, unsigned layer, const char *what)
{
    unsigned tiles = pop_target_num_tiles(pop_graph_target(graph));
    char name[64];
    snprintf(name, sizeof(name), "layer%u/%s", layer, what);
    pop_tensor t = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(tiles), name);
    for (unsigned tile = 0; tile < tiles; ++tile)
        pop_graph_set_tile_mapping(graph, pop_tensor_at(t, tile), tile);
    return t;
}

struct program {
    pop_graph *graph;
    pop_program main;
};

/* The output of a layer is an input of the next, together with its weights; that of every other layer is sent to other
 * tiles. */
static struct program build(const pop_device *device)
{
    const pop_target *target = pop_device_target(device);
    unsigned tiles = pop_target_num_tiles(target);
    struct program p = { .graph = pop_graph_create(target) };
    pop_graph_add_codelets(p.graph, BENCH_CODELETS);
    pop_program body = pop_sequence(p.graph, "step");
    pop_tensor in = layer_variable(p.graph, 0, "input");
    for (unsigned layer = 0; layer < LAYERS; ++layer) {
        pop_tensor weights = layer_variable(p.graph, layer, "weights"), sum = layer_variable(p.graph, layer, "sum");
        char name[64];
        snprintf(name, sizeof(name), "layer%u/add", layer);
        pop_compute_set set = pop_graph_add_compute_set(p.graph, name);
        for (unsigned tile = 0; tile < tiles; ++tile) {
            pop_vertex v = pop_graph_add_vertex_connected(p.graph, set, "BenchAdd",
                                                          POP_CONNECTIONS({ "a", pop_tensor_at(in, tile) },
                                                                          { "b", pop_tensor_at(weights, tile) },
                                                                          { "out", pop_tensor_at(sum, tile) }));
            pop_graph_map_vertex(p.graph, v, tile);
            pop_graph_set_perf_estimate(p.graph, v, 20 + (tile * 7 + layer * 13) % 97, 1);
        }
        pop_sequence_add(body, pop_execute(set, name));
        in = sum;
        if (layer % 2)
            continue;
        in = layer_variable(p.graph, layer, "moved");
        unsigned shift = 1 + layer % 64;
        snprintf(name, sizeof(name), "layer%u/move", layer);
        pop_sequence_add(body, pop_copy(pop_tensor_slice(sum, 0, tiles - shift, 0),
                                        pop_tensor_slice(in, shift, tiles, 0), false, name));
    }
    bench_must_build(p.graph);
    p.main = pop_repeat(ITERATIONS, body, "loop");
    return p;
}

/* Milliseconds after a text of the profiler's log, in seconds. */
static double logged(const char *log, const char *text)
{
    char line[1024];
    double milliseconds = 0;
    FILE *file = fopen(log, "r");
    while (file && fgets(line, sizeof(line), file)) {
        const char *found = strstr(line, text), *in = found ? strstr(found + strlen(text), " ms") : NULL;
        while (in && in > found && (in[-1] == '.' || (in[-1] >= '0' && in[-1] <= '9')))
            --in;
        milliseconds = in ? strtod(in, NULL) : milliseconds;
    }
    if (file)
        fclose(file);
    return milliseconds / 1e3;
}

/* ---- the same rows by SQLite alone ---- */

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail(sqlite3_errmsg(db));
    return statement;
}

static void execute(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail(sqlite3_errmsg(db));
}

/* Rows of a table; they are inserted into the same table of `to`, if there is one. */
static void copy_table(sqlite3 *from, sqlite3 *to, const char *name)
{
    char sql[256];
    snprintf(sql, sizeof(sql), "SELECT * FROM %s", name);
    sqlite3_stmt *read = prepare(from, sql), *insert = NULL;
    int columns = sqlite3_column_count(read), at = snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES(?", name);
    for (int i = 1; i < columns; ++i)
        at += snprintf(sql + at, sizeof(sql) - (size_t)at, ",?");
    snprintf(sql + at, sizeof(sql) - (size_t)at, ")");
    if (to)
        insert = prepare(to, sql);
    while (sqlite3_step(read) == SQLITE_ROW) {
        for (int i = 0; i < columns; ++i) {
            sqlite3_value *value = sqlite3_column_value(read, i);
            if (insert)
                sqlite3_bind_value(insert, i + 1, value);
        }
        if (insert && (sqlite3_step(insert) != SQLITE_DONE || sqlite3_reset(insert) != SQLITE_OK))
            fail(sqlite3_errmsg(to));
    }
    sqlite3_finalize(read);
    sqlite3_finalize(insert);
}

/* Seconds of reading all rows of a report, and of inserting them in one transaction if there is a path. */
static double copy_rows(const char *report, const char *path)
{
    sqlite3 *from = NULL, *to = NULL;
    double start = bench_seconds();
    if (sqlite3_open(report, &from) != SQLITE_OK || (path && sqlite3_open(path, &to) != SQLITE_OK))
        fail("no database");
    if (to)
        execute(to, "PRAGMA synchronous = OFF; BEGIN");
    sqlite3_stmt *objects = prepare(from, "SELECT name, sql, type FROM sqlite_schema WHERE type IN ('table', 'index') "
                                          "AND sql NOT NULL ORDER BY type DESC, rowid");
    while (sqlite3_step(objects) == SQLITE_ROW) {
        if (to)
            execute(to, (const char *)sqlite3_column_text(objects, 1));
        if (strcmp((const char *)sqlite3_column_text(objects, 2), "table") == 0)
            copy_table(from, to, (const char *)sqlite3_column_text(objects, 0));
    }
    sqlite3_finalize(objects);
    if (to)
        execute(to, "COMMIT");
    sqlite3_close(to);
    sqlite3_close(from);
    return bench_seconds() - start;
}

static void beside_sqlite(const char *report, const char *directory, double writing)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "%s/bulk.db", directory);
    double reading = copy_rows(report, NULL), both = copy_rows(report, path), bulk = both - reading,
           megabytes = file_bytes(path) / 1e6;
    unlink(path);
    bench_report("its rows by SQLite alone, in one transaction", bulk, "s", 0);
    bench_report("speed of writing in that", megabytes / bulk, "MB/s", 0);
    bench_report("the profile's writing, times that", writing / bulk, "x", 2);
}

/* ---- reading ---- */

static double number_of(const char *report, const char *sql)
{
    sqlite3 *db = NULL;
    if (sqlite3_open(report, &db) != SQLITE_OK)
        fail("no database");
    sqlite3_stmt *statement = prepare(db, sql);
    double number = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_double(statement, 0) : 0;
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return number;
}

/* Removes the file from the page cache: the next reader waits for the disk. */
static void drop_page_cache(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fdatasync(file) != 0 || posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) != 0)
        fail("the file stays in the cache");
    close(file);
}

static void open_cold(const char *directory, const char *report)
{
    char self[512] = "", command[2 * PATH_BYTES];
    double seconds[2] = { 0 }, memory = 0;
    if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
        fail("no program");
    snprintf(command, sizeof(command), "%s/bench_open_report %s", dirname(self), directory);
    drop_page_cache(report);
    FILE *answer = popen(command, "r");
    if (!answer || fscanf(answer, "%lf %lf %lf", &seconds[0], &seconds[1], &memory) != 3 || pclose(answer) != 0)
        fail("bench_open_report fails");
    bench_report("open it, cold", seconds[0], "s", 0.5);
    bench_report("peak tile, longest ten steps, live at the worst", seconds[1], "s", 1);
    bench_report("peak memory of that process", memory / 1e6, "MB", 200);
}

/* Compiles and runs it; its report is in the directory.  Returns the seconds of compiling. */
static double make_report(const pop_device *device, const char *directory)
{
    pop_error error = { 0 };
    struct program p = build(device);
    double start = bench_seconds();
    pop_engine *engine = pop_engine_create(
        p.graph, POP_PROGRAMS(p.main),
        POP_OPTIONS({ "autoReport.outputLoweredVars", "true" }, { "autoReport.outputExecutionProfile", "true" },
                    { "target.hostThreads", "1" }, { "autoReport.directory", directory }),
        &error);
    double compiled = bench_seconds() - start;
    bench_must(error.status, &error);
    bench_must(pop_engine_load(engine, device, &error), &error);
    bench_must(pop_engine_run(engine, 0, &error), &error);
    pop_engine_destroy(engine);
    pop_graph_destroy(p.graph);
    return compiled;
}

void row_large(void)
{
    char directory[] = "bench_large_XXXXXX", report[PATH_BYTES], log[PATH_BYTES];
    if (!mkdtemp(directory))
        fail("no directory");
    snprintf(report, sizeof(report), "%s/profile.pop", directory);
    snprintf(log, sizeof(log), "%s/log", directory);
    setenv("POPLAR_PROFILER_LOG_LEVEL", "DEBUG", 1);
    setenv("POPLAR_LOG_DEST", log, 1);
    pop_device *device = bench_device();
    double compiled = make_report(device, directory);
    pop_device_destroy(device);
    double writing = logged(log, "the graph's profile took ") + logged(log, "completed '");
    bench_report("10 million vertices: compile, and write the profile", compiled, "s", 0);
    bench_report("write and complete the profile", writing, "s", 0);
    bench_report("lowered variables in it", number_of(report, "SELECT count(*) FROM vars_info") / 1e6, "million", 0);
    bench_report("executed steps in it", number_of(report, "SELECT count(*) FROM executed") / 1e6, "million", 0);
    bench_report("the file", file_bytes(report) / 1e6, "MB", -1000);
    beside_sqlite(report, directory, writing);
    open_cold(directory, report);
    unlink(report);
    unlink(log);
    rmdir(directory);
}
