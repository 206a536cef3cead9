/* SPDX-License-Identifier: Apache-2.0 */
/* The loop row_ENUM_tag of an operator for each class of types (operator_types.h), built from the macros VALUE,
 * BLOCK_OF and ROW of unary_vertices.c and binary_vertices.c.  Half uses the block of float. */
#ifndef POPOPS_ELEMENTWISE_KIND_ROWS_H
#define POPOPS_ELEMENTWISE_KIND_ROWS_H

#define ROW_FLOAT(tag, type, U_, I_, ENUM, RESULT, real, other)                                                        \
    VALUE(tag, type, U_, I_, ENUM, RESULT, real)                                                                       \
    BLOCK_OF(tag, type, ENUM, RESULT) ROW(tag, type, ENUM, RESULT, block_##ENUM##_##tag)
#define ROW_OTHER(tag, type, U_, I_, ENUM, RESULT, real, other)                                                        \
    VALUE(tag, type, U_, I_, ENUM, RESULT, other)                                                                      \
    BLOCK_OF(tag, type, ENUM, RESULT) ROW(tag, type, ENUM, RESULT, block_##ENUM##_##tag)
#define ROW_BOOLEAN                                            ROW_OTHER
#define ROW_HALF(tag, type, U_, I_, ENUM, RESULT, real, other) ROW(tag, type, ENUM, RESULT, block_##ENUM##_float)

#endif
