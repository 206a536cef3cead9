// SPDX-License-Identifier: Apache-2.0
// The model that the example trains: a network with one hidden layer that tells digits apart.
#ifndef FRAMEWORK_MODEL_HPP
#define FRAMEWORK_MODEL_HPP

#include "training.hpp"

namespace framework
{

struct Network {
    std::size_t pixels, hidden, classes; // sizes of the layers
    std::size_t microBatch;              // rows that a replica computes at a time
    bool half;                           // type of activations and of the copies of weights; otherwise float
};

// Inputs "pixels" and "labels", results "loss" and "prediction"; with training.
Ir networkIr(const Network &network, const Adam &adam);

// Initial weights by the parameters' names, the same for the same seed: normal, with deviation sqrt(2 / inputs).
std::map<std::string, std::vector<float>> initialWeights(const Network &network, unsigned seed);

} // namespace framework
#endif
