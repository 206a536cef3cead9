// SPDX-License-Identifier: Apache-2.0
// Cholesky factorisation (poplin/cholesky.h).
#ifndef POPLIN_CHOLESKY_HPP
#define POPLIN_CHOLESKY_HPP

#include <poplin/TriangularSolve.hpp>
#include <poplin/cholesky.h>

#include <type_traits>

namespace poplin
{

// A template, so that only a bool converts to lower.
template <typename Bool, typename = typename std::enable_if<std::is_same<Bool, bool>::value>::type>
poplar::Tensor createCholeskyInput(poplar::Graph &graph, const poplar::Type &type,
                                   const std::vector<std::size_t> &shape, Bool lower,
                                   const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {}, matmul::PlanningCache *cache = nullptr)
{
    return poputil::detail::give(graph.c(), poplin_create_cholesky_input_at(
                                                poplar::detail::where(debugContext), graph.c(), type.c(),
                                                poplar::detail::shape(shape), lower, poplar::detail::name(debugContext),
                                                poplar::detail::Options(options), detail::cache(cache)));
}
// With the layout of a lower factor.
inline poplar::Tensor createCholeskyInput(poplar::Graph &graph, const poplar::Type &type,
                                          const std::vector<std::size_t> &shape,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {},
                                          matmul::PlanningCache *cache = nullptr)
{
    return createCholeskyInput(graph, type, shape, true, debugContext, options, cache);
}
inline poplar::Tensor cholesky(poplar::Graph &graph, const poplar::Tensor &a, bool lower,
                               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                               poplar::OptionFlags options = {}, matmul::PlanningCache *cache = nullptr)
{
    return poputil::detail::give(graph.c(),
                                 poplin_cholesky_at(poplar::detail::where(debugContext), graph.c(), a.c(), lower,
                                                    prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                                    poplar::detail::Options(options), detail::cache(cache)));
}
inline void choleskyInPlace(poplar::Graph &graph, const poplar::Tensor &a, bool lower, poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {}, poplar::OptionFlags options = {},
                            matmul::PlanningCache *cache = nullptr)
{
    poplin_cholesky_in_place_at(poplar::detail::where(debugContext), graph.c(), a.c(), lower, prog.cToGrow(graph.c()),
                                poplar::detail::name(debugContext), poplar::detail::Options(options),
                                detail::cache(cache));
    poputil::detail::check(graph.c());
}

// The matrix products of a factorisation, for preplanMatMuls; option blockSize (8) as in cholesky.
inline std::vector<std::pair<MatMulParams, poplar::OptionFlags>>
getCholeskyMatMulPrePlanParameters(const poplar::Type &type, const std::vector<std::size_t> &shape, bool lower,
                                   poplar::OptionFlags options = {})
{
    std::size_t blockSize = POPLIN_CHOLESKY_BLOCK_SIZE;
    const poplar::OptionFlags others = detail::withoutBlockSize(options, blockSize);
    const pop_shape dims = poplar::detail::shape(shape);
    std::vector<poplin_mat_mul_params> list(
        poplin_get_cholesky_mat_mul_pre_plan_parameters(type.c(), dims, lower, blockSize, nullptr, 0));
    poplin_get_cholesky_mat_mul_pre_plan_parameters(type.c(), dims, lower, blockSize, list.data(), list.size());
    return detail::withOptions(list, others);
}

} // namespace poplin
#endif
