// SPDX-License-Identifier: Apache-2.0
// popdist in several processes: every instance prints what it got, rank 0 for all.
#include <popdist/backend.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <cstdio>
#include <cstring>
#include <string>

using namespace poplar;
using popdist::collectives::allGather;
using popdist::collectives::allReduceSum;

static unsigned wrong = 0;

static void expect(bool good, const char *what)
{
    if (!good)
        std::printf("instance %u: %s\n", popdist::getInstanceIndex(), what);
    wrong += !good;
}

// Sums whose order shows: a gather must give each instance the same bits.
static void sums(const popdist::Context &context)
{
    const unsigned own = context.getInstanceIndex(), count = context.getNumInstances();
    std::vector<float> parts(1000);
    std::vector<int> numbers(3, static_cast<int>(own) - 5);
    for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i] = 1.0f / (1.0f + static_cast<float>(i) * 7 + static_cast<float>(own));
    const std::vector<float> sum = allReduceSum(parts);
    int expected = 0;
    float first = 0;
    for (unsigned k = 0; k < count; ++k) {
        first += 1.0f / (1.0f + static_cast<float>(k));
        expected += static_cast<int>(k) - 5;
    }
    expect(sum[0] == first, "a sum in another order");
    expect(allReduceSum(numbers) == std::vector<int>(3, expected), "a sum of negative numbers");
    const std::vector<float> all = allGather(sum);
    for (unsigned k = 0; k < count; ++k)
        expect(std::memcmp(&all[k * sum.size()], sum.data(), sum.size() * sizeof(float)) == 0, "other bits elsewhere");
}

// An engine of four replicas, which the instances share.
static void engine()
{
    const Device device = Device::createCPUDevice();
    Graph graph(device.getTarget(), replication_factor(4));
    Tensor number = graph.addReplicationIndexConstant("number"), left = graph.addVariable(UNSIGNED_INT, {}, "left");
    graph.setTileMapping(number, 0);
    graph.setTileMapping(left, 0);
    graph.createHostRead("left", left);
    Engine runs(graph, { program::CrossReplicaCopy(number, left, { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 } }) });
    runs.load(device);
    popdist::run(runs, 0, "round");
    unsigned got[4];
    runs.readTensor("left", got, got + 4);
    expect(got[0] == 3 && got[1] == 0 && got[2] == 1 && got[3] == 2, "the replicas' numbers");
    if (popdist::getNumInstances() == 1)
        return;
    try {
        popdist::run(runs, popdist::getInstanceIndex());
        expect(false, "different programs ran");
    } catch (const poplar_error &error) {
        expect(std::string(error.what()).find("runs program") != std::string::npos, error.what());
    }
}

int main()
{
    const popdist::Context context;
    const unsigned own = context.getInstanceIndex(), count = context.getNumInstances();
    unsigned start = own * 10 + 1;
    popdist::collectives::broadcast(&start, 1, count - 1);
    expect(start == (count - 1) * 10 + 1, "what the last instance broadcast");
    const std::vector<unsigned> firsts =
        allGather(std::vector<unsigned>{ context.getReplicaIndexOffset(), context.getNumLocalReplicas() });
    unsigned next = 0;
    for (unsigned k = 0; k < count; ++k) {
        expect(firsts[2 * k] == next, "the replicas are shared with gaps");
        next += firsts[2 * k + 1];
    }
    expect(next == context.getNumTotalReplicas(), "the replicas do not add up");
    sums(context);
    engine();
    if (own == 0 && !wrong)
        std::printf("%u instances, %u replicas: right\n", count, next);
    return wrong != 0;
}
