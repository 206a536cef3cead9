// SPDX-License-Identifier: Apache-2.0
// half: IEEE binary16. It is a class, because clang 14 has no _Float16 for the host and rejects its operators next to
// those of classes. Each operation rounds to nearest even, with subnormals, infinities and NaN; results have the same
// bits with every compiler.
//
//     half op half is half; half op integer is half; half op float is float
#ifndef POPLAR_HALF_FLOAT_HPP
#define POPLAR_HALF_FLOAT_HPP

#include <poplar/detail/half_bits.hpp>

class half;

namespace poplar
{
namespace detail
{

template <class T> class Edge; // InOutTypes.hpp

// The result type of an operation on a half and a T; undefined if T is not arithmetic.
template <class T, bool Enum = __is_enum(T)> struct HalfWith {
};
template <class T> struct HalfWith<T, true> {
    typedef ::half type;
};
#define POPLAR_HALF_WITH(T, R)                                                                                         \
    template <> struct HalfWith<T, false> {                                                                            \
        typedef R type;                                                                                                \
    };
POPLAR_HALF_WITH(bool, ::half)
POPLAR_HALF_WITH(char, ::half)
POPLAR_HALF_WITH(signed char, ::half)
POPLAR_HALF_WITH(unsigned char, ::half)
POPLAR_HALF_WITH(short, ::half)
POPLAR_HALF_WITH(unsigned short, ::half)
POPLAR_HALF_WITH(int, ::half)
POPLAR_HALF_WITH(unsigned, ::half)
POPLAR_HALF_WITH(long, ::half)
POPLAR_HALF_WITH(unsigned long, ::half)
POPLAR_HALF_WITH(long long, ::half)
POPLAR_HALF_WITH(unsigned long long, ::half)
POPLAR_HALF_WITH(float, float)
POPLAR_HALF_WITH(double, double)
POPLAR_HALF_WITH(long double, long double)
#undef POPLAR_HALF_WITH

} // namespace detail
} // namespace poplar

class half
{
  public:
    half() = default;
    // The nearest half of a number.
    template <class T, class = typename poplar::detail::HalfWith<T>::type>
    constexpr half(T number) : value(poplar::detail::halfFrom(number))
    {
    }
    // The value; exact.
    constexpr operator float() const
    {
        return poplar::detail::halfToFloat(value);
    }
    // An edge converts to its element, which would be the second conversion.
    template <class T> half &operator=(const poplar::detail::Edge<T> &edge)
    {
        return *this = half(*edge);
    }

    // Conversion from and to the 16 bits.
    static constexpr half fromBits(uint16_t raw)
    {
        return half(raw, Raw());
    }
    // The raw bits.
    constexpr uint16_t bits() const
    {
        return value;
    }
    constexpr uint16_t bit16() const
    {
        return value;
    }

    // The value itself.
    friend constexpr half operator+(half a)
    {
        return a;
    }
    // The value with the other sign.
    friend constexpr half operator-(half a)
    {
        return half(static_cast<uint16_t>(a.value ^ 0x8000u), Raw());
    }
    half &operator++()
    {
        return *this = *this + half(1);
    }
    half &operator--()
    {
        return *this = *this - half(1);
    }
    half operator++(int)
    {
        half before = *this;
        ++*this;
        return before;
    }
    half operator--(int)
    {
        half before = *this;
        --*this;
        return before;
    }

// Comparisons convert to float.
#define POPLAR_HALF_WITH(A, B, op)                                                                                     \
    template <class T, class R = typename poplar::detail::HalfWith<T>::type> friend constexpr R operator op(A a, B b)  \
    {                                                                                                                  \
        return static_cast<R>(a) op static_cast<R>(b);                                                                 \
    }
#define POPLAR_HALF_BINARY(op)                                                                                         \
    friend constexpr half operator op(half a, half b)                                                                  \
    {                                                                                                                  \
        return half(static_cast<float>(a) op static_cast<float>(b));                                                   \
    }
#define POPLAR_HALF_UPDATE(op)                                                                                         \
    template <class T, class R = typename poplar::detail::HalfWith<T>::type> half &operator op##=(T b)                 \
    {                                                                                                                  \
        return *this = half(static_cast<R>(*this) op static_cast<R>(b));                                               \
    }
#define POPLAR_HALF_UPDATE_BY_HALF(op)                                                                                 \
    half &operator op##=(half b)                                                                                       \
    {                                                                                                                  \
        return *this = half(static_cast<float>(*this) op static_cast<float>(b));                                       \
    }
#define POPLAR_HALF_OPERATOR(op)                                                                                       \
    POPLAR_HALF_BINARY(op)                                                                                             \
    POPLAR_HALF_WITH(half, T, op)                                                                                      \
    POPLAR_HALF_WITH(T, half, op)                                                                                      \
    POPLAR_HALF_UPDATE(op)                                                                                             \
    POPLAR_HALF_UPDATE_BY_HALF(op)
    POPLAR_HALF_OPERATOR(+)
    POPLAR_HALF_OPERATOR(-)
    POPLAR_HALF_OPERATOR(*)
    POPLAR_HALF_OPERATOR(/)
#undef POPLAR_HALF_OPERATOR
#undef POPLAR_HALF_WITH
#undef POPLAR_HALF_BINARY
#undef POPLAR_HALF_UPDATE
#undef POPLAR_HALF_UPDATE_BY_HALF

  private:
    struct Raw {
    };
    constexpr half(uint16_t raw, Raw) : value(raw)
    {
    }

    uint16_t value;
};

#if defined(__has_include)
#if __has_include(<bits/c++config.h>)
// The specialisation of <limits>, which is not included because it would take longer to compile than all of this
// header.
namespace std
{
template <class T> struct numeric_limits;
template <> struct numeric_limits<half> {
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;
    static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true, has_denorm_loss = false;
    static constexpr bool is_iec559 = true, is_bounded = true, is_modulo = false, traps = false,
                          tinyness_before = false;
    static constexpr int digits = 11, digits10 = 3, max_digits10 = 5, radix = 2;
    static constexpr int min_exponent = -13, min_exponent10 = -4, max_exponent = 16, max_exponent10 = 4;
    static constexpr half min() noexcept
    {
        return half::fromBits(0x0400);
    }
    static constexpr half max() noexcept
    {
        return half::fromBits(0x7bff);
    }
    static constexpr half lowest() noexcept
    {
        return half::fromBits(0xfbff);
    }
    static constexpr half epsilon() noexcept
    {
        return half::fromBits(0x1400);
    }
    static constexpr half round_error() noexcept
    {
        return half::fromBits(0x3800);
    }
    static constexpr half infinity() noexcept
    {
        return half::fromBits(0x7c00);
    }
    static constexpr half quiet_NaN() noexcept
    {
        return half::fromBits(0x7e00);
    }
    static constexpr half signaling_NaN() noexcept
    {
        return half::fromBits(0x7d00);
    }
    static constexpr half denorm_min() noexcept
    {
        return half::fromBits(0x0001);
    }
};
} // namespace std
#endif
#endif

namespace poplar
{
using ::half;
} // namespace poplar

#ifdef __POPC__
#include <ipudef.h> // half2, half4
#else
#include <poplar/detail/half_type.hpp> // for calls on the host that take values
#endif
#endif
