/* SPDX-License-Identifier: Apache-2.0 */
#include "elapsed.h"

#include "base/mem.h"

#include <stdlib.h>

static bool on_row(void *context, size_t columns, const int64_t *values)
{
    struct elapsed *elapsed = context;
    (void)columns;
    *vec_push(&elapsed->rows) = (struct elapsed_row){ .run = (uint64_t)values[0],
                                                      .program = (uint32_t)values[1],
                                                      .times = (uint64_t)values[2],
                                                      .cycles = (double)values[3] };
    return true;
}

pop_status elapsed_read(struct elapsed *elapsed, pva_file *file, pop_error *error)
{
    return pva_sql_integers(file, "SELECT run, program, times, cycles FROM executed_elapsed", on_row, elapsed, error);
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
