/* SPDX-License-Identifier: Apache-2.0 */
/* Files that engine options name one by one: target.saveArchive, target.saveOutputVertexGraph. */
#ifndef REPORT_NAMED_FILES_H
#define REPORT_NAMED_FILES_H

#include "graph/store.h"
#include "image/image.h"

/* Refuses options that name files which nothing here writes (invalid_option): before compiling. */
pop_status named_files_check(const struct option_set *options, const char *api, pop_error *error);
/* Writes the others, after compiling.  file_load_error: one could not be written. */
pop_status named_files_write(pop_graph *graph, pop_programs programs, const struct image *image,
                             const struct option_set *options, pop_error *error);

#endif
