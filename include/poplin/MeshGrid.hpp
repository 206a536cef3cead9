// SPDX-License-Identifier: Apache-2.0
// Evenly spaced values and coordinate grids (poplin/mesh_grid.h).
#ifndef POPLIN_MESH_GRID_HPP
#define POPLIN_MESH_GRID_HPP

#include <poplin/mesh_grid.h>
#include <poputil/detail/call.hpp>

#include <vector>

namespace poplin
{

inline poplar::Tensor linspace(poplar::Graph &graph, const poplar::Type &type, float left, float right,
                               std::size_t count, const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), poplin_linspace_at(poplar::detail::where(debugContext), graph.c(), type.c(),
                                                               static_cast<double>(left), static_cast<double>(right),
                                                               count, poplar::detail::name(debugContext)));
}
inline std::vector<poplar::Tensor> meshgrid2d(poplar::Graph &graph, poplar::Tensor x, poplar::Tensor y,
                                              poputil::detail::Where where = poputil::detail::Where::here())
{
    pop_tensor grids[2];
    if (!poplin_meshgrid2d_at(where, graph.c(), x.c(), y.c(), grids))
        poputil::detail::raise(graph.c());
    std::vector<poplar::Tensor> list;
    list.push_back(poplar::Tensor(grids[0]));
    list.push_back(poplar::Tensor(grids[1]));
    return list;
}

} // namespace poplin
#endif
