/* SPDX-License-Identifier: Apache-2.0 */
/* Prints advice on what to improve first, as text or JSON. */
#include "advice.h"
#include "pva.h"

#include <stdlib.h>
#include <string.h>

static void print_json(const struct advice *a, size_t rank)
{
    put_numbers(stdout, "%s\n {\"rank\":%zu,\"kind\":\"%s\",\"cycles\":%.0f,\"bytes\":%.0f,\"times\":%llu,\"name\":",
                rank ? "," : "", rank + 1, advice_names[a->kind], a->cycles, a->bytes,
                (unsigned long long)(a->times == UINT64_MAX ? 0 : a->times));
    put_json(stdout, a->name);
    printf(",\"detail\":");
    put_json(stdout, a->detail);
    if (a->tile != UINT64_MAX)
        printf(",\"tile\":%llu", (unsigned long long)a->tile);
    printf(",\"file\":");
    put_json(stdout, a->file ? a->file : "");
    printf(",\"line\":%llu,\"advice\":", (unsigned long long)a->line);
    put_json(stdout, advice_text(a));
    printf("}");
}

static void print_text(const struct advice *a, size_t rank, double total)
{
    char number[32];
    paint(PAINT_BOLD);
    printf("%zu. %s: %s", rank + 1, advice_names[a->kind], *a->name ? a->name : "(no name)");
    paint(PAINT_NONE);
    printf("\n");
    if (a->cycles >= 1)
        put_numbers(stdout, "   saves %s cycles (%.1f%% of all)\n", number_text(number, (uint64_t)(a->cycles + 0.5)),
                    total > 0 ? a->cycles / total * 100 : 0);
    if (a->bytes >= 1)
        printf("   saves %s bytes\n", number_text(number, (uint64_t)(a->bytes + 0.5)));
    printf("   %s", a->detail);
    if (a->times && a->times != UINT64_MAX)
        printf(a->times == 1 ? "; executed once" : "; executed %s times", number_text(number, a->times));
    if (a->tile != UINT64_MAX && (a->kind == ADVICE_IMBALANCE || a->kind == ADVICE_THREADS))
        printf("; slowest on tile %llu", (unsigned long long)a->tile);
    printf("\n   %s\n", advice_text(a));
    if (a->file && *a->file)
        printf("   %s:%llu\n", a->file, (unsigned long long)a->line);
}

/* Reports on standard error which analyses were not possible. */
static void say_missing(pva_file *file)
{
    if (sql_uint(file, "SELECT EXISTS(SELECT 1 FROM executed)"))
        return;
    bool blocks = sql_uint(file, "SELECT EXISTS(SELECT 1 FROM blocks)");
    fprintf(stderr, "pva advise: no step was captured, so cycles are unknown: only memory was analysed (%s)\n",
            blocks ? "a lightweight profile has only blocks; debug.instrumentCompute records steps too"
                   : "'pva check' shows the reason");
}

/* What the critical path consists of, before the entries. */
static void print_account(const struct account *account)
{
    char number[32];
    if (account->total <= 0)
        return;
    put_numbers(stdout, "%s cycles of %zu run%s, on the critical path:", number_text(number, (uint64_t)account->total),
                account->runs.count, account->runs.count == 1 ? "" : "s");
    const char *before = " ";
    for (size_t i = 0; i < ACTIVITIES; ++i)
        if (account->cycles[i] > 0) {
            put_numbers(stdout, "%s%s %.1f%%", before, activity_names[i], account->cycles[i] / account->total * 100);
            before = ", ";
        }
    put_numbers(stdout, "\ntiles compute in %.1f%% of that time (mean over tiles)\n", account->utilisation * 100);
}

/* The account again, after the entries: by activity what all entries save, and what is left.  Rows add up to 100 %. */
static void print_sum(const struct advices *all, const struct account *account, size_t rows)
{
    struct advice_sum sum = advices_sum(all, account, rows);
    char cycles[32], saved[32], left[32];
    if (account->total <= 0)
        return;
    size_t shown = all->list.count < rows ? all->list.count : rows;
    printf("%-22s %15s %7s %15s %7s %15s\n", "critical path", "cycles", "", "entries save", "", "left");
    for (size_t i = 0; i <= ACTIVITIES; ++i) {
        double whole = i < ACTIVITIES ? account->cycles[i] : account->total,
               won = i < ACTIVITIES ? sum.saved[i] : sum.all;
        if (whole <= 0)
            continue;
        number_text(cycles, (uint64_t)(whole + 0.5));
        number_text(saved, (uint64_t)(won + 0.5));
        number_text(left, (uint64_t)(whole - won + 0.5));
        put_numbers(stdout, "%-22s %15s %6.1f%% %15s %6.1f%% %15s %6.1f%%\n",
                    i < ACTIVITIES ? activity_names[i] : "all", cycles, whole / account->total * 100, saved,
                    won / account->total * 100, left, (whole - won) / account->total * 100);
    }
    if (shown < all->list.count)
        put_numbers(stdout, "entries 1 to %zu save %.1f%%, the other %zu %.1f%%\n", shown,
                    sum.shown / account->total * 100, all->list.count - shown,
                    (sum.all - sum.shown) / account->total * 100);
    double compute = account->cycles[ACTIVITY_COMPUTE] - sum.saved[ACTIVITY_COMPUTE];
    if (compute >= 1)
        put_numbers(stdout,
                    "the remaining %s compute cycles (%.1f%% of all) are evenly spread; only faster vertex code can "
                    "reduce them\n   (vectors, half, values kept in local variables: docs/reports/making-it-fast.md)\n",
                    number_text(left, (uint64_t)(compute + 0.5)), compute / account->total * 100);
}

static void print_entries(struct advices *all, pva_file *file, size_t rows, bool json, double total)
{
    if (json)
        printf("[");
    for (size_t i = 0; i < all->list.count && i < rows; ++i) {
        advice_find_line(file, &all->list.data[i]);
        if (json)
            print_json(&all->list.data[i], i);
        else
            print_text(&all->list.data[i], i, total);
    }
    if (json)
        printf("\n]\n");
    else if (!all->list.count)
        printf("no large loss was found\n");
}

int command_advise(int argc, char **argv)
{
    struct arguments arguments = { .options = { { "--rows", NULL }, { "--format", NULL } } };
    if (!arguments_read(&arguments, argc, argv, 1, 1))
        return EXIT_WRONG;
    const char *format = arguments_get(&arguments, "--format");
    bool json = format && strcmp(format, "json") == 0;
    if (format && !json && strcmp(format, "table") != 0)
        return say("advise", "unknown format '%s' (allowed: table, json)", format);
    size_t rows = 10;
    if (!arguments_number(&arguments, "--rows", 1, SIZE_MAX, &rows))
        return EXIT_WRONG;
    pva_file *file = open_or_say(arguments.words[0]);
    if (!file)
        return EXIT_WRONG;
    struct advices all = { 0 };
    struct account account = { 0 };
    pop_error error = { 0 };
    struct elapsed elapsed = { 0 };
    pop_status status = elapsed_read(&elapsed, file, &error);
    if (status == POP_OK)
        status = account_read(&account, &elapsed, file, &error);
    struct progress progress = progress_begin("looking", ADVICE_KINDS);
    for (int kind = 0; kind < ADVICE_KINDS && status == POP_OK; ++kind) {
        status = advices_find(&all, &elapsed, file, (enum advice_kind)kind, &error);
        progress_at(&progress, (uint64_t)kind + 1);
    }
    progress_end(&progress);
    advices_order(&all, file);
    if (status == POP_OK) {
        if (!json)
            print_account(&account);
        print_entries(&all, file, rows, json, account.total);
        if (!json)
            print_sum(&all, &account, rows);
        say_missing(file);
    }
    elapsed_free(&elapsed);
    account_free(&account);
    advices_free(&all);
    if (status == POP_OK)
        status = pva_take_error(file, &error);
    pva_close(file);
    return status == POP_OK ? EXIT_DONE : say_error("advise", &error);
}
