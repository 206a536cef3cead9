// SPDX-License-Identifier: Apache-2.0
// Names of the enumerators of GfloatExpr.hpp, and their element types.
#ifndef POPFLOAT_EXPERIMENTAL_GFLOAT_EXPR_UTIL_HPP
#define POPFLOAT_EXPERIMENTAL_GFLOAT_EXPR_UTIL_HPP

#include <popfloat/experimental/GfloatExpr.hpp>
#include <popfloat/gfloat.h>
#include <poplar/Type.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <string>

namespace popfloat
{
namespace experimental
{

inline std::string roundTypeToString(RoundType type)
{
    return popfloat_round_name(static_cast<popfloat_round>(type));
}
inline std::string formatTypeToString(FormatType type)
{
    return popfloat_format_type_name(static_cast<popfloat_format_type>(type));
}
inline std::string srDensityTypeToString(SRDensityType type)
{
    return popfloat_density_name(static_cast<popfloat_density>(type));
}
inline std::string specTypeToString(SpecType type)
{
    return popfloat_spec_name(static_cast<popfloat_spec>(type));
}
// AUTO has no type: poplibs_error.
inline poplar::Type specTypeToPoplarType(SpecType type)
{
    const pop_type c = popfloat_spec_type(static_cast<popfloat_spec>(type));
    if (c == POP_TYPE_NULL)
        throw poputil::poplibs_error("specTypeToPoplarType: " + specTypeToString(type) + " has no element type");
    return poplar::Type(c);
}

} // namespace experimental
} // namespace popfloat

namespace poputil
{

// Enumerators as parameters of vertex names.
template <> struct VertexTemplateToString<popfloat::experimental::RoundType> {
    static std::string to_string(const popfloat::experimental::RoundType &type)
    {
        return "popfloat::experimental::RoundType::" + popfloat::experimental::roundTypeToString(type);
    }
};
template <> struct VertexTemplateToString<popfloat::experimental::FormatType> {
    static std::string to_string(const popfloat::experimental::FormatType &type)
    {
        return "popfloat::experimental::FormatType::" + popfloat::experimental::formatTypeToString(type);
    }
};
template <> struct VertexTemplateToString<popfloat::experimental::SRDensityType> {
    static std::string to_string(const popfloat::experimental::SRDensityType &type)
    {
        return "popfloat::experimental::SRDensityType::" + popfloat::experimental::srDensityTypeToString(type);
    }
};
template <> struct VertexTemplateToString<popfloat::experimental::SpecType> {
    static std::string to_string(const popfloat::experimental::SpecType &type)
    {
        return "popfloat::experimental::SpecType::" + popfloat::experimental::specTypeToString(type);
    }
};

} // namespace poputil
#endif
