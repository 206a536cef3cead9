/* SPDX-License-Identifier: Apache-2.0 */
/* debug.cbor of a process: one file in autoReport.directory until the process exits, links in the directories of its
 * engines, and no loss when another process takes the directory. */
#include "capture.h"

#include "base/file.h"
#include "value/report_files.h"

#include <poplar/debug.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALL POP_OPTIONS({ "autoReport.all", "true" })

static char *path_of(const struct fixture *f, const char *name)
{
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", f->directory, name);
    return path;
}

static void context(const char *name)
{
    pop_debug_write(&(pop_debug_record){ .id = pop_debug_new_id(), .layer = "framework", .name = name });
}

static unsigned times_in_file(const char *path, const char *text)
{
    char *data;
    size_t size;
    unsigned times = 0;
    assert_int_equal(file_read(path, &data, &size, NULL), POP_OK);
    for (char *at = data; (at = memmem(at, size - (size_t)(at - data), text, strlen(text))); ++at)
        ++times;
    free(data);
    return times;
}

static void expect_target(const struct fixture *f, const char *name, const char *expected)
{
    char target[256] = "";
    assert_true(readlink(path_of(f, name), target, sizeof(target) - 1) < (ssize_t)sizeof(target));
    assert_string_equal(target, expected);
}

/* The report in a directory owns the debug.cbor beside it, whether link or not, which has a framework's context. */
static void expect_own(const struct fixture *f, const char *below, const char *text)
{
    char id[REPORT_ID_SIZE], name[256];
    sqlite3 *db = profile(f, below);
    char *own = sql_text(db, "SELECT value FROM info WHERE name = 'debug'");
    snprintf(name, sizeof(name), "%sdebug.cbor", below);
    report_file_id(path_of(f, name), REPORT_FILE_DEBUG, id);
    assert_string_equal(id, own);
    assert_true((int64_t)report_file_bytes(path_of(f, name)) >=
                sql_number(db, "SELECT bytes FROM files WHERE name = 'debug.cbor'"));
    assert_int_equal(times_in_file(path_of(f, name), text), 1);
    free(own);
    sqlite3_close(db);
}

/* Runs a function in a process of its own, which exits as programs do. */
static void in_child(struct fixture *f, void (*what)(struct fixture *f))
{
    int how;
    pid_t child = fork();
    if (!child) {
        what(f);
        exit(0);
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
}

static void two_engines(struct fixture *f)
{
    context("early");
    pop_engine *training = start(f, "training", ALL);
    context("between");
    pop_engine *inference = start(f, "sub/inference", ALL);
    pop_engine_destroy(training);
    pop_engine_destroy(inference);
    context("late");
}

/* Contexts that end before the first engine, between engines and after the last are in the one file, once. */
static void engines_of_a_process_share_one_file(void **state)
{
    struct fixture *f = *state;
    struct stat facts;
    in_child(f, two_engines);
    expect_files(f, "", "debug.cbor sub training ");
    expect_files(f, "training", "archive.a debug.cbor profile.pop ");
    assert_true(lstat(path_of(f, "debug.cbor"), &facts) == 0 && S_ISREG(facts.st_mode));
    expect_target(f, "training/debug.cbor", "../debug.cbor");
    expect_target(f, "sub/inference/debug.cbor", "../../debug.cbor");
    static const char *const names[] = { "early", "between", "late" };
    for (size_t i = 0; i < 3; ++i) {
        expect_own(f, "training/", names[i]);
        expect_own(f, "sub/inference/", names[i]);
    }
}

static void another_engine(struct fixture *f)
{
    context("other");
    pop_engine_destroy(start(f, "other", ALL));
}

/* A later process has the name in the directory; the reports before keep their contexts. */
static void a_later_process_takes_nothing_away(void **state)
{
    struct fixture *f = *state;
    in_child(f, two_engines);
    in_child(f, another_engine);
    expect_files(f, "", "debug.cbor other sub training ");
    expect_own(f, "training/", "late");
    expect_own(f, "sub/inference/", "late");
    expect_own(f, "other/", "other");
    expect_target(f, "other/debug.cbor", "../debug.cbor");
    assert_int_equal(times_in_file(path_of(f, "other/debug.cbor"), "late"), 0);
}

static void unnamed_engine(struct fixture *f)
{
    context("unnamed");
    pop_engine_destroy(start(f, NULL, ALL));
}

static void unnamed_without(struct fixture *f)
{
    pop_engine_destroy(start(f, NULL, POP_OPTIONS({ "autoReport.outputGraphProfile", "true" })));
}

/* The report of an engine without a name is beside the file; a report without debug contexts replaces it, and named
 * engines keep theirs. */
static void a_report_in_the_directory_itself(void **state)
{
    struct fixture *f = *state;
    in_child(f, two_engines);
    in_child(f, unnamed_engine);
    expect_files(f, "", "archive.a debug.cbor profile.pop sub training ");
    expect_own(f, "", "unnamed");
    expect_own(f, "training/", "late");
    in_child(f, two_engines); /* links again, to a file that is theirs */
    in_child(f, unnamed_engine);
    in_child(f, unnamed_without);
    expect_files(f, "", "profile.pop sub training ");
    expect_own(f, "training/", "late");
}

/* Two processes that take turns in a directory: each report has its own contexts, those of its process before too. */
static void processes_take_turns(void **state)
{
    struct fixture *f = *state;
    int turn[2], how;
    assert_int_equal(pipe(turn), 0);
    pid_t child = fork(); /* before the first engine: a process with threads must not fork and go on */
    if (!child) {
        char c;
        if (read(turn[0], &c, 1) == 1)
            unnamed_engine(f);
        exit(0);
    }
    context("first of ours");
    pop_engine *engine = start(f, "a", ALL);
    assert_int_equal(write(turn[1], "x", 1), 1);
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
    close(turn[0]);
    close(turn[1]);
    expect_own(f, "", "unnamed");
    expect_own(f, "a/", "first of ours");
    pop_engine *second = start(f, NULL, ALL);
    context("second of ours");
    pop_engine_destroy(second);
    pop_engine_destroy(engine);
    expect_own(f, "", "second of ours");
    expect_own(f, "a/", "second of ours"); /* its file lost its name in the directory, and no context */
}

/* A process with more contexts than are kept for later files loses none in a file that is there. */
static void a_file_has_all_contexts(void **state)
{
    struct fixture *f = *state;
    enum { MANY = 70000 };
    pop_engine_destroy(start(f, "many", ALL));
    for (unsigned i = 0; i < MANY; ++i)
        context(i == 0 ? "the first of many" : i == MANY - 1 ? "the last of many" : "one of many");
    pop_engine_destroy(start(f, "more", ALL));
    expect_own(f, "many/", "the first of many");
    expect_own(f, "many/", "the last of many");
    char *data;
    size_t size, count = 0;
    assert_int_equal(file_read(path_of(f, "debug.cbor"), &data, &size, NULL), POP_OK);
    for (char *at = data; (at = memmem(at, size - (size_t)(at - data), "framework", 9)); ++at)
        ++count;
    free(data);
    assert_true(count >= MANY);
}

static void load_and_run(struct fixture *f)
{
    pop_executable *executable;
    pop_error error = { 0 };
    must(pop_executable_load(path_of(f, "saved"), &executable, &error), &error);
    pop_engine *engine = pop_engine_create_from(executable, POP_NO_OPTIONS, &error);
    pop_executable_destroy(executable);
    must(pop_engine_connect_stream(engine, "in", f->data, &error), &error);
    must(pop_engine_connect_stream(engine, "out", f->data, &error), &error);
    must(pop_engine_load(engine, f->device, &error), &error);
    run(engine, "cached");
    pop_engine_destroy(engine);
}

static void compile_and_save(struct fixture *f)
{
    pop_executable *executable;
    pop_error error = { 0 };
    pop_option list[] = { { "autoReport.directory", f->directory }, { "autoReport.all", "true" } };
    context("of the compilation");
    must(pop_compile_graph_named(f->graph, POP_PROGRAMS(f->main), (pop_options){ list, 2 }, NULL, NULL, "cached",
                                 &executable, &error),
         &error);
    must(pop_executable_save(executable, path_of(f, "saved"), &error), &error);
    pop_executable_destroy(executable);
}

/* An executable that is loaded, in the process that compiled it or another, keeps debug.cbor and archive.a, also when
 * other graphs are compiled in between. */
static void a_loaded_executable_keeps_the_contexts(void **state)
{
    struct fixture *f = *state;
    for (int round = 0; round < 2; ++round) {
        if (round)
            compile_and_save(f);
        else
            in_child(f, compile_and_save);
        in_child(f, another_engine);
        if (round)
            load_and_run(f);
        else
            in_child(f, load_and_run);
        expect_files(f, "cached", "archive.a debug.cbor profile.pop ");
        expect_own(f, "cached/", "of the compilation");
        sqlite3 *db = profile(f, "cached/");
        sql_expect_text(db, "SELECT group_concat(name) FROM runs", "cached");
        sqlite3_close(db);
    }
}

/* A directory that was removed and made again has a file of its own. */
static void a_directory_is_made_again(void **state)
{
    struct fixture *f = *state;
    for (int round = 0; round < 3; ++round) {
        pop_engine *engine = start(f, "again", ALL);
        if (round == 1)
            remove_tree(f->directory);
        pop_engine_destroy(engine);
    }
    sqlite3 *db = profile(f, "again/");
    sqlite3_close(db);
    expect_target(f, "again/debug.cbor", "../debug.cbor");
    assert_true(report_file_bytes(path_of(f, "again/debug.cbor")) < 1 << 20);
}

int main(void)
{
#define ROW(function) cmocka_unit_test_setup_teardown(function, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        ROW(engines_of_a_process_share_one_file),
        ROW(a_later_process_takes_nothing_away),
        ROW(a_report_in_the_directory_itself),
        ROW(processes_take_turns),
        ROW(a_file_has_all_contexts),
        ROW(a_loaded_executable_keeps_the_contexts),
        ROW(a_directory_is_made_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
