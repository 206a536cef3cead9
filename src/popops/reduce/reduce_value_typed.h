/* SPDX-License-Identifier: Apache-2.0 */
/* What reductions do with elements of T whatever the operation: template of reduce_kernels.h. */
/* Lanes of a row's last eight elements that are from element first on. */
INLINE TYPED(mask) TYPED(new)(size_t inner, size_t first)
{
    TYPED(mask) mask = { 0 };
    for (size_t i = 0; i < 8; ++i)
        mask[i] = -(i + inner >= first + 8);
    return mask;
}

/* Outputs from sums.  A cache reads the line that is written to, so of many results the next are fetched too. */
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

/* Outputs as sums, in the buffer where their type differs. */
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
