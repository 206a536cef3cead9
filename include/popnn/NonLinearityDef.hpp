// SPDX-License-Identifier: Apache-2.0
// Names of the activation functions (popnn/non_linearity.h). This header is also for codelets.
#ifndef POPNN_NON_LINEARITY_DEF_HPP
#define POPNN_NON_LINEARITY_DEF_HPP

namespace popnn
{

// Activation functions.
enum class NonLinearityType {
    SIGMOID,
    HARD_SIGMOID,
    RELU,
    TANH,
    GELU,
    GELU_ERF,
    SWISH,
    SOFTMAX,
    SOFTMAX_STABLE,
    SOFTMAX_SCALED
};

} // namespace popnn
#endif
