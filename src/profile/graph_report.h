/* SPDX-License-Identifier: Apache-2.0 */
/* The summary that a compilation prints on request. */
#ifndef PROFILE_GRAPH_REPORT_H
#define PROFILE_GRAPH_REPORT_H

#include "base/error.h"
#include "image/image.h"

/* Prints the graph's summary to the destination of POPLAR_GRAPH_REPORT_DEST, or else of the options; no effect if
 * neither is set. */
pop_status graph_report(const struct image *image, const struct option_set *options, pop_error *error);

#endif
