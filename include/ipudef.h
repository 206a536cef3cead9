// SPDX-License-Identifier: Apache-2.0
// Short vectors: float2 v = { 1, 2 }; v[0]; v + v; v * 2.0f.  Comparisons make vectors of integers, 0 or -1, as wide as
// the elements.
#ifndef IPUDEF_H
#define IPUDEF_H

#include <poplar/HalfFloat.hpp>

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned int rptsize_t; // a count of the repeat instruction

#define POPLAR_SHORT_VECTORS(T, name)                                                                                  \
    typedef T name##2 __attribute__((__vector_size__(2 * sizeof(T))));                                                 \
    typedef T name##4 __attribute__((__vector_size__(4 * sizeof(T))));
POPLAR_SHORT_VECTORS(signed char, char)
POPLAR_SHORT_VECTORS(unsigned char, uchar)
POPLAR_SHORT_VECTORS(short, short)
POPLAR_SHORT_VECTORS(unsigned short, ushort)
POPLAR_SHORT_VECTORS(int, int)
POPLAR_SHORT_VECTORS(unsigned int, uint)
POPLAR_SHORT_VECTORS(float, float)
#undef POPLAR_SHORT_VECTORS
typedef signed char char8 __attribute__((__vector_size__(8)));
typedef unsigned char uchar8 __attribute__((__vector_size__(8)));
typedef long long longlong2 __attribute__((__vector_size__(16)));

namespace poplar
{
namespace detail
{

// half2 and half4: an aggregate, { a, b }, since the compiler has vectors of its own types only.  Each operation is
// done for all elements at once and rounded once.
template <unsigned Len> struct alignas(2 * Len) HalfVector {
    half lanes[Len];

    half &operator[](unsigned i)
    {
        return lanes[i];
    }
    const half &operator[](unsigned i) const
    {
        return lanes[i];
    }
};

#if defined(__F16C__)
// All elements as one integer: g++ puts that into a register, where a copy of bytes would go through memory.
typedef short Lanes8 __attribute__((__vector_size__(16)));
template <unsigned Len> struct LaneBits;
template <> struct LaneBits<2> {
    typedef int type;
    typedef int4 whole;
};
template <> struct LaneBits<4> {
    typedef long long type;
    typedef longlong2 whole;
};
template <unsigned Len> inline float4 widen(const HalfVector<Len> &v)
{
    typename LaneBits<Len>::type bits;
    __builtin_memcpy(&bits, v.lanes, sizeof(bits));
    typename LaneBits<Len>::whole whole = { bits };
    return __builtin_ia32_vcvtph2ps(reinterpret_cast<Lanes8>(whole));
}
template <unsigned Len> inline HalfVector<Len> narrow(float4 v)
{
    HalfVector<Len> result;
    typename LaneBits<Len>::type bits =
        reinterpret_cast<typename LaneBits<Len>::whole>(__builtin_ia32_vcvtps2ph(v, 0))[0];
    __builtin_memcpy(static_cast<void *>(result.lanes), &bits, sizeof(bits));
    return result;
}
#else
template <unsigned Len> inline float4 widen(const HalfVector<Len> &v)
{
    float4 result = {};
    for (unsigned i = 0; i < Len; ++i)
        result[i] = static_cast<float>(v.lanes[i]);
    return result;
}
template <unsigned Len> inline HalfVector<Len> narrow(float4 v)
{
    HalfVector<Len> result;
    for (unsigned i = 0; i < Len; ++i)
        result.lanes[i] = half(static_cast<float>(v[i]));
    return result;
}
#endif

template <unsigned Len> inline HalfVector<Len> everyLane(half value)
{
    HalfVector<Len> result;
    for (unsigned i = 0; i < Len; ++i)
        result.lanes[i] = value;
    return result;
}

#define POPLAR_HALF_VECTOR_BINARY(op, A, B, value)                                                                     \
    template <unsigned Len> inline HalfVector<Len> operator op(A a, B b)                                               \
    {                                                                                                                  \
        return value;                                                                                                  \
    }
#define POPLAR_HALF_VECTOR_UPDATE(op, B)                                                                               \
    template <unsigned Len> inline HalfVector<Len> &operator op##=(HalfVector<Len> &a, B b)                            \
    {                                                                                                                  \
        return a = a op b;                                                                                             \
    }
#define POPLAR_HALF_VECTOR_OPERATOR(op)                                                                                \
    POPLAR_HALF_VECTOR_BINARY(op, const HalfVector<Len> &, const HalfVector<Len> &, narrow<Len>(widen(a) op widen(b))) \
    POPLAR_HALF_VECTOR_BINARY(op, const HalfVector<Len> &, half, a op everyLane<Len>(b))                               \
    POPLAR_HALF_VECTOR_BINARY(op, half, const HalfVector<Len> &, everyLane<Len>(a) op b)                               \
    POPLAR_HALF_VECTOR_UPDATE(op, const HalfVector<Len> &)                                                             \
    POPLAR_HALF_VECTOR_UPDATE(op, half)
POPLAR_HALF_VECTOR_OPERATOR(+)
POPLAR_HALF_VECTOR_OPERATOR(-)
POPLAR_HALF_VECTOR_OPERATOR(*)
POPLAR_HALF_VECTOR_OPERATOR(/)
#undef POPLAR_HALF_VECTOR_OPERATOR
#undef POPLAR_HALF_VECTOR_BINARY
#undef POPLAR_HALF_VECTOR_UPDATE

template <unsigned Len> struct LaneMask;
template <> struct LaneMask<2> {
    typedef short2 type;
};
template <> struct LaneMask<4> {
    typedef short4 type;
};
template <unsigned Len> using LanesOf = typename LaneMask<Len>::type;
#define POPLAR_HALF_VECTOR_COMPARISON(op)                                                                              \
    template <unsigned Len> inline LanesOf<Len> operator op(const HalfVector<Len> &a, const HalfVector<Len> &b)        \
    {                                                                                                                  \
        LanesOf<Len> result = {};                                                                                      \
        for (unsigned i = 0; i < Len; ++i)                                                                             \
            result[i] = a.lanes[i] op b.lanes[i] ? -1 : 0;                                                             \
        return result;                                                                                                 \
    }
POPLAR_HALF_VECTOR_COMPARISON(==)
POPLAR_HALF_VECTOR_COMPARISON(!=)
POPLAR_HALF_VECTOR_COMPARISON(<)
POPLAR_HALF_VECTOR_COMPARISON(>)
POPLAR_HALF_VECTOR_COMPARISON(<=)
POPLAR_HALF_VECTOR_COMPARISON(>=)
#undef POPLAR_HALF_VECTOR_COMPARISON

template <unsigned Len> inline HalfVector<Len> operator-(const HalfVector<Len> &a)
{
    HalfVector<Len> result;
    for (unsigned i = 0; i < Len; ++i)
        result.lanes[i] = -a.lanes[i];
    return result;
}

} // namespace detail
} // namespace poplar

typedef poplar::detail::HalfVector<2> half2;
typedef poplar::detail::HalfVector<4> half4;

#endif
