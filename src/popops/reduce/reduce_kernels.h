/* SPDX-License-Identifier: Apache-2.0 */
/* For codelets: definitions for each operation and type that the loops of reductions (reduce_typed.h) use.  Sums of
 * half are float.
 *
 * Memory bandwidth is the limit, so loops process eight elements at a time and prefetch AHEAD bytes in advance:
 * hardware prefetching alone is too late.  The order in which an output's elements are combined depends only on their
 * number, not on the output's position. */
#ifndef POPOPS_REDUCE_REDUCE_KERNELS_H
#define POPOPS_REDUCE_REDUCE_KERNELS_H

#include "poplibs/half_vectors.h"
#include "poplibs/typed.h"

#include <math.h>
#include <string.h>

enum { LANES = 128, MAX_LANES = 512, CHUNK = 1024, AHEAD = 2048, LINE = 64 /* bytes */ };

typedef float sum_half;
typedef float sum_float;
typedef int sum_int;
typedef unsigned sum_unsigned;
typedef unsigned char sum_bool;

POPLIBS_FAST float log_add(float a, float b)
{
    float high = a > b ? a : b, low = a > b ? b : a;
    return low == -INFINITY ? high : high + log1pf(expf(low - high));
}

#define LOWEST_half      -INFINITY
#define LOWEST_float     -INFINITY
#define LOWEST_int       (-2147483647 - 1)
#define LOWEST_unsigned  0u
#define HIGHEST_half     INFINITY
#define HIGHEST_float    INFINITY
#define HIGHEST_int      2147483647
#define HIGHEST_unsigned 4294967295u

/* For each operation: its neutral value, the value of an element, and the combination of two values; int wraps. */
#define NEUTRAL_Add(T)        0
#define NEUTRAL_SquareAdd(T)  0
#define NEUTRAL_LogAdd(T)     -INFINITY
#define NEUTRAL_Mul(T)        1
#define NEUTRAL_Min(T)        HIGHEST_##T
#define NEUTRAL_Max(T)        LOWEST_##T
#define NEUTRAL_And(T)        1
#define NEUTRAL_Or(T)         0
#define VALUE_Add(T, x)       (sum_##T)(x)
#define VALUE_SquareAdd(T, x) TIMES_##T((sum_##T)(x), (sum_##T)(x))
#define VALUE_LogAdd(T, x)    (sum_##T)(x)
#define VALUE_Mul(T, x)       (sum_##T)(x)
#define VALUE_Min(T, x)                                                                                                \
    JOIN_Min(T, HIGHEST_##T, (sum_##T)(x)) /* NaN become neutral: else a pair with a NaN would lose the other one */
#define VALUE_Max(T, x)         JOIN_Max(T, LOWEST_##T, (sum_##T)(x))
#define VALUE_And(T, x)         (sum_##T)(x)
#define VALUE_Or(T, x)          (sum_##T)(x)
#define JOIN_Add(T, a, b)       PLUS_##T(a, b)
#define JOIN_SquareAdd(T, a, b) PLUS_##T(a, b)
#define JOIN_LogAdd(T, a, b)    log_add(a, b)
#define JOIN_Mul(T, a, b)       TIMES_##T(a, b)
#define JOIN_Min(T, a, b)       ((b) < (a) ? (b) : (a))
#define JOIN_Max(T, a, b)       ((b) > (a) ? (b) : (a))
#define JOIN_And(T, a, b)       ((a) & (b))
#define JOIN_Or(T, a, b)        ((a) | (b))
#define PLUS_half(a, b)         ((a) + (b))
#define PLUS_float(a, b)        ((a) + (b))
#define PLUS_int(a, b)          ((int)((unsigned)(a) + (unsigned)(b)))
#define TIMES_half(a, b)        ((a) * (b))
#define TIMES_float(a, b)       ((a) * (b))
#define TIMES_int(a, b)         ((int)((unsigned)(a) * (unsigned)(b)))
#define SCALED_Add(a, k)        ((a) * (k))
#define SCALED_SquareAdd(a, k)  ((a) * (k))
#define SCALED_LogAdd(a, k)     ((a) + (k))

/* ---- vectors of eight ---- */

typedef poplibs_eight eight_float;
typedef int eight_int __attribute__((vector_size(32), aligned(4), may_alias));
typedef unsigned eight_unsigned __attribute__((vector_size(32), aligned(4), may_alias));
typedef unsigned char eight_bool __attribute__((vector_size(8), aligned(1), may_alias));
typedef eight_float eight_half;
typedef float four_float __attribute__((vector_size(16), aligned(4), may_alias));
typedef int four_int __attribute__((vector_size(16), aligned(4), may_alias));
typedef unsigned four_unsigned __attribute__((vector_size(16), aligned(4), may_alias));
typedef unsigned char four_bool __attribute__((vector_size(4), aligned(1), may_alias));

#define LOAD_half(from)     poplibs_widen_eight(from)
#define LOAD_float(from)    (*(const eight_float *)(const void *)(from))
#define LOAD_int(from)      (*(const eight_int *)(const void *)(from))
#define LOAD_unsigned(from) (*(const eight_unsigned *)(const void *)(from))
#define LOAD_bool(from)     (*(const eight_bool *)(const void *)(from))
/* Four elements from each of two addresses. */
#define PAIR_half(a, b)     poplibs_widen_four_each(a, b)
#define PAIR_float(a, b)    PAIR(float, a, b)
#define PAIR_int(a, b)      PAIR(int, a, b)
#define PAIR_unsigned(a, b) PAIR(unsigned, a, b)
#define PAIR_bool(a, b)     PAIR(bool, a, b)
#define PAIR(T, a, b)                                                                                                  \
    PICK(*(const four_##T *)(const void *)(a), *(const four_##T *)(const void *)(b), 0, 1, 2, 3, 4, 5, 6, 7)
#define PICK __builtin_shufflevector
#ifdef __POPC_TYPES__ /* half of the time of this compilation */
#define INLINE static inline
#else
#define INLINE static inline __attribute__((always_inline))
#endif

/* The result of a comparison of such vectors. */
typedef eight_int mask_half;
typedef eight_int mask_float;
typedef eight_int mask_int;
typedef eight_int mask_unsigned;
typedef signed char mask_bool __attribute__((vector_size(8), aligned(1), may_alias));

/* Vector forms of VALUE_ and JOIN_. */
#define EIGHT_VALUE_Add(T, x)         (x)
#define EIGHT_VALUE_SquareAdd(T, x)   EIGHT_TIMES_##T(x, x)
#define EIGHT_VALUE_LogAdd(T, x)      (x)
#define EIGHT_VALUE_Mul(T, x)         (x)
#define EIGHT_VALUE_Min(T, x)         EIGHT_JOIN_Min(T, neutral_Min_##T(), x)
#define EIGHT_VALUE_Max(T, x)         EIGHT_JOIN_Max(T, neutral_Max_##T(), x)
#define EIGHT_VALUE_And(T, x)         (x)
#define EIGHT_VALUE_Or(T, x)          (x)
#define EIGHT_JOIN_Add(T, a, b)       EIGHT_PLUS_##T(a, b)
#define EIGHT_JOIN_SquareAdd(T, a, b) EIGHT_PLUS_##T(a, b)
#define EIGHT_JOIN_LogAdd(T, a, b)    log_add_eight(a, b)
#define EIGHT_JOIN_Mul(T, a, b)       EIGHT_TIMES_##T(a, b)
#define EIGHT_JOIN_Min(T, a, b)       EIGHT_MIN_##T(a, b)
#define EIGHT_JOIN_Max(T, a, b)       EIGHT_MAX_##T(a, b)
#define EIGHT_JOIN_And(T, a, b)       ((a) & (b))
#define EIGHT_JOIN_Or(T, a, b)        ((a) | (b))
#define EIGHT_PLUS_half(a, b)         ((a) + (b))
#define EIGHT_PLUS_float(a, b)        ((a) + (b))
#define EIGHT_PLUS_int(a, b)          ((eight_int)((eight_unsigned)(a) + (eight_unsigned)(b)))
#define EIGHT_TIMES_half(a, b)        ((a) * (b))
#define EIGHT_TIMES_float(a, b)       ((a) * (b))
#define EIGHT_TIMES_int(a, b)         ((eight_int)((eight_unsigned)(a) * (eight_unsigned)(b)))
#ifdef __AVX__ /* one instruction; gcc does not always generate it */
#define EIGHT_MIN_float(a, b) __builtin_ia32_minps256(b, a)
#define EIGHT_MAX_float(a, b) __builtin_ia32_maxps256(b, a)
#else
#define EIGHT_MIN_float(a, b) CHOOSE(float, (b) < (a), b, a)
#define EIGHT_MAX_float(a, b) CHOOSE(float, (b) > (a), b, a)
#endif
#define EIGHT_MIN_half(a, b)     EIGHT_MIN_float(a, b)
#define EIGHT_MAX_half(a, b)     EIGHT_MAX_float(a, b)
#define EIGHT_MIN_int(a, b)      CHOOSE(int, (b) < (a), b, a)
#define EIGHT_MAX_int(a, b)      CHOOSE(int, (b) > (a), b, a)
#define EIGHT_MIN_unsigned(a, b) CHOOSE(unsigned, (b) < (a), b, a)
#define EIGHT_MAX_unsigned(a, b) CHOOSE(unsigned, (b) > (a), b, a)
#define CHOOSE(T, mask, a, b)    ((eight_##T)(((mask) & (mask_##T)(a)) | (~(mask) & (mask_##T)(b))))
POPLIBS_FAST void log_add_to(float *a, const float *b)
{
    for (int i = 0; i < 8; ++i)
        a[i] = log_add(a[i], b[i]);
}
INLINE eight_float log_add_eight(eight_float a, eight_float b)
{
    log_add_to((float *)&a, (const float *)&b);
    return a;
}

#define TYPES    (POPLIBS_NUMBERS | POPLIBS_BOOL)
#define TEMPLATE "popops/reduce/reduce_value_typed.h"
#include "poplibs/each_type.h"

/* The last vector of a row overlaps the one before.  Operations for which that matters mask the elements that are
 * already counted. */
#define AGAIN_Add(mine, x)       OF(only)(mine, x)
#define AGAIN_SquareAdd(mine, x) OF(only)(mine, x)
#define AGAIN_LogAdd(mine, x)    OF(only)(mine, x)
#define AGAIN_Mul(mine, x)       OF(only)(mine, x)
#define AGAIN_Min(mine, x)       (x)
#define AGAIN_Max(mine, x)       (x)
#define AGAIN_And(mine, x)       (x)
#define AGAIN_Or(mine, x)        (x)
#endif
