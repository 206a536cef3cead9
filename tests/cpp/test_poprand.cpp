// SPDX-License-Identifier: Apache-2.0
// poprand's C++ interface.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/codelets.hpp>
#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include "check.hpp"

using namespace poplar;
using namespace poplar::program;

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
