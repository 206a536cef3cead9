// SPDX-License-Identifier: Apache-2.0
// The processes ("instances") of a program and their replicas.
//
// popdist is closed. Known from its public users are popdist::run(engine, program, name), collectives::allReduceSum,
// allGather and broadcast, defaultCommunicatorId, and the Python names getNumInstances, getInstanceIndex,
// getNumTotalReplicas, getNumLocalReplicas, getReplicaIndexOffset, isPopdistEnvSet. Header names, forms of arguments
// and all else are inferred.
#ifndef POPDIST_CONTEXT_HPP
#define POPDIST_CONTEXT_HPP

#include <popdist/popdist.h>
#include <poplar/detail/error.hpp>

#include <cstdlib>

namespace popdist
{

typedef unsigned CommunicatorId; // A set of instances that call together; there is one, of all.

// The set of all instances: as a value and as a function.
struct DefaultCommunicator {
    constexpr operator CommunicatorId() const
    {
        return 0;
    }
    constexpr CommunicatorId operator()() const
    {
        return 0;
    }
};
constexpr DefaultCommunicator defaultCommunicatorId{};

// This process among the instances.
class Context
{
  public:
    // Throws if mpirun started the program and its processes cannot work together.
    Context()
    {
        pop_error error;
        poplar::detail::check(popdist_context_get(&facts, &error), error);
    }
    unsigned getNumInstances() const
    {
        return facts.instances;
    }
    unsigned getInstanceIndex() const
    {
        return facts.instance;
    }
    // Replicas of all instances, and of this one.
    unsigned getNumTotalReplicas() const
    {
        return facts.total_replicas;
    }
    unsigned getNumLocalReplicas() const
    {
        return facts.replicas;
    }
    // The first replica of this instance.
    unsigned getReplicaIndexOffset() const
    {
        return facts.first_replica;
    }

  private:
    popdist_context facts;
};

// Number of processes that run together.
inline unsigned getNumInstances()
{
    return Context().getNumInstances();
}
// This process among them.
inline unsigned getInstanceIndex()
{
    return Context().getInstanceIndex();
}
// Replicas of all instances.
inline unsigned getNumTotalReplicas()
{
    return Context().getNumTotalReplicas();
}
inline unsigned getNumLocalReplicas()
{
    return Context().getNumLocalReplicas();
}
// The index of this instance's first replica among all.
inline unsigned getReplicaIndexOffset()
{
    return Context().getReplicaIndexOffset();
}
// Whether poprun's environment is there.
inline bool isPopdistEnvSet()
{
    return std::getenv("POPDIST_NUM_TOTAL_REPLICAS") != nullptr;
}

} // namespace popdist
#endif
