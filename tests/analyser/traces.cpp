// SPDX-License-Identifier: Apache-2.0
// traces KIND DIRECTORY: a report for the tests of the analyser's trace.
//   blocks     a lightweight profile of tiles 0 and 2 of two IPUs: nested blocks, stream copies, flushes
//   both       the same of tile 0, beside a detailed trace of the same runs
//   late       the same without stream copies and flushes: its first block begins late
//   overflow   one whose buffer is too small: lost blocks, blocks without an end, a block without a begin
//   copies     a detailed trace of copies with the host and a remote buffer, and between two IPUs, by a function that
//   is
//              called twice
//   replicas   a detailed trace of replica 2 of four, of two IPUs each: it loops more often than the others
//   replica0   the same program, of the replica that is recorded when none is chosen
//   long       a detailed trace of a loop that runs so often that its steps are narrower than pixels
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>

#include <iostream>
#include <map>
#include <string>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace
{

constexpr unsigned Elements = 64, Tiles = 4; // tiles of an IPU

struct Case {
    unsigned ipus; // of a replica
    Program (*program)(Graph &);
    OptionFlags options;
    unsigned replicas = 1;
};

// Over all tiles of all IPUs.
Tensor spread(Graph &graph, const std::string &name)
{
    Tensor tensor = graph.addVariable(FLOAT, { Elements }, name);
    const unsigned tiles = graph.getTarget().getNumTiles(), each = Elements / tiles;
    for (unsigned tile = 0; tile < tiles; ++tile)
        graph.setTileMapping(tensor.slice(tile * each, (tile + 1) * each), tile);
    return tensor;
}

// A copy from the host, one to a remote buffer, `body`, and a copy to the host.
Program between(Graph &graph, const Program &body)
{
    Tensor data = spread(graph, "data");
    DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, Elements);
    DataStream out = graph.addDeviceToHostFIFO("out", FLOAT, Elements);
    RemoteBuffer far = graph.addRemoteBuffer("far", FLOAT, Elements);
    return Sequence({ Copy(in, data, false, "fetch"), Copy(data, far, "store"), body, Copy(data, out, false, "send") });
}

Program blocks(Graph &graph)
{
    Tensor a = spread(graph, "a"), b = spread(graph, "b");
    Program inner = Block(Copy(a, b.reverse(0), false, "copy"), "model/inner");
    Program twice = Sequence({ inner, Block(Copy(b, a.reverse(0), false, "back"), "model/second") });
    return between(graph, Block(Repeat(3, twice, "loop"), "model/outer"));
}

// Blocks fill the buffer; "wrap" begins in the overflow, and ends after the flushes of its loop.
Program overflow(Graph &graph)
{
    Tensor a = spread(graph, "a"), b = spread(graph, "b");
    Program copy = Copy(a, b.reverse(0), false, "copy");
    Sequence program;
    for (unsigned i = 0; i < 10; ++i)
        program.add(Block(copy, "model/step" + std::to_string(i)));
    program.add(Block(Repeat(3, Block(copy, "model/late"), "loop"), "model/wrap"));
    program.add(Block(copy, "model/last"));
    return program;
}

Program copies(Graph &graph)
{
    Tensor a = spread(graph, "a"), b = spread(graph, "b");
    Function across = graph.addFunction(Sequence({ Copy(a, b.reverse(0), false, "layer/across") }, "body"));
    return between(graph, Sequence({ Call(across, "one"), Repeat(2, Call(across, "two"), "loop") }, "calls"));
}

// Replica 2 makes seven iterations of a loop that the others run once; all send to the next at the end.
Program replicas(Graph &graph)
{
    Tensor a = spread(graph, "a"), b = spread(graph, "b"), next = spread(graph, "next");
    Tensor number = graph.addReplicationIndexConstant("number");
    graph.setTileMapping(number, 0);
    Program round = Copy(a, b.reverse(0), false, "layer/round");
    Program own = Switch(number, { { 2, Repeat(7, round, "loop") } }, round, "own");
    return Sequence({ own, CrossReplicaCopy(b, next, { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 } }, "layer/next") });
}

Program often(Graph &graph)
{
    Tensor a = spread(graph, "a"), b = spread(graph, "b");
    Sequence body({ Copy(a, b.reverse(0), false, "layer/there"), Copy(b, a, false, "layer/back") });
    return Repeat(4000, body, "loop");
}

const OptionFlags lightweight{ { "debug.instrumentCompute", "false" },
                               { "debug.instrumentExternalExchange", "true" },
                               { "profiler.blocks.filter", "^model" },
                               { "profiler.blocks.implicitFlush", "true" } };

const std::map<std::string, Case> cases{
    { "blocks", { 2, blocks, { { "profiler.blocks.tile", "0,2" }, { "profiler.blocks.bufferSize", "4000" } } } },
    { "late", { 2, blocks, { { "debug.instrumentExternalExchange", "false" } } } },
    { "overflow", { 1, overflow, { { "profiler.blocks.bufferSize", "180" } } } },
    { "copies", { 2, copies, {} } },
    { "both", { 2, blocks, { { "debug.instrument", "true" }, { "debug.instrumentCompute", "true" } } } },
    { "replicas", { 2, replicas, { { "profiler.replicaToProfile", "2" } }, 4 } },
    { "replica0", { 2, replicas, {}, 4 } },
    { "long", { 1, often, {} } },
};

void set(OptionFlags &options, const OptionFlags &more)
{
    for (const auto &option : more)
        options.set(option.first, option.second);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 3 || !cases.count(argv[1])) {
        std::cerr << "usage: traces blocks|both|late|overflow|copies|replicas|replica0|long DIRECTORY\n";
        return 2;
    }
    const Case &of = cases.at(argv[1]);
    IPUModel model;
    model.numIPUs = of.ipus * of.replicas;
    model.tilesPerIPU = Tiles;
    Device device = model.createDevice();
    Graph graph(device.getTarget(), replication_factor(of.replicas));
    Program program = of.program(graph);
    OptionFlags options{ { "autoReport.directory", argv[2] }, { "autoReport.outputExecutionProfile", "true" } };
    set(options,
        of.program == blocks || of.program == overflow ? lightweight : OptionFlags{ { "debug.instrument", "true" } });
    set(options, of.options);
    Engine engine(graph, { program, Sequence() }, options);
    engine.load(device);
    std::vector<float> in(Elements, 1.0f), out(Elements);
    if (of.program == blocks || of.program == copies) {
        engine.connectStream("in", in.data());
        engine.connectStream("out", out.data());
    }
    engine.run(0, "first");
    engine.run(0, "second");
    return 0;
}
