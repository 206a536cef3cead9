// SPDX-License-Identifier: Apache-2.0
// The element-wise operators, as vertex types name them (popops/operators.def).
#ifndef POPOPS_EXPR_OP_HPP
#define POPOPS_EXPR_OP_HPP

namespace popops
{
namespace expr
{

// Unary operators (popops/operators.def).
enum class UnaryOpType {
#define UNARY(name, function, constant, ...) constant,
#include <popops/operators.def>
#undef UNARY
};
// Binary operators (popops/operators.def).
enum class BinaryOpType {
#define BINARY(name, function, constant, ...) constant,
#include <popops/operators.def>
#undef BINARY
};
// Ternary operators (popops/operators.def).
enum class TernaryOpType {
#define TERNARY(name, function, constant, ...) constant,
#include <popops/operators.def>
#undef TERNARY
};
// Operators that have vertices for a broadcast second operand.
enum class BroadcastOpType {
#define BROADCAST(constant) constant,
#include <popops/operators.def>
#undef BROADCAST
    SCALED_ADD // no call takes it
};

} // namespace expr
} // namespace popops
#endif
