// SPDX-License-Identifier: Apache-2.0
// Names of operations, also as they occur in vertex types.
#ifndef POPOPS_OPERATION_DEF_UTIL_HPP
#define POPOPS_OPERATION_DEF_UTIL_HPP

#include <popops/OperationDef.hpp>
#include <poputil/VertexTemplates.hpp>

namespace popops
{

// The operation's name.
inline std::string asString(const Operation &op)
{
    return popops_operation_name(static_cast<popops_operation>(op));
}

} // namespace popops

namespace poputil
{

// The name of an operation in names of vertex types.
template <> struct VertexTemplateToString<popops::Operation> {
    static std::string to_string(const popops::Operation &op)
    {
        return "popops::Operation::" + popops::asString(op);
    }
};

} // namespace poputil
#endif
