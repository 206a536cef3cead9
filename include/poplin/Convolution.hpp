// SPDX-License-Identifier: Apache-2.0
// Convolutions: forward, backward, weight update, and biases (poplin/convolution.h).
#ifndef POPLIN_CONVOLUTION_HPP
#define POPLIN_CONVOLUTION_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/ConvParams.hpp>
#include <poplin/convolution.h>
#include <poplin/detail/conv_planning.hpp>
#include <poplin/detail/planning_cache.hpp>
#include <popops/Rearrange.hpp>
#include <poputil/detail/call.hpp>

namespace poplin
{

// ---- operands with the plan's layout ----
inline poplar::Tensor createInput(poplar::Graph &graph, const ConvParams &params,
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    const poplin_conv_params p = params.c();
    return poputil::detail::give(graph.c(),
                                 poplin_create_input_at(poplar::detail::where(debugContext), graph.c(), &p,
                                                        poplar::detail::name(debugContext),
                                                        poplar::detail::Options(options), detail::cache(cache)));
}
inline poplar::Tensor createWeights(poplar::Graph &graph, const ConvParams &params,
                                    const poplar::DebugContext &debugContext = {},
                                    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    const poplin_conv_params p = params.c();
    return poputil::detail::give(graph.c(),
                                 poplin_create_weights_at(poplar::detail::where(debugContext), graph.c(), &p,
                                                          poplar::detail::name(debugContext),
                                                          poplar::detail::Options(options), detail::cache(cache)));
}
inline poplar::Tensor createBiases(poplar::Graph &graph, const poplar::Tensor &activations,
                                   const poplar::DebugContext &debugContext = { "biases" },
                                   const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(graph.c(), poplin_create_biases_at(poplar::detail::where(debugContext), graph.c(),
                                                                    activations.c(), poplar::detail::name(debugContext),
                                                                    poplar::detail::Options(options)));
}
// The parameters are not needed: the activations determine the biases.
inline poplar::Tensor createBiases(poplar::Graph &graph, const poplar::Tensor &activations, const ConvParams &,
                                   const poplar::DebugContext &debugContext = { "biases" },
                                   const poplar::OptionFlags &options = {}, PlanningCache * = nullptr)
{
    return createBiases(graph, activations, debugContext, options);
}
inline poplar::Tensor createConvOutput(poplar::Graph &graph, const ConvParams &params,
                                       const poplar::DebugContext &debugContext = {},
                                       const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    const poplin_conv_params p = params.c();
    return poputil::detail::give(graph.c(),
                                 poplin_create_conv_output_at(poplar::detail::where(debugContext), graph.c(), &p,
                                                              poplar::detail::name(debugContext),
                                                              poplar::detail::Options(options), detail::cache(cache)));
}

// ---- convolutions ----
inline poplar::Tensor convolution(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &weights,
                                  const ConvParams &params, bool transposeAndFlipWeights,
                                  poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    const poplin_conv_params p = params.c();
    return poputil::detail::give(graph.c(),
                                 poplin_convolution_at(poplar::detail::where(debugContext), graph.c(), in.c(),
                                                       weights.c(), &p, transposeAndFlipWeights,
                                                       prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                                       poplar::detail::Options(options), detail::cache(cache)));
}
inline void convolutionWithOutput(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &weights,
                                  const poplar::Tensor &out, const ConvParams &params, bool transposeAndFlipWeights,
                                  poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    const poplin_conv_params p = params.c();
    poplin_convolution_with_output_at(poplar::detail::where(debugContext), graph.c(), in.c(), weights.c(), out.c(), &p,
                                      transposeAndFlipWeights, prog.cToGrow(graph.c()),
                                      poplar::detail::name(debugContext), poplar::detail::Options(options),
                                      detail::cache(cache));
    poputil::detail::check(graph.c());
}

inline poplar::Tensor calculateWeightDeltas(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                                            const poplar::Tensor &activations, const ConvParams &params,
                                            poplar::program::Sequence &prog,
                                            const poplar::DebugContext &debugContext = {},
                                            const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    const poplin_conv_params p = params.c();
    return poputil::detail::give(
        graph.c(),
        poplin_calculate_weight_deltas_at(poplar::detail::where(debugContext), graph.c(), zDeltas.c(), activations.c(),
                                          &p, prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                          poplar::detail::Options(options), detail::cache(cache)));
}
// weights += scale * deltas
inline void convolutionWeightUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas, const poplar::Tensor &weights,
                                    const poplar::Tensor &activations, const ConvParams &params,
                                    const poplar::Tensor &scale, poplar::program::Sequence &prog,
                                    const poplar::DebugContext &debugContext = {},
                                    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    const poplin_conv_params p = params.c();
    poplin_convolution_weight_update_at(poplar::detail::where(debugContext), graph.c(), zDeltas.c(), weights.c(),
                                        activations.c(), &p, scale.c(), prog.cToGrow(graph.c()),
                                        poplar::detail::name(debugContext), poplar::detail::Options(options),
                                        detail::cache(cache));
    poputil::detail::check(graph.c());
}
inline void convolutionWeightUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas, const poplar::Tensor &weights,
                                    const poplar::Tensor &activations, const ConvParams &params, float scale,
                                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    const poplin_conv_params p = params.c();
    poplin_convolution_weight_update_constant_at(poplar::detail::where(debugContext), graph.c(), zDeltas.c(),
                                                 weights.c(), activations.c(), &p, scale, prog.cToGrow(graph.c()),
                                                 poplar::detail::name(debugContext), poplar::detail::Options(options),
                                                 detail::cache(cache));
    poputil::detail::check(graph.c());
}

// ---- biases ----
inline void addBias(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &biases,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {})
{
    poplin_add_bias_at(poplar::detail::where(debugContext), graph.c(), in.c(), biases.c(), prog.cToGrow(graph.c()),
                       poplar::detail::name(debugContext), poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline void convolutionBiasUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas, const poplar::Tensor &biases,
                                  const poplar::Tensor &scale, const poplar::OptionFlags &options,
                                  poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    poplin_convolution_bias_update_at(poplar::detail::where(debugContext), graph.c(), zDeltas.c(), biases.c(),
                                      scale.c(), prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                      poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline void convolutionBiasUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas, const poplar::Tensor &biases,
                                  float scale, const poplar::OptionFlags &options, poplar::program::Sequence &prog,
                                  const poplar::DebugContext &debugContext = {})
{
    poplin_convolution_bias_update_constant_at(poplar::detail::where(debugContext), graph.c(), zDeltas.c(), biases.c(),
                                               scale, prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                               poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}

// ---- weights of the backward pass ----
inline void weightsTransposeChansFlipXY(poplar::Graph &graph, const poplar::Tensor &weightsIn,
                                        const poplar::Tensor &weightsOut, poplar::program::Sequence &prog,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {})
{
    if (!options.empty())
        poplin_convolution_validate_options_at(poplar::detail::where(debugContext), graph.c(),
                                               poplar::detail::Options(options));
    poplin_weights_transpose_chans_flip_xy_at(poplar::detail::where(debugContext), graph.c(), weightsIn.c(),
                                              weightsOut.c(), prog.cToGrow(graph.c()),
                                              poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}
// The form of release 1.2: the copies before and after the transpositions, which the caller executes, are appended to
// lists.
inline void weightsTransposeChansFlipXY(poplar::Graph &graph, const poplar::Tensor &weightsIn,
                                        const poplar::Tensor &weightsOut,
                                        std::vector<poplar::program::Copy> &preTranspose,
                                        poplar::ComputeSet transposeCS,
                                        std::vector<poplar::program::Copy> &postTranspose,
                                        const poplar::DebugContext &debugContext = {})
{
    if (weightsIn.rank() < 4)
        throw poputil::poplibs_error("weightsIn has " + std::to_string(weightsIn.rank()) +
                                     " dimensions; groups, output channels, input channels and kernel are needed");
    poplar::Tensor turned = weightsIn.dimRoll(1, 2);
    for (unsigned d = 3; d < weightsIn.rank(); ++d)
        turned = turned.reverse(d);
    if (turned.shape() != weightsOut.shape())
        throw poputil::poplibs_error("weightsOut has another shape than the transposed weightsIn");
    turned = popops::rearrange::regroupIfBeneficial(graph, turned, weightsOut, preTranspose, transposeCS, debugContext);
    postTranspose.push_back(poplar::program::Copy(turned, weightsOut, false, debugContext));
}
inline poplar::Tensor fullyConnectedWeightTranspose(poplar::Graph &graph, poplar::Tensor weights,
                                                    const ConvParams &params, poplar::program::Sequence &prog,
                                                    const poplar::DebugContext &debugContext = {},
                                                    const poplar::OptionFlags &options = {},
                                                    PlanningCache *cache = nullptr)
{
    const poplin_conv_params p = params.c();
    return poputil::detail::give(graph.c(), poplin_fully_connected_weight_transpose_at(
                                                poplar::detail::where(debugContext), graph.c(), weights.c(), &p,
                                                prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                                poplar::detail::Options(options), detail::cache(cache)));
}

} // namespace poplin
#endif
