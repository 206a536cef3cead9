// SPDX-License-Identifier: Apache-2.0
// Names of operators: std::cout << expr::BinaryOpType::ADD prints ADD.
#ifndef POPOPS_EXPR_OP_UTILS_HPP
#define POPOPS_EXPR_OP_UTILS_HPP

#include <popops/ExprOp.hpp>

#include <ostream>

namespace popops
{
namespace expr
{

inline std::ostream &operator<<(std::ostream &out, const UnaryOpType &op)
{
    static const char *const names[] = {
#define UNARY(name, function, constant, ...) #constant,
#include <popops/operators.def>
#undef UNARY
    };
    return out << names[static_cast<int>(op)];
}
inline std::ostream &operator<<(std::ostream &out, const BinaryOpType &op)
{
    static const char *const names[] = {
#define BINARY(name, function, constant, ...) #constant,
#include <popops/operators.def>
#undef BINARY
    };
    return out << names[static_cast<int>(op)];
}
inline std::ostream &operator<<(std::ostream &out, const TernaryOpType &op)
{
    static const char *const names[] = {
#define TERNARY(name, function, constant, ...) #constant,
#include <popops/operators.def>
#undef TERNARY
    };
    return out << names[static_cast<int>(op)];
}

} // namespace expr
} // namespace popops
#endif
