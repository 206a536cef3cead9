/* SPDX-License-Identifier: Apache-2.0 */
/* The table of reduction operations. */
#ifndef POPOPS_REDUCE_OPERATIONS_H
#define POPOPS_REDUCE_OPERATIONS_H

#include <poplar/type.h>
#include <popops/operation.h>
#include <stdbool.h>

enum reduce_class { REDUCE_SUMS, REDUCE_PRODUCTS, REDUCE_OTHERS, REDUCE_LOGS, REDUCE_CLASSES };
enum reduce_neutral { REDUCE_ZERO, REDUCE_ONE, REDUCE_HIGHEST, REDUCE_LOWEST };

struct reduce_operation {
    const char *name, *vertex_name; /* "LOGICAL_AND", "popops::ReduceAnd" */
    enum reduce_class class;
    enum reduce_neutral neutral;
    popops_operation joins;
    unsigned types; /* bits of poplibs/vertex_types.h that its vertices take */
    bool mixed;     /* half and float partials have outputs of both types, and half is accumulated as an option says */
    bool scales;    /* outputs can be scaled and updated */
    bool strided;
};
extern const struct reduce_operation reduce_operations[POPOPS_OPERATIONS];

/* The type of the vertices that reduce elements of a type: unsigned int has the vertices of int where the sign has no
 * effect. POP_TYPE_NULL: the operation does not take the type. */
pop_type reduce_vertex_type(popops_operation op, pop_type type);
/* The types that an operation takes, for error messages: "half and float". */
const char *reduce_types_text(popops_operation op);

#endif
