// SPDX-License-Identifier: Apache-2.0
// Profiles and debug information.
#ifndef POPLAR_IMPL_PROFILE_VALUE_HPP
#define POPLAR_IMPL_PROFILE_VALUE_HPP

#include <poplar/ProfileValue.hpp>
#include <poplar/impl/owned_profile_value.hpp>
#include <poplar/impl/text_file.hpp>
#include <poplar/text.h>

namespace poplar
{

namespace detail
{

inline pop_profile_value toC(const ProfileValue::Vector &elements)
{
    pop_profile_value vector = pop_profile_vector_new();
    for (const ProfileValue &element : elements)
        pop_profile_push(&vector, element.c());
    return vector;
}
inline pop_profile_value toC(const ProfileValue::Map &members)
{
    pop_profile_value map = pop_profile_map_new();
    for (const ProfileValue::Map::value_type &member : members)
        pop_profile_set(&map, member.first.c_str(), member.second.c());
    return map;
}

} // namespace detail

struct ProfileValue::Text : detail::Counted {
    explicit Text(std::string from) : Counted(end), text(std::move(from))
    {
    }
    static void end(Counted *self)
    {
        delete static_cast<Text *>(self);
    }
    const std::string text;
};
// The contents of a vector or a map: a C tree, or the program's own std::vector or std::map.
struct ProfileValue::List : detail::Counted {
    typedef const ProfileValue *Find(const List *list, const StringRef *key, std::size_t index);
    typedef std::size_t Size(const List *list);
    typedef List *Copy(const List *list);
    List(void (*last)(Counted *), Find *findIn, Size *sizeOf, Copy *copyOf)
        : Counted(last), find(findIn), size(sizeOf), copy(copyOf)
    {
    }

    Find *const find; // by key, or by index if that is null; returns null if there is none
    Size *const size;
    Copy *const copy; // null if copies may share it because it is constant
};
struct ProfileValue::Tree : detail::Counted {
    explicit Tree(pop_profile_value from) : Counted(end), root(from)
    {
    }
    static void end(Counted *self)
    {
        delete static_cast<Tree *>(self);
    }
    detail::OwnedProfileValue root;
};
struct ProfileValue::Given : List {
    Given(const detail::Handle &of, const pop_profile_value &from)
        : List(end, find, size, nullptr), tree(of), c(from), count(pop_profile_size(&from)), values(nullptr),
          asked(nullptr)
    {
    }
    Given(const Given &) = delete;
    Given &operator=(const Given &) = delete;
    ~Given()
    {
        const detail::Handle last(asked);
        delete[] values;
    }
    static void end(Counted *self)
    {
        delete static_cast<Given *>(self);
    }
    static std::size_t size(const List *list)
    {
        return static_cast<const Given *>(list)->count;
    }
    static const ProfileValue *find(const List *list, const StringRef *key, std::size_t index)
    {
        const Given *self = static_cast<const Given *>(list);
        if (!key)
            return index < self->count ? self->values + index : nullptr;
        std::size_t low = 0, high = self->count; // C trees are sorted by key
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

    detail::Handle tree; // which contains c
    const pop_profile_value c;
    std::size_t count;
    ProfileValue *values;
    List *asked; // the std::vector or std::map made for a const value
};
template <typename T> struct ProfileValue::Own : List {
    explicit Own(T from) : List(end, find, size, copy), value(std::move(from))
    {
    }
    explicit Own(const Given &from) : Own(T())
    {
        fill(value, from, 0);
    }
    static void end(Counted *self)
    {
        delete static_cast<Own *>(self);
    }
    static std::size_t size(const List *list)
    {
        return static_cast<const Own *>(list)->value.size();
    }
    static List *copy(const List *list)
    {
        return new Own(static_cast<const Own *>(list)->value);
    }
    static const ProfileValue *find(const List *list, const StringRef *key, std::size_t index)
    {
        return lookUp(static_cast<const Own *>(list)->value, key, index, 0);
    }
    // The overload for maps, which have a mapped_type, is preferred to that for vectors.
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
    template <typename V> static void fill(V &vector, const Given &from, long)
    {
        vector.assign(from.values, from.values + from.count);
    }

    T value;
    detail::Handle before; // the C tree: the program may have references to it
};

template <typename T> T &ProfileValue::own()
{
    if (!list()->copy) {
        Own<T> *made = new Own<T>(*static_cast<Given *>(list()));
        made->before = shared;
        shared = detail::Handle(made);
    }
    return static_cast<Own<T> *>(list())->value;
}
// Several threads may create the list; the first one's is kept.
template <typename T> const T &ProfileValue::own() const
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

template <typename T> T ProfileValue::number() const
{
    if (kind == Type::INT)
        return static_cast<T>(as.integer);
    if (kind == Type::UINT)
        return static_cast<T>(as.natural);
    return need(Type::DOUBLE), static_cast<T>(as.real);
}
template <typename T> T ProfileValue::sum() const
{
    if (isNumber())
        return number<T>();
    T total = T();
    if (kind == Type::VECTOR)
        for (const ProfileValue &element : asVector())
            total += element.sum<T>();
    if (kind == Type::MAP)
        for (const Map::value_type &member : asMap())
            total += member.second.sum<T>();
    return total;
}
POPLAR_IMPL void ProfileValue::setNumber(float value)
{
    kind = Type::DOUBLE;
    as.real = static_cast<double>(value);
    for (int digits = 6; digits < 9; ++digits) { // nine always suffice, and give the value itself
        char text[POP_TEXT_DOUBLE];
        pop_text_format(text, sizeof(text), "%.*g", digits, static_cast<double>(value));
        const double read = pop_text_to_double(text, nullptr);
        if (static_cast<float>(read) == value) {
            as.real = read;
            return;
        }
    }
}
POPLAR_IMPL ProfileValue::ProfileValue(const ProfileValue &from) : kind(from.kind), as(from.as), shared(from.shared)
{
    if (isList() && list()->copy)
        shared = detail::Handle(list()->copy(list()));
}
POPLAR_IMPL ProfileValue::ProfileValue(ProfileValue &&from) noexcept
    : kind(from.kind), as(from.as), shared(static_cast<detail::Handle &&>(from.shared))
{
    from.kind = Type::NONE;
}
POPLAR_IMPL ProfileValue &ProfileValue::operator=(ProfileValue from) noexcept
{
    kind = from.kind;
    as = from.as;
    shared = static_cast<detail::Handle &&>(from.shared);
    return *this;
}
POPLAR_IMPL ProfileValue::ProfileValue(const pop_profile_value &own) : ProfileValue()
{
    look(detail::Handle(new Tree(own)), own);
}
POPLAR_IMPL pop_profile_value ProfileValue::c() const
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
        return detail::toC(asVector());
    case Type::MAP:
        return detail::toC(asMap());
    case Type::NONE:
        break;
    }
    return pop_profile_value();
}
POPLAR_IMPL const ProfileValue::String &ProfileValue::asString() const
{
    return need(Type::STRING), static_cast<const Text *>(shared.get())->text;
}
POPLAR_IMPL const ProfileValue::Vector &ProfileValue::asVector() const
{
    return need(Type::VECTOR), own<Vector>();
}
POPLAR_IMPL ProfileValue::Vector &ProfileValue::asVector()
{
    return need(Type::VECTOR), own<Vector>();
}
POPLAR_IMPL const ProfileValue::Map &ProfileValue::asMap() const
{
    return need(Type::MAP), own<Map>();
}
POPLAR_IMPL ProfileValue::Map &ProfileValue::asMap()
{
    return need(Type::MAP), own<Map>();
}
POPLAR_IMPL bool ProfileValue::asBool() const
{
    return need(Type::BOOL), as.boolean;
}
POPLAR_IMPL std::int64_t ProfileValue::asInt() const
{
    return number<std::int64_t>();
}
POPLAR_IMPL std::uint64_t ProfileValue::asUint() const
{
    return number<std::uint64_t>();
}
POPLAR_IMPL double ProfileValue::asDouble() const
{
    return number<double>();
}
POPLAR_IMPL const ProfileValue *ProfileValue::getOrNull(StringRef key) const
{
    return kind == Type::MAP ? list()->find(list(), &key, 0) : nullptr;
}
POPLAR_IMPL std::size_t ProfileValue::size() const
{
    return isList() ? list()->size(list()) : 0;
}
POPLAR_IMPL double ProfileValue::sumDouble() const
{
    return sum<double>();
}
POPLAR_IMPL std::int64_t ProfileValue::sumInt() const
{
    return sum<std::int64_t>();
}
POPLAR_IMPL std::uint64_t ProfileValue::sumUint() const
{
    return sum<std::uint64_t>();
}
POPLAR_IMPL void ProfileValue::keep(String &&text)
{
    kind = Type::STRING;
    shared = detail::Handle(new Text(std::move(text)));
}
POPLAR_IMPL void ProfileValue::keep(Vector &&elements)
{
    kind = Type::VECTOR;
    shared = detail::Handle(new Own<Vector>(std::move(elements)));
}
POPLAR_IMPL void ProfileValue::keep(Map &&members)
{
    kind = Type::MAP;
    shared = detail::Handle(new Own<Map>(std::move(members)));
}
POPLAR_IMPL const ProfileValue &ProfileValue::element(long long index) const
{
    need(Type::VECTOR);
    if (const ProfileValue *found = list()->find(list(), nullptr, static_cast<std::size_t>(index)))
        return *found;
    detail::raise(POP_INDEX_ERROR, "element %lld of a profile's vector of %zu", index, size());
}
POPLAR_IMPL void ProfileValue::look(const detail::Handle &tree, const pop_profile_value &from)
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
POPLAR_IMPL ProfileValue::List *ProfileValue::list() const
{
    return static_cast<List *>(shared.get());
}
POPLAR_IMPL bool ProfileValue::equal(const ProfileValue &b) const
{
    if (isNumber() && b.isNumber())
        return kind == Type::DOUBLE || b.kind == Type::DOUBLE
                   ? asDouble() == b.asDouble()
                   : as.natural == b.as.natural && negative() == b.negative();
    if (kind != b.kind)
        return false;
    return kind == Type::BOOL     ? as.boolean == b.as.boolean
           : kind == Type::STRING ? asString() == b.asString()
           : kind == Type::VECTOR ? asVector() == b.asVector()
           : kind == Type::MAP    ? asMap() == b.asMap()
                                  : true;
}
POPLAR_IMPL void ProfileValue::need(Type wanted) const
{
    static const char *const names[] = { "null",     "a truth value", "an integer", "a natural number",
                                         "a number", "a string",      "a vector",   "a map" };
    if (kind != wanted)
        detail::raise(POP_POPLAR_ERROR, "the profile value is %s, not %s", names[static_cast<int>(kind)],
                      names[static_cast<int>(wanted)]);
}
POPLAR_IMPL ProfileValue::~ProfileValue()
{
}
POPLAR_IMPL const ProfileValue &ProfileValue::operator[](StringRef key) const
{
    if (const ProfileValue *found = getOrNull(key))
        return *found;
    detail::raise(POP_POPLAR_ERROR, "the profile has no '%s' here", key.cloneAsString().c_str());
}

POPLAR_IMPL void serializeToJSON(std::ostream &out, const ProfileValue &value, bool prettyPrint)
{
    const detail::OwnedProfileValue owned(value.c());
    detail::OutputFile file;
    pop_profile_write_json(file.c(), &owned.value, prettyPrint);
    file.send(out);
}
POPLAR_IMPL void serializeToCBOR(std::ostream &out, const ProfileValue &value)
{
    const detail::OwnedProfileValue owned(value.c());
    detail::OutputFile file;
    pop_profile_write_cbor(file.c(), &owned.value);
    file.send(out);
}

POPLAR_IMPL bool DebugInfo::setValue(const std::string &name, const ProfileValue &value)
{
    if (ownValues.type == POP_PROFILE_NULL)
        ownValues = pop_profile_map_new();
    pop_profile_set(&ownValues, name.c_str(), value.c());
    return pop_debug_is_open();
}

POPLAR_IMPL ProfileValue getAsProfileValue(const OptionFlags &options)
{
    ProfileValue::Map map;
    for (const OptionFlags::OptionFlag &flag : options)
        map.insert(ProfileValue::Map::value_type(flag.first, flag.second));
    return map;
}

} // namespace poplar
#endif
