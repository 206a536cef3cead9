/* SPDX-License-Identifier: Apache-2.0 */
/* An open file: its database, prepared statements, cached pages of rows, and the first failure. */
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

enum { PAGES = 96, QUERIES = 64, RECENT_REPORTS = 6 };

struct debug_index;
struct source_page;
struct repeats;

/* A decoded array of a property, or the keys of a list's elements. */
struct kept {
    pva_object object;
    pva_property property;
    uint64_t *numbers, count, used;
};
struct pva_file {
    enum file_kind kind;
    sqlite3 *db;
    char *path;
    char *directory;    /* directory of the report */
    struct str warning; /* parts of the report that are not used, and why */
    sqlite3_stmt *statements[TABLES];
    uint64_t counts[TABLES]; /* 1 + the number of rows; 0: not counted yet */
    struct {
        const char *sql;
        sqlite3_stmt *statement;
    } queries[QUERIES];
    struct source_page *pages[PAGES];
    struct source_page *last[TABLES]; /* last used page of each table */
    uint64_t clock;                   /* counts uses of pages */
    bool failed;
    pop_error error;
    uint64_t bytes; /* size of the database */
    uint64_t tiles, tiles_per_ipu, ipus;
    struct kept kept[RECENT_REPORTS]; /* recently decoded arrays */
    struct blobs *categories, *code;  /* memory by category, code by vertex type: see memory.c */
    struct debug_index *debug;
    struct repeats *repeats; /* NULL: not read yet */
    pva_watch *watch;        /* called during queries in SQL */
    void *watch_context;
};

/* A value of a row. Its text belongs to the page and is valid until the next row is read. */
struct source_cell {
    enum { CELL_NULL, CELL_INTEGER, CELL_REAL, CELL_TEXT } kind;
    int64_t integer;
    double real;
    const char *text;
    size_t length;
};

/* Records a failure; only the first is kept. */
void file_fail(pva_file *file, pop_status status, const char *format, ...) POP_PRINTF(3, 4);
/* Records a failure: a row that others refer to is missing. */
void file_fail_missing(pva_file *file, enum table table, uint64_t key);
/* Records SQLite's current error as a failure. */
void file_fail_sql(pva_file *file, const char *what);

/* Reads a column of a row; false when the row is missing, which is a failure unless the table may have gaps. */
bool table_cell(pva_file *file, enum table table, uint64_t owner, uint64_t key, int column, struct source_cell *cell);
uint64_t table_uint(pva_file *file, enum table table, uint64_t owner, uint64_t key,
                    int column); /* 0 for missing rows and negative numbers */
int64_t table_int(pva_file *file, enum table table, uint64_t owner, uint64_t key, int column);
/* The number of rows of a table whose keys are 0, 1, ...: the largest key plus one. */
uint64_t table_count(pva_file *file, enum table table);
/* Prepares the table's statement. All are prepared when a file is opened, so that a file with other columns is
 * refused at once. */
bool table_prepare(pva_file *file, enum table table);
void tables_free(pva_file *file);

/* A prepared statement with two parameters, cached by the address of its text; NULL on failure. The caller steps it
 * and resets it before the next call with the same text. */
sqlite3_stmt *query(pva_file *file, const char *sql, uint64_t first, uint64_t second);
/* The first column of the first row; `otherwise` when it is missing or null. */
uint64_t query_uint(pva_file *file, const char *sql, uint64_t first, uint64_t second, uint64_t otherwise);
/* Steps a statement; true when it gives a row. A failure is recorded. */
bool query_step(pva_file *file, sqlite3_stmt *statement);
/* The text in the first column of the first row, which the caller frees; NULL when there is none. */
char *query_text(pva_file *file, const char *sql);
/* A blob of the first row, malloc'ed; NULL with size 0 when there is none. */
void *query_blob(pva_file *file, const char *sql, uint64_t first, uint64_t second, size_t *size);
/* Decodes an array of the first row; zeros when there is none. */
void query_array(pva_file *file, const char *sql, uint64_t first, uint64_t second, uint64_t *numbers, size_t count);

#endif
