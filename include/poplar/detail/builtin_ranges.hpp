// SPDX-License-Identifier: Apache-2.0
// Builtins of floats and halves (ipu_builtins.h): limits, integral values, the greater half, classes.
#ifndef POPLAR_DETAIL_BUILTIN_RANGES_HPP
#define POPLAR_DETAIL_BUILTIN_RANGES_HPP

#include <poplar/detail/builtin_floats.hpp>

namespace poplar
{
namespace detail
{

// A NaN stays NaN.
inline float clampTo(float x, float lower, float upper)
{
    const float least = x < lower ? lower : x;
    return least > upper ? upper : least;
}
inline half greater(half x, half y)
{
    return static_cast<float>(x) >= static_cast<float>(y) || y != y ? x : y;
}
// 1, 2: signalling and quiet NaN; 3 to 6: negative, of infinity to denormals, 5 being zero; 7 to 10: positive, of zero
// to infinity.
inline unsigned classOf(uint32_t bits, unsigned exponentBits, unsigned fractionBits)
{
    const uint32_t fraction = bits & ((1u << fractionBits) - 1), all = (1u << exponentBits) - 1,
                   exponent = bits >> fractionBits & all;
    const bool negative = bits >> (exponentBits + fractionBits) & 1;
    return exponent == all && fraction ? (fraction >> (fractionBits - 1) ? 2 : 1)
           : exponent == all           ? (negative ? 3 : 10)
           : exponent                  ? (negative ? 4 : 9)
           : fraction                  ? (negative ? 6 : 8)
                                       : (negative ? 5 : 7);
}
inline unsigned classOfHalf(half x)
{
    return classOf(x.bits(), 5, 10);
}

} // namespace detail
} // namespace poplar

// The limits are the lower and the upper one, of halves in one word.
inline float __builtin_ipu_f32clamp(float x, float2 limits)
{
    return poplar::detail::clampTo(x, limits[0], limits[1]);
}
inline float2 __builtin_ipu_f32v2clamp(float2 x, float2 limits)
{
    return float2{ __builtin_ipu_f32clamp(x[0], limits), __builtin_ipu_f32clamp(x[1], limits) };
}
inline half2 __builtin_ipu_f16v2clamp(half2 x, half2 limits)
{
    for (unsigned i = 0; i < 2; ++i)
        x[i] = half(poplar::detail::clampTo(x[i], limits[0], limits[1]));
    return x;
}
inline half4 __builtin_ipu_f16v4clamp(half4 x, half2 limits)
{
    for (unsigned i = 0; i < 4; ++i)
        x[i] = half(poplar::detail::clampTo(x[i], limits[0], limits[1]));
    return x;
}

// To an integral value: 0 the nearest, the even one of two; 1 up, 2 down, 3 toward zero, 4 the nearest, away from zero.
inline float __builtin_ipu_f32int(float x, unsigned mode)
{
    return mode == 1   ? __builtin_ceilf(x)
           : mode == 2 ? __builtin_floorf(x)
           : mode == 3 ? __builtin_truncf(x)
           : mode == 4 ? __builtin_roundf(x)
                       : __builtin_rintf(x);
}

// The greater half, in both halves; of each pair. A NaN is never the greater one.
inline half2 __builtin_ipu_f16v2maxc(half2 x)
{
    x[0] = x[1] = poplar::detail::greater(x[0], x[1]);
    return x;
}
inline half2 __builtin_ipu_f16v4maxc(half4 x)
{
    return half2{ { poplar::detail::greater(x[0], x[1]), poplar::detail::greater(x[2], x[3]) } };
}

// A byte for each element, the first one lowest.
inline unsigned __builtin_ipu_f32class(float x)
{
    return poplar::detail::classOf(poplar::detail::floatBits(x), 8, 23);
}
inline unsigned __builtin_ipu_f32v2class(float2 x)
{
    return __builtin_ipu_f32class(x[0]) | __builtin_ipu_f32class(x[1]) << 8;
}
inline unsigned __builtin_ipu_f16v2class(half2 x)
{
    return poplar::detail::classOfHalf(x[0]) | poplar::detail::classOfHalf(x[1]) << 8;
}
inline unsigned __builtin_ipu_f16v4class(half4 x)
{
    return poplar::detail::classOfHalf(x[0]) | poplar::detail::classOfHalf(x[1]) << 8 |
           poplar::detail::classOfHalf(x[2]) << 16 | poplar::detail::classOfHalf(x[3]) << 24;
}

#endif
