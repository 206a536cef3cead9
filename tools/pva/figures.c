/* SPDX-License-Identifier: Apache-2.0 */
#include "figures.h"

#include "account.h"
#include "base/vec.h"

#include <poplar/text.h>

#include <stdlib.h>
#include <string.h>

enum { QUERIES = 7, CRITICAL_PATH = QUERIES, PROGRAM };
/* Those without sql are read from the critical path. */
static const struct metric compared_metrics[] = {
    { "tile", "peak tile memory", "bytes", "SELECT '', max(total_including_gaps) FROM memory_by_tile", "with gaps" },
    { "memory", "memory", "bytes", "SELECT '', sum(total) FROM memory_by_tile", "without gaps" },
    { "alwaysLive", "always live", "bytes", "SELECT '', sum(always_live) FROM memory_by_tile", "all tiles" },
    { "mostLive", "peak live memory", "bytes", "SELECT '', max(bytes) FROM live_lists WHERE id > 0",
      "not always live" },
    { "cycles", "cycles", "cycles", "SELECT '', total FROM execution_cycle_totals", "all runs" },
    { "category", "category", "bytes",
      "SELECT c.name, sum(m.bytes) FROM memory_by_category m JOIN var_categories c ON c.id = m.category WHERE "
      "m.overlap <> 1 GROUP BY 1 ORDER BY 1",
      "after overlapping" },
    { "variable", "variable", "bytes", "SELECT name, sum(bytes) FROM live_variables GROUP BY 1 ORDER BY 1",
      "all of its name" },
    [CRITICAL_PATH] = { "activity", "critical path", "cycles", NULL, "all runs" },
    [PROGRAM] = { "program", "program", "cycles", NULL, "critical path" },
};

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

/* Executions of each program, and what they add to the critical path. */
struct spent {
    struct figures *figures;
    double *cycles, *times;
    size_t programs;
};

static bool on_program(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    struct spent *spent = context;
    (void)columns, (void)names;
    double id = values && values[0].text ? pop_text_to_double(values[0].text, NULL) : -1;
    if (id >= 0 && id < (double)spent->programs && spent->times[(size_t)id] > 0 && values[1].text)
        *vec_push(spent->figures) = (struct figure){ .metric = &compared_metrics[PROGRAM],
                                                     .path = mem_string(values[1].text),
                                                     .a = spent->cycles[(size_t)id],
                                                     .times_a = spent->times[(size_t)id],
                                                     .in_a = true };
    return true;
}

static pop_status add_programs(pva_file *report, const struct elapsed *elapsed, struct figures *figures,
                               pop_error *error)
{
    struct spent spent = { .figures = figures };
    for (size_t i = 0; i < elapsed->rows.count; ++i)
        if (spent.programs <= elapsed->rows.data[i].program)
            spent.programs = (size_t)elapsed->rows.data[i].program + 1;
    spent.cycles = mem_zero(2 * spent.programs + 1, sizeof(*spent.cycles));
    spent.times = spent.cycles + spent.programs;
    for (size_t i = 0; i < elapsed->rows.count; ++i) {
        const struct elapsed_row *row = &elapsed->rows.data[i];
        spent.cycles[row->program] += row->cycles;
        spent.times[row->program] += (double)row->times;
    }
    pop_status status =
        pva_sql(report, "SELECT id, type || ' ' || ifnull(name, '') FROM programs", on_program, &spent, error);
    free(spent.cycles);
    return status;
}

static pop_status add_critical_path(pva_file *report, const struct elapsed *elapsed, struct figures *figures,
                                    pop_error *error)
{
    struct account account = { 0 };
    pop_status status = account_read(&account, elapsed, report, error);
    for (size_t i = 0; i < ACTIVITIES && status == POP_OK; ++i)
        if (account.cycles[i] > 0)
            *vec_push(figures) = (struct figure){ .metric = &compared_metrics[CRITICAL_PATH],
                                                  .path = mem_string(activity_names[i]),
                                                  .a = account.cycles[i],
                                                  .in_a = true };
    account_free(&account);
    return status == POP_OK ? add_programs(report, elapsed, figures, error) : status;
}

pop_status figures_compared(pva_file *report, const struct elapsed *elapsed, struct figures *figures, pop_error *error)
{
    pop_status status = POP_OK;
    for (size_t i = 0; i < QUERIES && status == POP_OK; ++i)
        status = figures_read(report, &compared_metrics[i], figures, error);
    struct elapsed own = { 0 };
    if (status == POP_OK && !elapsed)
        status = elapsed_read(&own, report, error);
    if (status == POP_OK)
        status = add_critical_path(report, elapsed ? elapsed : &own, figures, error);
    elapsed_free(&own);
    return status;
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

bool figure_is_total(const struct figure *f)
{
    return !*f->path || f->metric == &compared_metrics[CRITICAL_PATH];
}

/* Orders totals first, in the order of their metrics, then by decreasing difference. */
static int by_difference(const void *left, const void *right)
{
    const struct figure *a = left, *b = right;
    bool total_a = figure_is_total(a), total_b = figure_is_total(b);
    if (total_a || total_b)
        return !total_a ? 1 : !total_b ? -1 : by_path(a, b);
    double x = figure_difference(a), y = figure_difference(b);
    return x != y ? (x < y ? 1 : -1) : by_path(a, b);
}

static void sort(struct figures *f, int (*order)(const void *, const void *))
{
    if (f->count)
        qsort(f->data, f->count, sizeof(*f->data), order);
}

/* Sorts figures of a report; those of the same path are added up. */
static void add_up(struct figures *f)
{
    size_t kept = 0;
    sort(f, by_path);
    for (size_t i = 0; i < f->count; ++i) {
        struct figure *last = kept ? &f->data[kept - 1] : NULL;
        if (!last || by_path(last, &f->data[i]) != 0) {
            f->data[kept++] = f->data[i];
            continue;
        }
        last->a += f->data[i].a;
        last->times_a += f->data[i].times_a;
        free(f->data[i].path);
    }
    f->count = kept;
}

struct figures figures_merge(struct figures *a, struct figures *b)
{
    add_up(a);
    add_up(b);
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
        if (figure_is_total(&f->data[i]) || strcmp(figure_change(&f->data[i]), "same") != 0)
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
