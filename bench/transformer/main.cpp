// SPDX-License-Identifier: Apache-2.0
// bench_transformer DEVICE TYPE LAYERS WIDTH HEADS SEQUENCE IPUS BEFORE [AFTER]: builds, compiles, loads and runs a
// training step of a stack of transformer layers as BERT has (attention, two norms, a feed-forward part four times as
// wide; batch 1, mean squared error, Adam) on cpu, ipu1 or ipu2 (the modelled IPU), in half or float, its layers spread
// over the IPUs, and prints the seconds of each and the memory of the process.
//
// BEFORE has the values before the step: what is trained, in the order of parameters(), the input and the target,
// {SEQUENCE, WIDTH} each.  AFTER gets what is trained, after the step, and the sum of the squared errors.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>

using namespace poplar;
using namespace poplar::program;

namespace
{

struct Shape {
    Type type;
    std::size_t layers, width, heads, sequence;
    unsigned ipus;
};

// A product with weights and biases.
struct Dense {
    Tensor weights, biases, in;
};
// y = norm(x): what the way back needs.
struct Norm {
    Tensor gamma, beta, whitened, inverse;
};
struct Layer {
    Dense queries, out, wide, narrow; // queries, keys and values are one product
    Norm first, second;
    Tensor q, k, v, probabilities, hidden;
};

// The training step of the stack.
class Stack
{
  public:
    Graph graph;
    Sequence step;
    std::vector<Tensor> parameters; // weights and biases of queries, out, wide, narrow of each layer, then gamma and
                                    // beta of its two norms
    Tensor input, target, loss;

    Stack(const Target &device, const Shape &s) : graph(device), shape(s), layers(s.layers)
    {
        popops::addCodelets(graph);
        poplin::addCodelets(graph);
        popnn::addCodelets(graph);
        const unsigned tiles = device.getTilesPerIPU();
        for (unsigned i = 0; i < s.ipus; ++i)
            parts.push_back(graph.createVirtualGraph(i * tiles, (i + 1) * tiles));
    }

    void build()
    {
        input = parts.front().addVariable(shape.type, { shape.sequence, shape.width }, "input");
        poputil::mapTensorLinearly(parts.front(), input);
        Tensor x = input;
        for (std::size_t i = 0; i < layers.size(); ++i)
            x = forward(part(i), layers[i], moved(x, i, i ? i - 1 : 0), "layer" + std::to_string(i));
        Tensor gradient = lossOf(parts.back(), x);
        for (std::size_t i = layers.size(); i-- > 0;)
            gradient = backward(part(i), layers[i], moved(gradient, i, i + 1 < layers.size() ? i + 1 : i), i == 0,
                                "layer" + std::to_string(i));
        for (std::size_t i = 0; i < layers.size(); ++i)
            for (Dense *d : { &layers[i].queries, &layers[i].out, &layers[i].wide, &layers[i].narrow })
                parameters.insert(parameters.end(), { d->weights, d->biases });
        for (std::size_t i = 0; i < layers.size(); ++i)
            for (Norm *n : { &layers[i].first, &layers[i].second })
                parameters.insert(parameters.end(), { n->gamma, n->beta });
    }

  private:
    Shape shape;
    std::vector<Layer> layers;
    std::vector<Graph> parts; // one for each IPU
    poplin::matmul::PlanningCache cache;

    std::size_t ipuOf(std::size_t layer) const
    {
        return layer * parts.size() / layers.size();
    }
    Graph &part(std::size_t layer)
    {
        return parts[ipuOf(layer)];
    }
    // What another layer gave, on the IPU of this one.
    Tensor moved(const Tensor &t, std::size_t layer, std::size_t from)
    {
        return ipuOf(layer) == ipuOf(from)
                   ? t
                   : poputil::copyToIpu(graph, t, step, static_cast<unsigned>(ipuOf(layer)), "moved");
    }
    Tensor linear(Graph &g, const std::vector<std::size_t> &dims, const std::string &name)
    {
        Tensor t = g.addVariable(shape.type, dims, name);
        poputil::mapTensorLinearly(g, t);
        return t;
    }
    Tensor product(Graph &g, const Tensor &a, const Tensor &b, const std::string &name, const char *pass)
    {
        return poplin::matMul(g, a, b, step, shape.type, name, { { "fullyConnectedPass", pass } }, &cache);
    }
    Tensor products(Graph &g, const Tensor &a, const Tensor &b, const std::string &name)
    {
        return poplin::matMulGrouped(g, a, b, step, shape.type, name, {}, &cache);
    }

    // ---- dense ----

    Tensor dense(Graph &g, Dense &d, const Tensor &x, std::size_t outputs, const std::string &name)
    {
        d.in = x;
        d.weights =
            poplin::createMatMulInputRHS(g, shape.type, shape.type, x.shape(), { x.dim(1), outputs }, name + "/weights",
                                         { { "fullyConnectedPass", "TRAINING_FWD" } }, &cache);
        d.biases = linear(g, { outputs }, name + "/biases");
        Tensor y = product(g, x, d.weights, name, "TRAINING_FWD");
        popops::addInPlace(g, y, d.biases, step, name + "/biases");
        return y;
    }
    // The gradient of the input; what is trained is updated.
    Tensor denseBack(Graph &g, Dense &d, const Tensor &dy, bool first, const std::string &name)
    {
        Tensor dx;
        if (!first)
            dx = product(g, dy, d.weights.transpose(), name + "/back", "TRAINING_BWD");
        Tensor dw = product(g, d.in.transpose(), dy, name + "/update", "TRAINING_WU");
        Tensor db = popops::reduce(g, dy, shape.type, { 0 }, { popops::Operation::ADD }, step, name + "/biases");
        adam(g, d.weights, dw, name);
        adam(g, d.biases, db, name);
        return dx;
    }

    // ---- norms ----

    Tensor norm(Graph &g, Norm &n, const Tensor &x, const std::string &name)
    {
        n.gamma = linear(g, { x.dim(1) }, name + "/gamma");
        n.beta = linear(g, { x.dim(1) }, name + "/beta");
        std::pair<Tensor, Tensor> of = popnn::ln::layerNormStatistics(g, x, 1e-5f, step, false, true, FLOAT, name);
        n.inverse = of.second;
        std::pair<Tensor, Tensor> y = popnn::ln::layerNormalise(g, x, n.gamma, n.beta, of.first, of.second, step, name);
        n.whitened = y.second;
        return y.first;
    }
    Tensor normBack(Graph &g, Norm &n, const Tensor &dy, const std::string &name)
    {
        std::pair<Tensor, Tensor> d = popnn::ln::layerNormParamGradients(g, n.whitened, dy, step, FLOAT, name);
        Tensor dx = popnn::ln::layerNormGradients(g, n.whitened, dy, n.inverse, n.gamma, step, FLOAT, name);
        adam(g, n.gamma, d.first, name);
        adam(g, n.beta, d.second, name);
        return dx;
    }

    // ---- a layer ----

    // {sequence, width} as {heads, sequence, width / heads}.
    Tensor split(const Tensor &t) const
    {
        return t.reshape({ shape.sequence, shape.heads, shape.width / shape.heads }).dimShuffle({ 1, 0, 2 });
    }
    Tensor joined(const Tensor &t) const
    {
        return t.dimShuffle({ 1, 0, 2 }).reshape({ shape.sequence, shape.width });
    }
    float scale() const
    {
        return 1.0f / std::sqrt(static_cast<float>(shape.width / shape.heads));
    }

    Tensor forward(Graph &g, Layer &l, const Tensor &x, const std::string &name)
    {
        const std::size_t w = shape.width;
        Tensor qkv = dense(g, l.queries, x, 3 * w, name + "/queries");
        l.q = split(qkv.slice(0, w, 1));
        l.k = split(qkv.slice(w, 2 * w, 1));
        l.v = split(qkv.slice(2 * w, 3 * w, 1));
        l.probabilities = products(g, l.q, l.k.dimShuffle({ 0, 2, 1 }), name + "/scores");
        popops::mulInPlace(g, l.probabilities, scale(), step, name + "/scale");
        popnn::nonLinearityInPlace(g, popnn::NonLinearityType::SOFTMAX_STABLE, l.probabilities, step,
                                   name + "/softmax");
        Tensor context = joined(products(g, l.probabilities, l.v, name + "/context"));
        Tensor a = dense(g, l.out, context, w, name + "/out");
        popops::addInPlace(g, a, x, step, name + "/residual");
        Tensor y = norm(g, l.first, a, name + "/norm1");
        l.hidden = dense(g, l.wide, y, 4 * w, name + "/wide");
        Tensor z = dense(g, l.narrow, popnn::gelu(g, l.hidden, step, name + "/gelu"), w, name + "/narrow");
        popops::addInPlace(g, z, y, step, name + "/residual");
        return norm(g, l.second, z, name + "/norm2");
    }

    Tensor backward(Graph &g, Layer &l, const Tensor &dy, bool first, const std::string &name)
    {
        Tensor dz = normBack(g, l.second, dy, name + "/norm2");
        Tensor dh = denseBack(g, l.narrow, dz, false, name + "/narrow");
        dh = popnn::nonLinearityInputGradient(g, popnn::NonLinearityType::GELU, l.hidden, dh, step, name + "/gelu");
        Tensor da = denseBack(g, l.wide, dh, false, name + "/wide");
        popops::addInPlace(g, da, dz, step, name + "/residual");
        da = normBack(g, l.first, da, name + "/norm1");
        Tensor dcontext = split(denseBack(g, l.out, da, false, name + "/out"));
        Tensor dp = products(g, dcontext, l.v.dimShuffle({ 0, 2, 1 }), name + "/context/back");
        Tensor dv = products(g, l.probabilities.dimShuffle({ 0, 2, 1 }), dcontext, name + "/values/back");
        Tensor ds = popnn::nonLinearityInputGradient(g, popnn::NonLinearityType::SOFTMAX, l.probabilities, dp, step,
                                                     name + "/softmax");
        popops::mulInPlace(g, ds, scale(), step, name + "/scale");
        Tensor dq = products(g, ds, l.k, name + "/queries/back"),
               dk = products(g, ds.dimShuffle({ 0, 2, 1 }), l.q, name + "/keys/back");
        Tensor dx =
            denseBack(g, l.queries, concat({ joined(dq), joined(dk), joined(dv) }, 1), first, name + "/queries");
        if (!first)
            popops::addInPlace(g, dx, da, step, name + "/residual");
        return dx;
    }

    // The gradient of the sum of squared errors.
    Tensor lossOf(Graph &g, const Tensor &y)
    {
        target = g.clone(y, "target");
        Tensor errors = popops::sub(g, y, target, step, "errors");
        loss = popops::reduce(g, errors, FLOAT, { 0, 1 }, { popops::Operation::SQUARE_ADD }, step, "loss");
        popops::mulInPlace(g, errors, 2.0f, step, "gradient");
        return errors;
    }

    // The first step of Adam: mean and variance start as 0.
    void adam(Graph &g, const Tensor &w, const Tensor &dw, const std::string &name)
    {
        namespace e = popops::expr;
        Tensor mean = g.clone(w, name + "/mean"), variance = g.clone(w, name + "/variance");
        g.setInitialValue(mean, 0.0f);
        g.setInitialValue(variance, 0.0f);
        popops::mapInPlace(g, e::Add(e::Mul(e::_1, e::Const(0.9f)), e::Mul(e::_2, e::Const(0.1f))), { mean, dw }, step,
                           name + "/adam");
        popops::mapInPlace(g, e::Add(e::Mul(e::_1, e::Const(0.99f)), e::Mul(e::Square(e::_2), e::Const(0.01f))),
                           { variance, dw }, step, name + "/adam");
        popops::mapInPlace(
            g, e::Sub(e::_1, e::Divide(e::Mul(e::_2, e::Const(0.01f)), e::Add(e::Sqrt(e::_3), e::Const(0.001f)))),
            { w, mean, variance }, step, name + "/adam");
    }
};

double since(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
template <class Work> void timed(const char *name, Work work)
{
    const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    work();
    std::printf("%-8s %9.3f s\n", name, since(start));
    std::fflush(stdout);
}

Device deviceOf(const std::string &name, unsigned ipus)
{
    if (name == "cpu")
        return Device::createCPUDevice();
    IPUModel model(name.c_str());
    model.numIPUs = ipus;
    return model.createDevice();
}

void transfer(Engine &engine, const Stack &stack, std::istream *before, std::ostream *after)
{
    std::vector<char> values;
    auto one = [&](const std::string &handle, const Tensor &t) {
        values.resize(t.numElements() * stack.graph.getTarget().getTypeSize(t.elementType()));
        if (before && before->read(values.data(), static_cast<std::streamsize>(values.size())))
            engine.writeTensor(handle, values.data(), values.data() + values.size());
        if (after) {
            engine.readTensor(handle, values.data(), values.data() + values.size());
            after->write(values.data(), static_cast<std::streamsize>(values.size()));
        }
    };
    for (std::size_t i = 0; i < stack.parameters.size(); ++i)
        one("trained " + std::to_string(i), stack.parameters[i]);
    if (before) {
        one("input", stack.input);
        one("target", stack.target);
    } else {
        one("loss", stack.loss);
    }
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 9 || argc > 10) {
        std::fprintf(
            stderr,
            "usage: bench_transformer cpu|ipu1|ipu2 half|float LAYERS WIDTH HEADS SEQUENCE IPUS BEFORE [AFTER]\n");
        return 2;
    }
    auto number = [&](int i) { return std::stoul(argv[i]); };
    const Shape shape = { std::string(argv[2]) == "half" ? HALF : FLOAT,
                          number(3),
                          number(4),
                          number(5),
                          number(6),
                          static_cast<unsigned>(number(7)) };
    Device device = deviceOf(argv[1], shape.ipus);
    device.attach();
    Stack stack(device.getTarget(), shape);
    timed("graph", [&] {
        stack.build();
        for (std::size_t i = 0; i < stack.parameters.size(); ++i) {
            stack.graph.createHostWrite("trained " + std::to_string(i), stack.parameters[i]);
            stack.graph.createHostRead("trained " + std::to_string(i), stack.parameters[i]);
        }
        stack.graph.createHostWrite("input", stack.input);
        stack.graph.createHostWrite("target", stack.target);
        stack.graph.createHostRead("loss", stack.loss);
    });
    std::unique_ptr<Engine> engine;
    timed("compile", [&] {
        engine.reset(new Engine(stack.graph, stack.step, { { "debug.allowOutOfMemory", "true" } }));
    });
    timed("load", [&] { engine->load(device); });
    std::ifstream before(argv[8], std::ios::binary);
    transfer(*engine, stack, &before, nullptr);
    timed("step", [&] { engine->run(0); });
    if (argc > 9) {
        std::ofstream after(argv[9], std::ios::binary);
        transfer(*engine, stack, nullptr, &after);
    }
    for (int i = 0; i < 3; ++i)
        timed("again", [&] { engine->run(0); });
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%-8s %9.3f GiB at most\n", "memory", static_cast<double>(usage.ru_maxrss) / 1048576);
    return 0;
}
