/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the file's tables, read and cached by pages. Pages are found by table, owner and first key. The cache has
 * a fixed number of pages and evicts the least recently used, so that memory is bounded by that number and the
 * length of the texts. */
#include "pva/source.h"
#include "pva/repeats.h"

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "value/array.h"

#include <poplar/text.h>

struct stored {
    unsigned char kind;
    uint32_t length;
    union {
        int64_t integer;
        double real;
        size_t text; /* offset in the page's texts */
    } as;
};
struct source_page {
    enum table table;
    uint64_t owner, first, used;
    int columns;
    VEC(struct stored) cells; /* rows x columns; column 0 of a missing row is CELL_NULL */
    struct str text;
};

static const struct {
    const char *name, *sql;
    enum file_kind kind;
    unsigned rows;
    enum { WHOLE, GAPS } missing;
} tables[TABLES] = {
#define PVA_TABLE(NAME, file, rows, missing, sql) { #NAME, sql, FILE_##file, rows, missing },
#include "pva/tables.def"
#undef PVA_TABLE
};

void file_fail(pva_file *file, pop_status status, const char *format, ...)
{
    if (file->failed)
        return;
    file->failed = true;
    struct str text = { 0 };
    va_list arguments;
    va_start(arguments, format);
    str_vformat(&text, format, arguments);
    va_end(arguments);
    error_set(&file->error, status, NO_WHERE, NULL, "%s: %s", file->path, str_text(&text));
    str_free(&text);
}

void file_fail_sql(pva_file *file, const char *what)
{
    file_fail(file, POP_PARSE_ERROR, "%s (%s)", sqlite3_errmsg(file->db), what);
}

void pva_hold(pva_file *file, bool hold)
{
    if (!file || sqlite3_get_autocommit(file->db) != hold)
        return;
    if (sqlite3_exec(file->db, hold ? "BEGIN; SELECT count(*) FROM sqlite_schema" : "COMMIT", NULL, NULL, NULL) !=
        SQLITE_OK)
        file_fail_sql(file, "holding");
}

bool table_prepare(pva_file *file, enum table table)
{
    if (file->statements[table] || tables[table].kind != file->kind)
        return true;
    if (sqlite3_prepare_v3(file->db, tables[table].sql, -1, SQLITE_PREPARE_PERSISTENT, &file->statements[table],
                           NULL) == SQLITE_OK)
        return true;
    file_fail_sql(file, tables[table].name);
    return false;
}

static void page_free(pva_file *file, struct source_page *page)
{
    if (!page)
        return;
    for (size_t i = 0; i < TABLES; ++i)
        if (file->last[i] == page)
            file->last[i] = NULL;
    vec_free(&page->cells);
    str_free(&page->text);
    free(page);
}

void tables_free(pva_file *file)
{
    for (size_t i = 0; i < PAGES; ++i) {
        page_free(file, file->pages[i]);
        file->pages[i] = NULL;
    }
    for (size_t i = 0; i < TABLES; ++i) {
        sqlite3_finalize(file->statements[i]);
        file->statements[i] = NULL;
    }
    for (size_t i = 0; i < QUERIES; ++i) {
        sqlite3_finalize(file->queries[i].statement);
        file->queries[i].statement = NULL;
    }
}

static struct stored store_cell(struct source_page *page, sqlite3_stmt *statement, int column)
{
    struct stored cell = { 0 };
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        cell.kind = CELL_INTEGER;
        cell.as.integer = sqlite3_column_int64(statement, column);
        break;
    case SQLITE_FLOAT:
        cell.kind = CELL_REAL;
        cell.as.real = sqlite3_column_double(statement, column);
        break;
    case SQLITE_TEXT:
        cell.kind = CELL_TEXT;
        const char *text = (const char *)sqlite3_column_text(statement, column);
        cell.as.text = page->text.length;
        cell.length = text ? (uint32_t)strlen(text) : 0;
        str_add_bytes(&page->text, text ? text : "", (size_t)cell.length + 1);
        break;
    default: /* a blob in a column that must not have one counts as null */
        break;
    }
    return cell;
}

static void page_fill(pva_file *file, struct source_page *page)
{
    sqlite3_stmt *statement = file->statements[page->table];
    unsigned rows = tables[page->table].rows;
    page->columns = sqlite3_column_count(statement);
    struct stored *cells = vec_extend(&page->cells, rows * (size_t)page->columns);
    memset(cells, 0, rows * (size_t)page->columns * sizeof(*cells));
    sqlite3_bind_int64(statement, 1, (int64_t)page->owner);
    sqlite3_bind_int64(statement, 2, (int64_t)page->first);
    sqlite3_bind_int64(statement, 3, (int64_t)(page->first + rows - 1));
    while (query_step(file, statement)) {
        uint64_t row = (uint64_t)sqlite3_column_int64(statement, 0) - page->first;
        for (int i = 0; row < rows && i < page->columns; ++i)
            cells[row * (size_t)page->columns + (size_t)i] = store_cell(page, statement, i);
    }
    sqlite3_reset(statement);
}

static struct source_page *page_find(pva_file *file, enum table table, uint64_t owner, uint64_t first)
{
    struct source_page *page = file->last[table];
    if (page && page->owner == owner && page->first == first) {
        page->used = ++file->clock;
        return page;
    }
    size_t oldest = 0;
    for (size_t i = 0; i < PAGES; ++i) {
        page = file->pages[i];
        if (page && page->table == table && page->owner == owner && page->first == first) {
            page->used = ++file->clock;
            return file->last[table] = page;
        }
        if (!page || (file->pages[oldest] && page->used < file->pages[oldest]->used))
            oldest = i;
    }
    if (!table_prepare(file, table) || !file->statements[table])
        return NULL;
    page_free(file, file->pages[oldest]);
    page = file->pages[oldest] = MEM_NEW(struct source_page);
    page->table = table;
    page->owner = owner;
    page->first = first;
    page->used = ++file->clock;
    page_fill(file, page);
    return file->last[table] = page;
}

void file_fail_missing(pva_file *file, enum table table, uint64_t key)
{
    char what[64];
    size_t i = 0;
    for (const char *name = tables[table].name; name[i] && i + 1 < sizeof(what); ++i)
        what[i] = name[i] == '_' ? ' ' : pop_text_lower(name[i]);
    what[i] = '\0';
    file_fail(file, POP_PARSE_ERROR, "%s %llu is missing: the file is damaged", what, (unsigned long long)key);
}

/* Reads a column of a row; false when the row is missing. */
static bool read_cell(pva_file *file, enum table table, uint64_t owner, uint64_t key, int column,
                      struct source_cell *cell)
{
    uint64_t first = key - key % tables[table].rows;
    struct source_page *page = page_find(file, table, owner, first);
    if (!page || column >= page->columns)
        return false;
    const struct stored *row = page->cells.data + (key - first) * (size_t)page->columns, *from = row + column;
    cell->kind = from->kind;
    if (from->kind == CELL_INTEGER) {
        cell->integer = from->as.integer;
        cell->real = (double)from->as.integer;
    } else if (from->kind == CELL_REAL) {
        cell->real = from->as.real;
        cell->integer = cell->real >= 0 && cell->real < 9e18 ? (int64_t)cell->real : 0;
    } else if (from->kind == CELL_TEXT) {
        cell->text = page->text.text + from->as.text;
        cell->length = from->length;
    }
    return row->kind != CELL_NULL;
}

bool table_cell(pva_file *file, enum table table, uint64_t owner, uint64_t key, int column, struct source_cell *cell)
{
    *cell = (struct source_cell){ .text = "" };
    bool found = key <= INT64_MAX - 4096 && owner <= INT64_MAX && read_cell(file, table, owner, key, column, cell);
    if (!found && tables[table].missing == WHOLE)
        file_fail_missing(file, table, key);
    return found;
}

int64_t table_int(pva_file *file, enum table table, uint64_t owner, uint64_t key, int column)
{
    struct source_cell cell;
    return table_cell(file, table, owner, key, column, &cell) ? cell.integer : 0;
}

uint64_t table_uint(pva_file *file, enum table table, uint64_t owner, uint64_t key, int column)
{
    int64_t value = table_int(file, table, owner, key, column);
    return value > 0 ? (uint64_t)value : 0;
}

/* The largest key of a table plus one, from a query built of the table's name and key. */
uint64_t table_count(pva_file *file, enum table table)
{
    static const char *const largest[TABLES] = {
        [TABLE_TILE_MEMORY] = "SELECT max(tile) + 1 FROM memory_by_tile WHERE ?1 | ?2 >= 0",
        [TABLE_CATEGORY] = "SELECT max(id) + 1 FROM var_categories WHERE ?1 | ?2 >= 0",
        [TABLE_VERTEX_TYPE] = "SELECT max(id) + 1 FROM vertex_types WHERE ?1 | ?2 >= 0",
        [TABLE_COMPUTE_SET] = "SELECT max(compute_set) + 1 FROM compute_sets WHERE ?1 | ?2 >= 0",
        [TABLE_PROGRAM] = "SELECT max(id) + 1 FROM programs WHERE ?1 | ?2 >= 0",
        [TABLE_CONTROL_PROGRAM] = "SELECT max(position) + 1 FROM control_programs WHERE ?1 | ?2 >= 0",
        [TABLE_FUNCTION] = "SELECT max(id) + 1 FROM functions WHERE ?1 | ?2 >= 0",
        [TABLE_VARIABLE] = "SELECT max(id) + 1 FROM variables WHERE ?1 | ?2 >= 0",
        [TABLE_LIVENESS_STEP] = "SELECT max(id) + 1 FROM liveness_steps WHERE ?1 | ?2 >= 0",
        [TABLE_LIVE_VARIABLE] = "SELECT max(id) + 1 FROM live_variables WHERE ?1 | ?2 >= 0",
        [TABLE_LOWERED_VAR] = "SELECT max(id) + 1 FROM vars_info WHERE ?1 | ?2 >= 0",
        [TABLE_RUN] = "SELECT max(id) + 1 FROM runs WHERE ?1 | ?2 >= 0",
        [TABLE_PROCESS] = "SELECT max(id) + 1 FROM processes WHERE ?1 | ?2 >= 0",
    };
    if (!file->counts[table] && table == TABLE_STEP) { /* as many as the rows that there are give */
        const struct repeats *repeats = repeats_of(file);
        file->counts[table] = 1 + (repeats ? repeats->steps : 0);
    } else if (!file->counts[table] && largest[table]) {
        uint64_t count = query_uint(file, largest[table], 0, 0, 0);
        if (count > file->bytes) { /* each row takes at least a byte */
            file_fail(file, POP_PARSE_ERROR, "rows are numbered up to %llu, and the file has %llu bytes (%s)",
                      (unsigned long long)count, (unsigned long long)file->bytes, tables[table].name);
            count = 0;
        }
        file->counts[table] = 1 + count;
    }
    return file->counts[table] ? file->counts[table] - 1 : 0;
}

sqlite3_stmt *query(pva_file *file, const char *sql, uint64_t first, uint64_t second)
{
    size_t i = 0;
    while (i < QUERIES && file->queries[i].statement && file->queries[i].sql != sql)
        ++i;
    if (i == QUERIES) {
        file_fail(file, POP_RUNTIME_ERROR, "more than %d statements", QUERIES);
        return NULL;
    }
    if (!file->queries[i].statement) {
        if (sqlite3_prepare_v3(file->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &file->queries[i].statement, NULL) !=
            SQLITE_OK) {
            file_fail_sql(file, sql);
            sqlite3_finalize(file->queries[i].statement);
            file->queries[i].statement = NULL;
            return NULL;
        }
        file->queries[i].sql = sql;
    }
    sqlite3_stmt *statement = file->queries[i].statement;
    sqlite3_reset(statement);
    sqlite3_bind_int64(statement, 1, (int64_t)first);
    sqlite3_bind_int64(statement, 2, (int64_t)second);
    return statement;
}

bool query_step(pva_file *file, sqlite3_stmt *statement)
{
    int result = sqlite3_step(statement);
    if (result == SQLITE_ROW)
        return true;
    if (result != SQLITE_DONE)
        file_fail_sql(file, "reading");
    return false;
}

uint64_t query_uint(pva_file *file, const char *sql, uint64_t first, uint64_t second, uint64_t otherwise)
{
    sqlite3_stmt *statement = query(file, sql, first, second);
    if (!statement)
        return otherwise;
    if (query_step(file, statement) && sqlite3_column_type(statement, 0) == SQLITE_INTEGER &&
        sqlite3_column_int64(statement, 0) >= 0)
        otherwise = (uint64_t)sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    return otherwise;
}

char *query_text(pva_file *file, const char *sql)
{
    sqlite3_stmt *statement = query(file, sql, 0, 0);
    const char *text =
        statement && query_step(file, statement) ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    char *copy = text ? mem_string(text) : NULL;
    if (statement)
        sqlite3_reset(statement);
    return copy;
}

void *query_blob(pva_file *file, const char *sql, uint64_t first, uint64_t second, size_t *size)
{
    sqlite3_stmt *statement = query(file, sql, first, second);
    void *data = NULL;
    *size = 0;
    if (!statement)
        return NULL;
    if (query_step(file, statement) && sqlite3_column_type(statement, 0) == SQLITE_BLOB) {
        const void *blob = sqlite3_column_blob(statement, 0);
        *size = blob ? (size_t)sqlite3_column_bytes(statement, 0) : 0;
        data = *size ? mem_copy(blob, *size) : NULL;
    }
    sqlite3_reset(statement);
    return data;
}

void query_array(pva_file *file, const char *sql, uint64_t first, uint64_t second, uint64_t *numbers, size_t count)
{
    size_t size;
    void *data = query_blob(file, sql, first, second, &size);
    if (!array_decode(data, size, numbers, count))
        file_fail(file, POP_PARSE_ERROR, "a damaged array (%s; rows %llu, %llu)", sql, (unsigned long long)first,
                  (unsigned long long)second);
    free(data);
}
