/* SPDX-License-Identifier: Apache-2.0 */
#include "elapsed.h"

#include "base/mem.h"

#include <stdlib.h>

/* Steps in their order: rows of a run are added when the next run begins. */
struct reading {
    struct elapsed *elapsed;
    struct elapsed_row *row; /* by program; times is 0 where the run has not executed it */
    size_t programs;
    uint64_t run;
    int64_t end;
};

static void end_run(struct reading *reading)
{
    for (size_t i = 0; i < reading->programs; ++i) {
        if (reading->row[i].times)
            *vec_push(&reading->elapsed->rows) = reading->row[i];
        reading->row[i] = (struct elapsed_row){ .program = (uint32_t)i };
    }
}

static bool on_end(void *context, size_t columns, const int64_t *values)
{
    struct reading *reading = context;
    (void)columns;
    if ((uint64_t)values[1] != reading->run)
        end_run(reading);
    reading->run = (uint64_t)values[1];
    double by = values[2] > reading->end ? (double)(values[2] - reading->end) : 0;
    reading->end = values[2] > reading->end ? values[2] : reading->end;
    if (values[0] >= 0 && (uint64_t)values[0] < reading->programs) {
        struct elapsed_row *row = &reading->row[values[0]];
        row->run = reading->run;
        row->cycles += by;
        ++row->times;
    }
    return true;
}

pop_status elapsed_read(struct elapsed *elapsed, pva_file *file, pop_error *error)
{
    pva_object compilation = pva_get(pva_root(file), PVA_REPORT_COMPILATION);
    struct reading reading = { .elapsed = elapsed,
                               .programs = (size_t)pva_count(compilation, PVA_COMPILATION_PROGRAMS) };
    reading.row = mem_zero(reading.programs + 1, sizeof(*reading.row));
    for (size_t i = 0; i < reading.programs; ++i)
        reading.row[i].program = (uint32_t)i;
    pop_status status =
        pva_sql_integers(file, ELAPSED_ENDS "SELECT program, run, end FROM ends ORDER BY id", on_end, &reading, error);
    end_run(&reading);
    free(reading.row);
    return status;
}

void elapsed_free(struct elapsed *elapsed)
{
    vec_free(&elapsed->rows);
}

static void free_kept(void *elapsed)
{
    elapsed_free(elapsed);
    free(elapsed);
}

const struct elapsed *elapsed_of(struct analyser_report *report, pop_error *error)
{
    struct kept *kept = &report->kept[KEPT_ELAPSED];
    if (kept->data)
        return kept->data;
    struct elapsed *elapsed = MEM_NEW(struct elapsed);
    if (elapsed_read(elapsed, report->file, error) != POP_OK) {
        free_kept(elapsed);
        return NULL;
    }
    *kept = (struct kept){ elapsed, free_kept };
    return elapsed;
}
