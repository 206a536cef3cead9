/* SPDX-License-Identifier: Apache-2.0 */
/* The trace file (docs/reference/trace-files.md): options, queued rows, and SQLite. */
#include "pvti/file.h"

#include "base/options.h"
#include "base/str.h"
#include "base/vec.h"

#include <errno.h>
#include <inttypes.h>
#include <poplar/text.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MANY_ROWS = 4096 };
static const int64_t LONG_WAIT = 1000000000; /* ns */

static const char schema[] =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
    "BEGIN;"
    "CREATE TABLE format(name TEXT, major INTEGER, minor INTEGER, point INTEGER, closed INTEGER);"
    "INSERT INTO format VALUES('tremula trace', 1, 0, 0, 0);"
    "CREATE TABLE processes(id INTEGER PRIMARY KEY, pid INTEGER, name TEXT, start INTEGER);"
    "CREATE TABLE threads(id INTEGER PRIMARY KEY, process INTEGER, position INTEGER, tid INTEGER, name TEXT);"
    "CREATE TABLE events(id INTEGER PRIMARY KEY, parent INTEGER, position INTEGER, timestamp INTEGER, duration "
    "INTEGER, label TEXT, channel TEXT, "
    "metadata TEXT);"
    "CREATE TABLE graphs(id INTEGER PRIMARY KEY, name TEXT, unit TEXT);"
    "CREATE TABLE series(graph INTEGER, number INTEGER, name TEXT, PRIMARY KEY(graph, number)) WITHOUT ROWID;"
    "CREATE TABLE series_values(graph INTEGER, series INTEGER, timestamp INTEGER, value REAL);"
    "CREATE TABLE heatmaps(id INTEGER PRIMARY KEY, name TEXT, unit TEXT, edges BLOB);"
    "CREATE TABLE HEATMAP_DATA(heatmap INTEGER, timestamp INTEGER, bin_quantities BLOB);"
    "COMMIT;";
static const char finish[] = "CREATE INDEX events_by_parent ON events(parent, position);"
                             "CREATE INDEX threads_by_process ON threads(process, position);"
                             "UPDATE format SET closed = 1; PRAGMA journal_mode=DELETE;";

static struct {
    pthread_mutex_t lock;
    bool known, on; /* known: the options have been read; on: tracing is enabled and works */
    unsigned number;
    struct option_set options;
    char *path;
    sqlite3 *db;
    sqlite3_stmt *statements[ROW_KINDS];
    int64_t ids, written;
    VEC(struct trace_row) rows;
} trace = { .lock = PTHREAD_MUTEX_INITIALIZER, .number = 1 };
static _Atomic bool off; /* fast path without the lock: most programs do not trace */

static const char *const inserts[ROW_KINDS] = {
    [ROW_THREAD] = "INSERT OR REPLACE INTO threads(id, process, position, tid, name) VALUES(?1, ?2, ?3, ?4, ?8)",
    [ROW_END] = "UPDATE events SET duration = ?2 WHERE id = ?1",
    [ROW_EVENT] = ("INSERT INTO events(id, parent, position, timestamp, duration, label, channel, metadata) "
                   "VALUES(?1, ?2, ?3, ?4, ?5, ?8, ?9, ?10)"),
    [ROW_GRAPH] = "INSERT INTO graphs(id, name, unit) VALUES(?1, ?8, ?9)",
    [ROW_SERIES] = "INSERT INTO series(graph, number, name) VALUES(?1, ?2, ?8)",
    [ROW_NUMBER] = "INSERT INTO series_values(graph, series, timestamp, value) VALUES(?1, ?2, ?3, ?7)",
    [ROW_HEATMAP] = "INSERT INTO heatmaps(id, name, unit, edges) VALUES(?1, ?8, ?9, ?11)",
    [ROW_HISTOGRAM] = "INSERT INTO HEATMAP_DATA(heatmap, timestamp, bin_quantities) VALUES(?1, ?2, ?11)",
};

int64_t trace_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void row_free(struct trace_row *row)
{
    for (size_t i = 0; i < 3; ++i)
        free(row->texts[i]);
    free(row->blob);
}

static void drop_rows(void)
{
    for (size_t i = 0; i < trace.rows.count; ++i)
        row_free(&trace.rows.data[i]);
    trace.rows.count = 0;
}

/* Reports the problem once and ends tracing. */
static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "pvti: %s: %s; tracing has ended\n", what, why);
    trace.on = false;
    off = true;
    drop_rows();
}

/* Creates a directory and its parents. */
static bool make_directories(const char *directory)
{
    char *path = mem_string(directory);
    bool good = true;
    for (char *c = path + 1; *path && good; ++c)
        if (*c == '/' || !*c) {
            char kept = *c;
            *c = '\0';
            good = mkdir(path, 0777) == 0 || errno == EEXIST;
            *c = kept;
            if (!kept)
                break;
        }
    free(path);
    return good;
}

static char *new_path(void)
{
    const char *directory = options_get(&trace.options, "pvti", "directory");
    if (!*directory)
        directory = ".";
    if (!make_directories(directory)) {
        give_up(directory, pop_text_from_errno(errno));
        return NULL;
    }
    time_t seconds = time(NULL);
    struct tm parts;
    char when[64];
    static const char *const days[] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
    static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
    gmtime_r(&seconds, &parts);
    snprintf(when, sizeof(when), "%s_%s_%d_%02d:%02d:%02d_%d_GMT_%ld", days[parts.tm_wday], months[parts.tm_mon],
             parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_year + 1900, (long)getpid());
    struct str path = { 0 };
    str_format(&path, "%s/%s.pvti", directory, when);
    for (unsigned i = 2; access(path.text, F_OK) == 0; ++i) { /* another trace that began in the same second */
        path.length = 0;
        str_format(&path, "%s/%s_%u.pvti", directory, when, i);
    }
    return path.text;
}

static bool sql(const char *text)
{
    if (sqlite3_exec(trace.db, text, NULL, NULL, NULL) == SQLITE_OK)
        return true;
    give_up(trace.path, sqlite3_errmsg(trace.db));
    return false;
}

static void put_process(void)
{
    sqlite3_stmt *statement = NULL;
    char name[256] = "";
    ssize_t length = readlink("/proc/self/exe", name, sizeof(name) - 1);
    const char *slash = length > 0 ? strrchr(name, '/') : NULL;
    if (sqlite3_prepare_v2(trace.db, "INSERT INTO processes VALUES(0, ?1, ?2, ?3)", -1, &statement, NULL) ==
        SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, getpid());
        sqlite3_bind_text(statement, 2, slash ? slash + 1 : name, -1, SQLITE_TRANSIENT);
        sqlite3_bind_int64(statement, 3, trace_now());
        sqlite3_step(statement);
    }
    sqlite3_finalize(statement);
}

static bool open_file(void)
{
    if (trace.db)
        return true;
    free(trace.path);
    trace.path = new_path();
    if (!trace.path)
        return false;
    if (sqlite3_open_v2(trace.path, &trace.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK) {
        give_up(trace.path, sqlite3_errmsg(trace.db));
        return false;
    }
    if (!sql(schema))
        return false;
    put_process();
    for (size_t i = 0; i < ROW_KINDS; ++i)
        if (sqlite3_prepare_v3(trace.db, inserts[i], -1, SQLITE_PREPARE_PERSISTENT, &trace.statements[i], NULL) !=
            SQLITE_OK) {
            give_up(trace.path, sqlite3_errmsg(trace.db));
            return false;
        }
    return true;
}

static void insert(const struct trace_row *row)
{
    sqlite3_stmt *statement = trace.statements[row->kind];
    int max = sqlite3_bind_parameter_count(statement);
    for (int i = 0; i < 6 && i < max; ++i)
        sqlite3_bind_int64(statement, i + 1, row->numbers[i]);
    if (max >= 7)
        sqlite3_bind_double(statement, 7, row->real);
    for (int i = 0; i < 3 && 8 + i <= max; ++i)
        sqlite3_bind_text(statement, 8 + i, row->texts[i], -1, SQLITE_STATIC);
    if (max >= 11)
        sqlite3_bind_blob64(statement, 11, row->blob, row->blob_size, SQLITE_STATIC);
    if (sqlite3_step(statement) != SQLITE_DONE)
        give_up(trace.path, sqlite3_errmsg(trace.db));
    sqlite3_reset(statement);
}

static void flush(void)
{
    trace.written = trace_now();
    if (!trace.rows.count || !open_file() || !sql("BEGIN"))
        return;
    for (size_t i = 0; i < trace.rows.count && trace.on; ++i)
        insert(&trace.rows.data[i]);
    drop_rows();
    if (trace.on)
        sql("COMMIT");
}

static void close_file(void)
{
    if (trace.on)
        flush();
    for (size_t i = 0; i < ROW_KINDS; ++i) {
        sqlite3_finalize(trace.statements[i]);
        trace.statements[i] = NULL;
    }
    if (trace.db && trace.on)
        sql(finish);
    sqlite3_close(trace.db);
    trace.db = NULL;
    free(trace.path);
    trace.path = NULL;
    trace.ids = 0;
    ++trace.number;
}

/* A child process makes its own trace; it must not use the parent's database. */
static void in_child(void)
{
    pthread_mutex_init(&trace.lock, NULL);
    drop_rows();
    trace.db = NULL;
    memset(trace.statements, 0, sizeof(trace.statements));
    trace.path = NULL;
    trace.ids = 0;
    ++trace.number;
}

static void at_exit(void)
{
    pvti_close();
    off = true;
    vec_free(&trace.rows);
    options_free(&trace.options);
}

static void read_options(void)
{
    trace.known = true;
    pop_error error = { 0 };
    if (options_apply(&trace.options, "pvti", POP_NO_OPTIONS, "PVTI_OPTIONS", (pop_where){ 0 }, "pvti", &error) !=
        POP_OK)
        give_up("options", error.text);
    else
        trace.on = options_bool(&trace.options, "pvti", "enable");
    if (trace.on) {
        pthread_atfork(NULL, NULL, in_child);
        atexit(at_exit);
    } else {
        off = true;
    }
}

bool trace_on(void)
{
    if (off)
        return false;
    pthread_mutex_lock(&trace.lock);
    if (!trace.known)
        read_options();
    bool on = trace.on && !off;
    pthread_mutex_unlock(&trace.lock);
    return on;
}

void trace_put(struct trace_row row)
{
    pthread_mutex_lock(&trace.lock);
    if (!trace.on) {
        row_free(&row);
    } else {
        *vec_push(&trace.rows) = row;
        if (trace.rows.count >= MANY_ROWS || trace_now() - trace.written > LONG_WAIT)
            flush();
    }
    pthread_mutex_unlock(&trace.lock);
}

int64_t trace_id(void)
{
    pthread_mutex_lock(&trace.lock);
    int64_t id = trace.ids++;
    pthread_mutex_unlock(&trace.lock);
    return id;
}

unsigned trace_number(void)
{
    pthread_mutex_lock(&trace.lock);
    unsigned number = trace.number;
    pthread_mutex_unlock(&trace.lock);
    return number;
}

bool trace_enabled(const char *channel)
{
    if (!trace_on())
        return false;
    const char *list = options_get(&trace.options, "pvti", "channels");
    size_t length = strlen(channel);
    for (const char *at = list; *at;) {
        size_t word = strcspn(at, ", ");
        if (word == length && strncmp(at, channel, length) == 0)
            return true;
        at += word + (at[word] != '\0');
    }
    return !*list;
}

bool pvti_enabled(void)
{
    return trace_on();
}

const char *pvti_trace_filename(void)
{
    if (!trace_on())
        return "";
    pthread_mutex_lock(&trace.lock);
    flush();
    const char *path = trace.path ? trace.path : "";
    pthread_mutex_unlock(&trace.lock);
    return path;
}

void pvti_close(void)
{
    pthread_mutex_lock(&trace.lock);
    close_file();
    pthread_mutex_unlock(&trace.lock);
}
