/* SPDX-License-Identifier: Apache-2.0 */
/* An operand of one dimension, mapped like the larger operand. */
#include "poplibs/log.h"

#include <poputil/tile_mapping.h>
#include <poputil/util.h>

/* Maps elements [begin, end) of consecutive lines of n elements to positions in a line. */
static void push_wrapped(struct interval_vec *used, size_t begin, size_t end, size_t n)
{
    if (end - begin >= n) {
        interval_push(used, 0, n);
    } else if (begin % n + (end - begin) > n) {
        interval_push(used, begin % n, n);
        interval_push(used, 0, begin % n + (end - begin) - n);
    } else {
        interval_push(used, begin % n, begin % n + (end - begin));
    }
}

/* Adds, for each tile of a mapping of several lines, the elements of a single line that it uses to the tracker. */
static void track(const struct call *call, poputil_use_tracker *tracker, const pop_interval_lists *mapping,
                  pop_tensor line)
{
    struct interval_vec used = { 0 };
    for (size_t tile = 0; tile < mapping->count; ++tile) {
        used.count = 0;
        for (size_t i = mapping->first[tile]; i < mapping->first[tile + 1]; ++i)
            push_wrapped(&used, mapping->intervals[i].begin, mapping->intervals[i].end, pop_tensor_num_elements(line));
        used.count = poputil_merge_adjacent_regions(used.list, used.count);
        for (size_t i = 0; i < used.count; ++i)
            poputil_use_tracker_add(tracker, call->graph, (unsigned)tile,
                                    pop_tensor_slice(line, used.list[i].begin, used.list[i].end, 0));
    }
    free(used.list);
}

pop_tensor poputil_create_broadcast_operand_at(pop_where where, pop_graph *graph, pop_tensor full, pop_type type,
                                               unsigned dim, bool dither, const char *name)
{
    POPLIBS_CALL(graph, full, log_type(type), dim, dither, name);
    pop_tensor none = { 0 };
    if (!call_ready(call))
        return none;
    size_t shape[16], rank = pop_tensor_shape(full, shape, 16);
    if (dim >= rank) {
        call_fail(call, POP_INDEX_ERROR, "there is no dimension %u: the tensor's rank is %zu", dim, rank);
        return none;
    }
    pop_mark mark = pop_graph_mark(graph);
    pop_interval_lists mapping;
    if (!pop_graph_get_tile_mapping(graph, pop_tensor_dim_roll(full, dim, (unsigned)rank - 1), NULL, &mapping))
        return none;
    pop_graph_release(graph, mark);
    pop_tensor operand = pop_graph_add_variable(graph, type, POP_SHAPE(pop_tensor_dim(full, dim)), name);
    const pop_target *target = pop_graph_target(graph);
    unsigned tiles = pop_target_num_tiles(target), width = pop_target_vector_width(target, type);
    size_t start =
        dither ? poputil_choose_mapping_offset(tiles, (pop_shape){ poplibs_min(rank, 16), shape }, POPUTIL_OFFSET_SEED)
               : 0;
    poputil_use_tracker *tracker = poputil_use_tracker_create(tiles, (unsigned)start, true);
    if (pop_tensor_num_elements(full) && pop_tensor_valid(operand))
        track(call, tracker, &mapping, operand);
    poputil_use_tracker_map_tensors_by_use(tracker, graph, width ? width : 1, 1, true, POPUTIL_MAPPING_NONE);
    if (!pop_tensor_num_elements(full))
        poputil_map_tensor_linearly(graph, operand);
    poputil_use_tracker_destroy(tracker);
    pop_interval_lists_free(&mapping);
    return operand;
}
