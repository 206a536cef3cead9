/* SPDX-License-Identifier: Apache-2.0 */
/* The table executed_times(run, program, pattern, times, first) of SQL: how often each program ran with each pattern,
 * and the first of these steps.  SQLite groups by sorting all steps; here they are counted in one pass over the rows,
 * and those of a repeat multiplied.  Memory is bounded: when all rows that are kept are in use, they are returned, and
 * the same program and pattern may come again.  So queries sum times. */
#include "pva/reader.h"
#include "pva/repeats.h"

#include "base/mix.h"

enum {
    KEPT_ROWS = 1 << 16,
    SLOTS = 2 * KEPT_ROWS,
    NO_NUMBER = -1, /* in place of a value that is no integer; no id is negative */
};

struct times_table {
    sqlite3_vtab base;
    pva_file *file;
};

enum { COLUMN_RUN, COLUMN_PROGRAM, COLUMN_PATTERN, COLUMN_TIMES, COLUMN_FIRST, COLUMNS, KEYS = COLUMN_TIMES };
struct times_row {
    int64_t columns[COLUMNS];
};
struct times_rows {
    sqlite3_vtab_cursor base;
    const struct repeats *repeats;
    struct repeat_share share; /* of the current row */
    sqlite3_stmt *steps;       /* NULL: all steps were counted */
    struct times_row *rows;
    uint32_t *slots; /* hash -> row + 1 */
    size_t count, at;
    int64_t id; /* of rows so far */
};

static int times_connect(sqlite3 *db, void *file, int count, const char *const *words, sqlite3_vtab **table,
                         char **error)
{
    (void)count, (void)words, (void)error;
    int result = sqlite3_declare_vtab(
        db, "CREATE TABLE x(run INTEGER, program INTEGER, pattern INTEGER, times INTEGER, first INTEGER)");
    if (result == SQLITE_OK) {
        struct times_table *made = MEM_NEW(struct times_table);
        made->file = file;
        *table = &made->base;
        sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    }
    return result;
}

static int times_disconnect(sqlite3_vtab *table)
{
    free(table);
    return SQLITE_OK;
}

/* Each scan reads all steps, so that the planner must not repeat it for the rows of another table. */
static int times_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    info->estimatedRows = KEPT_ROWS;
    info->estimatedCost = 1e12;
    return SQLITE_OK;
}

static int times_open(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor)
{
    (void)table;
    struct times_rows *rows = MEM_NEW(struct times_rows);
    rows->rows = mem_zero(KEPT_ROWS, sizeof(*rows->rows));
    rows->slots = mem_zero(SLOTS, sizeof(*rows->slots));
    *cursor = &rows->base;
    return SQLITE_OK;
}

static int times_close(sqlite3_vtab_cursor *cursor)
{
    struct times_rows *rows = (struct times_rows *)cursor;
    sqlite3_finalize(rows->steps);
    free(rows->rows);
    free(rows->slots);
    free(rows);
    return SQLITE_OK;
}

/* Counts the step that `steps` is at. */
static void count_step(struct times_rows *rows)
{
    uint64_t hash = 0, id = (uint64_t)sqlite3_column_int64(rows->steps, KEYS);
    if (id < rows->share.first || id >= rows->share.end)
        rows->share = repeats_share(rows->repeats, id);
    struct times_row key = { .columns = { [COLUMN_TIMES] = (int64_t)rows->share.times } };
    for (int i = 0; i < KEYS; ++i) {
        bool number = sqlite3_column_type(rows->steps, i) == SQLITE_INTEGER;
        key.columns[i] = number ? sqlite3_column_int64(rows->steps, i) : NO_NUMBER;
        hash = mix(hash ^ (uint64_t)key.columns[i]);
    }
    size_t slot = (size_t)hash & (SLOTS - 1);
    for (; rows->slots[slot]; slot = (slot + 1) & (SLOTS - 1)) {
        struct times_row *row = rows->rows + rows->slots[slot] - 1;
        if (memcmp(row->columns, key.columns, KEYS * sizeof(key.columns[0])) == 0) {
            row->columns[COLUMN_TIMES] += key.columns[COLUMN_TIMES];
            return;
        }
    }
    key.columns[COLUMN_FIRST] = (int64_t)id;
    rows->rows[rows->count++] = key;
    rows->slots[slot] = (uint32_t)rows->count;
}

/* Counts further steps, until all rows are in use or there are no more steps. */
static int count_steps(struct times_rows *rows)
{
    memset(rows->slots, 0, SLOTS * sizeof(*rows->slots));
    rows->count = rows->at = 0;
    while (rows->steps && rows->count < KEPT_ROWS) {
        int result = sqlite3_step(rows->steps);
        if (result == SQLITE_ROW) {
            count_step(rows);
            continue;
        }
        sqlite3_finalize(rows->steps);
        rows->steps = NULL;
        if (result != SQLITE_DONE)
            return result;
    }
    return SQLITE_OK;
}

static int times_filter(sqlite3_vtab_cursor *cursor, int plan, const char *name, int count, sqlite3_value **values)
{
    (void)plan, (void)name, (void)count, (void)values;
    struct times_rows *rows = (struct times_rows *)cursor;
    pva_file *file = ((const struct times_table *)cursor->pVtab)->file;
    char *why = NULL;
    sqlite3_finalize(rows->steps);
    rows->steps = NULL;
    rows->id = 0;
    rows->share = (struct repeat_share){ 0 };
    int result = sqlite3_prepare_v2(file->db, "SELECT run, program, pattern, id FROM executed_rows ORDER BY id", -1,
                                    &rows->steps, NULL);
    if (result == SQLITE_OK)
        result = repeats_read(file, &rows->repeats, &why);
    if (result == SQLITE_OK)
        result = count_steps(rows);
    if (result == SQLITE_OK)
        return result;
    sqlite3_free(cursor->pVtab->zErrMsg);
    cursor->pVtab->zErrMsg = why ? why : sqlite3_mprintf("%s", sqlite3_errmsg(file->db));
    return result;
}

static int times_next(sqlite3_vtab_cursor *cursor)
{
    struct times_rows *rows = (struct times_rows *)cursor;
    ++rows->id;
    return ++rows->at < rows->count ? SQLITE_OK : count_steps(rows);
}

static int times_eof(sqlite3_vtab_cursor *cursor)
{
    const struct times_rows *rows = (const struct times_rows *)cursor;
    return rows->at >= rows->count;
}

static int times_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
    const struct times_rows *rows = (const struct times_rows *)cursor;
    sqlite3_result_int64(context, rows->rows[rows->at].columns[column]);
    return SQLITE_OK;
}

static int times_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
    *id = ((const struct times_rows *)cursor)->id;
    return SQLITE_OK;
}

int executed_times_table(pva_file *file)
{
    static const sqlite3_module module = { .iVersion = 0,
                                           .xConnect = times_connect,
                                           .xBestIndex = times_best_index,
                                           .xDisconnect = times_disconnect,
                                           .xOpen = times_open,
                                           .xClose = times_close,
                                           .xFilter = times_filter,
                                           .xNext = times_next,
                                           .xEof = times_eof,
                                           .xColumn = times_column,
                                           .xRowid = times_rowid };
    return sqlite3_create_module(file->db, "executed_times", &module, file);
}
