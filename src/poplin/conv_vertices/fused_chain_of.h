/* SPDX-License-Identifier: Apache-2.0 */
/* fused_chain for COLUMNS columns, in PARTS parts: template of fused_chain.h.  Vectors have the machine's width, or
 * fewer lanes if there are fewer columns. */
#define OF_COLUMNS(name)      OF_COLUMNS_(name, COLUMNS, PARTS)
#define OF_COLUMNS_(a, b, c)  OF_COLUMNS__(a, b, c)
#define OF_COLUMNS__(a, b, c) a##_##b##_in_##c

enum {
    OF_COLUMNS(LANES) = COLUMNS < POPLIBS_LANES ? COLUMNS : POPLIBS_LANES,
    OF_COLUMNS(VECTORS) = COLUMNS / OF_COLUMNS(LANES),
    OF_COLUMNS(ROWS) = OF_COLUMNS(VECTORS) == 1 ? FUSED_MANY : FUSED_ROWS
};
typedef float OF_COLUMNS(lanes) __attribute__((vector_size(4 * OF_COLUMNS(LANES)), aligned(4), may_alias));

/* Vector v of row e, whose parts are at to[e]; a vector of two parts is put together in memory. */
FUSED_INLINE float *OF_COLUMNS(fused_place)(const struct fused_chain *chain, const size_t *to, size_t e, size_t v)
{
    const size_t column = v * OF_COLUMNS(LANES), wide = COLUMNS / PARTS;
    return chain->y + to[e] + (ptrdiff_t)(column / wide) * chain->apart + column % wide;
}
FUSED_INLINE OF_COLUMNS(lanes)
    OF_COLUMNS(fused_load)(const struct fused_chain *chain, const size_t *to, size_t e, size_t v)
{
    enum { LANES = OF_COLUMNS(LANES), WIDE = COLUMNS / PARTS };
    if (LANES <= WIDE)
        return *(const OF_COLUMNS(lanes) *)OF_COLUMNS(fused_place)(chain, to, e, v);
    float both[LANES];
    __builtin_memcpy(both, chain->y + to[e], WIDE * sizeof(float));
    __builtin_memcpy(both + WIDE % LANES, chain->y + to[e] + chain->apart, WIDE * sizeof(float));
    return *(const OF_COLUMNS(lanes) *)both;
}
FUSED_INLINE void OF_COLUMNS(fused_store)(const struct fused_chain *chain, const size_t *to, size_t e, size_t v,
                                          OF_COLUMNS(lanes) sum)
{
    enum { LANES = OF_COLUMNS(LANES), WIDE = COLUMNS / PARTS };
    if (LANES <= WIDE) {
        *(OF_COLUMNS(lanes) *)OF_COLUMNS(fused_place)(chain, to, e, v) = sum;
        return;
    }
    float both[LANES];
    *(OF_COLUMNS(lanes) *)both = sum;
    __builtin_memcpy(chain->y + to[e], both, WIDE * sizeof(float));
    __builtin_memcpy(chain->y + to[e] + chain->apart, both + WIDE % LANES, WIDE * sizeof(float));
}
FUSED_INLINE void OF_COLUMNS(fused_add)(float x, const float *w, OF_COLUMNS(lanes) * sums)
{
    enum { VECTORS = OF_COLUMNS(VECTORS), LANES = OF_COLUMNS(LANES) };
    const OF_COLUMNS(lanes) spread = x - (OF_COLUMNS(lanes)){ 0 };
#pragma GCC unroll 4
    for (size_t v = 0; v < VECTORS; ++v)
        POPLIBS_MULTIPLY_ADD(sums[v], spread, *(const OF_COLUMNS(lanes) *)(w + v * LANES), LANES);
}
/* Element c of each row. */
FUSED_INLINE void OF_COLUMNS(fused_step)(const size_t rows, const float *const *x, size_t c, const float *w,
                                         OF_COLUMNS(lanes) * sums)
{
#pragma GCC unroll 10
    for (size_t e = 0; e < rows; ++e)
        OF_COLUMNS(fused_add)(x[e][c], w, sums + e * OF_COLUMNS(VECTORS));
}
/* All `depth` elements of each row; rows follow each other. */
FUSED_INLINE void OF_COLUMNS(fused_even_steps)(const size_t rows, const size_t depth, const float *x, const float *w,
                                               OF_COLUMNS(lanes) * sums)
{
#pragma GCC unroll 16
    for (size_t c = 0; c < depth; ++c)
#pragma GCC unroll 10
        for (size_t e = 0; e < rows; ++e)
            OF_COLUMNS(fused_add)(x[e * depth + c], w + c * COLUMNS, sums + e * OF_COLUMNS(VECTORS));
}
/* even: chain->depth if rows follow each other, or 0. */
FUSED_INLINE void OF_COLUMNS(fused_chain_of)(const size_t rows, const size_t even, const struct fused_chain *chain,
                                             const ptrdiff_t *from, const size_t *to)
{
    enum { VECTORS = OF_COLUMNS(VECTORS) };
    OF_COLUMNS(lanes) sums[FUSED_MANY * VECTORS];
    ptrdiff_t at[FUSED_MANY];
#pragma GCC unroll 32
    for (size_t i = 0; i < rows * VECTORS; ++i)
        sums[i] = (OF_COLUMNS(lanes)){ 0 };
    if (!chain->first)
#pragma GCC unroll 32
        for (size_t i = 0; i < rows * VECTORS; ++i)
            sums[i] = OF_COLUMNS(fused_load)(chain, to, i / VECTORS, i % VECTORS);
#pragma GCC unroll 10
    for (size_t e = 0; e < rows; ++e)
        at[e] = from[e];
    for (size_t i = 0; i < chain->groups; ++i)
        for (size_t k = 0; k < chain->steps; ++k) {
            const float *w = chain->w + i * chain->group_weights + chain->weights[k], *x[FUSED_MANY];
            if (even) {
                OF_COLUMNS(fused_even_steps)(rows, even, chain->x[i] + (chain->shifts[k] + at[0]), w, sums);
                continue;
            }
#pragma GCC unroll 10
            for (size_t e = 0; e < rows; ++e)
                x[e] = chain->x[i] + (chain->shifts[k] + at[e]);
            size_t c = 0;
            for (; c + 4 <= chain->depth; c += 4, w += 4 * COLUMNS)
#pragma GCC unroll 4
                for (size_t n = 0; n < 4; ++n)
                    OF_COLUMNS(fused_step)(rows, x, c + n, w + n * COLUMNS, sums);
            for (; c < chain->depth; ++c, w += COLUMNS)
                OF_COLUMNS(fused_step)(rows, x, c, w, sums);
        }
#pragma GCC unroll 32
    for (size_t i = 0; i < rows * VECTORS; ++i)
        OF_COLUMNS(fused_store)(chain, to, i / VECTORS, i % VECTORS, sums[i]);
}

FUSED_INLINE void OF_COLUMNS(fused_chain_any)(const size_t rows, const struct fused_chain *chain, const ptrdiff_t *from,
                                              const size_t *to)
{
    const size_t even = fused_even(rows, chain, from, 1);
    if (even == FUSED_EVEN)
        OF_COLUMNS(fused_chain_of)(rows, FUSED_EVEN, chain, from, to);
    else if (even)
        OF_COLUMNS(fused_chain_of)(rows, 2 * FUSED_EVEN, chain, from, to);
    else
        OF_COLUMNS(fused_chain_of)(rows, 0, chain, from, to);
}
__attribute__((noinline)) static void OF_COLUMNS(fused_chain)(size_t rows, const struct fused_chain *chain,
                                                              const ptrdiff_t *from, const size_t *to)
{
    switch (rows <= OF_COLUMNS(ROWS) ? rows : 0) {
#define ROWS(count)                                                                                                    \
    case count:                                                                                                        \
        OF_COLUMNS(fused_chain_any)(count <= OF_COLUMNS(ROWS) ? count : 1, chain, from, to);                           \
        return;
        ROWS(1)
        ROWS(2)
#if defined(__AVX2__) && defined(__FMA__)
        ROWS(3)
        ROWS(4)
        ROWS(5)
        ROWS(6)
        ROWS(7)
        ROWS(8)
        ROWS(9)
        ROWS(10)
#endif
#undef ROWS
    }
}
#undef COLUMNS
#undef PARTS
#undef OF_COLUMNS
#undef OF_COLUMNS_
#undef OF_COLUMNS__
