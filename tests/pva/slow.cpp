// SPDX-License-Identifier: Apache-2.0
// slow CODELETS DIRECTORY KIND [mended]: a program with one fault (imbalance, lines, threads, halves, exchange, sync,
// stream, transfer, rearrange, elsewhere, near, over), or the same without it.  Prints its cycles; nothing when it is
// out of memory.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>

using namespace poplar;
using namespace poplar::program;

namespace
{

constexpr unsigned Tiles = 32, Width = 64, Times = 20, Vertices = 6 * Tiles;

// Products of rows, all vertices alike.
Program products(Graph &graph, const Tensor &a, const Tensor &b, const Tensor &out, const std::vector<unsigned> &tiles,
                 unsigned cycles)
{
    ComputeSet set = graph.addComputeSet("products");
    for (unsigned i = 0; i < tiles.size(); ++i) {
        auto vertex = graph.addVertex(set, "Dot", { { "a", a[i] }, { "b", b[i] }, { "out", out[i] } });
        graph.setTileMapping(vertex, tiles[i]);
        graph.setPerfEstimate(vertex, cycles);
    }
    return Execute(set, "products");
}

struct Parts {
    Tensor a, b, out;
};
Parts variables(Graph &graph, const std::vector<unsigned> &tiles, const std::vector<unsigned> &of_a)
{
    const std::size_t count = tiles.size();
    Parts parts{ graph.addVariable(FLOAT, { count, Width }, "a"), graph.addVariable(FLOAT, { count, Width }, "b"),
                 graph.addVariable(FLOAT, { count }, "out") };
    for (std::size_t i = 0; i < count; ++i) {
        graph.setTileMapping(parts.a[i], of_a[i]);
        graph.setTileMapping(parts.b[i], tiles[i]);
        graph.setTileMapping(parts.out[i], tiles[i]);
    }
    return parts;
}

// Half of the vertices are on one tile.
Program imbalance(Graph &graph, bool mended)
{
    std::vector<unsigned> tiles(Vertices);
    for (unsigned i = 0; i < Vertices; ++i)
        tiles[i] = mended || i % 2 ? i % Tiles : 0;
    const Parts v = variables(graph, tiles, tiles);
    return Repeat(Times, products(graph, v.a, v.b, v.out, tiles, 500), "loop");
}

// The same in two compute sets executed by one line.
Program lines(Graph &graph, bool mended)
{
    return Sequence({ imbalance(graph, mended), imbalance(graph, mended) });
}

// Each tile has `count` vertices that do the work of a tile, or six: 10 cycles each, and an equal share of 4200.
Program threads(Graph &graph, bool mended, unsigned count)
{
    const unsigned vertices = mended ? 6 : count;
    std::vector<unsigned> tiles(vertices * Tiles);
    for (unsigned i = 0; i < tiles.size(); ++i)
        tiles[i] = i % Tiles;
    const Parts v = variables(graph, tiles, tiles);
    return Repeat(Times, products(graph, v.a, v.b, v.out, tiles, 10 + 4200 / vertices), "loop");
}

// Each tile has seven vertices, so that one worker has two, or six that do the same work.
Program seven(Graph &graph, bool mended)
{
    const unsigned vertices = mended ? 6 : 7;
    std::vector<unsigned> tiles(vertices * Tiles);
    for (unsigned i = 0; i < tiles.size(); ++i)
        tiles[i] = i % Tiles;
    const Parts v = variables(graph, tiles, tiles);
    return Repeat(Times, products(graph, v.a, v.b, v.out, tiles, 4200 / vertices), "loop");
}

// One operand is on another tile than the vertices that read it, and is copied each time.
Program exchange(Graph &graph, bool mended)
{
    std::vector<unsigned> tiles(Vertices), of_a(Vertices);
    for (unsigned i = 0; i < Vertices; ++i) {
        tiles[i] = i % Tiles;
        of_a[i] = mended ? tiles[i] : 0;
    }
    const Parts v = variables(graph, tiles, of_a);
    return Repeat(Times, products(graph, v.a, v.b, v.out, tiles, 50), "loop");
}

// A row is read from the host in each iteration, where all could be read at once.
Program stream(Graph &graph, bool mended)
{
    std::vector<unsigned> tiles(Vertices);
    for (unsigned i = 0; i < Vertices; ++i)
        tiles[i] = i % Tiles;
    const Parts v = variables(graph, tiles, tiles);
    const Program product = products(graph, v.a, v.b, v.out, tiles, 50);
    if (mended) {
        DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, Times * 4);
        Tensor rows = graph.addVariable(FLOAT, { Times * 4 }, "rows");
        graph.setTileMapping(rows, 0);
        return Sequence({ Copy(in, rows, false, "fetch"), Repeat(Times, product, "loop") });
    }
    DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, 4);
    Tensor row = graph.addVariable(FLOAT, { 4 }, "row");
    graph.setTileMapping(row, 0);
    return Repeat(Times, Sequence({ Copy(in, row, false, "fetch"), product }), "loop");
}

// All rows are read from the host in each iteration, where half would do.
Program transfer(Graph &graph, bool mended)
{
    std::vector<unsigned> tiles(Vertices);
    for (unsigned i = 0; i < Vertices; ++i)
        tiles[i] = i % Tiles;
    const Parts v = variables(graph, tiles, tiles);
    const Type type = mended ? HALF : FLOAT;
    DataStream in = graph.addHostToDeviceFIFO("in", type, Vertices * Width);
    Tensor batch = graph.addVariable(type, { Vertices, Width }, "batch");
    for (unsigned i = 0; i < Vertices; ++i)
        graph.setTileMapping(batch[i], tiles[i]);
    return Repeat(Times, Sequence({ Copy(in, batch, false, "fetch"), products(graph, v.a, v.b, v.out, tiles, 50) }),
                  "loop");
}

// Rows are columns of a matrix with the other layout, and are gathered before each use.
Program rearrange(Graph &graph, bool mended)
{
    std::vector<unsigned> tiles(Vertices);
    for (unsigned i = 0; i < Vertices; ++i)
        tiles[i] = i % Tiles;
    Parts v = variables(graph, tiles, tiles);
    if (!mended) {
        v.a = graph.addVariable(FLOAT, { Width, Vertices }, "transposed").transpose();
        for (unsigned i = 0; i < Vertices; ++i)
            graph.setTileMapping(v.a[i], tiles[i]);
    }
    return Repeat(Times, products(graph, v.a, v.b, v.out, tiles, 50), "loop");
}

// The same, and some of the rows are on another tile: they are copied, and all are gathered before each use.
Program elsewhere(Graph &graph, bool mended)
{
    std::vector<unsigned> tiles(Vertices);
    for (unsigned i = 0; i < Vertices; ++i)
        tiles[i] = i % Tiles;
    Parts v = variables(graph, tiles, tiles);
    if (!mended) {
        v.a = graph.addVariable(FLOAT, { Width, Vertices }, "transposed").transpose();
        for (unsigned i = 0; i < Vertices; ++i)
            graph.setTileMapping(v.a[i], i % 12 ? tiles[i] : (tiles[i] + 1) % Tiles);
    }
    return Repeat(Times, products(graph, v.a, v.b, v.out, tiles, 50), "loop");
}

// A table is on one tile, which it nearly fills, or exceeds.
Program crowded(Graph &graph, bool mended, unsigned bytes)
{
    std::vector<unsigned> tiles(Vertices);
    for (unsigned i = 0; i < Vertices; ++i)
        tiles[i] = i % Tiles;
    const Parts v = variables(graph, tiles, tiles);
    const unsigned elements = bytes / 4 / Tiles * Tiles;
    Tensor table = graph.addVariable(FLOAT, { elements }, "table");
    for (unsigned i = 0; i < Tiles; ++i) {
        const std::size_t from = i * (elements / Tiles), to = from + elements / Tiles;
        graph.setTileMapping(table.slice(from, to), mended ? i : 7);
    }
    graph.createHostWrite("table", table);
    return Repeat(Times, products(graph, v.a, v.b, v.out, tiles, 50), "loop");
}

// An element that one tile needs is on another one, in a superstep that is only sync.
Program sync(Graph &graph, bool mended)
{
    std::vector<unsigned> tiles(Vertices);
    for (unsigned i = 0; i < Vertices; ++i)
        tiles[i] = i % Tiles;
    const Parts v = variables(graph, tiles, tiles);
    if (!mended)
        graph.setTileMapping(v.a[0][0], 1);
    return Repeat(Times, products(graph, v.a, v.b, v.out, tiles, 50), "loop");
}

} // namespace

int main(int argc, char **argv)
{
    std::cout.imbue(std::locale::classic()); // a script reads the numbers, in any locale of the run
    if (argc < 4)
        return 2;
    const std::string kind = argv[3];
    IPUModel model;
    model.tilesPerIPU = Tiles;
    Device device = model.createDevice();
    Graph graph(device.getTarget());
    graph.addCodelets(argv[1]);
    const bool mended = argc > 4;
    const Program program = kind == "imbalance"   ? imbalance(graph, mended)
                            : kind == "lines"     ? lines(graph, mended)
                            : kind == "threads"   ? threads(graph, mended, 1)
                            : kind == "halves"    ? threads(graph, mended, 3)
                            : kind == "seven"     ? seven(graph, mended)
                            : kind == "exchange"  ? exchange(graph, mended)
                            : kind == "sync"      ? sync(graph, mended)
                            : kind == "transfer"  ? transfer(graph, mended)
                            : kind == "rearrange" ? rearrange(graph, mended)
                            : kind == "elsewhere" ? elsewhere(graph, mended)
                            : kind == "near"      ? crowded(graph, mended, 590000)
                            : kind == "over"      ? crowded(graph, mended, 900000)
                                                  : stream(graph, mended);
    try {
        Engine engine(graph, program,
                      { { "autoReport.all", "true" },
                        { "autoReport.directory", argv[2] },
                        { "debug.allowOutOfMemory", "false" } });
        engine.load(device);
        std::vector<float> rows(Vertices * Width);
        if (kind == "stream" || kind == "transfer")
            engine.connectStream("in", rows.data());
        engine.run(0);
        std::cout << engine.getExecutionProfile()["simulation"]["cycles"].asUint() << "\n";
    } catch (const graph_memory_allocation_error &) {
    }
    return 0;
}
