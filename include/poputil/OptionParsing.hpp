// SPDX-License-Identifier: Apache-2.0
// Parses options with tables: each name has a handler for its value.
//
//     const OptionSpec spec{ { "partialsType", OptionHandler::createWithEnum(type, types) },
//                            { "useFast", OptionHandler::createWithBool(fast) } };
//     for (const auto &option : options)
//         spec.parse(option.first, option.second);
//
// A name or value that is not allowed throws poplar::invalid_option, which lists the allowed ones.
#ifndef POPUTIL_OPTION_PARSING_HPP
#define POPUTIL_OPTION_PARSING_HPP

#include <poplar/OptionFlags.hpp>

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#if __cplusplus >= 201703L
#include <optional>
#endif
#include <poplar/text.h>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace poputil
{

namespace detail
{

[[noreturn]] inline void badValue(const std::string &value, const std::string &allowed)
{
    throw poplar::invalid_option("'" + value + "' is not " + allowed);
}
// Formats a number independent of the locale, with all digits.
template <typename T> std::string number(T value)
{
    char text[POP_TEXT_DOUBLE];
    if (!std::is_floating_point<T>::value)
        return std::to_string(value);
    pop_text_from_double(static_cast<double>(value), text);
    return text;
}
template <typename T> std::string names(const std::map<std::string, T> &values)
{
    std::string list;
    for (const auto &value : values)
        list += (list.empty() ? "'" : ", '") + value.first + '\'';
    return list;
}
template <typename T> T parseEnum(const std::string &value, const std::map<std::string, T> &values)
{
    const auto found = values.find(value);
    if (found == values.end())
        badValue(value, "one of " + names(values));
    return found->second;
}
inline bool parseBool(const std::string &value)
{
    if (value == "true" || value == "1")
        return true;
    if (value != "false" && value != "0")
        badValue(value, "'true' or 'false'");
    return false;
}
inline double parseDouble(const std::string &value)
{
    char *end;
    const double number = pop_text_to_double(value.c_str(), &end);
    if (end == value.c_str() || *end)
        badValue(value, "a number");
    return number;
}
template <typename T> T parseInteger(const std::string &value)
{
    static_assert(std::is_integral<T>::value, "an option's integer must be read into one");
    char *end;
    errno = 0;
    const bool negative = value.find('-') != std::string::npos;
    const long long below = negative ? std::strtoll(value.c_str(), &end, 0) : 0;
    const unsigned long long above = negative ? 0 : std::strtoull(value.c_str(), &end, 0);
    if (end == value.c_str() || *end)
        badValue(value, "an integer");
    const bool fits =
        errno != ERANGE &&
        (negative ? std::is_signed<T>::value && below >= static_cast<long long>(std::numeric_limits<T>::min())
                  : above <= static_cast<unsigned long long>(std::numeric_limits<T>::max()));
    if (!fits)
        badValue(value, "an integer from " + std::to_string(std::numeric_limits<T>::min()) + " to " +
                            std::to_string(std::numeric_limits<T>::max()));
    return negative ? static_cast<T>(below) : static_cast<T>(above);
}
// Splits at commas; brackets around the list and blanks around the parts are ignored.
inline std::vector<std::string> parseList(std::string value)
{
    if (value.size() >= 2 && (value[0] == '[' || value[0] == '{'))
        value = value.substr(1, value.size() - 2);
    std::vector<std::string> parts;
    for (std::size_t begin = 0, end; begin < value.size(); begin = end + 1) {
        end = value.find(',', begin);
        end = end == std::string::npos ? value.size() : end;
        std::string part = value.substr(begin, end - begin);
        const std::size_t first = part.find_first_not_of(' '), last = part.find_last_not_of(' ');
        parts.push_back(first == std::string::npos ? std::string() : part.substr(first, last - first + 1));
    }
    return parts;
}

} // namespace detail

// Parses the value of one option.
class OptionHandler
{
  public:
    // Passes the text to a function.
    template <typename Handler, typename = typename std::enable_if<
                                    !std::is_same<typename std::decay<Handler>::type, OptionHandler>::value>::type>
    OptionHandler(Handler &&valueHandler) : handler(std::forward<Handler>(valueHandler))
    {
    }
    // Reads a value; throws invalid_option.
    void parseValue(poplar::StringRef value) const
    {
        handler(value);
    }

    // Handlers that store the parsed value in output, which must outlive them.
    template <typename T> static OptionHandler createWithEnum(T &output, const std::map<std::string, T> &valueMap)
    {
        return OptionHandler([&output, valueMap](poplar::StringRef value) {
            output = detail::parseEnum(value.cloneAsString(), valueMap);
        });
    }
    // Writes an integer to output.
    template <typename T> static OptionHandler createWithInteger(T &output)
    {
        return OptionHandler(
            [&output](poplar::StringRef value) { output = detail::parseInteger<T>(value.cloneAsString()); });
    }
    // Writes "true" or "false" to output.
    template <typename T> static OptionHandler createWithBool(T &output)
    {
        return OptionHandler([&output](poplar::StringRef value) { output = detail::parseBool(value.cloneAsString()); });
    }
    // Writes a real number between the bounds to output. Without bounds it must be positive, as since release 2.3.
    template <typename T>
    static OptionHandler createWithDouble(T &output, double lowerBound = std::numeric_limits<double>::min(),
                                          bool lowerBoundIsInclusive = true,
                                          double upperBound = std::numeric_limits<double>::max(),
                                          bool upperBoundIsInclusive = true)
    {
        return OptionHandler([=, &output](poplar::StringRef text) {
            const double value = detail::parseDouble(text.cloneAsString());
            ensureValueIsWithinBounds(value, lowerBound, lowerBoundIsInclusive, upperBound, upperBoundIsInclusive);
            output = static_cast<T>(value);
        });
    }
    // The names of an enumeration's values, as errors list them: 'a', 'b'.
    template <typename T> static std::string describeEnumValues(const std::map<std::string, T> &values)
    {
        return detail::names(values);
    }
    // Writes the text to output.
    static OptionHandler createWithString(std::string &output)
    {
        return OptionHandler([&output](poplar::StringRef value) { output = value.cloneAsString(); });
    }
    // Accepts "1,2,3", with or without brackets.
    template <typename T> static OptionHandler createWithList(std::vector<T> &output)
    {
        return OptionHandler([&output](poplar::StringRef value) {
            std::vector<T> list;
            for (const std::string &part : detail::parseList(value.cloneAsString()))
                list.push_back(element<T>(part));
            output = std::move(list);
        });
    }
    template <typename T>
    static OptionHandler createWithList(std::vector<T> &output, const std::map<std::string, T> &valueMap)
    {
        return OptionHandler([&output, valueMap](poplar::StringRef value) {
            std::vector<T> list;
            for (const std::string &part : detail::parseList(value.cloneAsString()))
                list.push_back(detail::parseEnum(part, valueMap));
            output = std::move(list);
        });
    }

    // For user-defined handlers: throws unless the value is between the bounds, which are included when inclusive.
    template <typename T>
    static void ensureValueIsWithinBounds(T value, const T &lowerBound, bool lowerBoundIsInclusive, const T &upperBound,
                                          bool upperBoundIsInclusive)
    {
        const bool below = lowerBoundIsInclusive ? value < lowerBound : !(value > lowerBound);
        const bool above = upperBoundIsInclusive ? value > upperBound : !(value < upperBound);
        if (below || above || value != value)
            detail::badValue(detail::number(value), "in the range " + std::string(lowerBoundIsInclusive ? "[" : "(") +
                                                        detail::number(lowerBound) + ", " + detail::number(upperBound) +
                                                        (upperBoundIsInclusive ? "]" : ")"));
    }

  private:
    template <typename T>
    static typename std::enable_if<std::is_floating_point<T>::value, T>::type element(const std::string &part)
    {
        return static_cast<T>(detail::parseDouble(part));
    }
    template <typename T>
    static typename std::enable_if<std::is_integral<T>::value, T>::type element(const std::string &part)
    {
        return detail::parseInteger<T>(part);
    }
    template <typename T>
    static typename std::enable_if<std::is_same<T, std::string>::value, T>::type element(const std::string &part)
    {
        return part;
    }

    std::function<void(poplar::StringRef)> handler;
};

// The options of a call.
class OptionSpec
{
  public:
    typedef std::pair<const std::string, OptionHandler> value_type; // An option's name and what reads its value.
    typedef std::map<std::string, OptionHandler> map_type;          // Options by name.
    typedef std::initializer_list<value_type> initializer_list_t;   // A list of options.
    typedef map_type::const_iterator const_iterator;

    // The options that are known.
    OptionSpec(initializer_list_t handlers) : map(handlers)
    {
    }

    // Reads the value of an option; throws invalid_option for an unknown name, unless ignoreUnknown.
    void parse(const std::string &option, poplar::StringRef value, bool ignoreUnknown = false) const
    {
        const const_iterator found = map.find(option);
        if (found == end()) {
            if (ignoreUnknown)
                return;
            throw poplar::invalid_option("there is no option '" + option + "': there are " + detail::names(map));
        }
        try {
            found->second.parseValue(value);
        } catch (const poplar::invalid_option &error) {
            throw poplar::invalid_option("option '" + option + "': " + error.what());
        }
    }
    const_iterator begin() const
    {
        return map.begin();
    }
    const_iterator end() const
    {
        return map.end();
    }

  private:
    map_type map;
};

} // namespace poputil

// Names in Poplibs.
namespace poplibs
{
using poputil::OptionHandler;
using poputil::OptionSpec;

// Reading one value; each throws invalid_option.
namespace parse
{
// The names of an enumeration's values, as errors list them: 'a', 'b'.
template <typename T> std::string describeEnumValues(const std::map<std::string, T> &values)
{
    return poputil::detail::names(values);
}
// The value of a name.
template <typename T> T asEnum(const poplar::StringRef &value, const std::map<std::string, T> &values)
{
    return poputil::detail::parseEnum(value.cloneAsString(), values);
}
// A whole number, decimal or hexadecimal, within T's range.
template <typename T> T asInteger(const poplar::StringRef &value)
{
    return poputil::detail::parseInteger<T>(value.cloneAsString());
}
// A real number.
template <typename T> T asFloatingPoint(const poplar::StringRef &value)
{
    return static_cast<T>(poputil::detail::parseDouble(value.cloneAsString()));
}
// "true" or "1", "false" or "0"; another value is an error.
inline bool asBool(const poplar::StringRef &value)
{
    return poputil::detail::parseBool(value.cloneAsString());
}
} // namespace parse

#if __cplusplus >= 201703L
// As OptionHandler::createWithDouble and createWithEnum; the value "none" clears output.
template <typename T>
OptionHandler
createOptionalDoubleHandler(std::optional<T> &output, double lowerBound = std::numeric_limits<double>::min(),
                            bool lowerBoundIsInclusive = true, double upperBound = std::numeric_limits<double>::max(),
                            bool upperBoundIsInclusive = true)
{
    return OptionHandler([=, &output](poplar::StringRef text) {
        if (text.cloneAsString() == "none") {
            output = std::nullopt;
            return;
        }
        const double value = parse::asFloatingPoint<double>(text);
        OptionHandler::ensureValueIsWithinBounds(value, lowerBound, lowerBoundIsInclusive, upperBound,
                                                 upperBoundIsInclusive);
        output = static_cast<T>(value);
    });
}
// A handler that stores one of a map's values in an optional.
template <typename T, typename ValueMapT = std::map<std::string, T>>
OptionHandler createOptionalEnumHandler(std::optional<T> &output, ValueMapT &&valueMap)
{
    const std::map<std::string, T> values(std::forward<ValueMapT>(valueMap));
    return OptionHandler([&output, values](poplar::StringRef text) {
        if (text.cloneAsString() == "none")
            output = std::nullopt;
        else
            output = parse::asEnum(text, values);
    });
}
#endif
} // namespace poplibs
#endif
