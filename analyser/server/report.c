/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"
#include "base/mem.h"
#include "base/str.h"
#include "sets.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const report_files[REPORT_FILES] = { "profile.pop",           "debug.cbor",     "archive.a",
                                                 "serialized_graph.json", "framework.json", "app.json" };

struct reports {
    pthread_mutex_t lock;
    struct report_use *open[MAX_REPORTS];
    unsigned count;
    atomic_bool ending;
    struct events *events;
};

struct reports *reports_new(void)
{
    struct reports *reports = MEM_NEW(struct reports);
    pthread_mutex_init(&reports->lock, NULL);
    reports->events = events_new();
    return reports;
}

void reports_free(struct reports *reports)
{
    if (!reports)
        return;
    for (unsigned i = 0; i < reports->count; ++i)
        reports_release(reports->open[i]);
    events_free(reports->events);
    pthread_mutex_destroy(&reports->lock);
    free(reports);
}

struct events *reports_events(struct reports *reports)
{
    return reports->events;
}

void reports_end(struct reports *reports)
{
    atomic_store(&reports->ending, true);
    events_end(reports->events);
}

bool reports_ending(const struct reports *reports)
{
    return atomic_load(&reports->ending);
}

/* The last two components of a directory's path. */
static char *name_of(const char *directory)
{
    const char *name = directory + strlen(directory);
    for (unsigned slashes = 0; name > directory; --name)
        if (name[-1] == '/' && ++slashes == 2)
            break;
    return mem_string(name);
}

/* The newest profile_*.pop in a directory, malloc'ed; NULL when there is none. */
static char *temporary_of(const char *directory)
{
    DIR *stream = opendir(directory);
    struct timespec newest = { 0 };
    struct str path = { 0 };
    char *found = NULL;
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        size_t length = strlen(entry->d_name);
        struct stat facts;
        if (strncmp(entry->d_name, "profile_", 8) != 0 || length < 4 || strcmp(entry->d_name + length - 4, ".pop") != 0)
            continue;
        path.length = 0;
        str_format(&path, "%s/%s", directory, entry->d_name);
        if (stat(path.text, &facts) != 0 || !S_ISREG(facts.st_mode))
            continue;
        bool later = facts.st_mtim.tv_sec > newest.tv_sec ||
                     (facts.st_mtim.tv_sec == newest.tv_sec && facts.st_mtim.tv_nsec > newest.tv_nsec);
        if (found && !later)
            continue;
        newest = facts.st_mtim;
        free(found);
        found = mem_string(path.text);
    }
    if (stream)
        closedir(stream);
    str_free(&path);
    return found;
}

/* The path of a file in a directory, malloc'ed; NULL when it does not exist. */
static char *file_in(const char *directory, const char *name)
{
    struct str path = { 0 };
    struct stat facts;
    str_format(&path, "%s/%s", directory, name);
    if (stat(path.text, &facts) == 0)
        return path.text;
    str_free(&path);
    return NULL;
}

/* The file to open in a directory: profile.pop, else a temporary file, else archive.a; NULL when there is none. */
static char *file_of(const char *directory, bool *temporary)
{
    char *file = file_in(directory, "profile.pop"), target[64];
    if (file && readlink(file, target, sizeof(target)) > 0) { /* a link until the report ends */
        char *linked = realpath(file, NULL);
        free(file);
        file = linked;
        *temporary = true;
    }
    if (!file)
        file = temporary_of(directory), *temporary = file != NULL;
    return file ? file : file_in(directory, "archive.a");
}

/* The file to open for a user's path, and its directory. For a directory without a report it is the newest report in
 * a direct subdirectory; *file is NULL when there is none. */
static void find_file(const char *path, char **file, char **directory, bool *temporary)
{
    struct stat facts;
    char *whole = realpath(path, NULL);
    *directory = mem_string(whole ? whole : path);
    free(whole);
    *temporary = false;
    if (stat(*directory, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        *file = file_of(*directory, temporary);
        char *below = *file ? NULL : set_newest(*directory);
        if (below) {
            free(*directory);
            *directory = below;
            *file = file_of(below, temporary);
        }
        return;
    }
    *file = mem_string(*directory);
    char *slash = strrchr(*directory, '/');
    if (slash)
        *slash = '\0';
    const char *base = slash ? slash + 1 : *directory;
    *temporary = strncmp(base, "profile_", 8) == 0;
}

static struct report_use *open_one(struct reports *reports, const char *path, pop_error *error)
{
    struct report_use *use = MEM_NEW(struct report_use);
    struct analyser_report *report = &use->report;
    find_file(path, &report->path, &report->directory, &report->temporary);
    /* Without a file, opens the directory, so that libpva reports what is missing. */
    report->file = pva_open_report(report->path ? report->path : report->directory, NULL, error);
    report->name = name_of(report->directory);
    use->reports = reports;
    use->references = 1;
    pthread_mutex_init(&use->lock, NULL);
    pthread_mutex_init(&use->lod_lock, NULL);
    if (report->file)
        return use;
    struct stat facts;
    if (stat(report->path ? report->path : report->directory, &facts) != 0)
        answer_fail(error, POP_FILE_LOAD_ERROR, "%s: no graph profile found (%s)", path, strerror(errno));
    else if (error->status == POP_MISSING_GRAPH_PROFILE)
        error->status = POP_FILE_LOAD_ERROR; /* from the client's view, nothing exists there */
    reports_release(use);
    return NULL;
}

static void replace(struct reports *reports, struct report_use *opened[MAX_REPORTS], unsigned count)
{
    struct report_use *before[MAX_REPORTS];
    pthread_mutex_lock(&reports->lock);
    unsigned old = reports->count;
    memcpy(before, reports->open, sizeof(before));
    memcpy(reports->open, opened, sizeof(before));
    reports->count = count;
    pthread_mutex_unlock(&reports->lock);
    for (unsigned i = 0; i < old; ++i)
        reports_release(before[i]);
}

pop_status reports_open(struct reports *reports, const char *const *directories, size_t count, pop_error *error)
{
    struct report_use *opened[MAX_REPORTS] = { 0 };
    pop_error unseen = { 0 };
    error = error ? error : &unseen;
    if (count < 1 || count > MAX_REPORTS)
        return answer_fail(error, POP_INVALID_OPTION, "%zu directories (allowed: 1, or 2 to compare)", count);
    for (size_t i = 0; i < count; ++i) {
        opened[i] = open_one(reports, directories[i], error);
        if (opened[i])
            opened[i]->index = (unsigned)i;
        if (!opened[i]) {
            if (i)
                reports_release(opened[0]);
            return error->status;
        }
    }
    replace(reports, opened, (unsigned)count);
    return POP_OK;
}

void reports_close(struct reports *reports)
{
    struct report_use *none[MAX_REPORTS] = { 0 };
    replace(reports, none, 0);
}

unsigned reports_count(struct reports *reports)
{
    pthread_mutex_lock(&reports->lock);
    unsigned count = reports->count;
    pthread_mutex_unlock(&reports->lock);
    return count;
}

char *reports_directory(struct reports *reports, unsigned index)
{
    pthread_mutex_lock(&reports->lock);
    char *directory = index < reports->count ? mem_string(reports->open[index]->report.directory) : NULL;
    pthread_mutex_unlock(&reports->lock);
    return directory;
}

char *reports_temporary(struct reports *reports, unsigned index)
{
    pthread_mutex_lock(&reports->lock);
    const struct report_use *use = index < reports->count ? reports->open[index] : NULL;
    char *path = use && use->report.temporary ? mem_string(use->report.path) : NULL;
    pthread_mutex_unlock(&reports->lock);
    return path;
}

struct report_use *reports_use(struct reports *reports, unsigned index, pop_error *error)
{
    pthread_mutex_lock(&reports->lock);
    struct report_use *use = index < reports->count ? reports->open[index] : NULL;
    unsigned count = reports->count;
    if (use)
        ++use->references;
    pthread_mutex_unlock(&reports->lock);
    if (!use && !count)
        answer_fail(error, POP_FILE_LOAD_ERROR, "no report is open");
    else if (!use)
        answer_fail(error, POP_INVALID_OPTION, "report is %u (allowed: 0%s)", index, count == 2 ? " or 1" : "");
    return use;
}

static void *prepare(void *user)
{
    struct report_use *use = user;
    use->prepare(use);
    return NULL;
}

void reports_prepare(struct reports *reports, void (*prepare_one)(struct report_use *))
{
    pthread_mutex_lock(&reports->lock);
    for (unsigned i = 0; i < reports->count; ++i) {
        struct report_use *use = reports->open[i];
        if (!use->is_preparing && use->report.path && !use->report.temporary) {
            use->prepare = prepare_one;
            use->is_preparing = pthread_create(&use->preparing, NULL, prepare, use) == 0;
        }
    }
    pthread_mutex_unlock(&reports->lock);
}

/* Joins a use's thread; only called once. */
static void finish_use(struct report_use *use)
{
    pthread_mutex_lock(&use->reports->lock);
    bool preparing = use->is_preparing;
    use->is_preparing = false;
    pthread_mutex_unlock(&use->reports->lock);
    if (preparing)
        pthread_join(use->preparing, NULL);
}

void reports_finish(struct reports *reports)
{
    for (unsigned i = 0; i < MAX_REPORTS; ++i) {
        pop_error unseen = { 0 };
        struct report_use *use = reports_use(reports, i, &unseen);
        if (!use)
            return;
        finish_use(use);
        reports_release(use);
    }
}

void reports_release(struct report_use *use)
{
    struct reports *reports = use->reports;
    pthread_mutex_lock(&reports->lock);
    bool last = --use->references == 0;
    pthread_mutex_unlock(&reports->lock);
    if (!last)
        return;
    finish_use(use);
    for (int kind = 0; kind < KEPT_KINDS; ++kind)
        if (use->report.kept[kind].data)
            use->report.kept[kind].release(use->report.kept[kind].data);
    pva_close(use->report.file);
    free(use->report.directory);
    free(use->report.path);
    free(use->report.name);
    pthread_mutex_destroy(&use->lock);
    pthread_mutex_destroy(&use->lod_lock);
    free(use);
}
