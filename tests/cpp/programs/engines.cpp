// SPDX-License-Identifier: Apache-2.0
// Engines, devices and targets in the spellings that programs use for them: program lists, transfers, callbacks,
// executables. build: c++11 c++14 c++20
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
static Graph makeGraph(const Target &target)
{
    Graph g(target);
    auto x = g.addVariable(FLOAT, { 2 }, "x");
    g.setTileMapping(x, 0);
    return g;
}
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
static void progress(int, int)
{
}
static void cFetch(void *p)
{
    *static_cast<float *>(p) = 4;
}
struct Noex final : public poplar::StreamCallback {
    Result prefetch(void *) noexcept override
    {
        return Result::NotAvailable;
    }
    void fetch(void *p) noexcept override
    {
        *(float *)p = 3;
    }
    void complete() noexcept override
    {
    }
    void invalidatePrefetched() noexcept override
    {
    }
};
int main()
{
    Model m = makeModel();
    Graph &g = m.graph;
    Tensor a = g.addVariable(FLOAT, { 3, 5 }, "a"), b = g.addVariable(FLOAT, { 3, 5 }),
           scalar = g.addVariable(FLOAT, {}, "scalar");
    for (auto &t : { a, b, scalar })
        g.setTileMapping(t, 0);
    Sequence s1 = { Copy(a, b), Copy(b, a) }, s2({ Copy(a, b) }), s10(Repeat(2, s1));
    Program p1;
    Copy cp(a, b);
    OptionFlags o1 = { { "debug.instrument", "true" } }, o4;
    o4.set("target.workerStackSizeInBytes", std::to_string(512));
    std::string str = "abc";
    std::array<Program, 3> arr{ { s1, p1, s10 } };
    std::vector<Program> pv{ s1, Copy(a, b) };
    ArrayRef<Program> ar(pv);
    (void)ar;
    Tensor cyc = cycleCount(g, s1, 0, SyncType::INTERNAL),
           cyc2 = cycleStamp(g, s1, { 0, 1 }, SyncType::INTERNAL).front();
    g.createHostRead(std::string("b") + "x", b);
    g.createHostWrite(str + "w", b);
    g.createHostRead("cyc", cyc);
    auto in = g.addHostToDeviceFIFO(str + "in", FLOAT, 1, ReplicatedStreamMode::REPLICATE,
                                    OptionFlags({ { "splitLimit", "0" } }));
    auto out = g.addDeviceToHostFIFO("out", scalar.elementType(), scalar.numElements());
    Sequence io(Copy(in, scalar), Copy(scalar, out));
    s1.add(io);
    Engine e1(g, arr, o4), e2(g, { s1, s2, io }, o1), e3{ g, s1 }, e4(g, { Copy(a, b), s1 }), e5(g, pv),
        e6(g, s1, {}, progress), e7(g, s1, { { "debug.instrument", "true" } }, [](int, int) {}), e8(g, cp);
    auto e9 = std::unique_ptr<Engine>(new Engine(g, pv, o1));
    Engine *raw = new Engine(g, s1);
    delete raw;
    auto exe = compileGraph(g, { s1, io });
    Executable exe2 = compileGraph(g, pv, o1, nullptr);
    Engine e10(std::move(exe), o1), e11(std::move(exe2));
    e4 = std::move(e10);
    e4.load(m.dev);
    m.dev.attach();
    float fin = 7, fout = 0;
    e4.connectStream("abcin", &fin);
    e4.connectStream(out, &fout, &fout + 1);
    e4.run(1);
    assert(fout == 7);
    std::vector<float> r(15), w(15, 5.f);
    e4.writeTensor("abcw", w.data(), &*w.end());
    e4.readTensor("bx", r.data(), r.data() + r.size());
    assert(r == w);
    e4.readTensor("bx", r.data());
    e4.writeTensor("abcw", w.data());
    e4.writeTensor("abcw", ArrayRef<float>(w));
    e4.writeTensor<float>("abcw", w);
    std::function<void(void *)> fn = cFetch;
    e4.connectStreamToCallback("abcin", fn);
    e4.run(1);
    assert(fout == 4);
    e4.connectStreamToCallback("abcin", std::unique_ptr<Noex>(new Noex));
    e4.run(1);
    assert(fout == 3);
    e4.connectStreamToCallback(in, cFetch);
    e4.run(1);
    std::unique_ptr<StreamCallback> base(new Noex);
    StreamCallbackHandle h{ std::move(base) };
    e4.connectStreamToCallback("abcin", std::move(h));
    e4.connectStream("out", ArrayRef<float>(&fout, 1));
    enum class P { A, B };
    e4.run(static_cast<unsigned>(P::B));
    try {
        throw poplar::poplar_error("x");
    } catch (const poplar_error &e) {
        assert(std::string(e.what()) == "x");
    }
    try {
        throw graph_memory_allocation_error("y");
    } catch (const graph_memory_allocation_error &e) {
        (void)e;
    }
    Target target = Target::createIPUTarget(1, "ipu2"), t16 = Target::createIPUTarget(2, 16, "ipu2");
    Graph g2(t16), g3 = makeGraph(target), g4(t16, replication_factor(1));
    assert(g2.getTarget().getNumTiles() == 32 && target.getNumTiles() == 1472);
    Executable offline = compileGraph(g3, { Sequence() });
    for (auto &hw : DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1))
        hw.attach();
    std::tuple<Device, bool> tup(IPUModel().createDevice(), true);
    Device dd;
    dd = std::move(std::get<0>(tup));
    std::vector<Device> dv;
    dv.push_back(std::move(dd));
    dv.emplace_back(Device::createCPUDevice());
    IPUModel im("ipu21");
    im.IPUVersion = "ipu2";
    im.tileClockFrequency = 1e9;
    std::hash<std::string>();
    std::reference_wrapper<Graph> rg(g);
    rg.get().getTarget();
    return 0;
}
