/* SPDX-License-Identifier: Apache-2.0 */
/* Maxima and minima of one type with their indices: template of arg_max_vertices.c. */
/* The first step outputs values of type half as float. */
#if T_BITS & POPLIBS_HALF
#define OUT float
#else
#define OUT T
#endif

#define NAME         Max
#define BETTER(a, b) (((a) > (b)) | ((b) != (b)))
#include "popnn/loss/arg_max_best.h"
#undef NAME
#undef BETTER

#define NAME         Min
#define BETTER(a, b) (((a) < (b)) | ((b) != (b)))
#include "popnn/loss/arg_max_best.h"
#undef NAME
#undef BETTER

#undef OUT
