/* SPDX-License-Identifier: Apache-2.0 */
/* Where the trace opens: at an iteration of the main loop, and where the loop's iterations begin. */
#include "../program_tree.h"
#include "../query.h"
#include "trace.h"

#include "base/mem.h"

#include <stdlib.h>

enum { DEEPEST_LOOP = 64, MAX_MARKS = 2000 };

struct loops {
    const struct lod *lod;
    struct program_tree tree;
    uint32_t *target;    /* by program: what a Call calls; UINT32_MAX: nothing */
    uint64_t *times;     /* by program: executed steps */
    VEC(uint32_t) loops; /* programs that repeat others */
    uint32_t leaf;       /* of the main loop: the first step of its body; UINT32_MAX: there is no loop */
    uint32_t program;    /* the main loop */
};

static bool on_program(void *context, size_t columns, const int64_t *values)
{
    struct loops *loops = context;
    (void)columns;
    if (values[0] < 0 || (uint64_t)values[0] >= loops->lod->programs)
        return true;
    if (values[1] >= 0 && (uint64_t)values[1] < loops->lod->programs)
        loops->target[values[0]] = (uint32_t)values[1];
    if (values[2])
        *vec_push(&loops->loops) = (uint32_t)values[0];
    return true;
}

/* The first program below that is executed as a step; UINT32_MAX: none. */
static uint32_t first_step(const struct loops *loops, uint32_t program, unsigned depth)
{
    if (program >= loops->lod->programs || depth > DEEPEST_LOOP)
        return UINT32_MAX;
    if (loops->times[program])
        return program;
    size_t low = 0, high = loops->tree.parent.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (loops->tree.parent.data[middle] < program)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t found = UINT32_MAX;
    for (; found == UINT32_MAX && low < loops->tree.parent.count && loops->tree.parent.data[low] == program; ++low)
        found = first_step(loops, loops->tree.child.data[low], depth + 1);
    return found == UINT32_MAX ? first_step(loops, loops->target[program], depth + 1) : found;
}

/* The loop whose iterations cover most of the trace: between the first and the last execution of its first step. */
static void find_main_loop(struct loops *loops)
{
    const struct lod *lod = loops->lod;
    uint64_t *first = mem_zero(lod->programs + 1, sizeof(*first)), *last = mem_zero(lod->programs + 1, sizeof(*last));
    double most = 0, from, to, begin, end;
    for (uint64_t i = 0; i < lod->steps; ++i) {
        uint32_t program = lod->program[i];
        if (!loops->times[program]++)
            first[program] = i;
        last[program] = i;
    }
    loops->leaf = UINT32_MAX;
    for (size_t i = 0; i < loops->loops.count; ++i) {
        uint32_t leaf = first_step(loops, loops->loops.data[i], 0);
        if (leaf == UINT32_MAX || loops->times[leaf] < 3)
            continue;
        lod_extent(lod, first[leaf], 0, &from, &to);
        lod_extent(lod, last[leaf], 0, &begin, &end);
        if (begin - from > most) {
            most = begin - from;
            loops->leaf = leaf;
            loops->program = loops->loops.data[i];
        }
    }
    free(first);
    free(last);
}

/* The window from one execution of the loop's first step to the next, and marks where iterations begin. */
static json_t *window_of_loop(const struct loops *loops, double *from, double *to)
{
    const struct lod *lod = loops->lod;
    json_t *marks = json_array();
    uint64_t seen = 0, every = loops->leaf == UINT32_MAX ? 1 : loops->times[loops->leaf] / MAX_MARKS + 1;
    double begin, end, starts[3] = { 0 };
    *from = lod->from;
    *to = lod->to;
    if (loops->leaf == UINT32_MAX)
        return marks;
    for (uint64_t i = 0; i < lod->steps; ++i) {
        if (lod->program[i] != loops->leaf)
            continue;
        lod_extent(lod, i, 0, &begin, &end);
        if (seen < 3)
            starts[seen] = begin;
        if (seen++ % every == 0)
            json_array_append_new(marks, json_real(begin));
    }
    if (starts[2] > starts[1]) { /* the second iteration: the first may begin with what only happens once */
        *from = starts[1];
        *to = starts[2];
    }
    return marks;
}

json_t *opening_json(const struct lod *lod, pva_file *file, pop_error *error)
{
    struct loops loops = { .lod = lod, .leaf = UINT32_MAX };
    loops.target = mem_alloc((lod->programs + 1) * sizeof(*loops.target));
    loops.times = mem_zero(lod->programs + 1, sizeof(*loops.times));
    for (uint32_t i = 0; i <= lod->programs; ++i)
        loops.target[i] = UINT32_MAX;
    pop_status status = program_tree_read(file, &loops.tree, error);
    if (status == POP_OK)
        status =
            pva_sql_integers(file,
                             "SELECT id, ifnull(target, -1), type LIKE 'Repeat%' FROM programs WHERE target IS NOT "
                             "NULL OR type LIKE 'Repeat%'",
                             on_program, &loops, error);
    json_t *opening = NULL;
    if (status == POP_OK) {
        double from, to, begin, end;
        find_main_loop(&loops);
        json_t *marks = window_of_loop(&loops, &from, &to);
        json_int_t step = -1;
        for (uint64_t i = 0; i < lod->steps && step < 0; ++i)
            if (lod_kind(lod, i) == KIND_EXECUTE && lod_extent(lod, i, 0, &begin, &end) && begin >= from && end <= to)
                step = (json_int_t)i;
        /* Tiles in use as in Memory: those that hold more than what every tile holds. */
        double tiles = query_number(file,
                                    "SELECT max(tile) + 1 FROM memory_by_tile, (SELECT min(total) AS least, max(total) "
                                    "AS most FROM memory_by_tile) WHERE total > least + (most - least) / 50",
                                    0);
        opening = json_pack("{s:f, s:f, s:f, s:I, s:I, s:o}", "tiles", tiles, "from", from, "to", to, "step", step,
                            "iterations", (json_int_t)(loops.leaf == UINT32_MAX ? 0 : loops.times[loops.leaf]), "marks",
                            marks);
    }
    program_tree_free(&loops.tree);
    vec_free(&loops.loops);
    free(loops.target);
    free(loops.times);
    return opening;
}
