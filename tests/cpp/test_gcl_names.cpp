// SPDX-License-Identifier: Apache-2.0
// Each name of the communication library and of the collectives of popops before it, with its arguments: a
// row that does not compile is a missing name.
#include <gcl/CollectiveBalancedReorder.hpp>
#include <gcl/Collectives.hpp>
#include <gcl/TileAllocation.hpp>
#include <popops/Collectives.hpp>
#include <popops/TensorCollectives.hpp>

#include "check.hpp"

#include <sstream>
#include <type_traits>

using namespace poplar;
typedef Graph &G;
typedef const Tensor &T;
typedef const std::vector<Tensor> &VT;
typedef std::vector<Tensor> V;
typedef program::Sequence &P;
typedef const gcl::CommGroup &Group;
typedef gcl::CollectiveOperator Op;
typedef popops::Operation OldOp;
#define TAIL const DebugContext &, const OptionFlags &

// Checks that a function has these arguments and this result.
#define HAS(result, function, ...) CHECK(static_cast<result (*)(__VA_ARGS__)>(&function) != nullptr)

TEST(collectives_across_replicas)
{
    HAS(Tensor, gcl::allReduceCrossReplica, G, T, Op, P, Group, TAIL);
    HAS(Tensor, gcl::allReduceCrossReplica, G, T, Op, P, TAIL);
    HAS(V, gcl::allReduceCrossReplica, G, VT, Op, P, Group, TAIL);
    HAS(V, gcl::allReduceCrossReplica, G, VT, Op, P, TAIL);
    HAS(void, gcl::allReduceToDestinationCrossReplica, G, T, Tensor &, Op, P, Group, TAIL);
    HAS(void, gcl::allReduceToDestinationCrossReplica, G, T, Tensor &, Op, P, TAIL);
    HAS(void, gcl::allReduceToDestinationCrossReplica, G, VT, VT, Op, P, Group, TAIL);
    HAS(void, gcl::allReduceToDestinationCrossReplica, G, VT, VT, Op, P, TAIL);
    HAS(void, gcl::allReduceInPlaceCrossReplica, G, Tensor &, Op, P, Group, TAIL);
    HAS(void, gcl::allReduceInPlaceCrossReplica, G, Tensor &, Op, P, TAIL);
    HAS(void, gcl::allReduceInPlaceCrossReplica, G, V &, Op, P, Group, TAIL);
    HAS(void, gcl::allReduceInPlaceCrossReplica, G, V &, Op, P, TAIL);
    HAS(Tensor, gcl::reduceScatterCrossReplica, G, T, Op, P, Group, TAIL);
    HAS(Tensor, gcl::reduceScatterCrossReplica, G, T, Op, P, TAIL);
    HAS(V, gcl::reduceScatterCrossReplica, G, VT, Op, P, Group, TAIL);
    HAS(V, gcl::reduceScatterCrossReplica, G, VT, Op, P, TAIL);
    HAS(void, gcl::reduceScatterToDestinationCrossReplica, G, VT, VT, Op, P, Group, TAIL);
    HAS(Tensor, gcl::allGatherCrossReplica, G, T, P, Group, TAIL);
    HAS(Tensor, gcl::allGatherCrossReplica, G, T, P, TAIL);
    HAS(V, gcl::allGatherCrossReplica, G, VT, P, Group, TAIL);
    HAS(V, gcl::allGatherCrossReplica, G, VT, P, TAIL);
    HAS(void, gcl::allGatherToDestinationCrossReplica, G, VT, VT, P, Group, TAIL);
    HAS(Tensor, gcl::allToAllCrossReplica, G, T, P, Group, TAIL);
    HAS(Tensor, gcl::allToAllCrossReplica, G, T, P, TAIL);
    HAS(Tensor, gcl::broadcastCrossReplica, G, T, P, Group, unsigned, TAIL);
}

TEST(names_of_earlier_releases)
{
    HAS(Tensor, gcl::allReduce, G, T, Op, P, Group, TAIL);
    HAS(Tensor, gcl::allReduce, G, T, Op, P, TAIL);
    HAS(Tensor, gcl::allReduce, G, T, OldOp, P, TAIL);
    HAS(void, gcl::allReduceToDestination, G, T, Tensor &, Op, P, Group, TAIL);
    HAS(void, gcl::allReduceToDestination, G, T, Tensor &, Op, P, TAIL);
    HAS(void, gcl::allReduceInPlace, G, Tensor &, Op, P, Group, TAIL);
    HAS(void, gcl::allReduceInPlace, G, Tensor &, Op, P, TAIL);
    HAS(void, gcl::allReduceInPlace, G, Tensor &, OldOp, P, TAIL);
    HAS(Tensor, gcl::reduceScatter, G, T, Op, P, Group, TAIL);
    HAS(Tensor, gcl::reduceScatter, G, T, Op, P, TAIL);
    HAS(Tensor, gcl::reduceScatter, G, T, OldOp, P, TAIL);
    HAS(Tensor, gcl::allGather, G, T, P, Group, TAIL);
    HAS(Tensor, gcl::allGather, G, T, P, TAIL);
    HAS(Tensor, gcl::allToAll, G, T, P, Group, TAIL);
    HAS(Tensor, gcl::allToAll, G, T, P, TAIL);
    HAS(Tensor, popops::replicatedAllReduce, G, T, Op, P, TAIL);
    HAS(Tensor, popops::replicatedAllReduce, G, T, OldOp, P, TAIL);
    HAS(Tensor, popops::replicatedAllReduce, G, G, T, Op, P, TAIL);
    HAS(Tensor, popops::replicatedAllReduce, G, G, T, OldOp, P, TAIL);
    HAS(void, popops::replicatedAllReduceWithOutput, G, T, Tensor &, Op, P, TAIL);
    HAS(void, popops::replicatedAllReduceWithOutput, G, T, Tensor &, OldOp, P, TAIL);
    HAS(void, popops::replicatedAllReduceInPlace, G, Tensor &, Op, P, TAIL);
    HAS(void, popops::replicatedAllReduceInPlace, G, Tensor &, OldOp, P, TAIL);
    HAS(Tensor, popops::replicatedReduceScatter, G, T, Op, P, TAIL);
    HAS(Tensor, popops::replicatedReduceScatter, G, T, OldOp, P, TAIL);
    HAS(Tensor, popops::replicatedAllGather, G, T, P, TAIL);
    HAS(Tensor, popops::allToAllPersonalizedExchange, G, T, P, TAIL);
}

TEST(collectives_within_a_replica)
{
    HAS(Tensor, gcl::allReduceWithinReplica, G, T, Op, P, TAIL);
    HAS(gcl::Chunks, gcl::reduceScatterWithinReplica, G, T, Op, P, TAIL);
    HAS(Tensor, gcl::allGatherWithinReplica, G, const gcl::Chunks &, P, TAIL);
    HAS(Tensor, popops::allReduce, G, T, Op, P, TAIL);
    HAS(Tensor, popops::allReduce, G, T, OldOp, P, TAIL);
    HAS(popops::Chunks, popops::reduceScatter, G, T, Op, P, TAIL);
    HAS(popops::Chunks, popops::reduceScatter, G, T, OldOp, P, TAIL);
    HAS(Tensor, popops::allGather, G, const popops::Chunks &, P, TAIL);
}

TEST(types)
{
    CHECK((std::is_same<gcl::CollectiveOperator, popops::CollectiveOperator>::value &&
           std::is_same<gcl::Chunks, popops::Chunks>::value));
    gcl::CommGroup all, group{ gcl::CommGroupType::CONSECUTIVE, 2 }, apart{ gcl::CommGroupType::ORTHOGONAL, 4, 2 };
    CHECK(all.type() == gcl::CommGroupType::ALL && all.replicaGroupSize() == 0 && all.stride() == 1);
    CHECK(group.replicaGroupSize() == 2 && apart.stride() == 2);
    static const Op ops[] = { Op::ADD,         Op::MEAN,       Op::MUL,        Op::MIN,  Op::MAX,
                              Op::LOGICAL_AND, Op::LOGICAL_OR, Op::SQUARE_ADD, Op::LOCAL };
    for (Op op : ops) {
        std::stringstream text;
        Op again = op == Op::ADD ? Op::MEAN : Op::ADD;
        text << op;
        text >> again;
        CHECK(again == op);
    }
    CHECK(gcl::operationToCollectiveOperator(popops::Operation::SQUARE_ADD) == Op::SQUARE_ADD &&
          popops::operationToCollectiveOperator(popops::Operation::MAX) == Op::MAX);
    gcl::Chunk chunk, other(Tensor(), 3, 1);
    gcl::Chunks none, three(3);
    CHECK(chunk.index == 0 && chunk.offset == 0 && other.index == 3 && other.offset == 1 && none.chunks.empty() &&
          three.chunks.size() == 3 && !three.originalInput.valid());
}

TEST(tiles_and_reorder)
{
    typedef gcl::CollectiveBalancedReorder Reorder;
    typedef gcl::CollectiveBalancedHostRearrangement Host;
    HAS(unsigned, gcl::getMinIoTiles, const Graph &);
    HAS(std::vector<unsigned>, gcl::perIPUTiles, const Graph &, unsigned, unsigned, bool, bool);
    HAS(unsigned, gcl::getNumXBsUsed, void);
    CHECK(gcl::MIN_IO_TILES == 32);
    CHECK((std::is_constructible<Reorder, Graph &, Tensor, unsigned, const DebugNameAndId &>::value &&
           std::is_constructible<Reorder, Graph &, Tensor, unsigned, const DebugNameAndId &, bool, unsigned>::value));
    CHECK((std::is_same<decltype(std::declval<Reorder>().createReplicaSlice(FLOAT)), Tensor>::value &&
           std::is_same<decltype(std::declval<Reorder>().createCollectivesTensor(FLOAT, "")), Tensor>::value &&
           std::is_same<decltype(std::declval<const Reorder>().undoRearrangeForCollective(Tensor())), Tensor>::value &&
           std::is_convertible<decltype(std::declval<const Reorder>().getReferenceShape()),
                               std::vector<std::size_t>>::value &&
           std::is_same<decltype(std::declval<const Reorder>().getHostRearrangement()), const Host &>::value));
    Host host, copy(host);
    copy.setReplicationFactor(2);
    copy.setTotalElementsPerReplica(3);
    copy.setGatheredToRefSlices({ Interval(0, 5) });
    CHECK(copy.getNumRearrangedTensorElems() == 6 && copy.replicationFactor == copy.getReplicationFactor() &&
          copy.totalElementsPerReplica == copy.getTotalElementsPerReplica() &&
          copy.gatheredToRefSlices.size() == copy.getGatheredToRefSlices().size() && copy.elementMap.empty());
    const std::vector<int> in{ 1, 2, 3, 4, 5 };
    std::vector<int> gathered(6), again(5);
    copy.rearrangeForCollective(in, gathered);
    copy.undoRearrangeForCollective(gathered, again);
    CHECK(again == in);
    copy.rearrangeForCollective(in.data(), in.size() * sizeof(int), gathered.data(), gathered.size() * sizeof(int),
                                sizeof(int));
    copy.undoRearrangeForCollective(reinterpret_cast<const char *>(gathered.data()),
                                    reinterpret_cast<char *>(again.data()), static_cast<std::int64_t>(sizeof(int)));
    CHECK(again == in);
}

MAIN()
