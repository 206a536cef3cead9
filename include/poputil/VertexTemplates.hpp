// SPDX-License-Identifier: Apache-2.0
// Names of vertex template instances: templateVertex("ns::Vertex", poplar::FLOAT, true, 4) is
// "ns::Vertex<float,true,4>".
#ifndef POPUTIL_VERTEX_TEMPLATES_HPP
#define POPUTIL_VERTEX_TEMPLATES_HPP

#include <poplar/Type.hpp>
#include <poplar/text.h>

#include <string>

namespace poputil
{

// Formats an argument; libraries specialise it for their enumerations.
template <typename T> struct VertexTemplateToString {
    static std::string to_string(const T &value)
    {
        return std::to_string(value);
    }
};
// Like std::to_string, with a decimal point in every locale.
template <> struct VertexTemplateToString<double> {
    static std::string to_string(double value)
    {
        char text[512];
        return pop_text_format(text, sizeof(text), "%f", value) > 0 ? text : "";
    }
};
// A type of C++: "float".
template <> struct VertexTemplateToString<float> : VertexTemplateToString<double> {
};
// A type: "float".
template <> struct VertexTemplateToString<poplar::Type> {
    static std::string to_string(const poplar::Type &type)
    {
        return type.toString();
    }
};
// A truth value: "true".
template <> struct VertexTemplateToString<bool> {
    static std::string to_string(bool value)
    {
        return value ? "true" : "false";
    }
};
// A text, as it is.
template <> struct VertexTemplateToString<std::string> {
    static std::string to_string(const std::string &text)
    {
        return text;
    }
};
// A text, as it is.
template <> struct VertexTemplateToString<const char *> {
    static std::string to_string(const char *text)
    {
        return text;
    }
};
// A text, as it is.
template <> struct VertexTemplateToString<poplar::StringRef> {
    static std::string to_string(poplar::StringRef text)
    {
        return text.cloneAsString();
    }
};
// A text, as it is.
template <std::size_t N> struct VertexTemplateToString<char[N]> {
    static std::string to_string(const char *text)
    {
        return text;
    }
};

// "<a,b>", or ",a,b>" when first is false; "" or ">" without arguments.
inline std::string templateVertexParams(bool first)
{
    return first ? "" : ">";
}
template <typename T, typename... Rest>
std::string templateVertexParams(bool first, const T &value, const Rest &...rest)
{
    return (first ? '<' : ',') + VertexTemplateToString<T>::to_string(value) + templateVertexParams(false, rest...);
}
// The name of an instance of a template: "Sum<float>".
template <typename... Arguments> std::string templateVertex(const std::string &name, const Arguments &...arguments)
{
    return name + templateVertexParams(true, arguments...);
}

} // namespace poputil
#endif
