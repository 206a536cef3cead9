// SPDX-License-Identifier: Apache-2.0
// The library's codelets (poprand/codelets.h).
#ifndef POPRAND_CODELETS_HPP
#define POPRAND_CODELETS_HPP

#include <poprand/codelets.h>
#include <poputil/detail/call.hpp>

namespace poprand
{

inline void addCodelets(poplar::Graph &graph, poputil::detail::Where where = poputil::detail::Where::here())
{
    poprand_add_codelets_at(where, graph.c());
    poputil::detail::check(graph.c());
}

} // namespace poprand
#endif
