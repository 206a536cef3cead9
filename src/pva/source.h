/* SPDX-License-Identifier: Apache-2.0 */
/* An open file: its database, prepared statements, the pages of rows that were read last, and the first failure. */
#ifndef PVA_SOURCE_H
#define PVA_SOURCE_H

#include "base/str.h"

#include <pva/pva.h>
#include <sqlite3.h>

enum table {
#define PVA_TABLE(NAME, file, rows, missing, sql) TABLE_##NAME,
#include "pva/tables.def"
#undef PVA_TABLE
    TABLES
};
enum file_kind { FILE_REPORT, FILE_TRACE };

enum { PAGES = 96, QUERIES = 64, KEPT = 6 };

struct debug_index;
struct source_page;

/* An array of a property, or the keys of a list's elements. */
struct kept {
    pva_object object;
    pva_property property;
    uint64_t *numbers, count, used;
};
struct pva_file {
    enum file_kind kind;
    sqlite3 *db;
    char *path;
    char *directory;    /* of a report */
    struct str warning; /* what of the report is not used, and why */
    sqlite3_stmt *statements[TABLES];
    uint64_t counts[TABLES]; /* 1 + the number of rows; 0: not asked yet */
    struct {
        const char *sql;
        sqlite3_stmt *statement;
    } queries[QUERIES];
    struct source_page *pages[PAGES];
    struct source_page *last[TABLES]; /* the page that was used last */
    uint64_t clock;                   /* of uses of pages */
    bool failed;
    pop_error error;
    uint64_t bytes; /* of the database */
    uint64_t tiles, tiles_per_ipu, ipus;
    struct kept kept[KEPT];          /* arrays that were decoded last */
    struct blobs *categories, *code; /* memory by category, code by vertex type: see memory.c */
    struct debug_index *debug;
    pva_watch *watch; /* of queries in SQL */
    void *watch_context;
};

/* A value of a row.  Text belongs to the page: it is valid until the next row is asked for. */
struct source_cell {
    enum { CELL_NULL, CELL_INTEGER, CELL_REAL, CELL_TEXT } kind;
    int64_t integer;
    double real;
    const char *text;
    size_t length;
};

/* Keeps the first failure. */
void file_fail(pva_file *file, pop_status status, const char *format, ...) POP_PRINTF(3, 4);
/* A row that others refer to is not there. */
void file_fail_missing(pva_file *file, enum table table, uint64_t key);
/* What SQLite says has failed. */
void file_fail_sql(pva_file *file, const char *what);

/* A column of a row; false when there is no such row, which is a failure unless the table may have gaps. */
bool table_cell(pva_file *file, enum table table, uint64_t owner, uint64_t key, int column, struct source_cell *cell);
uint64_t table_uint(pva_file *file, enum table table, uint64_t owner, uint64_t key,
                    int column); /* 0 for what is not there, and for negative numbers */
int64_t table_int(pva_file *file, enum table table, uint64_t owner, uint64_t key, int column);
/* The rows of a table whose keys are 0, 1, ...: one more than the largest key. */
uint64_t table_count(pva_file *file, enum table table);
/* Its statement, to be compiled: all are when a file is opened, so that a file with other columns is refused at once.
 */
bool table_prepare(pva_file *file, enum table table);
void tables_free(pva_file *file);

/* A statement of its own, by the address of its text, with two parameters; NULL on failure.  The caller steps it, and
 * resets it before the next call. */
sqlite3_stmt *query(pva_file *file, const char *sql, uint64_t first, uint64_t second);
/* The first column of its first row; `otherwise` when there is none, or null. */
uint64_t query_uint(pva_file *file, const char *sql, uint64_t first, uint64_t second, uint64_t otherwise);
/* Whether a step gave a row; a failure is kept. */
bool query_step(pva_file *file, sqlite3_stmt *statement);
/* The text in the first column of its first row, which the caller frees; NULL when there is none. */
char *query_text(pva_file *file, const char *sql);
/* A blob of the first row, malloc'ed; NULL and 0 when there is none. */
void *query_blob(pva_file *file, const char *sql, uint64_t first, uint64_t second, size_t *size);
/* Numbers of an array in the first row; zeros when there is none. */
void query_array(pva_file *file, const char *sql, uint64_t first, uint64_t second, uint64_t *numbers, size_t count);

#endif
