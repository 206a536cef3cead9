// SPDX-License-Identifier: Apache-2.0
// Broadcast of tensors to each other's shape by NumPy's rules, without copies (poputil/broadcast.h).
#ifndef POPUTIL_BROADCAST_HPP
#define POPUTIL_BROADCAST_HPP

#include <poputil/broadcast.h>
#include <poputil/detail/call.hpp>

namespace poputil
{

namespace detail
{

// The graph of the first tensor that has one.
inline pop_graph *graphOf(const poplar::Tensor &a, const poplar::Tensor &b)
{
    pop_graph *graph = pop_store_graph(a.c().store);
    return graph ? graph : pop_store_graph(b.c().store);
}

} // namespace detail

// Adds outer dimensions of 1 to the tensor of lower rank.
inline void expandToMatchRanks(poplar::Tensor &a, poplar::Tensor &b, detail::Where where = detail::Where::here())
{
    pop_tensor x = a.c(), y = b.c();
    poputil_expand_to_match_ranks_at(where, &x, &y);
    detail::check(detail::graphOf(a, b));
    detail::put({ { &a, x }, { &b, y } });
}
inline void broadcastToMatch(poplar::Tensor &a, poplar::ArrayRef<std::size_t> shape,
                             detail::Where where = detail::Where::here())
{
    pop_tensor x = a.c();
    if (!poputil_broadcast_to_match_shape_at(where, &x, poplar::detail::shape(shape)))
        detail::raise(pop_store_graph(a.c().store));
    a = poplar::Tensor(x);
}
inline void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b, detail::Where where = detail::Where::here())
{
    pop_tensor x = a.c(), y = b.c();
    if (!poputil_broadcast_to_match_at(where, &x, &y))
        detail::raise(detail::graphOf(a, b));
    detail::put({ { &a, x }, { &b, y } });
}
inline void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b, poplar::Tensor &c,
                             detail::Where where = detail::Where::here())
{
    pop_tensor x = a.c(), y = b.c(), z = c.c();
    if (!poputil_broadcast_to_match_three_at(where, &x, &y, &z))
        detail::raise(detail::graphOf(a, b.valid() ? b : c));
    detail::put({ { &a, x }, { &b, y }, { &c, z } });
}
inline bool canBroadcastToMatch(const poplar::Tensor &a, const poplar::Tensor &b)
{
    return poputil_can_broadcast_to_match(a.c(), b.c());
}

} // namespace poputil
#endif
