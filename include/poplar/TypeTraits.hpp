// SPDX-License-Identifier: Apache-2.0
// Properties of a host type.
#ifndef POPLAR_TYPE_TRAITS_HPP
#define POPLAR_TYPE_TRAITS_HPP

#include <cstddef>
#include <type_traits>

namespace poplar
{

namespace detail
{

// half, if it is declared, has a specialisation of its own.
template <typename T> struct IsSimple {
    static constexpr bool value = std::is_arithmetic<T>::value;
};

} // namespace detail

struct TypeTraits {
    std::size_t size, align; // bytes
    bool isFloat, isSigned;  // whether values are real numbers, and whether they have a sign

    // Whether the type can be an element type of device data: numbers and bool.
    template <typename T> static constexpr bool isSimpleType()
    {
        return detail::IsSimple<typename std::remove_cv<T>::type>::value;
    }
    // The traits of a host type.
    template <typename T> static constexpr TypeTraits make()
    {
        return TypeTraits{ sizeof(T), alignof(T), isSimpleType<T>() && !std::is_integral<T>::value,
                           isSimpleType<T>() && !std::is_unsigned<T>::value };
    }

    friend constexpr bool operator==(const TypeTraits &a, const TypeTraits &b)
    {
        return a.size == b.size && a.align == b.align && a.isFloat == b.isFloat && a.isSigned == b.isSigned;
    }
    friend constexpr bool operator!=(const TypeTraits &a, const TypeTraits &b)
    {
        return !(a == b);
    }
};

} // namespace poplar
#endif
