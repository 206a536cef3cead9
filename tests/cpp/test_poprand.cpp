// SPDX-License-Identifier: Apache-2.0
// poprand's C++ interface.
#include <poplar/CSRFunctions.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>
#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include "check.hpp"

#include <cstdlib>

using namespace poplar;
using namespace poplar::program;

// Adds 1 and half of its last place to ten halves, rounded stochastically, after setting the tiles' seeds.
static std::vector<std::vector<unsigned short>> roundedSums(const Device &device, const std::vector<unsigned> &seeds)
{
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    poprand::addCodelets(graph);
    Tensor seed = graph.addVariable(UNSIGNED_INT, { 2 }), a = graph.addVariable(HALF, { 10 }), b = graph.clone(a);
    graph.setTileMapping(seed, 0);
    poputil::mapTensorLinearly(graph, a, 1, 1);
    poputil::mapTensorLinearly(graph, b, 1, 1);
    Sequence prog;
    setStochasticRounding(graph, prog, true);
    poprand::setSeed(graph, seed, 0, prog);
    Tensor sum = popops::add(graph, a, b, prog);
    graph.createHostWrite("seed", seed);
    graph.createHostWrite("a", a);
    graph.createHostWrite("b", b);
    graph.createHostRead("sum", sum);
    Engine engine(graph, prog);
    engine.load(device);
    std::vector<unsigned short> one(10, 0x3c00), half(10, 0x1000);
    engine.writeTensor("a", one.data(), one.data() + 10);
    engine.writeTensor("b", half.data(), half.data() + 10);
    std::vector<std::vector<unsigned short>> sums;
    for (const unsigned value : seeds) {
        const unsigned words[] = { value, 0 };
        engine.writeTensor("seed", words, words + 2);
        engine.run(0);
        sums.push_back(one);
        engine.readTensor("sum", sums.back().data(), sums.back().data() + 10);
    }
    return sums;
}
// A seed gives the same results whatever ran before it, on a model and on what a program takes for hardware.
TEST(stochastic_rounding_follows_the_seed)
{
    setenv("TREMULA_IPU", "ipu2 tiles=4 x2", 1);
    IPUModel model;
    model.tilesPerIPU = 4;
    std::vector<Device> hardware = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1);
    CHECK(!hardware.empty() && hardware[0].attach());
    for (const Device &device : { model.createDevice(), hardware[0].createVirtualDevice(4) }) {
        const auto sums = roundedSums(device, { 1, 1, 12, 1 });
        CHECK(sums[0] == sums[1] && sums[0] == sums[3] && sums[0] != sums[2]);
    }
    unsetenv("TREMULA_IPU");
}

TEST(every_call)
{
    IPUModel model;
    model.tilesPerIPU = 4;
    Device device = model.createDevice();
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    poprand::addCodelets(graph);
    Tensor seed = graph.addConstant<unsigned>(UNSIGNED_INT, { 2 }, { 1, 2 }),
           in = graph.addVariable(FLOAT, { 5, 7 }, "in");
    graph.setTileMapping(seed, 0);
    poputil::mapTensorLinearly(graph, in, 1, 1);
    graph.setInitialValue(in, std::vector<float>(35, 1.0f));
    Sequence prog;
    poprand::setSeed(graph, seed, 3, prog, "seed");
    Tensor all[] = { poprand::uniform(graph, &seed, 0, in, FLOAT, 2.0, 3.0, prog),
                     poprand::uniform(graph, nullptr, 0, in, FLOAT, 2.0, 3.0, prog, "unseeded"),
                     poprand::bernoulli(graph, &seed, 0, in, FLOAT, 0.5, prog, DebugContext("b")),
                     poprand::normal(graph, &seed, 0, in, FLOAT, 0, 1, prog),
                     poprand::truncatedNormal(graph, &seed, 0, in, FLOAT, 0, 1, 0.5, prog, std::string("t")),
                     poprand::logUniform(graph, &seed, 0, in, FLOAT, 1, 2, prog),
                     poprand::logUniform(graph, &seed, 0, in, FLOAT, 1, 2, prog, 10.0, "l"),
                     poprand::dropout(graph, &seed, 0, in, in, 0.5, 2, prog),
                     poprand::dropout(graph, &seed, 0, in, in, 0.5, 2, false, prog, "laid out as the input"),
                     poprand::shapedDropout(graph, &seed, 0, in, in[0], 0.5, 2, prog) };
    CHECK(poprand::uniform(graph, &seed, 0, in, INT, 0, 5, prog).elementType() == INT);
    for (unsigned i = 0; i < 10; ++i)
        graph.createHostRead(std::to_string(i), all[i]);
    Engine engine(graph, prog);
    engine.load(device);
    engine.run(0);
    std::vector<std::vector<float>> values(10, std::vector<float>(35));
    for (unsigned i = 0; i < 10; ++i)
        engine.readTensor(std::to_string(i), values[i].data(), values[i].data() + 35);
    for (unsigned k = 0; k < 35; ++k) {
        CHECK(values[0][k] >= 2 && values[0][k] <= 3 && values[1][k] >= 2 && values[1][k] <= 3);
        CHECK((values[2][k] == 0 || values[2][k] == 1) && values[4][k] >= -0.5 && values[4][k] <= 0.5);
        CHECK(values[5][k] >= 1 && values[5][k] <= 2 && (values[7][k] == 0 || values[7][k] == 2));
        CHECK(values[9][k] == values[9][k % 7]);
    }
    CHECK(values[0] != values[1] && values[5] == values[6] && values[7] == values[8]);
    CHECK_THROWS(poprand::setSeed(graph, in, 0, prog), poplar_error, "2 of type unsigned int");
    CHECK_THROWS(poprand::bernoulli(graph, nullptr, 0, in, FLOAT, 2, prog), poputil::poplibs_error,
                 "not a probability");
    CHECK_THROWS(poprand::logUniform(graph, nullptr, 0, in, FLOAT, 1, 2, prog, 1), poputil::poplibs_error, "base 1");
}

MAIN()
