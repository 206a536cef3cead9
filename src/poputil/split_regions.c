/* SPDX-License-Identifier: Apache-2.0 */
/* Splits regions among vertices or workers. */
#include "poplibs/support.h"

#include <assert.h>
#include <poputil/util.h>

static int compare(const void *a, const void *b)
{
    const pop_interval *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

size_t poputil_merge_adjacent_regions(pop_interval *regions, size_t count)
{
    size_t kept = 0;
    bool sorted = true;
    for (size_t i = 1; i < count && sorted; ++i)
        sorted = compare(&regions[i - 1], &regions[i]) <= 0;
    if (!sorted)
        qsort(regions, count, sizeof(*regions), compare);
    for (size_t i = 0; i < count; ++i) {
        if (regions[i].begin >= regions[i].end)
            continue;
        if (kept && regions[i].begin <= regions[kept - 1].end)
            regions[kept - 1].end = poplibs_max(regions[kept - 1].end, regions[i].end);
        else
            regions[kept++] = regions[i];
    }
    return kept;
}

void poputil_merge_adjacent_regions_lists(pop_interval_lists *lists)
{
    size_t kept = 0;
    for (size_t i = 0; i < lists->count; ++i) {
        pop_interval *list = lists->intervals + lists->first[i];
        size_t count = poputil_merge_adjacent_regions(list, lists->first[i + 1] - lists->first[i]);
        if (count)
            memmove(lists->intervals + kept, list, count * sizeof(*list));
        lists->first[i] = kept; /* the next list's original start is in first[i + 1] */
        kept += count;
    }
    if (lists->count)
        lists->first[lists->count] = kept;
}

struct limits {
    size_t grain, partitions, min, max, region;
    size_t multiple; /* counts above the requested number are multiples of this */
};

static size_t partitions_for(size_t elements, struct limits l)
{
    size_t grains = poplibs_ceil_div(elements, l.grain);
    if (!grains)
        return 0;
    size_t count = grains / poplibs_max(1, poplibs_ceil_div(l.min, l.grain));
    count = poplibs_min(poplibs_max(1, count), poplibs_max(1, l.partitions));
    size_t needed = l.max == POPUTIL_NO_LIMIT ? 1 : poplibs_ceil_div(grains, poplibs_max(1, l.max / l.grain));
    if (needed > count)
        count = poplibs_min(grains, poplibs_ceil_div(needed, l.multiple) * l.multiple);
    return count;
}

/* Splits lists into partitions; each resulting list is a part of one input list. */
static void split(const pop_interval *intervals, const size_t *first, size_t count, struct limits l,
                  poputil_partitions *partitions)
{
    size_t elements = 0, total = count ? first[count] : 0;
    assert(l.grain && l.region && l.multiple);
    for (size_t i = 0; i < total; ++i)
        elements += intervals[i].end - intervals[i].begin;
    size_t grains = poplibs_ceil_div(elements, l.grain), parts = partitions_for(elements, l);
    struct lists_vec out = { 0 };
    partitions->count = parts;
    partitions->first = poplibs_zeros(parts + 1, sizeof(size_t));
    size_t list = 0, at = 0, done = 0, consumed = 0; /* done: of intervals[at]; consumed: of all */
    for (size_t i = 0; i < parts; ++i) {
        size_t end = poplibs_min(grains * (i + 1) / parts * l.grain, elements);
        while (consumed < end) {
            while (list < count && at == first[list + 1])
                ++list;
            assert(list < count && at < total);
            size_t left = poplibs_min(end - consumed, l.region), before = left;
            bool begun = false;
            while (left && at < first[list + 1]) {
                size_t take = poplibs_min(left, intervals[at].end - intervals[at].begin - done),
                       begin = intervals[at].begin + done;
                if (take) {
                    if (!begun)
                        lists_begin(&out);
                    begun = true;
                    lists_push(&out, begin, begin + take);
                }
                done += take;
                left -= take;
                if (intervals[at].begin + done == intervals[at].end)
                    ++at, done = 0;
            }
            consumed += before - left;
        }
        partitions->first[i + 1] = out.count;
    }
    assert(consumed == elements);
    partitions->regions = lists_take(&out);
}

static struct limits limits(unsigned grain, size_t partitions, unsigned min, unsigned max, unsigned region,
                            size_t multiple)
{
    return (struct limits){ .grain = poplibs_max(1, grain),
                            .partitions = partitions,
                            .min = min,
                            .max = max,
                            .region = region == POPUTIL_NO_LIMIT ? SIZE_MAX : poplibs_max(1, region),
                            .multiple = multiple };
}

/* Treats each interval as a list; resulting lists have one interval each. */
static void split_flat(pop_interval_list regions, struct limits l, pop_interval_lists *partitions)
{
    size_t *first = poplibs_new(regions.count + 1, sizeof(size_t));
    for (size_t i = 0; i <= regions.count; ++i)
        first[i] = i;
    poputil_partitions parts;
    split(regions.list, first, regions.count, l, &parts);
    free(first);
    free(parts.regions.first);
    *partitions = (pop_interval_lists){ parts.count, parts.first, parts.regions.intervals };
}

void poputil_split_regions(pop_interval_list regions, unsigned grain_size, unsigned max_partitions,
                           unsigned min_elements_per_partition, unsigned max_elements_per_partition,
                           unsigned max_elements_per_region, pop_interval_lists *partitions)
{
    split_flat(regions,
               limits(grain_size, max_partitions, min_elements_per_partition, max_elements_per_partition,
                      max_elements_per_region, 1),
               partitions);
}

void poputil_split_regions_lists(const pop_interval_lists *regions, unsigned grain_size, unsigned max_partitions,
                                 unsigned min_elements_per_partition, unsigned max_elements_per_partition,
                                 unsigned max_elements_per_region, poputil_partitions *partitions)
{
    split(regions->intervals, regions->first, regions->count,
          limits(grain_size, max_partitions, min_elements_per_partition, max_elements_per_partition,
                 max_elements_per_region, 1),
          partitions);
}

void poputil_split_regions_between_workers(const pop_target *target, pop_interval_list regions, unsigned grain_size,
                                           unsigned min_elements_per_partition, unsigned max_elements_per_partition,
                                           unsigned max_elements_per_region, pop_interval_lists *partitions)
{
    size_t workers = target && target->num_worker_contexts ? target->num_worker_contexts : 1;
    split_flat(regions,
               limits(grain_size, workers, min_elements_per_partition, max_elements_per_partition,
                      max_elements_per_region, workers),
               partitions);
}

void poputil_split_regions_lists_between_workers(const pop_target *target, const pop_interval_lists *regions,
                                                 unsigned grain_size, unsigned min_elements_per_partition,
                                                 unsigned max_elements_per_partition, unsigned max_elements_per_region,
                                                 poputil_partitions *partitions)
{
    size_t workers = target && target->num_worker_contexts ? target->num_worker_contexts : 1;
    split(regions->intervals, regions->first, regions->count,
          limits(grain_size, workers, min_elements_per_partition, max_elements_per_partition, max_elements_per_region,
                 workers),
          partitions);
}

void poputil_partitions_free(poputil_partitions *partitions)
{
    if (!partitions)
        return;
    free(partitions->first);
    pop_interval_lists_free(&partitions->regions);
    *partitions = (poputil_partitions){ 0 };
}
