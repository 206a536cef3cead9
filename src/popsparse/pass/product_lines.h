/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of one type: template of product_vertices.c. */

/* sum[i] += factor * line[i] */
static inline void TYPED(add_scaled)(float *restrict sum, const T *restrict line, float factor, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        sum[i] += factor * (float)line[i];
}

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
