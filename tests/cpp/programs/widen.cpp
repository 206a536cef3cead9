// SPDX-License-Identifier: Apache-2.0
// Codelets in a namespace with templates, macros for layouts and explicit instantiations; names composed from
// types. build: c++17
#undef NDEBUG
#include <cassert>
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Quarter.hpp>
using namespace poplar;
using namespace poplar::program;
namespace lib
{
template <typename T> inline std::string parameter(const T &v)
{
    return std::to_string(v);
}
template <> inline std::string parameter(const poplar::Type &t)
{
    return t.toString();
}
template <> inline std::string parameter(const bool &b)
{
    return b ? "true" : "false";
}
template <> inline std::string parameter(const std::string &s)
{
    return s;
}
inline void f(std::string &)
{
}
template <typename F, typename... A> inline void f(std::string &p, F &&v, A &&...a)
{
    p += parameter<std::decay_t<F>>(v);
    if (sizeof...(a))
        p += ",";
    f(p, std::forward<A>(a)...);
}
template <typename... A> std::string vertexName(const std::string &n, A &&...a)
{
    std::string p = n + "<";
    f(p, std::forward<A>(a)...);
    return p + ">";
}
} // namespace lib
using lib::vertexName;
int main()
{
    auto model = IPUModel("ipu2");
    model.tilesPerIPU = 4;
    auto dev = model.createDevice();
    Graph graph(dev.getTarget());
    graph.addCodelets("parts/widen.cpp", CodeletFileType::Auto, "-O2 -fno-exceptions -Wall");
    auto a = graph.addVariable(HALF, { 10 }, "a"), c = graph.addVariable(FLOAT, { 10 }, "c"),
         s = graph.addVariable(FLOAT, { 3 }, "s"), o2 = graph.addVariable(INT, { 3, 4 }, "o2"), o3 = graph.clone(o2);
    for (auto t : { a, c, s, o2, o3 })
        graph.setTileMapping(t, 0);
    graph.setInitialValue<float>(a, std::vector<float>{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 });
    auto cs = graph.addComputeSet({ "cs" });
    auto v = graph.addVertex(cs, vertexName("ops::Widen", HALF, FLOAT, true), { { "in", a }, { "out", c } });
    graph.setTileMapping(v, 0);
    graph.setInitialValue(v["size"], a.numElements());
    auto w = graph.addVertex(cs, vertexName("ops::Pick", std::string("ops::Op::ADD"), INT, 2), {});
    static_assert(!std::is_pointer<Type>::value, "");
    std::vector<unsigned short> worklist{ 0, 2, 2, 1, 3, 1 };
    auto wl = graph.addConstant(UNSIGNED_SHORT, { worklist.size() }, worklist.data());
    graph.setTileMapping(wl, 0);
    graph.connect(w["worklist"], wl);
    graph.setTileMapping(w, 0);
    graph.setInitialValue(w["table"], std::vector<unsigned short>{ 10, 20, 30 });
    graph.connect(w["out"], o3);
    std::vector<Tensor> rows;
    for (unsigned i = 0; i < 3; i++)
        rows.push_back(o2[i].reinterpret(FLOAT).reinterpret(UNSIGNED_INT).slice(0, i + 1).reinterpret(INT));
    graph.connect(w["list"], rows);
    Sequence prog{ Execute(cs) };
    graph.createHostRead("c", c);
    graph.createHostRead("o2", o2);
    Engine e(graph, prog);
    e.load(dev);
    e.run(0);
    float h[10];
    int k[12];
    e.readTensor("c", h, h + 10);
    e.readTensor("o2", k, k + 12);
    for (int i = 0; i < 10; i++)
        assert(h[i] == i + 1.f);
    for (int i = 0; i < 12; i++)
        std::cout << k[i] << " ";
    std::cout << "\n";
    assert(k[0] == 10 && k[4] == 220 && k[5] == 221 && k[10] == 232);
    return 0;
}
