/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a tensor in the order of memory. */
#include "graph/variable/regions.h"
#include "base/sort.h"
#include "graph/store/store.h"
#include "graph/variable/variable.h"
#include "graph/view/tensor.h"
#include "graph/view/view.h"

static bool place_run(const struct run *run, void *context)
{
    struct placed_runs *runs = context;
    *vec_push(&runs->list) = (struct placed_run){ run->variable, run->offset, run->count, runs->flat };
    runs->flat += run->count;
    return true;
}

bool placed_runs_add(struct placed_runs *runs, pop_tensor t, uint64_t begin, uint64_t end)
{
    runs->flat = begin;
    return tensor_each_run_in(t, begin, end, place_run, runs);
}

static int in_memory(const void *a, const void *b)
{
    const struct placed_run *x = a, *y = b;
    if (x->variable != y->variable)
        return x->variable < y->variable ? -1 : 1;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->flat < y->flat ? -1 : x->flat > y->flat;
}

static uint64_t run_variable(const void *run)
{
    return ((const struct placed_run *)run)->variable;
}
static uint64_t run_offset(const void *run)
{
    return ((const struct placed_run *)run)->offset;
}
static uint64_t run_flat(const void *run)
{
    return ((const struct placed_run *)run)->flat;
}

bool placed_runs_sort(struct placed_runs *runs)
{
    enum { FEW_RUNS = 256 };
    struct placed_run *list = runs->list.data;
    size_t count = runs->list.count, sorted = 1;
    while (sorted < count && in_memory(&list[sorted - 1], &list[sorted]) <= 0)
        ++sorted;
    if (sorted >= count)
        return false;
    if (count < FEW_RUNS) {
        qsort(list, count, sizeof(*list), in_memory);
    } else {
        sort_by_key(list, count, sizeof(*list), run_flat);
        sort_by_key(list, count, sizeof(*list), run_offset);
        sort_by_key(list, count, sizeof(*list), run_variable);
    }
    return true;
}

/* Groups under construction: an interval that continues a region is added to its group. */
struct region_grouping {
    VEC(size_t) first;
    VEC(pop_interval) intervals;
    const struct placed_run *last;
    uint64_t end;   /* of the last group's region */
    uint64_t count; /* elements in all groups */
};

static void add_to_group(struct region_grouping *g, const struct placed_run *run, uint64_t skip)
{
    uint64_t begin = run->flat + skip, end = run->flat + run->count;
    bool same = g->last && g->last->variable == run->variable && g->end == run->offset + skip;
    if (!same)
        *vec_push(&g->first) = g->intervals.count;
    if (same && g->intervals.data[g->intervals.count - 1].end == begin)
        g->intervals.data[g->intervals.count - 1].end = end;
    else
        *vec_push(&g->intervals) = (pop_interval){ begin, end };
    g->last = run;
    g->end = run->offset + run->count;
    g->count += run->count - skip;
}

/* Elements that were met first in a run, and their index among those in the groups. */
struct original {
    uint32_t variable;
    uint64_t begin, end, index;
};

/* The originals of a run's elements; those before from are already covered by earlier runs. */
static void add_aliases(const struct original *original, size_t originals, const struct placed_run *run,
                        size_t *aliases)
{
    size_t low = 0, high = originals;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        bool before = original[middle].variable != run->variable ? original[middle].variable < run->variable
                                                                 : original[middle].begin <= run->offset;
        if (before)
            low = middle;
        else
            high = middle;
    }
    for (uint64_t i = 0; i < run->count; ++i) {
        while (original[low].end <= run->offset + i)
            ++low;
        aliases[i] = (size_t)(original[low].index + run->offset + i - original[low].begin);
    }
}

/* Walks runs in the order of memory. */
static void group_runs(const struct placed_run *run, size_t count, bool remove_aliased, size_t *aliases,
                       struct region_grouping *g)
{
    VEC(struct original) originals = { 0 };
    uint64_t covered = 0, index = 0;
    for (size_t i = 0; i < count; ++i, ++run) {
        if (!i || run[-1].variable != run->variable)
            covered = 0;
        uint64_t skip = covered > run->offset ? covered - run->offset : 0;
        skip = skip < run->count ? skip : run->count;
        if (skip < run->count) {
            uint64_t at = remove_aliased ? g->count : index + skip;
            *vec_push(&originals) =
                (struct original){ run->variable, run->offset + skip, run->offset + run->count, at };
            covered = run->offset + run->count;
        }
        if (!remove_aliased)
            add_to_group(g, run, 0);
        else if (skip < run->count)
            add_to_group(g, run, skip);
        if (aliases)
            add_aliases(originals.data, originals.count, run, aliases + index);
        index += run->count;
    }
    vec_free(&originals);
}

bool pop_graph_get_sorted_contiguous_regions_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                pop_interval_list intervals, bool remove_aliased, size_t *aliases,
                                                pop_interval_lists *groups)
{
    const char *api = "pop_graph_get_sorted_contiguous_regions";
    *groups = (pop_interval_lists){ 0 };
    if (!graph_ready(graph) || !graph_tensor(graph, where, api, "", POP_POPLAR_ERROR, t))
        return false;
    if (!store_has_list(graph->store, POP_POPLAR_ERROR, where, api, "intervals", intervals.count, intervals.list))
        return false;
    size_t elements = pop_tensor_num_elements(t);
    struct placed_runs runs = { .flat = 0 };
    for (size_t i = 0; i < intervals.count; ++i) {
        pop_interval interval = intervals.list[i];
        if (interval.begin > interval.end || interval.end > elements) {
            vec_free(&runs.list);
            return store_fail(graph->store, POP_INDEX_ERROR, where, api,
                              "interval [%zu, %zu) of a tensor of %zu elements", interval.begin, interval.end,
                              elements);
        }
        if (!placed_runs_add(&runs, t, interval.begin, interval.end)) {
            vec_free(&runs.list);
            return false;
        }
    }
    if (!runs.list.count)
        return true;
    placed_runs_sort(&runs);
    struct region_grouping g = { .end = 0 };
    group_runs(runs.list.data, runs.list.count, remove_aliased, aliases, &g);
    vec_free(&runs.list);
    groups->count = g.first.count;
    *vec_push(&g.first) = g.intervals.count;
    groups->first = g.first.data;
    groups->intervals = g.intervals.data;
    return true;
}
