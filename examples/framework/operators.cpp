// SPDX-License-Identifier: Apache-2.0
#include "operators.hpp"

#include <stdexcept>

namespace framework
{

[[noreturn]] static void misfit(const Op &op, const std::string &why)
{
    throw std::invalid_argument(op.opid() + ": " + why);
}

static const Value &input(const Ir &ir, const Op &op, unsigned index)
{
    if (index >= op.inputs.size())
        misfit(op, "input " + std::to_string(index) + " is missing");
    return ir.value(op.inputs[index]);
}

// A result of the type and shape of an input.
static std::vector<Value> likeFirst(const Ir &ir, const Op &op)
{
    const Value &first = input(ir, op, 0);
    return { Value{ "", first.type, first.shape } };
}

static std::vector<Value> nothing(const Ir &, const Op &)
{
    return {};
}

// ---- MatMul: a {m, k} b {k, n}; each may be transposed ----

static std::vector<Value> matMul(const Ir &ir, const Op &op)
{
    const Value &a = input(ir, op, 0), &b = input(ir, op, 1);
    const bool ta = op.attribute("transposeA") != 0, tb = op.attribute("transposeB") != 0;
    if (a.shape.size() != 2 || b.shape.size() != 2 || a.shape[!ta] != b.shape[tb] || a.type != b.type)
        misfit(op, "'" + a.name + "' and '" + b.name + "' are no factors of a product");
    return { Value{ "", a.type, { a.shape[ta], b.shape[!tb] } } };
}

static Names matMulGradients(Ir &ir, const Op &op, const std::string &ofResult)
{
    const std::string &a = op.inputs[0], &b = op.inputs[1];
    Names gradients(2);
    if (ir.value(a).role != Role::Input) // nobody trains what comes from the host
        gradients[0] = ir.apply(Phase::Backward, "MatMul", { ofResult, b }, { { "transposeB", 1 } })[0];
    gradients[1] = ir.apply(Phase::Backward, "MatMul", { a, ofResult }, { { "transposeA", 1 } })[0];
    return gradients;
}

// ---- AddBias: x {m, n} and b {n}, added to each row ----

static std::vector<Value> addBias(const Ir &ir, const Op &op)
{
    const Value &x = input(ir, op, 0), &b = input(ir, op, 1);
    if (x.shape.size() != 2 || b.shape != Shape{ x.shape[1] } || x.type != b.type)
        misfit(op, "'" + b.name + "' is no row of '" + x.name + "'");
    return likeFirst(ir, op);
}

static Names addBiasGradients(Ir &ir, const Op &, const std::string &ofResult)
{
    return { ofResult, ir.apply(Phase::Backward, "SumRows", { ofResult })[0] };
}

static std::vector<Value> sumRows(const Ir &ir, const Op &op)
{
    const Value &x = input(ir, op, 0);
    return { Value{ "", x.type, { x.shape.at(1) } } };
}

// ---- Relu ----

static Names reluGradients(Ir &ir, const Op &op, const std::string &ofResult)
{
    return ir.apply(Phase::Backward, "ReluGradient", { op.outputs[0], ofResult });
}

// ---- CrossEntropy: the loss of each row of logits, and its derivative by the logits, both in float ----

static std::vector<Value> crossEntropy(const Ir &ir, const Op &op)
{
    const Value &logits = input(ir, op, 0), &labels = input(ir, op, 1);
    if (logits.shape.size() != 2 || labels.shape != Shape{ logits.shape[0] })
        misfit(op, "'" + labels.name + "' has no label for each row of '" + logits.name + "'");
    return { Value{ "loss", poplar::FLOAT, labels.shape }, Value{ "loss/derivative", poplar::FLOAT, logits.shape } };
}

// The loss scale is a float: in half it would be at most 65,504. The product is rounded to the type of the logits.
static Names crossEntropyGradients(Ir &ir, const Op &op, const std::string &ofResult)
{
    const Attributes half = { { "half", ir.value(op.inputs[0]).type == poplar::HALF } };
    return { ir.apply(Phase::Backward, "Scale", { op.outputs[1], ofResult }, half)[0], "" };
}

static std::vector<Value> scale(const Ir &ir, const Op &op)
{
    if (!input(ir, op, 1).shape.empty())
        misfit(op, "'" + op.inputs[1] + "' is no scalar");
    return { Value{ "", op.attribute("half") != 0 ? poplar::HALF : poplar::FLOAT, input(ir, op, 0).shape } };
}

// ---- ArgMax: the class of each row ----

static std::vector<Value> argMax(const Ir &ir, const Op &op)
{
    return { Value{ "prediction", poplar::UNSIGNED_INT, { input(ir, op, 0).shape.at(0) } } };
}

// ---- the table ----

const Operator &operatorNamed(const std::string &type)
{
    static const std::map<std::string, Operator> table = {
        { "MatMul", { matMul, matMulGradients } },
        { "AddBias", { addBias, addBiasGradients } },
        { "SumRows", { sumRows, nullptr } },
        { "Relu", { likeFirst, reluGradients } },
        { "ReluGradient", { likeFirst, nullptr } },
        { "CrossEntropy", { crossEntropy, crossEntropyGradients } },
        { "Scale", { scale, nullptr } },
        { "ArgMax", { argMax, nullptr } },
        { "Accumulate", { nothing, nullptr } },    // accumulator, gradient: adds to the accumulator
        { "ReduceScatter", { nothing, nullptr } }, // accumulator, state: sums over replicas, each gets its part
        { "Adam", { nothing, nullptr } },          // states (weights, moments), gradient, scalars: updates the states
        { "AllGather", { nothing, nullptr } }, // state, parameter: the parts of all replicas, in the parameter's type
    };
    const auto found = table.find(type);
    if (found == table.end())
        throw std::invalid_argument("there is no operator '" + type + "'");
    return found->second;
}

} // namespace framework
