// SPDX-License-Identifier: Apache-2.0
// Builtins of random numbers, of the tile and of its counter of cycles (ipu_builtins.h).
#ifndef POPLAR_DETAIL_BUILTIN_RANDOM_HPP
#define POPLAR_DETAIL_BUILTIN_RANDOM_HPP

#include <poplar/detail/builtin_floats.hpp>
#ifdef POPLAR_TILE_BUILTINS
#include <poplar/detail/tile_assembly.hpp>
#endif

// Each vertex, and each worker of a MultiVertex, has a generator: xoroshiro128aox as the tiles', seeded from the number
// of the vertex in its compute set and that of the sets that ran before.  popc defines what is declared here.
#define POPLAR_IPU_BUILTINS 1
#if defined(__IPU__) && !defined(POPLAR_TILE_BUILTINS)
extern "C" unsigned long long __popc_urand64();
extern "C" unsigned __popc_tile_id();
extern "C" unsigned long long __popc_cycles();
inline unsigned __builtin_ipu_get_tile_id()
{
    return __popc_tile_id();
}
#else
// Nothing defines the first: by its use the compiler of a graph sees that vertices want their tiles.
extern "C" __attribute__((weak, visibility("default"))) const char __popc_asks_tile;
extern "C" unsigned __popc_tile_id(const char *asked);
extern "C" unsigned long long __popc_cycles();
// The number of the tile on which the vertex is; 0 outside of vertices.
inline unsigned __builtin_ipu_get_tile_id()
{
    return __popc_tile_id(&__popc_asks_tile);
}
extern "C" unsigned long long *__popc_generator();
inline unsigned long long __popc_urand64()
{
#ifdef POPLAR_TILE_BUILTINS // the generator of the tile's worker, which instructions use
    unsigned long long bits;
    poplar::detail::Assembly("urand64 %0", __FILE__, __LINE__).out("=A", "", bits).run();
    return bits;
#else
    unsigned long long *const state = __popc_generator();
    const unsigned long long s0 = state[0], s1 = state[1], x = s0 ^ s1, a = s0 & s1;
    state[0] = (s0 << 55 | s0 >> 9) ^ x ^ x << 14;
    state[1] = x << 36 | x >> 28;
    return x ^ ((a << 1 | a >> 63) | (a << 2 | a >> 62));
#endif
}
#endif

namespace poplar
{
namespace detail
{

// The sum of twelve uniform numbers, whose variance is 1.
inline float gaussian()
{
    long long sum = 0;
    for (unsigned draw = 0; draw < 3; ++draw) {
        const unsigned long long bits = __popc_urand64();
        for (unsigned field = 0; field < 64; field += 16)
            sum += static_cast<long long>(bits >> field & 0xffff);
    }
    return static_cast<float>(static_cast<double>(2 * sum - 12 * 65535) / 131072.0);
}
// Whether an element is kept with probability / 65536, of which bit 16 is certainty.
inline bool keeps(unsigned probability, unsigned long long bits, unsigned element)
{
    return probability & 0x10000u || (bits >> (16 * element) & 0xffff) < (probability & 0xffff);
}

} // namespace detail
} // namespace poplar

// The halves of the counter of cycles.  Here it begins with the vertex, and only its readings take any.
inline unsigned __builtin_ipu_get_scount_l()
{
    return static_cast<unsigned>(__popc_cycles());
}
inline unsigned __builtin_ipu_get_scount_u()
{
    return static_cast<unsigned>(__popc_cycles() >> 32);
}
inline unsigned __builtin_ipu_urand32()
{
    return static_cast<unsigned>(__popc_urand64());
}
inline unsigned long long __builtin_ipu_urand64()
{
    return __popc_urand64();
}
inline float __builtin_ipu_urand_f32()
{
    return __builtin_ipu_f32sufromui(__builtin_ipu_urand32());
}
inline half __builtin_ipu_urand_f16()
{
    return __builtin_ipu_f16v2sufromui(__builtin_ipu_urand32())[0];
}
inline float2 __builtin_ipu_f32v2grand()
{
    const float first = poplar::detail::gaussian();
    return float2{ first, poplar::detail::gaussian() };
}
inline half2 __builtin_ipu_f16v2grand()
{
    const float first = poplar::detail::gaussian();
    return half2{ { half(first), half(poplar::detail::gaussian()) } };
}
inline float2 __builtin_ipu_f32v2rmask(float2 x, unsigned probability)
{
    const unsigned long long bits = __popc_urand64();
    for (unsigned i = 0; i < 2; ++i)
        x[i] = poplar::detail::keeps(probability, bits, i) ? x[i] : 0.0f;
    return x;
}
inline half4 __builtin_ipu_f16v4rmask(half4 x, unsigned probability)
{
    const unsigned long long bits = __popc_urand64();
    for (unsigned i = 0; i < 4; ++i)
        if (!poplar::detail::keeps(probability, bits, i))
            x[i] = half(0.0f);
    return x;
}

#endif
