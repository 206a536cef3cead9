// SPDX-License-Identifier: Apache-2.0
// Collective operations of replicas, and of the IPUs of a replica (gcl/collectives.h). Names without CrossReplica and
// WithinReplica are those of earlier releases; without a group a call involves all replicas.
#ifndef GCL_COLLECTIVES_HPP
#define GCL_COLLECTIVES_HPP

#include <gcl/collectives.h>
#include <istream>
#include <ostream>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/CollectiveTypes.hpp>
#include <popops/TensorCollectives.hpp>
#include <poputil/detail/call.hpp>
#include <vector>

#ifndef GCL_NO_DISCARD
#define GCL_NO_DISCARD
#endif

namespace gcl
{

using popops::Chunk;
using popops::Chunks;
using popops::CollectiveOperator;
using popops::operationToCollectiveOperator;

// How groups of replicas are formed (popops_group_type).
enum class CommGroupType { ALL, CONSECUTIVE, ORTHOGONAL };

// The groups of replicas that communicate: all, groups of `size` consecutive replicas (or replicas a stride apart), or
// of `size` replicas with the largest possible distance.
struct CommGroup {
    CommGroup() = default;
    // Groups of groupSize replicas; see above for the stride.
    CommGroup(CommGroupType groupType, unsigned groupSize, unsigned replicaStride = 1)
        : mReplicaGroupType(groupType), mReplicaGroupSize(groupSize), mReplicaGroupStride(replicaStride)
    {
    }
    // How groups are formed.
    CommGroupType type() const
    {
        return mReplicaGroupType;
    }
    // Replicas of a group; 0: all.
    unsigned replicaGroupSize() const
    {
        return mReplicaGroupSize;
    }
    // Distance of the replicas of a group.
    unsigned stride() const
    {
        return mReplicaGroupStride;
    }
    popops_replica_group c() const
    {
        return { static_cast<popops_group_type>(mReplicaGroupType), mReplicaGroupSize, mReplicaGroupStride };
    } // the C interface's form

  protected:
    CommGroupType mReplicaGroupType = CommGroupType::ALL;
    unsigned mReplicaGroupSize = 0;
    unsigned mReplicaGroupStride = 1;
};

inline std::ostream &operator<<(std::ostream &out, CommGroupType type)
{
    static const char *const names[] = { "ALL", "CONSECUTIVE", "ORTHOGONAL" };
    return out << names[static_cast<int>(type)];
}
inline std::ostream &operator<<(std::ostream &out, const CommGroup &group)
{
    return out << "CommGroup(type=" << group.type() << ", size=" << group.replicaGroupSize()
               << ", stride=" << group.stride() << ")";
}

namespace detail
{

typedef const poplar::DebugContext &Context;
typedef const poplar::OptionFlags &Options;
typedef poplar::program::Sequence &Sequence;
typedef std::vector<poplar::Tensor> Tensors;

inline popops_collective_operator of(CollectiveOperator op)
{
    return static_cast<popops_collective_operator>(op);
}
inline poplar::Tensor allReduce(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op, Sequence prog,
                                const CommGroup &group, Context context, Options options)
{
    return poputil::detail::give(
        graph.c(), popops_group_all_reduce_at(poplar::detail::where(context), graph.c(), data.c(), of(op), group.c(),
                                              prog.cToGrow(graph.c()), poplar::detail::name(context),
                                              poplar::detail::Options(options)));
}
inline void allReduceTo(poplar::Graph &graph, const poplar::Tensor &data, const poplar::Tensor &output,
                        CollectiveOperator op, Sequence prog, const CommGroup &group, Context context, Options options)
{
    popops_group_all_reduce_with_output_at(poplar::detail::where(context), graph.c(), data.c(), output.c(), of(op),
                                           group.c(), prog.cToGrow(graph.c()), poplar::detail::name(context),
                                           poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline poplar::Tensor reduceScatter(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                    Sequence prog, const CommGroup &group, Context context, Options options)
{
    return poputil::detail::give(
        graph.c(), popops_group_reduce_scatter_at(poplar::detail::where(context), graph.c(), data.c(), of(op),
                                                  group.c(), prog.cToGrow(graph.c()), poplar::detail::name(context),
                                                  poplar::detail::Options(options)));
}
inline poplar::Tensor allGather(poplar::Graph &graph, const poplar::Tensor &data, Sequence prog, const CommGroup &group,
                                Context context, Options options)
{
    return poputil::detail::give(graph.c(), popops_group_all_gather_at(poplar::detail::where(context), graph.c(),
                                                                       data.c(), group.c(), prog.cToGrow(graph.c()),
                                                                       poplar::detail::name(context),
                                                                       poplar::detail::Options(options)));
}
inline poplar::Tensor allToAll(poplar::Graph &graph, const poplar::Tensor &data, Sequence prog, const CommGroup &group,
                               Context context, Options options)
{
    return poputil::detail::give(graph.c(), popops_group_all_to_all_at(poplar::detail::where(context), graph.c(),
                                                                       data.c(), group.c(), prog.cToGrow(graph.c()),
                                                                       poplar::detail::name(context),
                                                                       poplar::detail::Options(options)));
}
inline void copyTo(const poplar::Tensor &from, const poplar::Tensor &to, Sequence prog, Context context)
{
    prog.add(poplar::program::Copy(from.flatten(), to.flatten(), false, context));
}

} // namespace detail

// Each call with and without a group.
#define GCL_CONTEXT const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}

// ---- all-reduce ----

// Reduces data over the replicas of a group (without one: of all); each of them gets the result.
inline poplar::Tensor allReduceCrossReplica(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                            poplar::program::Sequence &prog, const CommGroup &group, GCL_CONTEXT)
{
    return detail::allReduce(graph, data, op, prog, group, debugContext, options);
}
inline poplar::Tensor allReduceCrossReplica(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                            poplar::program::Sequence &prog, GCL_CONTEXT)
{
    return detail::allReduce(graph, data, op, prog, CommGroup(), debugContext, options);
}
inline detail::Tensors allReduceCrossReplica(poplar::Graph &graph, const detail::Tensors &data, CollectiveOperator op,
                                             poplar::program::Sequence &prog, const CommGroup &group, GCL_CONTEXT)
{
    detail::Tensors results;
    for (const poplar::Tensor &t : data)
        results.push_back(detail::allReduce(graph, t, op, prog, group, debugContext, options));
    return results;
}
inline detail::Tensors allReduceCrossReplica(poplar::Graph &graph, const detail::Tensors &data, CollectiveOperator op,
                                             poplar::program::Sequence &prog, GCL_CONTEXT)
{
    return allReduceCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}
inline void allReduceToDestinationCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                               poplar::Tensor &destination, CollectiveOperator op,
                                               poplar::program::Sequence &prog, const CommGroup &group, GCL_CONTEXT)
{
    detail::allReduceTo(graph, data, destination, op, prog, group, debugContext, options);
}
inline void allReduceToDestinationCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                               poplar::Tensor &destination, CollectiveOperator op,
                                               poplar::program::Sequence &prog, GCL_CONTEXT)
{
    detail::allReduceTo(graph, data, destination, op, prog, CommGroup(), debugContext, options);
}
inline void allReduceToDestinationCrossReplica(poplar::Graph &graph, const detail::Tensors &data,
                                               const detail::Tensors &destinations, CollectiveOperator op,
                                               poplar::program::Sequence &prog, const CommGroup &group, GCL_CONTEXT)
{
    for (std::size_t i = 0; i < data.size(); ++i)
        detail::allReduceTo(graph, data[i], destinations.at(i), op, prog, group, debugContext, options);
}
inline void allReduceToDestinationCrossReplica(poplar::Graph &graph, const detail::Tensors &data,
                                               const detail::Tensors &destinations, CollectiveOperator op,
                                               poplar::program::Sequence &prog, GCL_CONTEXT)
{
    allReduceToDestinationCrossReplica(graph, data, destinations, op, prog, CommGroup(), debugContext, options);
}
// Reduces data over the replicas of a group, in place.
inline void allReduceInPlaceCrossReplica(poplar::Graph &graph, poplar::Tensor &data, CollectiveOperator op,
                                         poplar::program::Sequence &prog, const CommGroup &group, GCL_CONTEXT)
{
    detail::allReduceTo(graph, data, data, op, prog, group, debugContext, options);
}
// Reduces data over the replicas of a group, in place.
inline void allReduceInPlaceCrossReplica(poplar::Graph &graph, poplar::Tensor &data, CollectiveOperator op,
                                         poplar::program::Sequence &prog, GCL_CONTEXT)
{
    detail::allReduceTo(graph, data, data, op, prog, CommGroup(), debugContext, options);
}
// Reduces each tensor over the replicas of a group, in place.
inline void allReduceInPlaceCrossReplica(poplar::Graph &graph, detail::Tensors &data, CollectiveOperator op,
                                         poplar::program::Sequence &prog, const CommGroup &group, GCL_CONTEXT)
{
    for (poplar::Tensor &t : data)
        detail::allReduceTo(graph, t, t, op, prog, group, debugContext, options);
}
// Reduces each tensor over the replicas of a group, in place.
inline void allReduceInPlaceCrossReplica(poplar::Graph &graph, detail::Tensors &data, CollectiveOperator op,
                                         poplar::program::Sequence &prog, GCL_CONTEXT)
{
    allReduceInPlaceCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}

// ---- reduce-scatter ----

inline poplar::Tensor reduceScatterCrossReplica(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                                poplar::program::Sequence &prog, const CommGroup &group, GCL_CONTEXT)
{
    return detail::reduceScatter(graph, data, op, prog, group, debugContext, options);
}
inline poplar::Tensor reduceScatterCrossReplica(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                                poplar::program::Sequence &prog, GCL_CONTEXT)
{
    return detail::reduceScatter(graph, data, op, prog, CommGroup(), debugContext, options);
}
inline detail::Tensors reduceScatterCrossReplica(poplar::Graph &graph, const detail::Tensors &data,
                                                 CollectiveOperator op, poplar::program::Sequence &prog,
                                                 const CommGroup &group, GCL_CONTEXT)
{
    detail::Tensors results;
    for (const poplar::Tensor &t : data)
        results.push_back(detail::reduceScatter(graph, t, op, prog, group, debugContext, options));
    return results;
}
inline detail::Tensors reduceScatterCrossReplica(poplar::Graph &graph, const detail::Tensors &data,
                                                 CollectiveOperator op, poplar::program::Sequence &prog, GCL_CONTEXT)
{
    return reduceScatterCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}
// Reduces each tensor over the replicas of a group; each replica's part is written to its destination.
inline void reduceScatterToDestinationCrossReplica(poplar::Graph &graph, const detail::Tensors &data,
                                                   const detail::Tensors &destinations, CollectiveOperator op,
                                                   poplar::program::Sequence &prog, const CommGroup &group, GCL_CONTEXT)
{
    for (std::size_t i = 0; i < data.size(); ++i)
        detail::copyTo(detail::reduceScatter(graph, data[i], op, prog, group, debugContext, options),
                       destinations.at(i), prog, debugContext);
}

// ---- all-gather ----

inline poplar::Tensor allGatherCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                            poplar::program::Sequence &prog, const CommGroup &group, GCL_CONTEXT)
{
    return detail::allGather(graph, data, prog, group, debugContext, options);
}
inline poplar::Tensor allGatherCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                            poplar::program::Sequence &prog, GCL_CONTEXT)
{
    return detail::allGather(graph, data, prog, CommGroup(), debugContext, options);
}
inline detail::Tensors allGatherCrossReplica(poplar::Graph &graph, const detail::Tensors &data,
                                             poplar::program::Sequence &prog, const CommGroup &group, GCL_CONTEXT)
{
    detail::Tensors results;
    for (const poplar::Tensor &t : data)
        results.push_back(detail::allGather(graph, t, prog, group, debugContext, options));
    return results;
}
inline detail::Tensors allGatherCrossReplica(poplar::Graph &graph, const detail::Tensors &data,
                                             poplar::program::Sequence &prog, GCL_CONTEXT)
{
    return allGatherCrossReplica(graph, data, prog, CommGroup(), debugContext, options);
}
// The tensors of all replicas of a group, written to destinations.
inline void allGatherToDestinationCrossReplica(poplar::Graph &graph, const detail::Tensors &data,
                                               const detail::Tensors &destinations, poplar::program::Sequence &prog,
                                               const CommGroup &group, GCL_CONTEXT)
{
    for (std::size_t i = 0; i < data.size(); ++i)
        detail::copyTo(detail::allGather(graph, data[i], prog, group, debugContext, options), destinations.at(i), prog,
                       debugContext);
}

// ---- all-to-all, broadcast ----

inline poplar::Tensor allToAllCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                           poplar::program::Sequence &prog, const CommGroup &group, GCL_CONTEXT)
{
    return detail::allToAll(graph, data, prog, group, debugContext, options);
}
inline poplar::Tensor allToAllCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                           poplar::program::Sequence &prog, GCL_CONTEXT)
{
    return detail::allToAll(graph, data, prog, CommGroup(), debugContext, options);
}
inline poplar::Tensor broadcastCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                            poplar::program::Sequence &prog, const CommGroup &group = CommGroup(),
                                            unsigned rootReplica = 0, GCL_CONTEXT)
{
    return poputil::detail::give(
        graph.c(), popops_group_broadcast_at(poplar::detail::where(debugContext), graph.c(), data.c(), rootReplica,
                                             group.c(), prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                             poplar::detail::Options(options)));
}

// ---- within a replica: among its IPUs ----

inline poplar::Tensor allReduceWithinReplica(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                             poplar::program::Sequence &prog, GCL_CONTEXT)
{
    return popops::allReduce(graph, data, op, prog, debugContext, options);
}
inline Chunks reduceScatterWithinReplica(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                         poplar::program::Sequence &prog, GCL_CONTEXT)
{
    return popops::reduceScatter(graph, data, op, prog, debugContext, options);
}
inline poplar::Tensor allGatherWithinReplica(poplar::Graph &graph, const Chunks &chunks,
                                             poplar::program::Sequence &prog, GCL_CONTEXT)
{
    return popops::allGather(graph, chunks, prog, debugContext, options);
}

// ---- names of releases before 2.3 ----

inline poplar::Tensor allReduce(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                poplar::program::Sequence &prog, const CommGroup &group, GCL_CONTEXT)
{
    return detail::allReduce(graph, data, op, prog, group, debugContext, options);
}
inline poplar::Tensor allReduce(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                poplar::program::Sequence &prog, GCL_CONTEXT)
{
    return detail::allReduce(graph, data, op, prog, CommGroup(), debugContext, options);
}
inline poplar::Tensor allReduce(poplar::Graph &graph, const poplar::Tensor &data, popops::Operation op,
                                poplar::program::Sequence &prog, GCL_CONTEXT)
{
    return detail::allReduce(graph, data, operationToCollectiveOperator(op), prog, CommGroup(), debugContext, options);
}
inline void allReduceToDestination(poplar::Graph &graph, const poplar::Tensor &data, poplar::Tensor &destination,
                                   CollectiveOperator op, poplar::program::Sequence &prog, GCL_CONTEXT)
{
    detail::allReduceTo(graph, data, destination, op, prog, CommGroup(), debugContext, options);
}
inline void allReduceToDestination(poplar::Graph &graph, const poplar::Tensor &data, poplar::Tensor &destination,
                                   CollectiveOperator op, poplar::program::Sequence &prog, const CommGroup &group,
                                   GCL_CONTEXT)
{
    detail::allReduceTo(graph, data, destination, op, prog, group, debugContext, options);
}
// allReduceInPlaceCrossReplica, under its older name.
inline void allReduceInPlace(poplar::Graph &graph, poplar::Tensor &data, popops::Operation op,
                             poplar::program::Sequence &prog, GCL_CONTEXT)
{
    detail::allReduceTo(graph, data, data, operationToCollectiveOperator(op), prog, CommGroup(), debugContext, options);
}
// allReduceInPlaceCrossReplica, under its older name.
inline void allReduceInPlace(poplar::Graph &graph, poplar::Tensor &data, CollectiveOperator op,
                             poplar::program::Sequence &prog, const CommGroup &group, GCL_CONTEXT)
{
    detail::allReduceTo(graph, data, data, op, prog, group, debugContext, options);
}
// allReduceInPlaceCrossReplica, under its older name.
inline void allReduceInPlace(poplar::Graph &graph, poplar::Tensor &data, CollectiveOperator op,
                             poplar::program::Sequence &prog, GCL_CONTEXT)
{
    detail::allReduceTo(graph, data, data, op, prog, CommGroup(), debugContext, options);
}
inline poplar::Tensor reduceScatter(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                    poplar::program::Sequence &prog, const CommGroup &group, GCL_CONTEXT)
{
    return detail::reduceScatter(graph, data, op, prog, group, debugContext, options);
}
inline poplar::Tensor reduceScatter(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                    poplar::program::Sequence &prog, GCL_CONTEXT)
{
    return detail::reduceScatter(graph, data, op, prog, CommGroup(), debugContext, options);
}
inline poplar::Tensor reduceScatter(poplar::Graph &graph, const poplar::Tensor &data, popops::Operation op,
                                    poplar::program::Sequence &prog, GCL_CONTEXT)
{
    return detail::reduceScatter(graph, data, operationToCollectiveOperator(op), prog, CommGroup(), debugContext,
                                 options);
}
inline poplar::Tensor allGather(poplar::Graph &graph, const poplar::Tensor &data, poplar::program::Sequence &prog,
                                const CommGroup &group, GCL_CONTEXT)
{
    return detail::allGather(graph, data, prog, group, debugContext, options);
}
inline poplar::Tensor allGather(poplar::Graph &graph, const poplar::Tensor &data, poplar::program::Sequence &prog,
                                GCL_CONTEXT)
{
    return detail::allGather(graph, data, prog, CommGroup(), debugContext, options);
}
inline poplar::Tensor allToAll(poplar::Graph &graph, const poplar::Tensor &data, poplar::program::Sequence &prog,
                               const CommGroup &group, GCL_CONTEXT)
{
    return detail::allToAll(graph, data, prog, group, debugContext, options);
}
inline poplar::Tensor allToAll(poplar::Graph &graph, const poplar::Tensor &data, poplar::program::Sequence &prog,
                               GCL_CONTEXT)
{
    return detail::allToAll(graph, data, prog, CommGroup(), debugContext, options);
}
#undef GCL_CONTEXT

} // namespace gcl
#endif
