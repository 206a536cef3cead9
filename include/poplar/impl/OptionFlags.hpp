// SPDX-License-Identifier: Apache-2.0
// Options.
#ifndef POPLAR_IMPL_OPTION_FLAGS_HPP
#define POPLAR_IMPL_OPTION_FLAGS_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/impl/owned_profile_value.hpp>
#include <poplar/impl/text_file.hpp>
#include <poplar/text.h>

namespace poplar
{

POPLAR_IMPL OptionFlags::OptionFlags(initializer_list list) : OptionFlags()
{
    set(list);
}
POPLAR_IMPL OptionFlags::OptionFlags(const OptionFlags &from) : OptionFlags()
{
    add(from);
}
POPLAR_IMPL OptionFlags::OptionFlags(OptionFlags &&from) noexcept : OptionFlags()
{
    swap(from);
}
POPLAR_IMPL OptionFlags &OptionFlags::operator=(OptionFlags from) noexcept
{
    swap(from);
    return *this;
}
POPLAR_IMPL OptionFlags &OptionFlags::operator=(initializer_list list)
{
    return *this = OptionFlags(list);
}
POPLAR_IMPL OptionFlags::~OptionFlags()
{
    delete[] flags;
}
POPLAR_IMPL void OptionFlags::set(StringRef option, StringRef value)
{
    std::string name = option.cloneAsString(),
                text = value.cloneAsString(); // which may be views of this object's texts
    const std::size_t at = place(option);
    if (at == count || StringRef(flags[at].first) != option) { // there are few options: the list is copied for each
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
POPLAR_IMPL void OptionFlags::set(initializer_list list)
{
    for (const OptionFlag &flag : list)
        set(flag.first, flag.second);
}
POPLAR_IMPL StringRef OptionFlags::at(StringRef option) const
{
    const_iterator found = find(option);
    if (found == end())
        throw std::out_of_range("option '" + option.cloneAsString() + "' is not set");
    return found->second;
}
POPLAR_IMPL OptionFlags::const_iterator OptionFlags::find(StringRef option) const
{
    std::size_t at = place(option);
    return at < count && StringRef(flags[at].first) == option ? flags + at : end();
}
POPLAR_IMPL bool operator==(const OptionFlags &a, const OptionFlags &b)
{
    for (std::size_t i = 0; i < a.count && i < b.count; ++i)
        if (a.flags[i].first != b.flags[i].first || a.flags[i].second != b.flags[i].second)
            return false;
    return a.count == b.count;
}
POPLAR_IMPL std::ostream &operator<<(std::ostream &out, const OptionFlags &options)
{
    out << '{';
    for (std::size_t i = 0; i < options.count; ++i)
        out << (i ? ", " : "") << options.flags[i].first << ": " << options.flags[i].second;
    return out << '}';
}
POPLAR_IMPL std::size_t OptionFlags::place(StringRef option) const
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
POPLAR_IMPL void OptionFlags::add(const OptionFlags &from)
{
    for (std::size_t i = 0; i < from.count; ++i)
        set(from.flags[i].first, from.flags[i].second);
}

namespace detail
{

POPLAR_IMPL Options::Options(const OptionFlags &options)
    : list(options.size(), sizeof(pop_option)), count(options.size())
{
    for (std::size_t i = 0; i < count; ++i) {
        pop_option &option = static_cast<pop_option *>(list.at)[i];
        option.key = options.begin()[i].first.c_str();
        option.value = options.begin()[i].second.c_str();
    }
}
// A JSON string, number or Boolean as the text of an option.
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
        pop_text_format(number, sizeof(number), "%.15g", value.as.real);
        return number;
    default:
        raise(POP_PARSE_ERROR, "the value of option '%s' must be a string, a number or a boolean", option.c_str());
    }
}

// Sets the options of a JSON object; source names the origin of the text for errors.
inline void readOptions(StringRef text, const std::string &source, OptionFlags &options)
{
    OwnedProfileValue read;
    pop_error error;
    if (pop_profile_read_json(text.data(), text.size(), &read.value, &error) != POP_OK)
        raise(error.status, "%s is not JSON: %s", source.c_str(), error.text);
    if (read.value.type != POP_PROFILE_MAP)
        raise(POP_PARSE_ERROR, "%s must be a JSON object of strings, as {\"debug.instrument\": \"true\"}",
              source.c_str());
    OptionFlags result = options;
    for (std::size_t i = 0; i < pop_profile_size(&read.value); ++i) {
        const std::string key = pop_profile_key(&read.value, i);
        result.set(key, optionText(key, *pop_profile_item(&read.value, i)));
    }
    options = std::move(result);
}

} // namespace detail

POPLAR_IMPL void readJSON(StringRef text, OptionFlags &options)
{
    detail::readOptions(text, "the text of options", options);
}
POPLAR_IMPL void readJSON(std::istream &in, OptionFlags &options)
{
    detail::readOptions(detail::readAll(in), "the text of options", options);
}
POPLAR_IMPL void readJSONFromEnv(StringRef variable, OptionFlags &options)
{
    const char *text = std::getenv(detail::CString(variable));
    if (text && *text)
        detail::readOptions(text, variable.cloneAsString(), options);
}

} // namespace poplar
#endif
