// SPDX-License-Identifier: Apache-2.0
// The library's codelets (popops/codelets.h).
#ifndef POPOPS_CODELETS_HPP
#define POPOPS_CODELETS_HPP

#include <popops/codelets.h>
#include <poputil/detail/call.hpp>

namespace popops
{

inline void addCodelets(poplar::Graph &graph, poputil::detail::Where where = poputil::detail::Where::here())
{
    popops_add_codelets_at(where, graph.c());
    poputil::detail::check(graph.c());
}

} // namespace popops
#endif
