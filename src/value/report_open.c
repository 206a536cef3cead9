/* SPDX-License-Identifier: Apache-2.0 */
#include "value/report_open.h"

#include "base/mem.h"
#include "base/str.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

bool report_has_regular_logs(const char *path)
{
    static const char *const endings[] = { "-wal", "-shm", "-journal" };
    bool good = true;
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]) && good; ++i) {
        struct str log = { 0 };
        struct stat facts;
        str_format(&log, "%s%s", path, endings[i]);
        good = stat(log.text, &facts) != 0 || S_ISREG(facts.st_mode);
        str_free(&log);
    }
    return good;
}

bool report_is_regular(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && report_has_regular_logs(path);
}

/* Of a regular file this is the same. */
static int open_without_waiting(const char *path, int flags, int mode)
{
    return open(path, flags | O_NONBLOCK, mode);
}

/* For all of the process's files of SQLite, which has no other way; this library stays loaded (-z nodelete). */
static void replace_open(void)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find("unix");
    if (vfs && vfs->iVersion >= 3)
        vfs->xSetSystemCall(vfs, "open", (sqlite3_syscall_ptr)open_without_waiting);
}

int report_open_readonly(const char *name, int flags, sqlite3 **db)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (sqlite3_initialize() == SQLITE_OK)
        pthread_once(&once, replace_open);
    return sqlite3_open_v2(name, db, SQLITE_OPEN_READONLY | flags, NULL);
}

/* Refuses what no writer of reports makes, and what can run without end or allocate without limit while a table is
 * read or written: triggers, virtual tables, generated columns, and views in place of tables. Reports have four views,
 * which only users' queries read; one is in place of the table `executed` of earlier versions. */
int report_check_schema(sqlite3 *db, char what[REPORT_SCHEMA_NAME])
{
    static const char sql[] =
        "SELECT m.type, m.name FROM sqlite_master m WHERE m.type = 'trigger' OR m.type = 'view' AND "
        "m.name NOT IN ('lowered_variables', 'steps', 'steps_by_ipu') AND (m.name <> 'executed' OR NOT EXISTS(SELECT 1 "
        "FROM sqlite_master t WHERE t.type = 'table' AND t.name = 'executed_rows')) OR m.type = 'table' AND "
        "(m.rootpage = 0 OR "
        "EXISTS(SELECT 1 FROM pragma_table_xinfo(m.name) c WHERE c.hidden > 0)) LIMIT 1";
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_step(statement);
    if (result == SQLITE_ROW) {
        const char *type = (const char *)sqlite3_column_text(statement, 0),
                   *name = (const char *)sqlite3_column_text(statement, 1);
        snprintf(what, REPORT_SCHEMA_NAME, "%.16s %.64s", type ? type : "", name ? name : "");
        result = SQLITE_MISUSE;
    }
    sqlite3_finalize(statement);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

void report_count_memory(int result)
{
    if ((result & 0xff) == SQLITE_NOMEM || result == SQLITE_IOERR_NOMEM)
        atomic_fetch_add_explicit(&mem_failed, 1, memory_order_relaxed);
}

sqlite3 *report_open(const char *path)
{
    enum { LONGEST_VALUE = 256 << 20 };
    sqlite3 *db = NULL;
    char what[REPORT_SCHEMA_NAME];
    if (!report_is_regular(path))
        return NULL;
    int result = report_open_readonly(path, 0, &db);
    if (result == SQLITE_OK) {
        sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
        sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LONGEST_VALUE);
        result = report_check_schema(db, what);
    }
    if (result == SQLITE_OK)
        return db;
    report_count_memory(result);
    sqlite3_close(db);
    return NULL;
}
