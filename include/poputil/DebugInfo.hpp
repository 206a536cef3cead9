// SPDX-License-Identifier: Apache-2.0
// Debug information of operations: their arguments and results.
//
//     poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(a, b, options));
//     ...
//     di.addOutput(result);
#ifndef POPUTIL_DEBUG_INFO_HPP
#define POPUTIL_DEBUG_INFO_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/ProfileValue.hpp>

#include <string>
#include <vector>

namespace poputil
{

// Converts a value to the form of the debug information.
template <typename T> poplar::ProfileValue toProfileValue(const T &value)
{
    return poplar::ProfileValue(value);
}
template <> inline poplar::ProfileValue toProfileValue(const poplar::Tensor &t)
{
    poplar::ProfileValue::Map map;
    if (t.valid()) {
        poplar::ProfileValue::Vector shape;
        for (std::size_t dim : t.shape())
            shape.push_back(poplar::ProfileValue(dim));
        map.insert(poplar::ProfileValue::Map::value_type("shape", poplar::ProfileValue(shape)));
        map.insert(poplar::ProfileValue::Map::value_type("type", poplar::ProfileValue(t.elementType().toString())));
    }
    return map;
}
template <> inline poplar::ProfileValue toProfileValue(const poplar::Type &type)
{
    return poplar::ProfileValue(type.toString());
}
template <> inline poplar::ProfileValue toProfileValue(const poplar::ComputeSet &set)
{
    return poplar::ProfileValue(set.getId());
}
template <> inline poplar::ProfileValue toProfileValue(const poplar::OptionFlags &options)
{
    return poplar::getAsProfileValue(options);
}
template <typename T> poplar::ProfileValue toProfileValue(const std::vector<T> &values)
{
    poplar::ProfileValue::Vector list;
    for (const T &value : values)
        list.push_back(toProfileValue(value));
    return list;
}
template <typename T> poplar::ProfileValue toProfileValue(const T *value)
{
    return value ? toProfileValue(*value) : poplar::ProfileValue();
}
inline poplar::ProfileValue toProfileValue(const char *text)
{
    return poplar::ProfileValue(text);
}

// A named argument or result.
struct ArgType {
    // A name and a value.
    ArgType(std::string name, poplar::ProfileValue value) : n(std::move(name)), pv(std::move(value))
    {
    }
    std::string n;           // name of the argument
    poplar::ProfileValue pv; // its value
};

// DI_ARGS(a, b) names up to sixteen values by their source text.
#define DI_STR(T) #T
// The name of an expression, and its value.
#define DI_ARG(T)             ::poputil::ArgType(DI_STR(T), ::poputil::toProfileValue(T))
#define POPUTIL_DI_1(a)       DI_ARG(a)
#define POPUTIL_DI_2(a, ...)  DI_ARG(a), POPUTIL_DI_1(__VA_ARGS__)
#define POPUTIL_DI_3(a, ...)  DI_ARG(a), POPUTIL_DI_2(__VA_ARGS__)
#define POPUTIL_DI_4(a, ...)  DI_ARG(a), POPUTIL_DI_3(__VA_ARGS__)
#define POPUTIL_DI_5(a, ...)  DI_ARG(a), POPUTIL_DI_4(__VA_ARGS__)
#define POPUTIL_DI_6(a, ...)  DI_ARG(a), POPUTIL_DI_5(__VA_ARGS__)
#define POPUTIL_DI_7(a, ...)  DI_ARG(a), POPUTIL_DI_6(__VA_ARGS__)
#define POPUTIL_DI_8(a, ...)  DI_ARG(a), POPUTIL_DI_7(__VA_ARGS__)
#define POPUTIL_DI_9(a, ...)  DI_ARG(a), POPUTIL_DI_8(__VA_ARGS__)
#define POPUTIL_DI_10(a, ...) DI_ARG(a), POPUTIL_DI_9(__VA_ARGS__)
#define POPUTIL_DI_11(a, ...) DI_ARG(a), POPUTIL_DI_10(__VA_ARGS__)
#define POPUTIL_DI_12(a, ...) DI_ARG(a), POPUTIL_DI_11(__VA_ARGS__)
#define POPUTIL_DI_13(a, ...) DI_ARG(a), POPUTIL_DI_12(__VA_ARGS__)
#define POPUTIL_DI_14(a, ...) DI_ARG(a), POPUTIL_DI_13(__VA_ARGS__)
#define POPUTIL_DI_15(a, ...) DI_ARG(a), POPUTIL_DI_14(__VA_ARGS__)
#define POPUTIL_DI_16(a, ...) DI_ARG(a), POPUTIL_DI_15(__VA_ARGS__)

#define POPUTIL_DI_PICK(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, chosen, ...) chosen
// A list of expressions with their names, for PoplibsOpDebugInfo.
#define DI_ARGS(...)                                                                                                   \
    {                                                                                                                  \
        POPUTIL_DI_PICK(__VA_ARGS__, POPUTIL_DI_16, POPUTIL_DI_15, POPUTIL_DI_14, POPUTIL_DI_13, POPUTIL_DI_12,        \
                        POPUTIL_DI_11, POPUTIL_DI_10, POPUTIL_DI_9, POPUTIL_DI_8, POPUTIL_DI_7, POPUTIL_DI_6,          \
                        POPUTIL_DI_5, POPUTIL_DI_4, POPUTIL_DI_3, POPUTIL_DI_2, POPUTIL_DI_1, 0)                       \
        (__VA_ARGS__)                                                                                                  \
    }

// The debug information of an operation.
class OpDebugInfo : public poplar::DebugInfo
{
  public:
    // For an operation of a library.
    OpDebugInfo(const poplar::DebugContext &debugContext, std::string api) : DebugInfo(debugContext, "poplibs")
    {
        setValue("api", poplar::ProfileValue(api));
    }
    OpDebugInfo(const OpDebugInfo &) = delete;
    OpDebugInfo &operator=(const OpDebugInfo &) = delete;

    // Adds a value to the record, or a map of named values.
    void add(std::string name, poplar::ProfileValue value)
    {
        setValue(name, std::move(value));
    }
    void add(std::string name, const std::vector<ArgType> &values)
    {
        poplar::ProfileValue::Map map;
        for (const ArgType &value : values)
            map.insert(poplar::ProfileValue::Map::value_type(value.n, value.pv));
        setValue(name, poplar::ProfileValue(map));
    }
};

// The debug information of a call of a library, with its arguments and results.
class PoplibsOpDebugInfo : public OpDebugInfo
{
  public:
    // The operation is named after the function that is building it.
    PoplibsOpDebugInfo(const poplar::DebugContext &debugContext, const std::vector<ArgType> &args = {},
                       const char *api = __builtin_FUNCTION())
        : OpDebugInfo(debugContext, api)
    {
        if (!args.empty())
            add("args", args);
    }
    // Adds results to the record.
    void addOutputs(const std::vector<ArgType> &outputs)
    {
        add("outputs", outputs);
    }
    // Adds a result to the record.
    void addOutput(const poplar::Tensor &output)
    {
        add("outputs", { ArgType("output", toProfileValue(output)) });
    }
};

} // namespace poputil
#endif
