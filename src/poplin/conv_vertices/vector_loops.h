/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of the convolution codelets on several numbers at a time, for float and half data alike; sums are in
 * float. */
#ifndef POPLIN_CONV_VERTICES_VECTOR_LOOPS_H
#define POPLIN_CONV_VERTICES_VECTOR_LOOPS_H

#include "poplibs/typed.h"

#include <string.h>

#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are never passed between functions that are not inlined */

#define N 4
#include "poplin/conv_vertices/vector_lanes.h"
#undef N
#define N 8
#include "poplin/conv_vertices/vector_lanes.h"
#undef N
#define N 16
#include "poplin/conv_vertices/vector_lanes.h"
#undef N

#endif
