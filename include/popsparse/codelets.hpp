// SPDX-License-Identifier: Apache-2.0
// The library's codelets (popsparse/codelets.h).
#ifndef POPSPARSE_CODELETS_HPP
#define POPSPARSE_CODELETS_HPP

#include <popsparse/codelets.h>
#include <poputil/detail/call.hpp>

namespace popsparse
{

inline void addCodelets(poplar::Graph &graph, poputil::detail::Where where = poputil::detail::Where::here())
{
    popsparse_add_codelets_at(where, graph.c());
    poputil::detail::check(graph.c());
}

} // namespace popsparse
#endif
