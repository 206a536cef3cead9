/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/log.h"

#include <popops/host_slice_tensor.h>
#include <poputil/tile_mapping.h>

/* Bytes of a packet that the host exchanges with a tile. */
enum { PACKET = 512 };

/* The first tile, for an offset in bytes. */
static unsigned first_tile(const struct call *call, size_t offset)
{
    unsigned tiles = pop_target_num_tiles(pop_graph_target(call->graph));
    return tiles ? (unsigned)(offset / PACKET % tiles) : 0;
}

pop_tensor popops_create_host_transferable_tensor_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                                     bool is_read, size_t offset, const char *name)
{
    POPLIBS_CALL(graph, log_type(type), shape, is_read, offset, name);
    (void)is_read;
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    pop_tensor t = pop_graph_add_variable(graph, type, shape, name);
    poputil_map_tensor_linearly_with_offset(graph, t, first_tile(call, offset), true);
    return t;
}

/* Maps each row to its own tiles while there are enough tiles, in parts of at least 256 bytes, because rows are
 * transferred independently.  With more rows than tiles, the numbers of rows of tiles differ by at most one. */
static void map_rows(const struct call *call, pop_tensor t, pop_shape shape, size_t first)
{
    enum { MIN_BYTES = 256 };
    const pop_target *target = pop_graph_target(call->graph);
    size_t tiles = pop_target_num_tiles(target), rows = shape.dims[0], columns = shape.dims[1], tile = first;
    if (!call_ready(call) || !rows || !columns)
        return;
    size_t min = poplibs_max(1, MIN_BYTES / poplibs_max(1, pop_target_type_size(target, pop_tensor_type(t))));
    size_t of_row = poplibs_max(1, poplibs_min(tiles / rows, columns / min)), part = poplibs_ceil_div(columns, of_row);
    for (size_t k = 0; rows > tiles && k < tiles; ++k)
        pop_graph_set_tile_mapping(
            call->graph,
            pop_tensor_slice(t, poplibs_ceil_div(k * rows, tiles), poplibs_ceil_div((k + 1) * rows, tiles), 0),
            (unsigned)((first + k) % tiles));
    for (size_t row = 0; rows <= tiles && row < rows; ++row) {
        pop_tensor elements = pop_tensor_at(t, row);
        for (size_t at = 0; at < columns; at += part, tile = (tile + 1) % tiles)
            pop_graph_set_tile_mapping(call->graph, pop_tensor_slice(elements, at, poplibs_min(columns, at + part), 0),
                                       (unsigned)tile);
    }
}

popops_indices_and_tensor popops_create_host_sliceable_tensor_at(pop_where where, pop_graph *graph, pop_type type,
                                                                 pop_shape shape, bool is_read, size_t offset,
                                                                 const char *name)
{
    POPLIBS_CALL(graph, log_type(type), shape, is_read, offset, name);
    popops_indices_and_tensor both = { { 0 }, { 0 } };
    if (!call_ready(call))
        return both;
    if (shape.rank != 2) {
        call_fail(call, POP_POPLAR_ERROR, "a shape of rank %zu; it must be {rows,elements}", shape.rank);
        return both;
    }
    both.indices =
        pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(shape.dims[0]), call_path(call, name, "indices"));
    poputil_map_tensor_linearly_with_offset(graph, both.indices, first_tile(call, offset), true);
    both.tensor = pop_graph_add_variable(graph, type, shape, name);
    map_rows(call, both.tensor, shape, first_tile(call, offset));
    (void)is_read;
    return both;
}
