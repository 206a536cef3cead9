/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of unary operators on T with results of type RESULT: template of both_results.h. */

ELEMENT_INLINE void NAMED(unary_block, R_TAG, E_TAG)(const T *in, RESULT *out, size_t count, RESULT (*value)(T))
{
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i)
        out[i] = value(in[i]);
}
ELEMENT_INLINE void NAMED(unary_row, R_TAG, E_TAG)(const T *in, RESULT *out, size_t count,
                                                   void (*block)(const T *, RESULT *, size_t))
{
    size_t at = 0;
#ifndef __IPU__
    enum { LINE = POPOPS_LINE / sizeof(T) };
    for (; count - at >= LINE; at += LINE) {
        size_t ahead = popops_ahead(at, count, sizeof(T));
        __builtin_prefetch(in + ahead);
        if ((const void *)out != (const void *)in)
            __builtin_prefetch(out + ahead);
        block(in + at, out + at, LINE);
    }
#endif
    block(in + at, out + at, count - at);
}
