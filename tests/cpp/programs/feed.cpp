// SPDX-License-Identifier: Apache-2.0
// Callbacks that prefetch, callbacks that only fetch, lambdas.
// build: c++14 c++20
#include <cstring>
#include <iostream>
#include <memory>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/StreamCallback.hpp>
using namespace poplar;
using namespace poplar::program;

class DataFeed : public StreamCallback
{
  public:
    using Result = StreamCallback::Result;
    explicit DataFeed(std::vector<float> d) : data(std::move(d))
    {
    }
    Result prefetch(void *p) override
    {
        if (next + 4 > data.size())
            return Result::NotAvailable;
        std::memcpy(p, &data[next], 4 * sizeof(float));
        prefetched++;
        return Result::Success;
    }
    void fetch(void *p) override
    {
        std::memcpy(p, &data[next], 4 * sizeof(float));
    }
    void complete() override
    {
        next += 4;
        if (next == data.size())
            next = 0;
        completes++;
    }
    void invalidatePrefetched() override
    {
        invalidated++;
    }
    static int prefetched, completes, invalidated;

  private:
    std::vector<float> data;
    std::size_t next = 0;
};
int DataFeed::prefetched = 0;
int DataFeed::completes = 0;
int DataFeed::invalidated = 0;
struct Sink final : LegacyStreamCallback { // prefetch returns NotAvailable
    std::vector<float> &to;
    Sink(std::vector<float> &t) : to(t)
    {
    }
    void fetch(void *p) override
    {
        auto f = static_cast<float *>(p);
        to.insert(to.end(), f, f + 4);
    }
};
int main()
{
    IPUModel m;
    m.tilesPerIPU = 2;
    auto device = m.createDevice(OptionFlags());
    Graph g(device.getTarget());
    auto t = g.addVariable(FLOAT, { 2, 2 }, "t");
    g.setTileMapping(t, 0);
    auto in = g.addHostToDeviceFIFO("in", FLOAT, 4, ReplicatedStreamMode::REPLICATE,
                                    { { "splitLimit", "0" }, { "bufferingDepth", "2" } });
    auto out = g.addDeviceToHostFIFO("out", FLOAT, t.numElements());
    Sequence body;
    body.add(Copy(in, t));
    body.add(Copy(t, out));
    Engine e(g, Repeat(6, body),
             OptionFlags{ { "exchange.streamBufferOverlap", "none" }, { "exchange.enablePrefetch", "true" } });
    e.load(device);
    std::vector<float> src(12), got;
    for (int i = 0; i < 12; i++)
        src[i] = i;
    std::unique_ptr<StreamCallback> cb(new DataFeed(src));
    e.connectStreamToCallback(in, std::move(cb));
    e.connectStreamToCallback("out", std::unique_ptr<Sink>(new Sink(got)));
    e.run();
    bool ok = got.size() == 24;
    for (size_t i = 0; ok && i < 24; i++)
        ok = got[i] == float(i % 12);
    std::cout << "prefetched " << DataFeed::prefetched << " completes " << DataFeed::completes << " invalidated "
              << DataFeed::invalidated << "\n";
    // a lambda
    got.clear();
    int n = 0;
    e.connectStreamToCallback("in", [&n](void *p) {
        auto f = reinterpret_cast<float *>(p);
        std::fill(f, f + 4, float(n++));
    });
    e.connectStreamToCallback("out", [&](void *p) { got.push_back(static_cast<const float *>(p)[3]); });
    e.run(0);
    ok = ok && got == std::vector<float>{ 0, 1, 2, 3, 4, 5 };
    std::cout << (ok ? "ok\n" : "FAIL\n");
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
