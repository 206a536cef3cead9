/* SPDX-License-Identifier: Apache-2.0 */
/* The companions of profile.pop: debug.cbor, archive.a, serialized_graph.json (docs/reports/capturing.md). */
#ifndef REPORT_FILES_H
#define REPORT_FILES_H

#include "graph/store.h"
#include "image/image.h"
#include "report/bundle.h"

/* Writes the companions that the options request, under temporary names, and adds them to the bundle.
 * file_load_error when one cannot be written. */
pop_status files_write(pop_graph *graph, const struct image *image, const struct option_set *options,
                       struct bundle *bundle, pop_error *error);

#endif
