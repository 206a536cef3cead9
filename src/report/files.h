/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a report beside profile.pop: debug.cbor, archive.a, serialized_graph.json (docs/reports.md). */
#ifndef REPORT_FILES_H
#define REPORT_FILES_H

#include "graph/store.h"
#include "image/image.h"

/* Writes those that the options ask for, after compiling.  file_load_error: one could not be written. */
pop_status report_write_files(pop_graph *graph, const struct image *image, const struct option_set *options,
                              const char *engine, const char *api, pop_error *error);

/* The report of a graph that is out of memory: of what was known by then.  The error gets the path of its profile. */
void report_failure(pop_graph *graph, struct image *image, const struct option_set *options, const char *engine,
                    int64_t started, pop_error *error);

#endif
