// SPDX-License-Identifier: Apache-2.0
// popdist in a program of one process: instance 0 of 1. Several: tests/ranks/instances.cpp.
#include "check.hpp"

#include <popdist/backend.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <cstdlib>

using namespace poplar;

TEST(alone_collectives_copy)
{
    const popdist::Context context;
    CHECK(context.getNumInstances() == 1 && context.getInstanceIndex() == 0 && !popdist::isPopdistEnvSet());
    CHECK(context.getNumTotalReplicas() == 1 && context.getNumLocalReplicas() == 1);
    CHECK(popdist::defaultCommunicatorId == popdist::CommunicatorId(0) && popdist::defaultCommunicatorId() == 0);
    std::vector<float> values = { 0.1f, -2 };
    CHECK(popdist::collectives::allReduceSum(values) == values && popdist::collectives::allGather(values) == values);
    double both[] = { 0.25, 3 };
    popdist::collectives::allReduceSum(both, 2, popdist::defaultCommunicatorId);
    CHECK(both[0] == 0.25 && both[1] == 3);
    bool flag = true;
    popdist::collectives::allReduceSum(&flag, 1);
    CHECK(flag);
    popdist::collectives::broadcast(values);
    CHECK(values[1] == -2);
    popdist::collectives::broadcast(values.data(), 0);
    CHECK_THROWS(popdist::collectives::broadcast(values, 1), poplar_error, "no instance 1");
}

TEST(replicas_come_from_the_environment)
{
    setenv("POPDIST_NUM_TOTAL_REPLICAS", "8", 1);
    CHECK(popdist::getNumTotalReplicas() == 8 && popdist::getNumLocalReplicas() == 8 && popdist::isPopdistEnvSet());
    setenv("POPDIST_NUM_TOTAL_REPLICAS", "many", 1);
    CHECK_THROWS(popdist::getNumTotalReplicas(), invalid_option, "'many'");
    unsetenv("POPDIST_NUM_TOTAL_REPLICAS");
}

TEST(an_engine_runs)
{
    const Device device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    Tensor x = graph.addVariable(INT, { 1 }, "x"), seven = graph.addConstant(INT, { 1 }, 7);
    graph.setTileMapping(x, 0);
    graph.setTileMapping(seven, 0);
    graph.createHostRead("x", x);
    Engine engine(graph, program::Copy(seven, x));
    engine.load(device);
    popdist::run(engine, 0, "fill");
    int read = 0;
    engine.readTensor("x", &read, &read + 1);
    CHECK(read == 7);
    CHECK_THROWS(popdist::run(engine, 5, "none"), poplar_error, "5");
}
MAIN()
