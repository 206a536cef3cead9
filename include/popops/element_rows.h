/* SPDX-License-Identifier: Apache-2.0 */
/* For codelets in C: common parts of the vertices of element-wise operators.  Each operator on each type has
 * block_ENUM_tag, a loop over at most BLOCK elements, which gcc vectorises, and row_ENUM_tag(in1, size1, ..., out,
 * count), which processes any number of elements block by block.  An operand of one element is broadcast, the output
 * may be an operand, and within a block half is converted to float. */
#ifndef POPOPS_ELEMENT_ROWS_H
#define POPOPS_ELEMENT_ROWS_H

#if defined(__OPTIMIZE__) && !defined(__clang__)
#pragma GCC optimize("O2", "tree-vectorize", "vect-cost-model=dynamic", "no-math-errno", "no-trapping-math",           \
                     "no-tree-pre", "no-thread-jumps")
#endif
#include <poplar/vertex.h>
#include <popops/element_functions.h>
#include <popops/operator_types.h>

enum { BLOCK = 1024 };

/* Converts half to float and back, eight elements at a time if the machine can. */
static inline void widen(const half *from, float *to, size_t count)
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
static inline void narrow(const float *from, half *to, size_t count)
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

#define ELEMENT_INLINE static inline __attribute__((always_inline))

/* piece_tag: returns the address where count elements of an operand, from index `at` on, can be read in the type of
 * computation. Each operand has its own buffer, which is filled only once for an operand of one element. */
#define FILL_BUFFER(type, value, buffer, at, count)                                                                    \
    for (size_t i = 0; (at) == 0 && i < (count); ++i)                                                                  \
        (buffer)[i] = (type)(value);
#define PIECE(tag, type, ...)                                                                                          \
    static inline const type *piece_##tag(const type *in, size_t size, type *buffer, size_t at, size_t count)          \
    {                                                                                                                  \
        if (size != 1)                                                                                                 \
            return in + at;                                                                                            \
        FILL_BUFFER(type, *in, buffer, at, count)                                                                      \
        return buffer;                                                                                                 \
    }
POPOPS_TYPE_float(PIECE, ) POPOPS_TYPES_BITS(PIECE, ) POPOPS_TYPES_BOOLS(PIECE, ) static inline const
    float *piece_half(const half *in, size_t size, float *buffer, size_t at, size_t count)
{
    if (size != 1)
        widen(in + at, buffer, count);
    for (size_t i = 0; size == 1 && at == 0 && i < count; ++i)
        buffer[i] = (float)*in;
    return buffer;
}
#undef PIECE
#undef FILL_BUFFER

/* for (at, here): loops over the blocks of a row. */
#define EACH_BLOCK(count)                                                                                              \
    for (size_t at = 0, here; at < (count) && (here = (count)-at < BLOCK ? (count)-at : BLOCK, true); at += here)

/* The class of each type; RESULT of operators.def as a type. */
#define KIND_float        FLOAT
#define KIND_half         HALF
#define KIND_int          OTHER
#define KIND_unsigned     OTHER
#define KIND_short        OTHER
#define KIND_ushort       OTHER
#define KIND_longlong     OTHER
#define KIND_ulonglong    OTHER
#define KIND_boolean      BOOLEAN
#define RESULT_SAME(type) type
#define RESULT_BOOL(type) bool
#define JOIN(a, b)        JOIN_(a, b)
#define JOIN_(a, b)       a##b

/* Declares the types that values of operators.def use, in a function. */
#define VALUE_TYPES(type, unsigned_type, signed_type)                                                                  \
    typedef type T __attribute__((unused));                                                                            \
    typedef unsigned_type U __attribute__((unused));                                                                   \
    typedef signed_type I __attribute__((unused));

/* The operand -1 of a division, whose result may not be in the type: machines end the program then. */
#define IS_MINUS_ONE(value) ((T)-1 < (T)1 && (value) == (T)-1)

/* An operator has an in-place form if its result has its operands' type. */
#define IN_PLACE_SAME(kind, ...) IN_PLACE(__VA_ARGS__)
#define IN_PLACE_BOOL(kind, ...) JOIN(IN_PLACE_BOOL_, kind)(__VA_ARGS__)
#define IN_PLACE_BOOL_FLOAT(...)
#define IN_PLACE_BOOL_HALF(...)
#define IN_PLACE_BOOL_OTHER(...)
#define IN_PLACE_BOOL_BOOLEAN(...) IN_PLACE(__VA_ARGS__)

#endif
