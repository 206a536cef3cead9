/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/call.h"

#include <popfloat/cast_to_half.h>
#include <popops/cast.h>

pop_tensor popfloat_cast_to_half_at(pop_where where, pop_graph *graph, pop_tensor in, pop_program sequence,
                                    const char *name)
{
    const struct call call = { .graph = graph, .where = where, .api = "popfloat_cast_to_half" };
    if (in.store && pop_tensor_type(in) != POP_FLOAT) {
        call_fail(&call, POP_TYPE_ERROR, "the tensor is %s, it must be float", pop_type_name(pop_tensor_type(in)));
        return (pop_tensor){ 0 };
    }
    return popops_cast_at(where, graph, in, POP_HALF, sequence, name);
}
