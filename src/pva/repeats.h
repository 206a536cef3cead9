/* SPDX-License-Identifier: Apache-2.0 */
/* The repeats of a report: loops whose steps are stored once (docs/reference/report-files.md, "Repeats"). */
#ifndef PVA_REPEATS_H
#define PVA_REPEATS_H

#include "pva/source.h"

enum { REPEATS_DEEPEST = 16 };
#define REPEATS_MAX_STEPS ((uint64_t)1 << 40)
#define NO_REPEAT         UINT32_MAX

struct repeat {
    int64_t id;
    uint64_t first, steps, times, growth;
    uint32_t parent, end; /* parent: NO_REPEAT outermost; repeats from this one up to `end` are within it */
};
static inline uint64_t repeat_end(const struct repeat *repeat)
{
    return repeat->first + repeat->steps * repeat->times;
}

struct repeats {
    struct repeat *list; /* by first step, each before those within it */
    uint32_t count;
    uint64_t steps; /* of the report, those of repeats all times */
    int64_t version;
    sqlite3_stmt *changes; /* gives the version of what the database holds */
};

/* The repeats of the report as it is now, without damage: they are within each other, and all numbers within bounds.
 * Other results than SQLITE_OK: *why has the reason, for sqlite3_free. */
int repeats_read(pva_file *file, const struct repeats **repeats, char **why);
/* The same, for other readers than tables of SQL. NULL: the file keeps the failure. */
const struct repeats *repeats_of(pva_file *file);
void repeats_free(pva_file *file);

/* Steps [first, end) around a step, whose rows are consecutive: the row of a step in it has its number - first + row,
 * and its base counts from `cycles`. */
struct repeat_span {
    uint64_t first, end, row, cycles;
};
struct repeat_span repeats_span(const struct repeats *repeats, uint64_t step);
/* Rows [first, end) around a row that are executed equally often: times; 0: the numbers of repeated iterations, which
 * no rows have. */
struct repeat_share {
    uint64_t first, end, times;
    uint32_t repeat; /* the innermost one, or NO_REPEAT */
};
struct repeat_share repeats_share(const struct repeats *repeats, uint64_t row);
/* The nth step of a row, of share.times. */
uint64_t repeats_nth(const struct repeats *repeats, const struct repeat_share *share, uint64_t row, uint64_t nth);

#endif
