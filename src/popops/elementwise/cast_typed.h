/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices of casts from T: template of cast_vertices.c. */
#if T_BITS & CAST_MAIN_TYPES
#define TYPES_2    CAST_MAIN_TYPES
#define TEMPLATE_2 "popops/elementwise/cast_main_paired.h"
#include "poplibs/each_second_type.h"
#endif

#define TYPES_2    POPLIBS_JOIN(CAST_TO_, T_TAG)
#define TEMPLATE_2 "popops/elementwise/cast_paired.h"
#include "poplibs/each_second_type.h"
