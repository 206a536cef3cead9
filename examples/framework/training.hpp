// SPDX-License-Identifier: Apache-2.0
// What makes a model one that is trained: gradients, their accumulation, and an optimiser whose state the replicas
// share.
#ifndef FRAMEWORK_TRAINING_HPP
#define FRAMEWORK_TRAINING_HPP

#include "ir.hpp"

namespace framework
{

// Adam (Kingma and Ba, 2015).
struct Adam {
    double rate = 0.01, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-6;
    // The rate with the corrections of both moments at a step (from 1 on), as the host sends it.
    double rateAt(unsigned step) const;
};

// The names of a parameter's states: the weights in float, of which the parameter is a copy, and both moments.
struct States {
    std::string weights, first, second, gradient;
};
States statesOf(const std::string &parameter);

// Adds the backward phase and the update. Expects the result "loss" and adds the scalars "lossScale", "rate" and
// "unscale" (by which a sum of scaled gradients becomes the gradient of the mean).
void addTraining(Ir &ir, const Adam &adam);

} // namespace framework
#endif
