// SPDX-License-Identifier: Apache-2.0
#include "reference.hpp"

#include <algorithm>
#include <cmath>

namespace framework
{

Reference::Reference(const Network &of, const Adam &optimiser, const std::map<std::string, std::vector<float>> &weights)
    : network(of), adam(optimiser)
{
    for (const auto &entry : weights) {
        Parameter &p = parameters[entry.first];
        p.values.assign(entry.second.begin(), entry.second.end());
        p.gradient.assign(p.values.size(), 0);
        p.first = p.second = p.gradient;
    }
}

// x W + b
std::vector<double> Reference::layer(const std::string &name, const std::vector<double> &x) const
{
    const std::vector<double> &w = parameters.at(name + "/weights").values;
    std::vector<double> y = parameters.at(name + "/bias").values;
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t k = 0; k < y.size(); ++k)
            y[k] += x[i] * w[i * y.size() + k];
    return y;
}

// Adds to the gradients of the layer's parameters; returns that of x.
std::vector<double> Reference::backward(const std::string &name, const std::vector<double> &x,
                                        const std::vector<double> &ofResult)
{
    Parameter &weights = parameters.at(name + "/weights"), &bias = parameters.at(name + "/bias");
    std::vector<double> ofX(x.size(), 0);
    for (std::size_t k = 0; k < ofResult.size(); ++k)
        bias.gradient[k] += ofResult[k];
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t k = 0; k < ofResult.size(); ++k) {
            weights.gradient[i * ofResult.size() + k] += x[i] * ofResult[k];
            ofX[i] += weights.values[i * ofResult.size() + k] * ofResult[k];
        }
    return ofX;
}

// The loss of a row; adds its share of the gradients.
double Reference::row(const float *image, std::size_t label, double share)
{
    const std::vector<double> x(image, image + network.pixels);
    std::vector<double> hidden = layer("hidden", x);
    for (double &value : hidden)
        value = std::max(value, 0.0);
    std::vector<double> logits = layer("output", hidden);
    double sum = 0;
    for (const double logit : logits)
        sum += std::exp(logit);
    const double loss = std::log(sum) - logits[label];
    for (std::size_t k = 0; k < logits.size(); ++k)
        logits[k] = share * (std::exp(logits[k]) / sum - (k == label ? 1 : 0));
    std::vector<double> ofHidden = backward("output", hidden, logits);
    for (std::size_t i = 0; i < hidden.size(); ++i)
        ofHidden[i] = hidden[i] > 0 ? ofHidden[i] : 0;
    backward("hidden", x, ofHidden);
    return loss;
}

double Reference::train(const DataSet &data, std::size_t first, std::size_t rows)
{
    double loss = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const std::size_t at = (first + i) % data.count();
        loss += row(data.images.data() + at * network.pixels, data.labels[at], 1.0 / static_cast<double>(rows));
    }
    const double rate = adam.rateAt(++step);
    for (auto &entry : parameters) {
        Parameter &p = entry.second;
        for (std::size_t i = 0; i < p.values.size(); ++i) {
            p.first[i] = adam.beta1 * p.first[i] + (1 - adam.beta1) * p.gradient[i];
            p.second[i] = adam.beta2 * p.second[i] + (1 - adam.beta2) * p.gradient[i] * p.gradient[i];
            p.values[i] -= rate * p.first[i] / (std::sqrt(p.second[i]) + adam.epsilon);
            p.gradient[i] = 0;
        }
    }
    return loss / static_cast<double>(rows);
}

double Reference::accuracy(const DataSet &data) const
{
    std::size_t right = 0;
    for (std::size_t i = 0; i < data.count(); ++i) {
        const float *image = data.images.data() + i * network.pixels;
        std::vector<double> hidden = layer("hidden", std::vector<double>(image, image + network.pixels));
        for (double &value : hidden)
            value = std::max(value, 0.0);
        const std::vector<double> logits = layer("output", hidden);
        right +=
            static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin()) == data.labels[i];
    }
    return static_cast<double>(right) / static_cast<double>(data.count());
}

} // namespace framework
