/* SPDX-License-Identifier: Apache-2.0 */
/* The tiles of the destination's first row do the work; each worker processes some columns. */
#include "poplibs/codes.h"
#include "poplibs/log.h"
#include "poplibs/tiles.h"
#include "popops/slice/slicing.h"

#include <popops/sequence_slice.h>

struct sequence_call {
    const struct call *call;
    pop_compute_set set;
    pop_tensor src, dst, lengths, src_offsets, dst_offsets; /* {rows, columns}, and {n} */
    bool zero_unused;
};

static void add_columns(const struct call *call, const struct poplibs_tile *tile, void *user)
{
    pop_graph *graph = call->graph;
    const struct sequence_call *request = user;
    char name[64];
    poputil_partitions parts;
    pop_type type = pop_tensor_type(request->src);
    unsigned grain = pop_target_vector_width(pop_graph_target(graph), type);
    snprintf(name, sizeof(name), "popops::SequenceSlice<%s>", pop_type_name(poplibs_codes_type(type)));
    poputil_split_regions_lists_between_workers(pop_graph_target(graph), tile->regions, grain, grain, POPUTIL_NO_LIMIT,
                                                POPUTIL_NO_LIMIT, &parts);
    for (size_t list = 0; list < parts.regions.count; ++list)
        for (size_t i = parts.regions.first[list]; i < parts.regions.first[list + 1]; ++i) {
            pop_interval columns = parts.regions.intervals[i];
            pop_vertex vertex = call_vertex(call, request->set, name, tile->tile);
            call_connect(call, vertex, "srcT", pop_tensor_flatten(pop_tensor_slice_interval(request->src, columns, 1)));
            call_connect(call, vertex, "dstT", pop_tensor_flatten(pop_tensor_slice_interval(request->dst, columns, 1)));
            call_connect(call, vertex, "lengths", request->lengths);
            call_connect(call, vertex, "srcOffsets", request->src_offsets);
            call_connect(call, vertex, "dstOffsets", request->dst_offsets);
            call_set(call, vertex, "srcRows", pop_tensor_dim(request->src, 0));
            call_set(call, vertex, "dstRows", pop_tensor_dim(request->dst, 0));
            call_set(call, vertex, "regionSize", columns.end - columns.begin);
            pop_graph_set_field_int(graph, vertex, "zeroUnused", request->zero_unused);
        }
    poputil_partitions_free(&parts);
}

/* Checks that both have rows of as many elements, whose shapes may differ. */
static bool check_tensors(const struct call *call, pop_tensor src, pop_tensor dst)
{
    char left[64], right[64];
    size_t shapes[2][POPOPS_MAX_DIMS], elements[2] = { 1, 1 };
    if (!call_takes(call, "the source", src) || !call_takes(call, "the destination", dst))
        return false;
    if (pop_tensor_type(src) != pop_tensor_type(dst))
        return call_fail(call, POP_TYPE_ERROR, "the destination has type %s and the source %s",
                         pop_type_name(pop_tensor_type(dst)), pop_type_name(pop_tensor_type(src)));
    for (size_t i = 0; i < 2; ++i) {
        size_t rank = pop_tensor_shape(i ? dst : src, shapes[i], POPOPS_MAX_DIMS);
        for (size_t d = 1; d < rank && d < POPOPS_MAX_DIMS; ++d)
            elements[i] *= shapes[i][d];
        elements[i] = rank && rank <= POPOPS_MAX_DIMS ? elements[i] : SIZE_MAX - i;
    }
    if (elements[0] == elements[1])
        return call_takes_writeable(call, "the tensor", dst);
    pop_tensor_shape_to_string(src, left, sizeof(left));
    pop_tensor_shape_to_string(dst, right, sizeof(right));
    return call_fail(call, POP_POPLAR_ERROR,
                     "tensors of shape %s and %s: both must have rows, of the same number of elements", left, right);
}

static pop_tensor as_rows(const struct call *call, pop_tensor t)
{
    size_t rows = pop_tensor_dim(t, 0);
    return pop_tensor_reshape(t, POP_SHAPE(rows, rows ? pop_tensor_num_elements(t) / rows : 0));
}

void popops_sequence_slice_at(pop_where where, pop_graph *graph, pop_tensor src, pop_tensor dst, pop_tensor lengths,
                              pop_tensor src_offsets, pop_tensor dst_offsets, bool zero_unused, pop_program sequence,
                              const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, src, dst, lengths, src_offsets, dst_offsets, zero_unused, name);
    size_t n = pop_tensor_num_elements(lengths);
    struct sequence_call request = { .call = call, .zero_unused = zero_unused };
    if (!call_ready(call) || !check_tensors(call, src, dst))
        return;
    request.lengths = slice_offsets(call, lengths, n);
    request.src_offsets = call_ready(call) ? slice_offsets(call, src_offsets, n) : lengths;
    request.dst_offsets = call_ready(call) ? slice_offsets(call, dst_offsets, n) : lengths;
    if (!call_ready(call) || !pop_tensor_num_elements(dst) || (!n && !zero_unused))
        return;
    request.src = pop_tensor_num_elements(src) ? as_rows(call, src) : pop_tensor_slice(as_rows(call, dst), 0, 0, 0);
    request.dst = as_rows(call, dst);
    request.set = pop_graph_add_compute_set(graph, call_path(call, name, "SequenceSlice"));
    call_for_each_tile(call, pop_tensor_at(request.dst, 0), add_columns, &request);
    call_execute(call, request.set, name);
}
