/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of the operator ENUM on T, whose third operand is THIRD: template of ternary_typed.h. */

#if !(T_BITS & POPLIBS_HALF)
ELEMENT_INLINE void NAMED(ternary_block, ENUM, E_TAG)(const T *in1, const T *in2, const THIRD *in3, T *out,
                                                      size_t count, T (*value)(T, T, THIRD))
{
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i)
        out[i] = value(in1[i], in2[i], in3[i]);
}
#endif
ELEMENT_INLINE void NAMED(ternary_row, ENUM,
                          E_TAG)(const T *in1, size_t size1, const T *in2, size_t size2, const THIRD *in3, size_t size3,
                                 T *out, size_t count,
                                 void (*block)(const WORK *, const WORK *, const THIRD_WORK *, WORK *, size_t))
{
    WORK x[POPOPS_BLOCK], y[POPOPS_BLOCK];
    THIRD_WORK z[POPOPS_BLOCK];
    POPOPS_EACH_BLOCK(count)
    {
        const WORK *first = NAMED(popops_piece, E_TAG)(in1, size1, x, at, here),
                   *second = NAMED(popops_piece, E_TAG)(in2, size2, y, at, here);
        const THIRD_WORK *third = NAMED(popops_piece, THIRD_TAG)(in3, size3, z, at, here);
#if T_BITS & POPLIBS_HALF
        float result[POPOPS_BLOCK];
        block(first, second, third, result, here);
        popops_narrow(result, out + at, here);
#else
        block(first, second, third, out + at, here);
#endif
    }
}
