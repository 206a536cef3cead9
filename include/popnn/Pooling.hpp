// SPDX-License-Identifier: Apache-2.0
// Pooling and its gradient (popnn/pooling.h).
#ifndef POPNN_POOLING_HPP
#define POPNN_POOLING_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popnn/PoolingDef.hpp>
#include <popnn/pooling.h>
#include <poputil/detail/call.hpp>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace popnn
{
namespace pooling
{

// Each vector has an entry for each dimension of the field.
struct PoolParams {
    PoolingType poolingType;                  // what a window becomes
    std::vector<std::size_t> inputFieldShape; // extents of the input
    std::vector<std::size_t> kernelShape;     // extents of a window
    std::vector<unsigned> stride;
    std::vector<int> inputTruncationOrPaddingLower; // negative: elements to truncate
    std::vector<int> inputTruncationOrPaddingUpper; // elements added after each dimension; negative: removed
    std::size_t numChannels;                        // channels of an image
    std::size_t batchSize;                          // images
    poplar::Type dType;                             // HALF or FLOAT

    // All parts.
    PoolParams(PoolingType type, std::vector<std::size_t> inputField, std::vector<std::size_t> kernel,
               std::vector<unsigned> strides, std::vector<int> paddingLower, std::vector<int> paddingUpper,
               std::size_t channels, std::size_t batch, poplar::Type dataType)
        : poolingType(type), inputFieldShape(std::move(inputField)), kernelShape(std::move(kernel)),
          stride(std::move(strides)), inputTruncationOrPaddingLower(std::move(paddingLower)),
          inputTruncationOrPaddingUpper(std::move(paddingUpper)), numChannels(channels), batchSize(batch),
          dType(dataType)
    {
    }
    // Number of field dimensions.
    std::size_t getNumFieldDims() const
    {
        return inputFieldShape.size();
    }
    // Extents of the output.
    std::vector<std::size_t> getOutputFieldShape() const
    {
        const popnn_pool_params params = c();
        std::vector<std::size_t> shape(params.dims);
        popnn_pool_output_field(&params, shape.data());
        return shape;
    }
    // The parameters of the C interface.
    popnn_pool_params c() const
    {
        const std::size_t dims = getNumFieldDims();
        if (dims > POPNN_MAX_FIELD_DIMS || kernelShape.size() != dims || stride.size() != dims ||
            inputTruncationOrPaddingLower.size() != dims || inputTruncationOrPaddingUpper.size() != dims)
            throw poputil::poplibs_error(
                "parameters of pooling need an entry for each dimension of the field, 6 at most");
        popnn_pool_params params = popnn_pool_params();
        params.type = static_cast<popnn_pooling_type>(poolingType);
        params.dims = static_cast<unsigned>(dims);
        for (std::size_t i = 0; i < dims; ++i) {
            params.input_field[i] = inputFieldShape[i];
            params.kernel[i] = kernelShape[i];
            params.stride[i] = stride[i];
            params.padding_lower[i] = inputTruncationOrPaddingLower[i];
            params.padding_upper[i] = inputTruncationOrPaddingUpper[i];
        }
        params.channels = numChannels;
        params.batch = batchSize;
        params.data_type = dType.c();
        return params;
    }
};

// "max", "avg" or "sum".
inline const char *asString(const PoolingType &method)
{
    const char *name = popnn_pooling_type_name(static_cast<popnn_pooling_type>(method));
    if (!name)
        throw poputil::poplibs_error("this number is not a kind of pooling");
    return name;
}
namespace detail
{

template <typename List> void print(std::ostream &os, const char *name, const List &list)
{
    os << "        " << name << " {";
    for (std::size_t i = 0; i < list.size(); ++i)
        os << (i ? "," : "") << std::to_string(list[i]);
    os << "}\n";
}

} // namespace detail
// Writes a line for each field.
inline std::ostream &operator<<(std::ostream &os, const PoolParams &params)
{
    os << "Params: poolingType                   " << asString(params.poolingType) << "\n";
    detail::print(os, "inputFieldShape              ", params.inputFieldShape);
    detail::print(os, "kernelShape                  ", params.kernelShape);
    detail::print(os, "stride                       ", params.stride);
    detail::print(os, "inputTruncationOrPaddingLower", params.inputTruncationOrPaddingLower);
    detail::print(os, "inputTruncationOrPaddingUpper", params.inputTruncationOrPaddingUpper);
    return os << "        numChannels                   " << std::to_string(params.numChannels)
              << "\n        batchSize                     " << std::to_string(params.batchSize)
              << "\n        dType                         " << params.dType << "\n";
}

// Extents of the output.
inline std::vector<std::size_t> getOutputFieldShape(const PoolParams &params)
{
    return params.getOutputFieldShape();
}
// Operations of forward: one for each element that a window covers.
inline uint64_t getFwdFlops(const PoolParams &params)
{
    const popnn_pool_params c = params.c();
    return popnn_pool_fwd_flops(&c);
}
// Operations of backward: one for each element that a window covers.
inline uint64_t getBwdFlops(const PoolParams &params)
{
    const popnn_pool_params c = params.c();
    return popnn_pool_bwd_flops(&c);
}
// Cycles of forward on all tiles, one vector per cycle.
inline double getFwdPerfectCycleCount(const poplar::Graph &graph, const PoolParams &params)
{
    const popnn_pool_params c = params.c();
    return popnn_pool_fwd_perfect_cycle_count(graph.c(), &c);
}
// Cycles of backward on all tiles, one vector per cycle.
inline double getBwdPerfectCycleCount(const poplar::Graph &graph, const PoolParams &params)
{
    const popnn_pool_params c = params.c();
    return popnn_pool_bwd_perfect_cycle_count(graph.c(), &c);
}

inline poplar::Tensor pool(poplar::Graph &graph, const PoolParams &params, const poplar::Tensor &in,
                           poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                           const poplar::OptionFlags &options = {})
{
    const popnn_pool_params c = params.c();
    return poputil::detail::give(graph.c(), popnn_pool_at(poplar::detail::where(debugContext), graph.c(), &c, in.c(),
                                                          prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                                          poplar::detail::Options(options)));
}
inline poplar::Tensor poolInputGradient(poplar::Graph &graph, const PoolParams &params, const poplar::Tensor &in,
                                        const poplar::Tensor &pooled, const poplar::Tensor &pooledGradient,
                                        bool useScaledGradient, poplar::program::Sequence &prog,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {})
{
    const popnn_pool_params c = params.c();
    return poputil::detail::give(
        graph.c(), popnn_pool_input_gradient_at(poplar::detail::where(debugContext), graph.c(), &c, in.c(), pooled.c(),
                                                pooledGradient.c(), useScaledGradient, prog.cToGrow(graph.c()),
                                                poplar::detail::name(debugContext), poplar::detail::Options(options)));
}
// The gradient for AVG and SUM, which does not need the activations.
inline poplar::Tensor poolInputGradient(poplar::Graph &graph, const PoolParams &params, unsigned fwdChansPerGroup,
                                        const poplar::Tensor &pooledGradient, poplar::program::Sequence &prog,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {})
{
    const popnn_pool_params c = params.c();
    return poputil::detail::give(graph.c(), popnn_pool_input_gradient_without_activations_at(
                                                poplar::detail::where(debugContext), graph.c(), &c, fwdChansPerGroup,
                                                pooledGradient.c(), prog.cToGrow(graph.c()),
                                                poplar::detail::name(debugContext), poplar::detail::Options(options)));
}

} // namespace pooling
} // namespace popnn
#endif
