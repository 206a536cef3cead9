// SPDX-License-Identifier: Apache-2.0
// From an operator to a Poplar program.
#ifndef FRAMEWORK_LOWER_OPERATORS_HPP
#define FRAMEWORK_LOWER_OPERATORS_HPP

#include "debug_info.hpp"
#include "tensors.hpp"

#include <poplar/Program.hpp>

namespace framework
{

// An operator that is being lowered.
struct OpContext {
    const Ir &ir;
    const Op &op;
    Tensors &tensors;
    poplar::Graph &graph;
    poplar::program::Sequence &sequence;
    const OpDebugInfo &debug;

    const poplar::Tensor &in(unsigned index) const
    {
        return tensors[op.inputs.at(index)];
    }
    void out(unsigned index, const poplar::Tensor &tensor) const
    {
        tensors.set(op.outputs.at(index), tensor);
    }
    const Value &inValue(unsigned index) const
    {
        return ir.value(op.inputs.at(index));
    }
    // Below the operator's record.
    poplar::DebugContext context(const std::string &name = "") const
    {
        return poplar::DebugContext(debug, name);
    }
};

// Adds the operator's steps to the sequence; throws std::invalid_argument for an operator without a lowering.
void lowerOperator(const OpContext &c);

} // namespace framework
#endif
