// SPDX-License-Identifier: Apache-2.0
// popsparse in C++, as programs use it: training with plain tensors as weights, products with constants, patterns that
// change, static products, parameters and their errors.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/codelets.hpp>
#include <popsparse/Embedding.hpp>
#include <popsparse/FullyConnected.hpp>
#include <popsparse/MatMul.hpp>
#include <popsparse/SparsePartitioner.hpp>
#include <popsparse/codelets.hpp>
#include <popsparse/experimental/BlockSparseMatMul.hpp>
#include <poputil/TileMapping.hpp>

#include "check.hpp"

#include <cmath>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace popsparse::dynamic;

typedef std::vector<float> Floats;
typedef std::vector<std::size_t> Sizes;

struct Bench {
    Device device;
    Graph graph;
    Sequence prog;
    Bench() : device(model()), graph(device.getTarget())
    {
        popops::addCodelets(graph);
        popsparse::addCodelets(graph);
    }
    static Device model()
    {
        IPUModel description;
        description.tilesPerIPU = 8;
        return description.createDevice();
    }
    Tensor input(const std::vector<std::size_t> &shape, const std::string &name)
    {
        Tensor t = graph.addVariable(FLOAT, shape, name);
        poputil::mapTensorLinearly(graph, t);
        graph.createHostWrite(name, t);
        return t;
    }
};
static std::vector<unsigned short> narrow(const Sizes &numbers)
{
    return std::vector<unsigned short>(numbers.begin(), numbers.end());
}
template <typename T> static void write(Engine &engine, const char *handle, const std::vector<T> &values)
{
    engine.writeTensor(handle, values.data(), values.data() + values.size());
}
static Floats read(Engine &engine, const char *handle, std::size_t count)
{
    Floats values(count);
    engine.readTensor(handle, values.data(), values.data() + count);
    return values;
}

static const std::size_t batch = 4, in = 12, out = 8;
// A pattern of 20 blocks of one element: as the seed says.
static popsparse::COOMatrix<float> pattern(unsigned seed)
{
    popsparse::COOMatrix<float> made;
    for (unsigned i = 0; i < 20; ++i) {
        const std::size_t place = (i * 29 + seed) % (in * out);
        made.rowIndices.push_back(place / in);
        made.columnIndices.push_back(place % in);
        made.nzValues.push_back(static_cast<float>(i + 1) * 0.125f);
    }
    return made;
}
static Floats dense(const popsparse::COOMatrix<float> &m)
{
    Floats values(in * out);
    for (std::size_t i = 0; i < m.nzValues.size(); ++i)
        values[m.rowIndices[i] * in + m.columnIndices[i]] = m.nzValues[i];
    return values;
}

// As frameworks' operations do it: sizes from one graph, plain tensors (the pattern carried as HALF) in another, and an
// update that is element-wise.
TEST(training_with_plain_tensors)
{
    const OptionFlags options = { { "doGradAPass", "true" }, { "doGradWPass", "true" } };
    const FullyConnectedParams params =
        FullyConnectedParams::createWithNzRatio(SparsityParams(), 20.0 / 96, batch, 1, in, out);
    CHECK(params.getNumNonZeroValues() == 20);
    std::size_t metaSize, valuesSize;
    {
        Bench sizes;
        const SparseTensor w = createFullyConnectedWeights(sizes.graph, FLOAT, params, "w", options);
        metaSize = w.getMetaInfoTensor().reinterpret(HALF).numElements();
        valuesSize = w.getNzValuesTensor().numElements();
        CHECK(w.getOpMetaData().getData() != nullptr);
        CHECK(fullyConnectedDenseGradWSerialSplits(sizes.graph, FLOAT, params) == std::make_tuple(1u, 1u, 1u));
    }
    Bench b;
    Tensor meta = b.graph.addVariable(HALF, { metaSize }, "meta"), values = b.input({ valuesSize }, "values"),
           x = b.input({ batch, in }, "x"), grad = b.input({ batch, out }, "grad");
    poputil::mapTensorLinearly(b.graph, meta);
    const SparseTensor weights(meta.reinterpret(UNSIGNED_SHORT), values);
    PlanningCache cache;
    const Tensor y = fullyConnectedFwd(b.graph, weights, x, params, b.prog, "fwd", options, &cache);
    const Tensor gradX = fullyConnectedGradA(b.graph, weights, grad, params, b.prog, "gradA", options, &cache);
    const Tensor gradW = fullyConnectedSparseGradW(b.graph, weights.getMetaInfoTensor(), grad, x, params, b.prog,
                                                   "gradW", options, &cache);
    popops::scaledAddTo(b.graph, values, gradW, -0.5f, b.prog);
    b.graph.createHostWrite("meta", weights.getMetaInfoTensor());
    b.graph.createHostRead("y", y);
    b.graph.createHostRead("gradX", gradX);
    b.graph.createHostRead("values", values);
    Engine engine(b.graph, b.prog);
    engine.load(b.device);
    Floats hostX(batch * in), hostGrad(batch * out);
    for (std::size_t i = 0; i < hostX.size(); ++i)
        hostX[i] = static_cast<float>(i % 7) - 3;
    for (std::size_t i = 0; i < hostGrad.size(); ++i)
        hostGrad[i] = static_cast<float>(i % 5) - 2;
    const Partitioner<float> partitioner(params, FLOAT, b.graph.getTarget(), options, &cache, "w");
    for (unsigned seed = 0; seed < 3; ++seed) {
        SparsityDataImpl<float> data = partitioner.createSparsityDataImpl(pattern(seed * 13));
        CHECK(data.metaInfo.size() == metaSize && data.nzValues.size() == valuesSize);
        write(engine, "meta", narrow(data.metaInfo));
        write(engine, "values", data.nzValues);
        write(engine, "x", hostX);
        write(engine, "grad", hostGrad);
        engine.run(0);
        const Floats w = dense(pattern(seed * 13)), hostY = read(engine, "y", batch * out),
                     hostGradX = read(engine, "gradX", batch * in);
        for (std::size_t n = 0; n < batch; ++n)
            for (std::size_t o = 0; o < out; ++o) {
                float sum = 0;
                for (std::size_t i = 0; i < in; ++i)
                    sum += hostX[n * in + i] * w[o * in + i];
                CHECK(std::fabs(hostY[n * out + o] - sum) < 1e-4f);
            }
        for (std::size_t n = 0; n < batch; ++n)
            for (std::size_t i = 0; i < in; ++i) {
                float sum = 0;
                for (std::size_t o = 0; o < out; ++o)
                    sum += hostGrad[n * out + o] * w[o * in + i];
                CHECK(std::fabs(hostGradX[n * in + i] - sum) < 1e-4f);
            }
        data.nzValues = read(engine, "values", valuesSize);
        const popsparse::COOMatrix<float> updated = partitioner.sparsityDataImplToCOOMatrix(data);
        CHECK(updated.nzValues.size() == 20 && updated.numRows == 0);
        for (std::size_t k = 0; k < updated.nzValues.size(); ++k) {
            const std::size_t row = updated.rowIndices[k], column = updated.columnIndices[k];
            float wanted = w[row * in + column];
            for (std::size_t n = 0; n < batch; ++n)
                wanted -= 0.5f * hostGrad[n * out + row] * hostX[n * in + column];
            CHECK(std::fabs(updated.nzValues[k] - wanted) < 1e-4f);
        }
    }
}

// Constants in the place of created variables, with their mapping and their op meta-data.
TEST(products_of_constants)
{
    Bench b;
    const MatMulParams params = MatMulParams::createWithNumNonZeroValues(SparsityParams(), 20, 1, out, in, 3);
    const SparseTensor made = createSparseDenseMatMulLHS(b.graph, FLOAT, params, "lhs");
    const Tensor rhs = createSparseDenseMatMulRHS(b.graph, FLOAT, params, "rhs");
    const Partitioner<double> partitioner(params, FLOAT, b.graph.getTarget(), {});
    popsparse::COOMatrix<float> m = pattern(5);
    popsparse::COOMatrix<double> wide(std::vector<double>(m.nzValues.begin(), m.nzValues.end()), m.columnIndices,
                                      m.rowIndices);
    const SparsityDataImpl<double> data = partitioner.createSparsityDataImpl(wide);
    const std::vector<std::uint64_t> numbers(data.metaInfo.begin(), data.metaInfo.end());
    Tensor meta = b.graph.addConstant<std::uint64_t>(UNSIGNED_SHORT, { numbers.size() }, numbers.data());
    Tensor values = b.graph.addConstant<double>(FLOAT, { data.nzValues.size() }, data.nzValues.data());
    b.graph.setTileMapping(meta, b.graph.getTileMapping(made.getMetaInfoTensor()));
    b.graph.setTileMapping(values, b.graph.getTileMapping(made.getNzValuesTensor()));
    const SparseTensor lhs(meta, values, made.getOpMetaData());
    const Tensor y = sparseDenseMatMul(b.graph, lhs, rhs, b.prog);
    const Tensor z = sparseDenseMatMul(b.graph, lhs, y.dimShuffle({ 0, 2, 1 }), b.prog, true, true);
    CHECK(y.shape() == Sizes({ 1, out, 3 }) && z.shape() == Sizes({ 1, in, 3 }));
    b.graph.createHostWrite("rhs", rhs);
    b.graph.createHostRead("y", y);
    b.graph.createHostRead("z", z);
    Engine engine(b.graph, b.prog);
    engine.load(b.device);
    Floats hostRhs(in * 3);
    for (std::size_t i = 0; i < hostRhs.size(); ++i)
        hostRhs[i] = static_cast<float>(i % 11) - 5;
    write(engine, "rhs", hostRhs);
    engine.run(0);
    const Floats w = dense(m), hostY = read(engine, "y", out * 3), hostZ = read(engine, "z", in * 3);
    for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t o = 0; o < out; ++o) {
            float sum = 0;
            for (std::size_t i = 0; i < in; ++i)
                sum += w[o * in + i] * hostRhs[i * 3 + c];
            CHECK(std::fabs(hostY[o * 3 + c] - sum) < 1e-4f);
        }
        for (std::size_t i = 0; i < in; ++i) {
            float sum = 0;
            for (std::size_t o = 0; o < out; ++o)
                sum += w[o * in + i] * hostY[o * 3 + c];
            CHECK(std::fabs(hostZ[i * 3 + c] - sum) < 1e-3f);
        }
    }
    CHECK_THROWS((sparseDenseMatMul(b.graph, SparseTensor(meta, values), rhs, b.prog)), poputil::poplibs_error,
                 "has no meta-data");
}

TEST(rows_of_weights)
{
    Bench b;
    const OptionFlags options = { { "doGradWPass", "true" } };
    const FullyConnectedParams params =
        FullyConnectedParams::createWithNumNonZeroValues(SparsityParams(), 20, batch, 1, in, out);
    const SparseTensor w = createFullyConnectedWeights(b.graph, FLOAT, params, "w", options);
    const Tensor indices = createIndicesTensor(b.graph, params, 3, options, "indices");
    const Tensor rows = embeddingSlice(b.graph, w, indices, b.prog, params, "slice", options);
    const Tensor slices = createSliceTensor(b.graph, FLOAT, params, 3, "slices", options);
    const Tensor scale = b.graph.addConstant<float>(FLOAT, {}, 1.0f);
    embeddingUpdateAdd(b.graph, w, slices, indices, scale, b.prog, params, "update", options);
    b.graph.createHostWrite("meta", w.getMetaInfoTensor());
    b.graph.createHostWrite("values", w.getNzValuesTensor());
    b.graph.createHostWrite("slices", slices);
    b.graph.createHostWrite("indices", indices);
    b.graph.createHostRead("rows", rows);
    b.graph.createHostRead("values", w.getNzValuesTensor());
    Engine engine(b.graph, b.prog);
    engine.load(b.device);
    const Partitioner<float> partitioner(params, FLOAT, b.graph.getTarget(), options);
    SparsityDataImpl<float> data = partitioner.createSparsityDataImpl(pattern(2));
    write(engine, "meta", narrow(data.metaInfo));
    write(engine, "values", data.nzValues);
    write(engine, "slices", Floats(3 * in, 10.0f));
    write(engine, "indices", std::vector<unsigned>{ 7, 0xffffffffu, 2 });
    engine.run(0);
    const Floats before = dense(pattern(2)), hostRows = read(engine, "rows", 3 * in);
    for (std::size_t i = 0; i < in; ++i)
        CHECK(hostRows[i] == before[7 * in + i] && hostRows[in + i] == 0 && hostRows[2 * in + i] == before[2 * in + i]);
    data.nzValues = read(engine, "values", data.nzValues.size());
    const popsparse::CSRMatrix<float> after = partitioner.sparsityDataImplToCSRMatrix(data);
    CHECK(after.numRows == out && after.rowIndices.size() == out + 1);
    for (std::size_t row = 0; row < out; ++row)
        for (std::size_t k = after.rowIndices[row]; k < after.rowIndices[row + 1]; ++k)
            CHECK(after.nzValues[k] ==
                  before[row * in + after.columnIndices[k]] + (row == 7 || row == 2 ? 10.0f : 0.0f));
}

TEST(static_products)
{
    Bench b;
    // {4, 8} in blocks of 4: one at column 4.
    std::vector<double> ramp;
    for (unsigned i = 0; i < 16; ++i)
        ramp.push_back(i);
    const popsparse::CSRMatrix<double> m(4, 8, ramp, { 4 }, { 0, 16 }, { { 4, 4 } });
    const auto left = popsparse::static_::MatMulParams::createForSparseDense(1, 4, 8, 2);
    const auto right = popsparse::static_::MatMulParams::createForDenseSparse(1, 2, 4, 8);
    popsparse::static_::PlanningCache cache;
    const auto lhs = popsparse::static_::createSparseDenseMatMulLHS(b.graph, FLOAT, left, m, "lhs", {}, &cache);
    const auto rhs = popsparse::static_::createDenseSparseMatMulRHS(b.graph, FLOAT, right, m, "rhs", {}, &cache);
    const Tensor x = popsparse::static_::createSparseDenseMatMulRHS(b.graph, FLOAT, left, m, "x", {}, &cache);
    const Tensor y = popsparse::static_::sparseDenseMatMul(b.graph, lhs, x, b.prog, false, false, "left", {}, &cache);
    const Tensor z = popsparse::static_::denseSparseMatMul(b.graph, y, rhs, b.prog, true, false, "right", {}, &cache);
    CHECK(y.shape() == Sizes({ 1, 4, 2 }) && z.shape() == Sizes({ 1, 2, 8 }));
    const popsparse::static_::Partitioner<double> partitioner(left, FLOAT, b.graph.getTarget(), {}, &cache);
    const auto data = partitioner.createSparsityDataImpl(m);
    CHECK(partitioner.sparsityDataImplToCSRMatrix(data).nzValues == ramp);
    const popsparse::static_::Partitioner<double> other(right, FLOAT, b.graph.getTarget(), {}, &cache);
    const auto otherData = other.createSparsityDataImpl(m);
    b.graph.createHostWrite("lhs", lhs.getNzValuesTensor());
    b.graph.createHostWrite("rhs", rhs.getNzValuesTensor());
    b.graph.createHostWrite("x", x);
    b.graph.createHostRead("z", z);
    Engine engine(b.graph, b.prog);
    engine.load(b.device);
    write(engine, "lhs", Floats(data.nzValues.begin(), data.nzValues.end()));
    write(engine, "rhs", Floats(otherData.nzValues.begin(), otherData.nzValues.end()));
    write(engine, "x", Floats(16, 1.0f));
    engine.run(0);
    const Floats hostZ = read(engine, "z", 16);
    for (std::size_t j = 0; j < 4; ++j) {
        double sum = 0;
        for (std::size_t i = 0; i < 4; ++i)
            sum += (16.0 * static_cast<double>(i) + 6) * ramp[i * 4 + j];
        CHECK(hostZ[j] == 0 && hostZ[4 + j] == static_cast<float>(sum));
    }
}

TEST(parameters)
{
    const SparsityParams block(SparsityType::Element, SparsityStructure::Unstructured, { { 4, 8 } });
    CHECK(block.type == SparsityType::Block && block != SparsityParams() && SparsityParams() < block);
    const FullyConnectedParams p = FullyConnectedParams::createWithNzRatio(block, 0.5, 2, 3, 16, 8);
    CHECK(p.getInputChannels() == 48 && p.getInputChannelsPerGroup() == 16 && p.getOutputChannels() == 24);
    CHECK(p == p && p != FullyConnectedParams::createWithNzRatio(block, 0.5, 1, 3, 16, 8));
    std::ostringstream text;
    text << p << MatMulParams::createWithNzRatio(block, 0.25, 1, 8, 8, 2)
         << popsparse::static_::MatMulParams::createForDenseSparse(1, 2, 3, 4);
    CHECK(check::contains(text.str(), "Block") && check::contains(text.str(), "transposed: true"));
    CHECK_THROWS((FullyConnectedParams::createWithNzRatio(block, 1.5, 2, 3, 16, 8)), poputil::poplibs_error,
                 "must be from 0 to 1");
    CHECK_THROWS((MatMulParams::createWithNzRatio(block, 0.5, 1, 6, 8, 2)), poputil::poplibs_error,
                 "not divided into blocks");
    const Target target = Target::createCPUTarget();
    const OptionFlags wrong = { { "doGradB", "true" } };
    CHECK_THROWS((Partitioner<float>(p, FLOAT, target, wrong)), poplar::invalid_option, "Unrecognised option");
    const Partitioner<float> partitioner(p, HALF, target, {});
    CHECK(partitioner.getPlanPartitions()[0] == Sizes({ 0 }) && partitioner.getmetaInfoBucketElements() > 8);
    popsparse::CSCMatrix<float> m(32, 16, { { 4, 8 } });
    CHECK(m.columnIndices.size() == 3 && m.rowIndices.size() == 1 && m.getBlockSize() == 32);
    CHECK_THROWS((partitioner.createSparsityDataImpl(m)), poputil::poplibs_error, "CSC Validation failed");
}

// Attention with blocks: scores where the mask has blocks, softmax below the diagonal, and their product with values.
TEST(block_sparse_attention)
{
    using namespace popsparse::experimental;
    Bench b;
    const std::vector<unsigned char> mask = { 1, 0, 1, 1 };
    const BSMatMulParams scores({ { 8, 4, 8 } }, { { 4, 4, 4 } }, mask, FLOAT, FLOAT, FLOAT,
                                SubBlockMask::ZeroUpperTriangle);
    const BSMatMulParams weighted({ { 3, 8, 8 } }, { { 3, 4, 4 } }, mask, true, FLOAT, FLOAT, FLOAT);
    const Tensor q = createBSMatMulInputLHS(b.graph, scores, "q"), k = createBSMatMulInputRHS(b.graph, scores, "k"),
                 v = createBSMatMulInputLHS(b.graph, weighted, "v");
    const Tensor s = bsMatMul(b.graph, scores, b.prog, q, k);
    const Tensor p =
        bsSoftmax(b.graph, s, { { 8, 8 } }, { { 4, 4 } }, mask, SubBlockMask::ZeroUpperTriangle, 1, b.prog);
    bsSoftmaxInPlace(b.graph, s, { { 8, 8 } }, { { 4, 4 } }, mask, SubBlockMask::ZeroUpperTriangle, b.prog);
    const Tensor grad = bsSoftmaxGrad(b.graph, p, s, { { 8, 8 } }, { { 4, 4 } }, mask, b.prog);
    const Tensor result = bsMatMul(b.graph, weighted, b.prog, v, p);
    CHECK(p.shape() == Sizes({ 3, 16 }) && grad.shape() == p.shape() && result.shape() == Sizes({ 3, 8 }));
    for (const char *name : { "q", "k", "v" })
        b.graph.createHostWrite(name, name[0] == 'q' ? q : name[0] == 'k' ? k : v);
    b.graph.createHostRead("p", p);
    b.graph.createHostRead("s", s);
    b.graph.createHostRead("out", result);
    Engine engine(b.graph, b.prog);
    engine.load(b.device);
    Floats ramp(24);
    for (std::size_t i = 0; i < ramp.size(); ++i)
        ramp[i] = static_cast<float>(i);
    write(engine, "q", Floats(32, 0.0f));
    write(engine, "k", Floats(32, 1.0f));
    write(engine, "v", ramp);
    engine.run(0);
    // Scores are 0: row r weighs its r + 1 columns up to the diagonal equally.
    const Floats hostOut = read(engine, "out", 24), hostP = read(engine, "p", 48);
    CHECK(hostP == read(engine, "s", 48));
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t r = 0; r < 8; ++r)
            CHECK(std::fabs(hostOut[c * 8 + r] - (static_cast<float>(c * 8) + static_cast<float>(r) / 2)) < 1e-4f);
}

MAIN()
