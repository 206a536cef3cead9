/* SPDX-License-Identifier: Apache-2.0 */
/* How many tiles compute, exchange and wait over time, as CSV, from the steps of an execution profile. */
#include "engine/state.h"
#include "profile/graph_profile.h"
#include "value/made.h"

#include <errno.h>
#include <inttypes.h>
#include <poplar/text.h>

enum activity { COMPUTES, EXCHANGES };

/* A change, at a cycle, in the number of tiles per activity. */
struct interval_change {
    uint64_t cycle;
    enum activity activity;
    int64_t tiles;
};

struct changes {
    VEC(struct interval_change) list;
};

static int by_cycle(const void *a, const void *b)
{
    const struct interval_change *first = a, *second = b;
    return (first->cycle > second->cycle) - (first->cycle < second->cycle);
}

static void add_step(struct changes *changes, const pop_profile_value *step)
{
    uint64_t from = pop_profile_as_uint(pop_profile_get(step, "cyclesFrom")),
             to = pop_profile_as_uint(pop_profile_get(step, "cyclesTo"));
    int64_t tiles = (int64_t)pop_profile_as_uint(pop_profile_get(step, "activeTiles"));
    bool computes = strcmp(pop_profile_as_string(pop_profile_get(step, "type")), "OnTileExecute") == 0;
    enum activity activity = computes ? COMPUTES : EXCHANGES;
    if (from >= to || !tiles)
        return; /* a sync, or a step of 0 cycles */
    *vec_push(&changes->list) = (struct interval_change){ from, activity, tiles };
    *vec_push(&changes->list) = (struct interval_change){ to, activity, -tiles };
}

/* One line from each change to the next.  Steps of different tiles overlap: what they do together is at most all tiles.
 */
static void write_lines(const struct changes *changes, int64_t tiles, FILE *file)
{
    int64_t active[2] = { 0, 0 };
    for (size_t i = 0; i < changes->list.count; ++i) {
        const struct interval_change *change = changes->list.data + i;
        active[change->activity] += change->tiles;
        if (i + 1 == changes->list.count || change[1].cycle == change->cycle)
            continue;
        int64_t waiting = tiles - active[COMPUTES] - active[EXCHANGES];
        fprintf(file, "%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n", change->cycle, change[1].cycle,
                active[COMPUTES], active[EXCHANGES], waiting > 0 ? waiting : 0);
    }
}

pop_status pop_engine_report_intervals(const pop_engine *engine, FILE *file, pop_error *error)
{
    static const char api[] = "pop_engine_report_intervals";
    pop_profile_value execution;
    if (!engine || !file)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the %s is NULL", engine ? "file" : "engine");
    pop_status status = pop_engine_execution_profile(engine, &execution, error);
    if (status != POP_OK)
        return status;
    const pop_profile_value *steps = pop_profile_path(&execution, "simulation.steps");
    struct changes changes = { 0 };
    struct profile_reader reader = { .vector = steps };
    for (size_t i = 0; i < pop_profile_size(steps); ++i)
        add_step(&changes, profile_read(&reader, i));
    profile_reader_end(&reader);
    if (changes.list.count)
        qsort(changes.list.data, changes.list.count, sizeof(*changes.list.data), by_cycle);
    fputs("begin,end,tiles in compute,tiles in exchange,tiles in sync\n", file);
    write_lines(&changes, (int64_t)pop_target_num_tiles(&engine->image->target), file);
    vec_free(&changes.list);
    pop_profile_free(&execution);
    if (fflush(file) != 0 || ferror(file))
        return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "the file cannot be written: %s",
                         pop_text_from_errno(errno));
    return POP_OK;
}
