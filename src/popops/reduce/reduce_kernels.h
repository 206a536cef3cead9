/* SPDX-License-Identifier: Apache-2.0 */
/* For codelets: the loops of reductions, KERNELS(operation, type).  Sums are float where elements are half.
 *
 * Memory is the limit, so all take eight elements at a time, and fetch what comes AHEAD: a processor foresees too
 * little of it by itself.  The order in which an output's elements are joined depends on their number alone, not on
 * where the output stands among others. */
#ifndef POPOPS_REDUCE_REDUCE_KERNELS_H
#define POPOPS_REDUCE_REDUCE_KERNELS_H

#include "poplibs/half_vectors.h"

#include <math.h>
#include <string.h>

enum { LANES = 128, MOST_LANES = 512, CHUNK = 1024, AHEAD = 2048, LINE = 64 /* bytes */ };

typedef bool truth;

typedef float half_sum;
typedef float float_sum;
typedef int int_sum;
typedef unsigned unsigned_sum;
typedef unsigned char truth_sum;

POPLIBS_FAST float log_add(float a, float b)
{
    float most = a > b ? a : b, least = a > b ? b : a;
    return least == -INFINITY ? most : most + log1pf(expf(least - most));
}

#define LEAST_half     -INFINITY
#define LEAST_float    -INFINITY
#define LEAST_int      (-2147483647 - 1)
#define LEAST_unsigned 0u
#define MOST_half      INFINITY
#define MOST_float     INFINITY
#define MOST_int       2147483647
#define MOST_unsigned  4294967295u

/* Each operation: its neutral value, what of an element goes in, how two are joined; int wraps. */
#define NEUTRAL_Add(T)        0
#define NEUTRAL_SquareAdd(T)  0
#define NEUTRAL_LogAdd(T)     -INFINITY
#define NEUTRAL_Mul(T)        1
#define NEUTRAL_Min(T)        MOST_##T
#define NEUTRAL_Max(T)        LEAST_##T
#define NEUTRAL_And(T)        1
#define NEUTRAL_Or(T)         0
#define VALUE_Add(T, x)       (T##_sum)(x)
#define VALUE_SquareAdd(T, x) TIMES_##T((T##_sum)(x), (T##_sum)(x))
#define VALUE_LogAdd(T, x)    (T##_sum)(x)
#define VALUE_Mul(T, x)       (T##_sum)(x)
#define VALUE_Min(T, x)                                                                                                \
    JOIN_Min(T, MOST_##T, (T##_sum)(x)) /* NaN become neutral, or a pair with one would lose the other */
#define VALUE_Max(T, x)         JOIN_Max(T, LEAST_##T, (T##_sum)(x))
#define VALUE_And(T, x)         (T##_sum)(x)
#define VALUE_Or(T, x)          (T##_sum)(x)
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

/* ---- eight at a time ---- */

typedef poplibs_eight eight_float;
typedef int eight_int __attribute__((vector_size(32), aligned(4), may_alias));
typedef unsigned eight_unsigned __attribute__((vector_size(32), aligned(4), may_alias));
typedef unsigned char eight_truth __attribute__((vector_size(8), aligned(1), may_alias));
typedef eight_float eight_half;
typedef float four_float __attribute__((vector_size(16), aligned(4), may_alias));
typedef int four_int __attribute__((vector_size(16), aligned(4), may_alias));
typedef unsigned four_unsigned __attribute__((vector_size(16), aligned(4), may_alias));
typedef unsigned char four_truth __attribute__((vector_size(4), aligned(1), may_alias));

#define LOAD_half(from)     poplibs_widen_eight(from)
#define LOAD_float(from)    (*(const eight_float *)(const void *)(from))
#define LOAD_int(from)      (*(const eight_int *)(const void *)(from))
#define LOAD_unsigned(from) (*(const eight_unsigned *)(const void *)(from))
#define LOAD_truth(from)    (*(const eight_truth *)(const void *)(from))
/* Four elements from each of two places. */
#define PAIR_half(a, b)     poplibs_widen_four_each(a, b)
#define PAIR_float(a, b)    PAIR(float, a, b)
#define PAIR_int(a, b)      PAIR(int, a, b)
#define PAIR_unsigned(a, b) PAIR(unsigned, a, b)
#define PAIR_truth(a, b)    PAIR(truth, a, b)
#define PAIR(T, a, b)                                                                                                  \
    PICK(*(const four_##T *)(const void *)(a), *(const four_##T *)(const void *)(b), 0, 1, 2, 3, 4, 5, 6, 7)
#define PICK   __builtin_shufflevector
#define INLINE static inline __attribute__((always_inline))

/* What a comparison of them gives. */
typedef eight_int mask_half;
typedef eight_int mask_float;
typedef eight_int mask_int;
typedef eight_int mask_unsigned;
typedef signed char mask_truth __attribute__((vector_size(8), aligned(1), may_alias));

/* As VALUE_ and JOIN_. */
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
#define EIGHT_JOIN_Min(T, a, b)       EIGHT_LEAST_##T(a, b)
#define EIGHT_JOIN_Max(T, a, b)       EIGHT_MOST_##T(a, b)
#define EIGHT_JOIN_And(T, a, b)       ((a) & (b))
#define EIGHT_JOIN_Or(T, a, b)        ((a) | (b))
#define EIGHT_PLUS_half(a, b)         ((a) + (b))
#define EIGHT_PLUS_float(a, b)        ((a) + (b))
#define EIGHT_PLUS_int(a, b)          ((eight_int)((eight_unsigned)(a) + (eight_unsigned)(b)))
#define EIGHT_TIMES_half(a, b)        ((a) * (b))
#define EIGHT_TIMES_float(a, b)       ((a) * (b))
#define EIGHT_TIMES_int(a, b)         ((eight_int)((eight_unsigned)(a) * (eight_unsigned)(b)))
#ifdef __AVX__ /* one instruction, which gcc does not always find */
#define EIGHT_LEAST_float(a, b) __builtin_ia32_minps256(b, a)
#define EIGHT_MOST_float(a, b)  __builtin_ia32_maxps256(b, a)
#else
#define EIGHT_LEAST_float(a, b) CHOOSE(float, (b) < (a), b, a)
#define EIGHT_MOST_float(a, b)  CHOOSE(float, (b) > (a), b, a)
#endif
#define EIGHT_LEAST_half(a, b)     EIGHT_LEAST_float(a, b)
#define EIGHT_MOST_half(a, b)      EIGHT_MOST_float(a, b)
#define EIGHT_LEAST_int(a, b)      CHOOSE(int, (b) < (a), b, a)
#define EIGHT_MOST_int(a, b)       CHOOSE(int, (b) > (a), b, a)
#define EIGHT_LEAST_unsigned(a, b) CHOOSE(unsigned, (b) < (a), b, a)
#define EIGHT_MOST_unsigned(a, b)  CHOOSE(unsigned, (b) > (a), b, a)
#define CHOOSE(T, mask, a, b)      ((eight_##T)(((mask) & (mask_##T)(a)) | (~(mask) & (mask_##T)(b))))
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

/* Lanes of a row's last eight elements that are from element first on. */
#define NEW(T)                                                                                                         \
    INLINE mask_##T new_##T(size_t inner, size_t first)                                                                \
    {                                                                                                                  \
        mask_##T mask = { 0 };                                                                                         \
        for (size_t i = 0; i < 8; ++i)                                                                                 \
            mask[i] = -(i + inner >= first + 8);                                                                       \
        return mask;                                                                                                   \
    }
NEW(half)
NEW(float)
NEW(int)
NEW(unsigned)
NEW(truth)

/* Lanes that are not mine become neutral. */
#define EIGHTS(op, T)                                                                                                  \
    INLINE eight_##T join_##op##_##T(eight_##T a, eight_##T b)                                                         \
    {                                                                                                                  \
        return EIGHT_JOIN_##op(T, a, b);                                                                               \
    }                                                                                                                  \
    INLINE eight_##T neutral_##op##_##T(void)                                                                          \
    {                                                                                                                  \
        eight_##T x = { 0 };                                                                                           \
        for (int i = 0; i < 8; ++i)                                                                                    \
            x[i] = NEUTRAL_##op(T);                                                                                    \
        return x;                                                                                                      \
    }                                                                                                                  \
    INLINE eight_##T only_##op##_##T(mask_##T mine, eight_##T x)                                                       \
    {                                                                                                                  \
        return CHOOSE(T, mine, x, neutral_##op##_##T());                                                               \
    }                                                                                                                  \
    INLINE void join_to_##op##_##T(T##_sum *sums, eight_##T x)                                                         \
    {                                                                                                                  \
        eight_##T *to = (eight_##T *)(void *)sums;                                                                     \
        *to = join_##op##_##T(*to, x);                                                                                 \
    }

/* ---- columns ---- */

/* Joins rows of width elements, stride apart, to sums. */
#define ADD_ROWS(op, T)                                                                                                \
    INLINE eight_##T element_##op##_##T(const T *from)                                                                 \
    {                                                                                                                  \
        eight_##T x = LOAD_##T(from);                                                                                  \
        return EIGHT_VALUE_##op(T, x);                                                                                 \
    }                                                                                                                  \
    POPLIBS_FAST void add_rows_##op##_##T(T##_sum *restrict sums, const T *restrict in, size_t rows, size_t width,     \
                                          size_t stride)                                                               \
    {                                                                                                                  \
        size_t i, least = AHEAD / sizeof(T), far = 4 * stride < least ? least : 4 * stride;                            \
        size_t step = width == stride ? 8 : stride, scale = width == stride ? 4 : 1; /* of what is fetched */          \
        for (; rows >= 4; rows -= 4, in += 4 * stride) {                                                               \
            const T *b = in + stride, *c = b + stride, *d = c + stride,                                                \
                    *next = rows >= 8 || width == stride ? in + far : in;                                              \
            for (i = 0; i + 8 <= width; i += 8) {                                                                      \
                eight_##T low = join_##op##_##T(element_##op##_##T(in + i), element_##op##_##T(b + i));                \
                eight_##T high = join_##op##_##T(element_##op##_##T(c + i), element_##op##_##T(d + i));                \
                for (size_t j = 0; j < 4; ++j)                                                                         \
                    __builtin_prefetch(next + scale * i + step * j);                                                   \
                join_to_##op##_##T(sums + i, join_##op##_##T(low, high));                                              \
            }                                                                                                          \
            for (; i < width; ++i) {                                                                                   \
                T##_sum low = JOIN_##op(T, VALUE_##op(T, in[i]), VALUE_##op(T, b[i]));                                 \
                T##_sum high = JOIN_##op(T, VALUE_##op(T, c[i]), VALUE_##op(T, d[i]));                                 \
                low = JOIN_##op(T, low, high);                                                                         \
                sums[i] = JOIN_##op(T, sums[i], low);                                                                  \
            }                                                                                                          \
        }                                                                                                              \
        for (; rows; --rows, in += stride) {                                                                           \
            for (i = 0; i + 8 <= width; i += 8) {                                                                      \
                __builtin_prefetch(in + least + i);                                                                    \
                join_to_##op##_##T(sums + i, element_##op##_##T(in + i));                                              \
            }                                                                                                          \
            for (; i < width; ++i)                                                                                     \
                sums[i] = JOIN_##op(T, sums[i], VALUE_##op(T, in[i]));                                                 \
        }                                                                                                              \
    }
/* The same, where narrow rows that follow each other are taken many at a time, as one wide one of whole vectors. */
#define REDUCE(op, T)                                                                                                  \
    POPLIBS_FAST void reduce_##op##_##T(T##_sum *restrict sums, const T *restrict in, size_t rows, size_t width,       \
                                        size_t stride)                                                                 \
    {                                                                                                                  \
        if (width == stride && width <= LANES / 2 && rows * width >= 2 * LANES) {                                      \
            T##_sum wide[MOST_LANES];                                                                                  \
            size_t fold = 2;                                                                                           \
            while (2 * fold * width <= LANES || fold * width % 8)                                                      \
                fold *= 2;                                                                                             \
            size_t lanes = fold * width, whole = rows / fold;                                                          \
            for (size_t i = 0; i < lanes; ++i)                                                                         \
                wide[i] = NEUTRAL_##op(T);                                                                             \
            add_rows_##op##_##T(wide, in, whole, lanes, lanes);                                                        \
            for (size_t half_of = lanes / 2; half_of >= width; half_of /= 2)                                           \
                for (size_t i = 0; i < half_of; ++i)                                                                   \
                    wide[i] = JOIN_##op(T, wide[i], wide[half_of + i]);                                                \
            for (size_t i = 0; i < width; ++i)                                                                         \
                sums[i] = JOIN_##op(T, sums[i], wide[i]);                                                              \
            in += whole * lanes;                                                                                       \
            rows -= whole * fold;                                                                                      \
        }                                                                                                              \
        add_rows_##op##_##T(sums, in, rows, width, stride);                                                            \
    }

/* ---- rows, of which eight are joined across at once ---- */

#define ACROSS(op, T)                                                                                                  \
    INLINE eight_##T halves_##op##_##T(eight_##T a, eight_##T b)                                                       \
    {                                                                                                                  \
        return join_##op##_##T(PICK(a, b, 0, 1, 2, 3, 8, 9, 10, 11), PICK(a, b, 4, 5, 6, 7, 12, 13, 14, 15));          \
    }                                                                                                                  \
    INLINE eight_##T quarters_##op##_##T(eight_##T a, eight_##T b)                                                     \
    {                                                                                                                  \
        return join_##op##_##T(PICK(a, b, 0, 1, 8, 9, 4, 5, 12, 13), PICK(a, b, 2, 3, 10, 11, 6, 7, 14, 15));          \
    }                                                                                                                  \
    INLINE eight_##T eighths_##op##_##T(eight_##T a, eight_##T b)                                                      \
    {                                                                                                                  \
        return join_##op##_##T(PICK(a, b, 0, 2, 8, 10, 4, 6, 12, 14), PICK(a, b, 1, 3, 9, 11, 5, 7, 13, 15));          \
    }                                                                                                                  \
    /* pairs[j] has four elements each of rows j and j + 4; joins them to count sums, at most eight. */                \
    INLINE void join_pairs_##op##_##T(T##_sum *sums, size_t count, const eight_##T *pairs)                             \
    {                                                                                                                  \
        eight_##T low = quarters_##op##_##T(pairs[0], pairs[1]), high = quarters_##op##_##T(pairs[2], pairs[3]);       \
        eight_##T all = eighths_##op##_##T(low, high);                                                                 \
        if (count >= 8)                                                                                                \
            join_to_##op##_##T(sums, all);                                                                             \
        for (size_t i = 0; i < count && count < 8; ++i)                                                                \
            sums[i] = JOIN_##op(T, sums[i], all[i]);                                                                   \
    }                                                                                                                  \
    INLINE void join_eight_##op##_##T(T##_sum *sums, size_t count, const eight_##T *rows)                              \
    {                                                                                                                  \
        eight_##T pairs[4];                                                                                            \
        for (int j = 0; j < 4; ++j)                                                                                    \
            pairs[j] = halves_##op##_##T(rows[j], rows[j + 4]);                                                        \
        join_pairs_##op##_##T(sums, count, pairs);                                                                     \
    }

/* Of a row's last eight elements, only those count that whole vectors before have not, where it matters. */
#define AGAIN_Add(op, T, mine, x)       only_##op##_##T(mine, x)
#define AGAIN_SquareAdd(op, T, mine, x) only_##op##_##T(mine, x)
#define AGAIN_LogAdd(op, T, mine, x)    only_##op##_##T(mine, x)
#define AGAIN_Mul(op, T, mine, x)       only_##op##_##T(mine, x)
#define AGAIN_Min(op, T, mine, x)       (x)
#define AGAIN_Max(op, T, mine, x)       (x)
#define AGAIN_And(op, T, mine, x)       (x)
#define AGAIN_Or(op, T, mine, x)        (x)
#define LAST(op, T)                                                                                                    \
    INLINE eight_##T last_##op##_##T(const T *row, size_t inner, mask_##T mine)                                        \
    {                                                                                                                  \
        return AGAIN_##op(op, T, mine, element_##op##_##T(row + inner - 8));                                           \
    }
/* Rows of at most 4 or 8 elements.  What follows a row is read as well, but behind the last, which are copied. */
#define SHORT_ROWS(op, T)                                                                                              \
    INLINE const T *begin_rows_##op##_##T(T *copy, const T *in, size_t count, size_t inner)                            \
    {                                                                                                                  \
        return count > 8 ? in : memcpy(copy, in, count * inner * sizeof(T));                                           \
    }                                                                                                                  \
    INLINE void rows_to_4_##op##_##T(T##_sum *restrict sums, const T *restrict in, size_t count, size_t inner)         \
    {                                                                                                                  \
        T copy[8 * 8] = { 0 };                                                                                         \
        mask_##T mine;                                                                                                 \
        eight_##T pairs[4];                                                                                            \
        for (size_t i = 0; i < 8; ++i)                                                                                 \
            mine[i] = -(i % 4 < inner);                                                                                \
        for (; count; in += 8 * inner, sums += 8, count -= count < 8 ? count : 8) {                                    \
            const T *from = begin_rows_##op##_##T(copy, in, count, inner);                                             \
            for (size_t j = 0; j < 4; ++j) {                                                                           \
                eight_##T pair = PAIR_##T(from + j * inner, from + (j + 4) * inner);                                   \
                pairs[j] = only_##op##_##T(mine, EIGHT_VALUE_##op(T, pair));                                           \
                if (j * 8 * sizeof(T) % LINE == 0)                                                                     \
                    __builtin_prefetch(in + AHEAD / sizeof(T) + 2 * j * inner);                                        \
            }                                                                                                          \
            join_pairs_##op##_##T(sums, count, pairs);                                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    POPLIBS_FAST void rows_of_4_##op##_##T(T##_sum *restrict sums, const T *restrict in, size_t count, size_t inner)   \
    {                                                                                                                  \
        if (inner == 4) /* the most usual, and known here */                                                           \
            rows_to_4_##op##_##T(sums, in, count, 4);                                                                  \
        else                                                                                                           \
            rows_to_4_##op##_##T(sums, in, count, inner);                                                              \
    }                                                                                                                  \
    POPLIBS_FAST void rows_of_8_##op##_##T(T##_sum *restrict sums, const T *restrict in, size_t count, size_t inner)   \
    {                                                                                                                  \
        T copy[8 * 8] = { 0 };                                                                                         \
        mask_##T mine;                                                                                                 \
        eight_##T rows[8];                                                                                             \
        for (size_t i = 0; i < 8; ++i)                                                                                 \
            mine[i] = -(i < inner);                                                                                    \
        for (; count; in += 8 * inner, sums += 8, count -= count < 8 ? count : 8) {                                    \
            const T *from = begin_rows_##op##_##T(copy, in, count, inner);                                             \
            for (size_t j = 0; j < 8; ++j) {                                                                           \
                rows[j] = only_##op##_##T(mine, element_##op##_##T(from + j * inner));                                 \
                if (j * 8 * sizeof(T) % LINE == 0)                                                                     \
                    __builtin_prefetch(in + AHEAD / sizeof(T) + j * inner);                                            \
            }                                                                                                          \
            join_eight_##op##_##T(sums, count, rows);                                                                  \
        }                                                                                                              \
    }

/* Longer rows, of so many vectors, or of any number.  For the last, fewer than eight rows, the last of them is taken
 * again. */
#define LONG_ROWS(op, T)                                                                                               \
    INLINE eight_##T row_of_##op##_##T(const T *in, size_t inner, mask_##T mine, size_t vectors)                       \
    {                                                                                                                  \
        eight_##T x = element_##op##_##T(in);                                                                          \
        for (size_t i = 1; i + 1 < vectors; ++i)                                                                       \
            x = join_##op##_##T(x, element_##op##_##T(in + 8 * i));                                                    \
        __builtin_prefetch(in + AHEAD / sizeof(T));                                                                    \
        __builtin_prefetch(in + inner - 8 + AHEAD / sizeof(T));                                                        \
        return join_##op##_##T(x, last_##op##_##T(in, inner, mine));                                                   \
    }                                                                                                                  \
    INLINE eight_##T row_##op##_##T(const T *in, size_t inner, mask_##T mine)                                          \
    {                                                                                                                  \
        const T *next = in + AHEAD / sizeof(T);                                                                        \
        eight_##T a = element_##op##_##T(in), b = element_##op##_##T(in + 8);                                          \
        size_t i = 16;                                                                                                 \
        __builtin_prefetch(next);                                                                                      \
        for (; i + 16 <= inner; i += 16) {                                                                             \
            __builtin_prefetch(next + i);                                                                              \
            a = join_##op##_##T(a, element_##op##_##T(in + i));                                                        \
            b = join_##op##_##T(b, element_##op##_##T(in + i + 8));                                                    \
        }                                                                                                              \
        if (i + 8 <= inner)                                                                                            \
            a = join_##op##_##T(a, element_##op##_##T(in + i));                                                        \
        if (inner % 8)                                                                                                 \
            b = join_##op##_##T(b, last_##op##_##T(in, inner, mine));                                                  \
        return join_##op##_##T(a, b);                                                                                  \
    }                                                                                                                  \
    INLINE void rows_of_##op##_##T(T##_sum *restrict sums, const T *restrict in, size_t count, size_t inner,           \
                                   size_t vectors)                                                                     \
    {                                                                                                                  \
        mask_##T mine = new_##T(inner, vectors ? 8 * (vectors - 1) : inner / 8 * 8);                                   \
        eight_##T rows[8];                                                                                             \
        for (; count; sums += 8, count -= count < 8 ? count : 8) {                                                     \
            for (size_t j = 0; j < 8; ++j) {                                                                           \
                rows[j] = vectors ? row_of_##op##_##T(in, inner, mine, vectors) : row_##op##_##T(in, inner, mine);     \
                in += j + 1 < count ? inner : 0;                                                                       \
            }                                                                                                          \
            join_eight_##op##_##T(sums, count, rows);                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    POPLIBS_FAST void rows_of_16_##op##_##T(T##_sum *restrict sums, const T *restrict in, size_t count, size_t inner)  \
    {                                                                                                                  \
        rows_of_##op##_##T(sums, in, count, inner, 2);                                                                 \
    }                                                                                                                  \
    POPLIBS_FAST void rows_of_24_##op##_##T(T##_sum *restrict sums, const T *restrict in, size_t count, size_t inner)  \
    {                                                                                                                  \
        rows_of_##op##_##T(sums, in, count, inner, 3);                                                                 \
    }                                                                                                                  \
    POPLIBS_FAST void long_rows_##op##_##T(T##_sum *restrict sums, const T *restrict in, size_t count, size_t inner)   \
    {                                                                                                                  \
        rows_of_##op##_##T(sums, in, count, inner, 0);                                                                 \
    }
/* Joins inner elements each to sums. */
#define REDUCE_EACH(op, T)                                                                                             \
    POPLIBS_FAST void reduce_each_##op##_##T(T##_sum *restrict sums, const T *restrict in, size_t count, size_t inner) \
    {                                                                                                                  \
        if (inner == 1)                                                                                                \
            add_rows_##op##_##T(sums, in, 1, count, count);                                                            \
        else if (inner <= 8)                                                                                           \
            (inner <= 4 ? rows_of_4_##op##_##T : rows_of_8_##op##_##T)(sums, in, count, inner);                        \
        else if (inner <= 24)                                                                                          \
            (inner <= 16 ? rows_of_16_##op##_##T : rows_of_24_##op##_##T)(sums, in, count, inner);                     \
        else if (inner < 8 * LANES)                                                                                    \
            long_rows_##op##_##T(sums, in, count, inner);                                                              \
        else                                                                                                           \
            for (size_t k = 0; k < count; ++k)                                                                         \
                reduce_##op##_##T(&sums[k], in + k * inner, inner, 1, 1);                                              \
    }

#define KERNELS(op, T)                                                                                                 \
    EIGHTS(op, T)                                                                                                      \
    ADD_ROWS(op, T) REDUCE(op, T) ACROSS(op, T) LAST(op, T) SHORT_ROWS(op, T) LONG_ROWS(op, T) REDUCE_EACH(op, T)

#endif
