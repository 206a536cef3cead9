/* SPDX-License-Identifier: Apache-2.0 */
/* The table executed_elapsed(run, program, times, cycles) of SQL, the critical path: each step takes the cycles by
 * which it delays the end of the last tile, so that the cycles of all steps add up to the end of the last run.
 *
 * From the second iteration of a repeat on its steps take the same each time: the rows of the first are evaluated
 * twice, and the rest is a multiplication. */
#include "pva/reader.h"
#include "pva/repeats.h"

struct elapsed_table {
    sqlite3_vtab base;
    pva_file *file;
};
/* A row: when its last tile ends. */
struct ending {
    uint64_t id, program;
    int64_t end;
};
struct program_sum {
    uint64_t times, cycles;
};
enum { COLUMN_RUN, COLUMN_PROGRAM, COLUMN_TIMES, COLUMN_CYCLES };
struct elapsed_rows {
    sqlite3_vtab_cursor base;
    const struct repeats *repeats;
    sqlite3_stmt *steps; /* NULL: all were read */
    bool more;           /* it is at a row that is not evaluated yet */
    uint64_t programs;
    struct program_sum *sums; /* by program, of the current run */
    int64_t run, id;
    uint64_t at;             /* the current row: a program */
    int64_t end;             /* of all steps so far */
    VEC(struct ending) rows; /* of a repeat that is being evaluated */
};

static int elapsed_connect(sqlite3 *db, void *file, int count, const char *const *words, sqlite3_vtab **table,
                           char **error)
{
    (void)count, (void)words, (void)error;
    int result =
        sqlite3_declare_vtab(db, "CREATE TABLE x(run INTEGER, program INTEGER, times INTEGER, cycles INTEGER)");
    if (result == SQLITE_OK) {
        struct elapsed_table *made = MEM_NEW(struct elapsed_table);
        made->file = file;
        *table = &made->base;
        sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    }
    return result;
}

static int elapsed_disconnect(sqlite3_vtab *table)
{
    free(table);
    return SQLITE_OK;
}

/* Each scan reads all rows, so that the planner must not repeat it for the rows of another table. */
static int elapsed_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    info->estimatedRows = 1 << 10;
    info->estimatedCost = 1e12;
    return SQLITE_OK;
}

static int elapsed_open(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor)
{
    struct elapsed_rows *rows = MEM_NEW(struct elapsed_rows);
    rows->programs = table_count(((struct elapsed_table *)table)->file, TABLE_PROGRAM);
    rows->sums = mem_zero(rows->programs + 1, sizeof(*rows->sums));
    *cursor = &rows->base;
    return SQLITE_OK;
}

static int elapsed_close(sqlite3_vtab_cursor *cursor)
{
    struct elapsed_rows *rows = (struct elapsed_rows *)cursor;
    sqlite3_finalize(rows->steps);
    free(rows->sums);
    vec_free(&rows->rows);
    free(rows);
    return SQLITE_OK;
}

static int next_step(struct elapsed_rows *rows)
{
    int result = sqlite3_step(rows->steps);
    rows->more = result == SQLITE_ROW;
    return result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
}

static struct ending ending_of(sqlite3_stmt *steps)
{
    int64_t program = sqlite3_column_int64(steps, COLUMN_PROGRAM);
    bool known = sqlite3_column_type(steps, COLUMN_PROGRAM) == SQLITE_INTEGER && program >= 0;
    return (struct ending){ (uint64_t)sqlite3_column_int64(steps, 2), known ? (uint64_t)program : UINT64_MAX,
                            sqlite3_column_int64(steps, 3) };
}

/* A step that is executed `times` times and ends `later` than its row says. */
static void evaluate(struct elapsed_rows *rows, const struct ending *row, uint64_t later, uint64_t times)
{
    int64_t end = (int64_t)((uint64_t)row->end + later);
    uint64_t by = end > rows->end ? (uint64_t)end - (uint64_t)rows->end : 0;
    rows->end = end > rows->end ? end : rows->end;
    if (row->program >= rows->programs)
        return;
    rows->sums[row->program].times += times;
    rows->sums[row->program].cycles += by * times;
}

/* The first of rows->rows from `at` on whose number is at least `id`. */
static size_t row_from(const struct elapsed_rows *rows, size_t at, uint64_t id)
{
    size_t end = rows->rows.count;
    while (at < end) {
        size_t middle = at + (end - at) / 2;
        if (rows->rows.data[middle].id < id)
            at = middle + 1;
        else
            end = middle;
    }
    return at;
}

/* Evaluates the kept rows of a repeat, whose first one is at `at`, `times` times. */
static void evaluate_repeat(struct elapsed_rows *rows, uint32_t number, size_t at, uint64_t later, uint64_t times)
{
    const struct repeat *repeat = &rows->repeats->list[number];
    for (uint64_t n = 0; n < 2; ++n) {
        uint64_t weight = n ? times * (repeat->times - 1) : times, shift = later + n * repeat->growth;
        uint32_t inner = number + 1;
        size_t end = row_from(rows, at, repeat->first + repeat->steps);
        for (size_t i = at; i < end;) {
            const struct ending *row = &rows->rows.data[i];
            while (inner < repeat->end && repeat_end(&rows->repeats->list[inner]) <= row->id)
                inner = rows->repeats->list[inner].end;
            if (inner < repeat->end && row->id >= rows->repeats->list[inner].first) {
                evaluate_repeat(rows, inner, i, shift, weight);
                i = row_from(rows, i, repeat_end(&rows->repeats->list[inner]));
            } else {
                evaluate(rows, row, shift, weight);
                ++i;
            }
        }
    }
    rows->end = (int64_t)((uint64_t)rows->end + repeat->growth * (repeat->times - 2));
}

/* Reads the rows of the outermost repeat that the current row is in. */
static int evaluate_outermost(struct elapsed_rows *rows, uint32_t number)
{
    uint64_t end = repeat_end(&rows->repeats->list[number]);
    int result = SQLITE_OK;
    rows->rows.count = 0;
    while (result == SQLITE_OK && rows->more && (uint64_t)sqlite3_column_int64(rows->steps, 2) < end) {
        *vec_push(&rows->rows) = ending_of(rows->steps);
        result = next_step(rows);
    }
    evaluate_repeat(rows, number, 0, 0, 1);
    return result;
}

static uint32_t outermost(const struct repeats *repeats, const struct repeat_share *share)
{
    uint32_t number = share->repeat;
    while (number != NO_REPEAT && repeats->list[number].parent != NO_REPEAT)
        number = repeats->list[number].parent;
    return number;
}

/* Evaluates the steps of the next run. */
static int evaluate_run(struct elapsed_rows *rows)
{
    struct repeat_share share = { 0 };
    int result = SQLITE_OK;
    memset(rows->sums, 0, rows->programs * sizeof(*rows->sums));
    rows->at = 0;
    if (!rows->more)
        return SQLITE_OK;
    rows->run = sqlite3_column_int64(rows->steps, COLUMN_RUN);
    while (result == SQLITE_OK && rows->more && sqlite3_column_int64(rows->steps, COLUMN_RUN) == rows->run) {
        struct ending row = ending_of(rows->steps);
        if (row.id < share.first || row.id >= share.end)
            share = repeats_share(rows->repeats, row.id);
        uint32_t repeat = outermost(rows->repeats, &share);
        if (repeat != NO_REPEAT) {
            result = evaluate_outermost(rows, repeat);
            continue;
        }
        evaluate(rows, &row, 0, 1);
        result = next_step(rows);
    }
    return result;
}

/* Goes on to a program that was executed, of this run or a later one. */
static int find_program(struct elapsed_rows *rows)
{
    int result = SQLITE_OK;
    for (;;) {
        while (rows->at < rows->programs && !rows->sums[rows->at].times)
            ++rows->at;
        if (rows->at < rows->programs || !rows->more)
            return result;
        result = evaluate_run(rows);
        if (result != SQLITE_OK)
            return result;
    }
}

static int fail(sqlite3_vtab_cursor *cursor, int result, char *why)
{
    sqlite3_free(cursor->pVtab->zErrMsg);
    cursor->pVtab->zErrMsg =
        why ? why : sqlite3_mprintf("%s", sqlite3_errmsg(((struct elapsed_table *)cursor->pVtab)->file->db));
    return result;
}

static int elapsed_filter(sqlite3_vtab_cursor *cursor, int plan, const char *name, int count, sqlite3_value **values)
{
    static const char sql[] =
        "SELECT e.run, e.program, e.id, e.base + CASE WHEN e.drift = 0 THEN m.last ELSE (SELECT max(i.all_to_max + "
        "ifnull((SELECT d.cycles FROM drifts d WHERE d.drift = e.drift AND d.ipu = i.ipu), 0)) FROM pattern_ipus i "
        "WHERE i.pattern = e.pattern) END FROM executed_rows e JOIN (SELECT pattern, max(all_to_max) AS last FROM "
        "pattern_ipus GROUP BY 1) m ON m.pattern = e.pattern ORDER BY e.id";
    (void)plan, (void)name, (void)count, (void)values;
    struct elapsed_rows *rows = (struct elapsed_rows *)cursor;
    pva_file *file = ((struct elapsed_table *)cursor->pVtab)->file;
    char *why = NULL;
    sqlite3_finalize(rows->steps);
    rows->steps = NULL;
    rows->id = rows->end = 0;
    memset(rows->sums, 0, rows->programs * sizeof(*rows->sums));
    rows->at = rows->programs;
    int result = sqlite3_prepare_v2(file->db, sql, -1, &rows->steps, NULL);
    if (result == SQLITE_OK)
        result = next_step(rows);
    if (result == SQLITE_OK)
        result = repeats_read(file, &rows->repeats, &why);
    if (result == SQLITE_OK)
        result = find_program(rows);
    return result == SQLITE_OK ? result : fail(cursor, result, why);
}

static int elapsed_next(sqlite3_vtab_cursor *cursor)
{
    struct elapsed_rows *rows = (struct elapsed_rows *)cursor;
    ++rows->id;
    ++rows->at;
    int result = find_program(rows);
    return result == SQLITE_OK ? result : fail(cursor, result, NULL);
}

static int elapsed_eof(sqlite3_vtab_cursor *cursor)
{
    const struct elapsed_rows *rows = (const struct elapsed_rows *)cursor;
    return rows->at >= rows->programs;
}

static int elapsed_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
    const struct elapsed_rows *rows = (const struct elapsed_rows *)cursor;
    const struct program_sum *sum = &rows->sums[rows->at];
    const int64_t values[] = { [COLUMN_RUN] = rows->run,
                               [COLUMN_PROGRAM] = (int64_t)rows->at,
                               [COLUMN_TIMES] = (int64_t)sum->times,
                               [COLUMN_CYCLES] = (int64_t)sum->cycles };
    sqlite3_result_int64(context, values[column]);
    return SQLITE_OK;
}

static int elapsed_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
    *id = ((const struct elapsed_rows *)cursor)->id;
    return SQLITE_OK;
}

int executed_elapsed_table(pva_file *file)
{
    static const sqlite3_module module = { .iVersion = 0,
                                           .xConnect = elapsed_connect,
                                           .xBestIndex = elapsed_best_index,
                                           .xDisconnect = elapsed_disconnect,
                                           .xOpen = elapsed_open,
                                           .xClose = elapsed_close,
                                           .xFilter = elapsed_filter,
                                           .xNext = elapsed_next,
                                           .xEof = elapsed_eof,
                                           .xColumn = elapsed_column,
                                           .xRowid = elapsed_rowid };
    return sqlite3_create_module(file->db, "executed_elapsed", &module, file);
}
