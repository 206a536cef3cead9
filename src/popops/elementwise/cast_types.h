/* SPDX-License-Identifier: Apache-2.0 */
/* The vertices of casts, for both the codelets and the host part of cast_vertices.c.  There is one for each pair of
 * common types.  Other casts use an equivalent pair: integers of equal size have the same bits, narrowing keeps the low
 * bits, and BOOL is a byte (cast.c). */
#ifndef POPOPS_ELEMENTWISE_CAST_TYPES_H
#define POPOPS_ELEMENTWISE_CAST_TYPES_H

#include "poplibs/vertex_types.h"

/* popops::CastSupervisor<from,to> and popops::Cast2d<from,to>: all pairs of these types */
#define CAST_MAIN_TYPES (POPLIBS_NUMBERS | POPLIBS_BOOL)

/* popops::CastSupervisor<quarter,T>, <T,quarter> and Cast2d: T is one of these, or quarter */
#define CAST_QUARTER_TYPES (POPLIBS_FLOATING | POPLIBS_SCHAR | POPLIBS_UCHAR)

/* popops::Cast<from,to>: CAST_TO_from is the set of types to which `from` is cast. */
#define CAST_SMALL_AND_LARGE (POPLIBS_SCHAR | POPLIBS_UCHAR | POPLIBS_SHORTS | POPLIBS_LONGLONG | POPLIBS_ULONGLONG)
#define CAST_WIDER           (POPLIBS_UNSIGNED | POPLIBS_ULONGLONG)
#define CAST_TO_half         CAST_SMALL_AND_LARGE
#define CAST_TO_float        CAST_SMALL_AND_LARGE
#define CAST_TO_int          POPLIBS_ULONGLONG
#define CAST_TO_unsigned     (POPLIBS_USHORT | POPLIBS_UCHAR | POPLIBS_ULONGLONG)
#define CAST_TO_short        (POPLIBS_FLOATING | CAST_WIDER)
#define CAST_TO_ushort       (POPLIBS_FLOATING | POPLIBS_USHORT | POPLIBS_UCHAR | POPLIBS_BOOL | CAST_WIDER)
#define CAST_TO_bool         0
#define CAST_TO_char         0
#define CAST_TO_schar        (POPLIBS_FLOATING | POPLIBS_USHORT | CAST_WIDER)
#define CAST_TO_uchar        (POPLIBS_FLOATING | POPLIBS_USHORT | POPLIBS_UCHAR | POPLIBS_BOOL | CAST_WIDER)
#define CAST_TO_longlong     POPLIBS_FLOATING
#define CAST_TO_ulonglong    (POPLIBS_FLOATING | POPLIBS_USHORT | POPLIBS_UCHAR | POPLIBS_BOOL | CAST_WIDER)

#endif
