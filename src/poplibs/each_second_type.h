/* SPDX-License-Identifier: Apache-2.0 */
/* The second type of a template for pairs of types: includes TEMPLATE_2 once for each type of the set TYPES_2, as
 * each_type.h does, whose template includes this file. In TEMPLATE_2, T_2, T_2_NAME and T_2_BITS are those of the
 * second type, and
 *
 *     PAIRED(name)          is name_TYPE_TYPE2, for example SortKV_half_int,
 *     COMPUTE_PAIRED(name)  begins the compute function of the vertex PAIRED(name). */
#if (TYPES_2) & POPLIBS_HALF
#define T_2      half
#define T_2_TAG  half
#define T_2_NAME "half"
#define T_2_BITS POPLIBS_HALF
#include TEMPLATE_2
#undef T_2
#undef T_2_TAG
#undef T_2_NAME
#undef T_2_BITS
#endif
#if (TYPES_2) & POPLIBS_FLOAT
#define T_2      float
#define T_2_TAG  float
#define T_2_NAME "float"
#define T_2_BITS POPLIBS_FLOAT
#include TEMPLATE_2
#undef T_2
#undef T_2_TAG
#undef T_2_NAME
#undef T_2_BITS
#endif
#if (TYPES_2) & POPLIBS_INT
#define T_2      int
#define T_2_TAG  int
#define T_2_NAME "int"
#define T_2_BITS POPLIBS_INT
#include TEMPLATE_2
#undef T_2
#undef T_2_TAG
#undef T_2_NAME
#undef T_2_BITS
#endif
#if (TYPES_2) & POPLIBS_UNSIGNED
#define T_2      unsigned
#define T_2_TAG  unsigned
#define T_2_NAME "unsigned int"
#define T_2_BITS POPLIBS_UNSIGNED
#include TEMPLATE_2
#undef T_2
#undef T_2_TAG
#undef T_2_NAME
#undef T_2_BITS
#endif
#if (TYPES_2) & POPLIBS_SHORT
#define T_2      short
#define T_2_TAG  short
#define T_2_NAME "short"
#define T_2_BITS POPLIBS_SHORT
#include TEMPLATE_2
#undef T_2
#undef T_2_TAG
#undef T_2_NAME
#undef T_2_BITS
#endif
#if (TYPES_2) & POPLIBS_USHORT
#define T_2      unsigned short
#define T_2_TAG  ushort
#define T_2_NAME "unsigned short"
#define T_2_BITS POPLIBS_USHORT
#include TEMPLATE_2
#undef T_2
#undef T_2_TAG
#undef T_2_NAME
#undef T_2_BITS
#endif
#if (TYPES_2) & POPLIBS_BOOL
#define T_2      _Bool
#define T_2_TAG  bool
#define T_2_NAME "bool"
#define T_2_BITS POPLIBS_BOOL
#include TEMPLATE_2
#undef T_2
#undef T_2_TAG
#undef T_2_NAME
#undef T_2_BITS
#endif
#if (TYPES_2) & POPLIBS_CHAR
#define T_2      char
#define T_2_TAG  char
#define T_2_NAME "char"
#define T_2_BITS POPLIBS_CHAR
#include TEMPLATE_2
#undef T_2
#undef T_2_TAG
#undef T_2_NAME
#undef T_2_BITS
#endif
#if (TYPES_2) & POPLIBS_SCHAR
#define T_2      signed char
#define T_2_TAG  schar
#define T_2_NAME "signed char"
#define T_2_BITS POPLIBS_SCHAR
#include TEMPLATE_2
#undef T_2
#undef T_2_TAG
#undef T_2_NAME
#undef T_2_BITS
#endif
#if (TYPES_2) & POPLIBS_UCHAR
#define T_2      unsigned char
#define T_2_TAG  uchar
#define T_2_NAME "unsigned char"
#define T_2_BITS POPLIBS_UCHAR
#include TEMPLATE_2
#undef T_2
#undef T_2_TAG
#undef T_2_NAME
#undef T_2_BITS
#endif
#if (TYPES_2) & POPLIBS_LONGLONG
#define T_2      long long
#define T_2_TAG  longlong
#define T_2_NAME "long long"
#define T_2_BITS POPLIBS_LONGLONG
#include TEMPLATE_2
#undef T_2
#undef T_2_TAG
#undef T_2_NAME
#undef T_2_BITS
#endif
#if (TYPES_2) & POPLIBS_ULONGLONG
#define T_2      unsigned long long
#define T_2_TAG  ulonglong
#define T_2_NAME "unsigned long long"
#define T_2_BITS POPLIBS_ULONGLONG
#include TEMPLATE_2
#undef T_2
#undef T_2_TAG
#undef T_2_NAME
#undef T_2_BITS
#endif

#undef TEMPLATE_2
#undef TYPES_2
