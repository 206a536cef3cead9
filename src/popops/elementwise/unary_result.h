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
    block(in, out, count);
}
#undef NAMED
