/* SPDX-License-Identifier: Apache-2.0 */
/* The files of one report and their names. They are written under temporary names. When the graph is compiled they get
 * their final names together, so that files of two reports never mix in a directory: profile.pop, which still grows, is
 * a link to the temporary file until the report ends (docs/reference/report-files.md, Life of a report;
 * docs/decisions/0023). */
#ifndef REPORT_BUNDLE_H
#define REPORT_BUNDLE_H

#include "report/debug_process.h"
#include "value/report_files.h"

#include <poplar/error.h>

struct bundle {
    char id[REPORT_ID_SIZE];   /* of the report; its companions contain it */
    char name[REPORT_ID_SIZE]; /* in the temporary name of the profile; an id of its own where a report continues */
    char *directory;
    char *root;               /* autoReport.directory: where debug.cbor of the process is */
    struct debug_added debug; /* the process's file, which the report uses */
    bool has[REPORT_FILES];   /* files that were written */
    uint64_t bytes[REPORT_FILES];
    bool continues; /* the report of its compilation, which is in the directory: its companions stay */
    bool late;      /* the file system has no links: all files get their names at the end */
};

/* Takes ownership of the malloc'ed directory name, and creates the directory when missing. root: autoReport.directory,
 * which is the directory or above it. file_load_error. */
pop_status bundle_begin(struct bundle *bundle, char *directory, const char *root, pop_error *error);
/* Takes the place of the report of this id, whose companions the bundle keeps. */
void bundle_continue(struct bundle *bundle, const char *id);
/* The temporary path of a file; the caller frees it. */
char *bundle_path(const struct bundle *bundle, enum report_file file);
/* Records that a companion was written to its temporary path, if it exists. */
void bundle_add(struct bundle *bundle, enum report_file file);
/* Adds a graph's contexts to the process's debug.cbor. file_load_error. */
pop_status bundle_add_debug(struct bundle *bundle, const pop_store *store, pop_error *error);
/* Gives the files their final names, the profile that of a link. They replace the previous report as a whole: its other
 * files are removed. file_load_error, which names the file. */
pop_status bundle_publish(struct bundle *bundle, pop_error *error);
/* Replaces the link by the profile itself, which is complete. Where another report has replaced the link since, the
 * profile is removed. file_load_error. */
pop_status bundle_finish(const struct bundle *bundle, pop_error *error);
/* Removes the temporary files of the companions. */
void bundle_remove(const struct bundle *bundle);
void bundle_free(struct bundle *bundle);

#endif
