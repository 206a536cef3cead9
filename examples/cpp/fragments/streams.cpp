// SPDX-License-Identifier: Apache-2.0
// Data streams and remote buffers, as the guide describes them: a callback that fills a stream's buffer before each
// transfer and may be asked early (prefetch), one that receives results, and rows of a remote buffer that a program
// writes and reads.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>
#include <memory>
#include <numeric>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace
{

const std::size_t elements = 8;

// Batch after batch of ascending numbers.
class Batches : public StreamCallback
{
  public:
    Result prefetch(void *buffer) override
    {
        fill(buffer);
        return Result::Success;
    }
    void fetch(void *buffer) override
    {
        fill(buffer);
    }
    void complete() override
    {
        ++batch;
    }

  private:
    void fill(void *buffer)
    {
        std::iota(static_cast<int *>(buffer), static_cast<int *>(buffer) + elements, batch * 100);
    }
    int batch = 0;
};

} // namespace

int main()
{
    Device device = IPUModel().createDevice();
    Graph graph(device.getTarget());
    Tensor data = graph.addVariable(INT, { elements }, VariableMappingMethod::LINEAR, "data");
    DataStream in = graph.addHostToDeviceFIFO("in", INT, elements);
    DataStream out = graph.addDeviceToHostFIFO("out", INT, elements);
    RemoteBuffer buffer = graph.addRemoteBuffer("buffer", INT, elements, 3);
    Tensor row = graph.addVariable(UNSIGNED_INT, { 1 }, "row");
    graph.setTileMapping(row, 0);
    graph.setInitialValue(row, 1u);

    Sequence prog;
    prog.add(Repeat(3, Sequence(Copy(in, data), Copy(data, out))));
    prog.add(Copy(data, buffer, row));

    Engine engine(graph, prog,
                  OptionFlags{ { "exchange.enablePrefetch", "true" }, { "exchange.streamBufferOverlap", "none" } });
    engine.load(device);
    engine.connectStreamToCallback("in", std::unique_ptr<StreamCallback>(new Batches));
    engine.connectStreamToCallback(
        "out", [](void *result) { std::cout << "batch from " << *static_cast<int *>(result) << "\n"; });
    engine.run(0);

    std::vector<int> stored(elements);
    engine.copyFromRemoteBuffer("buffer", stored.data(), 1);
    std::cout << "row 1:";
    for (int value : stored)
        std::cout << " " << value;
    std::cout << "\n";
    return 0;
}
