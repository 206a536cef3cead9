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
    char path[POPLIBS_PATH_SIZE];
    size_t dims[POPOPS_MAX_DIMS] = { size };
    double zero = 0;
    uint32_t index = 0;
    if (!poplibs_ready(graph))
        return none;
    if (!size || shape.rank >= POPOPS_MAX_DIMS) {
        poplibs_fail(graph, POP_POPLAR_ERROR, where, "popops_circ_buf_create", "a ring of %u entries of rank %zu", size,
                     shape.rank);
        return none;
    }
    for (size_t i = 0; i < shape.rank; ++i)
        dims[i + 1] = shape.dims[i];
    ring.entries =
        popops_create_sliceable_tensor_at(where, graph, type, (pop_shape){ shape.rank + 1, dims }, POP_DIMS(0),
                                          POP_SHAPE(1), 0, poplibs_path(path, sizeof(path), name, "CircBuf"));
    ring.index = pop_graph_add_variable_at(where, graph, POP_UNSIGNED_INT, POP_SHAPE(),
                                           poplibs_path(path, sizeof(path), name, "CircBufIndex"));
    pop_graph_set_tile_mapping_at(where, graph, ring.index, 0);
    pop_graph_set_initial_fill_at(where, graph, ring.entries, POP_DOUBLE, &zero);
    pop_graph_set_initial_fill_at(where, graph, ring.index, POP_UNSIGNED_INT, &index);
    return poplibs_ready(graph) ? ring : none;
}

static size_t size_of(const popops_circ_buf *ring)
{
    return pop_tensor_dim(ring->entries, 0);
}

void popops_circ_buf_add_at(pop_where where, pop_graph *graph, const popops_circ_buf *ring, pop_tensor t,
                            pop_program sequence, const char *name)
{
    POPLIBS_CALL(graph, t, name);
    static const char api[] = "popops_circ_buf_add";
    char path[POPLIBS_PATH_SIZE];
    size_t shape[POPOPS_MAX_DIMS], rank = pop_tensor_shape(ring->entries, shape, POPOPS_MAX_DIMS);
    if (!poplibs_ready(graph) || !popops_check_shape(where, graph, api, "the entry", t, pop_tensor_type(ring->entries),
                                                     (pop_shape){ rank - 1, shape + 1 }))
        return;
    pop_compute_set set =
        pop_graph_add_compute_set_at(where, graph, poplibs_path(path, sizeof(path), name, "CircBufIncrIndex"));
    pop_vertex vertex = pop_graph_add_vertex_at(where, graph, set, "popops::CircBufIncrIndex");
    pop_graph_connect_at(where, graph, vertex, "index", ring->index);
    pop_graph_set_field_int_at(where, graph, vertex, "hSize", (int64_t)size_of(ring));
    pop_graph_map_vertex_at(where, graph, vertex, 0);
    pop_sequence_add_at(where, sequence, pop_execute_at(where, set, name));
    shape[0] = 1;
    popops_dynamic_update_at(where, graph, ring->entries, pop_tensor_reshape_at(where, t, (pop_shape){ rank, shape }),
                             ring->index, POP_DIMS(0), POP_SHAPE(1), sequence, name);
}

pop_tensor popops_circ_buf_prev_at(pop_where where, pop_graph *graph, const popops_circ_buf *ring, unsigned i,
                                   pop_program sequence, const char *name)
{
    POPLIBS_CALL(graph, i, name);
    char path[POPLIBS_PATH_SIZE];
    pop_tensor none = { 0 };
    if (!poplibs_ready(graph))
        return none;
    if (i >= size_of(ring)) {
        poplibs_fail(graph, POP_INDEX_ERROR, where, "popops_circ_buf_prev",
                     "entry %u is out of range: the buffer has %zu", i, size_of(ring));
        return none;
    }
    pop_tensor index = pop_graph_add_variable_at(where, graph, POP_UNSIGNED_INT, POP_SHAPE(),
                                                 poplibs_path(path, sizeof(path), name, "prevIndex"));
    pop_graph_set_tile_mapping_at(where, graph, index, 0);
    pop_compute_set set =
        pop_graph_add_compute_set_at(where, graph, poplibs_path(path, sizeof(path), name, "CircBufPrev"));
    pop_vertex vertex = pop_graph_add_vertex_at(where, graph, set, "popops::CircOffset");
    pop_graph_connect_at(where, graph, vertex, "indexIn", ring->index);
    pop_graph_connect_at(where, graph, vertex, "indexOut", index);
    pop_graph_set_field_int_at(where, graph, vertex, "hSize", (int64_t)size_of(ring));
    pop_graph_set_field_int_at(where, graph, vertex, "offset", (int64_t)(size_of(ring) - i));
    pop_graph_map_vertex_at(where, graph, vertex, 0);
    pop_sequence_add_at(where, sequence, pop_execute_at(where, set, name));
    pop_tensor entry =
        popops_dynamic_slice_at(where, graph, ring->entries, index, POP_DIMS(0), POP_SHAPE(1), sequence, name);
    return poplibs_ready(graph) ? pop_tensor_at_at(where, entry, 0) : none;
}
