/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of a report by debug path, and those of two reports side by side: what `pva compare` prints and the
 * analyser's difference and flame graphs show. */
#ifndef TOOLS_FIGURES_H
#define TOOLS_FIGURES_H

#include <pva/pva.h>

/* What a figure is.  sql gives rows of (debug path, figure, how often it happened: optional). */
struct metric {
    const char *id, *what, *unit, *sql;
};
/* What reports are compared by: totals, whose path is empty, then figures by path. */
extern const struct metric compared_metrics[];
extern const size_t compared_metric_count;

/* A figure of one report (a), or of two. */
struct figure {
    const struct metric *metric;
    char *path;
    double a, b;             /* 0 where it is not in the report */
    double times_a, times_b; /* how often; 0 when the metric does not count */
    bool in_a, in_b;
};
struct figures { /* as VEC(struct figure) has them */
    struct figure *data;
    size_t count, capacity;
};

/* Adds the figures of a metric, as those of report a. */
pop_status figures_read(pva_file *report, const struct metric *metric, struct figures *figures,
                        pop_error *error) POP_MUST_CHECK;
/* Figures of both: those of a metric and path are one.  a and b become empty; they need not be sorted. */
struct figures figures_merge(struct figures *a, struct figures *b);
void figures_free(struct figures *figures);

/* Leaves out figures by path that are equal in both (totals stay), and sorts: totals in the order of their metrics,
 * then the largest difference first. */
void figures_changed(struct figures *figures);
double figure_difference(const struct figure *figure);  /* |b - a| */
double figure_percent(const struct figure *figure);     /* of the larger of both */
const char *figure_change(const struct figure *figure); /* "added", "removed", "changed", "same" */

#endif
