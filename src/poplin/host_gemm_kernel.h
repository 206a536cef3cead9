/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products on the host: how both operands are packed, and the kernel that multiplies packed ones.
 *
 * B is packed in blocks of at most GEMM_DEPTH rows; a block is panels of GEMM_PANEL columns one after the other, a panel is its rows one after the other,
 * columns beyond the last are zero.  A is packed by whoever multiplies: strips of at most STRIP rows, a strip is its columns one after the other.
 * Every element of the product is one chain of fused multiply-adds in each block of B: with the same blocks, results do not depend on the machine. */
#ifndef POPLIN_HOST_GEMM_KERNEL_H
#define POPLIN_HOST_GEMM_KERNEL_H

#include "poplin/host_gemm_shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

#define GEMM_INLINE static inline __attribute__((always_inline))

#if defined(__AVX512F__)
enum { LANES = 16, STRIP = 14 }; /* 28 registers of sums, 2 of B, 1 of A */
#elif defined(__AVX2__) && defined(__FMA__)
enum { LANES = 8, STRIP = 6 }; /* 12, 2 and 1 */
#else
enum { LANES = 4, STRIP = 4 };
#endif
enum { WIDE = 2 * LANES, AHEAD = 12 * GEMM_PANEL }; /* columns that a kernel does at once */
/* Rows of A that are packed at a time, and elements of B that stay near anyway. */
enum { ROWS = 13 * 14, PACKED_A = ROWS * GEMM_DEPTH + 16, FITS = 1 << 17 };

typedef float vec __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

GEMM_INLINE vec spread(float value)
{
#if defined(__AVX512F__)
    return (vec)_mm512_set1_ps(value);
#elif defined(__AVX2__) && defined(__FMA__)
    return (vec)_mm256_set1_ps(value);
#else
    return value - (vec){ 0 };
#endif
}
GEMM_INLINE vec multiply_add(vec a, vec b, vec c)
{
#if defined(__AVX512F__)
    return (vec)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__AVX2__) && defined(__FMA__)
    return (vec)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

/* ---- packing ---- */

#if defined(__AVX2__) && defined(__FMA__)
GEMM_INLINE __m256 load8_float(const float *from)
{
    return _mm256_loadu_ps(from);
}
GEMM_INLINE __m256 load8_half(const half *from)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)from));
}
/* Row i of what comes out is column i of what goes in. */
GEMM_INLINE void transpose8(__m256 r[8])
{
    __m256 a[8], b[8];
    for (int i = 0; i < 4; ++i) {
        a[2 * i] = _mm256_unpacklo_ps(r[2 * i], r[2 * i + 1]);
        a[2 * i + 1] = _mm256_unpackhi_ps(r[2 * i], r[2 * i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        b[i] = _mm256_shuffle_ps(a[i], a[i + 2], 0x44);
        b[i + 1] = _mm256_shuffle_ps(a[i], a[i + 2], 0xee);
        b[i + 2] = _mm256_shuffle_ps(a[i + 1], a[i + 3], 0x44);
        b[i + 3] = _mm256_shuffle_ps(a[i + 1], a[i + 3], 0xee);
    }
    for (int i = 0; i < 4; ++i) {
        r[i] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x20);
        r[i + 4] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x31);
    }
}
#define BLOCK8(T)                                                                                                      \
    GEMM_INLINE void turn8_##T(const T *const *rows, size_t at, float *to, size_t step)                                \
    {                                                                                                                  \
        __m256 r[8];                                                                                                   \
        for (int i = 0; i < 8; ++i)                                                                                    \
            r[i] = load8_##T(rows[i] + at);                                                                            \
        transpose8(r);                                                                                                 \
        for (int i = 0; i < 8; ++i)                                                                                    \
            _mm256_storeu_ps(to + (size_t)i * step, r[i]);                                                             \
    }                                                                                                                  \
    GEMM_INLINE void copy8_##T(const T *from, float *to)                                                               \
    {                                                                                                                  \
        _mm256_storeu_ps(to, load8_##T(from));                                                                         \
    }
#else
#define BLOCK8(T)                                                                                                      \
    GEMM_INLINE void turn8_##T(const T *const *rows, size_t at, float *to, size_t step)                                \
    {                                                                                                                  \
        for (size_t i = 0; i < 8; ++i)                                                                                 \
            for (size_t k = 0; k < 8; ++k)                                                                             \
                to[k * step + i] = (float)rows[i][at + k];                                                             \
    }                                                                                                                  \
    GEMM_INLINE void copy8_##T(const T *from, float *to)                                                               \
    {                                                                                                                  \
        for (size_t i = 0; i < 8; ++i)                                                                                 \
            to[i] = (float)from[i];                                                                                    \
    }
#endif

/* turn: element (i, k) of `count` rows of `depth` elements goes to to[k * step + i].  Eight rows at once, the highest first: what is written beyond
 * `count` is overwritten by the lowest of the next k (and, after the last, lies within 8 elements behind).
 * lay: `count` elements of a row to `to`, zeros after them up to `wide`. */
#define PACKING(T)                                                                                                     \
    BLOCK8(T)                                                                                                          \
    static void turn_##T(const T *const *from, size_t count, size_t depth, float *to, size_t step)                     \
    {                                                                                                                  \
        const T *rows[GEMM_PANEL];                                                                                     \
        size_t k = 0, end = (count + 7) / 8 * 8;                                                                       \
        for (size_t i = 0; i < end; ++i)                                                                               \
            rows[i] = from[i < count ? i : count - 1];                                                                 \
        for (; k + 8 <= depth; k += 8)                                                                                 \
            for (size_t i = end; i > 0; i -= 8)                                                                        \
                turn8_##T(rows + i - 8, k, to + k * step + i - 8, step);                                               \
        for (; k < depth; ++k)                                                                                         \
            for (size_t i = 0; i < count; ++i)                                                                         \
                to[k * step + i] = (float)rows[i][k];                                                                  \
    }                                                                                                                  \
    GEMM_INLINE void lay_##T(const T *from, size_t count, float *to, size_t wide)                                      \
    {                                                                                                                  \
        size_t i = 0;                                                                                                  \
        for (; i + 8 <= count; i += 8)                                                                                 \
            copy8_##T(from + i, to + i);                                                                               \
        for (; i < count; ++i)                                                                                         \
            to[i] = (float)from[i];                                                                                    \
        for (; i < wide; ++i)                                                                                          \
            to[i] = 0;                                                                                                 \
    }
PACKING(float)
PACKING(half)

/* ---- the kernel ---- */

/* What the product needs next of B: `step` elements of it are brought nearer with every second k. */
struct gemm_next {
    const float *from;
    size_t step;
};

/* s[i * vectors + j] += a[i] * b[j * LANES ...]. */
GEMM_INLINE void multiply_once(const size_t rows, const size_t vectors, const float *a, const float *b, vec *s)
{
    vec b0 = *(const vec *)b, b1 = *(const vec *)(b + (vectors > 1 ? LANES : 0));
#pragma GCC unroll 14
    for (size_t i = 0; i < rows; ++i) {
        vec x = spread(a[i]);
        s[i * vectors] = multiply_add(x, b0, s[i * vectors]);
        if (vectors > 1)
            s[i * vectors + 1] = multiply_add(x, b1, s[i * vectors + 1]);
    }
}
/* sums[i * vectors + j] = sum over k of a[k * rows + i] * b[k * GEMM_PANEL + j * LANES ...]. */
GEMM_INLINE void multiply(const size_t rows, const size_t vectors, size_t depth, const float *a, const float *b, const struct gemm_next *next, vec *sums)
{
    vec s[STRIP * 2];
#pragma GCC unroll 28
    for (size_t i = 0; i < rows * vectors; ++i)
        s[i] = spread(0);
    const float *later = next->from;
    const size_t step = next->step;
    for (; depth >= 2; depth -= 2, a += 2 * rows, b += 2 * GEMM_PANEL, later += step) {
        __builtin_prefetch(later, 0, 2);
        for (size_t line = 0; line < 2 * WIDE; line += 16)
            __builtin_prefetch(b + AHEAD + line / WIDE * GEMM_PANEL + line % WIDE);
        multiply_once(rows, vectors, a, b, s);
        multiply_once(rows, vectors, a + rows, b + GEMM_PANEL, s);
    }
    if (depth)
        multiply_once(rows, vectors, a, b, s);
#pragma GCC unroll 28
    for (size_t i = 0; i < rows * vectors; ++i)
        sums[i] = s[i];
}

/* Where a tile of the product goes: `columns` of each row from column `at` on; added to what is there times scale, or not. */
struct gemm_out {
    float *const *rows; /* those of the tile */
    size_t at, columns;
    bool add;
    float scale;
};

GEMM_INLINE void put(const size_t rows, const size_t vectors, const vec *sums, const struct gemm_out *out)
{
    if (out->columns < vectors * LANES) {
        for (size_t i = 0; i < rows; ++i) {
            float *to = out->rows[i] + out->at, line[2 * LANES];
            memcpy(line, sums + i * vectors, vectors * sizeof(vec));
            for (size_t k = 0; k < out->columns; ++k)
                to[k] = out->add ? to[k] + out->scale * line[k] : line[k];
        }
        return;
    }
    float *const *lines = out->rows;
    size_t at = out->at;
    if (!out->add) {
#pragma GCC unroll 28
        for (size_t i = 0; i < rows * vectors; ++i)
            *(vec *)(lines[i / vectors] + at + i % vectors * LANES) = sums[i];
        return;
    }
    vec scale = spread(out->scale);
#pragma GCC unroll 28
    for (size_t i = 0; i < rows * vectors; ++i)
        *(vec *)(lines[i / vectors] + at + i % vectors * LANES) += scale * sums[i];
}

#define KERNEL(count)                                                                                                  \
    static void kernel_##count(size_t depth, const float *a, const float *b, const struct gemm_next *next, const struct gemm_out *out) \
    {                                                                                                                  \
        vec sums[2 * (count)];                                                                                         \
        for (size_t i = 0; i < (count); ++i) {                                                                         \
            __builtin_prefetch(out->rows[i] + out->at, 1);                                                             \
            __builtin_prefetch(out->rows[i] + out->at + WIDE - 1, 1);                                                  \
        }                                                                                                              \
        if (out->columns > LANES) {                                                                                    \
            multiply(count, 2, depth, a, b, next, sums);                                                                     \
            put(count, 2, sums, out);                                                                                  \
        } else {                                                                                                       \
            multiply(count, 1, depth, a, b, next, sums);                                                                     \
            put(count, 1, sums, out);                                                                                  \
        }                                                                                                              \
    }
KERNEL(1) KERNEL(2) KERNEL(3) KERNEL(4)
#if defined(__AVX2__) && defined(__FMA__)
KERNEL(5) KERNEL(6)
#endif
#if defined(__AVX512F__)
KERNEL(7) KERNEL(8) KERNEL(9) KERNEL(10) KERNEL(11) KERNEL(12) KERNEL(13) KERNEL(14)
#endif

static void kernel(size_t rows, size_t depth, const float *a, const float *b, const struct gemm_next *next, const struct gemm_out *out)
{
#define CASE(count)                                                                                                    \
    case count:                                                                                                        \
        kernel_##count(depth, a, b, next, out);                                                                              \
        break;
    switch (rows) {
        CASE(1) CASE(2) CASE(3) CASE(4)
#if defined(__AVX2__) && defined(__FMA__)
        CASE(5) CASE(6)
#endif
#if defined(__AVX512F__)
        CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14)
#endif
    }
#undef CASE
}

#endif
