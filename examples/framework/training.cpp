// SPDX-License-Identifier: Apache-2.0
#include "training.hpp"

#include "gradients.hpp"

#include <cmath>

namespace framework
{

double Adam::rateAt(unsigned step) const
{
    return rate * std::sqrt(1 - std::pow(beta2, step)) / (1 - std::pow(beta1, step));
}

States statesOf(const std::string &parameter)
{
    return { parameter + "/state", parameter + "/first", parameter + "/second", parameter + "/gradient" };
}

// A batch is several micro batches: their gradients are added up in float, in each replica.
static std::string accumulate(Ir &ir, const Value &parameter, const std::string &gradient)
{
    const std::string sum = ir.declare(
        { parameter.name + "/accumulator", poplar::FLOAT, parameter.shape, Role::Accumulator, parameter.name });
    ir.apply(Phase::Backward, "Accumulate", { sum, gradient });
    return sum;
}

// Once a batch: each replica receives the sum of its part, updates its part of the states, and all gather the weights.
static void update(Ir &ir, const Value &parameter, const std::string &sum, const Adam &adam)
{
    const States states = statesOf(parameter.name);
    for (const std::string &name : { states.weights, states.first, states.second, states.gradient })
        ir.declare({ name, poplar::FLOAT, parameter.shape, Role::State, parameter.name });
    ir.apply(Phase::Update, "ReduceScatter", { sum, states.gradient });
    ir.apply(Phase::Update, "Adam", { states.weights, states.first, states.second, states.gradient, "rate", "unscale" },
             { { "beta1", adam.beta1 }, { "beta2", adam.beta2 }, { "epsilon", adam.epsilon } });
    ir.apply(Phase::Update, "AllGather", { states.weights, parameter.name });
}

void addTraining(Ir &ir, const Adam &adam)
{
    for (const char *scalar : { "lossScale", "rate", "unscale" })
        ir.declare({ scalar, poplar::FLOAT, {}, Role::Scalar, "" });
    for (const auto &entry : addGradients(ir, "loss", "lossScale")) {
        const Value parameter = ir.value(entry.first);
        ir.enter(parameter.name.substr(0, parameter.name.find('/')));
        update(ir, parameter, accumulate(ir, parameter, entry.second), adam);
    }
    ir.enter("");
}

} // namespace framework
