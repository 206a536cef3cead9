// SPDX-License-Identifier: Apache-2.0
// Records in byte streams, processed by a codelet that shares their header; callbacks without noexcept.
// build: c++17
#include <atomic>
#include <cmath>
#include <cstring>
#include <iostream>
#include <map>
#include <mutex>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/StreamCallback.hpp>
using namespace poplar;
#include "parts/ray.hpp"
class RecordSource : public poplar::StreamCallback
{
  public:
    RecordSource(std::vector<Record> &r) : rays(r), head(0)
    {
    }
    virtual ~RecordSource()
    {
    }
    virtual void fetch(void *p)
    {
        std::memcpy(p, &rays[head], sizeof(Record) * perBatch);
        std::cerr << "f" << head << " ";
    }
    virtual poplar::StreamCallback::Result prefetch(void *p)
    {
        if (head >= rays.size())
            return StreamCallback::Result::NotAvailable;
        fetch(p);
        return poplar::StreamCallback::Result::Success;
    }
    virtual void complete()
    {
        head += perBatch;
    }
    static constexpr size_t perBatch = 16;

  private:
    std::vector<Record> &rays;
    std::atomic<size_t> head;
};
class RecordSink : public poplar::StreamCallback
{
  public:
    RecordSink(std::vector<Record> &r, std::mutex &m) : rays(r), mutex(m)
    {
    }
    void fetch(void *p) override
    {
        std::lock_guard<std::mutex> l(mutex);
        std::memcpy(&rays[head], p, sizeof(Record) * RecordSource::perBatch);
    }
    Result prefetch(void *) override
    {
        return Result::NotAvailable;
    }
    void complete() override
    {
        head += RecordSource::perBatch;
    }

  private:
    std::vector<Record> &rays;
    std::mutex &mutex;
    size_t head = 0;
};
constexpr size_t RecordSource::perBatch;
int main()
{
    poplar::IPUModel model("ipu2");
    model.tilesPerIPU = 4;
    poplar::Device dev = model.createDevice();
    poplar::Graph graph(dev.getTarget());
    auto codeletFile = std::string("parts/rays.cpp");
    graph.addCodelets(codeletFile, poplar::CodeletFileType::Auto, "-O3 -I .");
    const size_t batch = RecordSource::perBatch, bytes = batch * sizeof(Record);
    auto rays = graph.addVariable(poplar::UNSIGNED_CHAR, { 4, bytes / 4 }, "rays");
    auto cs = graph.addComputeSet("trace");
    for (unsigned t = 0; t < 4; ++t) {
        graph.setTileMapping(rays[t], t);
        auto v = graph.addVertex(cs, "HitDisc", { { "rayBuffer", rays[t] } });
        graph.setInitialValue(v["radius"], 0.5f);
        graph.setTileMapping(v, t);
    }
    auto in = graph.addHostToDeviceFIFO("rays_in", poplar::UNSIGNED_CHAR, bytes,
                                        poplar::ReplicatedStreamMode::REPLICATE, { { "bufferingDepth", "1" } });
    auto out = graph.addDeviceToHostFIFO("rays_out", poplar::UNSIGNED_CHAR, bytes);
    auto counter = graph.addVariable(poplar::UNSIGNED_INT, {}, "n");
    graph.setTileMapping(counter, 0);
    std::map<std::string, size_t> ids;
    std::vector<poplar::program::Program> list;
    auto add = [&](std::string name, poplar::program::Program p) {
        ids[name] = list.size();
        list.push_back(std::move(p));
    };
    poplar::program::Sequence loop;
    loop.add(poplar::program::Copy(in, rays));
    loop.add(poplar::program::Sync(poplar::SyncType::INTERNAL));
    loop.add(poplar::program::Execute(cs));
    loop.add(poplar::program::Copy(rays, out));
    add("setup", poplar::program::Sequence{});
    add("render", poplar::program::Repeat(4, loop, { "render_loop" }));
    poplar::Engine engine(graph, list);
    engine.load(dev);
    std::vector<Record> h(64), r(64);
    for (unsigned i = 0; i < 64; i++)
        h[i] = Record(i % 8, i / 8, 8, 8);
    auto cb = std::make_unique<RecordSource>(h);
    std::mutex m;
    engine.connectStreamToCallback("rays_in", std::move(cb));
    engine.connectStreamToCallback("rays_out", std::make_unique<RecordSink>(r, m));
    for (auto &n : { "setup", "render" })
        engine.run(ids.at(n));
    std::cerr << "\n";
    unsigned hits = 0, expect = 0;
    for (auto &t : r)
        hits += t.hit;
    for (unsigned i = 0; i < 64; i++) {
        Record t(i % 8, i / 8, 8, 8);
        t.hit = t.x * t.x + t.y * t.y < 0.25f;
        expect += t.hit;
        if (r[i].hit != t.hit || r[i].x != t.x)
            return 1;
    }
    std::cout << hits << " " << expect << "\n";
    return hits != expect || hits == 0;
}
