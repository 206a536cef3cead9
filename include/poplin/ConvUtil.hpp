// SPDX-License-Identifier: Apache-2.0
// Which elements of input, kernel and output are combined (poplin/conv_util.h).
#ifndef POPLIN_CONV_UTIL_HPP
#define POPLIN_CONV_UTIL_HPP

#include <poplin/ConvParams.hpp>
#include <poplin/conv_util.h>

#include <utility>

namespace poplin
{

namespace detail
{

inline pop_interval interval(const std::pair<unsigned, unsigned> &range)
{
    const pop_interval made = { range.first, range.second };
    return made;
}
inline std::pair<unsigned, unsigned> range(const pop_interval &from)
{
    return std::make_pair(static_cast<unsigned>(from.begin), static_cast<unsigned>(from.end));
}

} // namespace detail

inline unsigned getDilatedSize(unsigned size, unsigned dilation)
{
    return poplin_get_dilated_size(size, dilation);
}
inline unsigned getInputIndex(unsigned dim, unsigned outputIndex, unsigned kernelIndex, const ConvParams &params)
{
    const poplin_conv_params p = params.c();
    return poplin_get_input_index(dim, outputIndex, kernelIndex, &p);
}
inline unsigned getKernelIndex(unsigned dim, unsigned outputIndex, unsigned inputIndex, const ConvParams &params)
{
    const poplin_conv_params p = params.c();
    return poplin_get_kernel_index(dim, outputIndex, inputIndex, &p);
}
inline std::pair<unsigned, unsigned> getOutputRangeForKernelIndex(unsigned dim,
                                                                  std::pair<unsigned, unsigned> outputRange,
                                                                  unsigned kernelIndex, const ConvParams &params)
{
    const poplin_conv_params p = params.c();
    return detail::range(poplin_get_output_range_for_kernel_index(dim, detail::interval(outputRange), kernelIndex, &p));
}
inline std::pair<unsigned, unsigned> getOutputRangeForInputIndex(unsigned dim,
                                                                 std::pair<unsigned, unsigned> outputRange,
                                                                 unsigned inputIndex, const ConvParams &params)
{
    const poplin_conv_params p = params.c();
    return detail::range(poplin_get_output_range_for_input_index(dim, detail::interval(outputRange), inputIndex, &p));
}
inline std::pair<unsigned, unsigned> getOutputRangeForKernelRange(unsigned dim,
                                                                  std::pair<unsigned, unsigned> outputRange,
                                                                  std::pair<unsigned, unsigned> kernelIndexRange,
                                                                  const ConvParams &params)
{
    const poplin_conv_params p = params.c();
    return detail::range(poplin_get_output_range_for_kernel_range(dim, detail::interval(outputRange),
                                                                  detail::interval(kernelIndexRange), &p));
}
inline std::pair<unsigned, unsigned> getOutputRangeForInputRange(unsigned dim,
                                                                 std::pair<unsigned, unsigned> outputRange,
                                                                 std::pair<unsigned, unsigned> inputRange,
                                                                 const ConvParams &params)
{
    const poplin_conv_params p = params.c();
    return detail::range(
        poplin_get_output_range_for_input_range(dim, detail::interval(outputRange), detail::interval(inputRange), &p));
}
inline std::pair<unsigned, unsigned> getInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                                                   std::pair<unsigned, unsigned> kernelIndexRange,
                                                   const ConvParams &params)
{
    const poplin_conv_params p = params.c();
    return detail::range(
        poplin_get_input_range(dim, detail::interval(outputRange), detail::interval(kernelIndexRange), &p));
}
inline std::pair<unsigned, unsigned> getInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                                                   unsigned kernelIndex, const ConvParams &params)
{
    return getInputRange(dim, outputRange, std::make_pair(kernelIndex, kernelIndex + 1), params);
}
inline std::pair<unsigned, unsigned> getInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                                                   const ConvParams &params)
{
    const poplin_conv_params p = params.c();
    return detail::range(poplin_get_input_range_of_output(dim, detail::interval(outputRange), &p));
}
// The input of one output.
inline std::pair<unsigned, unsigned> getInputRange(unsigned dim, unsigned outputIndex,
                                                   std::pair<unsigned, unsigned> kernelIndexRange,
                                                   const ConvParams &params)
{
    return getInputRange(dim, std::make_pair(outputIndex, outputIndex + 1), kernelIndexRange, params);
}
inline std::pair<unsigned, unsigned> getInputRange(unsigned dim, unsigned outputIndex, const ConvParams &params)
{
    return getInputRange(dim, std::make_pair(outputIndex, outputIndex + 1), params);
}
inline std::pair<unsigned, unsigned> getKernelRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                                                    std::pair<unsigned, unsigned> inputRange, const ConvParams &params)
{
    const poplin_conv_params p = params.c();
    return detail::range(poplin_get_kernel_range(dim, detail::interval(outputRange), detail::interval(inputRange), &p));
}
inline std::pair<unsigned, unsigned> getKernelRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                                                    unsigned inputIndex, const ConvParams &params)
{
    return getKernelRange(dim, outputRange, std::make_pair(inputIndex, inputIndex + 1), params);
}
inline std::pair<unsigned, unsigned> getKernelRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                                                    const ConvParams &params)
{
    const poplin_conv_params p = params.c();
    return detail::range(poplin_get_kernel_range_of_output(dim, detail::interval(outputRange), &p));
}

inline ConvParams getGradientParams(const ConvParams &params)
{
    const poplin_conv_params p = params.c();
    return ConvParams(poplin_get_gradient_params(&p));
}
inline ConvParams getWeightUpdateParams(const ConvParams &fwdParams)
{
    const poplin_conv_params p = fwdParams.c();
    return ConvParams(poplin_get_weight_update_params(&p));
}

} // namespace poplin
#endif
