// SPDX-License-Identifier: Apache-2.0
// Those of the device compiler's builtins that have a meaning on any machine: functions, permutations, comparisons,
// conversions, random numbers.  A codelet that uses one need not include this header.  The others (registers,
// accumulators) belong under #ifdef __IPU__ and run with popc --tile-builtins (poplar/detail/tile_builtins.hpp).
#ifndef IPU_BUILTINS_H
#define IPU_BUILTINS_H

#include <ipu_vector_math>
#include <poplar/detail/builtin_floats.hpp>
#include <poplar/detail/builtin_random.hpp>
#include <poplar/detail/builtin_ranges.hpp>
#include <poplar/detail/builtin_words.hpp>

#define POPLAR_IPU_BUILTIN1_OF(name, suffix, type)                                                                     \
    inline type __builtin_ipu_##name##_##suffix(type x)                                                                \
    {                                                                                                                  \
        return ipu::name(x);                                                                                           \
    }
#define POPLAR_IPU_BUILTIN1(name)                                                                                      \
    POPLAR_IPU_BUILTIN1_OF(name, f32, float)                                                                           \
    POPLAR_IPU_BUILTIN1_OF(name, f32v2, float2)                                                                        \
    POPLAR_IPU_BUILTIN1_OF(name, f16, half)                                                                            \
    POPLAR_IPU_BUILTIN1_OF(name, f16v2, half2)                                                                         \
    POPLAR_IPU_BUILTIN1_OF(name, f16v4, half4)
POPLAR_IPU_BUILTIN1(exp)
POPLAR_IPU_BUILTIN1(exp2)
POPLAR_IPU_BUILTIN1(log2)
POPLAR_IPU_BUILTIN1(sqrt)
POPLAR_IPU_BUILTIN1(rsqrt)
POPLAR_IPU_BUILTIN1(tanh)
POPLAR_IPU_BUILTIN1(sigmoid)
#undef POPLAR_IPU_BUILTIN1
#undef POPLAR_IPU_BUILTIN1_OF

// Those that take any of the types: macros, since g++ lets no function with such a name be overloaded.
#define __builtin_ipu_exp(x)      ipu::exp(x)
#define __builtin_ipu_exp2(x)     ipu::exp2(x)
#define __builtin_ipu_ln(x)       ipu::log(x)
#define __builtin_ipu_log2(x)     ipu::log2(x)
#define __builtin_ipu_sqrt(x)     ipu::sqrt(x)
#define __builtin_ipu_rsqrt(x)    ipu::rsqrt(x)
#define __builtin_ipu_tanh(x)     ipu::tanh(x)
#define __builtin_ipu_sigmoid(x)  ipu::sigmoid(x)
#define __builtin_ipu_max(x, y)   ipu::fmax(x, y)
#define __builtin_ipu_min(x, y)   ipu::fmin(x, y)
#define __builtin_ipu_isnan(x)    ipu::isnan(x)
#define __builtin_ipu_isinf(x)    ipu::isinf(x)
#define __builtin_ipu_isfinite(x) ipu::isfinite(x)

#define POPLAR_IPU_BUILTIN2_OF(name, suffix, type, function)                                                           \
    inline type __builtin_ipu_##name##_##suffix(type x, type y)                                                        \
    {                                                                                                                  \
        return ipu::function(x, y);                                                                                    \
    }
#define POPLAR_IPU_BUILTIN2(name, function)                                                                            \
    POPLAR_IPU_BUILTIN2_OF(name, f32, float, function)                                                                 \
    POPLAR_IPU_BUILTIN2_OF(name, f32v2, float2, function)                                                              \
    POPLAR_IPU_BUILTIN2_OF(name, f16v2, half2, function)                                                               \
    POPLAR_IPU_BUILTIN2_OF(name, f16v4, half4, function)
POPLAR_IPU_BUILTIN2(max, fmax)
POPLAR_IPU_BUILTIN2(min, fmin)
POPLAR_IPU_BUILTIN2(andc, andc)
#undef POPLAR_IPU_BUILTIN2
#undef POPLAR_IPU_BUILTIN2_OF

#ifdef POPLAR_TILE_BUILTINS
#include <poplar/detail/tile_builtins.hpp>
#endif

#endif
