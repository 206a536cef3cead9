// SPDX-License-Identifier: Apache-2.0
// Matrix products (poplin/mat_mul.h).
#ifndef POPLIN_MAT_MUL_HPP
#define POPLIN_MAT_MUL_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/detail/conv_planning.hpp>
#include <poplin/detail/planning_cache.hpp>
#include <poplin/mat_mul.h>
#include <poputil/detail/call.hpp>

#include <ostream>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace poplin
{

// ---- A{m,k} B{k,n} ----
inline poplar::Tensor matMul(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                             poplar::program::Sequence &prog, const poplar::Type &outputType,
                             const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                             matmul::PlanningCache *cache = nullptr)
{
    return poputil::detail::give(
        graph.c(), poplin_mat_mul_typed_at(poplar::detail::where(debugContext), graph.c(), A.c(), B.c(),
                                           prog.cToGrow(graph.c()), outputType.c(), poplar::detail::name(debugContext),
                                           poplar::detail::Options(options), detail::cache(cache)));
}
inline poplar::Tensor matMul(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {}, matmul::PlanningCache *cache = nullptr)
{
    return poputil::detail::give(graph.c(),
                                 poplin_mat_mul_at(poplar::detail::where(debugContext), graph.c(), A.c(), B.c(),
                                                   prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                                   poplar::detail::Options(options), detail::cache(cache)));
}
inline void matMulWithOutput(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                             poplar::Tensor &out, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                             matmul::PlanningCache *cache = nullptr)
{
    poplin_mat_mul_with_output_at(poplar::detail::where(debugContext), graph.c(), A.c(), B.c(), out.c(),
                                  prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                  poplar::detail::Options(options), detail::cache(cache));
    poputil::detail::check(graph.c());
}

// ---- A{g,m,k} B{g,k,n} ----
inline poplar::Tensor matMulGrouped(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                                    poplar::program::Sequence &prog, const poplar::Type &outputType,
                                    const poplar::DebugContext &debugContext = {},
                                    const poplar::OptionFlags &options = {}, matmul::PlanningCache *cache = nullptr)
{
    return poputil::detail::give(graph.c(),
                                 poplin_mat_mul_grouped_at(poplar::detail::where(debugContext), graph.c(), A.c(), B.c(),
                                                           prog.cToGrow(graph.c()), outputType.c(),
                                                           poplar::detail::name(debugContext),
                                                           poplar::detail::Options(options), detail::cache(cache)));
}
inline void matMulGroupedWithOutput(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                                    poplar::Tensor &out, poplar::program::Sequence &prog,
                                    const poplar::DebugContext &debugContext = {},
                                    const poplar::OptionFlags &options = {}, matmul::PlanningCache *cache = nullptr)
{
    poplin_mat_mul_grouped_with_output_at(poplar::detail::where(debugContext), graph.c(), A.c(), B.c(), out.c(),
                                          prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                          poplar::detail::Options(options), detail::cache(cache));
    poputil::detail::check(graph.c());
}

// ---- C += k A B ----
inline void matMulAcc(poplar::Graph &graph, const poplar::Tensor &C, float k, const poplar::Tensor &A,
                      const poplar::Tensor &B, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                      matmul::PlanningCache *cache = nullptr)
{
    poplin_mat_mul_acc_at(poplar::detail::where(debugContext), graph.c(), C.c(), k, A.c(), B.c(),
                          prog.cToGrow(graph.c()), poplar::detail::name(debugContext), poplar::detail::Options(options),
                          detail::cache(cache));
    poputil::detail::check(graph.c());
}
inline void matMulAcc(poplar::Graph &graph, const poplar::Tensor &C, const poplar::Tensor &k, const poplar::Tensor &A,
                      const poplar::Tensor &B, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                      matmul::PlanningCache *cache = nullptr)
{
    poplin_mat_mul_acc_tensor_at(poplar::detail::where(debugContext), graph.c(), C.c(), k.c(), A.c(), B.c(),
                                 prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                 poplar::detail::Options(options), detail::cache(cache));
    poputil::detail::check(graph.c());
}
inline void matMulGroupedAcc(poplar::Graph &graph, const poplar::Tensor &C, float k, const poplar::Tensor &A,
                             const poplar::Tensor &B, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                             matmul::PlanningCache *cache = nullptr)
{
    poplin_mat_mul_grouped_acc_at(poplar::detail::where(debugContext), graph.c(), C.c(), k, A.c(), B.c(),
                                  prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                  poplar::detail::Options(options), detail::cache(cache));
    poputil::detail::check(graph.c());
}
inline void matMulGroupedAcc(poplar::Graph &graph, const poplar::Tensor &C, const poplar::Tensor &k,
                             const poplar::Tensor &A, const poplar::Tensor &B, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                             matmul::PlanningCache *cache = nullptr)
{
    poplin_mat_mul_grouped_acc_tensor_at(poplar::detail::where(debugContext), graph.c(), C.c(), k.c(), A.c(), B.c(),
                                         prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                         poplar::detail::Options(options), detail::cache(cache));
    poputil::detail::check(graph.c());
}

// ---- operands and results with the plan's layout; the short forms give the result the operands' type ----
typedef std::vector<std::size_t> MatMulShape; // Shape of a grouped matrix: {groups, rows, columns}.

#define POPLIN_CREATE_PARAMETERS                                                                                       \
    poplar::Graph &graph, const poplar::Type &inputType, const poplar::Type &outputType, const MatMulShape &aShape,    \
        const MatMulShape &bShape, const poplar::DebugContext &debugContext = {},                                      \
                                                              const poplar::OptionFlags &options = {},                 \
                                                              matmul::PlanningCache *cache = nullptr
#define POPLIN_CREATE_ARGUMENTS                                                                                        \
    poplar::detail::where(debugContext), graph.c(), inputType.c(), outputType.c(), poplar::detail::shape(aShape),      \
        poplar::detail::shape(bShape), poplar::detail::name(debugContext), poplar::detail::Options(options),           \
        detail::cache(cache)
#define POPLIN_CREATE(call, function)                                                                                  \
    inline poplar::Tensor call(POPLIN_CREATE_PARAMETERS)                                                               \
    {                                                                                                                  \
        return poputil::detail::give(graph.c(), function(POPLIN_CREATE_ARGUMENTS));                                    \
    }
#define POPLIN_CREATE_SHORT(call)                                                                                      \
    inline poplar::Tensor call(poplar::Graph &graph, const poplar::Type &dataType, const MatMulShape &aShape,          \
                               const MatMulShape &bShape, const poplar::DebugContext &debugContext = {},               \
                               const poplar::OptionFlags &options = {}, matmul::PlanningCache *cache = nullptr)        \
    {                                                                                                                  \
        return call(graph, dataType, dataType, aShape, bShape, debugContext, options, cache);                          \
    }
POPLIN_CREATE(createMatMulInputLHS, poplin_create_mat_mul_input_lhs_at)
POPLIN_CREATE_SHORT(createMatMulInputLHS)
POPLIN_CREATE(createMatMulInputRHS, poplin_create_mat_mul_input_rhs_at)
POPLIN_CREATE_SHORT(createMatMulInputRHS)
POPLIN_CREATE(createMatMulOutput, poplin_create_mat_mul_output_at)
POPLIN_CREATE_SHORT(createMatMulOutput)
POPLIN_CREATE(createMatMulGroupedInputLHS, poplin_create_mat_mul_grouped_input_lhs_at)
POPLIN_CREATE(createMatMulGroupedInputRHS, poplin_create_mat_mul_grouped_input_rhs_at)
POPLIN_CREATE(createMatMulGroupedOutput, poplin_create_mat_mul_grouped_output_at)
#undef POPLIN_CREATE
#undef POPLIN_CREATE_PARAMETERS
#undef POPLIN_CREATE_ARGUMENTS
#undef POPLIN_CREATE_SHORT

// B in the order that the product reads; see the option inputRHSIsPreArranged.
inline poplar::Tensor preArrangeMatMulInputRHS(poplar::Graph &graph, const MatMulShape &aShape, const poplar::Tensor &B,
                                               poplar::program::Sequence &prog, const poplar::Type &outputType,
                                               const poplar::DebugContext &debugContext = {},
                                               const poplar::OptionFlags &options = {},
                                               matmul::PlanningCache *cache = nullptr)
{
    return poputil::detail::give(graph.c(),
                                 poplin_pre_arrange_mat_mul_input_rhs_at(
                                     poplar::detail::where(debugContext), graph.c(), poplar::detail::shape(aShape),
                                     B.c(), prog.cToGrow(graph.c()), outputType.c(), poplar::detail::name(debugContext),
                                     poplar::detail::Options(options), detail::cache(cache)));
}
inline poplar::Tensor preArrangeMatMulInputRHS(poplar::Graph &graph, const MatMulShape &aShape, const poplar::Tensor &B,
                                               poplar::program::Sequence &prog,
                                               const poplar::DebugContext &debugContext = {},
                                               const poplar::OptionFlags &options = {},
                                               matmul::PlanningCache *cache = nullptr)
{
    return preArrangeMatMulInputRHS(graph, aShape, B, prog, B.elementType(), debugContext, options, cache);
}
inline poplar::Tensor preArrangeMatMulGroupedInputRHS(poplar::Graph &graph, const MatMulShape &aShape,
                                                      const poplar::Tensor &B, poplar::program::Sequence &prog,
                                                      const poplar::Type &outputType,
                                                      const poplar::DebugContext &debugContext = {},
                                                      const poplar::OptionFlags &options = {},
                                                      matmul::PlanningCache *cache = nullptr)
{
    return poputil::detail::give(graph.c(),
                                 poplin_pre_arrange_mat_mul_grouped_input_rhs_at(
                                     poplar::detail::where(debugContext), graph.c(), poplar::detail::shape(aShape),
                                     B.c(), prog.cToGrow(graph.c()), outputType.c(), poplar::detail::name(debugContext),
                                     poplar::detail::Options(options), detail::cache(cache)));
}
// Views {g,m,k} as {g,k,m}.
inline poplar::Tensor transposeGroupedMatrix(const poplar::Tensor &A)
{
    return A.dimShuffle({ 0, 2, 1 });
}

// ---- plans ----
namespace detail
{

// Prints a report, which the C interface writes to a buffer.
template <typename Report> void printReport(std::ostream &out, const poplar::Graph &graph, const Report &report)
{
    std::vector<char> buffer(report(nullptr, 0) + 1);
    poputil::detail::check(graph.c());
    report(buffer.data(), buffer.size());
    poputil::detail::check(graph.c());
    out << buffer.data();
}

} // namespace detail

inline void matMulReportPlan(std::ostream &out, const poplar::Graph &graph, const poplar::Type &inputType,
                             const poplar::Type &outputType, const MatMulShape &aShape, const MatMulShape &bShape,
                             const poplar::OptionFlags &options = {}, matmul::PlanningCache *cache = nullptr,
                             poputil::detail::Where where = poputil::detail::Where::here())
{
    detail::printReport(out, graph, [&](char *buffer, std::size_t size) {
        return poplin_mat_mul_report_plan_at(where, graph.c(), inputType.c(), outputType.c(),
                                             poplar::detail::shape(aShape), poplar::detail::shape(bShape),
                                             poplar::detail::Options(options), detail::cache(cache), buffer, size);
    });
}
inline void matMulGroupedReportPlan(std::ostream &out, const poplar::Graph &graph, const poplar::Type &inputType,
                                    const poplar::Type &outputType, const MatMulShape &aShape,
                                    const MatMulShape &bShape, const poplar::OptionFlags &options = {},
                                    matmul::PlanningCache *cache = nullptr,
                                    poputil::detail::Where where = poputil::detail::Where::here())
{
    detail::printReport(out, graph, [&](char *buffer, std::size_t size) {
        return poplin_mat_mul_grouped_report_plan_at(
            where, graph.c(), inputType.c(), outputType.c(), poplar::detail::shape(aShape),
            poplar::detail::shape(bShape), poplar::detail::Options(options), detail::cache(cache), buffer, size);
    });
}

// A product to be planned; the shapes are of matrices, or of grouped matrices.
struct MatMulParams {
    poplar::Type inputType;
    poplar::Type outputType;
    std::vector<std::size_t> aShape;
    std::vector<std::size_t> bShape;

    friend bool operator<(const MatMulParams &a, const MatMulParams &b)
    {
        const poplin_mat_mul_params x = a.c(), y = b.c();
        return poplin_mat_mul_params_compare(&x, &y) < 0;
    }
    poplin_mat_mul_params c() const // for the C interface
    {
        poplin_mat_mul_params params = { inputType.c(), outputType.c(), { 1, 0, 0 }, { 1, 0, 0 } };
        for (std::size_t i = 0; i < aShape.size() && i < 3; ++i)
            params.a_shape[2 - i] = aShape[aShape.size() - 1 - i];
        for (std::size_t i = 0; i < bShape.size() && i < 3; ++i)
            params.b_shape[2 - i] = bShape[bShape.size() - 1 - i];
        return params;
    }
};
namespace detail
{
inline MatMulParams matMulParams(const poplin_mat_mul_params &from)
{
    MatMulParams params = { poplar::Type(from.input_type), poplar::Type(from.output_type),
                            std::vector<std::size_t>(from.a_shape, from.a_shape + 3),
                            std::vector<std::size_t>(from.b_shape, from.b_shape + 3) };
    return params;
}
} // namespace detail
// A product to be planned: target, parameters and options.
typedef std::tuple<const poplar::Target *, const MatMulParams, const poplar::OptionFlags *> MatMulPlanParams;

// Templates, although no caller passes their arguments: programs that do not use them need not compile their
// containers.
template <typename Set = std::set<MatMulPlanParams>>
void preplanMatMuls(const typename poplar::detail::Same<Set>::type &matmuls, matmul::PlanningCache &cache,
                    poputil::detail::Where where = poputil::detail::Where::here())
{
    std::vector<poplin_mat_mul_plan_request> requests;
    std::vector<std::vector<pop_option>> lists;
    lists.reserve(matmuls.size());
    for (const typename Set::value_type &each : matmuls) {
        lists.push_back(std::vector<pop_option>());
        for (const poplar::OptionFlags::OptionFlag &flag : *std::get<2>(each)) {
            pop_option option = { flag.first.c_str(), flag.second.c_str() };
            lists.back().push_back(option);
        }
        poplin_mat_mul_plan_request request = { &std::get<0>(each)->c(),
                                                std::get<1>(each).c(),
                                                { lists.back().data(), lists.back().size() } };
        requests.push_back(request);
    }
    pop_error error;
    if (poplin_preplan_mat_muls_at(where, requests.data(), requests.size(), cache.c(), &error) != POP_OK)
        poputil::detail::raise(error);
}

// Maps the options of a product to those of its convolution.
typedef std::unordered_map<const poplar::OptionFlags *, poplar::OptionFlags> MatMulToConvOptions;
// The convolutions that implement products, for planning together with others.  The result points into convOptions, to
// which missing entries are added.
template <typename Set = std::set<MatMulPlanParams>, typename Convs = std::set<ConvPlanParams>,
          typename Options = MatMulToConvOptions>
Convs matMulGetConvPlanParams(const typename poplar::detail::Same<Set>::type &matmuls,
                              typename poplar::detail::Same<Options>::type &convOptions)
{
    Convs convs;
    for (const typename Set::value_type &each : matmuls) {
        const poplar::OptionFlags *const given = std::get<2>(each);
        if (!convOptions.count(given)) {
            pop_option list[POPLIN_MAX_MAT_MUL_OPTIONS];
            std::size_t count;
            pop_error error;
            if (poplin_mat_mul_conv_options(poplar::detail::Options(*given), list, POPLIN_MAX_MAT_MUL_OPTIONS, &count,
                                            &error) != POP_OK)
                poputil::detail::raise(error);
            for (std::size_t i = 0; i < count; ++i)
                convOptions[given].set(list[i].key, list[i].value);
        }
        const poplin_mat_mul_params params = std::get<1>(each).c();
        convs.insert(
            ConvPlanParams(std::get<0>(each), ConvParams(poplin_mat_mul_conv_params(&params)), &convOptions[given]));
    }
    return convs;
}

// Throws for options that a product does not take.
inline void matmulValidateOptions(const poplar::OptionFlags &options)
{
    pop_option list[POPLIN_MAX_MAT_MUL_OPTIONS];
    std::size_t count;
    pop_error error;
    if (poplin_mat_mul_conv_options(poplar::detail::Options(options), list, POPLIN_MAX_MAT_MUL_OPTIONS, &count,
                                    &error) != POP_OK)
        poputil::detail::raise(error);
}

} // namespace poplin
#endif
