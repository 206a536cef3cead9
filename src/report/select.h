/* SPDX-License-Identifier: Apache-2.0 */
/* Which files a report consists of, and where they go: the options autoReport.* and what they imply (docs/reports.md).
 */
#ifndef REPORT_SELECT_H
#define REPORT_SELECT_H

#include "base/options.h"

enum report_part {
    REPORT_GRAPH_PROFILE = 0, /* the compilation's part of profile.pop */
    REPORT_EXECUTION_PROFILE,
    REPORT_LOWERED_VARS,
    REPORT_ARCHIVE,
    REPORT_DEBUG_INFO,
    REPORT_SERIALIZED_GRAPH,
    REPORT_PARTS
};

/* Whether the options ask for a part. */
bool report_asks(const struct option_set *options, enum report_part part);
/* Whether they ask for any file at all. */
bool report_asks_any(const struct option_set *options);
/* Sets the options that others imply, where they are not set themselves: autoReport.all instruments; without an
 * execution profile nothing is instrumented. */
void report_imply(struct option_set *options);
/* autoReport.directory, with the engine's name below it when it has one; the caller frees it.  NULL: the name cannot be
 * a directory's (invalid_option). */
char *report_directory(const struct option_set *options, const char *engine, const char *api, pop_error *error);

#endif
