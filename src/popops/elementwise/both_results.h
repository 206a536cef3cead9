/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of operators on T with results of type T and of bool, by RESULT_TEMPLATE: template of binary_vertices.c and
 * unary_vertices.c. */
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
