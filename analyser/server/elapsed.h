/* SPDX-License-Identifier: Apache-2.0 */
/* The critical path: each execution of a program takes the cycles by which it delays the end of the last tile, so that
 * the cycles of all programs add up to the end of the last run. */
#ifndef ANALYSER_ELAPSED_H
#define ANALYSER_ELAPSED_H

#include "answer.h"
#include "base/vec.h"

/* WITH, and the table ends(id, program, run, end): when the last tile ends each step. */
#define ELAPSED_ENDS                                                                                                   \
    "WITH ends AS (SELECT e.id, e.program, e.run, e.base + CASE WHEN e.drift = 0 THEN m.last ELSE (SELECT "            \
    "max(i.all_to_max + ifnull((SELECT d.cycles FROM drifts d WHERE d.drift = e.drift AND d.ipu = i.ipu), 0)) FROM "   \
    "pattern_ipus i WHERE i.pattern = e.pattern) END AS end FROM executed e JOIN (SELECT pattern, max(all_to_max) "    \
    "AS last FROM pattern_ipus GROUP BY 1) m ON m.pattern = e.pattern) "
/* WITH, the table ends and the table shifts(program, run, by). */
#define ELAPSED_SHIFTS                                                                                                 \
    ELAPSED_ENDS                                                                                                       \
    ", shifts AS (SELECT program, run, max(end - ifnull(max(end) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING "  \
    "AND 1 PRECEDING), 0), 0) AS by FROM ends) "

/* What the executions of a program in a run add to the critical path. */
struct elapsed_row {
    uint64_t run;
    uint32_t program;
    uint64_t times;
    double cycles;
};
struct elapsed {
    VEC(struct elapsed_row) rows; /* by run */
};

pop_status elapsed_read(struct elapsed *elapsed, pva_file *file, pop_error *error);
void elapsed_free(struct elapsed *elapsed);
/* Reads it at the first call and keeps it with the report, for all who ask. NULL, with *error set, on failure. */
const struct elapsed *elapsed_of(struct analyser_report *report, pop_error *error);

#endif
