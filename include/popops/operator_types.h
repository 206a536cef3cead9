/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of element types that operators.def refers to, as X(tag, C type, type of computation, unsigned type of the
 * same width, signed type of the same width, "Poplar's name", pop_type, ...); further arguments of a list are passed on
 * to X. */
#ifndef POPOPS_OPERATOR_TYPES_H
#define POPOPS_OPERATOR_TYPES_H

#define POPOPS_TYPE_half(X, ...)  X(half, half, float, unsigned short, short, "half", POP_HALF, __VA_ARGS__)
#define POPOPS_TYPE_float(X, ...) X(float, float, float, unsigned, int, "float", POP_FLOAT, __VA_ARGS__)
#define POPOPS_TYPE_int(X, ...)   X(int, int, int, unsigned, int, "int", POP_INT, __VA_ARGS__)
#define POPOPS_TYPE_unsigned(X, ...)                                                                                   \
    X(unsigned, unsigned, unsigned, unsigned, int, "unsigned int", POP_UNSIGNED_INT, __VA_ARGS__)
#define POPOPS_TYPE_short(X, ...) X(short, short, short, unsigned short, short, "short", POP_SHORT, __VA_ARGS__)
#define POPOPS_TYPE_ushort(X, ...)                                                                                     \
    X(ushort, unsigned short, unsigned short, unsigned short, short, "unsigned short", POP_UNSIGNED_SHORT, __VA_ARGS__)
#define POPOPS_TYPE_bool(X, ...) X(boolean, bool, bool, unsigned char, signed char, "bool", POP_BOOL, __VA_ARGS__)
#define POPOPS_TYPE_longlong(X, ...)                                                                                   \
    X(longlong, long long, long long, unsigned long long, long long, "long long", POP_LONGLONG, __VA_ARGS__)
#define POPOPS_TYPE_ulonglong(X, ...)                                                                                  \
    X(ulonglong, unsigned long long, unsigned long long, unsigned long long, long long, "unsigned long long",          \
      POP_UNSIGNED_LONGLONG, __VA_ARGS__)

#define POPOPS_TYPES_FLOATS(X, ...)  POPOPS_TYPE_float(X, __VA_ARGS__) POPOPS_TYPE_half(X, __VA_ARGS__)
#define POPOPS_TYPES_ROOTS(X, ...)   POPOPS_TYPES_FLOATS(X, __VA_ARGS__) POPOPS_TYPE_int(X, __VA_ARGS__)
#define POPOPS_TYPES_SQUARES(X, ...) POPOPS_TYPES_ROOTS(X, __VA_ARGS__) POPOPS_TYPE_unsigned(X, __VA_ARGS__)
#define POPOPS_TYPES_SIGNED(X, ...)  POPOPS_TYPES_ROOTS(X, __VA_ARGS__) POPOPS_TYPE_longlong(X, __VA_ARGS__)
#define POPOPS_TYPES_WORDS(X, ...)                                                                                     \
    POPOPS_TYPE_int(X, __VA_ARGS__) POPOPS_TYPE_unsigned(X, __VA_ARGS__) POPOPS_TYPE_longlong(X, __VA_ARGS__)          \
        POPOPS_TYPE_ulonglong(X, __VA_ARGS__)
#define POPOPS_TYPES_BITS(X, ...)                                                                                      \
    POPOPS_TYPES_WORDS(X, __VA_ARGS__) POPOPS_TYPE_short(X, __VA_ARGS__) POPOPS_TYPE_ushort(X, __VA_ARGS__)
#define POPOPS_TYPES_NUMBERS(X, ...)    POPOPS_TYPES_FLOATS(X, __VA_ARGS__) POPOPS_TYPES_WORDS(X, __VA_ARGS__)
#define POPOPS_TYPES_BOOLS(X, ...)      POPOPS_TYPE_bool(X, __VA_ARGS__)
#define POPOPS_TYPES_COMPARABLE(X, ...) POPOPS_TYPES_NUMBERS(X, __VA_ARGS__) POPOPS_TYPES_BOOLS(X, __VA_ARGS__)
#define POPOPS_TYPES_EVERYTHING(X, ...)                                                                                \
    POPOPS_TYPES_COMPARABLE(X, __VA_ARGS__) POPOPS_TYPE_short(X, __VA_ARGS__) POPOPS_TYPE_ushort(X, __VA_ARGS__)

#endif
