/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of binary operators on T with results of type RESULT: template of both_results.h. */

ELEMENT_INLINE void NAMED(binary_block, R_TAG, E_TAG)(const T *in1, const T *in2, RESULT *out, size_t count,
                                                      RESULT (*value)(T, T))
{
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i)
        out[i] = value(in1[i], in2[i]);
}
ELEMENT_INLINE void NAMED(binary_row, R_TAG, E_TAG)(const T *in1, size_t size1, const T *in2, size_t size2, RESULT *out,
                                                    size_t count, void (*block)(const T *, const T *, RESULT *, size_t))
{
    T x[POPOPS_BLOCK], y[POPOPS_BLOCK];
    if (size1 != 1 && size2 != 1) { /* both operands can be read in place */
        block(in1, in2, out, count);
        return;
    }
    POPOPS_EACH_BLOCK(count)
    {
        const T *first = NAMED(popops_piece, E_TAG)(in1, size1, x, at, here),
                *second = NAMED(popops_piece, E_TAG)(in2, size2, y, at, here);
        block(first, second, out + at, here);
    }
}
