/* SPDX-License-Identifier: Apache-2.0 */
/* The committed list of rows that are within 10 % in cycles and 25 % in both kinds of memory: a row that leaves it is a
 * failure, one that could join it is printed. */
#ifndef BENCH_ANCHORS_GUARD_H
#define BENCH_ANCHORS_GUARD_H

#include "rows.h"

struct guard; /* NULL: there is no list */

/* Lines "ipu1 NAME", followed by " sample" for those of a quick check; ends the program if the file is malformed. */
struct guard *guard_read(const char *path);
/* Whether the row is to be measured: all rows, or those of the sample. */
bool guard_takes(const struct guard *guard, const struct row *row, bool sample);
/* The row's figures compared with the list: '!' for a row that leaves it, '+' for one that could join it, ' '
 * otherwise. */
char guard_mark(struct guard *guard, const struct row *row, bool within);
/* Prints the outcome; false if a row has left the list, or one of it that should have been measured was missing. Frees
 * guard. */
bool guard_end(struct guard *guard, bool all);

#endif
