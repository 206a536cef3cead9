/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata elements of 8-bit floats, with the shape that poputil's calls give. */
#include "poplibs/log.h"
#include "poplibs/support.h"

#include <poplar/metadata.h>
#include <poputil/util.h>

static pop_tensor with_one_dimension(const struct call *call, pop_tensor t)
{
    return pop_tensor_valid(t) ? pop_tensor_reshape(t, POP_SHAPE(1)) : t;
}

pop_tensor poputil_create_constant_metadata_tensor_at(pop_where where, pop_graph *graph, pop_quarter_format format,
                                                      int scale)
{
    POPLIBS_CALL(graph, (unsigned)format, scale);
    return with_one_dimension(call, pop_create_constant_metadata_tensor(graph, format, scale, NULL));
}

pop_tensor poputil_create_variable_metadata_tensor_at(pop_where where, pop_graph *graph, pop_quarter_format format,
                                                      int scale)
{
    POPLIBS_CALL(graph, (unsigned)format, scale);
    return with_one_dimension(call, pop_create_variable_metadata_tensor(graph, format, scale, NULL));
}
