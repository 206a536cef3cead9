// SPDX-License-Identifier: Apache-2.0
// QR factorisation by Householder reflections (poplin/qr_factorization.h).
#ifndef POPLIN_EXPERIMENTAL_QR_FACTORIZATION_HPP
#define POPLIN_EXPERIMENTAL_QR_FACTORIZATION_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/qr_factorization.h>
#include <poputil/detail/call.hpp>

#include <array>

namespace poplin
{
namespace experimental
{

// Tensors for A {m, n} and Q {m, m}.
inline std::array<poplar::Tensor, 2> createQRFactorizationMatrices(poplar::Graph &graph, const poplar::Type &type,
                                                                   const std::size_t m, const std::size_t n,
                                                                   const poplar::DebugContext &debugContext)
{
    pop_tensor q;
    const pop_tensor a = poplin_create_qr_factorization_matrices_at(
        poplar::detail::where(debugContext), graph.c(), type.c(), m, n, poplar::detail::name(debugContext), &q);
    poputil::detail::check(graph.c());
    return { { poplar::Tensor(a), poplar::Tensor(q) } };
}
// A becomes R, and Q, which must hold the identity, the factor Q.
inline void QRFactorization(poplar::Graph &graph, poplar::Tensor &A, poplar::Tensor &Q, poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    poplin_qr_factorization_at(poplar::detail::where(debugContext), graph.c(), A.c(), Q.c(), prog.cToGrow(graph.c()),
                               poplar::detail::name(debugContext), poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}

} // namespace experimental
} // namespace poplin
#endif
