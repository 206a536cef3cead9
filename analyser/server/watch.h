/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the files of the open reports, and posts `changed` when they have changed.  With --live the report is opened
 * again as the program that writes it goes on, and `run` is posted for each run. */
#ifndef ANALYSER_WATCH_H
#define ANALYSER_WATCH_H

#include "report.h"

struct watch;
/* live: directories that are opened as soon as they hold a report. */
struct watch *watch_begin(struct reports *reports, const char *const *live, size_t count);
void watch_end(struct watch *watch);

#endif
