// SPDX-License-Identifier: Apache-2.0
// Loops, branches, switches and functions.
// build: c++11 c++17
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <sstream>
using namespace poplar;
using namespace poplar::program;
int main()
{
    IPUModel m;
    m.tilesPerIPU = 4;
    Device d = m.createDevice();
    Graph g(d);
    std::istringstream code(
        "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
        "class Dec : public Vertex { public: InOut<int> n; Output<bool> more; bool compute() { *n = *n - 1; *more = *n "
        "> 0; return *n > 0; } };\n"
        "class Acc : public Vertex { public: InOut<int> a; Input<int> b; bool compute() { *a += *b; return true; } };");
    g.addCodelets(code);
    Tensor n = g.addVariable(INT, {}, "n"), more = g.addVariable(BOOL, {}, "more"),
           acc = g.addVariable(INT, { 3 }, "acc"), sel = g.addVariable(INT, {}, "sel");
    g.setTileMapping(n, 0);
    g.setTileMapping(more, 0);
    g.setTileMapping(acc, 1);
    g.setTileMapping(sel, 2);
    g.setInitialValue(n, 5);
    g.setInitialValue(acc, ArrayRef<int>{ 0, 0, 0 });
    g.setInitialValue(sel, 2);
    ComputeSet dec = g.addComputeSet("dec"), ac = g.addComputeSet("ac"), ac2 = g.addComputeSet("ac2");
    VertexRef v = g.addVertex(dec, "Dec", { { "n", n }, { "more", more } });
    g.setTileMapping(v, 0);
    VertexRef w = g.addVertex(ac, "Acc", { { "a", acc[0] }, { "b", n } });
    g.setTileMapping(w, 1);
    w = g.addVertex(ac2, "Acc");
    g.connect(w["a"], acc[1]);
    g.connect(w["b"], acc[0]);
    g.setTileMapping(w, 1);
    Sequence loop;
    loop.add(RepeatWhileTrue(Execute(dec), more, Execute(ac), "while"));
    Function f = g.addFunction(Execute(ac2));
    loop.add(Call(f));
    loop.add(Call(f, { "again" }));
    Switch sw(sel, { { 1, Sequence(Call(f), Call(f)) }, { 2, Sequence(Copy(acc[0], acc[2])) } }, Sequence());
    loop.add(sw);
    Switch sw2(sel, DebugContext("sw2"));
    sw2.add(0, Call(f));
    sw2.add(2, Sequence{});
    loop.add(sw2);
    loop.add(If(more, Call(f), Sequence()));
    loop.add(If(acc[0].reinterpret(UNSIGNED_INT), Execute(ac2), Sequence{}, "notzero"));
    loop.add(WriteUndef(n));
    loop.add(Sync(SyncType::EXTERNAL));
    loop.add(PrintTensor(acc));
    Tensor rc = g.addConstant(INT, {}, 1);
    g.setTileMapping(rc, 0);
    loop.add(AssumeEqualAcrossReplicas(acc, "same"));
    g.createHostRead("acc", acc);
    Sequence whole;
    whole.add(loop);
    Engine e(g, whole);
    e.load(d);
    e.run();
    int a[3];
    e.readTensor("acc", a, a + 3);
    std::cout << a[0] << " " << a[1] << " " << a[2] << "\n";
    return !(a[0] == 10 && a[1] == 30 && a[2] == 10);
}
