/* SPDX-License-Identifier: Apache-2.0 */
/* Multi-slices.  Slices of one element along one dimension are rows of a matrix and are processed at once; other slices
 * are processed one after the other, in a loop. */
#ifndef POPOPS_SLICE_MULTI_SLICE_H
#define POPOPS_SLICE_MULTI_SLICE_H

#include "popops/slice/slicing.h"

/* Adds a check that ends the run if component i of an offset is not less than allowed.dims[i].  offsets is {n, dims},
 * UNSIGNED_INT. */
void slice_add_offset_check(const struct call *call, pop_tensor offsets, pop_dims dims, pop_shape allowed);

#endif
