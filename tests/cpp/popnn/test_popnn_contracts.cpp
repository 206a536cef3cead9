// SPDX-License-Identifier: Apache-2.0
// Calls whose meaning is not what their headers make one expect, or that Poplibs defines only in part: what they do
// here is in docs/concepts/coming-from-poplar.md.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/codelets.hpp>
#include <popnn/CTCLoss.hpp>
#include <popnn/Gru.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/codelets.hpp>
#include <popnn/experimental/ROIAlign.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include "check.hpp"
#include "fixture.hpp"

#include <cmath>

using namespace poplar;
using namespace poplar::program;
namespace pe = popops::expr;

struct Fixture : TestFixture {
    Fixture() : TestFixture(model(4))
    {
        popops::addCodelets(graph);
        poplin::addCodelets(graph);
        popnn::addCodelets(graph);
    }
    void fill(const Tensor &t, float first, float step)
    {
        std::vector<float> values(t.numElements());
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = first + step * static_cast<float>(i % 7);
        graph.setInitialValue<float>(t, values);
    }
    Tensor words(const Shape &shape, const std::vector<unsigned> &values)
    {
        return constant(UNSIGNED_INT, shape, values);
    }
};

// Tensors without an expression of their own are operands that keep their values.
TEST(more_tensors_than_expressions)
{
    Fixture b;
    const Tensor x = b.floats({ 3 }, { 1, 2, 3 }), y = b.floats({ 3 }, { 10, 20, 30 }),
                 z = b.floats({ 3 }, { 5, 6, 7 });
    popops::mapInPlace(b.graph, std::vector<pe::Any>{ pe::_1 + pe::_3, pe::_1 * pe::_2 }, { x, y, z }, b.prog);
    CHECK(b.run(concat({ x, y, z })) == std::vector<float>{ 6, 8, 10, 10, 40, 90, 5, 6, 7 });
}

// Every pair of floating-point types is taken; what loses nothing is accurate.
TEST(accuracy_of_every_cast)
{
    Fixture b;
    const Tensor x = b.floats({ 1 }, { 0.1f }), h = popops::cast(b.graph, x, HALF, b.prog);
    std::vector<Tensor> results;
    for (const Type &type : { HALF, FLOAT })
        for (const Tensor &from : { x, h })
            results.push_back(popops::checkAccuracyWhenCast(b.graph, from, type, 1e-6, b.prog).reshape({ 1 }));
    CHECK(b.run(popops::cast(b.graph, concat(results), FLOAT, b.prog)) == std::vector<float>{ 0, 1, 1, 1 });
    CHECK_THROWS(popops::checkAccuracyWhenCast(b.graph, b.floats({ 2 }, { 1, 2 }), HALF, 1, b.prog), poplar_error,
                 "2 elements");
}

TEST(non_linearities_of_a_compute_set)
{
    Fixture b;
    const Tensor x = b.floats({ 4 }, { -1, 0, 0.5f, 2 }), y = b.floats({ 2 }, { -3, 3 });
    ComputeSet cs = b.graph.addComputeSet("cs");
    float scale = 0;
    popnn::nonLinearityInPlace(b.graph, popnn::NonLinearityType::RELU, x, cs);
    popnn::nonLinearityInPlace(b.graph, popnn::NonLinearityType::HARD_SIGMOID, y, scale, cs);
    CHECK_THROWS(popnn::nonLinearityInPlace(b.graph, popnn::NonLinearityType::SOFTMAX, x, cs), poputil::poplibs_error,
                 "SOFTMAX needs more than one compute set");
    b.prog.add(Execute(cs));
    const std::vector<float> got = b.run(concat(x, y));
    CHECK(scale == 1 && got[0] == 0 && got[2] == 0.5f && got[3] == 2 && got[4] == 0 && got[5] == 1);
}

// The loss alone has no gradient that zeroInfinity could be applied to.
TEST(a_ctc_loss_alone)
{
    for (const bool zero : { false, true }) {
        Fixture b;
        const auto plan = popnn::ctc::plan(b.graph, FLOAT, FLOAT, 2, 2, 2, 3);
        const Tensor data = popnn::ctc::createDataInput(b.graph, FLOAT, 2, 2, 3, plan),
                     labels = popnn::ctc::createLabelsInput(b.graph, UNSIGNED_INT, 2, 2, plan);
        b.fill(data, 0, 0);
        b.graph.setInitialValue<unsigned>(labels, { 1, 2, 1, 2 });
        const std::vector<float> got = b.run(popnn::ctc::calcCTCLossLogits(
            b.graph, FLOAT, data, labels, b.words({ 2 }, { 1, 2 }), b.words({ 2 }, { 2, 2 }), b.prog, 0, plan, "ctc",
            { { "zeroInfinity", zero ? "true" : "false" } }));
        CHECK((zero ? got[0] == 0 : got[0] > 60000) && std::fabs(got[1] - 2 * std::log(3.0f)) < 1e-5f);
    }
}

// Outputs of steps that a sequence does not have are 0, whether intermediates are kept or not.
TEST(steps_beyond_a_sequence)
{
    enum { T = 4, B = 3, I = 2, O = 3 };
    for (const bool attention : { false, true }) {
        std::vector<float> got[2];
        for (unsigned training = 0; training < 2; ++training) {
            Fixture b;
            const popnn::gru::GruParams params(FLOAT, B, T, { I, O });
            const Tensor in = popnn::gru::createInput(b.graph, params, "in"),
                         init = popnn::gru::createInitialState(b.graph, params, "init", {}, nullptr);
            const popnn::gru::GruWeights weights = popnn::gru::createWeights(b.graph, params, "weights");
            b.fill(in, -0.5f, 0.25f);
            b.fill(init, 0.125f, 0.25f);
            b.fill(weights.inputWeights, -0.5f, 0.2f);
            b.fill(weights.outputWeights, -0.25f, 0.1f);
            b.fill(weights.biases, 0.25f, 0.1f);
            const Tensor steps = b.words({ B }, { 3, 0, 1 });
            Tensor kept, out;
            if (attention) {
                const Tensor scores = popnn::gru::createAttention(b.graph, params, "scores");
                b.fill(scores, 0.1f, 0.1f);
                out = popnn::gru::auGruFwd(b.graph, params, init, in, steps, weights, training ? &kept : nullptr,
                                           scores, b.prog, "gru");
            } else {
                out = popnn::gru::gruFwd(b.graph, params, init, in, steps, weights, training ? &kept : nullptr, b.prog,
                                         "gru");
            }
            got[training] = b.run(out);
        }
        CHECK(got[0] == got[1] && got[0].size() == T * B * O);
        for (unsigned t = 0; t < T; ++t)
            for (unsigned i = 0; i < B * O; ++i)
                CHECK((got[0][t * B * O + i] == 0) == (t >= (i / O == 0 ? 3u : i / O == 1 ? 0u : 1u)));
    }
}

// Between the last row and the edge a sample has the last row's whole value; beyond the edge it is 0.
TEST(regions_at_the_last_row)
{
    Fixture b;
    Tensor data = b.floats({ 1, 1, 2, 2 }, { 1, 2, 3, 4 }), at = b.words({ 1 }, { 0 }).reinterpret(INT);
    // One sample of one bin at (y, x): in the middle of a region of size 1, moved by the half pixel.
    std::vector<Tensor> results;
    for (const float y : { 1.75f, 2.5f }) {
        Tensor rois = b.floats({ 1, 4 }, { 0.25f, y - 0.5f, 1.25f, y + 0.5f });
        const popnn::experimental::roiAlignParams params(1, 1, 1, false, 1);
        results.push_back(popnn::experimental::roiAlignFwd(b.graph, b.prog, data, rois, at, params, "roi").flatten());
    }
    CHECK(b.run(concat(results)) == std::vector<float>{ 3.75f, 0 });
}

MAIN()
