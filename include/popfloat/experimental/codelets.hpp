// SPDX-License-Identifier: Apache-2.0
// The library's codelets (popfloat/cast_to_half.h).
#ifndef POPFLOAT_EXPERIMENTAL_CODELETS_HPP
#define POPFLOAT_EXPERIMENTAL_CODELETS_HPP

#include <popfloat/cast_to_half.h>
#include <poputil/detail/call.hpp>

namespace popfloat
{
namespace experimental
{

inline void addCodelets(poplar::Graph &graph, poputil::detail::Where where = poputil::detail::Where::here())
{
    popfloat_add_codelets_at(where, graph.c());
    poputil::detail::check(graph.c());
}

} // namespace experimental
} // namespace popfloat
#endif
