// SPDX-License-Identifier: Apache-2.0
// Options: pairs of strings, {{"debug.instrument", "true"}}.
#ifndef POPLAR_OPTION_FLAGS_HPP
#define POPLAR_OPTION_FLAGS_HPP

#include <poplar/StringRef.hpp>
#include <poplar/detail/compiled.hpp>
#include <poplar/detail/counted.hpp>
#include <poplar/detail/error.hpp>
#include <poplar/options.h>
#include <poplar/visibility.h>

#include <cstdlib>
#include <initializer_list>
#include <istream>
#include <utility>
#include <vector>

namespace poplar
{

// Sorted by name; setting an option again replaces its value.
class POP_API OptionFlags
{
  public:
    typedef std::pair<std::string, std::string> OptionFlag; // An option: name and value.
    typedef std::initializer_list<OptionFlag> initializer_list;
    typedef OptionFlag value_type;
    typedef const OptionFlag *const_iterator;
    typedef const_iterator iterator;

    OptionFlags() : flags(nullptr), count(0)
    {
    }
    // A list of options; the last value of a name is the one that counts.
    OptionFlags(initializer_list list);
    OptionFlags(const OptionFlags &from);
    OptionFlags(OptionFlags &&from) noexcept;
    OptionFlags &operator=(OptionFlags from) noexcept;
    OptionFlags &operator=(initializer_list list);
    ~OptionFlags();

    // Sets the value of an option, or of several.
    void set(StringRef option, StringRef value);
    void set(initializer_list list);

    // The value of an option; throws std::out_of_range if it is not set.
    StringRef at(StringRef option) const;
    // The option of this name, or end().
    const_iterator find(StringRef option) const;
    const_iterator begin() const
    {
        return flags;
    }
    const_iterator end() const
    {
        return flags + count;
    }
    std::size_t size() const
    {
        return count;
    }
    bool empty() const
    {
        return count == 0;
    }
    // Removes all options.
    void clear()
    {
        count = 0;
    }

    friend POP_API bool operator==(const OptionFlags &a, const OptionFlags &b);
    friend bool operator!=(const OptionFlags &a, const OptionFlags &b)
    {
        return !(a == b);
    }
    // Equal options have equal hashes.
    friend std::size_t hash_value(const OptionFlags &options)
    {
        std::size_t hash = options.size();
        for (const OptionFlag &flag : options)
            hash = (hash * 31 + hash_value(StringRef(flag.first))) * 31 + hash_value(StringRef(flag.second));
        return hash;
    }
    friend POP_API std::ostream &operator<<(std::ostream &out, const OptionFlags &options);

  private:
    // The index of an option, or the index to insert it at.
    std::size_t place(StringRef option) const;
    void add(const OptionFlags &from);
    void swap(OptionFlags &other)
    {
        detail::exchange(flags, other.flags);
        detail::exchange(count, other.count);
    }

    OptionFlag *flags;
    std::size_t count;
};

class ProfileValue;

namespace detail
{

// Options for a C call, valid during the call: pop_f(..., Options(options), ...).
class POP_API Options
{
  public:
    explicit Options(const OptionFlags &options);
    operator pop_options() const
    {
        pop_options options = { static_cast<pop_option *>(list.at), count };
        return options;
    }

  private:
    Memory list;
    std::size_t count;
};

} // namespace detail

// Sets the options of a JSON object; other options keep their values.  Throws parse_error, and sets nothing, if the
// text is not a JSON object.
POP_API void readJSON(StringRef text, OptionFlags &options);
POP_API void readJSON(std::istream &in, OptionFlags &options);
// Reads the JSON object of an environment variable, if it is set.
POP_API void readJSONFromEnv(StringRef variable, OptionFlags &options);

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/OptionFlags.hpp>
#endif
#endif
