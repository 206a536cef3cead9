/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a report belong together: one id, all names given at once, and no files of an earlier report beside
 * them; also when a program is killed while it renames them. */
#include "capture.h"

#include "base/file.h"
#include "value/report_files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { PROGRAMS = 2, COMPANIONS = REPORT_FILES - 1 };
#define ALL_FILES POP_OPTIONS({ "autoReport.all", "true" }, { "autoReport.outputSerializedGraph", "true" })

/* Renames left to do for this program, before it is killed. */
static int renames_left = -1;
int rename(const char *from, const char *to)
{
    if (renames_left == 0)
        raise(SIGKILL);
    renames_left -= renames_left > 0;
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* SQLite's allocations, of which the one that sqlite_left counts down to 0 fails. */
static sqlite3_mem_methods sqlite_memory;
static int sqlite_left = -1;
static bool sqlite_fails(void)
{
    sqlite_left -= sqlite_left >= 0;
    return sqlite_left == 0;
}
static void *sqlite_malloc(int bytes)
{
    return sqlite_fails() ? NULL : sqlite_memory.xMalloc(bytes);
}
static void *sqlite_realloc(void *block, int bytes)
{
    return sqlite_fails() ? NULL : sqlite_memory.xRealloc(block, bytes);
}

static char *path_of(const struct fixture *f, const char *name)
{
    static char path[512];
    snprintf(path, sizeof(path), "%s/%s", f->directory, name);
    return path;
}

/* Writes all files of a report, of a program that runs. */
static void make_report(struct fixture *f, pop_options options)
{
    pop_engine *engine = start(f, NULL, options);
    run(engine, "run");
    pop_engine_destroy(engine);
}

/* The id of profile.pop; "" if there is none. */
static void id_of_profile(const struct fixture *f, char id[REPORT_ID_SIZE])
{
    *id = '\0';
    if (!exists(f, "profile.pop"))
        return;
    sqlite3 *db = profile(f, "");
    char *text = sql_text(db, "SELECT value FROM info WHERE name = 'id'");
    snprintf(id, REPORT_ID_SIZE, "%s", text ? text : "");
    free(text);
    sqlite3_close(db);
}

/* Every file that profile.pop lists is there, whole and of its id: under its name, or under the temporary one. */
static void expect_one_report(const struct fixture *f)
{
    char id[REPORT_ID_SIZE], own[REPORT_ID_SIZE], sql[128];
    id_of_profile(f, id);
    assert_int_equal(strlen(id), REPORT_ID_SIZE - 1);
    sqlite3 *db = profile(f, "");
    sql_expect_text(db, "PRAGMA integrity_check", "ok");
    assert_int_equal(sql_number(db, "SELECT compilation FROM format"), 1);
    assert_int_equal(sql_number(db, "SELECT count(*) FROM files"), REPORT_FILES - 1);
    for (int i = REPORT_FILE_DEBUG; i < REPORT_FILES; ++i) {
        char *temporary = report_file_path(f->directory, (enum report_file)i, id),
             *final = report_file_path(f->directory, (enum report_file)i, NULL);
        const char *it = access(temporary, F_OK) == 0 ? temporary : final;
        snprintf(sql, sizeof(sql), "SELECT bytes FROM files WHERE name = '%s'", report_file_name((enum report_file)i));
        if (i == REPORT_FILE_DEBUG) /* of the process: it has other graphs too */
            assert_true((int64_t)report_file_bytes(it) >= sql_number(db, sql));
        else
            assert_int_equal(report_file_bytes(it), sql_number(db, sql));
        report_file_id(it, (enum report_file)i, own);
        char *debug = sql_text(db, "SELECT value FROM info WHERE name = 'debug'");
        assert_string_equal(own, i == REPORT_FILE_GRAPH ? "" : i == REPORT_FILE_DEBUG ? debug : id);
        free(debug);
        free(temporary);
        free(final);
    }
    sqlite3_close(db);
}

static void all_files_have_one_id(void **state)
{
    struct fixture *f = *state;
    char first[REPORT_ID_SIZE], second[REPORT_ID_SIZE];
    make_report(f, ALL_FILES);
    expect_files(f, "", "archive.a debug.cbor profile.pop serialized_graph.json ");
    expect_one_report(f);
    id_of_profile(f, first);
    make_report(f, ALL_FILES);
    expect_one_report(f);
    id_of_profile(f, second);
    assert_string_not_equal(first, second);
}

static bool is_link(const struct fixture *f, const char *name)
{
    char target[64];
    return readlink(path_of(f, name), target, sizeof(target)) > 0;
}

/* The files have their names when compiling returns, and each run is in the report when it returns. */
static void a_report_grows_under_its_name(void **state)
{
    struct fixture *f = *state;
    pop_executable *executable;
    pop_error error = { 0 };
    pop_option list[] = { { "autoReport.directory", f->directory },
                          { "autoReport.all", "true" },
                          { "autoReport.outputSerializedGraph", "true" } };
    must(pop_compile_graph(f->graph, POP_PROGRAMS(f->main), (pop_options){ list, 3 }, NULL, NULL, &executable, &error),
         &error);
    expect_one_report(f);
    pop_engine *engine = pop_engine_create_from(executable, POP_NO_OPTIONS, &error);
    pop_executable_destroy(executable);
    must(pop_engine_connect_stream(engine, "in", f->data, &error), &error);
    must(pop_engine_connect_stream(engine, "out", f->data, &error), &error);
    must(pop_engine_load(engine, f->device, &error), &error);
    for (int i = 0; i < 4; ++i) { /* two are captured */
        sqlite3 *db = profile(f, "");
        assert_int_equal(sql_number(db, "SELECT count(*) FROM runs WHERE steps"), i < 2 ? i : 2);
        assert_int_equal(sql_number(db, "SELECT count(*) FROM execution_cycle_totals"), i > 0);
        assert_int_equal(sql_number(db, "SELECT 2 * compilation + closed FROM format"), 2);
        sqlite3_close(db);
        expect_one_report(f);
        assert_true(is_link(f, "profile.pop"));
        run(engine, "run");
    }
    pop_engine_destroy(engine);
    expect_files(f, "", "archive.a debug.cbor profile.pop serialized_graph.json ");
    assert_false(is_link(f, "profile.pop"));
    expect_one_report(f);
    sqlite3 *db = profile(f, "");
    assert_int_equal(sql_number(db, "SELECT 2 * compilation + closed FROM format"), 3);
    sqlite3_close(db);
}

/* A reader that has the report open, or is in a query, neither holds up the engine nor spoils the file. */
static void a_report_ends_while_it_is_read(void **state)
{
    struct fixture *f = *state;
    for (int busy = 0; busy < 2; ++busy) {
        pop_engine *engine = start(f, NULL, ALL_FILES);
        sqlite3 *db = profile(f, "");
        assert_int_equal(sql_number(db, "SELECT count(*) FROM runs"), 0);
        if (busy)
            assert_int_equal(sqlite3_exec(db, "BEGIN; SELECT * FROM runs", NULL, NULL, NULL), SQLITE_OK);
        run(engine, "read");
        pop_engine_destroy(engine);
        assert_int_equal(is_link(f, "profile.pop"), busy);
        if (busy)
            assert_int_equal(sqlite3_exec(db, "SELECT * FROM runs; COMMIT", NULL, NULL, NULL), SQLITE_OK);
        assert_int_equal(sql_number(db, "SELECT count(*) FROM runs"), 1);
        expect_one_report(f);
        sqlite3_close(db);
        if (!busy)
            expect_files(f, "", "archive.a debug.cbor profile.pop serialized_graph.json ");
    }
}

/* An engine of an executable that was saved and read again continues the report of its compilation; one of another
 * program does not. */
static void an_engine_of_a_read_executable_continues_the_report(void **state)
{
    struct fixture *f = *state;
    pop_executable *executable, *read;
    pop_error error = { 0 };
    pop_option list[] = { { "autoReport.directory", f->directory },
                          { "autoReport.all", "true" },
                          { "autoReport.outputSerializedGraph", "true" } };
    char before[REPORT_ID_SIZE], after[REPORT_ID_SIZE];
    for (int round = 0; round < 3; ++round) {
        must(pop_compile_graph(f->graph, POP_PROGRAMS(f->main), (pop_options){ list, 3 }, NULL, NULL, &executable,
                               &error),
             &error);
        must(pop_executable_save(executable, path_of(f, "x.exe"), &error), &error);
        if (round < 2)
            pop_executable_destroy(executable);
        id_of_profile(f, before);
        if (round == 1) { /* another program's report */
            pop_tensor w = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(2), "w");
            pop_graph_set_tile_mapping(f->graph, w, 1);
            pop_sequence_add(f->main, pop_copy(pop_tensor_at(w, 0), pop_tensor_at(w, 1), false, "more"));
            make_report(f, POP_OPTIONS({ "autoReport.all", "true" }));
        }
        must(pop_executable_load(path_of(f, "x.exe"), &read, &error), &error);
        pop_engine *engine = pop_engine_create_from(read, POP_NO_OPTIONS, &error);
        pop_executable_destroy(read);
        must(pop_engine_connect_stream(engine, "in", f->data, &error), &error);
        must(pop_engine_connect_stream(engine, "out", f->data, &error), &error);
        must(pop_engine_load(engine, f->device, &error), &error);
        run(engine, "cached");
        pop_engine_destroy(engine);
        if (round == 2)
            pop_executable_destroy(executable); /* its report has been replaced */
        id_of_profile(f, after);
        assert_int_equal(strcmp(before, after) == 0, round != 1);
        sqlite3 *db = profile(f, "");
        assert_int_equal(sql_number(db, "SELECT count(*) > 0 FROM vars_info"), round != 1);
        sql_expect_text(db, "SELECT group_concat(name) FROM runs", "cached");
        assert_int_equal(sql_number(db, "SELECT closed FROM format"), 1);
        sqlite3_close(db);
        if (round != 1)
            expect_one_report(f);
        expect_files(
            f, "", round == 1 ? "profile.pop x.exe " : "archive.a debug.cbor profile.pop serialized_graph.json x.exe ");
    }
}

/* The engine is refused, or continues the report; it never begins one that knows less. */
static void an_engine_continues_the_report_or_is_refused_without_memory(void **state)
{
    struct fixture *f = *state;
    pop_executable *executable;
    pop_error error = { 0 };
    pop_option list[] = { { "autoReport.directory", f->directory }, { "autoReport.all", "true" } };
    char before[REPORT_ID_SIZE], after[REPORT_ID_SIZE];
    unsigned refused = 0;
    must(pop_compile_graph(f->graph, POP_PROGRAMS(f->main), (pop_options){ list, 2 }, NULL, NULL, &executable, &error),
         &error);
    must(pop_executable_save(executable, path_of(f, "x.exe"), &error), &error);
    pop_executable_destroy(executable);
    id_of_profile(f, before);
    must(pop_executable_load(path_of(f, "x.exe"), &executable, &error), &error);
    for (int at = 1, step = 229;; at += step) {
        sqlite_left = at;
        pop_engine *engine = pop_engine_create_from(executable, POP_NO_OPTIONS, &error);
        bool failed = sqlite_left <= 0;
        sqlite_left = -1;
        if (!engine)
            assert_non_null(strstr(error.text, "memory"));
        refused += !engine;
        pop_engine_destroy(engine);
        id_of_profile(f, after);
        assert_string_equal(after, before);
        sqlite3 *db = profile(f, "");
        assert_true(sql_number(db, "SELECT count(*) > 0 FROM vars_info"));
        sqlite3_close(db);
        if (!failed)
            break;
    }
    assert_true(refused > 10);
    pop_executable_destroy(executable);
}

static void put_text(const char *path, const char *text)
{
    pop_error error;
    must(file_write(path, text, strlen(text), &error), &error);
}

/* Files of the report before that the new one does not write are deleted; other files are kept. */
static void a_report_replaces_the_previous_one_completely(void **state)
{
    struct fixture *f = *state;
    put_text(path_of(f, "app.json"), "{}");
    make_report(f, ALL_FILES);
    make_report(f, POP_OPTIONS({ "autoReport.outputExecutionProfile", "true" }));
    expect_files(f, "", "app.json profile.pop ");
    make_report(f, ALL_FILES);
    make_report(f, POP_OPTIONS({ "autoReport.outputDebugInfo", "true" }));
    expect_files(f, "", "app.json debug.cbor ");
    make_report(f, POP_OPTIONS({ "autoReport.outputGraphProfile", "true" }, { "autoReport.outputArchive", "true" }));
    put_text(path_of(f, "archive.a"), "!<arch>\n"); /* the user's own file, in the archive's place */
    make_report(f, POP_OPTIONS({ "autoReport.outputGraphProfile", "true" }));
    assert_true(exists(f, "archive.a"));
}

/* Two engines write to one directory: the last to be compiled has all names, whichever ends first. */
static void files_of_two_engines_do_not_mix(void **state)
{
    struct fixture *f = *state;
    for (int round = 0; round < 2; ++round) {
        char last[REPORT_ID_SIZE], id[REPORT_ID_SIZE];
        pop_engine *engines[2] = { start(f, NULL, ALL_FILES), start(f, NULL, ALL_FILES) };
        id_of_profile(f, last);
        for (int i = 0; i < 2; ++i) {
            run(engines[i ^ round], "run");
            pop_engine_destroy(engines[i ^ round]);
            expect_one_report(f);
            id_of_profile(f, id);
            assert_string_equal(id, last);
        }
        expect_files(f, "", "archive.a debug.cbor profile.pop serialized_graph.json ");
    }
}

static void expect_killed(pid_t child)
{
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
}

/* A program that is killed while it runs leaves what was whole: its compilation and the runs that had returned. */
static void a_killed_program_leaves_what_was_whole(void **state)
{
    struct fixture *f = *state;
    char before[REPORT_ID_SIZE], after[REPORT_ID_SIZE];
    make_report(f, ALL_FILES);
    id_of_profile(f, before);
    pid_t child = fork();
    if (!child) {
        run(start(f, NULL, ALL_FILES), "killed");
        raise(SIGKILL);
    }
    expect_killed(child);
    id_of_profile(f, after);
    assert_string_not_equal(before, after);
    expect_one_report(f);
    sqlite3 *db = profile(f, "");
    sql_expect_text(db, "SELECT group_concat(name) FROM runs WHERE steps", "killed");
    sqlite3_close(db);
}

/* Killed before each of the renames: there is one whole report, the old one or the new. */
static void killed_while_it_renames(void **state)
{
    struct fixture *f = *state;
    char before[REPORT_ID_SIZE], after[REPORT_ID_SIZE];
    for (int renames = 0; renames <= REPORT_FILES; ++renames) {
        make_report(f, ALL_FILES);
        id_of_profile(f, before);
        pid_t child = fork();
        if (!child) {
            pop_error error;
            if (renames == REPORT_FILES) { /* the last is that of the profile, when the engine is destroyed */
                pop_engine *engine = start(f, NULL, ALL_FILES);
                renames_left = 0;
                pop_engine_destroy(engine);
            }
            renames_left = COMPANIONS - 1 + renames; /* all but debug.cbor are written beside their temporary name */
            create(f, NULL, ALL_FILES, &error);
            _exit(1);
        }
        expect_killed(child);
        id_of_profile(f, after);
        assert_int_equal(strcmp(before, after) == 0, renames == 0);
        expect_one_report(f);
    }
}

static void remove_temporaries(const struct fixture *f)
{
    struct dirent **list;
    int count = scandir(f->directory, &list, NULL, alphasort);
    for (int i = 0; i < count; ++i) {
        if (strchr(list[i]->d_name, '_') && strncmp(list[i]->d_name, "serialized_graph.json", 22) != 0)
            unlink(path_of(f, list[i]->d_name));
        free(list[i]);
    }
    free(list);
}

/* Two programs write to one directory until they are killed, at any moment. */
static void two_programs_killed_at_any_moment(void **state)
{
    struct fixture *f = *state;
    make_report(f, ALL_FILES);
    for (unsigned round = 0; round < 12; ++round) {
        pid_t children[PROGRAMS];
        for (int i = 0; i < PROGRAMS; ++i)
            if (!(children[i] = fork()))
                for (;;)
                    make_report(f, ALL_FILES);
        struct timespec wait = { 0, 1000000L * (long)(30 + round * round * 11 % 250) };
        nanosleep(&wait, NULL);
        for (int i = 0; i < PROGRAMS; ++i) {
            kill(children[i], SIGKILL);
            expect_killed(children[i]);
        }
        expect_one_report(f);
        make_report(f, ALL_FILES); /* in the state after they were killed */
        remove_temporaries(f);
        expect_one_report(f);
    }
}

int main(void)
{
    sqlite3_mem_methods failing;
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_memory) != SQLITE_OK)
        return EXIT_FAILURE;
    failing = sqlite_memory;
    failing.xMalloc = sqlite_malloc;
    failing.xRealloc = sqlite_realloc;
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &failing) != SQLITE_OK)
        return EXIT_FAILURE;
#define ROW(function) cmocka_unit_test_setup_teardown(function, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        ROW(all_files_have_one_id),
        ROW(a_report_grows_under_its_name),
        ROW(a_report_ends_while_it_is_read),
        ROW(an_engine_of_a_read_executable_continues_the_report),
        ROW(an_engine_continues_the_report_or_is_refused_without_memory),
        ROW(a_report_replaces_the_previous_one_completely),
        ROW(files_of_two_engines_do_not_mix),
        ROW(a_killed_program_leaves_what_was_whole),
        ROW(killed_while_it_renames),
        ROW(two_programs_killed_at_any_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
