/* SPDX-License-Identifier: Apache-2.0 */
/* SQL over a file: read-only queries, and functions that decode arrays. */
#include "pva/reader.h"
#include "value/array.h"

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"

#include <inttypes.h>

enum { MAX_ELEMENTS = 1 << 22 };

static struct array_cursor cursor_of(sqlite3_value *blob)
{
    const void *data = sqlite3_value_blob(blob);
    return array_cursor(data, data ? (size_t)sqlite3_value_bytes(blob) : 0);
}

static void array_at_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    sqlite3_int64 index = sqlite3_value_int64(values[1]);
    const void *data = sqlite3_value_blob(values[0]);
    size_t size = data ? (size_t)sqlite3_value_bytes(values[0]) : 0;
    sqlite3_result_int64(context, index < 0 ? 0 : (sqlite3_int64)array_at(data, size, (uint64_t)index));
}

/* Decodes the next run; false after the last token, although infinitely many zeros follow. */
static bool next_run(struct array_cursor *cursor, uint64_t *run, uint64_t *value)
{
    if (!cursor->left && cursor->at >= cursor->size)
        return false;
    *run = array_next(cursor, UINT64_MAX, value);
    return !cursor->damaged && *run != UINT64_MAX;
}

static void array_sum_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        return; /* the sum of null is null, as in SQL */
    struct array_cursor cursor = cursor_of(values[0]);
    uint64_t sum = 0, run, value;
    while (next_run(&cursor, &run, &value))
        sum += run * value;
    sqlite3_result_int64(context, (sqlite3_int64)sum);
}

static void array_max_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        return; /* the maximum of null is null, as in SQL */
    struct array_cursor cursor = cursor_of(values[0]);
    uint64_t max = 0, run, value;
    while (next_run(&cursor, &run, &value))
        max = value > max ? value : max;
    sqlite3_result_int64(context, (sqlite3_int64)max);
}

static void array_text_function(sqlite3_context *context, int arguments, sqlite3_value **values)
{
    (void)arguments;
    struct array_cursor cursor = cursor_of(values[0]);
    sqlite3_int64 count = sqlite3_value_int64(values[1]);
    struct str text = { 0 };
    str_add(&text, "[");
    for (uint64_t i = 0; count > 0 && i < (uint64_t)count && i < MAX_ELEMENTS;) {
        uint64_t value, run = array_next(&cursor, (uint64_t)count - i, &value);
        for (; run && i < MAX_ELEMENTS; --run, ++i)
            str_format(&text, "%s%" PRIu64, i ? "," : "", value);
    }
    str_add(&text, "]");
    sqlite3_result_text(context, text.text, (int)text.length, SQLITE_TRANSIENT);
    str_free(&text);
}

/* The virtual table array(blob, count) with columns i and value. */
struct array_table {
    sqlite3_vtab base;
    const pva_file *file;
};
struct array_rows {
    sqlite3_vtab_cursor base;
    unsigned char *data;
    struct array_cursor cursor;
    uint64_t index, count, left, value;
};
enum { COLUMN_I, COLUMN_VALUE, COLUMN_BLOB, COLUMN_COUNT };

static int rows_connect(sqlite3 *db, void *file, int count, const char *const *words, sqlite3_vtab **table,
                        char **error)
{
    (void)count, (void)words, (void)error;
    int result = sqlite3_declare_vtab(db, "CREATE TABLE x(i INTEGER, value INTEGER, blob HIDDEN, count HIDDEN)");
    if (result == SQLITE_OK) {
        struct array_table *made = MEM_NEW(struct array_table);
        made->file = file;
        *table = &made->base;
        sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    }
    return result;
}

static int rows_disconnect(sqlite3_vtab *table)
{
    free(table);
    return SQLITE_OK;
}

static int rows_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    int found = 0;
    for (int i = 0; i < info->nConstraint; ++i) {
        int column = info->aConstraint[i].iColumn;
        if (column < COLUMN_BLOB || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!info->aConstraint[i].usable)
            return SQLITE_CONSTRAINT;
        info->aConstraintUsage[i].argvIndex = column - COLUMN_BLOB + 1;
        info->aConstraintUsage[i].omit = 1;
        found |= column == COLUMN_BLOB ? 1 : 2;
    }
    info->estimatedRows = 2000;
    info->estimatedCost = 2000;
    return found == 3 ? SQLITE_OK : SQLITE_CONSTRAINT;
}

static int rows_open(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor)
{
    (void)table;
    *cursor = (sqlite3_vtab_cursor *)MEM_NEW(struct array_rows);
    return SQLITE_OK;
}

static int rows_close(sqlite3_vtab_cursor *cursor)
{
    free(((struct array_rows *)cursor)->data);
    free(cursor);
    return SQLITE_OK;
}

static int rows_next(sqlite3_vtab_cursor *cursor)
{
    struct array_rows *rows = (struct array_rows *)cursor;
    ++rows->index;
    if (--rows->left == 0 && rows->index < rows->count)
        rows->left = array_next(&rows->cursor, rows->count - rows->index, &rows->value);
    return SQLITE_OK;
}

/* Upper bound of an array's length. Arrays have an element for each tile or for each of some rows, which take more
 * bytes than elements, so that a damaged count gives an error instead of an endless query. */
static uint64_t max_elements(const pva_file *file)
{
    enum { BYTES_OF_ROW = 8 };
    uint64_t rows = file->bytes / BYTES_OF_ROW, max = rows > file->tiles ? rows : file->tiles;
    return max < MAX_ELEMENTS ? max : MAX_ELEMENTS;
}

static int rows_filter(sqlite3_vtab_cursor *cursor, int plan, const char *name, int count, sqlite3_value **values)
{
    (void)plan, (void)name;
    struct array_rows *rows = (struct array_rows *)cursor;
    const void *data = count > 0 ? sqlite3_value_blob(values[0]) : NULL;
    size_t size = data ? (size_t)sqlite3_value_bytes(values[0]) : 0;
    sqlite3_int64 elements = count > 1 ? sqlite3_value_int64(values[1]) : 0;
    free(rows->data);
    rows->data = mem_copy(data, size);
    rows->cursor = array_cursor(rows->data, size);
    rows->count = elements < 0 ? 0 : (uint64_t)elements;
    uint64_t limit = max_elements(((const struct array_table *)cursor->pVtab)->file);
    if (rows->count > limit) {
        sqlite3_free(cursor->pVtab->zErrMsg);
        cursor->pVtab->zErrMsg = sqlite3_mprintf("array() of %lld elements (allowed in this file: at most %lld)",
                                                 elements, (sqlite3_int64)limit);
        return SQLITE_ERROR;
    }
    rows->index = 0;
    rows->left = rows->count ? array_next(&rows->cursor, rows->count, &rows->value) : 0;
    return SQLITE_OK;
}

static int rows_eof(sqlite3_vtab_cursor *cursor)
{
    const struct array_rows *rows = (const struct array_rows *)cursor;
    return rows->index >= rows->count;
}

static int rows_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
    const struct array_rows *rows = (const struct array_rows *)cursor;
    sqlite3_result_int64(context, (sqlite3_int64)(column == COLUMN_I ? rows->index : rows->value));
    return SQLITE_OK;
}

static int rows_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
    *id = (sqlite3_int64)((const struct array_rows *)cursor)->index;
    return SQLITE_OK;
}

int array_functions(pva_file *file)
{
    static const sqlite3_module module = { .iVersion = 0,
                                           .xConnect = rows_connect,
                                           .xBestIndex = rows_best_index,
                                           .xDisconnect = rows_disconnect,
                                           .xOpen = rows_open,
                                           .xClose = rows_close,
                                           .xFilter = rows_filter,
                                           .xNext = rows_next,
                                           .xEof = rows_eof,
                                           .xColumn = rows_column,
                                           .xRowid = rows_rowid };
    static const struct {
        const char *name;
        int arguments;
        void (*function)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = { { "array_at", 2, array_at_function },
                      { "array_sum", 1, array_sum_function },
                      { "array_max", 1, array_max_function },
                      { "array_text", 2, array_text_function } };
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
        result = sqlite3_create_module(file->db, "array", &module, file);
    for (size_t i = 0; result == SQLITE_OK && i < sizeof(functions) / sizeof(functions[0]); ++i)
        result = sqlite3_create_function_v2(file->db, functions[i].name, functions[i].arguments, flags, NULL,
                                            functions[i].function, NULL, NULL, NULL);
    return result;
}

/* Passes a row, or the names alone, to the caller; false when the caller wants no more. */
static bool give_row(sqlite3_stmt *statement, bool values_too, pva_row *row, void *context)
{
    static const pva_value_kind kinds[] = { [SQLITE_INTEGER] = PVA_VALUE_INTEGER,
                                            [SQLITE_FLOAT] = PVA_VALUE_REAL,
                                            [SQLITE_TEXT] = PVA_VALUE_TEXT,
                                            [SQLITE_BLOB] = PVA_VALUE_BLOB,
                                            [SQLITE_NULL] = PVA_VALUE_NULL };
    size_t columns = (size_t)sqlite3_column_count(statement);
    const char **names = mem_zero(columns + 1, sizeof(*names));
    pva_value *values = mem_zero(columns + 1, sizeof(*values));
    struct str *blobs = mem_zero(columns + 1, sizeof(*blobs));
    for (size_t i = 0; i < columns; ++i) {
        names[i] = sqlite3_column_name(statement, (int)i);
        if (!values_too)
            continue;
        values[i].kind = kinds[sqlite3_column_type(statement, (int)i)];
        if (values[i].kind == PVA_VALUE_BLOB) {
            const unsigned char *data = sqlite3_column_blob(statement, (int)i);
            str_add(&blobs[i], "x'");
            for (int k = 0; k < sqlite3_column_bytes(statement, (int)i); ++k)
                str_format(&blobs[i], "%02x", data[k]);
            str_add(&blobs[i], "'");
            values[i].text = blobs[i].text;
        } else if (values[i].kind != PVA_VALUE_NULL) {
            values[i].text = (const char *)sqlite3_column_text(statement, (int)i);
        }
    }
    bool more = row(context, columns, names, values_too ? values : NULL);
    for (size_t i = 0; i < columns; ++i)
        str_free(&blobs[i]);
    free(blobs);
    free(values);
    free(names);
    return more;
}

/* Denies what sqlite3_stmt_readonly permits: other files, transactions, pragmas that change settings, and functions
 * that take addresses or load code. */
static int allow(void *none, int action, const char *first, const char *second, const char *database,
                 const char *trigger)
{
    static const char *const pragmas[] = { "table_info", "table_xinfo",     "table_list", "index_list",
                                           "index_info", "integrity_check", "quick_check" };
    static const char *const functions[] = { "fts3_tokenizer", "load_extension" };
    (void)none, (void)database, (void)trigger;
    for (size_t i = 0; action == SQLITE_FUNCTION && i < sizeof(functions) / sizeof(functions[0]); ++i)
        if (sqlite3_stricmp(second, functions[i]) == 0)
            return SQLITE_DENY;
    if (action == SQLITE_ATTACH || action == SQLITE_DETACH || action == SQLITE_TRANSACTION ||
        action == SQLITE_SAVEPOINT)
        return SQLITE_DENY;
    if (action != SQLITE_PRAGMA)
        return SQLITE_OK;
    for (size_t i = 0; i < sizeof(pragmas) / sizeof(pragmas[0]); ++i)
        if (sqlite3_stricmp(first, pragmas[i]) == 0)
            return SQLITE_OK;
    return SQLITE_DENY;
}

/* Prepares the first statement of *rest and advances it; *statement is NULL for a comment or blanks. */
static pop_status prepare(pva_file *file, const char **rest, sqlite3_stmt **statement, const char *api,
                          pop_error *error)
{
    sqlite3_set_authorizer(file->db, allow, NULL);
    int prepared = sqlite3_prepare_v2(file->db, *rest, -1, statement, rest);
    sqlite3_set_authorizer(file->db, NULL, NULL);
    if (prepared == SQLITE_AUTH || (*statement && !sqlite3_stmt_readonly(*statement))) {
        sqlite3_finalize(*statement);
        *statement = NULL;
        return error_set(error, POP_PARSE_ERROR, NO_WHERE, api,
                         "only queries that read the report's tables are allowed: reports are read only");
    }
    if (prepared != SQLITE_OK)
        return error_set(error, POP_PARSE_ERROR, NO_WHERE, api, "%s", sqlite3_errmsg(file->db));
    return POP_OK;
}

void pva_set_watch(pva_file *file, pva_watch *go_on, void *context)
{
    if (!file)
        return;
    file->watch = go_on;
    file->watch_context = context;
}

static int is_over(void *opaque)
{
    const pva_file *file = opaque;
    return !file->watch(file->watch_context);
}

/* Steps to the next row and periodically calls the file's watch. */
static int step(pva_file *file, sqlite3_stmt *statement)
{
    enum { INSTRUCTIONS_BETWEEN_WATCHES = 20000 };
    if (!file->watch)
        return sqlite3_step(statement);
    sqlite3_progress_handler(file->db, INSTRUCTIONS_BETWEEN_WATCHES, is_over, file);
    int result = sqlite3_step(statement);
    sqlite3_progress_handler(file->db, 0, NULL, NULL);
    return result;
}

/* Translates SQLite's result at the end of a query, and frees the statement. */
static pop_status finish(pva_file *file, sqlite3_stmt *statement, int result, const char *api, pop_error *error)
{
    pop_status status = POP_OK;
    if (result == SQLITE_INTERRUPT)
        status = error_set(error, POP_APPLICATION_RUNTIME_ERROR, NO_WHERE, api, "the query was cancelled");
    else if (result != SQLITE_DONE)
        status = error_set(error, POP_PARSE_ERROR, NO_WHERE, api, "%s", sqlite3_errmsg(file->db));
    sqlite3_finalize(statement);
    return status;
}

pop_status pva_sql(pva_file *file, const char *sql, pva_row *row, void *context, pop_error *error)
{
    static const char api[] = "pva_sql";
    pop_status status = POP_OK;
    for (const char *rest = sql; file && *rest && status == POP_OK;) {
        sqlite3_stmt *statement = NULL;
        status = prepare(file, &rest, &statement, api, error);
        if (status != POP_OK || !statement)
            continue;
        int result = SQLITE_DONE;
        bool more = give_row(statement, false, row, context);
        while (more && (result = step(file, statement)) == SQLITE_ROW)
            if (!give_row(statement, true, row, context)) {
                result = SQLITE_DONE;
                break;
            }
        status = finish(file, statement, result, api, error);
    }
    return status;
}

pop_status pva_sql_integers(pva_file *file, const char *sql, pva_integers *row, void *context, pop_error *error)
{
    static const char api[] = "pva_sql_integers";
    enum { MAX_COLUMNS = 32 };
    int64_t values[MAX_COLUMNS];
    sqlite3_stmt *statement = NULL;
    const char *rest = sql;
    if (!file)
        return POP_OK;
    pop_status status = prepare(file, &rest, &statement, api, error);
    if (status != POP_OK || !statement)
        return status;
    int result, columns = sqlite3_column_count(statement);
    if (columns > MAX_COLUMNS) {
        sqlite3_finalize(statement);
        return error_set(error, POP_PARSE_ERROR, NO_WHERE, api, "%d columns (at most %d)", columns, MAX_COLUMNS);
    }
    while ((result = step(file, statement)) == SQLITE_ROW) {
        for (int i = 0; i < columns; ++i) {
            values[i] = sqlite3_column_int64(statement, i);
            if (values[i] == 0 && sqlite3_column_type(statement, i) == SQLITE_NULL)
                values[i] = INT64_MIN;
        }
        if (!row(context, (size_t)columns, values)) {
            result = SQLITE_DONE;
            break;
        }
    }
    return finish(file, statement, result, api, error);
}
