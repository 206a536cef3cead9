// SPDX-License-Identifier: Apache-2.0
// Regression by a Gaussian process: the kernel's matrix by broadcasting, its Cholesky factor, two triangular systems.
//
// build: c++17
#include <cmath>
#include <cstring>
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/Cholesky.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/TriangularSolve.hpp>
#include <poplin/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <random>
using namespace poplar;
using namespace poplar::program;
namespace pe = popops::expr;

static int run(const Device &device)
{
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    const std::size_t N = 12;
    poplin::matmul::PlanningCache cache;
    Sequence p;
    Tensor x = graph.addVariable(FLOAT, { N }, "x"), y = graph.addVariable(FLOAT, { N, 1 }, "y");
    poputil::mapTensorLinearly(graph, x);
    poputil::mapTensorLinearly(graph, y);
    Tensor K =
        popops::map(graph, pe::Exp(pe::Neg(pe::Square(pe::_1 - pe::_2))), { x.expand({ 1 }), x.expand({ 0 }) }, p, "K");
    Tensor noise = graph.addConstant<float>(FLOAT, { N }, 0.1f);
    graph.setTileMapping(noise, 0);
    Tensor diag = K.flatten().subSample(N + 1, 0);
    popops::addInPlace(graph, diag, noise, p, "noise");
    Tensor L = poplin::cholesky(graph, K, true, p, "chol", {}, &cache);
    Tensor z = poplin::triangularSolve(graph, L, y, true, true, false, 4, p, "fwd", {}, &cache);
    Tensor a = poplin::triangularSolve(graph, L.transpose(), z, true, false, false, 4, p, "bwd", {}, &cache);
    graph.createHostWrite("x", x);
    graph.createHostWrite("y", y);
    graph.createHostRead("a", a);
    Engine e(graph, p);
    e.load(device);
    std::vector<float> hx(N), hy(N), ha(N);
    for (std::size_t i = 0; i < N; ++i) {
        hx[i] = 0.7f * i;
        hy[i] = std::sin(hx[i]);
    }
    e.writeTensor("x", hx.data(), hx.data() + N);
    e.writeTensor("y", hy.data(), hy.data() + N);
    e.run(0);
    e.readTensor("a", ha.data(), ha.data() + N);
    double worst = 0;
    for (std::size_t i = 0; i < N; ++i) {
        double s = -hy[i];
        for (std::size_t j = 0; j < N; ++j) {
            double d = hx[i] - hx[j];
            s += (std::exp(-d * d) + (i == j ? 0.1 : 0)) * ha[j];
        }
        worst = std::max(worst, std::abs(s));
    }
    std::cout << "residual " << worst << "\n";
    return worst < 1e-4 ? 0 : 1;
}

int main()
{
    IPUModel model;
    model.tilesPerIPU = 16;
    return run(Device::createCPUDevice()) + run(model.createDevice());
}
