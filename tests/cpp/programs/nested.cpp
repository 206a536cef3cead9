// SPDX-License-Identifier: Apache-2.0
// Nested vectors, vector lists, state of every kind, compiled in both ways.
// build: c++14
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
using namespace poplar;
using namespace poplar::program;
int main()
{
    for (auto compile : { true, false }) {
        IPUModel m;
        m.compileIPUCode = compile;
        m.tilesPerIPU = 3;
        Device d = m.createDevice();
        Graph g(d.getTarget());
        g.addCodelets("parts/nested.cpp");
        Tensor in = g.addVariable(FLOAT, { 3, 4 }, "in"), out = g.addVariable(FLOAT, { 3 }, "out"),
               lst = g.addVariable(HALF, { 9 }, "l"), st = g.addVariable(INT, { 8 }, "s"),
               ab = g.addVariable(UNSIGNED_INT, { 6 });
        for (auto &t : { in, out, lst, st, ab })
            g.setTileMapping(t, 2);
        g.setInitialValue(in, std::vector<float>{ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 });
        auto cs = g.addComputeSet("n");
        auto v = g.addVertex(cs, "Nested", { { "in", in }, { "out", out }, { "st", st } });
        g.setTileMapping(v, 2);
        g.connect(v["list"], std::vector<Tensor>{ lst.slice(0, 2), lst.slice(2, 5), lst.slice(5, 9) });
        float w[] = { 0.5f, 1.5f, 2.5f };
        g.setInitialValue(v["w"], ArrayRef<float>(w, 3));
        std::vector<unsigned> off{ 7, 8 };
        g.setInitialValue(v["off"], off);
        g.setInitialValue(v["flag"], true);
        g.setInitialValue(v["mode"], 1);
        g.setInitialValue(v["big"], 5000000000ull);
        g.setInitialValue<unsigned char>(v["small"], 200);
        g.setFieldSize(v["twoD"], 2);
        g.setInitialValue(v["twoD"][0], ArrayRef<int>({ 1, 2 }));
        g.setInitialValue(v["twoD"][1], std::vector<int>{ 3 });
        g.setFieldSize(v["scalars"], 2);
        g.connect(v["scalars"][0], ab[5]);
        g.connect(v["scalars"][1], ab[0]);
        g.createHostRead("out", out);
        g.createHostRead("l", lst);
        g.createHostRead("s", st);
        g.createHostRead("ab", ab);
        Engine e(g, Sequence(Execute(cs), Execute(cs)));
        e.load(d);
        e.run();
        float o[3];
        int s[8];
        unsigned u[6];
        std::vector<uint16_t> l(9);
        e.readTensor("out", o, o + 3);
        e.readTensor("s", s, s + 8);
        e.readTensor("ab", u, u + 6);
        e.readTensor("l", l.data(), l.data() + 9);
        std::vector<float> lf(9);
        copyDeviceHalfToFloat(d.getTarget(), l.data(), lf.data(), 9);
        for (float x : o)
            std::cout << x << " ";
        for (int x : s)
            std::cout << x << " ";
        std::cout << u[5] << u[0] << " ";
        for (float x : lf)
            std::cout << x << " ";
        std::cout << "\n";
        if (!(o[0] == 5 && o[1] == 39 && o[2] == 105 && s[0] == 7 && s[1] == 8 && s[2] == 2 && s[3] == 6 && s[4] == 1 &&
              s[5] == 200 && s[6] == 1 && s[7] == 2 && u[5] == 10 && u[0] == 11 && lf[8] == 23))
            return 1;
    }
    return 0;
}
