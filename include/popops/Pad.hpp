// SPDX-License-Identifier: Apache-2.0
// Padding: views of a tensor with elements added to, or removed from, both sides of its dimensions (popops/pad.h).
#ifndef POPOPS_PAD_HPP
#define POPOPS_PAD_HPP

#include <popops/pad.h>
#include <poputil/detail/call.hpp>

#include <cstddef>

namespace popops
{

namespace padding
{

// What the added elements are.
enum class Type {
    EDGE,    // the outermost element, repeated
    REFLECT, // the elements inside of the outermost one, mirrored
    CONSTANT // zeros
};
// Where constants of the padding are mapped: nowhere, to tile 0, or to the tile of the nearest element of the tensor.
enum class MappingMethod { NONE, ZERO, EDGE };

} // namespace padding

namespace detail
{

typedef poputil::detail::Where Where;

inline popops_paddings paddings(const std::vector<std::ptrdiff_t> &list)
{
    popops_paddings borrowed = { list.size(), list.data() };
    return borrowed;
}

} // namespace detail

inline poplar::Tensor pad(poplar::Graph &graph, const poplar::Tensor &t,
                          const std::vector<std::ptrdiff_t> &paddingLower,
                          const std::vector<std::ptrdiff_t> &paddingUpper, float val = 0.0f,
                          padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO,
                          detail::Where where = detail::Where::here())
{
    return poputil::detail::give(graph.c(), popops_pad_at(where, graph.c(), t.c(), detail::paddings(paddingLower),
                                                          detail::paddings(paddingUpper), val,
                                                          static_cast<popops_padding_mapping>(mappingMethod)));
}
inline poplar::Tensor pad(poplar::Graph &graph, const poplar::Tensor &t,
                          const std::vector<std::ptrdiff_t> &paddingLower,
                          const std::vector<std::ptrdiff_t> &paddingUpper, const poplar::Tensor &val,
                          padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO,
                          detail::Where where = detail::Where::here())
{
    return poputil::detail::give(graph.c(),
                                 popops_pad_tensor_at(where, graph.c(), t.c(), detail::paddings(paddingLower),
                                                      detail::paddings(paddingUpper), val.c(),
                                                      static_cast<popops_padding_mapping>(mappingMethod)));
}
inline poplar::Tensor pad(poplar::Graph &graph, const poplar::Tensor &t, std::ptrdiff_t paddingLower,
                          std::ptrdiff_t paddingUpper, unsigned dim, float val = 0.0f,
                          padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO,
                          detail::Where where = detail::Where::here())
{
    return poputil::detail::give(graph.c(), popops_pad_dim_at(where, graph.c(), t.c(), paddingLower, paddingUpper, dim,
                                                              val, static_cast<popops_padding_mapping>(mappingMethod)));
}
inline poplar::Tensor pad(poplar::Graph &graph, const poplar::Tensor &t, std::ptrdiff_t paddingLower,
                          std::ptrdiff_t paddingUpper, unsigned dim, const poplar::Tensor &val,
                          padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO,
                          detail::Where where = detail::Where::here())
{
    return poputil::detail::give(graph.c(),
                                 popops_pad_dim_tensor_at(where, graph.c(), t.c(), paddingLower, paddingUpper, dim,
                                                          val.c(), static_cast<popops_padding_mapping>(mappingMethod)));
}
// Pads with elements of t itself.
inline poplar::Tensor pad(const poplar::Tensor &t, const std::vector<std::ptrdiff_t> &paddingLower,
                          const std::vector<std::ptrdiff_t> &paddingUpper, padding::Type type,
                          detail::Where where = detail::Where::here())
{
    return poputil::detail::give(pop_store_graph(t.c().store),
                                 popops_pad_with_at(where, t.c(), detail::paddings(paddingLower),
                                                    detail::paddings(paddingUpper),
                                                    static_cast<popops_padding_type>(type)));
}
inline poplar::Tensor pad(const poplar::Tensor &t, std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper,
                          unsigned dim, padding::Type type, detail::Where where = detail::Where::here())
{
    return poputil::detail::give(
        pop_store_graph(t.c().store),
        popops_pad_dim_with_at(where, t.c(), paddingLower, paddingUpper, dim, static_cast<popops_padding_type>(type)));
}

} // namespace popops
#endif
