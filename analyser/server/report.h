/* SPDX-License-Identifier: Apache-2.0 */
/* The open reports: at most two, replaced together. Reports are reference-counted by uses: a request that runs while
 * they are replaced finishes with the report that it started with. */
#ifndef ANALYSER_REPORT_H
#define ANALYSER_REPORT_H

#include "answer.h"
#include "events.h"

enum { MAX_REPORTS = 2 };

/* Well-known files of a report's directory. */
enum { REPORT_FILES = 6 };
extern const char *const report_files[REPORT_FILES];

struct report_use {
    struct analyser_report report; /* see reports_lock for its lock */
    struct reports *reports;
    pthread_mutex_t lock, lod_lock;
    unsigned index, references;
    void (*prepare)(struct report_use *use);
    pthread_t preparing; /* the thread, valid when is_preparing */
    bool is_preparing;
};

struct reports *reports_new(void);
void reports_free(struct reports *reports);
struct events *reports_events(struct reports *reports);

/* Opens directories (or files) and replaces the open reports. On failure these stay open. */
pop_status reports_open(struct reports *reports, const char *const *directories, size_t count, pop_error *error);
/* Closes the open reports; requests in progress finish with them. */
void reports_close(struct reports *reports);
/* The number of open reports, and the directory of one (malloc'ed; NULL when it is not open). */
unsigned reports_count(struct reports *reports);
char *reports_directory(struct reports *reports, unsigned index);
/* The path of the temporary file that an open report is read from (malloc'ed); NULL when its file is not temporary. */
char *reports_temporary(struct reports *reports, unsigned index);
/* Acquires an open report; NULL, with *error set, when it is not open. */
struct report_use *reports_use(struct reports *reports, unsigned index, pop_error *error);
void reports_release(struct report_use *use);

/* Calls prepare for each open report that is no temporary file, on a thread of its own; reports_finish joins these. */
void reports_prepare(struct reports *reports, void (*prepare)(struct report_use *use));
void reports_finish(struct reports *reports);

/* Makes requests in progress end soon. */
void reports_end(struct reports *reports);
bool reports_ending(const struct reports *reports);

#endif
