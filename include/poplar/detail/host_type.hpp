// SPDX-License-Identifier: Apache-2.0
// The element type of a value of the host, for calls that take values.
#ifndef POPLAR_DETAIL_HOST_TYPE_HPP
#define POPLAR_DETAIL_HOST_TYPE_HPP

#include <poplar/type.h>

#include <type_traits>

namespace poplar
{
namespace detail
{

// Specialised for a class that has the representation of an element type.
template <typename T, bool isEnum = std::is_enum<T>::value> struct HostType;
template <typename T> struct HostType<T, true> : HostType<typename std::underlying_type<T>::type> {
};
#define POPLAR_HOST_TYPE(T, constant)                                                                                  \
    template <> struct HostType<T, false> {                                                                            \
        static constexpr pop_type value = constant;                                                                    \
    };
POPLAR_HOST_TYPE(bool, POP_BOOL)
POPLAR_HOST_TYPE(char, POP_CHAR)
POPLAR_HOST_TYPE(signed char, POP_SIGNED_CHAR)
POPLAR_HOST_TYPE(unsigned char, POP_UNSIGNED_CHAR)
POPLAR_HOST_TYPE(short, POP_SHORT)
POPLAR_HOST_TYPE(unsigned short, POP_UNSIGNED_SHORT)
POPLAR_HOST_TYPE(int, POP_INT)
POPLAR_HOST_TYPE(unsigned int, POP_UNSIGNED_INT)
POPLAR_HOST_TYPE(long, POP_LONG)
POPLAR_HOST_TYPE(unsigned long, POP_UNSIGNED_LONG)
POPLAR_HOST_TYPE(long long, POP_LONGLONG)
POPLAR_HOST_TYPE(unsigned long long, POP_UNSIGNED_LONGLONG)
POPLAR_HOST_TYPE(float, POP_FLOAT)
POPLAR_HOST_TYPE(double, POP_DOUBLE)
#undef POPLAR_HOST_TYPE

// Whether T has such a type.
template <typename T> struct IsValue {
    template <typename U> static char test(decltype(HostType<U>::value) *);
    template <typename U> static long test(...);
    static constexpr bool value = sizeof(test<T>(nullptr)) == 1;
};
template <typename T> using IfValue = typename std::enable_if<IsValue<T>::value>::type;

} // namespace detail
} // namespace poplar
#endif
