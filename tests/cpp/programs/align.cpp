// SPDX-License-Identifier: Apache-2.0
// Local alignment of sequences, batch by batch: byte streams, a host thread, vertices and multivertices that call
// functions. build: c++17
#include <chrono>
#include <iostream>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <random>
#include <thread>
#include <vector>
namespace ipu
{
using namespace poplar;
enum VertexType { cpp, multi };
static const std::string typeString[] = { "Local<int>", "MultiLocal<int>" };
static const std::string oneWorker = "Local";
struct Sizes {
    int numVertices = 6, maxSeq = 24, maxCmp = 4;
    VertexType vtype = VertexType::multi;
};
inline std::vector<program::Program> buildGraph(Graph &graph, Sizes c, const std::vector<int8_t> &matrix, size_t side)
{
    program::Sequence prog;
    program::Sequence initProg, undef;
    Target target = graph.getTarget();
    int tileCount = target.getNumTiles();
    auto SeqT = graph.addVariable(UNSIGNED_CHAR, { size_t(c.numVertices), size_t(2 * c.maxCmp * c.maxSeq) }, "seqs"),
         Lens = graph.addVariable(INT, { size_t(c.numVertices), size_t(2 * c.maxCmp) }, "lens"),
         Scores = graph.addVariable(INT, { size_t(c.numVertices), size_t(c.maxCmp) }, "Scores");
    Tensor sim = graph.addConstant(SIGNED_CHAR, { side, side }, matrix, "similarity");
    graph.setTileMapping(sim, 0);
    for (int i = 0; i < c.numVertices; ++i) {
        int t = i % tileCount;
        graph.setTileMapping(SeqT[i], t);
        graph.setTileMapping(Lens[i], t);
        graph.setTileMapping(Scores[i], t);
    }
    OptionFlags streamOptions({ { "bufferingDepth", "1" }, { "splitLimit", "0" } });
    auto in = graph.addHostToDeviceFIFO("IN", UNSIGNED_CHAR, SeqT.numElements(), ReplicatedStreamMode::REPLICATE,
                                        streamOptions),
         lin = graph.addHostToDeviceFIFO("LEN", INT, Lens.numElements());
    auto out = graph.addDeviceToHostFIFO("OUT", INT, Scores.numElements(), streamOptions);
    auto frontCs = graph.addComputeSet("local");
    for (int i = 0; i < c.numVertices; i++) {
        int tile = i % tileCount;
        VertexRef vtx = graph.addVertex(
            frontCs, typeString[c.vtype],
            { { "seqs", SeqT[i] }, { "lens", Lens[i] }, { "sim", sim.flatten() }, { "score", Scores[i] } });
        auto H = graph.addVariable(INT, { size_t(c.maxSeq * 6) }, "H" + std::to_string(i));
        graph.setTileMapping(H, tile);
        graph.connect(vtx["H"], H);
        undef.add(program::WriteUndef(H));
        graph.setInitialValue(vtx["maxSeq"], c.maxSeq);
        graph.setInitialValue(vtx["side"], side);
        graph.setTileMapping(vtx, tile);
        graph.setPerfEstimate(vtx, 1);
    }
    prog.add(program::Copy(in, SeqT, true, "in"));
    prog.add(program::Copy(lin, Lens));
    prog.add(undef);
    prog.add(program::Execute(frontCs));
    prog.add(program::Copy(Scores, out));
    return { initProg, prog };
}
class Aligner
{
    Target target;
    Device device;
    std::vector<Engine *> engines;
    Sizes c;

  public:
    Aligner(Sizes c, IPUModel m = IPUModel()) : device(m.createDevice()), c(c)
    {
        target = device.getTarget();
        Graph graph(target);
        graph.addCodelets("parts/align.cpp", CodeletFileType::Auto, "-O3");
        std::vector<int8_t> mat(16, -1);
        for (int i = 0; i < 4; i++)
            mat[i * 5] = 2;
        auto progs = buildGraph(graph, c, mat, 4);
        Engine *e = new Engine(graph, progs,
                               OptionFlags{ { "exchange.streamBufferOverlap", "hostRearrangeOnly" },
                                            { "target.extendedMemory", "true" } });
        engines.push_back(e);
        e->load(device);
        e->run(0);
    }
    ~Aligner()
    {
        for (auto *e : engines)
            delete e;
    }
    std::vector<int> run(const std::vector<uint8_t> &s, const std::vector<int> &l)
    {
        std::vector<int> o(c.numVertices * c.maxCmp);
        std::thread t([&] {
            auto &e = *engines[0];
            e.connectStream("IN", const_cast<uint8_t *>(s.data()));
            e.connectStream("LEN", (void *)l.data());
            e.connectStream("OUT", o.data());
            e.run(1);
        });
        t.join();
        return o;
    }
};
static int cpuScore(const uint8_t *a, int n, const uint8_t *b, int m)
{
    std::vector<int> p(m + 1), q(m + 1);
    int best = 0;
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= m; j++) {
            q[j] = std::max({ 0, p[j - 1] + (a[i - 1] == b[j - 1] ? 2 : -1), p[j] - 1, q[j - 1] - 1 });
            best = std::max(best, q[j]);
        }
        std::swap(p, q);
    }
    return best;
}
} // namespace ipu
int main()
{
    poplar::IPUModel model;
    model.tilesPerIPU = 4;
    for (auto vt : { ipu::cpp, ipu::multi }) {
        ipu::Sizes c;
        c.vtype = vt;
        ipu::Aligner al(c, model);
        std::mt19937 g(3);
        std::vector<uint8_t> s(c.numVertices * 2 * c.maxCmp * c.maxSeq);
        std::vector<int> l(c.numVertices * 2 * c.maxCmp);
        for (auto &x : s)
            x = g() % 4;
        for (auto &x : l)
            x = 1 + g() % c.maxSeq;
        auto r = al.run(s, l);
        for (size_t i = 0; i < r.size(); i++) {
            int w = ipu::cpuScore(&s[2 * i * c.maxSeq], l[2 * i], &s[(2 * i + 1) * c.maxSeq], l[2 * i + 1]);
            if (w != r[i]) {
                std::cout << "pair " << i << " " << r[i] << " for " << w << "\n";
                return 1;
            }
        }
    }
    std::cout << "aligned\n";
}
