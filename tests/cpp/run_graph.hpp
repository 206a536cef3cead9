// SPDX-License-Identifier: Apache-2.0
// A small graph shared by tests of programs and engines: vector, counter, flag, and compute sets that change them.
#ifndef TESTS_CPP_RUN_GRAPH_HPP
#define TESTS_CPP_RUN_GRAPH_HPP

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include "check.hpp"

struct RunGraph {
    poplar::Device device;
    poplar::Graph graph;
    poplar::Tensor v, counter, flag;
    poplar::ComputeSet addOne, countDown;

    explicit RunGraph(bool model = false)
        : device(model ? ipuModel() : poplar::Device::createCPUDevice()), graph(device.getTarget())
    {
        device.attach();
        graph.addCodelets(CODELETS "/run.c");
        v = graph.addVariable(poplar::FLOAT, { 4 }, "v");
        counter = graph.addVariable(poplar::INT, {}, "counter");
        flag = graph.addVariable(poplar::BOOL, {}, "flag");
        for (const poplar::Tensor &t : { v, counter, flag })
            graph.setTileMapping(t, 0);
        addOne = graph.addComputeSet("addOne");
        countDown = graph.addComputeSet("countDown");
        place(graph.addVertex(addOne, "AddOne", { { "data", v } }), 100);
        place(graph.addVertex(countDown, "CountDown", { { "value", counter } }), 50);
        graph.createHostRead("v", v);
        graph.createHostWrite("v", v);
        graph.createHostRead("counter", counter);
        graph.createHostWrite("counter", counter);
    }

    static poplar::Device ipuModel()
    {
        poplar::IPUModel model;
        model.tilesPerIPU = 4;
        return model.createDevice();
    }

    // The vector after a program; it starts as zeros, the counter as 3.
    std::vector<float> after(const poplar::program::Program &program)
    {
        poplar::Engine engine(graph, program);
        engine.load(device);
        const int three = 3;
        engine.writeTensor("counter", &three);
        engine.run(0);
        std::vector<float> values(4);
        engine.readTensor("v", values.data(), values.data() + values.size());
        return values;
    }
    float first(const poplar::program::Program &program)
    {
        return after(program)[0];
    }

  private:
    void place(poplar::VertexRef vertex, unsigned cycles)
    {
        graph.setTileMapping(vertex, 0);
        graph.setPerfEstimate(vertex, cycles);
    }
};

#endif
