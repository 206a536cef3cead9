/* SPDX-License-Identifier: Apache-2.0 */
/* The vertices of casts, for both sides of cast_vertices.c.  Between the types that programs have most there is one for
 * each pair.  Others are looked at as a pair that does the same: integers of equal size have the same bits, narrowing
 * keeps the low ones, and BOOL is a byte (cast.c). */
#ifndef POPOPS_ELEMENTWISE_CAST_TYPES_H
#define POPOPS_ELEMENTWISE_CAST_TYPES_H

/* X(from, to): popops::CastSupervisor<from,to> and popops::Cast2d<from,to> */
#define CAST_TO_MAIN(X, from) X(from, half) X(from, float) X(from, int) X(from, uint) X(from, truth)
#define CAST_MAIN(X)                                                                                                   \
    CAST_TO_MAIN(X, half) CAST_TO_MAIN(X, float) CAST_TO_MAIN(X, int) CAST_TO_MAIN(X, uint) CAST_TO_MAIN(X, truth)

/* X(from, to): popops::Cast<from,to> */
#define CAST_SMALL_AND_LARGE(X, real, way)                                                                             \
    way(X, real, schar) way(X, real, uchar) way(X, real, short) way(X, real, ushort) way(X, real, llong)               \
        way(X, real, ullong)
#define CAST_FROM(X, real, integer) X(real, integer)
#define CAST_INTO(X, real, integer) X(integer, real)
#define CAST_REALS(X)                                                                                                  \
    CAST_SMALL_AND_LARGE(X, half, CAST_FROM)                                                                           \
    CAST_SMALL_AND_LARGE(X, half, CAST_INTO)                                                                           \
    CAST_SMALL_AND_LARGE(X, float, CAST_FROM) CAST_SMALL_AND_LARGE(X, float, CAST_INTO)
#define CAST_EQUAL(X) X(uchar, uchar) X(ushort, ushort) X(ullong, ullong)
#define CAST_NARROWING(X)                                                                                              \
    X(ullong, uint) X(ullong, ushort) X(ullong, uchar) X(uint, ushort) X(uint, uchar) X(ushort, uchar)
#define CAST_WIDENING(X)                                                                                               \
    X(uchar, ushort)                                                                                                   \
    X(uchar, uint)                                                                                                     \
    X(uchar, ullong)                                                                                                   \
    X(schar, ushort)                                                                                                   \
    X(schar, uint)                                                                                                     \
    X(schar, ullong) X(ushort, uint) X(ushort, ullong) X(short, uint) X(short, ullong) X(uint, ullong) X(int, ullong)
#define CAST_TRUTH(X)  X(uchar, truth) X(ushort, truth) X(ullong, truth)
#define CAST_OTHERS(X) CAST_REALS(X) CAST_EQUAL(X) CAST_NARROWING(X) CAST_WIDENING(X) CAST_TRUTH(X)

#define CAST_TEXT_half              "half"
#define CAST_TEXT_float             "float"
#define CAST_TEXT_int               "int"
#define CAST_TEXT_uint              "unsigned int"
#define CAST_TEXT_truth             "bool"
#define CAST_TEXT_schar             "signed char"
#define CAST_TEXT_uchar             "unsigned char"
#define CAST_TEXT_short             "short"
#define CAST_TEXT_ushort            "unsigned short"
#define CAST_TEXT_llong             "long long"
#define CAST_TEXT_ullong            "unsigned long long"
#define CAST_NAME(vertex, from, to) "popops::" vertex "<" CAST_TEXT_##from "," CAST_TEXT_##to ">"

#endif
