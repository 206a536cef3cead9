/* SPDX-License-Identifier: Apache-2.0 */
/* The tiles of the destination's first row do the work; each worker processes some columns. */
#include "poplibs/log.h"
#include "poplibs/tiles.h"
#include "popops/slice/slicing.h"

#include <popops/sequence_slice.h>

struct sequence_call {
    pop_where where;
    pop_compute_set set;
    pop_tensor src, dst, lengths, src_offsets, dst_offsets; /* {rows, columns}, and {n} */
    bool zero_unused;
};

static void add_columns(pop_graph *graph, const struct poplibs_tile *tile, void *user)
{
    const struct sequence_call *request = user;
    pop_where where = request->where;
    char name[64];
    poputil_partitions parts;
    pop_type type = pop_tensor_type(request->src);
    unsigned grain = pop_target_vector_width(pop_graph_target(graph), type);
    snprintf(name, sizeof(name), "popops::SequenceSlice<%s>", pop_type_name(type));
    poputil_split_regions_lists_between_workers(pop_graph_target(graph), tile->regions, grain, grain, POPUTIL_NO_LIMIT,
                                                POPUTIL_NO_LIMIT, &parts);
    for (size_t list = 0; list < parts.regions.count; ++list)
        for (size_t i = parts.regions.first[list]; i < parts.regions.first[list + 1]; ++i) {
            pop_interval columns = parts.regions.intervals[i];
            pop_vertex vertex = pop_graph_add_vertex_at(where, graph, request->set, name);
            pop_graph_connect_at(
                where, graph, vertex, "srcT",
                pop_tensor_flatten_at(where, pop_tensor_slice_interval_at(where, request->src, columns, 1)));
            pop_graph_connect_at(
                where, graph, vertex, "dstT",
                pop_tensor_flatten_at(where, pop_tensor_slice_interval_at(where, request->dst, columns, 1)));
            pop_graph_connect_at(where, graph, vertex, "lengths", request->lengths);
            pop_graph_connect_at(where, graph, vertex, "srcOffsets", request->src_offsets);
            pop_graph_connect_at(where, graph, vertex, "dstOffsets", request->dst_offsets);
            pop_graph_set_field_int_at(where, graph, vertex, "srcRows", (int64_t)pop_tensor_dim(request->src, 0));
            pop_graph_set_field_int_at(where, graph, vertex, "dstRows", (int64_t)pop_tensor_dim(request->dst, 0));
            pop_graph_set_field_int_at(where, graph, vertex, "regionSize", (int64_t)(columns.end - columns.begin));
            pop_graph_set_field_int_at(where, graph, vertex, "zeroUnused", request->zero_unused);
            pop_graph_map_vertex_at(where, graph, vertex, tile->tile);
        }
    poputil_partitions_free(&parts);
}

static pop_tensor as_rows(pop_where where, pop_tensor t)
{
    size_t rows = pop_tensor_dim(t, 0);
    return pop_tensor_reshape_at(where, t, POP_SHAPE(rows, rows ? pop_tensor_num_elements(t) / rows : 0));
}

void popops_sequence_slice_at(pop_where where, pop_graph *graph, pop_tensor src, pop_tensor dst, pop_tensor lengths,
                              pop_tensor src_offsets, pop_tensor dst_offsets, bool zero_unused, pop_program sequence,
                              const char *name)
{
    POPLIBS_CALL(graph, src, dst, lengths, src_offsets, dst_offsets, zero_unused, name);
    static const char api[] = "popops_sequence_slice";
    char path[POPLIBS_PATH_SIZE], left[64], right[64];
    size_t shape[POPOPS_MAX_DIMS], rank = pop_tensor_shape(src, shape, POPOPS_MAX_DIMS),
                                   n = pop_tensor_num_elements(lengths);
    if (!poplibs_ready(graph) || !poplibs_is_operand(graph, where, api, "the source", src))
        return;
    if (!rank || !pop_tensor_rank(dst) || rank > POPOPS_MAX_DIMS) {
        pop_tensor_shape_to_string(src, left, sizeof(left));
        pop_tensor_shape_to_string(dst, right, sizeof(right));
        poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "tensors of shape %s and %s: both must have rows", left,
                     right);
        return;
    }
    shape[0] = pop_tensor_dim(dst, 0);
    struct sequence_call request = { .where = where, .zero_unused = zero_unused };
    if (!popops_check_shape(where, graph, api, "the destination", dst, pop_tensor_type(src),
                            (pop_shape){ rank, shape }) ||
        !popops_check_writeable(where, graph, api, dst))
        return;
    request.lengths = popops_offsets(where, graph, api, lengths, n);
    request.src_offsets = poplibs_ready(graph) ? popops_offsets(where, graph, api, src_offsets, n) : lengths;
    request.dst_offsets = poplibs_ready(graph) ? popops_offsets(where, graph, api, dst_offsets, n) : lengths;
    if (!poplibs_ready(graph) || !pop_tensor_num_elements(dst) || (!n && !zero_unused))
        return;
    request.src =
        pop_tensor_num_elements(src) ? as_rows(where, src) : pop_tensor_slice_at(where, as_rows(where, dst), 0, 0, 0);
    request.dst = as_rows(where, dst);
    request.set = pop_graph_add_compute_set_at(where, graph, poplibs_path(path, sizeof(path), name, "SequenceSlice"));
    poplibs_for_each_tile(where, graph, pop_tensor_at_at(where, request.dst, 0), add_columns, &request);
    pop_sequence_add_at(where, sequence, pop_execute_at(where, request.set, name));
}
