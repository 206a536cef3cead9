/* SPDX-License-Identifier: Apache-2.0 */
#include "host_trace.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The blocks of lightweight profiling, moved with their runs. */
static void move_blocks(struct lod *lod, const double *shift)
{
    lod->block = mem_copy(lod->block, lod->blocks * sizeof(*lod->block));
    for (uint64_t i = 0; i < lod->blocks; ++i) {
        struct lod_block *block = &lod->block[i];
        double by = block->run < lod->runs ? shift[block->run] : 0;
        block->from = block->from < 0 ? block->from : block->from + by;
        block->to = block->to < 0 ? block->to : block->to + by;
        block->shown_from += by;
        block->shown_to += by;
    }
}

/* The steps of a report on the axis; what does not depend on cycles is the plain trace's. */
static struct lod *moved(const struct lod *plain, const struct host_trace *host)
{
    struct lod *lod = mem_copy(plain, sizeof(*plain));
    lod->shift = host->shift;
    lod->run = mem_copy(plain->run, plain->runs * sizeof(*plain->run));
    lod->base = mem_copy(plain->base, plain->steps * sizeof(*plain->base));
    for (uint32_t i = 0; i < lod->runs; ++i) {
        struct lod_run *run = &lod->run[i];
        run->from += host->shift[i];
        run->to = run->from + host->length[i];
        uint64_t end = i + 1 < lod->runs ? plain->run[i + 1].first : lod->steps;
        for (uint64_t step = run->first; step < end && step < lod->steps; ++step)
            lod->base[step] += (int64_t)host->shift[i];
    }
    move_blocks(lod, host->shift);
    lod->bucket = NULL;
    lod_make_buckets(lod);
    lod->from = 0;
    lod->to = ceil(host->to);
    lod->note = NULL;
    lod->saving = NULL;
    return lod;
}

static void free_moved(struct lod *lod)
{
    if (!lod)
        return;
    free(lod->run);
    free(lod->base);
    free(lod->block);
    free(lod->bucket);
    free(lod);
}

static void free_kept(void *trace)
{
    free_moved(((struct host_trace *)trace)->steps);
    host_trace_free(trace);
}

const struct host_trace *host_trace_of(const struct request *request, pop_error *error)
{
    const struct lod *plain = lod_of(request, error);
    struct report_use *use = plain ? request_use_named(request, error) : NULL;
    if (!use)
        return NULL;
    pthread_mutex_lock(&use->lod_lock);
    struct kept *kept = &use->report.kept[KEPT_HOST];
    if (!kept->data) {
        struct host_trace *trace = host_trace_read(plain, use->report.directory);
        if (trace->processes.count)
            trace->steps = moved(plain, trace);
        *kept = (struct kept){ trace, free_kept };
    }
    pthread_mutex_unlock(&use->lod_lock);
    return kept->data;
}

const struct lod *lod_asked(const struct request *request, pop_error *error)
{
    if (strcmp(request_text(request, "host", ""), "1") != 0)
        return lod_of(request, error);
    const struct host_trace *host = host_trace_of(request, error);
    return !host ? NULL : host->steps ? host->steps : lod_of(request, error);
}
