// SPDX-License-Identifier: Apache-2.0
// Builtins of floats and halves (ipu_builtins.h): comparisons, whose elements have all bits where they hold and none
// where they do not; conversions.
#ifndef POPLAR_DETAIL_BUILTIN_FLOATS_HPP
#define POPLAR_DETAIL_BUILTIN_FLOATS_HPP

#include <ipu_vector_math>

namespace poplar
{
namespace detail
{

inline float maskOf(bool holds, float)
{
    return floatFromBits(holds ? 0xffffffffu : 0u);
}
inline half maskOf(bool holds, half)
{
    return half::fromBits(static_cast<uint16_t>(holds ? 0xffff : 0));
}

#define POPLAR_IPU_COMPARISON(name, op)                                                                                \
    inline float name(float x, float y)                                                                                \
    {                                                                                                                  \
        return maskOf(x op y, x);                                                                                      \
    }
#define POPLAR_IPU_HALF_COMPARISON(name, op)                                                                           \
    inline half name(half x, half y)                                                                                   \
    {                                                                                                                  \
        return maskOf(static_cast<float>(x) op static_cast<float>(y), x);                                              \
    }
#define POPLAR_IPU_VECTOR_COMPARISON(name)                                                                             \
    template <class V> inline typename FloatVector<V>::type name(V x, V y)                                             \
    {                                                                                                                  \
        typedef typename FloatVector<V>::element Element;                                                              \
        for (unsigned i = 0; i < FloatVector<V>::lanes; ++i)                                                           \
            x[i] = name(static_cast<Element>(x[i]), static_cast<Element>(y[i]));                                       \
        return x;                                                                                                      \
    }
#define POPLAR_IPU_COMPARISONS(name, op)                                                                               \
    POPLAR_IPU_COMPARISON(name, op)                                                                                    \
    POPLAR_IPU_HALF_COMPARISON(name, op)                                                                               \
    POPLAR_IPU_VECTOR_COMPARISON(name)
POPLAR_IPU_COMPARISONS(cmpeq, ==)
POPLAR_IPU_COMPARISONS(cmpne, !=)
POPLAR_IPU_COMPARISONS(cmplt, <)
POPLAR_IPU_COMPARISONS(cmple, <=)
POPLAR_IPU_COMPARISONS(cmpgt, >)
POPLAR_IPU_COMPARISONS(cmpge, >=)
#undef POPLAR_IPU_COMPARISONS
#undef POPLAR_IPU_COMPARISON
#undef POPLAR_IPU_HALF_COMPARISON
#undef POPLAR_IPU_VECTOR_COMPARISON

} // namespace detail
} // namespace poplar

#define __builtin_ipu_cmpeq(x, y)  poplar::detail::cmpeq(x, y)
#define __builtin_ipu_cmpne(x, y)  poplar::detail::cmpne(x, y)
#define __builtin_ipu_cmplt(x, y)  poplar::detail::cmplt(x, y)
#define __builtin_ipu_cmple(x, y)  poplar::detail::cmple(x, y)
#define __builtin_ipu_cmpgt(x, y)  poplar::detail::cmpgt(x, y)
#define __builtin_ipu_cmpge(x, y)  poplar::detail::cmpge(x, y)
#define __builtin_ipu_andc(x, y)   ipu::andc(x, y)
#define __builtin_ipu_absadd(x, y) (ipu::fabs(x) + ipu::fabs(y))
#define __builtin_ipu_absmax(x, y) ipu::fmax(ipu::fabs(x), ipu::fabs(y))

// ---- conversions ----

inline float __builtin_ipu_f16tof32(half x)
{
    return static_cast<float>(x);
}
inline float2 __builtin_ipu_f16v2tof32(half2 x)
{
    return float2{ static_cast<float>(x[0]), static_cast<float>(x[1]) };
}
inline half __builtin_ipu_f32tof16(float x)
{
    return half(x);
}
inline half2 __builtin_ipu_f32v2tof16(float2 x)
{
    return half2{ { half(static_cast<float>(x[0])), half(static_cast<float>(x[1])) } };
}
inline half4 __builtin_ipu_f32v4tof16(float4 x)
{
    return poplar::detail::narrow<4>(x);
}
inline float __builtin_ipu_f32fromi32(int x)
{
    return static_cast<float>(x);
}
inline float __builtin_ipu_f32fromui32(unsigned x)
{
    return static_cast<float>(x);
}
// To the nearest integer, the even one of two; what does not fit becomes the nearest that does, NaN 0.
inline int __builtin_ipu_f32toi32(float x)
{
    const float near = __builtin_rintf(x);
    return near >= 2147483648.0f   ? 2147483647
           : near < -2147483648.0f ? -2147483647 - 1
           : near == near          ? static_cast<int>(near)
                                   : 0;
}
inline unsigned __builtin_ipu_f32toui32(float x)
{
    const float near = __builtin_rintf(x);
    return near >= 4294967296.0f ? 0xffffffffu : near > 0 ? static_cast<unsigned>(near) : 0u;
}
// (u + 1/2) / 2^bits - 1/2: uniform in (-1/2, 1/2) where u is.
inline float __builtin_ipu_f32sufromui(unsigned u)
{
    return static_cast<float>((static_cast<double>(u) + 0.5) / 4294967296.0 - 0.5);
}
inline half2 __builtin_ipu_f16v2sufromui(unsigned u)
{
    return half2{ { half((static_cast<double>(u & 0xffff) + 0.5) / 65536.0 - 0.5),
                    half((static_cast<double>(u >> 16) + 0.5) / 65536.0 - 0.5) } };
}
inline float __builtin_ipu_f16v2sum(half2 x)
{
    return static_cast<float>(x[0]) + static_cast<float>(x[1]);
}
inline float2 __builtin_ipu_f16v4sum(half4 x)
{
    return float2{ static_cast<float>(x[0]) + static_cast<float>(x[1]),
                   static_cast<float>(x[2]) + static_cast<float>(x[3]) };
}

#endif
