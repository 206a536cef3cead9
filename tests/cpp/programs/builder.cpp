// SPDX-License-Identifier: Apache-2.0
// A graph manager and builders: programs by name, tensors that hold their streams, devices in variants.
// build: c++17 c++20
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <string>
#include <variant>
namespace device_tools
{
struct Settings {
    std::size_t numIpus, numReplicas;
    std::string exeName;
    bool useIpuModel, saveExe, loadExe, compileOnly, deferredAttach;
};
using ProgramList = std::vector<poplar::program::Program>;
class NamedPrograms
{
    std::map<std::string, std::size_t> index;
    ProgramList list;

  public:
    void add(const std::string &n, const poplar::program::Program &p)
    {
        if (!index.emplace(n, list.size()).second)
            throw std::logic_error("dup " + n);
        list.push_back(p);
    }
    void run(poplar::Engine &e, const std::string &n) const
    {
        e.run(index.at(n), n);
    }
    ProgramList getList() const
    {
        return list;
    }
};
struct HostTensor {
    explicit HostTensor(std::string n) : name(std::move(n))
    {
    }
    void buildTensor(poplar::Graph &g, poplar::Type t, poplar::ArrayRef<std::size_t> shape)
    {
        tensor = g.addVariable(t, shape, poplar::VariableMappingMethod::LINEAR, name);
    }
    poplar::program::Sequence buildWrite(poplar::Graph &g, bool optimiseMemory = false)
    {
        stream = g.addHostToDeviceFIFO(name + "/write", get().elementType(), get().numElements(),
                                       poplar::ReplicatedStreamMode::REPLICATE);
        return poplar::program::Sequence({ poplar::program::Copy(stream, get(), optimiseMemory, name + "/copy") });
    }
    poplar::program::Sequence buildRead(poplar::Graph &g, bool optimiseMemory = false)
    {
        r = g.addDeviceToHostFIFO(name + "/read", get().elementType(), get().numElements());
        return poplar::program::Sequence{ poplar::program::Copy(get(), *r, optimiseMemory, name + "/copy_out") };
    }
    template <class V> void connectWrite(poplar::Engine &e, V &v)
    {
        e.connectStream(stream, v.data(), v.data() + v.size());
    }
    template <class V> void connectRead(poplar::Engine &e, V &v)
    {
        e.connectStream(r->handle(), (void *)v.data(), (void *)(v.data() + v.size()));
    }
    HostTensor &operator=(const poplar::Tensor &t)
    {
        tensor = t;
        return *this;
    }
    poplar::Tensor get() const
    {
        if (!tensor.valid())
            throw std::logic_error("invalid " + name);
        return tensor;
    }
    std::string name;
    poplar::Tensor tensor;
    poplar::DataStream stream;
    std::optional<poplar::DataStream> r;
};
struct Builder {
    virtual void build(poplar::Graph &, const poplar::Target &) = 0;
    virtual void execute(poplar::Engine &, const poplar::Device &) = 0;
    virtual ~Builder() = default;
    NamedPrograms programs;
    std::unique_ptr<poplar::Executable> exe;
    Settings config;
};
class Runner
{
    using Exe = std::variant<std::monostate, std::reference_wrapper<poplar::Executable>, poplar::Executable>;
    std::variant<std::monostate, poplar::Device, poplar::IPUModel> device;

  public:
    int run(Builder &b, const poplar::OptionFlags &engineOptions = {})
    {
        auto cfg = b.config;
        auto optDevice = getDevice(cfg);
        const auto target = std::holds_alternative<poplar::Device>(device)
                                ? std::get<poplar::Device>(device).getTarget()
                                : optDevice->getTarget();
        poplar::Graph graph(target, poplar::replication_factor(cfg.numReplicas));
        b.build(graph, target);
        auto exe = poplar::compileGraph(graph, b.programs.getList(), engineOptions, [](int a, int t) {
            if (a % 1000 == 999)
                std::clog << a << "/" << t << "\n";
        });
        if (cfg.saveExe) {
            std::ofstream o(cfg.exeName + ".poplar.exec");
            exe.serialize(o);
        }
        Exe held(std::move(exe));
        poplar::Engine engine(std::move(std::get<poplar::Executable>(held)), engineOptions);
        if (!optDevice->attach())
            return EXIT_FAILURE;
        engine.load(*optDevice);
        b.execute(engine, *optDevice);
        return EXIT_SUCCESS;
    }
    std::optional<poplar::Device> getDevice(const Settings &c)
    {
        if (c.useIpuModel) {
            poplar::IPUModel m;
            m.numIPUs = c.numIpus * c.numReplicas;
            m.tilesPerIPU = 8;
            device = m;
            return m.createDevice();
        }
        poplar::DeviceManager dm;
        auto list = dm.getDevices(poplar::TargetType::IPU, c.numIpus);
        if (list.empty())
            return std::nullopt;
        return std::optional<poplar::Device>(std::move(list.front()));
    }
};
} // namespace device_tools
class Axpy : public device_tools::Builder
{
    device_tools::HostTensor x{ "x" }, y{ "y" };
    poplar::Tensor alpha;

  public:
    std::vector<float> hx = std::vector<float>(100, 2), hy = std::vector<float>(100, 1), out = std::vector<float>(100);
    void build(poplar::Graph &graph, const poplar::Target &target) override
    {
        graph.addCodelets("parts/axpy.cpp");
        x.buildTensor(graph, poplar::FLOAT, { 100 });
        y = graph.clone(x.get(), "y");
        alpha = graph.addConstant<float>(poplar::FLOAT, {}, 3.f, "alpha");
        graph.setTileMapping(alpha, 0);
        auto cs = graph.addComputeSet("axpy");
        const auto &m = graph.getTileMapping(x.get());
        for (auto tile = 0u; tile < m.size(); ++tile)
            for (const auto &iv : m[tile]) {
                auto v = graph.addVertex(cs, "Axpy");
                graph.connect(v["x"], x.get().slice(iv));
                graph.connect(v["y"], y.tensor.slice(iv.begin(), iv.end()));
                graph.connect(v["alpha"], alpha);
                graph.setTileMapping(v, tile);
                graph.setPerfEstimate(v, iv.size() * 3);
            }
        using namespace poplar::program;
        programs.add("write", Sequence{ x.buildWrite(graph), y.buildWrite(graph, true) });
        programs.add("axpy", Execute(cs, "run-axpy"));
        programs.add("read", y.buildRead(graph));
    }
    void execute(poplar::Engine &engine, const poplar::Device &device) override
    {
        x.connectWrite(engine, hx);
        y.connectWrite(engine, hy);
        for (unsigned r = 0; r < 1; r++)
            engine.connectStreamToCallback("y/read", r,
                                           [this, r](void *p) { std::copy_n((float *)p, 100, out.data() + 100 * r); });
        programs.run(engine, "write");
        programs.run(engine, "axpy");
        programs.run(engine, "axpy");
        programs.run(engine, "read");
    }
};
int main()
{
    Axpy a;
    a.config = { 1, 1, "", true, false, false, false, false };
    device_tools::Runner().run(a, { { "debug.instrument", "true" } });
    for (float f : a.out)
        if (f != 13.f) {
            std::cout << "got " << f << "\n";
            return 1;
        }
    std::cout << "ok\n";
}
