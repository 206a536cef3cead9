/* SPDX-License-Identifier: Apache-2.0 */
/* A report file while it is written: an SQLite database under a temporary name, in WAL mode
 * (docs/reference/report-files.md, Life of a report).
 *
 * The first failure is kept and nothing is written after it; writers ask database_failed at the end. */
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

/* Makes a directory, and those on the way to it, where they do not exist; false: file_load_error. */
bool database_directories(const char *path, pop_error *error);
/* Makes the file of a path with the tables of report_tables.def, in a transaction.  NULL: an error (file_load_error).
 */
struct database *database_create(const char *path, pop_error *error);
/* Whether the file of a path is a report, and the sizes of the companions that it lists; UINT64_MAX where it lists
 * none. */
bool database_companions(const char *path, uint64_t bytes[REPORT_FILES]);
/* A row.  Each character of columns is a column's type: i int64_t, r double, s const char * (NULL: null), b const void
 * * and size_t (NULL: null), n nothing (null), x an int64_t that is left out (null). */
void database_add(struct database *db, enum report_table table, const char *columns, ...);
/* Removes the rows that have this number in one column and this text in another. */
void database_remove(struct database *db, enum report_table table, const char *number_column, int64_t number,
                     const char *text_column, const char *text);
/* Appends rows of integers to a table whose first column numbers its rows from 0 without a gap: `columns` values for
 * each, those named in `names` ("a, b"; always the same for a table), without the number; DATABASE_NULL is null.  The
 * first row, 0, must have been added before.  A statement of DATABASE_BATCH rows costs little more than one of a single
 * row. */
enum { DATABASE_BATCH = 32 };
#define DATABASE_NULL INT64_MIN
void database_append(struct database *db, enum report_table table, const char *names, unsigned columns,
                     const int64_t *values, size_t rows);
/* A statement without results. */
void database_do(struct database *db, const char *sql);
/* Ends the transaction and begins one. */
void database_commit(struct database *db);
const char *database_path(const struct database *db);
/* True when something could not be written: the error says what. */
bool database_failed(const struct database *db, pop_error *error);
/* Takes the file back from WAL mode, puts it on the disk, and frees db.  After a failure the file stays, as far as it
 * was written. */
pop_status database_finish(struct database *db, pop_error *error);
/* Frees db; the file is removed. */
void database_drop(struct database *db);

#endif
