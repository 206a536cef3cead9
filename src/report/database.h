/* SPDX-License-Identifier: Apache-2.0 */
/* A report file while it is written: an SQLite database under a temporary name, in WAL mode
 * (docs/reference/report-files.md, Life of a report).
 *
 * The first failure is kept, and later writes are ignored; writers call database_failed at the end. */
#ifndef REPORT_DATABASE_H
#define REPORT_DATABASE_H

#include "value/report_files.h"

#include <poplar/error.h>

#include <stdint.h>

enum report_table {
#define REPORT_TABLE(constant, name, columns) TABLE_##constant,
#include "value/report_tables.def"
#undef REPORT_TABLE
    REPORT_TABLES
};

struct database;

/* Creates a directory and its parents where they do not exist; false: file_load_error. */
bool database_directories(const char *path, pop_error *error);
/* Creates a file with the tables of report_tables.def and begins a transaction. NULL: an error (file_load_error). */
struct database *database_create(const char *path, pop_error *error);
/* Creates a file with the compilation's part of another report, but not its runs. */
struct database *database_continue(const char *path, const char *from, pop_error *error);
/* Reads a text of a report's table info, malloc'ed; NULL: there is none, or no report. */
char *database_info(const char *path, const char *name);
/* Whether the file at path is a report; gives the sizes of the companions that it lists, UINT64_MAX for the others. */
bool database_companions(const char *path, uint64_t bytes[REPORT_FILES]);
/* Adds a row. Each character of columns is a column's type: i int64_t, r double, s const char * (NULL: null), b
 * const void * and size_t (NULL: null), n no argument (null), x an ignored int64_t (null). */
void database_add(struct database *db, enum report_table table, const char *columns, ...);
/* Removes the rows that have the given number in one column and the given text in another. */
void database_remove(struct database *db, enum report_table table, const char *number_column, int64_t number,
                     const char *text_column, const char *text);
/* Appends rows of integers to a table whose first column numbers its rows from 0 without gaps: `columns` values for
 * each row, for the columns in `names` ("a, b"; always the same for a table), without the row number; DATABASE_NULL
 * is null. Row 0 must have been added before. Inserting DATABASE_BATCH rows in one statement costs little more than
 * inserting one. */
enum { DATABASE_BATCH = 32 };
#define DATABASE_NULL INT64_MIN
void database_append(struct database *db, enum report_table table, const char *names, unsigned columns,
                     const int64_t *values, size_t rows);
/* Executes a statement without results. */
void database_do(struct database *db, const char *sql);
/* Commits the transaction and begins another. The file is whole without SQLite's log then, unless somebody reads it. */
void database_commit(struct database *db);
/* Makes the indexes that readers use, and commits. */
void database_publish(struct database *db);
const char *database_path(const struct database *db);
/* True, with the reason in *error, when a write has failed. */
bool database_failed(const struct database *db, pop_error *error);
/* Ends WAL mode, flushes the file to disk and frees db. After a failed write the file has what was last committed, and
 * the failure's text in info; *whole: the file is complete, so that it can have its final name. The first failure is
 * returned. */
pop_status database_finish(struct database *db, bool *whole, pop_error *error);
/* Frees db and removes the file. */
void database_drop(struct database *db);

#endif
