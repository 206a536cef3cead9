/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of casts: template of cast_run_typed.h.  cast_half_float and cast_float_half are in poplibs/half_vectors.h. */
#if (T_BITS & POPLIBS_HALF) && !(T_2_BITS & POPLIBS_FLOATING)
/* Block by block through float, because gcc does not vectorise conversions of single halves. */
static void PAIRED(cast)(T_2 *out, const T *in, size_t count)
{
    float wide[BLOCK];
    for (size_t n; count; count -= n, in += n, out += n) {
        n = count < BLOCK ? count : BLOCK;
        poplibs_widen(wide, in, n);
        POPLIBS_JOIN(cast_float_, T_2_TAG)(out, wide, n);
    }
}
#elif (T_BITS & POPLIBS_FLOATING) == T_BITS && (T_2_BITS & POPLIBS_FLOATING) == T_2_BITS && T_BITS != T_2_BITS
/* replaced by poplibs_widen and poplibs_narrow */
#else
#include "popops/elementwise/cast_value.h"
POPLIBS_FAST void PAIRED(cast)(T_2 *restrict out, const T *restrict in, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        out[i] = CAST_VALUE(in[i]);
}
#endif
