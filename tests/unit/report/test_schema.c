/* SPDX-License-Identifier: Apache-2.0 */
/* The documented schema matches written files: tables, columns, views and indexes, and the queries of the page run. */
#include "sql.h"

#include "report/database.h"

#include <unistd.h>

/* Runs the page's blocks of SQL. */
static sqlite3 *page_schema(void)
{
    FILE *file = fopen(SOURCE_DIR "/docs/reference/report-files.md", "re");
    assert_non_null(file);
    char *page = NULL;
    size_t size = 0;
    assert_true(getdelim(&page, &size, EOF, file) > 0);
    fclose(file);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    for (char *block = page; (block = strstr(block, "```sql\n"));) {
        block += 7;
        char *end = strstr(block, "```"), *error = NULL;
        *end = 0;
        if (sqlite3_exec(db, block, NULL, NULL, &error) != SQLITE_OK)
            fail_msg("%s\n%s", error, block);
        block = end + 1;
    }
    free(page);
    return db;
}

/* All objects of a database, one line for each column, sorted by name. */
static char *columns_of(sqlite3 *db)
{
    return sql_text(db, "SELECT group_concat(line, char(10)) FROM (SELECT m.type || ' ' || m.name || ' ' || "
                        "ifnull(c.cid || ' ' || c.name || ' ' || "
                        "c.type || ' ' || c.pk, '') AS line FROM sqlite_schema m LEFT JOIN pragma_table_xinfo(m.name) "
                        "c WHERE m.name NOT LIKE "
                        "'sqlite_%' ORDER BY m.type, m.name, c.cid)");
}

static void the_page_is_up_to_date(void **state)
{
    (void)state;
    char directory[] = "test_schema_XXXXXX", path[64];
    pop_error error = { 0 };
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof(path), "%s/profile.pop", directory);
    struct database *written = database_create(path, &error);
    if (written)
        database_publish(written);
    if (!written || database_finish(written, &(bool){ false }, &error) != POP_OK)
        fail_msg("%s", error.text);
    sqlite3 *file = sql_open(path), *page = page_schema();
    char *seen = columns_of(file), *expected = columns_of(page);
    assert_string_equal(seen, expected);
    assert_non_null(strstr(seen, "table programs 0 id INTEGER 1"));
    free(seen);
    free(expected);
    sql_expect_text(file, "PRAGMA integrity_check", "ok");
    sql_expect_text(file, "PRAGMA journal_mode", "delete");
    sqlite3_close(file);
    sqlite3_close(page);
    unlink(path);
    assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_page_is_up_to_date) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
