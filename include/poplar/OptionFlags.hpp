// SPDX-License-Identifier: Apache-2.0
// Options: pairs of strings, {{"debug.instrument", "true"}}.
#ifndef POPLAR_OPTION_FLAGS_HPP
#define POPLAR_OPTION_FLAGS_HPP

#include <poplar/StringRef.hpp>
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
    typedef std::vector<OptionFlag>::const_iterator const_iterator;
    typedef const_iterator iterator;

    OptionFlags() {}
    OptionFlags(initializer_list list) { set(list); }
    OptionFlags &operator=(initializer_list list)
    {
        flags.clear();
        set(list);
        return *this;
    }

    void set(StringRef option, StringRef value)
    {
        std::size_t at = place(option);
        if (at < flags.size() && StringRef(flags[at].first) == option) {
            flags[at].second = value.cloneAsString();
            return;
        }
        flags.push_back(OptionFlag(option.cloneAsString(), value.cloneAsString()));
        for (std::size_t i = flags.size() - 1; i > at; --i)
            flags[i].swap(flags[i - 1]);
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
        return at < flags.size() && StringRef(flags[at].first) == option ? begin() + static_cast<std::ptrdiff_t>(at) : end();
    }
    const_iterator begin() const { return flags.begin(); }
    const_iterator end() const { return flags.end(); }
    std::size_t size() const { return flags.size(); }
    bool empty() const { return flags.empty(); }
    void clear() { flags.clear(); }

    friend bool operator==(const OptionFlags &a, const OptionFlags &b) { return a.flags == b.flags; }
    friend bool operator!=(const OptionFlags &a, const OptionFlags &b) { return !(a == b); }
    friend std::ostream &operator<<(std::ostream &out, const OptionFlags &options)
    {
        out << '{';
        for (std::size_t i = 0; i < options.flags.size(); ++i)
            out << (i ? ", " : "") << options.flags[i].first << ": " << options.flags[i].second;
        return out << '}';
    }

private:
    // Where an option is, or belongs.
    std::size_t place(StringRef option) const
    {
        std::size_t low = 0, high = flags.size();
        while (low < high) {
            std::size_t middle = low + (high - low) / 2;
            if (StringRef(flags[middle].first) < option)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    std::vector<OptionFlag> flags;
};

class ProfileValue;
// The options as a map of strings (defined in ProfileValue.hpp).
ProfileValue getAsProfileValue(const OptionFlags &options);

namespace detail {

// Options as C takes them, for the length of a call: pop_f(..., Options(options), ...).
class Options {
public:
    explicit Options(const OptionFlags &options) : list(options.empty() ? nullptr : new pop_option[options.size()]), count(0)
    {
        for (const OptionFlags::OptionFlag &flag : options) {
            list[count].key = flag.first.c_str();
            list[count++].value = flag.second.c_str();
        }
    }
    Options(const Options &) = delete;
    Options &operator=(const Options &) = delete;
    ~Options() { delete[] list; }
    operator pop_options() const
    {
        pop_options options = { list, count };
        return options;
    }

private:
    pop_option *list;
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
        raise(POP_PARSE_ERROR, "the value of option '" + option + "' must be a string, a number or a boolean");
    }
}

// Options of a JSON object over those that are set; source says where the text is from.
inline void readOptions(StringRef text, const std::string &source, OptionFlags &options)
{
    OwnedProfileValue read;
    pop_error error;
    if (pop_profile_read_json(text.data(), text.size(), &read.value, &error) != POP_OK)
        raise(error.status, source + " is not JSON: " + error.text);
    if (read.value.type != POP_PROFILE_MAP)
        raise(POP_PARSE_ERROR, source + " must be a JSON object of strings, as {\"debug.instrument\": \"true\"}");
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
