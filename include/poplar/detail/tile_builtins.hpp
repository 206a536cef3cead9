// SPDX-License-Identifier: Apache-2.0
// Builtins of the device compiler that work on the tile's registers, accumulators and weights: with popc
// --tile-builtins each executes its instruction in the engine's interpreter of the tile.  Those of the public sources
// have their names; the order of arguments is inferred where no source shows it (docs/concepts/assembly.md).
#ifndef POPLAR_DETAIL_TILE_BUILTINS_HPP
#define POPLAR_DETAIL_TILE_BUILTINS_HPP

#include <poplar/detail/tile_assembly.hpp>

namespace poplar
{
namespace detail
{

#define POPLAR_TILE(text) Assembly(text, __FILE__, __LINE__)

template <class T> inline void putTas(const T &value)
{
    static_assert(sizeof(T) == 4, "TAS has one float or two halves");
    POPLAR_TILE("uput $TAS, %0").in("A", "", value).run();
}
template <class T> inline void uput(const T &value, int number)
{
    static_assert(sizeof(T) == 4, "a control register has 32 bits");
    POPLAR_TILE("uput %1, %0").in("A", "", value).in("i", "", number & 0xff).run();
}
template <class T> inline void put(const T &value, int number)
{
    POPLAR_TILE("put %1, %0").in("r", "", value).in("i", "", number).run();
}
inline unsigned get(int number)
{
    unsigned value;
    POPLAR_TILE("get %0, %1").out("=r", "", value).in("i", "", number).run();
    return value;
}
inline float uget(int number)
{
    float value;
    POPLAR_TILE("uget %0, %1").out("=A", "", value).in("i", "", number & 0xff).run();
    return value;
}
template <class P> inline uint2 tapack(P first, P second, P third)
{
    uint2 packed;
    POPLAR_TILE("tapack %0, %1, %2, %3")
        .out("=M", "", packed)
        .in("r", "", first)
        .in("r", "", second)
        .in("r", "", third)
        .run();
    return packed;
}
template <class P, class Q, class S> inline uint2 tapack(P first, Q second, S third)
{
    return tapack<const void *>(first, second, third);
}
// Loads and stores that move the addresses of tapack on: selectors choose the steps (docs/reference/tile-isa.md, 2.7).
template <class X, class Y> inline void ld2x64pace(X &x, Y &y, uint2 &addresses, unsigned steps, int selectors)
{
    static_assert(sizeof(X) == 8 && sizeof(Y) == 8, "it loads 64 bits twice");
    POPLAR_TILE("ld2x64pace %0, %1, %2+=, %3, %4")
        .out("=A", "", x)
        .out("=A", "", y)
        .out("+M", "", addresses)
        .in("r", "", steps)
        .in("i", "", selectors)
        .run();
}
template <class X, class Y> inline void ldst64pace(X &x, const Y &y, uint2 &addresses, unsigned steps, int selectors)
{
    static_assert(sizeof(X) == 8 && sizeof(Y) == 8, "it loads and stores 64 bits");
    POPLAR_TILE("ldst64pace %0, %2, %1+=, %3, %4")
        .out("=A", "", x)
        .out("+M", "", addresses)
        .in("A", "", y)
        .in("r", "", steps)
        .in("i", "", selectors)
        .run();
}
template <class X> inline void st64pace(const X &x, uint2 &addresses, unsigned steps, int selectors)
{
    static_assert(sizeof(X) == 8, "it stores 64 bits");
    POPLAR_TILE("st64pace %1, %0+=, %2, %3")
        .out("+M", "", addresses)
        .in("A", "", x)
        .in("r", "", steps)
        .in("i", "", selectors)
        .run();
}

// name d, x, y; name d, x, y, number; name x, y; and so on.
#define POPLAR_TILE_BUILTIN_DXY(name, D, X, Y)                                                                         \
    inline D name(X x, Y y)                                                                                            \
    {                                                                                                                  \
        D d;                                                                                                           \
        POPLAR_TILE(#name " %0, %1, %2").out("=A", "", d).in("A", "", x).in("A", "", y).run();                         \
        return d;                                                                                                      \
    }
#define POPLAR_TILE_BUILTIN_DXYN(name, D, X, Y)                                                                        \
    inline D name(X x, Y y, int number)                                                                                \
    {                                                                                                                  \
        D d;                                                                                                           \
        POPLAR_TILE(#name " %0, %1, %2, %3").out("=A", "", d).in("A", "", x).in("A", "", y).in("i", "", number).run(); \
        return d;                                                                                                      \
    }
#define POPLAR_TILE_BUILTIN_DXN(name, D, X)                                                                            \
    inline D name(X x, int number)                                                                                     \
    {                                                                                                                  \
        D d;                                                                                                           \
        POPLAR_TILE(#name " %0, %1, %2").out("=A", "", d).in("A", "", x).in("i", "", number).run();                    \
        return d;                                                                                                      \
    }
#define POPLAR_TILE_BUILTIN_X(name, X)                                                                                 \
    inline void name(X x)                                                                                              \
    {                                                                                                                  \
        POPLAR_TILE(#name " %0").in("A", "", x).run();                                                                 \
    }
#define POPLAR_TILE_BUILTIN_XY(name, X, Y)                                                                             \
    inline void name(X x, Y y)                                                                                         \
    {                                                                                                                  \
        POPLAR_TILE(#name " %0, %1").in("A", "", x).in("A", "", y).run();                                              \
    }
#define POPLAR_TILE_BUILTIN_XYN(name, X, Y)                                                                            \
    inline void name(X x, Y y, int number)                                                                             \
    {                                                                                                                  \
        POPLAR_TILE(#name " %0, %1, %2").in("A", "", x).in("A", "", y).in("i", "", number).run();                      \
    }
#define POPLAR_TILE_BUILTIN_N(name)                                                                                    \
    inline void name(int number)                                                                                       \
    {                                                                                                                  \
        POPLAR_TILE(#name " %0").in("i", "", number).run();                                                            \
    }
POPLAR_TILE_BUILTIN_DXY(f32v2axpy, float2, float2, float2)
POPLAR_TILE_BUILTIN_DXY(f16v4mix, half4, half4, half4)
POPLAR_TILE_BUILTIN_DXN(f32v2gina, float2, float2)
POPLAR_TILE_BUILTIN_DXN(f16v2gina, half2, half2)
POPLAR_TILE_BUILTIN_X(f16v4acc, half4)
POPLAR_TILE_BUILTIN_X(f16v4absacc, half4)
POPLAR_TILE_BUILTIN_X(f32v4acc, float4)
POPLAR_TILE_BUILTIN_X(f32v4absacc, float4)
POPLAR_TILE_BUILTIN_X(f32v4sqacc, float4)
POPLAR_TILE_BUILTIN_XY(f32mac, float, float)
POPLAR_TILE_BUILTIN_XY(f32v2mac, float2, float2)
POPLAR_TILE_BUILTIN_XY(f16v2cmac, half2, half2)
POPLAR_TILE_BUILTIN_XY(f16v4cmac, half4, half4)
POPLAR_TILE_BUILTIN_XYN(f32v2aop, float2, float2)
POPLAR_TILE_BUILTIN_DXYN(f16v4istacc, half4, half4, half4)
POPLAR_TILE_BUILTIN_DXYN(f16v4sisoamp, float2, half4, float2)
POPLAR_TILE_BUILTIN_DXYN(f16v4hihoamp, half2, half4, half2)
POPLAR_TILE_BUILTIN_DXYN(f16v4sihoamp, half2, half4, float2)
POPLAR_TILE_BUILTIN_DXYN(f16v4hihov4amp, half4, half4, half4)
POPLAR_TILE_BUILTIN_DXYN(f32sisoamp, float2, float, float2)
POPLAR_TILE_BUILTIN_DXYN(f32sisov2amp, float2, float, float2)
POPLAR_TILE_BUILTIN_DXYN(f16v4sisoslic, float2, half4, float2)
POPLAR_TILE_BUILTIN_DXYN(f16v4hihoslic, half2, half4, half2)
POPLAR_TILE_BUILTIN_DXYN(f16v4sihoslic, half2, half4, float2)
POPLAR_TILE_BUILTIN_DXYN(f16v4hihov4slic, half4, half4, half4)
POPLAR_TILE_BUILTIN_DXYN(f32sisoslic, float2, float, float2)
POPLAR_TILE_BUILTIN_DXYN(f32sisov2slic, float2, float, float2)
POPLAR_TILE_BUILTIN_N(ld64putcs)
POPLAR_TILE_BUILTIN_N(ld128putcs)
#undef POPLAR_TILE_BUILTIN_DXY
#undef POPLAR_TILE_BUILTIN_DXYN
#undef POPLAR_TILE_BUILTIN_DXN
#undef POPLAR_TILE_BUILTIN_X
#undef POPLAR_TILE_BUILTIN_XY
#undef POPLAR_TILE_BUILTIN_XYN
#undef POPLAR_TILE_BUILTIN_N

inline half4 f16v4stacc(int number)
{
    half4 d;
    POPLAR_TILE("f16v4stacc %0, %1").out("=A", "", d).in("i", "", number).run();
    return d;
}
inline half4 f16v4gacc()
{
    half4 d;
    POPLAR_TILE("f16v4gacc %0").out("=A", "", d).run();
    return d;
}
inline void aaccZero()
{
    float scratch;
    POPLAR_TILE("setzi %0, 8\nuput $FP_CLR, %0").out("=A", "", scratch).run();
}
#undef POPLAR_TILE

} // namespace detail
} // namespace poplar

// Macros: g++ lets no function with such a name be overloaded. Their arguments may have commas in braces.
#define __builtin_ipu_put_tas(...)         ::poplar::detail::putTas(__VA_ARGS__)
#define __builtin_ipu_put(...)             ::poplar::detail::put(__VA_ARGS__)
#define __builtin_ipu_get(...)             ::poplar::detail::get(__VA_ARGS__)
#define __builtin_ipu_uput(...)            ::poplar::detail::uput(__VA_ARGS__)
#define __builtin_ipu_uget(...)            ::poplar::detail::uget(__VA_ARGS__)
#define __builtin_ipu_tapack(...)          ::poplar::detail::tapack(__VA_ARGS__)
#define __builtin_ipu_ld2x64pace(...)      ::poplar::detail::ld2x64pace(__VA_ARGS__)
#define __builtin_ipu_ldst64pace(...)      ::poplar::detail::ldst64pace(__VA_ARGS__)
#define __builtin_ipu_st64pace(...)        ::poplar::detail::st64pace(__VA_ARGS__)
#define __builtin_ipu_aacc_zero()          ::poplar::detail::aaccZero()
#define __builtin_ipu_gina(...)            ::poplar::detail::f32v2gina(__VA_ARGS__)
#define __builtin_ipu_f32v2gina(...)       ::poplar::detail::f32v2gina(__VA_ARGS__)
#define __builtin_ipu_f16v2gina(...)       ::poplar::detail::f16v2gina(__VA_ARGS__)
#define __builtin_ipu_f32v2axpy(...)       ::poplar::detail::f32v2axpy(__VA_ARGS__)
#define __builtin_ipu_f16v4mix(...)        ::poplar::detail::f16v4mix(__VA_ARGS__)
#define __builtin_ipu_f16v4acc(...)        ::poplar::detail::f16v4acc(__VA_ARGS__)
#define __builtin_ipu_f16v4absacc(...)     ::poplar::detail::f16v4absacc(__VA_ARGS__)
#define __builtin_ipu_f16v4gacc()          ::poplar::detail::f16v4gacc()
#define __builtin_ipu_f16v4stacc(...)      ::poplar::detail::f16v4stacc(__VA_ARGS__)
#define __builtin_ipu_f16v4istacc(...)     ::poplar::detail::f16v4istacc(__VA_ARGS__)
#define __builtin_ipu_f32v4acc(...)        ::poplar::detail::f32v4acc(__VA_ARGS__)
#define __builtin_ipu_f32v4absacc(...)     ::poplar::detail::f32v4absacc(__VA_ARGS__)
#define __builtin_ipu_f32v4sqacc(...)      ::poplar::detail::f32v4sqacc(__VA_ARGS__)
#define __builtin_ipu_f32mac(...)          ::poplar::detail::f32mac(__VA_ARGS__)
#define __builtin_ipu_f32v2mac(...)        ::poplar::detail::f32v2mac(__VA_ARGS__)
#define __builtin_ipu_f32v2cmac(...)       ::poplar::detail::f32v2mac(__VA_ARGS__)
#define __builtin_ipu_f16v2cmac(...)       ::poplar::detail::f16v2cmac(__VA_ARGS__)
#define __builtin_ipu_f16v4cmac(...)       ::poplar::detail::f16v4cmac(__VA_ARGS__)
#define __builtin_ipu_f32v2aop(...)        ::poplar::detail::f32v2aop(__VA_ARGS__)
#define __builtin_ipu_f16v4sisoamp(...)    ::poplar::detail::f16v4sisoamp(__VA_ARGS__)
#define __builtin_ipu_f16v4hihoamp(...)    ::poplar::detail::f16v4hihoamp(__VA_ARGS__)
#define __builtin_ipu_f16v4sihoamp(...)    ::poplar::detail::f16v4sihoamp(__VA_ARGS__)
#define __builtin_ipu_f16v4hihov4amp(...)  ::poplar::detail::f16v4hihov4amp(__VA_ARGS__)
#define __builtin_ipu_f32sisoamp(...)      ::poplar::detail::f32sisoamp(__VA_ARGS__)
#define __builtin_ipu_f32sisov2amp(...)    ::poplar::detail::f32sisov2amp(__VA_ARGS__)
#define __builtin_ipu_f16v4sisoslic(...)   ::poplar::detail::f16v4sisoslic(__VA_ARGS__)
#define __builtin_ipu_f16v4hihoslic(...)   ::poplar::detail::f16v4hihoslic(__VA_ARGS__)
#define __builtin_ipu_f16v4sihoslic(...)   ::poplar::detail::f16v4sihoslic(__VA_ARGS__)
#define __builtin_ipu_f16v4hihov4slic(...) ::poplar::detail::f16v4hihov4slic(__VA_ARGS__)
#define __builtin_ipu_f32sisoslic(...)     ::poplar::detail::f32sisoslic(__VA_ARGS__)
#define __builtin_ipu_f32sisov2slic(...)   ::poplar::detail::f32sisov2slic(__VA_ARGS__)
#define __builtin_ipu_ld64putcs(...)       ::poplar::detail::ld64putcs(__VA_ARGS__)
#define __builtin_ipu_ld128putcs(...)      ::poplar::detail::ld128putcs(__VA_ARGS__)

#endif
