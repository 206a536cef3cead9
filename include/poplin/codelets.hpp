// SPDX-License-Identifier: Apache-2.0
// The library's codelets (poplin/codelets.h).
#ifndef POPLIN_CODELETS_HPP
#define POPLIN_CODELETS_HPP

#include <poplin/codelets.h>
#include <poputil/detail/call.hpp>

namespace poplin
{

inline void addCodelets(poplar::Graph &graph, poputil::detail::Where where = poputil::detail::Where::here())
{
    poplin_add_codelets_at(where, graph.c());
    poputil::detail::check(graph.c());
}

} // namespace poplin
#endif
