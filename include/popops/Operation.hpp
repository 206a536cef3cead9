// SPDX-License-Identifier: Apache-2.0
// Stream input and output of reduction operations: "SQUARE_ADD".
#ifndef POPOPS_OPERATION_HPP
#define POPOPS_OPERATION_HPP

#include <istream>
#include <ostream>
#include <popops/OperationDefUtil.hpp>

namespace popops
{

inline std::ostream &operator<<(std::ostream &out, const Operation &op)
{
    return out << asString(op);
}
// An unknown name leaves op unchanged and sets the stream's failbit.
inline std::istream &operator>>(std::istream &in, Operation &op)
{
    std::string word;
    in >> word;
    for (int i = 0; i < static_cast<int>(POPOPS_OPERATIONS); ++i)
        if (word == popops_operation_name(static_cast<popops_operation>(i))) {
            op = static_cast<Operation>(i);
            return in;
        }
    in.setstate(std::ios::failbit);
    return in;
}

} // namespace popops
#endif
