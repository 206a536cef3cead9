/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/log.h"
#include "poplibs/support.h"

#include <popops/host_slice_tensor.h>
#include <poputil/tile_mapping.h>

pop_tensor popops_create_host_transferable_tensor_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape, bool is_read, const char *name)
{
    POPLIBS_CALL(log_type(type), shape, is_read, name);
    (void)is_read;
    if (!poplibs_ready(graph))
        return (pop_tensor){ 0 };
    pop_tensor t = pop_graph_add_variable_at(where, graph, type, shape, name);
    poputil_map_tensor_linearly_at(where, graph, t);
    return t;
}

popops_indices_and_tensor popops_create_host_sliceable_tensor_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape, bool is_read,
                                                                 const char *name)
{
    POPLIBS_CALL(log_type(type), shape, is_read, name);
    char path[256];
    popops_indices_and_tensor both = { { 0 }, { 0 } };
    if (!poplibs_ready(graph))
        return both;
    if (shape.rank != 2) {
        poplibs_fail(graph, POP_POPLAR_ERROR, where, "popops_create_host_sliceable_tensor", "a shape of rank %zu; it is {rows,elements}", shape.rank);
        return both;
    }
    both.indices = pop_graph_add_variable_at(where, graph, POP_UNSIGNED_INT, POP_SHAPE(shape.dims[0]), poplibs_path(path, sizeof(path), name, "indices"));
    poputil_map_tensor_linearly_at(where, graph, both.indices);
    both.tensor = popops_create_host_transferable_tensor_at(where, graph, type, shape, is_read, name);
    return both;
}
