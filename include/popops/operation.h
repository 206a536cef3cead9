/* SPDX-License-Identifier: Apache-2.0 */
/* The operations with which elements are reduced to one. */
#ifndef POPOPS_OPERATION_H
#define POPOPS_OPERATION_H

#include <poplar/visibility.h>

typedef enum popops_operation {
    POPOPS_ADD = 0,
    POPOPS_MUL,
    POPOPS_MIN,
    POPOPS_MAX,
    POPOPS_LOGICAL_AND, /* of BOOL alone */
    POPOPS_LOGICAL_OR,
    POPOPS_SQUARE_ADD, /* the sum of the squares */
    POPOPS_LOG_ADD     /* log of the sum of exp: values are logarithms */
} popops_operation;
enum { POPOPS_OPERATIONS = POPOPS_LOG_ADD + 1 };

POP_BEGIN_DECLS

/* "ADD", "SQUARE_ADD", ...; "unknown" for anything else. */
POP_API const char *popops_operation_name(popops_operation operation);
/* "popops::ReduceAdd", as vertex types name it. */
POP_API const char *popops_operation_vertex_name(popops_operation operation);

POP_END_DECLS
#endif
