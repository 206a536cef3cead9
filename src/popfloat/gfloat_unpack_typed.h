/* SPDX-License-Identifier: Apache-2.0 */
/* Values of packed custom floats: template of gfloat_vertices.c. */
#define TYPES_2    POPLIBS_FLOATING
#define TEMPLATE_2 "popfloat/gfloat_unpack_paired.h"
#include "poplibs/each_second_type.h"
