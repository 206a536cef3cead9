// SPDX-License-Identifier: Apache-2.0
// Element types of device data.
#ifndef POPLAR_TYPE_HPP
#define POPLAR_TYPE_HPP

#include <poplar/StringRef.hpp>
#include <poplar/type.h>

#include <string> // and std::hash

namespace poplar
{

// An element type of tensors.
class Type
{
  public:
    constexpr Type() : type(POP_TYPE_NULL)
    {
    }
    constexpr explicit Type(pop_type of) : type(of)
    {
    }

    // The C++ spelling, which vertex names use: "unsigned int".
    std::string toString() const
    {
        return pop_type_name(type);
    }
    bool isFloatingPoint() const
    {
        return pop_type_is_floating_point(type);
    }
    // Whether elements have metadata: 8-bit floats.
    bool requiresMetadata() const
    {
        return type == POP_QUARTER;
    }
    std::size_t hash() const
    {
        return static_cast<std::size_t>(type);
    }
    constexpr pop_type c() const
    {
        return type;
    } // the C interface's

    friend constexpr bool operator==(Type a, Type b)
    {
        return a.type == b.type;
    }
    friend constexpr bool operator!=(Type a, Type b)
    {
        return a.type != b.type;
    }
    friend constexpr bool operator<(Type a, Type b)
    {
        return a.type < b.type;
    }

  private:
    pop_type type;
};

inline std::ostream &operator<<(std::ostream &out, const Type &type)
{
    return out << pop_type_name(type.c());
}
inline std::size_t hash_value(const Type &type)
{
    return type.hash();
}

// Variables as Poplar's, which programs take references and addresses of.  They are initialised when a program is
// compiled, so that initialisers at file scope may use them, and there is one of each in a program.
#if __cplusplus >= 201703L
#define POPLAR_TYPE_VARIABLE inline Type
#else
#define POPLAR_TYPE_VARIABLE __attribute__((weak)) Type
#endif
#define POP_ELEMENT_TYPE(constant, spelling, bytes, kind) POPLAR_TYPE_VARIABLE constant(POP_##constant);
#include <poplar/types.def>
#undef POP_ELEMENT_TYPE
// Other names of types.
POPLAR_TYPE_VARIABLE SIGNED_SHORT(POP_SHORT), SIGNED_INT(POP_INT), SIGNED(POP_INT), UNSIGNED(POP_UNSIGNED_INT),
    SIGNED_LONG(POP_LONG), SIGNED_LONGLONG(POP_LONGLONG);
#undef POPLAR_TYPE_VARIABLE

// The element type of a host type: equivalent_device_type<float>().value is FLOAT.  half is specialised in its header.
template <typename T> struct equivalent_device_type;
#define POPLAR_DECLARE_EQUIV_TYPE(HostType, DeviceType)                                                                \
    template <> struct equivalent_device_type<HostType> {                                                              \
        const ::poplar::Type &value;                                                                                   \
        equivalent_device_type() : value(DeviceType)                                                                   \
        {                                                                                                              \
        }                                                                                                              \
    };

POPLAR_DECLARE_EQUIV_TYPE(bool, BOOL)
POPLAR_DECLARE_EQUIV_TYPE(char, CHAR)
POPLAR_DECLARE_EQUIV_TYPE(signed char, SIGNED_CHAR)
POPLAR_DECLARE_EQUIV_TYPE(unsigned char, UNSIGNED_CHAR)
POPLAR_DECLARE_EQUIV_TYPE(short, SHORT)
POPLAR_DECLARE_EQUIV_TYPE(unsigned short, UNSIGNED_SHORT)
POPLAR_DECLARE_EQUIV_TYPE(int, INT)
POPLAR_DECLARE_EQUIV_TYPE(unsigned int, UNSIGNED_INT)
POPLAR_DECLARE_EQUIV_TYPE(long, LONG)
POPLAR_DECLARE_EQUIV_TYPE(unsigned long, UNSIGNED_LONG)
POPLAR_DECLARE_EQUIV_TYPE(long long, LONGLONG)
POPLAR_DECLARE_EQUIV_TYPE(unsigned long long, UNSIGNED_LONGLONG)
POPLAR_DECLARE_EQUIV_TYPE(float, FLOAT)
POPLAR_DECLARE_EQUIV_TYPE(double, DOUBLE)

} // namespace poplar

namespace std
{
template <> struct hash<poplar::Type> {
    size_t operator()(const poplar::Type &type) const
    {
        return type.hash();
    }
};
} // namespace std
#endif
