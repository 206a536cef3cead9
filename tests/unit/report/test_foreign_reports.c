/* SPDX-License-Identifier: Apache-2.0 */
/* Engines report to directories in which others have put files: what is at the names of reports neither blocks nor has
 * effects. */
#include "capture.h"

#include "value/report_open.h"

#include <sys/stat.h>

#define ALL POP_OPTIONS({ "autoReport.all", "true" })

static char *path_of(const struct fixture *f, const char *name)
{
    static char path[512];
    snprintf(path, sizeof(path), "%s/%s", f->directory, name);
    return path;
}

static void expect_report(const struct fixture *f)
{
    sqlite3 *db = profile(f, "");
    assert_int_equal(sql_number(db, "SELECT compilation + closed FROM format"), 2);
    sqlite3_close(db);
}

/* To open a FIFO waits for its writer. SQLite opens the files beside a database too. */
static void a_fifo_is_replaced(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = { "profile.pop", "debug.cbor", "archive.a", "profile.pop-wal" };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        alarm(100);
        if (i == 3)
            pop_engine_destroy(start(f, NULL, ALL)); /* the log of a database that is there */
        assert_int_equal(mkfifo(path_of(f, names[i]), 0600), 0);
        pop_engine_destroy(start(f, NULL, ALL));
        alarm(0);
        remove(path_of(f, "profile.pop-wal"));
        expect_report(f);
        assert_int_equal(remove(path_of(f, "profile.pop")), 0);
        assert_int_equal(remove(path_of(f, "debug.cbor")), 0);
        assert_int_equal(remove(path_of(f, "archive.a")), 0);
    }
}

/* A file may become a FIFO after it was looked at. */
static void a_fifo_is_opened_without_waiting(void **state)
{
    struct fixture *f = *state;
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    assert_int_equal(mkfifo(path_of(f, "profile.pop"), 0600), 0);
    alarm(100);
    if (report_open_readonly(path_of(f, "profile.pop"), 0, &db) == SQLITE_OK)
        sqlite3_prepare_v2(db, "SELECT name FROM sqlite_master", -1, &statement, NULL);
    assert_int_not_equal(sqlite3_step(statement), SQLITE_ROW);
    alarm(0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    assert_int_equal(remove(path_of(f, "profile.pop")), 0);
}

static void execute(const struct fixture *f, const char *sql)
{
    sqlite3 *db = NULL;
    char *error = NULL;
    assert_int_equal(sqlite3_open(path_of(f, "profile.pop"), &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s", error);
    sqlite3_close(db);
}

static void run_saved(struct fixture *f)
{
    pop_executable *executable;
    pop_error error = { 0 };
    must(pop_executable_load(path_of(f, "saved"), &executable, &error), &error);
    pop_engine *engine = pop_engine_create_from(executable, POP_NO_OPTIONS, &error);
    assert_non_null(engine);
    pop_executable_destroy(executable);
    pop_engine_destroy(engine);
}

/* The report of a saved executable is continued only if it has nothing that runs when its tables are written. */
static void a_report_with_triggers_is_not_continued(void **state)
{
    struct fixture *f = *state;
    static const char *const hostile[] = {
        "CREATE TRIGGER t AFTER DELETE ON options BEGIN UPDATE info SET value = 'changed' WHERE name = 'id'; END",
        "ALTER TABLE info RENAME TO others; CREATE VIEW info AS SELECT name, value FROM others",
        "ALTER TABLE runs ADD COLUMN more AS (zeroblob(1000000000))",
    };
    for (size_t i = 0; i <= sizeof(hostile) / sizeof(hostile[0]); ++i) {
        pop_executable *executable;
        pop_error error = { 0 };
        pop_option list[] = { { "autoReport.directory", f->directory }, { "autoReport.all", "true" } };
        must(pop_compile_graph(f->graph, POP_PROGRAMS(f->main), (pop_options){ list, 2 }, NULL, NULL, &executable,
                               &error),
             &error);
        must(pop_executable_save(executable, path_of(f, "saved"), &error), &error);
        pop_executable_destroy(executable);
        execute(f, "UPDATE info SET value = '0123456789abcdef' WHERE name = 'id'");
        if (i)
            execute(f, hostile[i - 1]);
        run_saved(f);
        expect_report(f);
        sqlite3 *db = profile(f, "");
        char *id = sql_text(db, "SELECT value FROM info WHERE name = 'id'");
        assert_int_equal(strcmp(id, "0123456789abcdef") == 0, i == 0); /* without the trigger it is continued */
        assert_string_not_equal(id, "changed");
        free(id);
        sqlite3_close(db);
    }
}

/* Of version 1.1: executed is a table. */
static void a_report_of_an_earlier_version_is_continued(void **state)
{
    struct fixture *f = *state;
    pop_executable *executable;
    pop_error error = { 0 };
    pop_option list[] = { { "autoReport.directory", f->directory }, { "autoReport.all", "true" } };
    must(pop_compile_graph(f->graph, POP_PROGRAMS(f->main), (pop_options){ list, 2 }, NULL, NULL, &executable, &error),
         &error);
    must(pop_executable_save(executable, path_of(f, "saved"), &error), &error);
    pop_executable_destroy(executable);
    execute(f, "DROP VIEW executed; DROP TABLE executed_rows; DROP TABLE repeats; UPDATE format SET minor = 1; CREATE "
               "TABLE executed(id INTEGER PRIMARY KEY, run INTEGER, program INTEGER, pattern INTEGER, drift INTEGER, "
               "base INTEGER); INSERT INTO executed VALUES(0, 0, 0, 0, 0, 0); UPDATE info SET value = "
               "'0123456789abcdef' WHERE name = 'id'");
    run_saved(f);
    expect_report(f);
    sqlite3 *db = profile(f, "");
    sql_expect_text(db, "SELECT value FROM info WHERE name = 'id'", "0123456789abcdef");
    sql_expect_text(db, "SELECT type FROM sqlite_master WHERE name = 'executed'", "view");
    assert_int_equal(sql_number(db, "SELECT minor FROM format"), 2);
    assert_int_equal(sql_number(db, "SELECT count(*) FROM executed"), 0);
    sqlite3_close(db);
}

int main(void)
{
#define ROW(function) cmocka_unit_test_setup_teardown(function, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        ROW(a_fifo_is_replaced),
        ROW(a_fifo_is_opened_without_waiting),
        ROW(a_report_with_triggers_is_not_continued),
        ROW(a_report_of_an_earlier_version_is_continued),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
