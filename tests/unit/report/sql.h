/* SPDX-License-Identifier: Apache-2.0 */
/* Report files as tests read them: with the system's SQLite, and arrays decoded as documented in docs/. */
#ifndef TEST_REPORT_SQL_H
#define TEST_REPORT_SQL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sqlite3.h>

static inline sqlite3 *sql_open(const char *path)
{
    sqlite3 *db;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        fail_msg("%s: %s", path, sqlite3_errmsg(db));
    return db;
}

static inline sqlite3_stmt *sql_query(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    return statement;
}

/* The first column of the first row; -1 without rows. */
static inline int64_t sql_number(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = sql_query(db, sql);
    int64_t value = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
    sqlite3_finalize(statement);
    return value;
}

/* The same as a text, malloc'ed; NULL without rows. */
static inline char *sql_text(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = sql_query(db, sql);
    const char *value = sqlite3_step(statement) == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    char *copy = value ? strdup(value) : NULL;
    sqlite3_finalize(statement);
    return copy;
}

static inline void sql_expect_text(sqlite3 *db, const char *sql, const char *expected)
{
    char *text = sql_text(db, sql);
    if (!text || strcmp(text, expected))
        fail_msg("%s: '%s', not '%s'", sql, text ? text : "(no row)", expected);
    free(text);
}

static inline uint64_t sql_leb(const unsigned char **at, const unsigned char *end)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        assert_true(*at < end);
        value |= (uint64_t)(**at & 0x7f) << shift;
        if (!(*(*at)++ & 0x80))
            return value;
    }
}

/* Elements of an array; those beyond its end are 0. */
static inline void sql_unfold(const unsigned char *data, size_t bytes, uint64_t *values, size_t count)
{
    const unsigned char *end = data + bytes;
    size_t at = 0;
    uint64_t last = 0;
    memset(values, 0, count * sizeof(*values));
    while (data < end) {
        uint64_t token = sql_leb(&data, end), elements = token >> 1;
        for (uint64_t i = 0; i < elements; ++i) {
            if (!i || token & 1) {
                uint64_t difference = sql_leb(&data, end);
                last += difference >> 1 ^ (uint64_t) - (int64_t)(difference & 1);
            }
            assert_true(at < count);
            values[at++] = last;
        }
    }
}

/* The blob in a column of the statement's current row. */
static inline void sql_column_array(sqlite3_stmt *statement, int column, uint64_t *values, size_t count)
{
    const unsigned char *data = sqlite3_column_blob(statement, column);
    sql_unfold(data, (size_t)sqlite3_column_bytes(statement, column), values, count);
}

/* The blob of the first column of the first row. */
static inline void sql_array(sqlite3 *db, const char *sql, uint64_t *values, size_t count)
{
    sqlite3_stmt *statement = sql_query(db, sql);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    sql_column_array(statement, 0, values, count);
    sqlite3_finalize(statement);
}

#endif
