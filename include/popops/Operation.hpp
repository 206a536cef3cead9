// SPDX-License-Identifier: Apache-2.0
// Operations of reductions, written and read: "SQUARE_ADD".
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
// A word that is none leaves op as it is, and the stream failed.
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
