/* SPDX-License-Identifier: Apache-2.0 */
/* A metadata element from a scale that the program computes. */
#include "poplibs/log.h"
#include "poplibs/support.h"
#include "poplibs/tiles.h"

#include <popops/quarter_metadata.h>

pop_tensor popops_create_metadata_tensor_at(pop_where where, pop_graph *graph, pop_quarter_format format,
                                            pop_tensor scale, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, (unsigned)format, scale, name);
    pop_tensor none = { 0 };
    unsigned tile;
    if (!call_ready(call) || !call_takes(call, "the scale", scale))
        return none;
    if (pop_tensor_type(scale) != POP_INT || pop_tensor_num_elements(scale) != 1) {
        call_fail(call, POP_TYPE_ERROR, "the scale is %zu elements of type %s; it must be one of int",
                  pop_tensor_num_elements(scale), pop_type_name(pop_tensor_type(scale)));
        return none;
    }
    if (!call_first_tile(call, scale, &tile))
        return none;
    pop_tensor out =
        pop_graph_add_variable(graph, POP_QUARTER_METADATA, POP_SHAPE(), call_path(call, name, "metadata"));
    pop_graph_set_tile_mapping(graph, out, tile);
    pop_compute_set set = pop_graph_add_compute_set(graph, call_path(call, name, "QuarterMetadata"));
    pop_vertex vertex = call_vertex(call, set, "popops::QuarterMetadata", tile);
    call_connect(call, vertex, "scale", pop_tensor_reshape(scale, POP_SHAPE()));
    call_connect(call, vertex, "metadata", pop_tensor_reinterpret(out, POP_UNSIGNED_CHAR));
    call_set(call, vertex, "format", pop_quarter_metadata(format, 0));
    call_execute(call, set, name);
    return out;
}
