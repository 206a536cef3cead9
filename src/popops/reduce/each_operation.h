/* SPDX-License-Identifier: Apache-2.0 */
/* Includes the file OPERATION_TEMPLATE once for each reduction operation, with OP set to it. */
#define OP Add
#include OPERATION_TEMPLATE
#undef OP
#define OP SquareAdd
#include OPERATION_TEMPLATE
#undef OP
#define OP LogAdd
#include OPERATION_TEMPLATE
#undef OP
#define OP Mul
#include OPERATION_TEMPLATE
#undef OP
#define OP Min
#include OPERATION_TEMPLATE
#undef OP
#define OP Max
#include OPERATION_TEMPLATE
#undef OP
#define OP And
#include OPERATION_TEMPLATE
#undef OP
#define OP Or
#include OPERATION_TEMPLATE
#undef OP

#undef OPERATION_TEMPLATE
