// SPDX-License-Identifier: Apache-2.0
// random_report CODELETS DIRECTORY SEED [loops]: compiles and runs a random program of copies, compute sets, loops,
// branches, functions, streams and remote buffers on one or two modelled IPUs, and writes its report. loops: its loops
// are long and within each other, and some end or branch by what their iterations count.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <random>
#include <sstream>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace
{

// Whether to go on: by turns a number of times, and not once; `period` such numbers take turns.
const char *const Down = R"(
#include <poplar/Vertex.hpp>
class Down : public poplar::Vertex
{
  public:
    poplar::InOut<int> left, turn;
    poplar::Input<int> period;
    poplar::Output<bool> go;
    bool compute()
    {
        *go = *left > 0;
        if (*left > 0) {
            *left = *left - 1;
        } else {
            *turn = (*turn + 1) % *period;
            *left = *turn * 3 + 1;
        }
        return true;
    }
};
)";

class Generator
{
  public:
    Generator(unsigned seed, const char *codelets, bool looped)
        : loops(looped), random(seed), device(make()), graph(device.getTarget())
    {
        graph.addCodelets(codelets);
        std::stringstream down(Down);
        graph.addCodelets(down);
        for (unsigned i = 0, count = 3 + below(5); i < count; ++i)
            variables.push_back(variable("model/layer" + std::to_string(below(3)) + "/v" + std::to_string(i)));
        flag = graph.addVariable(BOOL, {}, "flag");
        graph.setTileMapping(flag, below(tiles()));
        index = graph.addVariable(INT, {}, "index");
        graph.setTileMapping(index, below(tiles()));
        graph.setInitialValue(flag, below(2) == 1);
        graph.setInitialValue(index, static_cast<int>(below(3)));
        in = graph.addHostToDeviceFIFO("in", FLOAT, Elements);
        out = graph.addDeviceToHostFIFO("out", FLOAT, Elements);
        remote = graph.addRemoteBuffer("remote", FLOAT, Elements, 2);
        for (unsigned i = 0, count = below(3); i < count; ++i)
            functions.push_back(graph.addFunction(sequence(2)));
    }

    void run(const std::string &directory)
    {
        std::vector<Program> programs;
        for (unsigned i = 0, count = 1 + below(2); i < count; ++i)
            programs.push_back(sequence(3));
        Engine engine(graph, programs, { { "autoReport.all", "true" }, { "autoReport.directory", directory } });
        std::vector<float> host(Elements, 1);
        engine.connectStream("in", host.data());
        engine.connectStream("out", host.data());
        engine.load(device);
        for (unsigned i = 0; i < 2; ++i)
            engine.run(below(static_cast<unsigned>(programs.size())), i ? "" : "first <run>");
    }

  private:
    enum { Elements = 48 };
    bool loops;
    std::mt19937 random;
    Device device;
    Graph graph;
    std::vector<Tensor> variables;
    std::vector<Function> functions;
    Tensor flag, index;
    DataStream in, out;
    RemoteBuffer remote;
    unsigned names = 0;

    unsigned below(unsigned limit)
    {
        return random() % limit;
    }

    Device make()
    {
        IPUModel model;
        model.numIPUs = 1 + below(2);
        model.tilesPerIPU = 3 + below(6);
        model.compileIPUCode = below(2) == 1;
        model.fp16InFp16OutConvUnitsPerTile = 12; // not those of the architecture: properties.py has the peaks
        model.fp32InFp32OutConvUnitsPerTile = 6;
        model.exchangeBytesPerCycle = 8;
        return model.createDevice();
    }

    unsigned tiles()
    {
        return graph.getTarget().getNumTiles();
    }

    std::string name(const char *what)
    {
        return "model/layer" + std::to_string(below(3)) + "/" + what + std::to_string(names++);
    }

    Tensor variable(const std::string &path)
    {
        Tensor v = graph.addVariable(FLOAT, { Elements }, path);
        unsigned parts = 1 + below(6);
        for (unsigned i = 0; i < parts; ++i)
            graph.setTileMapping(v.slice(i * Elements / parts, (i + 1) * Elements / parts), below(tiles()));
        return v;
    }

    const Tensor &any()
    {
        return variables[below(static_cast<unsigned>(variables.size()))];
    }

    Program execute()
    {
        ComputeSet set = graph.addComputeSet(name("set"));
        const Tensor a = any(), b = any();
        Tensor result = graph.addVariable(FLOAT, { Elements }, name("result"));
        for (unsigned i = 0, count = 1 + below(5); i < count; ++i) {
            unsigned tile = below(tiles());
            auto vertex = graph.addVertex(set, "Dot", { { "a", a }, { "b", b }, { "out", result[i] } });
            graph.setTileMapping(vertex, tile);
            graph.setPerfEstimate(vertex, 10 + below(500));
        }
        for (unsigned i = 0; i < Elements; ++i)
            graph.setTileMapping(result[i], i % tiles());
        return Execute(set, name("execute"));
    }

    Program leaf()
    {
        switch (below(7)) {
        case 0:
            return Copy(in, any(), false, name("fetch"));
        case 1:
            return Copy(any(), out, false, name("send"));
        case 2:
            return Copy(any(), remote, name("away"));
        case 3:
            return Copy(remote, any(), name("home"));
        case 4:
            return execute();
        default:
            return Copy(any(), any().reverse(0), false, name("copy"));
        }
    }

    Program sequence(unsigned depth)
    {
        Sequence all;
        for (unsigned i = 0, count = 1 + below(4); i < count; ++i)
            all.add(program(depth));
        return all;
    }

    Tensor number(const std::string &path, int value)
    {
        Tensor v = graph.addVariable(INT, {}, path);
        graph.setTileMapping(v, below(tiles()));
        graph.setInitialValue(v, value);
        return v;
    }

    // A program that sets `go`.
    Program decide(Tensor &go)
    {
        ComputeSet set = graph.addComputeSet(name("decide"));
        go = graph.addVariable(BOOL, {}, name("go"));
        graph.setTileMapping(go, below(tiles()));
        auto vertex = graph.addVertex(set, "Down",
                                      { { "left", number(name("left"), static_cast<int>(below(6))) },
                                        { "turn", number(name("turn"), 0) },
                                        { "period", number(name("period"), static_cast<int>(1 + below(3))) },
                                        { "go", go } });
        graph.setTileMapping(vertex, below(tiles()));
        graph.setPerfEstimate(vertex, 20);
        return Execute(set, name("decide"));
    }

    Program loop(unsigned depth)
    {
        Tensor go;
        switch (below(6)) {
        case 0: {
            Program condition = decide(go);
            return RepeatWhileTrue(condition, go, sequence(depth - 1), name("while"));
        }
        case 1: {
            Program condition = decide(go);
            return Sequence({ condition, If(go, sequence(depth - 1), sequence(depth - 1), name("if")) });
        }
        default:
            return Repeat(1 + below(depth > 1 ? 7 : 40), sequence(depth - 1), name("loop"));
        }
    }

    Program program(unsigned depth)
    {
        if (loops && depth && below(2))
            return loop(depth);
        switch (depth ? below(9) : 8) {
        case 0:
            return Repeat(1 + below(4), sequence(depth - 1), name("loop"));
        case 1:
            return If(flag, sequence(depth - 1), sequence(depth - 1), name("if"));
        case 2:
            return Switch(index, { { 1, sequence(depth - 1) }, { 2, sequence(depth - 1) } }, sequence(depth - 1),
                          name("switch"));
        case 3:
            return functions.empty() ? leaf()
                                     : Call(functions[below(static_cast<unsigned>(functions.size()))], name("call"));
        default:
            return leaf();
        }
    }
};

} // namespace

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    Generator(static_cast<unsigned>(std::stoul(argv[3])), argv[1], argc > 4).run(argv[2]);
    return 0;
}
