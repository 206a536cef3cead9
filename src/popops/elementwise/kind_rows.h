/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the operators of operators.def: block_ENUM_tag is a loop over a block of elements, row_ENUM_tag(in1, size1,
 * ..., out, count) processes any number (element_rows.h), for each class of types (operator_types.h), built from the
 * macros VALUE, BLOCK_OF and ROW of unary_vertices.c, binary_vertices.c and ternary_vertices.c.  Half uses the block of
 * float. */
#ifndef POPOPS_ELEMENTWISE_KIND_ROWS_H
#define POPOPS_ELEMENTWISE_KIND_ROWS_H

#include "poplibs/typed.h"

#ifdef __POPC_TYPES__ /* faster to compile */
#define ELEMENT_INLINE static inline
#else
#define ELEMENT_INLINE static inline __attribute__((always_inline))
#endif

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

#define ROW_FLOAT(tag, type, U_, I_, ENUM, RESULT, real, other)                                                        \
    VALUE(tag, type, U_, I_, ENUM, RESULT, real)                                                                       \
    BLOCK_OF(tag, type, ENUM, RESULT) ROW(tag, type, ENUM, RESULT, block_##ENUM##_##tag)
#define ROW_OTHER(tag, type, U_, I_, ENUM, RESULT, real, other)                                                        \
    VALUE(tag, type, U_, I_, ENUM, RESULT, other)                                                                      \
    BLOCK_OF(tag, type, ENUM, RESULT) ROW(tag, type, ENUM, RESULT, block_##ENUM##_##tag)
#define ROW_BOOLEAN                                            ROW_OTHER
#define ROW_HALF(tag, type, U_, I_, ENUM, RESULT, real, other) ROW(tag, type, ENUM, RESULT, block_##ENUM##_float)

/* An operator has an in-place form if its result has its operands' type. */
#define IN_PLACE_SAME(kind, ...) IN_PLACE(__VA_ARGS__)
#define IN_PLACE_BOOL(kind, ...) POPLIBS_JOIN(IN_PLACE_BOOL_, kind)(__VA_ARGS__)
#define IN_PLACE_BOOL_FLOAT(...)
#define IN_PLACE_BOOL_HALF(...)
#define IN_PLACE_BOOL_OTHER(...)
#define IN_PLACE_BOOL_BOOLEAN(...) IN_PLACE(__VA_ARGS__)

#endif
