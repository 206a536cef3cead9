// SPDX-License-Identifier: Apache-2.0
// Activation functions and their gradients (popnn/non_linearity.h).
#ifndef POPNN_NON_LINEARITY_HPP
#define POPNN_NON_LINEARITY_HPP

#include <poplar/Program.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <popnn/non_linearity.h>
#include <poputil/detail/call.hpp>

namespace popnn
{
namespace detail
{

inline popnn_non_linearity_type c(NonLinearityType type)
{
    return static_cast<popnn_non_linearity_type>(type);
}

} // namespace detail

inline void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType, const poplar::Tensor &t,
                                poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    popnn_non_linearity_in_place_at(poplar::detail::where(debugContext), graph.c(), detail::c(nonLinearityType), t.c(),
                                    prog.cToGrow(graph.c()), poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}
inline void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType, const poplar::Tensor &t,
                                float &nonLinearityScaling, poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {})
{
    popnn_non_linearity_in_place_scaled_at(poplar::detail::where(debugContext), graph.c(), detail::c(nonLinearityType),
                                           t.c(), &nonLinearityScaling, prog.cToGrow(graph.c()),
                                           poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}
inline void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType, const poplar::Tensor &t,
                                poplar::ComputeSet &cs, const poplar::DebugContext &debugContext = {})
{
    popnn_non_linearity_in_place_in_at(poplar::detail::where(debugContext), graph.c(), detail::c(nonLinearityType),
                                       t.c(), cs.c());
    poputil::detail::check(graph.c());
}
inline void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType nonLinearityType, const poplar::Tensor &t,
                                float &nonLinearityScaling, poplar::ComputeSet &cs,
                                const poplar::DebugContext &debugContext = {})
{
    nonLinearityInPlace(graph, nonLinearityType, t, cs, debugContext);
    nonLinearityScaling = 1;
}

inline poplar::Tensor nonLinearity(poplar::Graph &graph, NonLinearityType nonLinearityType, const poplar::Tensor &t,
                                   poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(
        graph.c(), popnn_non_linearity_at(poplar::detail::where(debugContext), graph.c(), detail::c(nonLinearityType),
                                          t.c(), prog.cToGrow(graph.c()), poplar::detail::name(debugContext)));
}
inline poplar::Tensor nonLinearity(poplar::Graph &graph, NonLinearityType nonLinearityType, const poplar::Tensor &t,
                                   float &nonLinearityScaling, poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popnn_non_linearity_scaled_at(poplar::detail::where(debugContext),
                                                                          graph.c(), detail::c(nonLinearityType), t.c(),
                                                                          &nonLinearityScaling, prog.cToGrow(graph.c()),
                                                                          poplar::detail::name(debugContext)));
}

inline poplar::Tensor nonLinearityInputGradient(poplar::Graph &graph, NonLinearityType nonLinearityType,
                                                const poplar::Tensor &act, const poplar::Tensor &outGradient,
                                                poplar::program::Sequence &prog,
                                                const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(
        graph.c(), popnn_non_linearity_input_gradient_at(poplar::detail::where(debugContext), graph.c(),
                                                         detail::c(nonLinearityType), act.c(), outGradient.c(),
                                                         prog.cToGrow(graph.c()), poplar::detail::name(debugContext)));
}
inline poplar::Tensor nonLinearityInputGradient(poplar::Graph &graph, NonLinearityType nonLinearityType,
                                                const poplar::Tensor &act, const poplar::Tensor &outGradient,
                                                poplar::ComputeSet &cs, const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(
        graph.c(), popnn_non_linearity_input_gradient_in_at(poplar::detail::where(debugContext), graph.c(),
                                                            detail::c(nonLinearityType), act.c(), outGradient.c(),
                                                            cs.c(), poplar::detail::name(debugContext)));
}

// sigmoid(graph, t, prog) and sigmoidInPlace(graph, t, prog), and so on. With a reference, it receives the factor by
// which the result is multiplied: 1, or that of the scaled softmax. The templates are for pointers to a function with
// release 1.2's parameters, whose name was a string: no call has R to deduce.
// Form NO: the functions without a reference.
#define POPNN_NO_PARAMETER
// Form FACTOR: the reference that receives the factor of the result.
#define POPNN_FACTOR_PARAMETER , float &nonLinearityScaling
// Form NO: nothing more to pass on.
#define POPNN_NO_ARGUMENT
// Form FACTOR: passes the reference on.
#define POPNN_FACTOR_ARGUMENT , nonLinearityScaling
#define POPNN_NAMED_CALL(function, TYPE, call, Result, Form)                                                           \
    inline Result function(poplar::Graph &graph, const poplar::Tensor &t POPNN_##Form##_PARAMETER,                     \
                           poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})             \
    {                                                                                                                  \
        return call(graph, NonLinearityType::TYPE, t POPNN_##Form##_ARGUMENT, prog, debugContext);                     \
    }
#define POPNN_NAMED_ADDRESS(function, Form)                                                                            \
    template <typename R, typename S, typename std::enable_if<std::is_same<S, std::string>::value, int>::type = 0>     \
    R function(poplar::Graph &graph, const poplar::Tensor &t POPNN_##Form##_PARAMETER,                                 \
               poplar::program::Sequence &prog, const S &name)                                                         \
    {                                                                                                                  \
        return R(function(graph, t POPNN_##Form##_ARGUMENT, prog, poplar::DebugContext(name)));                        \
    }
#define POPNN_NAMED_FORM(function, TYPE, call, Result, Form)                                                           \
    POPNN_NAMED_CALL(function, TYPE, call, Result, Form)                                                               \
    POPNN_NAMED_ADDRESS(function, Form)
#define POPNN_NAMED(function, TYPE)                                                                                    \
    POPNN_NAMED_FORM(function, TYPE, nonLinearity, poplar::Tensor, NO)                                                 \
    POPNN_NAMED_FORM(function, TYPE, nonLinearity, poplar::Tensor, FACTOR)                                             \
    POPNN_NAMED_FORM(function##InPlace, TYPE, nonLinearityInPlace, void, NO)                                           \
    POPNN_NAMED_FORM(function##InPlace, TYPE, nonLinearityInPlace, void, FACTOR)
POPNN_NAMED(sigmoid, SIGMOID)
POPNN_NAMED(relu, RELU)
POPNN_NAMED(tanh, TANH)
POPNN_NAMED(gelu, GELU)
POPNN_NAMED(swish, SWISH)
POPNN_NAMED(geluErf, GELU_ERF)
POPNN_NAMED(softmax, SOFTMAX)
POPNN_NAMED(softmaxStable, SOFTMAX_STABLE)
POPNN_NAMED(scaledSoftmaxStable, SOFTMAX_SCALED)
#undef POPNN_NAMED
#undef POPNN_NAMED_FORM
#undef POPNN_NAMED_CALL
#undef POPNN_NAMED_ADDRESS
#undef POPNN_NO_PARAMETER
#undef POPNN_NO_ARGUMENT
#undef POPNN_FACTOR_PARAMETER
#undef POPNN_FACTOR_ARGUMENT

} // namespace popnn
#endif
