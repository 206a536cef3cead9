// SPDX-License-Identifier: Apache-2.0
// The matrix products of a fully connected layer (poplin/fully_connected.h).
#ifndef POPLIN_FULLY_CONNECTED_HPP
#define POPLIN_FULLY_CONNECTED_HPP

#include <poplin/MatMul.hpp>
#include <poplin/fully_connected.h>

#include <utility>

namespace poplin
{
namespace fc
{

// Sizes of a fully connected layer.
struct FullyConnectedParams {
    std::size_t numGroups;  // independent layers
    std::size_t batchSize;  // rows of the input, {groups, batch, input}
    std::size_t inputSize;  // columns of the input
    std::size_t outputSize; // columns of the output; weights are {groups, output, input}
};

// Each product with the options for its planning.
inline std::vector<std::pair<MatMulParams, poplar::OptionFlags>>
getMatMulPrePlanParameters(FullyConnectedParams parameters, poplar::OptionFlags matmulOptions, poplar::Type type,
                           bool inferenceOnly)
{
    const poplin_fully_connected_params params = { parameters.numGroups, parameters.batchSize, parameters.inputSize,
                                                   parameters.outputSize };
    poplin_fc_mat_mul list[POPLIN_MAX_FC_MAT_MULS];
    const std::size_t count = poplin_fc_get_mat_mul_pre_plan_parameters(&params, type.c(), inferenceOnly, list);
    std::vector<std::pair<MatMulParams, poplar::OptionFlags>> result;
    for (std::size_t i = 0; i < count; ++i) {
        matmulOptions.set("fullyConnectedPass", list[i].pass);
        result.push_back(std::make_pair(detail::matMulParams(list[i].params), matmulOptions));
    }
    return result;
}

} // namespace fc
} // namespace poplin
#endif
