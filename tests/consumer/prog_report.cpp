// SPDX-License-Identifier: Apache-2.0
// prog_report DIRECTORY: writes a report there.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    poplar::IPUModel model;
    model.tilesPerIPU = 4;
    poplar::Device device = model.createDevice();
    poplar::Graph graph(device.getTarget());
    popops::addCodelets(graph);
    poplar::Tensor a = graph.addVariable(poplar::FLOAT, { 64 }, poplar::VariableMappingMethod::LINEAR, "a");
    poplar::program::Sequence program;
    popops::addInPlace(graph, a, a, program, "sum");
    poplar::Engine engine(graph, program, { { "autoReport.all", "true" }, { "autoReport.directory", argv[1] } });
    engine.load(device);
    engine.run(0, "first");
    return 0;
}
