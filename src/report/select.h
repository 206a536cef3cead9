/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the files of a report and their directory: the options autoReport.* and the options they imply
 * (docs/reports/capturing.md). */
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

/* Whether the options request a part. */
bool report_asks(const struct option_set *options, enum report_part part);
/* Whether a part is requested by an option of this key, by autoReport.all, or because another part needs it; -1: the
 * key is not that of a part. */
int report_asks_key(const struct option_set *options, const char *key);
/* Whether the options request any file. */
bool report_asks_any(const struct option_set *options);
/* Sets implied options unless they are set explicitly: autoReport.all enables instrumentation; without an execution
 * profile nothing is instrumented. */
void report_imply(struct option_set *options);
/* autoReport.directory; borrowed. */
const char *report_root(const struct option_set *options);
/* report_root, plus the engine's name when it has one; the caller frees it. NULL: the name is not usable as
 * a directory (invalid_option). */
char *report_directory(const struct option_set *options, const char *engine, const char *api, pop_error *error);

#endif
