// SPDX-License-Identifier: Apache-2.0
// Programs by an enum; an executable saved, loaded and run without its graph.
// build: c++17
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>
#include <string>
#include <vector>

struct Options {
    bool useIpuModel = true;
    unsigned numIpus = 1;
    bool saveExe = false, loadExe = false;
    std::string exeName;
};
enum Progs { WRITE_INPUTS, CUSTOM_PROG, READ_RESULTS, NUM_PROGRAMS };

static poplar::Device getIpuModel(const Options &o)
{
    poplar::IPUModel model;
    model.numIPUs = o.numIpus;
    model.tilesPerIPU = 4;
    model.compileIPUCode = true;
    return model.createDevice();
}
static poplar::Device getIpuHw(const Options &o)
{
    auto dm = poplar::DeviceManager::createDeviceManager();
    auto hwDevices = dm.getDevices(poplar::TargetType::IPU, o.numIpus);
    if (hwDevices.size() > 0)
        for (auto &d : hwDevices)
            if (d.attach())
                return std::move(d);
    throw std::runtime_error("No IPU hardware available.");
}
struct Built {
    std::map<std::string, poplar::Tensor> tensors;
    std::vector<poplar::program::Program> progs;
};

static Built buildGraphAndPrograms(poplar::Graph &g)
{
    Built b;
    g.addCodelets("parts/twice.cpp", poplar::CodeletFileType::Auto, "-O3 -DFACTOR=2");
    poplar::Tensor v = g.addVariable(poplar::FLOAT, { 4 }, "a"),
                   w = g.addVariable(poplar::FLOAT, { 4 }, poplar::VariableMappingMethod::LINEAR, "b");
    g.setTileMapping(v, 0);
    poplar::ComputeSet cs = g.addComputeSet("cs");
    auto vtx = g.addVertex(cs, "Twice", { { "in", v }, { "out", w } });
    g.setTileMapping(vtx, 1);
    b.progs.resize(NUM_PROGRAMS);
    auto cycles = [&](poplar::program::Sequence &s) {
        return poplar::cycleCount(g, s, 0, poplar::SyncType::INTERNAL, "cyc");
    };
    poplar::program::Sequence custom;
    custom.add(poplar::program::Execute(cs));
    poplar::Tensor cyc = cycles(custom);
    auto in = g.addHostToDeviceFIFO("in", poplar::FLOAT, 4);
    auto out = g.addDeviceToHostFIFO("outs", poplar::FLOAT, 4);
    auto cout = g.addDeviceToHostFIFO("cycles", cyc.elementType(), cyc.numElements());
    b.progs[WRITE_INPUTS] = poplar::program::Copy(in, v);
    b.progs[CUSTOM_PROG] = custom;
    b.progs[READ_RESULTS] =
        poplar::program::Sequence({ poplar::program::Copy(w, out), poplar::program::Copy(cyc, cout) });
    b.tensors["v"] = v;
    b.tensors["w"] = w;
    return b;
}
static int execute(poplar::Engine &e, poplar::Device &d)
{
    e.load(d);
    std::vector<float> x{ 1, 2, 3, 4 }, y(4);
    std::vector<unsigned> cyc(2);
    e.connectStream("in", x.data(), x.data() + 4);
    e.connectStream("outs", y.data(), std::next(y.data(), y.size()));
    e.connectStream("cycles", cyc.data(), cyc.data() + cyc.size());
    e.run(WRITE_INPUTS);
    e.run(CUSTOM_PROG);
    e.run(READ_RESULTS);
    std::cout << "cycles " << cyc[0] << "\n";
    return !(y == std::vector<float>{ 2, 4, 6, 8 } && cyc[0] > 0);
}
static int run(Options o)
{
    auto device = o.useIpuModel ? getIpuModel(o) : getIpuHw(o);
    auto progress = [](int step, int total) {
        if (step == total)
            std::cerr << "compiled\n";
    };
    if (!o.loadExe) {
        poplar::Graph g(device);
        auto b = buildGraphAndPrograms(g);
        auto exe = poplar::compileGraph(g, b.progs, { { "debug.retainDebugInformation", "true" } }, progress);
        if (o.saveExe) {
            std::ofstream f(o.exeName, std::ios::binary);
            exe.serialize(f);
            f.close();
        }
        poplar::Engine e(std::move(exe));
        return execute(e, device);
    }
    std::ifstream f(o.exeName, std::ios::binary);
    auto exe = poplar::Executable::deserialize(f);
    poplar::Engine e(std::move(exe), { { "debug.allowOutOfMemory", "true" } });
    return execute(e, device);
}
int main(int, char **argv)
{
    try {
        Options o;
        o.exeName = argv[1];
        int bad = run(o);
        o.saveExe = true;
        bad += run(o);
        o.saveExe = false;
        o.loadExe = true;
        bad += run(o);
        std::remove(o.exeName.c_str());
        o.useIpuModel = false;
        try {
            run(o);
        } catch (const std::runtime_error &e) {
            std::cout << "as expected: " << e.what() << "\n";
        }
        return bad;
    } catch (const poplar::poplar_error &e) {
        std::cerr << "poplar: " << e.what() << "\n";
        return 2;
    } catch (const std::exception &e) {
        std::cerr << e.what() << "\n";
        return 3;
    }
}
