// SPDX-License-Identifier: Apache-2.0
// Several convolutions in one call (poplin/multi_convolution.h).
#ifndef POPLIN_MULTI_CONVOLUTION_HPP
#define POPLIN_MULTI_CONVOLUTION_HPP

#include <poplin/Convolution.hpp>
#include <poplin/multi_convolution.h>

#include <deque>
#include <string>
#include <vector>

namespace poplin
{
namespace multiconv
{

// The arguments of one convolution.
struct ConvolutionArgs {
    poplar::Tensor inputs;       // {batch, input channels, field...}
    poplar::Tensor weights;      // {groups, output channels, input channels, kernel...}
    ConvParams params;           // what is computed
    poplar::OptionFlags options; // those of poplin::convolution
};
// The arguments of createInput or createWeights.
struct CreateTensorArgs {
    ConvParams params;           // the convolution
    poplar::OptionFlags options; // those of poplin::convolution
    std::string name;            // debug name
};
// The arguments of one calculation of weight deltas.
struct CalculateWeightDeltasArgs {
    poplar::Tensor zDeltas;      // gradient of the output, {batch, output channels, field...}
    poplar::Tensor activations;  // input of the convolution, {batch, input channels, field...}
    ConvParams params;           // the convolution
    poplar::OptionFlags options; // those of poplin::convolution
};
// The arguments of one weight update.
struct ConvWeightUpdateArgs {
    poplar::Tensor zDeltas;      // gradient of the output, {batch, output channels, field...}
    poplar::Tensor weights;      // what is updated: weights += scale * deltas
    poplar::Tensor activations;  // input of the convolution, {batch, input channels, field...}
    poplar::Tensor scale;        // factor of the deltas; one element
    ConvParams params;           // the convolution
    poplar::OptionFlags options; // those of poplin::convolution
};
// The arguments of one weight update with a constant factor.
struct ConvWeightUpdateArgsScalar {
    poplar::Tensor zDeltas;      // gradient of the output, {batch, output channels, field...}
    poplar::Tensor weights;      // what is updated: weights += scale * deltas
    poplar::Tensor activations;  // input of the convolution, {batch, input channels, field...}
    float scale;                 // factor of the deltas
    ConvParams params;           // the convolution
    poplar::OptionFlags options; // those of poplin::convolution
};

namespace detail
{

inline void put(poplin_multi_conv &to, const ConvolutionArgs &args)
{
    to.input = args.inputs.c();
    to.weights = args.weights.c();
}
inline void put(poplin_multi_conv &to, const CreateTensorArgs &args)
{
    to.name = args.name.c_str();
}
inline void put(poplin_multi_conv &to, const CalculateWeightDeltasArgs &args)
{
    to.deltas = args.zDeltas.c();
    to.input = args.activations.c();
}
inline void put(poplin_multi_conv &to, const ConvWeightUpdateArgs &args)
{
    to.deltas = args.zDeltas.c();
    to.weights = args.weights.c();
    to.input = args.activations.c();
    to.scale = args.scale.c();
}
inline void put(poplin_multi_conv &to, const ConvWeightUpdateArgsScalar &args)
{
    to.deltas = args.zDeltas.c();
    to.weights = args.weights.c();
    to.input = args.activations.c();
    to.scale_constant = args.scale;
}

// The arguments in the form that the C interface takes, and the storage that they point to.
class Convs
{
  public:
    template <typename Args> explicit Convs(const std::vector<Args> &all) : convs(all.size())
    {
        params.reserve(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            params.push_back(all[i].params.c());
            options.emplace_back(all[i].options);
            convs[i] = poplin_multi_conv();
            convs[i].params = &params[i];
            convs[i].options = options[i];
            put(convs[i], all[i]);
        }
    }
    Convs(const Convs &) = delete;
    Convs &operator=(const Convs &) = delete;
    const poplin_multi_conv *c() const
    {
        return convs.data();
    }
    std::size_t size() const
    {
        return convs.size();
    }

  private:
    std::vector<poplin_multi_conv> convs;
    std::vector<poplin_conv_params> params;
    std::deque<poplar::detail::Options> options; // a deque, since they cannot be moved
};

inline std::vector<poplar::Tensor> tensors(poplar::Graph &graph, const std::vector<pop_tensor> &from)
{
    poputil::detail::check(graph.c());
    return std::vector<poplar::Tensor>(from.begin(), from.end());
}

} // namespace detail

inline poplar::Tensor createWeights(poplar::Graph &graph, const std::vector<CreateTensorArgs> &args,
                                    unsigned weightsIndex, const poplar::OptionFlags &options = {},
                                    PlanningCache *cache = nullptr,
                                    poputil::detail::Where where = poputil::detail::Where::here())
{
    const detail::Convs convs(args);
    return poputil::detail::give(
        graph.c(), poplin_multi_create_weights_at(where, graph.c(), convs.c(), convs.size(), weightsIndex,
                                                  poplar::detail::Options(options), poplin::detail::cache(cache)));
}
inline poplar::Tensor createInput(poplar::Graph &graph, const std::vector<CreateTensorArgs> &args, unsigned inputIndex,
                                  const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr,
                                  poputil::detail::Where where = poputil::detail::Where::here())
{
    const detail::Convs convs(args);
    return poputil::detail::give(graph.c(), poplin_multi_create_input_at(where, graph.c(), convs.c(), convs.size(),
                                                                         inputIndex, poplar::detail::Options(options),
                                                                         poplin::detail::cache(cache)));
}
inline std::vector<poplar::Tensor> convolution(poplar::Graph &graph, const std::vector<ConvolutionArgs> &args,
                                               bool transposeAndFlipWeights, poplar::program::Sequence &prog,
                                               const poplar::DebugContext &debugContext = {},
                                               const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    const detail::Convs convs(args);
    std::vector<pop_tensor> made(args.size());
    poplin_multi_convolution_at(poplar::detail::where(debugContext), graph.c(), convs.c(), convs.size(),
                                transposeAndFlipWeights, prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                poplar::detail::Options(options), poplin::detail::cache(cache), made.data());
    return detail::tensors(graph, made);
}
inline std::vector<poplar::Tensor>
calculateWeightDeltas(poplar::Graph &graph, const std::vector<CalculateWeightDeltasArgs> &args,
                      poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    const detail::Convs convs(args);
    std::vector<pop_tensor> made(args.size());
    poplin_multi_calculate_weight_deltas_at(poplar::detail::where(debugContext), graph.c(), convs.c(), convs.size(),
                                            prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                            poplar::detail::Options(options), poplin::detail::cache(cache),
                                            made.data());
    return detail::tensors(graph, made);
}

namespace detail
{
template <typename Args>
inline void update(poplar::Graph &graph, const std::vector<Args> &args, poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext, const poplar::OptionFlags &options, PlanningCache *cache)
{
    const Convs convs(args);
    poplin_multi_convolution_weight_update_at(poplar::detail::where(debugContext), graph.c(), convs.c(), convs.size(),
                                              prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                              poplar::detail::Options(options), poplin::detail::cache(cache));
    poputil::detail::check(graph.c());
}
} // namespace detail
inline void convolutionWeightUpdate(poplar::Graph &graph, const std::vector<ConvWeightUpdateArgs> &args,
                                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    detail::update(graph, args, prog, debugContext, options, cache);
}
inline void convolutionWeightUpdate(poplar::Graph &graph, const std::vector<ConvWeightUpdateArgsScalar> &args,
                                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    detail::update(graph, args, prog, debugContext, options, cache);
}

// Sets the weights of args to backward weights computed from weightsIn.
inline void weightsTransposeChansFlipXY(poplar::Graph &graph, std::vector<ConvolutionArgs> &args,
                                        const std::vector<poplar::Tensor> &weightsIn, poplar::program::Sequence &prog,
                                        const poplar::OptionFlags &options = {},
                                        const poplar::DebugContext &debugContext = {}, PlanningCache *cache = nullptr)
{
    for (std::size_t i = 0; i < args.size() && i < weightsIn.size(); ++i)
        args[i].weights = weightsIn[i];
    const detail::Convs convs(args);
    std::vector<pop_tensor> made(args.size());
    poplin_multi_weights_transpose_chans_flip_xy_at(
        poplar::detail::where(debugContext), graph.c(), convs.c(), convs.size(), prog.cToGrow(graph.c()),
        poplar::detail::name(debugContext), poplar::detail::Options(options), poplin::detail::cache(cache),
        made.data());
    poputil::detail::check(graph.c());
    std::vector<poplar::Tensor> weights; // all are wrapped before one is assigned (poputil::detail::put)
    for (const pop_tensor &one : made)
        weights.push_back(poplar::Tensor(one));
    for (std::size_t i = 0; i < args.size(); ++i)
        args[i].weights = weights[i];
}

} // namespace multiconv
} // namespace poplin
#endif
