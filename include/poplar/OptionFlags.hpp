// SPDX-License-Identifier: Apache-2.0
// Options: pairs of strings, {{"debug.instrument", "true"}}.
#ifndef POPLAR_OPTION_FLAGS_HPP
#define POPLAR_OPTION_FLAGS_HPP

#include <poplar/StringRef.hpp>
#include <poplar/detail/counted.hpp>
#include <poplar/detail/error.hpp>
#include <poplar/detail/text_file.hpp>
#include <poplar/options.h>
#include <poplar/profile.h>

#include <initializer_list>
#include <utility>
#include <vector>

namespace poplar {

// Kept in the order of their names; setting a name again replaces its value.
class OptionFlags {
public:
    typedef std::pair<std::string, std::string> OptionFlag;
    typedef std::initializer_list<OptionFlag> initializer_list;
    typedef OptionFlag value_type;
    typedef const OptionFlag *const_iterator;
    typedef const_iterator iterator;

    OptionFlags() : flags(nullptr), count(0) {}
    OptionFlags(initializer_list list) : OptionFlags() { set(list); }
    OptionFlags(const OptionFlags &from) : OptionFlags() { add(from); }
    OptionFlags(OptionFlags &&from) noexcept : OptionFlags() { swap(from); }
    OptionFlags &operator=(OptionFlags from) noexcept
    {
        swap(from);
        return *this;
    }
    OptionFlags &operator=(initializer_list list) { return *this = OptionFlags(list); }
    ~OptionFlags() { delete[] flags; }

    void set(StringRef option, StringRef value)
    {
        std::string name = option.cloneAsString(), text = value.cloneAsString(); // which may be views of what is here
        const std::size_t at = place(option);
        if (at == count || StringRef(flags[at].first) != option) { // few are set, each makes the list anew
            OptionFlag *longer = new OptionFlag[count + 1];
            longer[at].first.swap(name);
            for (std::size_t i = 0; i < count; ++i) {
                longer[i + (i >= at)].first.swap(flags[i].first);
                longer[i + (i >= at)].second.swap(flags[i].second);
            }
            delete[] flags;
            flags = longer;
            ++count;
        }
        flags[at].second.swap(text);
    }
    void set(initializer_list list)
    {
        for (const OptionFlag &flag : list)
            set(flag.first, flag.second);
    }

    // The value of an option; std::out_of_range when it is not set.
    StringRef at(StringRef option) const
    {
        const_iterator found = find(option);
        if (found == end())
            throw std::out_of_range("option '" + option.cloneAsString() + "' is not set");
        return found->second;
    }
    const_iterator find(StringRef option) const
    {
        std::size_t at = place(option);
        return at < count && StringRef(flags[at].first) == option ? flags + at : end();
    }
    const_iterator begin() const { return flags; }
    const_iterator end() const { return flags + count; }
    std::size_t size() const { return count; }
    bool empty() const { return count == 0; }
    void clear() { count = 0; }

    friend bool operator==(const OptionFlags &a, const OptionFlags &b)
    {
        for (std::size_t i = 0; i < a.count && i < b.count; ++i)
            if (a.flags[i].first != b.flags[i].first || a.flags[i].second != b.flags[i].second)
                return false;
        return a.count == b.count;
    }
    friend bool operator!=(const OptionFlags &a, const OptionFlags &b) { return !(a == b); }
    friend std::ostream &operator<<(std::ostream &out, const OptionFlags &options)
    {
        out << '{';
        for (std::size_t i = 0; i < options.count; ++i)
            out << (i ? ", " : "") << options.flags[i].first << ": " << options.flags[i].second;
        return out << '}';
    }

private:
    // Where an option is, or belongs.
    std::size_t place(StringRef option) const
    {
        std::size_t low = 0, high = count;
        while (low < high) {
            std::size_t middle = low + (high - low) / 2;
            if (StringRef(flags[middle].first) < option)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
    void add(const OptionFlags &from)
    {
        for (std::size_t i = 0; i < from.count; ++i)
            set(from.flags[i].first, from.flags[i].second);
    }
    void swap(OptionFlags &other)
    {
        detail::exchange(flags, other.flags);
        detail::exchange(count, other.count);
    }

    OptionFlag *flags;
    std::size_t count;
};

class ProfileValue;
// The options as a map of strings (defined in ProfileValue.hpp).
template <typename Value = ProfileValue> Value getAsProfileValue(const OptionFlags &options);

namespace detail {

// Options as C takes them, for the length of a call: pop_f(..., Options(options), ...).
class Options {
public:
    explicit Options(const OptionFlags &options) : list(options.size(), sizeof(pop_option)), count(options.size())
    {
        for (std::size_t i = 0; i < count; ++i) {
            pop_option &option = static_cast<pop_option *>(list.at)[i];
            option.key = options.begin()[i].first.c_str();
            option.value = options.begin()[i].second.c_str();
        }
    }
    operator pop_options() const
    {
        pop_options options = { static_cast<pop_option *>(list.at), count };
        return options;
    }

private:
    Memory list;
    std::size_t count;
};

// A value of C's, freed at the end.
struct OwnedProfileValue {
    OwnedProfileValue() : value() {}
    explicit OwnedProfileValue(pop_profile_value from) : value(from) {}
    OwnedProfileValue(const OwnedProfileValue &) = delete;
    OwnedProfileValue &operator=(const OwnedProfileValue &) = delete;
    ~OwnedProfileValue() { pop_profile_free(&value); }

    pop_profile_value value;
};

// A string, number or truth value as options have it.
inline std::string optionText(const std::string &option, const pop_profile_value &value)
{
    char number[40];
    switch (value.type) {
    case POP_PROFILE_STRING:
        return value.as.string;
    case POP_PROFILE_BOOL:
        return value.as.boolean ? "true" : "false";
    case POP_PROFILE_INT:
        return std::to_string(value.as.integer);
    case POP_PROFILE_UINT:
        return std::to_string(value.as.natural);
    case POP_PROFILE_DOUBLE:
        std::snprintf(number, sizeof(number), "%.15g", value.as.real);
        return number;
    default:
        raise(POP_PARSE_ERROR, "the value of option '%s' must be a string, a number or a boolean", option.c_str());
    }
}

// Options of a JSON object over those that are set; source says where the text is from.
inline void readOptions(StringRef text, const std::string &source, OptionFlags &options)
{
    OwnedProfileValue read;
    pop_error error;
    if (pop_profile_read_json(text.data(), text.size(), &read.value, &error) != POP_OK)
        raise(error.status, "%s is not JSON: %s", source.c_str(), error.text);
    if (read.value.type != POP_PROFILE_MAP)
        raise(POP_PARSE_ERROR, "%s must be a JSON object of strings, as {\"debug.instrument\": \"true\"}", source.c_str());
    OptionFlags result = options;
    for (std::size_t i = 0; i < pop_profile_size(&read.value); ++i) {
        const std::string key = pop_profile_key(&read.value, i);
        result.set(key, optionText(key, *pop_profile_item(&read.value, i)));
    }
    options = std::move(result);
}

} // namespace detail

// Sets the options of a JSON object; those that it does not name keep their values.  parse_error, and nothing set, when it is none.
inline void readJSON(StringRef text, OptionFlags &options)
{
    detail::readOptions(text, "the text of options", options);
}
inline void readJSON(std::istream &in, OptionFlags &options)
{
    detail::readOptions(detail::readAll(in), "the text of options", options);
}
// The same from a variable of the environment, when it is set.
inline void readJSONFromEnv(StringRef variable, OptionFlags &options)
{
    const char *text = std::getenv(detail::CString(variable));
    if (text && *text)
        detail::readOptions(text, variable.cloneAsString(), options);
}

} // namespace poplar
#endif
