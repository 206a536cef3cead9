/* SPDX-License-Identifier: Apache-2.0 */
/* The table executed of SQL: all steps, also of loops whose steps are stored once.  It is in the schema `temp`, so that
 * it hides the view of the file, and so are the views over it.  In a report without repeats (version 1.1), executed is
 * a table, and the tables of repeats are views. */
#include "pva/reader.h"
#include "pva/repeats.h"

enum { MIN_ROWS = 8, MAX_ROWS = 1024 };
enum { COLUMN_ID, COLUMN_BASE = 5, COLUMNS };

struct steps_table {
    sqlite3_vtab base;
    pva_file *file;
};
struct steps_cursor {
    sqlite3_vtab_cursor base;
    const struct repeats *repeats;
    sqlite3_stmt *snapshot;  /* a step of it is open, so that all that is read is of one state of the file */
    sqlite3_stmt *up, *down; /* rows from a number on, or from it backwards */
    uint64_t step, from, to; /* of the steps [from, to), the one after the last returned when step is `to` */
    bool descending;
    struct repeat_span span;
    size_t rows, at, want; /* rows that are kept, the current one, and how many to read next */
    int64_t row[MAX_ROWS][COLUMNS];
};

static int steps_connect(sqlite3 *db, void *file, int count, const char *const *words, sqlite3_vtab **table,
                         char **error)
{
    (void)count, (void)words, (void)error;
    int result =
        sqlite3_declare_vtab(db, "CREATE TABLE x(id INTEGER NOT NULL PRIMARY KEY, run INTEGER, program INTEGER, "
                                 "pattern INTEGER, drift INTEGER, base INTEGER)");
    if (result == SQLITE_OK) {
        struct steps_table *made = MEM_NEW(struct steps_table);
        made->file = file;
        *table = &made->base;
        sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    }
    return result;
}

static int steps_disconnect(sqlite3_vtab *table)
{
    free(table);
    return SQLITE_OK;
}

/* Bits of a plan: which bounds of the id it has, in this order, and the order of the steps. */
enum { PLAN_LOWER = 1, PLAN_UPPER = 2, PLAN_EQUAL = 4, PLAN_DESCENDING = 8 };

static int bound_of(const struct sqlite3_index_constraint *constraint)
{
    if (!constraint->usable || constraint->iColumn > COLUMN_ID)
        return 0;
    switch (constraint->op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        return PLAN_EQUAL;
    case SQLITE_INDEX_CONSTRAINT_GT:
    case SQLITE_INDEX_CONSTRAINT_GE:
        return PLAN_LOWER;
    case SQLITE_INDEX_CONSTRAINT_LT:
    case SQLITE_INDEX_CONSTRAINT_LE:
        return PLAN_UPPER;
    default:
        return 0;
    }
}

/* SQLite checks all constraints again, so that bounds may be too wide. */
static int steps_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    static const int bounds[] = { PLAN_LOWER, PLAN_UPPER, PLAN_EQUAL };
    enum { ESTIMATED_STEPS = 1 << 20, ESTIMATED_PART = 4 };
    double rows = ESTIMATED_STEPS;
    int arguments = 0;
    for (size_t b = 0; b < sizeof(bounds) / sizeof(bounds[0]); ++b)
        for (int i = 0; i < info->nConstraint; ++i)
            if (bound_of(&info->aConstraint[i]) == bounds[b]) {
                info->aConstraintUsage[i].argvIndex = ++arguments;
                info->idxNum |= bounds[b];
                rows /= ESTIMATED_PART;
                break;
            }
    if (info->idxNum & PLAN_EQUAL) {
        rows = 1;
        info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    }
    if (info->nOrderBy == 1 && info->aOrderBy[0].iColumn <= COLUMN_ID) {
        info->orderByConsumed = 1;
        info->idxNum |= info->aOrderBy[0].desc ? PLAN_DESCENDING : 0;
    }
    info->estimatedRows = (sqlite3_int64)rows;
    info->estimatedCost = rows + MIN_ROWS;
    return SQLITE_OK;
}

static int fail(struct steps_cursor *cursor, int result, char *why)
{
    sqlite3_vtab *table = cursor->base.pVtab;
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = why ? why : sqlite3_mprintf("%s", sqlite3_errmsg(((struct steps_table *)table)->file->db));
    return result;
}

static int steps_open(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor)
{
    (void)table;
    *cursor = (sqlite3_vtab_cursor *)MEM_NEW(struct steps_cursor);
    return SQLITE_OK;
}

static int steps_close(sqlite3_vtab_cursor *base)
{
    struct steps_cursor *cursor = (struct steps_cursor *)base;
    sqlite3_finalize(cursor->snapshot);
    sqlite3_finalize(cursor->up);
    sqlite3_finalize(cursor->down);
    free(cursor);
    return SQLITE_OK;
}

/* Reads rows from a number on in the order of the scan, and keeps them in ascending order. */
static int read_page(struct steps_cursor *cursor, uint64_t row)
{
    static const char up[] = "SELECT id, run, program, pattern, drift, base FROM executed_rows WHERE id >= ?1 ORDER BY "
                             "id LIMIT ?2",
                      down[] = "SELECT id, run, program, pattern, drift, base FROM executed_rows WHERE id <= ?1 "
                               "ORDER BY id DESC LIMIT ?2";
    sqlite3_stmt **rows = cursor->descending ? &cursor->down : &cursor->up;
    int result = SQLITE_OK;
    if (!*rows)
        result = sqlite3_prepare_v2(((struct steps_table *)cursor->base.pVtab)->file->db,
                                    cursor->descending ? down : up, -1, rows, NULL);
    if (result != SQLITE_OK)
        return fail(cursor, result, NULL);
    sqlite3_bind_int64(*rows, 1, (sqlite3_int64)row);
    sqlite3_bind_int64(*rows, 2, (sqlite3_int64)cursor->want);
    size_t count = 0;
    for (; count < cursor->want && (result = sqlite3_step(*rows)) == SQLITE_ROW; ++count)
        for (int i = 0; i < COLUMNS; ++i)
            cursor->row[count][i] =
                sqlite3_column_type(*rows, i) == SQLITE_INTEGER ? sqlite3_column_int64(*rows, i) : INT64_MIN;
    sqlite3_reset(*rows);
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        return fail(cursor, result, NULL);
    for (size_t a = 0, b = count; cursor->descending && a + 1 < b; ++a) {
        int64_t kept[COLUMNS];
        memcpy(kept, cursor->row[a], sizeof(kept));
        memcpy(cursor->row[a], cursor->row[--b], sizeof(kept));
        memcpy(cursor->row[b], kept, sizeof(kept));
    }
    cursor->rows = count;
    cursor->at = cursor->descending && count ? count - 1 : 0;
    cursor->want = cursor->want < MAX_ROWS / 2 ? cursor->want * 2 : MAX_ROWS;
    return SQLITE_OK;
}

/* Finds a row among those that are kept. */
static bool find_kept(struct steps_cursor *cursor, uint64_t row)
{
    const int64_t wanted = (int64_t)row;
    size_t guess = cursor->at + (cursor->descending ? (size_t)-1 : 1), low = 0, high = cursor->rows;
    if (guess < cursor->rows && cursor->row[guess][COLUMN_ID] == wanted) {
        cursor->at = guess;
        return true;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cursor->row[middle][COLUMN_ID] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    cursor->at = low;
    return low < cursor->rows && cursor->row[low][COLUMN_ID] == wanted;
}

/* Makes the row of the current step the current one. */
static int show_step(struct steps_cursor *cursor)
{
    if (cursor->step >= cursor->to)
        return SQLITE_OK;
    uint64_t step = cursor->descending ? cursor->from + (cursor->to - 1 - cursor->step) : cursor->step;
    if (step < cursor->span.first || step >= cursor->span.end)
        cursor->span = repeats_span(cursor->repeats, step);
    uint64_t row = cursor->span.row + (step - cursor->span.first);
    if (find_kept(cursor, row))
        return SQLITE_OK;
    int result = read_page(cursor, row);
    if (result == SQLITE_OK && (!cursor->rows || cursor->row[cursor->at][COLUMN_ID] != (int64_t)row))
        return fail(cursor, SQLITE_CORRUPT,
                    sqlite3_mprintf("step %llu is missing: the file is damaged", (sqlite3_uint64)row));
    return result;
}

/* Lessens [*from, *to) to a bound. */
static void apply_bound(int bound, sqlite3_value *value, uint64_t *from, uint64_t *to)
{
    int type = sqlite3_value_numeric_type(value);
    if (type == SQLITE_NULL)
        *to = *from;
    if (type != SQLITE_INTEGER)
        return;
    sqlite3_int64 number = sqlite3_value_int64(value);
    uint64_t id = number < 0 ? 0 : (uint64_t)number, behind = number < 0 ? 0 : id + 1;
    if (bound != PLAN_UPPER && id > *from)
        *from = id;
    if (bound != PLAN_LOWER && behind < *to)
        *to = behind;
}

static int steps_filter(sqlite3_vtab_cursor *base, int plan, const char *name, int count, sqlite3_value **values)
{
    static const int bounds[] = { PLAN_LOWER, PLAN_UPPER, PLAN_EQUAL };
    struct steps_cursor *cursor = (struct steps_cursor *)base;
    pva_file *file = ((struct steps_table *)base->pVtab)->file;
    char *why = NULL;
    (void)name;
    int result = SQLITE_OK;
    if (!cursor->snapshot) {
        result = sqlite3_prepare_v2(file->db, "SELECT 1 FROM main.sqlite_schema", -1, &cursor->snapshot, NULL);
        if (result == SQLITE_OK && (result = sqlite3_step(cursor->snapshot)) == SQLITE_ROW)
            result = SQLITE_OK;
        if (result != SQLITE_OK)
            return fail(cursor, result, NULL);
    }
    result = repeats_read(file, &cursor->repeats, &why);
    if (result != SQLITE_OK)
        return fail(cursor, result, why);
    cursor->from = 0;
    cursor->to = cursor->repeats->steps;
    for (int b = 0, at = 0; b < 3 && at < count; ++b)
        if (plan & bounds[b])
            apply_bound(bounds[b], values[at++], &cursor->from, &cursor->to);
    cursor->step = cursor->from;
    cursor->span = (struct repeat_span){ 0 };
    cursor->rows = 0;
    cursor->want = MIN_ROWS;
    cursor->descending = plan & PLAN_DESCENDING;
    return show_step(cursor);
}

static int steps_next(sqlite3_vtab_cursor *base)
{
    struct steps_cursor *cursor = (struct steps_cursor *)base;
    ++cursor->step;
    return show_step(cursor);
}

static int steps_eof(sqlite3_vtab_cursor *base)
{
    const struct steps_cursor *cursor = (const struct steps_cursor *)base;
    return cursor->step >= cursor->to;
}

static sqlite3_int64 step_of(const struct steps_cursor *cursor)
{
    uint64_t step = cursor->descending ? cursor->from + (cursor->to - 1 - cursor->step) : cursor->step;
    return (sqlite3_int64)step;
}

static int steps_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    const struct steps_cursor *cursor = (const struct steps_cursor *)base;
    int64_t value = cursor->row[cursor->at][column];
    if (column == COLUMN_ID)
        sqlite3_result_int64(context, step_of(cursor));
    else if (value == INT64_MIN)
        sqlite3_result_null(context);
    else
        sqlite3_result_int64(context, column == COLUMN_BASE ? (int64_t)((uint64_t)value + cursor->span.cycles) : value);
    return SQLITE_OK;
}

static int steps_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
    *id = step_of((const struct steps_cursor *)base);
    return SQLITE_OK;
}

/* ---- functions for pva check ---- */

static const struct repeats *repeats_for(sqlite3_context *context)
{
    const struct repeats *repeats;
    char *why = NULL;
    if (repeats_read(sqlite3_user_data(context), &repeats, &why) == SQLITE_OK)
        return repeats;
    sqlite3_result_error(context, why ? why : "the repeats cannot be read", -1);
    sqlite3_free(why);
    return NULL;
}

static void count_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count, (void)values;
    const struct repeats *repeats = repeats_for(context);
    if (repeats)
        sqlite3_result_int64(context, (sqlite3_int64)repeats->steps);
}

/* Of a row's number: its innermost repeat of more than the given number of steps, NULL where it has none, -1 where no
 * row has the number. */
static void repeat_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const struct repeats *repeats = repeats_for(context);
    sqlite3_int64 row = sqlite3_value_int64(values[0]);
    if (!repeats)
        return;
    struct repeat_share share = repeats_share(repeats, row < 0 ? 0 : (uint64_t)row);
    sqlite3_int64 steps = sqlite3_value_int64(values[1]);
    while (share.repeat != NO_REPEAT && repeats->list[share.repeat].steps <= (uint64_t)steps)
        share.repeat = repeats->list[share.repeat].parent;
    if (row < 0 || !share.times)
        sqlite3_result_int64(context, -1);
    else if (share.repeat != NO_REPEAT)
        sqlite3_result_int64(context, repeats->list[share.repeat].id);
}

/* ---- set-up ---- */

static bool is_table(sqlite3 *db, const char *name)
{
    sqlite3_stmt *found = NULL;
    sqlite3_prepare_v2(db, "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ?1", -1, &found, NULL);
    sqlite3_bind_text(found, 1, name, -1, SQLITE_STATIC);
    bool is = found && sqlite3_step(found) == SQLITE_ROW;
    sqlite3_finalize(found);
    return is;
}

static bool run(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* In a report with repeats: what hides the views of the file. */
static bool make_tables(sqlite3 *db)
{
    static const struct {
        bool of_steps;
        const char *sql;
    } views[] = {
#define REPORT_VIEW(of_steps, text) { of_steps, "CREATE TEMP " text },
#include "value/report_views.def"
#undef REPORT_VIEW
    };
    bool good = run(db, "SELECT id, run, program, pattern, drift, base, repeat FROM executed_rows WHERE 0; SELECT id, "
                        "parent, first_step, steps, times, growth FROM repeats WHERE 0; PRAGMA query_only=OFF; CREATE "
                        "VIRTUAL TABLE temp.executed USING executed_steps");
    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); ++i)
        good = good && (!views[i].of_steps || run(db, views[i].sql));
    return good && run(db, "PRAGMA query_only=ON");
}

/* In a report without: what stands for the tables of repeats. */
static bool make_old_tables(sqlite3 *db)
{
    return run(db, "PRAGMA query_only=OFF; CREATE TEMP VIEW executed_rows AS SELECT *, NULL AS repeat FROM "
                   "main.executed; CREATE TEMP VIEW repeats AS SELECT NULL AS id, NULL AS parent, NULL AS first_step, "
                   "NULL AS steps, NULL AS times, NULL AS growth WHERE 0; PRAGMA query_only=ON");
}

bool executed_tables(pva_file *file)
{
    static const sqlite3_module module = { .iVersion = 0,
                                           .xCreate = steps_connect,
                                           .xConnect = steps_connect,
                                           .xBestIndex = steps_best_index,
                                           .xDisconnect = steps_disconnect,
                                           .xDestroy = steps_disconnect,
                                           .xOpen = steps_open,
                                           .xClose = steps_close,
                                           .xFilter = steps_filter,
                                           .xNext = steps_next,
                                           .xEof = steps_eof,
                                           .xColumn = steps_column,
                                           .xRowid = steps_rowid };
    const int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS;
    bool folded = is_table(file->db, "executed_rows");
    if ((folded || is_table(file->db, "executed")) &&
        (sqlite3_create_module(file->db, "executed_steps", &module, file) != SQLITE_OK ||
         sqlite3_create_function_v2(file->db, "executed_count", 0, flags, file, count_function, NULL, NULL, NULL) !=
             SQLITE_OK ||
         sqlite3_create_function_v2(file->db, "repeat_of_row", 2, flags, file, repeat_function, NULL, NULL, NULL) !=
             SQLITE_OK ||
         !(folded ? make_tables(file->db) : make_old_tables(file->db))))
        file_fail_sql(file, "its tables of steps");
    return !file->failed;
}
