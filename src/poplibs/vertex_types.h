/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of element types for vertices that exist for several types. A *_vertices.c file names its set once:
 * poplibs/each_type.h includes the template of its codelets for each type of the set, and poplibs/estimates.h
 * registers its estimators for the same set. */
#ifndef POPLIBS_VERTEX_TYPES_H
#define POPLIBS_VERTEX_TYPES_H

/* Macros, because the preprocessor tests them. */
#define POPLIBS_HALF      0x001
#define POPLIBS_FLOAT     0x002
#define POPLIBS_INT       0x004
#define POPLIBS_UNSIGNED  0x008
#define POPLIBS_SHORT     0x010
#define POPLIBS_USHORT    0x020
#define POPLIBS_BOOL      0x040
#define POPLIBS_CHAR      0x080
#define POPLIBS_SCHAR     0x100
#define POPLIBS_UCHAR     0x200
#define POPLIBS_LONGLONG  0x400
#define POPLIBS_ULONGLONG 0x800

#define POPLIBS_FLOATING  (POPLIBS_HALF | POPLIBS_FLOAT)
#define POPLIBS_INTEGERS  (POPLIBS_INT | POPLIBS_UNSIGNED)
#define POPLIBS_SHORTS    (POPLIBS_SHORT | POPLIBS_USHORT)
#define POPLIBS_NUMBERS   (POPLIBS_FLOATING | POPLIBS_INTEGERS)
#define POPLIBS_ALL_TYPES 0xfff

#endif
