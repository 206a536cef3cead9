// SPDX-License-Identifier: Apache-2.0
// A user of find_package(poplibs), whose target links every library.
#include <popfloat/experimental/CastToHalf.hpp>
#include <popfloat/experimental/codelets.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

using namespace poplar;

int main()
{
    Device device = IPUModel().createDevice();
    Graph graph(device);
    popops::addCodelets(graph);
    popfloat::experimental::addCodelets(graph);
    Tensor in = graph.addVariable(FLOAT, { 3 }, "in");
    poputil::mapTensorLinearly(graph, in);
    graph.setInitialValue(in, ArrayRef<float>({ 1.0f, 2.5f, 1.0f / 3 }));
    program::Sequence prog;
    Tensor out = popfloat::experimental::castToHalf(graph, in, prog, "cast");
    graph.createHostRead("out", out);
    Engine engine(graph, prog);
    engine.load(device);
    engine.run();
    unsigned short halves[3];
    engine.readTensor("out", halves, halves + 3);
    return out.elementType() != HALF || halves[0] != 0x3c00 || halves[1] != 0x4100 || halves[2] != 0x3555;
}
