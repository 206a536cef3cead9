// SPDX-License-Identifier: Apache-2.0
// power [CHANGES]: the largest eigenvalue of a matrix by power iteration.  CHANGES, 0 to 4, is the number of the slow
// program's faults that are fixed: docs/reports/making-it-fast.md fixes them one by one.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>

using namespace poplar;
using namespace poplar::program;

constexpr unsigned Size = 192, Times = 20, Parts = 12;

// Cycles of the vertices, as `popc` counts them in the codelets' code: the program needs no compiler for the device.
constexpr unsigned cyclesOfRow = 10 + 10 * Size, cyclesOfDivide = 20;
static unsigned cyclesOfLargest(unsigned elements)
{
    return 10 + 11 * elements;
}

// The largest of some values, by one vertex on a tile.
static void addLargest(Graph &graph, ComputeSet set, Tensor values, Tensor out, unsigned tile)
{
    VertexRef vertex = graph.addVertex(set, "Largest", { { "values", values }, { "out", out } });
    graph.setTileMapping(vertex, tile);
    graph.setPerfEstimate(vertex, cyclesOfLargest(static_cast<unsigned>(values.numElements())));
}

int main(int argc, char **argv)
{
    const int changes = argc > 1 ? std::atoi(argv[1]) : 0;
    const bool spread = changes >= 1, mapped = changes >= 2, tree = changes >= 3, once = changes >= 4;
    Device device = IPUModel("ipu2").createDevice();
    Graph graph(device.getTarget());
    graph.addCodelets("power_codelets.cpp");

    // Everything is on tile 0 at first.
    Tensor matrix = graph.addVariable(FLOAT, { Size, Size }, "matrix");
    Tensor vector = graph.addVariable(FLOAT, { Size }, "vector");
    Tensor product = graph.addVariable(FLOAT, { Size }, "product");
    Tensor value = graph.addVariable(FLOAT, {}, "value");
    for (const Tensor &each : { matrix, vector, product, value })
        graph.setTileMapping(each, 0);

    ComputeSet multiply = graph.addComputeSet("multiply");
    for (unsigned i = 0; i < Size; ++i) {
        VertexRef row = graph.addVertex(multiply, "RowTimesVector",
                                        { { "row", matrix[i] }, { "vector", vector }, { "out", product[i] } });
        graph.setPerfEstimate(row, cyclesOfRow);
        graph.setTileMapping(row, spread ? i : 0);
        if (mapped) {
            graph.setTileMapping(matrix[i], i);
            graph.setTileMapping(product[i], i);
        }
    }
    Sequence findLargest;
    Tensor candidates = product;
    if (tree) { // of each part on its own tile, then of the parts
        candidates = graph.addVariable(FLOAT, { Parts }, "candidates");
        ComputeSet largestOfParts = graph.addComputeSet("largest of parts");
        for (unsigned i = 0; i < Parts; ++i) {
            Tensor part = product.slice(i * Size / Parts, (i + 1) * Size / Parts);
            graph.setTileMapping(candidates[i], i);
            addLargest(graph, largestOfParts, part, candidates[i], i);
        }
        findLargest.add(Execute(largestOfParts, "largest of parts"));
    }
    ComputeSet largest = graph.addComputeSet("largest");
    addLargest(graph, largest, candidates, value, 0);
    findLargest.add(Execute(largest, "largest"));
    ComputeSet divide = graph.addComputeSet("divide");
    for (unsigned i = 0; i < Size; ++i) {
        VertexRef vertex =
            graph.addVertex(divide, "Divide", { { "value", product[i] }, { "by", value }, { "out", vector[i] } });
        graph.setPerfEstimate(vertex, cyclesOfDivide);
        graph.setTileMapping(vertex, mapped ? i : 0);
        if (mapped)
            graph.setTileMapping(vector[i], i);
    }

    DataStream matrixIn = graph.addHostToDeviceFIFO("matrix", FLOAT, Size * Size);
    DataStream vectorIn = graph.addHostToDeviceFIFO("vector", FLOAT, Size);
    DataStream valueOut = graph.addDeviceToHostFIFO("value", FLOAT, 1);
    Copy report(value, valueOut, false, "report");
    Sequence iteration;
    iteration.add(Execute(multiply, "multiply"));
    iteration.add(findLargest);
    iteration.add(Execute(divide, "divide"));
    if (!once)
        iteration.add(report);
    Sequence program;
    program.add(Copy(matrixIn, matrix, false, "fetch matrix"));
    program.add(Copy(vectorIn, vector, false, "fetch vector"));
    program.add(Repeat(Times, iteration, "iterations"));
    if (once)
        program.add(report);

    Engine engine(graph, program);
    engine.load(device);
    std::vector<float> numbers(Size * Size), ones(Size, 1.0f);
    for (unsigned i = 0; i < Size; ++i)
        for (unsigned k = 0; k < Size; ++k)
            numbers[i * Size + k] = 1.0f / static_cast<float>(1 + (i > k ? i - k : k - i));
    float eigenvalue = 0;
    engine.connectStream("matrix", numbers.data());
    engine.connectStream("vector", ones.data());
    engine.connectStream("value", &eigenvalue);
    engine.run(0);
    std::cout << "largest eigenvalue " << eigenvalue << "\n";
    return 0;
}
