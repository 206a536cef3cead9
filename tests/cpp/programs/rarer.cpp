// SPDX-License-Identifier: Apache-2.0
// Estimators, host functions, seeds, formats, tensors and executables through streams.
// build: c++17
#include <iostream>
#include <map>
#include <poplar/CSRFunctions.hpp>
#include <poplar/Engine.hpp>
#include <poplar/EngineOptions.hpp>
#include <poplar/Graph.hpp>
#include <poplar/HostFunctionCallback.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/RandomSeed.hpp>
#include <poplar/SerializationFormat.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <sstream>
#include <unordered_map>
#include <variant>
using namespace poplar;
using namespace poplar::program;
static const std::vector<Type> tableOfTypes = { FLOAT, HALF, INT };
static const std::map<std::string, Type> typeByName = {
    { "float", FLOAT }, { "half", HALF }, { "int", INT }, { "uint", UNSIGNED_INT }
};
static VertexPerfEstimate estimate(const VertexIntrospector &v, const Target &target)
{
    auto in = v.getFieldInfo("in");
    auto by = v.getFieldInfo("by").getInitialValue<int>(target);
    std::uint64_t cycles = 10 + in.size() * 3 + by;
    return VertexPerfEstimate{ cycles, in.size() };
}
template <typename T> Tensor constantLike(Graph &g, T value)
{
    auto t = g.addConstant<T>(equivalent_device_type<T>().value, {}, value, { "k" });
    g.setTileMapping(t, 0);
    return t;
}
struct Holder {
    std::variant<std::monostate, Device, std::vector<Device>> dev;
    Device single;
    Graph *g = nullptr;
};
int main()
{
    Holder h;
    IPUModel m;
    m.numIPUs = 1;
    m.tilesPerIPU = 4;
    h.dev = m.createDevice();
    auto &d = std::get<Device>(h.dev);
    h.single = m.createDevice().createVirtualDevice(2);
    if (h.single.getTarget().getNumTiles() != 2)
        return 1;
    Graph g(d.getTarget());
    std::stringstream code(
        "#include <poplar/Vertex.hpp>\nclass AddBy : public poplar::Vertex { public: "
        "poplar::Input<poplar::Vector<int>> in; poplar::Output<poplar::Vector<int>> out; int by; bool compute() { for "
        "(unsigned i = 0; i < in->size(); ++i) out[i] = in[i] + by; return true; } };");
    g.addCodelets(code);
    if (!g.hasCodelet("AddBy") || g.hasCodelet("Nope"))
        return 2;
    g.registerPerfEstimator("AddBy", estimate);
    g.registerPerfEstimator(
        "AddBy", [](const VertexIntrospector &v, const Target &t) -> VertexPerfEstimate { return estimate(v, t); });
    Tensor a = g.addVariable(INT, { 6 }, DebugContext{ "a" }),
           b = g.clone(a, { "b" }, TensorCloneMethod::CREATE_NEW_ORDER);
    g.setTileMapping(a, 1);
    g.setTileMapping(b, 1);
    g.setInitialValue(a, poplar::ArrayRef<int>(std::array<int, 6>{ 1, 2, 3, 4, 5, 6 }));
    auto cs = g.addComputeSet({ "cs" });
    auto v = g.addVertex(cs, StringRef("AddBy"), { { "in", a }, { "out", b } });
    g.setInitialValue(v["by"], 1.0);
    g.setTileMapping(v, 1);
    auto hf = g.addHostFunction("host", { { INT, 6 } }, { { INT, 6 } });
    Tensor c = g.clone(FLOAT, a, "c"), r = g.clone(a);
    g.setTileMapping(c, 0);
    g.setTileMapping(r, 0);
    Sequence s{ Execute(cs, { "exec" }), Call(hf, { b }, { r }, { "call" }) };
    Tensor cond = g.addVariable(BOOL, {});
    g.setTileMapping(cond, 0);
    s.add(Execute(cs, cond, "consensus"));
    auto seeds = getHwSeeds(g, s, "seeds");
    setHwSeeds(g, seeds, s, "set");
    auto st = getAndModifyFloatingPointBehaviour(g, s, !FloatingPointBehaviour(),
                                                 FloatingPointBehaviour(false, true, false, true, false));
    setFloatingPointBehaviour(g, s, st, "back");
    s.add(PrintTensor("fmt", r, PrintTensorFmt(4, 1), "p"));
    s.add(PrintTensor(r));
    s.add(PrintTensor("title", constantLike(g, 2.5f)));
    s.add(PrintTensor(constantLike(g, true)));
    Tensor j = concat(a.reshape({ 2, 3 }), b.reshape({ 2, 3 }), 1);
    if (j.dim(1) != 6)
        return 3;
    g.createHostRead("r", r);
    g.createHostRead("cond", cond);
    std::stringstream graphDump;
    g.serializeTensors(graphDump, { a, b }, SerializationFormat::Binary);
    auto back = g.deserializeTensors(graphDump, SerializationFormat::Binary);
    if (back.size() != 2 || back[0].shape() != a.shape())
        return 4;
    OptionFlags o;
    readJSON(std::string("{\"debug.instrument\":\"true\"}"), o);
    readJSONFromEnv("NO_SUCH_ENV", o);
    o.set({ { "debug.branchRecordTile", "0" } });
    if (o.at("debug.instrument") != "true")
        return 5;
    try {
        o.at("missing");
        return 6;
    } catch (const std::exception &e) {
    }
    Executable exe = compileGraph(std::move(g), { s }, o, [](int, int) {}, { "compile" });
    Executable other(std::move(exe));
    std::stringstream file;
    other.serialize(file);
    Engine e(Executable::deserialize(file), o);
    std::ostringstream out;
    e.setPrintTensorStream(out);
    e.connectHostFunction("host", 0, [](ArrayRef<const void *> in, ArrayRef<void *> to) {
        auto p = static_cast<const int *>(in[0]);
        for (int i = 0; i < 6; i++)
            static_cast<int *>(to[0])[i] = p[i] * 10;
    });
    auto t0 = e.getTimeStamp();
    e.loadAndRun(d);
    std::cout << e.reportTiming(t0) << "\n";
    std::vector<int> r_(6);
    e.readTensor("r", r_.data(), r_.data() + 6);
    bool cd;
    e.readTensor("cond", &cd, &cd + 1);
    for (auto &n : e.listStreams())
        std::cout << n << " ";
    std::cout << out.str();
    std::cout << versionString() << " " << packageHash() << " " << (std::string)d.getTarget().getTargetArchString()
              << "\n";
    return !(r_[5] == 70 && cd && out.str().find("fmt") != std::string::npos);
}
