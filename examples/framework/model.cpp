// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

#include <cmath>
#include <random>

namespace framework
{

static std::string dense(Ir &ir, const std::string &layer, const std::string &x, std::size_t outputs)
{
    const Value in = ir.value(x);
    ir.enter(layer);
    const std::string weights =
        ir.declare({ layer + "/weights", in.type, { in.shape.at(1), outputs }, Role::Parameter, "" });
    const std::string bias = ir.declare({ layer + "/bias", in.type, { outputs }, Role::Parameter, "" });
    const std::string product = ir.apply(Phase::Forward, "MatMul", { x, weights })[0];
    return ir.apply(Phase::Forward, "AddBias", { product, bias })[0];
}

Ir networkIr(const Network &network, const Adam &adam)
{
    Ir ir;
    const poplar::Type type = network.half ? poplar::HALF : poplar::FLOAT;
    ir.declare({ "pixels", type, { network.microBatch, network.pixels }, Role::Input, "" });
    ir.declare({ "labels", poplar::UNSIGNED_INT, { network.microBatch }, Role::Input, "" });
    const std::string hidden = ir.apply(Phase::Forward, "Relu", { dense(ir, "hidden", "pixels", network.hidden) })[0];
    const std::string logits = dense(ir, "output", hidden, network.classes);
    ir.enter("loss");
    ir.apply(Phase::Forward, "CrossEntropy", { logits, "labels" });
    ir.apply(Phase::Forward, "ArgMax", { logits });
    addTraining(ir, adam);
    return ir;
}

std::map<std::string, std::vector<float>> initialWeights(const Network &network, unsigned seed)
{
    std::mt19937 random(seed);
    // Sums of uniform numbers: std::normal_distribution differs between standard libraries.
    const auto normal = [&random] {
        double sum = -6;
        for (int i = 0; i < 12; ++i)
            sum += static_cast<double>(random()) / 4294967296.0;
        return sum;
    };
    const auto weights = [&normal](std::size_t in, std::size_t out) {
        std::vector<float> values(in * out);
        for (float &value : values)
            value = static_cast<float>(normal() * std::sqrt(2.0 / static_cast<double>(in)));
        return values;
    };
    std::map<std::string, std::vector<float>> all;
    all["hidden/weights"] = weights(network.pixels, network.hidden);
    all["hidden/bias"].assign(network.hidden, 0);
    all["output/weights"] = weights(network.hidden, network.classes);
    all["output/bias"].assign(network.classes, 0);
    return all;
}

} // namespace framework
