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
    put_json(stdout, advice_texts[a->kind]);
    printf("}");
}

static void print_text(const struct advice *a, size_t rank, double total)
{
    bool colour = colours();
    char number[32];
    printf("%s%zu. %s: %s%s\n", colour ? "\033[1m" : "", rank + 1, advice_names[a->kind],
           *a->name ? a->name : "(no name)", colour ? "\033[0m" : "");
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
    printf("\n   %s\n", advice_texts[a->kind]);
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

/* Prints how much compute is left: what entries of imbalance and threads do not save, fewer instructions may. */
static void print_compute(const struct advices *all, double compute, double total)
{
    double saved = 0;
    for (size_t i = 0; i < all->list.count; ++i)
        if (all->list.data[i].kind == ADVICE_IMBALANCE || all->list.data[i].kind == ADVICE_THREADS)
            saved += all->list.data[i].cycles;
    double left = compute > saved ? compute - saved : 0;
    char number[32];
    if (left < 1 || total <= 0)
        return;
    put_numbers(
        stdout,
        "the remaining %s compute cycles (%.1f%% of all) are evenly spread; only faster vertex code can reduce them\n"
        "   (vectors, half, values kept in local variables: docs/reports/making-it-fast.md)\n",
        number_text(number, (uint64_t)(left + 0.5)), left / total * 100);
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
    pop_error error = { 0 };
    pop_status status = POP_OK;
    struct progress progress = progress_begin("looking", ADVICE_KINDS);
    for (int kind = 0; kind < ADVICE_KINDS && status == POP_OK; ++kind) {
        status = advices_find(&all, file, (enum advice_kind)kind, &error);
        progress_at(&progress, (uint64_t)kind + 1);
    }
    progress_end(&progress);
    advices_order(&all, file);
    double total = (double)sql_uint(file, "SELECT total FROM execution_cycle_totals");
    if (json)
        printf("[");
    for (size_t i = 0; i < all.list.count && i < rows && status == POP_OK; ++i) {
        advice_find_line(file, &all.list.data[i]);
        if (json)
            print_json(&all.list.data[i], i);
        else
            print_text(&all.list.data[i], i, total);
    }
    double compute = 0;
    if (status == POP_OK)
        status = advice_compute_cycles(file, &compute, &error);
    if (json)
        printf("\n]\n");
    else if (!all.list.count && status == POP_OK)
        printf("no large loss was found\n");
    if (!json && status == POP_OK)
        print_compute(&all, compute, total);
    if (status == POP_OK)
        say_missing(file);
    advices_free(&all);
    if (status == POP_OK)
        status = pva_take_error(file, &error);
    pva_close(file);
    return status == POP_OK ? EXIT_DONE : say_error("advise", &error);
}
