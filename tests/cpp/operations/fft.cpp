// SPDX-License-Identifier: Apache-2.0
// A Fourier transform of rows by recursive halving: views of every other element, twiddles as broadcast constants.
//
// build: c++11
#include <cmath>
#include <complex>
#include <cstring>
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <random>
using namespace poplar;
using namespace poplar::program;

struct ComplexTensor {
    Tensor re, im;
};

static ComplexTensor mul(Graph &g, ComplexTensor a, ComplexTensor b, Sequence &p)
{
    using namespace popops::expr;
    return { popops::map(g, _1 * _2 - _3 * _4, { a.re, b.re, a.im, b.im }, p),
             popops::map(g, _1 * _2 + _3 * _4, { a.re, b.im, a.im, b.re }, p) };
}

static ComplexTensor fft(Graph &g, ComplexTensor x, Sequence &p)
{
    const std::size_t n = x.re.dim(1);
    if (n == 1)
        return x;
    auto pick = [&](const Tensor &t, unsigned k) { return t.slice(k, n, 1).subSample(2, 1); };
    ComplexTensor e = fft(g, { pick(x.re, 0), pick(x.im, 0) }, p), o = fft(g, { pick(x.re, 1), pick(x.im, 1) }, p);
    std::vector<float> c(n / 2), s(n / 2);
    for (std::size_t k = 0; k < n / 2; ++k) {
        c[k] = std::cos(-2 * M_PI * k / n);
        s[k] = std::sin(-2 * M_PI * k / n);
    }
    ComplexTensor w{ g.addConstant<float>(FLOAT, { 1, n / 2 }, ArrayRef<float>(c)),
                     g.addConstant<float>(FLOAT, { 1, n / 2 }, s.data()) };
    g.setTileMapping(w.re, 0);
    g.setTileMapping(w.im, 0);
    auto t = mul(g, o, { w.re.broadcast(x.re.dim(0), 0), w.im.broadcast(x.re.dim(0), 0) }, p);
    auto join = [&](Tensor a, Tensor b) {
        return concat(popops::add(g, a, b, p, "lo"), popops::sub(g, a, b, p, "hi"), 1);
    };
    return { join(e.re, t.re), join(e.im, t.im) };
}

static int run(const Device &device)
{
    Graph graph(device);
    popops::addCodelets(graph);
    const std::size_t B = 3, n = 8;
    ComplexTensor x{ graph.addVariable(FLOAT, { B, n }, "re"), graph.addVariable(FLOAT, { B, n }, "im") };
    poputil::mapTensorLinearly(graph, x.re);
    poputil::mapTensorLinearly(graph, x.im);
    Sequence p;
    auto y = fft(graph, x, p);
    graph.createHostWrite("re", x.re);
    graph.createHostWrite("im", x.im);
    graph.createHostRead("yr", y.re);
    graph.createHostRead("yi", y.im);
    Engine e(graph, p);
    e.load(device);
    std::mt19937 g(1);
    std::uniform_real_distribution<float> d(-1, 1);
    std::vector<float> a(B * n), b(B * n), c(B * n), f(B * n);
    for (auto &v : a)
        v = d(g);
    for (auto &v : b)
        v = d(g);
    e.writeTensor("re", a.data(), a.data() + a.size());
    e.writeTensor("im", b.data(), b.data() + b.size());
    e.run(0);
    e.readTensor("yr", c.data(), c.data() + c.size());
    e.readTensor("yi", f.data(), f.data() + f.size());
    double worst = 0;
    for (std::size_t k = 0; k < B * n; ++k) {
        std::complex<double> s;
        for (std::size_t j = 0; j < n; ++j)
            s += std::complex<double>(a[k / n * n + j], b[k / n * n + j]) *
                 std::polar(1.0, -2 * M_PI * double(j * (k % n)) / double(n));
        worst = std::max(worst, std::abs(s - std::complex<double>(c[k], f[k])));
    }
    std::cout << "worst " << worst << "\n";
    return worst < 1e-5 ? 0 : 1;
}

int main()
{
    IPUModel model;
    model.tilesPerIPU = 16;
    return run(Device::createCPUDevice()) + run(model.createDevice());
}
