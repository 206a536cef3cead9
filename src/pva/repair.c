/* SPDX-License-Identifier: Apache-2.0 */
/* Completes the temporary file of a killed writer. */
#include "pva/companions.h"
#include "pva/reader.h"

#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "base/vec.h"
#include "value/report_open.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poplar/text.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char api[] = "pva_repair";

/* The statements that a writer executes at its end (docs/reference/report-files.md, "Life of a file"). */
static const char finish[] = "CREATE INDEX IF NOT EXISTS vars_info_by_tile ON vars_info(tile);"
                             "CREATE INDEX IF NOT EXISTS steps_by_run ON runs(first_step);"
                             "CREATE INDEX IF NOT EXISTS live_lists_by_bytes ON live_lists(bytes);"
                             "CREATE INDEX IF NOT EXISTS blocks_by_tile ON blocks(tile);"
                             "INSERT OR REPLACE INTO info VALUES('error', 'the program that wrote this report was "
                             "killed; pva check --repair completed it');"
                             "UPDATE format SET execution = EXISTS(SELECT 1 FROM runs);";

bool is_temporary(const char *name)
{
    size_t length = strlen(name);
    return strncmp(name, "profile_", 8) == 0 && length > 12 && strcmp(name + length - 4, ".pop") == 0;
}

struct temporary {
    char *path;
    struct timespec changed;
};
typedef VEC(struct temporary) temporaries;

static int newest_first(const void *left, const void *right)
{
    const struct temporary *a = left, *b = right;
    if (a->changed.tv_sec != b->changed.tv_sec)
        return a->changed.tv_sec < b->changed.tv_sec ? 1 : -1;
    return (a->changed.tv_nsec < b->changed.tv_nsec) - (a->changed.tv_nsec > b->changed.tv_nsec);
}

/* Lists the temporary files of a directory, newest first. */
static void find_temporaries(const char *directory, temporaries *found)
{
    DIR *entries = opendir(directory);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        struct str path = { 0 };
        struct stat facts;
        str_format(&path, "%s/%s", directory, entry->d_name);
        if (is_temporary(entry->d_name) && stat(path.text, &facts) == 0)
            *vec_push(found) = (struct temporary){ path.text, facts.st_mtim };
        else
            str_free(&path);
    }
    if (entries)
        closedir(entries);
    if (found->count)
        qsort(found->data, found->count, sizeof(*found->data), newest_first);
}

static void free_temporaries(temporaries *found)
{
    for (size_t i = 0; i < found->count; ++i)
        free(found->data[i].path);
    vec_free(found);
}

char *newest_temporary(const char *directory)
{
    temporaries found = { 0 };
    find_temporaries(directory, &found);
    char *newest = found.count ? mem_string(found.data[0].path) : NULL;
    free_temporaries(&found);
    return newest;
}

/* The process with a lock on the bytes that a process locks for as long as it has a database open in WAL mode; -1:
 * none, 0: its id is unknown. */
static int64_t locking_process(const char *path)
{
    enum { SHARED_FIRST = 0x40000002, SHARED_BYTES = 510 }; /* PENDING_BYTE + 2 */
    int file = file_open_regular(path);
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = SHARED_FIRST, .l_len = SHARED_BYTES };
    bool locked = file >= 0 && fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    return !locked ? -1 : lock.l_pid > 0 ? lock.l_pid : 0;
}

/* A child asks: it is another process than one that has the file open here, and what it closes drops no lock of this
 * one. */
int64_t process_that_writes(const char *path)
{
    int ends[2];
    int64_t process = -1;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    pid_t child = fork();
    if (!child) {
        process = locking_process(path);
        _exit(write(ends[1], &process, sizeof(process)) != sizeof(process));
    }
    close(ends[1]);
    if (child > 0 && read(ends[0], &process, sizeof(process)) != sizeof(process))
        process = -1;
    close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    return process;
}

/* Whether libpva can open the file. Gives its report's id, "" when it has none. */
static pop_status check_readable(const char *path, char id[REPORT_ID_SIZE], pop_error *error)
{
    pop_error why = { 0 };
    struct companions companions;
    pva_file *file = pva_open_report(path, NULL, &why);
    *id = '\0';
    if (!file)
        return error_set(error, why.status, NO_WHERE, api, "%s", why.text);
    companions_read(file, &companions);
    memcpy(id, companions.id, sizeof(companions.id));
    pva_close(file);
    return POP_OK;
}

static pop_status finish_database(const char *path, pop_error *error)
{
    sqlite3 *db = NULL;
    char what[REPORT_SCHEMA_NAME] = "";
    if (!report_is_regular(path)) /* since it was read */
        return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "%s is not a regular file", path);
    int result = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    if (result == SQLITE_OK)
        result = report_check_schema(db, what);
    const char *const parts[] = { "BEGIN IMMEDIATE;", finish,
                                  "COMMIT; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE;" };
    for (size_t i = 0; result == SQLITE_OK && i < 3; ++i)
        result = sqlite3_exec(db, parts[i], NULL, NULL, NULL);
    pop_status status = POP_OK;
    if (result != SQLITE_OK)
        status = error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "%s cannot be completed: %s%s", path,
                           *what ? "it has the " : sqlite3_errmsg(db), what);
    sqlite3_close(db);
    return status;
}

/* Renames the file and its companions to their final names. */
static pop_status restore_names(const char *path, const char *directory, const char *id, pop_error *error)
{
    enum report_file failed = REPORT_FILE_PROFILE;
    char *whole = report_file_path(directory, REPORT_FILE_PROFILE, NULL);
    int lock = report_lock(directory);
    bool good = rename(path, whole) == 0 && (!*id || report_companions_rename(directory, id, NULL, &failed));
    pop_status status = POP_OK;
    if (!good)
        status = error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "%s cannot be renamed: %s",
                           failed == REPORT_FILE_PROFILE ? path : report_file_name(failed), pop_text_from_errno(errno));
    report_unlock(lock);
    free(whole);
    return status;
}

static pop_status complete(const char *path, const char *directory, pop_error *error)
{
    char id[REPORT_ID_SIZE];
    int64_t process = process_that_writes(path);
    if (process >= 0)
        return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api,
                         "%s: a program (process %lld) still has it open: wait until it ends", path,
                         (long long)process);
    pop_status status = check_readable(path, id, error);
    if (status == POP_OK)
        status = finish_database(path, error);
    return status == POP_OK ? restore_names(path, directory, id, error) : status;
}

/* Completes the newest file that can be completed; on failure the error is that of the newest file. */
static pop_status complete_any(const temporaries *found, const char *directory, pop_error *error)
{
    pop_error ours = { 0 };
    pop_status status = POP_OK;
    for (size_t i = 0; i < found->count; ++i) {
        pop_status one = complete(found->data[i].path, directory, i ? &ours : error);
        if (one == POP_OK)
            return POP_OK;
        status = i ? status : one;
    }
    return status;
}

/* Renames companions of a profile.pop that has its final name already: their writer was killed in between. */
static bool finish_names(const char *whole, const char *directory)
{
    char id[REPORT_ID_SIZE];
    pop_error ours = { 0 };
    enum report_file failed;
    bool found = false;
    if (check_readable(whole, id, &ours) != POP_OK || !*id)
        return false;
    for (int i = REPORT_FILE_DEBUG; i < REPORT_FILES; ++i) {
        char *path = report_file_path(directory, (enum report_file)i, id);
        found |= access(path, F_OK) == 0;
        free(path);
    }
    int lock = report_lock(directory);
    bool good = found && report_companions_rename(directory, id, NULL, &failed);
    report_unlock(lock);
    return good;
}

/* The file that profile.pop of a directory is a link to while its report is written; NULL: it is no such link. */
static char *linked_profile(const char *directory)
{
    char id[REPORT_ID_SIZE];
    report_linked(directory, id);
    char *path = *id ? report_file_path(directory, REPORT_FILE_PROFILE, id) : NULL;
    if (path && access(path, F_OK) == 0)
        return path;
    free(path);
    return NULL;
}

pop_status pva_repair(const char *path, pop_error *error)
{
    struct stat facts;
    pop_error ours;
    error = error ? error : &ours;
    bool is_directory = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    char *directory = is_directory ? mem_string(path) : directory_of(path),
         *whole = report_file_path(directory, REPORT_FILE_PROFILE, NULL);
    const char *slash = strrchr(path, '/');
    temporaries found = { 0 };
    pop_status status = POP_OK;
    char *linked = linked_profile(directory);
    bool there = !linked && access(whole, F_OK) == 0;
    if (linked)
        *vec_push(&found) = (struct temporary){ .path = linked };
    else if (is_directory)
        find_temporaries(path, &found);
    else if (is_temporary(slash ? slash + 1 : path) && access(path, F_OK) == 0)
        *vec_push(&found) = (struct temporary){ .path = mem_string(path) };
    if (there && finish_names(whole, directory))
        status = POP_OK;
    else if (!found.count)
        status = error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api,
                           "%s: there is no temporary file profile_*.pop to complete%s", path,
                           there ? ", and profile.pop exists: nothing needs repair" : "");
    else if (there)
        status = error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api,
                           "%s exists already; move it away first to complete '%s'", whole, found.data[0].path);
    else
        status = complete_any(&found, directory, error);
    free_temporaries(&found);
    free(directory);
    free(whole);
    return status;
}
