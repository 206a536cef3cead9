/* SPDX-License-Identifier: Apache-2.0 */
/* Expected coordinates: the product of probabilities and a matrix of coordinates. */
#include <popnn/spatial_softmax.h>

#include "poplibs/elements.h"
#include "poplibs/log.h"
#include "popnn/support.h"

#include <poplin/mat_mul.h>
#include <poplin/mesh_grid.h>
#include <popnn/non_linearity.h>
#include <popops/element_wise.h>
#include <poputil/tile_mapping.h>

static bool check(const struct call *call, pop_tensor fields, double temperature)
{
    char text[128];
    if (!call_ready(call) || !check_floating(call, "the fields", fields))
        return false;
    if (pop_tensor_rank(fields) != 3)
        return call_fail(call, POP_POPLAR_ERROR, "the fields have shape %s; {fields, height, width} is needed",
                         poplibs_shape_of(text, sizeof(text), fields));
    return temperature != 0 || call_fail(call, POP_POPLAR_ERROR, "the temperature is 0, and fields are divided by it");
}

/* {height * width, 2}: row and column of each element. */
static pop_tensor coordinates(const struct call *call, pop_tensor fields, const char *name)
{
    pop_type type = pop_tensor_type(fields);
    pop_tensor columns = poplin_linspace(call->graph, type, -1, 1, pop_tensor_dim(fields, 2), name),
               grids[2] = { { 0 } };
    poplin_meshgrid2d(call->graph, columns, poplin_linspace(call->graph, type, -1, 1, pop_tensor_dim(fields, 1), name),
                      grids);
    pop_tensor list[2] = { pop_tensor_flatten(grids[1]), pop_tensor_flatten(grids[0]) };
    for (unsigned i = 0; i < 2; ++i)
        list[i] = pop_tensor_expand(list[i], POP_DIMS(1));
    return pop_tensor_concat((pop_tensors){ 2, list }, 1);
}

pop_tensor popnn_spatial_softmax_2d_at(pop_where where, pop_graph *graph, pop_program sequence, pop_tensor fields,
                                       double temperature, bool disable_softmax, const char *name,
                                       pop_tensor *temperature_variable)
{
    POPLIBS_CALL_IN(sequence, graph, fields, temperature, disable_softmax, name);
    if (!check(call, fields, temperature))
        return (pop_tensor){ 0 };
    const char *path = call_path(call, name, "SpatialSoftmax");
    pop_tensor scale =
        pop_graph_add_variable(graph, pop_tensor_type(fields), POP_SHAPE(), call_path(call, path, "temperature"));
    poputil_map_tensor_linearly(graph, scale);
    pop_graph_set_initial_value(graph, scale, POP_DOUBLE, &temperature);
    if (temperature_variable)
        *temperature_variable = scale;
    pop_tensor probabilities = pop_tensor_flatten_dims(fields, 1, 3);
    if (!disable_softmax) {
        probabilities = call_binary(call, POPOPS_BINARY_DIVIDE, probabilities, scale, path);
        if (call_ready(call))
            popnn_non_linearity_in_place(graph, POPNN_SOFTMAX_STABLE, probabilities, sequence, path);
    }
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    return poplin_mat_mul(graph, probabilities, coordinates(call, fields, path), sequence, path, POP_NO_OPTIONS, NULL);
}
