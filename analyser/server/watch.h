/* SPDX-License-Identifier: Apache-2.0 */
/* Polls the files of the open reports and posts `changed` when they change. With --live the report is reopened as
 * the program writes it, and `run` is posted for each run. */
#ifndef ANALYSER_WATCH_H
#define ANALYSER_WATCH_H

#include "report.h"

struct watch;
/* live: directories to open as soon as they have a report. */
struct watch *watch_begin(struct reports *reports, const char *const *live, size_t count);
void watch_end(struct watch *watch);

#endif
