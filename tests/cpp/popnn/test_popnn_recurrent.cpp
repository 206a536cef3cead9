// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and the simple RNN, called as programs in C++ call them.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/codelets.hpp>
#include <popnn/Gru.hpp>
#include <popnn/Lstm.hpp>
#include <popnn/Recurrent.hpp>
#include <popnn/Rnn.hpp>
#include <popnn/codelets.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include "check.hpp"
#include "fixture.hpp"

#include <cmath>

using namespace poplar;
using namespace poplar::program;

struct Fixture : TestFixture {
    poplin::matmul::PlanningCache cache;
    std::vector<Tensor> read;
    explicit Fixture(Device on = Device::createCPUDevice()) : TestFixture(std::move(on))
    {
        popops::addCodelets(graph);
        poplin::addCodelets(graph);
        popnn::addCodelets(graph);
    }
    void fill(const Tensor &t, float value)
    {
        graph.setInitialValue(t, std::vector<float>(t.numElements(), value));
    }
    std::vector<Floats> run()
    {
        return TestFixture::run(read);
    }
};
static bool near(double a, double b)
{
    return std::fabs(a - b) < 1e-5;
}
static double sigmoid(double x)
{
    return 1 / (1 + std::exp(-x));
}

// A call overwrites a result that existed before, and releases none of the new ones.
struct Passes {
    Fixture fixture;
    poplin::matmul::PlanningCache cache;
    poplin::matmul::PlanningCache *given;
    std::vector<Tensor> results;
    Passes(bool cached, unsigned tiles) : fixture(model(tiles)), given(cached ? &cache : nullptr)
    {
    }
    static Device model(unsigned tiles)
    {
        IPUModel ipu;
        ipu.tilesPerIPU = tiles;
        return ipu.createDevice();
    }
    void look()
    {
        for (const Tensor &t : results) {
            CHECK(t.valid() && t.numElements() > 0 && !t.getContiguousRegions().empty());
            Tensor copy = fixture.graph.clone(t);
            fixture.prog.add(Copy(t, copy));
            fixture.read.push_back(copy);
            t.isContiguous();
        }
        fixture.run();
    }
};
template <typename Params> static Params layer(unsigned i, bool full)
{
    static const unsigned sizes[][4] = {
        { 4, 1, 8, 6 }, { 4, 1, 40, 37 }, { 4, 3, 16, 38 }, { 1, 2, 3, 5 }, { 9, 7, 3, 4 }
    };
    Params params(FLOAT, sizes[i][0], sizes[i][1], { sizes[i][2], sizes[i][3] });
    params.outputFullSequence = full;
    return params;
}
TEST(results_replace_old_ones)
{
    using namespace popnn;
    for (unsigned i = 0; i < 5 * 2 * 2 * 2; ++i) {
        const bool together = i / 5 % 2, full = i / 10 % 2;
        {
            gru::GruParams params = layer<gru::GruParams>(i % 5, full);
            params.resetAfter = i % 2;
            Passes p(i / 20, i % 3 ? 1 : 5);
            Graph &g = p.fixture.graph;
            Tensor x = gru::createInput(g, params, "x", {}, p.given),
                   h = gru::createInitialState(g, params, "h", {}, p.given), kept = h.transpose(), dx = kept;
            gru::GruWeights w = gru::createWeights(g, params, "w", {}, p.given),
                            dw = gru::createWeights(g, params, "dw", {}, p.given);
            Tensor y = gru::gruFwd(g, params, h, x, w, &kept, p.fixture.prog, "f", {}, p.given), dy = g.clone(y),
                   between = dw.inputWeights, dh;
            if (together) {
                dh = gru::gruBwdWithWU(g, params, p.fixture.prog, h, kept, w, x, y, dy, &dx, dw, "b", {}, p.given);
            } else {
                dh = gru::gruBwd(g, params, p.fixture.prog, h, kept, w, x, y, dy, &dx, &between, "b", {}, p.given);
                dw = gru::gruWU(g, params, p.fixture.prog, h, kept, between, w, x, y, "u", {}, p.given);
            }
            p.results = { y, kept, dx, dh, between, dw.inputWeights, dw.outputWeights, dw.biases };
            p.look();
        }
        {
            lstm::LstmParams params = layer<lstm::LstmParams>(i % 5, full);
            Passes p(i / 20, i % 3 ? 1 : 5);
            Graph &g = p.fixture.graph;
            Tensor x = lstm::createInput(g, params, "x", {}, p.given), kept, dx, between;
            lstm::LstmState s = lstm::createInitialState(g, params, "s", {}, p.given);
            lstm::LstmWeights w = lstm::createWeights(g, params, "w", {}, p.given),
                              dw = lstm::createWeights(g, params, "dw", {}, p.given);
            kept = dx = between = lstm::createWeights(g, params, "old", {}, p.given).inputWeights;
            const std::pair<Tensor, Tensor> y =
                lstm::lstmFwd(g, params, p.fixture.prog, s, w, x, &kept, "f", {}, p.given);
            Tensor dy = g.clone(y.first), dc = g.clone(y.second);
            lstm::LstmState ds = s;
            if (together) {
                ds = lstm::lstmBwdWithWU(g, params, p.fixture.prog, s, kept, w, x, y.first, dy, &dc, &dx, dw, "b", {},
                                         p.given);
            } else {
                ds = lstm::lstmBwd(g, params, p.fixture.prog, s, kept, w, x, y.first, dy, &dc, &dx, &between, "b", {},
                                   p.given);
                dw = lstm::lstmWU(g, params, p.fixture.prog, s, kept, between, w, x, y.first, "u", {}, p.given);
            }
            p.results = { y.first,         y.second,         kept,     dx, between, ds.output, ds.cellState,
                          dw.inputWeights, dw.outputWeights, dw.biases };
            p.look();
        }
    }
}

TEST(lstm)
{
    using namespace popnn::lstm;
    Fixture b;
    LstmParams params(FLOAT, 2, 3, { 4, 5 });
    CHECK(params.cellOrder == getDefaultBasicLstmCellOrder() && params.cellOrder[1] == BASIC_LSTM_CELL_INPUT_GATE);
    CHECK(getBasicLstmCellFwdFlops(params) == 2 * 2 * 3 * 9 * 20 + 6 * 5 * 8);
    CHECK(getBasicLstmCellBwdFlops(params) == 2 * 2 * 3 * 9 * 20 + 6 * 5 * 6 &&
          getBasicLstmCellWuFlops(params) == 2 * 2 * 3 * 9 * 20 + 6 * 5 * 4);
    const OptionFlags options{ { "inferenceOnly", "false" }, { "partialsType", "float" } };
    std::vector<std::pair<poplin::MatMulParams, OptionFlags>> products = getMatMulPrePlanParameters(params, options);
    CHECK(products.size() == 3 && products[0].first.bShape == (std::vector<std::size_t>{ 1, 9, 20 }) &&
          getMatMulPrePlanParameters(params, { { "inferenceOnly", "true" } }).size() == 1);
    CHECK(getMatMulPrePlanParameters(params, { { "preCalcWeights", "true" } }).size() == 4);
    std::set<poplin::MatMulPlanParams> plans;
    for (const std::pair<poplin::MatMulParams, OptionFlags> &each : products)
        plans.emplace(&b.graph.getTarget(), each.first, &each.second);
    poplin::preplanMatMuls(plans, b.cache);

    Tensor in = createInput(b.graph, params, "in", options, &b.cache);
    CHECK(in.shape() == (std::vector<std::size_t>{ 3, 2, 4 }));
    LstmState state = createInitialState(b.graph, params, "state", options, &b.cache);
    zeroInitialState(b.graph, state, b.prog, "zero");
    CHECK(state.getAsTensor().shape() == (std::vector<std::size_t>{ 2, 2, 5 }));
    CHECK(createInitialOutput(b.graph, params, "h").shape() == state.output.shape() &&
          createInitialCellState(b.graph, params, "c").shape() == state.cellState.shape());
    LstmWeights weights = createWeights(b.graph, params, "weights", options, &b.cache);
    std::pair<Tensor, Tensor> kernel = createWeightsKernel(b.graph, params, "kernel");
    CHECK(kernel.first.shape() == weights.inputWeights.shape() &&
          kernel.second.shape() == weights.outputWeights.shape());
    CHECK(createWeightsBiases(b.graph, params, "biases").shape() == weights.biases.shape());
    b.fill(in, 0.5f);
    b.fill(weights.inputWeights, 0.25f);
    b.fill(weights.outputWeights, 0);
    b.fill(weights.biases, 0.5f);

    Tensor kept, dx, between;
    std::pair<Tensor, Tensor> out =
        lstmFwd(b.graph, params, state, in, weights, &kept, b.prog, "fwd", options, &b.cache);
    std::pair<Tensor, Tensor> same =
        lstmFwd(b.graph, params, b.prog, state, weights, in, nullptr, { "fwd" }, options, &b.cache);
    LstmState first = lstmBwd(b.graph, params, b.prog, state, kept, weights, in, out.first, out.first, nullptr, &dx,
                              &between, "bwd", options, &b.cache);
    LstmWeights apart = lstmWU(b.graph, params, b.prog, state, kept, between, weights, in, out.first, "wu", options,
                               &b.cache),
                both;
    lstmBwdWithWU(b.graph, params, b.prog, state, kept, weights, in, out.first, out.first, &out.second, nullptr, both,
                  "both", options, &b.cache);
    LstmWeights again;
    lstmBwdWithWU(b.graph, params, b.prog, state, kept, weights, in, out.first, out.first, nullptr, &dx, again, "both");
    b.read = { out.first,    out.second,   same.first, apart.inputWeights, again.inputWeights,
               apart.biases, again.biases, dx,         first.output,       both.biases };
    std::vector<std::vector<float>> got = b.run();
    const double gate = sigmoid(1), g = std::tanh(1), c1 = gate * g, c2 = gate * c1 + gate * g;
    CHECK(near(got[0][0], gate * std::tanh(c1)) && near(got[0][10], gate * std::tanh(c2)) &&
          near(got[1][3], gate * c2 + gate * g));
    CHECK(got[0] == got[2] && got[7].size() == 24 && got[8] == std::vector<float>(10, 0.0f) && got[9].size() == 20);
    for (std::size_t i = 0; i < got[3].size(); ++i)
        CHECK(near(got[3][i], got[4][i]));
    for (std::size_t i = 0; i < got[5].size(); ++i)
        CHECK(near(got[5][i], got[6][i]));
    params.cellOrder.pop_back();
    CHECK_THROWS(createWeights(b.graph, params, "w"), poputil::poplibs_error, "four units");
    params.layerSizes.clear();
    CHECK_THROWS(createInput(b.graph, params, "w"), poputil::poplibs_error, "two layer sizes");
}

// The sizes under the names of both eras are one object, and each copy has its own.
TEST(sizes_of_both_eras)
{
    popnn::lstm::LstmParams old(FLOAT, 2, 3, { 4, 5 }), params;
    CHECK(old.rnn.layerSizes == (std::vector<std::size_t>{ 4, 5 }) && old.rnn.timeSteps == 3 &&
          old.rnn.batchSize == 2 && old.rnn.dataType == FLOAT);
    params.rnn = popnn::rnn::RnnParams(HALF, 7, 6, { 8, 9 });
    params.outputFullSequence = false;
    CHECK(params.dataType == HALF && params.batchSize == 7 && params.timeSteps == 6 && params.layerSizes[1] == 9);
    popnn::lstm::LstmParams copy(params), moved(std::move(old));
    copy.rnn.timeSteps = 1;
    moved.layerSizes[0] = 11;
    CHECK(copy.timeSteps == 1 && params.timeSteps == 6 && !copy.outputFullSequence && moved.rnn.layerSizes[0] == 11);
    copy = moved;
    copy.rnn.batchSize = 12;
    CHECK(copy.batchSize == 12 && copy.layerSizes[0] == 11 && copy.outputFullSequence && moved.batchSize == 2);
    popnn::gru::GruParams gru(FLOAT, 2, 3, { 4, 5 });
    gru.rnn.layerSizes = { 1, 2 };
    CHECK(gru.c().input_size == 1 && gru.c().output_size == 2 && gru.timeSteps == 3);
}

// Steps have two names; the tensor of lengths is checked.
TEST(steps_by_both_names)
{
    Graph graph(Target::createIPUTarget(1, "ipu2"));
    popnn::lstm::LstmParams params(FLOAT, 2, 3, { 4, 5 }), copy(params);
    params.rnn.maxTimeSteps = 7;
    CHECK(params.timeSteps == 7 && params.maxTimeSteps == 7 && copy.maxTimeSteps == 3);
    copy = params;
    copy.timeSteps = 9;
    CHECK(copy.rnn.maxTimeSteps == 9 && params.maxTimeSteps == 7 && !copy.rnn.variableTimeSteps());
    const Tensor steps = graph.addVariable(UNSIGNED_INT, { 1 }, "steps");
    graph.setTileMapping(steps, 0);
    const popnn::lstm::LstmParams lstm(FLOAT, 2, 3, steps, { 4, 5 });
    CHECK(lstm.maxTimeSteps == 3 && lstm.rnn.variableTimeSteps());
    const Tensor three = graph.addVariable(UNSIGNED_INT, { 3 }, "three"), floats = graph.addVariable(FLOAT, { 2 });
    graph.setTileMapping(three, 0);
    graph.setTileMapping(floats, 0);
    CHECK_THROWS(popnn::lstm::createInput(graph, popnn::lstm::LstmParams(FLOAT, 2, 3, three, { 4, 5 }), "in"),
                 poputil::poplibs_error,
                 "the tensor of time steps is unsigned int{3}, and should be unsigned int{1} or {2}");
    CHECK_THROWS(popnn::gru::createInput(graph, popnn::gru::GruParams(FLOAT, 2, 3, floats, { 4, 5 }), "in"),
                 poputil::poplibs_error, "the tensor of time steps is float{2}");
}

// Results of a layer: output, last cell state, gradients of input, initial state(s), weights (three tensors).
typedef std::vector<std::vector<float>> Layer;
struct Sizes {
    std::size_t batch, steps, in, out;
};
static void spread(Fixture &b, const Tensor &t, float phase)
{
    std::vector<float> values(t.numElements());
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = std::sin(0.7f * static_cast<float>(i) + phase);
    b.graph.setInitialValue(t, values);
}
// Rows [first, first + count) of a batch whose values depend on the row alone.
static void spreadRows(Fixture &b, const Tensor &t, std::size_t first, float phase)
{
    const std::size_t batch = t.dim(t.rank() - 2), size = t.dim(t.rank() - 1);
    std::vector<float> values(t.numElements());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t step = i / (batch * size), row = first + i / size % batch;
        values[i] = std::sin(static_cast<float>(step * 31 + row * 7 + i % size) + phase);
    }
    b.graph.setInitialValue(t, values);
}
template <typename Params>
static Params sized(Fixture &b, const Sizes &s, const std::vector<unsigned> *lengths, bool full)
{
    Params params(FLOAT, s.batch, s.steps, { s.in, s.out });
    if (lengths) {
        params.varTimeSteps = b.graph.addVariable(UNSIGNED_INT, { lengths->size() }, "lengths");
        b.graph.setTileMapping(params.varTimeSteps, 1);
        b.graph.setInitialValue(params.varTimeSteps, *lengths);
    }
    params.outputFullSequence = full;
    return params;
}
static Layer lstmOf(const Sizes &s, std::size_t first, const std::vector<unsigned> *lengths, bool full)
{
    using namespace popnn::lstm;
    Fixture b(Passes::model(5));
    const LstmParams params = sized<LstmParams>(b, s, lengths, full);
    const Tensor x = createInput(b.graph, params, "x");
    const LstmState state = createInitialState(b.graph, params, "state");
    const LstmWeights w = createWeights(b.graph, params, "w");
    spreadRows(b, x, first, 0);
    spreadRows(b, state.output, first, 1);
    spreadRows(b, state.cellState, first, 2);
    spread(b, w.inputWeights, 3);
    spread(b, w.outputWeights, 4);
    spread(b, w.biases, 5);
    Tensor kept, dx;
    const auto result = lstmFwd(b.graph, params, b.prog, state, w, x, &kept, "fwd");
    const Tensor dy = b.graph.clone(result.first);
    spreadRows(b, dy, first, 6);
    LstmWeights dw;
    const LstmState before =
        lstmBwdWithWU(b.graph, params, b.prog, state, kept, w, x, result.first, dy, nullptr, &dx, dw, "bwd");
    b.read = { result.first,    result.second,    dx,       before.output, before.cellState,
               dw.inputWeights, dw.outputWeights, dw.biases };
    return b.run();
}
static Layer gruOf(const Sizes &s, std::size_t first, const std::vector<unsigned> *lengths, bool full, bool after)
{
    using namespace popnn::gru;
    Fixture b(Passes::model(5));
    GruParams params = sized<GruParams>(b, s, lengths, full);
    params.resetAfter = after;
    const Tensor x = createInput(b.graph, params, "x"), state = createInitialState(b.graph, params, "state");
    const GruWeights w = createWeights(b.graph, params, "w");
    spreadRows(b, x, first, 0);
    spreadRows(b, state, first, 1);
    spread(b, w.inputWeights, 3);
    spread(b, w.outputWeights, 4);
    spread(b, w.biases, 5);
    Tensor kept, dx;
    const Tensor y = gruFwd(b.graph, params, state, x, w, &kept, b.prog, "fwd"), dy = b.graph.clone(y);
    spreadRows(b, dy, first, 6);
    GruWeights dw;
    const Tensor before = gruBwdWithWU(b.graph, params, b.prog, state, kept, w, x, y, dy, &dx, dw, "bwd");
    b.read = { y, before, dx, before, before, dw.inputWeights, dw.outputWeights, dw.biases };
    return b.run();
}

// A batch of sequences of different lengths equals a layer for each alone, of its length; weights' gradients are
// the sum of theirs, and elements beyond a sequence's end are 0.
template <typename Run> static void checkLengths(const Run &run, bool full)
{
    const Sizes all = { 3, 4, 3, 5 };
    const std::vector<unsigned> lengths = { 2, 4, 1 }, same = { 3 };
    const Layer together = run(all, 0, &lengths, full), once = run(all, 0, &same, full);
    Layer sums(3);
    for (std::size_t row = 0; row < all.batch; ++row) {
        const Layer alone = run(Sizes{ 1, lengths[row], 3, 5 }, row, nullptr, full),
                    three = run(Sizes{ 1, 3, 3, 5 }, row, nullptr, full);
        for (std::size_t k : { 0, 1, 2, 3, 4 }) {
            const std::size_t size = k == 2 ? all.in : all.out;
            const bool sequence = k == 2 || (k == 0 && full);
            for (std::size_t step = 0; step < (sequence ? all.steps : 1); ++step)
                for (std::size_t i = 0; i < size; ++i) {
                    const std::size_t at = (step * all.batch + row) * size + i, own = step * size + i;
                    CHECK(near(together[k][at], own < alone[k].size() ? alone[k][own] : 0));
                    CHECK(near(once[k][at], own < three[k].size() ? three[k][own] : 0));
                }
        }
        for (std::size_t k = 0; k < 3; ++k) {
            sums[k].resize(alone[5 + k].size());
            for (std::size_t i = 0; i < sums[k].size(); ++i)
                sums[k][i] += alone[5 + k][i];
        }
    }
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t i = 0; i < sums[k].size(); ++i)
            CHECK(std::fabs(together[5 + k][i] - sums[k][i]) < 1e-4);
}
TEST(steps_in_a_tensor)
{
    for (bool full : { true, false }) {
        checkLengths(lstmOf, full);
        for (bool after : { true, false })
            checkLengths([after](const Sizes &s, std::size_t first, const std::vector<unsigned> *lengths,
                                 bool whole) { return gruOf(s, first, lengths, whole, after); },
                         full);
    }
}

// An LSTM in double; its loss gives each result its gradient.
struct InDouble {
    enum { X, H, C, W, U, BIAS, DY, DH, DC, VALUES }; // {T,B,I} {B,O} {B,O} {4,I,O} {4,O,O} {4,O} {T,B,O} {B,O} {B,O}
    Sizes size;
    std::vector<double> v[VALUES];

    // Forget, input, candidate and output gate of one element.
    void gates(std::size_t step, std::size_t row, std::size_t i, const std::vector<double> &y, double gate[4]) const
    {
        for (std::size_t g = 0; g < 4; ++g) {
            gate[g] = v[BIAS][g * size.out + i];
            for (std::size_t k = 0; k < size.in; ++k)
                gate[g] += v[X][(step * size.batch + row) * size.in + k] * v[W][(g * size.in + k) * size.out + i];
            for (std::size_t k = 0; k < size.out; ++k)
                gate[g] += y[row * size.out + k] * v[U][(g * size.out + k) * size.out + i];
            gate[g] = g == 2 ? std::tanh(gate[g]) : sigmoid(gate[g]);
        }
    }
    double loss() const
    {
        std::vector<double> y = v[H], c = v[C];
        double sum = 0;
        for (std::size_t step = 0; step < size.steps; ++step) {
            const std::vector<double> before = y;
            for (std::size_t row = 0; row < size.batch; ++row)
                for (std::size_t i = 0; i < size.out; ++i) {
                    const std::size_t at = row * size.out + i;
                    double gate[4];
                    gates(step, row, i, before, gate);
                    c[at] = gate[0] * c[at] + gate[1] * gate[2];
                    y[at] = gate[3] * std::tanh(c[at]);
                    sum += v[DY][step * y.size() + at] * y[at];
                }
        }
        for (std::size_t at = 0; at < y.size(); ++at)
            sum += v[DH][at] * y[at] + v[DC][at] * c[at];
        return sum;
    }
    // By central differences: exact to some 1e-9.
    std::vector<double> gradient(int of)
    {
        std::vector<double> result;
        for (double &value : v[of]) {
            const double kept = value, step = 1e-5;
            value = kept + step;
            const double above = loss();
            value = kept - step;
            result.push_back((above - loss()) / (2 * step));
            value = kept;
        }
        return result;
    }
};
enum class LastGrad { BOTH, BOTH_APART, CELL, CELL_TENSOR, NONE };
static void checkLastGrad(LastGrad how)
{
    using namespace popnn::lstm;
    Fixture b(Passes::model(5));
    InDouble reference;
    reference.size = { 2, 3, 3, 4 };
    const LstmParams params = sized<LstmParams>(b, reference.size, nullptr, true);
    const Tensor x = createInput(b.graph, params, "x");
    const LstmState state = createInitialState(b.graph, params, "state");
    const LstmWeights w = createWeights(b.graph, params, "w");
    Tensor kept, dx, between;
    const std::pair<Tensor, Tensor> y = lstmFwd(b.graph, params, b.prog, state, w, x, &kept, "fwd");
    const Tensor dy = b.graph.clone(y.first), dh = b.graph.clone(y.second), dc = b.graph.clone(y.second);
    const Tensor given[] = { x, state.output, state.cellState, w.inputWeights, w.outputWeights, w.biases, dy, dh, dc };
    for (int i = 0; i < InDouble::VALUES; ++i) {
        spread(b, given[i], static_cast<float>(i));
        for (std::size_t k = 0; k < given[i].numElements(); ++k)
            reference.v[i].push_back(std::sin(0.7f * static_cast<float>(k) + static_cast<float>(i)));
    }
    const bool output = how == LastGrad::BOTH || how == LastGrad::BOTH_APART;
    if (!output)
        reference.v[InDouble::DH].assign(dh.numElements(), 0);
    if (how == LastGrad::NONE)
        reference.v[InDouble::DC].assign(dc.numElements(), 0);
    LstmState last, before;
    last.cellState = dc;
    if (output)
        last.output = dh;
    LstmWeights dw;
    if (how == LastGrad::BOTH_APART) {
        before = lstmBwd(b.graph, params, b.prog, state, kept, w, x, y.first, dy, &last, &dx, &between, "bwd");
        dw = lstmWU(b.graph, params, b.prog, state, kept, between, w, x, y.first, "wu");
    } else if (how == LastGrad::CELL_TENSOR) {
        before = lstmBwdWithWU(b.graph, params, b.prog, state, kept, w, x, y.first, dy, &dc, &dx, dw, "bwd");
    } else if (how == LastGrad::NONE) {
        before = lstmBwdWithWU(b.graph, params, b.prog, state, kept, w, x, y.first, dy, nullptr, &dx, dw, "bwd");
    } else {
        const LstmState *const pointer = &last;
        before = lstmBwdWithWU(b.graph, params, b.prog, state, kept, w, x, y.first, dy, pointer, &dx, dw, "bwd");
    }
    b.read = { dx, before.output, before.cellState, dw.inputWeights, dw.outputWeights, dw.biases };
    const Layer got = b.run();
    for (int i = 0; i <= InDouble::BIAS; ++i) {
        const std::vector<double> wanted = reference.gradient(i);
        CHECK(got[i].size() == wanted.size());
        for (std::size_t k = 0; k < wanted.size(); ++k)
            CHECK(std::fabs(got[i][k] - wanted[k]) < 1e-5 * (1 + std::fabs(wanted[k])));
    }
}
// The gradient of the last step's state, in each form: output and cell state, the cell state alone, none.
TEST(gradients_of_last_states_are_those_of_double)
{
    for (LastGrad how : { LastGrad::BOTH, LastGrad::BOTH_APART, LastGrad::CELL, LastGrad::CELL_TENSOR, LastGrad::NONE })
        checkLastGrad(how);
}

// A cell defined by the test: s' = s / 2 + x, an output 2 s', interim is the state before.
struct Driven {
    unsigned shards;
    bool reverse;
    std::vector<unsigned> lengths; // none: all steps
};
static void checkDriven(const Driven &d)
{
    using namespace popnn::rnn;
    const std::size_t steps = 5, batch = 2, in = 6;
    Fixture b(Passes::model(7));
    RnnParams params(FLOAT, batch, steps, { in, in });
    if (!d.lengths.empty()) {
        params.varTimeSteps = b.graph.addVariable(UNSIGNED_INT, { d.lengths.size() }, "lengths");
        b.graph.setTileMapping(params.varTimeSteps, 0);
        b.graph.setInitialValue(params.varTimeSteps, d.lengths);
    }
    const Tensor x = createInputTensor(b.graph, params, d.shards, "x"),
                 first = createInitialState(b.graph, params, true, 1, d.shards, "first"),
                 states = createOutputTensor(b.graph, params, d.shards, "states"),
                 doubled = createOutputTensor(b.graph, params, 1, d.shards, "doubled"),
                 kept = createRecurrentTensor(b.graph, params, in, 2, d.shards, "kept"),
                 numbers = b.graph.addVariable(UNSIGNED_INT, { steps, 1 }, "numbers"),
                 begun = b.graph.addVariable(UNSIGNED_INT, { 1 }, "begun");
    b.graph.setTileMapping(numbers, 0);
    b.graph.setTileMapping(begun, 0);
    b.graph.setInitialValue(begun, ArrayRef<unsigned>({ 0 }));
    b.graph.setInitialValue(numbers, std::vector<unsigned>(steps, 77));
    CHECK(x.shape() == (std::vector<std::size_t>{ steps, batch, in }) && first.dim(0) == 1 && kept.dim(0) == 2 * steps);
    CHECK(params.getMaxShards(b.graph) >= 1 && params.getInputBytesPerTile(b.graph) == 2 * 4 &&
          params.getOutputBytesPerTile(b.graph) == 2 * 4);
    spread(b, x, 0);
    spread(b, first, 1);
    spread(b, kept, 2);
    Tensor written = createRecurrentTensor(b.graph, params, in, 2, d.shards, "written");
    unsigned calls = 0;
    const std::vector<Tensor> last = Rnn(
        b.graph, params, d.reverse, { first, Tensor() }, StateSequence{ states, 0 }, { x }, &kept, &written,
        { doubled }, { numbers }, b.prog,
        [&](Graph &graph, const TimeStepState &time, const RnnBatchwiseFlags &flags, std::vector<Tensor> &state,
            const RnnSlice &slice, std::vector<Tensor> &created, Sequence *before, const DebugNameAndId &) {
            Sequence body;
            CHECK(before == (calls++ ? nullptr : &b.prog) && created.size() == 1 && !created[0].valid());
            CHECK(slice.interimIn.dim(0) == 2 && slice.inputs[0].shape() == (std::vector<std::size_t>{ batch, in }) &&
                  !state[1].valid());
            CHECK(flags.valid() == !d.lengths.empty() && time.variableSeqFlag.valid() == flags.valid());
            CHECK(!flags.valid() || (flags.mask.shape() == std::vector<std::size_t>{ batch } &&
                                     flags.inverse.shape() == flags.mask.shape()));
            if (before)
                popops::addInPlace(graph, begun, 1u, *before);
            popops::mulInPlace(graph, state[0], 0.5f, body);
            popops::addInPlace(graph, state[0], slice.inputs[0].expand({ 0 }), body);
            body.add(Copy(popops::mul(graph, state[0][0], 2.0f, body), slice.outputs[0]));
            body.add(Copy(popops::neg(graph, slice.interimIn, body), slice.interimOut));
            created[0] = popops::add(graph, time.counter, time.begin, body);
            return body;
        },
        d.shards, "rnn");
    const std::size_t longest = (steps + d.shards - 1) / d.shards;
    CHECK(calls == (steps + longest - 1) / longest && last.size() == 2 && !last[1].valid());
    const Tensor shifted = shiftRnnTensor(b.graph, params, states, first, b.prog, d.shards);
    b.read = { x,       first,   states,
               doubled, kept,    written,
               last[0], shifted, popops::cast(b.graph, concat(numbers.flatten(), begun), FLOAT, b.prog) };
    const std::vector<std::vector<float>> got = b.run();
    const unsigned largest = d.lengths.empty() ? steps : *std::max_element(d.lengths.begin(), d.lengths.end());
    for (std::size_t step = 0; step < steps; ++step) // the loop ends there, and the tensor of numbers is 0 beyond
        CHECK(near(got[8][step], step < largest ? static_cast<double>(step) : 0));
    CHECK(near(got[8][steps], 1));
    std::vector<float> state = got[1];
    for (std::size_t turn = 0; turn < steps; ++turn) {
        const std::size_t step = d.reverse ? steps - 1 - turn : turn;
        for (std::size_t i = 0; i < batch * in; ++i) {
            const std::size_t row = i / in, at = step * batch * in + i;
            const bool has = d.lengths.empty() || step < d.lengths[d.lengths.size() > 1 ? row : 0];
            state[i] = has ? state[i] / 2 + got[0][at] : state[i];
            CHECK(near(got[2][at], has ? state[i] : 0) && near(got[3][at], has ? 2 * state[i] : 0));
            for (std::size_t k = 0; k < 2; ++k)
                CHECK(near(got[5][at + (step + k) * batch * in], has ? -got[4][at + (step + k) * batch * in] : 0));
        }
    }
    for (std::size_t i = 0; i < batch * in; ++i)
        CHECK(near(got[6][i], state[i]) && near(got[7][i], got[1][i]) && near(got[7][batch * in + i], got[2][i]));
}
TEST(driver_of_any_cell)
{
    using namespace popnn::rnn;
    for (unsigned shards : { 1, 2, 4, 5 }) // 4: of 2, 2, 1 and no steps
        for (bool reverse : { false, true })
            for (const std::vector<unsigned> &lengths : std::vector<std::vector<unsigned>>{ {}, { 4, 1 }, { 3 } })
                if (shards == 4 ? lengths.size() == 1 : shards == 2 || lengths.size() != 1)
                    checkDriven({ shards, reverse, lengths });
    Fixture b;
    RnnParams params(FLOAT, 2, 3, { 4, 4 });
    const Tensor x = createInputTensor(b.graph, params, 1, "x"), odd = x.slice(0, 2);
    const LoopBodyType nothing = [](Graph &, const TimeStepState &, const RnnBatchwiseFlags &, std::vector<Tensor> &,
                                    const RnnSlice &, std::vector<Tensor> &, Sequence *,
                                    const DebugNameAndId &) { return Sequence(); };
    CHECK_THROWS(createInputTensor(b.graph, params, 4, "x"), poputil::poplibs_error, "4 shards of 3 time steps");
    CHECK_THROWS(Rnn(b.graph, params, false, {}, {}, { x }, nullptr, nullptr, {}, {}, b.prog, nothing, 0),
                 poputil::poplibs_error, "0 shards");
    CHECK_THROWS(Rnn(b.graph, params, false, {}, {}, { odd }, nullptr, nullptr, {}, {}, b.prog, nothing, 1),
                 poputil::poplibs_error, "of an input is 2, and should be a multiple of the 3 time steps");
    CHECK_THROWS(Rnn(b.graph, params, false, {}, { x, 0 }, { x }, nullptr, nullptr, {}, {}, b.prog, nothing, 1),
                 poputil::poplibs_error, "there is no state 0 of 0");
    CHECK_THROWS(Rnn(b.graph, params, false, {}, {}, { x }, nullptr, nullptr, {}, { odd }, b.prog, nothing, 1),
                 poputil::poplibs_error, "of a created tensor is 2");
    OptionFlags wrong{ { "codeReuse", "maybe" } };
    CHECK_THROWS(Rnn(b.graph, params, false, {}, {}, { x }, nullptr, nullptr, {}, {}, b.prog, nothing, 1, wrong),
                 invalid_option, "it is 0, 1, true or false");
}

// s' = s / 2 + x from the last step to the first; sums over steps of x y and s' y are made after several steps at once.
static void checkGathered(unsigned shards, unsigned stepsPerGather, const std::vector<unsigned> &lengths)
{
    using namespace popnn::rnn;
    const std::size_t steps = 5, batch = 2, in = 6, all = batch * in;
    Fixture b(Passes::model(7));
    RnnParams params(FLOAT, batch, steps, { in, in });
    if (!lengths.empty()) {
        params.varTimeSteps = b.graph.addVariable(UNSIGNED_INT, { lengths.size() }, "lengths");
        b.graph.setTileMapping(params.varTimeSteps, 0);
        b.graph.setInitialValue(params.varTimeSteps, lengths);
        CHECK(params.batchVariableTimeSteps());
    }
    const Tensor x = createInputTensor(b.graph, params, shards, "x"),
                 y = createRecurrentTensor(b.graph, params, in, shards, "y"),
                 first = createInitialState(b.graph, params, true, 1, shards, "first"),
                 states = createOutputTensor(b.graph, params, shards, "states"),
                 sums = createInitialState(b.graph, params, true, 2, shards, "sums");
    spread(b, x, 0);
    spread(b, y, 1);
    spread(b, first, 2);
    b.fill(sums, 0);
    unsigned seen = 0;
    OptionFlags options;
    const std::vector<Tensor> last = Rnn(
        b.graph, params, { first }, StateSequence{ states, 0 }, { x }, x, 2, b.prog,
        [&](Graph &graph, const TimeStepState &, const RnnBatchwiseFlags &, std::vector<Tensor> &state,
            const RnnSlice &slice, std::vector<Tensor> &, Sequence *, const DebugNameAndId &) {
            Sequence body;
            popops::mulInPlace(graph, state[0], 0.5f, body);
            popops::addInPlace(graph, state[0], slice.inputs[0].expand({ 0 }), body);
            body.add(Copy(concat(slice.interimIn, state[0]), slice.interimOut));
            return body;
        },
        { y },
        [&](Graph &graph, const RnnSlice &slice, unsigned count, Sequence *, const DebugNameAndId &) {
            Sequence body;
            seen += count;
            CHECK(count <= stepsPerGather && slice.interimIn.dim(0) == 2 * count && slice.inputs[0].dim(0) == count);
            for (unsigned k = 0; k < 2 * count; ++k)
                popops::addInPlace(graph, sums[k % 2],
                                   popops::mul(graph, slice.interimIn[k], slice.inputs[0][k / 2], body), body);
            return body;
        },
        shards, stepsPerGather, options, "rnn");
    CHECK(seen == steps && last.size() == 1);
    b.read = { x, y, first, states, sums, last[0] };
    const std::vector<std::vector<float>> got = b.run();
    std::vector<float> state = got[2], wanted(2 * all, 0.0f);
    for (std::size_t step = steps; step-- > 0;)
        for (std::size_t i = 0; i < all; ++i) {
            const std::size_t at = step * all + i;
            const bool has = lengths.empty() || step < lengths[i / in];
            state[i] = has ? state[i] / 2 + got[0][at] : state[i];
            wanted[i] += has ? got[0][at] * got[1][at] : 0;
            wanted[all + i] += has ? state[i] * got[1][at] : 0;
            CHECK(near(got[3][at], has ? state[i] : 0));
        }
    for (std::size_t i = 0; i < all; ++i)
        CHECK(near(got[4][i], wanted[i]) && near(got[4][all + i], wanted[all + i]) && near(got[5][i], state[i]));
}
TEST(driver_that_gathers)
{
    for (unsigned shards : { 1, 2 })
        for (unsigned stepsPerGather : { 1, 2, 3, 7 })
            checkGathered(shards, stepsPerGather,
                          stepsPerGather == 3 ? std::vector<unsigned>{ 4, 1 } : std::vector<unsigned>{});
}

// Attention 0 changes nothing; with 1 the candidate is the output; real time steps end sequences.
TEST(gru_with_attention)
{
    using namespace popnn::gru;
    Fixture b;
    const GruParams params(FLOAT, 2, 3, { 4, 5 });
    GruWeights weights = createWeights(b.graph, params, "weights"), together, apart;
    Tensor in = createInput(b.graph, params, "in"), h = createInitialState(b.graph, params, "h", {}, nullptr),
           none = createAttention(b.graph, params, "none"), half = createAttention(b.graph, params, "half"),
           lengths = b.graph.addConstant<unsigned>(UNSIGNED_INT, { 2 }, { 2, 1 });
    b.graph.setTileMapping(lengths, 0);
    for (const Tensor &t : { in, h, weights.inputWeights, weights.outputWeights })
        b.fill(t, 0.25f);
    b.fill(weights.biases, 0.5f);
    b.fill(none, 0);
    b.fill(half, 0.5f);
    Tensor kept, dx, between, da, da2;
    Tensor plain = gruFwd(b.graph, params, h, in, weights, nullptr, b.prog),
           same = auGruFwd(b.graph, params, h, in, weights, nullptr, none, b.prog, "fwd"),
           out = auGruFwd(b.graph, params, h, in, weights, &kept, half, b.prog),
           cut = auGruFwd(b.graph, params, h, in, lengths, weights, nullptr, half, b.prog, "cut"),
           shorter = gruFwd(b.graph, params, h, in, lengths, weights, nullptr, b.prog);
    auGruBwd(b.graph, params, b.prog, h, kept, weights, in, out, out, &dx, &between, half, &da, "bwd", {}, nullptr);
    apart = auGruWU(b.graph, params, b.prog, h, kept, between, weights, in, out, "wu", {}, nullptr);
    auGruBwdWithWU(b.graph, params, b.prog, h, kept, weights, in, out, out, &dx, together, half, &da2, "both", {},
                   nullptr);
    b.read = { plain, same, out, cut, shorter, da, da2, apart.inputWeights, together.inputWeights };
    const std::vector<std::vector<float>> got = b.run();
    CHECK(got[0] == got[1] && got[2] != got[0] && da.shape() == (std::vector<std::size_t>{ 2, 3 }));
    for (std::size_t t = 0; t < 3; ++t)
        for (std::size_t i = 0; i < 10; ++i) {
            const bool there = t < (i < 5 ? 2 : 1);
            CHECK(got[3][t * 10 + i] == (there ? got[2][t * 10 + i] : 0) &&
                  got[4][t * 10 + i] == (there ? got[0][t * 10 + i] : 0));
        }
    for (std::size_t i = 0; i < got[5].size(); ++i)
        CHECK(near(got[5][i], got[6][i]) && got[5][i] != 0);
    for (std::size_t i = 0; i < got[7].size(); ++i)
        CHECK(near(got[7][i], got[8][i]));
    CHECK_THROWS(gruFwd(b.graph, GruParams(FLOAT, 2, 3, lengths, { 4, 5 }), h, in, lengths, weights, nullptr, b.prog),
                 poputil::poplibs_error, "variable ones");
}

TEST(gru)
{
    using namespace popnn::gru;
    for (bool after : { false, true }) {
        Fixture b;
        GruParams params(FLOAT, 2, 3, { 4, 5 });
        params.resetAfter = after;
        CHECK(params.cellOrder == getDefaultBasicGruCellOrder() && params.cellOrder[2] == BASIC_GRU_CELL_CANDIDATE);
        CHECK(getBasicGruCellFwdFlops(params) == 2 * 2 * 3 * 9 * 15 + 6 * 5 * 7);
        CHECK(getBasicGruCellBwdFlops(params) > getBasicGruCellFwdFlops(params) &&
              getBasicGruCellWuFlops(params) < getBasicGruCellFwdFlops(params));
        CHECK(getMatMulPrePlanParameters(params, { { "inferenceOnly", "false" } }).size() == 6 &&
              getMatMulPrePlanParameters(params, {}).size() == 2);
        Tensor in = createInput(b.graph, params, "in"), state = createInitialState(b.graph, params, "state");
        GruWeights weights = createWeights(b.graph, params, "weights");
        CHECK(createWeightsKernel(b.graph, params, "kernel").first.shape() == weights.inputWeights.shape());
        CHECK(createWeightsBiases(b.graph, params, "biases").shape() == weights.biases.shape() &&
              weights.biases.rank() == (after ? 3 : 2));
        b.fill(in, 0.5f);
        b.fill(state, 1);
        b.fill(weights.inputWeights, 0.25f);
        b.fill(weights.outputWeights, 0);
        b.fill(weights.biases, 0.5f);
        Tensor kept, dx, between;
        Tensor out = gruFwd(b.graph, params, state, in, weights, &kept, b.prog, "fwd", {}, &b.cache);
        Tensor first =
            gruBwd(b.graph, params, b.prog, state, kept, weights, in, out, out, &dx, &between, "bwd", {}, &b.cache);
        GruWeights apart = gruWU(b.graph, params, b.prog, state, kept, between, weights, in, out, "wu", {}, &b.cache),
                   both;
        Tensor same = gruBwdWithWU(b.graph, params, b.prog, state, kept, weights, in, out, out, nullptr, both, "both",
                                   {}, &b.cache);
        b.read = { out, first, same, apart.inputWeights, both.inputWeights, apart.biases, both.biases, dx };
        std::vector<std::vector<float>> got = b.run();
        const double sum = after ? 1.5 : 1, z = sigmoid(sum), c = std::tanh(1 + (after ? 0.5 * sigmoid(sum) : 0)),
                     h = z + (1 - z) * c;
        CHECK(near(got[0][0], h) && near(got[0][10], z * h + (1 - z) * c) && got[7].size() == 24);
        for (std::size_t i = 0; i < got[1].size(); ++i)
            CHECK(near(got[1][i], got[2][i]));
        for (std::size_t i = 0; i < got[3].size(); ++i)
            CHECK(near(got[3][i], got[4][i]));
        for (std::size_t i = 0; i < got[5].size(); ++i)
            CHECK(near(got[5][i], got[6][i]));
        params.cellOrder[0] = BASIC_GRU_CELL_CANDIDATE;
        CHECK_THROWS(createWeights(b.graph, params, "w"), poputil::poplibs_error, "each of the 3 units once");
    }
}

// inferenceOnly plans the products for forward alone: weights have the layout of INFERENCE_FWD products, else that
// of TRAINING_FWD products, which the other passes share.
TEST(rnn_for_inference)
{
    Fixture b(Passes::model(16));
    const auto laidOut = [&](const char *pass) {
        return b.graph.getTileMapping(
            poplin::createMatMulInputRHS(b.graph, HALF, HALF, { 4, 512 }, { 512, 64 }, "rhs",
                                         { { "fullyConnectedPass", pass }, { "partialsType", "float" } }, nullptr));
    };
    const auto weights = [&](bool inferenceOnly) {
        return popnn::rnn::createWeightsInput(b.graph, 1, 4, 512, 64, HALF, FLOAT, inferenceOnly, "w", &b.cache);
    };
    CHECK(laidOut("INFERENCE_FWD") != laidOut("TRAINING_FWD"));
    CHECK(b.graph.getTileMapping(weights(false)) == laidOut("TRAINING_FWD"));
    CHECK(b.graph.getTileMapping(weights(true)) == laidOut("INFERENCE_FWD"));
    const std::size_t plans = b.cache.size();
    for (const bool inferenceOnly : { false, true }) {
        const Tensor in = popnn::rnn::createInput(b.graph, 1, 4, 512, 64, HALF, FLOAT, inferenceOnly, "in", &b.cache);
        popnn::rnn::forwardWeightInput(b.graph, in, weights(inferenceOnly), b.prog, FLOAT, inferenceOnly, "fwd",
                                       &b.cache);
    }
    CHECK(plans == 4 && b.cache.size() == plans); // the three passes of training, and inference
}

// Weights are {input, output} and {output, output}, right operands of products: x W + h U + b.
TEST(rnn_weights_are_right_operands)
{
    using namespace popnn::rnn;
    Fixture b;
    const Tensor x = createInput(b.graph, 1, 1, 3, 2, FLOAT), w = createWeightsInput(b.graph, 1, 1, 3, 2, FLOAT),
                 u = createWeightsFeedback(b.graph, 1, 2, FLOAT),
                 h = createFwdState(b.graph, FLOAT, 1, 2, b.prog, false, false),
                 biases = b.graph.addConstant<float>(FLOAT, { 2 }, 0.5f);
    b.graph.setTileMapping(biases, 0);
    CHECK(w.shapeToString() == "{3,2}");
    b.graph.setInitialValue<float>(x, { 1, 10, 100 });
    b.graph.setInitialValue<float>(w, { 1, 2, 3, 4, 5, 6 });
    b.graph.setInitialValue<float>(u, { 7, 8, 9, 1 });
    b.graph.setInitialValue<float>(h, { 1, 2 });
    const Tensor weighted = forwardWeightInput(b.graph, x, w, b.prog),
                 y = forwardIterate(b.graph, weighted, h, u, biases, b.prog, popnn::NonLinearityType::RELU),
                 back = createBwdState(b.graph, FLOAT, 1, 2, b.prog),
                 dy = b.graph.addConstant<float>(FLOAT, { 1, 2 }, { 1, 10 });
    b.graph.setTileMapping(dy, 0);
    const auto step = backwardGradientStep(b.graph, dy, back, y[0], w, u, b.prog, popnn::NonLinearityType::RELU);
    Tensor dw = b.graph.clone(w), du = b.graph.clone(u), db = b.graph.clone(biases);
    for (const Tensor &t : { dw, du, db })
        b.fill(t, 0);
    paramDeltaUpdate(b.graph, step.second, x[0], h, dw, du, db, b.prog);
    b.read = { weighted, y, step.first, dw, du };
    using Values = std::vector<float>;
    const std::vector<Values> got = b.run();
    CHECK((got[0] == Values{ 531, 642 }) && (got[1] == Values{ 556.5f, 652.5f }));
    CHECK((got[2] == Values{ 21, 43, 65 }) && (got[3] == Values{ 1, 10, 10, 100, 100, 1000 }) &&
          (got[4] == Values{ 1, 10, 2, 20 }));
}

TEST(rnn)
{
    using namespace popnn::rnn;
    using popnn::NonLinearityType;
    Fixture b;
    CHECK(getMatMulPrePlanParameters(3, 2, 4, 5, FLOAT).size() == 6 &&
          getMatMulPrePlanParameters(3, 2, 4, 5, FLOAT, FLOAT, true, false).size() == 1);
    CHECK(getFwdFlops(3, 2, 4, 5) > getFwdFlops(3, 2, 4, 5, false) &&
          getBwdFlops(3, 2, 4, 5) > getBwdFlops(3, 2, 4, 5, false) && getWuFlops(3, 2, 4, 5) > 0);
    Tensor in = createInput(b.graph, 3, 2, 4, 5, FLOAT, FLOAT, false, "in", &b.cache),
           w = createWeightsInput(b.graph, 3, 2, 4, 5, FLOAT, FLOAT, false, "w");
    Tensor u = createWeightsFeedback(b.graph, 2, 5, FLOAT, FLOAT, false, "u"),
           state = createFwdState(b.graph, FLOAT, 2, 5, b.prog, true, false, "state");
    CHECK(in.shape() == (std::vector<std::size_t>{ 3, 2, 4 }) && w.shape() == (std::vector<std::size_t>{ 4, 5 }) &&
          getOutputFromFwdState(state) == state);
    Tensor biases = b.graph.addVariable(FLOAT, { 5 }, "biases");
    poputil::mapTensorLinearly(b.graph, biases);
    b.fill(in, 0.5f);
    b.fill(w, 0.25f);
    b.fill(u, 0.1f);
    b.fill(biases, 0.5f);
    Tensor weighted = forwardWeightInput(b.graph, in, w, b.prog, FLOAT, false, "weigh", &b.cache);
    Tensor out = rnnFwdSequence(b.graph, b.prog, state, &weighted, biases, w, u, in, NonLinearityType::TANH, FLOAT,
                                false, "fwd", &b.cache);
    Tensor same = rnnFwdSequence(b.graph, b.prog, state, nullptr, biases, w, u, in, NonLinearityType::TANH);
    Tensor iterated = forwardIterate(b.graph, weighted, state, u, biases, b.prog, NonLinearityType::TANH);
    Tensor dx, dw, du, db, later = createBwdState(b.graph, FLOAT, 2, 5, b.prog, "later");
    std::tie(dx, dw, du, db) =
        rnnBwdSequence(b.graph, true, false, b.prog, state, out, biases, w, u, out.dimShuffle({ 1, 0, 2 }), in,
                       NonLinearityType::TANH, FLOAT, "bwd", &b.cache);
    std::pair<Tensor, Tensor> last =
        backwardGradientStep(b.graph, out[2], later, out[2], w, u, b.prog, NonLinearityType::TANH, FLOAT, "step");
    Tensor alone = backwardGradientStep(b.graph, out[2], later, out[2], u, b.prog, NonLinearityType::TANH);
    Tensor dw2 = b.graph.clone(w), du2 = b.graph.clone(u), db2 = b.graph.clone(biases);
    b.fill(dw2, 1);
    b.fill(du2, 1);
    b.fill(db2, 1);
    paramDeltaUpdate(b.graph, alone, in[2], out[1], dw2, du2, db2, b.prog);
    b.read = { out, same, iterated, dx, last.first, last.second, alone, dw2, du2, db2, dw, du, db };
    std::vector<std::vector<float>> got = b.run();
    const double h1 = std::tanh(1), h2 = std::tanh(1 + 0.5 * h1), h3 = std::tanh(1 + 0.5 * h2), dz = h3 * (1 - h3 * h3);
    CHECK(near(got[0][0], h1) && near(got[0][10], h2) && near(got[0][20], h3) && got[0] == got[1] && got[0] == got[2]);
    CHECK(near(got[4][0], 5 * 0.25 * dz) && near(got[3][16], got[4][0]) && near(got[5][0], dz) && got[5] == got[6]);
    CHECK(near(got[7][0], 1 + 2 * 0.5 * dz) && near(got[8][0], 1 + 2 * h2 * dz) && near(got[9][0], 1 + 2 * dz));
    CHECK(got[10].size() == 20 && got[11].size() == 25 && got[12].size() == 5);
    CHECK_THROWS(forwardWeightInput(b.graph, in, u, b.prog), poputil::poplibs_error,
                 "the tensor of input weights: the shape is {5,5}");
    CHECK_THROWS(backwardGradientStep(b.graph, Tensor(), later, out[2], u, b.prog, NonLinearityType::TANH),
                 poputil::poplibs_error, "the output's gradient");
}

MAIN()
