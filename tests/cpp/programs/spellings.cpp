// SPDX-License-Identifier: Apache-2.0
// Graphs in the spellings that programs use for them: mappings, sequences, views, constants, initial values,
// options, names. build: c++11 c++14 c++20
#undef NDEBUG
#include <array>
#include <cassert>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/StreamCallback.hpp>
#include <poplar/Target.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>
#include <tuple>
#include <unordered_map>
using namespace poplar;
using namespace poplar::program;
using Mapping = poplar::Graph::TileToTensorMapping;
struct Model {
    Device dev;
    Graph graph;
    Tensor x;
    Program p;
    std::map<std::pair<Type, Type>, int> m;
    std::vector<VertexRef> vs;
    VertexRef v;
    ComputeSet cs;
    Function f;
    DataStream ds;
    explicit Model(Device d) : dev(std::move(d)), graph(dev.getTarget())
    {
    }
};
static Model makeModel()
{
    IPUModel m{ "ipu2" };
    m.tilesPerIPU = 4;
    Model r(m.createDevice());
    return r;
}
static Tensor op(Graph &g, const Tensor &a, Sequence &s, const std::string &debugPrefix = "",
                 const OptionFlags &options = {})
{
    auto b = g.clone(a, debugPrefix + "/out");
    s.add(Copy(a, b));
    (void)options;
    return b;
}
static Tensor op2(Graph &g, const Tensor &a, Sequence &s, const poplar::DebugContext &dc = {},
                  const OptionFlags &options = {})
{
    (void)options;
    return op(g, a, s, dc.getPathName());
}
int main()
{
    Model m = makeModel();
    Graph &g = m.graph;
    unsigned n = 3;
    int k = 4;
    size_t sz = 5;
    Tensor a = g.addVariable(FLOAT, { n, sz }, "a"), b = g.addVariable(FLOAT, { n, sz }),
           scalar = g.addVariable(FLOAT, {}, "scalar"), fl = g.addVariable(FLOAT, { 15 }),
           ctrl = g.addVariable(INT, {}, "ctrl"), pred = g.addVariable(BOOL, { 1 });
    Tensor narrowed = g.addVariable(INT, { (std::size_t)k, 2 });
    g.setTileMapping(narrowed, 0);
    for (auto &t : std::vector<Tensor>{ a, b, scalar, fl, ctrl, pred })
        g.setTileMapping(t, 0);
    Mapping mp(4);
    mp[1].emplace_back(0, 5);
    mp[2].push_back({ 5, 10 });
    mp[3].push_back(Interval(10, 15));
    g.setTileMapping(b, mp);
    g.setTileMapping(b.flatten().slice(0, 3), { { { 0, 1 } }, { { 1, 2 } }, { { 2, 3 } } });
    Sequence s1 = { Copy(a, b), Copy(b, a) };
    Sequence s2({ Copy(a, b) });
    Sequence s3{ Copy(a, b) };
    Sequence s4(Copy(a, b));
    Sequence s5(Copy(a, b), Copy(b, a), s1);
    Sequence s6{ s1 };
    Sequence s7{ s1, s2 };
    Sequence s8(s1);
    Program p0 = Sequence();
    Program p1;
    auto s9 = Sequence{};
    assert(Sequence().isEmpty());
    Copy cp(a, b);
    s9.add(cp);
    Program p2(cp);
    p0 = p2;
    p1 = s9;
    s2 = s3;
    Sequence s10;
    s10.add(Sequence(Copy(a, b)));
    s10.add(Repeat(3, Sequence(Copy(a, b), Copy(b, a))));
    s10.add(Repeat{ 2, Sequence{ Copy(a, b) } });
    s10.add(Repeat(2, cp, "rep"));
    Switch sw(ctrl);
    sw.add(0, Copy(a, b)).add(1, Copy(b, a));
    s10.add(sw);
    s10.add(Switch(ctrl, { { 0, Copy(a, b) }, { 1, Sequence() } }));
    s10.add(If(pred[0], Sequence(), Copy(a, b)));
    s10.add(RepeatWhileTrue(Sequence{}, pred[0], Sequence()));
    auto sw2 = Switch::switchWithUnreachableDefault(ctrl);
    sw2.add(0, Sequence());
    s10.add(sw2);
    auto f = g.addFunction(s10);
    std::vector<Function> fs{ f };
    s10 = Sequence(Call(fs[0]));
    Tensor t1 = concat({ a, b }), t2 = concat(a, b, 1), t3 = concat(std::vector<Tensor>{ a, b }, 1),
           t4 = concat({ a.flatten(), fl }), t5 = concat(a, b, { 1 });
    std::vector<Tensor> ts(2, a);
    auto t6 = concat(ts);
    assert(t6.dim(0) == 6 && t2.dim(1) == 10 && t5.dim(1) == 10 && t3.shape() == t2.shape() && t4.rank() == 1 &&
           t1.numElements() == 30);
    int i = 1;
    assert(a.slice(i, i + 1).dim(0) == 1 && a.slice({ 0, 2 }).dim(0) == 2 && a.slice({ 1, 3 }, 1).dim(1) == 2 &&
           fl.slice({ 3 }, { 5 }).dim(0) == 2 && a.slice({ 0, 0 }, { 1, sz }).flatten().rank() == 1 &&
           a.slice(0, 1, 1).dim(1) == 1 && a[0].slice(Interval{ 0, 2 }).numElements() == 2);
    assert(a.reshape({ 1, 1, a.numElements() }).rank() == 3 && a.expand({ 0, 0 }).rank() == 4 &&
           a.dimShuffle({ 1, 0 }).dim(0) == 5 && a.broadcast(2, 0).dim(0) == 6 &&
           a.reshape({ a.numElements() }) == a.flatten() && a[i][2].rank() == 0);
    float val = 2;
    std::vector<float> vec(15, 1.f);
    auto c1 = g.addConstant(FLOAT, { 1 }, &val), c2 = g.addConstant<unsigned>(UNSIGNED_INT, { 3 }, { 1, 2, 3 }),
         c3 = g.addConstant<float>(HALF, { 3, 5 }, vec), c4 = g.addConstant(FLOAT, { 15 }, vec.data(), "c"),
         c5 = g.addConstant<bool>(BOOL, {}, false), c6 = g.addConstant(FLOAT, { 3, 5 }, 1),
         c7 = g.addConstant(FLOAT, { 3, 5 }, ArrayRef<float>(vec), { "c7" }),
         c8 = g.addConstant(INT, { 2 }, std::vector<int>{ 1, 2 }.data()), c9 = g.addConstant<double>(FLOAT, {}, 1.5),
         c10 = g.addConstant(FLOAT, { 15 }, ArrayRef<float>(vec.data(), 15));
    for (auto c : { c1, c2, c3, c4, c5, c6, c7, c8, c9, c10 })
        g.setTileMapping(c, 1);
    g.setInitialValue(a, 0);
    g.setInitialValue(scalar, 1.5);
    g.setInitialValue(b.flatten(), ArrayRef<float>(vec));
    g.setInitialValue<float>(fl.slice(0, 3), { 1, 2, 3 });
    g.setInitialValue(fl.slice(3, 5), std::vector<float>(2));
    g.setInitialValue(pred, false);
    g.setInitialValue(ctrl, 0);
    g.setInitialValue<int>(narrowed.flatten(), std::vector<int>(8));
    OptionFlags o1 = { { "debug.instrument", "true" } },
                o2{ { "debug.instrument", "true" }, { "debug.instrumentCompute", "true" } },
                o3({ { "debug.instrument", "false" } }), o4{};
    o4.set("target.workerStackSizeInBytes", std::to_string(512));
    std::vector<std::pair<std::string, std::string>> kv;
    for (const auto &o : o2)
        kv.push_back({ o.first, o.second });
    for (auto &x : kv)
        o4.set(x.first, x.second);
    assert(o1.at("debug.instrument") == "true" && o2.size() == 2);
    StringRef sr = "abc";
    std::string str = sr;
    assert(sr == "abc" && str == "abc" && sr.size() == 3);
    std::cout << sr << " " << FLOAT << "\n";
    std::string vn = std::string("V<") + FLOAT.toString() + ">";
    vn = "V<" + HALF.toString();
    m.m[{ FLOAT, HALF }] = 1;
    Type ty = k > 3 ? FLOAT : HALF;
    assert(ty == FLOAT && ty != HALF);
    auto tensor = op(g, a, s1, "pre", { { "k", "v" } });
    tensor = op2(g, a, s1, "x");
    tensor = op2(g, a, s1, { "x" }, {});
    tensor = op2(g, a, s1, str + "/y");
    tensor = op2(g, a, s1);
    Engine engine(g, { s10, s6, s7, s8, s4 });
    engine.load(m.dev);
    engine.run(0);
    return 0;
}