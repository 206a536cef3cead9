/* SPDX-License-Identifier: Apache-2.0 */
/* The committed list of rows that are within 10 % in cycles and 25 % in both kinds of memory: leaving it is a failure,
 * coming to it is said. */
#ifndef BENCH_ANCHORS_GUARD_H
#define BENCH_ANCHORS_GUARD_H

#include "rows.h"

struct guard; /* NULL: nothing is guarded */

/* Lines "ipu1 NAME", with " sample" behind those that a quick look takes; ends the program when the file is broken. */
struct guard *guard_read(const char *path);
/* Whether the row is to be measured: all rows, or those of the sample. */
bool guard_takes(const struct guard *guard, const struct row *row, bool sample);
/* What the row's figures mean for the list: '!' for a row that leaves it, '+' for one that could be on it, ' '
 * otherwise. */
char guard_mark(struct guard *guard, const struct row *row, bool within);
/* Prints the outcome; false when a row has left the list, or one of it that should have been measured was not there.
 * Frees guard. */
bool guard_end(struct guard *guard, bool all);

#endif
