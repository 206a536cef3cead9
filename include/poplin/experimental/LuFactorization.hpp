// SPDX-License-Identifier: Apache-2.0
// LU factorisation without pivoting (poplin/lu_factorization.h).
#ifndef POPLIN_EXPERIMENTAL_LU_FACTORIZATION_HPP
#define POPLIN_EXPERIMENTAL_LU_FACTORIZATION_HPP

#include <poplar/Program.hpp>
#include <poplin/lu_factorization.h>
#include <poputil/detail/call.hpp>

#include <utility>

namespace poplin
{
namespace experimental
{

// The factors L {m, m} and U {m, n} of a matrix {m, n}.
inline std::pair<poplar::Tensor, poplar::Tensor> LUFactorization(poplar::Graph &graph, poplar::Tensor &input,
                                                                 poplar::program::Sequence &prog,
                                                                 const poplar::DebugContext &debugContext = {})
{
    pop_tensor upper;
    const pop_tensor lower =
        poplin_lu_factorization_at(poplar::detail::where(debugContext), graph.c(), input.c(), prog.cToGrow(graph.c()),
                                   poplar::detail::name(debugContext), &upper);
    poputil::detail::check(graph.c());
    return std::make_pair(poplar::Tensor(lower), poplar::Tensor(upper));
}

} // namespace experimental
} // namespace poplin
#endif
