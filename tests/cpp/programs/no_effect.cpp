// build: c++11 c++17
// SPDX-License-Identifier: Apache-2.0
// Arguments without effect are logged once, at INFO.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace poplar;

int main(int, char **argv)
{
    const std::string log = std::string(argv[1]) + ".log", message = "rearrangeOnHost has no effect";
    setenv("POPLIBS_LOG_LEVEL", "INFO", 1);
    setenv("POPLIBS_LOG_DEST", log.c_str(), 1);
    IPUModel model;
    model.tilesPerIPU = 1;
    Device device = model.createDevice();
    Graph graph(device);
    Tensor t = graph.addVariable(FLOAT, { 2 }, "t");
    graph.setTileMapping(t, 0);
    graph.createHostWrite("quiet", t);
    std::stringstream before, after;
    before << std::ifstream(log).rdbuf();
    model.createDevice({}, false, 3);
    graph.createHostWrite("in", t, true);
    graph.createHostRead("out", t, true);
    after << std::ifstream(log).rdbuf();
    Engine engine(graph, program::Sequence());
    engine.load(device);
    std::vector<float> values{ 1, 2 }, got(2);
    engine.writeTensor("in", values);
    engine.readTensor("out", got);
    const size_t first = after.str().find(message);
    std::remove(log.c_str());
    std::cout << before.str() << after.str();
    return !(before.str().find("no effect") == std::string::npos && first != std::string::npos &&
             after.str().find(message, first + 1) == std::string::npos &&
             after.str().find("deviceManagerId has no effect") != std::string::npos && got == values);
}
