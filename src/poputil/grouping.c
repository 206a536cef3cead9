/* SPDX-License-Identifier: Apache-2.0 */
/* Detects which elements of a tensor are contiguous in memory. */
#include "poplibs/log.h"

#include <poputil/var_structure.h>

/* The common divisor; most ends are multiples of the group already. */
static size_t divisor(size_t group, size_t end)
{
    return end % group ? poplibs_gcd(group, end) : group;
}

/* Reduces a group size to a divisor of the ends of all contiguous regions. */
static size_t within_regions(pop_tensor t, size_t group)
{
    pop_interval *regions = NULL;
    size_t count = pop_tensor_contiguous_regions(t, &regions);
    for (size_t i = 0; i < count && group > 1; ++i)
        group = divisor(group, regions[i].end);
    free(regions);
    return group;
}

static size_t within_tiles(const struct call *call, pop_tensor t, size_t group)
{
    pop_interval_lists mapping;
    bool complete;
    if (group <= 1 || !pop_graph_get_tile_mapping(call->graph, t, &complete, &mapping))
        return 1;
    size_t intervals = mapping.count ? mapping.first[mapping.count] : 0;
    for (size_t i = 0; i < intervals && group > 1; ++i)
        group = divisor(divisor(group, mapping.intervals[i].begin), mapping.intervals[i].end);
    pop_interval_lists_free(&mapping);
    return group;
}

/* The largest group size of the innermost `line` elements. */
static size_t grouping(const struct call *call, pop_tensor t, size_t line)
{
    pop_tensor flat = pop_tensor_flatten(t);
    if (!pop_tensor_num_elements(flat) || line <= 1)
        return 1;
    size_t group = within_regions(pop_tensor_slice(flat, 0, line, 0), line); /* mostly decisive */
    return group > 1 ? within_tiles(call, flat, within_regions(flat, group)) : 1;
}

unsigned poputil_detect_innermost_grouping_at(pop_where where, pop_graph *graph, pop_tensor t)
{
    POPLIBS_CALL(graph, t);
    if (!call_ready(call))
        return 1;
    size_t rank = pop_tensor_rank(t);
    if (!rank) {
        call_fail(call, POP_POPLAR_ERROR, "a %s has no innermost dimension",
                  pop_tensor_valid(t) ? "tensor of rank 0" : "null tensor");
        return 1;
    }
    pop_mark mark = pop_graph_mark(graph);
    size_t group = grouping(call, t, pop_tensor_dim(t, rank - 1));
    pop_graph_release(graph, mark);
    return (unsigned)group;
}

/* The number of consecutive elements of dimension d. The last dimension of t, with `inner` elements, has the groups
 * found so far; the other dimensions have the remaining elements. */
static size_t next_size(const struct call *call, pop_tensor t, unsigned d, size_t inner)
{
    unsigned rank = (unsigned)pop_tensor_rank(t);
    size_t line = pop_tensor_dim(t, d) * inner;
    size_t group = grouping(call, pop_tensor_dim_roll(t, d, rank - 2), line);
    return group > inner && group % inner == 0 ? group / inner : 1;
}

/* Moves the innermost `size` elements of dimension d into the last dimension. */
static pop_tensor take(const struct call *call, pop_tensor t, unsigned d, size_t size)
{
    unsigned rank = (unsigned)pop_tensor_rank(t);
    t = pop_tensor_reshape_partial(t, d, d + 1, POP_SHAPE(pop_tensor_dim(t, d) / size, size));
    t = pop_tensor_dim_roll(t, d + 1, rank - 1);
    return pop_tensor_flatten_dims(t, rank - 1, rank + 1);
}

/* Finds at most max groupings; returns how many. */
static size_t find_groupings(const struct call *call, pop_tensor t, size_t max, poputil_dim_grouping *groupings,
                             size_t capacity)
{
    unsigned rank = (unsigned)pop_tensor_rank(t);
    size_t inner = 1, count = 0;
    pop_mark mark = pop_graph_mark(call->graph);
    pop_tensor grouped = pop_tensor_expand(t, POP_DIMS(rank)); /* adds a last dimension of 1 */
    for (bool found = rank > 0; found && count < max && call_ready(call);) {
        found = false;
        for (unsigned d = rank; d-- > 0 && !found;) {
            size_t size = pop_tensor_dim(grouped, d) > 1 ? next_size(call, grouped, d, inner) : 1;
            if (size == 1)
                continue;
            if (count < capacity)
                groupings[count] = (poputil_dim_grouping){ d, (unsigned)size };
            ++count;
            grouped = take(call, grouped, d, size);
            inner *= size;
            found = true;
        }
    }
    pop_graph_release(call->graph, mark);
    return count;
}

size_t poputil_detect_dim_groupings_at(pop_where where, pop_graph *graph, pop_tensor t, poputil_dim_grouping *groupings,
                                       size_t capacity)
{
    POPLIBS_CALL(graph, t, capacity);
    if (!call_ready(call) || !pop_tensor_num_elements(t))
        return 0;
    return find_groupings(call, t, SIZE_MAX, groupings, capacity);
}

bool poputil_detect_first_dim_grouping_at(pop_where where, pop_graph *graph, pop_tensor t,
                                          poputil_dim_grouping *grouping)
{
    POPLIBS_CALL(graph, t);
    if (!call_ready(call) || !pop_tensor_num_elements(t))
        return false;
    return find_groupings(call, t, 1, grouping, 1) > 0;
}
