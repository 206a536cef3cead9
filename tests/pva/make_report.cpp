// SPDX-License-Identifier: Apache-2.0
// make_report CODELETS DIRECTORY [kill|exit]: compiles and runs a program on two modelled IPUs and writes all report
// files to DIRECTORY, with the engine's own profile (graph.json, execution.json, summary.txt), to compare them with.
// kill: the process kills itself after the first run; exit: it calls exit, with a live engine.
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/ProfileValue.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

namespace
{

constexpr unsigned Tiles = 8, PerIpu = Tiles / 2, Columns = 32;

Program product(Graph &graph, const Tensor &matrix, const Tensor &vector, const Tensor &out, const std::string &name)
{
    ComputeSet set = graph.addComputeSet(name);
    for (unsigned tile = 0; tile < Tiles; ++tile) {
        auto vertex = graph.addVertex(set, "Dot", { { "a", matrix[tile] }, { "b", vector }, { "out", out[tile] } });
        graph.setTileMapping(vertex, tile);
        graph.setPerfEstimate(vertex, 10 + 3 * Columns + 7 * tile, 2 * Columns);
    }
    return Execute(set, name);
}

// The figures that all interfaces must agree on, from the profile in memory: see figures() of the usages.
void figures(const std::string &path, const ProfileValue &graph, const ProfileValue &execution)
{
    std::ofstream file(path);
    file.imbue(std::locale::classic());
    unsigned long long sum = 0, largest = 0;
    for (const ProfileValue &tile : graph["memory"]["byTile"]["totalIncludingGaps"].asVector()) {
        sum += tile.asUint();
        largest = std::max<unsigned long long>(largest, tile.asUint());
    }
    file << "f memory " << sum << " " << largest << "\nf cycles " << execution["simulation"]["cycles"].asUint() << "\n";
    for (const ProfileValue &step : execution["simulation"]["steps"].asVector()) {
        const auto &map = step.asMap();
        file << "f " << map.at("type").asString();
        if (map.count("cyclesTo"))
            file << " from " << map.at("cyclesFrom").asUint() << " to " << map.at("cyclesTo").asUint();
        if (map.count("cycles"))
            file << " cycles " << map.at("cycles").asUint() << " tiles " << map.at("activeTiles").asUint();
        if (map.count("name"))
            file << " " << map.at("name").asString();
        file << "\n";
    }
}

void write(const std::string &path, const ProfileValue &value)
{
    std::ofstream file(path);
    serializeToJSON(file, value, false);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    const std::string directory = argv[2];
    IPUModel model;
    model.numIPUs = 2;
    model.tilesPerIPU = PerIpu;
    model.exchangeBytesPerCycle = 2; // so that an exchange of few words is longer than the sync before it
    model.compileIPUCode = true;
    Device device = model.createDevice();
    Graph graph(device.getTarget());
    graph.addCodelets(argv[1]);
    popops::addCodelets(graph);
    Tensor matrix = graph.addVariable(FLOAT, { Tiles, Columns }, "model/matrix");
    Tensor vector = graph.addVariable(FLOAT, { Columns }, "model/vector");
    Tensor out = graph.addVariable(FLOAT, { Tiles }, "model/out"),
           scratch = graph.addVariable(FLOAT, { Tiles }, "model/scratch");
    graph.setTileMapping(vector, 0);
    for (unsigned tile = 0; tile < Tiles; ++tile) {
        graph.setTileMapping(matrix[tile], tile);
        graph.setTileMapping(out[tile], tile);
        graph.setTileMapping(scratch[tile], Tiles - 1 - tile);
    }
    DataStream in = graph.addHostToDeviceFIFO("vector", FLOAT, Columns);
    DataStream result = graph.addDeviceToHostFIFO("result", FLOAT, Tiles);
    Function body = graph.addFunction(Sequence(
        { product(graph, matrix, vector, scratch, "layer/inner"), Copy(scratch, out, false, "layer/copy") }, "body"));
    Sequence main({ Copy(in, vector, false, "fetch"), Repeat(3, Call(body, "layer"), "loop"),
                    product(graph, matrix, vector, out, "head"), Copy(out, result, false, "send") },
                  "main");
    popops::addInPlace(graph, out, scratch, main, "model/add");
    Engine engine(
        graph, { main, Sequence({ product(graph, matrix, vector, out, "other") }, "second") },
        { { "autoReport.all", "true" }, { "autoReport.directory", directory }, { "debug.instrument", "true" } });
    engine.load(device);
    std::vector<float> numbers(Columns, 1.0f), results(Tiles);
    engine.connectStream("vector", numbers.data());
    engine.connectStream("result", results.data());
    engine.run(0, "first");
    if (argc > 3 && std::string(argv[3]) == "exit")
        std::exit(0);
    if (argc > 3)
        raise(SIGKILL);
    engine.run(1);
    write(directory + "/graph.json", engine.getGraphProfile());
    write(directory + "/execution.json", engine.getExecutionProfile());
    figures(directory + "/figures.txt", engine.getGraphProfile(), engine.getExecutionProfile());
    std::ofstream summary(directory + "/summary.txt");
    engine.printProfileSummary(summary, { { "colours", "false" } });
    std::ofstream longer(directory + "/summary-vars.txt");
    engine.printProfileSummary(longer, { { "colours", "false" }, { "showVarStorage", "true" } });
    std::ofstream steps(directory + "/summary-steps.txt");
    engine.printProfileSummary(steps, { { "colours", "false" }, { "showExecutionSteps", "true" } });
    return 0;
}
