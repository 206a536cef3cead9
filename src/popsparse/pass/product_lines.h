/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of one type: template of product_vertices.c. */

/* sum[i] += factor * line[i] */
static inline void TYPED(add_scaled)(float *restrict sum, const T *restrict line, float factor, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        sum[i] += factor * (float)line[i];
}

/* Adds the scaled lines of a block: sum += factors[k] * lines[k], factors step apart. Sums of half are rounded once. */
static inline void POPLIBS_JOIN(TYPED(add_lines), _float)(float *restrict sum, const T *lines, const T *factors,
                                                          size_t step, size_t count, size_t n)
{
    for (size_t k = 0; k < count; ++k)
        TYPED(add_scaled)(sum, lines + k * n, (float)factors[k * step], n);
}
#if T_BITS == POPLIBS_HALF
static inline void add_lines_half_half(half *restrict sum, const half *lines, const half *factors, size_t step,
                                       size_t count, size_t n)
{
    enum { PIECE = 32 };
    float sums[PIECE];
    for (size_t at = 0; at < n; at += PIECE) {
        size_t length = n - at < PIECE ? n - at : PIECE;
        for (size_t i = 0; i < length; ++i)
            sums[i] = (float)sum[at + i];
        for (size_t k = 0; k < count; ++k)
            add_scaled_half(sums, lines + k * n + at, (float)factors[k * step], length);
        for (size_t i = 0; i < length; ++i)
            sum[at + i] = (half)sums[i];
    }
}
#endif

static inline float TYPED(dot)(const T *a, const T *b, size_t n)
{
    enum { LANES = 16 };
    float sums[LANES] = { 0 }, sum = 0;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t k = 0; k < LANES; ++k)
            sums[k] += (float)a[i + k] * (float)b[i + k];
    for (; i < n; ++i)
        sum += (float)a[i] * (float)b[i];
    for (size_t k = 0; k < LANES; ++k)
        sum += sums[k];
    return sum;
}
