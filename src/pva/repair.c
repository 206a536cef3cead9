/* SPDX-License-Identifier: Apache-2.0 */
/* Completing the temporary file of a writer that was killed. */
#include "pva/source.h"

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <poplar/text.h>
#include <sys/stat.h>
#include <unistd.h>

static const char api[] = "pva_repair";

/* What a writer does when it ends (docs/reference/report-files.md, "Life of a file"). */
static const char finish[] = "CREATE INDEX IF NOT EXISTS vars_info_by_tile ON vars_info(tile);"
                             "CREATE INDEX IF NOT EXISTS steps_by_run ON runs(first_step);"
                             "CREATE INDEX IF NOT EXISTS live_lists_by_bytes ON live_lists(bytes);"
                             "CREATE INDEX IF NOT EXISTS blocks_by_tile ON blocks(tile);"
                             "INSERT OR REPLACE INTO info VALUES('error', 'the program that wrote this report was "
                             "killed; pva check --repair completed it');"
                             "UPDATE format SET execution = EXISTS(SELECT 1 FROM runs);";

static bool is_temporary(const char *name)
{
    size_t length = strlen(name);
    return strncmp(name, "profile_", 8) == 0 && length > 12 && strcmp(name + length - 4, ".pop") == 0;
}

/* The newest temporary file of a directory; malloc'ed, NULL when there is none. */
char *newest_temporary(const char *directory)
{
    DIR *entries = opendir(directory);
    char *found = NULL;
    struct timespec when = { 0 };
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (!is_temporary(entry->d_name))
            continue;
        struct str path = { 0 };
        struct stat facts;
        str_format(&path, "%s/%s", directory, entry->d_name);
        bool later = stat(path.text, &facts) == 0 &&
                     (!found || facts.st_mtim.tv_sec > when.tv_sec ||
                      (facts.st_mtim.tv_sec == when.tv_sec && facts.st_mtim.tv_nsec > when.tv_nsec));
        if (later) {
            when = facts.st_mtim;
            free(found);
            found = path.text;
        } else {
            str_free(&path);
        }
    }
    if (entries)
        closedir(entries);
    return found;
}

/* Whether the file can be read as far as it goes: libpva opens it. */
static pop_status check_readable(const char *path, pop_error *error)
{
    pop_error why = { 0 };
    pva_file *file = pva_open_report(path, NULL, &why);
    pva_close(file);
    return file ? POP_OK : error_set(error, why.status, NO_WHERE, api, "%s", why.text);
}

static pop_status complete(const char *path, pop_error *error)
{
    sqlite3 *db = NULL;
    int result = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    const char *const parts[] = { "BEGIN IMMEDIATE;", finish,
                                  "COMMIT; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE;" };
    for (size_t i = 0; result == SQLITE_OK && i < 3; ++i)
        result = sqlite3_exec(db, parts[i], NULL, NULL, NULL);
    pop_status status = POP_OK;
    if (result != SQLITE_OK)
        status = error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "%s cannot be completed: %s", path,
                           sqlite3_errmsg(db));
    sqlite3_close(db);
    return status;
}

pop_status pva_repair(const char *path, pop_error *error)
{
    struct stat facts;
    struct str directory = { 0 }, whole = { 0 };
    char *temporary = NULL;
    pop_status status = POP_OK;
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        str_add(&directory, path);
        temporary = newest_temporary(path);
    } else {
        const char *slash = strrchr(path, '/');
        str_add_bytes(&directory, slash ? path : ".", slash ? (size_t)(slash - path) + (slash == path) : 1);
        if (is_temporary(slash ? slash + 1 : path) && access(path, F_OK) == 0)
            temporary = mem_string(path);
    }
    str_format(&whole, "%s/profile.pop", str_text(&directory));
    if (!temporary)
        status = error_set(
            error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "%s: there is no temporary file profile_*.pop to complete%s",
            path, access(whole.text, F_OK) == 0 ? ", and profile.pop is there: nothing is to be repaired" : "");
    else if (access(whole.text, F_OK) == 0)
        status =
            error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "%s is there already; move it away first", whole.text);
    if (status == POP_OK)
        status = check_readable(temporary, error);
    if (status == POP_OK)
        status = complete(temporary, error);
    if (status == POP_OK && rename(temporary, whole.text) != 0)
        status = error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "%s cannot be renamed: %s", temporary,
                           pop_text_from_errno(errno));
    free(temporary);
    str_free(&directory);
    str_free(&whole);
    return status;
}
