/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a report's directory: files of the report, of other reports, and files left behind by killed programs. */
#include "pva/companions.h"
#include "pva/reader.h"

#include "base/error.h"
#include "base/file.h"

#include <dirent.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

struct look {
    const char *directory;
    const char *profile;         /* path of the report's profile; NULL: there is none */
    bool is_temporary;           /* the profile has its temporary name */
    char linked[REPORT_ID_SIZE]; /* of the temporary file that profile.pop is a link to; "": it is the file itself */
    struct companions companions;
    void (*found)(void *context, bool problem, const char *text);
    void *context;
};

static void say(const struct look *look, bool problem, const char *format, ...) POP_PRINTF(3, 4);
static void say(const struct look *look, bool problem, const char *format, ...)
{
    struct str text = { 0 };
    va_list arguments;
    va_start(arguments, format);
    str_vformat(&text, format, arguments);
    va_end(arguments);
    look->found(look->context, problem, str_text(&text));
    str_free(&text);
}

static char *in_directory(const struct look *look, const char *name)
{
    struct str path = { 0 };
    str_format(&path, "%s/%s", look->directory, name);
    return path.text;
}

static bool newer(const char *path, const char *other)
{
    struct stat a, b;
    return other && stat(path, &a) == 0 && stat(other, &b) == 0 &&
           (a.st_mtim.tv_sec > b.st_mtim.tv_sec ||
            (a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec > b.st_mtim.tv_nsec));
}

/* Whether the file and SQLite's log beside it are both empty. */
static bool is_empty_file(const char *path)
{
    struct str log = { 0 };
    struct stat facts;
    str_format(&log, "%s-wal", path);
    bool empty = stat(path, &facts) == 0 && facts.st_size == 0 && (stat(log.text, &facts) != 0 || facts.st_size == 0);
    str_free(&log);
    return empty;
}

/* Reports another profile with a temporary name. */
static void look_at_profile(const struct look *look, const char *name)
{
    char *path = in_directory(look, name);
    int64_t process = process_that_writes(path);
    enum report_file file;
    char id[REPORT_ID_SIZE];
    bool linked = report_file_is_temporary(name, &file, id) && !strcmp(id, look->linked);
    bool same = linked || (look->profile && !strcmp(path, look->profile)), later = newer(path, look->profile);
    const char *age = !look->profile || same ? "" : later ? ", newer than the report" : ", older than the report";
    if (process >= 0)
        say(look, false, "%s is written now, by process %lld%s", name, (long long)process, age);
    else if (linked)
        say(look, true,
            "profile.pop is a link to %s, because its program was killed, or ended without destroying its engine: 'pva "
            "check --repair' completes it",
            name);
    else if (!same && is_empty_file(path))
        say(look, true, "%s is empty%s: the program was killed before it wrote anything: remove the file", name, age);
    else if (!same)
        say(look, true, "%s was left by a program that was killed%s: 'pva check --repair' completes it", name, age);
    free(path);
}

/* Reports a companion with a temporary name. */
static void look_at_companion(const struct look *look, enum report_file file, const char *name, const char *id)
{
    char *profile = report_file_path(look->directory, REPORT_FILE_PROFILE, id);
    if (access(profile, F_OK) == 0)
        ; /* the message about that report's profile covers it */
    else if (look->profile && !strcmp(id, look->companions.id))
        say(look, true,
            "%s of this report is still called %s, because the program was killed while it gave the files their "
            "names: 'pva check --repair' does the rest",
            report_file_name(file), name);
    else
        say(look, true, "%s was left by a program that was killed while it compiled (or is compiling now)", name);
    free(profile);
}

/* Reports SQLite's log of a deleted database, and a file of a killed program that was about to be written. */
static void look_at_rest(const struct look *look, const char *name)
{
    static const char *const endings[] = { "-wal", "-shm", "-journal" };
    static const char *const stems[] = { "profile_", "debug_", "archive_", "serialized_graph_" };
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); ++i) {
        size_t ending = strlen(endings[i]);
        if (length <= ending || strcmp(name + length - ending, endings[i]) != 0)
            continue;
        char *path = in_directory(look, name);
        path[strlen(path) - ending] = '\0';
        if (is_temporary(strrchr(path, '/') + 1) && access(path, F_OK) != 0)
            say(look, true, "%s belongs to a file that is not there any more", name);
        free(path);
        return;
    }
    for (size_t i = 0; i < sizeof(stems) / sizeof(stems[0]); ++i)
        if (length > 5 && (!strcmp(name + length - 4, ".tmp") || !strcmp(name + length - 5, ".link")) &&
            !strncmp(name, stems[i], strlen(stems[i])))
            say(look, true, "%s was left by a program that was killed while it compiled (or is compiling now)", name);
}

static void look_at_temporaries(const struct look *look)
{
    struct dirent **names;
    int count = scandir(look->directory, &names, NULL, alphasort);
    for (int i = 0; i < count; ++i) {
        const char *name = names[i]->d_name;
        enum report_file file = REPORT_FILE_PROFILE;
        char id[REPORT_ID_SIZE];
        bool temporary = report_file_is_temporary(name, &file, id);
        if (is_temporary(name))
            look_at_profile(look, name);
        else if (temporary)
            look_at_companion(look, file, name, id);
        else
            look_at_rest(look, name);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
}

/* Checks a companion with its final name: whether it belongs to this report and is complete. */
static void look_at_name(const struct look *look, enum report_file file)
{
    const char *name = report_file_name(file);
    char *path = report_file_path(look->directory, file, NULL),
         *temporary = report_file_path(look->directory, file, look->companions.id), id[REPORT_ID_SIZE];
    uint64_t bytes = report_file_bytes(path), written = look->companions.bytes[file];
    bool there = access(path, F_OK) == 0, waits = access(temporary, F_OK) == 0, listed = written != UINT64_MAX;
    bool own = there && companions_own(&look->companions, file, path);
    report_file_id(path, file, id);
    if (!there && listed && !waits)
        say(look, true, "%s is missing: it was written with this report", name);
    else if (there && !own && *id)
        say(look, true, "%s belongs to another report%s", name,
            listed && !waits ? ", and this report's is missing" : "");
    else if (there && !own && !look->is_temporary)
        say(look, true,
            listed ? "%s is damaged, or does not belong to this report" : "%s was not written with this report", name);
    else if (own && listed && (file == REPORT_FILE_DEBUG ? bytes < written : bytes != written))
        say(look, true, "%s is damaged: it has %llu bytes, and %llu were written", name, (unsigned long long)bytes,
            (unsigned long long)written);
    free(path);
    free(temporary);
}

/* The head of an SQLite database gives its number of pages, which must match the file's size. */
static void look_at_size(const struct look *look, pva_file *file)
{
    unsigned char head[100];
    int64_t bytes = 0;
    if (database_head(file->db, head, sizeof(head), &bytes) != SQLITE_OK)
        return;
    uint64_t page = (uint64_t)head[16] << 8 | head[17],
             pages = (uint64_t)head[28] << 24 | (uint64_t)head[29] << 16 | (uint64_t)head[30] << 8 | head[31];
    page = page == 1 ? 65536 : page;
    if (page * pages != (uint64_t)bytes)
        say(look, true, "%s is damaged: it has %lld bytes, and %llu by its own account", look->profile,
            (long long)bytes, (unsigned long long)(page * pages));
}

pop_status pva_check_files(const char *path, void (*found)(void *context, bool problem, const char *text),
                           void *context, pop_error *error)
{
    struct stat facts;
    struct look look = { .found = found, .context = context };
    bool is_directory = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    char *directory = is_directory ? mem_string(path) : directory_of(path);
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        directory[--length] = '\0';
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    struct str profile = { 0 };
    str_format(&profile, "%s/%s", directory, is_directory ? report_file_name(REPORT_FILE_PROFILE) : name);
    look.directory = directory;
    look.is_temporary = !is_directory && is_temporary(name);
    report_linked(directory, look.linked);
    pop_status status = POP_OK;
    bool archive = !is_directory && !strcmp(name, report_file_name(REPORT_FILE_ARCHIVE));
    if (!archive && access(profile.text, F_OK) == 0) {
        pva_file *file = pva_open_report(profile.text, NULL, error);
        status = file ? POP_OK : POP_FILE_LOAD_ERROR;
        look.profile = profile.text;
        if (file)
            companions_read(file, &look.companions);
        if (file && !look.is_temporary && !*look.linked)
            look_at_size(&look, file);
        pva_close(file);
    }
    look_at_temporaries(&look);
    for (int i = REPORT_FILE_DEBUG; *look.companions.id && i < REPORT_FILES; ++i)
        look_at_name(&look, (enum report_file)i);
    str_free(&profile);
    free(directory);
    return status;
}
