/* SPDX-License-Identifier: Apache-2.0 */
/* Capturing reports through the public interface, row by row: which files options request, their directories, and their
 * contents. */
#include "capture.h"

#include "base/file.h"

#include "base/log.h"
#include "report/report.h"

#include <sys/stat.h>

/* CAP-03, 04, 11, 26, 28 to 31: all files, in a directory that is created. */
static void all_writes_every_file(void **state)
{
    struct fixture *f = *state;
    char options[256];
    snprintf(options, sizeof(options), "{\"autoReport.all\":\"true\", \"autoReport.directory\":\"./%s/tommyFlowers\"}",
             f->directory);
    setenv("POPLAR_ENGINE_OPTIONS", options, 1);
    pop_engine *engine = start(f, NULL, POP_NO_OPTIONS);
    run(engine, NULL);
    pop_engine_destroy(engine);
    expect_files(f, "tommyFlowers", "archive.a debug.cbor profile.pop ");
    sqlite3 *db = profile(f, "tommyFlowers/");
    assert_int_equal(sql_number(db, "SELECT compilation + 2 * execution + 4 * closed FROM format"), 7);
    assert_int_equal(sql_number(db, "SELECT count(*) FROM memory_by_tile"), 16);
    assert_int_equal(sql_number(db, "SELECT sum(total) FROM memory_by_tile"),
                     sql_number(db, "SELECT sum(bytes) FROM memory_by_category WHERE overlap <> 1"));
    assert_int_equal(sql_number(db, "SELECT compute + external_exchange FROM instrumentation"), 3); /* tile: 2 */
    sql_expect_text(db, "SELECT value FROM options WHERE name = 'autoReport.all'", "true");
    sqlite3_close(db);
}

/* CAP-14 and CAP-13: requested parts, and all but some. */
static void parts_are_added_and_removed(void **state)
{
    struct fixture *f = *state;
    static const struct {
        pop_option options[3];
        const char *files;
        bool execution;
    } rows[] = {
        { { { "autoReport.outputGraphProfile", "true" } }, "profile.pop ", false },
        { { { "autoReport.outputExecutionProfile", "true" } }, "profile.pop ", true }, /* CAP-10 */
        { { { "autoReport.outputExecutionProfile", "true" }, { "autoReport.outputGraphProfile", "false" } },
          "profile.pop ",
          true },
        { { { "autoReport.outputLoweredVars", "true" } }, "profile.pop ", false },
        { { { "autoReport.outputArchive", "true" } }, "archive.a ", false },
        { { { "autoReport.outputDebugInfo", "true" } }, "debug.cbor ", false },
        { { { "autoReport.outputSerializedGraph", "true" } }, "serialized_graph.json ", false },
        { { { "autoReport.all", "true" }, { "autoReport.outputArchive", "false" } }, "debug.cbor profile.pop ", true },
        { { { "autoReport.all", "true" }, { "autoReport.outputDebugInfo", "false" } }, "archive.a profile.pop ", true },
        { { { "autoReport.all", "true" }, { "autoReport.outputExecutionProfile", "false" } },
          "archive.a debug.cbor profile.pop ",
          false },
        { { { "autoReport.enable", "true" } }, "archive.a debug.cbor profile.pop ", true },
        { { { "autoReport.all", "false" } }, "", false },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        size_t count = 0;
        while (count < 3 && rows[i].options[count].key)
            ++count;
        pop_engine *engine = start(f, NULL, (pop_options){ rows[i].options, count });
        run(engine, NULL);
        pop_engine_destroy(engine);
        expect_files(f, "", rows[i].files);
        if (exists(f, "profile.pop")) {
            sqlite3 *db = profile(f, "");
            assert_int_equal(sql_number(db, "SELECT execution FROM format"), rows[i].execution);
            assert_int_equal(sql_number(db, "SELECT count(*) > 0 FROM steps"), rows[i].execution);
            sqlite3_close(db);
        }
        remove_tree(f->directory);
        assert_int_equal(mkdir(f->directory, 0777), 0);
    }
}

/* CAP-13, CAP-15 to 17: every set of parts removed from autoReport.all, with all and the removed parts set in the
 * program or in the environment: files, execution and lowered variables are those that remain. */
static void any_parts_are_removed_from_all(void **state)
{
    enum { GRAPH = 1, EXECUTION = 2, LOWERED = 4, ARCHIVE = 8, DEBUG = 16, SETS = 32, PARTS = 5, PLACES = 4 };
    static const char *const keys[PARTS] = { "autoReport.outputGraphProfile", "autoReport.outputExecutionProfile",
                                             "autoReport.outputLoweredVars", "autoReport.outputArchive",
                                             "autoReport.outputDebugInfo" };
    struct fixture *f = *state;
    for (unsigned round = 0; round < SETS * PLACES; ++round) {
        unsigned left = ~(round / PLACES) & (SETS - 1);
        pop_option options[PARTS + 1];
        size_t count = 0;
        char environment[512] = "{", expected[64];
        for (int i = -1; i < PARTS; ++i) {
            const char *key = i < 0 ? "autoReport.all" : keys[i], *value = i < 0 ? "true" : "false";
            bool in_program = i < 0 ? round & 1 : round & 2;
            if (i >= 0 && left >> i & 1)
                continue;
            if (in_program)
                options[count++] = (pop_option){ key, value };
            else
                snprintf(environment + strlen(environment), sizeof(environment) - strlen(environment),
                         "%s\"%s\":\"%s\"", environment[1] ? ", " : "", key, value);
        }
        strcat(environment, "}");
        setenv("POPLAR_ENGINE_OPTIONS", environment, 1);
        pop_engine *engine = start(f, NULL, (pop_options){ options, count });
        run(engine, NULL);
        pop_engine_destroy(engine);
        bool profiled = left & (GRAPH | EXECUTION | LOWERED);
        snprintf(expected, sizeof(expected), "%s%s%s", left & ARCHIVE ? "archive.a " : "",
                 left & DEBUG ? "debug.cbor " : "", profiled ? "profile.pop " : "");
        expect_files(f, "", expected);
        if (profiled) {
            sqlite3 *db = profile(f, "");
            assert_int_equal(sql_number(db, "SELECT compilation FROM format"), 1);
            assert_int_equal(sql_number(db, "SELECT execution FROM format"), !!(left & EXECUTION));
            assert_int_equal(sql_number(db, "SELECT count(*) > 0 FROM steps"), !!(left & EXECUTION));
            assert_int_equal(sql_number(db, "SELECT lowered_vars FROM format"), !!(left & LOWERED));
            assert_int_equal(sql_number(db, "SELECT count(*) > 0 FROM vars_info"), !!(left & LOWERED));
            sqlite3_close(db);
        }
        remove_tree(f->directory);
        assert_int_equal(mkdir(f->directory, 0777), 0);
    }
}

/* CAP-09: implied options, unless they are set. */
static void options_imply_others(void **state)
{
    struct fixture *f = *state;
    static const struct {
        pop_option options[3];
        int compute, exchange;
    } rows[] = {
        { { { "autoReport.all", "true" } }, 2, 1 },
        { { { "autoReport.all", "true" }, { "autoReport.outputExecutionProfile", "false" } }, 0, 0 },
        { { { "autoReport.all", "true" }, { "debug.instrument", "false" } }, 0, 0 },
        { { { "autoReport.all", "true" }, { "debug.instrument", "false" }, { "debug.instrumentCompute", "true" } },
          2,
          0 },
        { { { "autoReport.outputExecutionProfile", "false" },
            { "autoReport.outputGraphProfile", "true" },
            { "debug.instrument", "true" } },
          0,
          0 },
        { { { "autoReport.outputGraphProfile", "true" }, { "debug.instrumentExternalExchange", "true" } }, 0, 1 },
        { { { "autoReport.all", "true" }, { "debug.computeInstrumentationLevel", "ipu" } }, 3, 1 },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        size_t count = 0;
        while (count < 3 && rows[i].options[count].key)
            ++count;
        pop_engine_destroy(start(f, NULL, (pop_options){ rows[i].options, count }));
        sqlite3 *db = profile(f, "");
        assert_int_equal(sql_number(db, "SELECT compute FROM instrumentation"), rows[i].compute);
        assert_int_equal(sql_number(db, "SELECT external_exchange FROM instrumentation"), rows[i].exchange);
        sqlite3_close(db);
    }
}

/* Level ipu: the cycles of each IPU are those of level tile, and no tile has any. */
static void level_ipu_has_no_tiles(void **state)
{
    struct fixture *f = *state;
    static const char ipus[] = "SELECT group_concat(cycles || ' ' || all_cycles_from_min || ' ' || all_cycles_to_max) "
                               "FROM (SELECT * FROM steps_by_ipu ORDER BY step_id, ipu)";
    char *seen[2];
    for (int ipu = 0; ipu < 2; ++ipu) {
        pop_engine *engine = start(
            f, NULL,
            POP_OPTIONS({ "autoReport.all", "true" }, { "debug.computeInstrumentationLevel", ipu ? "ipu" : "tile" }));
        run(engine, "run");
        pop_engine_destroy(engine);
        sqlite3 *db = profile(f, "");
        sqlite3_stmt *row = sql_query(db, ipus);
        assert_int_equal(sqlite3_step(row), SQLITE_ROW);
        seen[ipu] = strdup((const char *)sqlite3_column_text(row, 0));
        sqlite3_finalize(row);
        for (int i = 0; i < 2; ++i)
            assert_true((sql_number(db, i ? "SELECT count(*) FROM execution_cycles_by_tile"
                                          : "SELECT count(*) FROM arrays") > 0) == !ipu);
        assert_int_equal(sql_number(db, "SELECT count(*) FROM patterns WHERE start IS NULL AND end IS NULL") > 0, ipu);
        sqlite3_close(db);
    }
    assert_string_equal(seen[0], seen[1]);
    free(seen[0]);
    free(seen[1]);
}

/* debug.instrument false takes the execution out of the report, unless a part of it is on by its own option. */
static void without_instrumentation_there_is_no_execution(void **state)
{
    struct fixture *f = *state;
    for (int part = 0; part < 2; ++part) {
        pop_engine *engine = start(f, NULL,
                                   POP_OPTIONS({ "autoReport.all", "true" }, { "debug.instrument", "false" },
                                               { "debug.instrumentCompute", part ? "true" : "false" }));
        run(engine, "run");
        pop_engine_destroy(engine);
        sqlite3 *db = profile(f, "");
        assert_int_equal(sql_number(db, "SELECT count(*) FROM runs"), part);
        assert_int_equal(sql_number(db, "SELECT execution FROM format"), part);
        sqlite3_close(db);
    }
}

/* What autoReport.all asks for is an option in force, not a default. */
static void parts_of_all_are_set(void **state)
{
    struct fixture *f = *state;
    pop_engine_destroy(
        start(f, NULL, POP_OPTIONS({ "autoReport.all", "true" }, { "autoReport.outputArchive", "false" })));
    sqlite3 *db = profile(f, "");
    sql_expect_text(
        db,
        "SELECT group_concat(name || ' ' || value || ' ' || is_set, '; ') FROM (SELECT * FROM options WHERE "
        "name LIKE 'autoReport.output%' ORDER BY name)",
        "autoReport.outputArchive false 1; autoReport.outputDebugInfo true 1; "
        "autoReport.outputExecutionProfile true 1; autoReport.outputGraphProfile true 1; "
        "autoReport.outputLoweredVars true 1; autoReport.outputSerializedGraph false 0");
    sqlite3_close(db);
}

/* The code of exchanges is that of the memory's categories. */
static void code_of_exchanges_is_that_of_memory(void **state)
{
    struct fixture *f = *state;
    pop_error error;
    pop_device *device = pop_ipu_model_create_device(
        &(pop_ipu_model){ .version = "ipu2", .num_ipus = 2, .tiles_per_ipu = 4, .compile_ipu_code = true }, &error);
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    pop_tensor v = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(64), "v"),
               u = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(64), "u");
    pop_graph_set_tile_mapping(graph, v, 0);
    pop_graph_set_tile_mapping(graph, u, 5);
    pop_engine *engine = pop_engine_create(
        graph, POP_PROGRAMS(pop_copy(v, u, false, "far")),
        POP_OPTIONS({ "autoReport.directory", f->directory }, { "autoReport.outputGraphProfile", "true" }), &error);
    assert_non_null(engine);
    pop_engine_destroy(engine);
    sqlite3 *db = profile(f, "");
    int64_t code = sql_number(db, "SELECT sum(code_bytes) FROM exchanges WHERE kind = 'global'");
    assert_true(code > 0);
    assert_int_equal(code, sql_number(db, "SELECT sum(bytes) FROM memory_by_category WHERE category = (SELECT id FROM "
                                          "var_categories WHERE name = 'globalExchangeCode')"));
    sqlite3_close(db);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
}

/* Names that are not UTF-8 are escaped in every file. */
static void names_are_utf8_in_files(void **state)
{
    struct fixture *f = *state;
    static const char bad[] = "caf\xe9/\xc3\xa9\xed\xa0\x80\xff";
    pop_tensor v = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(8), bad);
    pop_graph_set_tile_mapping(f->graph, v, 2);
    pop_sequence_add(f->main, pop_write_undef(v, bad));
    pop_engine *engine = start(f, NULL, POP_OPTIONS({ "autoReport.all", "true" }));
    run(engine, bad);
    pop_engine_destroy(engine);
    sqlite3 *db = profile(f, "");
    sql_expect_text(db, "SELECT name FROM runs", "caf\\xe9/\xc3\xa9\\xed\\xa0\\x80\\xff");
    assert_int_equal(sql_number(db, "SELECT count(*) > 0 FROM variables WHERE name LIKE 'caf%xff'"), 1);
    assert_int_equal(sql_number(db, "SELECT count(*) FROM variables WHERE instr(CAST(name AS BLOB), x'ff')"), 0);
    sqlite3_close(db);
    char path[256], *data;
    size_t size;
    pop_error error;
    snprintf(path, sizeof(path), "%s/debug.cbor", f->directory);
    must(file_read(path, &data, &size, &error), &error);
    assert_null(memmem(data, size, bad, sizeof(bad) - 1));
    assert_non_null(memmem(data, size, "caf\\xe9", 7));
    free(data);
}

/* CAP-36: instrumentation uses tile memory. */
static void instrumentation_takes_memory(void **state)
{
    struct fixture *f = *state;
    static const char bytes[] = "SELECT ifnull(sum(bytes), 0) FROM memory_by_category WHERE category = (SELECT id FROM "
                                "var_categories WHERE name = "
                                "'instrumentationResults')";
    pop_engine_destroy(start(f, "with", POP_OPTIONS({ "autoReport.all", "true" })));
    pop_engine_destroy(start(f, "without", POP_OPTIONS({ "autoReport.outputGraphProfile", "true" })));
    sqlite3 *with = profile(f, "with/"), *without = profile(f, "without/");
    assert_true(sql_number(with, bytes) > 0);
    assert_int_equal(sql_number(without, bytes), 0);
    sqlite3_close(with);
    sqlite3_close(without);
}

/* Bytes of instrumentation on a tile of a report. */
static uint64_t instrumented(const struct fixture *f, const char *below, unsigned tile)
{
    enum { TILES = 16 };
    uint64_t bytes[TILES], sum = 0;
    sqlite3 *db = profile(f, below);
    sqlite3_stmt *rows =
        sql_query(db, "SELECT bytes_by_tile FROM memory_by_category WHERE overlap <> 1 AND category = (SELECT id FROM "
                      "var_categories WHERE name = 'instrumentationResults')");
    while (sqlite3_step(rows) == SQLITE_ROW) {
        sql_column_array(rows, 0, bytes, TILES);
        sum += bytes[tile];
    }
    sqlite3_finalize(rows);
    sqlite3_close(db);
    return sum;
}

/* CAP-18, CAP-19: the tiles that count cycles and keep records of branches. */
static void tiles_of_instrumentation(void **state)
{
    struct fixture *f = *state;
    pop_tensor here = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(40), "here"),
               there = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(40), "there"),
               flag = pop_graph_add_variable(f->graph, POP_BOOL, POP_SHAPE(), "flag");
    pop_graph_set_tile_mapping(f->graph, here, 5);
    pop_graph_set_tile_mapping(f->graph, there, 5);
    pop_graph_set_tile_mapping(f->graph, flag, 0);
    pop_program move = pop_copy(here, there, false, "within a tile"); /* a compute set */
    pop_sequence_add(f->main, pop_if(flag, move, pop_sequence(f->graph, NULL), NULL));
    pop_option compute[] = { { "autoReport.outputGraphProfile", "true" },
                             { "debug.instrumentCompute", "true" },
                             { "debug.computeInstrumentationLevel", "ipu" },
                             { "debug.profilingTile", "7" } };
    pop_engine_destroy(start(f, "standard", (pop_options){ compute, 3 }));
    pop_engine_destroy(start(f, "seven", (pop_options){ compute, 4 }));
    assert_true(instrumented(f, "standard/", 0) > 0 && !instrumented(f, "standard/", 7));
    assert_true(!instrumented(f, "seven/", 0) && instrumented(f, "seven/", 7) == instrumented(f, "standard/", 0));
    pop_option branches[] = { { "autoReport.outputGraphProfile", "true" },
                              { "debug.instrumentControlFlow", "true" },
                              { "debug.branchRecordTile", "3" } };
    pop_engine_destroy(start(f, "last", (pop_options){ branches, 2 }));
    pop_engine_destroy(start(f, "three", (pop_options){ branches, 3 }));
    assert_true(instrumented(f, "last/", 15) == 4 && !instrumented(f, "last/", 3)); /* one If */
    assert_true(instrumented(f, "three/", 3) == 4 && !instrumented(f, "three/", 15));
    sqlite3 *db = profile(f, "three/");
    sql_expect_text(db, "SELECT control_flow || ' ' || branch_record_tile || ' ' || compute FROM instrumentation",
                    "1 3 0");
    sqlite3_close(db);
    static const char *const keys[] = { "debug.profilingTile", "debug.branchRecordTile" };
    for (int i = 0; i < 2; ++i) {
        pop_error error = { 0 };
        assert_null(create(f, NULL, POP_OPTIONS({ keys[i], "16" }), &error));
        assert_int_equal(error.status, POP_INVALID_OPTION);
        assert_non_null(strstr(error.text, "from 0 to 15"));
    }
}

/* CAP-30, and parameters of runs (EXE-46). */
static void programs_add_facts(void **state)
{
    struct fixture *f = *state;
    char path[64], text[256] = "";
    pop_error error = { 0 };
    pop_engine *engine = start(f, NULL, POP_OPTIONS({ "autoReport.all", "true" }));
    pop_profile_value app = pop_profile_map_new(), config = pop_profile_map_new();
    pop_profile_set(&config, "batch", pop_profile_uint(4));
    pop_profile_set(&app, "config", config);
    must(pop_engine_report_json(engine, "app", &app, &error), &error);
    must(pop_engine_report_json(engine, "framework", &app, &error), &error);
    assert_int_equal(pop_engine_report_json(engine, "other", &app, &error), POP_INVALID_OPTION);
    must(pop_engine_report_run_parameter(engine, "early", "nobody", &error), &error); /* before any run */
    run(engine, NULL);
    must(pop_engine_report_run_parameter(engine, "lr", "0.1", &error), &error);
    must(pop_engine_report_run_parameter(engine, "lr", "0.2", &error), &error);
    run(engine, NULL);
    must(pop_engine_report_run_parameter(engine, "lr", "0.4", &error), &error);
    run(engine, NULL);
    must(pop_engine_report_run_parameter(engine, "lr", "lost", &error), &error); /* it is not captured */
    pop_engine_destroy(engine);
    expect_files(f, "", "app.json archive.a debug.cbor framework.json profile.pop ");
    sqlite3 *db = profile(f, "");
    sql_expect_text(db, "SELECT group_concat(run || name || value) FROM (SELECT * FROM run_parameters ORDER BY run)",
                    "0lr0.2,1lr0.4");
    sqlite3_close(db);
    snprintf(path, sizeof(path), "%s/app.json", f->directory);
    FILE *file = fopen(path, "re");
    assert_true(file && fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    assert_non_null(strstr(text, "\"batch\":4"));
    engine = start(f, NULL, POP_OPTIONS({ "autoReport.all", "true" })); /* existing files are kept */
    pop_engine_destroy(engine);
    expect_files(f, "", "app.json archive.a debug.cbor framework.json profile.pop ");
    engine = start(f, "quiet", POP_NO_OPTIONS);
    must(pop_engine_report_json(engine, "app", &app, &error), &error);
    assert_false(exists(f, "quiet"));
    pop_engine_destroy(engine);
    pop_profile_free(&app);
}

/* CAP-05, CAP-33. */
static void named_engines_have_directories(void **state)
{
    struct fixture *f = *state;
    pop_engine *training = start(f, "training", POP_OPTIONS({ "autoReport.all", "true" }));
    pop_engine *inference = start(f, "sub/inference", POP_OPTIONS({ "autoReport.all", "true" }));
    run(training, NULL);
    run(inference, NULL);
    pop_engine_destroy(training);
    pop_engine_destroy(inference);
    expect_files(f, "", "debug.cbor sub training ");
    expect_files(f, "training", "archive.a debug.cbor profile.pop ");
    expect_files(f, "sub/inference", "archive.a debug.cbor profile.pop ");
    sqlite3 *db = profile(f, "training/");
    sql_expect_text(db, "SELECT value FROM info WHERE name = 'engine'", "training");
    sqlite3_close(db);
    static const char *const bad[] = { "../out", "/out", "a/../../out", "..", "a/.." };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i) {
        pop_error error = { 0 };
        assert_null(create(f, bad[i], POP_OPTIONS({ "autoReport.all", "true" }), &error));
        assert_int_equal(error.status, POP_INVALID_OPTION);
        assert_non_null(strstr(error.text, bad[i]));
    }
    pop_error error = { 0 };
    pop_engine *quiet = create(f, "../out", POP_NO_OPTIONS, &error); /* no report, no directory */
    assert_non_null(quiet);
    pop_engine_destroy(quiet);
}

/* The name is part of the executable, also of one that was saved. */
static void a_saved_executable_has_the_engines_name(void **state)
{
    struct fixture *f = *state;
    char path[64];
    pop_error error = { 0 };
    pop_executable *executable = NULL;
    const pop_option list[] = { { "autoReport.directory", f->directory },
                                { "autoReport.outputExecutionProfile", "true" } };
    snprintf(path, sizeof(path), "%s/saved", f->directory);
    must(pop_compile_graph_named(f->graph, POP_PROGRAMS(f->main), POP_NO_OPTIONS, NULL, NULL, "training", &executable,
                                 &error),
         &error);
    must(pop_executable_save(executable, path, &error), &error);
    pop_executable_destroy(executable);
    must(pop_executable_load(path, &executable, &error), &error);
    pop_engine *engine = pop_engine_create_from(executable, (pop_options){ list, 2 }, &error);
    assert_non_null(engine);
    pop_engine_destroy(engine);
    pop_executable_destroy(executable);
    expect_files(f, "training", "profile.pop ");
    sqlite3 *db = profile(f, "training/");
    sql_expect_text(db, "SELECT value FROM info WHERE name = 'engine'", "training");
    sqlite3_close(db);
}

/* CAP-06: of two engines of one name the last to close has the file, complete. */
static void the_second_replaces(void **state)
{
    struct fixture *f = *state;
    pop_engine *one = start(f, "same", POP_OPTIONS({ "autoReport.all", "true" }));
    pop_engine *two = start(f, "same", POP_OPTIONS({ "autoReport.all", "true" }));
    run(one, "of one");
    run(two, "of two");
    pop_engine_destroy(two);
    sqlite3 *db = profile(f, "same/");
    sql_expect_text(db, "SELECT group_concat(name) FROM runs", "of two");
    sqlite3_close(db);
    pop_engine_destroy(one);
    db = profile(f, "same/");
    sql_expect_text(db, "SELECT group_concat(name) FROM runs", "of two");
    sqlite3_close(db);
    expect_files(f, "same", "archive.a debug.cbor profile.pop ");
}

/* CAP-21, and the names of runs (EXE-45). */
static void the_first_runs_are_captured(void **state)
{
    struct fixture *f = *state;
    pop_engine *engine = start(f, NULL, POP_OPTIONS({ "autoReport.all", "true" }));
    run(engine, NULL);
    run(engine, "WeightsToHost");
    run(engine, "third");
    pop_engine_destroy(engine);
    sqlite3 *db = profile(f, "");
    sql_expect_text(db, "SELECT group_concat(name, '|') FROM runs", "Engine::run #0|WeightsToHost");
    assert_int_equal(sql_number(db, "SELECT count(*) FROM runs WHERE start_microseconds > 1000000000000000 AND "
                                    "end_microseconds >= start_microseconds"),
                     2);
    assert_int_equal(sql_number(db, "SELECT sum(steps) FROM runs"), sql_number(db, "SELECT count(*) FROM executed"));
    assert_int_equal(
        sql_number(db, "SELECT b.cycles_from - a.cycles_to FROM runs a, runs b WHERE a.id = 0 AND b.id = 1"), 0);
    assert_int_equal(sql_number(db, "SELECT total FROM execution_cycle_totals"),
                     sql_number(db, "SELECT max(cycles_to) FROM runs"));
    sqlite3_close(db);
    engine = start(f, NULL,
                   POP_OPTIONS({ "autoReport.all", "true" }, { "autoReport.executionProfileProgramRunCount", "10" }));
    for (int i = 0; i < 4; ++i)
        run(engine, NULL);
    pop_engine_destroy(engine);
    db = profile(f, "");
    assert_int_equal(sql_number(db, "SELECT count(*) FROM runs"), 4);
    sql_expect_text(db, "SELECT name FROM runs WHERE id = 3", "Engine::run #3");
    sqlite3_close(db);
    pop_error error = { 0 };
    assert_null(create(
        f, NULL, POP_OPTIONS({ "autoReport.all", "true" }, { "autoReport.executionProfileProgramRunCount", "-1" }),
        &error));
    assert_int_equal(error.status, POP_INVALID_OPTION);
}

/* Stream copies are three steps, in their order; every exchange has its sync. */
static void steps_are_named_as_they_are(void **state)
{
    struct fixture *f = *state;
    pop_engine *engine = start(f, NULL, POP_OPTIONS({ "autoReport.outputExecutionProfile", "true" }));
    run(engine, NULL);
    pop_engine_destroy(engine);
    sqlite3 *db = profile(f, "");
    sql_expect_text(db, "SELECT group_concat(type) FROM (SELECT type FROM steps ORDER BY id LIMIT 7)",
                    "StreamCopyBegin,StreamCopyMid,StreamCopyEnd,Sans,Sync,SyncAns,DoExchange");
    assert_int_equal(sql_number(db, "SELECT count(*) FROM steps WHERE type = 'StreamCopyMid' AND detail = 'Host'"), 2);
    assert_int_equal(sql_number(db, "SELECT count(*) FROM steps WHERE type = 'DoExchange'"), 20);
    sql_expect_text(db, "SELECT name FROM steps WHERE type = 'StreamCopyMid' ORDER BY id LIMIT 1", "input");
    sql_expect_text(db, /* the copies of a stream copy, in its direction, are its packets */
                    "SELECT group_concat(name || from_host || to_host) FROM (SELECT name, "
                    "CASE WHEN from_host > 0 THEN ' from' ELSE '' END AS from_host, CASE WHEN to_host > 0 THEN ' to' "
                    "ELSE '' END AS to_host FROM exchanges WHERE name IN ('input', 'output') "
                    "ORDER BY id)",
                    "input from,output to");
    assert_int_equal(sql_number(db, "SELECT count(*) FROM exchanges WHERE kind <> 'host' AND from_host + to_host IS "
                                    "NOT NULL"),
                     0);
    assert_int_equal(
        sql_number(db, "SELECT active_tiles FROM steps_by_ipu JOIN steps ON id = step_id WHERE type = 'Sync' LIMIT 1"),
        2);
    assert_int_equal(
        sql_number(db,
                   "SELECT active_tiles FROM steps_by_ipu JOIN steps ON id = step_id WHERE type = 'SyncAns' LIMIT 1"),
        14);
    sqlite3_close(db);
}

/* Copies of remote buffers are neither from the host nor to it, alone or merged with a stream's. */
static void remote_buffers_are_not_the_host(void **state)
{
    struct fixture *f = *state;
    static const char copies[] = "SELECT 1000 * sum(from_host) + sum(to_host) FROM exchanges";
    int64_t before = 0;
    for (int round = 0; round < 2; ++round) {
        pop_engine_destroy(start(f, NULL, POP_OPTIONS({ "autoReport.outputExecutionProfile", "true" })));
        sqlite3 *db = profile(f, "");
        assert_int_equal(sql_number(db, "SELECT count(*) FROM programs WHERE detail = 'RemoteBuffer'") > 0, round);
        assert_int_equal(sql_number(db, "SELECT count(*) FROM exchanges e JOIN programs p ON p.exchange = e.id WHERE "
                                        "p.detail = 'RemoteBuffer' AND e.from_host + e.to_host"),
                         0);
        assert_true(sql_number(db, copies) > 1000);
        assert_true(!round || sql_number(db, copies) == before);
        before = sql_number(db, copies);
        sqlite3_close(db);
        pop_tensor v = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(ELEMENTS), "kept");
        pop_graph_set_tile_mapping(f->graph, v, 3);
        pop_remote_buffer buffer =
            pop_graph_add_remote_buffer(f->graph, "remote", POP_FLOAT, ELEMENTS, 1, false, false);
        pop_sequence_add(f->main, pop_copy_to_remote(v, buffer, (pop_tensor){ 0 }, "away"));
        pop_sequence_add(f->main, pop_copy_from_remote(buffer, v, (pop_tensor){ 0 }, "home"));
    }
}

/* Lists of live variables, tile by tile, add up to the tiles' memory. */
static void liveness_adds_up_by_tile(void **state)
{
    enum { TILES = 16 };
    struct fixture *f = *state;
    pop_tensor scratch = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(300), "scratch"),
               more = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(300), "more");
    for (unsigned tile = 0; tile < 10; ++tile) {
        pop_graph_set_tile_mapping(f->graph, pop_tensor_slice(scratch, tile * 30, tile * 30 + 30, 0), tile);
        pop_graph_set_tile_mapping(f->graph, pop_tensor_slice(more, tile * 30, tile * 30 + 30, 0), 15 - tile);
    }
    pop_sequence_add(f->main, pop_copy(scratch, more, false, "move"));
    pop_sequence_add(f->main, pop_write_undef(scratch, NULL));
    pop_sequence_add(f->main, pop_copy(more, scratch, false, "move back"));
    pop_engine_destroy(start(f, NULL, POP_OPTIONS({ "autoReport.outputGraphProfile", "true" })));
    sqlite3 *db = profile(f, "");
    uint64_t max[TILES] = { 0 }, tiles[TILES], variable[TILES], ids[64];
    sqlite3_stmt *lists =
        sql_query(db, "SELECT id, bytes, bytes_by_tile, variables, variable_list FROM live_lists ORDER BY id");
    unsigned count = 0;
    for (; sqlite3_step(lists) == SQLITE_ROW; ++count) {
        int64_t variables = sqlite3_column_int64(lists, 3);
        uint64_t sum = 0, left[TILES];
        assert_true(variables <= 64);
        assert_int_equal(sqlite3_column_int64(lists, 0), count);
        sql_column_array(lists, 2, tiles, TILES);
        sql_column_array(lists, 4, ids, (size_t)variables);
        memcpy(left, tiles, sizeof(left));
        for (int64_t i = 0; i < variables; ++i) {
            char sql[120];
            uint64_t bytes = 0;
            snprintf(sql, sizeof(sql), "SELECT bytes_by_tile FROM live_variables WHERE id = %llu",
                     (unsigned long long)ids[i]);
            sql_array(db, sql, variable, TILES);
            for (int t = 0; t < TILES; ++t) {
                left[t] -= variable[t];
                bytes += variable[t];
            }
            snprintf(sql, sizeof(sql), "SELECT bytes FROM live_variables WHERE id = %llu", (unsigned long long)ids[i]);
            assert_int_equal(sql_number(db, sql), bytes);
        }
        for (int t = 0; t < TILES; ++t) {
            assert_int_equal(left[t], 0);
            sum += tiles[t];
            if (count && tiles[t] > max[t])
                max[t] = tiles[t];
        }
        assert_int_equal(sqlite3_column_int64(lists, 1), sum);
    }
    sqlite3_finalize(lists);
    assert_true(count > 2);
    for (int t = 0; t < TILES; ++t) {
        char sql[120];
        snprintf(sql, sizeof(sql), "SELECT not_always_live FROM memory_by_tile WHERE tile = %d", t);
        assert_int_equal(sql_number(db, sql), max[t]);
    }
    sqlite3_close(db);
}

/* Control code of the engine's programs matches the tiles' memory; vertices by tile add up. */
static void programs_and_vertices_add_up(void **state)
{
    enum { TILES = 16 };
    struct fixture *f = *state;
    pop_tensor here = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(40), "here"),
               there = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(40), "there");
    pop_graph_set_tile_mapping(f->graph, here, 5);
    pop_graph_set_tile_mapping(f->graph, there, 5);
    pop_sequence_add(f->main, pop_copy(here, there, false, "within a tile"));
    pop_engine_destroy(start(f, NULL, POP_OPTIONS({ "autoReport.all", "true" })));
    sqlite3 *db = profile(f, "");
    uint64_t code[TILES], memory[TILES], counts[TILES], sum = 0;
    sql_array(db, "SELECT control_code_by_tile FROM programs JOIN control_programs ON program = id", code, TILES);
    sql_array(db,
              "SELECT bytes_by_tile FROM memory_by_category m JOIN var_categories c ON c.id = m.category WHERE c.name "
              "= 'controlCode' AND overlap = 0",
              memory, TILES);
    for (int tile = 0; tile < TILES; ++tile)
        assert_int_equal(code[tile], memory[tile]);
    assert_int_equal(sql_number(db, "SELECT count(*) FROM compute_set_vertices"), 1);
    sql_array(db, "SELECT count_by_tile FROM compute_set_vertices", counts, TILES);
    for (int tile = 0; tile < TILES; ++tile)
        sum += counts[tile];
    assert_true(counts[5] > 0);
    assert_int_equal(counts[5], sum);
    assert_int_equal(sql_number(db, "SELECT count FROM compute_set_vertices"), sum);
    sqlite3_close(db);
}

/* Each query of the page returns a row. */
static void the_pages_queries_run(void **state)
{
    struct fixture *f = *state;
    pop_tensor here = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(40), "here"),
               there = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(40), "there");
    pop_graph_set_tile_mapping(f->graph, here, 5);
    pop_graph_set_tile_mapping(f->graph, there, 5);
    pop_sequence_add(f->main, pop_copy(here, there, false, "within a tile")); /* a compute set */
    pop_engine *engine = start(f, NULL, POP_OPTIONS({ "autoReport.all", "true" }));
    run(engine, NULL);
    pop_engine_destroy(engine);
    FILE *file = fopen(SOURCE_DIR "/docs/reference/report-files.md", "re");
    assert_non_null(file);
    char *page = NULL;
    size_t size = 0;
    assert_true(getdelim(&page, &size, EOF, file) > 0);
    fclose(file);
    sqlite3 *db = profile(f, "");
    unsigned queries = 0;
    for (char *block = page; (block = strstr(block, "```sqlite\n")); ++queries) {
        block += 10;
        char *end = strstr(block, "```");
        *end = 0;
        sqlite3_stmt *statement = sql_query(db, block);
        if (sqlite3_step(statement) != SQLITE_ROW)
            fail_msg("no row: %s", block);
        for (int i = 0; i < sqlite3_column_count(statement); ++i)
            assert_int_not_equal(sqlite3_column_type(statement, i), SQLITE_NULL);
        sqlite3_finalize(statement);
        block = end + 1;
    }
    assert_int_equal(queries, 10);
    free(page);
    sqlite3_close(db);
}

/* CAP-12: each of the profiler's steps, with its time. */
static void the_profilers_steps_are_logged(void **state)
{
    struct fixture *f = *state;
    char path[64], line[512];
    snprintf(path, sizeof(path), "%s/log", f->directory);
    setenv("POPLAR_PROFILER_LOG_LEVEL", "DEBUG", 1);
    setenv("POPLAR_LOG_DEST", path, 1);
    log_reset();
    pop_engine *engine = start(f, NULL, POP_OPTIONS({ "autoReport.all", "true" }));
    run(engine, NULL);
    pop_engine_destroy(engine);
    unsetenv("POPLAR_PROFILER_LOG_LEVEL");
    unsetenv("POPLAR_LOG_DEST");
    log_reset();
    static const char *const words[] = { "profile_",      "programs in ", "liveness in ", "debug.cbor in ",
                                         "archive.a in ", "run 0: ",      "completed '" };
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    unsigned found = 0;
    while (fgets(line, sizeof(line), file)) {
        assert_memory_equal(line, "PO:PROFILER ", 12);
        for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); ++i)
            if (strstr(line, words[i]))
                found |= 1u << i;
    }
    fclose(file);
    assert_int_equal(found, (1u << sizeof(words) / sizeof(words[0])) - 1);
}

int main(void)
{
#define ROW(function) cmocka_unit_test_setup_teardown(function, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        ROW(all_writes_every_file),
        ROW(parts_are_added_and_removed),
        ROW(any_parts_are_removed_from_all),
        ROW(options_imply_others),
        ROW(level_ipu_has_no_tiles),
        ROW(instrumentation_takes_memory),
        ROW(named_engines_have_directories),
        ROW(a_saved_executable_has_the_engines_name),
        ROW(the_second_replaces),
        ROW(without_instrumentation_there_is_no_execution),
        ROW(names_are_utf8_in_files),
        ROW(parts_of_all_are_set),
        ROW(code_of_exchanges_is_that_of_memory),
        ROW(the_first_runs_are_captured),
        ROW(steps_are_named_as_they_are),
        ROW(the_profilers_steps_are_logged),
        ROW(remote_buffers_are_not_the_host),
        ROW(liveness_adds_up_by_tile),
        ROW(the_pages_queries_run),
        ROW(programs_and_vertices_add_up),
        cmocka_unit_test_setup_teardown(programs_and_vertices_add_up, open_fixture_of_2021, close_fixture),
        ROW(tiles_of_instrumentation),
        ROW(programs_add_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
