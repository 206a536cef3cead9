/* SPDX-License-Identifier: Apache-2.0 */
/* How operands of T are packed: template of host_gemm_pack.h. */
/* turn: transposes: element (i, k) of `count` rows of `depth` elements is stored to to[k * step + i].  LANES rows at
 * once, the highest first: elements written beyond `count` are overwritten by the lowest rows of the next k (after the
 * last k they are within LANES elements of the end).  Whole cache lines are read at once, because rows that are a power
 * of two apart evict each other.  The last block may overlap the previous one. */
GEMM_INLINE void TYPED(turn_block)(const T *const *rows, size_t at, float *to, size_t step)
{
    vec block[LANES];
    for (size_t i = 0; i < LANES; ++i)
        block[i] = TYPED(load)(rows[i] + at);
    transpose(block);
    for (size_t i = 0; i < LANES; ++i)
        *(vec *)(to + i * step) = block[i];
}
static void TYPED(turn)(const T *const *from, size_t count, size_t depth, float *to, size_t step)
{
    const T *rows[GEMM_PANEL];
    size_t end = (count + LANES - 1) / LANES * LANES;
    for (size_t i = 0; i < end; ++i)
        rows[i] = from[i < count ? i : count - 1];
    for (size_t k = 0; depth >= LANES && k < depth; k += LANES) {
        k = k + LANES <= depth ? k : depth - LANES;
        for (size_t i = end; i > 0; i -= LANES)
            TYPED(turn_block)(rows + i - LANES, k, to + k * step + i - LANES, step);
    }
    for (size_t k = 0; depth < LANES && k < depth; ++k)
        for (size_t i = 0; i < count; ++i)
            to[k * step + i] = (float)rows[i][k];
}
/* Turns rows whose elements are `stride` apart. */
GEMM_INLINE void TYPED(turn_apart)(const T *const *from, size_t count, size_t depth, size_t stride, float *to,
                                   size_t step)
{
    if (stride == 1) {
        TYPED(turn)(from, count, depth, to, step);
        return;
    }
    for (size_t k = 0; k < depth; ++k)
        for (size_t i = 0; i < count; ++i)
            to[k * step + i] = (float)from[i][k * stride];
}
/* Copies `count` elements of a row to `to`, and zeros up to `wide`. */
GEMM_INLINE void TYPED(lay)(const T *from, size_t count, float *to, size_t wide)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        *(vec *)(to + i) = TYPED(load)(from + i);
    for (; i < count; ++i)
        to[i] = (float)from[i];
    for (; i < wide; ++i)
        to[i] = 0;
}
