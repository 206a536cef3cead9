/* SPDX-License-Identifier: Apache-2.0 */
/* bench_open_report DIR: opens a report and runs three queries.  Prints the seconds of opening, those of the queries,
 * and the peak memory of the process. */
#include <pva/pva.h>

#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Names and sizes of live variables, as a caller would list them; their bytes. */
static uint64_t read_variables(pva_object memory)
{
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < pva_count(memory, PVA_LIVE_MEMORY_VARIABLES); ++i) {
        pva_object variable = pva_at(memory, PVA_LIVE_MEMORY_VARIABLES, i);
        char name[256];
        pva_text(variable, PVA_LIVE_VARIABLE_NAME, name, sizeof(name));
        bytes += pva_uint(variable, PVA_LIVE_VARIABLE_SIZE);
    }
    return bytes;
}

int main(int argc, char **argv)
{
    enum { LONGEST = 10 };
    pop_error error = { 0 };
    double start = seconds();
    pva_file *report = argc == 2 ? pva_open_report(argv[1], NULL, &error) : NULL;
    if (!report) {
        fprintf(stderr, "bench_open_report: %s\n", error.text);
        return 1;
    }
    double opened = seconds();
    pva_object tile = pva_peak_tile(report), steps[LONGEST];
    uint64_t max =
        pva_uint(pva_get(pva_get(tile, PVA_TILE_MEMORY), PVA_TILE_MEMORY_TOTAL), PVA_MEMORY_SIZE_INCLUDING_GAPS);
    size_t count = pva_longest_steps(report, steps, LONGEST);
    for (size_t i = 0; i < count; ++i) {
        char name[256];
        pva_text(pva_get(steps[i], PVA_STEP_PROGRAM), PVA_PROGRAM_NAME, name, sizeof(name));
    }
    pva_object step = pva_worst_liveness_step(report);
    uint64_t live = read_variables(pva_get(step, PVA_LIVENESS_STEP_NOT_ALWAYS_LIVE_MEMORY));
    double answered = seconds();
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    if (pva_take_error(report, &error) != POP_OK || count != LONGEST || !live || !max) {
        fprintf(stderr, "bench_open_report: %s\n", error.text);
        return 1;
    }
    pva_close(report);
    printf("%f %f %f\n", opened - start, answered - opened, (double)usage.ru_maxrss * 1024);
    return 0;
}
