/* SPDX-License-Identifier: Apache-2.0 */
/* What each pass of a compilation took, for the log. */
#ifndef COMPILER_COMMON_PASS_TIMES_H
#define COMPILER_COMMON_PASS_TIMES_H

#include <stddef.h>

struct pass_time {
    const char *name; /* borrowed */
    double milliseconds;
    double peak_megabytes; /* the process's largest resident memory until then */
};
/* Notes that a pass has ended which began at `start` (log_milliseconds). */
struct pass_time pass_time_since(const char *name, double start);
/* Writes the table at level INFO: a line for each pass, with its share of the time. */
void pass_times_log(const struct pass_time *passes, size_t count);

#endif
