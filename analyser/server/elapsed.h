/* SPDX-License-Identifier: Apache-2.0 */
/* The critical path in SQL: each execution of a program takes the cycles by which it delays the end of the last tile,
 * so that the cycles of all programs add up to the end of the last run. */
#ifndef ANALYSER_ELAPSED_H
#define ANALYSER_ELAPSED_H

/* WITH, and the tables ends(id, program, run, end) and shifts(program, run, by). */
#define ELAPSED_SHIFTS                                                                                                 \
    "WITH ends AS (SELECT e.id, e.program, e.run, e.base + CASE WHEN e.drift = 0 THEN m.last ELSE (SELECT "            \
    "max(i.all_to_max + ifnull((SELECT d.cycles FROM drifts d WHERE d.drift = e.drift AND d.ipu = i.ipu), 0)) FROM "   \
    "pattern_ipus i WHERE i.pattern = e.pattern) END AS end FROM executed e JOIN (SELECT pattern, max(all_to_max) "    \
    "AS last FROM pattern_ipus GROUP BY 1) m ON m.pattern = e.pattern), "                                              \
    "shifts AS (SELECT program, run, max(end - ifnull(max(end) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING "    \
    "AND 1 PRECEDING), 0), 0) AS by FROM ends) "

#endif
