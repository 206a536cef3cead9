// SPDX-License-Identifier: Apache-2.0
// Builtins of words (ipu_builtins.h): permutations of the bytes and halves of values of any type of 32 bits, or 64 for
// pairs; counts of bits.
#ifndef POPLAR_DETAIL_BUILTIN_WORDS_HPP
#define POPLAR_DETAIL_BUILTIN_WORDS_HPP

#include <poplar/HalfFloat.hpp>

namespace poplar
{
namespace detail
{

template <class T> inline uint32_t wordOf(T x)
{
    static_assert(sizeof(T) == 4, "a permutation is of values with 32 bits");
    uint32_t word;
    __builtin_memcpy(&word, &x, sizeof(word));
    return word;
}
template <class T> inline T ofWord(uint32_t word)
{
    T x;
    __builtin_memcpy(static_cast<void *>(&x), &word, sizeof(x));
    return x;
}
// Bytes are counted from the lowest.
inline uint32_t wordOfBytes(uint32_t b0, uint32_t b1, uint32_t b2, uint32_t b3)
{
    return (b0 & 0xff) | (b1 & 0xff) << 8 | (b2 & 0xff) << 16 | b3 << 24;
}

#define POPLAR_IPU_PERMUTATION1(name, value)                                                                           \
    template <class T> inline T name(T a)                                                                              \
    {                                                                                                                  \
        const uint32_t x = wordOf(a);                                                                                  \
        return ofWord<T>(value);                                                                                       \
    }
#define POPLAR_IPU_PERMUTATION2(name, value)                                                                           \
    template <class T> inline T name(T a, T b)                                                                         \
    {                                                                                                                  \
        const uint32_t x = wordOf(a), y = wordOf(b);                                                                   \
        return ofWord<T>(value);                                                                                       \
    }
POPLAR_IPU_PERMUTATION1(swap8, wordOfBytes(x >> 8, x, x >> 24, x >> 16))
POPLAR_IPU_PERMUTATION1(sort8, wordOfBytes(x, x >> 16, x >> 8, x >> 24))
POPLAR_IPU_PERMUTATION1(swap16, x >> 16 | x << 16)
POPLAR_IPU_PERMUTATION2(roll8l, x >> 24 | y << 8)
POPLAR_IPU_PERMUTATION2(roll8r, x >> 8 | y << 24)
POPLAR_IPU_PERMUTATION2(shuf8x8lo, wordOfBytes(x, y, x >> 8, y >> 8))
POPLAR_IPU_PERMUTATION2(shuf8x8hi, wordOfBytes(x >> 16, y >> 16, x >> 24, y >> 24))
POPLAR_IPU_PERMUTATION2(sort8x8lo, wordOfBytes(x, x >> 16, y, y >> 16))
POPLAR_IPU_PERMUTATION2(sort8x8hi, wordOfBytes(x >> 8, x >> 24, y >> 8, y >> 24))
POPLAR_IPU_PERMUTATION2(roll16, x >> 16 | y << 16)
POPLAR_IPU_PERMUTATION2(sort4x16lo, (x & 0xffff) | y << 16)
POPLAR_IPU_PERMUTATION2(sort4x16hi, x >> 16 | (y & 0xffff0000u))
#undef POPLAR_IPU_PERMUTATION1
#undef POPLAR_IPU_PERMUTATION2

// The 32-bit halves of a pair: of a takes the one, of b the other.
template <class T> inline T pairOf(T a, unsigned ofA, T b, unsigned ofB)
{
    static_assert(sizeof(T) == 8, "a permutation of pairs is of values with 64 bits");
    T result;
    char *to = reinterpret_cast<char *>(&result);
    __builtin_memcpy(to, reinterpret_cast<const char *>(&a) + 4 * ofA, 4);
    __builtin_memcpy(to + 4, reinterpret_cast<const char *>(&b) + 4 * ofB, 4);
    return result;
}

} // namespace detail
} // namespace poplar

#define __builtin_ipu_swap8(x)         poplar::detail::swap8(x)
#define __builtin_ipu_sort8(x)         poplar::detail::sort8(x)
#define __builtin_ipu_swap16(x)        poplar::detail::swap16(x)
#define __builtin_ipu_roll8l(x, y)     poplar::detail::roll8l(x, y)
#define __builtin_ipu_roll8r(x, y)     poplar::detail::roll8r(x, y)
#define __builtin_ipu_shuf8x8lo(x, y)  poplar::detail::shuf8x8lo(x, y)
#define __builtin_ipu_shuf8x8hi(x, y)  poplar::detail::shuf8x8hi(x, y)
#define __builtin_ipu_sort8x8lo(x, y)  poplar::detail::sort8x8lo(x, y)
#define __builtin_ipu_sort8x8hi(x, y)  poplar::detail::sort8x8hi(x, y)
#define __builtin_ipu_roll16(x, y)     poplar::detail::roll16(x, y)
#define __builtin_ipu_sort4x16lo(x, y) poplar::detail::sort4x16lo(x, y)
#define __builtin_ipu_sort4x16hi(x, y) poplar::detail::sort4x16hi(x, y)
#define __builtin_ipu_roll32(x, y)     poplar::detail::pairOf(x, 1, y, 0)
#define __builtin_ipu_sort4x32lo(x, y) poplar::detail::pairOf(x, 0, y, 0)
#define __builtin_ipu_sort4x32hi(x, y) poplar::detail::pairOf(x, 1, y, 1)

inline unsigned __builtin_ipu_clz(unsigned x)
{
    return x ? static_cast<unsigned>(__builtin_clz(x)) : 32u;
}
inline unsigned __builtin_ipu_popc(unsigned x)
{
    return static_cast<unsigned>(__builtin_popcount(x));
}
// Bits below the highest that are equal to it, from the top.
inline unsigned __builtin_ipu_cms(unsigned x)
{
    return __builtin_ipu_clz(x >> 31 ? ~x : x) - 1;
}
// The bits of each byte in reverse.
inline unsigned __builtin_ipu_bitrev8(unsigned x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    return (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
}

#endif
