/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of reductions on elements of T that do not depend on the operation: template of reduce_kernels.h. */
/* Mask of the lanes of a row's last vector that begin at element `first`. */
INLINE TYPED(mask) TYPED(new)(size_t inner, size_t first)
{
    TYPED(mask) mask = { 0 };
    for (size_t i = 0; i < 8; ++i)
        mask[i] = -(i + inner >= first + 8);
    return mask;
}

/* Converts sums to outputs.  A store first reads its cache line, so with many outputs the next lines are prefetched. */
static void TYPED(put)(T *restrict out, const TYPED(sum) *restrict sums, size_t count)
{
    size_t bytes = count * sizeof(T);
    for (size_t i = 0; i < bytes && bytes >= AHEAD; i += LINE)
        __builtin_prefetch((const char *)out + AHEAD + i, 1);
#if T_BITS & POPLIBS_HALF
    poplibs_narrow(out, sums, count);
#else
    memcpy(out, sums, bytes);
#endif
}

/* Reads outputs as sums; the buffer is used if their types differ. */
#if T_BITS & POPLIBS_HALF
INLINE const float *TYPED(old)(const T *out, size_t count, float *buffer)
{
    poplibs_widen(buffer, out, count);
    return buffer;
}
#elif !(T_BITS & POPLIBS_BOOL)
INLINE const T *TYPED(old)(const T *out, size_t count, T *buffer)
{
    (void)count, (void)buffer;
    return out;
}
#endif
