// SPDX-License-Identifier: Apache-2.0
// What back ends of frameworks call, in their manner: a graph of their own class, debug information of their own,
// expressions built at run time, shards as virtual graphs, executables on disk, streams with callback objects, host
// operations, remote buffers, and operations with all arguments.
//
// build: c++14
#include "program.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <list>
#include <map>
#include <memory>
#include <poplar/CycleCount.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/replication_factor.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/MultiConvolution.hpp>
#include <poplin/codelets.hpp>
#include <popnn/BatchNorm.hpp>
#include <popnn/CTCLoss.hpp>
#include <popnn/codelets.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Fill.hpp>
#include <popops/Loop.hpp>
#include <popops/Reduce.hpp>
#include <popops/Scatter.hpp>
#include <popops/SequenceSlice.hpp>
#include <popops/TopK.hpp>
#include <popops/codelets.hpp>
#include <poputil/GraphFunction.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <unistd.h>

using namespace poplar;
using namespace poplar::program;
namespace expr = popops::expr;
using host::Values;

class InstructionInfo : public DebugInfo
{
  public:
    InstructionInfo(const DebugContext &context, const std::string &name, unsigned id)
        : DebugInfo(context, "instruction")
    {
        setValue("name", name);
        setValue("id", static_cast<std::int64_t>(id));
        setValue("signature", ProfileValue("f32[2]"));
        ProfileValue::Vector operands;
        operands.push_back(std::string("arg0"));
        operands.push_back(ProfileValue(3u));
        setValue("operands", operands);
        ProfileValue::Map attributes;
        attributes.insert({ "shape", ProfileValue(ProfileValue::Vector{ 1, 2 }) });
        attributes["alpha"] = 1.5;
        setValue("attributes", attributes);
    }
    InstructionInfo &operator=(const InstructionInfo &) = delete;
    InstructionInfo(const InstructionInfo &) = delete;
};

struct FrameworkGraph : Graph {
    FrameworkGraph(const Target &target, replication_factor factor) : Graph(target, factor)
    {
    }
    explicit FrameworkGraph(Graph &&other) : Graph(std::move(other))
    {
    }
};

class Infeed : public StreamCallback
{
  public:
    explicit Infeed(const Values &values) : from(values), at(0)
    {
    }
    Result prefetch(void *into) noexcept override
    {
        if (at + 4 > static_cast<std::ptrdiff_t>(from.size()))
            return Result::NotAvailable;
        fetch(into);
        return Result::Success;
    }
    void fetch(void *into) noexcept override
    {
        std::copy(from.begin() + at, from.begin() + at + 4, static_cast<float *>(into));
    }
    void complete() noexcept override
    {
        at += 4;
    }

  private:
    const Values from;
    std::ptrdiff_t at;
};
class Doubling : public HostCallback
{
  public:
    void operator()(ArrayRef<const void *> in, ArrayRef<void *> out) override
    {
        for (int i = 0; i < 4; ++i)
            static_cast<float *>(out[0])[i] = 2 * static_cast<const float *>(in[0])[i];
    }
};

static Device device()
{
    IPUModel model("ipu2");
    model.tilesPerIPU = 16;
    return model.createDevice();
}
static void addCodelets(Graph &graph)
{
    poplin::addCodelets(graph);
    popnn::addCodelets(graph);
    popops::addCodelets(graph);
}
static Tensor ramp(Graph &graph, const std::vector<std::size_t> &shape, float first, float step, Type type = FLOAT)
{
    Tensor t = graph.addVariable(type, shape, VariableMappingMethod::LINEAR, "ramp");
    Values values(t.numElements());
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = first + step * static_cast<float>(i);
    graph.setInitialValue(t, ArrayRef<float>(values));
    return t;
}

// clamp(tanh(a b), tanh(a b), b) + 0.5, as a list of nodes that refer to earlier ones.
static Tensor fuse(Graph &graph, const std::vector<Tensor> &in, Sequence &prog, const DebugNameAndId &name)
{
    typedef std::unique_ptr<expr::Expr> Node;
    std::list<Node> nodes;
    nodes.push_back(Node(new expr::PlaceHolder(1)));
    nodes.push_back(Node(new expr::PlaceHolder(2)));
    const expr::Expr *const a = nodes.front().get(), *const b = nodes.back().get();
    nodes.push_back(Node(new expr::BinaryOp(expr::BinaryOpType::MULTIPLY, *a, *b)));
    nodes.push_back(Node(new expr::UnaryOp(expr::UnaryOpType::TANH, *nodes.back())));
    nodes.push_back(Node(new expr::TernaryOp(expr::TernaryOpType::CLAMP, *nodes.back(), *nodes.back(), *b)));
    const expr::Expr *const clamped = nodes.back().get();
    nodes.push_back(Node(new expr::Const(0.5f)));
    nodes.push_back(Node(new expr::Add(expr::Cast(*clamped, FLOAT), *nodes.back())));
    const Node copy = nodes.back()->clone();
    host::check(copy->deepEquals(*nodes.back()), "a copy of an expression differs");
    return popops::map(graph, *copy, in, prog, { name, "fusion" }, { { "enableGenerateCodelet", "true" } });
}

// ---- an executable with streams, callbacks, host operations and remote buffers ----
static void execute()
{
    const Device on = device();
    FrameworkGraph top(on.getTarget(), replication_factor(1));
    addCodelets(top);
    const InstructionInfo info({ "root" }, "add.1", 7);
    const DebugNameAndId name(info);
    Graph shard = top.createVirtualGraph(0, 8);
    Sequence prog({}, { name, "main" }), body({}, { name });
    const float raw[] = { 4, 3, 2, 1 };
    const std::int64_t wide[] = { 1, 2 };
    const std::uint16_t halves[] = { 0x3c00, 0x4000 };
    const Tensor up = shard.addConstant<float>(FLOAT, { 4 }, Values{ 1, 2, 3, 4 }.data(), { name }),
                 down = shard.addConstant(FLOAT, { 4 }, raw, "down"), ints = shard.addConstant(INT, { 2 }, wide, "i"),
                 half = shard.addConstantHalf(HALF, { 2 }, halves, "h"), one = shard.addConstant(BOOL, {}, true);
    for (const Tensor &t : { up, down, ints, half, one })
        poputil::mapTensorLinearly(shard, t);
    const Tensor copy = poputil::duplicate(shard, up, prog, { name }, TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);
    host::check(copy.isParallelWriteable() && !copy.containsConstant(), "a duplicate of a constant is none");
    std::map<std::string, Tensor> results;
    results["fused"] = fuse(shard, { copy, down }, prog, name);
    results["cast"] = popops::cast(shard, concat(half, popops::cast(shard, ints, HALF, prog)), FLOAT, prog, { name });
    const HostFunction doubling = shard.addHostFunction("doubling", { { FLOAT, 4 } }, { { FLOAT, 4 } });
    results["doubled"] = shard.clone(copy);
    prog.add(Call(doubling, { copy }, { results["doubled"] }, { name, "host" }));
    const DataStream in = top.addHostToDeviceFIFO("in", FLOAT, 4, ReplicatedStreamMode::REPLICATE),
                     out = top.addDeviceToHostFIFO("out", FLOAT, 4, {});
    const Tensor fed = shard.clone(FLOAT, copy, { name, "fed" });
    body.add(Sequence({ Copy(in, fed, false, { name }), Copy(fed, out, false) }, { name }));
    prog.add(Repeat(3, body, { name, "loop" }));
    const RemoteBuffer buffer = top.addRemoteBuffer("rows", FLOAT, 4, 3, true, true);
    const Tensor row = shard.addConstant<unsigned>(UNSIGNED_INT, { 1 }, 2u);
    shard.setTileMapping(row, 0);
    results["row"] = shard.clone(fed);
    prog.add(Copy(buffer, results["row"], row, { name, "load" }));
    popops::addInPlace(shard, results["row"], fed, prog, { name });
    prog.add(Copy(results["row"], buffer, row, { name }));
    top.createHostRead("cycles", cycleCount(top, prog, 0, SyncType::INTERNAL, { name, "cycles" }));
    for (const auto &result : results)
        shard.createHostRead(result.first, result.second);

    OptionFlags options{ { "target.workerStackSizeInBytes", "0x200" } }, more;
    readJSON(R"({"exchange.enablePrefetch": "true", "debug.instrument": "false"})", more);
    for (const auto &option : more)
        options.set(option.first, option.second);
    host::check(options.at("exchange.enablePrefetch") == "true", "an option is lost");
    char path[] = "/tmp/tremula-graph-compiler-XXXXXX";
    const int file = mkstemp(path);
    {
        int last = 0;
        const Executable made = compileGraph(
            top, { prog }, options, [&last](int done, int total) { last = 100 * done / total; }, { name, "compile" });
        std::ofstream saved(path, std::ofstream::binary);
        made.serialize(saved);
        host::check(last == 100, "compiling did not say that it ended");
    }
    std::unique_ptr<std::istream> saved(new std::ifstream(path, std::ios::binary));
    std::unique_ptr<Engine> engine(new Engine(Executable::deserialize(std::move(saved)), options));
    close(file);
    unlink(path);
    engine->load(on);
    const Values feed = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
    Values back, kept = { 10, 20, 30, 40 };
    engine->connectStreamToCallback("in", 0u, std::unique_ptr<StreamCallback>(new Infeed(feed)));
    engine->connectStreamToCallback(
        "out", [&back](void *p) { back.insert(back.end(), static_cast<float *>(p), static_cast<float *>(p) + 4); });
    engine->connectHostFunction("doubling", 0, std::unique_ptr<HostCallback>(new Doubling));
    engine->copyToRemoteBuffer(kept.data(), "rows", 2);
    engine->run(0, "main");
    host::near("streamed", back, feed);
    Values wanted;
    for (int i = 0; i < 4; ++i)
        wanted.push_back(std::min(std::tanh(raw[i] * static_cast<float>(i + 1)), raw[i]) + 0.5f);
    host::near("fused", host::read(*engine, "fused", 4), wanted);
    host::near("cast", host::read(*engine, "cast", 4), Values{ 1, 2, 1, 2 });
    host::near("doubled", host::read(*engine, "doubled", 4), Values{ 2, 4, 6, 8 });
    engine->copyFromRemoteBuffer("rows", kept.data(), 2, 0);
    host::near("row", kept, Values{ 19, 30, 41, 52 });
    host::check(host::read<std::uint64_t>(*engine, "cycles", 1)[0] > 0, "no cycles");
}

// ---- operations: their results, by name, and what they should be ----
struct Operations {
    Graph graph;
    Sequence prog;
    DebugNameAndId name;
    poplin::matmul::PlanningCache products;
    poplin::PlanningCache convolutions;
    std::map<std::string, std::pair<Tensor, Values>> results;
    explicit Operations(const Device &on) : graph(on.getTarget()), name("operations")
    {
        addCodelets(graph);
    }
    Tensor scalar(float value)
    {
        const Tensor t = graph.addConstant(FLOAT, {}, value);
        graph.setTileMapping(t, 0);
        return t;
    }
    void expect(const char *what, const Tensor &t, const Values &values)
    {
        results[what] = { t.flatten(), values };
        graph.createHostRead(what, results[what].first);
    }
};

static void matMuls(Operations &o)
{
    const OptionFlags options = { { "partialsType", "float" }, { "fullyConnectedPass", "TRAINING_FWD" } };
    const std::vector<std::size_t> a = { 2, 3, 4 }, b = { 2, 4, 5 };
    const Tensor left =
                     poplin::createMatMulGroupedInputLHS(o.graph, FLOAT, FLOAT, a, b, { o.name }, options, &o.products),
                 right =
                     poplin::createMatMulGroupedInputRHS(o.graph, FLOAT, FLOAT, a, b, { o.name }, options, &o.products);
    Tensor into = poplin::createMatMulGroupedOutput(o.graph, FLOAT, FLOAT, a, b, { o.name }, options, &o.products);
    popops::fill(o.graph, left, o.prog, 1.0f, { o.name });
    popops::fill<float>(o.graph, right, o.prog, 2.0f, { o.name });
    const Tensor first = poplin::matMulGrouped(o.graph, left, right, o.prog, FLOAT, { o.name }, options, &o.products),
                 plain = poplin::matMulGrouped(o.graph, left, right, o.prog, FLOAT, { o.name });
    poplin::matMulGroupedWithOutput(o.graph, left, right, into, o.prog, { o.name }, options, &o.products);
    o.expect("products", concat({ plain, into }), Values(60, 8));
    const Tensor sum = popops::mul(o.graph, first[0], first[1], o.prog, { o.name });
    poplin::matMulAcc(o.graph, sum, 0.5f, left[0], right[0], o.prog, { o.name }, options, &o.products);
    poplin::matMulAcc(o.graph, sum, o.scalar(2), left[0], right[0], o.prog, { o.name }, options, &o.products);
    poplin::matMulGroupedAcc(o.graph, first, 1.0f, left, right, o.prog, { o.name }, options, &o.products);
    o.expect("sums", sum, Values(15, 64 + 4 + 16));
    o.expect("added", first, Values(30, 16));
    host::check(o.products.size() > 0, "no product was planned");
}
static void multiConvolutions(Operations &o)
{
    namespace multi = poplin::multiconv;
    poplin::ConvParams params{ FLOAT, FLOAT, 1, { 3, 3 }, { 3, 3 }, 4, 8, 1 };
    params = params.canonicalize();
    const OptionFlags each = { { "partialsType", "float" } }, all = { { "planType", "parallel" } };
    const std::vector<multi::CreateTensorArgs> create = { { params, each, "a" }, { params, each, "b" } };
    std::vector<multi::ConvolutionArgs> args;
    for (unsigned i = 0; i < 2; ++i) {
        args.push_back({ multi::createInput(o.graph, create, i, all, &o.convolutions),
                         multi::createWeights(o.graph, create, i, all, &o.convolutions), params, each });
        popops::fill(o.graph, args[i].inputs, o.prog, 1.0f + static_cast<float>(i));
        popops::fill(o.graph, args[i].weights, o.prog, 1.0f);
    }
    const std::vector<Tensor> out = multi::convolution(o.graph, args, false, o.prog, { o.name }, all, &o.convolutions);
    const std::vector<multi::ConvWeightUpdateArgsScalar> updates = {
        { out[0], args[0].weights, args[0].inputs, 0.5f, params, each },
        { out[1], args[1].weights, args[1].inputs, 0.5f, params, each }
    };
    multi::convolutionWeightUpdate(o.graph, updates, o.prog, { o.name }, all, &o.convolutions);
    o.expect("first convolution", out[0], Values(8, 36));
    o.expect("second convolution", out[1], Values(8, 72));
    o.expect("updated", args[0].weights, Values(8 * 4 * 9, 1 + 18));
}
static void norms(Operations &o)
{
    const Tensor x = ramp(o.graph, { 4, 2, 1 }, 0, 1);
    unsigned called = 0;
    const auto reduce = [&called](Graph &graph, const std::vector<Tensor> &in, Sequence &prog, unsigned size,
                                  const DebugContext &, const OptionFlags &) {
        std::vector<Tensor> sums;
        for (const Tensor &each : in) { // every replica has the same data
            sums.push_back(popops::mul(graph, each, static_cast<float>(size), prog));
            ++called;
        }
        return sums;
    };
    const std::pair<Tensor, Tensor> statistics = popnn::bn::distributedBatchNormStatistics(
        o.graph, x, 0.0f, o.prog, false, reduce, 8, true, FLOAT, { o.name }, {});
    o.expect("means", statistics.first, { 3, 4 });
    o.expect("deviations", statistics.second, { 0.4472136f, 0.4472136f }); // 1 / sqrt(5)
    host::check(called > 0, "the reduction of replicas was not called");
}
static void rows(Operations &o)
{
    const OptionFlags options = { { "usedForUpdate", "true" }, { "availableMemoryProportion", "0.3" } };
    const popops::SlicePlan plan = popops::embedding::plan(o.graph, FLOAT, 20, 4, { 5 }, options);
    const Tensor table =
                     popops::createSliceableTensor(o.graph, FLOAT, { 20, 4 }, { 0 }, { 1 }, plan, options, { o.name }),
                 indices = popops::createIndicesTensor(o.graph, { 0 }, 5, plan, options, { o.name });
    popops::fill(o.graph, table, o.prog, 1.0f);
    o.graph.setInitialValue(indices, ArrayRef<unsigned>({ 1u, 19u, 3u, 3u, 0u }));
    const Tensor slices = popops::multiSlice(o.graph, table, indices, { 0 }, { 1 }, o.prog, plan, options, { o.name });
    popops::multiUpdateAdd(o.graph, table, slices, indices, o.scalar(-0.5f), { 0 }, { 1 }, o.prog, plan, options,
                           { o.name });
    o.expect("slices", slices, Values(20, 1));
    o.expect("some rows", table.slice(2, 4), { 1, 1, 1, 1, 0, 0, 0, 0 });
    const Tensor into = ramp(o.graph, { 4 }, 0, 1), updates = ramp(o.graph, { 2 }, 10, 1),
                 places = ramp(o.graph, { 2, 1 }, 0, 1, UNSIGNED_INT).reinterpret(INT);
    const popops::UpdateComputationFunc add = [](Graph &graph, Tensor &a, Tensor &b, Sequence &prog) {
        popops::addInPlace(graph, b, a, prog);
        return b;
    };
    popops::scatter(o.graph, into, places, updates, 1, {}, { 0 }, { 0 }, o.prog, { o.name });
    popops::scatter(o.graph, into, places, updates, 1, {}, { 0 }, { 0 }, add, o.prog, { o.name });
    o.expect("scattered", into, { 20, 22, 2, 3 });
    const Tensor sequence = ramp(o.graph, { 4, 2 }, 9, 0);
    popops::sequenceSlice(o.graph, ramp(o.graph, { 4, 2 }, 0, 1), sequence, ramp(o.graph, { 2 }, 1, 0, UNSIGNED_INT),
                          ramp(o.graph, { 2 }, 0, 1, UNSIGNED_INT), ramp(o.graph, { 2 }, 2, 1, UNSIGNED_INT), true,
                          o.prog, { o.name });
    o.expect("sequence", sequence, { 0, 0, 0, 0, 0, 1, 2, 3 });
    const std::pair<Tensor, Tensor> best = popops::topKWithPermutation(
        o.graph, o.prog, ramp(o.graph, { 2, 5 }, 5, -1), { 2, true, popops::SortOrder::DESCENDING }, { o.name });
    o.expect("best", best.first, { 5, 4, 0, -1 });
    std::vector<Tensor> reduced;
    const Tensor m = ramp(o.graph, { 2, 3 }, 0, 1);
    popops::reduceMany(o.graph,
                       { { m, { 0 }, { popops::Operation::MAX }, "max" },
                         { m, { 1 }, { popops::Operation::ADD, false, o.scalar(0.5f) }, FLOAT, "half" } },
                       reduced, o.prog, { o.name });
    o.expect("reduced", concat(reduced), { 3, 4, 5, 1.5f, 6 });
}
// Six steps of four classes with equal probabilities and two different symbols: C(8, 4) alignments of 4^6.
static void lossOfSequences(Operations &o)
{
    const popnn::ctc::Plan plan = popnn::ctc::plan(o.graph, FLOAT, FLOAT, 2, 6, 2, 4);
    const Tensor data = popnn::ctc::createDataInput(o.graph, FLOAT, 2, 6, 4, plan, { o.name }),
                 labels = popnn::ctc::createLabelsInput(o.graph, UNSIGNED_INT, 2, 2, plan, { o.name });
    popops::fill(o.graph, data, o.prog, 0.5f);
    o.graph.setInitialValue(labels, ArrayRef<unsigned>({ 1u, 2u, 2u, 1u }));
    const std::pair<Tensor, Tensor> loss =
        popnn::ctc::calcLossAndGradientLogits(o.graph, FLOAT, data, labels, ramp(o.graph, { 2 }, 6, 0, UNSIGNED_INT),
                                              ramp(o.graph, { 2 }, 2, 0, UNSIGNED_INT), o.prog, 0, plan, { o.name });
    o.expect("loss", loss.first, Values(2, static_cast<float>(6 * std::log(4.0) - std::log(70.0))));
}
static void control(Operations &o)
{
    const Tensor n = ramp(o.graph, {}, 0, 0, INT), limit = ramp(o.graph, {}, 5, 0, INT),
                 one = ramp(o.graph, {}, 1, 0, INT),
                 goes = o.graph.addVariable(BOOL, {}, VariableMappingMethod::LINEAR);
    Sequence condition({}, { o.name }), body({}, { o.name });
    condition.add(Copy(popops::lt(o.graph, n, limit, condition, { o.name }), goes, false, { o.name }));
    popops::addInPlace(o.graph, n, one, body, { o.name });
    o.prog.add(RepeatWhileTrue(condition, goes, body, { o.name, "while" }));
    Switch choice(n, { { 1, ErrorProgram("a wrong branch", n, { o.name }) } }, Sequence(), { o.name });
    choice.add(2, Sequence());
    o.prog.add(choice);
    o.prog.add(popops::countedLoop(o.graph, 0, 4, 1,
                                   [&](const Tensor &i) {
                                       Sequence step;
                                       popops::addInPlace(o.graph, n, i.reinterpret(INT), step, { o.name });
                                       return step;
                                   },
                                   { o.name }));
    o.expect("counted", popops::cast(o.graph, n, FLOAT, o.prog, { o.name }), { 5 + 6 });
    namespace functions = poputil::graphfn;
    functions::TensorFunction increase(o.graph, { functions::input(limit, "a"), functions::inout(n, "b") },
                                       [&](std::vector<Tensor> &a, Sequence &prog) {
                                           popops::addInPlace(o.graph, a[1], a[0], prog, { o.name });
                                           return popops::neg(o.graph, a[1], prog, { o.name });
                                       },
                                       false, { o.name });
    functions::VoidFunction create(
        o.graph, { functions::input(limit, "a"), functions::created("c") },
        [&](std::vector<Tensor> &a, Sequence &prog) { a[1] = popops::neg(o.graph, a[0], prog); });
    std::vector<Tensor> given = { limit, n }, made = { limit, Tensor() };
    const Tensor increased = increase(given, o.prog);
    create(made, o.prog);
    o.expect("called", popops::cast(o.graph, concat(increased.reshape({ 1 }), made[1].reshape({ 1 })), FLOAT, o.prog),
             { -16, -5 });
}

int main()
{
    execute();
    const Device on = device();
    Operations o(on);
    for (void (*const operation)(Operations &) : { matMuls, multiConvolutions, norms, rows, lossOfSequences, control })
        operation(o);
    Engine engine(o.graph, o.prog);
    engine.load(on);
    engine.run(0);
    for (const auto &result : o.results)
        host::near(result.first, host::read(engine, result.first, result.second.first.numElements()),
                   result.second.second);
    return host::failed();
}
