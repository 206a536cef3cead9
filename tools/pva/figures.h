/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of a report by debug path, and the differences of two reports: printed by `pva compare` and shown in the
 * analyser's difference and flame graphs. */
#ifndef TOOLS_FIGURES_H
#define TOOLS_FIGURES_H

#include <pva/pva.h>

/* A kind of figure. sql returns rows of (debug path, figure, number of occurrences: optional). basis, of compared
 * metrics, says what the figure is the sum or the maximum of. */
struct metric {
    const char *id, *what, *unit, *sql, *basis;
};
struct elapsed;

/* A figure of one report (a) or of two. */
struct figure {
    const struct metric *metric;
    char *path;
    double a, b;             /* 0 where the report lacks it */
    double times_a, times_b; /* number of occurrences; 0 when the metric does not count them */
    bool in_a, in_b;
};
struct figures { /* has the members of VEC(struct figure) */
    struct figure *data;
    size_t count, capacity;
};

/* Appends the figures of a metric, as those of report a. */
pop_status figures_read(pva_file *report, const struct metric *metric, struct figures *figures,
                        pop_error *error) POP_MUST_CHECK;
/* Appends the figures that reports are compared by: totals, whose path is empty, then figures by path. Cycles of steps
 * are those of the critical path; NULL: it is read from the report. */
pop_status figures_compared(pva_file *report, const struct elapsed *elapsed, struct figures *figures,
                            pop_error *error) POP_MUST_CHECK;
/* Merges the figures of two reports by metric and path. a and b become empty; they need not be sorted. */
struct figures figures_merge(struct figures *a, struct figures *b);
void figures_free(struct figures *figures);

/* Removes figures by debug path that are equal in both reports (totals stay) and sorts: totals in the order of their
 * metrics, then by decreasing difference. */
void figures_changed(struct figures *figures);
bool figure_is_total(const struct figure *figure);      /* it has no debug path */
double figure_difference(const struct figure *figure);  /* |b - a| */
double figure_percent(const struct figure *figure);     /* difference relative to the larger of both */
const char *figure_change(const struct figure *figure); /* "added", "removed", "changed", "same" */

#endif
