/* SPDX-License-Identifier: Apache-2.0 */
/* Files that single engine options name: target.saveArchive, target.saveOutputVertexGraph. */
#ifndef REPORT_NAMED_FILES_H
#define REPORT_NAMED_FILES_H

#include "graph/store.h"
#include "image/image.h"

/* Refuses options for files that this implementation does not write (invalid_option). Call it before compiling. */
pop_status named_files_check(const struct option_set *options, const char *api, pop_error *error);
/* Whether any is requested. */
bool named_files_any(const struct option_set *options);
/* Writes the requested files, after compiling. file_load_error when one cannot be written. */
pop_status named_files_write(pop_graph *graph, pop_programs programs, const struct image *image,
                             const struct option_set *options, pop_error *error);

#endif
