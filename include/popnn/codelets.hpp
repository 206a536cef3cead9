// SPDX-License-Identifier: Apache-2.0
// The library's codelets (popnn/codelets.h).
#ifndef POPNN_CODELETS_HPP
#define POPNN_CODELETS_HPP

#include <popnn/codelets.h>
#include <poputil/detail/call.hpp>

namespace popnn
{

inline void addCodelets(poplar::Graph &graph, poputil::detail::Where where = poputil::detail::Where::here())
{
    popnn_add_codelets_at(where, graph.c());
    poputil::detail::check(graph.c());
}

} // namespace popnn
#endif
