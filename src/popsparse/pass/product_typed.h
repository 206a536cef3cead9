/* SPDX-License-Identifier: Apache-2.0 */
/* Products of one type: template of product_vertices.c.  T is that of values and operands; results are float. */
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
#undef KIND
#undef TRANSPOSE
#undef GRAD_W
#undef KIND_NAME
