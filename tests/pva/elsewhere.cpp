// SPDX-License-Identifier: Apache-2.0
// elsewhere DIRECTORY: an engine of an executable that was saved and read, with its report in the directory of
// POPLAR_ENGINE_OPTIONS; that of the compilation is in DIRECTORY.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <cstdlib>
#include <sstream>

using namespace poplar;

int main(int, char **argv)
{
    const std::string options = std::getenv("POPLAR_ENGINE_OPTIONS");
    IPUModel model;
    model.tilesPerIPU = 4;
    Device device = model.createDevice();
    std::stringstream file;
    unsetenv("POPLAR_ENGINE_OPTIONS");
    {
        Graph graph(device.getTarget());
        Tensor a = graph.addVariable(FLOAT, { 64 }, VariableMappingMethod::LINEAR, "a"),
               b = graph.addVariable(FLOAT, { 64 }, VariableMappingMethod::LINEAR, "b");
        compileGraph(graph, { program::Copy(a.reverse(0), b) },
                     { { "autoReport.all", "true" }, { "autoReport.directory", argv[1] } })
            .serialize(file);
    }
    setenv("POPLAR_ENGINE_OPTIONS", options.c_str(), 1);
    Engine engine(Executable::deserialize(file));
    engine.load(device);
    engine.run(0);
}
