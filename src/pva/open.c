/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and closes files; their format is checked before any content is read. */
#include "pva/companions.h"
#include "pva/debug.h"
#include "pva/reader.h"
#include "pva/repeats.h"

#include "base/error.h"
#include "value/report_open.h"

#include <dirent.h>
#include <errno.h>
#include <poplar/text.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_VALUE = 256 << 20, MAX_TILES = 1 << 22 };

static char *join(const char *directory, const char *name)
{
    struct str path = { 0 };
    str_format(&path, "%s%s%s", directory, *directory && directory[strlen(directory) - 1] == '/' ? "" : "/", name);
    return path.text;
}

/* A file in the directory in a format that preceded profile.pop, or NULL. */
static const char *old_file(const char *directory)
{
    static const char *const names[] = { "graph.json", "graph.cbor", "execution.json", "execution.cbor",
                                         "profile_info.json" };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        char *path = join(directory, names[i]);
        bool there = access(path, F_OK) == 0;
        free(path);
        if (there)
            return names[i];
    }
    return NULL;
}

/* Names the subdirectories with a report: that of an engine with a name is in one. */
static void note_reports_below(const char *path, pop_error *error)
{
    enum { NAMED = 3 };
    struct dirent **names = NULL;
    struct str list = { 0 };
    int count = scandir(path, &names, NULL, alphasort);
    size_t found = 0;
    for (int i = 0; i < count; ++i) {
        char *directory = join(path, names[i]->d_name), *file = join(directory, "profile.pop");
        if (names[i]->d_name[0] != '.' && access(file, F_OK) == 0 && found++ < NAMED)
            str_format(&list, "%s%s", found > 1 ? ", " : "", directory);
        free(file);
        free(directory);
        free(names[i]);
    }
    free(names);
    if (found)
        error_note(error, "reports in its subdirectories: %s%s", list.text, found > NAMED ? ", ..." : "");
    str_free(&list);
}

static pop_status no_file(const char *path, pop_error *error)
{
    const char *old = old_file(path);
    if (old)
        return error_set(error, POP_MISSING_GRAPH_PROFILE, NO_WHERE, "pva_open_report",
                         "no graph profile found: %s has neither profile.pop nor archive.a; %s is of an old format, "
                         "which can no longer be read: run the program again",
                         path, old);
    error_set(error, POP_MISSING_GRAPH_PROFILE, NO_WHERE, "pva_open_report",
              "no graph profile found: %s has neither profile.pop nor archive.a", path);
    note_reports_below(path, error);
    return POP_MISSING_GRAPH_PROFILE;
}

int database_head(sqlite3 *db, void *head, int size, int64_t *bytes)
{
    sqlite3_file *opened = NULL;
    sqlite3_int64 whole = 0;
    int result = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &opened);
    if (result == SQLITE_OK && opened->pMethods) {
        opened->pMethods->xFileSize(opened, &whole);
        result = opened->pMethods->xRead(opened, head, size, 0);
    }
    *bytes = whole;
    return result;
}

/* Whether the file begins like an SQLite database; sets the error if not. */
static bool looks_like_database(sqlite3 *db, const char *path, const char *what, const char *api, pop_error *error)
{
    char head[16] = { 0 };
    int64_t bytes = 0;
    int result = database_head(db, head, sizeof(head), &bytes);
    if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ)
        error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "%s cannot be read: %s", path, sqlite3_errstr(result));
    else if (result != SQLITE_OK || memcmp(head, "SQLite format 3", 16) != 0)
        error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api,
                  "%s is no %s: it does not begin as an SQLite 3 database does%s", path, what,
                  result != SQLITE_OK && !bytes ? " (it is empty)" : "");
    else
        return true;
    return false;
}

static bool add_tables(pva_file *file)
{
    return array_functions(file) == SQLITE_OK && executed_times_table(file) == SQLITE_OK &&
           executed_elapsed_table(file) == SQLITE_OK;
}

/* Restricts SQLite so that a hostile file cannot cause writes, load code, or make the reader allocate without bound. */
static bool make_safe(pva_file *file)
{
    sqlite3 *db = file->db;
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LONGEST_VALUE);
    sqlite3_busy_timeout(db, 2000);
    return add_tables(file) &&
           sqlite3_exec(db, "PRAGMA cell_size_check=ON; PRAGMA query_only=ON", NULL, NULL, NULL) == SQLITE_OK;
}

static char *uri_of(const char *path)
{
    struct str uri = { 0 };
    str_add(&uri, "file:");
    for (const char *c = path; *c; ++c)
        if (strchr("?#% ", *c))
            str_format(&uri, "%%%02X", (unsigned char)*c);
        else
            str_add_bytes(&uri, c, 1);
    str_add(&uri, "?mode=ro");
    return uri.text;
}

/* Whether a path is that of a regular file that can be read; sets the error if not. */
static bool is_readable(const char *path, const char *what, const char *api, pop_error *error)
{
    struct stat facts;
    if (stat(path, &facts) != 0 || access(path, R_OK) != 0)
        error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "%s cannot be read: %s", path, pop_text_from_errno(errno));
    else if (!S_ISREG(facts.st_mode))
        error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "%s is no %s: it is not a regular file", path, what);
    else if (!report_has_regular_logs(path))
        error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api,
                  "%s cannot be read: one of %s-wal, -shm and -journal is not a regular file", path, path);
    else
        return true;
    return false;
}

/* The size of a database with its log, which a killed program leaves, and which is beside the file itself where path is
 * a link. */
static uint64_t database_bytes(sqlite3 *db)
{
    const char *path = sqlite3_db_filename(db, "main");
    struct stat facts;
    uint64_t bytes = stat(path, &facts) == 0 ? (uint64_t)facts.st_size : 0;
    return bytes + (stat(sqlite3_filename_wal(path), &facts) == 0 ? (uint64_t)facts.st_size : 0);
}

static pva_file *open_database(const char *path, enum file_kind kind, const char *what, const char *api,
                               pop_error *error)
{
    if (!is_readable(path, what, api, error))
        return NULL;
    pva_file *file = MEM_NEW(pva_file);
    file->kind = kind;
    file->path = mem_string(path);
    char *uri = uri_of(path);
    int result = report_open_readonly(uri, SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, &file->db);
    free(uri);
    if (result != SQLITE_OK || !looks_like_database(file->db, path, what, api, error)) {
        if (result != SQLITE_OK)
            error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "%s: %s", path, sqlite3_errmsg(file->db));
    } else if (make_safe(file)) {
        file->bytes = database_bytes(file->db);
        return file;
    } else {
        error_set(error, POP_PARSE_ERROR, NO_WHERE, api, "%s: %s", path, sqlite3_errmsg(file->db));
    }
    pva_close(file);
    return NULL;
}

/* Checks the first row of the format's table: name and versions. */
static bool check_format(pva_file *file, const char *name, int64_t major, const char *what)
{
    sqlite3_stmt *statement =
        query(file, "SELECT name, major, minor, point FROM format WHERE ?1 | ?2 >= 0 LIMIT 1", 0, 0);
    if (!statement || !query_step(file, statement)) {
        if (file->failed && sqlite3_errcode(file->db) != SQLITE_ERROR) /* the file is damaged */
            return false;
        file->failed = false;
        file_fail(file, POP_FILE_LOAD_ERROR, "an SQLite database, but no %s (%s)", what,
                  statement ? "its table format has no row" : "it has no table format of the right columns");
        return false;
    }
    const char *found = (const char *)sqlite3_column_text(statement, 0);
    if (!found || strcmp(found, name) != 0)
        file_fail(file, POP_FILE_LOAD_ERROR, "a '%.64s', but no %s", found ? found : "", what);
    else if (sqlite3_column_int64(statement, 1) != major)
        file_fail(file, POP_FILE_LOAD_ERROR, "format %lld.%lld of a %s; this library reads format %lld",
                  (long long)sqlite3_column_int64(statement, 1), (long long)sqlite3_column_int64(statement, 2), what,
                  (long long)major);
    sqlite3_reset(statement);
    return !file->failed;
}

static bool check_schema(pva_file *file)
{
    char what[REPORT_SCHEMA_NAME];
    int result = report_check_schema(file->db, what);
    if (result == SQLITE_MISUSE)
        file_fail(file, POP_FILE_LOAD_ERROR, "the %s: only tables of stored columns are read", what);
    else if (result != SQLITE_OK)
        file_fail_sql(file, "its schema");
    return !file->failed;
}

/* Prepares the statement of each table, which checks that the file has the tables and columns of its format. */
static bool check_tables(pva_file *file)
{
    for (int i = 0; i < TABLES; ++i)
        if (!table_prepare(file, (enum table)i))
            return false;
    return true;
}

static pva_file *give_up(pva_file *file, const char *api, pop_error *error)
{
    if (error)
        *error = file->error;
    if (error)
        snprintf(error->api, sizeof(error->api), "%s", api);
    pva_close(file);
    return NULL;
}

char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return mem_string(".");
    char *directory = mem_string(path);
    directory[slash == path ? 1 : slash - path] = '\0';
    return directory;
}

/* Reads the target; a report describes one replica. */
static bool read_target(pva_file *file)
{
    uint64_t ipus = table_uint(file, TABLE_TARGET, 0, 0, 3), per_ipu = table_uint(file, TABLE_TARGET, 0, 0, 4),
             tiles = table_uint(file, TABLE_TARGET, 0, 0, 5), replicas = table_uint(file, TABLE_TARGET, 0, 0, 10);
    if (tiles > MAX_TILES || ipus > MAX_TILES || per_ipu > MAX_TILES || ipus * per_ipu != tiles)
        file_fail(file, POP_PARSE_ERROR, "a target of %llu IPUs of %llu tiles, %llu tiles in all (at most %d)",
                  (unsigned long long)ipus, (unsigned long long)per_ipu, (unsigned long long)tiles, MAX_TILES);
    else if (ipus && (!replicas || ipus % replicas))
        file_fail(file, POP_PARSE_ERROR, "a target of %llu IPUs for %llu replicas", (unsigned long long)ipus,
                  (unsigned long long)replicas);
    file->ipus = replicas ? ipus / replicas : 0; /* a damaged report may have no target row */
    file->tiles_per_ipu = per_ipu;
    file->tiles = file->ipus * per_ipu;
    return !file->failed;
}

static bool is_archive(const char *path)
{
    size_t length = strlen(path);
    return length >= 9 && strcmp(path + length - 9, "archive.a") == 0;
}

/* Opens a report that consists of archive.a alone. */
static pva_file *open_archive(const char *path, const char *api, pop_error *error)
{
    pva_file *file = MEM_NEW(pva_file);
    struct stat facts;
    file->kind = FILE_REPORT;
    file->path = mem_string(path);
    file->bytes = stat(path, &facts) == 0 ? (uint64_t)facts.st_size : 0;
    /* An empty name makes a temporary database, which SQLite moves to disk when it is large. */
    if (sqlite3_open_v2("", &file->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) !=
            SQLITE_OK ||
        !add_tables(file))
        file_fail_sql(file, "a temporary database");
    return !file->failed && archive_fill(file, path) ? file : give_up(file, api, error);
}

pva_file *pva_open_report(const char *path, const char *debug_cbor, pop_error *error)
{
    static const char api[] = "pva_open_report";
    struct stat facts;
    if (!path || !*path) {
        error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "the path is empty");
        return NULL;
    }
    bool is_directory = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    char *profile = is_directory ? join(path, "profile.pop") : mem_string(path);
    char *archive = is_directory ? join(path, "archive.a") : mem_string(path);
    pva_file *file = NULL;
    char *left = is_directory && access(profile, F_OK) != 0 ? newest_temporary(path) : NULL;
    if (left)
        error_set(
            error, POP_MISSING_GRAPH_PROFILE, NO_WHERE, api,
            "no graph profile found: %s has no profile.pop, but '%s', whose writer did not end: open that file, or "
            "complete it with 'pva check --repair'",
            path, left);
    else if (is_directory ? access(profile, F_OK) != 0 && access(archive, F_OK) == 0 : is_archive(path))
        file = open_archive(archive, api, error);
    else if (is_directory && stat(profile, &facts) != 0)
        no_file(path, error);
    else
        file = open_database(profile, FILE_REPORT, "report", api, error);
    if (file)
        file->directory = directory_of(profile);
    free(profile);
    free(archive);
    free(left);
    if (!file)
        return NULL;
    if (!check_schema(file) || !check_format(file, "tremula profile", 1, "report") || !executed_tables(file) ||
        !check_tables(file) || !read_target(file))
        return give_up(file, api, error);
    if (debug_cbor)
        debug_open(file, debug_cbor);
    else
        companions_open_debug(file);
    return file->failed ? give_up(file, api, error) : file;
}

pva_file *pva_open_trace(const char *path, pop_error *error)
{
    static const char api[] = "pva_open_trace";
    pva_file *file = open_database(path ? path : "", FILE_TRACE, "trace", api, error);
    if (!file)
        return NULL;
    if (!check_schema(file) || !check_format(file, "tremula trace", 1, "trace") || !check_tables(file))
        return give_up(file, api, error);
    return file;
}

void pva_close(pva_file *file)
{
    if (!file)
        return;
    tables_free(file);
    memory_free(file);
    debug_free(file);
    repeats_free(file);
    for (size_t i = 0; i < RECENT_REPORTS; ++i)
        free(file->kept[i].numbers);
    sqlite3_close(file->db);
    str_free(&file->warning);
    free(file->directory);
    free(file->path);
    free(file);
}

pva_object pva_root(pva_file *file)
{
    if (!file)
        return object_null;
    return object_make(file, file->kind == FILE_REPORT ? PVA_CLASS_REPORT : PVA_CLASS_TRACE, 0, 0, 0);
}

bool pva_failed(const pva_file *file)
{
    return file && file->failed;
}

pop_status pva_take_error(pva_file *file, pop_error *error)
{
    if (!pva_failed(file))
        return POP_OK;
    if (error)
        *error = file->error;
    file->failed = false;
    return file->error.status;
}
