// SPDX-License-Identifier: Apache-2.0
// Idioms of host libraries: mappings, contiguous regions, work divided among workers, classes derived from DebugInfo.
// build: c++20
#include <algorithm>
#include <iostream>
#include <numeric>
#include <poplar/DebugContext.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/VectorLayout.hpp>
using namespace poplar;
using namespace poplar::program;
namespace lib
{
template <typename T> ProfileValue toProfileValue(const T &t);
template <> ProfileValue toProfileValue(const Tensor &t)
{
    ProfileValue::Map m;
    m.insert({ "shape", ProfileValue(t.shapeToString()) });
    m.emplace("type", ProfileValue(t.elementType().toString()));
    return m;
}
template <> ProfileValue toProfileValue(const unsigned &u)
{
    return ProfileValue(u);
}
struct ArgType {
    std::string n;
    ProfileValue v;
    template <class T> ArgType(std::string n, const T &t) : n(n), v(toProfileValue(t))
    {
    }
};
class OpDebugInfo : public DebugInfo
{
  public:
    OpDebugInfo(const DebugContext &dc, std::initializer_list<ArgType> args, std::string api) : DebugInfo(dc, "lib")
    {
        setValue("api", ProfileValue(api));
        ProfileValue::Map m;
        for (auto &a : args)
            m.insert({ a.n, a.v });
        setValue("args", m);
    }
    void addOutput(const std::string &n, const Tensor &t)
    {
        setValue(n, toProfileValue(t));
    }
};
std::vector<std::vector<Interval>> splitRegions(const std::vector<Interval> &regions, unsigned grain, unsigned max)
{
    std::vector<std::vector<Interval>> r(1);
    size_t total = std::accumulate(regions.begin(), regions.end(), size_t(0),
                                   [](size_t n, const Interval &i) { return n + i.size(); });
    size_t per = std::max<size_t>(grain, (total + max - 1) / max), have = 0;
    for (auto iv : regions)
        for (auto b = iv.begin(); b != iv.end();) {
            if (have == per) {
                r.emplace_back();
                have = 0;
            }
            auto n = std::min(per - have, iv.end() - b);
            r.back().emplace_back(b, b + n);
            have += n;
            b += n;
        }
    return r;
}
} // namespace lib
static Tensor addOne(Graph &graph, const Tensor &in_, Sequence &prog, const DebugContext &debugContext = {})
{
    unsigned n = in_.numElements();
    lib::OpDebugInfo di(debugContext, { { "in", in_ }, { "n", n } }, "addOne");
    DebugNameAndId dnai{ di };
    auto out = graph.clone(in_, { dnai, "out" });
    auto cs = graph.addComputeSet({ dnai, "addOne" });
    auto inFlat = in_.flatten(), outFlat = out.flatten();
    graph.reorderToSimplify(&outFlat, { &inFlat });
    const auto mapping = graph.getTileMapping(outFlat);
    const auto &target = graph.getTarget();
    const auto grain = std::max<unsigned>(target.getVectorWidth(in_.elementType()), target.getAtomicStoreGranularity());
    for (unsigned tile = 0; tile != target.getNumTiles(); ++tile) {
        const auto contiguous = graph.getSortedContiguousRegions(outFlat, mapping[tile]);
        for (const auto &regions : contiguous)
            for (auto &w : lib::splitRegions(regions, grain, target.getNumWorkerContexts())) {
                auto v = graph.addVertex(cs, "AddOne", { { "in", inFlat.slices(w) }, { "out", outFlat.slices(w) } });
                graph.setTileMapping(v, tile);
            }
    }
    prog.add(Execute(cs, { dnai }));
    di.addOutput("output", out);
    return out;
}
int main()
{
    IPUModel m;
    m.tilesPerIPU = 5;
    Device d = m.createDevice();
    Graph graph(d.getTarget());
    graph.addCodelets("parts/add_one.cpp");
    Tensor t = graph.addVariable(INT, { 6, 7 }, { "top" });
    std::vector<std::vector<Interval>> mapping(d.getTarget().getNumTiles());
    for (unsigned i = 0; i < 42; i += 3)
        mapping[(i / 3) % 5].push_back({ i, i + 3 });
    graph.setTileMapping(t, mapping);
    Graph::TileToTensorMapping back = graph.getTileMapping(t);
    if (back.size() != 5 || back[0].size() != 3)
        return 5;
    bool complete = true;
    graph.getTileMapping(t, &complete);
    if (!complete)
        return 6;
    Sequence prog({}, { "main" });
    std::vector<int> init(42);
    std::iota(init.begin(), init.end(), 0);
    graph.setInitialValue(t, ArrayRef<int>(init));
    Tensor u = addOne(graph, t.transpose(), prog, { "scope/a" });
    Tensor w = addOne(graph, concat({ u[0], u[3] }), prog, DebugContext("second"));
    Tensor x = graph.addVariable(INT, { 42 }, "x");
    graph.setTileMapping(x, 2);
    for (auto &region : t.getVarRegions())
        if (region.interval.size() != 42)
            return 7;
    prog.add(Copy(w, x.slice(0, 12)));
    graph.createHostRead("u", u);
    graph.createHostRead("w", w);
    Engine e(graph, prog, { { "debug.retainDebugInformation", "true" } });
    e.load(d);
    e.run();
    std::vector<int> hu(42), hw(12);
    e.readTensor("u", hu.data(), hu.data() + 42);
    e.readTensor("w", hw.data(), hw.data() + 12);
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 6; j++)
            if (hu[i * 6 + j] != j * 7 + i + 1) {
                std::cout << "bad u\n";
                return 1;
            }
    for (int i = 0; i < 12; i++)
        if (hw[i] != (i % 6) * 7 + (i / 6) * 3 + 2) {
            std::cout << "bad w " << hw[i] << "\n";
            return 2;
        }
    std::cout << "ok " << u.getDebugStr().size() << " " << t.isContiguous() << u.isContiguous() << "\n";
}
