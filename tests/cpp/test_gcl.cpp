// SPDX-License-Identifier: Apache-2.0
// The communication library as programs of all its releases call it, and its results.
#include <gcl/CollectiveBalancedReorder.hpp>
#include <gcl/Collectives.hpp>
#include <gcl/TileAllocation.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/Collectives.hpp>
#include <popops/codelets.hpp>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

#include "check.hpp"

using namespace poplar;
using namespace poplar::program;

// Two replicas on a CPU, or more of one IPU.
struct Replicas {
    Device device;
    Graph graph;
    Sequence prog;
    unsigned count;
    explicit Replicas(unsigned replicas, bool cpu = false)
        : device(make(replicas, cpu)), graph(device.getTarget(), replication_factor(replicas)), count(replicas)
    {
        device.attach();
        popops::addCodelets(graph);
    }
    static Device make(unsigned replicas, bool cpu)
    {
        if (cpu)
            return Device::createCPUDevice();
        IPUModel model("ipu2");
        model.numIPUs = replicas;
        model.tilesPerIPU = 4;
        return model.createDevice();
    }
    Tensor input(const char *name, std::vector<std::size_t> shape)
    {
        Tensor t = graph.addVariable(FLOAT, shape, VariableMappingMethod::LINEAR, name);
        graph.createHostWrite(name, t);
        return t;
    }
    // Runs with 0, 1, 2, ... in t of all replicas, one after the other, and reads the results.
    std::vector<std::vector<float>> run(Tensor t, const std::vector<Tensor> &results)
    {
        for (std::size_t i = 0; i < results.size(); ++i)
            graph.createHostRead("result" + std::to_string(i), results[i]);
        Engine engine(graph, prog);
        engine.load(device);
        std::vector<float> in(count * t.numElements());
        for (std::size_t i = 0; i < in.size(); ++i)
            in[i] = static_cast<float>(i);
        engine.writeTensor("t", in.data(), in.data() + in.size());
        engine.run();
        std::vector<std::vector<float>> out;
        for (std::size_t i = 0; i < results.size(); ++i) {
            out.emplace_back(count * results[i].numElements());
            engine.readTensor("result" + std::to_string(i), out[i].data(), out[i].data() + out[i].size());
        }
        return out;
    }
};

typedef std::vector<float> Floats;

TEST(two_replicas_on_the_cpu)
{
    Replicas r(2, true);
    Tensor t = r.input("t", { 2, 3 });
    Tensor to = gcl::allToAllCrossReplica(r.graph, t, r.prog);
    Tensor part = gcl::reduceScatterCrossReplica(r.graph, t.flatten(), gcl::CollectiveOperator::ADD, r.prog);
    Tensor all = gcl::allGatherCrossReplica(r.graph, t.slice(0, 1, 0).reshape({ 3, 1 }), r.prog);
    CHECK((to.shape() == std::vector<std::size_t>{ 2, 3 } && part.shape() == std::vector<std::size_t>{ 3 } &&
           all.shape() == std::vector<std::size_t>{ 2, 3, 1 }));
    auto out = r.run(t, { to, part, all });
    CHECK((out[0] == Floats{ 0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11 }));
    CHECK((out[1] == Floats{ 6, 8, 10, 12, 14, 16 }));
    CHECK((out[2] == Floats{ 0, 1, 2, 6, 7, 8, 0, 1, 2, 6, 7, 8 }));
}

// Within one replica: the mean over all IPUs, and the values of each IPU.
TEST(means_and_own_values_within_a_replica)
{
    IPUModel model("ipu2");
    model.numIPUs = 4;
    model.tilesPerIPU = 2;
    Device device = model.createDevice();
    device.attach();
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    Tensor t = graph.addVariable(FLOAT, { 4, 7 }, "t");
    for (unsigned i = 0; i < 4; ++i)
        graph.setTileMapping(t[i], 2 * i);
    Sequence prog;
    const auto mean = gcl::CollectiveOperator::MEAN, local = gcl::CollectiveOperator::LOCAL;
    graph.createHostWrite("t", t);
    graph.createHostRead("mean", gcl::allReduceWithinReplica(graph, t, mean, prog));
    graph.createHostRead("local", gcl::allReduceWithinReplica(graph, t, local, prog));
    gcl::Chunks parts = gcl::reduceScatterWithinReplica(graph, t, mean, prog),
                own = gcl::reduceScatterWithinReplica(graph, t, local, prog);
    CHECK(parts.chunks.size() == 4 && own.chunks[3].tensor.numElements() == 2);
    graph.createHostRead("gathered", gcl::allGatherWithinReplica(graph, parts, prog));
    graph.createHostRead("own", own.chunks[3].tensor);
    Engine engine(graph, prog);
    engine.load(device);
    Floats in(28), means(28), locals(28), gathered(28), last(2);
    for (unsigned i = 0; i < 28; ++i)
        in[i] = static_cast<float>(i * i);
    engine.writeTensor("t", in.data(), in.data() + 28);
    engine.run();
    engine.readTensor("mean", means.data(), means.data() + 28);
    engine.readTensor("local", locals.data(), locals.data() + 28);
    engine.readTensor("gathered", gathered.data(), gathered.data() + 28);
    engine.readTensor("own", last.data(), last.data() + 2);
    for (unsigned i = 0; i < 28; ++i)
        CHECK(means[i] == (in[i % 7] + in[i % 7 + 7] + in[i % 7 + 14] + in[i % 7 + 21]) / 4);
    CHECK(locals == in && gathered == means && (last == Floats{ in[26], in[27] }));
}

// Calls of programs of all releases.
TEST(calls_of_every_release)
{
    Replicas r(4);
    Tensor t = r.input("t", { 3 });
    DebugContext debugContext("calls");
    OptionFlags options{ { "useReplicatedImplementation", "true" }, { "method", "clockwise_ring" } };
    const auto sum = gcl::CollectiveOperator::ADD;
    Tensor a = gcl::allReduceCrossReplica(r.graph, t, sum, r.prog, { gcl::CommGroupType::CONSECUTIVE, 2 }, { "pairs" },
                                          options),
           b = gcl::allReduceCrossReplica(r.graph, t, sum, r.prog, { "all" }, options),
           c = gcl::allReduce(r.graph, t, popops::CollectiveOperator::MEAN, r.prog, "mean"),
           d = gcl::allReduceCrossReplica(r.graph, t, sum, r.prog, gcl::CommGroup(gcl::CommGroupType::ORTHOGONAL, 2)),
           e = gcl::allGatherCrossReplica(r.graph, t, r.prog, {}, debugContext), f = r.graph.clone(t, "f"),
           g = gcl::broadcastCrossReplica(r.graph, t, r.prog, gcl::CommGroup(), 2),
           h = popops::replicatedAllReduce(r.graph, t, popops::CollectiveOperator::MAX, r.prog, "max");
    gcl::allReduceToDestinationCrossReplica(r.graph, t, f, gcl::CollectiveOperator::MIN, r.prog);
    std::vector<Tensor> two = gcl::allReduceCrossReplica(r.graph, std::vector<Tensor>{ t, a }, sum, r.prog);
    Tensor gathered = r.graph.addVariable(FLOAT, { 4, 3 }, VariableMappingMethod::LINEAR, "gathered");
    gcl::allGatherToDestinationCrossReplica(r.graph, { t }, { gathered }, r.prog, {});
    auto out = r.run(t, { a, b, c, d, f, g, h, two[0], two[1], e, gathered });
    CHECK((out[0] == Floats{ 3, 5, 7, 3, 5, 7, 15, 17, 19, 15, 17, 19 }));
    CHECK((out[1] == Floats{ 18, 22, 26, 18, 22, 26, 18, 22, 26, 18, 22, 26 }));
    CHECK((out[2] == Floats{ 4.5f, 5.5f, 6.5f, 4.5f, 5.5f, 6.5f, 4.5f, 5.5f, 6.5f, 4.5f, 5.5f, 6.5f }));
    CHECK((out[3] == Floats{ 6, 8, 10, 12, 14, 16, 6, 8, 10, 12, 14, 16 }));
    CHECK((out[4] == Floats{ 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2 }));
    CHECK((out[5] == Floats{ 6, 7, 8, 6, 7, 8, 6, 7, 8, 6, 7, 8 }));
    CHECK((out[6] == Floats{ 9, 10, 11, 9, 10, 11, 9, 10, 11, 9, 10, 11 }));
    CHECK(out[7] == out[1] && out[8][0] == 36 && out[9] == out[10] && out[9][47] == 11);
    CHECK_THROWS(gcl::reduceScatterCrossReplica(r.graph, t.expand({ 0 }), sum, r.prog), poputil::poplibs_error,
                 "rank 2");
    CHECK_THROWS(
        gcl::allReduceCrossReplica(r.graph, t, sum, r.prog, gcl::CommGroup(gcl::CommGroupType::CONSECUTIVE, 3)),
        poputil::poplibs_error, "groups of 3");
    CHECK_THROWS(gcl::allReduceCrossReplica(r.graph, t, sum, r.prog, "x", { { "metod", "auto" } }), invalid_option,
                 "'method'");
    std::ostringstream text;
    text << gcl::CommGroup(gcl::CommGroupType::CONSECUTIVE, 2, 4) << " " << gcl::CollectiveOperator::LOCAL;
    CHECK(text.str() == "CommGroup(type=CONSECUTIVE, size=2, stride=4) LOCAL");
}

TEST(tiles_for_input_and_output)
{
    Graph graph(Target::createIPUTarget(1, "ipu2"));
    const unsigned tiles = graph.getTarget().getTilesPerIPU(), io = gcl::getMinIoTiles(graph);
    CHECK(io == 32 && gcl::MIN_IO_TILES == 32);
    std::vector<unsigned> first = gcl::perIPUTiles(graph, 0, io), rest = gcl::perIPUTiles(graph, io, tiles - io);
    CHECK(std::is_sorted(first.begin(), first.end()) && first.size() == io && rest.size() == tiles - io);
    std::set<unsigned> all(first.begin(), first.end());
    all.insert(rest.begin(), rest.end());
    CHECK(all.size() == tiles && *all.rbegin() == tiles - 1);
    for (std::size_t i = 0; i < first.size(); i += 2)
        CHECK(first[i] % 2 == 0 && first[i + 1] == first[i] + 1);
    CHECK(first.back() > tiles * 3 / 4); // spread over the IPU
    CHECK(graph.createVirtualGraph(first).getTarget().getNumTiles() == io);
    CHECK(gcl::perIPUTiles(graph, 0, 3, true, false).size() == 3);
    CHECK_THROWS(gcl::perIPUTiles(graph, 0, 3), index_error, "pairs");
    CHECK_THROWS(gcl::perIPUTiles(graph, 2, tiles), index_error, "it has");
}

// A tensor whose parts on each tile are divided among replicas, scattered, gathered and joined again.
TEST(a_balanced_reorder)
{
    Replicas r(3);
    Tensor t = r.input("t", { 5, 3 });
    r.graph.setTileMapping(t.slice(0, 2), 0); // 6 elements: 2 for each replica
    r.graph.setTileMapping(t.slice(2, 5), 2); // 9: 3
    Tensor reference = t.transpose();
    gcl::CollectiveBalancedReorder order(r.graph, reference, 3, { "order" }, true);
    const gcl::CollectiveBalancedHostRearrangement &host = order.getHostRearrangement();
    CHECK(host.getTotalElementsPerReplica() == 5 && host.getNumRearrangedTensorElems() == 15);
    CHECK(host.getReplicationFactor() == 3 && host.elementMap.size() == 15);
    CHECK((order.getReferenceShape() == std::vector<std::size_t>{ 3, 5 }));
    Tensor slice = order.createReplicaSlice(FLOAT), all = order.createCollectivesTensor(HALF, "all");
    CHECK(slice.numElements() == 5 && (all.shape() == std::vector<std::size_t>{ 3, 5 }));
    auto mapping = r.graph.getTileMapping(slice);
    CHECK(mapping[0].size() == 1 && mapping[0][0].size() == 2 && mapping[2][0].size() == 3);
    // On the host: each element of the reference is where the tensor's order puts it.
    Floats in(15), gathered(15, -1), back(15);
    for (unsigned i = 0; i < 15; ++i)
        in[i] = static_cast<float>(i);
    host.rearrangeForCollective(in, gathered);
    host.undoRearrangeForCollective(gathered, back);
    CHECK(back == in);
    for (unsigned i = 0; i < 15; ++i)
        CHECK(gathered[host.elementMap[i]] == in[i]);
    CHECK_THROWS(host.rearrangeForCollective(Floats(14), gathered), poputil::poplibs_error, "56 bytes");
    // Sizes are bytes; buffers may be longer than needed.
    Floats longer(20, 7), wide(18, -1);
    std::copy(in.begin(), in.end(), longer.begin());
    host.rearrangeForCollective(longer.data(), 80, wide.data(), 72, 4);
    CHECK(std::equal(gathered.begin(), gathered.end(), wide.begin()) && wide[15] == -1 && wide[17] == -1);
    host.undoRearrangeForCollective(wide.data(), 72, longer.data(), 80, 4);
    CHECK(std::equal(in.begin(), in.end(), longer.begin()) && longer[15] == 7);
    CHECK_THROWS(host.undoRearrangeForCollective(wide.data(), 59, longer.data(), 80, 4), poputil::poplibs_error,
                 "59 gathered");
    // On the device: the sum of all replicas, by shares.
    Tensor whole = order.createCollectivesTensor(FLOAT, "whole");
    r.prog.add(Copy(reference, order.undoRearrangeForCollective(whole)));
    Tensor mine = gcl::reduceScatterCrossReplica(r.graph, whole.flatten(), gcl::CollectiveOperator::ADD, r.prog);
    r.prog.add(Copy(mine, slice));
    Tensor sum = gcl::allGatherCrossReplica(r.graph, slice, r.prog);
    Floats got = r.run(t, { order.undoRearrangeForCollective(sum) })[0];
    for (unsigned replica = 0; replica < 3; ++replica)
        for (unsigned x = 0; x < 3; ++x)
            for (unsigned y = 0; y < 5; ++y)
                CHECK(got[15 * replica + 5 * x + y] == static_cast<float>(3 * (3 * y + x) + 45));
    // Padded: 15 elements of one tile for 4 replicas, in grains of 2.
    Tensor one = r.graph.addVariable(FLOAT, { 15 }, "one");
    r.graph.setTileMapping(one, 1);
    gcl::CollectiveBalancedReorder padded(r.graph, one, 4, { "padded" }, false, 2);
    CHECK(padded.getHostRearrangement().getNumRearrangedTensorElems() == 16);
    Floats sixteen(16, -1);
    padded.getHostRearrangement().rearrangeForCollective(in, sixteen);
    CHECK(sixteen[14] == 14 && sixteen[15] == 0);
    CHECK_THROWS(padded.undoRearrangeForCollective(one), poputil::poplibs_error, "must be 16");
    CHECK_THROWS(gcl::CollectiveBalancedReorder(r.graph, one, 0, { "none" }), poputil::poplibs_error, "1 or more");
}

// The environment's options have priority over the program's.
TEST(options_of_the_environment)
{
    Replicas r(2);
    Tensor t = r.input("t", { 8 });
    setenv("GCL_OPTIONS", "{\"method\": \"sideways\"}", 1);
    CHECK_THROWS(
        gcl::allReduceCrossReplica(r.graph, t, gcl::CollectiveOperator::ADD, r.prog, {}, {}, { { "method", "tree" } }),
        poplar_error, "sideways");
    setenv("GCL_OPTIONS", "[1]", 1);
    CHECK_THROWS(gcl::allReduceCrossReplica(r.graph, t, gcl::CollectiveOperator::ADD, r.prog), poplar_error,
                 "GCL_OPTIONS is not a JSON object");
    std::size_t vertices[2];
    for (unsigned i = 0; i < 2; ++i) { // a tree has other vertices than a ring
        setenv("GCL_OPTIONS", i ? "{\"method\": \"tree\"}" : "{\"method\": \"clockwise_ring\"}", 1);
        Replicas of(4);
        Tensor data = of.input("t", { 64 });
        gcl::allReduceCrossReplica(of.graph, data, gcl::CollectiveOperator::ADD, of.prog, {}, {},
                                   { { "method", "meet_in_middle_ring" } });
        vertices[i] = of.graph.getNumVertices();
    }
    CHECK(vertices[0] != vertices[1]);
    unsetenv("GCL_OPTIONS");
    gcl::allReduceCrossReplica(r.graph, t, gcl::CollectiveOperator::ADD, r.prog);
}

MAIN()
