// SPDX-License-Identifier: Apache-2.0
// Each way of naming things, through several layers.
// build: c++17
#include <iostream>
#include <poplar/DebugContext.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
using namespace poplar;
using namespace poplar::program;
namespace lib
{
struct OpInfo : DebugInfo {
    OpInfo(const DebugContext &dc, const std::string &api) : DebugInfo(dc, "lib")
    {
        setValue("api", api);
        setValue("count", 3u);
        setValue("flag", true);
        setValue("vec", ProfileValue::Vector{ 1, 2.5, "x" });
    }
};
Tensor var(Graph &g, const Type &t, ArrayRef<std::size_t> shape, const DebugContext &dc = {})
{
    OpInfo di(dc, "var");
    auto v = g.addVariable(t, shape, { di, "v" });
    g.setTileMapping(v, 0);
    return v;
}
Tensor withNai(Graph &g, ArrayRef<std::size_t> shape, const DebugNameAndId &dnai)
{
    auto v = g.addVariable(INT, shape, { dnai });
    g.setTileMapping(v, 0);
    return g.clone(v, { dnai, "clone" });
}
Sequence copyBoth(Tensor a, Tensor b, const DebugContext &debugContext)
{
    OpInfo di(debugContext, "copyBoth");
    const DebugNameAndId &n = { di };
    Sequence s({}, { n });
    s.add(Copy(a, b, false, { n, "one" }));
    s.add(Copy(a, b, false, { di }));
    s.add(Sequence{ { Copy(a, b) }, { n, "inner" } });
    return s;
}
class Layer
{
    std::string name;
    Graph &g;

  public:
    Layer(Graph &g, std::string n) : name(std::move(n)), g(g)
    {
    }
    Tensor w(size_t n)
    {
        auto t = g.addVariable(FLOAT, { n, 2 * n }, name + "/w");
        g.setTileMapping(t, 1);
        return t;
    }
    Program fwd(Tensor x, const poplar::DebugContext &dc = {})
    {
        return Sequence({ Copy(x, x.transpose().transpose()) }, { dc, name });
    }
};
} // namespace lib
int main()
{
    IPUModel m;
    m.tilesPerIPU = 2;
    Device d = m.createDevice();
    Graph g(d.getTarget());
    DebugContext outer("outer");
    DebugNameAndId nai(std::string("path/x"));
    DebugNameAndId sub(nai, "y"), lit("lit");
    DebugInfo root({ "root" }, "app");
    std::cout << nai.getPathName() << " " << sub.getPathName() << " " << outer.getPathName() << " "
              << root.getPathName() << " " << DebugContext(sub, "z").getPathName() << " "
              << DebugContext(outer, "q").getPathName() << "\n";
    Tensor a = lib::var(g, INT, { 4 }, "a"), b = lib::var(g, INT, { 4 }, { outer, "b" }),
           c = lib::var(g, INT, { 4 }, { nai, "/c" }), e0 = lib::var(g, INT, {}, {}),
           f = lib::var(g, INT, { 4 }, std::string("f")), h = lib::var(g, INT, { 4 }, { root });
    Tensor k = lib::withNai(g, { 4 }, { nai }), k2 = lib::withNai(g, { 2, 2 }, { "str" }),
           k3 = lib::withNai(g, { 4 }, { root, "r" }), k4 = lib::withNai(g, { 4 }, std::string("q"));
    g.setInitialValue(a, std::vector<int>{ 1, 2, 3, 4 });
    lib::Layer layer(g, "dense");
    auto w = layer.w(2);
    Sequence s;
    s.add(lib::copyBoth(a, b, "cb"));
    s.add(lib::copyBoth(b, c, { sub }));
    s.add(Repeat(2, lib::copyBoth(c, f, { nai, "r" }), { sub, "rep" }));
    s.add(If(e0, Copy(a, h), Copy(f, h), { nai }));
    s.add(Copy(h, k.reshape({ 4 }), false, { "x" }));
    s.add(RepeatWhileFalse(Sequence(), e0.reinterpret(UNSIGNED_INT), Sequence(), { nai, "never" }));
    g.setInitialValue(e0, 1);
    g.createHostRead("c", c);
    Engine e(g, { s }, {}, {}, { "engine" });
    e.load(d);
    e.run(0, "debug-name");
    std::vector<int> r(4);
    e.readTensor("c", r.data(), r.data() + r.size());
    return !(r == std::vector<int>{ 1, 2, 3, 4 } && sub.getPathName() == "path/x/y");
}
