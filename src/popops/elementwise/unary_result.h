/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of unary operators on T with results of type RESULT: template of both_results.h. */
#define NAMED(name) POPLIBS_JOIN(POPLIBS_JOIN(name##_, R_TAG), POPLIBS_JOIN(_, E_TAG))

ELEMENT_INLINE void NAMED(unary_block)(const T *in, RESULT *out, size_t count, RESULT (*value)(T))
{
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i)
        out[i] = value(in[i]);
}
ELEMENT_INLINE void NAMED(unary_row)(const T *in, RESULT *out, size_t count, void (*block)(const T *, RESULT *, size_t))
{
#ifdef __IPU__
    block(in, out, count);
#else
    for (size_t at = 0, here, next; at < count; at += here) {
        here = count - at < POPOPS_AHEAD ? count - at : POPOPS_AHEAD;
        next = count - at - here < POPOPS_AHEAD ? count - at - here : POPOPS_AHEAD;
        popops_prefetch(in + at + here, next * sizeof(T));
        if ((const void *)out != (const void *)in)
            popops_prefetch(out + at + here, next * sizeof(RESULT));
        block(in + at, out + at, here);
    }
#endif
}
#undef NAMED
