// SPDX-License-Identifier: Apache-2.0
// Replicated graphs in C++ programs: the guide's fragments and related calls.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/StreamCallback.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>

#include <cstring>
#include <memory>
#include <sstream>

#include "check.hpp"

using namespace poplar;
using namespace poplar::program;

static Device eightIpus()
{
    IPUModel model("ipu2");
    model.numIPUs = 8;
    model.tilesPerIPU = 4;
    Device device = model.createDevice();
    device.attach();
    return device;
}

// The guide's second way: a graph with 4 replicas for each 2 IPUs.
TEST(a_graph_of_four_replicas_of_two_ipus)
{
    Device device = eightIpus();
    const Target &target = device.getTarget();
    Graph rg = Graph(target, replication_factor(4));
    CHECK(rg.getReplicationFactor() == 4 && rg.getTarget().getNumIPUs() == 2 && rg.getTarget().getNumTiles() == 8);
    CHECK_THROWS(rg.getTopLevelGraph(), graph_replication_error, "has no parent");
    CHECK(rg.createVirtualGraph(2).getTopLevelGraph().getReplicationFactor() == 4);
    popops::addCodelets(rg);
    Tensor v = rg.addVariable(FLOAT, { 8 }, VariableMappingMethod::LINEAR, "v"),
           rank = rg.addReplicationIndexConstant();
    rg.setTileMapping(rank, 0);
    Tensor w = rg.clone(v, "w"), index = rg.addVariable(UNSIGNED_INT, {}, "index");
    rg.setTileMapping(index, 5); // on the second IPU of each replica
    CHECK(v.getVarRegions()[0].var.replicationFactor() == 4);
    DataStream in = rg.addHostToDeviceFIFO("in", FLOAT, 8), out = rg.addDeviceToHostFIFO("out", FLOAT, 8);
    CHECK(in.replicationFactor() == 4 && in.replicatedMode() == ReplicatedStreamMode::REPLICATE);
    rg.createHostRead("index", index);
    Sequence prog;
    prog.add(Copy(in, v));
    popops::addInPlace(rg, v, v, prog);
    prog.add(CrossReplicaCopy(v, w, { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 } }, "round"));
    prog.add(Copy(w, out));
    prog.add(Copy(rank, index));
    Engine engine(rg, prog);
    engine.load(device);
    std::vector<float> got(4 * 8);
    int released = 0;
    struct Source : StreamCallback {
        float base;
        int &gone;
        Source(float from, int &count) : base(from), gone(count)
        {
        }
        ~Source() override
        {
            ++gone;
        }
        Result prefetch(void *) override
        {
            return Result::NotAvailable;
        }
        void fetch(void *p) override
        {
            for (int i = 0; i < 8; ++i)
                static_cast<float *>(p)[i] = base + static_cast<float>(i);
        }
        void complete() override
        {
        }
    };
    for (unsigned r = 0; r < 4; ++r)
        engine.connectStreamToCallback(
            "in", r, std::unique_ptr<StreamCallback>(new Source(100 * static_cast<float>(r), released)));
    engine.connectStream(out, got.data());
    engine.run();
    for (unsigned r = 0; r < 4; ++r)
        for (unsigned i = 0; i < 8; ++i)
            CHECK(got[8 * ((r + 1) % 4) + i] == 2 * (100 * static_cast<float>(r) + static_cast<float>(i)));
    std::vector<unsigned> indices(4, 9);
    engine.readTensor("index", indices.data(), indices.data() + 4);
    CHECK((indices == std::vector<unsigned>{ 0, 1, 2, 3 }));
    float one[8] = { 1 };
    engine.connectStreamToCallback("in", [&](void *p) { std::memcpy(p, one, sizeof(one)); }); // for all replicas
    CHECK(released == 4);
    engine.run();
    CHECK(got[0] == 2 && got[24] == 2);
    CHECK_THROWS(engine.connectStreamToCallback("in", 4, [](void *) {}), graph_replication_error, "0 to 3");
    CHECK_THROWS(CrossReplicaCopy(v, w, { { 0, 1 }, { 1, 0 } }), graph_replication_error, "replica 2 does not receive");
    CHECK_THROWS(Graph(target, replication_factor(3)), graph_replication_error, "does not divide the target's 8 IPUs");
}

// Programs for a CPU device run there with any replication factor.
TEST(replicas_on_the_cpu)
{
    Graph graph(Target::createCPUTarget(), replication_factor(3));
    Tensor t = graph.addVariable(INT, { 2 }, "t");
    graph.setTileMapping(t, 0);
    graph.createHostWrite("t", t);
    graph.createHostRead("t", t);
    RemoteBuffer rows = graph.addRemoteBuffer("rows", INT, 2, 1);
    Engine engine(graph, { Copy(t, rows), PrintTensor("t", t) });
    Device device = Device::createCPUDevice();
    device.attach();
    engine.load(device);
    const int in[6] = { 1, 2, 3, 4, 5, 6 };
    engine.writeTensor("t", in, in + 6);
    engine.run(0);
    for (unsigned r = 0; r < 3; ++r) {
        int row[2];
        engine.copyFromRemoteBuffer("rows", row, 0, r);
        CHECK(row[0] == in[2 * r] && row[1] == in[2 * r + 1]);
        row[0] += 10;
        engine.copyToRemoteBuffer(row, "rows", 0, r);
    }
    int back[2];
    engine.copyFromRemoteBuffer("rows", back, 0, 2);
    CHECK(back[0] == 15);
    CHECK_THROWS(engine.copyFromRemoteBuffer("rows", back, 0, 3), graph_replication_error, "no replica 3");
    std::ostringstream text;
    engine.setPrintTensorStream(text);
    engine.run(1);
    CHECK(text.str() == "replica 0: t: [1 2]\nreplica 1: t: [3 4]\nreplica 2: t: [5 6]\n");
}

// A process may run some of the replicas; the host numbers them from 0.
TEST(some_of_the_replicas)
{
    Graph graph(Target::createCPUTarget(), replication_factor(5));
    Tensor number = graph.addReplicationIndexConstant(), t = graph.addVariable(UNSIGNED_INT, {}, "t");
    graph.setTileMapping(number, 0);
    graph.setTileMapping(t, 0);
    graph.createHostRead("t", t);
    DataStream out = graph.addDeviceToHostFIFO("out", UNSIGNED_INT, 1);
    Sequence alone(Copy(number, t), Copy(t, out));
    CrossReplicaCopy round(number, t, { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 4 }, { 4, 0 } });
    Device device = Device::createCPUDevice();
    device.attach();
    Engine engine(graph, { alone, round },
                  { { "target.firstRuntimeReplica", "2" }, { "target.numberRuntimeReplica", "2" } });
    engine.load(device);
    unsigned got[2] = { 9, 9 }, streamed[2] = { 9, 9 };
    engine.connectStream("out", streamed, streamed + 2);
    engine.run(0);
    engine.readTensor("t", got, got + 2);
    CHECK(got[0] == 2 && got[1] == 3 && streamed[0] == 2 && streamed[1] == 3);
    CHECK_THROWS(engine.run(1), graph_replication_error, "replicas 2 to 3 run here");
    CHECK_THROWS(engine.connectStreamToCallback("out", 2, [](void *) {}), graph_replication_error, "0 to 1");
    Engine last(graph, alone, { { "target.firstRuntimeReplica", "4" } });
    last.load(device);
    last.connectStream("out", streamed, streamed + 1);
    last.run(0);
    CHECK(streamed[0] == 4);
    CHECK_THROWS(Engine(graph, alone, { { "target.firstRuntimeReplica", "5" } }), invalid_option, "0 to 4");
    CHECK_THROWS(
        Engine(graph, alone, { { "target.firstRuntimeReplica", "3" }, { "target.numberRuntimeReplica", "3" } }),
        invalid_option, "1 to 2");
}

// Profiles describe one replica; their target fields describe all.
TEST(profiles_have_the_number_of_replicas)
{
    Device device = eightIpus();
    Graph graph(device.getTarget(), replication_factor(4));
    Tensor t = graph.addVariable(FLOAT, { 8 }, VariableMappingMethod::LINEAR, "t");
    Engine engine(graph, WriteUndef(t));
    engine.load(device);
    engine.run();
    const ProfileValue profile = engine.getGraphProfile(), &target = profile["target"];
    CHECK(target["numIPUs"].asUint() == 8 && target["numReplicas"].asUint() == 4 && target["numTiles"].asUint() == 32);
    CHECK(profile["memory"]["byTile"]["total"].size() == 8);
    std::ostringstream text;
    engine.printProfileSummary(text);
    CHECK(check::contains(text.str().c_str(), "Number of Replicas:") &&
          check::contains(text.str().c_str(), "IPUs per Replica:"));
}

MAIN()
