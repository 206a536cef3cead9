/* SPDX-License-Identifier: Apache-2.0 */
/* Argument checks that the slicing operations share. */
#ifndef POPOPS_SLICE_SLICING_H
#define POPOPS_SLICE_SLICING_H

#include "poplibs/call.h"

enum { POPOPS_MAX_DIMS = 64 };

/* Checks that dims and sizes fit the tensor: dims exist and occur at most once, sizes do not exceed their extents. */
bool slice_check_dims(const struct call *call, pop_shape shape, pop_dims dims, pop_shape sizes);
/* The offsets as a flat tensor of UNSIGNED_INT; the null tensor, with an error recorded, for other types and counts. */
pop_tensor slice_offsets(const struct call *call, pop_tensor offset, size_t count);

#endif
