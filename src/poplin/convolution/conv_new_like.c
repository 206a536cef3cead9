/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/convolution/conv_views.h"
#include "poplin/convolution/convolution.h"

#include <poputil/var_structure.h>

pop_tensor conv_new_like(const struct call *call, pop_tensor like, const char *name)
{
    pop_graph *graph = call->graph;
    size_t dims[CONV_MAX_DIMS + 1], rank = pop_tensor_shape(like, dims + 1, CONV_MAX_DIMS);
    size_t grouping = poputil_detect_innermost_grouping(graph, like);
    pop_interval_lists mapping;
    if (!call_ready(call) || !pop_graph_get_tile_mapping(graph, like, NULL, &mapping))
        return (pop_tensor){ 0 };
    dims[0] = dims[rank] / grouping;
    dims[rank] = grouping;
    pop_tensor made = pop_graph_add_variable(graph, pop_tensor_type(like), conv_shape(dims, rank + 1), name);
    made = pop_tensor_dim_roll(made, 0, (unsigned)rank - 1);
    made = pop_tensor_flatten_dims(made, (unsigned)rank - 1, (unsigned)rank + 1);
    pop_graph_set_tile_mapping_lists(graph, made, &mapping);
    pop_interval_lists_free(&mapping);
    return made;
}
