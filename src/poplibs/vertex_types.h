/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of element types for vertices that exist once per type, and for the names of their types: X(tag, C type,
 * "Poplar's name").  For both sides of a *_vertices.c file.  Where a macro of two arguments is needed,
 * POPLIBS_..._OF(X, ...) passes more on: X(tag, C type, name, ...). */
#ifndef POPLIBS_VERTEX_TYPES_H
#define POPLIBS_VERTEX_TYPES_H

#define POPLIBS_FLOATING(X) X(half, half, "half") X(float, float, "float")
#define POPLIBS_INTEGERS(X) X(int, int, "int") X(unsigned, unsigned, "unsigned int")
#define POPLIBS_SHORTS(X)   X(short, short, "short") X(ushort, unsigned short, "unsigned short")
#define POPLIBS_NUMBERS(X)  POPLIBS_FLOATING(X) POPLIBS_INTEGERS(X)
#define POPLIBS_ALL_TYPES(X)                                                                                           \
    POPLIBS_NUMBERS(X)                                                                                                 \
    POPLIBS_SHORTS(X)                                                                                                  \
    X(bool, bool, "bool")                                                                                              \
    X(char, char, "char")                                                                                              \
    X(schar, signed char, "signed char")                                                                               \
    X(uchar, unsigned char, "unsigned char")                                                                           \
    X(longlong, long long, "long long") X(ulonglong, unsigned long long, "unsigned long long")

#endif
