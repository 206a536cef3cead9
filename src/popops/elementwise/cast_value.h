/* SPDX-License-Identifier: Apache-2.0 */
/* CAST_VALUE(x): an element of type T as T_2.  Included by templates for pairs of types, once for each pair. */
#undef CAST_VALUE
#if (T_BITS & POPLIBS_FLOATING) && !(T_2_BITS & POPLIBS_FLOATING)
#define CAST_VALUE(x) POPLIBS_JOIN(popops_float_to_, T_2_TAG)(x)
#else
#define CAST_VALUE(x) (T_2)(x)
#endif
