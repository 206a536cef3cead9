// SPDX-License-Identifier: Apache-2.0
// From a model to a Poplar graph and its programs.
#ifndef FRAMEWORK_LOWERING_HPP
#define FRAMEWORK_LOWERING_HPP

#include "lower_operators.hpp"

#include <popef/Types.hpp>

#include <memory>

namespace framework
{

// Numbers of an executable's programs.
enum Programs : unsigned { StateFromHost, TrainStep, StateToHost, Evaluate, NumPrograms };

class Lowering
{
  public:
    // The graph has the replicas; a step has this many micro batches in each of them.
    Lowering(const Ir &model, poplar::Graph &of, unsigned microBatches);

    // One for each of Programs.
    const std::vector<poplar::program::Program> &programs() const
    {
        return made;
    }
    // The streams, by the names of the values that they transfer.
    const std::vector<popef::Anchor> &anchors() const
    {
        return streams;
    }
    // How the host divides a parameter's states.
    std::map<std::string, gcl::CollectiveBalancedHostRearrangement> divisions();
    // The records of the operators; keep them until the engine has ended.
    std::vector<std::unique_ptr<OpDebugInfo>> takeDebugInfo()
    {
        return std::move(records);
    }

  private:
    const Ir &ir;
    poplar::Graph &graph;
    Tensors tensors;
    std::map<unsigned, const OpDebugInfo *> recordOf; // of an operator's number: it can be lowered several times
    std::vector<std::unique_ptr<OpDebugInfo>> records;
    std::vector<popef::Anchor> streams;
    std::vector<poplar::program::Program> made;

    void lower(const Op &op, poplar::program::Sequence &sequence);
    void lowerAll(Phase phase, poplar::program::Sequence &sequence);
    poplar::program::Sequence fromHost(const std::string &name, const std::string &handle, Programs program,
                                       unsigned transfers);
    poplar::program::Sequence toHost(const std::string &name, const std::string &handle, Programs program,
                                     unsigned transfers);
    void addAnchor(const std::string &name, const std::string &handle, popef::TensorType direction, Programs program,
                   unsigned transfers);
    poplar::program::Sequence stateFromHost();
    poplar::program::Sequence stateToHost();
    poplar::program::Sequence trainStep(const poplar::Function &forward, unsigned microBatches);
    poplar::program::Sequence evaluate(const poplar::Function &forward);
};

} // namespace framework
#endif
