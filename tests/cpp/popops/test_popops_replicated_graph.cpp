// SPDX-License-Identifier: Apache-2.0
// Replicas of an existing graph (createReplicatedGraph), the guide's first way, and how it differs from the second.
#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/StreamCallback.hpp>
#include <popops/Collectives.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/codelets.hpp>

#include <cstring>
#include <memory>
#include <sstream>

#include "check.hpp"

using namespace poplar;
using namespace poplar::program;

static Device ipus(unsigned count, unsigned tiles = 4)
{
    IPUModel model("ipu2");
    model.numIPUs = count;
    model.tilesPerIPU = tiles;
    Device device = model.createDevice();
    device.attach();
    return device;
}

static std::string line(int number)
{
    return "test_popops_replicated_graph.cpp:" + std::to_string(number);
}

static void run(const Graph &graph, const Program &program, const Device &device,
                const std::function<void(Engine &)> &before, const std::function<void(Engine &)> &after)
{
    Engine engine(graph, program);
    engine.load(device);
    before(engine);
    engine.run();
    after(engine);
}

// The guide's first way: 8 IPUs into 4 replicas of 2.
TEST(eight_ipus_into_four_replicas_of_two)
{
    Device device = ipus(8);
    const Target &target = device.getTarget();
    // Create a graph for 'target' which has 8 IPUs
    Graph g = Graph(target);
    // Create 4 replicas each of which targets 2 IPUs
    Graph rg = g.createReplicatedGraph(4);
    CHECK(rg.getReplicationFactor() == 4 && rg.getTarget().getNumIPUs() == 2 && rg.getTarget().getNumTiles() == 8);
    CHECK(g.getReplicationFactor() == 1 && g.getTarget().getNumTiles() == 32);
    popops::addCodelets(g);
    // A variable mapped to tile 0 has an instance on tile 0 in each of the replicas.
    Tensor v = rg.addVariable(FLOAT, { 2, 3 }, "v");
    rg.setTileMapping(v, 0);
    rg.setTileMapping(v[1], 5);
    Tensor all = g.getNonReplicatedTensor(v);
    CHECK((all.shape() == std::vector<std::size_t>{ 4, 2, 3 }));
    CHECK(rg.getTileMapping(v)[0].size() == 1 && rg.getTileMapping(v)[5].size() == 1);
    Graph::TileToTensorMapping tiles = g.getTileMapping(all);
    for (unsigned r = 0; r < 4; ++r)
        CHECK(tiles[8 * r].size() == 1 && tiles[8 * r + 5].size() == 1);
    CHECK(v.getVarRegions()[0].var.replicationFactor() == 4);
    CHECK(all.getVarRegions()[0].var.replicationFactor() == 1);
    // A variable and an operation of the parent, mapped to one IPU: present on the replica that targets it.
    Tensor extra = g.addConstant<float>(FLOAT, { 3 }, { 100, 200, 300 });
    g.setTileMapping(extra, 17);
    Sequence prog;
    popops::addInPlace(rg, v, v, prog);
    popops::addInPlace(g, all[2][1], extra, prog);
    rg.createHostWrite("v", v);
    rg.createHostRead("v", v);
    g.createHostRead("second", all[1]);
    std::vector<float> values(24), second(6);
    for (unsigned i = 0; i < 24; ++i)
        values[i] = static_cast<float>(i);
    run(
        g, prog, device, [&](Engine &e) { e.writeTensor("v", values.data(), values.data() + 24); },
        [&](Engine &e) {
            std::vector<float> got(24);
            e.readTensor("v", got.data(), got.data() + 24);
            e.readTensor("second", second.data(), second.data() + 6);
            for (unsigned i = 0; i < 24; ++i)
                CHECK(got[i] == 2 * values[i] + (i >= 15 && i < 18 ? 100 * static_cast<float>(i - 14) : 0));
            CHECK(std::memcmp(second.data(), &got[6], 6 * sizeof(float)) == 0);
        });
}

// A tensor without elements has a dimension of replicas too.
TEST(no_elements_of_all_replicas)
{
    Device device = ipus(4);
    Graph g(device.getTarget());
    Graph rg = g.createReplicatedGraph(2);
    const Tensor t = rg.addVariable(FLOAT, { 3, 0, 4 }, "t");
    CHECK(g.getNonReplicatedTensor(t).shapeToString() == "{2,3,0,4}");
    CHECK(g.getNonReplicatedTensor(t.slice(1, 2).transpose()).shapeToString() == "{2,4,0,1}");
    CHECK_THROWS(g.getNonReplicatedTensor(g.addVariable(FLOAT, { 0 })), graph_replication_error, "one tensor already");
}

// Calls that, by the guide, fail in a graph created with replication_factor, since it has no parent.
TEST(no_parent_with_a_replication_factor)
{
    Device device = ipus(8);
    Graph rg(device.getTarget(), replication_factor(4)), plain(device.getTarget());
    Tensor v = rg.addVariable(FLOAT, { 2 }, VariableMappingMethod::LINEAR, "v");
    CHECK_THROWS(rg.getNonReplicatedTensor(v), graph_replication_error, "has no parent");
    CHECK_THROWS(rg.getTopLevelGraph(), graph_replication_error, "has no parent");
    CHECK_THROWS(rg.createReplicatedGraph(2), graph_replication_error, "one of 4 replicas already");
    Tensor w = plain.addVariable(FLOAT, { 2 }, "w");
    CHECK_THROWS(plain.getNonReplicatedTensor(w), graph_replication_error, "no replicas");
}

// Streams are one for each replica, or one for all; a callback serves one replica or all.
TEST(streams_of_replicas)
{
    Device device = ipus(4);
    Graph g(device.getTarget());
    Graph rg = g.createReplicatedGraph(4);
    Tensor a = rg.addVariable(INT, { 2 }, VariableMappingMethod::LINEAR, "a"), b = rg.clone(a, "b");
    DataStream in = rg.addHostToDeviceFIFO("in", INT, 2), out = rg.addDeviceToHostFIFO("out", INT, 2),
               same = rg.addHostToDeviceFIFO("same", INT, 2, ReplicatedStreamMode::BROADCAST);
    CHECK(in.replicationFactor() == 4 && same.replicatedMode() == ReplicatedStreamMode::BROADCAST);
    RemoteBuffer rows = rg.addRemoteBuffer("rows", INT, 2, 3);
    Sequence prog(Copy(in, a), Copy(a, out), Copy(same, b), Copy(b, out), Copy(a, rows));
    rg.createHostRead("b", b);
    Engine engine(g, prog);
    engine.load(device);
    for (unsigned r = 0; r < 4; ++r)
        engine.connectStreamToCallback("in", r, [r](void *p) {
            static_cast<int *>(p)[0] = static_cast<int>(10 * r);
            static_cast<int *>(p)[1] = static_cast<int>(10 * r + 1);
        });
    unsigned calls = 0;
    engine.connectStreamToCallback("same", [&](void *p) { ++calls, std::memset(p, 0x11, 2 * sizeof(int)); });
    std::vector<int> got(16), read(8);
    engine.connectStream("out", got.data(), got.data() + 16);
    engine.run();
    CHECK(calls == 1);
    for (int r = 0; r < 4; ++r) {
        CHECK(got[2 * static_cast<unsigned>(r)] == 10 * r && got[2 * static_cast<unsigned>(r) + 1] == 10 * r + 1);
        CHECK(got[8 + 2 * static_cast<unsigned>(r)] == 0x11111111);
        int row[2] = { -1, -1 };
        engine.copyFromRemoteBuffer("rows", row, 0, static_cast<unsigned>(r));
        CHECK(row[0] == 10 * r && row[1] == 10 * r + 1);
    }
    engine.readTensor("b", read.data(), read.data() + 8);
    CHECK(read == std::vector<int>(8, 0x11111111));
    CHECK(engine.listStreams().size() == 4);
    int row[2];
    CHECK_THROWS(engine.copyFromRemoteBuffer("rows", row, 0, 4), graph_replication_error, "no replica 4");
    CHECK_THROWS(engine.connectStreamToCallback("in", 4, [](void *) {}), graph_replication_error, "0 to 3");
    CHECK_THROWS(engine.connectStreamToCallback("same", 1, [](void *) {}), graph_replication_error, "broadcast");
    engine.connectStream("in", got.data(), got.data() + 8); // of all replicas
    engine.connectStream("out", read.data(), read.data() + 8);
}

// Values that differ between replicas, and copies between them.
TEST(replicas_have_an_index_and_copy_across)
{
    Device device = ipus(4);
    Graph g(device.getTarget());
    Graph rg = g.createReplicatedGraph(4);
    popops::addCodelets(g);
    Tensor number = rg.addReplicationIndexConstant(), left = rg.addVariable(UNSIGNED_INT, {}, "left"),
           sum = rg.addVariable(UNSIGNED_INT, { 3 }, VariableMappingMethod::LINEAR, "sum");
    rg.setTileMapping(number, 0);
    rg.setTileMapping(left, 3);
    CHECK(rg.getReplicationFactor() == 4);
    Sequence prog;
    prog.add(CrossReplicaCopy(number, left, { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 } }));
    prog.add(Copy(number.expand({ 0 }).broadcast(3, 0), sum));
    popops::addInPlace(rg, sum, left.expand({ 0 }).broadcast(3, 0), prog);
    prog.add(PrintTensor("left", left));
    rg.createHostRead("left", left);
    rg.createHostRead("sum", sum);
    Engine engine(g, prog);
    engine.load(device);
    std::ostringstream text;
    engine.setPrintTensorStream(text);
    engine.run();
    unsigned got[4], sums[12];
    engine.readTensor("left", got, got + 4);
    engine.readTensor("sum", sums, sums + 12);
    for (unsigned r = 0; r < 4; ++r)
        CHECK(got[r] == (r + 3) % 4 && sums[3 * r] == r + (r + 3) % 4 && sums[3 * r + 2] == sums[3 * r]);
    CHECK(text.str() == "replica 0: left: 3\nreplica 1: left: 0\nreplica 2: left: 1\nreplica 3: left: 2\n");
    CHECK_THROWS(CrossReplicaCopy(number, left, { { 0, 1 }, { 1, 0 } }), graph_replication_error,
                 "replica 2 does not receive");
}

// The same results, and as many vertices, as with one graph of the same size for each replica.
TEST(an_operation_of_a_library_in_each_replica)
{
    Device device = ipus(2, 8);
    std::vector<float> values(2 * 60);
    for (unsigned i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(i % 7) - 2.5f;
    std::vector<float> got[2] = { std::vector<float>(2 * 6), std::vector<float>(2 * 6) };
    unsigned vertices[2];
    for (unsigned way = 0; way < 2; ++way) {
        Graph g(device.getTarget(), replication_factor(way ? 2 : 1));
        Graph rg = way ? g.createVirtualGraph(0, g.getTarget().getNumTiles()) : g.createReplicatedGraph(2);
        popops::addCodelets(g);
        Tensor t = rg.addVariable(FLOAT, { 10, 6 }, VariableMappingMethod::LINEAR, "t");
        rg.createHostWrite("t", t);
        Sequence prog;
        Tensor sum = popops::reduce(rg, t, FLOAT, { 0 }, popops::Operation::ADD, prog);
        rg.createHostRead("sum", popops::exp(rg, sum, prog));
        vertices[way] = g.getNumVertices();
        run(
            g, prog, device, [&](Engine &e) { e.writeTensor("t", values.data(), values.data() + values.size()); },
            [&](Engine &e) { e.readTensor("sum", got[way].data(), got[way].data() + got[way].size()); });
    }
    CHECK(got[0] == got[1] && vertices[0] == 2 * vertices[1] && vertices[1] > 0);
}

// Virtual graphs of a replicated graph, collectives, cycle counts and aborts in it.
TEST(other_calls_on_a_replicated_graph)
{
    Device device = ipus(4, 8);
    Graph g(device.getTarget());
    Graph rg = g.createReplicatedGraph(4);
    popops::addCodelets(g);
    Graph half = rg.createVirtualGraph(4, 8);
    Tensor t = half.addVariable(FLOAT, { 4 }, VariableMappingMethod::NONE, "t");
    half.setTileMapping(t, 1);
    half.setInitialValue<float>(t, { 1, 2, 3, 4 });
    CHECK(half.getReplicationFactor() == 4 && g.getTileMapping(g.getNonReplicatedTensor(t))[8 + 5].size() == 1);
    Tensor bad = rg.addVariable(BOOL, {}, "bad");
    rg.setTileMapping(bad, 0);
    rg.setInitialValue(bad, false);
    Sequence prog;
    Tensor sum = popops::replicatedAllReduce(rg, t, popops::Operation::ADD, prog, "sum");
    Tensor cycles = poplar::cycleCount(rg, prog, 2);
    prog.add(AbortOnCondition(bad));
    rg.createHostRead("sum", sum);
    rg.createHostRead("cycles", cycles);
    g.createHostWrite("bad of 2", g.getNonReplicatedTensor(bad)[2]);
    Engine engine(g, prog);
    engine.load(device);
    engine.run();
    float sums[16];
    unsigned counts[8];
    engine.readTensor("sum", sums, sums + 16);
    engine.readTensor("cycles", counts, counts + 8);
    for (unsigned r = 0; r < 4; ++r)
        CHECK(sums[4 * r] == 4 && sums[4 * r + 3] == 16 && counts[2 * r] == counts[0] && counts[0] > 0);
    const unsigned char yes = 1;
    engine.writeTensor("bad of 2", &yes, &yes + 1);
    CHECK_THROWS(engine.run(), poplar_error, "");
    // A graph can be compiled again, and extended after that.
    popops::addInPlace(rg, t, t, prog);
    Engine again(g, prog);
}

TEST(replicated_graphs_refuse_invalid_calls)
{
    Device device = ipus(4);
    Graph g(device.getTarget());
    CHECK_THROWS(g.createReplicatedGraph(3), graph_replication_error, line(__LINE__));
    CHECK_THROWS(g.createReplicatedGraph(3), graph_replication_error, "3 replicas of a graph of 4 IPUs");
    CHECK_THROWS(g.createReplicatedGraph(0), graph_replication_error, "1 to");
    CHECK(g.createReplicatedGraph(16).getTarget().getNumTiles() == 1); // parts of an IPU
    popops::addCodelets(g);
    Graph rg = g.createReplicatedGraph(2);
    CHECK_THROWS(rg.createReplicatedGraph(2), graph_replication_error, "replicated again");
    Tensor t = rg.addVariable(INT, {}, VariableMappingMethod::LINEAR, "t"),
           own = g.addVariable(INT, {}, VariableMappingMethod::LINEAR, "own");
    CHECK_THROWS(g.setTileMapping(t, 1), graph_replication_error, "'t' is of a replicated graph");
    CHECK_THROWS(g.getTileMapping(t), graph_replication_error, "stands for 2 tensors");
    CHECK_THROWS(g.getNonReplicatedTensor(own), graph_replication_error, "one tensor already");
    CHECK_THROWS(rg.getNonReplicatedTensor(t), graph_replication_error, "its parent sees all");
    ComputeSet cs = g.addComputeSet("cs");
    g.addCodelets(CODELETS "/run.c");
    VertexRef parents = g.addVertex(cs, "CountDown"), replicas = rg.addVertex(cs, "CountDown");
    CHECK_THROWS(g.connect(parents["value"], t), graph_replication_error, line(__LINE__));
    CHECK_THROWS(rg.connect(replicas["value"], own), graph_replication_error, "all would write it");
    CHECK_THROWS(g.setTileMapping(replicas, 0), graph_replication_error, "map it with that graph");
    DataStream in = g.addHostToDeviceFIFO("in", INT, 1), of = rg.addHostToDeviceFIFO("of", INT, 1);
    Copy streamed(in, t), wrong(of, own), narrow(t, own);
    Switch branch(t, { { 1, Sequence() } });
    for (const Program &program : { Program(streamed), Program(wrong), Program(narrow), Program(branch) })
        CHECK_THROWS(Engine(g, program), graph_replication_error, "test_popops_replicated_graph.cpp");
    Copy wide(own, t); // to each replica
    Engine good(g, wide);
}

// On a CPU, where everything is on one tile, programs run with any number.
TEST(replicas_of_a_graph_for_the_cpu)
{
    Graph g(Target::createCPUTarget());
    Graph rg = g.createReplicatedGraph(3);
    Tensor t = rg.addVariable(INT, { 2 }, "t"), number = rg.addReplicationIndexConstant();
    rg.setTileMapping(t, 0);
    rg.setTileMapping(number, 0);
    rg.createHostRead("t", t);
    Device device = Device::createCPUDevice();
    device.attach();
    run(
        g, Copy(number.reinterpret(INT).expand({ 0 }).broadcast(2, 0), t), device, [](Engine &) {},
        [](Engine &e) {
            int got[6];
            e.readTensor("t", got, got + 6);
            for (int i = 0; i < 6; ++i)
                CHECK(got[i] == i / 2);
        });
}

MAIN()
