// SPDX-License-Identifier: Apache-2.0
// Heat in two dimensions, in rows over tiles with halos, timed on the device.
// build: c++17 c++20
#include <chrono>
#include <cmath>
#include <iostream>
#include <optional>
#include <poplar/CSRFunctions.hpp>
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplar/SyncType.hpp>
#include <vector>
using namespace poplar;
using namespace poplar::program;
struct TensorSlice {
    size_t rowFrom, rowToExclusive, colFrom, colToExclusive;
};
auto captureHostCycleCount(Graph &graph, Sequence &seq, const std::string &title) -> void
{
    Tensor t = cycleCount(graph, seq, 0, SyncType::EXTERNAL);
    graph.createHostRead(title, t, true);
}
int main()
{
    const size_t H = 24, W = 18;
    const unsigned T = 6, iters = 5;
    auto model = IPUModel{};
    model.numIPUs = 2;
    model.tilesPerIPU = 8;
    model.minIPUSyncDelay = 50;
    auto device = std::make_optional(model.createDevice());
    auto graph = Graph(device->getTarget());
    graph.addCodelets({ "parts/stencil.cpp" }, CodeletFileType::Auto, "-O3 -I .");
    Sequence fp;
    setFloatingPointBehaviour(graph, fp, FloatingPointBehaviour{ true, true, true, false, true }, "fp");
    auto in = graph.addVariable(FLOAT, { H, W }, "in"), out = graph.addVariable(FLOAT, { H, W }, "out");
    std::vector<TensorSlice> slices;
    for (unsigned t = 0; t < T; t++)
        slices.push_back({ t * H / T, (t + 1) * H / T, 0, W });
    for (auto [i, s] = std::tuple{ 0u, slices.begin() }; s != slices.end(); ++i, ++s) {
        graph.setTileMapping(in.slice({ s->rowFrom, s->colFrom }, { s->rowToExclusive, s->colToExclusive }), i * 2);
        graph.setTileMapping(out.slice({ s->rowFrom, s->colFrom }, { s->rowToExclusive, s->colToExclusive }), i * 2);
    }
    auto zeros = std::vector<float>(W, 0.f);
    auto zero = graph.addConstant(FLOAT, { 1, W }, zeros.data(), "zeros");
    graph.setTileMapping(zero, 0);
    const auto step = [&](Tensor &a, Tensor &b) -> Program {
        ComputeSet cs = graph.addComputeSet("step");
        for (auto i = 0u; i < T; i++) {
            auto &s = slices[i];
            auto v = graph.addVertex(cs, "Stencil<float>",
                                     {
                                         { "above", i == 0 ? zero[0] : a[s.rowFrom - 1] },
                                         { "below", i == T - 1 ? zero[0] : a[s.rowToExclusive] },
                                         { "mid", a.slice({ s.rowFrom, 0 }, { s.rowToExclusive, W }) },
                                         { "out", b.slice(s.rowFrom, s.rowToExclusive, 0) },
                                     });
            graph.setInitialValue(v["width"], W);
            graph.setInitialValue<unsigned>(v["height"], s.rowToExclusive - s.rowFrom);
            graph.setPerfEstimate(v, 100);
            graph.setTileMapping(v, i * 2);
        }
        return Execute(cs);
    };
    auto seq = Sequence{ fp, Repeat{ iters, Sequence{ step(in, out), step(out, in) } } };
    captureHostCycleCount(graph, seq, "cycles");
    graph.createHostWrite("in", in, true);
    graph.createHostRead("result", in);
    auto stamp = cycleStamp(graph, seq, 1, SyncType::INTERNAL, "stamp");
    graph.createHostRead("stamp", stamp);
    auto timing = std::chrono::steady_clock::now();
    auto engine = Engine(graph, { seq, Sequence() },
                         OptionFlags{ { "debug.instrument", "true" },
                                      { "debug.instrumentCompute", "true" },
                                      { "autoReport.all", "false" } });
    engine.load(*device);
    std::vector<float> h(H * W), r(H * W), n(H * W);
    for (size_t i = 0; i < h.size(); i++)
        h[i] = float((i * 37) % 101) / 10;
    engine.writeTensor("in", h.data(), h.data() + h.size());
    engine.run(0);
    engine.readTensor("result", r.data(), r.data() + r.size());
    for (unsigned it = 0; it < iters * 2; it++) {
        for (size_t y = 0; y < H; y++)
            for (size_t x = 0; x < W; x++) {
                auto at = [&](long yy, long xx) {
                    return yy < 0 || xx < 0 || yy >= (long)H || xx >= (long)W ? 0.f : h[yy * W + xx];
                };
                n[y * W + x] =
                    0.2f * (at(y, x) + at((long)y - 1, x) + at(y + 1, x) + at(y, (long)x - 1) + at(y, x + 1));
            }
        std::swap(h, n);
    }
    float worst = 0;
    for (size_t i = 0; i < r.size(); i++)
        worst = std::max(worst, std::abs(r[i] - h[i]));
    uint64_t cycles;
    engine.readTensor("cycles", &cycles, &cycles + 1);
    std::cerr << "worst " << worst << " cycles " << cycles << " clock " << device->getTarget().getTileClockFrequency()
              << " " << std::chrono::duration<double>(std::chrono::steady_clock::now() - timing).count() << "s\n";
    return !(worst < 1e-4 && cycles > 0);
}
