// SPDX-License-Identifier: Apache-2.0
// Tutorial 7: matrix-vector ROWS COLS
//
// Multiplies a matrix by a vector.  Each row is split into segments, so that there are enough vertices for all workers
// and the vector need not be sent whole to every tile; a second compute set adds the partial sums of each row.  How
// many segments are best is estimated from the target's numbers.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <vector>

using namespace poplar;
using namespace poplar::program;

struct Cost {
    std::uint64_t compute, exchange, reduceExchange, reduceCompute;
    std::uint64_t total() const
    {
        return compute + exchange + reduceExchange + reduceCompute;
    }
};

static std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b)
{
    return (a + b - 1) / b;
}

// Worker cycles of a vertex with this number of elements.
static std::uint64_t vertexCycles(std::uint64_t length)
{
    return 5 + (length + 1) / 2;
}

// The cost of the multiplication on the slowest tile if each row is split into this number of segments.
static Cost estimateCycles(const Target &target, std::uint64_t numRows, std::uint64_t numCols, std::uint64_t split)
{
    std::uint64_t tiles = target.getNumTiles();
    std::uint64_t workers = target.getNumWorkerContexts();
    std::uint64_t bytesPerCycle = target.getExchangeBytesPerCycle();
    std::uint64_t segment = ceilDiv(numCols, split);
    std::uint64_t verticesPerTile = ceilDiv(numRows * split, tiles);
    std::uint64_t segmentsPerTile = ceilDiv(verticesPerTile, numRows);
    std::uint64_t rowsPerTile = ceilDiv(numRows, tiles);
    return Cost{ workers * ceilDiv(verticesPerTile, workers) * vertexCycles(segment),
                 segmentsPerTile * segment * sizeof(float) / bytesPerCycle,
                 rowsPerTile * split * sizeof(float) / bytesPerCycle,
                 workers * ceilDiv(rowsPerTile, workers) * vertexCycles(split) };
}

// Tries every split and prints the best one.
static unsigned calcOptimalColAxisSplit(Graph &graph, unsigned numRows, unsigned numCols)
{
    unsigned bestSplit = 1;
    Cost best = estimateCycles(graph.getTarget(), numRows, numCols, 1);
    std::uint64_t worst = best.total();
    for (unsigned split = 2; split < numCols; ++split) {
        Cost cost = estimateCycles(graph.getTarget(), numRows, numCols, split);
        if (cost.total() < best.total()) {
            best = cost;
            bestSplit = split;
        }
        if (cost.total() > worst)
            worst = cost.total();
    }
    std::cout << "Best split chosen:\n"
              << "colsAxisSplit=" << bestSplit << ", total cost=" << best.total() << " (compute cost=" << best.compute
              << ", exchange cost=" << best.exchange << ",\n"
              << "                                reduce exchange cost=" << best.reduceExchange << ",\n"
              << "                                reduce compute cost=" << best.reduceCompute << ")\n"
              << "Worst cost seen: " << worst << "\n";
    return bestSplit;
}

// The control program, in two phases: the dot products of all segments, then the sums of each row's.
static Program buildMultiplyProgram(Graph &graph, Tensor matrix, Tensor in, Tensor out)
{
    std::size_t numTiles = graph.getTarget().getNumTiles();
    unsigned numRows = static_cast<unsigned>(matrix.dim(0)), numCols = static_cast<unsigned>(matrix.dim(1));
    for (unsigned i = 0; i < numCols; ++i)
        graph.setTileMapping(in[i], static_cast<unsigned>(i * numTiles / numCols));

    // Get the optimal column axis split to split the number of columns into partial sums
    unsigned colAxisSplit = calcOptimalColAxisSplit(graph, numRows, numCols);

    // Create a tensor to hold the intermediate calculated partial sums
    auto partials = graph.addVariable(FLOAT, { numRows, colAxisSplit }, "partials");

    // Create a vertex for each segment, for each row
    ComputeSet mulCS = graph.addComputeSet("mulCS");
    for (unsigned i = 0; i < colAxisSplit; ++i) {
        std::size_t begin = std::size_t(i) * numCols / colAxisSplit,
                    end = (std::size_t(i) + 1) * numCols / colAxisSplit;
        Tensor inSegment = in.slice(begin, end);
        for (unsigned row = 0; row < numRows; ++row) {
            Tensor matrixSegment = matrix[row].slice(begin, end);
            auto v = graph.addVertex(mulCS, "DotProductVertex",
                                     { { "a", matrixSegment }, { "b", inSegment }, { "out", partials[row][i] } });
            unsigned tile = static_cast<unsigned>((std::size_t(i) * numRows + row) * numTiles /
                                                  (std::size_t(numRows) * colAxisSplit));
            graph.setTileMapping(v, tile);
            graph.setTileMapping(matrixSegment, tile);
            graph.setTileMapping(partials[row][i], tile);
            graph.setPerfEstimate(v, vertexCycles(end - begin), 2 * (end - begin));
        }
    }

    // Create a compute set to calculate the reduction: for each output element a vertex
    ComputeSet reduceCS = graph.addComputeSet("reduceCS");
    for (unsigned row = 0; row < numRows; ++row) {
        auto v = graph.addVertex(reduceCS, "ReduceVertex", { { "in", partials[row] }, { "out", out[row] } });
        unsigned tile = static_cast<unsigned>(row * numTiles / numRows);
        graph.setTileMapping(v, tile);
        graph.setTileMapping(out[row], tile);
        graph.setPerfEstimate(v, vertexCycles(colAxisSplit), colAxisSplit);
    }
    return Sequence(Execute(mulCS), Execute(reduceCS));
}

static bool resultOk(const std::vector<float> &matrix, const std::vector<float> &in, const std::vector<float> &out)
{
    for (std::size_t i = 0; i < out.size(); ++i) {
        double sum = 0, size = 0;
        for (std::size_t j = 0; j < in.size(); ++j) {
            double product = static_cast<double>(matrix[i * in.size() + j]) * in[j];
            sum += product;
            size += std::fabs(product);
        }
        if (!(std::fabs(out[i] - sum) <= 1e-5 * size))
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    unsigned numRows = argc == 3 ? static_cast<unsigned>(std::atoi(argv[1])) : 0;
    unsigned numCols = argc == 3 ? static_cast<unsigned>(std::atoi(argv[2])) : 0;
    if (numRows == 0 || numCols == 0) {
        std::cerr << "usage: matrix-vector ROWS COLS\n";
        return 1;
    }
    std::cout << "Multiplying matrix of size " << numRows << "x" << numCols << " by vector of size " << numCols << "\n";

    // The machine of the guide's run: the first IPU, with no delay of syncs
    std::cout << "Creating environment (compiling vertex programs)\n";
    IPUModel ipuModel("ipu1");
    ipuModel.minIPUSyncDelay = 0;
    ipuModel.relativeSyncDelay = IPUModel::RelativeSyncDelayType::NO_DELAY;
    Device device = ipuModel.createDevice();
    Graph graph(device.getTarget());
    graph.addCodelets("matrix-mul-codelets.cpp");

    std::cout << "Constructing compute graph and control program\n";
    Tensor matrix = graph.addVariable(FLOAT, { numRows, numCols }, "matrix");
    Tensor inputVector = graph.addVariable(FLOAT, { numCols }, "inputVector");
    Tensor outputVector = graph.addVariable(FLOAT, { numRows }, "outputVector");
    graph.createHostWrite("matrix", matrix);
    graph.createHostWrite("inputVector", inputVector);
    graph.createHostRead("outputVector", outputVector);
    Program prog = buildMultiplyProgram(graph, matrix, inputVector, outputVector);
    Engine engine(graph, prog);
    engine.load(device);

    std::vector<float> hMatrix(std::size_t(numRows) * numCols), hInput(numCols), hOutput(numRows);
    std::mt19937 random(1);
    std::uniform_real_distribution<float> numbers(-1, 1);
    for (float &value : hMatrix)
        value = numbers(random);
    for (float &value : hInput)
        value = numbers(random);

    std::cout << "Running graph program to multiply matrix by vector\n" << std::flush;
    engine.writeTensor("matrix", hMatrix.data());
    engine.writeTensor("inputVector", hInput.data());
    engine.run(0);
    engine.readTensor("outputVector", hOutput.data());

    bool ok = resultOk(hMatrix, hInput, hOutput);
    std::cout << (ok ? "Multiplication result OK\n" : "Multiplication result not OK\n");
    ProfileValue execution = engine.getExecutionProfile();
    std::cout << "Program cycles: " << execution["simulation"]["cycles"].asUint() << "\n";
    return ok ? 0 : 1;
}
