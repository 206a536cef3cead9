// SPDX-License-Identifier: Apache-2.0
// Names of the activation functions as text: for streams, and for names of vertices.
#ifndef POPNN_NON_LINEARITY_DEF_UTIL_HPP
#define POPNN_NON_LINEARITY_DEF_UTIL_HPP

#include <popnn/NonLinearityDef.hpp>
#include <popnn/non_linearity.h>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <istream>
#include <ostream>

namespace popnn
{

// "SIGMOID".
inline const char *asString(const NonLinearityType &type)
{
    const char *name = popnn_non_linearity_type_name(static_cast<popnn_non_linearity_type>(type));
    if (!name)
        throw poputil::poplibs_error("this number is not a non-linearity");
    return name;
}
inline std::ostream &operator<<(std::ostream &os, const NonLinearityType &type)
{
    return os << asString(type);
}
// Reads a name, case-insensitively.
inline std::istream &operator>>(std::istream &in, NonLinearityType &type)
{
    std::string token;
    in >> token;
    popnn_non_linearity_type found;
    if (!popnn_non_linearity_type_by_name(token.c_str(), &found))
        throw poputil::poplibs_error("'" + token + "' is not a non-linearity");
    type = static_cast<NonLinearityType>(found);
    return in;
}

} // namespace popnn

namespace poputil
{

// The name of an activation function in names of vertex types.
template <> struct VertexTemplateToString<popnn::NonLinearityType> {
    static std::string to_string(const popnn::NonLinearityType &type)
    {
        return std::string("popnn::NonLinearityType::") + popnn::asString(type);
    }
};

} // namespace poputil
#endif
