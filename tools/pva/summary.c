/* SPDX-License-Identifier: Apache-2.0 */
#include "account.h"
#include "pva.h"

#include <stdlib.h>
#include <string.h>

/* The runs by name, with what the critical path of each consists of. */
static void print_account(const struct account *account)
{
    enum { MAX_RUNS = 20 };
    char number[32];
    if (account->total <= 0)
        return;
    printf("\nTime by run (critical path; the cycles above are summed over tiles):\n  %-28s %15s", "", "cycles");
    for (size_t i = 0; i < ACTIVITIES; ++i)
        if (account->cycles[i] > 0)
            printf(" %*s", (int)strlen(activity_names[i]) < 8 ? 8 : (int)strlen(activity_names[i]), activity_names[i]);
    printf("\n");
    size_t shown = account->runs.count < MAX_RUNS ? account->runs.count : MAX_RUNS;
    for (size_t r = 0; r <= shown; ++r) {
        const struct account_run *run = r < shown ? &account->runs.data[r] : NULL;
        const double *cycles = run ? run->cycles : account->cycles, total = run ? run->total : account->total;
        if (!run && account->runs.count > shown)
            printf("  and %zu more runs\n", account->runs.count - shown);
        printf("  %-28s %15s", run ? run->name : "all runs", number_text(number, (uint64_t)total));
        for (size_t i = 0; i < ACTIVITIES; ++i)
            if (account->cycles[i] > 0)
                put_numbers(stdout, " %*.1f%%",
                            (int)strlen(activity_names[i]) < 8 ? 7 : (int)strlen(activity_names[i]) - 1,
                            total > 0 ? cycles[i] / total * 100 : 0);
        printf("\n");
    }
    put_numbers(stdout, "  Tiles compute in %.1f%% of that time (mean over tiles)\n", account->utilisation * 100);
}

int command_summary(int argc, char **argv)
{
    struct arguments arguments = {
        .options = { { "--vars!", NULL }, { "--steps!", NULL }, { "--per-ipu!", NULL }, { "--averages!", NULL } }
    };
    if (!arguments_read(&arguments, argc, argv, 1, 1))
        return EXIT_WRONG;
    pva_file *file = open_or_say(arguments.words[0]);
    if (!file)
        return EXIT_WRONG;
    static const char *const names[][2] = { { "--vars", "showVarStorage" },
                                            { "--steps", "showExecutionSteps" },
                                            { "--per-ipu", "showPerIpuMemoryUsage" },
                                            { "--averages", "showTileAverages" } };
    pop_option options[4];
    size_t count = 0;
    for (size_t i = 0; i < 4; ++i)
        if (arguments_get(&arguments, names[i][0]))
            options[count++] = (pop_option){ names[i][1], "true" };
    pop_error error = { 0 };
    pop_status status = pva_print_summary(terminal_below(), file, (pop_options){ options, count }, &error);
    struct account account = { 0 };
    struct elapsed elapsed = { 0 };
    if (status == POP_OK)
        status = elapsed_read(&elapsed, file, &error);
    if (status == POP_OK)
        status = account_read(&account, &elapsed, file, &error);
    if (status == POP_OK)
        print_account(&account);
    account_free(&account);
    elapsed_free(&elapsed);
    pva_close(file);
    return status == POP_OK ? EXIT_DONE : say_error("summary", &error);
}
