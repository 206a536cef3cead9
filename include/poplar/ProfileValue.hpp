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

    ProfileValue() noexcept : kind(Type::NONE), as() {}
    template <typename T, typename std::enable_if<std::is_arithmetic<T>::value, int>::type = 0> ProfileValue(T value) : as() { setNumber(value); }
    template <int = 0> ProfileValue(const char *text) : ProfileValue(Type::STRING, new Text(text ? text : "")) {}
    template <int = 0> ProfileValue(String text) : ProfileValue(Type::STRING, new Text(std::move(text))) {}
    template <int = 0> ProfileValue(StringRef text) : ProfileValue(Type::STRING, new Text(text.cloneAsString())) {}
    template <typename List = Vector>
    ProfileValue(typename detail::Same<List>::type elements) : ProfileValue(Type::VECTOR, new Own<List>(std::move(elements)))
    {
    }
    template <typename List = Map, int = 0>
    ProfileValue(typename detail::Same<List>::type members) : ProfileValue(Type::MAP, new Own<List>(std::move(members)))
    {
    }
    ProfileValue(const ProfileValue &from) : kind(from.kind), as(from.as), shared(from.shared)
    {
        if (isList() && list()->copy)
            shared = detail::Handle(list()->copy(list()));
    }
    ProfileValue(ProfileValue &&from) noexcept : kind(from.kind), as(from.as), shared(static_cast<detail::Handle &&>(from.shared))
    {
        from.kind = Type::NONE;
    }
    ProfileValue &operator=(ProfileValue from) noexcept
    {
        kind = from.kind;
        as = from.as;
        shared = static_cast<detail::Handle &&>(from.shared);
        return *this;
    }
    // Takes over what C gave.
    explicit ProfileValue(const pop_profile_value &own) : ProfileValue() { look(detail::Handle(new Tree(own)), own); }
    // A value of C's, which the caller frees.
    template <int = 0> pop_profile_value c() const
    {
        switch (kind) {
        case Type::BOOL:
            return pop_profile_bool(as.boolean);
        case Type::INT:
            return pop_profile_int(as.integer);
        case Type::UINT:
            return pop_profile_uint(as.natural);
        case Type::DOUBLE:
            return pop_profile_double(as.real);
        case Type::STRING:
            return pop_profile_string(asString().c_str());
        case Type::VECTOR:
            return toVector(asVector());
        case Type::MAP:
            return toMap(asMap());
        case Type::NONE:
            break;
        }
        return pop_profile_value();
    }

    Type type() const { return kind; }
    bool isNumber() const { return kind == Type::INT || kind == Type::UINT || kind == Type::DOUBLE; }

    // The value as what it is: numbers convert to each other, anything else throws poplar_error.
    const String &asString() const { return need(Type::STRING), static_cast<const Text *>(shared.get())->text; }
    template <typename List = Vector> const List &asVector() const { return need(Type::VECTOR), own<List>(); }
    template <typename List = Vector> List &asVector() { return need(Type::VECTOR), own<List>(); }
    template <typename List = Map> const List &asMap() const { return need(Type::MAP), own<List>(); }
    template <typename List = Map> List &asMap() { return need(Type::MAP), own<List>(); }
    bool asBool() const { return need(Type::BOOL), as.boolean; }
    std::int64_t asInt() const { return number<std::int64_t>(); }
    std::uint64_t asUint() const { return number<std::uint64_t>(); }
    double asDouble() const { return number<double>(); }

    // Members of a map by name and elements of a vector by number; one that is not there throws.
    const ProfileValue &operator[](StringRef key) const
    {
        if (const ProfileValue *found = getOrNull(key))
            return *found;
        detail::raise(POP_POPLAR_ERROR, "the profile has no '%s' here", key.cloneAsString().c_str());
    }
    const ProfileValue &operator[](const char *key) const { return (*this)[StringRef(key)]; }
    template <typename I, typename std::enable_if<std::is_integral<I>::value, int>::type = 0> const ProfileValue &operator[](I index) const
    {
        need(Type::VECTOR);
        if (const ProfileValue *found = list()->find(list(), nullptr, static_cast<std::size_t>(index)))
            return *found;
        detail::raise(POP_INDEX_ERROR, "element %lld of a profile's vector of %zu", static_cast<long long>(index), size());
    }
    // The member of a map, or null.
    const ProfileValue *getOrNull(StringRef key) const { return kind == Type::MAP ? list()->find(list(), &key, 0) : nullptr; }
    std::size_t size() const { return isList() ? list()->size(list()) : 0; }

    // Of all numbers at and below this.
    template <int = 0> double sumDouble() const { return sum<double>(); }
    template <int = 0> std::int64_t sumInt() const { return sum<std::int64_t>(); }
    template <int = 0> std::uint64_t sumUint() const { return sum<std::uint64_t>(); }

    template <int = 0> friend bool operator==(const ProfileValue &a, const ProfileValue &b) { return equal(a, b); }
    template <int = 0> friend bool operator!=(const ProfileValue &a, const ProfileValue &b) { return !equal(a, b); }

private:
    struct Text : detail::Counted {
        explicit Text(std::string from) : Counted(end), text(std::move(from)) {}
        static void end(Counted *self) { delete static_cast<Text *>(self); }
        const std::string text;
    };
    // What a vector or a map keeps: what C gave, or the program's own std::vector or std::map.  Only who asks for these compiles them.
    struct List : detail::Counted {
        typedef const ProfileValue *Find(const List *list, const StringRef *key, std::size_t index);
        typedef std::size_t Size(const List *list);
        typedef List *Copy(const List *list);
        List(void (*last)(Counted *), Find *findIn, Size *sizeOf, Copy *copyOf) : Counted(last), find(findIn), size(sizeOf), copy(copyOf) {}

        Find *const find; // by key, or else by index; null when it is not there
        Size *const size;
        Copy *const copy; // null when copies may share it: nobody changes it
    };
    struct Tree : detail::Counted {
        explicit Tree(pop_profile_value from) : Counted(end), root(from) {}
        static void end(Counted *self) { delete static_cast<Tree *>(self); }
        detail::OwnedProfileValue root;
    };
    struct Given : List {
        Given(const detail::Handle &of, const pop_profile_value &from)
            : List(end, find, size, nullptr), tree(of), c(from), count(pop_profile_size(&from)), values(nullptr), asked(nullptr)
        {
        }
        Given(const Given &) = delete;
        Given &operator=(const Given &) = delete;
        ~Given()
        {
            const detail::Handle last(asked);
            delete[] values;
        }
        static void end(Counted *self) { delete static_cast<Given *>(self); }
        static std::size_t size(const List *list) { return static_cast<const Given *>(list)->count; }
        static const ProfileValue *find(const List *list, const StringRef *key, std::size_t index)
        {
            const Given *self = static_cast<const Given *>(list);
            if (!key)
                return index < self->count ? self->values + index : nullptr;
            std::size_t low = 0, high = self->count; // C sorts by keys
            while (low < high) {
                const std::size_t middle = low + (high - low) / 2;
                const StringRef other(pop_profile_key(&self->c, middle));
                if (other == *key)
                    return self->values + middle;
                if (other < *key)
                    low = middle + 1;
                else
                    high = middle;
            }
            return nullptr;
        }

        detail::Handle tree; // that c is a part of
        const pop_profile_value c;
        std::size_t count;
        ProfileValue *values;
        List *asked; // the std::vector or std::map of a value that may not change
    };
    template <typename T> struct Own : List {
        explicit Own(T from) : List(end, find, size, copy), value(std::move(from)) {}
        explicit Own(const Given &from) : Own(T()) { fill(value, from, 0); }
        static void end(Counted *self) { delete static_cast<Own *>(self); }
        static std::size_t size(const List *list) { return static_cast<const Own *>(list)->value.size(); }
        static List *copy(const List *list) { return new Own(static_cast<const Own *>(list)->value); }
        static const ProfileValue *find(const List *list, const StringRef *key, std::size_t index)
        {
            return lookUp(static_cast<const Own *>(list)->value, key, index, 0);
        }
        // Maps, which have a mapped_type, are taken before vectors.
        template <typename M, typename = typename M::mapped_type>
        static const ProfileValue *lookUp(const M &map, const StringRef *key, std::size_t, int)
        {
            const typename M::const_iterator found = map.find(key->cloneAsString());
            return found == map.end() ? nullptr : &found->second;
        }
        template <typename V> static const ProfileValue *lookUp(const V &vector, const StringRef *, std::size_t index, long)
        {
            return index < vector.size() ? &vector[index] : nullptr;
        }
        template <typename M, typename = typename M::mapped_type> static void fill(M &map, const Given &from, int)
        {
            for (std::size_t i = 0; i < from.count; ++i)
                map.insert(map.end(), typename M::value_type(pop_profile_key(&from.c, i), from.values[i]));
        }
        template <typename V> static void fill(V &vector, const Given &from, long) { vector.assign(from.values, from.values + from.count); }

        T value;
        detail::Handle before; // what C gave: the program may have references to it
    };

    ProfileValue(Type type, detail::Counted *own) : kind(type), as(), shared(own) {}
    // Into what C keeps: a part of a tree.
    void look(const detail::Handle &tree, const pop_profile_value &from)
    {
        kind = static_cast<Type>(from.type);
        if (kind == Type::STRING)
            shared = detail::Handle(new Text(from.as.string));
        else if (!isList())
            as.natural = from.as.natural;
        else {
            Given *given = new Given(tree, from);
            shared = detail::Handle(given);
            given->values = new ProfileValue[given->count];
            for (std::size_t i = 0; i < given->count; ++i)
                given->values[i].look(tree, kind == Type::MAP ? *pop_profile_item(&from, i) : *pop_profile_at(&from, i));
        }
    }
    bool isList() const { return kind == Type::VECTOR || kind == Type::MAP; }
    List *list() const { return static_cast<List *>(shared.get()); }

    template <typename T> T &own()
    {
        if (!list()->copy) {
            Own<T> *made = new Own<T>(*static_cast<Given *>(list()));
            made->before = shared;
            shared = detail::Handle(made);
        }
        return static_cast<Own<T> *>(list())->value;
    }
    // Of what several threads may read: the first one's stays.
    template <typename T> const T &own() const
    {
        if (list()->copy)
            return static_cast<Own<T> *>(list())->value;
        Given *given = static_cast<Given *>(list());
        List *asked = __atomic_load_n(&given->asked, __ATOMIC_ACQUIRE);
        if (!asked) {
            List *made = new Own<T>(*given);
            if (__atomic_compare_exchange_n(&given->asked, &asked, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
                asked = made;
            else
                made->destroy(made);
        }
        return static_cast<Own<T> *>(asked)->value;
    }

    void setNumber(bool value)
    {
        kind = Type::BOOL;
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
    template <typename T, typename V = Vector, typename M = Map> T sum() const
    {
        if (isNumber())
            return number<T>();
        T total = T();
        if (kind == Type::VECTOR)
            for (const ProfileValue &element : asVector<V>())
                total += element.sum<T>();
        if (kind == Type::MAP)
            for (const typename M::value_type &member : asMap<M>())
                total += member.second.template sum<T>();
        return total;
    }
    template <typename Value> static bool equal(const Value &a, const Value &b)
    {
        if (a.isNumber() && b.isNumber())
            return a.kind == Type::DOUBLE || b.kind == Type::DOUBLE ? a.asDouble() == b.asDouble()
                                                                    : a.as.natural == b.as.natural && a.negative() == b.negative();
        if (a.kind != b.kind)
            return false;
        return a.kind == Type::BOOL     ? a.as.boolean == b.as.boolean
               : a.kind == Type::STRING ? a.asString() == b.asString()
               : a.kind == Type::VECTOR ? a.asVector() == b.asVector()
               : a.kind == Type::MAP    ? a.asMap() == b.asMap()
                                        : true;
    }
    template <typename V> static pop_profile_value toVector(const V &elements)
    {
        pop_profile_value vector = pop_profile_vector_new();
        for (const ProfileValue &element : elements)
            pop_profile_push(&vector, element.c());
        return vector;
    }
    template <typename M> static pop_profile_value toMap(const M &members)
    {
        pop_profile_value map = pop_profile_map_new();
        for (const typename M::value_type &member : members)
            pop_profile_set(&map, member.first.c_str(), member.second.c());
        return map;
    }
    void need(Type wanted) const
    {
        static const char *const names[] = { "null", "a truth value", "an integer", "a natural number", "a number", "a string", "a vector", "a map" };
        if (kind != wanted)
            detail::raise(POP_POPLAR_ERROR, "the profile value is %s, not %s", names[static_cast<int>(kind)], names[static_cast<int>(wanted)]);
    }

    Type kind; // in the order of C's
    union {
        bool boolean;
        std::int64_t integer;
        std::uint64_t natural;
        double real;
    } as;
    detail::Handle shared; // a Text or a List
};

template <int = 0> void serializeToJSON(std::ostream &out, const ProfileValue &value, bool prettyPrint = false)
{
    const detail::OwnedProfileValue owned(value.c());
    detail::OutputFile file;
    pop_profile_write_json(file.c(), &owned.value, prettyPrint);
    file.send(out);
}
template <int = 0> void serializeToCBOR(std::ostream &out, const ProfileValue &value)
{
    const detail::OwnedProfileValue owned(value.c());
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
    pop_profile_set(&ownValues, name.c_str(), value.c());
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
