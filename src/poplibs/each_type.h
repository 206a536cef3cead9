/* SPDX-License-Identifier: Apache-2.0 */
/* Includes the file TEMPLATE once for each type of the set TYPES (vertex_types.h), in the order of their bits.  In it
 *
 *     T              is the type,
 *     T_NAME         its name in vertex types, "unsigned int",
 *     T_BITS         its bit,
 *     TYPED(name)    is name_TYPE, for example Fill_half,
 *     COMPUTE(name)  begins the compute function of the vertex TYPED(name).
 *
 * No include guard: a source includes this file for each of its templates.  TEMPLATE and TYPES are undefined after. */
#include "poplibs/typed.h"

#if (TYPES) & POPLIBS_HALF
#define T      half
#define T_TAG  half
#define T_NAME "half"
#define T_BITS POPLIBS_HALF
#include TEMPLATE
#undef T
#undef T_TAG
#undef T_NAME
#undef T_BITS
#endif
#if (TYPES) & POPLIBS_FLOAT
#define T      float
#define T_TAG  float
#define T_NAME "float"
#define T_BITS POPLIBS_FLOAT
#include TEMPLATE
#undef T
#undef T_TAG
#undef T_NAME
#undef T_BITS
#endif
#if (TYPES) & POPLIBS_INT
#define T      int
#define T_TAG  int
#define T_NAME "int"
#define T_BITS POPLIBS_INT
#include TEMPLATE
#undef T
#undef T_TAG
#undef T_NAME
#undef T_BITS
#endif
#if (TYPES) & POPLIBS_UNSIGNED
#define T      unsigned
#define T_TAG  unsigned
#define T_NAME "unsigned int"
#define T_BITS POPLIBS_UNSIGNED
#include TEMPLATE
#undef T
#undef T_TAG
#undef T_NAME
#undef T_BITS
#endif
#if (TYPES) & POPLIBS_SHORT
#define T      short
#define T_TAG  short
#define T_NAME "short"
#define T_BITS POPLIBS_SHORT
#include TEMPLATE
#undef T
#undef T_TAG
#undef T_NAME
#undef T_BITS
#endif
#if (TYPES) & POPLIBS_USHORT
#define T      unsigned short
#define T_TAG  ushort
#define T_NAME "unsigned short"
#define T_BITS POPLIBS_USHORT
#include TEMPLATE
#undef T
#undef T_TAG
#undef T_NAME
#undef T_BITS
#endif
#if (TYPES) & POPLIBS_BOOL
#define T      _Bool
#define T_TAG  bool
#define T_NAME "bool"
#define T_BITS POPLIBS_BOOL
#include TEMPLATE
#undef T
#undef T_TAG
#undef T_NAME
#undef T_BITS
#endif
#if (TYPES) & POPLIBS_CHAR
#define T      char
#define T_TAG  char
#define T_NAME "char"
#define T_BITS POPLIBS_CHAR
#include TEMPLATE
#undef T
#undef T_TAG
#undef T_NAME
#undef T_BITS
#endif
#if (TYPES) & POPLIBS_SCHAR
#define T      signed char
#define T_TAG  schar
#define T_NAME "signed char"
#define T_BITS POPLIBS_SCHAR
#include TEMPLATE
#undef T
#undef T_TAG
#undef T_NAME
#undef T_BITS
#endif
#if (TYPES) & POPLIBS_UCHAR
#define T      unsigned char
#define T_TAG  uchar
#define T_NAME "unsigned char"
#define T_BITS POPLIBS_UCHAR
#include TEMPLATE
#undef T
#undef T_TAG
#undef T_NAME
#undef T_BITS
#endif
#if (TYPES) & POPLIBS_LONGLONG
#define T      long long
#define T_TAG  longlong
#define T_NAME "long long"
#define T_BITS POPLIBS_LONGLONG
#include TEMPLATE
#undef T
#undef T_TAG
#undef T_NAME
#undef T_BITS
#endif
#if (TYPES) & POPLIBS_ULONGLONG
#define T      unsigned long long
#define T_TAG  ulonglong
#define T_NAME "unsigned long long"
#define T_BITS POPLIBS_ULONGLONG
#include TEMPLATE
#undef T
#undef T_TAG
#undef T_NAME
#undef T_BITS
#endif

#undef TEMPLATE
#undef TYPES
