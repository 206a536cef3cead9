// SPDX-License-Identifier: Apache-2.0
#include "lower_operators.hpp"

#include <gcl/Collectives.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>

#include <stdexcept>

namespace framework
{

namespace expr = popops::expr;
using poplar::Tensor;
using poplar::program::Copy;

static void matMul(const OpContext &c)
{
    const Tensor a = c.op.attribute("transposeA") != 0 ? c.in(0).transpose() : c.in(0);
    const Tensor b = c.op.attribute("transposeB") != 0 ? c.in(1).transpose() : c.in(1);
    c.out(0, poplin::matMul(c.graph, a, b, c.sequence, c.context(), {}, c.tensors.plans()));
}

static void addBias(const OpContext &c)
{
    c.out(0, popops::add(c.graph, c.in(0), c.in(1).expand({ 0 }), c.sequence, c.context()));
}

static void sumRows(const OpContext &c)
{
    c.out(0, popops::reduce(c.graph, c.in(0), { 0 }, popops::Operation::ADD, c.sequence, c.context()));
}

static void relu(const OpContext &c)
{
    c.out(0, popnn::nonLinearity(c.graph, popnn::NonLinearityType::RELU, c.in(0), c.sequence, c.context()));
}

static void reluGradient(const OpContext &c)
{
    c.out(0, popnn::nonLinearityInputGradient(c.graph, popnn::NonLinearityType::RELU, c.in(0), c.in(1), c.sequence,
                                              c.context()));
}

// In float whatever the type of the logits: the sum of exponentials and the logarithm need the range.
static void crossEntropy(const OpContext &c)
{
    const Tensor logits = popops::cast(c.graph, c.in(0), poplar::FLOAT, c.sequence, c.context("float"));
    const Tensor probabilities =
        popnn::nonLinearity(c.graph, popnn::NonLinearityType::SOFTMAX_STABLE, logits, c.sequence, c.context("softmax"));
    const Tensor loss = c.graph.addVariable(poplar::FLOAT, { logits.dim(0) }, c.context("loss"));
    poputil::mapTensorLinearly(c.graph, loss);
    const Tensor derivative = c.graph.clone(probabilities, c.context("derivative"));
    c.sequence.add(popnn::calcLoss(c.graph, probabilities, c.in(1), loss, derivative,
                                   popnn::LossType::CROSS_ENTROPY_LOSS, c.context()));
    c.out(0, loss);
    c.out(1, derivative);
}

static void scale(const OpContext &c)
{
    const expr::Mul product(expr::_1, expr::_2);
    const std::vector<Tensor> inputs = { c.in(0), c.in(1) };
    c.out(0, c.op.attribute("half") != 0
                 ? popops::map(c.graph, expr::Cast(product, poplar::HALF), inputs, c.sequence, c.context())
                 : popops::map(c.graph, product, inputs, c.sequence, c.context()));
}

static void argMax(const OpContext &c)
{
    c.out(0, popnn::argMax(c.graph, c.in(0), c.sequence, c.context()));
}

static void accumulate(const OpContext &c)
{
    popops::scaledAddTo(c.graph, c.in(0), c.in(1), 1.0f, c.sequence, c.context());
}

// Sums the accumulators of all replicas; each receives its part. The accumulator is zero afterwards.
static void reduceScatter(const OpContext &c)
{
    const Tensor accumulator = c.in(0);
    gcl::CollectiveBalancedReorder &division = c.tensors.division(c.inValue(0).parameter);
    Tensor parts = division.createCollectivesTensor(poplar::FLOAT, "parts");
    popops::zero(c.graph, parts, c.sequence, c.context("padding"));
    c.sequence.add(Copy(accumulator, division.undoRearrangeForCollective(parts), false, c.context("arrange")));
    const Tensor own =
        gcl::reduceScatterCrossReplica(c.graph, parts.flatten(), gcl::CollectiveOperator::ADD, c.sequence, c.context());
    c.sequence.add(Copy(own, c.in(1), false, c.context("own")));
    popops::zero(c.graph, accumulator, c.sequence, c.context("zero"));
}

// Inputs: weights, first and second moment, gradient, rate, unscale.
static void adam(const OpContext &c)
{
    const auto beta1 = static_cast<float>(c.op.attribute("beta1")), beta2 = static_cast<float>(c.op.attribute("beta2")),
               epsilon = static_cast<float>(c.op.attribute("epsilon"));
    const auto moment = [&](unsigned index, float beta, const expr::Expr &next, const char *name) {
        popops::mapInPlace(c.graph,
                           expr::Add(expr::Mul(expr::_1, expr::Const(beta)), expr::Mul(next, expr::Const(1 - beta))),
                           { c.in(index), c.in(3), c.in(5) }, c.sequence, c.context(name));
    };
    const expr::Mul gradient(expr::_2, expr::_3);
    moment(1, beta1, gradient, "first");
    moment(2, beta2, expr::Mul(gradient, gradient), "second");
    const expr::Divide step(expr::_2, expr::Add(expr::Sqrt(expr::_3), expr::Const(epsilon)));
    popops::mapInPlace(c.graph, expr::Sub(expr::_1, expr::Mul(expr::_4, step)), { c.in(0), c.in(1), c.in(2), c.in(4) },
                       c.sequence, c.context("step"));
}

// The weights of all replicas, in the parameter's order and type.
static void allGather(const OpContext &c)
{
    gcl::CollectiveBalancedReorder &division = c.tensors.division(c.inValue(0).parameter);
    const Tensor all = gcl::allGatherCrossReplica(c.graph, c.in(0), c.sequence, c.context());
    const Tensor ordered = division.undoRearrangeForCollective(all), parameter = c.in(1);
    c.sequence.add(Copy(popops::cast(c.graph, ordered, parameter.elementType(), c.sequence, c.context("cast")),
                        parameter, false, c.context("parameter")));
}

void lowerOperator(const OpContext &c)
{
    static const std::map<std::string, void (*)(const OpContext &)> table = {
        { "MatMul", matMul },
        { "AddBias", addBias },
        { "SumRows", sumRows },
        { "Relu", relu },
        { "ReluGradient", reluGradient },
        { "CrossEntropy", crossEntropy },
        { "Scale", scale },
        { "ArgMax", argMax },
        { "Accumulate", accumulate },
        { "ReduceScatter", reduceScatter },
        { "Adam", adam },
        { "AllGather", allGather },
    };
    const auto found = table.find(c.op.type);
    if (found == table.end())
        throw std::invalid_argument(c.op.opid() + ": there is no lowering");
    found->second(c);
}

} // namespace framework
