/* SPDX-License-Identifier: Apache-2.0 */
#include "watch.h"

#include "base/mem.h"
#include "base/str.h"

#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Polling needs a few calls of stat, works on every file system, and needs no descriptors. */
enum { POLL_MILLISECONDS = 500, WATCHED_FILES = REPORT_FILES + 2 };

/* The state of a file at the last poll. */
struct look {
    bool present;
    uint64_t bytes, seconds, nanoseconds, inode;
};
struct watched {
    char *directory;
    struct look states[WATCHED_FILES];
};
struct watch {
    struct reports *reports;
    pthread_t thread;
    const char *const *live; /* directories of --live */
    size_t live_count;
    struct watched watched[MAX_REPORTS];
};

static struct look read_file_state(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) != 0)
        return (struct look){ 0 };
    return (struct look){ true, (uint64_t)facts.st_size, (uint64_t)facts.st_mtim.tv_sec,
                          (uint64_t)facts.st_mtim.tv_nsec, (uint64_t)facts.st_ino };
}

static bool same_file_state(const struct look *a, const struct look *b)
{
    return a->present == b->present && a->bytes == b->bytes && a->seconds == b->seconds &&
           a->nanoseconds == b->nanoseconds && a->inode == b->inode;
}

/* The watched files: the report's, and those of a program that is still writing it. */
static char *watched_path(struct watch *watch, unsigned index, size_t file, const char **name)
{
    struct str path = { 0 };
    char *directory = reports_directory(watch->reports, index), *temporary = reports_temporary(watch->reports, index);
    if (file < REPORT_FILES) {
        *name = report_files[file];
        if (directory)
            str_format(&path, "%s/%s", directory, *name);
    } else if (temporary) { /* the temporary file and its log */
        *name = "profile_*.pop";
        str_format(&path, "%s%s", temporary, file == REPORT_FILES ? "" : "-wal");
    }
    free(directory);
    free(temporary);
    return path.text;
}

/* The names of a report's files that have changed since the last poll, as a list; NULL for none. */
static json_t *look(struct watch *watch, unsigned index, bool first)
{
    json_t *names = json_array();
    for (size_t file = 0; file < WATCHED_FILES; ++file) {
        const char *name = "";
        char *path = watched_path(watch, index, file, &name);
        struct look now = path ? read_file_state(path) : (struct look){ 0 },
                    *before = &watch->watched[index].states[file];
        if (!first && !same_file_state(&now, before) &&
            (!json_array_size(names) ||
             strcmp(json_string_value(json_array_get(names, json_array_size(names) - 1)), name) != 0))
            json_array_append_new(names, json_string(name));
        *before = now;
        free(path);
    }
    if (json_array_size(names))
        return names;
    json_decref(names);
    return NULL;
}

/* Reopens live reports, and posts the number of runs when it has grown. */
static void read_again(struct watch *watch)
{
    if (reports_open(watch->reports, watch->live, watch->live_count, NULL) != POP_OK)
        return; /* no report yet, or one that is being created: retried at the next poll */
    for (unsigned i = 0; i < watch->live_count && i < MAX_REPORTS; ++i) {
        struct report_use *use = reports_use(watch->reports, i, NULL);
        if (!use)
            continue;
        pthread_mutex_lock(&use->lock);
        pva_object execution = pva_get(pva_root(use->report.file), PVA_REPORT_EXECUTION);
        uint64_t runs = pva_count(execution, PVA_EXECUTION_RUNS), steps = pva_count(execution, PVA_EXECUTION_STEPS);
        bool temporary = use->report.temporary;
        pva_take_error(use->report.file, NULL);
        pthread_mutex_unlock(&use->lock);
        reports_release(use);
        events_post(reports_events(watch->reports), "run",
                    json_pack("{s:i, s:I, s:I, s:b}", "report", (int)i, "runs", (json_int_t)runs, "steps",
                              (json_int_t)steps, "ended", !temporary));
    }
}

/* Whether other directories are open than at the last poll; resets the recorded state then. */
static bool reopened(struct watch *watch, unsigned index)
{
    struct watched *watched = &watch->watched[index];
    char *directory = reports_directory(watch->reports, index);
    bool other = !directory || !watched->directory || strcmp(directory, watched->directory) != 0;
    free(watched->directory);
    watched->directory = directory;
    return other;
}

static void check_reports(struct watch *watch)
{
    unsigned count = reports_count(watch->reports);
    bool again = watch->live_count && count < watch->live_count;
    for (unsigned i = 0; i < MAX_REPORTS; ++i) {
        bool first = reopened(watch, i);
        json_t *names = i < count ? look(watch, i, first) : NULL;
        again = again || (first && i < count && watch->live_count); /* it may have grown before the first poll */
        if (!names)
            continue;
        again = again || watch->live_count;
        if (watch->live_count)
            json_decref(names);
        else
            events_post(reports_events(watch->reports), "changed",
                        json_pack("{s:i, s:o}", "report", (int)i, "files", names));
    }
    if (again)
        read_again(watch);
}

static void *run(void *context)
{
    struct watch *watch = context;
    do
        check_reports(watch);
    while (!events_pause(reports_events(watch->reports), POLL_MILLISECONDS));
    return NULL;
}

struct watch *watch_begin(struct reports *reports, const char *const *live, size_t count)
{
    struct watch *watch = MEM_NEW(struct watch);
    watch->reports = reports;
    watch->live = live;
    watch->live_count = count;
    if (pthread_create(&watch->thread, NULL, run, watch) == 0)
        return watch;
    free(watch);
    return NULL;
}

void watch_end(struct watch *watch)
{
    if (!watch)
        return;
    pthread_join(watch->thread, NULL);
    for (unsigned i = 0; i < MAX_REPORTS; ++i)
        free(watch->watched[i].directory);
    free(watch);
}
