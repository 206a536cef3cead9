/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two reports: totals, then figures by debug path that were added, removed or changed, largest difference
 * first. */
#include "figures.h"
#include "pva.h"

#include <stdlib.h>
#include <string.h>

static bool read_report(const char *path, struct figures *figures)
{
    pva_file *file = open_or_say(path);
    pop_error error = { 0 };
    pop_status status = POP_OK;
    if (file)
        status = figures_compared(file, NULL, figures, &error);
    pva_close(file);
    if (status != POP_OK)
        say_error("compare", &error);
    return file && status == POP_OK;
}

/* Prints all totals, which come first, and then `rows` other rows. */
static void print_rows(const struct figures *all, size_t rows, bool csv, bool json)
{
    size_t totals = 0;
    while (totals < all->count && figure_is_total(&all->data[totals]))
        ++totals;
    rows = rows < all->count - totals ? totals + rows : all->count;
    if (csv)
        puts("what,path,unit,a,b,difference,percent,change,basis");
    else if (json)
        printf("[");
    else
        printf("%-36s %20s %20s %20s %9s  %s\n", "", "A", "B", "difference", "% of max", "change");
    for (size_t i = 0; i < rows; ++i) {
        const struct figure *f = &all->data[i];
        const char *sign = f->b > f->a ? "+" : f->b < f->a ? "-" : "";
        char a[32], b[32], d[32], what[64];
        snprintf(what, sizeof(what), "%s (%s)", f->metric->what, f->metric->basis);
        if (csv) {
            printf("%s,", f->metric->what);
            put_csv(stdout, f->path);
            put_numbers(stdout, ",%s,%.0f,%.0f,%.0f,%.2f,%s,%s\n", f->metric->unit, f->a, f->b, f->b - f->a,
                        figure_percent(f), figure_change(f), f->metric->basis);
        } else if (json) {
            printf("%s\n {\"what\":\"%s\",\"path\":", i ? "," : "", f->metric->what);
            put_json(stdout, f->path);
            put_numbers(stdout,
                        ",\"unit\":\"%s\",\"a\":%.0f,\"b\":%.0f,\"percent\":%.2f,\"change\":\"%s\",\"basis\":\"%s\"}",
                        f->metric->unit, f->a, f->b, figure_percent(f), figure_change(f), f->metric->basis);
        } else {
            paint(f->b > f->a ? PAINT_RED : f->b < f->a ? PAINT_GREEN : PAINT_NONE);
            put_numbers(stdout, "%-36s %20s %20s %s%19s %8.2f%%  %s", what,
                        f->in_a ? number_text(a, (uint64_t)f->a) : "-", f->in_b ? number_text(b, (uint64_t)f->b) : "-",
                        *sign ? sign : " ", number_text(d, (uint64_t)figure_difference(f)), figure_percent(f),
                        figure_change(f));
            paint(PAINT_NONE);
            printf("%s %s\n", *f->path ? ":" : "", f->path);
        }
    }
    if (json)
        printf("\n]\n");
}

int command_compare(int argc, char **argv)
{
    struct arguments arguments = { .options = {
                                       { "--rows", NULL }, { "--format", NULL }, { "--spreadsheet!", NULL } } };
    if (!arguments_read(&arguments, argc, argv, 2, 2))
        return EXIT_WRONG;
    csv_for_spreadsheet(arguments_get(&arguments, "--spreadsheet") != NULL);
    const char *format = arguments_get(&arguments, "--format");
    bool csv = format && strcmp(format, "csv") == 0, json = format && strcmp(format, "json") == 0;
    if (format && !csv && !json && strcmp(format, "table") != 0)
        return say("compare", "unknown format '%s' (allowed: table, csv, json)", format);
    size_t rows = csv || json ? SIZE_MAX : 40;
    if (!arguments_number(&arguments, "--rows", 1, SIZE_MAX, &rows))
        return EXIT_WRONG;
    struct figures a = { 0 }, b = { 0 };
    bool good = read_report(arguments.words[0], &a) && read_report(arguments.words[1], &b), differ = false;
    struct figures all = figures_merge(&a, &b);
    figures_changed(&all);
    for (size_t i = 0; i < all.count; ++i)
        differ |= strcmp(figure_change(&all.data[i]), "same") != 0;
    if (good)
        print_rows(&all, rows, csv, json);
    figures_free(&all);
    return !good ? EXIT_WRONG : differ ? EXIT_FOUND : EXIT_DONE;
}
