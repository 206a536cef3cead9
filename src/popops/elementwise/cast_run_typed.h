/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of casts from T to each of the main types: template of cast_vertices.c. */
#define TYPES_2    CAST_MAIN_TYPES
#define TEMPLATE_2 "popops/elementwise/cast_run_paired.h"
#include "poplibs/each_second_type.h"
