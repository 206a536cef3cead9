/* SPDX-License-Identifier: Apache-2.0 */
/* Views of tensors with zeros in them. */
#ifndef POPLIN_CONVOLUTION_CONV_VIEWS_H
#define POPLIN_CONVOLUTION_CONV_VIEWS_H

#include "poplibs/support.h"

#include <poplin/conv_params.h>

enum { CONV_MAX_DIMS = POPLIN_MAX_FIELD_DIMS + 6 };

static inline pop_shape conv_shape(const size_t *dims, size_t rank)
{
    return (pop_shape){ rank, dims };
}

/* Zeros before and after t along a dimension. */
pop_tensor conv_pad(pop_where where, pop_graph *graph, pop_tensor t, unsigned dim, size_t before, size_t after);
/* Elements indices[0 .. count) along a dimension; zeros for POPLIN_NO_INDEX. */
pop_tensor conv_gather(pop_where where, pop_graph *graph, pop_tensor t, unsigned dim, const unsigned *indices,
                       size_t count);

/* Whether a variable is a constant that is 0 everywhere, as padding is.  *last, {0} at first, remembers the constant
 * that was asked about last. */
struct conv_constant {
    bool known, zero;
    uint32_t variable;
};
bool conv_is_zeros(pop_where where, pop_graph *graph, uint32_t variable, struct conv_constant *last);

#endif
