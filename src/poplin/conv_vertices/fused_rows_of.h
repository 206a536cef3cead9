/* SPDX-License-Identifier: Apache-2.0 */
/* fused_rows for COLUMNS columns: template of fused_rows.h.  Vectors have the machine's width, or fewer lanes if there
 * are fewer columns. */
#define OF_COLUMNS(name)   OF_COLUMNS_(name, COLUMNS)
#define OF_COLUMNS_(a, b)  OF_COLUMNS__(a, b)
#define OF_COLUMNS__(a, b) a##_##b

enum {
    OF_COLUMNS(LANES) = COLUMNS < POPLIBS_LANES ? COLUMNS : POPLIBS_LANES,
    OF_COLUMNS(VECTORS) = COLUMNS / OF_COLUMNS(LANES)
};
typedef float OF_COLUMNS(lanes) __attribute__((vector_size(4 * OF_COLUMNS(LANES)), aligned(4), may_alias));

__attribute__((always_inline)) static inline void OF_COLUMNS(fused_add)(OF_COLUMNS(lanes) * sum, float a,
                                                                        OF_COLUMNS(lanes) b)
{
    const OF_COLUMNS(lanes) spread = a - (OF_COLUMNS(lanes)){ 0 };
    POPLIBS_MULTIPLY_ADD(*sum, spread, b, OF_COLUMNS(LANES));
}

__attribute__((always_inline)) static inline void
OF_COLUMNS(fused_tile)(const size_t rows, size_t depth, float *const *x, const float *w, float *const *y)
{
    enum { VECTORS = OF_COLUMNS(VECTORS), LANES = OF_COLUMNS(LANES) };
    OF_COLUMNS(lanes) sums[FUSED_ROWS * VECTORS];
    const float *of[FUSED_ROWS];
#pragma GCC unroll 32
    for (size_t i = 0; i < rows * VECTORS; ++i)
        sums[i] = *(const OF_COLUMNS(lanes) *)(y[i / VECTORS] + i % VECTORS * LANES);
#pragma GCC unroll 8
    for (size_t e = 0; e < rows; ++e)
        of[e] = x[e];
    for (size_t c = 0; c < depth; ++c, w += COLUMNS)
#pragma GCC unroll 8
        for (size_t e = 0; e < rows; ++e)
#pragma GCC unroll 4
            for (size_t v = 0; v < VECTORS; ++v)
                OF_COLUMNS(fused_add)(&sums[e * VECTORS + v], of[e][c], *(const OF_COLUMNS(lanes) *)(w + v * LANES));
#pragma GCC unroll 32
    for (size_t i = 0; i < rows * VECTORS; ++i)
        *(OF_COLUMNS(lanes) *)(y[i / VECTORS] + i % VECTORS * LANES) = sums[i];
}

__attribute__((noinline)) static void OF_COLUMNS(fused_rows)(size_t rows, size_t depth, float *const *x, const float *w,
                                                             float *const *y)
{
    switch (rows) {
#if defined(__AVX512F__)
    case 8:
        OF_COLUMNS(fused_tile)(8, depth, x, w, y);
        return;
    case 7:
        OF_COLUMNS(fused_tile)(7, depth, x, w, y);
        return;
#endif
#if defined(__AVX2__) && defined(__FMA__)
    case 6:
        OF_COLUMNS(fused_tile)(6, depth, x, w, y);
        return;
    case 5:
        OF_COLUMNS(fused_tile)(5, depth, x, w, y);
        return;
    case 4:
        OF_COLUMNS(fused_tile)(4, depth, x, w, y);
        return;
    case 3:
        OF_COLUMNS(fused_tile)(3, depth, x, w, y);
        return;
#endif
    case 2:
        OF_COLUMNS(fused_tile)(2, depth, x, w, y);
        return;
    default:
        OF_COLUMNS(fused_tile)(1, depth, x, w, y);
    }
}
#undef COLUMNS
#undef OF_COLUMNS
#undef OF_COLUMNS_
#undef OF_COLUMNS__
