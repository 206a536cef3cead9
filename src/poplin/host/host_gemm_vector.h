/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products on the host: the machine's vectors and their operations. */
#ifndef POPLIN_HOST_HOST_GEMM_VECTOR_H
#define POPLIN_HOST_HOST_GEMM_VECTOR_H

#include "poplibs/lanes.h"

#include <poplar/vertex.h>
#include <stddef.h>
#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

#define GEMM_INLINE static inline __attribute__((always_inline))

enum { LANES = POPLIBS_LANES };
typedef float vec __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

GEMM_INLINE vec load_float(const float *from)
{
    return *(const vec *)from;
}

GEMM_INLINE void multiply_add(vec *sum, vec a, vec b)
{
    POPLIBS_MULTIPLY_ADD(*sum, a, b, LANES);
}

/* transpose: element k of vector i becomes element i of vector k. */
#if defined(__AVX512F__)
GEMM_INLINE vec spread(float value)
{
    return (vec)_mm512_set1_ps(value);
}
GEMM_INLINE vec load_half(const half *from)
{
    return (vec)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)from));
}
/* Transposes 4 x 4 blocks within each quarter, then the quarters. */
GEMM_INLINE void transpose(vec r[LANES])
{
    __m512 a[LANES], b[LANES];
    for (int i = 0; i < LANES; i += 2) {
        a[i] = _mm512_unpacklo_ps((__m512)r[i], (__m512)r[i + 1]);
        a[i + 1] = _mm512_unpackhi_ps((__m512)r[i], (__m512)r[i + 1]);
    }
    for (int i = 0; i < LANES; i += 4) {
        b[i] = _mm512_shuffle_ps(a[i], a[i + 2], 0x44);
        b[i + 1] = _mm512_shuffle_ps(a[i], a[i + 2], 0xee);
        b[i + 2] = _mm512_shuffle_ps(a[i + 1], a[i + 3], 0x44);
        b[i + 3] = _mm512_shuffle_ps(a[i + 1], a[i + 3], 0xee);
    }
    for (int i = 0; i < 4; ++i) {
        __m512 first = _mm512_shuffle_f32x4(b[i], b[i + 4], 0x44), second = _mm512_shuffle_f32x4(b[i], b[i + 4], 0xee);
        __m512 third = _mm512_shuffle_f32x4(b[i + 8], b[i + 12], 0x44),
               fourth = _mm512_shuffle_f32x4(b[i + 8], b[i + 12], 0xee);
        r[i] = (vec)_mm512_shuffle_f32x4(first, third, 0x88);
        r[i + 4] = (vec)_mm512_shuffle_f32x4(first, third, 0xdd);
        r[i + 8] = (vec)_mm512_shuffle_f32x4(second, fourth, 0x88);
        r[i + 12] = (vec)_mm512_shuffle_f32x4(second, fourth, 0xdd);
    }
}
#elif defined(__AVX2__) && defined(__FMA__)
GEMM_INLINE vec spread(float value)
{
    return (vec)_mm256_set1_ps(value);
}
GEMM_INLINE vec load_half(const half *from)
{
#ifdef __F16C__
    return (vec)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)from));
#else
    vec wide;
    for (int i = 0; i < LANES; ++i)
        wide[i] = (float)from[i];
    return wide;
#endif
}
GEMM_INLINE void transpose(vec r[LANES])
{
    __m256 a[LANES], b[LANES];
    for (int i = 0; i < LANES; i += 2) {
        a[i] = _mm256_unpacklo_ps((__m256)r[i], (__m256)r[i + 1]);
        a[i + 1] = _mm256_unpackhi_ps((__m256)r[i], (__m256)r[i + 1]);
    }
    for (int i = 0; i < LANES; i += 4) {
        b[i] = _mm256_shuffle_ps(a[i], a[i + 2], 0x44);
        b[i + 1] = _mm256_shuffle_ps(a[i], a[i + 2], 0xee);
        b[i + 2] = _mm256_shuffle_ps(a[i + 1], a[i + 3], 0x44);
        b[i + 3] = _mm256_shuffle_ps(a[i + 1], a[i + 3], 0xee);
    }
    for (int i = 0; i < 4; ++i) {
        r[i] = (vec)_mm256_permute2f128_ps(b[i], b[i + 4], 0x20);
        r[i + 4] = (vec)_mm256_permute2f128_ps(b[i], b[i + 4], 0x31);
    }
}
#else
GEMM_INLINE vec spread(float value)
{
    return value - (vec){ 0 };
}
GEMM_INLINE vec load_half(const half *from)
{
    return (vec){ (float)from[0], (float)from[1], (float)from[2], (float)from[3] };
}
GEMM_INLINE void transpose(vec r[LANES])
{
    for (int i = 0; i < LANES; ++i)
        for (int k = 0; k < i; ++k) {
            float swapped = r[i][k];
            r[i][k] = r[k][i];
            r[k][i] = swapped;
        }
}
#endif

#endif
