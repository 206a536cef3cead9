/* SPDX-License-Identifier: Apache-2.0 */
/* The open reports: at most two, replaced as a whole.  A use keeps its report until it is released, so that a call that
 * runs while reports are replaced ends with the one that it began with. */
#ifndef ANALYSER_REPORT_H
#define ANALYSER_REPORT_H

#include "answer.h"
#include "events.h"

enum { MOST_REPORTS = 2 };

/* The files of a report's directory that people know by name. */
enum { REPORT_FILES = 6 };
extern const char *const report_files[REPORT_FILES];

struct report_use {
    struct analyser_report report; /* locked: see reports_lock */
    struct reports *reports;
    pthread_mutex_t lock, lod_lock;
    unsigned index, references;
    pthread_t preparing; /* its thread, when is_preparing */
    bool is_preparing;
};

struct reports *reports_new(bool live);
void reports_free(struct reports *reports);
struct events *reports_events(struct reports *reports);
bool reports_live(const struct reports *reports);

/* Opens directories (or files) in place of those that are open.  On failure those stay. */
pop_status reports_open(struct reports *reports, const char *const *directories, size_t count, pop_error *error);
/* Closes those that are open; calls that use one end with it. */
void reports_close(struct reports *reports);
/* How many are open, and the directory of one (malloc'ed; NULL when there is none). */
unsigned reports_count(struct reports *reports);
char *reports_directory(struct reports *reports, unsigned index);
/* The temporary file that an open report is read from (malloc'ed); NULL when it is another. */
char *reports_temporary(struct reports *reports, unsigned index);
/* A use of an open report; NULL, and *error, when there is none. */
struct report_use *reports_use(struct reports *reports, unsigned index, pop_error *error);
void reports_release(struct report_use *use);

/* Begins to make the traces of the open reports on threads of their own; settle waits for these. */
void reports_prepare(struct reports *reports);
void reports_settle(struct reports *reports);

/* From now on everything ends soon. */
void reports_end(struct reports *reports);
bool reports_ending(const struct reports *reports);

#endif
