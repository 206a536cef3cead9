/* SPDX-License-Identifier: Apache-2.0 */
/* The vertices of reductions, for both the codelets and the host part of reduce_vertices.c.  REDUCE_TYPES_op: the types
 * of partials; REDUCE_MIXED_op: partials of half and float have outputs of both types, otherwise outputs have the
 * partials' type; REDUCE_SCALES_op: outputs can be scaled and updated.  UNSIGNED_INT is added and multiplied as INT. */
#ifndef POPOPS_REDUCE_REDUCE_TYPES_H
#define POPOPS_REDUCE_REDUCE_TYPES_H

#include "poplibs/vertex_types.h"

#define REDUCE_TYPES_Add        (POPLIBS_FLOATING | POPLIBS_INT)
#define REDUCE_TYPES_SquareAdd  (POPLIBS_FLOATING | POPLIBS_INT)
#define REDUCE_TYPES_LogAdd     POPLIBS_FLOATING
#define REDUCE_TYPES_Mul        (POPLIBS_FLOATING | POPLIBS_INT)
#define REDUCE_TYPES_Min        POPLIBS_NUMBERS
#define REDUCE_TYPES_Max        POPLIBS_NUMBERS
#define REDUCE_TYPES_And        POPLIBS_BOOL
#define REDUCE_TYPES_Or         POPLIBS_BOOL
#define REDUCE_MIXED_Add        1
#define REDUCE_MIXED_SquareAdd  1
#define REDUCE_MIXED_LogAdd     1
#define REDUCE_MIXED_Mul        1
#define REDUCE_MIXED_Min        0
#define REDUCE_MIXED_Max        0
#define REDUCE_MIXED_And        0
#define REDUCE_MIXED_Or         0
#define REDUCE_SCALES_Add       1
#define REDUCE_SCALES_SquareAdd 1
#define REDUCE_SCALES_LogAdd    1
#define REDUCE_SCALES_Mul       0
#define REDUCE_SCALES_Min       0
#define REDUCE_SCALES_Max       0
#define REDUCE_SCALES_And       0
#define REDUCE_SCALES_Or        0

/* Specialisations, with their numbers in vertex types.  Poplibs' 1 (each output is one element) is a case of 0 here. */
enum {
    REDUCE_DEFAULT = 0,      /* region i of out from regions of partials whose sizes are multiples of its own */
    REDUCE_SINGLE_INPUT = 2, /* one output from one region */
    REDUCE_STRIDED =
        3, /* outputs in blocks of width, each from rows of so many elements, stride apart, of one region */
    REDUCE_CONTINUOUS = 4 /* each output from inner contiguous elements, in one or more rows of all outputs */
};

#endif
