/* SPDX-License-Identifier: Apache-2.0 */
#include "report/database.h"

#include "base/error.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "value/report_open.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poplar/text.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *name, *columns;
} tables[] = {
#define REPORT_TABLE(constant, name, columns) { name, columns },
#include "value/report_tables.def"
#undef REPORT_TABLE
};

static const char views[] =
#define REPORT_VIEW(of_steps, text) "CREATE " text ";"
#include "value/report_views.def"
#undef REPORT_VIEW
    ;

static const char indexes[] = "CREATE INDEX IF NOT EXISTS vars_info_by_tile ON vars_info(tile);"
                              "CREATE INDEX IF NOT EXISTS steps_by_run ON runs(first_step);"
                              "CREATE INDEX IF NOT EXISTS live_lists_by_bytes ON live_lists(bytes);"
                              "CREATE INDEX IF NOT EXISTS blocks_by_tile ON blocks(tile);";

struct database {
    sqlite3 *sqlite;
    char *path;
    sqlite3_stmt *inserts[REPORT_TABLES], *appends[REPORT_TABLES], *batches[REPORT_TABLES];
    dev_t device; /* identity of the file: another file may have its path later */
    ino_t number;
    bool failed;
    pop_error error;
};

static bool is_file_gone(const struct database *db)
{
    struct stat facts;
    if (!db->number)
        return false;
    return stat(db->path, &facts) != 0 ? errno == ENOENT || errno == ENOTDIR
                                       : facts.st_ino != db->number || facts.st_dev != db->device;
}

/* Records a failure; only the first is kept. */
static void fail_for(struct database *db, const char *what, const char *reason)
{
    if (db->failed)
        return;
    db->failed = true;
    if (is_file_gone(db))
        error_set(&db->error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL,
                  "the report '%s' was removed or moved while it was written: leave its directory alone until the "
                  "engine is destroyed, or name another one with autoReport.directory",
                  db->path);
    else
        error_set(&db->error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL, "the report '%s': cannot %s: %s", db->path, what,
                  reason);
}

static void fail(struct database *db, const char *what)
{
    fail_for(db, what, db->sqlite ? sqlite3_errmsg(db->sqlite) : "out of memory");
}

void database_do(struct database *db, const char *sql)
{
    if (!db->failed && sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail(db, "write");
}

/* Creates the directories of a path that do not exist. */
bool database_directories(const char *path, pop_error *error)
{
    char *part = mem_string(path);
    bool good = true;
    for (char *at = part; good && *at; ++at) {
        char *end = at + strcspn(at, "/");
        char rest = *end;
        *end = 0;
        if (*at && mkdir(part, 0777) != 0 && errno != EEXIST) {
            error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL, "the report: cannot make the directory '%s': %s",
                      part, pop_text_from_errno(errno));
            good = false;
        }
        *end = rest;
        at = rest ? end : end - 1;
    }
    free(part);
    return good;
}

/* Those that do not exist: all, but in a report of an earlier version. */
static void create_tables(struct database *db)
{
    struct str sql = { 0 };
    for (int i = 0; i < REPORT_TABLES; ++i) {
        sql.length = 0;
        str_format(&sql, "CREATE TABLE IF NOT EXISTS %s(%s", tables[i].name, tables[i].columns);
        database_do(db, sql.text);
    }
    str_free(&sql);
    database_do(db, views);
}

/* Makes the tables and views of a copied report, which may be of an earlier version, those of this version. */
static void renew_tables(struct database *db)
{
    static const char old[] = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'executed'";
    sqlite3_stmt *statement = NULL;
    if (db->failed)
        return;
    if (sqlite3_prepare_v2(db->sqlite, old, -1, &statement, NULL) != SQLITE_OK)
        fail(db, "copy the compilation's part");
    bool table = statement && sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    database_do(db,
                "DROP VIEW IF EXISTS lowered_variables; DROP VIEW IF EXISTS steps; DROP VIEW IF EXISTS steps_by_ipu");
    database_do(db, table ? "DROP TABLE executed" : "DROP VIEW IF EXISTS executed");
    create_tables(db);
}

static struct database *open_new(const char *path)
{
    struct database *db = MEM_NEW(struct database);
    db->path = mem_string(path);
    if (sqlite3_open_v2(db->path, &db->sqlite, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        fail(db, "make it");
    struct stat facts;
    if (stat(db->path, &facts) == 0) {
        db->device = facts.st_dev;
        db->number = facts.st_ino;
    }
    return db;
}

/* Begins the first transaction. */
static void begin(struct database *db)
{
    /* Committed data must survive a killed process but not a power failure, so nothing waits for the disk before the
     * end. */
    database_do(db, "PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA "
                    "wal_autocheckpoint = 8192;"
                    "PRAGMA busy_timeout = 10000; BEGIN");
}

static struct database *drop_failed(struct database *db, pop_error *error)
{
    if (!database_failed(db, error))
        return db;
    database_drop(db);
    return NULL;
}

struct database *database_create(const char *path, pop_error *error)
{
    struct database *db = open_new(path);
    begin(db);
    create_tables(db);
    return drop_failed(db, error);
}

/* Copies a database, which may be written meanwhile. */
static void copy_from(struct database *db, const char *from)
{
    static const char what[] = "copy the compilation's part";
    sqlite3 *source = db->failed ? NULL : report_open(from);
    if (!source) {
        fail_for(db, what, "it is not readable any more, or out of memory");
        return;
    }
    sqlite3_backup *copy = sqlite3_backup_init(db->sqlite, "main", source, "main");
    if (copy)
        sqlite3_backup_step(copy, -1);
    int result = copy ? sqlite3_backup_finish(copy) : sqlite3_errcode(db->sqlite);
    if (!copy || result != SQLITE_OK)
        fail_for(db, what, sqlite3_errstr(result)); /* of the copy: the database may have no message */
    sqlite3_close(source);
}

struct database *database_continue(const char *path, const char *from, pop_error *error)
{
    static const enum report_table runs[] = { TABLE_RUNS,
                                              TABLE_RUN_PARAMETERS,
                                              TABLE_EXECUTED_ROWS,
                                              TABLE_REPEATS,
                                              TABLE_DRIFTS,
                                              TABLE_PATTERNS,
                                              TABLE_PATTERN_IPUS,
                                              TABLE_ARRAYS,
                                              TABLE_EXECUTION_CYCLE_TOTALS,
                                              TABLE_BLOCKS,
                                              TABLE_EXECUTION_CYCLES_BY_TILE,
                                              TABLE_ASSEMBLY_LINES,
                                              TABLE_OPTIONS,
                                              TABLE_INSTRUMENTATION };
    struct database *db = open_new(path);
    struct str sql = { 0 };
    copy_from(db, from);
    begin(db);
    renew_tables(db);
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); ++i)
        str_format(&sql, "DELETE FROM %s;", tables[runs[i]].name);
    database_do(db, sql.text);
    database_do(db, "DELETE FROM info WHERE name IN ('opened', 'closed', 'error', 'summary');"
                    "UPDATE format SET execution = 0, closed = 0");
    str_free(&sql);
    return drop_failed(db, error);
}

static void add_marks(struct str *sql, size_t columns)
{
    for (size_t i = 0; i < columns; ++i)
        str_add(sql, i ? ",?" : "(?");
    str_add(sql, ")");
}

static sqlite3_stmt *prepare(struct database *db, struct str sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v3(db->sqlite, sql.text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK)
        fail(db, "write");
    str_free(&sql);
    return statement;
}

static sqlite3_stmt *insert_of(struct database *db, enum report_table table, size_t columns)
{
    if (!db->inserts[table]) {
        struct str sql = { 0 };
        str_format(&sql, "INSERT INTO %s VALUES", tables[table].name);
        add_marks(&sql, columns);
        db->inserts[table] = prepare(db, sql);
    }
    return db->inserts[table];
}

/* A statement that does not name the row-number column, so that SQLite appends without searching for the row's
 * position. */
static sqlite3_stmt *append_of(struct database *db, enum report_table table, const char *names, size_t columns,
                               size_t rows)
{
    sqlite3_stmt **kept = (rows == 1 ? db->appends : db->batches) + table;
    if (!*kept) {
        struct str sql = { 0 };
        str_format(&sql, "INSERT INTO %s(%s) VALUES", tables[table].name, names);
        for (size_t row = 0; row < rows; ++row) {
            str_add(&sql, row ? "," : "");
            add_marks(&sql, columns);
        }
        *kept = prepare(db, sql);
    }
    return *kept;
}

static void run_insert(struct database *db, sqlite3_stmt *insert)
{
    assert(insert && !db->failed);
    if (sqlite3_step(insert) != SQLITE_DONE)
        fail(db, "write");
    sqlite3_reset(insert);
}

void database_append(struct database *db, enum report_table table, const char *names, unsigned columns,
                     const int64_t *values, size_t rows)
{
    for (size_t count; rows && !db->failed; rows -= count, values += count * columns) {
        count = rows >= DATABASE_BATCH ? DATABASE_BATCH : 1;
        sqlite3_stmt *insert = append_of(db, table, names, columns, count);
        if (!insert)
            return;
        for (size_t i = 0; i < count * columns; ++i)
            if (values[i] == DATABASE_NULL)
                sqlite3_bind_null(insert, (int)i + 1);
            else
                sqlite3_bind_int64(insert, (int)i + 1, values[i]);
        run_insert(db, insert);
    }
}

/* A text that is not UTF-8 is escaped: Python and others refuse a table with one. */
static void bind_text(struct database *db, sqlite3_stmt *insert, int column, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    struct str escaped = { 0 };
    if (utf8_span(text ? text : "", length) == length) {
        sqlite3_bind_text(insert, column, text, -1, SQLITE_STATIC);
        return;
    }
    utf8_escape(&escaped, text, length);
    if (sqlite3_bind_text(insert, column, escaped.text, -1, SQLITE_TRANSIENT) != SQLITE_OK)
        fail(db, "write");
    str_free(&escaped);
}

void database_add(struct database *db, enum report_table table, const char *columns, ...)
{
    sqlite3_stmt *insert = db->failed ? NULL : insert_of(db, table, strlen(columns));
    if (!insert)
        return;
    va_list values;
    va_start(values, columns);
    for (int i = 1; *columns; ++columns, ++i) {
        const void *data;
        switch (*columns) {
        case 'i':
            sqlite3_bind_int64(insert, i, va_arg(values, int64_t));
            break;
        case 'r':
            sqlite3_bind_double(insert, i, va_arg(values, double));
            break;
        case 's':
            bind_text(db, insert, i, va_arg(values, const char *));
            break;
        case 'b':
            data = va_arg(values, const void *);
            sqlite3_bind_blob64(insert, i, data ? data : "", va_arg(values, size_t),
                                SQLITE_STATIC); /* zeros, not NULL */
            break;
        case 'x':
            (void)va_arg(values, int64_t);
            sqlite3_bind_null(insert, i);
            break;
        default:
            sqlite3_bind_null(insert, i);
        }
    }
    va_end(values);
    if (!db->failed)
        run_insert(db, insert);
}

void database_remove(struct database *db, enum report_table table, const char *number_column, int64_t number,
                     const char *text_column, const char *text)
{
    struct str sql = { 0 };
    sqlite3_stmt *statement = NULL;
    if (db->failed)
        return;
    str_format(&sql, "DELETE FROM %s WHERE %s = ? AND %s = ?", tables[table].name, number_column, text_column);
    if (sqlite3_prepare_v2(db->sqlite, sql.text, -1, &statement, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, number);
        sqlite3_bind_text(statement, 2, text, -1, SQLITE_STATIC);
    }
    if (!statement || sqlite3_step(statement) != SQLITE_DONE)
        fail(db, "write");
    sqlite3_finalize(statement);
    str_free(&sql);
}

void database_commit(struct database *db)
{
    database_do(db, "COMMIT; PRAGMA wal_checkpoint(PASSIVE); BEGIN");
    if (is_file_gone(db)) /* SQLite would continue to write to a deleted file */
        fail(db, "write");
}

void database_publish(struct database *db)
{
    database_do(db, indexes);
    database_commit(db);
}

const char *database_path(const struct database *db)
{
    return db->path;
}

bool database_failed(const struct database *db, pop_error *error)
{
    if (db->failed && error)
        *error = db->error;
    return db->failed;
}

static void finalize(struct database *db)
{
    for (int i = 0; i < REPORT_TABLES; ++i) {
        sqlite3_finalize(db->inserts[i]);
        sqlite3_finalize(db->appends[i]);
        sqlite3_finalize(db->batches[i]);
        db->inserts[i] = db->appends[i] = db->batches[i] = NULL;
    }
}

static void close_sqlite(struct database *db)
{
    finalize(db);
    if (db->sqlite && sqlite3_close(db->sqlite) != SQLITE_OK)
        fail(db, "close it");
    db->sqlite = NULL;
}

static void free_database(struct database *db)
{
    free(db->path);
    free(db);
}

/* Copies the log to the file. False: somebody has read an older state for seconds, or a failure. */
static bool empty_log(struct database *db)
{
    int frames = 0, copied = 0;
    if (db->failed)
        return false;
    sqlite3_busy_timeout(db->sqlite, 2000);
    int result = sqlite3_wal_checkpoint_v2(db->sqlite, "main", SQLITE_CHECKPOINT_TRUNCATE, &frames, &copied);
    if (result == SQLITE_OK || (result == SQLITE_BUSY && frames == copied))
        return true;
    if (result != SQLITE_BUSY)
        fail(db, "complete it");
    LOG(PROFILER, INFO, "'%s' is being read: its log stays beside it", db->path);
    return false;
}

/* SQLite leaves WAL mode only where nobody else has the file open. Where a reader has, the two bytes of the head that
 * are the mode are written here: the file is whole, and has no writer any more. */
static bool leave_wal_mode(struct database *db, int file)
{
    enum { MODE_AT = 18, ROLLBACK_MODE = 1, WAL_MODE = 2 };
    static const char *const endings[] = { "-wal", "-shm" };
    unsigned char mode[2] = { 0 };
    if (pread(file, mode, sizeof(mode), MODE_AT) != sizeof(mode))
        return false;
    if (mode[0] != WAL_MODE)
        return true;
    memset(mode, ROLLBACK_MODE, sizeof(mode));
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); ++i) {
        struct str path = { 0 };
        str_format(&path, "%s%s", db->path, endings[i]);
        unlink(path.text);
        str_free(&path);
    }
    return pwrite(file, mode, sizeof(mode), MODE_AT) == sizeof(mode);
}

/* Flushes the file, which is closed, to disk before it is renamed. */
static void sync_file(struct database *db)
{
    int file = open(db->path, O_RDWR | O_CLOEXEC);
    bool good = file >= 0 && leave_wal_mode(db, file) && fsync(file) == 0;
    if (file >= 0)
        good &= close(file) == 0;
    if (!good || is_file_gone(db))
        fail_for(db, "complete it", pop_text_from_errno(errno));
}

/* After a failed write: goes back to the last commit, so that what was committed can be completed. */
static void roll_back(struct database *db)
{
    if (is_file_gone(db))
        return;
    finalize(db);
    if (!sqlite3_get_autocommit(db->sqlite))
        sqlite3_exec(db->sqlite, "ROLLBACK", NULL, NULL, NULL);
    db->failed = false;
    database_do(db, "BEGIN");
    database_add(db, TABLE_INFO, "ss", "error", db->error.text);
}

pop_status database_finish(struct database *db, bool *whole, pop_error *error)
{
    assert(db->sqlite || db->failed);
    const pop_status status = db->failed ? db->error.status : POP_OK;
    const pop_error first = db->error;
    if (db->failed)
        roll_back(db);
    database_do(db, "UPDATE format SET closed = 1; COMMIT");
    finalize(db); /* an unfinalised statement would keep WAL mode */
    bool copied = empty_log(db);
    if (copied) /* without effect where somebody reads */
        sqlite3_exec(db->sqlite, "PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    close_sqlite(db);
    if (copied && !db->failed)
        sync_file(db);
    *whole = copied && !db->failed;
    if (error && (status != POP_OK || db->failed))
        *error = status != POP_OK ? first : db->error;
    const pop_status result = status != POP_OK ? status : db->failed ? db->error.status : POP_OK;
    free_database(db);
    return result;
}

void database_drop(struct database *db)
{
    static const char *const endings[] = { "", "-wal", "-shm", "-journal" };
    close_sqlite(db);
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); ++i) {
        struct str path = { 0 };
        str_format(&path, "%s%s", db->path, endings[i]);
        unlink(path.text);
        str_free(&path);
    }
    free_database(db);
}

static bool read_companions(sqlite3 *sqlite, uint64_t bytes[REPORT_FILES])
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(sqlite, "SELECT bytes FROM files WHERE name = ?", -1, &statement, NULL) != SQLITE_OK) {
        report_count_memory(sqlite3_errcode(sqlite));
        return false;
    }
    for (int i = 0; i < REPORT_FILES; ++i) {
        sqlite3_bind_text(statement, 1, report_file_name((enum report_file)i), -1, SQLITE_STATIC);
        if (sqlite3_step(statement) == SQLITE_ROW)
            bytes[i] = (uint64_t)sqlite3_column_int64(statement, 0);
        report_count_memory(sqlite3_reset(statement));
    }
    sqlite3_finalize(statement);
    return true;
}

bool database_companions(const char *path, uint64_t bytes[REPORT_FILES])
{
    sqlite3 *sqlite = report_open(path);
    for (int i = 0; i < REPORT_FILES; ++i)
        bytes[i] = UINT64_MAX;
    bool report = sqlite && read_companions(sqlite, bytes);
    sqlite3_close(sqlite);
    return report;
}

char *database_info(const char *path, const char *name)
{
    sqlite3 *sqlite = report_open(path);
    sqlite3_stmt *statement = NULL;
    char *text = NULL;
    if (sqlite &&
        sqlite3_prepare_v2(sqlite, "SELECT value FROM info, format WHERE info.name = ? AND compilation", -1, &statement,
                           NULL) == SQLITE_OK &&
        sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0))
        text = mem_string((const char *)sqlite3_column_text(statement, 0));
    else if (sqlite)
        report_count_memory(sqlite3_errcode(sqlite));
    sqlite3_finalize(statement);
    sqlite3_close(sqlite);
    return text;
}
