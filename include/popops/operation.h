/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of reductions. */
#ifndef POPOPS_OPERATION_H
#define POPOPS_OPERATION_H

#include <poplar/visibility.h>

/* How two elements are combined. */
typedef enum popops_operation {
    POPOPS_ADD = 0,
    POPOPS_MUL,
    POPOPS_MIN,
    POPOPS_MAX,
    POPOPS_LOGICAL_AND, /* BOOL only, as the next */
    POPOPS_LOGICAL_OR,
    POPOPS_SQUARE_ADD, /* the sum of squares */
    POPOPS_LOG_ADD     /* log of the sum of exp: elements are logarithms */
} popops_operation;
enum { POPOPS_OPERATIONS = POPOPS_LOG_ADD + 1 };

POP_BEGIN_DECLS

/* "ADD", "SQUARE_ADD", ...; "unknown" for other values. */
POP_API const char *popops_operation_name(popops_operation operation);
/* As in vertex types: "popops::ReduceAdd". */
POP_API const char *popops_operation_vertex_name(popops_operation operation);

POP_END_DECLS
#endif
