/* SPDX-License-Identifier: Apache-2.0 */
/* For codelets in C: common parts of the vertices of element-wise operators.  A row of any number of
 * elements is processed in blocks of at most POPOPS_BLOCK, which gcc vectorises.  An operand of one element is
 * broadcast, the output may be an operand, and within a block half is converted to float. */
#ifndef POPOPS_ELEMENT_ROWS_H
#define POPOPS_ELEMENT_ROWS_H

#if defined(__OPTIMIZE__) && !defined(__clang__)
#pragma GCC optimize("O2", "tree-vectorize", "vect-cost-model=dynamic", "no-math-errno", "no-trapping-math",           \
                     "no-tree-pre", "no-thread-jumps")
#endif
#include <poplar/vertex.h>
#include <popops/element_functions.h>
#include <popops/operator_types.h>

enum { POPOPS_BLOCK = 1024 };

/* Converts half to float and back, eight elements at a time if the machine can. */
static inline void popops_widen(const half *from, float *to, size_t count)
{
    size_t i = 0;
#ifdef __F16C__
    typedef short eight __attribute__((vector_size(16), aligned(2), may_alias));
    typedef float floats __attribute__((vector_size(32), aligned(4), may_alias));
    for (; i + 8 <= count; i += 8)
        *(floats *)(to + i) = __builtin_ia32_vcvtph2ps256(*(const eight *)(from + i));
#endif
    for (; i < count; ++i)
        to[i] = (float)from[i];
}
static inline void popops_narrow(const float *from, half *to, size_t count)
{
    size_t i = 0;
#ifdef __F16C__
    typedef short eight __attribute__((vector_size(16), aligned(2), may_alias));
    typedef float floats __attribute__((vector_size(32), aligned(4), may_alias));
    for (; i + 8 <= count; i += 8)
        *(eight *)(to + i) = __builtin_ia32_vcvtps2ph256(*(const floats *)(from + i), 0);
#endif
    for (; i < count; ++i)
        to[i] = (half)from[i];
}

/* popops_piece_TYPE: returns the address where count elements of an operand, from index `at` on, can be read in the
 * type of computation. Each operand has its own buffer, which is filled only once for an operand of one element. */
#define POPOPS_FILL_BUFFER(type, value, buffer, at, count)                                                             \
    for (size_t i = 0; (at) == 0 && i < (count); ++i)                                                                  \
        (buffer)[i] = (type)(value);
#define POPOPS_PIECE(tag, type, ...)                                                                                   \
    static inline const type *popops_piece_##tag(const type *in, size_t size, type *buffer, size_t at, size_t count)   \
    {                                                                                                                  \
        if (size != 1)                                                                                                 \
            return in + at;                                                                                            \
        POPOPS_FILL_BUFFER(type, *in, buffer, at, count)                                                               \
        return buffer;                                                                                                 \
    }
POPOPS_TYPE_float(POPOPS_PIECE, ) POPOPS_TYPES_BITS(POPOPS_PIECE, )
    POPOPS_TYPES_BOOLS(POPOPS_PIECE, ) static inline const
    float *popops_piece_half(const half *in, size_t size, float *buffer, size_t at, size_t count)
{
    if (size != 1)
        popops_widen(in + at, buffer, count);
    for (size_t i = 0; size == 1 && at == 0 && i < count; ++i)
        buffer[i] = (float)*in;
    return buffer;
}
#undef POPOPS_PIECE
#undef POPOPS_FILL_BUFFER

/* for (at, here): loops over the blocks of a row. */
#define POPOPS_EACH_BLOCK(count)                                                                                       \
    for (size_t at = 0, here; at < (count) && (here = (count)-at < POPOPS_BLOCK ? (count)-at : POPOPS_BLOCK, true);    \
         at += here)

/* Declares the types that values of operators.def use, in a function. */
#define POPOPS_VALUE_TYPES(type, unsigned_type, signed_type)                                                           \
    typedef type T __attribute__((unused));                                                                            \
    typedef unsigned_type U __attribute__((unused));                                                                   \
    typedef signed_type I __attribute__((unused));

/* The operand -1 of a division, whose result may not be in the type: machines end the program then. */
#define POPOPS_IS_MINUS_ONE(value) ((T)-1 < (T)1 && (value) == (T)-1)

#endif
