// SPDX-License-Identifier: Apache-2.0
#include "lowering.hpp"

#include <poplin/codelets.hpp>
#include <popnn/codelets.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>

namespace framework
{

using poplar::program::Call;
using poplar::program::Copy;
using poplar::program::Repeat;
using poplar::program::Sequence;

Lowering::Lowering(const Ir &model, poplar::Graph &of, unsigned microBatches) : ir(model), graph(of), tensors(model, of)
{
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    popnn::addCodelets(graph);
    tensors.declareAll();
    Sequence body; // training and evaluation call one function: its code is in the executable once
    lowerAll(Phase::Forward, body);
    const poplar::Function forward = graph.addFunction(body);
    made.resize(NumPrograms);
    made[StateFromHost] = stateFromHost();
    made[TrainStep] = trainStep(forward, microBatches);
    made[StateToHost] = stateToHost();
    made[Evaluate] = evaluate(forward);
}

void Lowering::lower(const Op &op, Sequence &sequence)
{
    const OpDebugInfo *&record = recordOf[op.id];
    if (!record) {
        records.emplace_back(new OpDebugInfo(ir, op));
        record = records.back().get();
    }
    lowerOperator({ ir, op, tensors, graph, sequence, *record });
}

void Lowering::lowerAll(Phase phase, Sequence &sequence)
{
    for (const Op &op : ir.ops(phase))
        lower(op, sequence);
}

// ---- streams ----

static popef::DataType dataType(const poplar::Type &type)
{
    return type == poplar::FLOAT  ? popef::DataType::F32
           : type == poplar::HALF ? popef::DataType::F16
                                  : popef::DataType::U32;
}

void Lowering::addAnchor(const std::string &name, const std::string &handle, popef::TensorType direction,
                         Programs program, unsigned transfers)
{
    const poplar::Tensor &tensor = tensors[name];
    const std::vector<std::size_t> shape = tensor.shape();
    popef::Anchor anchor;
    anchor.setName(name);
    anchor.setHandle(handle);
    anchor.setType(direction);
    anchor.setTensorInfo({ dataType(tensor.elementType()), { shape.begin(), shape.end() } });
    anchor.setIsPerReplica(name != "scalars");
    anchor.setPrograms({ program });
    anchor.setUpdatesPerRun(transfers);
    streams.push_back(anchor);
}

Sequence Lowering::fromHost(const std::string &name, const std::string &handle, Programs program, unsigned transfers)
{
    const poplar::Tensor &tensor = tensors[name];
    const auto mode =
        name == "scalars" ? poplar::ReplicatedStreamMode::BROADCAST : poplar::ReplicatedStreamMode::REPLICATE;
    addAnchor(name, handle, popef::TensorType::INPUT, program, transfers);
    return Sequence({ Copy(graph.addHostToDeviceFIFO(handle, tensor.elementType(), tensor.numElements(), mode), tensor,
                           false, { handle }) });
}

Sequence Lowering::toHost(const std::string &name, const std::string &handle, Programs program, unsigned transfers)
{
    const poplar::Tensor &tensor = tensors[name];
    addAnchor(name, handle, popef::TensorType::OUTPUT, program, transfers);
    return Sequence({ Copy(tensor, graph.addDeviceToHostFIFO(handle, tensor.elementType(), tensor.numElements()), false,
                           { handle }) });
}

// ---- programs ----

// The states, and the parameters from them.
Sequence Lowering::stateFromHost()
{
    Sequence sequence;
    for (const Value &state : ir.values(Role::State))
        sequence.add(fromHost(state.name, "from/" + state.name, StateFromHost, 1));
    for (const Value &accumulator : ir.values(Role::Accumulator))
        popops::zero(graph, tensors[accumulator.name], sequence, accumulator.name + "/zero");
    for (const Op &op : ir.ops(Phase::Update))
        if (op.type == "AllGather")
            lower(op, sequence);
    return sequence;
}

Sequence Lowering::stateToHost()
{
    Sequence sequence;
    for (const Value &state : ir.values(Role::State))
        sequence.add(toHost(state.name, "to/" + state.name, StateToHost, 1));
    return sequence;
}

Sequence Lowering::trainStep(const poplar::Function &forward, unsigned microBatches)
{
    Sequence micro;
    for (const Value &input : ir.values(Role::Input))
        micro.add(fromHost(input.name, "train/" + input.name, TrainStep, microBatches));
    micro.add(Call(forward, "forward"));
    lowerAll(Phase::Backward, micro);
    micro.add(toHost("loss", "train/loss", TrainStep, microBatches));

    Sequence step = fromHost("scalars", "train/scalars", TrainStep, 1);
    step.add(Repeat(microBatches, micro, "microBatches"));
    lowerAll(Phase::Update, step);
    return step;
}

Sequence Lowering::evaluate(const poplar::Function &forward)
{
    Sequence sequence;
    for (const Value &input : ir.values(Role::Input))
        sequence.add(fromHost(input.name, "evaluate/" + input.name, Evaluate, 1));
    sequence.add(Call(forward, "forward"));
    sequence.add(toHost("prediction", "evaluate/prediction", Evaluate, 1));
    return sequence;
}

std::map<std::string, gcl::CollectiveBalancedHostRearrangement> Lowering::divisions()
{
    std::map<std::string, gcl::CollectiveBalancedHostRearrangement> all;
    for (const auto &entry : tensors.divisions())
        all[entry.first] = entry.second->getHostRearrangement();
    return all;
}

} // namespace framework
