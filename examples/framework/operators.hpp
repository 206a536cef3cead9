// SPDX-License-Identifier: Apache-2.0
// The types of operators: what results they have, and their gradients. How each becomes a Poplar program is in
// lower_operators.cpp.
#ifndef FRAMEWORK_OPERATORS_HPP
#define FRAMEWORK_OPERATORS_HPP

#include "ir.hpp"

namespace framework
{

struct Operator {
    // Types and shapes of the results; throws std::invalid_argument if inputs do not fit. A result without a name gets
    // that of its operator.
    std::vector<Value> (*results)(const Ir &ir, const Op &op);
    // Adds operators to the backward phase that compute the gradients of the inputs from that of the first result;
    // returns their names, "" for inputs without one. NULL: the operator has no gradient.
    Names (*gradients)(Ir &ir, const Op &op, const std::string &ofResult);
};

// Throws std::invalid_argument for an unknown type.
const Operator &operatorNamed(const std::string &type);

} // namespace framework
#endif
