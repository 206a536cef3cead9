/* SPDX-License-Identifier: Apache-2.0 */
/* Triangular matrices of one type: template of triangular_vertices.c. */
#define SIDE       Lower
#define LOWER      1
#define LOWER_NAME "true"
#include "poplin/solve/triangular_sided.h"
#undef SIDE
#undef LOWER
#undef LOWER_NAME

#define SIDE       Upper
#define LOWER      0
#define LOWER_NAME "false"
#include "poplin/solve/triangular_sided.h"
#undef SIDE
#undef LOWER
#undef LOWER_NAME
