// SPDX-License-Identifier: Apache-2.0
// The guide's section on profiling: the graph profile after loading, the execution profile after running, and their
// summary.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <fstream>
#include <iostream>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

int main()
{
    // Create the IPU Model device
    IPUModel ipuModel;
    ipuModel.compileIPUCode = true;
    Device device = ipuModel.createDevice();
    Graph graph(device.getTarget());
    Tensor a = graph.addVariable(FLOAT, { 1000 }, VariableMappingMethod::LINEAR, "a");
    Tensor b = graph.addVariable(FLOAT, { 1000 }, "b");
    graph.setTileMapping(b, 0);
    Sequence prog(Copy(a, b));

    Engine engine(graph, prog, OptionFlags());
    engine.load(device);
    ProfileValue graphProfile = engine.getGraphProfile();
    engine.run(0);
    ProfileValue executionProfile = engine.getExecutionProfile();

    std::ostringstream json, cbor;
    poplar::serializeToJSON(json, graphProfile, true);
    poplar::serializeToCBOR(cbor, graphProfile);
    std::cout << "sections of the graph profile:";
    for (const auto &section : graphProfile.asMap())
        std::cout << " " << section.first;
    std::cout << "\nCBOR is " << (cbor.str().size() < json.str().size() ? "smaller" : "larger") << " than JSON\n";
    std::cout << "tiles: " << graphProfile["target"]["numTiles"].asUint() << "\n";

    poplar::printProfileSummary(std::cout, graphProfile, executionProfile, { { "showExecutionSteps", "true" } });
    return 0;
}
