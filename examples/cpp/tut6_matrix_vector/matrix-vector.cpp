// SPDX-License-Identifier: Apache-2.0
// Tutorial 6: matrix-vector ROWS COLS multiplies a matrix by a vector, a vertex for each row, and checks the result.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>
#include <vector>

using namespace poplar;
using namespace poplar::program;

// The control program of the multiplication: its one compute set has a vertex for each row of the matrix.
static Program buildMultiplyProgram(Graph &graph, Tensor matrix, Tensor in, Tensor out)
{
    ComputeSet mulCS = graph.addComputeSet("mulCS");
    unsigned numRows = static_cast<unsigned>(matrix.dim(0));
    unsigned numCols = static_cast<unsigned>(matrix.dim(1));
    unsigned numTiles = graph.getTarget().getNumTiles();

    for (unsigned row = 0; row < numRows; ++row) {
        auto v = graph.addVertex(mulCS, "DotProductVertex", { { "a", matrix[row] }, { "b", in }, { "out", out[row] } });
        unsigned tile = static_cast<unsigned>(static_cast<unsigned long long>(row) * numTiles / numRows);
        graph.setTileMapping(v, tile);
        graph.setCycleEstimate(v, 20 + numCols);
        graph.setTileMapping(matrix[row], tile);
        graph.setTileMapping(out[row], tile);
    }
    for (unsigned i = 0; i < numCols; ++i)
        graph.setTileMapping(in[i], static_cast<unsigned>(static_cast<unsigned long long>(i) * numTiles / numCols));
    return Execute(mulCS);
}

// Compares the result with one computed in double precision, within the rounding of single-precision sums.
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

    std::cout << "Creating environment (compiling vertex programs)\n";
    IPUModel ipuModel;
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

    std::cout << "Running graph program to multiply matrix by vector\n";
    engine.writeTensor("matrix", hMatrix.data());
    engine.writeTensor("inputVector", hInput.data());
    engine.run(0);
    engine.readTensor("outputVector", hOutput.data());

    bool ok = resultOk(hMatrix, hInput, hOutput);
    std::cout << (ok ? "Multiplication result OK\n" : "Multiplication result not OK\n");
    return ok ? 0 : 1;
}
