// SPDX-License-Identifier: Apache-2.0
// Those of the device compiler's builtins that have a meaning on any machine.  The others (registers, accumulators, the
// exchange) belong under #ifdef __IPU__: docs/cpp-codelets.md.
#ifndef IPU_BUILTINS_H
#define IPU_BUILTINS_H

#include <ipu_vector_math>

#define POPLAR_IPU_BUILTIN1(name)                                                                                      \
    inline float __builtin_ipu_##name##_f32(float x)                                                                   \
    {                                                                                                                  \
        return ipu::name(x);                                                                                           \
    }                                                                                                                  \
    inline float2 __builtin_ipu_##name##_f32v2(float2 x)                                                               \
    {                                                                                                                  \
        return ipu::name(x);                                                                                           \
    }                                                                                                                  \
    inline half __builtin_ipu_##name##_f16(half x)                                                                     \
    {                                                                                                                  \
        return ipu::name(x);                                                                                           \
    }                                                                                                                  \
    inline half2 __builtin_ipu_##name##_f16v2(half2 x)                                                                 \
    {                                                                                                                  \
        return ipu::name(x);                                                                                           \
    }                                                                                                                  \
    inline half4 __builtin_ipu_##name##_f16v4(half4 x)                                                                 \
    {                                                                                                                  \
        return ipu::name(x);                                                                                           \
    }
POPLAR_IPU_BUILTIN1(exp)
POPLAR_IPU_BUILTIN1(exp2)
POPLAR_IPU_BUILTIN1(log2)
POPLAR_IPU_BUILTIN1(sqrt)
POPLAR_IPU_BUILTIN1(rsqrt)
POPLAR_IPU_BUILTIN1(tanh)
POPLAR_IPU_BUILTIN1(sigmoid)
#undef POPLAR_IPU_BUILTIN1

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

#define POPLAR_IPU_BUILTIN2(name, function)                                                                            \
    inline float __builtin_ipu_##name##_f32(float x, float y)                                                          \
    {                                                                                                                  \
        return ipu::function(x, y);                                                                                    \
    }                                                                                                                  \
    inline float2 __builtin_ipu_##name##_f32v2(float2 x, float2 y)                                                     \
    {                                                                                                                  \
        return ipu::function(x, y);                                                                                    \
    }                                                                                                                  \
    inline half2 __builtin_ipu_##name##_f16v2(half2 x, half2 y)                                                        \
    {                                                                                                                  \
        return ipu::function(x, y);                                                                                    \
    }                                                                                                                  \
    inline half4 __builtin_ipu_##name##_f16v4(half4 x, half4 y)                                                        \
    {                                                                                                                  \
        return ipu::function(x, y);                                                                                    \
    }
POPLAR_IPU_BUILTIN2(max, fmax)
POPLAR_IPU_BUILTIN2(min, fmin)
POPLAR_IPU_BUILTIN2(andc, andc)
#undef POPLAR_IPU_BUILTIN2

#endif
