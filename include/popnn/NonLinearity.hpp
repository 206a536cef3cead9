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

// sigmoid(graph, t, prog) and sigmoidInPlace(graph, t, prog), and so on; nonLinearityScaling receives the factor of the
// result: 1 but for the scaled softmax.
#define POPNN_NAMED_NEW(function, TYPE)                                                                                \
    inline poplar::Tensor function(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog,     \
                                   const poplar::DebugContext &debugContext = {})                                      \
    {                                                                                                                  \
        return nonLinearity(graph, NonLinearityType::TYPE, t, prog, debugContext);                                     \
    }
#define POPNN_NAMED_SCALED(function, TYPE)                                                                             \
    inline poplar::Tensor function(poplar::Graph &graph, const poplar::Tensor &t, float &nonLinearityScaling,          \
                                   poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})     \
    {                                                                                                                  \
        return nonLinearity(graph, NonLinearityType::TYPE, t, nonLinearityScaling, prog, debugContext);                \
    }
#define POPNN_NAMED_IN_PLACE(function, TYPE)                                                                           \
    inline void function##InPlace(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog,      \
                                  const poplar::DebugContext &debugContext = {})                                       \
    {                                                                                                                  \
        nonLinearityInPlace(graph, NonLinearityType::TYPE, t, prog, debugContext);                                     \
    }
#define POPNN_NAMED_SCALED_IN_PLACE(function, TYPE)                                                                    \
    inline void function##InPlace(poplar::Graph &graph, const poplar::Tensor &t, float &nonLinearityScaling,           \
                                  poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})      \
    {                                                                                                                  \
        nonLinearityInPlace(graph, NonLinearityType::TYPE, t, nonLinearityScaling, prog, debugContext);                \
    }
#define POPNN_NAMED(function, TYPE)                                                                                    \
    POPNN_NAMED_NEW(function, TYPE)                                                                                    \
    POPNN_NAMED_SCALED(function, TYPE) POPNN_NAMED_IN_PLACE(function, TYPE) POPNN_NAMED_SCALED_IN_PLACE(function, TYPE)
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
#undef POPNN_NAMED_NEW
#undef POPNN_NAMED_SCALED
#undef POPNN_NAMED_IN_PLACE
#undef POPNN_NAMED_SCALED_IN_PLACE

} // namespace popnn
#endif
