// SPDX-License-Identifier: Apache-2.0
// What profiles and debug information are made of: trees of truth values, numbers, strings, vectors and maps.
#ifndef POPLAR_PROFILE_VALUE_HPP
#define POPLAR_PROFILE_VALUE_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/OptionFlags.hpp>

#include <map>
#include <type_traits>

namespace poplar {

class ProfileValue {
public:
    typedef bool Boolean;
    typedef double Number;
    typedef std::string String;
    typedef std::vector<ProfileValue> Vector;
    typedef std::map<std::string, ProfileValue> Map;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" // names in a scope of their own, which gcc compares with the element types
    enum class Type { NONE, BOOL, INT, UINT, DOUBLE, STRING, VECTOR, MAP };
#pragma GCC diagnostic pop

    ProfileValue() : kind(Type::NONE) { as.natural = 0; }
    template <typename T, typename std::enable_if<std::is_arithmetic<T>::value, int>::type = 0> ProfileValue(T value) { setNumber(value); }
    ProfileValue(const char *text) : kind(Type::STRING) { as.string = new String(text ? text : ""); }
    ProfileValue(String text) : kind(Type::STRING) { as.string = new String(std::move(text)); }
    ProfileValue(StringRef text) : kind(Type::STRING) { as.string = new String(text.cloneAsString()); }
    ProfileValue(Vector elements) : kind(Type::VECTOR) { as.vector = new Vector(std::move(elements)); }
    ProfileValue(Map members) : kind(Type::MAP) { as.map = new Map(std::move(members)); }
    ProfileValue(const ProfileValue &from) : kind(from.kind), as(from.as)
    {
        if (kind == Type::STRING)
            as.string = new String(*from.as.string);
        else if (kind == Type::VECTOR)
            as.vector = new Vector(*from.as.vector);
        else if (kind == Type::MAP)
            as.map = new Map(*from.as.map);
    }
    ProfileValue(ProfileValue &&from) noexcept : kind(from.kind), as(from.as) { from.kind = Type::NONE; }
    ProfileValue &operator=(ProfileValue from) noexcept
    {
        std::swap(kind, from.kind);
        std::swap(as, from.as);
        return *this;
    }
    ~ProfileValue()
    {
        if (kind == Type::STRING)
            delete as.string;
        else if (kind == Type::VECTOR)
            delete as.vector;
        else if (kind == Type::MAP)
            delete as.map;
    }

    Type type() const { return kind; }
    bool isNumber() const { return kind == Type::INT || kind == Type::UINT || kind == Type::DOUBLE; }

    // The value as what it is: numbers convert to each other, anything else throws poplar_error.
    const String &asString() const { return need(Type::STRING), *as.string; }
    const Vector &asVector() const { return need(Type::VECTOR), *as.vector; }
    Vector &asVector() { return need(Type::VECTOR), *as.vector; }
    const Map &asMap() const { return need(Type::MAP), *as.map; }
    Map &asMap() { return need(Type::MAP), *as.map; }
    bool asBool() const { return need(Type::BOOL), as.boolean; }
    std::int64_t asInt() const { return number<std::int64_t>(); }
    std::uint64_t asUint() const { return number<std::uint64_t>(); }
    double asDouble() const { return number<double>(); }

    // Members of a map by name and elements of a vector by number; one that is not there throws.
    const ProfileValue &operator[](StringRef key) const
    {
        if (const ProfileValue *found = getOrNull(key))
            return *found;
        detail::raise(POP_POPLAR_ERROR, "the profile has no '" + key.cloneAsString() + "' here");
    }
    const ProfileValue &operator[](const char *key) const { return (*this)[StringRef(key)]; }
    template <typename I, typename std::enable_if<std::is_integral<I>::value, int>::type = 0> const ProfileValue &operator[](I index) const
    {
        const Vector &list = asVector();
        if (static_cast<std::size_t>(index) >= list.size())
            detail::raise(POP_INDEX_ERROR, "element " + std::to_string(index) + " of a profile's vector of " + std::to_string(list.size()));
        return list[static_cast<std::size_t>(index)];
    }
    // The member of a map, or null.
    const ProfileValue *getOrNull(StringRef key) const
    {
        if (kind != Type::MAP)
            return nullptr;
        const Map::const_iterator found = as.map->find(key.cloneAsString());
        return found == as.map->end() ? nullptr : &found->second;
    }
    std::size_t size() const { return kind == Type::VECTOR ? as.vector->size() : kind == Type::MAP ? as.map->size() : 0; }

    // Of all numbers at and below this.
    double sumDouble() const { return sum<double>(); }
    std::int64_t sumInt() const { return sum<std::int64_t>(); }
    std::uint64_t sumUint() const { return sum<std::uint64_t>(); }

    friend bool operator==(const ProfileValue &a, const ProfileValue &b)
    {
        if (a.isNumber() && b.isNumber())
            return a.kind == Type::DOUBLE || b.kind == Type::DOUBLE ? a.asDouble() == b.asDouble()
                                                                    : a.as.natural == b.as.natural && a.negative() == b.negative();
        if (a.kind != b.kind)
            return false;
        return a.kind == Type::BOOL     ? a.as.boolean == b.as.boolean
               : a.kind == Type::STRING ? *a.as.string == *b.as.string
               : a.kind == Type::VECTOR ? *a.as.vector == *b.as.vector
               : a.kind == Type::MAP    ? *a.as.map == *b.as.map
                                        : true;
    }
    friend bool operator!=(const ProfileValue &a, const ProfileValue &b) { return !(a == b); }

private:
    void setNumber(bool value)
    {
        kind = Type::BOOL;
        as.natural = 0;
        as.boolean = value;
    }
    template <typename T> typename std::enable_if<std::is_floating_point<T>::value>::type setNumber(T value)
    {
        kind = Type::DOUBLE;
        as.real = static_cast<double>(value);
    }
    template <typename T> typename std::enable_if<std::is_integral<T>::value>::type setNumber(T value)
    {
        kind = std::is_signed<T>::value ? Type::INT : Type::UINT;
        as.natural = static_cast<std::uint64_t>(value);
    }
    bool negative() const { return kind == Type::INT && as.integer < 0; }
    template <typename T> T number() const
    {
        if (kind == Type::INT)
            return static_cast<T>(as.integer);
        if (kind == Type::UINT)
            return static_cast<T>(as.natural);
        return need(Type::DOUBLE), static_cast<T>(as.real);
    }
    template <typename T> T sum() const
    {
        T total = isNumber() ? number<T>() : T();
        if (kind == Type::VECTOR)
            for (const ProfileValue &element : *as.vector)
                total += element.sum<T>();
        if (kind == Type::MAP)
            for (const Map::value_type &member : *as.map)
                total += member.second.sum<T>();
        return total;
    }
    void need(Type wanted) const
    {
        static const char *const names[] = { "null", "a truth value", "an integer", "a natural number", "a number", "a string", "a vector", "a map" };
        if (kind != wanted)
            detail::raise(POP_POPLAR_ERROR, std::string("the profile value is ") + names[static_cast<int>(kind)] + ", not " +
                                                names[static_cast<int>(wanted)]);
    }

    Type kind;
    union {
        bool boolean;
        std::int64_t integer;
        std::uint64_t natural;
        double real;
        String *string;
        Vector *vector;
        Map *map;
    } as;
};

namespace detail {

// From and to C's values.
inline ProfileValue profileValue(const pop_profile_value &from)
{
    switch (from.type) {
    case POP_PROFILE_BOOL:
        return from.as.boolean;
    case POP_PROFILE_INT:
        return from.as.integer;
    case POP_PROFILE_UINT:
        return from.as.natural;
    case POP_PROFILE_DOUBLE:
        return from.as.real;
    case POP_PROFILE_STRING:
        return from.as.string;
    case POP_PROFILE_VECTOR: {
        ProfileValue::Vector list(pop_profile_size(&from));
        for (std::size_t i = 0; i < list.size(); ++i)
            list[i] = profileValue(*pop_profile_at(&from, i));
        return list;
    }
    case POP_PROFILE_MAP: {
        ProfileValue::Map map;
        for (std::size_t i = 0; i < pop_profile_size(&from); ++i)
            map.insert(ProfileValue::Map::value_type(pop_profile_key(&from, i), profileValue(*pop_profile_item(&from, i))));
        return map;
    }
    case POP_PROFILE_NULL:
        break;
    }
    return ProfileValue();
}
inline pop_profile_value profileValue(const ProfileValue &from)
{
    switch (from.type()) {
    case ProfileValue::Type::BOOL:
        return pop_profile_bool(from.asBool());
    case ProfileValue::Type::INT:
        return pop_profile_int(from.asInt());
    case ProfileValue::Type::UINT:
        return pop_profile_uint(from.asUint());
    case ProfileValue::Type::DOUBLE:
        return pop_profile_double(from.asDouble());
    case ProfileValue::Type::STRING:
        return pop_profile_string(from.asString().c_str());
    case ProfileValue::Type::VECTOR: {
        pop_profile_value list = pop_profile_vector_new();
        for (const ProfileValue &element : from.asVector())
            pop_profile_push(&list, profileValue(element));
        return list;
    }
    case ProfileValue::Type::MAP: {
        pop_profile_value map = pop_profile_map_new();
        for (const ProfileValue::Map::value_type &member : from.asMap())
            pop_profile_set(&map, member.first.c_str(), profileValue(member.second));
        return map;
    }
    case ProfileValue::Type::NONE:
        break;
    }
    return pop_profile_value();
}

} // namespace detail

inline void serializeToJSON(std::ostream &out, const ProfileValue &value, bool prettyPrint = false)
{
    const detail::OwnedProfileValue owned(detail::profileValue(value));
    detail::OutputFile file;
    pop_profile_write_json(file.c(), &owned.value, prettyPrint);
    file.send(out);
}
inline void serializeToCBOR(std::ostream &out, const ProfileValue &value)
{
    const detail::OwnedProfileValue owned(detail::profileValue(value));
    detail::OutputFile file;
    pop_profile_write_cbor(file.c(), &owned.value);
    file.send(out);
}

inline bool DebugInfo::setValue(const std::string &name, const ProfileValue &value)
{
    if (!pop_debug_is_open())
        return false;
    if (ownValues.type == POP_PROFILE_NULL)
        ownValues = pop_profile_map_new();
    pop_profile_set(&ownValues, name.c_str(), detail::profileValue(value));
    return true;
}

inline ProfileValue getAsProfileValue(const OptionFlags &options)
{
    ProfileValue::Map map;
    for (const OptionFlags::OptionFlag &flag : options)
        map.insert(ProfileValue::Map::value_type(flag.first, flag.second));
    return map;
}

} // namespace poplar
#endif
