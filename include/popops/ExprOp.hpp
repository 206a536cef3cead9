// SPDX-License-Identifier: Apache-2.0
// The element-wise operators, as vertex types name them (popops/operators.def).
#ifndef POPOPS_EXPR_OP_HPP
#define POPOPS_EXPR_OP_HPP

namespace popops
{
namespace expr
{

enum class UnaryOpType {
#define UNARY(name, function, constant, ...) constant,
#include <popops/operators.def>
#undef UNARY
};
enum class BinaryOpType {
#define BINARY(name, function, constant, ...) constant,
#include <popops/operators.def>
#undef BINARY
};
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
};

} // namespace expr
} // namespace popops
#endif
