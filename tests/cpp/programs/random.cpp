// SPDX-License-Identifier: Apache-2.0
// build: c++17
// Program and codelet in one file: random builtins repeat from load to load, and differ between vertices and runs.
#ifdef __POPC__
#include <poplar/Vertex.hpp>

class Draw : public poplar::Vertex
{
  public:
    poplar::Output<float> x;
    bool compute()
    {
        *x = __builtin_ipu_urand_f32();
        return true;
    }
};
#else
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

using namespace poplar;

enum { VERTICES = 3000 };

static std::vector<float> draw(Engine &engine)
{
    std::vector<float> values(VERTICES);
    engine.run();
    engine.readTensor("x", values.data(), values.data() + VERTICES);
    return values;
}

int main()
{
    Device device = IPUModel().createDevice();
    Graph graph(device.getTarget());
    graph.addCodelets(__FILE__);
    Tensor x = graph.addVariable(FLOAT, { VERTICES });
    ComputeSet set = graph.addComputeSet("draw");
    for (unsigned i = 0; i < VERTICES; ++i) {
        VertexRef vertex = graph.addVertex(set, "Draw", { { "x", x[i] } });
        graph.setTileMapping(x[i], i % 1000);
        graph.setTileMapping(vertex, i % 1000);
        graph.setPerfEstimate(vertex, 10);
    }
    graph.createHostRead("x", x);
    Engine engine(graph, program::Execute(set));
    engine.load(device);
    const std::vector<float> first = draw(engine), second = draw(engine);
    engine.load(device);
    const bool repeats = first == draw(engine) && second == draw(engine);
    const std::set<float> different(first.begin(), first.end());
    const double mean = std::accumulate(first.begin(), first.end(), 0.0) / VERTICES;
    if (!repeats || first == second || different.size() < VERTICES - 5 || std::fabs(mean) > 0.03) {
        std::cerr << repeats << " " << (first == second) << " " << different.size() << " " << mean << "\n";
        return 1;
    }
}
#endif
