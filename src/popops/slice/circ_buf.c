/* SPDX-License-Identifier: Apache-2.0 */
/* A circular buffer is a sliceable tensor with an index that wraps around. */
#include "poplibs/log.h"
#include "popops/slice/slicing.h"

#include <popops/circ_buf.h>
#include <popops/dynamic_slice.h>

popops_circ_buf popops_circ_buf_create_at(pop_where where, pop_graph *graph, pop_type type, unsigned size,
                                          pop_shape shape, const char *name)
{
    POPLIBS_CALL(graph, log_type(type), size, shape, name);
    popops_circ_buf none = { { 0 }, { 0 } }, ring;
    size_t dims[POPOPS_MAX_DIMS] = { size };
    double zero = 0;
    uint32_t index = 0;
    if (!call_ready(call))
        return none;
    if (!size || shape.rank >= POPOPS_MAX_DIMS) {
        call_fail(call, POP_POPLAR_ERROR, "a ring of %u entries of rank %zu", size, shape.rank);
        return none;
    }
    for (size_t i = 0; i < shape.rank; ++i)
        dims[i + 1] = shape.dims[i];
    ring.entries = popops_create_sliceable_tensor(graph, type, (pop_shape){ shape.rank + 1, dims }, POP_DIMS(0),
                                                  POP_SHAPE(1), 0, call_path(call, name, "CircBuf"));
    ring.index = pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(), call_path(call, name, "CircBufIndex"));
    pop_graph_set_tile_mapping(graph, ring.index, 0);
    pop_graph_set_initial_fill(graph, ring.entries, POP_DOUBLE, &zero);
    pop_graph_set_initial_fill(graph, ring.index, POP_UNSIGNED_INT, &index);
    return call_ready(call) ? ring : none;
}

static size_t size_of(const popops_circ_buf *ring)
{
    return pop_tensor_dim(ring->entries, 0);
}

void popops_circ_buf_add_at(pop_where where, pop_graph *graph, const popops_circ_buf *ring, pop_tensor t,
                            pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, t, name);
    size_t shape[POPOPS_MAX_DIMS], rank = pop_tensor_shape(ring->entries, shape, POPOPS_MAX_DIMS);
    if (!call_ready(call) ||
        !call_takes_shape(call, "the entry", t, pop_tensor_type(ring->entries), (pop_shape){ rank - 1, shape + 1 }))
        return;
    pop_compute_set set = pop_graph_add_compute_set(graph, call_path(call, name, "CircBufIncrIndex"));
    pop_vertex vertex = call_vertex(call, set, "popops::CircBufIncrIndex", 0);
    call_connect(call, vertex, "index", ring->index);
    call_set(call, vertex, "hSize", size_of(ring));
    call_execute(call, set, name);
    shape[0] = 1;
    popops_dynamic_update(graph, ring->entries, pop_tensor_reshape(t, (pop_shape){ rank, shape }), ring->index,
                          POP_DIMS(0), POP_SHAPE(1), sequence, name);
}

pop_tensor popops_circ_buf_prev_at(pop_where where, pop_graph *graph, const popops_circ_buf *ring, unsigned i,
                                   pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, i, name);
    pop_tensor none = { 0 };
    if (!call_ready(call))
        return none;
    if (i >= size_of(ring)) {
        call_fail(call, POP_INDEX_ERROR, "entry %u is out of range: the buffer has %zu", i, size_of(ring));
        return none;
    }
    pop_tensor index = pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(), call_path(call, name, "prevIndex"));
    pop_graph_set_tile_mapping(graph, index, 0);
    pop_compute_set set = pop_graph_add_compute_set(graph, call_path(call, name, "CircBufPrev"));
    pop_vertex vertex = call_vertex(call, set, "popops::CircOffset", 0);
    call_connect(call, vertex, "indexIn", ring->index);
    call_connect(call, vertex, "indexOut", index);
    call_set(call, vertex, "hSize", size_of(ring));
    call_set(call, vertex, "offset", size_of(ring) - i);
    call_execute(call, set, name);
    pop_tensor entry = popops_dynamic_slice(graph, ring->entries, index, POP_DIMS(0), POP_SHAPE(1), sequence, name);
    return call_ready(call) ? pop_tensor_at(entry, 0) : none;
}
