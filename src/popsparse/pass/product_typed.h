/* SPDX-License-Identifier: Apache-2.0 */
/* Products of one type: template of product_vertices.c.  T is that of values and operands; P that of results,
 * which is half for blocks of half alone. */
#define P         float
#define P_TAG     float
#define P_NAME    "float"
#define KIND      Element
#define KIND_NAME "ElementWise"
#define TRANSPOSE "ElementWiseTranspose"
#define GRAD_W    "GradWElementWise"
#include "popsparse/pass/product_kind.h"
#undef KIND
#undef TRANSPOSE
#undef GRAD_W
#undef KIND_NAME

#define KIND      Block
#define KIND_NAME "Block"
#define TRANSPOSE "BlockGradA"
#define GRAD_W    "BlockGradW"
#include "popsparse/pass/product_kind.h"
#undef P
#undef P_TAG
#undef P_NAME
#if T_BITS == POPLIBS_HALF
#define P      half
#define P_TAG  half
#define P_NAME "half"
#include "popsparse/pass/product_kind.h"
#undef P
#undef P_TAG
#undef P_NAME
#endif
#undef KIND
#undef TRANSPOSE
#undef GRAD_W
#undef KIND_NAME
