// SPDX-License-Identifier: Apache-2.0
// Codelets compiled by popc before, from several sources, for several devices.
// build: c++14
// popc: -I parts -DSCALE=3.0f -DWIDE --target=ipu1,ipu2,cpu parts/adder.cpp parts/scale.cpp
#include <algorithm>
#include <fstream>
#include <iostream>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <poplar/TargetType.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/exceptions.hpp>

int go(poplar::Device dev, const std::string &gp)
{
    poplar::Graph graph(dev.getTarget());
    graph.addCodelets(gp);
    auto a = graph.addVariable(poplar::FLOAT, { 2 }, "a");
    auto cs = graph.addComputeSet("cs");
    auto v = graph.addVertex(cs, "AdderVertex");
    graph.setTileMapping(v, 0);
    auto x = graph.addConstant(poplar::FLOAT, {}, 2.5f), y = graph.addConstant<float>(poplar::FLOAT, { 1 }, 4.0f);
    graph.setTileMapping(a, 0);
    graph.setTileMapping(x, 0);
    graph.setTileMapping(y, 0);
    graph.connect(v["x"], x);
    graph.connect(v["y"], y[0]);
    graph.connect(v["sum"], a[0]);
    auto w = graph.addVertex(cs, "ScaleVertex");
    graph.setTileMapping(w, 0);
    graph.connect(w["x"], x.reshape({ 1 }));
    graph.connect(w["out"], a[1]);
    graph.setPerfEstimate(v, 20);
    graph.setPerfEstimate(w, 30, 4);
    poplar::DataStream fifo = graph.addDeviceToHostFIFO("o", poplar::FLOAT, 2);
    poplar::program::Sequence prog{ poplar::program::Execute(cs), poplar::program::Copy(a, fifo) };
    poplar::Engine engine(graph, prog);
    engine.load(dev);
    float r[2] = { 0, 0 };
    engine.connectStream("o", r, r + 2);
    engine.run(0);
    std::cout << r[0] << " " << r[1] << "\n";
    return !(r[0] == 6.5f && r[1] == 7.5f);
}
int main(int argc, char *argv[])
{
    int bad = go(poplar::IPUModel().createDevice(), argv[1]);
    bad += go(poplar::IPUModel("ipu2").createDevice({}, false), argv[1]);
    bad += go(poplar::Device::createCPUDevice(), argv[1]);
    auto manager = poplar::DeviceManager::createDeviceManager();
    std::cout << manager.getNumDevices() << " devices\n";
    auto devs = manager.getDevices(poplar::TargetType::IPU, 1);
    auto it = std::find_if(devs.begin(), devs.end(), [](poplar::Device &d) { return d.attach(); });
    if (it != devs.end()) {
        bad += go(std::move(*it), argv[1]);
        it->detach();
    }
    return bad;
}
