/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a report after faults: out of memory, killed programs, full disks. */
#include "capture.h"

#include "base/file.h"
#include "value/report_files.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* CAP-25, CAP-36: a graph that is out of memory has a report, whose path is in the error. */
static void out_of_memory_leaves_a_report(void **state)
{
    struct fixture *f = *state;
    pop_error error = { 0 };
    pop_tensor large = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(1 << 20), "far too large");
    pop_graph_set_tile_mapping(f->graph, large, 3);
    pop_tensor copy = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(1 << 20), "copy of it");
    pop_graph_set_tile_mapping(f->graph, copy, 4);
    pop_sequence_add(f->main, pop_copy(large, copy, false, "move"));
    assert_null(
        create(f, "big", POP_OPTIONS({ "autoReport.all", "true" }, { "debug.allowOutOfMemory", "false" }), &error));
    assert_int_equal(error.status, POP_GRAPH_MEMORY_ALLOCATION_ERROR);
    if (!strstr(error.text, "Profile saved to: test_capture_") || !strstr(error.text, "/big/profile.pop"))
        fail_msg("%s", error.text);
    sqlite3 *db = profile(f, "big/");
    assert_true(sql_number(db, "SELECT overflowed FROM memory_by_tile WHERE tile = 3") > 0);
    assert_int_equal(sql_number(db, "SELECT value LIKE '%out of memory%' FROM info WHERE name = 'out_of_memory'"), 1);
    assert_int_equal(sql_number(db, "SELECT closed FROM format"), 1);
    sqlite3_close(db);
}

/* A long run is written while it runs. */
static void a_run_in_progress_is_written(void **state)
{
    struct fixture *f = *state;
    pop_tensor a = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(4), "a"),
               b = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(4), "b");
    pop_graph_set_tile_mapping(f->graph, a, 1);
    pop_graph_set_tile_mapping(f->graph, b, 2);
    pop_sequence_add(f->main, pop_repeat(2000000000, pop_copy(a, b, false, "on and on"), "endless"));
    pid_t child = fork();
    if (!child) {
        pop_engine *engine = start(f, NULL, POP_OPTIONS({ "autoReport.outputExecutionProfile", "true" }));
        run(engine, "endless");
        _exit(1);
    }
    for (int i = 0; i < 200; ++i) { /* until there are steps, 20 seconds at most */
        usleep(100000);
        sqlite3 *db = i > 10 ? profile(f, "") : NULL;
        bool some = db && sql_number(db, "SELECT sum(steps) > 1000 FROM runs") == 1;
        sqlite3_close(db);
        if (some)
            break;
    }
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    sqlite3 *db = profile(f, "");
    assert_true(sql_number(db, "SELECT sum(steps) FROM runs") > 1000);
    assert_int_equal(sql_number(db, "SELECT sum(steps) - max((SELECT max(id) + 1 FROM executed_rows), (SELECT "
                                    "max(first_step + steps * times) FROM repeats)) FROM runs"),
                     0);
    sql_expect_text(db, "SELECT name FROM runs", "endless");
    sqlite3_close(db);
}

/* A full disk (here: a limit of file sizes) is an error; the program has run, and the report has what was whole. */
static void a_full_disk_leaves_what_was_whole(void **state)
{
    struct fixture *f = *state;
    pop_engine *engine = start(f, NULL, POP_OPTIONS({ "autoReport.outputExecutionProfile", "true" }));
    run(engine, "before");
    pop_engine_destroy(engine);
    pid_t child = fork();
    if (!child) {
        pop_error error = { 0 };
        signal(SIGXFSZ, SIG_IGN);
        engine = start(f, NULL, POP_OPTIONS({ "autoReport.outputExecutionProfile", "true" }));
        run(engine, "whole");
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 4096, 4096 });
        pop_status status = pop_engine_run_named(engine, 0, "full", &error);
        bool good = status == POP_FILE_LOAD_ERROR && strstr(error.text, "the program ran") && f->data[0] == 0;
        good = good && pop_engine_run(engine, 0, &error) == POP_OK; /* it continues without a report */
        if (!freopen("/dev/null", "w", stderr))
            good = false;
        pop_engine_destroy(engine);
        _exit(good ? 0 : 1);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    sqlite3 *db = profile(f, "");
    sql_expect_text(db, "SELECT group_concat(name) FROM runs", "whole");
    assert_int_equal(sql_number(db, "SELECT compilation FROM format"), 1);
    sqlite3_close(db);
}

/* The bytes of a file, malloc'ed. */
static char *bytes_of(const struct fixture *f, const char *name, size_t *size)
{
    char path[256], *data;
    pop_error error;
    snprintf(path, sizeof(path), "%s/%s", f->directory, name);
    must(file_read(path, &data, size, &error), &error);
    return data;
}

/* The files of a report, with their bytes. */
enum { FILES = 3 };
static const char *const names_of_files[FILES] = { "profile.pop", "debug.cbor", "archive.a" };
struct files {
    char *data[FILES];
    size_t size[FILES];
};
static struct files files_of(const struct fixture *f)
{
    struct files files;
    for (int i = 0; i < FILES; ++i)
        files.data[i] = bytes_of(f, names_of_files[i], &files.size[i]);
    return files;
}
static void free_files(struct files *files)
{
    for (int i = 0; i < FILES; ++i)
        free(files->data[i]);
}
static bool same_file(const struct files *a, const struct files *b, int file)
{
    return a->size[file] == b->size[file] && memcmp(a->data[file], b->data[file], a->size[file]) == 0;
}

/* For every point at which the disk becomes full: an error, and either all files are old or all are complete new ones.
 */
static void a_disk_that_becomes_full_at_any_point(void **state)
{
    struct fixture *f = *state;
    pop_engine *engine = start(f, NULL, POP_OPTIONS({ "autoReport.all", "true" }));
    run(engine, "before");
    pop_engine_destroy(engine);
    struct files before = files_of(f);
    static const rlim_t limits[] = { 0, 100, 1000, 4096, 10000, 20000, 40000, 80000, 120000, 160000, 320000 };
    bool failed = false;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); ++i) {
        pid_t child = fork();
        if (!child) {
            pop_error error = { 0 };
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &(struct rlimit){ limits[i], limits[i] });
            engine = create(f, NULL, POP_OPTIONS({ "autoReport.all", "true" }), &error);
            if (!engine)
                _exit(error.status == POP_FILE_LOAD_ERROR && *error.text ? 1 : 2);
            pop_engine_destroy(engine);
            _exit(0);
        }
        int how;
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFEXITED(how) && WEXITSTATUS(how) < 2);
        failed |= WEXITSTATUS(how) == 1;
        struct files after = files_of(f);
        bool same = same_file(&before, &after, 0);
        assert_true(same || WEXITSTATUS(how) == 0);
        for (int file = 1; file < FILES; ++file)
            assert_int_equal(same_file(&before, &after, file), same);
        pop_profile_value contexts;
        must(pop_profile_read_cbor(after.data[1], after.size[1], &contexts, &(pop_error){ 0 }), &(pop_error){ 0 });
        assert_true(pop_profile_size(pop_profile_get(&contexts, "contexts")) > 0);
        pop_profile_free(&contexts);
        free_files(&before);
        before = after;
        sqlite3 *db = profile(f, "");
        sql_expect_text(db, "PRAGMA integrity_check", "ok");
        assert_int_equal(sql_number(db, "SELECT closed FROM format"), 1);
        sqlite3_close(db);
    }
    assert_true(failed);
    free_files(&before);
}

/* Killed at any moment: files with final names are complete, temporary ones are readable. */
static void killed_at_any_moment(void **state)
{
    struct fixture *f = *state;
    unsigned whole = 0;
    pop_engine *before =
        start(f, NULL, POP_OPTIONS({ "autoReport.all", "true" })); /* files that later programs replace */
    run(before, "run");
    pop_engine_destroy(before);
    for (unsigned round = 0; round < 24; ++round) {
        pid_t child = fork();
        if (!child) {
            for (;;) {
                pop_engine *engine = start(f, NULL, POP_OPTIONS({ "autoReport.all", "true" }));
                run(engine, "run");
                pop_engine_destroy(engine);
            }
        }
        struct timespec wait = { 0, 1000000L * (long)(1 + round * round * 7 % 200) };
        nanosleep(&wait, NULL);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        struct dirent **list;
        char linked_id[REPORT_ID_SIZE];
        report_linked(f->directory, linked_id);
        int count = scandir(f->directory, &list, NULL, alphasort);
        for (int i = 0; i < count; ++i) {
            const char *name = list[i]->d_name, *end = strrchr(name, '.');
            char path[512];
            snprintf(path, sizeof(path), "%s/%s", f->directory, name);
            if (end && !strcmp(end, ".pop")) {
                struct stat facts;
                bool final = !strcmp(name, "profile.pop"), linked = strstr(name, linked_id) && *linked_id;
                if (stat(path, &facts) == 0 && facts.st_size) { /* an empty file has not been started */
                    sqlite3 *db = sql_open(path);
                    sql_expect_text(db, "PRAGMA integrity_check", "ok");
                    if (final)
                        assert_int_equal(sql_number(db, "SELECT compilation FROM format"), 1);
                    whole += final;
                    sqlite3_close(db);
                }
                if (!final && !linked)
                    unlink(path);
            }
            free(list[i]);
        }
        free(list);
    }
    assert_int_equal(whole, 24);
}

/* Output of a program while an engine is destroyed. */
static char *output_at_the_end(pop_engine *engine, char *text, size_t size)
{
    char path[] = "said_XXXXXX";
    int file = mkstemp(path), before = dup(STDERR_FILENO);
    fflush(stderr);
    dup2(file, STDERR_FILENO);
    pop_engine_destroy(engine);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    ssize_t got = pread(file, text, size - 1, 0);
    text[got > 0 ? got : 0] = 0;
    close(before);
    close(file);
    unlink(path);
    return text;
}

static void expect_removed(const struct fixture *f, const char *text)
{
    if (!strstr(text, "was removed or moved while it was written") || !strstr(text, f->directory) ||
        !strstr(text, "autoReport.directory") || strstr(text, "readonly"))
        fail_msg("%s", text);
}

/* A directory that is removed, or moved, while its report is written: an error of its own, not one of SQLite. */
static void a_directory_that_is_removed(void **state)
{
    struct fixture *f = *state;
    char text[4096], moved[64];
    snprintf(moved, sizeof(moved), "%s.moved", f->directory);
    for (int round = 0; round < 4; ++round) {
        pop_error error = { 0 };
        pop_engine *engine = start(f, NULL, POP_OPTIONS({ "autoReport.outputExecutionProfile", "true" }));
        if (round % 2)
            run(engine, "before");
        if (round < 2)
            remove_tree(f->directory);
        else
            assert_int_equal(rename(f->directory, moved), 0);
        if (round == 3)
            assert_int_equal(mkdir(f->directory, 0777), 0); /* a new directory of this name does not help */
        if (round) {
            assert_int_equal(pop_engine_run_named(engine, 0, "after", &error), POP_FILE_LOAD_ERROR);
            expect_removed(f, error.text);
            must(pop_engine_run(engine, 0, &error), &error); /* it continues without a report */
        }
        expect_removed(f, output_at_the_end(engine, text, sizeof(text)));
        remove_tree(moved);
    }
}

/* A directory that cannot be created is an error of compiling. */
static void a_directory_that_cannot_be_made(void **state)
{
    struct fixture *f = *state;
    char path[64];
    pop_error error = { 0 };
    snprintf(path, sizeof(path), "%s/file", f->directory);
    FILE *file = fopen(path, "we");
    fclose(file);
    assert_null(create(f, "file/below", POP_OPTIONS({ "autoReport.all", "true" }), &error));
    assert_int_equal(error.status, POP_FILE_LOAD_ERROR);
    assert_non_null(strstr(error.text, "/file/below"));
}

int main(void)
{
#define ROW(function) cmocka_unit_test_setup_teardown(function, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        ROW(out_of_memory_leaves_a_report),
        ROW(a_run_in_progress_is_written),
        ROW(a_full_disk_leaves_what_was_whole),
        ROW(a_disk_that_becomes_full_at_any_point),
        ROW(killed_at_any_moment),
        ROW(a_directory_that_cannot_be_made),
        ROW(a_directory_that_is_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
