/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/codes.h"

#include <poplar/metadata.h>

pop_tensor poplibs_codes(const struct call *call, pop_tensor t)
{
    return pop_tensor_type(t) == POP_QUARTER ? pop_tensor_reinterpret(t, POP_UNSIGNED_CHAR) : t;
}

pop_type poplibs_codes_type(pop_type type)
{
    return type == POP_QUARTER ? POP_UNSIGNED_CHAR : type;
}

void poplibs_copy_metadata(const struct call *call, pop_tensor from, pop_tensor to)
{
    if (call_ready(call) && pop_tensor_has_metadata(from) && pop_tensor_has_metadata(to))
        call_copy(call, pop_tensor_get_metadata(from), pop_tensor_get_metadata(to), call->name);
}

pop_tensor poplibs_new_like(const struct call *call, pop_tensor t, pop_shape shape, const char *name)
{
    return pop_tensor_has_metadata(t) ? pop_graph_add_variable_with_metadata(call->graph, pop_tensor_get_metadata(t),
                                                                             shape, POP_MAPPING_NONE, name)
                                      : pop_graph_add_variable(call->graph, pop_tensor_type(t), shape, name);
}
