// SPDX-License-Identifier: Apache-2.0
// Systems of linear equations with triangular matrices (poplin/triangular_solve.h).
#ifndef POPLIN_TRIANGULAR_SOLVE_HPP
#define POPLIN_TRIANGULAR_SOLVE_HPP

#include <poplin/MatMul.hpp>
#include <poplin/triangular_solve.h>

#include <cstdlib>
#include <utility>

namespace poplin
{

inline poplar::Tensor
createTriangularSolveInputLHS(poplar::Graph &graph, const poplar::Type &inputType, const poplar::Type &outputType,
                              const std::vector<std::size_t> &aShape, const std::vector<std::size_t> &bShape,
                              bool leftSide, const poplar::DebugContext &debugContext = {},
                              const poplar::OptionFlags &options = {}, matmul::PlanningCache *cache = nullptr)
{
    return poputil::detail::give(
        graph.c(), poplin_create_triangular_solve_input_lhs_at(
                       poplar::detail::where(debugContext), graph.c(), inputType.c(), outputType.c(),
                       poplar::detail::shape(aShape), poplar::detail::shape(bShape), leftSide,
                       poplar::detail::name(debugContext), poplar::detail::Options(options), detail::cache(cache)));
}
inline poplar::Tensor
createTriangularSolveInputRHS(poplar::Graph &graph, const poplar::Type &inputType, const poplar::Type &outputType,
                              const std::vector<std::size_t> &aShape, const std::vector<std::size_t> &bShape,
                              bool leftSide, const poplar::DebugContext &debugContext = {},
                              const poplar::OptionFlags &options = {}, matmul::PlanningCache *cache = nullptr)
{
    return poputil::detail::give(
        graph.c(), poplin_create_triangular_solve_input_rhs_at(
                       poplar::detail::where(debugContext), graph.c(), inputType.c(), outputType.c(),
                       poplar::detail::shape(aShape), poplar::detail::shape(bShape), leftSide,
                       poplar::detail::name(debugContext), poplar::detail::Options(options), detail::cache(cache)));
}
inline poplar::Tensor triangularMask(poplar::Graph &graph, const poplar::Tensor &a, bool lower, bool unitDiagonal,
                                     poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(
        graph.c(), poplin_triangular_mask_at(poplar::detail::where(debugContext), graph.c(), a.c(), lower, unitDiagonal,
                                             prog.cToGrow(graph.c()), poplar::detail::name(debugContext)));
}
inline poplar::Tensor triangularSolve(poplar::Graph &graph, const poplar::Tensor &a, const poplar::Tensor &b,
                                      bool leftSide, bool lower, bool unitDiagonal, std::size_t blockSize,
                                      poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                      const poplar::OptionFlags &options = {}, matmul::PlanningCache *cache = nullptr)
{
    return poputil::detail::give(graph.c(),
                                 poplin_triangular_solve_at(poplar::detail::where(debugContext), graph.c(), a.c(),
                                                            b.c(), leftSide, lower, unitDiagonal, blockSize,
                                                            prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                                            poplar::detail::Options(options), detail::cache(cache)));
}
// The library chooses the block size.
inline poplar::Tensor triangularSolve(poplar::Graph &graph, const poplar::Tensor &a, const poplar::Tensor &b,
                                      bool leftSide, bool lower, bool unitDiagonal, poplar::program::Sequence &prog,
                                      const poplar::DebugContext &debugContext = {},
                                      const poplar::OptionFlags &options = {}, matmul::PlanningCache *cache = nullptr)
{
    return triangularSolve(graph, a, b, leftSide, lower, unitDiagonal, std::size_t(0), prog, debugContext, options,
                           cache);
}

namespace detail
{
// The options of the products; blockSize is the solver's own.
inline poplar::OptionFlags withoutBlockSize(const poplar::OptionFlags &options, std::size_t &blockSize)
{
    poplar::OptionFlags others;
    for (const poplar::OptionFlags::OptionFlag &option : options) {
        if (option.first != "blockSize") {
            others.set(option.first, option.second);
            continue;
        }
        char *end = nullptr;
        const unsigned long size = std::strtoul(option.second.c_str(), &end, 0);
        if (end == option.second.c_str() || *end || !size || option.second[0] == '-')
            throw poplar::invalid_option("Invalid value '" + option.second +
                                         "' for option 'blockSize': it is a number of rows, 1 or more");
        blockSize = size;
    }
    return others;
}
inline std::vector<std::pair<MatMulParams, poplar::OptionFlags>>
withOptions(const std::vector<poplin_mat_mul_params> &list, const poplar::OptionFlags &options)
{
    std::vector<std::pair<MatMulParams, poplar::OptionFlags>> result;
    poplar::OptionFlags all{ { "remapOutputTensor", "false" } }; // as the solvers plan their products
    for (const poplar::OptionFlags::OptionFlag &option : options)
        all.set(option.first, option.second);
    for (const poplin_mat_mul_params &params : list)
        result.push_back(std::make_pair(matMulParams(params), all));
    return result;
}
} // namespace detail

// The matrix products of a solution, for preplanMatMuls.
inline std::vector<std::pair<MatMulParams, poplar::OptionFlags>>
getTriangularSolveMatMulPrePlanParameters(const poplar::Type &inputType, const poplar::Type &outputType,
                                          const std::vector<std::size_t> &aShape,
                                          const std::vector<std::size_t> &bShape, bool leftSide, bool /*lower*/,
                                          std::size_t blockSize, const poplar::OptionFlags &options = {})
{
    const pop_shape a = poplar::detail::shape(aShape), b = poplar::detail::shape(bShape);
    std::vector<poplin_mat_mul_params> list(poplin_get_triangular_solve_mat_mul_pre_plan_parameters(
        inputType.c(), outputType.c(), a, b, leftSide, blockSize, nullptr, 0));
    poplin_get_triangular_solve_mat_mul_pre_plan_parameters(inputType.c(), outputType.c(), a, b, leftSide, blockSize,
                                                            list.data(), list.size());
    return detail::withOptions(list, options);
}
inline std::vector<std::pair<MatMulParams, poplar::OptionFlags>> getTriangularSolveMatMulPrePlanParameters(
    const poplar::Type &inputType, const poplar::Type &outputType, const std::vector<std::size_t> &aShape,
    const std::vector<std::size_t> &bShape, bool leftSide, bool lower, const poplar::OptionFlags &options)
{
    std::size_t blockSize = 0;
    const poplar::OptionFlags others = detail::withoutBlockSize(options, blockSize);
    return getTriangularSolveMatMulPrePlanParameters(inputType, outputType, aShape, bShape, leftSide, lower, blockSize,
                                                     others);
}

} // namespace poplin
#endif
