/* SPDX-License-Identifier: Apache-2.0 */
/* QUARTER tensors in operations that move elements: vertices have fields of bytes, and a new tensor gets the metadata
 * of the one that its codes come from. */
#ifndef POPLIBS_CODES_H
#define POPLIBS_CODES_H

#include "poplibs/call.h"

#include <poplar/metadata.h>

/* The codes of a QUARTER tensor, UNSIGNED_CHAR; other tensors are unchanged. */
static inline pop_tensor poplibs_codes(const struct call *call, pop_tensor t)
{
    return pop_tensor_type(t) == POP_QUARTER ? pop_tensor_reinterpret(t, POP_UNSIGNED_CHAR) : t;
}
/* The type of the fields of vertices that move elements of a type. */
static inline pop_type poplibs_codes_type(pop_type type)
{
    return type == POP_QUARTER ? POP_UNSIGNED_CHAR : type;
}
/* Adds a copy of the metadata to the call's sequence, if the tensors have some. */
static inline void poplibs_copy_metadata(const struct call *call, pop_tensor from, pop_tensor to)
{
    if (call_ready(call) && pop_tensor_has_metadata(from) && pop_tensor_has_metadata(to))
        call_copy(call, pop_tensor_get_metadata(from), pop_tensor_get_metadata(to), call->name);
}
/* A new variable of t's type, without a mapping, that shares its metadata. */
static inline pop_tensor poplibs_new_like(const struct call *call, pop_tensor t, pop_shape shape, const char *name)
{
    return pop_tensor_has_metadata(t) ? pop_graph_add_variable_with_metadata(call->graph, pop_tensor_get_metadata(t),
                                                                             shape, POP_MAPPING_NONE, name)
                                      : pop_graph_add_variable(call->graph, pop_tensor_type(t), shape, name);
}

#endif
