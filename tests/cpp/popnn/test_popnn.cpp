// SPDX-License-Identifier: Apache-2.0
// popnn's C++ interface: non-linearities, losses, the largest elements of rows.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popnn/CTCInference.hpp>
#include <popnn/CTCLoss.hpp>
#include <popnn/LogSoftmax.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/NonLinearityDefUtil.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/codelets.hpp>
#include <popnn/experimental/ROIAlign.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include "check.hpp"
#include "fixture.hpp"

#include <cmath>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace popnn;

struct Fixture : TestFixture {
    std::vector<Tensor> read;
    Fixture() : TestFixture(model(4))
    {
        popops::addCodelets(graph);
        popnn::addCodelets(graph);
    }
    Tensor floats(const Shape &shape, const Floats &values)
    {
        Tensor t = graph.addVariable(FLOAT, shape, "t");
        poputil::mapTensorLinearly(graph, t, 1, 1);
        if (!values.empty())
            graph.setInitialValue(t, values);
        return t;
    }
    Tensor labels(const std::vector<unsigned> &values)
    {
        return constant(UNSIGNED_INT, { values.size() }, values);
    }
    // The contents of the tensors after the program.
    std::vector<Floats> run()
    {
        return TestFixture::run(read);
    }
};

TEST(non_linearities)
{
    Fixture b;
    const std::vector<float> values{ -2, -1, 0, 1, 2, 3 };
    Tensor t = b.floats({ 2, 3 }, values);
    typedef Tensor (*Function)(Graph &, const Tensor &, Sequence &, const DebugContext &);
    typedef void (*InPlace)(Graph &, const Tensor &, Sequence &, const DebugContext &);
    const Function functions[] = { sigmoid, relu, tanh, gelu, swish, geluErf, softmax, softmaxStable, logSoftmax };
    const InPlace inPlace[] = { sigmoidInPlace, reluInPlace,    tanhInPlace,          geluInPlace,      swishInPlace,
                                geluErfInPlace, softmaxInPlace, softmaxStableInPlace, logSoftmaxInPlace };
    for (unsigned i = 0; i < 9; ++i) {
        b.read.push_back(functions[i](b.graph, t, b.prog, "f"));
        b.read.push_back(b.floats({ 2, 3 }, values));
        inPlace[i](b.graph, b.read.back(), b.prog, DebugContext("g"));
    }
    float scaling = 0;
    b.read.push_back(scaledSoftmaxStable(b.graph, t, scaling, b.prog));
    CHECK(scaling == 62000);
    Tensor other = b.floats({ 2, 3 }, values);
    scaledSoftmaxStableInPlace(b.graph, other, scaling, b.prog);
    CHECK(scaling == 62000);
    nonLinearityInPlace(b.graph, NonLinearityType::RELU, other, scaling, b.prog);
    CHECK(scaling == 1);
    nonLinearity(b.graph, NonLinearityType::HARD_SIGMOID, other, scaling, b.prog, "h");
    b.read.push_back(softmax(b.graph, t, scaling, b.prog, "factor"));
    CHECK(scaling == 1);
    scaling = 7;
    sigmoidInPlace(b.graph, other, scaling, b.prog);
    CHECK(scaling == 1);
    Tensor plain = b.floats({ 2, 3 }, values);
    scaledSoftmaxStableInPlace(b.graph, plain, b.prog); // nobody asks for the factor: there is none
    b.read.push_back(plain);
    // release 1.2's parameters: the name is a string
    Tensor (*const made)(Graph &, const Tensor &, Sequence &, const std::string &) = gelu;
    void (*const replaced)(Graph &, const Tensor &, float &, Sequence &, const std::string &) = reluInPlace;
    b.read.push_back(made(b.graph, t, b.prog, "old"));
    b.read.push_back(b.floats({ 2, 3 }, values));
    replaced(b.graph, b.read.back(), scaling, b.prog, "old");
    ComputeSet cs = b.graph.addComputeSet("cs");
    nonLinearityInPlace(b.graph, NonLinearityType::TANH, b.floats({ 5 }, {}), cs);
    scaling = 0;
    nonLinearityInPlace(b.graph, NonLinearityType::TANH, b.floats({ 5 }, {}), scaling, cs, "t");
    CHECK(scaling == 1);
    scaling = 0;
    Tensor named = tanh(b.graph, b.floats({ 5 }, {}), scaling, b.prog);
    CHECK(scaling == 1);
    scaledSoftmaxStableInPlace(b.graph, named.reshape({ 1, 5 }), scaling, b.prog);
    CHECK(scaling == 62000);
    Tensor ones = b.floats({ 2, 3 }, std::vector<float>(6, 1));
    b.read.push_back(nonLinearityInputGradient(b.graph, NonLinearityType::SIGMOID, ones, ones, cs, "grad"));
    b.prog.add(Execute(cs));
    b.read.push_back(nonLinearityInputGradient(b.graph, NonLinearityType::RELU, t, ones, b.prog));
    CHECK_THROWS(nonLinearityInPlace(b.graph, NonLinearityType::SOFTMAX, t, cs), poputil::poplibs_error,
                 "give a sequence");
    const std::vector<std::vector<float>> got = b.run();
    for (unsigned i = 0; i < 9; ++i)
        CHECK(got[2 * i] == got[2 * i + 1]);
    CHECK(std::fabs(got[0][3] - 0.731059f) < 1e-6 && got[2][1] == 0 && got[2][5] == 3 &&
          std::fabs(got[4][4] - 0.964028f) < 1e-6);
    CHECK(std::fabs(got[12][0] - 0.0900306f) < 1e-6 && std::fabs(got[14][2] - 0.665241f) < 1e-6 &&
          std::fabs(got[16][2] + 0.407606f) < 1e-6);
    CHECK(std::fabs(got[18][2] - 41244.93f) < 1 && got[19] == got[12] && got[20] == got[12] && got[21] == got[6] &&
          got[22] == got[2]);
    CHECK(got[23][0] == 0 && got[24][1] == 0 && got[24][3] == 1);
}

TEST(names)
{
    std::stringstream text;
    text << NonLinearityType::GELU_ERF << ' ' << NonLinearityType::SOFTMAX_SCALED;
    CHECK(text.str() == "GELU_ERF SOFTMAX_SCALED");
    NonLinearityType type;
    text >> type;
    CHECK(type == NonLinearityType::GELU_ERF && std::string(asString(NonLinearityType::SIGMOID)) == "SIGMOID");
    CHECK(poputil::templateVertex("popnn::NonLinearity2D", HALF, NonLinearityType::TANH) ==
          "popnn::NonLinearity2D<half,popnn::NonLinearityType::TANH>");
    std::stringstream wrong("relu6");
    CHECK_THROWS(wrong >> type, poputil::poplibs_error, "'relu6' is not a non-linearity");
}

TEST(losses)
{
    Fixture b;
    Tensor p = b.floats({ 2, 2 }, { 0.25f, 0.75f, 0.5f, 0.5f }), labels = b.labels({ 1, 1 }), one = b.floats({}, { 1 });
    Tensor loss = b.floats({ 2 }, {}), deltas = b.floats({ 2, 2 }, {}),
           correct = b.graph.addVariable(UNSIGNED_INT, { 3 }, "n");
    b.graph.setTileMapping(correct, 1);
    b.prog.add(calcLoss(b.graph, p, labels, loss, deltas, SUM_SQUARED_LOSS, "loss"));
    b.prog.add(calcLoss(b.graph, p, labels, loss, deltas, correct[0], LossType::SUM_SQUARED_LOSS));
    b.prog.add(calcLoss(b.graph, p, labels, loss, deltas, one, one, CROSS_ENTROPY_LOSS, DebugContext("e")));
    b.prog.add(calcLoss(b.graph, p, labels, loss, deltas, one, Tensor(), correct[1], CROSS_ENTROPY_LOSS));
    Sequence accuracy;
    accuracy.add(calcAccuracy(b.graph, p, labels, correct[2], "accuracy"));
    b.prog.add(accuracy);
    b.read = { loss, deltas, correct };
    const std::vector<std::vector<float>> got = b.run();
    CHECK(std::fabs(got[0][0] - 0.287682f) < 1e-6 && std::fabs(got[0][1] - 0.693147f) < 1e-6);
    CHECK((got[1] == std::vector<float>{ 0.25f, -0.25f, 0.5f, -0.5f }) && (got[2] == std::vector<float>{ 1, 1, 1 }));
    CHECK_THROWS(calcLoss(b.graph, p, p, loss, deltas, SUM_SQUARED_LOSS), poplar_error, "labels have type float");
}

TEST(ctc_loss)
{
    using namespace popnn::ctc;
    Fixture b;
    const Plan plan = popnn::ctc::plan(b.graph, FLOAT, FLOAT, 1, 4, 2, 3), none;
    std::stringstream text;
    text << plan;
    CHECK(text.str().find("label=") != std::string::npos && plan == Plan(plan) && plan != none && none < plan);
    Tensor data = b.floats({ 4, 1, 3 }, {}), lengths = b.graph.addConstant<unsigned>(UNSIGNED_INT, { 2, 1 }, { 4, 2 });
    Tensor labels = createLabelsInput(b.graph, UNSIGNED_INT, 1, 2, plan, "labels");
    CHECK((createDataInput(b.graph, FLOAT, 1, 4, 3, plan, "data").shape() == std::vector<std::size_t>{ 4, 1, 3 }));
    b.graph.setTileMapping(lengths, 0);
    b.graph.setInitialValue(data, std::vector<float>(12, 0.0f));
    b.graph.setInitialValue(labels, std::vector<unsigned>{ 1, 2 });
    const std::pair<Tensor, Tensor> a =
        calcLossAndGradientLogits(b.graph, FLOAT, data, labels, lengths[0], lengths[1], b.prog, 0, plan, "ctc");
    const std::pair<Tensor, Tensor> c =
        calcLossAndGradientLogProbabilities(b.graph, FLOAT, data, labels, lengths[0], lengths[1], b.prog, 0, plan,
                                            "ctc", { { "includeSoftmaxGradient", "false" } });
    b.read = { a.first,
               a.second,
               c.first,
               c.second,
               calcCTCLossLogits(b.graph, FLOAT, data, labels, lengths[0], lengths[1], b.prog, 0, plan),
               calcCTCLossLogProbabilities(b.graph, FLOAT, data, labels, lengths[0], lengths[1], b.prog, 0, plan) };
    const std::vector<std::vector<float>> got = b.run();
    CHECK(std::fabs(got[0][0] - std::log(81.0f / 15)) < 1e-5 && std::fabs(got[1][1] + 1.0f / 3) < 1e-5);
    CHECK(std::fabs(got[2][0] + std::log(15.0f)) < 1e-5 && std::fabs(got[3][1] + 2.0f / 3) < 1e-5);
    CHECK(got[4] == got[0] && got[5] == got[2]);
    CHECK_THROWS(calcCTCLossLogits(b.graph, FLOAT, data, labels, lengths[0], lengths[1], b.prog, 0, none),
                 poputil::poplibs_error, "there is no plan");
}

TEST(ctc_inference)
{
    using namespace popnn::ctc_infer;
    Fixture b;
    const popnn::ctc::Plan plan = popnn::ctc_infer::plan(b.graph, FLOAT, 1, 3, 3, 4);
    std::stringstream text;
    text << plan;
    CHECK(text.str().find("beamwidth=4") != std::string::npos);
    Tensor data = popnn::ctc_infer::createDataInput(b.graph, FLOAT, 1, 3, 3, plan, "data");
    Tensor lengths = b.graph.addConstant<unsigned>(UNSIGNED_INT, { 1 }, 3u);
    b.graph.setTileMapping(lengths, 0);
    // Class 2, then class 1, are nearly certain; the blank is class 0.
    b.graph.setInitialValue(data, std::vector<float>{ 0, 0, 9, 9, 0, 0, 0, 9, 0 });
    const auto a = beamSearchDecoderLogits(b.graph, data, lengths, b.prog, 0, 4, 2, plan, "search");
    const auto c =
        beamSearchDecoderLogProbabilities(b.graph, std::get<0>(a).reshape({ 1, 1, 2 }).broadcast(3, 0), lengths, b.prog,
                                          0, 1, 1, popnn::ctc_infer::plan(b.graph, FLOAT, 1, 3, 2, 1), "again");
    b.read = { std::get<0>(a), std::get<1>(a), std::get<2>(a), std::get<0>(c) };
    const std::vector<std::vector<float>> got = b.run();
    CHECK(got[0][0] <= 0 && got[0][0] > -0.01f && got[0][1] < -1 && got[1][0] == 2 && got[2][0] == 2 &&
          got[2][1] == 1 && got[3].size() == 1);
    CHECK_THROWS(beamSearchDecoderLogits(b.graph, data, lengths, b.prog, 0, 4, 5, plan), poputil::poplibs_error,
                 "5 paths of 4 beams");
}

TEST(largest)
{
    Fixture b;
    Tensor t = b.floats({ 2, 3 }, { 3, 1, 2, -5, -4, -6 }), places;
    const std::pair<Tensor, Tensor> max = maxAndArgMax(b.graph, t, b.prog),
                                    min = minAndArgMin(b.graph, t, b.prog, "min");
    Tensor top = topK(b.graph, t, places, 2, true, b.prog, "top");
    CHECK(top.shapeToString() == "{2,1,2}" && places.shapeToString() == "{2,1,2}");
    b.read = {
        max.first, max.second, min.first, min.second, argMax(b.graph, t, b.prog), argMin(b.graph, t, b.prog, "x"),
        top,       places
    };
    const std::vector<std::vector<float>> got = b.run();
    CHECK((got[0] == std::vector<float>{ 3, -4 }) && (got[1] == std::vector<float>{ 0, 1 }) && got[4] == got[1]);
    CHECK((got[2] == std::vector<float>{ 1, -6 }) && (got[3] == std::vector<float>{ 1, 2 }) && got[5] == got[3]);
    CHECK((got[6] == std::vector<float>{ 3, 2, -4, -5 }) && (got[7] == std::vector<float>{ 0, 2, 1, 0 }));
    CHECK_THROWS(argMax(b.graph, t[0], b.prog), poputil::poplibs_error, "a matrix is needed");
}

TEST(regions_of_images)
{
    using namespace popnn::experimental;
    Fixture b;
    Tensor data = b.floats({ 1, 1, 2, 2 }, { 1, 2, 3, 4 }), rois = b.floats({ 1, 4 }, { 0, 0, 1, 1 }),
           image = b.graph.addConstant<int>(INT, { 1 }, 0), ones = b.floats({ 1, 1, 1, 1 }, { 1 });
    b.graph.setTileMapping(image, 0);
    const roiAlignParams params(1, 1, 1, false, 1);
    b.read = { roiAlignFwd(b.graph, b.prog, data, rois, image, params, "fwd"),
               roiAlignInputGradient(b.graph, b.prog, data, rois, image, ones, params) };
    const std::vector<std::vector<float>> got = b.run();
    CHECK(got[0] == std::vector<float>{ 2.5f } && got[1] == std::vector<float>(4, 0.25f));
    CHECK_THROWS(roiAlignFwd(b.graph, b.prog, data, rois, image, roiAlignParams(0, 1, 1, false, 1)),
                 poputil::poplibs_error, "samplingRatio 0");
}

TEST(pooling_and_its_gradient)
{
    using namespace popnn::pooling;
    Fixture b;
    const PoolParams params(PoolingType::MAX, { 3, 4 }, { 2, 2 }, { 1, 2 }, { 0, 0 }, { 0, 0 }, 1, 1, FLOAT);
    CHECK((getOutputFieldShape(params) == std::vector<std::size_t>{ 2, 2 }) && params.getNumFieldDims() == 2);
    CHECK(getFwdFlops(params) == 16 && getBwdFlops(params) == 16 && getFwdPerfectCycleCount(b.graph, params) == 2 &&
          getBwdPerfectCycleCount(b.graph, params) == 2);
    std::stringstream text;
    text << params;
    CHECK(text.str().find("max") != std::string::npos && text.str().find("{3,4}") != std::string::npos &&
          std::string(asString(PoolingType::AVG)) == "avg");
    Tensor in = b.floats({ 1, 1, 3, 4 }, { 1, 2, 3, 4, 8, 7, 6, 5, 0, 8, 1, 1 }),
           g = b.floats({ 1, 1, 2, 2 }, { 1, 2, 4, 8 });
    PoolParams average = params;
    average.poolingType = PoolingType::AVG;
    Tensor out = pool(b.graph, params, in, b.prog, "pool", { { "poolUseIntrospectiveMapping", "false" } });
    b.read = { out, poolInputGradient(b.graph, params, in, out, g, false, b.prog),
               poolInputGradient(b.graph, params, in, out, g, true, b.prog, DebugContext("s")),
               pool(b.graph, average, in, b.prog), poolInputGradient(b.graph, average, 1, g, b.prog, "a") };
    const std::vector<std::vector<float>> got = b.run();
    CHECK((got[0] == std::vector<float>{ 8, 6, 8, 6 }) && (got[3] == std::vector<float>{ 4.5f, 4.5f, 5.75f, 3.25f }));
    CHECK((got[1] == std::vector<float>{ 0, 0, 0, 0, 5, 0, 10, 0, 0, 4, 0, 0 }) &&
          (got[2] == std::vector<float>{ 0, 0, 0, 0, 3, 0, 10, 0, 0, 2, 0, 0 }));
    CHECK(got[4][0] == 0.25f && got[4][4] == 1.25f && got[4][11] == 2);
    average.stride.pop_back();
    CHECK_THROWS(pool(b.graph, average, in, b.prog), poputil::poplibs_error, "an entry for each dimension");
    CHECK_THROWS(pool(b.graph, params, g, b.prog), poputil::poplibs_error, "it must be {1,1,3,4}");
}

MAIN()
