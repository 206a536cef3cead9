/* SPDX-License-Identifier: Apache-2.0 */
/* Views of tensors that include zeros. */
#ifndef POPLIN_CONVOLUTION_CONV_VIEWS_H
#define POPLIN_CONVOLUTION_CONV_VIEWS_H

#include "poplibs/call.h"

#include <poplin/conv_params.h>

enum { CONV_MAX_DIMS = POPLIN_MAX_FIELD_DIMS + 6 };

static inline pop_shape conv_shape(const size_t *dims, size_t rank)
{
    return (pop_shape){ rank, dims };
}

/* t with zeros before and after it along a dimension. */
pop_tensor conv_pad(const struct call *call, pop_tensor t, unsigned dim, size_t before, size_t after);
/* Elements indices[0 .. count) along a dimension; a zero for POPLIN_NO_INDEX. */
pop_tensor conv_gather(const struct call *call, pop_tensor t, unsigned dim, const unsigned *indices, size_t count);

/* Whether a variable is a constant of zeros, as padding is.  *last, {0} at first, caches the result for the last
 * variable. */
struct conv_constant {
    bool known, zero;
    uint32_t variable;
};
bool conv_is_zeros(const struct call *call, uint32_t variable, struct conv_constant *last);

#endif
