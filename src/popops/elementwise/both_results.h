/* SPDX-License-Identifier: Apache-2.0 */
/* Instantiates RESULT_TEMPLATE for operators on T with results of type T and of type bool: template of
 * binary_vertices.c and unary_vertices.c. */
/* The type's tag in popops/operator_types.h. */
#if T_BITS & POPLIBS_BOOL
#define E_TAG boolean
#else
#define E_TAG T_TAG
#endif

#define RESULT T
#define R_TAG  SAME
#include RESULT_TEMPLATE
#undef RESULT
#undef R_TAG

#define RESULT bool
#define R_TAG  BOOL
#include RESULT_TEMPLATE
#undef RESULT
#undef R_TAG

#undef E_TAG
