// SPDX-License-Identifier: Apache-2.0
// Recurrent layers of any cell: a loop over time steps that reads and writes the step's slices of sequences.
//
//     popnn::rnn::RnnParams params(FLOAT, batch, steps, { in, out });
//     Tensor x = popnn::rnn::createInputTensor(graph, params, 1, "x");
//     Tensor y = popnn::rnn::createOutputTensor(graph, params, 1, "y");
//     auto step = [&](Graph &g, const TimeStepState &, const RnnBatchwiseFlags &, std::vector<Tensor> &state,
//                     const RnnSlice &slice, std::vector<Tensor> &, Sequence *, const DebugNameAndId &name) {
//         Sequence body;
//         popops::addInPlace(g, state[0], slice.inputs[0], body, { name });
//         return body;
//     };
//     popnn::rnn::Rnn(graph, params, false, { initial }, { y, 0 }, { x }, nullptr, nullptr, {}, {}, prog, step, 1);
//
// The calls and the order of their arguments are those of 3.x (docs/libraries/popnn-recurrent.md).
#ifndef POPNN_RNN_HPP
#define POPNN_RNN_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popnn/detail/rnn_params.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace popnn
{
namespace rnn
{

// The layout of a sequence: grains of up to 16 units of one batch row, the same number on each tile; all steps of a
// grain are on one tile.
namespace detail
{

struct SequenceLayout {
    std::size_t grain, grains, perTile, used; // used: number of tiles in use

    SequenceLayout(const poplar::Graph &graph, std::size_t batch, std::size_t size)
        : grain(size % 16 == 0  ? 16
                : size % 8 == 0 ? 8
                : size % 4 == 0 ? 4
                : size % 2 == 0 ? 2
                                : 1),
          grains(size / grain * batch),
          perTile(std::max<std::size_t>(
              (grains + graph.getTarget().getNumTiles() - 1) / graph.getTarget().getNumTiles(), 1)),
          used(std::max<std::size_t>((grains + perTile - 1) / perTile, 1))
    {
    }
    std::size_t bytesPerTile(const poplar::Graph &graph, const poplar::Type &type) const
    {
        return perTile * grain * graph.getTarget().getTypeSize(type);
    }
};

// First step of a shard: all have the same number of steps, the last one what remains, which can be nothing.
inline std::size_t shardBegin(std::size_t steps, std::size_t shards, std::size_t shard)
{
    return std::min(steps, shard * ((steps + shards - 1) / shards));
}

// {rows, batch, size}. Each shard is on tiles of its own, as far as there are enough; layers of other sizes begin
// elsewhere.
inline poplar::Tensor createShard(poplar::Graph &graph, const RnnParams &params, std::size_t size, std::size_t rows,
                                  std::size_t shard, const poplar::DebugContext &debugContext)
{
    const SequenceLayout layout(graph, params.batchSize, size);
    const std::size_t tiles = graph.getTarget().getNumTiles(), stride = params.getMaxShards(graph),
                      seed =
                          poputil::chooseMappingOffset(tiles, { params.timeSteps, params.batchSize,
                                                                params.layerSizes.front(), params.layerSizes.back() });
    std::vector<poplar::Tensor> pieces;
    for (std::size_t t = 0; t < layout.used; ++t) {
        const std::size_t here = std::min(layout.perTile, layout.grains - t * layout.perTile);
        pieces.push_back(graph.addVariable(params.dataType, { rows, here, layout.grain }, debugContext));
        graph.setTileMapping(pieces.back(),
                             static_cast<unsigned>(((t + 1) * stride + tiles - 1 - shard % tiles + seed) % tiles));
    }
    return poplar::concat(pieces, 1)
        .reshape({ rows, size / layout.grain, params.batchSize, layout.grain })
        .dimShuffle({ 0, 2, 1, 3 })
        .reshape({ rows, params.batchSize, size });
}

} // namespace detail

inline std::size_t RnnParams::getInputBytesPerTile(const poplar::Graph &graph) const
{
    return detail::SequenceLayout(graph, batchSize, layerSizes.front()).bytesPerTile(graph, dataType);
}
inline std::size_t RnnParams::getOutputBytesPerTile(const poplar::Graph &graph) const
{
    return detail::SequenceLayout(graph, batchSize, layerSizes.back()).bytesPerTile(graph, dataType);
}
inline std::size_t RnnParams::getMaxShards(const poplar::Graph &graph) const
{
    const std::size_t used = std::max(detail::SequenceLayout(graph, batchSize, layerSizes.front()).used,
                                      detail::SequenceLayout(graph, batchSize, layerSizes.back()).used);
    return std::max<std::size_t>(graph.getTarget().getNumTiles() / used, 1);
}

// Creates a sequence of all steps, {steps multiple, batch, size}.
inline poplar::Tensor createRecurrentTensor(poplar::Graph &graph, const RnnParams &params, unsigned size,
                                            unsigned multiple, unsigned numShards,
                                            const poplar::DebugContext &debugContext = {})
{
    if (!numShards || numShards > params.timeSteps)
        throw poputil::poplibs_error(std::to_string(numShards) + " shards of " + std::to_string(params.timeSteps) +
                                     " time steps: each has one step or more");
    std::vector<poplar::Tensor> shards;
    for (std::size_t s = 0; s < numShards; ++s) {
        const std::size_t steps =
            detail::shardBegin(params.timeSteps, numShards, s + 1) - detail::shardBegin(params.timeSteps, numShards, s);
        if (steps)
            shards.push_back(detail::createShard(graph, params, size, steps * multiple, s, debugContext));
    }
    return poplar::concat(shards);
}
// Creates a sequence of all steps, {steps, batch, size}.
inline poplar::Tensor createRecurrentTensor(poplar::Graph &graph, const RnnParams &params, unsigned size,
                                            unsigned numShards, const poplar::DebugContext &debugContext = {})
{
    return createRecurrentTensor(graph, params, size, 1, numShards, debugContext);
}
// The input of a layer, {steps multiple, batch, size}, in shards of steps.
inline poplar::Tensor createInputTensor(poplar::Graph &graph, const RnnParams &params, unsigned multiple,
                                        unsigned numShards, const poplar::DebugContext &debugContext = {})
{
    return createRecurrentTensor(graph, params, static_cast<unsigned>(params.layerSizes.front()), multiple, numShards,
                                 debugContext);
}
inline poplar::Tensor createInputTensor(poplar::Graph &graph, const RnnParams &params, unsigned numShards,
                                        const poplar::DebugContext &debugContext = {})
{
    return createInputTensor(graph, params, 1, numShards, debugContext);
}
// The output of a layer, {steps multiple, batch, size}, in shards of steps.
inline poplar::Tensor createOutputTensor(poplar::Graph &graph, const RnnParams &params, unsigned multiple,
                                         unsigned numShards, const poplar::DebugContext &debugContext = {})
{
    return createRecurrentTensor(graph, params, static_cast<unsigned>(params.layerSizes.back()), multiple, numShards,
                                 debugContext);
}
inline poplar::Tensor createOutputTensor(poplar::Graph &graph, const RnnParams &params, unsigned numShards,
                                         const poplar::DebugContext &debugContext = {})
{
    return createOutputTensor(graph, params, 1, numShards, debugContext);
}
// Creates {multiple, batch, size} with the layout of a step of a sequence. numShards only affects sequences.
inline poplar::Tensor createInitialState(poplar::Graph &graph, const RnnParams &params, bool isOutput,
                                         unsigned multiple, unsigned numShards,
                                         const poplar::DebugContext &debugContext = {})
{
    (void)numShards;
    return detail::createShard(graph, params, isOutput ? params.layerSizes.back() : params.layerSizes.front(), multiple,
                               0, debugContext);
}
// A copy of the values before each step, each shard on its own tiles: tSingle, {batch, size} or {1, batch, size}, then
// all but the last step of tBase.
inline poplar::Tensor shiftRnnTensor(poplar::Graph &graph, const RnnParams &, const poplar::Tensor &tBase,
                                     const poplar::Tensor &tSingle, poplar::program::Sequence &prog, unsigned,
                                     const poplar::DebugContext &debugContext = {})
{
    const poplar::Tensor first = tSingle.rank() < tBase.rank() ? tSingle.expand({ 0 }) : tSingle,
                         before = poplar::concat(first, tBase.slice(0, tBase.dim(0) - first.dim(0))),
                         shifted = graph.clone(tBase, debugContext);
    prog.add(poplar::program::Copy(before, shifted, false, debugContext));
    return shifted;
}

// state[stateIndex] after each step is written to output {steps, ...}, unless output is invalid.
struct StateSequence {
    poplar::Tensor output;  // written by the steps; null: none
    std::size_t stateIndex; // which state is the output of each step
};
// Slices of a step: steps of the input and output sequences, without the first dimension; {n, ...} for interim ones.
struct RnnSlice {
    std::vector<poplar::Tensor> inputs;  // sequences that the steps read
    poplar::Tensor interimIn;            // what an earlier loop wrote to interimOut; invalid without such a sequence
    poplar::Tensor interimOut;           // for the body to write; invalid without such a sequence
    std::vector<poplar::Tensor> outputs; // sequences that the steps write
};
// With varTimeSteps, {batch} of the data type: 1 and 0 for a sequence that has the step, else 0 and 1; otherwise
// invalid.
struct RnnBatchwiseFlags {
    poplar::Tensor mask;    // {batch}: 1 where a sequence has the step, 0 beyond its end
    poplar::Tensor inverse; // {batch}: 1 - mask

    // Whether there are masks: with variable time steps.
    bool valid() const
    {
        return mask.valid();
    }
};
// counter and begin are {1} UNSIGNED_INT: the step within the shard, and the first step of the shard; variableSeqFlag,
// with varTimeSteps: {batch or 1, 1} BOOL, whether a sequence has the step.
struct TimeStepState {
    poplar::Tensor begin;           // {1} UNSIGNED_INT: the shard's first step
    poplar::Tensor counter;         // {1} UNSIGNED_INT: the step within the shard
    poplar::Tensor variableSeqFlag; // {batch or 1, 1} BOOL: whether a sequence has the step
};

// Builds the body of a step, which changes state and reads and writes its slices. Called once for each shard; programs
// added to initProg run before the loop: it is null for all but the first shard that runs, so that they run once. A
// tensor that the body puts at created[i] is written to the step of the caller's created[i].
typedef std::function<poplar::program::Sequence(
    poplar::Graph &graph, const TimeStepState &time, const RnnBatchwiseFlags &batchwiseFlags,
    std::vector<poplar::Tensor> &shardState, const RnnSlice &slice, std::vector<poplar::Tensor> &created,
    poplar::program::Sequence *initProg, const poplar::DebugNameAndId &dnai)>
    LoopBodyType;

// Builds what follows the last of a number of steps: slice.inputs are the steps' parts of the gathered sequences,
// slice.interimIn what the steps wrote to interimOut, {steps n, batch, output}, both in the order of time.
typedef std::function<poplar::program::Sequence(poplar::Graph &graph, const RnnSlice &slice, unsigned stepsPerGather,
                                                poplar::program::Sequence *initProg,
                                                const poplar::DebugNameAndId &dnai)>
    GatherBodyType;

namespace detail
{

// The largest of varTimeSteps, {1}; invalid without.
inline poplar::Tensor largestLength(poplar::Graph &graph, const RnnParams &params, poplar::program::Sequence &prog,
                                    const poplar::DebugContext &debugContext)
{
    if (!params.batchVariableTimeSteps())
        return params.varTimeSteps;
    return popops::reduce(graph, params.varTimeSteps, { 0 }, { popops::Operation::MAX }, prog, debugContext)
        .reshape({ 1 });
}

// The loop over the steps of a shard. With variable time steps it ends at the largest number of them (largestSteps,
// {1}): what it writes is 0 in later steps.
class ShardLoop
{
  public:
    ShardLoop(poplar::Graph &target, const RnnParams &sizes, const poplar::Tensor &largestSteps, bool backwards,
              std::size_t first, std::size_t count, const poplar::DebugContext &debugContext)
        : graph(target), params(sizes), largest(largestSteps), reverse(backwards), begin(first), steps(count),
          context(debugContext)
    {
        time.counter = graph.addVariable(poplar::UNSIGNED_INT, { 1 }, debugContext);
        step = graph.addVariable(poplar::UNSIGNED_INT, { 1 }, debugContext);
        time.begin = constant(static_cast<unsigned>(first));
        graph.setTileMapping(time.counter, 0);
        graph.setTileMapping(step, 0);
        if (!params.varTimeSteps.valid())
            return;
        time.variableSeqFlag = popops::lt(graph, step, params.varTimeSteps, body, context).expand({ 1 });
        const unsigned copies = params.batchVariableTimeSteps() ? 1 : static_cast<unsigned>(params.batchSize);
        flags.mask =
            popops::cast(graph, time.variableSeqFlag, params.dataType, body, context).flatten().broadcast(copies, 0);
        flags.inverse = popops::cast(graph, popops::logicalNot(graph, time.variableSeqFlag, body, context),
                                     params.dataType, body, context)
                            .flatten()
                            .broadcast(copies, 0);
    }
    // The shard's part of a sequence {steps n, ...}.
    poplar::Tensor part(const poplar::Tensor &sequence) const
    {
        const std::size_t rows = sequence.dim(0) / params.timeSteps;
        return sequence.slice(begin * rows, (begin + steps) * rows);
    }
    poplar::Tensor read(const poplar::Tensor &sequence, bool interim = false)
    {
        const poplar::Tensor slice =
            popops::dynamicSlice(graph, byStep(sequence), time.counter, { 0 }, { 1 }, body, context).squeeze({ 0 });
        return interim || slice.dim(0) > 1 ? slice : slice.squeeze({ 0 });
    }
    void write(const poplar::Tensor &sequence, const poplar::Tensor &value)
    {
        const poplar::Tensor all = byStep(sequence);
        std::vector<std::size_t> shape = all.shape();
        shape[0] = 1;
        written.push_back(all);
        popops::dynamicUpdate(graph, all, value.reshape(shape), time.counter, { 0 }, { 1 }, body, context);
    }
    // Writes to a sequence of the shard's steps alone, {steps, ...}.
    void writeOwn(const poplar::Tensor &own, const poplar::Tensor &value)
    {
        written.push_back(own);
        popops::dynamicUpdate(graph, own, value.expand({ 0 }), time.counter, { 0 }, { 1 }, body, context);
    }
    // Creates a tensor for a step of a sequence.
    poplar::Tensor stepLike(const poplar::Tensor &sequence, bool interim = false)
    {
        const poplar::Tensor slice = graph.clone(byStep(sequence)[0], context);
        return interim || slice.dim(0) > 1 ? slice : slice.squeeze({ 0 });
    }
    // Selects value for sequences that have the step, and instead (0 when invalid) for the others.
    poplar::Tensor where(const poplar::Tensor &value, const poplar::Tensor &instead)
    {
        if (!time.variableSeqFlag.valid())
            return value;
        // {..., batch, size}
        poplar::Tensor flag = time.variableSeqFlag;
        if (flag.dim(0) != params.batchSize)
            flag = flag.broadcast(static_cast<unsigned>(params.batchSize), 0);
        flag = flag.broadcast(static_cast<unsigned>(value.dim(value.rank() - 1)), 1);
        const std::size_t copies = value.numElements() / flag.numElements();
        flag = flag.expand({ 0 }).broadcast(static_cast<unsigned>(copies), 0).reshape(value.shape());
        return instead.valid() ? popops::select(graph, value, instead, flag, body, context)
                               : popops::select(graph, value, 0, flag, body, context);
    }
    void finish(poplar::program::Sequence &prog)
    {
        using namespace poplar::program;
        for (const poplar::Tensor &t : { step, time.counter }) {
            if (reverse)
                popops::subInPlace(graph, t, 1u, body, context);
            else
                popops::addInPlace(graph, t, 1u, body, context);
        }
        if (params.variableTimeSteps()) {
            loopToLargest(prog);
            return;
        }
        const unsigned first = reverse ? static_cast<unsigned>(steps) - 1 : 0;
        prog.add(Copy(constant(static_cast<unsigned>(begin) + first), step));
        prog.add(Copy(constant(first), time.counter));
        prog.add(Repeat(static_cast<unsigned>(steps), body));
    }

    TimeStepState time;
    RnnBatchwiseFlags flags;
    poplar::program::Sequence body;

  private:
    // Backwards, the counter before step 0 is the largest unsigned number.
    void loopToLargest(poplar::program::Sequence &prog)
    {
        using namespace poplar::program;
        using popops::expr::_1;
        const popops::expr::Const from(static_cast<unsigned>(begin)), to(static_cast<unsigned>(begin + steps));
        const poplar::Tensor count =
            popops::map(graph, popops::expr::Sub(popops::expr::Min(popops::expr::Max(_1, from), to), from), { largest },
                        prog, context);
        for (const poplar::Tensor &t : written)
            popops::zero(graph, t, prog, context);
        prog.add(Copy(reverse ? popops::sub(graph, count, 1u, prog, context) : constant(0), time.counter));
        prog.add(Copy(popops::add(graph, time.counter, time.begin, prog, context), step));
        Sequence condition;
        const poplar::Tensor more = popops::lt(graph, time.counter, count, condition, context).reshape({});
        prog.add(RepeatWhileTrue(condition, more, body));
    }
    poplar::Tensor constant(unsigned value)
    {
        const poplar::Tensor t = graph.addConstant(poplar::UNSIGNED_INT, { 1 }, value, context);
        graph.setTileMapping(t, 0);
        return t;
    }
    // {steps, n, ...}
    poplar::Tensor byStep(const poplar::Tensor &sequence) const
    {
        const poplar::Tensor own = part(sequence);
        std::vector<std::size_t> shape = own.shape();
        shape[0] /= steps;
        shape.insert(shape.begin(), steps);
        return own.reshape(shape);
    }

    poplar::Graph &graph;
    const RnnParams &params;
    const poplar::Tensor largest;
    const bool reverse;
    const std::size_t begin, steps;
    const poplar::DebugContext &context;
    std::vector<poplar::Tensor> written; // sequences that the body writes, the shard's part
    poplar::Tensor step;                 // the step of the sequence; time.counter is that of the shard
};

inline void checkSequence(const RnnParams &params, const poplar::Tensor &sequence, const char *what)
{
    if (!sequence.valid() || !sequence.rank() || sequence.dim(0) == 0 || sequence.dim(0) % params.timeSteps)
        throw poputil::poplibs_error(std::string("Rnn: the first dimension of ") + what + " is " +
                                     (sequence.valid() && sequence.rank() ? std::to_string(sequence.dim(0)) : "none") +
                                     ", and should be a multiple of the " + std::to_string(params.timeSteps) +
                                     " time steps");
}

inline void checkShards(const RnnParams &params, unsigned numShards, const std::vector<poplar::Tensor> &inputs,
                        const StateSequence &stateSequence, std::size_t states)
{
    if (!numShards || numShards > params.timeSteps)
        throw poputil::poplibs_error("Rnn: " + std::to_string(numShards) + " shards of " +
                                     std::to_string(params.timeSteps) + " time steps: each has one step or more");
    for (const poplar::Tensor &t : inputs)
        checkSequence(params, t, "an input");
    if (!stateSequence.output.valid())
        return;
    checkSequence(params, stateSequence.output, "the sequence of states");
    if (stateSequence.stateIndex >= states)
        throw poputil::poplibs_error("Rnn: there is no state " + std::to_string(stateSequence.stateIndex) + " of " +
                                     std::to_string(states));
}
// codeReuse is the only option: programs that do the same are one function in any case. The original reads a number,
// its documentation says true or false.
inline void checkOptions(const poplar::OptionFlags &options)
{
    for (const poplar::OptionFlags::OptionFlag &option : options) {
        if (option.first != "codeReuse")
            throw poplar::invalid_option("Rnn: Unrecognised option '" + option.first + "'; there is codeReuse");
        if (option.second != "true" && option.second != "false" && option.second != "0" && option.second != "1")
            throw poplar::invalid_option("Rnn: Invalid value '" + option.second +
                                         "' for option 'codeReuse': it is 0, 1, true or false");
    }
}
inline std::vector<poplar::Tensor> beginState(poplar::Graph &graph, const std::vector<poplar::Tensor> &initState,
                                              poplar::program::Sequence &prog, const poplar::DebugContext &debugContext)
{
    std::vector<poplar::Tensor> state;
    for (const poplar::Tensor &t : initState) {
        state.push_back(t.valid() ? graph.clone(t, debugContext) : t);
        if (t.valid())
            prog.add(poplar::program::Copy(t, state.back()));
    }
    return state;
}
// One step: the caller's body, states that sequences without the step keep, and the sequence of states. first: before
// the loop that runs first, else null.
inline void addStep(poplar::Graph &graph, const RnnParams &params, ShardLoop &loop, std::vector<poplar::Tensor> &state,
                    const StateSequence &stateSequence, const RnnSlice &slice, std::vector<poplar::Tensor> &created,
                    const LoopBodyType &loopFn, poplar::program::Sequence *first,
                    const poplar::DebugContext &debugContext)
{
    using poplar::program::Copy;
    std::vector<poplar::Tensor> before(state.size());
    for (std::size_t i = 0; i < state.size(); ++i)
        if (params.variableTimeSteps() && state[i].valid()) {
            before[i] = graph.clone(state[i], debugContext);
            loop.body.add(Copy(state[i], before[i]));
        }
    loop.body.add(loopFn(graph, loop.time, loop.flags, state, slice, created, first,
                         poplar::DebugNameAndId(debugContext.getPathName())));
    for (std::size_t i = 0; i < before.size(); ++i)
        if (before[i].valid())
            loop.body.add(Copy(loop.where(state[i], before[i]), state[i]));
    if (stateSequence.output.valid())
        loop.write(stateSequence.output, loop.where(state[stateSequence.stateIndex], poplar::Tensor()));
}

} // namespace detail

// Runs a loop body for each time step, from last to first when reverse; returns the last states as new tensors. Each
// step reads interimIn and writes *interimOut, outputs and created; their first dimensions are multiples of the steps.
// A state that is an invalid tensor stays invalid. With varTimeSteps the loop ends at the largest number of steps of
// the batch; a step that a sequence does not have leaves its states unchanged and writes 0. `created`, which has no
// batch, is 0 beyond the largest number.
inline std::vector<poplar::Tensor> Rnn(poplar::Graph &graph, const RnnParams &params, bool reverse,
                                       const std::vector<poplar::Tensor> &initState, const StateSequence &stateSequence,
                                       const std::vector<poplar::Tensor> &inputs, const poplar::Tensor *interimIn,
                                       poplar::Tensor *interimOut, const std::vector<poplar::Tensor> &outputs,
                                       const std::vector<poplar::Tensor> &created, poplar::program::Sequence &prog,
                                       const LoopBodyType &loopFn, unsigned numShards,
                                       const poplar::DebugContext &debugContext = {})
{
    detail::checkShards(params, numShards, inputs, stateSequence, initState.size());
    for (const poplar::Tensor &t : outputs)
        detail::checkSequence(params, t, "an output");
    if (interimIn)
        detail::checkSequence(params, *interimIn, "interimIn");
    if (interimOut)
        detail::checkSequence(params, *interimOut, "interimOut");
    for (const poplar::Tensor &t : created)
        detail::checkSequence(params, t, "a created tensor");
    std::vector<poplar::Tensor> state = detail::beginState(graph, initState, prog, debugContext);
    const poplar::Tensor largest = detail::largestLength(graph, params, prog, debugContext);
    poplar::program::Sequence *first = &prog;
    for (unsigned turn = 0; turn < numShards; ++turn) {
        const unsigned shard = reverse ? numShards - 1 - turn : turn;
        const std::size_t begin = detail::shardBegin(params.timeSteps, numShards, shard),
                          steps = detail::shardBegin(params.timeSteps, numShards, shard + 1) - begin;
        if (!steps)
            continue;
        detail::ShardLoop loop(graph, params, largest, reverse, begin, steps, debugContext);
        std::vector<poplar::Tensor> made(created.size());
        RnnSlice slice;
        for (const poplar::Tensor &t : inputs)
            slice.inputs.push_back(loop.read(t));
        if (interimIn)
            slice.interimIn = loop.read(*interimIn, true);
        if (interimOut)
            slice.interimOut = loop.stepLike(*interimOut, true);
        for (const poplar::Tensor &t : outputs)
            slice.outputs.push_back(loop.stepLike(t));
        detail::addStep(graph, params, loop, state, stateSequence, slice, made, loopFn, first, debugContext);
        first = nullptr;
        const poplar::Tensor none;
        if (interimOut)
            loop.write(*interimOut, loop.where(slice.interimOut, none));
        for (std::size_t i = 0; i < outputs.size(); ++i)
            loop.write(outputs[i], loop.where(slice.outputs[i], none));
        for (std::size_t i = 0; i < created.size(); ++i)
            if (made[i].valid())
                loop.write(created[i], made[i]);
        loop.finish(prog);
    }
    return state;
}

// With options.
inline std::vector<poplar::Tensor> Rnn(poplar::Graph &graph, const RnnParams &params, bool reverse,
                                       const std::vector<poplar::Tensor> &initState, const StateSequence &stateSequence,
                                       const std::vector<poplar::Tensor> &inputs, const poplar::Tensor *interimIn,
                                       poplar::Tensor *interimOut, const std::vector<poplar::Tensor> &outputs,
                                       const std::vector<poplar::Tensor> &created, poplar::program::Sequence &prog,
                                       const LoopBodyType &loopFn, unsigned numShards, poplar::OptionFlags &options,
                                       const poplar::DebugContext &debugContext = {})
{
    detail::checkOptions(options);
    return Rnn(graph, params, reverse, initState, stateSequence, inputs, interimIn, interimOut, outputs, created, prog,
               loopFn, numShards, debugContext);
}

// From the last step to the first: each step writes numTemps tensors {batch, output} to interimOut, and after every
// stepsPerGather steps (and those that are left at the beginning of a shard) gatherFn reads them together, with the
// parts of gatherInputs of these steps: for products over several steps, such as those for the gradients of weights.
inline std::vector<poplar::Tensor> Rnn(poplar::Graph &graph, const RnnParams &params,
                                       const std::vector<poplar::Tensor> &initState, const StateSequence &stateSequence,
                                       const std::vector<poplar::Tensor> &inputs, const poplar::Tensor &interimIn,
                                       const unsigned numTemps, poplar::program::Sequence &prog,
                                       const LoopBodyType &loopFn, const std::vector<poplar::Tensor> &gatherInputs,
                                       const GatherBodyType &gatherFn, unsigned numShards, unsigned stepsPerGather,
                                       poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {})
{
    detail::checkOptions(options);
    detail::checkShards(params, numShards, inputs, stateSequence, initState.size());
    for (const poplar::Tensor &t : gatherInputs)
        detail::checkSequence(params, t, "a gathered input");
    if (interimIn.valid())
        detail::checkSequence(params, interimIn, "interimIn");
    if (!stepsPerGather || !numTemps)
        throw poputil::poplibs_error("Rnn: stepsPerGather and numTemps must be 1 or more");
    std::vector<poplar::Tensor> state = detail::beginState(graph, initState, prog, debugContext), created;
    const poplar::Tensor largest = detail::largestLength(graph, params, prog, debugContext);
    poplar::program::Sequence *first = &prog;
    const std::size_t size = params.layerSizes.back();
    const std::size_t longest = std::min<std::size_t>(stepsPerGather, params.timeSteps);
    const poplar::Tensor temps = detail::createShard(graph, params, size, longest * numTemps, 0, debugContext)
                                     .reshape({ longest, numTemps, params.batchSize, size });
    for (unsigned shard = numShards; shard-- > 0;) {
        const std::size_t begin = detail::shardBegin(params.timeSteps, numShards, shard);
        for (std::size_t end = detail::shardBegin(params.timeSteps, numShards, shard + 1); end > begin;) {
            const std::size_t count = std::min<std::size_t>(stepsPerGather, end - begin);
            detail::ShardLoop loop(graph, params, largest, true, end - count, count, debugContext);
            const poplar::Tensor own = temps.slice(0, count);
            RnnSlice slice, gathered;
            for (const poplar::Tensor &t : inputs)
                slice.inputs.push_back(loop.read(t));
            if (interimIn.valid())
                slice.interimIn = loop.read(interimIn, true);
            slice.interimOut = graph.clone(own[0], debugContext);
            detail::addStep(graph, params, loop, state, stateSequence, slice, created, loopFn, first, debugContext);
            loop.writeOwn(own, loop.where(slice.interimOut, poplar::Tensor()));
            loop.finish(prog);
            for (const poplar::Tensor &t : gatherInputs)
                gathered.inputs.push_back(loop.part(t));
            gathered.interimIn = own.reshape({ count * numTemps, params.batchSize, size });
            prog.add(gatherFn(graph, gathered, static_cast<unsigned>(count), first,
                              poplar::DebugNameAndId(debugContext.getPathName())));
            first = nullptr;
            end -= count;
        }
    }
    return state;
}

} // namespace rnn
} // namespace popnn
#endif
