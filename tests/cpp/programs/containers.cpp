// SPDX-License-Identifier: Apache-2.0
// Graphs, engines, tensors and programs in containers and smart pointers; functions that return them; lambdas that hold
// graphs. build: c++17
#include <array>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <set>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>
using namespace poplar;
using namespace poplar::program;
static const std::string code = R"(#include <poplar/Vertex.hpp>
template <class T> class Inc : public poplar::Vertex {
public:
    poplar::InOut<poplar::Vector<T>> x;
    T by;
    bool compute() { for (auto &v : x) v += by; return true; }
};
template class Inc<int>; template class Inc<float>; template class Inc<unsigned int>;)";
struct Model {
    std::unique_ptr<Graph> graph;
    Tensor x;
    std::map<std::string, Program> progs;
    std::array<Program, 2> arr;
    std::unordered_map<std::string, Tensor> named;
    Model(Device &d) : graph(new Graph(d.getTarget()))
    {
        std::stringstream s(code);
        graph->addCodelets(s);
        x = graph->addVariable(INT, { 4 }, VariableMappingMethod::LINEAR, "x");
        named["x"] = x;
    }
};
static Sequence inc(Graph &g, Tensor t, int by)
{
    auto cs = g.addComputeSet("inc" + std::to_string(by));
    const auto m = g.getTileMapping(t);
    for (size_t tile = 0; tile < m.size(); tile++)
        if (!m[tile].empty()) {
            auto v = g.addVertex(cs, "Inc<int>", { { "x", concat(t.flatten().slices(m[tile])) } });
            g.setInitialValue(v["by"], by);
            g.setTileMapping(v, tile);
        }
    return Sequence(Execute(cs));
}
static std::pair<Tensor, Sequence> doubled(Graph &g, const Tensor &t)
{
    Tensor d = g.clone(t, "d", TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);
    Sequence s(Copy(t, d));
    s.add(inc(g, d, 1000));
    return { d, s };
}
static std::tuple<Program, Tensor> three(Graph &g, Tensor t)
{
    return std::make_tuple(Program(inc(g, t, 3)), t);
}
int main()
{
    IPUModel m;
    m.tilesPerIPU = 4;
    Device d = m.createDevice();
    std::vector<Model> models;
    models.emplace_back(d);
    models.push_back(Model(d));
    models.reserve(10);
    std::vector<Engine> engines;
    std::map<int, std::unique_ptr<Engine>> emap;
    for (auto &mo : models) {
        Graph &g = *mo.graph;
        auto again = [&g](Tensor t, int by) { return inc(g, t, by); };
        std::function<Program(int)> f = [&](int n) {
            return n == 0 ? Program(Sequence()) : Program(Sequence({ again(mo.x, n), f(n - 1) }));
        };
        mo.progs["a"] = f(3);
        mo.progs.emplace("b", inc(g, mo.x, 10));
        mo.progs.insert({ "c", Repeat(5, mo.progs["b"]) });
        auto [t, s] = doubled(g, mo.x);
        mo.named.insert(std::make_pair("d", t));
        mo.arr[0] = s;
        mo.arr[1] = std::get<0>(three(g, mo.x));
        Program p;
        Tensor tt;
        std::tie(p, tt) = three(g, t);
        s.add(p);
        (void)tt;
        g.createHostWrite("x", mo.x);
        g.createHostRead("x!", mo.x);
        g.createHostRead("d", t);
        std::vector<Program> list;
        for (auto &kv : mo.progs)
            list.push_back(kv.second);
        list.insert(list.end(), mo.arr.begin(), mo.arr.end());
        Engine e(g, list);
        engines.push_back(std::move(e));
        emap[engines.size()] = std::make_unique<Engine>(g, Sequence{ list[0], list[2] });
    }
    for (auto &e : engines) {
        e.load(d);
        std::vector<int> h{ 1, 2, 3, 4 }, r(4);
        e.writeTensor("x", h.data(), h.data() + 4);
        for (unsigned i = 0; i < 5; i++)
            e.run(i);
        e.readTensor("x!", r.data(), r.data() + 4);
        if (r[3] != 4 + 6 + 10 + 50 + 3) {
            std::cout << "x " << r[3] << "\n";
            return 1;
        }
        e.readTensor("d", r.data(), r.data() + 4);
        if (r[0] != 1067 + 0) {
            std::cout << "d " << r[0] << "\n";
            return 1;
        }
    }
    Engine moved = std::move(*emap[1]);
    Device d2 = std::move(d);
    moved.load(d2);
    moved.run();
    std::vector<int> z{ 0, 0, 0, 0 };
    moved.writeTensor("x", z.data(), z.data() + 4);
    moved.run();
    moved.readTensor("x!", z.data(), z.data() + 4);
    Graph g2(std::move(*models[0].graph));
    Graph g3 = std::move(g2);
    models[0].graph = std::make_unique<Graph>(std::move(g3));
    Tensor late = models[0].graph->addVariable(FLOAT, { 1 });
    models[0].graph->setTileMapping(late, 0);
    std::set<std::string> types;
    for (const Type &ty : { FLOAT, HALF, INT, UNSIGNED_INT, BOOL, CHAR, SIGNED_CHAR, UNSIGNED_CHAR, SHORT,
                            UNSIGNED_SHORT, LONGLONG, UNSIGNED_LONGLONG })
        types.insert(ty.toString());
    std::map<Type, int> byType;
    std::unordered_map<Type, int> hashed;
    hashed[FLOAT] = 1;
    return !(z[0] == 56 && types.size() == 12);
}
