// SPDX-License-Identifier: Apache-2.0
// The activation functions' names (popnn/non_linearity.h).  This header is for codelets too.
#ifndef POPNN_NON_LINEARITY_DEF_HPP
#define POPNN_NON_LINEARITY_DEF_HPP

namespace popnn
{

enum class NonLinearityType {
    SIGMOID,
    HARD_SIGMOID,
    RELU,
    TANH,
    GELU,
    SWISH,
    SOFTMAX,
    SOFTMAX_STABLE,
    SOFTMAX_SCALED,
    GELU_ERF
};

} // namespace popnn
#endif
