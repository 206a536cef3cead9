// SPDX-License-Identifier: Apache-2.0
// What profiles and debug information are made of: trees of truth values, numbers, strings, vectors and maps.
#ifndef POPLAR_PROFILE_VALUE_HPP
#define POPLAR_PROFILE_VALUE_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/OptionFlags.hpp>

#include <map>
#include <type_traits>

namespace poplar {

namespace detail {

// What a ProfileValue keeps.  A template, as are most of that class's members: so programs that have none do not compile maps and vectors of them.
template <typename Value> struct ProfileData {
    typedef std::vector<Value> Vector;
    typedef std::map<std::string, Value> Map;

    ProfileData() : kind(Value::Type::NONE) { as.natural = 0; }
    ProfileData(const ProfileData &from) : kind(from.kind), as(from.as)
    {
        if (kind == Value::Type::STRING)
            as.string = new std::string(*from.as.string);
        else if (kind == Value::Type::VECTOR)
            as.vector = new Vector(*from.as.vector);
        else if (kind == Value::Type::MAP)
            as.map = new Map(*from.as.map);
    }
    ProfileData(ProfileData &&from) noexcept : kind(from.kind), as(from.as) { from.kind = Value::Type::NONE; }
    ProfileData &operator=(ProfileData from) noexcept
    {
        const ProfileData mine(static_cast<ProfileData &&>(*this)); // ends here
        kind = from.kind;
        as = from.as;
        from.kind = Value::Type::NONE;
        return *this;
    }
    ~ProfileData()
    {
        if (kind == Value::Type::STRING)
            delete as.string;
        else if (kind == Value::Type::VECTOR)
            delete as.vector;
        else if (kind == Value::Type::MAP)
            delete as.map;
    }

    const Value *find(const std::string &key) const
    {
        if (kind != Value::Type::MAP)
            return nullptr;
        const typename Map::const_iterator found = as.map->find(key);
        return found == as.map->end() ? nullptr : &found->second;
    }
    std::size_t size() const { return kind == Value::Type::VECTOR ? as.vector->size() : kind == Value::Type::MAP ? as.map->size() : 0; }
    // Of what is below.
    template <typename T> T sum() const
    {
        T total = T();
        if (kind == Value::Type::VECTOR)
            for (const Value &element : *as.vector)
                total += element.template sum<T>();
        if (kind == Value::Type::MAP)
            for (const typename Map::value_type &member : *as.map)
                total += member.second.template sum<T>();
        return total;
    }
    // Of what is no number.
    static bool equal(const ProfileData &a, const ProfileData &b)
    {
        if (a.kind != b.kind)
            return false;
        return a.kind == Value::Type::BOOL     ? a.as.boolean == b.as.boolean
               : a.kind == Value::Type::STRING ? *a.as.string == *b.as.string
               : a.kind == Value::Type::VECTOR ? *a.as.vector == *b.as.vector
               : a.kind == Value::Type::MAP    ? *a.as.map == *b.as.map
                                               : true;
    }

    typename Value::Type kind;
    union {
        bool boolean;
        std::int64_t integer;
        std::uint64_t natural;
        double real;
        std::string *string;
        Vector *vector;
        Map *map;
    } as;
};

} // namespace detail

class ProfileValue {
    friend struct detail::ProfileData<ProfileValue>;

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

    ProfileValue() = default; // copies and ends as what it keeps does
    template <typename T, typename std::enable_if<std::is_arithmetic<T>::value, int>::type = 0> ProfileValue(T value) { setNumber(value); }
    template <int = 0> ProfileValue(const char *text) { setString(new String(text ? text : "")); }
    template <int = 0> ProfileValue(String text) { setString(new String(std::move(text))); }
    template <int = 0> ProfileValue(StringRef text) { setString(new String(text.cloneAsString())); }
    template <int = 0> ProfileValue(Vector elements)
    {
        data.as.vector = new Vector(std::move(elements));
        data.kind = Type::VECTOR;
    }
    template <int = 0> ProfileValue(Map members)
    {
        data.as.map = new Map(std::move(members));
        data.kind = Type::MAP;
    }

    Type type() const { return data.kind; }
    bool isNumber() const { return data.kind == Type::INT || data.kind == Type::UINT || data.kind == Type::DOUBLE; }

    // The value as what it is: numbers convert to each other, anything else throws poplar_error.
    const String &asString() const { return need(Type::STRING), *data.as.string; }
    const Vector &asVector() const { return need(Type::VECTOR), *data.as.vector; }
    Vector &asVector() { return need(Type::VECTOR), *data.as.vector; }
    const Map &asMap() const { return need(Type::MAP), *data.as.map; }
    Map &asMap() { return need(Type::MAP), *data.as.map; }
    bool asBool() const { return need(Type::BOOL), data.as.boolean; }
    std::int64_t asInt() const { return number<std::int64_t>(); }
    std::uint64_t asUint() const { return number<std::uint64_t>(); }
    double asDouble() const { return number<double>(); }

    // Members of a map by name and elements of a vector by number; one that is not there throws.
    template <int = 0> const ProfileValue &operator[](StringRef key) const
    {
        if (const ProfileValue *found = getOrNull(key))
            return *found;
        detail::raise(POP_POPLAR_ERROR, "the profile has no '%s' here", key.cloneAsString().c_str());
    }
    template <int = 0> const ProfileValue &operator[](const char *key) const { return (*this)[StringRef(key)]; }
    template <typename I, typename std::enable_if<std::is_integral<I>::value, int>::type = 0> const ProfileValue &operator[](I index) const
    {
        const Vector &list = asVector();
        if (static_cast<std::size_t>(index) >= list.size())
            detail::raise(POP_INDEX_ERROR, "element %lld of a profile's vector of %zu", static_cast<long long>(index), list.size());
        return list[static_cast<std::size_t>(index)];
    }
    // The member of a map, or null.
    template <int = 0> const ProfileValue *getOrNull(StringRef key) const
    {
        return data.find(key.cloneAsString());
    }
    template <int = 0> std::size_t size() const { return data.size(); }

    // Of all numbers at and below this.
    template <int = 0> double sumDouble() const { return sum<double>(); }
    template <int = 0> std::int64_t sumInt() const { return sum<std::int64_t>(); }
    template <int = 0> std::uint64_t sumUint() const { return sum<std::uint64_t>(); }

    template <int = 0> friend bool operator==(const ProfileValue &a, const ProfileValue &b)
    {
        if (a.isNumber() && b.isNumber())
            return a.data.kind == Type::DOUBLE || b.data.kind == Type::DOUBLE ? a.asDouble() == b.asDouble()
                                                                              : a.data.as.natural == b.data.as.natural && a.negative() == b.negative();
        return detail::ProfileData<ProfileValue>::equal(a.data, b.data);
    }
    template <int = 0> friend bool operator!=(const ProfileValue &a, const ProfileValue &b) { return !(a == b); }

private:
    void setString(String *own)
    {
        data.as.string = own;
        data.kind = Type::STRING;
    }
    void setNumber(bool value)
    {
        data.kind = Type::BOOL;
        data.as.natural = 0;
        data.as.boolean = value;
    }
    template <typename T> typename std::enable_if<std::is_floating_point<T>::value>::type setNumber(T value)
    {
        data.kind = Type::DOUBLE;
        data.as.real = static_cast<double>(value);
    }
    template <typename T> typename std::enable_if<std::is_integral<T>::value>::type setNumber(T value)
    {
        data.kind = std::is_signed<T>::value ? Type::INT : Type::UINT;
        data.as.natural = static_cast<std::uint64_t>(value);
    }
    bool negative() const { return data.kind == Type::INT && data.as.integer < 0; }
    template <typename T> T number() const
    {
        if (data.kind == Type::INT)
            return static_cast<T>(data.as.integer);
        if (data.kind == Type::UINT)
            return static_cast<T>(data.as.natural);
        return need(Type::DOUBLE), static_cast<T>(data.as.real);
    }
    template <typename T> T sum() const
    {
        return isNumber() ? number<T>() : data.template sum<T>();
    }
    void need(Type wanted) const
    {
        static const char *const names[] = { "null", "a truth value", "an integer", "a natural number", "a number", "a string", "a vector", "a map" };
        if (data.kind != wanted)
            detail::raise(POP_POPLAR_ERROR, "the profile value is %s, not %s", names[static_cast<int>(data.kind)], names[static_cast<int>(wanted)]);
    }

    detail::ProfileData<ProfileValue> data;
};

namespace detail {

// From and to C's values.
template <typename Value = ProfileValue> Value profileValue(const pop_profile_value &from)
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
        typename Value::Vector list(pop_profile_size(&from));
        for (std::size_t i = 0; i < list.size(); ++i)
            list[i] = profileValue<Value>(*pop_profile_at(&from, i));
        return list;
    }
    case POP_PROFILE_MAP: {
        typename Value::Map map;
        for (std::size_t i = 0; i < pop_profile_size(&from); ++i)
            map.insert(typename Value::Map::value_type(pop_profile_key(&from, i), profileValue<Value>(*pop_profile_item(&from, i))));
        return map;
    }
    case POP_PROFILE_NULL:
        break;
    }
    return Value();
}
template <typename Value> pop_profile_value profileValueOfC(const Value &from)
{
    switch (from.type()) {
    case Value::Type::BOOL:
        return pop_profile_bool(from.asBool());
    case Value::Type::INT:
        return pop_profile_int(from.asInt());
    case Value::Type::UINT:
        return pop_profile_uint(from.asUint());
    case Value::Type::DOUBLE:
        return pop_profile_double(from.asDouble());
    case Value::Type::STRING:
        return pop_profile_string(from.asString().c_str());
    case Value::Type::VECTOR: {
        pop_profile_value list = pop_profile_vector_new();
        for (const Value &element : from.asVector())
            pop_profile_push(&list, profileValueOfC(element));
        return list;
    }
    case Value::Type::MAP: {
        pop_profile_value map = pop_profile_map_new();
        for (const typename Value::Map::value_type &member : from.asMap())
            pop_profile_set(&map, member.first.c_str(), profileValueOfC(member.second));
        return map;
    }
    case Value::Type::NONE:
        break;
    }
    return pop_profile_value();
}

} // namespace detail

template <int = 0> void serializeToJSON(std::ostream &out, const ProfileValue &value, bool prettyPrint = false)
{
    const detail::OwnedProfileValue owned(detail::profileValueOfC(value));
    detail::OutputFile file;
    pop_profile_write_json(file.c(), &owned.value, prettyPrint);
    file.send(out);
}
template <int = 0> void serializeToCBOR(std::ostream &out, const ProfileValue &value)
{
    const detail::OwnedProfileValue owned(detail::profileValueOfC(value));
    detail::OutputFile file;
    pop_profile_write_cbor(file.c(), &owned.value);
    file.send(out);
}

template <int> bool DebugInfo::setValue(const std::string &name, const ProfileValue &value)
{
    if (!pop_debug_is_open())
        return false;
    if (ownValues.type == POP_PROFILE_NULL)
        ownValues = pop_profile_map_new();
    pop_profile_set(&ownValues, name.c_str(), detail::profileValueOfC(value));
    return true;
}

template <typename Value> Value getAsProfileValue(const OptionFlags &options)
{
    typename Value::Map map;
    for (const OptionFlags::OptionFlag &flag : options)
        map.insert(typename Value::Map::value_type(flag.first, flag.second));
    return map;
}

} // namespace poplar
#endif
