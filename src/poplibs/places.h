/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of a tensor's elements. */
#ifndef POPLIBS_PLACES_H
#define POPLIBS_PLACES_H

#include "poplibs/support.h"

/* Offsets in memory of the elements of a flat tensor, in order; the caller frees them. NULL when they belong to
 * several variables. */
int64_t *poplibs_places(pop_tensor flat);

#endif
