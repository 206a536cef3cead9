// SPDX-License-Identifier: Apache-2.0
// Variables, constants, slices, host handles and streams, as in the first tutorial.
// build: c++11 c++20
#include <algorithm>
#include <iostream>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

using namespace poplar;
using namespace poplar::program;

int main()
{
    IPUModel ipuModel;
    ipuModel.numIPUs = 1;
    Device device = ipuModel.createDevice();
    Target target = device.getTarget();

    std::cout << "Creating graph\n";
    Graph graph(target);

    Tensor v1 = graph.addVariable(FLOAT, { 4 }, "v1");
    for (unsigned i = 0; i < 4; ++i)
        graph.setTileMapping(v1[i], i);

    Sequence prog;
    Tensor c1 = graph.addConstant<float>(FLOAT, { 4 }, { 1.0, 1.5, 2.0, 2.5 });
    graph.setTileMapping(c1, 0);
    prog.add(Copy(c1, v1));
    prog.add(PrintTensor("v1-debug", v1));

    Tensor v2 = graph.addVariable(FLOAT, { 4 }, "v2");
    graph.setTileMapping(v2, 1);
    prog.add(Copy(v1, v2));
    prog.add(PrintTensor("v2-debug", v2));

    Tensor v3 = graph.addVariable(FLOAT, { 4, 4 }, "v3");
    for (unsigned i = 0; i < 4; ++i)
        graph.setTileMapping(v3[i], i);
    graph.createHostWrite("v3-write", v3);

    Tensor v4 = graph.addVariable(INT, { 10 }, "v4");
    graph.setTileMapping(v4, 3);
    graph.createHostRead("v4-read", v4);

    Tensor v1slice = v1.slice(0, 4);
    Tensor v3slice = v3.slice({ 1, 1 }, { 2, 4 });
    prog.add(PrintTensor("v3slice", v3slice));
    prog.add(Copy(v3slice, v1slice.slice(0, 3)));
    graph.createHostRead("v1-read", v1);

    DataStream inStream = graph.addHostToDeviceFIFO("v4-input-stream", INT, 10);
    prog.add(Copy(inStream, v4));
    prog.add(PrintTensor("v4-0", v4));
    prog.add(Copy(inStream, v4));
    prog.add(PrintTensor("v4-1", v4));
    DataStream out = graph.addDeviceToHostFIFO("out", FLOAT, 16);
    prog.add(Copy(v3, out));

    Engine engine(graph, prog);
    engine.load(device);

    std::vector<float> h3(4 * 4, 0);
    for (unsigned i = 0; i < 16; i++)
        h3[i] = i;
    engine.writeTensor("v3-write", h3.data(), h3.data() + h3.size());

    std::vector<int> inData(10 * 3);
    for (unsigned i = 0; i < 10 * 3; ++i)
        inData[i] = i;
    engine.connectStream("v4-input-stream", &inData[0], &inData[10 * 3]);
    std::vector<float> o(16);
    engine.connectStream(out, o.data());

    std::cout << "Running program\n";
    engine.run(0);
    std::cout << "Program complete\n";

    std::vector<int> h4(10);
    engine.readTensor("v4-read", h4.data(), h4.data() + h4.size());
    std::vector<float> h1(4);
    engine.readTensor("v1-read", h1.data(), h1.data() + 4);
    bool ok = o == h3 && h4[0] == 10 && h4[9] == 19 && h1[0] == 5 && h1[1] == 6 && h1[2] == 7 && h1[3] == 2.5f;
    std::cout << (ok ? "PASS\n" : "FAIL\n");
    return !ok;
}
