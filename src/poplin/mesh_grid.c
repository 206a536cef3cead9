/* SPDX-License-Identifier: Apache-2.0 */
#include <poplin/mesh_grid.h>

#include "poplibs/log.h"

#include <poputil/tile_mapping.h>

pop_tensor poplin_linspace_at(pop_where where, pop_graph *graph, pop_type type, double left, double right, size_t count,
                              const char *name)
{
    POPLIBS_CALL(graph, log_type(type), left, right, count, name);
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    if (type != POP_HALF && type != POP_FLOAT) {
        call_fail(call, POP_TYPE_ERROR, "the type is %s; it must be half or float", pop_type_name(type));
        return (pop_tensor){ 0 };
    }
    if (count > INT32_MAX) {
        call_fail(call, POP_POPLAR_ERROR, "%zu values; at most %d are allowed", count, INT32_MAX);
        return (pop_tensor){ 0 };
    }
    double *values = poplibs_new(count, sizeof(*values));
    for (size_t i = 0; i < count; ++i) /* the last value is exact */
        values[i] = i && i + 1 == count ? right : left + (right - left) * (double)i / (double)poplibs_max(1, count - 1);
    pop_tensor t =
        pop_graph_add_constant(graph, type, POP_SHAPE(count), POP_DOUBLE, values, call_path(call, name, "linspace"));
    free(values);
    poputil_map_tensor_linearly(graph, t);
    return t;
}

bool poplin_meshgrid2d_at(pop_where where, pop_graph *graph, pop_tensor x, pop_tensor y, pop_tensor grids[2])
{
    POPLIBS_CALL(graph, x, y);
    if (!call_ready(call))
        return false;
    if (!pop_tensor_valid(x) || !pop_tensor_valid(y) || pop_tensor_rank(x) != 1 || pop_tensor_rank(y) != 1)
        return call_fail(call, POP_POPLAR_ERROR, "ranks are %zu and %zu; both must be 1", pop_tensor_rank(x),
                         pop_tensor_rank(y));
    grids[0] = pop_tensor_broadcast(pop_tensor_expand(x, POP_DIMS(0)), (unsigned)pop_tensor_dim(y, 0), 0);
    grids[1] = pop_tensor_broadcast(pop_tensor_expand(y, POP_DIMS(1)), (unsigned)pop_tensor_dim(x, 0), 1);
    return true;
}
