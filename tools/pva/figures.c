/* SPDX-License-Identifier: Apache-2.0 */
#include "figures.h"

#include "base/vec.h"

#include <poplar/text.h>

#include <stdlib.h>
#include <string.h>

const struct metric compared_metrics[] = {
    { "tile", "peak tile memory", "bytes", "SELECT '', max(total_including_gaps) FROM memory_by_tile" },
    { "memory", "memory", "bytes", "SELECT '', sum(total) FROM memory_by_tile" },
    { "alwaysLive", "always live", "bytes", "SELECT '', sum(always_live) FROM memory_by_tile" },
    { "mostLive", "peak live memory", "bytes", "SELECT '', max(bytes) FROM live_lists WHERE id > 0" },
    { "cycles", "cycles", "cycles", "SELECT '', total FROM execution_cycle_totals" },
    { "category", "category", "bytes",
      "SELECT c.name, sum(m.bytes) FROM memory_by_category m JOIN var_categories c ON c.id = m.category WHERE "
      "m.overlap <> 1 GROUP BY 1 ORDER BY 1" },
    { "variable", "variable", "bytes", "SELECT name, sum(bytes) FROM live_variables GROUP BY 1 ORDER BY 1" },
    { "program", "program", "cycles",
      "SELECT p.type || ' ' || ifnull(p.name, ''), sum(x.times * i.cycles), sum(x.times) FROM (SELECT program, "
      "pattern, "
      "sum(times) AS times FROM executed_times GROUP BY 1, 2) x JOIN (SELECT pattern, max(cycles) AS cycles FROM "
      "pattern_ipus "
      "GROUP BY 1) i ON i.pattern = x.pattern JOIN programs p ON p.id = x.program "
      "GROUP BY 1 ORDER BY 1" },
};
const size_t compared_metric_count = sizeof(compared_metrics) / sizeof(compared_metrics[0]);

struct reading {
    struct figures *figures;
    const struct metric *metric;
};

static bool on_row(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    struct reading *reading = context;
    (void)names;
    if (values && values[1].text)
        *vec_push(reading->figures) =
            (struct figure){ .metric = reading->metric,
                             .path = mem_string(values[0].text ? values[0].text : ""),
                             .a = pop_text_to_double(values[1].text, NULL),
                             .times_a = columns > 2 && values[2].text ? pop_text_to_double(values[2].text, NULL) : 0,
                             .in_a = true };
    return true;
}

pop_status figures_read(pva_file *report, const struct metric *metric, struct figures *figures, pop_error *error)
{
    return pva_sql(report, metric->sql, on_row, &(struct reading){ figures, metric }, error);
}

static int by_path(const void *left, const void *right)
{
    const struct figure *a = left, *b = right;
    if (a->metric != b->metric)
        return a->metric < b->metric ? -1 : 1;
    return strcmp(a->path, b->path);
}

double figure_difference(const struct figure *f)
{
    return f->b > f->a ? f->b - f->a : f->a - f->b;
}

/* Orders totals first, in their original order, then by decreasing difference. */
static int by_difference(const void *left, const void *right)
{
    const struct figure *a = left, *b = right;
    bool total_a = !*a->path, total_b = !*b->path;
    if (total_a || total_b)
        return total_a && total_b ? (a->metric > b->metric) - (a->metric < b->metric) : total_a ? -1 : 1;
    double x = figure_difference(a), y = figure_difference(b);
    return x != y ? (x < y ? 1 : -1) : by_path(a, b);
}

static void sort(struct figures *f, int (*order)(const void *, const void *))
{
    if (f->count)
        qsort(f->data, f->count, sizeof(*f->data), order);
}

struct figures figures_merge(struct figures *a, struct figures *b)
{
    sort(a, by_path);
    sort(b, by_path);
    struct figures all = { 0 };
    vec_reserve(&all, a->count + b->count);
    size_t i = 0, k = 0;
    while (i < a->count || k < b->count) {
        int order = i == a->count ? 1 : k == b->count ? -1 : by_path(&a->data[i], &b->data[k]);
        struct figure *f = &all.data[all.count++];
        *f = order <= 0 ? a->data[i++] : b->data[k];
        f->in_a = order <= 0;
        if (order > 0)
            f->a = f->times_a = 0;
        if (order < 0)
            continue;
        f->b = b->data[k].a;
        f->times_b = b->data[k].times_a;
        f->in_b = true;
        if (order == 0)
            free(b->data[k].path);
        ++k;
    }
    a->count = b->count = 0; /* ownership of the paths moved to `all` */
    figures_free(a);
    figures_free(b);
    return all;
}

void figures_free(struct figures *figures)
{
    for (size_t i = 0; i < figures->count; ++i)
        free(figures->data[i].path);
    vec_free(figures);
}

void figures_changed(struct figures *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->count; ++i)
        if (!*f->data[i].path || strcmp(figure_change(&f->data[i]), "same") != 0)
            f->data[kept++] = f->data[i];
        else
            free(f->data[i].path);
    f->count = kept;
    sort(f, by_difference);
}

const char *figure_change(const struct figure *f)
{
    return !f->in_a ? "added" : !f->in_b ? "removed" : f->a != f->b ? "changed" : "same";
}

double figure_percent(const struct figure *f)
{
    double max_count = f->a > f->b ? f->a : f->b;
    return max_count > 0 ? figure_difference(f) / max_count * 100 : 0;
}
