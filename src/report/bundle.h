/* SPDX-License-Identifier: Apache-2.0 */
/* The files of one report while they have temporary names. They are renamed together when the report is complete, so
 * that files of two reports never mix in a directory (docs/reference/report-files.md, Life of a report). */
#ifndef REPORT_BUNDLE_H
#define REPORT_BUNDLE_H

#include "value/report_files.h"

#include <poplar/error.h>

struct bundle {
    char id[REPORT_ID_SIZE];
    char *directory;
    bool has[REPORT_FILES]; /* files that were written */
    uint64_t bytes[REPORT_FILES];
};

/* Takes ownership of the malloc'ed directory name, and creates the directory when missing. file_load_error. */
pop_status bundle_begin(struct bundle *bundle, char *directory, pop_error *error);
/* The temporary path of a file; the caller frees it. */
char *bundle_path(const struct bundle *bundle, enum report_file file);
/* Records that a companion was written to its temporary path, if it exists. */
void bundle_add(struct bundle *bundle, enum report_file file);
/* Gives the files their final names. They replace the previous report as a whole: its other files are removed.
 * file_load_error, which names the file. */
pop_status bundle_place(const struct bundle *bundle, pop_error *error);
/* Removes the temporary files of the companions. */
void bundle_remove(const struct bundle *bundle);
void bundle_free(struct bundle *bundle);

#endif
