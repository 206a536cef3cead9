/* SPDX-License-Identifier: Apache-2.0 */
#include "popops/reduce/operations.h"
#include "popops/reduce/reduce_types.h"

#include "poplibs/estimates.h"

#include <assert.h>

const struct reduce_operation reduce_operations[] = {
#define VERTICES(vertex) REDUCE_TYPES_##vertex, REDUCE_MIXED_##vertex, REDUCE_SCALES_##vertex
#define REDUCE_OPERATION(constant, vertex, cost, neutral, joins, strided, binary)                                      \
    [POPOPS_##constant] = { #constant,      "popops::Reduce" #vertex, REDUCE_##cost, REDUCE_##neutral,                 \
                            POPOPS_##joins, VERTICES(vertex),         strided },
#include "popops/reduce/operations.def"
#undef REDUCE_OPERATION
#undef VERTICES
};

/* A row for each constant: rows would be empty otherwise. */
#define REDUCE_OPERATION(...) +1
_Static_assert(0
#include "popops/reduce/operations.def"
                   == POPOPS_OPERATIONS,
               "each operation of popops_operation has a row");
#undef REDUCE_OPERATION

const char *popops_operation_name(popops_operation operation)
{
    return (unsigned)operation < POPOPS_OPERATIONS ? reduce_operations[operation].name : "unknown";
}
const char *popops_operation_vertex_name(popops_operation operation)
{
    return (unsigned)operation < POPOPS_OPERATIONS ? reduce_operations[operation].vertex_name : "unknown";
}

static unsigned bit_of(pop_type type)
{
    for (size_t i = 0; i < POPLIBS_NUM_VERTEX_TYPES; ++i)
        if (poplibs_vertex_types[i].type == type)
            return poplibs_vertex_types[i].bit;
    return 0;
}

pop_type reduce_vertex_type(popops_operation op, pop_type type)
{
    assert((unsigned)op < POPOPS_OPERATIONS);
    unsigned types = reduce_operations[op].types;
    if (types & bit_of(type))
        return type;
    return type == POP_UNSIGNED_INT && types & POPLIBS_INT ? POP_INT : POP_TYPE_NULL;
}

const char *reduce_types_text(popops_operation op)
{
    unsigned types = reduce_operations[op].types;
    return types == POPLIBS_BOOL       ? "bool"
           : types == POPLIBS_FLOATING ? "half and float"
                                       : "half, float, int and unsigned int";
}
