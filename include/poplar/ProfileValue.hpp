// SPDX-License-Identifier: Apache-2.0
// Values of profiles and debug information: trees of Booleans, numbers, strings, vectors and maps.
#ifndef POPLAR_PROFILE_VALUE_HPP
#define POPLAR_PROFILE_VALUE_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/detail/compiled.hpp>

#include <map>
#include <type_traits>

namespace poplar
{

// A value of a profile: null, a number, a text, a vector or a map of values.
class POP_API ProfileValue
{
  public:
    typedef bool Boolean;                            // What BOOL holds.
    typedef double Number;                           // What asDouble gives.
    typedef std::string String;                      // What STRING holds.
    typedef std::vector<ProfileValue> Vector;        // What VECTOR holds.
    typedef std::map<std::string, ProfileValue> Map; // What MAP holds.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" // names in a scope of their own, which gcc compares with the element types
    enum class Type { NONE, BOOL, INT, UINT, DOUBLE, STRING, VECTOR, MAP };
#pragma GCC diagnostic pop

    ProfileValue() noexcept : kind(Type::NONE), as()
    {
    }
    // A value of a number, a text, a vector or a map.
    template <typename T, typename std::enable_if<std::is_arithmetic<T>::value, int>::type = 0>
    ProfileValue(T value) : as()
    {
        setNumber(value);
    }
    // Templates, so that overload resolution prefers the copy constructor.
    template <int = 0> ProfileValue(const char *text) : ProfileValue()
    {
        keep(String(text ? text : ""));
    }
    template <int = 0> ProfileValue(String text) : ProfileValue()
    {
        keep(std::move(text));
    }
    template <int = 0> ProfileValue(StringRef text) : ProfileValue()
    {
        keep(text.cloneAsString());
    }
    template <typename List = Vector> ProfileValue(typename detail::Same<List>::type elements) : ProfileValue()
    {
        keep(std::move(elements));
    }
    template <typename List = Map, int = 0> ProfileValue(typename detail::Same<List>::type members) : ProfileValue()
    {
        keep(std::move(members));
    }
    ProfileValue(const ProfileValue &from);
    ProfileValue(ProfileValue &&from) noexcept;
    ProfileValue &operator=(ProfileValue from) noexcept;
    ~ProfileValue();
    // Takes ownership of a C value.
    explicit ProfileValue(const pop_profile_value &own);
    // A new C value, which the caller frees.
    pop_profile_value c() const;

    // The kind of the value.
    Type type() const
    {
        return kind;
    }
    // Whether it is INT, UINT or DOUBLE.
    bool isNumber() const
    {
        return kind == Type::INT || kind == Type::UINT || kind == Type::DOUBLE;
    }

    // The value as the given type: numbers convert to each other; any other conversion throws poplar_error.
    const String &asString() const;
    // The elements; throws for other kinds.
    const Vector &asVector() const;
    Vector &asVector();
    // The members; throws for other kinds.
    const Map &asMap() const;
    Map &asMap();
    // The value of a BOOL; throws for other kinds.
    bool asBool() const;
    // A number as an integer; throws for other kinds.
    std::int64_t asInt() const;
    // A number as an unsigned integer; throws for other kinds.
    std::uint64_t asUint() const;
    // A number as a double; throws for other kinds.
    double asDouble() const;

    // Members of a map by name and elements of a vector by index; throws if there is none.
    const ProfileValue &operator[](StringRef key) const;
    const ProfileValue &operator[](const char *key) const
    {
        return (*this)[StringRef(key)];
    }
    template <typename I, typename std::enable_if<std::is_integral<I>::value, int>::type = 0>
    const ProfileValue &operator[](I index) const
    {
        return element(static_cast<long long>(index));
    }
    // The member of a map, or null.
    const ProfileValue *getOrNull(StringRef key) const;
    std::size_t size() const;

    // The sum of all numbers in this tree.
    double sumDouble() const;
    // Sum of all integers in the tree.
    std::int64_t sumInt() const;
    // Sum of all unsigned integers in the tree.
    std::uint64_t sumUint() const;

    friend bool operator==(const ProfileValue &a, const ProfileValue &b)
    {
        return a.equal(b);
    }
    friend bool operator!=(const ProfileValue &a, const ProfileValue &b)
    {
        return !a.equal(b);
    }

  private:
    struct Text;
    struct List;
    struct Tree;
    struct Given;
    template <typename T> struct Own;

    void keep(String &&text);
    void keep(Vector &&elements);
    void keep(Map &&members);
    const ProfileValue &element(long long index) const;
    // A borrowed part of a C tree.
    void look(const detail::Handle &tree, const pop_profile_value &from);
    bool isList() const
    {
        return kind == Type::VECTOR || kind == Type::MAP;
    }
    List *list() const;

    template <typename T> T &own();
    template <typename T> const T &own() const;

    void setNumber(bool value)
    {
        kind = Type::BOOL;
        as.boolean = value;
    }
    // The double whose text is the shortest one of the float: 0.0123 for 0.0123f, not 0.012299999594688416.
    void setNumber(float value);
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
    bool negative() const
    {
        return kind == Type::INT && as.integer < 0;
    }
    template <typename T> T number() const;
    template <typename T> T sum() const;
    bool equal(const ProfileValue &b) const;
    void need(Type wanted) const;

    Type kind; // in the order of the C enum
    union {
        bool boolean;
        std::int64_t integer;
        std::uint64_t natural;
        double real;
    } as;
    detail::Handle shared; // a Text or a List
};

// Writes JSON.
POP_API void serializeToJSON(std::ostream &out, const ProfileValue &value, bool prettyPrint = false);
// Writes CBOR.
POP_API void serializeToCBOR(std::ostream &out, const ProfileValue &value);

// Options as a map of strings.
POP_API ProfileValue getAsProfileValue(const OptionFlags &options);

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/ProfileValue.hpp>
#endif
#endif
