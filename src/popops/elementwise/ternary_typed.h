/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of select and clamp on T: template of ternary_vertices.c. */
/* The type's tag in popops/operator_types.h. */
#if T_BITS & POPLIBS_BOOL
#define E_TAG boolean
#else
#define E_TAG T_TAG
#endif

#if T_BITS & POPLIBS_HALF /* computed in float */
#define WORK float
#else
#define WORK T
#endif

#define ENUM       CLAMP
#define THIRD      T
#define THIRD_WORK WORK
#define THIRD_TAG  E_TAG
#include "popops/elementwise/ternary_of.h"
#undef ENUM
#undef THIRD
#undef THIRD_WORK
#undef THIRD_TAG

#define ENUM       SELECT
#define THIRD      bool
#define THIRD_WORK bool
#define THIRD_TAG  boolean
#include "popops/elementwise/ternary_of.h"
#undef ENUM
#undef THIRD
#undef THIRD_WORK
#undef THIRD_TAG

#undef WORK
#undef E_TAG
