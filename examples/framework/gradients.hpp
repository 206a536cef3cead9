// SPDX-License-Identifier: Apache-2.0
// Reverse-mode differentiation: from a loss back to the parameters.
#ifndef FRAMEWORK_GRADIENTS_HPP
#define FRAMEWORK_GRADIENTS_HPP

#include "ir.hpp"

namespace framework
{

// Adds the backward phase. seed is the gradient of the loss (with a loss scale: the scale). Returns the gradient's name
// for each parameter that the loss depends on.
std::map<std::string, std::string> addGradients(Ir &ir, const std::string &loss, const std::string &seed);

} // namespace framework
#endif
