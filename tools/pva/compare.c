/* SPDX-License-Identifier: Apache-2.0 */
/* Two reports side by side: totals, then by debug path what was added, removed and changed, the largest difference
 * first. */
#include "pva.h"

#include <poplar/text.h>

#include <stdlib.h>
#include <string.h>

/* A figure of a report: what it is, the debug path that it is of, and a query that gives both and the figure. */
static const struct {
    const char *what, *unit, *sql;
} metrics[] = {
    { "memory of the tile that needs most", "bytes", "SELECT '', max(total_including_gaps) FROM memory_by_tile" },
    { "memory", "bytes", "SELECT '', sum(total) FROM memory_by_tile" },
    { "always live", "bytes", "SELECT '', sum(always_live) FROM memory_by_tile" },
    { "most live at a step", "bytes", "SELECT '', max(bytes) FROM live_lists WHERE id > 0" },
    { "cycles", "cycles", "SELECT '', total FROM execution_cycle_totals" },
    { "category", "bytes",
      "SELECT c.name, sum(m.bytes) FROM memory_by_category m JOIN var_categories c ON c.id = m.category WHERE "
      "m.overlap <> 1 GROUP BY 1 ORDER BY 1" },
    { "variable", "bytes", "SELECT name, sum(bytes) FROM live_variables GROUP BY 1 ORDER BY 1" },
    { "program", "cycles",
      "SELECT p.type || ' ' || ifnull(p.name, ''), sum(x.times * x.cycles) FROM (SELECT e.program, count(*) AS times, "
      "i.cycles FROM executed e JOIN (SELECT pattern, "
      "max(cycles) AS cycles FROM pattern_ipus GROUP BY 1) i ON i.pattern = e.pattern GROUP BY e.program, e.pattern) x "
      "JOIN programs p ON p.id = x.program "
      "GROUP BY 1 ORDER BY 1" },
};
enum { METRICS = sizeof(metrics) / sizeof(metrics[0]) };

struct figure {
    size_t metric;
    char *path;
    double a, b;
    bool in_a, in_b;
};
struct figures {
    struct figure *list;
    size_t count, room, metric;
};

static bool on_row(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    struct figures *f = context;
    (void)columns, (void)names;
    if (!values || !values[1].text)
        return true;
    if (f->count == f->room) {
        size_t room = f->room ? 2 * f->room : 256;
        struct figure *list = realloc(f->list, room * sizeof(*list));
        if (!list)
            return false;
        f->list = list;
        f->room = room;
    }
    f->list[f->count++] = (struct figure){ .metric = f->metric,
                                           .path = strdup(values[0].text ? values[0].text : ""),
                                           .a = pop_text_to_double(values[1].text, NULL),
                                           .in_a = true };
    return true;
}

static int by_path(const void *left, const void *right)
{
    const struct figure *a = left, *b = right;
    if (a->metric != b->metric)
        return a->metric < b->metric ? -1 : 1;
    return strcmp(a->path, b->path);
}

static double difference(const struct figure *f)
{
    return f->b > f->a ? f->b - f->a : f->a - f->b;
}

/* Totals stay in their order and come first; of the rest the larger share of what changed. */
static int by_difference(const void *left, const void *right)
{
    const struct figure *a = left, *b = right;
    bool total_a = !*a->path, total_b = !*b->path;
    if (total_a || total_b)
        return total_a && total_b ? (a->metric > b->metric) - (a->metric < b->metric) : total_a ? -1 : 1;
    double x = difference(a), y = difference(b);
    return x != y ? (x < y ? 1 : -1) : by_path(a, b);
}

static bool read_report(const char *path, struct figures *figures)
{
    pva_file *file = open_or_say(path);
    pop_error error = { 0 };
    pop_status status = POP_OK;
    for (figures->metric = 0; file && status == POP_OK && figures->metric < METRICS; ++figures->metric)
        status = pva_sql(file, metrics[figures->metric].sql, on_row, figures, &error);
    pva_close(file);
    if (status != POP_OK)
        say_error("compare", &error);
    if (figures->count)
        qsort(figures->list, figures->count, sizeof(*figures->list), by_path);
    return file && status == POP_OK;
}

/* Both in one list; the figures' paths move to it. */
static struct figures merge(const struct figures *a, const struct figures *b)
{
    struct figures all = { .list = calloc(a->count + b->count + 1, sizeof(*all.list)) };
    for (size_t i = 0, k = 0; all.list && (i < a->count || k < b->count);) {
        int order = i == a->count ? 1 : k == b->count ? -1 : by_path(&a->list[i], &b->list[k]);
        struct figure *f = &all.list[all.count++];
        *f = order <= 0 ? a->list[i++] : b->list[k];
        if (order > 0)
            f->a = 0;
        f->in_a = order <= 0;
        if (order >= 0) {
            if (order == 0)
                free(b->list[k].path);
            f->b = b->list[k++].a;
            f->in_b = true;
        }
    }
    return all;
}

static const char *change_of(const struct figure *f)
{
    return !f->in_a ? "added" : !f->in_b ? "removed" : f->a != f->b ? "changed" : "same";
}

static double percent(const struct figure *f)
{
    double most = f->a > f->b ? f->a : f->b;
    return most > 0 ? difference(f) / most * 100 : 0;
}

static void print_rows(const struct figures *all, size_t rows, bool csv, bool json)
{
    bool colour = !csv && !json && colours();
    if (csv)
        puts("what,path,unit,a,b,difference,percent,change");
    else if (json)
        printf("[");
    else
        printf("%-36s %20s %20s %20s %8s  %s\n", "", "A", "B", "difference", "", "change");
    for (size_t i = 0; i < all->count && i < rows; ++i) {
        const struct figure *f = &all->list[i];
        const char *sign = f->b > f->a ? "+" : f->b < f->a ? "-" : "";
        char a[32], b[32], d[32];
        if (csv) {
            printf("%s,", metrics[f->metric].what);
            put_csv(stdout, f->path);
            put_numbers(stdout, ",%s,%.0f,%.0f,%.0f,%.2f,%s\n", metrics[f->metric].unit, f->a, f->b, f->b - f->a,
                        percent(f), change_of(f));
        } else if (json) {
            printf("%s\n {\"what\":\"%s\",\"path\":", i ? "," : "", metrics[f->metric].what);
            put_json(stdout, f->path);
            put_numbers(stdout, ",\"unit\":\"%s\",\"a\":%.0f,\"b\":%.0f,\"percent\":%.2f,\"change\":\"%s\"}",
                        metrics[f->metric].unit, f->a, f->b, percent(f), change_of(f));
        } else {
            put_numbers(stdout, "%s%-36s %20s %20s %s%19s %7.2f%%  %s%s%s %s\n",
                        !colour       ? ""
                        : f->b > f->a ? "\033[31m"
                        : f->b < f->a ? "\033[32m"
                                      : "",
                        metrics[f->metric].what, f->in_a ? number_text(a, (uint64_t)f->a) : "-",
                        f->in_b ? number_text(b, (uint64_t)f->b) : "-", *sign ? sign : " ",
                        number_text(d, (uint64_t)difference(f)), percent(f), change_of(f), colour ? "\033[0m" : "",
                        *f->path ? ":" : "", f->path);
        }
    }
    if (json)
        printf("\n]\n");
}

int command_compare(int argc, char **argv)
{
    struct arguments arguments = { .options = { { "--rows", NULL }, { "--format", NULL } } };
    if (!arguments_read(&arguments, argc, argv, 2, 2))
        return EXIT_WRONG;
    const char *format = arguments_get(&arguments, "--format"), *limit = arguments_get(&arguments, "--rows");
    bool csv = format && strcmp(format, "csv") == 0, json = format && strcmp(format, "json") == 0;
    if (format && !csv && !json && strcmp(format, "table") != 0)
        return say("compare", "unknown format '%s' (allowed: table, csv, json)", format);
    size_t rows = limit ? strtoul(limit, NULL, 10) : csv || json ? SIZE_MAX : 40;
    struct figures a = { 0 }, b = { 0 }, all;
    bool good = read_report(arguments.words[0], &a) && read_report(arguments.words[1], &b);
    all = merge(&a, &b);
    free(a.list);
    free(b.list);
    size_t kept = 0;
    for (size_t i = 0; i < all.count; ++i) /* totals stay where they are equal, the rest does not */
        if (!*all.list[i].path || all.list[i].a != all.list[i].b || !all.list[i].in_a || !all.list[i].in_b)
            all.list[kept++] = all.list[i];
        else
            free(all.list[i].path);
    all.count = kept;
    if (all.count)
        qsort(all.list, all.count, sizeof(*all.list), by_difference);
    bool differ = false;
    for (size_t i = 0; i < all.count; ++i)
        differ |= all.list[i].a != all.list[i].b || !all.list[i].in_a || !all.list[i].in_b;
    if (good)
        print_rows(&all, rows, csv, json);
    for (size_t i = 0; i < all.count; ++i)
        free(all.list[i].path);
    free(all.list);
    return !good ? EXIT_WRONG : differ ? EXIT_FOUND : EXIT_DONE;
}
